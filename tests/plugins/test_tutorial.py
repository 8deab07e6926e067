"""The package of docs/writing-a-target.md, installed as the page says; and packages that are broken.

What an installed package does is tested with its sources in a folder beside metadata as pip leaves them.
In full effort it is installed too, in a new environment: gpuxlate comes from this tree, and what it depends
on from the environment that runs the tests, so that only the build backend is fetched.
"""

import json
import os
import subprocess
import sys
import sysconfig
import tomllib
import venv
from pathlib import Path
from typing import NamedTuple

import pytest

from gpuxlate.testing import BackendContract

pytestmark = pytest.mark.full
ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "examples" / "plugin"
PAGE = (ROOT / "docs" / "writing-a-target.md").read_text(encoding="utf-8")
SHARE = "apiVersion: gpuxlate.io/v1alpha1\nkind: GPUShare\nmetadata: {name: bert}\n"
SHARE += "spec: {cores: 30, memoryMiB: 4096}\n"


def pod(domain: str, **limits: int) -> str:
    head = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers:\n  - name: web\n"
    keys = "".join(f"        {domain}{name}: {value}\n" for name, value in limits.items())
    return f"{head}    resources:\n      limits:\n{keys}"


POD = pod("gpu.kestrel.example/", slices=3, memory=4, cards=1)
VKE = pod("vke.volcengine.com/mgpu-", core=30, memory=4096)


