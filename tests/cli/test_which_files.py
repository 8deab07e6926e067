"""Which files of folders are taken, which configuration counts, and what is said of it."""

import shutil
import subprocess
from pathlib import Path

import pytest

from gpuxlate.files.find import Patterns
from tests.running import Ran, run

POD = b"apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers:\n  - name: web\n"
POD += b"    resources:\n      limits: {aliyun.com/gpu-mem: 4096}\n"  # GX007, a warning
TREE = {
    ".gitignore": b"build/\n*.gen.yaml\n!keep.gen.yaml\n# a comment\n[broken\n",
    ".git/info/exclude": b"local.yaml\n",
    ".gpuxlate.yaml": b"exclude: [/vendor/, '*.old.yaml', '!last.old.yaml']\n",
    "src/.gitignore": b"/own.yaml\n!b.gen.yaml\n",
}
TAKEN = ["a.yaml", "last.old.yaml", "src/a.json", "src/b.gen.yaml", "src/keep.gen.yaml", "src/vendor/a.yaml"]
LEFT_OUT = [
    *("build/a.yaml", ".venv/a.yaml", ".github/a.yaml", "node_modules/a.yaml", "c.gen.yaml", "local.yaml"),
    *("src/own.yaml", "src/build/a.yaml", "vendor/a.yaml", "a.old.yaml"),
]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [*TAKEN, *LEFT_OUT, *TREE]:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(TREE.get(name, POD))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files(said: Ran) -> list[str]:
    lines = said.err.decode().splitlines()
    return sorted(one.removeprefix("file: ") for one in lines if one.startswith("file: "))


ROWS: list[tuple[str, list[str]]] = [
    ("", [*TAKEN, ".gpuxlate.yaml"]),
    (".", [*TAKEN, ".gpuxlate.yaml"]),
    ("src", [one for one in TAKEN if one.startswith("src")]),
    ("./src/vendor build .venv", ["src/vendor/a.yaml", "build/a.yaml", ".venv/a.yaml"]),
    ("src/own.yaml vendor/a.yaml c.gen.yaml", ["src/own.yaml", "vendor/a.yaml", "c.gen.yaml"]),
    (". --exclude src,.gpuxlate.yaml --exclude last*", ["a.yaml"]),
    (". --isolated --exclude *.json", [
        *(one for one in TAKEN if one != "src/a.json"), ".gpuxlate.yaml", "vendor/a.yaml", "a.old.yaml",
    ]),
    ("a.yaml src/own.yaml vendor/a.yaml c.gen.yaml .github/a.yaml --force-exclude", ["a.yaml"]),
    ("build src/vendor --force-exclude", ["src/vendor/a.yaml"]),
    ("a.yaml --force-exclude --exclude /a.yaml", []),
]  # fmt: skip


@pytest.mark.usefixtures("tree")
@pytest.mark.parametrize(("arguments", "taken"), ROWS, ids=[one or "no PATH" for one, _ in ROWS])
def test_what_is_taken(arguments: str, taken: list[str]) -> None:
    said = run("lint", "-v", *arguments.split())
    assert files(said) == sorted(taken)
    assert said.code == 0


def test_what_is_written(tree: Path) -> None:
    """Commands that write leave out the same."""
    said = run("translate", ".", "--to", "tencent-qgpu", "-i", "--drop", "all", "--round", "up")
    assert said.code in (0, 1, 2)
    run("lint", ".", "--fix", "--unsafe-fixes")
    assert [one for one in LEFT_OUT if (tree / one).read_bytes() != POD] == []


def test_the_reasons(tree: Path) -> None:
    reasons = {"left out: build (git ignores it)", "left out: .venv (hidden)", "profile: none"}
    reasons.add(f"left out: vendor (exclude of {tree}/.gpuxlate.yaml)")
    reasons.add(f"configuration: {tree}/.gpuxlate.yaml")
    assert reasons <= {*run("-v", "lint").err.decode().splitlines()}


