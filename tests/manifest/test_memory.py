"""A document is gone from memory when it is done: nothing in it holds itself."""

from __future__ import annotations

import gc

import pytest

from gpuxlate.backends import registry
from gpuxlate.lint.check import LintSettings
from gpuxlate.lint.fix import fix_source
from gpuxlate.translation.settings import Settings
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.source import Source

TEXT = """\
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {aliyun.com/gpu-count: 2}}
spec:
  containers:
  - name: web
    resources: &share
      limits:
        cpu: 1
        aliyun.com/gpu-mem: 8Gi
  - {name: other, resources: *share}
"""


@pytest.mark.parametrize("text", [TEXT, TEXT.replace("8Gi", "8").replace("gpu-count: 2", "gpu-count: '2'")])
def test_nothing_holds_itself(text: str) -> None:
    def run() -> None:
        source = Source("web.yaml", text)
        for target in ("neutral", "hami"):
            translate_source(source, Settings(registry.get(target)))
        fix_source(source, LintSettings(), unsafe=True)

    run()  # what is kept for later runs
    gc.collect()
    gc.disable()
    try:
        run()
        assert gc.collect() == 0
    finally:
        gc.enable()
