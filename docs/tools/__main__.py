"""``make docs``: renews the inserts of the pages that people write, and lays all pages into ``build/docs``.

With ``--check`` nothing is written; pages whose inserts are not current are named.
"""

from __future__ import annotations

import sys

from docs.tools import inserts, staging
from docs.tools.inserts.console import ROOT


def main() -> int:
    check = sys.argv[1:] == ["--check"]
    stale = [
        (path, text)
        for path, text in inserts.current()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    for path, text in stale:
        name = path.relative_to(ROOT)
        if check:
            print(f"{name} is not current: run make docs")
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote {name}")
    if not check:
        staging.stage(ROOT / "build" / "docs", playground=False)
        print("all pages are in build/docs")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
