"""``lint --baseline``: what a file lists does not count, whatever line it is on now; all else does."""

import json
from pathlib import Path

import pytest

from tests.lint.conftest import lint, pod, write

pytestmark = pytest.mark.usefixtures("folder")

ODD = "tke.cloud.tencent.com/qgpu-core: 33\ntke.cloud.tencent.com/qgpu-memory: 5"
RIGHT = "tke.cloud.tencent.com/qgpu-core: 30\ntke.cloud.tencent.com/qgpu-memory: 5"


def keep(*paths: str) -> None:
    done = lint(*(paths or (".",)), "--write-baseline", "known.json", as_=None)
    assert (done.code, done.out) == (0, "")


# the files before the baseline is written, those after it, and the codes that are new then
AFTER = {
    "nothing new": ({"a.yaml": pod(ODD)}, {}, []),
    "lines move": ({"a.yaml": pod(ODD)}, {"a.yaml": "# new\n\n" + pod(ODD)}, []),
    "another value of the same key": ({"a.yaml": pod(ODD)}, {"a.yaml": pod(ODD.replace("33", "34"))}, []),
    "another file": ({"a.yaml": pod(ODD)}, {"b.yaml": pod(ODD)}, ["TKE002"]),
    "another object": ({"a.yaml": pod(ODD)}, {"a.yaml": pod(ODD, name="api")}, ["TKE002"]),
    "one more of the same": ({"a.yaml": pod(ODD)}, {"a.yaml": f"{pod(ODD)}---\n{pod(ODD)}"}, ["TKE002"]),
    "one fewer": ({"a.yaml": f"{pod(ODD)}---\n{pod(ODD)}"}, {"a.yaml": pod(ODD)}, []),
    "another rule": ({"a.yaml": pod(ODD)}, {"a.yaml": pod(ODD.replace("5", "5Gi"))}, ["K8S002"]),
    "nothing known": ({"a.yaml": pod(RIGHT)}, {"a.yaml": pod(ODD)}, ["TKE002"]),
}


@pytest.mark.parametrize("case", AFTER)
def test_only_what_is_new_counts(case: str) -> None:
    before, after, new = AFTER[case]
    write(before)
    keep()
    write(after)
    done = lint(".", "--baseline", "known.json")
    assert (done.codes, done.code) == (new, 1 if new else 0)
    assert done.json["summary"]["errors"] == len(new)


def test_it_names_no_line_and_is_the_same_again() -> None:
    write({"b.yaml": pod(ODD), "a.yaml": pod(ODD)})
    keep()
    first = Path("known.json").read_bytes()
    found = json.loads(first)["findings"]
    assert [one["file"] for one in found] == ["a.yaml", "b.yaml"]
    assert set(found[0]) == {"file", "object", "path", "rule"}
    write({"a.yaml": "# moved\n" + pod(ODD)})
    keep("b.yaml", "a.yaml")
    assert Path("known.json").read_bytes() == first


def test_what_met_no_finding_is_counted_in_the_files_of_the_run() -> None:
    write({"a.yaml": pod(ODD), "b.yaml": pod(ODD)})
    keep()
    write({"a.yaml": pod(RIGHT), "b.yaml": pod(RIGHT)})
    assert "1 entry of known.json matches no finding\n" in lint("a.yaml", "--baseline", "known.json").err
    assert "2 entries of known.json match no finding\n" in lint(".", "--baseline", "known.json").err


def test_what_the_baseline_has_is_not_said_to_be_no_finding() -> None:
    write({"a.yaml": pod(ODD)})
    keep()
    assert lint("a.yaml", "--baseline", "known.json", as_=None).out == "no new findings in 1 file\n"


def test_it_is_no_file_of_its_folder() -> None:
    write({"a.yaml": pod(ODD)})
    keep()
    assert lint(".", "--baseline", "known.json", as_=None).out == "no new findings in 1 file\n"
    assert (
        lint("a.yaml", "known.json", "--baseline", "known.json", as_=None).out
        == "no new findings in 2 files\n"
    )


# what a YAML table cannot hold; the others are in tests/errors
@pytest.mark.parametrize(
    ("content", "message"), [(b"[" * 100000, "nested too deep"), (b"\xff", "known.json is not UTF-8")]
)
def test_a_file_that_is_no_baseline(content: bytes, message: str) -> None:
    write({"a.yaml": pod(ODD), "known.json": content})
    done = lint("a.yaml", "--baseline", "known.json", as_=None)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


@pytest.mark.parametrize(
    "other", [("--baseline", "k"), ("--add-ignores", "so it is"), ("--diff",), ("--watch",)]
)
def test_options_that_a_new_baseline_excludes(other: tuple[str, ...]) -> None:
    write({"a.yaml": pod(ODD)})
    done = lint("a.yaml", "--write-baseline", "known.json", *other, as_=None)
    assert done.code == 2
    assert f"{other[0]} and --write-baseline" in done.err or f"--write-baseline and {other[0]}" in done.err
    assert not Path("known.json").exists()


def test_none_is_written_where_an_input_was_not_read() -> None:
    done = lint("gone.yaml", "--write-baseline", "known.json", as_=None)
    assert done.code == 3
    assert not Path("known.json").exists()


SUFFIXED = pod(RIGHT.replace("30", "30.0"))


@pytest.mark.parametrize("other", [SUFFIXED.replace("name: web\nspec", "name: api\nspec"), SUFFIXED])
@pytest.mark.parametrize("stdin", [False, True])
def test_the_fixes_of_what_it_has_are_not_applied(other: str, stdin: bool) -> None:
    write({"a.yaml": SUFFIXED})
    keep()
    text = f"{SUFFIXED}---\n{other}"
    write({"a.yaml": text})
    paths = ("-", "--stdin-filename", "a.yaml") if stdin else ("a.yaml",)
    shown = lint(*paths, "--baseline", "known.json", "--diff", as_=None, stdin=text)
    assert (shown.code, shown.out.count("\n-    ")) == (1, 1)
    done = lint(*paths, "--baseline", "known.json", "--fix", as_=None, stdin=text)
    assert "fixed 1 finding\n" in done.err
    fixed = done.out if stdin else Path("a.yaml").read_text()
    assert fixed == f"{SUFFIXED}---\n{other.replace('30.0', '30')}"


def test_nothing_is_fixed_where_all_is_in_it() -> None:
    write({"a.yaml": SUFFIXED})
    keep()
    done = lint("a.yaml", "--baseline", "known.json", "--diff", as_=None)
    assert (done.code, done.out, done.err) == (0, "", "")
    done = lint("a.yaml", "--baseline", "known.json", "--fix", as_=None)
    assert (done.code, Path("a.yaml").read_text()) == (0, SUFFIXED)


def test_without_the_baseline_nothing_is_fixed() -> None:
    write({"a.yaml": SUFFIXED})
    done = lint("a.yaml", "--baseline", "gone.json", "--fix", as_=None)
    assert (done.code, Path("a.yaml").read_text()) == (3, SUFFIXED)
