"""EMR Serverless on mGPU: shares to parameters and back, and its rules at their places.

Numbers: Volcengine, EMR Serverless "mGPU" (30 %, 4096 and 1000 MiB, 5 to 99, 22731 MiB of an A10).
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpuxlate.backends import registry
from gpuxlate.backends.base import ContainerShare
from gpuxlate.backends.volcengine_emr import keys as k
from gpuxlate.fit import Accept, PodFit, Verdict, fit_pod
from gpuxlate.lint import LintSettings, lint_source
from gpuxlate.manifest.source import Source
from gpuxlate.parameters.find import SYNTAXES, reader_of
from gpuxlate.profile import CardProfile, Profile
from gpuxlate.rules.base import Rule
from gpuxlate.share import Policy, Qos, Share
from gpuxlate.translate import Settings, Translation, translate_source

SPARK, RAY, CUSTOMJOB = k.ENGINES
A10 = Profile(SPARK, cards=CardProfile("A10", memory_mib=22731))
RULES = {one.code: one for one in registry.get(SPARK).rules}
FIXTURES = Path(__file__).parents[2] / "fixtures"
SCRIPT = "/opt/emr/current/spark/examples/src/main/scripts/getGpusResources.sh"
GPU = (
    f"spark.driver.resource.gpu.discoveryScript={SCRIPT}\nspark.driver.resource.gpu.vendor=nvidia.com\n"
    "spark.driver.resource.gpu.amount=1\n"
    f"spark.executor.resource.gpu.discoveryScript={SCRIPT}\nspark.executor.resource.gpu.vendor=nvidia.com\n"
    "spark.executor.resource.gpu.amount=1\n"
)


def fit(share: Share, target: str = SPARK, accept: Accept | None = None, profile: Profile | None = None) -> PodFit:
    one = ContainerShare("job", 0, share=share)
    return fit_pod([one], registry.get(target), accept or Accept(), profile)


ALL = Accept(True, {"cores": 30, "memoryMiB": 8192}, frozenset({"cores", "policy", "qos"}))

# share, what the user allows, the verdict, its codes, and the two numbers that are written
FITS: list[tuple[Share, Accept, Verdict, list[str], tuple[str, str] | None]] = [
    (Share(1, 30, 4096), Accept(), Verdict.EXACT, [], ("30", "4096")),
    (Share(1, 5, 1), Accept(), Verdict.EXACT, [], ("5", "1")),
    (Share(1, 99, 1000), Accept(), Verdict.EXACT, [], ("99", "1000")),
    (Share(1, 4, 4096), Accept(), Verdict.ROUNDED, ["EMR035"], None),
    (Share(1, 4, 4096), ALL, Verdict.ROUNDED, ["EMR035"], ("5", "4096")),
    (Share(1, 30), Accept(), Verdict.FILLED, ["EMR037"], None),
    (Share(1, 30), ALL, Verdict.FILLED, ["EMR037"], ("30", "8192")),
    (Share(1, None, 4096), ALL, Verdict.FILLED, ["EMR037"], ("30", "4096")),
    (Share(1, 30, 4096, Policy.FIXED_SHARE), Accept(), Verdict.DROPPED, ["GX020"], None),
    (Share(1, 30, 4096, Policy.FIXED_SHARE, Qos.ONLINE), ALL, Verdict.DROPPED, ["GX020", "GX020"], ("30", "4096")),
    (Share(1, 100, 4096), ALL, Verdict.REFUSED, ["GX023"], None),
    (Share(1), ALL, Verdict.REFUSED, ["GX023"], None),
    (Share(2, 60, 8192), ALL, Verdict.REFUSED, ["EMR039"], None),
    (Share(2), ALL, Verdict.REFUSED, ["EMR039", "GX023"], None),
]


@pytest.mark.parametrize("target", k.ENGINES)
@pytest.mark.parametrize(("share", "accept", "verdict", "codes", "numbers"), FITS)
def test_fits(
    target: str, share: Share, accept: Accept, verdict: Verdict, codes: list[str], numbers: tuple[str, str] | None
) -> None:
    made = fit(share, target, accept)
    assert (made.outcomes[0].verdict, sorted(one.code for one in made.findings())) == (verdict, codes)
    assert made.accepted == (numbers is not None)
    if numbers:
        limits = {name: value.text for name, value in made.claims.containers[0].limits.items()}
        assert limits == {**k.ENGINES[target].gpu, k.CORE: numbers[0], k.MEMORY: numbers[1]}


def test_memory_of_the_card() -> None:
    assert fit(Share(1, 30, 22731), profile=A10).accepted
    assert [one.code for one in fit(Share(1, 30, 22732), profile=A10).findings()] == ["EMR036"]
    elsewhere = Profile("volcengine-mgpu", cards=A10.cards)
    assert fit(Share(1, 30, 22732), profile=elsewhere).accepted


def lint(text: str, name: str = "job.conf", profile: Profile | None = None) -> list[str]:
    """Findings of a text that marks their places with guillemets, as ``CODE severity text``."""
    source = Source(name, text)
    read = reader_of(source)
    assert read
    found = lint_source(source, LintSettings(profile), read).diagnostics
    lines = source.text.split("\n")
    made = []
    for one in found:
        assert one.span
        assert one.span.line == one.span.end_line
        made.append(f"{one.code} {one.severity} {lines[one.span.line - 1][one.span.column - 1 : one.span.end_column - 1]}")
    return made


SPARK_OK = GPU + "emr.serverless.mgpu.core=30\nemr.serverless.mgpu.memory=4096\n"
CORE_AT = "emr.serverless.mgpu.core"

LINTS: list[tuple[str, str, list[str]]] = [
    ("job.conf", SPARK_OK, []),
    ("job.conf", SPARK_OK.replace("=30", "=99"), []),
    ("job.conf", SPARK_OK.replace("=30", "=4"), ["EMR035 error 4"]),
    ("job.conf", SPARK_OK.replace("=30", "=100"), ["EMR035 error 100"]),
    ("job.conf", SPARK_OK.replace("=30", "=30.5"), ["EMR035 error 30.5"]),
    ("job.conf", SPARK_OK.replace("=30", "  30%"), ["EMR035 error 30%"]),
    ("job.conf", SPARK_OK.replace("=4096", "=0"), ["EMR036 error 0"]),
    ("job.conf", SPARK_OK.replace("=4096", "=4g"), ["EMR036 error 4g"]),
    ("job.conf", SPARK_OK.replace("=4096", "=4"), ["GX007 warning 4"]),
    ("job.conf", SPARK_OK + "emr.serverless.mgpu.core=40\n", [f"GX002 error {CORE_AT}"]),
    ("job.conf", SPARK_OK.replace("mgpu.core", "mgpu.cores"), ["GX003 error emr.serverless.mgpu.cores", "EMR037 error emr.serverless.mgpu.memory"]),
    ("job.conf", SPARK_OK.replace("executor.resource.gpu.amount=1", "executor.resource.gpu.amount=2"), ["EMR038 error 2"]),
    ("job.conf", SPARK_OK.replace("spark.executor.resource.gpu.amount=1\n", ""), [f"EMR038 error {CORE_AT}"]),
    ("job.conf", re.sub("spark.driver.*\n", "", SPARK_OK), [f"EMR038 warning {CORE_AT}"]),
    ("job.conf", SPARK_OK.replace(GPU, ""), [f"EMR038 error {CORE_AT}"]),
    ("job.conf", SPARK_OK + "katalyst.kubewharf.io/qos_level=x\n", ["EMR039 error katalyst.kubewharf.io/qos_level"]),
    ("job.conf", GPU, []),
    ("job.conf", "# gpuxlate: ignore[EMR035] trying it\n" + SPARK_OK.replace(GPU, "").replace("=30", "=4") + GPU, []),
    ("job.conf", "serverless.ray.worker.gpu.vendor=nvidia.com;serverless.ray.worker.gpu.amount=1;\nemr.serverless.mgpu.core=3;emr.serverless.mgpu.memory=4096;", ["EMR035 error 3"]),
    ("job.sql", "set serverless.custom.job.task.gpus=1;\nset emr.serverless.mgpu.core=30;\nset emr.serverless.mgpu.memory=1000;", [f"EMR041 error {CORE_AT}"]),
    ("job.sql", "set serverless.custom.job.gpu.enabled = false;\nset serverless.custom.job.task.gpus=1;\nset emr.serverless.mgpu.core=30;\nset emr.serverless.mgpu.memory=1000;", ["EMR041 error false"]),
    ("job.sql", "-- gpuxlate: ignore[EMR035] soon\nset emr.serverless.mgpu.core=3;\nset serverless.custom.job.gpu.enabled = true;\nset serverless.custom.job.task.gpus=1;\nset emr.serverless.mgpu.memory=1000;", []),
    ("job.json", '{"emr.serverless.mgpu.core": "30", "serverless.ray.worker.gpu.amount": "1",\n "serverless.ray.worker.gpu.vendor": "nvidia.com"}', [f'EMR037 error "{CORE_AT}"']),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "findings"), LINTS)
def test_lint(name: str, text: str, findings: list[str]) -> None:
    assert lint(text, name) == findings
    assert lint("\ufeff" + text.replace("\n", "\r\n"), name) == findings


def test_lint_with_a_profile() -> None:
    assert lint(SPARK_OK.replace("=4096", "=22732"), profile=A10) == [f"EMR040 info {CORE_AT}", "EMR036 error 22732"]
    assert lint(SPARK_OK, profile=Profile("volcengine-mgpu")) == []


SPARK_APPLICATION = """\
apiVersion: sparkoperator.k8s.io/v1beta2
kind: SparkApplication
metadata: {name: pi}
spec:
  sparkConf:
    spark.task.resource.gpu.amount: "0.1"
"""


def sparkapp(text: str) -> Source:
    lines = [f'    {name}: "{value}"\n' for name, _, value in (line.partition("=") for line in text.splitlines())]
    return Source("pi.yaml", SPARK_APPLICATION + "".join(lines))


def translated(source: Source, to: str, reads_only: bool = False) -> Translation:
    settings = Settings(registry.get(to), reads_only=reads_only)
    return translate_source(source, settings, reader_of(source) or SYNTAXES and __documents())


def __documents():  # type: ignore[no-untyped-def]
    from gpuxlate.manifest.compose import documents

    return documents


def test_spark_conf_of_a_manifest() -> None:
    [found] = lint_source(sparkapp(SPARK_OK.replace("=30", "=3")), LintSettings()).diagnostics
    assert (found.code, found.path) == ("EMR035", ("spec", "sparkConf", k.CORE))
    assert found.object
    assert found.object.name == "pi"
    assert lint_source(sparkapp(GPU), LintSettings()).diagnostics == []
