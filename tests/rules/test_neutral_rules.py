"""The rules of no vendor, K8S and GX: the rows of cases.yaml, and what a row cannot say.

A text marks where its finding must stand with guillemets: ``mgpu-memory: «4Gi»``.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import gpuxlate
from gpuxlate.backends import registry
from gpuxlate.backends.alibaba import AlibabaProfile
from gpuxlate.backends.dialects.hami_iluvatar import OLDER
from gpuxlate.manifest.facts import document_keys
from gpuxlate.manifest.pods import pods_in
from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Diagnostic, Put, Remove, Rename, Severity
from gpuxlate.model.keys import Place
from gpuxlate.model.pod import ContainerKeys, PodKeys, ScalarKind, Value, dotted
from gpuxlate.model.profile import Profile
from gpuxlate.overlays.run_claims import Claims
from gpuxlate.rules import catalog
from gpuxlate.rules.base import Context, Scope
from gpuxlate.rules.catalog import check_document, check_pod
from gpuxlate.rules.key_index import edit_distance, key_index_of, nearest_name
from gpuxlate.rules.keys import key_is_known
from gpuxlate.rules.number_format import readings
from gpuxlate.rules.unsupported_products import ACCELERATORS, LOCAL_NAMES, PRODUCTS, product_at, product_of
from gpuxlate.yamltext.parse import documents, with_location
from gpuxlate.yamltext.source import Source
from tests.rules.examples import EXAMPLE, INSTEAD, blocks, manifest_of
from tests.tables import from_yaml

Where = tuple[int, int, int, int]
DIALECTS = tuple(registry.all_backends())
HEAD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers:\n"

PARTS = ("limits", "requests", "env", "spec", "affinity", "metadata", "top", "owner")


@dataclass(frozen=True)
class Found:
    """The findings of one text, and the places that the text marks."""

    diagnostics: list[Diagnostic]
    marked: list[Where]

    def of(self, code: str) -> list[Diagnostic]:
        return [one for one in self.diagnostics if one.code == code]

    def places(self, code: str) -> list[Where]:
        spans = [one.span for one in self.of(code)]
        return sorted((s.line, s.column, s.end_line, s.end_column) for s in spans if s)

    @property
    def codes(self) -> list[str]:
        return sorted(one.code for one in self.diagnostics)


def lint(text: str, profile: Profile | None = None) -> Found:
    bare, marked = _unmarked(text)
    context = Context(profile, DIALECTS)
    found: list[Diagnostic] = []
    source = Source("<test>", bare)
    claims = Claims().beside(source)
    for document in documents(source):
        pods = [claims.resolve(one) for one in pods_in(document)]
        for pod in pods:
            found += [
                with_location(document, one, pod.object)
                for one in check_pod(catalog.neutral_rules(), pod.keys, context)
            ]
        keys = document_keys(document, pods, registry.is_gpu_key)
        found += [
            with_location(document, one) for one in check_document(catalog.neutral_rules(), keys, context)
        ]
    return Found(sorted(found, key=Diagnostic.sort_key), marked)


def _unmarked(text: str) -> tuple[str, list[Where]]:
    places: list[Where] = []
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        for nth, match in enumerate(re.finditer("«(.*?)»", line)):
            start = match.start() - 2 * nth + 1
            places.append((number, start, number, start + len(match[1])))
        lines[number - 1] = line.replace("«", "").replace("»", "")
    return "\n".join(lines), places


def manifest(
    limits: str = "vke.volcengine.com/mgpu-memory: 4096",
    requests: str | None = None,
    *,
    env: str = "",
    spec: str = "restartPolicy: Never",
    affinity: str = "",
    metadata: str = "",
    top: str = "",
    owner: str | None = None,
) -> str:
    """A Pod of one container, each part in flow style; in a Deployment, if there is metadata of its owner."""
    if affinity:
        spec = (
            "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
            f"[{{matchExpressions: [{affinity}]}}]}}}}}}"
        )
    asked = "" if requests is None else f"\n      requests: {{{requests}}}"
    pod = (
        f"metadata: {{{metadata}}}\nspec:\n  {spec}\n  containers:\n  - name: web\n    env: [{env}]\n"
        f"    resources:\n      limits: {{{limits}}}{asked}\n"
    )
    if owner is None:
        return f"apiVersion: v1\nkind: Pod\n{top}\n{pod}"
    template = "".join(f"    {line}\n" for line in pod.splitlines())
    return f"apiVersion: apps/v1\nkind: Deployment\nmetadata: {{{owner}}}\nspec:\n  template:\n{template}"


def rows() -> dict[str, list[dict[str, Any]]]:
    """The rows of cases.yaml, by code and severity."""
    text = (Path(__file__).parent / "cases.yaml").read_text(encoding="utf-8")
    for short, key in from_yaml(text)["names"].items():
        text = re.sub(rf"\b{short}\b", key, text)
    return {code: listed for code, listed in from_yaml(text).items() if code != "names"}


def found_in(row: dict[str, Any]) -> Found:
    """The findings of a row."""
    parts = {name: text for name, text in row.items() if name in PARTS}
    text = HEAD + row["containers"] if "containers" in row else row.get("text") or manifest(**parts)
    unit = (AlibabaProfile(memory_unit_mib=row["unit"]),) if row.get("unit") else ()
    return lint(text, Profile("alibaba-gpushare", extensions=unit) if "unit" in row else None)


def fix_of(one: Diagnostic) -> str | None:
    """Its fix as a row says it."""

    def said(edit: object) -> str:
        assert isinstance(edit, Put | Remove | Rename)
        place = "" if edit.path == one.path else f" {dotted(edit.path)}"
        new = "" if isinstance(edit, Remove) else f" {json.dumps(edit.value)}"
        if isinstance(edit, Rename):
            new = f" {edit.key}{new}"
        return f"{type(edit).__name__.lower()}{place}{new}"

    return one.fix and f"{'safe' if one.fix.safe else 'unsafe'} {', '.join(map(said, one.fix.edits))}"


PERCENT = "vke.volcengine.com/mgpu-core"
NUMBERS = ("K8S001 error", "K8S002 error")
ROWS = [
    pytest.param(title, row, id=f"{title.split()[0]} {next(iter(row.values()))}")
    for title, listed in rows().items()
    for row in listed
]


def check(found: Found, title: str, row: dict[str, Any]) -> None:
    wanted = row.get("found", title if found.marked else [])
    wanted = [wanted] if isinstance(wanted, str) else wanted
    assert sorted(f"{one.code} {one.severity}" for one in found.diagnostics) == sorted(wanted)
    if wanted:
        code = wanted[0].split()[0]
        first = found.of(code)[0]
        help_ = f"did you mean {row['meant']}?" if "meant" in row else row.get("help", first.hint)
        assert (fix_of(first), first.hint) == (row.get("fix"), help_)
        assert row.get("says", "") in first.message
        assert first.hint or title not in NUMBERS
        assert not found.marked or set(found.places(code)) == set(found.marked)


@pytest.mark.parametrize(("title", "row"), ROWS)
def test_a_row(title: str, row: dict[str, Any]) -> None:
    check(found_in(row), title, row)
    if title in NUMBERS and not {"requests", "unit"} & set(row):
        there = found_in({**row, "limits": "", "requests": row["limits"]})
        others = [one for one in there.diagnostics if one.code != "K8S004"]
        check(Found(others, there.marked), title, row)


def test_a_number_that_no_reader_counts_is_reported() -> None:
    """A reader gives no share for such a value, and leaves it to these rules to say why."""
    texts = ["3.5", "0x1E", "0o36", "0b11", "1_000", "-0x1", "1e30", "3E-1", "30%", "9Ei", "4GB", "4 Gi"]
    texts += ["1Zi", "abc", "", "true", "~", ".5", "1:30", "1.0.0", "inf", "_", "٣", "9" * 65]
    texts += [str(quantity.LIMIT + 1)]
    assert [text for text in texts if quantity.parse_integer(text) is not None] == []
    # unquoted, GX008: 30 to some versions
    bare = [text for text in texts if not {"K8S001", "K8S002", "GX008"} & codes(f"{PERCENT}: {text}")]
    quoted = [text for text in texts if not {"K8S001", "K8S002"} & codes(f'{PERCENT}: "{text}"')]
    assert (bare, quoted) == ([], [])


def codes(limits: str) -> set[str]:
    return set(lint(manifest(limits)).codes)


def test_a_long_text_is_no_number() -> None:
    [one] = lint(manifest(f"{PERCENT}: {'9' * 100_000}")).of("K8S001")
    assert len(one.message) < 200
    assert readings(Value("0" * 100_000, ScalarKind.INT)) == ()


def test_names_that_are_no_near_miss() -> None:
    names = (
        *(PERCENT, "nvidia.com/gpu", "nvidia.com/gpus", "amd.com/gpu", "app.kubernetes.io/name", "mgpu-core"),
        "aliyun.com/ppu",  # a real resource, one letter from aliyun.com/gpu
        "tke.cloud.tencent.com/eni-ip",  # rules.md: none of ours
        *("vke.volcengine.com/rdma", "vke.volcengine.com/eni-ip", "gpuxlate.io/ignore"),
        "tencent.com/vcuda-core",  # GX006
        "vke.volcengine.com/assumed",  # GX004
        # another domain: a label is added, taken away or replaced
        *("gpuxlate.io.x/qos", "x.gpuxlate.io/qos", "gpuxlate.cn/qos"),
        *("a.aliyun.com/gpu-mem", "aliyun.com.a/gpu-mem"),
        # products that are known by name
        *("nvidia.com/vgpu-cores", "nvidia.com/vgpu-memory", "nvidia.com/vgpu-number"),
        *("volcano.sh/gpu-number", "amd.com/gpumem"),
    )
    found = {name: lint(manifest(metadata=f"annotations: {{{name}: x}}")).of("GX003") for name in names}
    assert [name for name, missed in found.items() if missed] == []


SAYS_NOTHING_ELSE = {"similar_products": (), "read_only": False, "whole_card_key": None, "detector": None}


def test_a_name_that_a_dialect_claims_is_its_own() -> None:
    keys = PodKeys(containers=(ContainerKeys(limits={"aliyun.com/gpu-core": Value("30")}),))
    ack = registry.get("alibaba-gpushare")
    same = {name: getattr(ack, name) for name in ("keys", "gpu_prefixes", "domains", "find", "owns")}
    bare: Any = SimpleNamespace(name="ack", title="ACK", **same, **SAYS_NOTHING_ELSE)
    assert [one.code for one in key_is_known(keys, Context(dialects=(bare,)))] == ["GX003"]
    reporting: Any = SimpleNamespace(**vars(bare), known_typos=("aliyun.com/gpu-core",))
    assert list(key_is_known(keys, Context(dialects=(reporting,)))) == []


def test_edit_distance() -> None:
    cases = (
        ("gpu", "gpu", 0),
        ("gpu", "gpus", 1),
        ("mgpu", "mpgu", 2),
        ("core", "memory", None),
        ("", "ab", 2),
    )
    for one, other, expected in cases:
        assert edit_distance(one, other, 2) == edit_distance(other, one, 2) == expected, (one, other)
    assert nearest_name("ab", ["abcd", "abc", "abd"], 2) == "abc"  # the first of equals
    assert nearest_name("ab", ["xyz"], 2) is None


def test_a_mark_of_a_scheduler_asks_for_nothing() -> None:
    """Contract, section 3: in resources it is a user's mistake and an error, never removed."""
    rows_of_all = [row for backend in registry.pod_backends() for row in backend.keys]
    marks = {
        row.name.replace("*", "web") for row in rows_of_all if row.places == {Place.WRITTEN_BY_SCHEDULER}
    }
    wrong = {}
    for name in marks:
        for parts in (
            {"limits": f"«{name}»: 1"},
            {"requests": f"«{name}»: 1"},
            {"spec": f"nodeSelector: {{«{name}»: a}}"},
            {"affinity": f"{{key: «{name}», operator: Exists}}"},
        ):
            found = lint(manifest(**parts))
            said = [(one.code, one.severity, one.fix) for one in found.diagnostics]
            if (said, found.places("GX013")) != ([("GX013", Severity.ERROR, None)], found.marked):
                wrong[str(parts)] = said
    assert wrong == {}
    assert len(marks) > 50


