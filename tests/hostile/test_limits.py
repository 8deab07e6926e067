"""Every limit, at the limit and one above it: what is said, and that what is below is read."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from gpuxlate.config import find
from gpuxlate.files import find as patterns
from gpuxlate.files.find import Input, InputError, expand_paths
from gpuxlate.lint.check import lint_source
from gpuxlate.lint.fix import fix_source
from gpuxlate.lint.settings import LintSettings
from gpuxlate.model import limits, quantity
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.yamltext.source import Source
from tests.effort import turn
from tests.hostile.conftest import FIXABLE, OLD, ROOT, SPEC, Worker, fill
from tests.lint.conftest import pod

MGPU = "vke.volcengine.com/mgpu-core"


def lint(text: str) -> list[Diagnostic]:
    return lint_source(Source("a.yaml", text), LintSettings()).diagnostics


def laughs(count: int) -> str:
    """Ten aliases that stand for so many nodes together: items, and the end of their list."""
    items = ", ".join(["1"] * (count // 10 - 1))
    return f"a: &a [{items}]\nb: [{', '.join(['*a'] * 10)}]\n"


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth + "\n"


def findings(count: int) -> str:
    return "---\n".join(f"kind: ConfigMap\ndata: {{{MGPU}{n}: 1}}\n" for n in range(count))


# the limit, what makes a text of that size, the number it is set to (None: the true one), what is said
TEXTS: dict[str, tuple[Callable[[int], str], int | None, str]] = {
    "MAX_DOCUMENTS": (lambda n: "---\n" + "---\n".join(["a: 1\n"] * n), 30, "more than 30 documents"),
    # a mapping, its key, a list, its items; mapping, list and document end
    "MAX_NODES": (lambda n: f"a: [{', '.join('1' * (n - 6))}]\n", 300, "more than 300 nodes in one document"),
    "MAX_DEPTH": (nested, None, "nested deeper than 256 levels"),
    "MAX_KEY": (lambda n: f"? {'k' * n}\n: 1\n", None, "a key of more than 10000 characters"),
    "MAX_ALIASES": (lambda n: f"a: &a 1\nb: [{'*a, ' * n}]\n", None, "more than 10000 aliases"),
    "MAX_FINDINGS": (findings, 25, "more than 25 findings"),
    "MAX_IGNORES": (
        lambda n: "# gpuxlate: ignore[GX014] not judged here\n" * n + f"data: {{{MGPU}: 1}}\n",
        12,
        "more than 12 comments that ignore findings",
    ),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_limit_of_a_text(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    made, number, said = TEXTS[name]
    if number is not None:
        monkeypatch.setattr(limits, name, number)
    limit = number or getattr(limits, name)
    assert "GX025" not in {one.code for one in lint(made(limit))}
    [found] = [one for one in lint(made(limit + 1)) if one.code == "GX025"]
    assert found.severity is Severity.ERROR
    assert found.message == f"limit exceeded: {said}"
    assert found.hint
    assert found.span is not None


def test_what_aliases_stand_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_ALIASED_NODES", 400)
    assert lint(laughs(400)) == []
    [found] = lint(laughs(410))
    assert found.message == "limit exceeded: the aliases expand to more than 400 nodes"


def test_findings_up_to_the_limit_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_FINDINGS", 25)
    found = lint(findings(40))
    assert [one.code for one in found].count("GX014") == 25
    assert len(found) == 26
    assert len(lint(findings(25))) == 25


@pytest.mark.parametrize(
    "command", ["lint a.yaml", "translate a.yaml --to tke", "parse a.yaml", "inspect a.yaml"]
)
def test_every_command_refuses_what_is_too_much(tmp_path: Path, worker: Worker, command: str) -> None:
    fill(tmp_path, {"a.yaml": OLD + "---\n# aliyun.com/gpu-mem\n" + nested(257)})
    done = worker(tmp_path, *command.split())
    assert done.code == 1
    assert "error[GX025]: limit exceeded: nested deeper than 256 levels\n" in done.out + done.err


def test_a_share_of_too_many_entries(tmp_path: Path, worker: Worker) -> None:
    labels = "".join(f"    l{n}: x\n" for n in range(limits.MAX_ENTRIES))
    fill(tmp_path, {"a.yaml": SPEC.replace("{name: a}", f"\n  name: a\n  labels:\n{labels}")})
    for command in ("render a.yaml --to tke", "compare a.yaml", "cost a.yaml --to emr-ray --card A10"):
        done = worker(tmp_path, *command.split())
        assert done.code == 1, command
        assert f"the document has more than {limits.MAX_ENTRIES} entries" in done.err, command


def test_problems_of_a_share_are_told_up_to_a_number() -> None:
    wrong = "".join(f"  f{n}: 1\n" for n in range(limits.MAX_PROBLEMS))
    text = SPEC.replace("{cores: 30, memoryMiB: 4096}", f"\n  cores: 30\n{wrong}")
    assert len(lint(text)) == limits.MAX_PROBLEMS
    *told, last = sorted(lint(text + "  f: 1\n  g: 1\n"), key=lambda one: "more" in one.message)
    assert len(told) == limits.MAX_PROBLEMS
    assert last.message == "there are 2 more problems"


def test_the_page_has_every_limit() -> None:
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\|[^|]+\| *([0-9,]+)( MiB)? \| `(\w+)` \|$", page, re.MULTILINE)
    told = {name: int(number.replace(",", "")) * (2**20 if unit else 1) for number, unit, name in rows}
    true = {name: value for name, value in vars(limits).items() if name.startswith("MAX_")}
    others = {"MAX_PATTERN": patterns.MAX_PATTERN, "MAX_PARTS": find.MAX_PARTS}
    assert told == true | {"MAX_QUANTITY_LENGTH": quantity.MAX_QUANTITY_LENGTH} | others


# --- sizes ----------------------------------------------------------------------------------------


def test_the_size_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_TEXT", 100)
    for size, read in ((100, True), (101, False)):
        (tmp_path / "a.yaml").write_bytes(b"#" * size)
        one = Input("a.yaml", tmp_path / "a.yaml")
        if read:
            assert len(one.read_bytes()) == size
        else:
            with pytest.raises(InputError, match=r"a.yaml: larger than 100 bytes"):
                one.read_bytes()


@pytest.mark.parametrize("command", ["lint", "translate --to tke", "parse"])
def test_the_true_size_of_a_file_and_of_stdin(tmp_path: Path, worker: Worker, command: str) -> None:
    """A file without content on the disk: nothing of it is read where it is too large."""
    with (tmp_path / "a.yaml").open("wb") as file:
        file.truncate(limits.MAX_TEXT + 1)
    for given, name in (("a.yaml", "a.yaml"), ("-", "<stdin>")):
        done = worker(tmp_path, *command.split(), given, stdin=str(tmp_path / "a.yaml"))
        assert (done.code, done.err) == (3, f"error: {name}: larger than 64 MiB\n")


def test_the_size_of_a_configuration_and_a_profile(tmp_path: Path, worker: Worker) -> None:
    fill(tmp_path, {"a.yaml": OLD, ".gpuxlate.yaml": "", "profile.yaml": "target: vke\n"})
    for name, arguments in (
        (".gpuxlate.yaml", ["lint", "a.yaml"]),
        ("profile.yaml", ["lint", "a.yaml", "--profile", "profile.yaml"]),
    ):
        text = (tmp_path / name).read_text()
        (tmp_path / name).write_text(text + "#" * (limits.MAX_CONFIG_BYTES - len(text)))
        assert worker(tmp_path, *arguments).code == 0
        (tmp_path / name).write_text(text + "#" * (limits.MAX_CONFIG_BYTES + 1 - len(text)))
        done = worker(tmp_path, *arguments)
        assert done.code == 2
        assert f"{name}: it cannot be read: larger than 4 MiB" in done.err
        (tmp_path / name).write_text(text)


def test_the_number_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path, {f"{n % 3}/{n}.yaml": "a: 1\n" for n in range(12)})
    monkeypatch.setattr(limits, "MAX_FILES", 12)
    assert len(list(expand_paths([str(tmp_path)]))) == 12
    (tmp_path / "one-more.yaml").write_text("a: 1\n")
    with pytest.raises(InputError, match="more than 12 files; name fewer folders at once"):
        list(expand_paths([str(tmp_path)]))


@pytest.mark.parametrize("number", [7, 8])
def test_the_findings_of_a_run(tmp_path: Path, worker: Worker, number: int) -> None:
    fill(tmp_path, {f"{n}.yaml": findings(1) for n in range(8)})
    given = {"gpuxlate.model.limits.MAX_RUN_FINDINGS": number}
    for command in ("lint .", "translate . --to tke --check --allow-leftovers"):
        done = worker(tmp_path, *command.split(), set=given)
        assert done.code == (3 if number == 7 else 0)
        assert ("more than 7 findings" in done.err) == (number == 7)


# --- what is said ---------------------------------------------------------------------------------

LONG = 1_000_000


# fmt: off
LONG_TEXTS = {
    "digits": pod(f"aliyun.com/gpu-mem: {'9' * LONG}"),
    "text": pod(f"aliyun.com/gpu-mem: {'x' * LONG}"),
    "comment": pod(f"aliyun.com/gpu-mem: 2.5  # {'x' * LONG}"),
    "name": pod("aliyun.com/gpu-mem: 2.5", name="n" * LONG),
    "namespace": pod("aliyun.com/gpu-mem: 2.5", metadata=f"namespace: {'n' * LONG}"),
    "one line": '{"kind": "Pod", "x": "' + "y" * LONG + f'", "{MGPU}": 1,,}}',
    "policy": SPEC.replace("cores: 30", f"cores: 30, policy: {'p' * LONG}"),
    "cores": SPEC.replace("cores: 30", f"cores: {'9' * LONG}"),
    "kind": SPEC.replace("kind: GPUShare", f"kind: {'k' * LONG}"),
}
TELLING = (
    "lint a.yaml", "lint a.yaml --format sarif", "inspect a.yaml", "inspect a.yaml -o json",
    "translate a.yaml --to tke", "compare a.yaml", "render a.yaml --to tke",
)
# fmt: on


@pytest.mark.parametrize("name", LONG_TEXTS)
def test_no_message_is_long(tmp_path: Path, worker: Worker, name: str) -> None:
    fill(tmp_path, {"a.yaml": LONG_TEXTS[name]})
    for command in turn(TELLING, [*LONG_TEXTS].index(name)):
        done = worker(tmp_path, *command.split())
        assert done.code in (0, 1), command
        if "translate" not in command or done.code:  # a manifest goes out as it came in
            assert len(done.out) + len(done.err) < 30_000, command


def test_a_message_is_cut_in_its_middle() -> None:
    found = Diagnostic("GX001", Severity.ERROR, "a" * 3000 + "end", "b" * limits.MAX_MESSAGE)
    assert len(found.message) == limits.MAX_MESSAGE
    assert found.message.endswith("aend")
    assert "…" in found.message
    assert found.hint == "b" * limits.MAX_MESSAGE


def test_fixes_of_one_document_are_tried_so_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that go together are made at the first try."""
    monkeypatch.setattr(limits, "MAX_TRIES", 1)
    text = FIXABLE + "".join(
        f"  - name: c{n}\n    resources: {{limits: {{aliyun.com/gpu-mem: 2Gi}}}}\n" for n in range(40)
    )
    fixed = fix_source(Source("a.yaml", text), LintSettings(), unsafe=False)
    assert fixed.fixes == 41
    assert "Gi" not in fixed.text


