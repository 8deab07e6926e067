"""Work on several cores: the same results in the same order, and one clear line where a process dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuxlate.cli import ordered as module
from gpuxlate.cli.common import CliError
from gpuxlate.cli.ordered import cores, ordered

POD = """\
---
apiVersion: v1
kind: Pod
metadata: {{name: p{n}}}
spec:
  containers:
  - name: main
    resources: {{limits: {{vke.volcengine.com/mgpu-core: {cores}, vke.volcengine.com/mgpu-memory: 4096}}}}
"""


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """All cores from the first job on, in batches of a few."""
    monkeypatch.setattr(module, "WORTH", 0)
    monkeypatch.setattr(module, "BATCH", 3)
    monkeypatch.setattr(module, "cores", lambda: 2)


def jobs(count: int, seen: list[int]) -> Iterator[tuple[str, int | None, int]]:
    for n in range(count):
        seen.append(n)
        yield f"about {n}", None if n % 7 == 3 else n, 1


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")
class TestOnAllCores:
    def test_results_come_in_order_from_other_processes(self) -> None:
        found = list(ordered(lambda n: (n * n, os.getpid()), jobs(100, [])))
        assert [about for about, _ in found] == [f"about {n}" for n in range(100)]
        assert [one and one[0] for _, one in found] == [None if n % 7 == 3 else n * n for n in range(100)]
        assert os.getpid() not in {one[1] for _, one in found if one}

    def test_no_more_is_read_ahead_than_keeps_them_busy(self) -> None:
        read: list[int] = []
        running = ordered(lambda n: n, jobs(1000, read))
        next(running)
        assert len(read) <= module.BATCH * (module.AHEAD * 2 + 1)
        assert len(list(running)) == 999

    def test_an_error_of_the_work_is_raised_here(self) -> None:
        with pytest.raises(ZeroDivisionError):
            list(ordered(lambda n: 1 // (n - 50), jobs(100, [])))

    def test_a_killed_process_ends_in_one_line(self) -> None:
        with pytest.raises(CliError, match="was killed") as error:
            list(ordered(lambda _: os.kill(os.getpid(), signal.SIGKILL), jobs(10, [])))
        assert "GPUXLATE_CORES=1" in (error.value.hint or "")

    @pytest.mark.parametrize("command", ["lint -", "lint --format json -", "translate - --to tke", "parse -"])
    def test_the_output_is_that_of_one_core(self, command: str) -> None:
        text = "".join(POD.format(n=n, cores=101 if n % 400 == 7 else 5 * (1 + n % 9)) for n in range(4000))
        one, two = (
            subprocess.run(
                [sys.executable, "-c", "from gpuxlate.cli import main; main()", *command.split()],
                input=text.encode(),
                env={**os.environ, "GPUXLATE_CORES": count},
                capture_output=True,
                check=False,
            )
            for count in ("1", "2")
        )
        assert len(text) > 512 * 1024
        assert (one.returncode, one.stdout, one.stderr) == (two.returncode, two.stdout, two.stderr)


def test_a_small_run_stays_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WORTH", 1000)
    found = list(ordered(lambda _: os.getpid(), jobs(50, [])))
    assert {one for _, one in found} == {os.getpid(), None}


def test_the_cores_can_be_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    every = cores()
    for said, meant in (("1", 1), ("0", every), ("many", every), ("9999", every)):
        monkeypatch.setenv("GPUXLATE_CORES", said)
        assert cores() == meant


def test_findings_of_a_folder_are_those_of_its_files(tmp_path: Path) -> None:
    """Files, documents and lines of a large tree come out as of each file alone."""
    for n in range(30):
        (tmp_path / f"{n:02}.yaml").write_text(
            "".join(POD.format(n=m, cores=101 if m == n else 5) for m in range(150))
        )
    run = [sys.executable, "-c", "from gpuxlate.cli import main; main()", "lint"]
    whole = subprocess.run([*run, "."], cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    for file in ("00.yaml", "17.yaml"):
        alone = subprocess.run([*run, file], cwd=tmp_path, capture_output=True, text=True, check=False).stdout
        findings = alone.rpartition("\n\n")[0]
        assert findings in whole
        assert f"{file}:" in findings