def test_what_a_mark_was_meant_to_be() -> None:
    found = lint(manifest("hami.io/vgpu-memory: 4000, vke.volcengine.com/assumed: 1"))
    # a name of the scheduler's form that is none of its own is a misspelt resource
    assert [one.hint for one in found.of("GX003")] == ["did you mean nvidia.com/gpumem?"]
    assert [one.hint for one in found.of("GX013")] == [
        "remove it, or write the keys of Volcengine VKE, mGPU that request a share",
    ]


# other separators and abbreviations, or another domain of the same vendor; and names that are nobody's
RENAMED = [
    ("nvidia.com/gpu-memory", "nvidia.com/gpumem"),  # HAMi issue 1798
    ("nvidia.com/gpu_cores", "nvidia.com/gpucores"),
    ("nvidia.com/gpu-memory-percent", "nvidia.com/gpumem-percentage"),
    ("tencent.com/qgpu-core", "tke.cloud.tencent.com/qgpu-core"),
    ("cloud.tencent.com/qgpu_memory", "tke.cloud.tencent.com/qgpu-memory"),
    ("volcengine.com/mgpu-core", "vke.volcengine.com/mgpu-core"),
    ("gpu.volcano.sh/vgpu-number", "volcano.sh/vgpu-number"),
    ("hami.io/vgpu-memory", "nvidia.com/gpumem"),  # HAMi PR 2242
    ("hami.io/vgpu-cores", "nvidia.com/gpucores"),
    ("nvidia.com/gpu-time", None),
    ("example.com/gpu-memory", None),
    ("amd.com/gpu", None),
    ("nvidia.com/mig-1g.5gb", None),
    ("hami.io/vgpu-number-of-pods", None),
]


