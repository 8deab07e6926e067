"""Start-up and files a second of lint, beside other linters. Run: python -m bench.lint"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from bench import corpus, measure

PREFIXES = "vke[.]volcengine[.]com/|aliyun[.]com/gpu|tke[.]cloud[.]tencent[.]com/qgpu|gpuxlate[.]io/"


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
        print(measure.table("start-up", measure.together(commands, 7), "python -c pass"))
        clean, full = where / "clean", where / "full"
        corpus.tree(clean, 10_000, 100)
        corpus.tree(full, 1000, 1)
        for title, tree in (
            ("10,000 files, 1 % with GPU keys", clean),
            ("1,000 files, all with GPU keys", full),
        ):
            rows = {
                "grep -rlE, the floor": ["grep", "-rlE", PREFIXES, str(tree)],
                "gpuxlate lint": [tool, "lint", str(tree)],
            }
            if yamllint:
                rows["yamllint"] = [yamllint, "-d", "relaxed", str(tree)]
            if schema and tree is full:
                files = [str(path) for path in sorted(tree.rglob("*.yaml"))]
                rows["check-jsonschema"] = [schema, "--builtin-schema", "vendor.github-workflows", *files]
            print(measure.table(title, measure.together(rows, 1), "gpuxlate lint"))


if __name__ == "__main__":
    main()
