"""The table of the vendors' code that was asked, of the ledger of documents."""

from __future__ import annotations

from docs.tools.documents import all_documents
from docs.tools.markdown import table


def rows(_of: str) -> list[str]:
    """A row for each document with functions that were asked. ``_of``: "vendors", which are all."""
    head = ["repository and commit", "functions", "dialects"]
    asked = (document for document in all_documents() if document.asked)
    return table(
        head,
        [
            [
                ", ".join(filter(None, (f"{document.title} {document.commit}", document.asked_with))),
                document.asked,
                document.dialects,
            ]
            for document in asked
        ],
    )
