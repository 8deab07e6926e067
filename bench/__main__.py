"""What gpuxlate costs beside other programs, as ratios of one run. Run: python -m bench"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

from bench import corpus, measure
from tests.e2e import nodes, pods
from tests.e2e.fault_server import FaultServer
from tests.e2e.listed import Listed

EVENTS = """
import sys
from pathlib import Path
from yaml._yaml import CParser
from yaml.events import StreamEndEvent
root = Path(sys.argv[1])
for path in [root] if root.is_file() else root.rglob("*.yaml"):
    parser = CParser(path.read_bytes())
    while not isinstance(parser.get_event(), StreamEndEvent):
        pass
"""
KEYS = "volcengine[.]com/mgpu|aliyun[.]com/gpu|qgpu-|nvidia[.]com/gpu|volcano[.]sh/vgpu|gpuxlate[.]io/"
LARGE = 10_000_000
"""Bytes of the large inputs."""


@dataclass(frozen=True, slots=True)
class Group:
    """Commands that run in turn with one that they are compared with, by elapsed time or by CPU time."""

    beside: Sequence[str] | None
    commands: Mapping[str, tuple[Sequence[str], float | None]]
    """By what is measured: the command, and the ratio that is aimed at."""
    wall: bool = False
    missing: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One ratio, of the medians and of the least; seconds are medians, ``mib`` is the peak of gpuxlate."""

    target: str
    aim: float | None
    median: float
    least: float
    seconds: float
    beside_seconds: float
    mib: float


def groups(folder: Path, bin_folder: Path) -> Iterator[Group]:
    """Every comparison; inputs are written when it is their turn."""

    def tool(*words: str, cores: int = 1) -> list[str]:
        return ["env", f"GPUXLATE_CORES={cores}", str(bin_folder / "gpuxlate"), *words]

    def translate(path: Path, cores: int = 1) -> list[str]:
        return tool("translate", "--to", "tencent-qgpu", *corpus.ALLOW, str(path), cores=cores)

    texts = corpus.documents_of(LARGE)
    files, stream = corpus.tree(folder / "files", texts), folder / "stream.yaml"
    stream.write_text("---\n".join(texts))
    thousand = corpus.tree(folder / "thousand", texts[:1000])
    one = folder / "one.yaml"
    one.write_text(sorted(islice(corpus.documents(no_gpu=0.0), 99), key=len)[49])

    yamllint = program("yamllint")
    yield Group(
        [yamllint, "-d", "relaxed", str(one)] if yamllint else None,
        {"lint of one file, to yamllint": (tool("lint", str(one)), 1.0)},
        missing="yamllint is not installed",
    )
    for name, path in (("1,000 files", thousand), ("10 MB in one file", stream), ("10 MB in files", files)):
        yield Group(
            [sys.executable, "-c", EVENTS, str(path)],
            {
                f"lint of {name}, to libyaml's events": (tool("lint", str(path)), 3.0),
                f"translate of {name}, to libyaml's events": (translate(path), 6.0),
            },
        )
    kubeconform = shlex.split(os.environ.get("KUBECONFORM", ""))
    yield Group(
        [*kubeconform, str(files)] if kubeconform else None,
        {"lint of 10 MB in files, to kubeconform": (tool("lint", str(files)), 1.3)},
        missing="KUBECONFORM does not name the program and its options",
    )
    for name, path, aim in (("10 MB in files", files, None), ("10 MB in one file", stream, 0.6)):
        for command, one_core, two_cores in (
            ("lint", tool("lint", str(path)), tool("lint", str(path), cores=2)),
            ("translate", translate(path), translate(path, cores=2)),
        ):
            title = f"{command} of {name} on two cores, to one (elapsed)"
            yield Group(one_core, {title: (two_cores, aim)}, wall=True)
    # Jobs of Volcano name a vendor, so that they are parsed for its keys: no clean tree is full of them
    plain = (text for text in corpus.documents(no_gpu=1.0) if "volcano" not in text)
    without = list(islice(plain, 10_000))
    clean = corpus.tree(folder / "clean", without)
    yield Group(
        ["grep", "-rlE", KEYS, str(clean)],
        {"lint of 10,000 files without GPU keys, to grep": (tool("lint", str(clean)), 5.0)},
    )
    without[::100] = islice(corpus.documents(no_gpu=0.0), 100)
    mixed, sparse = corpus.tree(folder / "mixed", without), folder / "sparse.yaml"
    sparse.write_text("---\n" + "---\n".join(without))
    yield Group(
        ["grep", "-rliE", KEYS, str(mixed)],
        {"lint of 10,000 files of which 100 have GPU keys, to grep -i": (tool("lint", str(mixed)), 5.0)},
    )
    name = "one stream of 10,000 documents of which 100 have GPU keys"
    yield Group(
        [sys.executable, "-c", EVENTS, str(sparse)],
        {
            f"lint of {name}, to libyaml's events": (tool("lint", str(sparse)), 0.5),
            f"translate of {name}, to libyaml's events": (translate(sparse), None),
        },
    )
    yield Group(
        [*kubeconform, str(sparse)] if kubeconform else None,
        {f"lint of {name}, to kubeconform": (tool("lint", str(sparse)), 0.15)},
        missing="KUBECONFORM does not name the program and its options",
    )
    kubectl, config = program("kubectl"), folder / "kubeconfig"
    plugin = [str(bin_folder / "kubectl-gpuxlate"), "nodes", "--kubeconfig", str(config)]
    with FaultServer(
        {"/api/v1/nodes": Listed("v1", "Node", nodes.ALL), "/api/v1/pods": Listed("v1", "Pod", pods.ALL)}
    ) as server:
        config.write_text(server.kubeconfig())
        reach = ("--kubeconfig", str(config), "--cache-dir", str(folder))
        yield Group(
            [kubectl, "get", "nodes", *reach] if kubectl else None,
            {"kubectl-gpuxlate nodes, to kubectl get nodes": (plugin, None)},
            missing="kubectl is not installed",
        )