@pytest.mark.parametrize(("name", "meant"), RENAMED)
def test_resources_with_the_words_of_others(name: str, meant: str | None) -> None:
    """One finding, and no dialect has a share by such a name."""
    found = lint(manifest(f"«{name}»: 1"))
    assert [one.hint for one in found.of("GX003")] == ([f"did you mean {meant}?"] if meant else [])
    if meant:
        assert (found.codes, found.places("GX003")) == (["GX003"], found.marked)


def test_a_label_of_nodes_is_no_misspelt_resource() -> None:
    """NVIDIA/gpu-feature-discovery labels nodes with it."""
    assert lint(manifest(spec="nodeSelector: {nvidia.com/gpu.memory: '81920'}")).of("GX003") == []


def test_the_examples_of_documents_and_pods() -> None:
    """The rules of no vendor have nothing at all to say of what to write instead."""
    wrong: dict[str, tuple[bool, list[str]]] = {}
    for one in catalog.neutral_rules():
        if one.scope in (Scope.POD, Scope.DOCUMENT):
            [(_, example)], [(_, instead)] = (blocks(one.sections[name]) for name in (EXAMPLE, INSTEAD))
            said = (one.code in lint(manifest_of(example)).codes, lint(manifest_of(instead)).codes)
            wrong |= {one.code: said} if said != (True, []) else {}
    assert wrong == {}


