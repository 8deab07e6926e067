"""Start-up and files a second of lint, beside other linters. Run: python -m bench.lint"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from bench import corpus, measure

PREFIXES = "vke[.]volcengine[.]com/|aliyun[.]com/gpu|tke[.]cloud[.]tencent[.]com/qgpu|gpuxlate[.]io/"


READ = """
import os, re, sys
marks = re.compile(rb"volcengine|aliyun|tencent|gpuxlate")
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        with open(os.path.join(folder, name), "rb", 0) as stream:
            marks.search(stream.read())
"""


def main() -> None:
    """Peers that are not installed are named and left out."""
    tool = measure.program("gpuxlate") or sys.exit("install gpuxlate first")
    yamllint, schema = measure.program("yamllint"), measure.program("check-jsonschema")
    missing = [n for n, p in (("yamllint", yamllint), ("check-jsonschema", schema)) if p is None]
    if missing:
        print(f"not installed, left out: {', '.join(missing)} (pip install {' '.join(missing)})")
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder)
        one = where / "one.yaml"
        one.write_text(corpus.deployment(1, gpu=True))
        commands = {
            "python -c pass": [sys.executable, "-c", "pass"],
            "gpuxlate --version": [tool, "--version"],
            "gpuxlate lint, one file": [tool, "lint", str(one)],
            "gpuxlate translate, one file": [tool, "translate", str(one), "--to", "tke"],
        }
        if yamllint:
            commands["yamllint, one file"] = [yamllint, "-d", "relaxed", str(one)]
        if schema:
            commands["check-jsonschema, one file"] = [
                schema,
                "--builtin-schema",
                "vendor.github-workflows",
                str(one),
            ]
        print(measure.table("start-up", measure.together(commands, 15), "python -c pass"))
        clean, full = where / "clean", where / "full"
        corpus.tree(clean, 10_000, 100)
        corpus.tree(full, 1000, 1)
        kubeconform = measure.program("kubeconform")
        if kubeconform is None:
            print("not installed, left out: kubeconform (a Go program, from its releases)")
        for title, tree in (
            ("10,000 files, 1 % with GPU keys", clean),
            ("1,000 files, all with GPU keys", full),
        ):
            rows = {
                "grep -rlE, the floor": ["grep", "-rlE", PREFIXES, str(tree)],
                "gpuxlate lint, one core": ["env", "GPUXLATE_CORES=1", tool, "lint", str(tree)],
                "gpuxlate lint, two cores": ["env", "GPUXLATE_CORES=2", tool, "lint", str(tree)],
            }
            if yamllint:
                rows["yamllint"] = [yamllint, "-d", "relaxed", str(tree)]
            if schema:
                files = [str(path) for path in sorted(tree.rglob("*.yaml"))]
                rows["check-jsonschema"] = [schema, "--builtin-schema", "vendor.github-workflows", *files]
            if kubeconform:
                rows["kubeconform"] = [kubeconform, str(tree)]
            rows["reading every file in Python"] = [sys.executable, "-c", READ, str(tree)]
            print(measure.table(title, measure.together(rows, 3), "gpuxlate lint, one core"))


if __name__ == "__main__":
    main()