def rows(group: Group, runs: int) -> Iterator[Row]:
    """Measure one group."""
    commands = {name: command for name, (command, _) in group.commands.items()}
    found = measure.together({"": group.beside or (), **commands}, runs)
    seconds = {name: one.wall if group.wall else one.cpu for name, one in found.items()}
    median = {name: statistics.median(values) for name, values in seconds.items()}
    for name, (_, aim) in group.commands.items():
        least = min(seconds[name]) / min(seconds[""])
        mib = max(found[name].memory)
        yield Row(name, aim, median[name] / median[""], least, median[name], median[""], mib)


def program(name: str) -> str | None:
    """A program beside this interpreter, else on PATH; None where it is not installed."""
    beside = Path(sys.executable).parent / name
    return str(beside) if beside.exists() else shutil.which(name)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    option = parser.add_argument
    option("--runs", type=int, default=5, help="runs of each command, after one that does not count")
    option("--only", default="", metavar="TEXT", help="only targets that contain this text")
    option("--bin", type=Path, default=Path(sys.executable).parent, help="the folder of gpuxlate")
    option("--json", action="store_true")
    asked = parser.parse_args()
    measured: list[Row] = []
    if not asked.json:
        print("| target | aim | median | least | s | beside, s | MiB |")
        print("| --- " + "| ---: " * 6 + "|")
    with tempfile.TemporaryDirectory() as folder:
        for group in groups(Path(folder), asked.bin):
            if not any(asked.only in name for name in group.commands):
                continue
            if group.beside is None:
                print(f"left out: {', '.join(group.commands)}: {group.missing}", file=sys.stderr)
                continue
            for row in rows(group, asked.runs):
                measured.append(row)
                if not asked.json:
                    print(
                        f"| {row.target} | {row.aim or ''} | {row.median:.2f} | {row.least:.2f} "
                        f"| {row.seconds:.3f} | {row.beside_seconds:.3f} | {row.mib:.0f} |",
                        flush=True,
                    )
    if asked.json:
        print(json.dumps([asdict(row) for row in measured], indent=2))


if __name__ == "__main__":
    main()