# --- GX027, GX006: products that are known by name and not read; keys are of their own documents ---

NAMES: dict[str, tuple[str, ...]] = {
    # Project-HAMi/HAMi examples/<vendor>, pkg/device/<vendor>
    "Enflame GCU sharing of older charts": ("enflame.com/vgcu-percentage",),
    "Cambricon MIM partitions": ("cambricon.com/mlu370.mim-2m.8gb",),
    # volcano docs/user-guide/how_to_use_vnpu.md
    "Ascend vNPU under Volcano and MindCluster": (
        *("huawei.com/npu-core", "huawei.com/Ascend910-16c", "huawei.com/Ascend310P-4c.3cpu.ndvpp"),
        "huawei.com/Ascend310P-1c",
    ),
    "Biren SVI": ("birentech.com/1-2-gpu", "birentech.com/1-4-gpu"),
    "remote GPUs of HAMi": ("nvidia.com/remote-gpu", "nvidia.com/remote-gpu-memory"),
    "the virtual GPU plug-in of AWS": ("k8s.amazonaws.com/vgpu",),
    "AMD partitions": ("amd.com/cpx_nps4", "amd.com/spx_nps1"),
    "VirtAI OrionX": ("virtaitech.com/gpu",),
    "nvshare": ("nvshare.com/gpu",),
    "KubeShare": ("sharedgpu/gpu_request", "sharedgpu/gpu_mem"),
    "Alnair": ("alnair/vgpu-memory", "alnair/vgpu-compute"),
    "NVIDIA vGPU of virtual machines": ("nvidia.com/GRID_T4-4Q", "nvidia.com/NVIDIA_A10-24Q"),
    "totals of HAMi shares in Kueue": ("nvidia.com/total-gpumem", "nvidia.com/total-gpucores"),
    "HAMi's forerunner": ("mthreads.com/vcuda-core",),
    "super nodes of TKE Serverless, which have no qGPU": ("eks.tke.cloud.tencent.com/gpu-type",),
    "Alibaba's scheduling simulators": ("alibabacloud.com/gpu-mem", "alibabacloud.com/gpu-milli"),
    "ACS, GPU-HPN nodes of Alibaba Cloud": ("alibabacloud.com/gpu-core.percentage",),
    "Volcano's older GPU sharing without isolation, deprecated since v1.9": ("volcano.sh/gpu-number",),
}
"""Keys that are in use, by the title of their product."""

