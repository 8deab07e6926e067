"""The interface for Python: texts and objects, refusals, what is loaded when; and docs/python.md."""

import datetime
import doctest
import json
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

import gpuxlate
from docs.tools.markdown import blocks
from gpuxlate import Share
from gpuxlate.backends.alibaba import AlibabaProfile

PAGE = (Path(__file__).parents[2] / "docs" / "python.md").read_text(encoding="utf-8")
VKE = {"vke.volcengine.com/mgpu-core": 30, "vke.volcengine.com/mgpu-memory": 4096}
TKE = {"tke.cloud.tencent.com/qgpu-core": "30", "tke.cloud.tencent.com/qgpu-memory": "4"}
SHARE = Share(cores=30, memory_mib=4096)


def made(kind: str, name: str, **rest: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name}, **rest}


def pod(limits: dict[str, Any], name: str = "web") -> dict[str, Any]:
    container = {"name": "server", "image": "server:1", "resources": {"limits": limits}}
    return made("Pod", name, spec={"containers": [container]})


def limits_of(data: Any) -> Any:
    return data["spec"]["containers"][0]["resources"]["limits"]


def translated(**options: Any) -> Any:
    return gpuxlate.translate(pod(VKE), **({"to": "tke"} | options))


# --- names of the package -------------------------------------------------------------------------


SAME_NAMES = """
import gpuxlate
import gpuxlate.lint.check
from gpuxlate.lint.check import LintSettings
from gpuxlate import lint, translate, render
print(all(map(callable, (gpuxlate.lint, gpuxlate.translate, gpuxlate.render, lint, translate, render))))
"""


def test_modules_of_the_same_name_hide_no_functions() -> None:
    assert subprocess.check_output([sys.executable, "-c", SAME_NAMES], text=True) == "True\n"


# --- texts and objects ----------------------------------------------------------------------------


def test_text_and_objects_give_the_same() -> None:
    given = pod(dict(VKE))
    done = gpuxlate.translate(given, to="tke")
    assert given == pod(VKE), "what was given is not changed"
    assert gpuxlate.translate(json.dumps(pod(VKE)), to="tke").objects == done.objects
    assert limits_of(done.objects[0]) == TKE


def test_a_list_of_objects_keeps_its_order() -> None:
    service = made("Service", "s", spec={"ports": []})
    done = gpuxlate.translate([service, pod(VKE), pod(TKE, "other")], to="tke")
    assert done.objects[0] == service
    assert [limits_of(one) for one in done.objects[1:]] == [TKE, TKE]
    assert [item.container for item in done.items] == ["server"]
    assert done.changed


def test_values_of_objects_keep_their_types() -> None:
    """Dates, which YAML libraries load, are text again."""
    given, long = pod(VKE), "k" * 1010
    texts = ("yes", "0x10", "1e3", "", "2026-11-21", "a\nb")
    given["metadata"]["annotations"] = dict(zip("abcdef", texts, strict=True))
    given["metadata"]["creationTimestamp"] = datetime.datetime(2026, 11, 21, 3, 4, tzinfo=datetime.UTC)
    given["spec"][long] = {"a": ["b"]}
    given["... x"] = [float("inf"), float("-inf")]
    given["spec"]["x"] = {"n": None, "t": True, "i": 5, "f": 1.5, "l": [], "m": {}}
    back = gpuxlate.translate(given, to="tke").objects[0]
    assert back["metadata"] == given["metadata"] | {"creationTimestamp": "2026-11-21T03:04:00+00:00"}
    assert [back["spec"][name] for name in ("x", long)] == [given["spec"][name] for name in ("x", long)]
    assert back["... x"] == given["... x"]


def test_the_text_keeps_its_bytes() -> None:
    text = "\ufeff# first\r\n" + yaml.safe_dump(pod(VKE)).replace("\n", "\r\n")
    done = gpuxlate.translate(text, to="tke")
    assert done.text.startswith("\ufeff# first\r\n")
    assert "\n" not in done.text.replace("\r\n", "")
    assert gpuxlate.translate(text, to="vke").text == text


