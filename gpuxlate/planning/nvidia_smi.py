"""Reading the output of ``nvidia-smi``: its table, its CSV, and the list of ``nvidia-smi -L``.

The table looks alike from driver to driver, but for the width of its columns: a line with the
index and the name of a card, a line with its memory, at times a third one, then a border. Memory
is in MiB everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum

from gpuxlate.model.declarations import record, regex
from gpuxlate.model.errors import Exit, UserError
from gpuxlate.model.messages import msg

EXPECTED = (
    "pass the output of nvidia-smi: its table, or that of "
    "nvidia-smi --query-gpu=index,name,memory.total,memory.used --format=csv"
)


class NvidiaSmiError(UserError, ValueError):
    """The text is not an output of nvidia-smi with cards, or only a part of one."""

    exit_code = Exit.FINDINGS

    def __init__(self, message: str, hint: str = EXPECTED) -> None:
        super().__init__(message, hint)


class OutputForm(StrEnum):
    """The form of the output."""

    TABLE = "table"
    CSV = "csv"
    LIST = "list"


@record
class SeenCard:
    """One card as nvidia-smi shows it, with MiB in all and in use. None: not shown."""

    index: int
    name: str | None = None
    total_mib: int | None = None
    used_mib: int | None = None


@record
class ShownCards:
    """The cards in an output of nvidia-smi, and its form. ``notes``: sentences on what was not read."""

    form: OutputForm
    cards: tuple[SeenCard, ...]
    notes: tuple[str, ...] = ()


MAX_LINE = 400
"""No line of nvidia-smi is longer; the rest of a longer one is ignored."""

_MIG_NOTE = "MIG devices are parts of the cards above: they are not counted"

_ANSI = regex(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])")

_FAILURES = (
    (r"nvidia-smi has failed", "nvidia-smi does not reach the driver", "is the driver loaded on the node?"),
    (
        r"failed to initialize nvml",
        "nvidia-smi does not reach the driver",
        "do driver and libraries match?",
    ),
    (r"no devices were found", "nvidia-smi finds no card", "does the container request a GPU?"),
    (r"unable to determine the device handle", "nvidia-smi cannot reach a card", "check the log of the node"),
    (
        r"(?:nvidia-smi|executable file).*(?:not found|no such file)|not found.*nvidia-smi",
        "the container has no nvidia-smi",
        "the vendor's plugin adds it to containers that request a GPU: does it request one?",
    ),
)
"""Errors of nvidia-smi (lower case), what they mean, and what to check."""

_TABLE_HEAD = regex(r"\|\s*GPU\s+Name\b")

_LIST_ROW = regex(r"\s*GPU ([0-9]{1,4}): ([^\n]*?)\s*\(UUID: [^)]*\)\s*")


def read_nvidia_smi(text: str) -> ShownCards:
    """The cards in an output of nvidia-smi. Raises NvidiaSmiError."""
    lines = _ANSI.sub("", text).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    stripped = [line.strip()[:MAX_LINE] for line in lines]
    if any(_TABLE_HEAD.match(line) for line in stripped):
        seen = _read_table(stripped)
    elif any(_LIST_ROW.fullmatch(line) for line in stripped):
        seen = _read_list(stripped)
    else:
        start = next((n for n, line in enumerate(stripped) if _is_csv(line)), None)
        if start is None:
            raise _no_cards_error(stripped)
        seen = _read_csv([(n, line) for n, line in enumerate(stripped[start:], start + 1) if line])
    indices = [card.index for card in seen.cards]
    if len(set(indices)) < len(indices):
        twice = next(n for n in indices if indices.count(n) > 1)
        raise NvidiaSmiError(
            msg("card {twice} is listed twice: the text has several outputs", twice=twice),
            "pass the output of one run",
        )
    return seen


def _no_cards_error(lines: Sequence[str]) -> NvidiaSmiError:
    """The error for a text without cards, which says what the text is."""
    for line in lines:
        for sign, meaning, hint in _FAILURES:
            if re.search(sign, line.lower()):
                return NvidiaSmiError(msg("{meaning}: {short}", meaning=meaning, short=_short(line)), hint)
    if any(line.startswith("| NVIDIA-SMI") for line in lines):
        return NvidiaSmiError("the table of nvidia-smi ends before its first card")
    first = next((line for line in lines if line), "")
    return NvidiaSmiError(msg("it lists no card: {short}", short=_short(first)) if first else "it is empty")


def _short(line: str) -> str:
    return line if len(line) <= 80 else line[:79] + "…"


# --- the table --------------------------------------------------------------------------------------
_CARD_ROW = regex(r"\|\s*([0-9]{1,4})\s+(\S[^|]*?)\s*\|[^|]*\|[^|]*\|")

_MIB = r"(?:([0-9]{1,9})MiB|N/A|ERR!|Unknown Error|Not Supported)"

_MEMORY = regex(rf"\|[^|]*\|\s*{_MIB}(?:\s*/\s*{_MIB})?\s*\|[^|]*\|")

_MODE = regex(r"\s+(?:On|Off|N/A|ERR!|TCC|WDDM|MCDM)$")

_BORDER = regex(r"[+|](?:-+\+)+-+[+|]")

_TABLE_END = regex(r"\|\s*(?:MIG devices|(?:Compute )?Processes)\s*:")


def _read_table(lines: Sequence[str]) -> ShownCards:
    """The cards are between the heading of the table and the next table, each closed by a border."""
    cards: list[SeenCard] = []
    card: SeenCard | None = None
    has_memory = False  # the memory of the card was read
    inside, notes = _card_lines(lines)
    for line in inside:
        row = _CARD_ROW.fullmatch(line)
        if card is None:
            if row:
                card, has_memory = SeenCard(int(row[1]), _MODE.sub("", row[2])), False
            elif line.startswith("|") and not _BORDER.fullmatch(line):
                raise NvidiaSmiError(
                    msg("the table of nvidia-smi is incomplete or malformed at: {short}", short=_short(line))
                )
        elif not has_memory:
            card, has_memory = _with_memory(card, line), True
        elif _BORDER.fullmatch(line):
            cards.append(card)
            card = None
        elif row:
            break
    if card is not None:
        raise _cut_off_error(card)
    if not cards:
        raise NvidiaSmiError("the table of nvidia-smi has no card, or ends before the first")
    return ShownCards(OutputForm.TABLE, tuple(cards), tuple(notes))


def _card_lines(lines: Sequence[str]) -> tuple[list[str], list[str]]:
    """The lines of cards, without the heading above and the tables below them; and notes."""
    inside: list[str] = []
    notes: list[str] = []
    in_cards = counts = ended = False
    for line in lines:
        if _TABLE_HEAD.match(line):
            in_cards, counts = True, False
        elif _TABLE_END.match(line):
            in_cards = counts = False
            ended = ended or "Processes" in line
            if "MIG" in line:
                notes.append(_MIG_NOTE)
        elif line.startswith("|==="):
            counts = in_cards
        elif counts:
            inside.append(line)
    if not ended:
        notes.append("the list of processes after the table is missing: are cards missing too?")
    return inside, notes


def _with_memory(card: SeenCard, line: str) -> SeenCard:
    """The card with the memory of its second line."""
    match = _MEMORY.fullmatch(line)
    if match is None:
        raise _cut_off_error(card)
    used, total = match[1], match[2]
    return SeenCard(card.index, card.name, int(total) if total else None, int(used) if used else None)


def _cut_off_error(card: SeenCard) -> NvidiaSmiError:
    return NvidiaSmiError(
        msg("the table of nvidia-smi is incomplete or malformed at card {index}", index=card.index)
    )


# --- nvidia-smi -L ----------------------------------------------------------------------------------
def _read_list(lines: Sequence[str]) -> ShownCards:
    """``GPU 0: NVIDIA A10 (UUID: GPU-...)``, followed by the MIG devices of the card."""
    cards: list[SeenCard] = []
    notes: list[str] = []
    for line in lines:
        row = _LIST_ROW.fullmatch(line)
        if row:
            cards.append(SeenCard(int(row[1]), row[2]))
        elif line.startswith("MIG "):
            notes.append(_MIG_NOTE)
        elif line.startswith("GPU "):
            raise NvidiaSmiError(
                msg("the list of nvidia-smi -L is incomplete or malformed at: {short}", short=_short(line))
            )
    return ShownCards(OutputForm.LIST, tuple(cards), tuple(dict.fromkeys(notes)))


# --- CSV --------------------------------------------------------------------------------------------
_FIELDS = {"index": "index", "name": "name", "gpu_name": "name"}
_FIELDS |= {"memory.total": "total", "memory.used": "used"}

_HEAD_CELL = regex(r"([a-z][a-z0-9_.]*)(?: \[([^\]]*)\])?")

_PLAIN_ORDER = ("index", "name", "total", "used")

_AMOUNT = regex(r"([0-9]{1,9})( MiB)?")

_UNKNOWN = regex(r"\[?(?:N/A|Not Supported|Unknown Error|Insufficient Permissions)\]?")


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split(",")]


def _is_csv(line: str) -> bool:
    return _column_titles(line) is not None or _is_plain_row(line)


def _column_titles(line: str) -> list[tuple[str, str | None]] | None:
    """The titles of the columns with their units; None where the line is not a row of titles."""
    cells = [_HEAD_CELL.fullmatch(cell) for cell in _cells(line)]
    columns = [(cell[1], cell[2]) for cell in cells if cell]
    is_heading = any(name in _FIELDS for name, _ in columns)
    return columns if is_heading and len(columns) == len(cells) else None


def _is_plain_row(line: str) -> bool:
    """A row without a heading, in the order of the query above."""
    cells = _cells(line)
    return (
        len(cells) == len(_PLAIN_ORDER)
        and re.fullmatch(r"[0-9]{1,4}", cells[0]) is not None
        and all(_AMOUNT.fullmatch(cell) or _UNKNOWN.fullmatch(cell) for cell in cells[2:])
    )


def _read_csv(lines: Sequence[tuple[int, str]]) -> ShownCards:
    """Rows under a heading in any order, or without one in the documented order."""
    columns: list[str | None] = list(_PLAIN_ORDER)
    head = _column_titles(lines[0][1])
    if head is not None:
        columns = [_FIELDS.get(name) for name, _ in head]
        foreign = [unit for name, unit in head if name.startswith("memory.") and unit not in (None, "MiB")]
        if foreign:
            raise NvidiaSmiError(
                msg("the memory is in {foreign}, but nvidia-smi prints MiB", foreign=foreign[0])
            )
    rows = list(_rows(lines[1:] if head is not None else lines, columns))
    if not rows:
        raise NvidiaSmiError("the CSV has a heading, but no cards")
    units = {unit for _, units in rows for unit in units}
    if len(units) > 1:
        raise NvidiaSmiError("some numbers of the CSV have a unit and some have none: is it incomplete?")
    cards = tuple(card for card, _ in rows)
    wrong = next((c for c in cards if c.total_mib is not None and (c.used_mib or 0) > c.total_mib), None)
    if wrong is not None:
        raise NvidiaSmiError(
            msg(
                "card {index} uses {used_mib} of {total_mib} MiB: are the columns in another order?",
                index=wrong.index,
                used_mib=wrong.used_mib,
                total_mib=wrong.total_mib,
            ),
            "pass the output with its heading: --format=csv",
        )
    return ShownCards(OutputForm.CSV, cards)


def _rows(
    lines: Sequence[tuple[int, str]], columns: Sequence[str | None]
) -> Iterator[tuple[SeenCard, set[bool]]]:
    """Each card, and whether its numbers have units. Raises NvidiaSmiError."""
    for order, (number, line) in enumerate(lines):
        cells = _cells(line)
        if len(cells) != len(columns):
            raise NvidiaSmiError(
                msg(
                    "line {number} has {count} columns, expected {count_2}: {short}",
                    number=number,
                    count=len(cells),
                    count_2=len(columns),
                    short=_short(line),
                )
            )
        row = {column: cell for column, cell in zip(columns, cells, strict=True) if column}
        matches = {key: _AMOUNT.fullmatch(row[key]) for key in ("total", "used") if key in row}
        bad = [key for key, match in matches.items() if not match and not _UNKNOWN.fullmatch(row[key])]
        index = row.get("index", str(order))
        if bad or not re.fullmatch(r"[0-9]{1,4}", index):
            raise NvidiaSmiError(
                msg("line {number} is incomplete or malformed: {short}", number=number, short=_short(line))
            )
        amounts = {key: int(match[1]) for key, match in matches.items() if match}
        card = SeenCard(int(index), row.get("name"), amounts.get("total"), amounts.get("used"))
        yield card, {match[2] is not None for match in matches.values() if match}