class Environment(NamedTuple):
    """A Python that finds the package, and a folder to work in."""

    python: Path
    folder: Path
    path: str = ""

    def run(self, *arguments: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
        hidden = ("PYTHONPATH", "PYTHONHOME", "PIP_TARGET", "PIP_PREFIX")
        env = {name: value for name, value in os.environ.items() if name not in hidden} | {"NO_COLOR": "1"}
        env |= {"PYTHONPATH": self.path} if self.path else {}
        command = [str(self.python), *arguments]
        how = {"capture_output": True, "text": True, "timeout": 300}
        return subprocess.run(command, cwd=self.folder, env=env, input=text, check=False, **how)

    def gpuxlate(self, *arguments: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
        return self.run("-c", "from gpuxlate.cli import main; main()", *arguments, text=text)


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """gpuxlate and the package of the tutorial, installed by pip."""
    folder = tmp_path_factory.mktemp("tutorial")
    venv.create(folder / "venv", with_pip=True)
    made = Environment(folder / "venv" / "bin" / "python", folder)
    pip = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps")
    done = made.run(*pip, str(ROOT), str(PLUGIN))
    assert done.returncode == 0, done.stderr
    packages = made.run("-c", "import sysconfig; print(sysconfig.get_path('purelib'))").stdout.strip()
    (Path(packages) / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    where = made.run("-c", "import gpuxlate, gpuxlate_kestrel as k; print(gpuxlate.__file__, k.__file__)")
    assert where.stdout.count(str(folder)) == 2, where
    return made


def package(folder: Path, name: str, entries: str, module: str | None) -> None:
    """A package as pip would leave it: its metadata, and a module where there is one."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[gpuxlate.backends]\n{entries}\n")
    if module is not None:
        (folder / f"{name}.py").write_text(module)


@pytest.fixture(params=["there", "installed"])
def kestrel(request: pytest.FixtureRequest, tmp_path: Path) -> Environment:
    """An environment with the package of the tutorial."""
    if request.param == "installed":
        installed: Environment = request.getfixturevalue("fresh")
        return Environment(installed.python, tmp_path)
    project = tomllib.loads((PLUGIN / "pyproject.toml").read_text())["project"]
    entries = project["entry-points"]["gpuxlate.backends"]
    package(tmp_path, "kestrel", "\n".join(f"{name} = {where}" for name, where in entries.items()), None)
    path = os.pathsep.join(map(str, (tmp_path, PLUGIN / "src", ROOT)))
    return Environment(Path(sys.executable), tmp_path, path)


def test_the_contract_holds(kestrel: Environment) -> None:
    done = kestrel.run("-m", "pytest", "-q", "-p", "no:cacheprovider", "--noconftest", str(PLUGIN / "tests"))
    assert done.returncode == 0, done.stdout + done.stderr
    properties = [name for name in dir(BackendContract) if name.startswith("test_")]
    assert f"{2 * len(properties)} passed" in done.stdout


def test_it_is_a_target(kestrel: Environment) -> None:
    (kestrel.folder / "share.yaml").write_text(SHARE)
    for name in ("kestrel-slices", "kestrel"):
        done = kestrel.gpuxlate("render", "share.yaml", "--to", name)
        assert (done.returncode, done.stderr) == (0, "1 share: 1 exact\n")
        limits = {"gpu.kestrel.example/slices: 3", "gpu.kestrel.example/memory: 4"}
        assert limits <= {line.strip() for line in done.stdout.splitlines()}
    listed = json.loads(kestrel.gpuxlate("targets", "-o", "json").stdout)["targets"]
    [mine] = [one for one in listed if one["name"] == "kestrel-slices"]
    assert mine["aliases"] == ["kestrel"]
    assert mine["fields"]["cores"] == "gpu.kestrel.example/slices, units of 10 % of each card; required"
    assert "kestrel-slices" in kestrel.gpuxlate("compare", "share.yaml", "--to", "all").stdout
    done = kestrel.gpuxlate("translate", "-", "--to", "kestrel-slice", text=VKE)
    said = "error: unknown target 'kestrel-slice'\nhelp: did you mean kestrel-slices?\n"
    assert (done.returncode, done.stderr) == (2, said)


def test_its_dialect_is_found_by_its_keys(kestrel: Environment) -> None:
    folder = kestrel.folder / "manifests"  # in a folder only what holds a mark is read at all
    folder.mkdir()
    (folder / "pod.yaml").write_text(POD)
    done = kestrel.gpuxlate("translate", str(folder), "--to", "vke", "--diff")
    assert "+        vke.volcengine.com/mgpu-memory: 4096" in done.stdout, done.stderr
    done = kestrel.gpuxlate("translate", "-", "--to", "kestrel", text=VKE)
    assert (done.returncode, done.stdout) == (0, POD), done.stderr

    def linted(text: str) -> list[dict[str, str]]:
        (folder / "pod.yaml").write_text(text)
        said = kestrel.gpuxlate("lint", str(folder), "--format", "json")
        found: list[dict[str, str]] = json.loads(said.stdout)["diagnostics"]
        return found

    [found] = linted(POD.replace("slices: 3", "slices: 30"))
    assert f"error[{found['code']}]: {found['message']}\n" in PAGE
    assert "GX003" in [one["code"] for one in linted(POD.replace("slices:", "slice:"))]
    assert "gpu.kestrel.example/slices: 5" in kestrel.gpuxlate("explain", "KES001").stdout
    assert "gpu.kestrel.example/slices" in kestrel.gpuxlate("schema", "kubernetes-overlay").stdout


def test_a_target_with_code_of_its_own(kestrel: Environment) -> None:
    done = kestrel.gpuxlate("translate", "-", "--to", "kestrel-edge", text=VKE)
    assert "edge.kestrel.example/share: 30 % 4096 MiB" in done.stdout, done.stderr
    back = kestrel.gpuxlate("translate", "-", "--to", "vke", text=done.stdout)
    assert "vke.volcengine.com/mgpu-memory: 4096\n" in back.stdout, back.stderr
    wrong = done.stdout.replace("30 %", "30%")
    assert "error[EDGE001]" in kestrel.gpuxlate("lint", "-", text=wrong).stdout


# --- broken packages: what is said of each other one is in tests/errors/cases/09-plug-ins.yaml ----

NEUTRAL = "from gpuxlate.backends.neutral import Neutral\n"
NO_RULES = f"{NEUTRAL}import broken_rules\nclass Broken(Neutral):\n    name = 'broken'\nBACKEND = Broken()\n"
BROKEN = [
    # what its module is, why it cannot be used
    (None, "ModuleNotFoundError: No module named 'broken_one'"),
    ("", "AttributeError"),
    ("raise SystemExit(7)", "SystemExit: 7"),
    (NO_RULES, "No module named 'broken_rules'"),
]


def beside(folder: Path) -> Environment:
    """An environment that sees this tree, and the packages of a folder."""
    return Environment(Path(sys.executable), folder, f"{folder}{os.pathsep}{ROOT}")


@pytest.mark.parametrize(("module", "reason"), BROKEN, ids=[reason for _, reason in BROKEN])
def test_a_broken_plug_in_names_itself(module: str | None, reason: str, tmp_path: Path) -> None:
    package(tmp_path, "broken_one", "broken = broken_one:BACKEND", module)
    (tmp_path / "pod.yaml").write_text(VKE)
    there = beside(tmp_path)
    for command in ("translate pod.yaml --to broken", "targets", "lint pod.yaml"):
        done = there.gpuxlate(*command.split())
        assert (done.returncode, done.stdout) == (2, ""), done
        first, second = done.stderr.splitlines()
        assert first.startswith("error: the plug-in 'broken' of broken_one 1.0 cannot be used: "), first
        assert reason in first
        assert second == "help: fix it, or remove it: pip uninstall broken_one"
    done = there.run("-c", "from gpuxlate.backends import registry; print(registry.get('vke').name)")
    assert (done.returncode, done.stdout) == (0, "volcengine-mgpu\n"), done.stderr


def test_a_rule_with_a_code_that_is_taken(tmp_path: Path) -> None:
    module = (
        f"{NEUTRAL}from taker_rules import *\nclass Taker(Neutral):\n    name = 'taker'\nBACKEND = Taker()\n"
    )
    rules = (
        "from gpuxlate.rules.base import Severity, rule\n"
        "@rule('GX001', Severity.ERROR)\ndef card_is_red(this, pod, context):\n    yield from ()\n"
    )
    package(tmp_path, "taker_rules", "", rules)
    package(tmp_path, "taker", "taker = taker:BACKEND", module)
    done = beside(tmp_path).gpuxlate("rules")
    assert (done.returncode, done.stdout) == (2, "")
    taken = "error: the rule card-is-red of taker has the code GX001 of file-parses\n"
    assert done.stderr == f"{taken}help: give the rules of taker codes of their own, or remove the plug-in\n"
