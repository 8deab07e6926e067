"""How much the tests here try, as docs/security.md says it. Run: python -m tests.hostile.figures"""

import tempfile
from pathlib import Path

from tests.hostile import test_code, test_every_command, test_faults, test_limits, test_work
from tests.hostile.commands import RUNS
from tests.hostile.conftest import case_of, fill, loaded_worker
from tests.hostile.shapes import BOMBS, SHAPES


def main() -> None:
    """Count, on this machine."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "work").mkdir()
        worker = loaded_worker(folder / "work")
        kills = errors = signals = reads = stops = 0
        for number, name in enumerate(("translate -i", "lint --fix")):
            case = case_of(name, worker, folder / f"done-{number}")
            for kind in ("calls", "reads", "stops"):
                fill(folder / f"{kind}-{number}", case.old)
            calls = worker(folder / f"calls-{number}", *case.arguments, fault={}).calls
            both = worker(folder / f"reads-{number}", *case.arguments, fault={"reads": True}).calls
            writes = calls.count("write")
            kills += 2 * len(calls) + writes
            errors += len(test_faults.ERRORS) * (len(calls) + writes)
            reads += len(test_faults.ERRORS) * both.count("read")
            signals += len(test_faults.SIGNALS) * len(calls)
            stops += worker(folder / f"stops-{number}", *case.arguments, trace=-1).stops
        worker.close()
    rows = {
        "SIGKILL before, after and within a call that changes the disk": kills,
        "SIGKILL at a system call": stops,
        "SIGKILL of the program from outside": 2 * test_faults.KILLS,
        "errors of a call that changes the disk": errors,
        "errors of reading": reads,
        "SIGTERM, SIGHUP, SIGINT at a call": signals,
        "commands with a stream that does not work": len(RUNS) * len(test_every_command.STREAMS),
        "tags that would run code, all of them at every command": len(test_every_command.TAGS),
        "commands without a network": len(RUNS),
        "texts made to blow up, each at six commands": len(BOMBS),
        "shapes of text whose work is counted, each in five ways": len(SHAPES),
        "shapes of large text under limits of the kernel": len(test_work.LARGE),
        "numbers, each at ten commands": len(test_limits.NUMBERS),
        "commands with escapes in every name": len(RUNS),
        "paths that lead out of a folder": len(test_code.OUTSIDE) * len(test_code.COMMANDS_OF_WORKLOADS),
    }
    for what, count in rows.items():
        print(f"{count:>6}  {what}")


if __name__ == "__main__":
    main()
