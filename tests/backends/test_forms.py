# ruff: noqa: E501 - a case is a line
"""Forms: parameters of EMR Serverless jobs, the form for an AI app on mGPU, and a form of a plug-in.

Shares become their values and are read back, and rules are at their places. Numbers: Volcengine, EMR Serverless
"mGPU" (30 %, 4096 and 1000 MiB, 5 to 99, 22731 MiB of an A10). AI app: docs 6461/1581673 (2025-06-04): whole
cards or two decimals from 0.01, above 256 MiB on one card; and the copy of 6460/182418 (2024-09): 1024 to
81920 MiB on each of up to 8 cards.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuxlate.backends import job_targets, registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.job_parameters import JobBackend, json_object, values_of
from gpuxlate.backends.pod_reader import ContainerShare
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.backends.volcengine_emr import EmrRay
from gpuxlate.backends.volcengine_emr import engines as k
from gpuxlate.config.configuration import load_profile
from gpuxlate.config.document import to_document
from gpuxlate.files.find import Input, document_reader
from gpuxlate.lint.check import lint_source
from gpuxlate.lint.settings import LintSettings
from gpuxlate.manifest.jobs import JobRow, jobs_in
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.profile import CardProfile, Profile
from gpuxlate.model.share import Policy, Qos, Share
from gpuxlate.rules.base import Rule
from gpuxlate.translation.fit import PodFit, Verdict, fit_pod
from gpuxlate.translation.options import Settings
from gpuxlate.translation.read import read_source
from gpuxlate.translation.results import Result
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.parse import Document, DocumentReader, documents
from gpuxlate.yamltext.plain import dump_yaml, plain_document
from gpuxlate.yamltext.source import Source
from tests import running
from tests.cluster.asking import share as share_text

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


AIAPP = registry.get("aiapp")
Values = tuple[str | None, ...]
NONE = Accept()
ALL = Accept(True, {"cores": 30, "memoryMiB": 8192}, frozenset({"cores", "policy", "qos"}))

# share, what the user allows, the verdict, its codes, and the two numbers that are written
FITS: list[tuple[Share, Accept, Verdict, list[str], Values | None]] = [
    (Share(1, 30, 4096), NONE, Verdict.EXACT, [], ("30", "4096")),
    (Share(1, 5, 1), NONE, Verdict.EXACT, [], ("5", "1")),
    (Share(1, 99, 1000), NONE, Verdict.EXACT, [], ("99", "1000")),
    (Share(1, 4, 4096), NONE, Verdict.ROUNDED, ["EMR035"], None),
    (Share(1, 4, 4096), ALL, Verdict.ROUNDED, ["EMR035"], ("5", "4096")),
    (Share(1, 30), NONE, Verdict.FILLED, ["EMR037"], None),
    (Share(1, 30), ALL, Verdict.FILLED, ["EMR037"], ("30", "8192")),
    (Share(1, None, 4096), ALL, Verdict.FILLED, ["EMR037"], ("30", "4096")),
    (Share(1, 30, 4096, Policy.FIXED_SHARE), NONE, Verdict.DROPPED, ["GX020"], None),
    (Share(1, 30, 4096, Policy.FIXED_SHARE, Qos.ONLINE), ALL, Verdict.DROPPED, ["GX020"] * 2, ("30", "4096")),
    (Share(1, 100, 4096), ALL, Verdict.REFUSED, ["GX023"], None),
    (Share(1), ALL, Verdict.REFUSED, ["GX023"], None),
    (Share(2, 60, 8192), ALL, Verdict.REFUSED, ["EMR039"], None),
    (Share(2), ALL, Verdict.REFUSED, ["EMR039", "GX023"], None),
]


UP, DROP = Accept(round_up=True), Accept(drop=frozenset({"qos"}))
FILL = Accept(fill={"cores": 30, "memoryMiB": 8192})
BEST = Policy.BEST_EFFORT
# share, what is allowed, verdict, codes, and compute, memory, cards on the form
AIAPP_FITS: list[tuple[Share, Accept, Verdict, list[str], Values | None]] = [
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


def written(target: str, values: Values) -> dict[str, str | None]:
    """The values of a form, beside those that it always has."""
    if target != AIAPP.name:
        core, memory = values
        return {**k.ENGINES[target].gpu, k.CORE: core, k.MEMORY: memory}
    form = dict(zip(("gpuCompute", "gpuMemoryMiB", "gpuCards"), values, strict=True))
    form |= {"gpuResourceType": "mGPU", "elasticContainerInstance": "false"}
    form["multiCardSharing"] = "true" if form["gpuCards"] else "false"
    return {name: text for name, text in form.items() if text}


@pytest.mark.parametrize("target", [*k.ENGINES, AIAPP.name])
def test_fits(target: str) -> None:
    found, expected = {}, {}
    for share, accept, verdict, codes, values in AIAPP_FITS if target == AIAPP.name else FITS:
        made = fit(share, target, accept)
        limits = {name: value.text for name, value in made.keys.containers[0].limits.items()}
        limits.pop("computePolicy", None)  # fixtures/volcengine-aiapp have it
        said = (made.outcomes[0].verdict, sorted(one.code for one in made.findings()))
        found[f"{share} {accept}"] = (*said, limits if made.accepted else None)
        expected[f"{share} {accept}"] = (verdict, codes, written(target, values) if values else None)
    assert found == expected


def test_memory_of_the_card() -> None:
    assert fit(Share(1, 30, 22731), profile=A10).accepted
    assert [one.code for one in fit(Share(1, 30, 22732), profile=A10).findings()] == ["EMR036"]
    elsewhere = Profile("volcengine-mgpu", cards=A10.cards)
    assert fit(Share(1, 30, 22732), profile=elsewhere).accepted


def lint(text: str, name: str = "job.conf", profile: Profile | None = None) -> list[str]:
    """Findings of a text that marks their places with guillemets, as ``CODE severity text``."""
    source = Source(name, text)
    read = job_targets.reader_of(source)
    assert bool(read) != name.endswith(".yaml")
    found = lint_source(source, LintSettings(profile), read or documents).diagnostics
    lines = source.text.split("\n")
    made = []
    for one in found:
        assert one.span
        assert one.span.line == one.span.end_line
        marked = lines[one.span.line - 1][one.span.column - 1 : one.span.end_column - 1]
        made.append(f"{one.code} {one.severity} {marked}")
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
    ("job.conf", SPARK_OK.replace("=30", "=\u0663\u0660"), ["EMR035 error \u0663\u0660"]),
    ("job.conf", SPARK_OK.replace("=4096", "=0"), ["EMR036 error 0"]),
    ("job.conf", SPARK_OK.replace("=4096", "=4g"), ["EMR036 error 4g"]),
    ("job.conf", SPARK_OK.replace("=4096", "=4"), ["GX007 warning 4"]),
    ("job.conf", SPARK_OK + "emr.serverless.mgpu.core=40\n", [f"GX002 error {CORE_AT}"]),
    ("job.conf", SPARK_OK.replace("mgpu.core", "mgpu.cores"), ["GX003 error emr.serverless.mgpu.cores", "EMR037 error emr.serverless.mgpu.memory"]),
    ("job.conf", SPARK_OK.replace("executor.resource.gpu.amount=1", "executor.resource.gpu.amount=2"), ["EMR038 error 2"]),
    ("job.conf", SPARK_OK.replace("spark.executor.resource.gpu.amount=1\n", ""), [f"EMR038 error {CORE_AT}"]),
    ("job.conf", re.sub("spark.driver.*\n", "", SPARK_OK), [f"EMR038 warning {CORE_AT}"]),
    ("job.conf", SPARK_OK.replace("nvidia.com", "amd.com", 1), ["EMR038 error amd.com"]),
    ("job.conf", "serverless.ray.worker.gpu.vendor=amd.com;serverless.ray.worker.gpu.amount=1;\nemr.serverless.mgpu.core=30;emr.serverless.mgpu.memory=4096;", ["EMR038 error amd.com"]),
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
    found = lint(SPARK_OK.replace("=4096", "=22732"), profile=A10)
    assert found == [f"EMR040 info {CORE_AT}", "EMR036 error 22732"]
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


def translated(source: Source, to: str) -> Result:
    settings = Settings(registry.get(to))
    return translate_source(source, settings, job_targets.reader_of(source) or documents)


def shares_read(source: Source) -> Result:
    return read_source(source, Settings.reading(), job_targets.reader_of(source) or documents)


def test_spark_conf_of_a_manifest() -> None:
    [found] = lint_source(sparkapp(SPARK_OK.replace("=30", "=3")), LintSettings()).diagnostics
    assert (found.code, found.path) == ("EMR035", ("spec", "sparkConf", k.CORE))
    assert found.object
    assert found.object.name == "pi"
    assert lint_source(sparkapp(GPU), LintSettings()).diagnostics == []
    assert not lint_source(sparkapp(SPARK_OK), LintSettings()).diagnostics
    [item] = shares_read(sparkapp(SPARK_OK)).items
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
    [item] = shares_read(source).items
    assert (item.source, item.object.name) == (target, "job")
    assert item.share
    assert dump_yaml(to_document("job", item.share)) == (folder / "share.yaml").read_text()
    wanted = plain_document(Source("about.yaml", about.read_text(encoding="utf-8")))["asks"]
    made = fit(Share(1, wanted["cores"], wanted["memoryMiB"]), target)
    backend = registry.get(target)
    assert isinstance(backend, JobBackend)
    text = backend.merge(source, made.keys)
    old, new = source.text.splitlines(), text.splitlines()
    assert len(old) == len(new)
    changed = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
    assert all(k.GPU_PREFIXES[0] in a for a, _ in changed)
    [again] = shares_read(Source(path.name, text)).items
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

SPEC = share_text("{cores: 30, memoryMiB: 4096}", "bert")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bert.yaml").write_text(SPEC)


def run(command: str) -> tuple[int, str, str]:
    done = running.run(*command.split())
    return done.code, done.out.decode(), done.err.decode()


def test_render(tmp_path: Path) -> None:
    assert run("render bert.yaml --to emr-spark") == (0, SPARK_OK, "1 share: 1 exact\n")
    code, text, _ = run("render bert.yaml --to emr-customjob -o json")
    assert (code, json.loads(text)) == (0, {**k.CUSTOMJOB_ENGINE.gpu, k.CORE: "30", k.MEMORY: "4096"})
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
    left |= {one.name for one in registry.pod_backends() if one.parts_need or not one.has_parts}
    assert (code, names | left) == (0, {one.name for one in registry.pod_backends() if not one.read_only})
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
    wanted = {"spark.a": "1", **k.SPARK_ENGINE.gpu, k.CORE: "30", k.MEMORY: "4096"}
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
        + "; ".join(f"{name}={text}" for name, text in k.RAY_ENGINE.gpu.items())
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


def test_rows_say_what_has_a_form() -> None:
    assert all(not registry.get(row.name).writes_pods for row in registry.BUILT_IN if row.mark)
    assert all(backend.writes_pods for backend in registry.pod_backends())
    assert [registry.get(f"emr-{name}").name for name in ("spark", "ray", "customjob")] == list(k.ENGINES)


# --- the form for an AI app -----------------------------------------------------------------------


def parsed(text: str) -> Result:
    return shares_read(Source("form.yaml", text))


AIAPP_SEEDS = sorted(FIXTURES.glob("volcengine-aiapp/*/about.yaml"))


@pytest.mark.parametrize("about", AIAPP_SEEDS, ids=lambda path: path.parent.name)
def test_golden_files(about: Path) -> None:
    golden = (about.parent / "form.yaml").read_text(encoding="utf-8")
    [item] = parsed(golden).items
    assert item.share
    assert dump_yaml(to_document("form", item.share)) == (about.parent / "share.yaml").read_text()
    assert AIAPP.render(fit(item.share, AIAPP.name).keys, "text") == golden
    assert lint(golden, "form.yaml") == []


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

    expected: dict[str, object] = {text: ([], [("form", share)]) for text, share in READS}
    assert {text: found(text) for text in expected} == expected


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
    (SEVERAL.replace("8192", "2046") + "computePolicy: native-burst-share\n", "VKE024", "2046"),
    (SEVERAL.replace("gpuCards: 2", "gpuCards: 9"), "VKE019", "9"),
    (SEVERAL.replace("1.2", "1.21"), "GX011", "1.21"),
    (SEVERAL.replace("1.2", "1.24"), "VKE025", "1.24"),
    (SEVERAL.replace("1.2", "0.33"), "GX011", "0.33"),
    (SEVERAL.replace("1.2", "2.5"), "GX011", "2.5"),
    (SINGLE + "gpuCompute: 0.4\n", "GX002", "gpuCompute"),
]


def test_what_the_form_would_not_take() -> None:
    """Found by lint at its place, and a refusal of parse."""
    expected = {text: [f"{code} error {marked}"] for text, code, marked in PROBLEMS}
    assert {text: lint(text, "form.yaml") for text in expected} == expected
    assert [text for text, *_ in PROBLEMS if not parsed(text).refused] == []


@pytest.mark.parametrize(
    ("compute", "cards", "numbers"),
    [
        ("1.24", 2, "1.2 or 1.3"),  # the copy of 6460/182418: one decimal above one card
        ("1.31", 3, "1.2 or 1.5"),
        ("0.33", 2, "0.32 or 0.34"),
        ("0.01", 2, "0.02"),
        ("2.5", 2, "2"),
    ],
)
def test_compute_of_several_cards_is_said_in_cards(compute: str, cards: int, numbers: str) -> None:
    """The help is in the unit of the field, and what it says is taken."""
    form = SEVERAL.replace("1.2", compute).replace("gpuCards: 2", f"gpuCards: {cards}")
    form = form.replace("8192", str(4096 * cards))
    (found,) = parsed(form).diagnostics
    assert found.hint == f"write {numbers}"
    for number in numbers.split(" or "):
        changed = form.replace(f"gpuCompute: {compute}", f"gpuCompute: {number}")
        errors = [one.code for one in parsed(changed).diagnostics if one.severity == "error"]
        assert errors in ([], ["VKE014"]), number  # whole cards come with all of their memory


def test_several_cards_with_another_policy_may_be_refused() -> None:
    assert lint(SEVERAL, "form.yaml") == ["VKE026 warning 2"]
    assert lint(SEVERAL + "computePolicy: fixed-share\n", "form.yaml") == ["VKE026 warning fixed-share"]
    assert lint(SEVERAL + "computePolicy: native-burst-share\n", "form.yaml") == []


def test_the_form_is_not_translated() -> None:
    done = translated(Source("form.yaml", SINGLE), "vke")
    assert [one.code for one in done.diagnostics] == ["GX023"]
    assert done.text == SINGLE


# --- a form of a plug-in --------------------------------------------------------------------------


class Toy(EmrRay):
    """A YAML mapping in a file of its own, or in a ToyJob."""

    name = "toy"
    suffix = ".toy"
    suffixes = (".toy",)
    job_rows = (JobRow(("ToyJob",), ("spec", "gpu"), "toy", "emr.serverless.mgpu"),)

    def reader(self, source: Source, *, chosen: bool) -> DocumentReader | None:
        return self._read if chosen or source.text.startswith("emr.") else None

    def _read(self, source: Source) -> Iterator[Document]:
        for document in documents(source):
            document.job = "toy"
            yield document

    def render(self, keys: PodKeys, _output: str) -> str:
        return json_object({name: value.text for name, value in values_of(keys).items()})

    def merge(self, base: Source, keys: PodKeys) -> str:
        return base.text + self.render(keys, "text")


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Backend]:
    """A plug-in with a form, beside the built-in targets."""
    made = Toy()
    monkeypatch.setattr(registry.plugins, "backends", lambda: (made,))
    monkeypatch.setattr(registry.plugins, "load_plugin", lambda name: made if name == "toy" else None)
    cached = (registry.job_backends, registry.pod_backends)
    for one in cached:
        one.cache_clear()
    yield made
    for one in cached:
        one.cache_clear()


def job(source: Source, read: DocumentReader) -> list[tuple[str, int]]:
    return [
        (one.target, len(one.pod.keys.containers[0].limits))
        for document in read(source)
        for one in jobs_in(document, job_targets.rows_of(document))
    ]


def test_a_plugin_reads_its_files(toy: Backend, tmp_path: Path) -> None:
    source = Source("a.toy", "emr.serverless.mgpu.core: 30\n")
    given = Input("a.toy", tmp_path / "a.toy")
    assert given.may_be_parameters()
    assert job(source, document_reader(given, source)) == [(toy.name, 1)]


def test_a_plugin_has_objects_of_its_own(toy: Backend) -> None:
    source = Source("a.yaml", "kind: ToyJob\nspec: {gpu: {emr.serverless.mgpu.core: 30}}\n")
    assert job(source, documents) == [(toy.name, 1)]


def test_which_inputs_may_hold_parameters() -> None:
    expected = {
        ("a.toy", True, None): False,  # no target has the suffix
        ("a.conf", True, None): True,
        ("a.conf", False, None): False,
        ("a.yaml", True, None): False,
        ("<stdin>", True, None): False,
        ("<stdin>", True, "emr-ray"): True,
        ("a.conf", True, "volcengine-mgpu"): False,
        ("a.yaml", True, "volcengine-aiapp"): False,  # its values are in YAML documents
    }
    found = {
        (name, named, target): Input(name, None, named=named).may_be_parameters(target)
        for name, named, target in expected
    }
    assert found == expected
