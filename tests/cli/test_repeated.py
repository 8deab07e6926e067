"""Options that are given twice: of one value the last counts, as everywhere; lists add up."""

from pathlib import Path

import pytest

from tests.cli.test_locale import ROOT
from tests.running import run

FILE = str(ROOT / "examples" / "move" / "volcengine")
SAME = [
    # a command line with something twice, and without
    ("lint {f} --format text --format json", "lint {f} --format json"),
    ("lint {f} -o json --format concise", "lint {f} -o concise"),
    ("--lang zh lint {f} --lang en", "lint {f} --lang en"),
    ("lint {f} --fail-on warning --fail-on never", "lint {f} --fail-on never"),
    ("lint {f} --statistics --statistics", "lint {f} --statistics"),
    ("lint {f} --select TKE --select VKE", "lint {f} --select TKE,VKE"),
    ("assess {f} --to tke --to ack", "assess {f} --to tke,ack"),
    ("parse {f} --from ack --from vke", "parse {f} --from vke"),
]  # fmt: skip


@pytest.mark.parametrize(("twice", "once"), SAME, ids=lambda one: one.replace("{f}", "F"))
def test_what_counts(twice: str, once: str) -> None:
    first, second = run(*twice.format(f=FILE).split()), run(*once.format(f=FILE).split())
    assert (first.code, first.out) == (second.code, second.out)
    assert first.out
    assert b"error: " not in first.err + second.err.replace(b"error[", b"")


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("--format xml", "--format"),
        ("--output=xml", "--output"),
        ("-oxml", "-o"),
        ("-o json --format xml", "--format"),
    ],
)
def test_an_error_has_the_name_that_was_typed(option: str, says: str) -> None:
    for command in ("lint a.yaml", "plan a.yaml --to tke", "policy --to vke"):
        ran = run(
            *command.split(), *option.replace("text", "yaml" if "policy" in command else "text").split()
        )
        assert ran.code == 2
        assert ran.err.decode().startswith(f"error: invalid value 'xml' for {says}\n"), ran.err


SPEC = "apiVersion: gpuxlate.io/v1alpha1\nkind: GPUShare\nmetadata: {name: a}\nspec: "


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f"{SPEC}{{core: 30}}", 'spec: unknown field "core"; did you mean cores?'),
        (
            f"{SPEC}{{workload: {{x: 1, file: a}}}}",
            'spec/workload: unknown field "x"; fields here: file, container',
        ),
        (f"{SPEC}{{workload: {{container: a}}}}", "spec/workload: file is missing"),
        (f'{SPEC}{{memoryMiB: "4"}}', 'spec/memoryMiB: it is "4", it must be of type integer'),
        (
            f"{SPEC}{{qos: onlin}}",
            'spec/qos: it is "onlin", it must be online or offline; did you mean online?',
        ),
        (f"{SPEC}{{cores: 0}}", "spec/cores: 0 is less than the minimum of 1"),
    ],
)
def test_a_schema_says_what_is_wrong(text: str, says: str) -> None:
    ran = run("schema", "spec", "--check", "-", stdin=text.encode())
    assert (ran.code, ran.err.decode()) == (1, f"-: {says}\n")


def test_a_schema_checks_stdin() -> None:
    share = Path(ROOT / "examples" / "refused.gpushare.yaml").read_bytes()
    assert run("schema", "spec", "--check", "-", stdin=share).code == 0
    wrong = run("schema", "spec", "--check", "-", stdin=b"kind: Pod\n")
    assert wrong.code == 1
    assert wrong.err.startswith(b"-: ")
