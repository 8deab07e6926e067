"""Plug-ins that were written before a target was a class: they work for one release, with a warning."""

import warnings
from collections.abc import Iterator

import pytest

from gpuxlate.backends.rows import KeyTable
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value
from gpuxlate.model.profile import Profile
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate.testing import BackendContract

with warnings.catch_warnings(record=True) as NAMES:
    warnings.simplefilter("always")
    from gpuxlate.backends.base import Backend, Place, PodPlacing, Reading, Taking, key
    from gpuxlate.model.messages import say

SHARE = "edge.example/share"


def read(pod: Taking, _profile: Profile | None) -> Reading:
    value = pod.annotation(SHARE)
    found = [pod.none(one) for one in pod.pod.all_containers()]
    if value and value.text.isdecimal() and pod.pod.containers:
        first = pod.pod.containers[0]
        found[len(pod.pod.init_containers)] = pod.share(
            first, cores=int(value.text), origins={"cores": value.path}
        )
    return pod.reading(found)


@rule("OLDEDGE001", Severity.ERROR, no_policy="it is about a text")
def share_is_a_number(this: Rule, pod: PodKeys, _context: Context) -> Iterator[Diagnostic]:
    """The share is percent.

    ## What it does
    Reports other values.

    ## Why
    The pod is refused.

    ## Example
    ```yaml
    metadata: {annotations: {edge.example/share: x}}
    ```

    ## Use instead
    ```yaml
    metadata: {annotations: {edge.example/share: "30"}}
    ```

    ## Source
    Edge (2026-01).
    """
    value = pod.annotations.get(SHARE)
    if value and not value.text.isdecimal():
        yield this.at(value, say("{key} is no number", key=SHARE), "write percent")


def write(pod: PodPlacing, _profile: Profile | None) -> PodKeys:
    for one in pod.placings:
        if one.take("cards") > 1 or one.init or one.index:
            one.refuse("cards", "GX023", "one card, in the first container", "request one card")
        one.need("cores", "GX021", "the key is compute")
    names = tuple(ContainerKeys(one.name, one.index) for one in pod.placings if not one.init)
    text = str(pod.placings[0].peek("cores")) if pod.placings else ""
    return PodKeys(names, annotations={SHARE: Value.of(text)} if text else {})


with warnings.catch_warnings(record=True) as OF_EDGE:
    warnings.simplefilter("always")
    EDGE = Backend(
        name="old-edge",
        title="Edge",
        keys=(key(SHARE, Place.ANNOTATION, meaning="percent of one card"),),
        gpu_prefixes=("edge.example/",),
        read=read,
        write=write,
        says={"cores": f"annotation {SHARE}"},
        rules_module=__name__,
        also_speaks=lambda pod: SHARE in pod.annotations,
    )


def of_rows() -> Backend:
    from gpuxlate.backends.sheet.rows import cards, cores, memory
    from gpuxlate.backends.sheet.sheet import Several, Sheet

    count = "old.example/cards"
    sheet = Sheet(
        name="old-rows",
        title="Rows",
        prefix="OLD",
        documents={"GUIDE": "a guide (2026-01)"},
        gpu_prefixes=("old.example/",),
        several=Several.REFUSED,
        why={"NEEDS": "It says so."},
        keys=(
            cards(count, idle=("0",), source="GUIDE"),
            cores("old.example/cores", needs=(count,), source="GUIDE"),
            memory("old.example/memory", needs=(count,), source="GUIDE"),
        ),
    )
    return sheet.backend


with warnings.catch_warnings(record=True) as OF_ROWS:
    warnings.simplefilter("always")
    ROWS = of_rows()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
class TestEdge(BackendContract):
    backend = EDGE


class TestRows(BackendContract):
    backend = ROWS


def test_each_old_name_is_told() -> None:
    told = [str(one.message) for some in (NAMES, OF_EDGE, OF_ROWS) for one in some]
    for text in ("PodReader", "PodWriter", "messages.say is msg", "the field idle of a key", "write a class"):
        assert any(text in one for one in told), text
    assert {one.category for some in (NAMES, OF_EDGE, OF_ROWS) for one in some} == {DeprecationWarning}


def test_its_rules_follow_from_its_rows() -> None:
    assert isinstance(ROWS, KeyTable)
    assert {one.code for one in ROWS.rules} >= {"OLD001", "OLD002", "OLD007"}
    assert "It says so." in next(one.text for one in ROWS.rules if one.code == "OLD002")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_no_class_has() -> None:
    with pytest.raises(TypeError, match="form_module"):
        Backend(name="x", title="x", form_module="x")
