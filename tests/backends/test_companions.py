"""Keys of a maker's device plugin that are one share with those of Koordinator (KOORD, K8S007, GX027).

The pods are those of koordinator-sh/website, docs/user-manuals/device-scheduling-metax-gpu.md,
device-scheduling-cambricon-mlu.md and device-scheduling-ascend-npu.md, at 5123f04.
"""

import pytest

from gpuxlate.backends import registry
from gpuxlate.lint.check import lint_source
from gpuxlate.lint.settings import LintSettings
from gpuxlate.model.diagnostics import Severity
from gpuxlate.translation.options import Settings
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.source import Source

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  schedulerName: koord-scheduler
  containers:
  - name: web
    image: web
    resources: {limits: {%s}}
"""
SHARE = 'koordinator.sh/gpu.shared: "1", koordinator.sh/gpu-memory: 1Gi, koordinator.sh/gpu-core: "10"'
JOINED = (
    f'{SHARE}, metax-tech.com/sgpu: "1"',
    f'{SHARE}, cambricon.com/mlu.smlu.vcore: "10", cambricon.com/mlu.smlu.vmemory: "4"',
    'koordinator.sh/gpu.shared: "1", koordinator.sh/gpu-memory: 32Gi, huawei.com/npu-core: "10", '
    'huawei.com/npu-cpu: "3"',
    'koordinator.sh/gpu-memory-ratio: "100", huawei.com/npu-core: "20"',
)


@pytest.mark.parametrize("resources", JOINED)
def test_they_are_one_share(resources: str) -> None:
    source = Source("web.yaml", POD % resources)
    assert not lint_source(source, LintSettings()).diagnostics
    done = translate_source(source, Settings(registry.get("hami")))
    assert [one.code for one in done.diagnostics if one.severity is Severity.ERROR] == ["GX023"]


@pytest.mark.parametrize(
    ("resources", "code"),
    [
        (f"{SHARE}, cambricon.com/vmlu: 1", "K8S007"),  # a key of HAMi's
        ("metax-tech.com/sgpu: 1", "METAX006"),
        ("cambricon.com/mlu.smlu.vmemory: 4", "MLU002"),
        ("huawei.com/npu-core: 10", "GX027"),
    ],
)
def test_alone_they_are_what_they_were(resources: str, code: str) -> None:
    found = lint_source(Source("web.yaml", POD % resources), LintSettings()).diagnostics
    assert code in [one.code for one in found]
