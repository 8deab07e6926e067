"""``gpuxlate cost``: the table, JSON, what is refused, and what is never guessed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import running
from tests.cluster.asking import share

OUTPUTS = Path(__file__).parent / "outputs"
Run = Callable[..., tuple[int, str, str]]


# the share of the vendor's example (seed 004), and the one of facts/volcengine (d) where memory decides
BERT = share("{cores: 30, memoryMiB: 4096}", "bert")
BIG = share("{cores: 30, memoryMiB: 8192}", "big")
POLICY = "{cores: 30, memoryMiB: 4096, policy: fixed-share}"
RAY = "--to emr-ray --card A10"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """gpuxlate cost in a folder with the GPUShare documents given."""
    monkeypatch.chdir(tmp_path)

    def called(spec: str, arguments: str) -> tuple[int, str, str]:
        Path("share.yaml").write_text(spec, encoding="utf-8")
        ran = running.run("cost", "share.yaml", *arguments.split())
        return ran.code, ran.out.decode(), ran.err.decode()

    return called


def test_the_vendors_own_example(run: Run) -> None:
    card = "--card-units 10 --card-memory-mib 22731"
    code, out, err = run(BERT, f"--to volcengine-emr-customjob {card} --hours 1 --pods 1")
    assert (code, out, err) == (0, (OUTPUTS / "bert.txt").read_text(encoding="utf-8"), "")


def test_json(run: Run) -> None:
    code, out, err = run(BIG, f"{RAY} --pods 2 -o json")
    assert (code, err, json.loads(out)) == (0, "", json.loads((OUTPUTS / "big.json").read_text()))


SPARK, JOB = "--to emr-spark --card a10", "--to emr-customjob --card a10"
PRICES = {
    # options, the spec of the share: its percent of compute, GPU-hours
    "driver and executors": (f"{SPARK} --executors 4", BERT, 30, "15"),
    "the driver said": (f"{SPARK} --executors 4 --driver", BERT, 30, "15"),
    "no driver": (f"{SPARK} --executors 4 --no-driver", BERT, 30, "12"),
    "a driver alone": (f"{SPARK} --executors 0", BERT, 30, "3"),
    "pods of Spark": (f"{SPARK} --pods 5", BERT, 30, "15"),
    "one pod": (RAY, BERT, 30, "3"),
    "pods": (f"{RAY} --pods 7", BERT, 30, "21"),
    "half an hour": (f"{JOB} --hours 0.5", BERT, 30, "3/2"),
    "a third": (f"{JOB} --hours 1/3", BERT, 30, "1"),
    "a duration": (f"{JOB} --hours 1h30m", BERT, 30, "9/2"),
    "other units": (f"{JOB} --card-units 2.5", BERT, 30, "3/4"),
    "a smaller card": (f"{JOB} --card-memory-mib 8192", BERT, 30, "5"),
    # the price is that of what the target gets
    # 5 % is what the job gets: 10 * 1/20 is less than its memory costs
    "--round up": (f"{RAY} --round up", share("{cores: 3, memoryMiB: 100}", "a"), 5, "1/2"),
    "--fill": (f"{RAY} --fill cores=40", share("{memoryMiB: 4096}", "a"), 40, "4"),
    "--drop": (f"{RAY} --drop policy", share(POLICY, "a"), 30, "3"),
}


@pytest.mark.parametrize("case", PRICES)
def test_a_job_sums_over_its_pods(run: Run, case: str) -> None:
    arguments, spec, cores, hours = PRICES[case]
    code, out, _ = run(spec, f"{arguments} -o json")
    said = json.loads(out)
    assert (code, said["items"][0]["cores"], said["gpuHours"]["exact"]) == (0, cores, hours)


def test_several_shares_are_summed(run: Run) -> None:
    code, out, _ = run(f"{BERT}---\n{BIG}", RAY)
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
    code, out, err = run(f"{BERT}---\n{share(spec)}", RAY)
    assert (code, out) == (1, "")
    assert f"error[{REFUSED[spec]}]" in err
    assert "share.yaml:9:" in err


# what else is not guessed is in tests/errors/cases/06-cost.yaml
UNKNOWN = {
    "--to emr-ray --card L20 --card-units 8": ("the figures of L20 are not known", "give --card-memory-mib"),
    "--to emr-sprak --card A10": ("unknown target 'emr-sprak'", "emr-spark?"),
    f"{RAY} --card-units x": ("--card-units x: 'x' is not", "0.5"),
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
    assert {option: run(BERT, f"{RAY} {option}")[0] for option in counts} == dict.fromkeys(counts, 2)
    assert run("", RAY)[0] == 3
    code, out, err = run(share("{cores: thirty}", "a"), RAY)
    assert (code, out) == (1, "")
    assert "GX010" in err
