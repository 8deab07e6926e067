"""Verifying: reading nvidia-smi of drivers of several generations, the bounds, ACK, and the command."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuxlate.backends import registry
from gpuxlate.backends.alibaba import AlibabaProfile, memory_of_units
from gpuxlate.model.profile import CardProfile, Profile
from gpuxlate.model.share import Share
from gpuxlate.planning.nvidia_smi import NvidiaSmiError, OutputForm, SeenCard, ShownCards, read_nvidia_smi
from gpuxlate.planning.verify import Expected, expected_values, verify
from tests import running
from tests.cluster.asking import share

OUTPUTS = Path(__file__).parent / "outputs"


def text_of(name: str) -> str:
    return (OUTPUTS / name).read_text(encoding="utf-8")


# The 4309 MiB and the bytes used are those of seed 002 (ACK, multi-card sharing); 3231 MiB on a T4 is
# CSK-EN in the facts. The others are made up in the layout of the driver.
A100, V100_16, CUT = "NVIDIA A100-SXM4-40GB", "Tesla V100-SXM2-16GB", "Tesla V100-SXM2..."
CASES = {
    "driver-470-two-v100.txt": (OutputForm.TABLE, [SeenCard(0, CUT, 4309, 569), SeenCard(1, CUT, 4309, 381)]),
    "driver-550-a10.txt": (OutputForm.TABLE, [SeenCard(0, "NVIDIA A10", 4096, 0)]),
    "driver-535-mig.txt": (OutputForm.TABLE, [SeenCard(0, A100, 40960, 87), SeenCard(1, A100, 40960, 512)]),
    "driver-418-t4.txt": (OutputForm.TABLE, [SeenCard(0, "Tesla T4", 3231, 1057)]),
    "query.csv": (OutputForm.CSV, [SeenCard(0, V100_16, 4309, 569), SeenCard(1, V100_16, 4309, 381)]),
    "list.txt": (OutputForm.LIST, [SeenCard(0, A100), SeenCard(1, A100)]),
}
WITH_MIG = ("driver-535-mig.txt", "list.txt")


@pytest.mark.parametrize("name", CASES)
def test_what_is_read(name: str) -> None:
    """The cards, and one note where there are MIG devices, which are no cards."""
    seen = read_nvidia_smi(text_of(name))
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
    seen = {
        (name, way): list(read_nvidia_smi(DRESSES[way](text_of(name))).cards)
        for name in CASES
        for way in DRESSES
    }
    assert seen == {(name, way): CASES[name][1] for name in CASES for way in DRESSES}


A10 = "NVIDIA A10"
TOTAL, USED = "memory.total [MiB]", "memory.used [MiB]"
UNNAMED = [SeenCard(1, None, 4096, 12), SeenCard(0, None, 4095, 0)]
CSV = {
    "0, NVIDIA A10, 4096 MiB, 12 MiB\n": [SeenCard(0, A10, 4096, 12)],
    "0, NVIDIA A10, 4096, 12\n": [SeenCard(0, A10, 4096, 12)],
    f"index, name, {TOTAL}, {USED}\n0, NVIDIA A10, 4096, 12\n": [SeenCard(0, A10, 4096, 12)],
    f"{USED}, uuid, {TOTAL}, index\n12 MiB, GPU-1, 4096 MiB, 1\n0 MiB, GPU-0, 4095 MiB, 0\n": UNNAMED,
    f"gpu_name, {TOTAL}\n{A10}, 4096 MiB\n{A10}, 4097 MiB\n": [
        SeenCard(0, A10, 4096),
        SeenCard(1, A10, 4097),
    ],
    "index, memory.total [MiB], memory.used [MiB]\n0, [N/A], [N/A]\n": [SeenCard(0)],
}


def test_csv() -> None:
    """With a heading or without, with units or without, in any order, and with what is not supported."""
    assert {text: list(read_nvidia_smi(text).cards) for text in CSV} == CSV


def test_memory_that_the_table_does_not_show() -> None:
    text = text_of("driver-550-a10.txt").replace("       0MiB /   4096MiB ", "       N/A /       N/A ")
    assert read_nvidia_smi(text).cards == (SeenCard(0, "NVIDIA A10"),)


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
        read_nvidia_smi(text)
    assert said in caught.value.message
    assert "\n" not in caught.value.message
    assert caught.value.hint


def test_a_cut_between_two_cards_is_noted() -> None:
    seen = read_nvidia_smi("\n".join(V100.splitlines()[:12]))
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
        cards = read_nvidia_smi(text).cards
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
        seen = read_nvidia_smi(text)
    except NvidiaSmiError:
        return
    if form is OutputForm.LIST:
        assert list(seen.cards) == cards[: len(seen.cards)]
        return
    for card, whole in zip(seen.cards, cards, strict=False):
        assert (card.index, card.name, card.total_mib) == (whole.index, whole.name, whole.total_mib)
    if form is OutputForm.TABLE and len(seen.cards) < len(cards):
        assert seen.notes


def test_a_long_line_takes_no_time() -> None:
    """Patterns stay linear: 10 MB in one line would take for ever otherwise."""
    with pytest.raises(NvidiaSmiError):
        read_nvidia_smi("\n".join([*V100.splitlines()[:8], "|   0  A" + " " * 10_000_000 + "x"]))


# --- the bounds -----------------------------------------------------------------------------------

ACK = registry.get("alibaba-gpushare")

# facts/alibaba-tencent, "card MiB / floor(card MiB / 1024)": card, units asked, MiB printed; S002, CSK-MULTI,
# CSK-MON, CSK-EN, BLOG-LR, RAY, A-M7 in this order
FIGURES = {
    (16160, 4): 4309, (16130, 2): 2150, (16130, 4): 4301, (15079, 3): 3231, (15360, 3): 3072,
    (23028, 8): 8373, (22731, 5): 5166,
    # a card without that many units has no figure
    (16160, 16): None, (1000, 1): None, (16160, 0.5): None,
}  # fmt: skip


def test_the_published_figures() -> None:
    found = {key: memory_of_units(int(key[1] * 1024), key[0], 1024) for key in FIGURES}
    assert found == FIGURES


@given(st.integers(1, 96), st.integers(1024, 200_000), st.sampled_from((128, 1024)))
def test_a_unit_is_never_less_than_its_name(units: int, card: int, unit: int) -> None:
    figure = memory_of_units(units * unit, card, unit)
    assert (figure is None) == (units > card // unit)
    if figure is not None:
        assert units * unit <= figure <= card


def ack_profile(card: int | None = None, **alibaba: object) -> Profile:
    own = AlibabaProfile(**alibaba)  # type: ignore[arg-type]
    return Profile("alibaba-gpushare", cards=CardProfile(memory_mib=card), extensions=(own,))


SHARE_MODE = ack_profile(16160, isolation="share")
WANTED = {
    "a part": (Share(1, 30, 4096), None, None, (4096, "4055.04", "4423.68", None)),
    # whether a container sees the request or how far it may burst is open
    "a burst": (Share(1, 30, 4096, memory_limit_mib=8192), None, None, (4096, "4055.04", "8847.36", None)),
    "two cards": (Share(2, None, 8192), None, None, (4096, "4055.04", "4423.68", None)),
    "whole": (Share(2), None, None, (None, None, None, None)),
    "whole of a known card": (Share(2), None, 16160, (None, "15998.4", "17452.8", None)),
    "compute alone": (Share(1, 30), None, None, (None, None, None, None)),
    "ACK, card unknown": (Share(2, None, 8192), ack_profile(), None, (4096, "4055.04", "4423.68", None)),
    "ACK": (Share(2, None, 8192), ack_profile(16160), None, (4096, "4055.04", "4423.68", 4309)),
    "ACK, card given": (Share(2, None, 8192), ack_profile(), 16160, (4096, "4055.04", "4423.68", 4309)),
    # 3073 MiB become 4 units (--round up): 1 % below the one, 8 % above the other
    "ACK, rounded": (Share(1, None, 3073), ack_profile(16160), None, (3073, "3042.27", "4423.68", 4309)),
    "ACK, core_mem": (Share(1, 30, 2048), SHARE_MODE, None, (2048, "2027.52", "2211.84", 2154)),
    "ACK, share": (Share(1, None, 2048), SHARE_MODE, None, (2048, "15998.4", "17452.8", None)),
    "ACK, open source": (Share(1, None, 2048), ack_profile(open_source=True), None, (2048, None, None, None)),
}  # fmt: skip


@pytest.mark.parametrize("case", WANTED)
def test_what_is_expected(case: str) -> None:
    share, profile, card, (asked, least, most, figure) = WANTED[case]
    wanted, refused = expected_values(share, ACK if profile else None, profile, card)
    assert refused == []
    assert (wanted.cards, wanted.asked_mib, wanted.figure_mib) == (share.cards, asked, figure)
    assert (wanted.minimum, wanted.maximum) == (least and Fraction(least), most and Fraction(most))
    assert bool(wanted.notes) == (case in ("ACK, share", "ACK, open source"))


def test_a_full_card_with_a_cap_becomes_a_whole_one() -> None:
    """VKE cannot say 100 % with a memory cap (VKE014): the whole card is to be seen."""
    wanted, refused = expected_values(Share(1, 100, 8192), registry.get("vke"), None, 16160)
    assert refused == []
    assert (wanted.minimum, wanted.maximum) == (Fraction("15998.4"), Fraction("17452.8"))
    assert len(wanted.notes) == 1


def test_large_units_are_told() -> None:
    """A card of 8191 MiB has 7 units of 1170: more than 8 % above 1024."""
    wanted, _ = expected_values(Share(1, None, 1024), ACK, ack_profile(8191))
    assert wanted.figure_mib == 1170
    assert "more than 8 %" in wanted.notes[0]


def test_what_the_target_refuses() -> None:
    _, refused = expected_values(Share(1, None, 32768), ACK, ack_profile(16160))
    assert [one.code for one in refused] == ["ACK004"]


@given(st.integers(1, 200_000), st.integers(0, 220_000))
def test_the_bounds_hold_to_the_mib(asked: int, shown: int) -> None:
    wanted, _ = expected_values(Share(1, None, asked))
    done = verify(wanted, ShownCards(OutputForm.CSV, (SeenCard(0, None, shown),)))
    assert done.match == (99 * asked <= 100 * shown <= 108 * asked)


@given(st.integers(1, 4), st.lists(st.one_of(st.none(), st.integers(3900, 4600)), max_size=5))
def test_a_match_is_every_card_and_no_other(cards: int, shown: list[int | None]) -> None:
    wanted, _ = expected_values(Share(cards, None, 4096 * cards))
    seen = ShownCards(OutputForm.TABLE, tuple(SeenCard(n, None, mib) for n, mib in enumerate(shown)))
    done = verify(wanted, seen)
    assert done.match == (
        len(shown) == cards and all(mib is not None and 4056 <= mib <= 4423 for mib in shown)
    )


def test_a_list_verifies_the_number_of_cards_alone() -> None:
    seen = ShownCards(OutputForm.LIST, (SeenCard(0, "NVIDIA A10"),))
    assert verify(Expected(1), seen).match
    capped = verify(expected_values(Share(1, 30, 4096))[0], seen)
    assert capped.problems == ("nvidia-smi -L does not show memory: it is not verified",)


# --- the command ------------------------------------------------------------------------------------

Run = Callable[..., tuple[int, str, str]]
TWO = share("{cards: 2, memoryMiB: 8192}", "mnist")
PROFILES = {
    "card.yaml": "target: alibaba-gpushare\ncards: {memoryMiB: 16160}\n",
    "share-mode.yaml": "target: alibaba-gpushare\nalibaba: {isolation: share}\n",
}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """gpuxlate verify on the GPUShare document given, in a folder with an output and profiles."""
    monkeypatch.chdir(tmp_path)
    for name, text in {"v100.txt": V100, **PROFILES}.items():
        Path(name).write_text(text)

    def called(
        spec: str, arguments: str = "", smi: str = "v100.txt", stdin: str = ""
    ) -> tuple[int, str, str]:
        Path("share.yaml").write_text(spec, encoding="utf-8")
        command = ["verify", "share.yaml", "--nvidia-smi", smi, *arguments.split()]
        ran = running.run(*command, stdin=stdin.encode())
        return ran.code, ran.out.decode(), ran.err.decode()

    return called


def test_json(run: Run) -> None:
    code, out, _ = run(TWO, "-o json", smi="-", stdin=V100)
    got = json.loads(out)
    assert (code, got["format"], got["match"], got["target"]) == (0, "gpuxlate-verify/v1", True, None)
    assert got["bounds"] == {"leastMiB": 4055.04, "mostMiB": 4423.68}
    name = "Tesla V100-SXM2..."
    mib = {"askedMiB": 4096, "expectedMiB": None, "foundMiB": 4309, "usedMiB": 381}
    assert got["cards"][1] == {"index": 1, "name": name, **mib, "within": True}


EACH = "mismatch: card 0 shows 4309 MiB, {0}; card 1 shows 4309 MiB, {0}\n"
VERDICTS = {
    "{cards: 1, memoryMiB: 4096}": (1, "mismatch: 1 card requested, 2 found\n"),
    "{cards: 3}": (1, "mismatch: 3 cards requested, 2 found\n"),
    "{cards: 2, memoryMiB: 10240}": (1, EACH.format("less than 5068.8 MiB")),
    "{cards: 2, memoryMiB: 6144}": (1, EACH.format("more than 3317.76 MiB")),
    "{cards: 2}": (0, "match: 2 cards as requested; the memory was not checked\n"),
}


@pytest.mark.parametrize("spec", VERDICTS)
def test_a_mismatch_exits_1_and_says_why(run: Run, spec: str) -> None:
    wanted, verdict = VERDICTS[spec]
    code, out, _ = run(share(spec, "a"))
    assert code == wanted
    assert out.endswith(verdict)


# the table that is printed is in docs/alibaba-multi-card.md
@pytest.mark.parametrize("card", ["--to ack --card-memory-mib 16160", "--profile card.yaml"])
def test_the_vendors_own_example(run: Run, card: str) -> None:
    """Seed 002: 8 GiB over two cards of 16160 MiB, 4309 MiB on each."""
    code, out, err = run(TWO, f"{card} -o json")
    assert (code, err) == (0, "")
    cards = [(one["expectedMiB"], one["foundMiB"], one["within"]) for one in json.loads(out)["cards"]]
    assert cards == [(4309, 4309, True)] * 2


def test_no_isolation_is_noted(run: Run) -> None:
    code, _, err = run(TWO, "--profile share-mode.yaml")
    said = "isolation mode share counts memory without isolating it: the container sees the whole card"
    assert (code, err) == (0, f"note: {said}\n")


def test_one_document_and_one_of_several(run: Run) -> None:
    assert run(TWO)[0] == 0
    assert running.run("verify", "share.yaml").code == 2  # it needs an output
    both = f"{TWO}---\n{share('{cards: 1}', 'other')}"
    assert [run(both, f"--name {name}")[0] for name in ("mnist", "other")] == [0, 1]


# what else is wrong about options and outputs: tests/errors/cases, 03-shares.yaml and 07-nvidia-smi.yaml
WRONG = [
    # options, output, stdin: exit code, what is said
    ("", "-", "", 3, "error: <stdin>: it is empty\nhelp: pass the output of nvidia-smi"),
    ("", "-", "a\x1b]0;title\x07b\x9bc", 1, "error: <stdin>: it lists no card: ab\\x9bc\nhelp: pass "),
    ("", "none.txt", "", 3, "error: none.txt: no such file"),
    ("", "utf16.txt", "", 3, "error: utf16.txt: byte 0 (0xff) is not UTF-8"),
    ("", ".", "", 3, "error: .: is a directory"),
    ("--to vk", "v100.txt", "", 2, "error: unknown target 'vk'"),
]


@pytest.mark.parametrize(("arguments", "smi", "stdin", "exit_code", "said"), WRONG)
def test_what_is_no_output(run: Run, arguments: str, smi: str, stdin: str, exit_code: int, said: str) -> None:
    Path("utf16.txt").write_bytes(V100.encode("utf-16"))
    code, out, err = run(TWO, arguments, smi, stdin)
    assert (code, out) == (exit_code, "")
    assert err.startswith(said)
    assert "\x1b" not in err
    assert len(err.splitlines()) <= 2


def test_what_is_refused(run: Run) -> None:
    code, out, err = run(share("{cards: 2, memoryMiB: 4097}", "a"))
    assert (code, out) == (1, "")
    assert "GX011" in err
    assert "share.yaml" in err
    code, out, err = run(share("{cards: 4, cores: 120, memoryMiB: 16384}", "a"), "--to tencent-qgpu")
    assert (code, out) == (1, "")
    assert "TKE005" in err
