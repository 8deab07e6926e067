"""What the number of dialects costs: calls for one document with a few of them and with all, and their lines.

Run: python -m bench.dialects
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

FEW = ("volcengine-mgpu", "alibaba-gpushare", "tencent-qgpu", "hami", "volcano-vgpu", "neutral")
"""The dialects of pods until November 2026."""
LINES_BEFORE = {
    "volcengine": 2539,
    "alibaba": 1808,
    "tencent": 1540,
    "hami": 1044,
    "volcano_vgpu": 698,
    "neutral": 202,
}
"""Lines of their folders then, without those that all share."""
DOCUMENTS = 30
BACKENDS = Path(__file__).parent.parent / "gpuxlate" / "backends"
PACKAGE = "gpuxlate.backends"


def deployment(number: int) -> str:
    """A manifest with a share, unlike any other."""
    return f"""\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web-{number}, labels: {{app: web-{number}}}}}
spec:
  replicas: {number % 5 + 1}
  selector: {{matchLabels: {{app: web-{number}}}}}
  template:
    metadata:
      labels: {{app: web-{number}}}
      annotations: {{vke.volcengine.com/mgpu-compute-policy: fixed-share, example.com/n{number}: "true"}}
    spec:
      containers:
        - name: server
          image: r.example/{number}
          env: [{{name: MODEL_{number}, value: bert}}]
          resources:
            limits:
              vke.volcengine.com/mgpu-core: {number % 90 + 5}
              vke.volcengine.com/mgpu-memory: {4096 + number}
              memory: {number + 1}Gi
"""


def calls(work: Callable[[str], object]) -> float:
    """Calls of functions for one document, Python's own included, after as many that are not counted."""
    counted = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    texts = [deployment(number) for number in range(2 * DOCUMENTS)]
    for text in texts[:DOCUMENTS]:
        work(text)
    sys.setprofile(count)
    for text in texts[DOCUMENTS:]:
        work(text)
    sys.setprofile(None)
    return counted / DOCUMENTS


def measured(few: bool) -> tuple[float, float]:
    """Calls of lint and of translate for a document, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.dialects", "few" if few else "all"],
        capture_output=True,
        text=True,
        check=True,
    )
    lint, translate = done.stdout.split()
    return float(lint), float(translate)


def _here(few: bool) -> None:
    from gpuxlate.backends import registry

    if few:
        registry.BUILT_IN = tuple(row for row in registry.BUILT_IN if row.name in FEW)
    from gpuxlate.lint.check import lint_source
    from gpuxlate.lint.settings import LintSettings
    from gpuxlate.translation.options import Settings
    from gpuxlate.translation.translate import translate_source
    from gpuxlate.yamltext.source import Source

    lint, to = LintSettings(), Settings(registry.get("tencent-qgpu"))
    print(calls(lambda text: lint_source(Source("a.yaml", text), lint)))
    print(calls(lambda text: translate_source(Source("a.yaml", text), to)))


def lines() -> dict[str, int]:
    """The lines of each dialect by its module: of its folder or its file, and of the modules of rules and
    nodes that its classes alone name. Where several targets are in one module or folder, of all of them."""
    from gpuxlate.backends import registry

    homes: dict[str, set[Path]] = defaultdict(set)
    for backend in map(registry.load, registry.BUILT_IN):
        home = BACKENDS / Path(*type(backend).__module__.removeprefix(f"{PACKAGE}.").split("."))
        home = home if home.is_dir() or home.parent.name in ("backends", "dialects") else home.parent
        modules = filter(None, (backend.rule_module, backend.row_rule_module, backend.node_module))
        homes[str(home.relative_to(BACKENDS))] |= {
            *(home.rglob("*.py") if home.is_dir() else [home.with_suffix(".py")]),
            *(BACKENDS / f"{module.removeprefix(PACKAGE)[1:].replace('.', '/')}.py" for module in modules),
        }
    users = Counter(file for files in homes.values() for file in files)
    return {
        home: sum(_lines(file) for file in files if users[file] == 1) for home, files in sorted(homes.items())
    }


def _lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def _tables() -> Iterator[str]:
    few, everything = measured(few=True), measured(few=False)
    yield "| calls for one document | six dialects | all | ratio |"
    yield "| --- | ---: | ---: | ---: |"
    for name, before, after in zip(("lint", "translate"), few, everything, strict=True):
        yield f"| {name} | {before:.0f} | {after:.0f} | {after / before:.2f} |"
    yield ""
    yield "| lines of a dialect | before | now |"
    yield "| --- | ---: | ---: |"
    by_dialect = lines()
    for name, now in by_dialect.items():
        yield f"| {name} | {LINES_BEFORE.get(name, '')} | {now} |"
    yield ""
    small = [now for name, now in by_dialect.items() if (BACKENDS / f"{name}.py").is_file() and "/" in name]
    yield f"{len(small)} dialects of one file: {min(small)} to {max(small)} lines, median {median(small):.0f}"


if __name__ == "__main__":
    if sys.argv[1:]:
        _here(few=sys.argv[1] == "few")
    else:
        print("\n".join(_tables()))