# --- numbers --------------------------------------------------------------------------------------

NUMBERS = [
    "1e400", "-1e400", ".inf", "-.INF", ".nan", "1e999999999", "9" * 19, "9" * 5000, "-" + "9" * 5000,
    "0x" + "f" * 5000, "0o" + "7" * 5000, "0b" + "1" * 20000, "1_" * 3000 + "1", "0." + "3" * 50000,
    "1" * 400 + ".5", "9223372036854775808", "1E+0000000000000000001", "1e-400", "30m", "30e-999",
]  # fmt: skip


COUNTING = (
    "lint .", "lint pod.yaml --fix --unsafe-fixes", "translate pod.yaml --to ack --round up",
    "parse pod.yaml", "inspect .", "render spec.yaml --to vke", "render cards.yaml --to vke",
    "compare spec.yaml", "lint pod.yaml --profile profile.yaml", "schema spec --check spec.yaml",
)  # fmt: skip


@pytest.mark.parametrize("number", NUMBERS, ids=lambda text: text[:12])
def test_no_number_breaks_anything(tmp_path: Path, worker: Worker, number: str) -> None:
    """In a share, a manifest, a profile, a configuration, and wherever a number is read."""
    cards = f"target: ack\ncards: {{memoryMiB: {number}}}\nalibaba: {{memoryUnitMiB: {number}}}\n"
    files = {
        "spec.yaml": SPEC.replace("30", number),
        "cards.yaml": SPEC.replace("cores: 30", f"cards: {number}, cores: 30"),
        "pod.yaml": pod(f"{MGPU}: {number}\nvke.volcengine.com/mgpu-memory: {number}"),
        "many.yaml": OLD + f"x:\n  replicas: {number}\n",
        "profile.yaml": cards,
    }
    fill(tmp_path, files)
    commands = turn(COUNTING, NUMBERS.index(number))
    codes = {command: worker(tmp_path, *command.split()).code for command in commands}  # sees tracebacks
    assert {command: code for command, code in codes.items() if code not in (0, 1, 2)} == {}


