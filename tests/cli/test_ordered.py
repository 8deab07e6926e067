"""Work on several cores: the same results in the same order, and one clear line where a process dies."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from gpuxlate.cli import ordered as module
from gpuxlate.cli.common import CliError
from gpuxlate.cli.ordered import cores, ordered
from gpuxlate.yamltext.alike import Alike

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
    """All cores from the first job on, a few at once."""
    monkeypatch.setattr(module, "WORTH", 1)
    monkeypatch.setattr(module, "CHUNK", 3)
    monkeypatch.setattr(module, "ROUNDS", (30,))
    monkeypatch.setattr(module, "cores", lambda: 2)


def jobs(count: int, seen: list[int]) -> Iterator[tuple[str, int | None, int]]:
    for n in range(count):
        seen.append(n)
        yield f"about {n}", None if n % 7 == 3 else n, 1


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")
class TestOnAllCores:
    def test_results_come_in_order_from_all_processes(self) -> None:
        def work(n: int) -> tuple[int, int]:
            time.sleep(0.002)  # so that no process is done before another one has begun
            return n * n, os.getpid()

        found = list(ordered(work, jobs(100, [])))
        assert [about for about, _ in found] == [f"about {n}" for n in range(100)]
        assert [one and one[0] for _, one in found] == [None if n % 7 == 3 else n * n for n in range(100)]
        assert {os.getpid()} < {one[1] for _, one in found if one}

    def test_no_more_is_read_ahead_than_a_round_holds(self) -> None:
        read: list[int] = []
        running = ordered(lambda n: n, jobs(1000, read))
        next(running)
        assert len(read) == module.ROUNDS[-1]
        assert len(list(running)) == 999

    def test_an_error_of_what_gives_jobs_waits_for_those_before(self) -> None:
        def failing() -> Iterator[tuple[str, int | None, int]]:
            yield from jobs(40, [])
            raise LookupError

        running = ordered(lambda n: n, failing())
        assert [about for about, _ in islice(running, 40)] == [f"about {n}" for n in range(40)]
        with pytest.raises(LookupError):
            next(running)

    def test_what_one_process_learns_the_next_ones_know(self) -> None:
        memory: Alike[int, None] = Alike(lambda: re.compile(b"gpu"))

        def work(n: int) -> int:
            shape = memory.shape_of(b"line: Number%d" % (n % 30))
            family = memory.family(shape) if shape else None
            assert shape
            assert family
            known = family.found.get(shape.numbers)
            if known is not None:
                return known
            time.sleep(0.002)
            memory.add(family, shape, os.getpid())
            return 0

        found = [one for _, one in ordered(work, ((n, n, 1) for n in range(90)), memory)]
        assert set(found[:30]) == {0}
        assert found[30:60] == found[60:]
        assert {os.getpid()} < set(found[30:])

    def test_no_room_for_another_process(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def no_room() -> int:
            raise BlockingIOError

        monkeypatch.setattr(os, "fork", no_room)
        found = list(ordered(lambda _: os.getpid(), jobs(50, [])))
        assert {one for _, one in found} == {os.getpid(), None}

    def test_nothing_is_left_open(self) -> None:
        def mine() -> tuple[list[str], str]:
            children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
            return os.listdir("/proc/self/fd"), children.read_text()

        before = mine()
        list(ordered(lambda n: n, jobs(100, [])))
        with pytest.raises(ZeroDivisionError):
            list(ordered(lambda n: 1 // (n - 50), jobs(100, [])))
        assert mine() == before

    def test_an_error_of_the_work_is_raised_here(self) -> None:
        with pytest.raises(ZeroDivisionError):
            list(ordered(lambda n: 1 // (n - 50), jobs(100, [])))

    def test_a_killed_process_ends_in_one_line(self) -> None:
        here = os.getpid()

        def work(_: int) -> None:
            time.sleep(0.01)
            if os.getpid() != here:
                os.kill(os.getpid(), signal.SIGKILL)

        with pytest.raises(CliError, match="was killed") as error:
            list(ordered(work, jobs(30, [])))
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
