# ruff: noqa: E501 - a case is a line
"""EMR Serverless on mGPU: shares to parameters and back, and its rules at their places.

Numbers: Volcengine, EMR Serverless "mGPU" (30 %, 4096 and 1000 MiB, 5 to 99, 22731 MiB of an A10).
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gpuxlate.backends import registry
from gpuxlate.backends.base import ContainerShare
from gpuxlate.backends.volcengine_emr import keys as k
from gpuxlate.config.configuration import load_profile
from gpuxlate.config.document import to_document
from gpuxlate.lint.check import LintSettings, lint_source
from gpuxlate.model.profile import CardProfile, Profile
from gpuxlate.model.share import Policy, Qos, Share
from gpuxlate.rules.base import Rule
from gpuxlate.translation.pods.fit import Accept, PodFit, Verdict, fit_pod
from gpuxlate.translation.settings import Settings
from gpuxlate.translation.translate import Translation, translate_source
from gpuxlate.yamltext.compose import documents
from gpuxlate.yamltext.plain import fresh, plain_document
from gpuxlate.yamltext.source import Source
from tests import running

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


def fit(
    share: Share, target: str = SPARK, accept: Accept | None = None, profile: Profile | None = None
) -> PodFit:
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
    (
        Share(1, 30, 4096, Policy.FIXED_SHARE, Qos.ONLINE),
        ALL,
        Verdict.DROPPED,
        ["GX020", "GX020"],
        ("30", "4096"),
    ),
    (Share(1, 100, 4096), ALL, Verdict.REFUSED, ["GX023"], None),
    (Share(1), ALL, Verdict.REFUSED, ["GX023"], None),
    (Share(2, 60, 8192), ALL, Verdict.REFUSED, ["EMR039"], None),
    (Share(2), ALL, Verdict.REFUSED, ["EMR039", "GX023"], None),
]


@pytest.mark.parametrize("target", k.ENGINES)
def test_fits(target: str) -> None:
    found, expected = {}, {}
    for share, accept, verdict, codes, numbers in FITS:
        made = fit(share, target, accept)
        case = f"{share} {accept}"
        limits = {name: value.text for name, value in made.keys.containers[0].limits.items()}
        said = (made.outcomes[0].verdict, sorted(one.code for one in made.findings()))
        found[case] = (*said, limits if made.accepted else None)
        core, memory = numbers or ("", "")
        written = {**k.ENGINES[target].gpu, k.CORE: core, k.MEMORY: memory}
        expected[case] = (verdict, codes, written if numbers else None)
    assert found == expected


def test_memory_of_the_card() -> None:
    assert fit(Share(1, 30, 22731), profile=A10).accepted
    assert [one.code for one in fit(Share(1, 30, 22732), profile=A10).findings()] == ["EMR036"]
    elsewhere = Profile("volcengine-mgpu", cards=A10.cards)
    assert fit(Share(1, 30, 22732), profile=elsewhere).accepted


def lint(text: str, name: str = "job.conf", profile: Profile | None = None) -> list[str]:
    """Findings of a text that marks their places with guillemets, as ``CODE severity text``."""
    source = Source(name, text)
    read = registry.form_reader(source)
    assert read
    found = lint_source(source, LintSettings(profile), read).diagnostics
    lines = source.text.split("\n")
    made = []
    for one in found:
        assert one.span
        assert one.span.line == one.span.end_line
        made.append(
            f"{one.code} {one.severity} {lines[one.span.line - 1][one.span.column - 1 : one.span.end_column - 1]}"
        )
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


def test_lint() -> None:
    found = {
        text: (lint(text, name), lint("\ufeff" + text.replace("\n", "\r\n"), name)) for name, text, _ in LINTS
    }
    assert found == {text: (findings, findings) for _, text, findings in LINTS}


def test_lint_with_a_profile() -> None:
    assert lint(SPARK_OK.replace("=4096", "=22732"), profile=A10) == [
        f"EMR040 info {CORE_AT}",
        "EMR036 error 22732",
    ]
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
    lines = [
        f'    {name}: "{value}"\n' for name, _, value in (line.partition("=") for line in text.splitlines())
    ]
    return Source("pi.yaml", SPARK_APPLICATION + "".join(lines))


def translated(source: Source, to: str, *, reads_only: bool = False) -> Translation:
    settings = Settings(registry.get(to), reads_only=reads_only)
    return translate_source(source, settings, registry.form_reader(source) or documents)


def test_spark_conf_of_a_manifest() -> None:
    [found] = lint_source(sparkapp(SPARK_OK.replace("=30", "=3")), LintSettings()).diagnostics
    assert (found.code, found.path) == ("EMR035", ("spec", "sparkConf", k.CORE))
    assert found.object
    assert found.object.name == "pi"
    assert lint_source(sparkapp(GPU), LintSettings()).diagnostics == []
    assert not lint_source(sparkapp(SPARK_OK), LintSettings()).diagnostics
    [item] = translated(sparkapp(SPARK_OK), "neutral", reads_only=True).items
    assert (item.object.name, item.source, item.share) == ("pi", SPARK, Share(1, 30, 4096))


def test_a_job_is_not_translated() -> None:
    for source in (sparkapp(SPARK_OK), Source("job.conf", SPARK_OK)):
        for target in ("volcengine-mgpu", "neutral", SPARK):
            done = translated(source, target)
            assert done.text == source.text, target
            [found] = done.diagnostics
            assert (found.code, found.severity, found.path[-1]) == ("GX023", "error", k.CORE), target
            assert [item.verdict for item in done.items] == [Verdict.REFUSED], target


def test_a_pod_is_not_translated_to_a_job() -> None:
    text = (FIXTURES / "volcengine-mgpu" / "whole-cards" / "input.yaml").read_text()
    done = translated(Source("pod.yaml", text), SPARK)
    assert done.refused
    assert done.text == text


# --- the examples of the vendor's page ----------------------------------------------------------

SEEDS = sorted(FIXTURES.glob("volcengine-emr-*/*/about.yaml"))


@pytest.mark.parametrize("about", SEEDS, ids=lambda path: path.parent.parent.name)
def test_the_examples_of_the_page(about: Path) -> None:
    """Clean, read as the share they say, and changed at two values for another share."""
    folder, target = about.parent, about.parent.parent.name
    [path] = folder.glob("job.*")
    source = Source(path.name, path.read_text(encoding="utf-8"))
    assert lint(source.text, source.name) == []
    [item] = translated(source, "neutral", reads_only=True).items
    assert (item.source, item.object.name) == (target, "job")
    assert item.share
    assert fresh(to_document("job", item.share)) == (folder / "share.yaml").read_text()
    wanted = plain_document(Source("about.yaml", about.read_text(encoding="utf-8")))["asks"]
    made = fit(Share(1, wanted["cores"], wanted["memoryMiB"]), target)
    form = registry.get(target).form
    assert form
    text = form.merge(source, made.keys)
    old, new = source.text.splitlines(), text.splitlines()
    assert len(old) == len(new)
    changed = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
    assert all(k.GPU_PREFIXES[0] in a for a, _ in changed)
    [again] = translated(Source(path.name, text), "neutral", reads_only=True).items
    assert again.share == Share(1, wanted["cores"], wanted["memoryMiB"])


# --- the docstrings of the rules ----------------------------------------------------------------


def test_examples_of_the_docstrings() -> None:
    def breaks(rule: Rule, heading: str) -> bool:
        told = re.search(r"^```yaml profile\n(.*?)^```", rule.sections["Example"], re.DOTALL | re.MULTILINE)
        profile = load_profile(plain_document(Source("p", told[1]))) if told else None
        found = lint(*_block(rule.sections[heading]), profile=profile)
        return any(line.startswith(f"{rule.code} ") for line in found)

    found = {code: (breaks(rule, "Example"), breaks(rule, "Use instead")) for code, rule in RULES.items()}
    assert found == {f"EMR0{number}": (True, False) for number in range(35, 42)}


def _block(text: str) -> tuple[str, str]:
    """The block of a section, and the name of a file that would hold it."""
    [(kind, body)] = re.findall(r"^```(properties|sql)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return body, {"properties": "job.properties", "sql": "job.sql"}[kind]


# --- the command line ---------------------------------------------------------------------------

SPEC = """\
apiVersion: gpuxlate.io/v1alpha1
kind: GPUShare
metadata: {name: bert}
spec: {cores: 30, memoryMiB: 4096}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bert.yaml").write_text(SPEC)