LOCAL: dict[tuple[Place, str], str] = {
    (Place.ENV, "ORION_VGPU"): "VirtAI OrionX",
}

# what is no share: whole cards of vendors, HAMi's own keys, facts of nodes, names of more than 63 letters
OTHERS = (
    *("nvidia.com/gpu", "amd.com/gpu", "huawei.com/Ascend910", "huawei.com/Ascend910B4-1", "hygon.com/dcu"),
    *("cambricon.com/mlu370", "birentech.com/gpu", "metax-tech.com/gpu", "kunlunxin.com/xpu"),
    *("nvidia.com/gpumem", "nvidia.com/vgpu", "nvidia.com/vgpumem", "nvidia.com/gpualloc"),
    *("nvidia.com/vgpu-mode", "volcano.sh/vgpu-number", "nvidia.com/gpu.product", "nvidia.com/gpu.memory"),
    *("cloud.google.com/gke-accelerator", "koordinator.sh/qosClass", "kai.scheduler/queue"),
    *("koordinator.sh/rdma", "gpu-fraction"),
    "nvidia.com/mig-1g.5gb/x",
    *("huawei.com/Ascend" + "-" * 60 + "c", "", "/", "nvidia.com/"),
)
LOOK_ALIKES = {
    *("super nodes of TKE Serverless, which have no qGPU", "Alibaba's scheduling simulators"),
    "ACS, GPU-HPN nodes of Alibaba Cloud",
    "Volcano's older GPU sharing without isolation, deprecated since v1.9",
}
"""Products whose keys are taken for those of a dialect that is read: a warning."""

# tkestack/gpu-manager README; elastic-ai/elastic-gpu-scheduler README; nebuly-ai/nos demos
READ_ONLY = {
    "GPU manager (vCUDA), TKE's older GPU sharing": "tencent.com/vcuda-core: 3, tencent.com/vcuda-memory: 2",
    "the open-source Elastic GPU scheduler": "elasticgpu.io/gpu-core: 30, elasticgpu.com/gpu-memory: 2048",
    "nos (Nebuly)": "nvidia.com/gpu-10gb: 1",
}


def code_of(title: str) -> str:
    return "GX006" if title in LOOK_ALIKES else "GX027"


def test_every_product_has_a_case() -> None:
    assert list(NAMES) == [one.title for one in PRODUCTS]
    assert set(LOCAL.values()) == {one.title for one in PRODUCTS if one.local}
    local = {name for one in PRODUCTS for names in one.local.values() for name in names}
    assert set(LOCAL_NAMES) == local > {name for _, name in LOCAL}