def test_files_without_a_last_line_break_are_documents_of_one_text(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.yaml").write_text(json.dumps(pod(VKE, name)))
    done = gpuxlate.translate(tmp_path, to="tke")
    assert [one["metadata"]["name"] for one in done.objects] == ["a", "b"]


def test_parse_gives_documents() -> None:
    found = gpuxlate.parse([pod(VKE), pod(TKE, "other")])
    assert found.shares == (SHARE,) * 2
    assert [one["metadata"]["name"] for one in found.objects] == ["web", "other"]
    assert gpuxlate.render(found.text, to="vke").items[1].object.name == "other"
    nothing = gpuxlate.parse({"kind": "Service"})
    assert (nothing.text, nothing.shares, nothing.objects) == ("", (), [])


@pytest.mark.parametrize("engine", ["emr-spark", "emr-ray", "emr-customjob", "aiapp"])
def test_parse_reads_what_render_writes(engine: str) -> None:
    """Parameters of a job and values of a form too; without a target by the name of the file alone."""
    text = gpuxlate.render(SHARE, to=engine).text
    assert gpuxlate.parse(text, from_=engine).shares == (SHARE,)
    if engine == "emr-spark":
        assert gpuxlate.parse(text).shares == ()
        assert len(gpuxlate.parse(text, name="job.conf").shares) == 1


def test_render_on_a_workload_that_is_given() -> None:
    two = made("Pod", "p", spec={"containers": [{"name": "a"}, {"name": "b"}]})
    [rendered] = gpuxlate.render(SHARE, to="tke", workload=two, container="b").objects
    assert rendered["spec"]["containers"][0] == {"name": "a"}
    assert rendered["spec"]["containers"][1]["resources"]["limits"] == TKE
    with pytest.raises(gpuxlate.Refused, match="the share names none"):
        gpuxlate.render(SHARE, to="tke", workload=two)

    # no file is read
    workload = {"file": "d.yaml", "container": "server"}
    spec = made("GPUShare", "s", spec={"cores": 30, "memoryMiB": 4096, "workload": workload})
    spec["apiVersion"] = "gpuxlate.io/v1alpha1"
    with pytest.raises(gpuxlate.Refused, match=r"d\.yaml, and files are not read here"):
        gpuxlate.render(spec, to="tke")
    [rendered] = gpuxlate.render(spec, to="tke", workload=pod({})).objects
    assert limits_of(rendered) == TKE


@pytest.mark.parametrize("function", [gpuxlate.parse, lambda path: gpuxlate.translate(path, "hami")])
def test_files_that_cannot_be_read(function: Callable[[Path], Any], tmp_path: Path) -> None:
    """The others of the folder are read, and what was found in them is there."""
    (tmp_path / "a.yaml").write_text(json.dumps(pod(TKE)))
    for name in ("b.yaml", "c.yaml"):
        (tmp_path / name).symlink_to("nowhere")
    with pytest.raises(gpuxlate.UnreadableError) as error:
        function(tmp_path)
    assert str(error.value).splitlines() == [
        f"{tmp_path}/{name}: a link that leads to no file" for name in ("b.yaml", "c.yaml")
    ]
    assert [one.share for one in error.value.items] == [SHARE]


@pytest.mark.parametrize("form", ["profile", "mapping", "str", "path"])
def test_profiles(form: str, tmp_path: Path) -> None:
    fields = {"target": "ack", "alibaba": {"memoryUnitMiB": 128, "isolation": "share"}}
    path = tmp_path / "profile.yaml"
    path.write_text(yaml.safe_dump(fields))
    profile = gpuxlate.Profile("ack", extensions=(AlibabaProfile(128, "share"),))
    given: Any = {"profile": profile, "mapping": fields, "str": str(path), "path": path}[form]
    [share] = gpuxlate.parse(pod({"aliyun.com/gpu-mem": 4}), profile=given).shares
    assert share.memory_mib == 512


def test_lint_finds_and_mends_objects() -> None:
    wrong = pod({"aliyun.com/gpu-mem": "2Gi"})
    found = gpuxlate.lint([wrong, pod(VKE)])
    assert [(one.code, one.document, one.span) for one in found] == [("K8S002", 0, None)]
    assert (found.documents, found.shares, found.fixes) == (2, 2, 0)
    assert found.objects == [wrong, pod(VKE)]
    mended = gpuxlate.lint(wrong, fix=True)
    assert (mended.diagnostics, mended.fixes) == ((), 1)
    assert limits_of(mended.objects[0]) == {"aliyun.com/gpu-mem": 2}
    done = gpuxlate.translate([pod(VKE)], to="alibaba-gpushare")
    assert gpuxlate.lint(done.objects).diagnostics == (), "what a translation wrote is clean"


def test_lint_selects() -> None:
    wrong = pod({"tke.cloud.tencent.com/qgpu-core": 33, "tke.cloud.tencent.com/qgpu-memory": "2Gi"})
    assert {one.code for one in gpuxlate.lint(wrong).diagnostics} == {"K8S002", "TKE002"}
    assert {one.code for one in gpuxlate.lint(wrong, select=["TKE"]).diagnostics} == {"TKE002"}
    assert {one.code for one in gpuxlate.lint(wrong, ignore=["TKE"]).diagnostics} == {"K8S002"}


def test_targets() -> None:
    by_name = {one.name: one for one in gpuxlate.targets()}
    assert by_name["tencent-qgpu"].aliases == ("tencent", "tke", "qgpu", "tencentcloud")
    assert by_name["alibaba-gpushare"].fields["qos"] == "no key"
    assert set(by_name["neutral"].fields) == {
        *("cards", "cores", "memoryMiB", "memoryPercent", "policy", "qos"),
        *("memoryLimitMiB", "device", "isolation", "partition", "replica"),
    }
    assert [one.name for one in gpuxlate.targets() if one.reads_only] == [
        "elastic-gpu",
        "gpu-manager",
        "nos",
        "vgpu-manager",
    ]


def test_a_translation_has_the_amounts_of_quotas() -> None:
    quota = made("ResourceQuota", "q", spec={"hard": {"requests.aliyun.com/gpu-mem": "64"}})
    [amount] = gpuxlate.translate(quota, to="tke").quotas
    keys = ("requests.aliyun.com/gpu-mem", "requests.tke.cloud.tencent.com/qgpu-memory")
    assert (amount.key, amount.new_key, str(amount.outcome)) == (*keys, "exact")


# --- what is refused ------------------------------------------------------------------------------


def test_a_refusal_carries_everything() -> None:
    odd = pod({"vke.volcengine.com/mgpu-core": 33, "vke.volcengine.com/mgpu-memory": 4000})
    with pytest.raises(gpuxlate.Refused) as refused:
        gpuxlate.translate([odd, odd], to="tencent-qgpu")
    found = refused.value
    assert sorted({one.code for one in found.diagnostics}) == ["TKE001", "TKE002"]
    assert {one.document for one in found.diagnostics} == {0, 1}
    assert all(one.span is None and one.path for one in found.diagnostics)
    assert [str(item.verdict) for item in found.items] == ["rounded", "rounded"]
    assert all(one.span is None for item in found.items for one in item.diagnostics)
    assert str(found).count("\n") == 3


CALLS: list[Callable[[Any], Any]] = [
    gpuxlate.lint,
    gpuxlate.parse,
    partial(gpuxlate.translate, to="tke"),
    partial(gpuxlate.render, to="tke"),
]


def deep(cyclic: bool) -> dict[str, Any]:
    """An object that holds itself, or 5,000 levels."""
    top: dict[str, Any] = {}
    last = top
    for _ in range(5000):
        last["a"] = last = {}
    if cyclic:
        top["a"] = top
    return top


ODD = yaml.safe_dump(pod(VKE)).replace("4096", "4000")
NOT_AN_OBJECT = "objects are mappings|a manifest cannot contain"
WRONG: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: gpuxlate.translat, AttributeError, "no attribute 'translat'"),  # type: ignore[attr-defined]
    (lambda: gpuxlate.lint(3), TypeError, "invalid text of type int: it is a text, objects, or a pathlib"),  # type: ignore[arg-type]
    (lambda: gpuxlate.lint(["text"]), TypeError, NOT_AN_OBJECT),  # type: ignore[list-item]
    (lambda: gpuxlate.lint({"kind": {1, 2}}), TypeError, NOT_AN_OBJECT),
    (lambda: gpuxlate.lint([pod(VKE), None]), TypeError, NOT_AN_OBJECT),  # type: ignore[list-item]
    (lambda: gpuxlate.translate(ODD, "tke", name="web.yaml"), gpuxlate.Refused, r"web\.yaml:12:41: TKE001"),
    (lambda: gpuxlate.translate("a: [", to="tke"), gpuxlate.Refused, "GX001"),
    (lambda: translated(round="down"), ValueError, "invalid value 'down' for round"),
    (lambda: translated(drop=["memory"]), ValueError, "invalid field 'memory' in drop"),
    (lambda: translated(fill={"memory": 1}), ValueError, "invalid field 'memory' in fill"),
    (lambda: translated(fill={"cores": 0}), ValueError, "invalid value 0 for fill cores"),
    (lambda: translated(fill={"cores": True}), ValueError, "invalid value True for fill cores"),
    (lambda: translated(profile={"target": "tke", "card": 1}), ValueError, "card"),
    (lambda: translated(profile="no-such-file.yaml"), ValueError, "cannot be read"),
    (lambda: translated(to="volcengine-emr-spark"), ValueError, "is not for manifests"),
    (lambda: translated(from_="aiapp"), ValueError, "is not for manifests"),
    (lambda: translated(to="gpu-manager"), ValueError, "it is read and not written"),
    (lambda: gpuxlate.render(SHARE, "gpu-manager"), ValueError, "'gpu-manager': it is read and not written"),
    (lambda: gpuxlate.render(SHARE, "tke", container="b"), ValueError, "container needs workload"),
    (lambda: gpuxlate.render("", to="tke"), ValueError, "no GPUShare document"),
    (lambda: gpuxlate.render("kind: Pod\n", to="tke"), gpuxlate.Refused, "GX010"),
    (lambda: gpuxlate.render("a: [", to="tke"), gpuxlate.Refused, "GX001"),
    (lambda: gpuxlate.parse(pod(VKE), from_="nobody"), LookupError, "nobody"),
    (lambda: translated(to="tencent-qgp"), gpuxlate.UnknownTargetError, "tencent-qgp"),
    # what is a name is no text
    *(
        (partial(call, name), ValueError, "names a file, and a str is a text: pass pathlib.Path")
        for call in CALLS
        for name in ("k8s/web.yaml", "a.yml", "x.json", "docs", "README.md")
    ),
    (lambda: translated(to=["tke"]), ValueError, "to is .*: write the name of one target"),
    (lambda: translated(to=None), ValueError, "to is None"),
    (lambda: translated(from_=["vke"]), ValueError, "from_ is"),
    (lambda: gpuxlate.parse("a: 1", from_=["vke"]), ValueError, "from_ is"),  # type: ignore[arg-type]
    (lambda: gpuxlate.render(SHARE, ("tke",)), ValueError, "to is"),  # type: ignore[arg-type]
    (lambda: translated(to="nobody"), ValueError, "unknown target 'nobody'"),
    (lambda: gpuxlate.lint("a: 1", select=["NOPE"]), ValueError, "no rule 'NOPE'"),
    (lambda: gpuxlate.lint("a: 1", ignore=["TKE", "X"]), ValueError, "no rule 'X'"),
    (lambda: gpuxlate.lint("a: 1", select="TKE"), ValueError, "select is 'TKE': write"),
    (lambda: gpuxlate.Share(cores="30"), ValueError, "cores is '30', it must be an int"),  # type: ignore[arg-type]
    (lambda: gpuxlate.Share(cores=30.0), ValueError, "cores is 30.0"),  # type: ignore[arg-type]
    (lambda: gpuxlate.Share(cards=True), ValueError, "cards is True"),
    (lambda: gpuxlate.Share(memory_mib="4Gi"), ValueError, "memory_mib is '4Gi'"),  # type: ignore[arg-type]
    *(
        (partial(call, deep(kind)), ValueError, "nested too deeply")
        for call in CALLS
        for kind in (True, False)
    ),
]


