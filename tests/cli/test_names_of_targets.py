"""The names by which people call a target, in any case, in every place that takes one."""

import json
from pathlib import Path

import pytest

import gpuxlate
from gpuxlate.backends import registry
from tests.running import run

NAMES = {
    "alibaba-gpushare": ["ack", "aliyun", "alicloud", "aliyun-ack", "cgpu"],
    "volcengine-mgpu": ["vke", "volcengine", "mgpu", "volc"],
    "tencent-qgpu": ["tke", "tencent", "qgpu", "tencentcloud"],
}
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - name: web
    resources: {limits: {aliyun.com/gpu-mem: 8}}
"""


@pytest.mark.parametrize(("name", "alias"), [(name, one) for name, some in NAMES.items() for one in some])
def test_a_name_in_any_case(name: str, alias: str) -> None:
    for text in (name, alias, name.upper(), alias.upper(), alias.title()):
        assert registry.get(text).name == name


def test_no_name_is_of_two_targets() -> None:
    names = [one for row in registry.BUILT_IN for one in registry.names_of_target(row)]
    assert len(names) == len(set(names))
    assert all(one == one.lower() for one in names)


GUESSES = {
    "tkee": "tke",
    "ackk": "ack",
    "qgup": "qgpu",
    "tencent-qgp": "tencent-qgpu",
    # two titles have it, or none: no guess
    "dra": None,
    "azure": None,
    "kubeflow": None,
    "x": None,
    "": None,
    "***": None,
}


@pytest.mark.parametrize("text", GUESSES)
def test_a_guess_or_none(text: str) -> None:
    with pytest.raises(registry.UnknownTargetError) as raised:
        registry.get(text)
    near = GUESSES[text]
    wanted = f"did you mean {near}?" if near else "gpuxlate targets lists them all"
    assert raised.value.hint == wanted


def test_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Options, the configuration, profiles, trees of sync, decisions and functions."""
    monkeypatch.chdir(tmp_path)
    Path("web.yaml").write_text(POD)
    Path("p.yaml").write_text("target: AliYun\nalibaba: {memoryUnitMiB: 128, isolation: share}\n")
    [share] = gpuxlate.parse(POD, profile="p.yaml").shares
    assert share.memory_mib == 1024
    words = ("web.yaml", "--fill", "cores=30", "--from", "ALIYUN")
    vke = run("translate", *words, "--to", "vke")
    assert (vke.code, run("translate", *words, "--to", "MGPU").out) == (0, vke.out)
    named, plain = (run("assess", "web.yaml", "--to", one) for one in ("Volc,QGPU", "vke,tke"))
    assert (named.code, named.out) == (plain.code, plain.out)
    Path("base").mkdir()
    Path("base/web.yaml").write_text(POD)
    sync = "sync: [{source: base, from: CGPU, targets: {VOLC: {dir: out, fill: {cores: 30}}}}]\n"
    Path(".gpuxlate.yaml").write_text("targets: [QGPU, Volc]\n" + sync)
    synced = run("sync")
    assert synced.code == 0, synced.err
    assert b"vke.volcengine.com/mgpu-memory: 8192" in Path("out/web.yaml").read_bytes()
    entry = {"object": "Pod/web", "to": "MGPU", "field": "cores", "code": "VKE011", "verdict": "filled"}
    decided = [entry | {"asked": None, "given": 30, "accept": True, "reason": "x"}]
    assert gpuxlate.translate(POD, to="volc", decisions=decided).changed
    spec = {"to": "VKE", "from": "ACK", "fill": {"cores": 30}}
    function = {
        "apiVersion": "gpuxlate.io/v1alpha1",
        "kind": "Translate",
        "metadata": {"name": "x"},
        "spec": spec,
    }
    listed = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "functionConfig": function}
    done = run("krm", stdin=json.dumps({**listed, "items": []}).encode())
    assert done.code == 0, done.err
