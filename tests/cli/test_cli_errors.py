"""What a wrong input gets: the exact words, the exit code, and nothing on stdout."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from gpuxlate.backends import registry
from gpuxlate.cli import main

Run = Callable[..., tuple[int, str, str]]

PROGRAM = [sys.executable, "-W", "error", "-c", "from gpuxlate.cli import main; main()"]

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  template:
    spec:
      containers:
      - name: server
        image: server
      - name: exporter
        image: exporter
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    """gpuxlate in a folder that holds the texts given, and what it says."""
    monkeypatch.chdir(tmp_path)
    for name in ("FORCE_COLOR", "NO_COLOR", "COLUMNS", "GPUXLATE_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "argv", ["gpuxlate"])

    def called(command: str, **files: str | bytes) -> tuple[int, str, str]:
        for name, text in files.items():
            data = text.encode() if isinstance(text, str) else text
            (tmp_path / f"{name}.yaml").write_bytes(data)
        code = 0
        try:
            main(command.split())
        except SystemExit as stop:
            code = int(stop.code or 0)
        out, err = capfdbinary.readouterr()
        return code, out.decode(), err.decode()

    return called


def share(spec: str) -> str:
    """A GPUShare document; its fields begin on line 5, column 3."""
    return "apiVersion: gpuxlate.io/v1alpha1\nkind: GPUShare\nmetadata: {name: a}\nspec:\n" + textwrap.indent(
        spec, "  "
    )


def finding(
    code: str, message: str, place: str, line: str, mark: str, hint: str, file: str = "a.yaml"
) -> str:
    """An error as it is printed: ``mark`` underlines the place in ``line``."""
    number = place.partition(":")[0]
    margin = " " * len(number)
    return (
        f"error[{code}]: {message}\n{margin}--> {file}:{place}\n{margin} |\n{number} | {line}\n"
        f"{margin} | {mark}\n{margin} |\n{margin} = help: {hint}\n{margin} = see: gpuxlate explain {code}\n"
    )


def indented(code: str, message: str, place: str, line: str, mark: str, hint: str) -> str:
    """The same, two columns in."""
    return finding(code, message, place, f"  {line}", f"  {mark}", hint)


# the fields of a spec, and what is said about them
SPECS: dict[str, tuple[str, str]] = {
    "unknown field": (
        "cors: 30\nmemoryMiB: 4096\n",
        indented("GX010", 'unknown field "cors" in spec', "5:3", "cors: 30", "^^^^", "did you mean cores?"),
    ),
    "wrong type": (
        "cores: many\n",
        indented(
            "GX010",
            'spec.cores is "many", it must be a whole number',
            "5:10",
            "cores: many",
            "       ^^^^",
            "write cores: 30",
        ),
    ),
    "quoted number": (
        'cores: "30"\n',
        indented(
            "GX010",
            'spec.cores is "30", it must be a whole number',
            "5:10",
            'cores: "30"',
            "       ^^^^",
            "write cores: 30, without quotes",
        ),
    ),
    "fraction": (
        "cores: 30.5\n",
        indented(
            "GX010",
            "spec.cores is 30.5, it must be a whole number",
            "5:10",
            "cores: 30.5",
            "       ^^^^",
            "write cores: 31",
        ),
    ),
    "negative": (
        "memoryMiB: -5\n",
        indented(
            "GX011",
            "memoryMiB is -5, it must be at least 1",
            "5:14",
            "memoryMiB: -5",
            "           ^^",
            "omit memoryMiB to ask for all memory of the cards",
        ),
    ),
    "no cards": (
        "cards: 0\n",
        indented(
            "GX011",
            "cards is 0, it must be at least 1",
            "5:10",
            "cards: 0",
            "       ^",
            "write cards: 1",
        ),
    ),
    "more than the cards have": (
        "cores: 130\n",
        indented(
            "GX011",
            "cores is 130, at most 100 (100 x 1 card) is possible",
            "5:10",
            "cores: 130",
            "       ^^^",
            "write cores: 100, or more cards",
        ),
    ),
    "memory that does not divide": (
        "cards: 2\ncores: 60\nmemoryMiB: 4097\n",
        indented(
            "GX011",
            "memoryMiB is 4097, it must divide by cards (2): each card gives an equal part",
            "7:14",
            "memoryMiB: 4097",
            "           ^^^^",
            "write 4096 or 4098",
        ),
    ),
    "no such policy": (
        "cores: 30\npolicy: burst\n",
        indented(
            "GX010",
            'spec.policy is "burst", it must be one of fixed-share, burst-share, best-effort',
            "6:11",
            "policy: burst",
            "        ^^^^^",
            "write policy: burst-share",
        ),
    ),
    "two at once": (
        "cores: 0\nmemoryMiB: 0\n",
        indented(
            "GX011",
            "cores is 0, it must be at least 1",
            "5:10",
            "cores: 0",
            "       ^",
            "omit cores to leave compute uncapped",
        )
        + "\n"
        + indented(
            "GX011",
            "memoryMiB is 0, it must be at least 1",
            "6:14",
            "memoryMiB: 0",
            "           ^",
            "omit memoryMiB to ask for all memory of the cards",
        ),
    ),
}


@pytest.mark.parametrize("command", ["render a.yaml --to vke", "render a.yaml --to tke", "compare a.yaml"])
@pytest.mark.parametrize(("spec", "said"), SPECS.values(), ids=SPECS)
def test_a_share_that_is_none(run: Run, command: str, spec: str, said: str) -> None:
    assert run(command, a=share(spec)) == (1, "", said)


WORKLOADS: dict[str, tuple[str, str]] = {
    "no such container": (
        "cores: 30\nworkload: {file: web.yaml, container: sever}\n",
        indented(
            "GX010",
            "web.yaml has no container 'sever'",
            "6:41",
            "workload: {file: web.yaml, container: sever}",
            " " * 38 + "^^^^^",
            "its containers: server, exporter",
        ),
    ),
    "several containers": (
        "cores: 30\nworkload: {file: web.yaml}\n",
        indented(
            "GX010",
            "web.yaml has 2 containers; which one gets the share is not said",
            "6:20",
            "workload: {file: web.yaml}",
            " " * 17 + "^^^^^^^^",
            "name it in spec.workload.container, or pass --container: server, exporter",
        ),
    ),
}


@pytest.mark.parametrize("command", ["render a.yaml --to vke", "compare a.yaml --manifests"])
@pytest.mark.parametrize(("spec", "said"), WORKLOADS.values(), ids=WORKLOADS)
def test_a_workload_that_does_not_fit(run: Run, command: str, spec: str, said: str) -> None:
    assert run(command, a=share(spec), web=DEPLOYMENT) == (1, "", said)


NOT_YAML = finding(
    "GX001",
    "this is no YAML: did not find expected ',' or ']'",
    "2:2",
    "b: 2",
    " ^",
    "mend the syntax at this place",
)
NO_SHARE = finding(
    "GX010",
    "this is no GPUShare document: kind is Deployment",
    "2:7",
    "kind: Deployment",
    "      " + "^" * 10,
    "write kind: GPUShare and apiVersion: gpuxlate.io/v1alpha1; to read a vendor's manifest, gpuxlate parse",
)
LIST = finding(
    "GX010",
    "the document is a list, it must be a mapping",
    "1:1",
    "- 1",
    "^^^",
    "write a mapping with the fields apiVersion, kind, metadata, spec",
)
RENDER, PARSE, COMPARE = "render {} --to vke", "parse {}", "compare {}"

# commands, the content of a.yaml (None: there is none), exit code, what is said
FILES: dict[str, tuple[tuple[str, ...], str | bytes | None, int, str]] = {
    "no YAML": ((RENDER, PARSE, COMPARE), "a: [1\nb: 2\n", 1, NOT_YAML),
    "no share": ((RENDER, COMPARE), DEPLOYMENT, 1, NO_SHARE),
    "a list": ((RENDER, COMPARE), "- 1\n", 1, LIST),
    "empty": ((RENDER, PARSE, COMPARE), "", 3, "error: a.yaml: it is empty\n"),
    "a byte order mark alone": (
        (PARSE, "translate a.yaml --to vke"),
        "\ufeff \n",
        3,
        "error: a.yaml: it is empty\n",
    ),
    "comments alone": ((RENDER, COMPARE), "# nothing\n", 3, "error: a.yaml: it is empty\n"),
    "missing": ((RENDER, PARSE, COMPARE), None, 3, "error: a.yaml: no such file or directory\n"),
    "not UTF-8": (
        (RENDER, PARSE, COMPARE),
        b"a: \xff\n",
        3,
        "error: a.yaml: byte 3 (0xff) is no UTF-8; save the file as UTF-8\n",
    ),
    "no GPU": (
        (PARSE,),
        DEPLOYMENT,
        3,
        "error: a.yaml: no container asks for a GPU in a known dialect\n",
    ),
    "no workload": (
        (RENDER, "compare {} --manifests"),
        share("cores: 30\nworkload: {file: gone.yaml}\n"),
        3,
        "error: gone.yaml: no such file or directory\nhelp: a.yaml names it in spec.workload.file\n",
    ),
}


@pytest.mark.parametrize(
    ("command", "content", "code", "said"),
    [(one, *rest) for commands, *rest in FILES.values() for one in commands],
    ids=[f"{name}-{one.split()[0]}" for name, row in FILES.items() for one in row[0]],
)
def test_a_file_that_cannot_be_used(
    run: Run, command: str, content: str | bytes | None, code: int, said: str
) -> None:
    files = {} if content is None else {"a": content}
    assert run(command.format("a.yaml"), **files) == (code, "", said)


@pytest.mark.parametrize("command", [RENDER, PARSE, COMPARE, "translate {} --to vke"])
def test_a_folder_without_yaml(run: Run, tmp_path: Path, command: str) -> None:
    (tmp_path / "nothing").mkdir()
    (tmp_path / "nothing" / "readme.txt").write_text("text")
    said = "error: nothing: no file there ends in .yaml, .yml, .json\n"
    assert run(command.format("nothing")) == (3, "", said)


def test_a_folder_of_other_manifests(run: Run, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "web.yaml").write_text(DEPLOYMENT)
    said = "error: no GPUShare document in the folders given\n"
    assert run("render folder --to vke") == (3, "", said)


FILL = "help: write --fill cores=30 (percent of each card) or --fill memoryMiB=8192 (on each card)\n"

# command lines that mean nothing, with a good a.yaml at hand
USAGE: dict[str, str] = {
    "render a.yaml --to tencant": "error: unknown target 'tencant'\nhelp: did you mean tencent?\n",
    "translate a.yaml --to xyz": (
        f"error: unknown target 'xyz'\nhelp: targets: {', '.join(registry.target_names())}\n"
    ),
    "parse a.yaml --from alibabba": "error: unknown target 'alibabba'\nhelp: did you mean alibaba?\n",
    "rendr a.yaml": "error: no such command 'rendr'; did you mean render?\ntry: gpuxlate --help\n",
    "render a.yaml": "error: missing option '--to'\ntry: gpuxlate render --help\n",
    "render a.yaml --to": "error: option '--to' requires an argument\n",
    "render --to vke": "error: missing argument 'SPEC...'\ntry: gpuxlate render --help\n",
    "render a.yaml --to vke --drp cores": (
        "error: no such option: --drp (Possible options: --drop, --report)\ntry: gpuxlate render --help\n"
    ),
    "parse a.yaml --nonsense": "error: no such option: --nonsense\ntry: gpuxlate parse --help\n",
    "render a.yaml --to vke --fill nonsense": f"error: --fill nonsense is not possible\n{FILL}",
    "render a.yaml --to vke --fill cores=0": f"error: --fill cores=0 is not possible\n{FILL}",
    "render a.yaml --to vke --fill cores=٣٠": f"error: --fill cores=٣٠ is not possible\n{FILL}",
    "compare a.yaml --fill cores=130": (
        "error: --fill cores=130 is more than one card\nhelp: cores counts percent of each card: 1..100\n"
    ),
    "compare a.yaml --round down": (
        "error: --round down is not possible\nhelp: write --round up: never below what was asked\n"
    ),
    "render a.yaml --to vke --drop cores,memory": (
        "error: --drop memory is not possible\nhelp: fields: cores, policy, qos, selector\n"
    ),
    "compare a.yaml -o xml": "error: -o xml is not possible\nhelp: formats: table, json\n",
    "parse a.yaml -o xml": "error: -o xml is not possible\nhelp: formats: yaml, json\n",
    "render a.yaml --to all": (
        "error: several targets need --output-dir\n"
        "help: add --output-dir DIR: files go to DIR/<target>/<name>.yaml\n"
    ),
    "render a.yaml --to vke --container web": (
        "error: --container needs --workload\nhelp: add --workload FILE, the manifest that has it\n"
    ),
    "parse - -": "error: stdin can be read once only\nhelp: give - once\n",
    "explain VKE12": "error: no rule 'VKE12'\nhelp: did you mean VKE012?\n",
    "schema nonsense": (
        "error: no schema 'nonsense'\n"
        "help: kinds: spec, config, profile, diagnostics, report, kubernetes-overlay\n"
    ),
}


@pytest.mark.parametrize(("command", "said"), USAGE.items(), ids=USAGE)
def test_a_command_line_that_means_nothing(run: Run, command: str, said: str) -> None:
    assert run(command, a=share("cores: 30\nmemoryMiB: 4096\n")) == (2, "", said)


def test_an_empty_path_is_not_this_folder(tmp_path: Path) -> None:
    done = subprocess.run(
        [*PROGRAM, "render", "", "--to", "vke"], cwd=tmp_path, capture_output=True, text=True
    )
    said = "error: a PATH is empty\nhelp: write . for this folder, - for stdin\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)


def test_a_refusal_prints_no_manifest_of_the_others(run: Run) -> None:
    good, bad = share("cores: 30\nmemoryMiB: 4096\n"), share("cores: 33\nmemoryMiB: 4096\n")
    code, out, err = run("render a.yaml b.yaml --to tke", a=good, b=bad)
    assert (code, out) == (1, "")
    assert err.startswith("error[TKE002]: ")
    assert " --> b.yaml:5:10\n" in err


def closing(stream: int, *command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A run that begins with one of its standard streams closed."""
    return subprocess.run(
        [*PROGRAM, *command],
        cwd=cwd,
        stdin=None if stream == 0 else subprocess.DEVNULL,
        capture_output=True,
        text=True,
        preexec_fn=lambda: os.close(stream),
        check=False,
    )


def test_closed_stdin(tmp_path: Path) -> None:
    done = closing(0, "render", "-", "--to", "vke", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "error: <stdin>: it is closed\n")


def test_closed_stdout(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(share("cores: 30\nmemoryMiB: 4096\n"))
    done = closing(1, "render", "a.yaml", "--to", "vke", cwd=tmp_path)
    said = "error: stdout is closed\nhelp: to discard the result, send it to /dev/null\n"
    assert (done.returncode, done.stderr) == (3, said)


def test_closed_stderr(tmp_path: Path) -> None:
    done = closing(2, "render", "gone.yaml", "--to", "vke", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (3, "")


def test_a_reader_that_has_gone(tmp_path: Path) -> None:
    """As in ``gpuxlate rules | head``: no complaint, and no failure."""
    ours, theirs = os.pipe()
    os.close(ours)
    with os.fdopen(theirs, "wb") as gone:
        done = subprocess.run(
            [*PROGRAM, "rules", "-o", "json"],
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            stdout=gone,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_full_disk(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(share("cores: 30\nmemoryMiB: 4096\n"))
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*PROGRAM, "render", "a.yaml", "--to", "vke"],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (3, "error: no space left on device\n")