@pytest.mark.parametrize("odd", ["a: \ud800", {"a": "\ud800"}, {"\ud800": 1}], ids=ascii)
def test_half_a_character_is_no_other_error(odd: Any) -> None:
    for call in CALLS:
        with suppress(ValueError, gpuxlate.Refused):
            call(odd)


def test_lint_reads_files_as_the_command_does(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.yaml").write_text(ODD)
    (tmp_path / "a" / "two.yaml").write_text("vke.volcengine.com/mgpu-core: [")
    found = gpuxlate.lint(tmp_path / "a")
    broken = [Path(one.file or "").name for one in found if one.code == "GX001"]
    assert broken == ["two.yaml"]
    alone = gpuxlate.lint(tmp_path / "a" / "one.yaml")
    assert [one.code for one in alone] == [one.code for one in gpuxlate.lint(ODD)]
    assert (alone.text, alone.documents, alone.shares) == (ODD, 1, 1)
    with pytest.raises(OSError, match=r"none\.yaml: no such file"):
        gpuxlate.lint(tmp_path / "none.yaml")
    share = tmp_path / "share.yaml"
    share.write_text(text := gpuxlate.parse(pod(VKE)).text)
    assert gpuxlate.render(share, "tke").text == gpuxlate.render(text, "tke").text


@pytest.mark.parametrize(
    ("call", "error", "message"), WRONG, ids=[f"{n}-{message}" for n, (*_, message) in enumerate(WRONG)]
)
def test_what_cannot_be_meant(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as raised:
        call()
    assert message != "tencent-qgp" or getattr(raised.value, "hint", "") == "did you mean tencent-qgpu?"


# --- docs/python.md: its examples are run, and what it calls public is there ----------------------


def test_the_examples() -> None:
    code = "\n".join(body for kind, body in blocks(PAGE) if kind == "python")
    test = doctest.DocTestParser().get_doctest(code, {}, "python.md", "docs/python.md", 0)
    assert len(test.examples) > 20
    said: list[str] = []
    failed, _ = doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    assert (failed, "".join(said)) == (0, "")


def test_public_names_are_there_and_written_down() -> None:
    for name in gpuxlate.__all__:
        assert getattr(gpuxlate, name) is not None
    for name in ("translate", "render", "parse", "lint", "targets", "Refused", "UnknownTargetError"):
        assert re.search(rf"\b{name}\b", PAGE), name


@pytest.mark.parametrize(
    ("to", "runs"),
    [("tke", ["nvidia-smi"]), ("neutral", ["nvidia-smi"]), ("aws-neuron", ["sh", "-c", "env; ls -l /dev"])],
)
def test_a_pod_without_a_workload_runs_what_its_cards_have(to: str, runs: list[str]) -> None:
    [rendered] = gpuxlate.render(Share(cards=1), to=to).objects
    assert rendered["spec"]["containers"][0]["command"] == runs