def run(command: str) -> tuple[int, str, str]:
    done = running.run(*command.split())
    return done.code, done.out.decode(), done.err.decode()


def test_render(tmp_path: Path) -> None:
    assert run("render bert.yaml --to emr-spark") == (0, SPARK_OK, "")
    code, text, _ = run("render bert.yaml --to emr-customjob -o json")
    assert (code, json.loads(text)) == (0, {**k.CUSTOMJOB.gpu, k.CORE: "30", k.MEMORY: "4096"})
    code, out, _ = run(
        "render bert.yaml --to emr-spark --to emr-ray --to emr-customjob --to aiapp --output-dir made"
    )
    assert (code, out) == (0, "")
    made = {str(path.relative_to(tmp_path / "made")) for path in (tmp_path / "made").rglob("*.*")}
    assert made == {
        f"{RAY}/bert.conf", f"{SPARK}/bert.conf", f"{CUSTOMJOB}/bert.sql", "volcengine-aiapp/bert.yaml",
    }  # fmt: skip


def test_all_is_all_that_write_manifests(tmp_path: Path) -> None:
    code, _, said = run("render bert.yaml --to all --output-dir made --round up --drop cores")
    names = {path.name for path in (tmp_path / "made").iterdir()}
    left = {"hami-iluvatar", "hami-ascend", "baidu-cce"}  # their keys name a card, and the share does not
    left |= {one.name for one in registry.pod_backends() if one.parts_need}
    assert (code, names | left) == (0, {one.name for one in registry.pod_backends() if not one.reads_only})
    assert all(name in said and name not in names for name in left)


