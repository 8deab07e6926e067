"""Hints of a translation are about the file at hand: its keys and values, never a field that is not in it."""

import re
from itertools import product
from pathlib import Path

import pytest

from gpuxlate.backends import registry
from gpuxlate.model.share import JSON_NAMES
from gpuxlate.translation.options import Settings
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.source import Source
from tests.effort import number, some
from tests.running import run

ROOT = Path(__file__).resolve().parents[2]
POD = "apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec:\n  containers:\n  - {{name: a}}\n  - name: b\n"
POD += "    resources: {{limits: {{{limits}}}}}\n"
VKE, HAMI, ACK, OWN = "vke.volcengine.com/mgpu", "nvidia.com/gpu", "aliyun.com/gpu", "gpuxlate.io/"
MODE = "ack.node.gpu.schedule"
FILL, ROUND = "or pass --fill cores=30 (percent per card)", "or pass --round up"
ROWS = [
    # limits, target, the first hint that accepts a loss
    (f"{VKE}-core: 30, {VKE}-memory: 4000", "tke", f"write {VKE}-memory: 4096, {ROUND}"),
    (f"{VKE}-core: 33, {VKE}-memory: 4096", "tke", f"write {VKE}-core: 35, {ROUND}"),
    # HAMi's numbers are of one card, the target's of both
    (f"{HAMI}: 2, {HAMI}mem: 4000, {HAMI}cores: 60", "tke", f"write {HAMI}mem: 4096, {ROUND}"),
    (f"{HAMI}: 1, {HAMI}mem: 4096", "tke", f"add {HAMI}cores: 30, {FILL}"),
    (f"{OWN}cores: 33, {OWN}memory-mib: 4096", "tke", f"write {OWN}cores: 35, {ROUND}"),
    (f"{HAMI}: 1, {HAMI}mem: 4000, {HAMI}cores: 33", "kai", f"remove {HAMI}cores, or pass --drop cores"),
    (f"{ACK}-mem: 8, {ACK}-core.percentage: 33", "tke", f"write {ACK}-core.percentage: 35, {ROUND}"),
    # compute needs nodes of its own
    (
        f"{ACK}-mem: 3",
        "vke",
        f"add nodeSelector ack.node.gpu.schedule: core_mem, {ACK}-core.percentage: 30, {FILL}",
    ),
    # a partition has no numbers of its own
    ("nvidia.com/mig-1g.5gb: 1", "vke", "pass --round up"),
]


@pytest.mark.parametrize(("limits", "target", "hint"), ROWS)
def test_a_hint_has_key_and_value_of_the_file(limits: str, target: str, hint: str) -> None:
    ran = run("translate", "-", "--to", target, stdin=POD.format(limits=limits).encode())
    found = [one for one in re.findall(r"= help: (.*)", ran.err.decode()) if "pass --" in one]
    assert (found[0], ran.code) == (hint, 1)


def test_what_a_hint_says_is_accepted() -> None:
    """The value that a hint has, written there, is taken."""
    for core, memory in ((33, 4096), (35, 4000), (33, 4000)):
        text = POD.format(limits=f"{VKE}-core: {core}, {VKE}-memory: {memory}")
        said = run("translate", "-", "--to", "tke", stdin=text.encode()).err.decode()
        for key, value in re.findall(r"write (\S+): (\d+), or", said):
            text = re.sub(rf"{key}: \d+", f"{key}: {value}", text)
        assert run("translate", "-", "--to", "tke", stdin=text.encode()).code == 0


FIELDS = re.compile(
    rf"\b(write|omit|add|remove) ({'|'.join(JSON_NAMES.values())})\b|(to|from|in) the share\b"
)


def test_no_hint_names_a_field_that_is_in_no_manifest() -> None:
    """Every example of every dialect, at every target."""
    targets = [one for one in registry.all_writable() if one.writes_pods]
    hints = 0
    for path, target in some(product(sorted((ROOT / "fixtures").glob("*/*/input.yaml")), targets)):
        source = Source(path.name, path.read_text(encoding="utf-8"))
        for one in translate_source(source, Settings(target)).diagnostics:
            hints += one.hint is not None
            assert not FIELDS.search(one.hint or ""), (path, target.name, one)
    assert hints > number(300)
