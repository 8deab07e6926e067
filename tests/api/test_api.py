"""The interface for Python: texts and objects, refusals, and what is loaded when."""

from __future__ import annotations

import datetime
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import gpuxlate

VKE = {"vke.volcengine.com/mgpu-core": 30, "vke.volcengine.com/mgpu-memory": 4096}
TKE = {"tke.cloud.tencent.com/qgpu-core": "30", "tke.cloud.tencent.com/qgpu-memory": "4"}


def pod(limits: dict[str, Any], name: str = "web") -> dict[str, Any]:
    container = {"name": "server", "image": "server:1", "resources": {"limits": limits}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"containers": [container]},
    }


def limits_of(data: Any) -> Any:
    return data["spec"]["containers"][0]["resources"]["limits"]


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_importing_loads_nothing() -> None:
    code = (
        "import sys, json; before = set(sys.modules); import gpuxlate; dir(gpuxlate); gpuxlate.__version__; "
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    loaded = json.loads(run(code))
    assert "typing" not in loaded
    assert [one for one in loaded if one.startswith("gpuxlate")] == ["gpuxlate"]


def test_modules_of_the_same_name_do_not_hide_functions() -> None:
    code = (
        "import gpuxlate.lint.check, gpuxlate\n"
        "from gpuxlate.lint.check import LintSettings\n"
        "from gpuxlate import lint, translate, render\n"
        "print(all(callable(f) for f in (gpuxlate.lint, gpuxlate.translate, gpuxlate.render, lint, render)))"
    )
    assert run(code) == "True"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'translat'"):
        _ = gpuxlate.translat  # type: ignore[attr-defined]


def test_text_and_objects_give_the_same() -> None:
    text = json.dumps(pod(VKE))
    assert gpuxlate.translate(text, to="tke").objects == gpuxlate.translate(pod(VKE), to="tke").objects
    assert limits_of(gpuxlate.translate(pod(VKE), to="tke").objects[0]) == TKE


def test_a_list_of_objects_keeps_its_order() -> None:
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": {"ports": []}}
    given = [service, pod(VKE), pod(TKE, "other")]
    done = gpuxlate.translate(given, to="tke")
    assert done.objects[0] == service
    assert [limits_of(one) for one in done.objects[1:]] == [TKE, TKE]
    assert [item.container for item in done.items] == ["server"]
    assert done.changed


def test_what_was_given_is_not_changed() -> None:
    given = pod(dict(VKE))
    gpuxlate.translate(given, to="tke")
    assert given == pod(VKE)


def test_values_of_objects_keep_their_types() -> None:
    given = pod(VKE)
    given["metadata"]["annotations"] = {
        "a": "yes",
        "b": "0x10",
        "c": "1e3",
        "d": "",
        "e": "2026-11-21",
        "f": "a\nb",
    }
    given["spec"]["k" * 1010] = {"a": ["b"]}
    given["... x"] = [float("inf"), float("-inf")]
    given["spec"]["x"] = {"n": None, "t": True, "i": 5, "f": 1.5, "l": [], "m": {}}
    back = gpuxlate.translate(given, to="tke").objects[0]
    assert back["metadata"] == given["metadata"]
    assert back["spec"]["x"] == given["spec"]["x"]
    assert back["spec"]["k" * 1010] == given["spec"]["k" * 1010]
    assert back["... x"] == given["... x"]


def test_dates_that_yaml_libraries_load_are_text_again() -> None:
    given = pod(VKE)
    given["metadata"]["creationTimestamp"] = datetime.datetime(2026, 11, 21, 3, 4, tzinfo=datetime.UTC)
    back = gpuxlate.translate(given, to="tke").objects[0]
    assert back["metadata"]["creationTimestamp"] == "2026-11-21T03:04:00+00:00"


@pytest.mark.parametrize("given", [3, ["text"], {"kind": {1, 2}}, [pod(VKE), None]])
def test_what_is_no_object_is_a_type_error(given: Any) -> None:
    with pytest.raises(TypeError):
        gpuxlate.lint(given)


def test_the_text_keeps_its_bytes() -> None:
    text = "\ufeff# first\r\n" + yaml.safe_dump(pod(VKE)).replace("\n", "\r\n")
    done = gpuxlate.translate(text, to="tke")
    assert done.text.startswith("\ufeff# first\r\n")
    assert "\n" not in done.text.replace("\r\n", "")
    assert gpuxlate.translate(text, to="vke").text == text


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


def test_positions_in_a_text() -> None:
    text = yaml.safe_dump(pod(VKE)).replace("4096", "4000")
    with pytest.raises(gpuxlate.Refused, match=r"web\.yaml:12:41: TKE001"):
        gpuxlate.translate(text, to="tke", name="web.yaml")
    with pytest.raises(gpuxlate.Refused, match="GX001"):
        gpuxlate.translate("a: [", to="tke")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"round": "down"}, "invalid value 'down' for round"),
        ({"drop": ["memory"]}, "invalid field 'memory' in drop"),
        ({"fill": {"memory": 1}}, "invalid field 'memory' in fill"),
        ({"fill": {"cores": 0}}, "invalid value 0 for fill cores"),
        ({"fill": {"cores": True}}, "invalid value True for fill cores"),
        ({"profile": {"target": "tke", "card": 1}}, "card"),
        ({"profile": "no-such-file.yaml"}, "cannot be read"),
        ({"to": "volcengine-emr-spark"}, "is not for manifests"),
        ({"from_": "aiapp"}, "is not for manifests"),
        ({"to": "gpu-manager"}, "it is read and not written"),
    ],
)
def test_options_that_cannot_be_meant(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        gpuxlate.translate(pod(VKE), **({"to": "tke"} | options))


def test_unknown_targets() -> None:
    with pytest.raises(gpuxlate.UnknownTargetError) as unknown:
        gpuxlate.translate(pod(VKE), to="tencent-qgp")
    assert unknown.value.hint == "did you mean tencent-qgpu?"
    with pytest.raises(LookupError):
        gpuxlate.parse(pod(VKE), from_="nobody")


def test_a_target_that_is_only_read() -> None:
    with pytest.raises(ValueError, match="'gpu-manager': it is read and not written"):
        gpuxlate.render(gpuxlate.Share(1, 30, 4096), to="gpu-manager")
    assert [one.name for one in gpuxlate.targets() if one.reads_only] == ["elastic-gpu", "gpu-manager", "nos"]


@pytest.mark.parametrize("form", ["profile", "mapping", "str", "path"])
def test_profiles(form: str, tmp_path: Path) -> None:
    from gpuxlate.backends.alibaba.profile import AlibabaProfile

    fields = {"target": "ack", "alibaba": {"memoryUnitMiB": 128, "isolation": "share"}}
    path = tmp_path / "profile.yaml"
    path.write_text(yaml.safe_dump(fields))
    given: Any = {
        "profile": gpuxlate.Profile("ack", extensions=(AlibabaProfile(128, "share"),)),
        "mapping": fields,
        "str": str(path),
        "path": path,
    }[form]
    [share] = gpuxlate.parse(pod({"aliyun.com/gpu-mem": 4}), profile=given).shares
    assert share.memory_mib == 512


def test_parse_gives_documents() -> None:
    found = gpuxlate.parse([pod(VKE), pod(TKE, "other")])
    assert found.shares == (gpuxlate.Share(cores=30, memory_mib=4096),) * 2
    assert [one["metadata"]["name"] for one in found.objects] == ["web", "other"]
    assert gpuxlate.render(found.text, to="vke").items[1].object.name == "other"
    nothing = gpuxlate.parse({"kind": "Service"})
    assert (nothing.text, nothing.shares, nothing.objects) == ("", (), [])


@pytest.mark.parametrize("engine", ["emr-spark", "emr-ray", "emr-customjob", "aiapp"])
def test_parse_reads_what_render_writes(engine: str) -> None:
    """Parameters of a job and values of a form too."""
    share = gpuxlate.Share(cores=30, memory_mib=4096)
    assert gpuxlate.parse(gpuxlate.render(share, to=engine).text, from_=engine).shares == (share,)


def test_parse_goes_by_the_name_of_a_file() -> None:
    text = gpuxlate.render(gpuxlate.Share(cores=30, memory_mib=4096), to="emr-spark").text
    assert gpuxlate.parse(text).shares == ()
    assert len(gpuxlate.parse(text, name="job.conf").shares) == 1


def test_render_on_a_workload() -> None:
    bare = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}
    two = {**bare, "spec": {"containers": [{"name": "a"}, {"name": "b"}]}}
    share = gpuxlate.Share(cores=30, memory_mib=4096)
    made = gpuxlate.render(share, to="tke", workload=two, container="b")
    assert made.objects[0]["spec"]["containers"][0] == {"name": "a"}
    assert made.objects[0]["spec"]["containers"][1]["resources"]["limits"] == TKE
    with pytest.raises(gpuxlate.Refused, match="the share names none"):
        gpuxlate.render(share, to="tke", workload=two)
    with pytest.raises(ValueError, match="container needs workload"):
        gpuxlate.render(share, to="tke", container="b")


