"""``gpuxlate cost``: the vendor's formula of GPU-hours, what is refused, and what is never guessed."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuxlate.backends.billing import BilledCard, CostError, Decides, Price
from gpuxlate.backends.volcengine_emr import KNOWN_CARDS, EmrRay
from gpuxlate.cli.cost import hours_of, price_number
from gpuxlate.model.exact import decimal_text
from tests import running
from tests.cluster.asking import share

RAY = EmrRay()
A10 = KNOWN_CARDS["A10"]
HOUR = Fraction(1)


def test_the_vendors_own_example() -> None:
    """Seed 004: 30 %, 4096 MiB, an A10 of 10 GPU-hours and 22731 MiB, one hour: 3 GPU-hours."""
    price = RAY.price(A10, 30, 4096, HOUR)
    assert (A10.units, A10.memory_mib) == (Fraction(10), 22731)
    assert price.gpu_hours == 3
    assert price.decides is Decides.COMPUTE
    # its line of arithmetic has 4069 MiB: the same price
    assert RAY.price(A10, 30, 4069, HOUR).gpu_hours == 3


def test_memory_decides() -> None:
    """facts/volcengine (d): 30 % with 8192 MiB is 10 * 8192/22731 = 3.60389 GPU-hours."""
    price = RAY.price(A10, 30, 8192, HOUR)
    assert price.gpu_hours == Fraction(81920, 22731)
    assert decimal_text(price.gpu_hours, 5) == "3.60389"
    assert price.decides is Decides.MEMORY
    assert price.free_memory_mib == 0
    assert price.free_cores == 6  # 36.04 %


def test_the_break_even() -> None:
    """facts/volcengine (d): memory decides from 6820 MiB up at 30 % of an A10."""
    price = RAY.price(A10, 30, 4096, HOUR)
    assert price.break_even_memory_mib == Fraction("6819.3")
    assert price.free_memory_mib == 6819 - 4096
    assert RAY.price(A10, 30, 6819, HOUR).decides is Decides.COMPUTE
    assert RAY.price(A10, 30, 6820, HOUR).decides is Decides.MEMORY
    assert RAY.price(BilledCard(Fraction(10), 20000), 30, 6000, HOUR).decides is Decides.BOTH


CARDS = st.builds(BilledCard, st.fractions(Fraction(1, 100), 100), st.integers(1, 200_000))
HOURS = st.fractions(Fraction(1, 3600), 10_000, max_denominator=3600)
PRICES = CARDS.flatmap(
    lambda card: st.builds(
        RAY.price, st.just(card), st.integers(1, 100), st.integers(1, card.memory_mib), HOURS
    )
)


@given(PRICES)
def test_the_formula_is_exact(price: Price) -> None:
    """Brute force, in integers: the price of each part over a common denominator."""
    units, card = price.card.units, price.card.memory_mib
    below = price.hours.denominator * units.denominator * 100 * card
    above = max(price.cores * card, price.memory_mib * 100) * price.hours.numerator * units.numerator
    assert price.gpu_hours.numerator * below == above * price.gpu_hours.denominator
    assert 0 < price.gpu_hours <= price.hours * units


@given(PRICES, st.integers(0, 99), st.integers(0, 200_000), HOURS)
def test_more_never_costs_less(price: Price, cores: int, memory: int, time: Fraction) -> None:
    more = RAY.price(
        price.card,
        min(price.cores + cores, 100),
        min(price.memory_mib + memory, price.card.memory_mib),
        price.hours + time,
    )
    assert more.gpu_hours > price.gpu_hours
    assert RAY.price(more.card, more.cores, more.memory_mib, price.hours).gpu_hours >= price.gpu_hours


@given(PRICES)
def test_what_is_free_is_free_and_no_more(price: Price) -> None:
    card, time = price.card, price.hours
    memory = price.memory_mib + price.free_memory_mib
    cores = price.cores + price.free_cores
    assert RAY.price(card, price.cores, memory, time).gpu_hours == price.gpu_hours
    assert RAY.price(card, cores, price.memory_mib, time).gpu_hours == price.gpu_hours
    if memory < card.memory_mib:
        assert RAY.price(card, price.cores, memory + 1, time).gpu_hours > price.gpu_hours
    if cores < 100:
        assert RAY.price(card, cores + 1, price.memory_mib, time).gpu_hours > price.gpu_hours


@pytest.mark.parametrize(
    ("cores", "memory", "time"),
    [(0, 1, 1), (101, 1, 1), (30, 0, 1), (30, 22732, 1), (30, 4096, 0), (30, 4096, -1)],
)
def test_what_cannot_be_billed(cores: int, memory: int, time: int) -> None:
    with pytest.raises(CostError):
        RAY.price(A10, cores, memory, Fraction(time))


@pytest.mark.parametrize(("units", "memory"), [(0, 1), (-1, 1), (1, 0)])
def test_what_is_no_card(units: int, memory: int) -> None:
    with pytest.raises(CostError):
        BilledCard(Fraction(units), memory)


HOURS_WRITTEN = {
    "1": "1", "0.5": "1/2", "1/3": "1/3", "2.5/2": "5/4", "90m": "3/2", "1h30m": "3/2", "1.5h": "3/2",
    "45s": "1/80", "1h0m1s": "3601/3600", "20m": "1/3",
}  # fmt: skip
NO_HOURS = [
    "", "0", "0m", "0/3", "-1", "1/0", "1e3", "h", "1h30", "30m1h", "1 h", "١", "1/3h", "nan", "1" * 33,
]  # fmt: skip


def test_hours() -> None:
    assert {text: hours_of(text) for text in HOURS_WRITTEN} == {
        text: Fraction(value) for text, value in HOURS_WRITTEN.items()
    }


@pytest.mark.parametrize("text", NO_HOURS)
def test_no_hours(text: str) -> None:
    with pytest.raises(ValueError, match=r"not a number|more than 0"):
        hours_of(text)


@given(st.text(alphabet="0123456789./hms -+e"))
def test_any_text_is_hours_above_0_or_an_error(text: str) -> None:
    value = None
    try:
        value = hours_of(text)
    except ValueError as error:
        assert str(error)  # noqa: PT017
    assert value is None or value > 0


@given(st.fractions(), st.integers(1, 8))
def test_decimals_are_the_nearest(value: Fraction, places: int) -> None:
    shown = Fraction(decimal_text(value, places))
    assert abs(shown - value) <= Fraction(1, 2 * 10**places)


def test_decimals() -> None:
    shown = {"3": "3", "1/3": "0.333333", "10": "10", "-1/2": "-0.5", "1/10000000": "0"}
    assert {value: decimal_text(Fraction(value)) for value in shown} == shown


def test_a_number_is_no_duration() -> None:
    assert price_number("10") == 10
    with pytest.raises(ValueError, match=r"not a number|more than 0"):
        price_number("1h")


# --- the command ----------------------------------------------------------------------------------

OUTPUTS = Path(__file__).parent / "outputs"
Run = Callable[..., tuple[int, str, str]]


# the share of the vendor's example (seed 004), and the one of facts/volcengine (d) where memory decides
BERT = share("{cores: 30, memoryMiB: 4096}", "bert")
BIG = share("{cores: 30, memoryMiB: 8192}", "big")
POLICY = "{cores: 30, memoryMiB: 4096, policy: fixed-share}"
ON_RAY = "--to emr-ray --card A10"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """gpuxlate cost in a folder with the GPUShare documents given."""
    monkeypatch.chdir(tmp_path)

    def called(spec: str, arguments: str) -> tuple[int, str, str]:
        Path("share.yaml").write_text(spec, encoding="utf-8")
        ran = running.run("cost", "share.yaml", *arguments.split())
        return ran.code, ran.out.decode(), ran.err.decode()

    return called


def test_the_vendors_own_example_as_it_prints(run: Run) -> None:
    card = "--card-units 10 --card-memory-mib 22731"
    code, out, err = run(BERT, f"--to volcengine-emr-customjob {card} --hours 1 --pods 1")
    assert (code, out, err) == (0, (OUTPUTS / "bert.txt").read_text(encoding="utf-8"), "")


def test_json(run: Run) -> None:
    code, out, err = run(BIG, f"{ON_RAY} --pods 2 -o json")
    assert (code, err, json.loads(out)) == (0, "", json.loads((OUTPUTS / "big.json").read_text()))


SPARK, JOB = "--to emr-spark --card a10", "--to emr-customjob --card a10"
JOBS = {
    # options, the spec of the share: its percent of compute, GPU-hours
    "driver and executors": (f"{SPARK} --executors 4", BERT, 30, "15"),
    "the driver said": (f"{SPARK} --executors 4 --driver", BERT, 30, "15"),
    "no driver": (f"{SPARK} --executors 4 --no-driver", BERT, 30, "12"),
    "a driver alone": (f"{SPARK} --executors 0", BERT, 30, "3"),
    "pods of Spark": (f"{SPARK} --pods 5", BERT, 30, "15"),
    "one pod": (ON_RAY, BERT, 30, "3"),
    "pods": (f"{ON_RAY} --pods 7", BERT, 30, "21"),
    "half an hour": (f"{JOB} --hours 0.5", BERT, 30, "3/2"),
    "a third": (f"{JOB} --hours 1/3", BERT, 30, "1"),
    "a duration": (f"{JOB} --hours 1h30m", BERT, 30, "9/2"),
    "other units": (f"{JOB} --card-units 2.5", BERT, 30, "3/4"),
    "a smaller card": (f"{JOB} --card-memory-mib 8192", BERT, 30, "5"),
    # the price is that of what the target gets
    # 5 % is what the job gets: 10 * 1/20 is less than its memory costs
    "--round up": (f"{ON_RAY} --round up", share("{cores: 3, memoryMiB: 100}", "a"), 5, "1/2"),
    "--fill": (f"{ON_RAY} --fill cores=40", share("{memoryMiB: 4096}", "a"), 40, "4"),
    "--drop": (f"{ON_RAY} --drop policy", share(POLICY, "a"), 30, "3"),
}


@pytest.mark.parametrize("case", JOBS)
def test_a_job_sums_over_its_pods(run: Run, case: str) -> None:
    arguments, spec, cores, hours = JOBS[case]
    code, out, _ = run(spec, f"{arguments} -o json")
    said = json.loads(out)
    assert (code, said["items"][0]["cores"], said["gpuHours"]["exact"]) == (0, cores, hours)


def test_several_shares_are_summed(run: Run) -> None:
    code, out, _ = run(f"{BERT}---\n{BIG}", ON_RAY)
    assert code == 0
    assert out.index("bert\n") < out.index("big\n")
    # 3 + 81920/22731
    assert "total  150113/22731  6.603889\n" in out


REFUSED = {
    "{cards: 2, cores: 60, memoryMiB: 8192}": "EMR039",
    "{cards: 1}": "GX023",
    "{cores: 30}": "EMR037",
    "{cores: 3, memoryMiB: 4096}": "EMR035",
    "{cores: 30, memoryMiB: 22732}": "EMR036",
    POLICY: "GX020",
}


@pytest.mark.parametrize("spec", REFUSED)
def test_what_does_not_fit_has_no_price(run: Run, spec: str) -> None:
    """Nothing on stdout, whatever else was in the run."""
    code, out, err = run(f"{BERT}---\n{share(spec)}", ON_RAY)
    assert (code, out) == (1, "")
    assert f"error[{REFUSED[spec]}]" in err
    assert "share.yaml:9:" in err


# what else is not guessed is in tests/errors/cases/06-cost.yaml
UNKNOWN = {
    "--to emr-ray --card L20 --card-units 8": ("the figures of L20 are not known", "give --card-memory-mib"),
    "--to emr-sprak --card A10": ("unknown target 'emr-sprak'", "emr-spark?"),
    f"{ON_RAY} --card-units x": ("--card-units x: 'x' is not", "0.5"),
}


@pytest.mark.parametrize("arguments", UNKNOWN)
def test_what_is_not_said_is_not_guessed(run: Run, arguments: str) -> None:
    said, hint = UNKNOWN[arguments]
    code, out, err = run(BERT, arguments)
    assert (code, out) == (2, "")
    first, second = err.splitlines()
    assert said in first
    assert hint in second


def test_inputs(run: Run) -> None:
    counts = ("--pods 0", "--pods x", "--card-memory-mib 0")
    assert {option: run(BERT, f"{ON_RAY} {option}")[0] for option in counts} == dict.fromkeys(counts, 2)
    assert run("", ON_RAY)[0] == 3
    code, out, err = run(share("{cores: thirty}", "a"), ON_RAY)
    assert (code, out) == (1, "")
    assert "GX010" in err
