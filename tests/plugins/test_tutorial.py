"""The package of docs/writing-a-target.md, installed as the page says; and packages that are broken.

The environment is a new one. gpuxlate comes from this tree, and what it depends on from the
environment that runs the tests, so that only the build backend is fetched.
"""

from __future__ import annotations

import json
import os
import subprocess
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest

from gpuxlate.testing import BackendContract

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "examples" / "plugin"
PAGE = (ROOT / "docs" / "writing-a-target.md").read_text(encoding="utf-8")
SHARE = """\
apiVersion: gpuxlate.io/v1alpha1
kind: GPUShare
metadata: {name: bert}
spec: {cores: 30, memoryMiB: 4096}
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - name: web
    resources:
      limits:
        gpu.kestrel.example/slices: 3
        gpu.kestrel.example/memory: 4
        gpu.kestrel.example/cards: 1
"""
VKE = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - name: web
    resources:
      limits:
        vke.volcengine.com/mgpu-core: 30
        vke.volcengine.com/mgpu-memory: 4096
"""


@dataclass(frozen=True)
class Environment:
    """A virtual environment, and a folder to work in."""

    python: Path
    folder: Path

    def run(self, *arguments: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
        hidden = ("PYTHONPATH", "PYTHONHOME", "PIP_TARGET", "PIP_PREFIX")
        return subprocess.run(
            [str(self.python), *arguments],
            cwd=self.folder,
            env={name: value for name, value in os.environ.items() if name not in hidden} | {"NO_COLOR": "1"},
            input=text,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )

    def gpuxlate(self, *arguments: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
        return self.run("-c", "from gpuxlate.cli import main; main()", *arguments, text=text)

    def install(self, *what: Path) -> None:
        pip = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps")
        done = self.run(*pip, *map(str, what))
        assert done.returncode == 0, done.stderr

    @property
    def packages(self) -> Path:
        done = self.run("-c", "import sysconfig; print(sysconfig.get_path('purelib'))")
        return Path(done.stdout.strip())


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """gpuxlate and the package of the tutorial, installed by pip."""
    folder = tmp_path_factory.mktemp("tutorial")
    venv.create(folder / "venv", with_pip=True)
    made = Environment(folder / "venv" / "bin" / "python", folder)
    made.install(ROOT, PLUGIN)
    (made.packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    where = made.run("-c", "import gpuxlate, gpuxlate_kestrel as k; print(gpuxlate.__file__, k.__file__)")
    assert where.stdout.count(str(folder)) == 2, where
    return made


def test_the_contract_holds(fresh: Environment) -> None:
    done = fresh.run("-m", "pytest", "-q", "-p", "no:cacheprovider", "--noconftest", str(PLUGIN / "tests"))
    assert done.returncode == 0, done.stdout + done.stderr
    properties = [name for name in dir(BackendContract) if name.startswith("test_")]
    assert f"{2 * len(properties)} passed" in done.stdout


def test_it_is_a_target(fresh: Environment) -> None:
    (fresh.folder / "share.yaml").write_text(SHARE)
    for name in ("kestrel-slices", "kestrel"):
        done = fresh.gpuxlate("render", "share.yaml", "--to", name)
        assert (done.returncode, done.stderr) == (0, "")
        assert "gpu.kestrel.example/slices: 3\n" in done.stdout
        assert "gpu.kestrel.example/memory: 4\n" in done.stdout
    listed = json.loads(fresh.gpuxlate("targets", "-o", "json").stdout)["targets"]
    [mine] = [one for one in listed if one["name"] == "kestrel-slices"]
    assert mine["aliases"] == ["kestrel"]
    assert mine["fields"]["cores"] == "gpu.kestrel.example/slices, units of 10 % of each card; required"
    assert "kestrel-slices" in fresh.gpuxlate("compare", "share.yaml").stdout


def test_its_dialect_is_found_by_its_keys(fresh: Environment) -> None:
    folder = fresh.folder / "manifests"  # in a folder only what holds a mark is read at all
    folder.mkdir()
    (folder / "pod.yaml").write_text(POD)
    done = fresh.gpuxlate("translate", str(folder), "--to", "vke", "--diff")
    assert "+        vke.volcengine.com/mgpu-memory: 4096" in done.stdout, done.stderr
    done = fresh.gpuxlate("translate", "-", "--to", "kestrel", text=VKE)
    assert (done.returncode, done.stdout) == (0, POD), done.stderr
    (folder / "pod.yaml").write_text(POD.replace("slices: 3", "slices: 30"))
    said = fresh.gpuxlate("lint", str(folder), "--format", "json")
    [found] = json.loads(said.stdout)["diagnostics"]
    assert f"error[{found['code']}]: {found['message']}\n" in PAGE
    (folder / "pod.yaml").write_text(POD.replace("slices:", "slice:"))
    said = fresh.gpuxlate("lint", str(folder), "--format", "json")
    assert "GX003" in [one["code"] for one in json.loads(said.stdout)["diagnostics"]]
    assert "gpu.kestrel.example/slices: 5" in fresh.gpuxlate("explain", "KES001").stdout
    schema = fresh.gpuxlate("schema", "kubernetes-overlay").stdout
    assert "gpu.kestrel.example/slices" in schema


def test_a_target_with_code_of_its_own(fresh: Environment) -> None:
    done = fresh.gpuxlate("translate", "-", "--to", "kestrel-edge", text=VKE)
    assert "edge.kestrel.example/share: 30 % 4096 MiB" in done.stdout, done.stderr
    back = fresh.gpuxlate("translate", "-", "--to", "vke", text=done.stdout)
    assert "vke.volcengine.com/mgpu-memory: 4096\n" in back.stdout, back.stderr
    wrong = done.stdout.replace("30 %", "30%")
    assert "error[EDGE001]" in fresh.gpuxlate("lint", "-", text=wrong).stdout


def test_an_unknown_name_may_have_meant_it(fresh: Environment) -> None:
    done = fresh.gpuxlate("translate", "-", "--to", "kestrel-slice", text=VKE)
    assert done.returncode == 2
    assert done.stderr == "error: unknown target 'kestrel-slice'\nhelp: did you mean kestrel-slices?\n"


def package(environment: Environment, name: str, entries: str, module: str | None) -> None:
    """A package as pip would leave it: its metadata, and a module where there is one."""
    info = environment.packages / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[gpuxlate.backends]\n{entries}\n")
    if module is not None:
        (environment.packages / f"{name}.py").write_text(module)


@pytest.fixture
def bare(tmp_path: Path) -> Environment:
    """An environment without plug-ins that sees this tree."""
    venv.create(tmp_path / "venv", with_pip=False)
    made = Environment(tmp_path / "venv" / "bin" / "python", tmp_path)
    (made.packages / "dependencies.pth").write_text(f"{ROOT}\n{sysconfig.get_path('purelib')}\n")
    return made


RENAMED = "from dataclasses import replace\nfrom gpuxlate.backends.neutral import BACKEND as N\n"
BROKEN = [
    ("no module", "broken = broken_one:BACKEND", None, "ModuleNotFoundError: No module named 'broken_one'"),
    ("no attribute", "broken = broken_one:BACKEND", "", "AttributeError"),
    ("no backend", "broken = broken_one:BACKEND", "BACKEND = 1", "TypeError: broken_one:BACKEND is no"),
    ("an exit", "broken = broken_one:BACKEND", "raise SystemExit(7)", "SystemExit: 7"),
    (
        "no rules",
        "broken = broken_one:BACKEND",
        RENAMED + "BACKEND = replace(N, name='broken', rules_module='broken_rules')",
        "No module named 'broken_rules'",
    ),
    (
        "another name",
        "broken = broken_one:BACKEND",
        RENAMED + "BACKEND = replace(N, name='other')",
        "its backend is named 'other', but no entry point is",
    ),
]


@pytest.mark.parametrize(("entries", "module", "reason"), [b[1:] for b in BROKEN], ids=[b[0] for b in BROKEN])
def test_a_broken_plug_in_names_itself(
    bare: Environment, entries: str, module: str | None, reason: str
) -> None:
    package(bare, "broken_one", entries, module)
    (bare.folder / "pod.yaml").write_text(VKE)
    for arguments in (
        ("translate", "pod.yaml", "--to", "broken"),
        ("targets",),
        ("lint", "pod.yaml"),
    ):
        done = bare.gpuxlate(*arguments)
        assert (done.returncode, done.stdout) == (2, ""), done
        first, second = done.stderr.splitlines()
        assert first.startswith("error: the plug-in 'broken' of broken_one 1.0 cannot be used: "), first
        assert reason in first
        assert second == "help: fix it, or remove it: pip uninstall broken_one"


def test_a_rule_with_a_code_that_is_taken(bare: Environment) -> None:
    module = RENAMED + "BACKEND = replace(N, name='taker', rules_module='taker_rules')"
    rules = (
        "from gpuxlate.rules.base import Severity, rule\n"
        "@rule('GX001', Severity.ERROR)\ndef card_is_red(this, pod, context):\n    yield from ()\n"
    )
    package(bare, "taker_rules", "", rules)
    package(bare, "taker", "taker = taker:BACKEND", module)
    done = bare.gpuxlate("rules")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "error: the rule card-is-red of taker has the code GX001 of file-parses",
        "help: give the rules of taker codes of their own, or remove the plug-in",
    ]


def test_a_broken_plug_in_does_not_touch_a_built_in_name(bare: Environment) -> None:
    package(bare, "broken_one", "broken = broken_one:BACKEND", None)
    done = bare.run("-c", "from gpuxlate.backends import registry; print(registry.get('vke').name)")
    assert (done.returncode, done.stdout) == (0, "volcengine-mgpu\n"), done.stderr


def test_two_packages_of_one_name(bare: Environment) -> None:
    package(bare, "first", "same = first:BACKEND", RENAMED + "BACKEND = replace(N, name='same')")
    package(bare, "second", "same = second:BACKEND", RENAMED + "BACKEND = replace(N, name='same')")
    done = bare.gpuxlate("translate", "-", "--to", "same", text=VKE)
    assert done.returncode == 2
    assert "of first 1.0 and second 1.0 cannot be used: both have a target of that name" in done.stderr


def test_a_built_in_name_cannot_be_taken(bare: Environment) -> None:
    package(bare, "taker", "neutral = taker:BACKEND", RENAMED + "BACKEND = N")
    done = bare.gpuxlate("targets")
    assert done.returncode == 2
    assert "'neutral' of taker 1.0 cannot be used: a built-in target has that name" in done.stderr


def test_without_plug_ins_no_metadata_is_read(bare: Environment) -> None:
    (bare.folder / "pod.yaml").write_text(VKE)
    program = (
        "import atexit, sys\n"
        "atexit.register(lambda: print('importlib.metadata' in sys.modules, file=sys.__stderr__))\n"
        "from gpuxlate.cli import main\nmain()"
    )
    for command in (("lint", "pod.yaml"), ("translate", "pod.yaml", "--to", "tke")):
        done = bare.run("-c", program, *command)
        assert (done.returncode, done.stderr.splitlines()[-1]) == (0, "False"), done
