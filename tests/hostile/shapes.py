"""Texts that could cost more than their size: each shape in any size."""

from collections.abc import Callable

from tests.lint.conftest import pod

KEY = "vke.volcengine.com/mgpu-core"
SHARE = f"{{{KEY}: 30, vke.volcengine.com/mgpu-memory: 4096}}"
STAYS = '{"labels": {"app": "web"}}'
JSON = f'{{"{KEY}": "{{cores}}", "vke.volcengine.com/mgpu-memory": "4096"}}'
HEAD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers:\n"
MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n"
GPUSHARE = "apiVersion: gpuxlate.io/v1alpha1\nkind: GPUShare\nmetadata:\n  name: web\n"


def lines(template: str, count: int) -> str:
    """The template so many times, ``{n}`` counted, and ``{cores}`` of a card."""
    return "".join(template.replace("{n}", f"{n}").replace("{cores}", f"{5 + n % 90}") for n in range(count))


DOCUMENT = """\
---
apiVersion: v1
kind: Pod
metadata:
  name: p{n}
  annotations: {example.com/note-{n}: changed-{n}}
spec:
  containers:
  - name: c{n}
    env:
    - {name: SETTING_{n}, value: v{n}}
    resources:
      limits: {vke.volcengine.com/mgpu-core: {cores}, vke.volcengine.com/mgpu-memory: 4096}
"""
ITEM = DOCUMENT.removeprefix("---\n").replace("\n", "\n  ").rstrip()
TEMPLATE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: gpu}
spec:
  spec:
    devices:
      requests:
      - name: gpu
        exactly: {deviceClassName: hami-core-gpu.project-hami.io, capacity: {requests: {cores: 30}}}
"""
CLAIMING = """\
---
apiVersion: v1
kind: Pod
metadata: {name: p{n}}
spec:
  resourceClaims: [{name: gpu, resourceClaimTemplateName: gpu}]
  containers: [{name: c{n}, resources: {claims: [{name: gpu}]}}]