@pytest.mark.parametrize("title", NAMES)
def test_a_key_names_its_product(title: str) -> None:
    for name in NAMES[title]:
        assert getattr(product_of(name), "title", None) == title
        key = f"{{«{name}»: 1}}"
        found = lint(
            f"apiVersion: v1\nkind: Pod\nmetadata:\n  labels: {key}\n  annotations: {key}\nspec:\n"
            f"  nodeSelector: {key}\n  containers:\n"
            f"  - resources: {{limits: {key}}}\n  - resources: {{requests: {key}}}\n"
        )
        assert set(found.codes) == {code_of(title)}, name
        said = found.places(code_of(title))
        once = [one for one in found.marked if one in said][:1]  # a look-alike, for a pod
        assert said == (found.marked if code_of(title) == "GX027" else once) != []
        assert all(title in one.message for one in found.diagnostics)


@pytest.mark.parametrize("title", READ_ONLY)
def test_a_dialect_that_is_only_read_is_named_too(title: str) -> None:
    """Its keys are translated, and the product has ended: once for a pod."""
    found = lint(manifest(READ_ONLY[title]))
    [named] = found.of("GX006")
    assert title in named.message
    assert named.severity is Severity.INFO
    assert "GX027" not in found.codes


@pytest.mark.parametrize(("place", "name"), LOCAL)
def test_a_name_without_a_domain_is_a_key_in_one_place(place: Place, name: str) -> None:
    title = LOCAL[place, name]
    assert {one for one in Place if product_at(name, one)} == {place}
    assert product_of(name) is None
    assert place is Place.ENV, "no product has such a label or annotation"
    found = lint(f"{HEAD}  - name: web\n    env: [{{name: «{name}», value: a}}]\n")
    assert found.codes == [code_of(title)]
    assert found.places(code_of(title)) == found.marked
    assert title in found.diagnostics[0].message


def test_what_is_no_products_key() -> None:
    assert [name for name in OTHERS if product_of(name) is not None] == []


def test_no_product_is_read_by_a_dialect() -> None:
    """When a dialect is read, its rows leave the table."""
    names = {name for listed in NAMES.values() for name in listed} | LOCAL_NAMES
    names |= {key.replace("*", "x") for product in PRODUCTS for key in product.keys}
    owned = [(one.name, name) for one in registry.pod_backends() for name in names if one.owns(name)]
    assert owned == []


def test_a_dialect_that_reads_a_product_is_no_other_product() -> None:
    """A plug-in may read what this tool only names, and has its own word on it."""
    reads: Any = SimpleNamespace(
        name="koordinator",
        gpu_prefixes=("koordinator.sh/gpu",),
        domains=frozenset({"koordinator.sh"}),
        find={}.get,
        owns=lambda name: name.startswith("koordinator.sh/gpu"),
        keys=(),
        **SAYS_NOTHING_ELSE,
    )
    assert key_index_of(Context(dialects=(reads,))).product("koordinator.sh/gpu-core") is None


# --- whole cards under the common key: which dialect is named (GX016), and what is read (K8S007) ---

POD = """\
apiVersion: v1
kind: Pod
metadata: {{name: {name}}}
spec: {{containers: [{{name: c, image: x, resources: {{limits: {{{keys}}}}}}}]}}
"""
WHOLE = POD.format(name="whole", keys="nvidia.com/gpu: 1")
HAMI = POD.format(name="hami", keys="nvidia.com/gpu: 1, nvidia.com/gpumem: 8192, nvidia.com/gpucores: 30")
QUOTA = """\
apiVersion: v1
kind: ResourceQuota
metadata: {name: quota}
spec: {hard: {requests.nvidia.com/gpu: 4}}
"""
TKE = POD.format(name="tke", keys='tke.cloud.tencent.com/qgpu-core: "100"')


def of_code(code: str, text: str, **options: object) -> list[Diagnostic]:
    try:
        found = gpuxlate.translate(text, **options).diagnostics  # type: ignore[arg-type]
    except gpuxlate.Refused as refused:
        found = refused.diagnostics
    return [one for one in found if one.code == code]


