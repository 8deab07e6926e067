"""``gpuxlate cost``: the table, JSON, what is refused, and what is never guessed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gpuxlate.cli import main

Run = Callable[..., tuple[int, str, str]]


def document(name: str, spec: str) -> str:
    return f"apiVersion: gpuxlate.io/v1alpha1\nkind: GPUShare\nmetadata: {{name: {name}}}\nspec: {spec}\n"


# the share of the vendor's example (seed 004), and the one of facts/volcengine (d) where memory decides
BERT = document("bert", "{cores: 30, memoryMiB: 4096}")
BIG = document("big", "{cores: 30, memoryMiB: 8192}")
A10 = ("--card-units", "10", "--card-memory-mib", "22731")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    """gpuxlate cost in a folder with the GPUShare documents given."""
    for name in ("FORCE_COLOR", "NO_COLOR", "COLUMNS", "GPUXLATE_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["gpuxlate"])

    def called(spec: str, *arguments: str) -> tuple[int, str, str]:
        Path("share.yaml").write_text(spec, encoding="utf-8")
        with pytest.raises(SystemExit) as stop:
            main(["cost", "share.yaml", *arguments])
        out, err = capfdbinary.readouterr()
        return int(stop.value.code or 0), out.decode(), err.decode()

    return called


def total(out: str) -> str:
    got: str = json.loads(out)["gpuHours"]["exact"]
    return got


def test_the_vendors_own_example(run: Run) -> None:
    arguments = ("--to", "volcengine-emr-customjob", *A10, "--hours", "1", "--pods", "1")
    code, out, err = run(BERT, *arguments)
    assert (code, err) == (0, "")
    assert out == (
        "card: 10 GPU-hours for one hour, 22731 MiB usable\n"
        "\n"
        "bert\n"
        "\n"
        "         ASKED     OF THE CARD             DECIDES\n"
        "compute  30 %      3/10         30 %       yes\n"
        "memory   4096 MiB  4096/22731   18.0194 %\n"
        "\n"
        "PODS  COUNT  HOURS  GPU-HOURS EACH  GPU-HOURS  ROUNDED\n"
        "task  1      1      3               3          3\n"
        "job   1      1                      3          3\n"
        "\n"
        "break-even at 30 %: above 6819.3 MiB memory decides the price\n"
        "  up to 6819 MiB memory costs nothing more: 2723 MiB are free\n"
        "break-even at 4096 MiB: above 18.019445 (409600/22731) % compute decides the price\n"
        "\n"
        "Billed so with pay-as-you-go GPUs only. "
        "The vendor's rounding and least charge are not documented.\n"
    )


def test_json(run: Run) -> None:
    code, out, err = run(BIG, "--to", "emr-ray", "--card", "A10", "--pods", "2", "-o", "json")
    assert (code, err) == (0, "")
    each = {"exact": "81920/22731", "decimal": 3.603889}
    both = {"exact": "163840/22731", "decimal": 7.207778}
    assert json.loads(out) == {
        "format": "gpuxlate-cost/v1",
        "target": "volcengine-emr-ray",
        "billing": "pay-as-you-go",
        "card": {"name": "A10", "units": {"exact": "10", "decimal": 10.0}, "memoryMiB": 22731},
        "hours": {"exact": "1", "decimal": 1.0},
        "items": [
            {
                "name": "big",
                "cores": 30,
                "memoryMiB": 8192,
                "share": {
                    "compute": {"exact": "3/10", "decimal": 0.3},
                    "memory": {"exact": "8192/22731", "decimal": 0.360389},
                    "billed": {"exact": "8192/22731", "decimal": 0.360389},
                    "decides": "memory",
                },
                "pods": [{"role": "worker", "count": 2, "gpuHoursEach": each, "gpuHours": both}],
                "gpuHours": both,
                "breakEven": {
                    "memoryMiB": {"exact": "68193/10", "decimal": 6819.3},
                    "freeMemoryMiB": 0,
                    "cores": {"exact": "819200/22731", "decimal": 36.03889},
                    "freeCores": 6,
                },
            }
        ],
        "gpuHours": both,
    }


JOBS = {
    "driver and executors": ("emr-spark", ("--executors", "4"), "15"),
    "the driver said": ("emr-spark", ("--executors", "4", "--driver"), "15"),
    "no driver": ("emr-spark", ("--executors", "4", "--no-driver"), "12"),
    "a driver alone": ("emr-spark", ("--executors", "0"), "3"),
    "pods of Spark": ("emr-spark", ("--pods", "5"), "15"),
    "one pod": ("emr-ray", (), "3"),
    "pods": ("emr-ray", ("--pods", "7"), "21"),
    "half an hour": ("emr-customjob", ("--hours", "0.5"), "3/2"),
    "a third": ("emr-customjob", ("--hours", "1/3"), "1"),
    "a duration": ("emr-customjob", ("--hours", "1h30m"), "9/2"),
    "other units": ("emr-customjob", ("--card-units", "2.5"), "3/4"),
    "a smaller card": ("emr-customjob", ("--card-memory-mib", "8192"), "5"),
}


@pytest.mark.parametrize("case", JOBS)
def test_a_job_sums_over_its_pods(run: Run, case: str) -> None:
    target, arguments, hours = JOBS[case]
    code, out, _ = run(BERT, "--to", target, "--card", "a10", "-o", "json", *arguments)
    assert code == 0
    assert total(out) == hours


def test_several_shares_are_summed(run: Run) -> None:
    code, out, _ = run(f"{BERT}---\n{BIG}", "--to", "emr-ray", "--card", "A10")
    assert code == 0
    assert out.index("bert\n") < out.index("big\n")
    # 3 + 81920/22731
    assert "total  150113/22731  6.603889\n" in out


REFUSED = {
    "cards": ("{cards: 2, cores: 60, memoryMiB: 8192}", (), ["EMR039"]),
    "whole": ("{cards: 1}", (), ["GX023"]),
    "open": ("{cores: 30}", (), ["EMR037"]),
    "too small": ("{cores: 3, memoryMiB: 4096}", (), ["EMR035"]),
    "too large": ("{cores: 30, memoryMiB: 22732}", (), ["EMR036"]),
    "policy": ("{cores: 30, memoryMiB: 4096, policy: fixed-share}", (), ["GX020"]),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_fit_has_no_price(run: Run, case: str) -> None:
    """Nothing on stdout, whatever else was in the run."""
    spec, arguments, codes = REFUSED[case]
    code, out, err = run(f"{BERT}---\n{document('a', spec)}", "--to", "emr-ray", "--card", "A10", *arguments)
    assert (code, out) == (1, "")
    for one in codes:
        assert f"error[{one}]" in err
    assert "share.yaml:9:" in err


ACCEPTED = {
    # 5 % is what the job gets: 10 * 1/20 is less than its memory costs
    "--round up": ("{cores: 3, memoryMiB: 100}", ("--round", "up"), 5, "1/2"),
    "--fill": ("{memoryMiB: 4096}", ("--fill", "cores=40"), 40, "4"),
    "--drop": ("{cores: 30, memoryMiB: 4096, policy: fixed-share}", ("--drop", "policy"), 30, "3"),
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_the_price_is_that_of_what_the_target_gets(run: Run, case: str) -> None:
    spec, arguments, cores, hours = ACCEPTED[case]
    code, out, _ = run(document("a", spec), "--to", "emr-ray", "--card", "A10", "-o", "json", *arguments)
    assert code == 0
    assert json.loads(out)["items"][0]["cores"] == cores
    assert total(out) == hours


USAGE = {
    "no card": (("--to", "emr-ray"), "the card is not given", "--card-units and --card-memory-mib, or"),
    "unknown card": (
        ("--to", "emr-ray", "--card", "L20"),
        "the figures of L20 are not known",
        "give --card-units and --card-memory-mib",
    ),
    "half a card": (
        ("--to", "emr-ray", "--card", "L20", "--card-units", "8"),
        "the figures of L20 are not known",
        "give --card-memory-mib",
    ),
    "another target": (("--to", "vke", "--card", "A10"), "no price is known for volcengine-mgpu", "emr-ray"),
    "unknown target": (("--to", "emr-sprak", "--card", "A10"), "unknown target 'emr-sprak'", "emr-spark?"),
    "hours": (("--to", "emr-ray", "--card", "A10", "--hours", "soon"), "--hours soon: 'soon' is not", "1/3"),
    "no hours": (("--to", "emr-ray", "--card", "A10", "--hours", "0"), "must be more than 0", "1/3"),
    "units": (("--to", "emr-ray", "--card", "A10", "--card-units", "x"), "--card-units x: 'x' is not", "0.5"),
    "spark": (("--to", "emr-spark", "--card", "A10"), "how many pods a Spark job has", "--executors N"),
    "no pod": (
        ("--to", "emr-spark", "--card", "A10", "--executors", "0", "--no-driver"),
        "no pod of the job has a GPU",
        "--executors N",
    ),
    "twice": (
        ("--to", "emr-spark", "--card", "A10", "--pods", "3", "--executors", "2"),
        "--pods counts the driver and the executors already",
        "--executors",
    ),
    "executors of Ray": (
        ("--to", "emr-ray", "--card", "A10", "--executors", "2"), "are of Spark", "--pods N"
    ),
    "format": (
        ("--to", "emr-ray", "--card", "A10", "-o", "xml"), "invalid value 'xml' for -o", "table, json"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", USAGE)
def test_what_is_not_said_is_not_guessed(run: Run, case: str) -> None:
    arguments, said, hint = USAGE[case]
    code, out, err = run(BERT, *arguments)
    assert (code, out) == (2, "")
    first, second = err.splitlines()
    assert said in first
    assert hint in second


@pytest.mark.parametrize("arguments", [("--pods", "0"), ("--pods", "x"), ("--card-memory-mib", "0")])
def test_counts_are_counts(run: Run, arguments: tuple[str, str]) -> None:
    assert run(BERT, "--to", "emr-ray", "--card", "A10", *arguments)[0] == 2


def test_inputs(run: Run) -> None:
    arguments = ("--to", "emr-ray", "--card", "A10")
    assert run("", *arguments)[0] == 3
    code, out, err = run(document("a", "{cores: thirty}"), *arguments)
    assert (code, out) == (1, "")
    assert "GX010" in err
