"""The form for an AI app on mGPU: shares to its values and back.

Numbers: Volcengine, docs 6461/1581673 (2025-06-04): whole cards or two decimals from 0.01, above 256 MiB on
one card; and the copy of 6460/182418 (2024-09): 1024 to 81920 MiB on each of up to 8 cards.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuxlate.backends import registry
from gpuxlate.backends.base import ContainerShare
from gpuxlate.config.document import to_document
from gpuxlate.lint.check import LintSettings, lint_source
from gpuxlate.model.share import Policy, Qos, Share
from gpuxlate.translation.pods.fit import Accept, PodFit, Verdict, fit_pod
from gpuxlate.translation.settings import Settings
from gpuxlate.translation.translate import Translation, translate_source
from gpuxlate.yamltext.plain import fresh
from gpuxlate.yamltext.source import Source

AIAPP = registry.get("aiapp")
FIXTURES = Path(__file__).parents[2] / "fixtures" / "volcengine-aiapp"
NONE, UP = Accept(), Accept(round_up=True)
DROP = Accept(drop=frozenset({"qos"}))
FILL = Accept(fill={"cores": 30, "memoryMiB": 8192})
BEST = Policy.BEST_EFFORT


def fit(share: Share, accept: Accept = NONE) -> PodFit:
    return fit_pod([ContainerShare("", 0, share=share)], AIAPP, accept)


Form = tuple[str, str | None, str | None]
# share, what is allowed, verdict, codes, and compute, memory, cards on the form
FITS: list[tuple[Share, Accept, Verdict, list[str], Form | None]] = [
    (Share(1, 30, 4096), NONE, Verdict.EXACT, [], ("0.3", "4096", None)),
    (Share(1, 1, 257), NONE, Verdict.EXACT, [], ("0.01", "257", None)),
    (Share(1, 99, 4096), NONE, Verdict.EXACT, [], ("0.99", "4096", None)),
    (Share(1, 30, 256), NONE, Verdict.ROUNDED, ["VKE012"], None),
    (Share(1, 30, 256), UP, Verdict.ROUNDED, ["VKE012"], ("0.3", "257", None)),
    (Share(1), NONE, Verdict.EXACT, [], ("1", None, None)),
    (Share(3), NONE, Verdict.EXACT, [], ("3", None, None)),
    (Share(1, 100, 4096), NONE, Verdict.ROUNDED, ["VKE014"], None),
    (Share(1, 100, 4096), UP, Verdict.ROUNDED, ["VKE014"], ("1", None, None)),
    (Share(1, 30), NONE, Verdict.FILLED, ["VKE012"], None),
    (Share(1, 30), FILL, Verdict.FILLED, ["VKE012"], ("0.3", "8192", None)),
    (Share(1, None, 4096), FILL, Verdict.FILLED, ["VKE011"], ("0.3", "4096", None)),
    (Share(2, 100, 2048, BEST), NONE, Verdict.EXACT, [], ("1", "2048", "2")),
    (Share(2, 100, 2048), NONE, Verdict.EXACT, ["VKE026"], ("1", "2048", "2")),
    (Share(2, 100, 2046, BEST), UP, Verdict.ROUNDED, ["VKE024"], ("1", "2048", "2")),
    (Share(2, 120, 8192, BEST), NONE, Verdict.ROUNDED, ["VKE014", "VKE025"], None),
    (Share(2, 120, 8192, BEST), UP, Verdict.ROUNDED, ["VKE014", "VKE025"], ("2", None, None)),
    (Share(4, 120, 8192, BEST), UP, Verdict.ROUNDED, ["VKE025"], ("2", "8192", "4")),
    (Share(3, 120, 6144, BEST), UP, Verdict.ROUNDED, ["VKE014", "VKE025"], ("3", None, None)),
    (Share(2, 2, 4096, BEST), NONE, Verdict.EXACT, [], ("0.02", "4096", "2")),
    (Share(2, 60, 2 * 81921, BEST), NONE, Verdict.EXACT, ["VKE024"], ("0.6", "163842", "2")),
    (Share(9, 90, 90 * 1024, BEST), UP, Verdict.REFUSED, ["VKE019"], None),
    (Share(1, 30, 4096, None, Qos.OFFLINE), NONE, Verdict.DROPPED, ["GX020"], None),
    (Share(1, 30, 4096, None, Qos.OFFLINE), DROP, Verdict.DROPPED, ["GX020"], ("0.3", "4096", None)),
]


def test_fits() -> None:
    def form_of(made: PodFit) -> Form | None:
        if not made.accepted:
            return None
        limits = {name: value.text for name, value in made.keys.containers[0].limits.items()}
        assert (limits["gpuResourceType"], limits["elasticContainerInstance"]) == ("mGPU", "false")
        assert limits["multiCardSharing"] == ("true" if "gpuCards" in limits else "false")
        return limits["gpuCompute"], limits.get("gpuMemoryMiB"), limits.get("gpuCards")

    found = {}
    for share, accept, *_ in FITS:
        made = fit(share, accept)
        codes = sorted(one.code for one in made.findings())
        found[f"{share} {accept}"] = (made.outcomes[0].verdict, codes, form_of(made))
    assert found == {f"{share} {accept}": (*expected,) for share, accept, *expected in FITS}


def parsed(text: str) -> Translation:
    settings = Settings(registry.get("neutral"), reads_only=True)
    return translate_source(Source("form.yaml", text), settings)


@pytest.mark.parametrize("about", sorted(FIXTURES.glob("*/about.yaml")), ids=lambda path: path.parent.name)
def test_golden_files(about: Path) -> None:
    golden = (about.parent / "form.yaml").read_text(encoding="utf-8")
    [item] = parsed(golden).items
    assert item.share
    assert fresh(to_document("form", item.share)) == (about.parent / "share.yaml").read_text()
    assert AIAPP.form
    assert AIAPP.form.render(fit(item.share).keys, "text") == golden
    assert lint_source(Source("form.yaml", golden), LintSettings()).diagnostics == []


SINGLE = "gpuResourceType: mGPU\ngpuCompute: 0.3\ngpuMemoryMiB: 4096\n"
SEVERAL = "gpuResourceType: mGPU\nmultiCardSharing: true\ngpuCompute: 1.2\ngpuMemoryMiB: 8192\ngpuCards: 2\n"

READS: list[tuple[str, Share]] = [
    (SINGLE, Share(1, 30, 4096)),
    (SINGLE + "computePolicy: 固定争抢\n", Share(1, 30, 4096, Policy.BURST_SHARE)),
    (SINGLE + "replicas: 3\n", Share(1, 30, 4096)),
    (SINGLE.replace("0.3", "0.30"), Share(1, 30, 4096)),
    (SEVERAL, Share(2, 120, 8192)),  # the copy of 6460/182418: one decimal above one card
    ("gpuResourceType: mgpu\ngpuCompute: 2\n", Share(2)),
    ('{"gpuResourceType": "mGPU", "gpuCompute": 0.3, "gpuMemoryMiB": 4096}', Share(1, 30, 4096)),
]


def test_reads() -> None:
    def found(text: str) -> object:
        done = parsed(text)
        errors = [d.code for d in done.diagnostics if d.severity == "error"]
        return errors, [(item.object.name, item.share) for item in done.items]

    assert {text: found(text) for text, _ in READS} == {
        text: ([], [("form", share)]) for text, share in READS
    }


PROBLEMS: list[tuple[str, str, str]] = [
    (SINGLE.replace("mGPU", "Nvidia"), "GX023", "Nvidia"),
    (SINGLE + "elasticContainerInstance: true\n", "VKE006", "true"),
    (SINGLE.replace("0.3", "0.305"), "VKE025", "0.305"),
    (SINGLE.replace("0.3", "0"), "VKE025", "0"),
    (SINGLE.replace("0.3", "30%"), "VKE025", "30%"),
    (SINGLE.replace("0.3", "1.2"), "VKE013", "1.2"),
    (SINGLE.replace("4096", "256"), "VKE012", "256"),
    (SINGLE.replace("4096", "4Gi"), "VKE012", "4Gi"),
    (SINGLE.replace("0.3", "1"), "VKE014", "4096"),
    (SINGLE + "computePolicy: best\n", "VKE004", "best"),
    (SINGLE + "gpuCard: 2\n", "GX003", "gpuCard"),
    (SEVERAL.replace("8192", "2046"), "VKE024", "2046"),
    (SEVERAL.replace("gpuCards: 2", "gpuCards: 9"), "VKE019", "9"),
    (SEVERAL.replace("1.2", "1.21"), "GX011", "1.21"),
    (SINGLE + "gpuCompute: 0.4\n", "GX002", "gpuCompute"),
]


def test_what_the_form_would_not_take() -> None:
    """Found by lint at its place, and a refusal of parse."""

    def found(text: str) -> list[tuple[str, str, str]]:
        said = []
        for one in lint_source(Source("form.yaml", text), LintSettings()).diagnostics:
            assert one.span
            line = text.split("\n")[one.span.line - 1]
            said.append((one.code, str(one.severity), line[one.span.column - 1 : one.span.end_column - 1]))
        return said

    assert {text: found(text) for text, *_ in PROBLEMS} == {
        text: [(code, "error", marked)] for text, code, marked in PROBLEMS
    }
    assert [text for text, *_ in PROBLEMS if not parsed(text).refused] == []


def test_the_form_is_not_translated() -> None:
    done = translate_source(Source("form.yaml", SINGLE), Settings(registry.get("vke")))
    assert [one.code for one in done.diagnostics] == ["GX023"]
    assert done.text == SINGLE
