"""What holds of every command: streams that do not work, tags that would run code, no network, no escapes."""

import re
from pathlib import Path

import pytest

from gpuxlate.cli.app import COMMANDS
from tests.effort import turn
from tests.hostile.commands import RUNS, STDIN, texts
from tests.hostile.conftest import Done, Worker, fill, holds, left_over
from tests.hostile.test_escapes import ESCAPES, QUOTED, SENT, harmful, hostile, obeyed

every_command = pytest.mark.parametrize("name", RUNS)


def run(worker: Worker, folder: Path, name: str, files: dict[str, str], **rest: object) -> Done:
    """The command in a folder with these files."""
    fill(folder, files)
    if name in STDIN and "stdin" not in rest:
        rest["stdin"] = str(folder / STDIN[name])
    return worker(folder, *RUNS[name].split(), **rest)


def test_all_are_here() -> None:
    assert {one.split()[0] for one in RUNS.values()} >= set(COMMANDS)


# what a stream is: closed, full, or a pipe that nobody reads any more
STREAMS: dict[str, dict[str, str | None]] = {
    "stdin closed": {"stdin": None},
    "stdout closed": {"stdout": None},
    "stdout full": {"stdout": "/dev/full"},
    "stdout gone": {"stdout": ":gone"},
    "stderr closed": {"stderr": None},
    "stderr full": {"stderr": "/dev/full"},
    "stderr gone": {"stderr": ":gone"},
    "all closed": {"stdin": None, "stdout": None, "stderr": None},
}


@every_command
def test_a_stream_that_does_not_work(tmp_path: Path, worker: Worker, name: str) -> None:
    """The exit code stands, or is 3: the result could not be said. Nothing breaks, nothing is left over."""
    usual = run(worker, tmp_path / "usual", name, texts())
    assert usual.code in (0, 1, 2, 3)
    wanted = set(holds(tmp_path / "usual"))
    for stream in STREAMS if name in STDIN else turn(STREAMS, [*RUNS].index(name)):
        folder = tmp_path / stream.replace(" ", "-")
        done = run(worker, folder, name, texts(), **STREAMS[stream])  # which looks for tracebacks
        spoken = usual.out if stream.startswith("stdout") else usual.err
        if stream == "all closed":
            assert done.code in (0, 1, 2, 3), stream
        elif stream == "stdin closed":
            assert done.code == (3 if name in STDIN else usual.code), stream
        elif stream.endswith("gone") or not spoken:
            assert done.code == usual.code, stream
        else:
            assert done.code in (usual.code, 3), stream
            assert done.code == 3 or stream != "stdout full"
        found = set(holds(folder))
        assert not [file for file in found if left_over(file)]
        assert found <= wanted


TAGS = [
    "!!python/object/apply:os.system ['touch PWNED']",
    "!!python/object/new:os.system ['touch PWNED']",
    "!!python/object/apply:subprocess.Popen [['touch', 'PWNED']]",
    "!!python/name:os.system",
    "!!python/module:antigravity",
    "!<tag:yaml.org,2002:python/object/apply:os.system> ['touch PWNED']",
    "!!binary dG91Y2ggUFdORUQ=",
    "!ruby/object:Gem::Installer {i: x}",
    "!include /etc/passwd",
    "!Ref x",
]


@every_command
def test_a_tag_is_a_word_and_nothing_is_fetched(tmp_path: Path, worker: Worker, name: str) -> None:
    """Tags in manifests, shares, profiles, configurations, streams; schemas and addresses in documents.

    In the run, making a socket or asking for a name is an error.
    """
    tags = "".join(f"x{n}: {tag}\n" for n, tag in enumerate(TAGS))
    named = "# yaml-language-server: $schema=http://127.0.0.1:9/x.json\n"
    extra = '"$schema": "http://127.0.0.1:9/x.json"\n"$ref": "http://127.0.0.1:9/y.json"\n'

    def files(before: str, after: str) -> dict[str, str]:
        return {file: text if file == "smi.csv" else before + text + after for file, text in texts().items()}

    plain = run(worker, tmp_path / "tags", name, files("", tags))
    assert "this is no YAML" not in plain.out + plain.err
    configured = run(worker, tmp_path / "tags", name, {".gpuxlate.yaml": f"select: {TAGS[0]}\n"})
    assert {plain.code, configured.code} <= {0, 1, 2, 3}
    assert not list(tmp_path.rglob("PWNED"))
    for folder, given in (("plain", files("", "")), ("named", files(named, extra))):
        done = run(worker, tmp_path / folder, name, given, network=False)
        assert done.code in (0, 1, 2) or name == "a missing file"
        assert "no network" not in done.err


MANIFESTS = {
    "render", "render on a workload", "translate", "translate --diff", "translate --report", "parse", "krm",
    "lint --fix stdin",
}  # fmt: skip
"""Runs whose stdout has manifests: the names in it are data."""
NAMED = f"sub/{ESCAPES}[bold]x[/bold]\n::error::y.yaml"


@every_command
def test_no_command_sends_escapes(tmp_path: Path, worker: Worker, name: str) -> None:
    """In names of objects, containers, shares, profiles and cards; with colours and without."""
    for number, env in enumerate(({"NO_COLOR": "1"}, {"FORCE_COLOR": "1", "NO_COLOR": ""})):
        done = run(worker, tmp_path / str(number), name, hostile(), env=env)
        assert done.code in (0, 1, 2, 3)
        out, err = SENT.sub("", done.out), SENT.sub("", done.err)
        assert harmful(out) + harmful(err) + obeyed(err) == []
        assert not re.search(r"\x1b\]8|https://x.invalid\x1b", done.out), "a link of rich"
        if name not in MANIFESTS:
            assert obeyed(out) == []


@pytest.mark.parametrize("name", [n for n in RUNS if "pod.yaml" in RUNS[n] or "spec.yaml" in RUNS[n]])
def test_no_name_of_a_file_sends_escapes(tmp_path: Path, worker: Worker, name: str) -> None:
    for number, cores in enumerate(turn(("30", "many", QUOTED), [*RUNS].index(name))):
        folder, files = tmp_path / str(number), texts(cores=cores)
        new = {old: f"sub/{ESCAPES}{old}" for old in ("pod.yaml", "spec.yaml")}
        fill(folder, {**files, NAMED: "", **{new[old]: files[old] for old in new}})
        done = worker(folder, *(new.get(one, one) for one in RUNS[name].split()))
        assert done.code in (0, 1, 2, 3)
        shown = done.out if name == "lint json" else SENT.sub("", done.out)
        assert harmful(shown) + harmful(done.err) + obeyed(done.err) == []
        if name not in MANIFESTS or cores != QUOTED:
            assert obeyed(shown) == []