def test_render_reads_no_file() -> None:
    spec = {
        "apiVersion": "gpuxlate.io/v1alpha1", "kind": "GPUShare", "metadata": {"name": "s"},
        "spec": {"cores": 30, "memoryMiB": 4096, "workload": {"file": "d.yaml", "container": "server"}},
    }  # fmt: skip
    with pytest.raises(gpuxlate.Refused, match=r"d\.yaml, and files are not read here"):
        gpuxlate.render(spec, to="tke")
    [made] = gpuxlate.render(spec, to="tke", workload=pod({})).objects
    assert limits_of(made) == TKE


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        ("", ValueError, "no GPUShare document"),
        ("kind: Pod\n", gpuxlate.Refused, "GX010"),
        ("a: [", gpuxlate.Refused, "GX001"),
    ],
)
def test_render_without_a_share(spec: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        gpuxlate.render(spec, to="tke")


def test_lint_finds_and_mends_objects() -> None:
    wrong = pod({"aliyun.com/gpu-mem": "2Gi"})
    found = gpuxlate.lint([wrong, pod(VKE)])
    assert [(one.code, one.document, one.span) for one in found.diagnostics] == [("K8S002", 0, None)]
    assert (found.documents, found.shares, found.fixes) == (2, 2, 0)
    assert found.objects == [wrong, pod(VKE)]
    mended = gpuxlate.lint(wrong, fix=True)
    assert (mended.diagnostics, mended.fixes, limits_of(mended.objects[0])) == (
        (),
        1,
        {"aliyun.com/gpu-mem": 2},
    )


def test_lint_selects() -> None:
    wrong = pod({"tke.cloud.tencent.com/qgpu-core": 33, "tke.cloud.tencent.com/qgpu-memory": "2Gi"})
    assert {one.code for one in gpuxlate.lint(wrong).diagnostics} == {"K8S002", "TKE002"}
    assert {one.code for one in gpuxlate.lint(wrong, select=["TKE"]).diagnostics} == {"TKE002"}
    assert {one.code for one in gpuxlate.lint(wrong, ignore=["TKE"]).diagnostics} == {"K8S002"}


def test_what_a_translation_wrote_is_clean() -> None:
    done = gpuxlate.translate([pod(VKE)], to="alibaba-gpushare")
    assert gpuxlate.lint(done.objects).diagnostics == ()


def test_targets() -> None:
    by_name = {one.name: one for one in gpuxlate.targets()}
    assert by_name["tencent-qgpu"].aliases == ("tencent", "tke")
    assert by_name["alibaba-gpushare"].fields["qos"] == "no key"
    assert set(by_name["neutral"].fields) == {
        *("cards", "cores", "memoryMiB", "memoryPercent", "policy", "qos"),
        *("memoryLimitMiB", "device", "isolation", "partition", "replica"),
    }


def test_a_translation_has_the_amounts_of_quotas() -> None:
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "q"},
        "spec": {"hard": {"requests.aliyun.com/gpu-mem": "64"}},
    }
    made = gpuxlate.translate(quota, to="tke")
    assert [(one.key, one.new_key, str(one.outcome)) for one in made.quotas] == [
        ("requests.aliyun.com/gpu-mem", "requests.tke.cloud.tencent.com/qgpu-memory", "exact")
    ]
