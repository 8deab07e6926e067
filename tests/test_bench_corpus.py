"""The corpus of the benchmarks: varied, repeatable, and mostly free of findings."""

import json
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import yaml

from bench import corpus

from .running import run

COUNT = 400


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return list(islice(corpus.documents(), COUNT))


def masked(value: Any) -> Any:
    """The nesting of a document alone: without keys, scalars, order of keys, comments and style."""
    if isinstance(value, dict):
        return "map", tuple(sorted(map(repr, map(masked, value.values()))))
    return ("list", *map(masked, value)) if isinstance(value, list) else "scalar"


def test_no_two_documents_are_alike(texts: list[str]) -> None:
    assert len({masked(yaml.load(text, yaml.CSafeLoader)) for text in texts}) == COUNT


def test_the_seed_decides(texts: list[str]) -> None:
    assert list(islice(corpus.documents(), 20)) == texts[:20]
    assert set(islice(corpus.documents(seed=1), 20)).isdisjoint(texts)


def test_sizes_are_those_of_manifests(texts: list[str]) -> None:
    lines = sorted(text.count("\n") for text in texts)
    assert 70 <= lines[COUNT // 2] <= 120
    assert sum(30 <= count <= 220 for count in lines) > 0.85 * COUNT


def test_all_dialects_are_there(texts: list[str]) -> None:
    keys = (
        *("vke.volcengine.com/mgpu-", "aliyun.com/gpu-", "tke.cloud.tencent.com/qgpu-"),
        *("nvidia.com/gpu", "volcano.sh/vgpu-", "gpuxlate.io/"),
    )
    shares = [sum(key in text for text in texts) / COUNT for key in keys]
    assert all(0.1 < share < 0.2 for share in shares)
    assert 0.05 < sum(not any(key in text for key in keys) for text in texts) / COUNT < 0.2
    assert not any(key in text for key in keys for text in islice(corpus.documents(no_gpu=1.0), 100))


def test_few_documents_have_errors_and_most_can_be_translated(tmp_path: Path, texts: list[str]) -> None:
    folder, report = corpus.tree(tmp_path / "tree", texts), tmp_path / "report.json"
    ran = run("lint", str(folder), "--format", "json")
    files = {found["file"] for found in json.loads(ran.out)["diagnostics"] if found["severity"] != "info"}
    assert 0.005 < len(files) / COUNT < 0.06
    run("translate", str(folder), "--to", "tencent-qgpu", *corpus.ALLOW, "--report", str(report))
    verdicts = [item["verdict"] for item in json.loads(report.read_bytes())["items"]]
    assert len(verdicts) > 0.7 * COUNT
    assert verdicts.count("refused") < 0.1 * len(verdicts)
