"""What ``make dist`` makes: built twice, checked by twine, installed and run where nothing else is.

This needs a package index; where pip cannot reach one, the test is skipped.
"""

import hashlib
import importlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path
from types import ModuleType

import pytest
import yaml

import gpuxlate

ROOT = Path(__file__).parents[2]
HERE = f"{sys.version_info.major}.{sys.version_info.minor}"
PLATFORM = f"linux-{platform.machine()}"
OTHER = "darwin-arm64"
NO_INDEX = re.compile(
    "Could not find a version|No matching distribution|Connection|Temporary failure|Network is unreachable"
    "|Max retries|Name or service not known|Read timed out"
)
LIMITS = "vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096"
CONTAINER = f"{{name: web, resources: {{limits: {{{LIMITS}}}}}}}"
POD = f"apiVersion: v1\nkind: Pod\nmetadata: {{name: web}}\nspec:\n  containers:\n  - {CONTAINER}\n"
IN_TKE = 'tke.cloud.tencent.com/qgpu-core: "30", tke.cloud.tencent.com/qgpu-memory: "4"'


def environment(folder: Path) -> Path:
    """A new virtual environment. Gives its Python."""
    venv.EnvBuilder(with_pip=True).create(folder)
    return folder / "bin" / "python"


def run(*command: str | Path, cwd: Path, **env: str) -> str:
    """What a program prints, without the sources of this project in its way."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    kept |= {"NO_COLOR": "1", "HOME": str(cwd), "XDG_CACHE_HOME": str(cwd / "cache"), **env}
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, env=kept, input="", capture_output=True, text=True, check=False)
    if done.returncode and NO_INDEX.search(done.stderr):
        pytest.skip(f"no package index: {done.stderr.strip().splitlines()[-1][:200]}")
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.full
def test_what_is_published(tmp_path: Path) -> None:
    """One test, so that the packages are built no more than twice however the tests are spread."""
    tools = environment(tmp_path / "tools")
    # the registry of this user's pip: HOME is another one here
    index = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    home = {"HOME": os.environ.get("HOME", str(tmp_path)), **index}
    pip = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    locked = (*pip, "--require-hashes", "--only-binary", ":all:", "--requirement")
    run(tools, *locked, ROOT / "requirements" / "dist.txt", cwd=tmp_path, **home)
    dist = built(tmp_path / "one", tools, home, 0o022, "UTC")
    again = built(tmp_path / "two" / "deeper", tools, home, 0o077, "Asia/Shanghai")
    the_bytes_are_the_same(dist, again)
    [wheel] = dist.glob("*.whl")
    [app] = dist.glob(f"*-{PLATFORM}.pyz")
    [other] = dist.glob(f"*-{OTHER}.pyz")

    the_sums_are_right(dist)
    the_sdist_holds_what_the_tests_need(dist)
    the_wheel_holds_the_package_and_its_schemas(wheel)
    the_zipapp_tells_nothing_of_where_it_was_made(app, tmp_path)
    the_compiled_modules_are_those_of(".so", "-linux-gnu.so", app)
    the_compiled_modules_are_those_of(".so", "-darwin.so", other)
    the_bill_lists_what_is_locked(dist, tools)
    python = environment(tmp_path / "clean")
    run(python, *pip, wheel, cwd=tmp_path, **home)
    it_works(tmp_path, python.parent / "gpuxlate")
    it_works(tmp_path, sys.executable, app)
    the_zipapp_unpacks_once(tmp_path, app)
    krew_gets_what_its_manifest_says(tmp_path, dist)


def built(folder: Path, tools: Path, env: dict[str, str], umask: int, zone: str) -> Path:
    """What is published, from a copy of the sources: other paths, times, permissions, another time zone."""
    before = os.umask(umask)
    try:
        sources = folder / "sources"
        aside = ("*cache*", ".venv", ".git", ".hypothesis", "dist", "build", "node_modules")
        shutil.copytree(ROOT, sources, copy_function=shutil.copyfile, ignore=shutil.ignore_patterns(*aside))
        env = env | {"SOURCE_DATE_EPOCH": "1790000000", "TZ": zone}
        options = ("--python", HERE, "--platform", PLATFORM, "--platform", OTHER)
        said = run(tools, sources / "contrib" / "dist.py", folder / "dist", *options, cwd=folder, **env)
    finally:
        os.umask(before)
    assert said.splitlines() == sorted(path.name for path in (folder / "dist").iterdir())
    return folder / "dist"


def the_bytes_are_the_same(one: Path, two: Path) -> None:
    files = [{path.name: path.read_bytes() for path in folder.iterdir()} for folder in (one, two)]
    assert len(files[0]) == 9
    assert files[0].keys() == files[1].keys()
    assert [name for name, data in files[0].items() if files[1][name] != data] == []


def the_sums_are_right(dist: Path) -> None:
    run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=dist)
    listed = [line.split("  ")[1] for line in (dist / "SHA256SUMS").read_text().splitlines()]
    assert listed == sorted(path.name for path in dist.iterdir() if path.name != "SHA256SUMS")


def the_zipapp_tells_nothing_of_where_it_was_made(app: Path, folder: Path) -> None:
    with zipfile.ZipFile(app) as archive:
        assert {one.date_time for one in archive.infolist()} == {(2026, 9, 21, 14, 13, 20)}  # 1790000000
        naming = [name for name in archive.namelist() if str(folder).encode() in archive.read(name)]
    assert naming == []


def the_compiled_modules_are_those_of(suffix: str, platform: str, app: Path) -> None:
    found = [one for one in zipfile.ZipFile(app).namelist() if one.endswith(suffix)]
    assert found
    assert [one for one in found if not one.endswith((platform, ".abi3.so"))] == []


VALIDATE = """
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
print(JsonStrictValidator(SchemaVersion.V1_6).validate_str(sys.stdin.read()))
"""


def the_bill_lists_what_is_locked(dist: Path, tools: Path) -> None:
    """Valid in the schema that the library brings along; the packages are those of the lock, connected."""
    [path] = dist.glob("*.cdx.json")
    command = [tools, "-c", VALIDATE]
    done = subprocess.run(command, input=path.read_text(), capture_output=True, text=True, check=True)
    assert done.stdout == "None\n"
    bill = json.loads(path.read_text())
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert bill["metadata"]["timestamp"] == "2026-09-21T14:13:20+00:00"
    root = bill["metadata"]["component"]
    assert (root["name"], root["version"], root["type"]) == ("gpuxlate", gpuxlate.__version__, "application")
    found = {one["bom-ref"]: one for one in bill["components"]}
    pins = re.findall(r"^([a-z0-9-]+==[^ ]+)", (ROOT / "requirements" / "app.txt").read_text(), re.MULTILINE)
    locked = {key.replace("==", "@") for key in pins if not key.startswith("colorama")}  # Windows only
    assert set(found) == locked
    assert all(one["purl"] == f"pkg:pypi/{name}" for name, one in found.items())
    assert [name for name, one in found.items() if not one.get("licenses")] == []
    needs = {one["ref"]: one.get("dependsOn", []) for one in bill["dependencies"]}
    reached, last = {root["bom-ref"]}, 0
    while len(reached) > last:
        last = len(reached)
        reached |= {other for name in reached for other in needs[name]}
    assert reached == locked | {root["bom-ref"]}
    required = {one["name"] for one in bill["components"] if one["scope"] == "required"}
    assert "pydantic-core" in required
    assert {"kubernetes", "aiohttp"} & required == set()


def it_works(folder: Path, *program: str | Path) -> None:
    (folder / "pod.yaml").write_text(POD)
    assert run(*program, "--version", cwd=folder) == f"gpuxlate {gpuxlate.__version__}\n"
    assert run(*program, "translate", "pod.yaml", "--to", "tke", cwd=folder) == POD.replace(LIMITS, IN_TKE)
    assert "GPUShare" in run(*program, "parse", "pod.yaml", cwd=folder)
    assert run(*program, "lint", "pod.yaml", cwd=folder) == "no findings in 1 file\n"
    assert '"$id"' in run(*program, "schema", "kubernetes-overlay", cwd=folder)


def the_sdist_holds_what_the_tests_need(dist: Path) -> None:
    [sdist] = dist.glob("gpuxlate-*.tar.gz")
    with tarfile.open(sdist) as tar:
        names = {name.partition("/")[2] for name in tar.getnames()}
    wanted = "contrib/dist.py schemas/spec.json fixtures/lint/TKE002.yaml docs/krm.md docs/pictures/share.svg"
    assert {*wanted.split(), "mkdocs.yml", "requirements/dev.txt", "LICENSE"} <= names


def the_wheel_holds_the_package_and_its_schemas(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    wanted = {"api.py", "py.typed", "model/cards.json", "rules/examples/DRA001.md", "report/page.css"}
    wanted |= {"schemas/kubernetes-overlay.json"}
    assert {f"gpuxlate/{name}" for name in wanted} <= set(names)
    assert {name.split("/")[0].split("-")[0] for name in names} == {"gpuxlate"}


def the_zipapp_unpacks_once(folder: Path, app: Path) -> None:
    [made] = (folder / "cache" / "gpuxlate").iterdir()
    before = made.stat().st_mtime_ns
    run(app, "--version", cwd=folder)
    assert [(one.name, one.stat().st_mtime_ns) for one in made.parent.iterdir()] == [(made.name, before)]
    # where nothing can be written it runs all the same, and leaves nothing
    (folder / "tmp").mkdir(exist_ok=True)
    run(app, "--version", cwd=folder, XDG_CACHE_HOME="/dev/null", TMPDIR=str(folder / "tmp"))
    assert list((folder / "tmp").iterdir()) == []


def krew_gets_what_its_manifest_says(folder: Path, dist: Path) -> None:
    manifest = yaml.safe_load((dist / "gpuxlate.yaml").read_text())
    assert manifest["apiVersion"] == "krew.googlecontainertools.github.com/v1alpha2"
    assert (manifest["kind"], manifest["metadata"]["name"]) == ("Plugin", "gpuxlate")
    spec = manifest["spec"]
    assert spec["version"] == f"v{gpuxlate.__version__}"
    assert len(spec["shortDescription"]) <= 50
    assert {one["selector"]["matchLabels"]["os"] for one in spec["platforms"]} == {"linux", "darwin"}
    for one in spec["platforms"]:
        archive = dist / one["uri"].rpartition("/")[2]
        assert one["sha256"] == hashlib.sha256(archive.read_bytes()).hexdigest()
        system = one["selector"]["matchLabels"]["os"]
        with tarfile.open(archive) as tar:
            assert [it["from"] for it in one["files"]] == tar.getnames()
            tar.extractall(folder / "krew" / system, filter="data")
    plugin = folder / "krew" / "linux" / spec["platforms"][0]["bin"]
    assert "kubectl gpuxlate [OPTIONS]" in run(plugin, "--help", cwd=folder)


def test_a_platform_without_wheels_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The others are made, with their checksums, and the exit code says that one is missing."""
    monkeypatch.syspath_prepend(ROOT / "contrib")
    monkeypatch.setitem(sys.modules, "sbom", ModuleType("sbom"))  # its library is that of the extra dist
    dist = importlib.import_module("dist")

    def packages(folder: Path) -> tuple[Path, ...]:
        made = folder / "gpuxlate.whl", folder / "gpuxlate.tar.gz"
        for path in made:
            path.write_bytes(b"")
        return made

    def zipped(_wheel: Path, app: Path, inventory: Path, _pythons: object, on: object) -> None:
        if on.name == "darwin-x86_64":  # type: ignore[attr-defined]
            raise subprocess.CalledProcessError(1, ["pip"])
        app.write_bytes(b"zipapp")
        inventory.write_text("{}")

    monkeypatch.setattr(dist, "packages", packages)
    monkeypatch.setattr(dist, "zipped", zipped)
    monkeypatch.setattr(dist.os, "umask", lambda _mask: 0)
    monkeypatch.setattr(dist.os, "environ", dict(os.environ))
    assert dist.main([str(tmp_path)]) == 1
    assert "error: no zipapp for darwin-x86_64" in capsys.readouterr().err
    summed = {line.split()[1] for line in (tmp_path / "SHA256SUMS").read_text().splitlines()}
    assert {one.name for one in tmp_path.iterdir()} == summed | {"SHA256SUMS"}
    assert [name for name in summed if "darwin" in name and "arm64" not in name] == []
    assert len([name for name in summed if name.endswith(".pyz")]) == 3
