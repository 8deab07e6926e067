"""The targets of guided fuzzing, without atheris: what it found worth keeping, and generated manifests."""

from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.checks import each_holds
from tests.effort import tries
from tests.fuzz import targets
from tests.fuzz.trees import CHARACTERS, NUMBERS, keys, texts
from tests.fuzz.writing import files, yaml_texts

CORPUS = Path(__file__).parent / "corpus"


@pytest.mark.parametrize("name", sorted({*targets.TARGETS, *(path.name for path in CORPUS.iterdir())}))
def test_the_files_of_a_target(name: str) -> None:
    files = sorted(path for path in (CORPUS / name).iterdir() if path.is_file())
    assert files
    each_holds({path.name: partial(targets.TARGETS[name], path.read_bytes()) for path in files})


@tries(350)
@given(files)
def test_any_manifest_is_read_or_refused(data: bytes) -> None:
    targets.reader(data)


@tries(200)
@given(files)
def test_any_manifest_gets_an_answer(data: bytes) -> None:
    """Lint, its fixes and translate to each target; without a share the bytes stay."""
    targets.commands(data)


orders = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 255), st.integers(0, 255)), max_size=4)


@tries(500)
@given(orders, yaml_texts())
def test_an_edit_is_read_back_as_intended(order: list[tuple[int, int, int]], text: str) -> None:
    """No line break in the first line: three letters say one edit."""
    line = bytes(letter if letter != ord("\n") else 0 for three in order for letter in three)
    targets.edits(line + b"\n" + text.encode("utf-8", "surrogatepass"))


@tries(300)
@given(
    st.one_of(
        st.sampled_from(NUMBERS), st.from_regex(r"[-+]?[0-9_.]{0,5}[eE]?[-+]?[0-9]{0,4}[A-Za-z%]{0,3}"), texts
    )
)
def test_quantities(text: str) -> None:
    targets.quantities(text.encode("utf-8", "surrogatepass"))


SIGNS = ("=", ";", "\n", "\r\n", ": ", "\\", "\\\n", "'", '"', "`", "#", "!", "--", "/*", "*/", "set ", " ")
PIECES = st.one_of(keys, texts, *map(st.sampled_from, (SIGNS, sorted(targets.WANTED), CHARACTERS)))


@tries(400)
@given(st.lists(PIECES, max_size=20).map("".join))
def test_parameters_of_jobs(text: str) -> None:
    targets.parameters(text.encode("utf-8", "surrogatepass"))
