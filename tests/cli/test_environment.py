"""Variables of the environment, and what an internal error looks like."""

from pathlib import Path

import pytest

from gpuxlate.cli import app, kubectl, main, options
from gpuxlate.model.errors import Exit
from tests.cli.test_locale import ROOT
from tests.running import run

PAGE = "assess {examples} --to ack --html page.html"
IGNORED = [
    # variable, value, command, what counts
    ("GPUXLATE_LANG", "xx", "lint --help", "messages are in English"),
    ("GPUXLATE_LANG", "xx", "--help", "messages are in English"),
    ("GPUXLATE_LANG", "xx", "explain GX001", "messages are in English"),
    ("GPUXLATE_LANG", "zh_CN", "targets", "messages are in English"),
    *(
        (
            "SOURCE_DATE_EPOCH",
            value,
            "assess {examples} --to ack --html page.html",
            "the date is that of today",
        )
        for value in ("99999999999999", "-99999999999999", "9" * 5000, "now", "1.5", " ")
    ),
]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GPUXLATE_LANG", raising=False)


@pytest.mark.parametrize(("name", "value", "command", "default"), IGNORED, ids=lambda one: one[:30])
def test_a_wrong_value_is_a_note(
    name: str, value: str, command: str, default: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = command.format(examples=ROOT / "examples" / "move").split()
    without = run(*words)
    monkeypatch.setenv(name, value)
    ran = run(*words)
    assert (ran.code, ran.out) == (without.code, without.out)
    notes = [line for line in ran.err.decode().splitlines() if name in line]
    assert len(notes) == 1
    assert notes[0].startswith("note: invalid value '")
    assert notes[0].endswith(f"' of {name} in the environment is ignored: {default}")
    assert [line for line in ran.err.splitlines() if line.decode() != notes[0]] == without.err.splitlines()


def test_the_option_counts_whatever_the_variable_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPUXLATE_LANG", "xx")
    assert run("targets", "--lang", "zh").err == b""
    assert run("-q", "targets").err == b""


@pytest.mark.parametrize("value", ["abc", "0", "-1", "1.5", "9" * 5000])
def test_a_wrong_number_of_cores(
    value: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from gpuxlate.cli import parallel

    monkeypatch.setattr(parallel, "invocation", lambda: options.Invocation())
    monkeypatch.delenv(parallel.CORES_VARIABLE, raising=False)
    usable = parallel.usable_cores()
    monkeypatch.setenv(parallel.CORES_VARIABLE, value)
    assert parallel.usable_cores() == usable
    assert "of GPUXLATE_CORES in the environment is ignored: all cores are used" in capsys.readouterr().err


@pytest.mark.parametrize("program", [main, kubectl.main], ids=["gpuxlate", "kubectl"])
@pytest.mark.parametrize("command", ["targets", "krm", "lint a.yaml"])
def test_an_internal_error_has_a_code_of_its_own(
    command: str,
    program: object,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """1 is a finding, 2 a mistake of the user, 3 an input: a pipeline can tell them apart."""

    def broken(*_args: object, **_options: object) -> None:
        raise KeyError("of a rule")

    monkeypatch.delenv("GPUXLATE_DEBUG", raising=False)
    for name in ("targets.table", "krm.Input", "lint.read_and_check"):
        monkeypatch.setattr(f"gpuxlate.cli.{name}", broken)
    Path("a.yaml").write_text("a: 1")
    with pytest.raises(SystemExit) as stop:
        program(command.split())  # type: ignore[operator]
    assert stop.value.code == Exit.INTERNAL == 4
    assert "error: internal error (KeyError: 'of a rule')" in capsys.readouterr().err
    assert app.guarded(lambda: 0) == 0