def test_render_into_a_file(tmp_path: Path) -> None:
    (tmp_path / "job.conf").write_bytes(b"\xef\xbb\xbfspark.a=1\r\nemr.serverless.mgpu.core = 10")
    code, text, _ = run("render bert.yaml --to emr-spark --workload job.conf")
    gpu = GPU.replace("\n", "\r\n")
    body = (
        "\ufeffspark.a=1\r\nemr.serverless.mgpu.core = 30\r\n" + gpu + "emr.serverless.mgpu.memory=4096\r\n"
    )
    assert (code, text) == (0, body)
    (tmp_path / "job.json").write_text('{\n  "spark.a": "1",\n  "emr.serverless.mgpu.core": "10"\n}\n')
    code, text, _ = run("render bert.yaml --to emr-ray --workload job.json")
    assert code == 2
    code, text, _ = run("render bert.yaml --to emr-spark --workload job.json")
    wanted = {"spark.a": "1", **k.SPARK.gpu, k.CORE: "30", k.MEMORY: "4096"}
    assert (code, json.loads(text)) == (0, wanted)
    assert text.startswith('{\n  "spark.a": "1",\n  "emr.serverless.mgpu.core": "30"')


REFUSED = [
    ("render bert.yaml --to emr-ray --workload job.sql", 2, "holds parameters of volcengine-emr-customjob"),
    ("render bert.yaml --to emr-ray --workload bert.yaml", 2, "is a manifest"),
    ("render bert.yaml --to vke --workload job.sql", 2, "holds parameters of a job"),
    ("render bert.yaml --to aiapp --workload job.sql", 2, "typed into a form"),
    ("render bert.yaml --to emr-ray -o yaml", 2, "-o yaml is for manifests"),
    ("render bert.yaml --to emr-ray --workload job.sql -o json", 2, "a text of its own"),
    ("render bert.yaml two.yaml --to emr-ray", 2, "a file of it holds one share"),
    ("translate job.sql --to vke", 1, "is in a job file, not in a pod"),
    ("translate bert.yaml --to emr-ray", 2, "is not for manifests"),
    ("translate job.sql --from emr-customjob --to vke", 2, "is not for manifests"),
    ("lint job.sql", 1, ""),
    ("parse plain.conf", 3, ""),
]


def test_what_is_refused(tmp_path: Path) -> None:
    (tmp_path / "job.sql").write_text("set emr.serverless.mgpu.core=30;\n")
    (tmp_path / "two.yaml").write_text(SPEC.replace("bert", "two"))
    (tmp_path / "plain.conf").write_text(GPU)
    wrong = {}
    for command, code, said in REFUSED:
        found, out, err = run(command)
        if found != code or said not in err or (out == "") != (not command.startswith("lint")):
            wrong[command] = (found, out, err)
    assert wrong == {}


def test_from_names_the_engine(tmp_path: Path) -> None:
    (tmp_path / "job.txt").write_text(
        "emr.serverless.mgpu.core=30; emr.serverless.mgpu.memory=4096; "
        + "; ".join(f"{name}={text}" for name, text in k.RAY.gpu.items())
    )
    code, out, _ = run("parse job.txt --from emr-ray")
    assert code == 0
    assert "cores: 30" in out


def test_folders_are_walked_for_manifests_alone(tmp_path: Path) -> None:
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "job.json").write_text('{"emr.serverless.mgpu.core": "3"}')
    (tmp_path / "jobs" / "job.conf").write_text("emr.serverless.mgpu.core=3")
    (tmp_path / "jobs" / "pi.yaml").write_text(sparkapp(SPARK_OK.replace("=30", "=3")).text)
    code, out, _ = run("lint jobs")
    assert code == 1
    assert out.count("error[") == 1
    assert "pi.yaml" in out


def test_manifests_load_no_parameters(tmp_path: Path) -> None:
    (tmp_path / "pod.yaml").write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n")
    script = (
        "import sys\nfrom gpuxlate.cli import main\n"
        "try:\n    main(['lint', 'pod.yaml'])\nfinally:\n"
        "    print([m for m in sys.modules if 'emr' in m or 'aiapp' in m or 'backends.form' in m])"
    )
    done = subprocess.check_output([sys.executable, "-c", script], text=True, stdin=subprocess.DEVNULL)
    assert done.endswith("[]\n")


def test_rows_say_what_has_a_form() -> None:
    assert all(registry.get(row.name).form_module is not None for row in registry.BUILT_IN if row.form)
    assert all(backend.form is None for backend in registry.pod_backends())
    assert [registry.get(f"emr-{name}").name for name in ("spark", "ray", "customjob")] == list(k.ENGINES)