def test_the_dialects_that_write_the_key_are_named_in_every_run() -> None:
    """Whatever is beside it: what a finding says depends on its object alone."""
    for texts in ([WHOLE], [WHOLE, HAMI], [HAMI, WHOLE], [TKE, WHOLE], [QUOTA], [TKE, QUOTA]):
        found = of_code("GX016", "---\n".join(texts), to="neutral")
        assert [one.hint for one in found] == [
            "pass --from one of alibaba-gpushare, hami, koordinator, kai, nvidia-mig, nvidia-shared, gke, "
            "huawei-cce, tensor-fusion to read it as whole cards"
        ]


def test_whole_cards_written_with_the_common_key_are_said_to_be_unread() -> None:
    there = gpuxlate.translate(TKE, to="ack")
    [found] = [one for one in there.diagnostics if one.code == "GX016"]
    assert found.severity == "info"
    assert found.hint == "pass --from alibaba-gpushare to read it again"
    assert gpuxlate.parse(there.text).shares == ()
    assert [one.cards for one in gpuxlate.parse(there.text, from_="ack").shares] == [1]


def test_a_target_that_names_its_dialect_says_nothing() -> None:
    assert of_code("GX016", TKE, to="hami") == []


# READMEs of the device plug-ins: whole accelerators, by what they are; names that read like one; others
UNREAD = {
    "Ascend NPUs": ("huawei.com/ascend-1980",),
    "Biren cards": ("birentech.com/gpu",),
    "Hygon DCUs": ("hygon.com/dcu", "dcu.com/gpu"),
    "Iluvatar cards": ("iluvatar.com/gpu",),
    "Moore Threads cards": ("mthreads.com/gpu",),
    "Vastai accelerators and dies": ("vastaitech.com/va", "vastaitech.com/die"),
    "Intel NPUs": ("npu.intel.com/accel",),
    "Habana inference cards": ("habana.ai/goya", "habana.ai/greco"),
    "Cloud TPUs of old clusters": ("cloud-tpus.google.com/v3",),
    "Furiosa NPUs": ("furiosa.ai/rngd", "alpha.furiosa.ai/npu"),
    "Rebellions NPUs": ("rebellions.ai/ATOM",),
    "Cloud AI 100 cards of Qualcomm": ("qualcomm.com/qaic",),
    "Tenstorrent cards": ("tenstorrent.com/n150", "tenstorrent.com/wormhole"),
    "Hailo accelerators": ("hailo.ai/h8", "hailo.ai/h8l"),
    "tiles of SambaNova RDUs": ("sambanova.ai/rdu-tile",),
    "NVIDIA cards that are passed through to virtual machines": (
        *("nvidia.com/TU104GL_Tesla_T4", "nvidia.com/GA102GL_A10", "nvidia.com/AD102GL_L40"),
        "nvidia.com/pgpu",
    ),
    "devices of the class in its name": ("deviceclass.resource.kubernetes.io/npu.example.com",),
    "GPUs of old Kubernetes": ("alpha.kubernetes.io/nvidia-gpu",),
    "reads like an accelerator": ("example.com/npu", "example.com/gpu-mem", "cards.example.com/tpu-v5e"),
    "": (
        *("rdma/hca", "hugepages-2Mi", "example.com/input", "gpu.example.com/nic", "example.com/gpu-nic"),
        *("devices.kubevirt.io/kvm", "deviceclass.resource.kubernetes.io/dra.cpu", "cpu"),
        "huawei.com/Ascend910B5",  # a misspelt key (GX003)
        "tencent.com/vcuda-core",  # read
    ),
}


def test_every_accelerator_has_a_case() -> None:
    assert {*ACCELERATORS} == {*UNREAD} - {"reads like an accelerator", ""}