NOTHING = {
    "lint vendor/a.yaml --force-exclude": (0, b"no findings in 0 files\n"),
    "lint . --exclude *": (0, b"no findings in 0 files\n"),
    "inspect . --exclude *": (0, b"no share in these manifests\n"),
    "assess . --to tke --exclude *": (0, b"0 shares in 0 of 0 files, to tencent-qgpu\n"),
    **{f"{one} --exclude *": (0, b"") for one in ("translate . --to tke", "translate . --to tke -i")},
    **{f"{one} --exclude *": (0, b"") for one in ("parse .", "render . --to tke")},
    **{f"{one} .git": (3, b"") for one in ("lint", "inspect")},
    **{f"{one} empty": (3, b"") for one in ("lint", "inspect")},  # but for the branch a.yaml of its .git
}


def test_when_nothing_is_left(tree: Path) -> None:
    """All excluded is clean; a folder without such files is not."""
    branch = tree / "empty/.git/refs/heads/a.yaml"
    branch.parent.mkdir(parents=True)
    branch.touch()
    ran = {arguments: run(*arguments.split()) for arguments in NOTHING}
    assert {arguments: (said.code, said.out) for arguments, said in ran.items()} == NOTHING


def test_stdin_has_a_name(tree: Path) -> None:
    (tree / ".gpuxlate.yaml").write_text(
        "per-file-ignores:\n- {path: src/, rules: [GX007], reason: moving}\n"
    )
    assert b"a.yaml:8:36" in run("lint", "-", "--stdin-filename", "a.yaml", stdin=POD).out
    said = run("--stdin-filename", "src/new.yaml", "lint", "-", stdin=POD)
    assert (said.code, said.out) == (0, b"no findings in 1 file (1 suppressed)\n")
    assert not (tree / "src/new.yaml").exists()
    said = run("lint", "-", "--stdin-filename", ".venv/a.yaml", "--force-exclude", stdin=POD)
    assert (said.code, said.out) == (0, b"no findings in 0 files\n")
    fixed = run("lint", "-", "--fix", "--stdin-filename", ".venv/a.yaml", "--force-exclude", stdin=POD)
    assert (fixed.code, fixed.out) == (0, POD)
    for command in ("inspect", "lint"):
        assert b"dialects of a.yaml: alibaba-gpushare\n" in run(command, "-v", "a.yaml").err
    for_both = run("translate", "-v", "a.yaml", "--to", "hami,tencent-qgpu", "--output-dir", "out")
    assert for_both.err.count(b"dialects of a.yaml: alibaba-gpushare\n") == 1
    assert b"dialects" not in run("lint", "a.yaml").err
    assert b"dialects" not in run("lint", "-v", "-", stdin=b"a: [").err


@pytest.mark.usefixtures("tree")
def test_quiet() -> None:
    clean = run("lint", "-q", "--isolated", "--select", "K8S", "a.yaml")
    assert (clean.code, clean.out, clean.err) == (0, b"", b"")
    assert run("lint", "-q", "a.yaml").out.endswith(b"explain GX007\n")


def test_configurations(tree: Path) -> None:
    """The patterns of one that is kept elsewhere count from the folder of the run."""
    (tree / "kept").mkdir()
    (tree / "kept/rules.yaml").write_text("exclude: [/src/]\n")
    found = files(run("lint", "-v", "--config", "kept/rules.yaml"))
    assert ("src/a.json" in found, "vendor/a.yaml" in found) == (False, True)
    (tree / ".gpuxlate.yaml").write_text("exclude: [a, '[z-a]']\n")
    said = run("lint")
    assert said.code == 2
    assert b"exclude[1] is not a gitignore pattern: the range [z-a] ends before it begins" in said.err
    (tree / ".gpuxlate.yml").write_text("")  # beside .gpuxlate.yaml: tests/errors/cases/05-configuration.yaml
    assert run("lint").code == 2
    assert run("lint", "--isolated").code == 0


def test_too_many_patterns(tree: Path) -> None:
    for text, says in (
        ("a\n" * 2001, b".gitignore: more than 2000 patterns\nhelp: name the files themselves"),
        ("a" * 70_000, b".gitignore: larger than 65536 bytes"),
    ):
        (tree / ".gitignore").write_text(text)
        said = run("lint")
        assert (said.code, says in said.err) == (3, True)


