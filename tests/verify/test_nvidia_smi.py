"""Reading nvidia-smi: every form, drivers of several generations, and what is cut or no output at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuxlate.planning.nvidia_smi import Form, NvidiaSmiError, SeenCard, read

OUTPUTS = Path(__file__).parent / "outputs"


def text_of(name: str) -> str:
    return (OUTPUTS / name).read_text(encoding="utf-8")


# The 4309 MiB and the bytes used are those of seed 002 (ACK, multi-card sharing); 3231 MiB on a T4 is
# CSK-EN in the facts. The others are made up in the layout of the driver.
A100, V100_16, CUT = "NVIDIA A100-SXM4-40GB", "Tesla V100-SXM2-16GB", "Tesla V100-SXM2..."
CASES = {
    "driver-470-two-v100.txt": (Form.TABLE, [SeenCard(0, CUT, 4309, 569), SeenCard(1, CUT, 4309, 381)]),
    "driver-550-a10.txt": (Form.TABLE, [SeenCard(0, "NVIDIA A10", 4096, 0)]),
    "driver-535-mig.txt": (Form.TABLE, [SeenCard(0, A100, 40960, 87), SeenCard(1, A100, 40960, 512)]),
    "driver-418-t4.txt": (Form.TABLE, [SeenCard(0, "Tesla T4", 3231, 1057)]),
    "query.csv": (Form.CSV, [SeenCard(0, V100_16, 4309, 569), SeenCard(1, V100_16, 4309, 381)]),
    "list.txt": (Form.LIST, [SeenCard(0, A100), SeenCard(1, A100)]),
}
WITH_MIG = ("driver-535-mig.txt", "list.txt")


@pytest.mark.parametrize("name", CASES)
def test_what_is_read(name: str) -> None:
    """The cards, and one note where there are MIG devices, which are no cards."""
    seen = read(text_of(name))
    assert (seen.form, list(seen.cards)) == CASES[name]
    assert [note[:3] for note in seen.notes] == (["MIG"] if name in WITH_MIG else [])


DRESSES: dict[str, Callable[[str], str]] = {
    "crlf": lambda text: text.replace("\n", "\r\n"),
    "indented": lambda text: "".join(f"    {line}\n" for line in text.splitlines()),
    "coloured": lambda text: "".join(f"\x1b[1;32m{line}\x1b[0m\x1b[K\n" for line in text.splitlines()),
    "after a notice": lambda text: 'Defaulted container "server" out of: server, exporter\n\n' + text,
    "blank lines": lambda text: text + "\n\n",
}


def test_the_same_in_another_dress() -> None:
    seen = {(name, way): list(read(DRESSES[way](text_of(name))).cards) for name in CASES for way in DRESSES}
    assert seen == {(name, way): CASES[name][1] for name in CASES for way in DRESSES}


A10 = "NVIDIA A10"
CSV = {
    "0, NVIDIA A10, 4096 MiB, 12 MiB\n": [SeenCard(0, A10, 4096, 12)],
    "0, NVIDIA A10, 4096, 12\n": [SeenCard(0, A10, 4096, 12)],
    "index, name, memory.total [MiB], memory.used [MiB]\n0, NVIDIA A10, 4096, 12\n": [
        SeenCard(0, A10, 4096, 12)
    ],
    "memory.used [MiB], uuid, memory.total [MiB], index\n12 MiB, GPU-1, 4096 MiB, 1\n"
    "0 MiB, GPU-0, 4095 MiB, 0\n": [SeenCard(1, None, 4096, 12), SeenCard(0, None, 4095, 0)],
    "gpu_name, memory.total [MiB]\nNVIDIA A10, 4096 MiB\nNVIDIA A10, 4097 MiB\n": [
        SeenCard(0, A10, 4096),
        SeenCard(1, A10, 4097),
    ],
    "index, memory.total [MiB], memory.used [MiB]\n0, [N/A], [N/A]\n": [SeenCard(0)],
}


def test_csv() -> None:
    """With a heading or without, with units or without, in any order, and with what is not supported."""
    assert {text: list(read(text).cards) for text in CSV} == CSV


def test_memory_that_the_table_does_not_show() -> None:
    text = text_of("driver-550-a10.txt").replace("       0MiB /   4096MiB ", "       N/A /       N/A ")
    assert read(text).cards == (SeenCard(0, "NVIDIA A10"),)


# --- what is no output -------------------------------------------------------------------------------

V100 = text_of("driver-470-two-v100.txt")

RUNTIME = 'exec: "nvidia-smi": executable file not found in $PATH: unknown\n'
OTHER_LINE = text_of("query.csv") + "a, b, c, d\n"
# more of it is in tests/errors/cases/07-nvidia-smi.yaml
BROKEN = {
    "nvml": ("Failed to initialize NVML: Driver/library version mismatch\n", "does not reach the driver"),
    "no devices": ("No devices were found\n", "nvidia-smi finds no card"),
    "shell": ("bash: nvidia-smi: command not found\n", "the container has no nvidia-smi"),
    "sh": ("sh: 1: nvidia-smi: not found\n", "the container has no nvidia-smi"),
    "runtime": (RUNTIME, "the container has no nvidia-smi"),
    "kubectl": ('Error from server (NotFound): pods "web" not found\n', "it lists no card: Error from"),
    "long": ("x" * 5000, "it lists no card: " + "x" * 79 + "…"),
    "blank": ("\n \n\x1b[0m\n", "it is empty"),
    "only the head": ("\n".join(V100.splitlines()[:3]), "ends before its first card"),
    "no card yet": ("\n".join(V100.splitlines()[:8]), "has no card, or ends before the first"),
    "no memory": ("\n".join(V100.splitlines()[:9]), "incomplete or malformed at card 0"),
    "half a memory": (V100[: V100.index(" /  4309MiB")], "incomplete or malformed at card 0"),
    "no border": ("\n".join(V100.splitlines()[:11]), "incomplete or malformed at card 0"),
    "half a second card": (V100[: V100.index("00000000:00:0A")], "incomplete or malformed at: |   1  Tesla"),
    "two runs": (V100 + V100, "card 0 is listed twice"),
    "csv cut in a row": (text_of("query.csv")[:110], "line 3 has"),
    "csv cut in a number": (text_of("query.csv")[:-5], "some numbers of the CSV have a unit"),
    "csv with other lines": (OTHER_LINE, "line 4 is incomplete or malformed: a, b, c, d"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_no_output_is_said_in_one_line(case: str) -> None:
    text, said = BROKEN[case]
    with pytest.raises(NvidiaSmiError) as caught:
        read(text)
    assert said in caught.value.message
    assert "\n" not in caught.value.message
    assert caught.value.hint


def test_a_cut_between_two_cards_is_noted() -> None:
    seen = read("\n".join(V100.splitlines()[:12]))
    assert [card.index for card in seen.cards] == [0]
    assert "are cards missing too?" in seen.notes[0]


LINES = [line for name in sorted(CASES) for line in text_of(name).splitlines()]
PIECES = st.sampled_from([*LINES, "", "|", "+-+", "0, A, 1, 2", "index", "memory.total [MiB]", "\x1b["])
OUTPUT = st.one_of(
    st.text(),
    st.lists(PIECES).map("\n".join),
    st.builds(lambda name, end: text_of(name)[:end], st.sampled_from(sorted(CASES)), st.integers(0, 3000)),
    st.builds(
        lambda name, at, piece: text_of(name)[:at] + piece + text_of(name)[at:],
        st.sampled_from(sorted(CASES)),
        st.integers(0, 3000),
        st.text(max_size=8),
    ),
)


@given(OUTPUT)
def test_any_text_is_cards_or_one_clear_error(text: str) -> None:
    message = ""
    try:
        cards = read(text).cards
    except NvidiaSmiError as error:
        cards, message = (), error.message
    assert bool(cards) != bool(message)
    assert "\n" not in message
    assert len({card.index for card in cards}) == len(cards)


@given(st.sampled_from(sorted(CASES)), st.integers(0, 6000))
def test_a_cut_output_never_shows_other_numbers(name: str, end: int) -> None:
    """A cut may hide cards, which is noted for a table; it never changes one."""
    text, (form, cards) = text_of(name)[:end], CASES[name]
    try:
        seen = read(text)
    except NvidiaSmiError:
        return
    if form is Form.LIST:
        assert list(seen.cards) == cards[: len(seen.cards)]
        return
    for card, whole in zip(seen.cards, cards, strict=False):
        assert (card.index, card.name, card.total_mib) == (whole.index, whole.name, whole.total_mib)
    if form is Form.TABLE and len(seen.cards) < len(cards):
        assert seen.notes


def test_a_long_line_takes_no_time() -> None:
    """Patterns stay linear: 10 MB in one line would take for ever otherwise."""
    with pytest.raises(NvidiaSmiError):
        read("\n".join([*V100.splitlines()[:8], "|   0  A" + " " * 10_000_000 + "x"]))