@pytest.mark.parametrize("title", UNREAD)
def test_accelerators_that_are_not_read_are_named_once_for_an_object(title: str) -> None:
    for name in UNREAD[title]:
        text = POD.format(name="whole", keys=f"{name}: 1")
        both = text.replace(
            "[{name: c", f"[{{name: d, image: x, resources: {{limits: {{{name}: 1}}}}}}, {{name: c"
        )
        quota = QUOTA.replace("nvidia.com/gpu", name)
        for manifest in (text, text.replace("containers", "initContainers"), both, quota):
            found = of_code("GX016", manifest, to="tke")
            assert [one.severity for one in found] == ["info"] * bool(title), (name, found)
            assert all(name in one.message and title in one.message for one in found)
        assert of_code("GX027", text, to="tke") == []
        assert [one.code for one in gpuxlate.lint(text) if one.code == "GX016"] == ["GX016"] * bool(title)


def test_accelerators_beside_a_share_are_named_too() -> None:
    keys = 'tke.cloud.tencent.com/qgpu-core: "100", example.com/npu: 1'
    [found] = of_code("GX016", POD.format(name="both", keys=keys), to="vke")
    assert "example.com/npu" in found.message


@pytest.mark.parametrize("name", [*OLDER, "gpu"])
def test_older_names_under_hami_are_no_misspelt_ones_and_are_not_translated(name: str) -> None:
    """Project-HAMi/HAMi, docs/iluvatar-gpu-support.md of v2.6.1."""
    text = POD.format(name="older", keys=f"iluvatar.ai/{name}: 1")
    ended = [] if name == "gpu" else ["ILUVATAR019"]  # no release reads it any more
    assert [one.code for one in gpuxlate.lint(text).diagnostics] == ended
    [found] = of_code("GX023", text, to="tke")
    assert f"iluvatar.ai/{name} 1 is not translated" in found.message


CLASSES = {
    # examples of the drivers: accelerators
    **dict.fromkeys(("gaudi.example.com", "npu.rebellions.ai", "tpu.google.com"), 1),
    "composite-gpu-nic": 1,  # openshift-psap/composite-dra-driver docs/CHEATSHEET.md: a card with a network
    # dra.net, NVIDIA's ComputeDomain, dra-driver-cpu, GKE's networks, dra-driver-sriov
    **dict.fromkeys(
        ("dra.net", "dranet", "compute-domain-daemon.nvidia.com", "dra.cpu", "netdev.google.com"), 0
    ),
    **dict.fromkeys(("mrdma.google.com", "rdma-devices", "qat.intel.com", "gpu.nvidia.com"), 0),
}


@pytest.mark.parametrize("name", CLASSES)
def test_a_device_class_that_nobody_reads_is_named_once(name: str) -> None:
    request = f"exactly: {{deviceClassName: {name}}}"
    text = (
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: t}\nspec:\n  spec:\n"
        f"    devices: {{requests: [{{name: a, {request}}}, {{name: b, {request}}}]}}\n"
    )
    found = of_code("GX016", text, to="tke")
    assert [name in one.message for one in found] == [True] * CLASSES[name]


def test_a_pod_with_keys_of_another_dialect_is_refused() -> None:
    for keys, chosen in (
        ("nvidia.com/gpu: 1, nvidia.com/gpumem: 8192", "ack"),
        ("aliyun.com/gpu-mem: 8, tke.cloud.tencent.com/qgpu-core: 30", "ack"),
        ("nvidia.com/gpu: 1, volcano.sh/vgpu-memory: 8192", "hami"),
        # another container counts too
        ("nvidia.com/gpu: 1}}}, {name: d, image: x, resources: {limits: {nvidia.com/gpumem: 8192", "ack"),
    ):
        for to in ("tke", "neutral"):
            assert len(of_code("K8S007", POD.format(name="both", keys=keys), to=to, from_=chosen)) == 1, keys


def test_a_number_that_another_tool_writes_is_not_translated() -> None:
    text = POD.format(name="later", keys='nvidia.com/gpu: "{{inputs.parameters.gpus}}"')
    assert gpuxlate.lint(text).diagnostics == ()
    assert gpuxlate.translate(text, to="tke").text == text
    assert len(of_code("K8S001", text, to="tke", from_="ack")) == 1
    with_share = text.replace('gpus}}"', 'gpus}}", nvidia.com/gpumem: 3000')
    assert len(of_code("GX026", with_share, to="tke")) == 1