LISTS = [
    ["*.yaml", "!a.yaml"], ["/a/", "!a/b.yaml"], ["a/*", "!a/b/", "a/b/c.yaml"], ["!*", "b"],
    ["**/b", "!/b"], ["a/**", "!a/b/c.yaml"], ["b/", "!b"], ["\\!a.yaml"], ["\\#a"], ["*/b"], ["a  ", "b\\ "],
]  # fmt: skip


@pytest.mark.skipif(shutil.which("git") is None, reason="compares with git")
@pytest.mark.parametrize("texts", LISTS, ids=" ".join)
def test_git_agrees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, texts: list[str]) -> None:
    """A list with ``!``: git leaves out the same files of a tree."""
    monkeypatch.chdir(tmp_path)
    subprocess.run(["git", "init", "-q"], check=True)
    for name in ("a.yaml", "!a.yaml", "b/c.yaml", "a/b.yaml", "a/b/c.yaml", "a/b/d.yaml", "x/b/c.yaml"):
        path = tmp_path / (f"{name}.yaml" if (tmp_path / name).is_dir() else name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(POD)
    (tmp_path / ".gitignore").write_text("\n".join(texts) + "\n")
    listed = ["git", "ls-files", "-z", "--others", "--exclude-standard", "*.yaml"]
    known = subprocess.run(listed, capture_output=True, text=True, check=True).stdout
    assert files(run("lint", "-v")) == sorted(one for one in known.split("\0") if one)


def test_the_last_pattern_decides() -> None:
    known = Patterns(["a*", "!ab", "abc"])
    verdicts = [known.verdict(one, is_folder=False) for one in ("a", "ab", "abc", "b")]
    assert verdicts == [True, False, True, None]


# The command, what it says of the shares of the files that it reads, and whether it wrote that.
GOES_ON = [
    ("lint .", "no findings in 1 file", True),
    ("inspect .", "alibaba-gpushare  1 ", True),
    ("assess . --to hami", "1 share in 1 of 3 files, to hami", True),
    ("plan . --to hami --node A10-24GB:2", "hami: 1 share on 1 card of 1 node", True),
    ("parse .", "", False),
    ("translate . --to hami", "1 share: 1 exact; no file written", False),
    ("translate . --to hami -i", "1 share: 1 exact; no file written", False),
    ("translate . --to hami --diff", "1 share: 1 exact; no file written", False),
    ("translate . --to hami --check", "1 share: 1 exact; no file written", False),
]


@pytest.mark.parametrize(("command", "of_the_others", "shown"), GOES_ON, ids=[one for one, *_ in GOES_ON])
def test_the_others_are_read(
    command: str, of_the_others: str, shown: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files of a folder that cannot be read are named, all of them and in the same words by each command."""
    pod = POD.replace(b"4096", b"8")
    (tmp_path / "a.yaml").write_bytes(pod)
    (tmp_path / "b.yaml").symlink_to("nowhere")
    (tmp_path / "c.yaml").write_bytes(b"# aliyun.com/gpu-mem\na: \xff\n")
    monkeypatch.chdir(tmp_path)
    said = run(*command.split())
    assert said.code == 3
    errors = [line for line in said.err.decode().splitlines() if line.startswith("error: ")]
    assert errors[:2] == [
        "error: b.yaml: a link that leads to no file",
        "error: c.yaml: byte 24 (0xff) is not UTF-8; save the file as UTF-8",
    ]
    assert of_the_others in (said.out if shown else said.err).decode()
    assert shown or said.out == b""
    assert (tmp_path / "a.yaml").read_bytes() == pod


def test_decisions_wait_for_every_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an unread file would say is not known: no entry is written, and none is removed."""
    (tmp_path / "a.yaml").write_bytes(POD.replace(b"4096", b"8"))
    (tmp_path / "b.yaml").symlink_to("nowhere")
    monkeypatch.chdir(tmp_path)
    for command in ("assess . --to tke", "translate . --to tke", "plan . --to tke --node A10-24GB:2"):
        said = run(*command.split(), "--write-decisions", "decided.yaml")
        assert (said.code, (tmp_path / "decided.yaml").exists()) == (3, False), command
    (tmp_path / "b.yaml").unlink()
    assert run("assess", ".", "--to", "tke", "--write-decisions", "decided.yaml").code == 1
    assert (tmp_path / "decided.yaml").exists()