"""

SHAPES: dict[str, Callable[[int], str]] = {
    "documents": lambda n: lines(DOCUMENT, n),
    "documents with fixes": lambda n: lines(DOCUMENT.replace("4096", "4Gi"), n),
    "objects": lambda n: "kind: List\nitems:\n" + lines(f"- {ITEM}\n", n),
    "objects with fixes": lambda n: "kind: List\nitems:\n" + lines(f"- {ITEM}\n".replace("4096", "4Gi"), n),
    "objects on one line": lambda n: '{"kind": "List", "items": ['
    + lines(
        f'{{"kind": "Pod", "metadata": {STAYS}, "spec": '
        f'{{"containers": [{{"resources": {{"limits": {JSON}}}}}]}}}}, ',
        n,
    )
    + "]}\n",
    "claims of one template": lambda n: TEMPLATE + lines(CLAIMING, n),
    # from 96 on: the work has one step between 48 and 96 requests, and is linear on both sides of it
    "requests of one claim": lambda n: TEMPLATE.partition("      - ")[0]
    + lines("      - " + TEMPLATE.partition("      - ")[2].replace("name: gpu\n", "name: gpu{n}\n"), 4 * n)
    + CLAIMING.replace("{n}", ""),
    "rows of a range": lambda n: "apiVersion: v1\nkind: LimitRange\nmetadata: {name: r}\nspec:\n  limits:\n"
    + lines(f"  - {{type: Container, max: {{{KEY}: {{n}}}}}}\n", n),
    "pods of a mapping on one line": lambda n: '{"kind": "Deep", "spec": {'
    + lines(f'"p{{n}}": {{"containers": [{{"resources": {{"limits": {JSON}}}}}]}}, ', n)
    + "}}\n",
    "containers": lambda n: HEAD + lines(f"  - name: c{{n}}\n    resources: {{limits: {SHARE}}}\n", n),
    "containers without a share": lambda n: HEAD
    + "  - {}\n" * n
    + f"  - {{resources: {{limits: {SHARE}}}}}\n",
    "pods of a mapping": lambda n: MAP
    + "spec:\n"
    + lines(f"  p{{n}}: {{containers: [{{name: c, resources: {{limits: {SHARE}}}}}]}}\n", n),
    "keys outside pods": lambda n: MAP + "data:\n" + lines(f"  {KEY}{{n}}: 1\n", n),
    "unknown keys": lambda n: pod(f"{KEY}: 30") + "x:\n" + lines("  k{n}: 1\n", n),
    "near misses": lambda n: pod(lines("vke.volcengine.com/mgpu-cor{n}: 1\n", n)),
    "keys of schedulers": lambda n: pod(f"{KEY}: 30\nvke.volcengine.com/mgpu-memory: 1024").replace(
        "metadata:\n", "metadata:\n  annotations:\n" + lines("    hami.io/vgpu-{n}: x\n", 4 * n), 1
    ),
    "keys given twice": lambda n: MAP + "data:\n" + lines(f"  {KEY}: {{n}}\n", n),
    "fixes": lambda n: HEAD
    + lines("  - name: c{n}\n    resources: {limits: {aliyun.com/gpu-mem: 2Gi}}\n", n),
    "fixes that cannot be made": lambda n: HEAD
    + "  - &c {name: c, resources: {limits: {aliyun.com/gpu-mem: 2Gi}}}\n"
    + "  - {<<: *c, env: [*c]}\n" * n,
    "ignores": lambda n: "# gpuxlate: ignore[GX001] none of this is found\n" * n + pod(f"{KEY}: 30"),
    "ignores on one line": lambda n: "# gpuxlate: ignore[GX001] " * n + "\n" + pod(f"{KEY}: 30"),
    "annotations that ignore": lambda n: "kind: List\nitems:\n"
    + lines(
        "- kind: Pod\n  metadata: {name: p{n}, annotations: {gpuxlate.io/ignore: VKE012}}\n"
        f"  spec: {{containers: [{{name: c, resources: {{limits: {{{KEY}: 30}}}}}}]}}\n",
        n,
    ),
    "anchors": lambda n: MAP + f"data: {{{KEY}: 1}}\nx:\n" + lines("- &a{n} {k: v}\n", n),
    "aliases": lambda n: MAP + f"data: &d {{{KEY}: 1}}\nx:\n" + "- *d\n" * n,
    "aliased pods": lambda n: MAP
    + f"x: &p {{containers: [{{name: c, resources: {{limits: {{{KEY}: 30}}}}}}]}}\ny:\n"
    + "- *p\n" * n,
    "merges of one mapping": lambda n: MAP
    + f"x: &b {{{', '.join(f'k{i}: 1' for i in range(50))}, {KEY}: 1}}\n"
    + lines("m{n}: {<<: *b, own: 1}\n", n),
    "dots in a string": lambda n: MAP + f'data: {{{KEY}: 1, x: "{"a." * n}\\n/"}}\n',
    "dashes in a string": lambda n: MAP + f'data: {{{KEY}: 1, x: "{"a-" * n}\\n/"}}\n',
    "slashes in a string": lambda n: MAP + f'data: {{{KEY}: 1, x: "{"a.b/" * n}\\n"}}\n',
    "spaces": lambda n: MAP + f"data: {{{KEY}: 1}}\nx: &a  " + " \n" * n + "   y\n",
    "comments": lambda n: "# gpuxlate:\n" * n + pod(f"{KEY}: 30") + "  # end\n" * n,
    "one line": lambda n: '{"kind": "X", "data": {"' + KEY + '": 1' + lines(', "k{n}": {}', n) + "}}\n",
    "problems of a share": lambda n: GPUSHARE + "spec:\n  cores: 1\n" + lines("  c{n}: 1\n", n),
    "labels of a share": lambda n: GPUSHARE
    + "  labels:\n"
    + lines("    c{n}: 1\n", n)
    + "spec: {cores: 1}\n",
}  # fmt: skip
"""Each is a text of about ``n`` times one part."""

BOMBS: dict[str, str] = {
    "a billion laughs": MAP
    + f"data: {{{KEY}: 1}}\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 10)),
    "laughs below the limit": MAP
    + f"data: {{{KEY}: 1}}\na0: &a0 {{a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1, i: 1}}\n"
    + "".join(f"a{n}: &a{n} {{{', '.join(f'k{i}: *a{n - 1}' for i in range(9))}}}\n" for n in range(1, 5)),
    "laughs of pods": MAP
    + f"data: {{{KEY}: 1}}\na0: &a0 {{containers: [{{name: c, resources: {{limits: {{{KEY}: 30}}}}}}]}}\n"
    + "".join(f"a{n}: &a{n} {{{', '.join(f'k{i}: *a{n - 1}' for i in range(10))}}}\n" for n in range(1, 4)),
    "merges of merges": MAP
    + f"data: {{{KEY}: 1}}\nm0: &m0 {{k0: 1}}\n"
    + "".join(f"m{n}: &m{n} {{<<: *m{n - 1}, k{n}: 1}}\n" for n in range(1, 800)),
    "merges that double": MAP
    + f"data: {{{KEY}: 1}}\nm0: &m0 {{k0: 1}}\n"
    + "".join(f"m{n}: &m{n} {{<<: [*m{n - 1}, *m{n - 1}], k{n}: 1}}\n" for n in range(1, 60)),
    "open brackets": f"# {KEY}\n" + "[" * 1_000_000,
    "open braces": f"# {KEY}\n" + "{a: " * 300_000,
    "dashes": f"# {KEY}\n" + "- " * 300_000 + "a\n",
    "question marks": f"# {KEY}\n" + "? " * 300_000 + "a\n",
    "a quote that stays open": f'# {KEY}\nx: "' + "y\n" * 300_000,
    "tabs": f"# {KEY}\n" + "\t" * 1_000_000,
    "percent signs": f"# {KEY}\n" + "%YAML 1.1\n" * 200_000,
    "document marks": f"# {KEY}\n" + "---\n" * 50_000,
    "control characters": f"# {KEY}\n" + "\x07" * 1_000_000,
    "line separators": f"# {KEY}\n" + "\u2028" * 500_000,
    "byte order marks": f"# {KEY}\n" + "\ufeff" * 500_000,
    "wide characters": f"# {KEY}\nx: " + "💥" * 500_000 + "\n",
}
"""Texts made to blow up; none may take more than the limits of a test."""