@pytest.mark.parametrize("text", ["9" * 5000, "1/" + "9" * 5000, "1e99", "9" * 70, "0." + "1" * 5000])
def test_no_number_of_an_option_breaks_anything(tmp_path: Path, worker: Worker, text: str) -> None:
    fill(tmp_path, {"spec.yaml": SPEC, "pod.yaml": OLD})
    for option in ("--hours", "--card-units", "--card-memory-mib", "--pods"):
        done = worker(tmp_path, "cost", "spec.yaml", "--to", "emr-ray", "--card", "A10", option, text)
        assert done.code in (0, 2)
    done = worker(tmp_path, "translate", "pod.yaml", "--to", "tke", "--fill", f"cores={text}")
    assert done.code == 2


TOML = {
    "nested": "[tool.gpuxlate]\nselect = " + "[" * 20_000 + "]" * 20_000,
    "many digits": f"[tool.gpuxlate]\nx = {'9' * 5000}",
    "dotted": f"[tool.gpuxlate]\n{'.'.join(['a'] * 5000)} = 1",
    "another section": "[tool.x]\ny = " + "[" * 20_000 + "]" * 20_000 + "\n[tool.gpuxlate]\n",
}


def test_no_toml_breaks_anything(tmp_path: Path, worker: Worker) -> None:
    for name, text in TOML.items():
        fill(tmp_path, {"a.yaml": OLD, "pyproject.toml": text})
        done = worker(tmp_path, "lint", "a.yaml")
        assert done.code == 2, name
        assert done.err.startswith(f"error: {tmp_path}/pyproject.toml: "), name
        assert len(done.err) < 1000, name


@pytest.mark.parametrize("name", [".gpuxlate.yaml", "pyproject.toml"])
def test_no_configuration_blocks(tmp_path: Path, worker: Worker, name: str) -> None:
    os.mkfifo(tmp_path / name)
    fill(tmp_path, {"a.yaml": OLD})
    done = worker(tmp_path, "lint", "a.yaml")
    assert done.code == 2
    assert f"{name}: it cannot be read: it is a named pipe, not a file" in done.err
