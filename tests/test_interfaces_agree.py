"""One answer on a folder, of the command, the kubectl plug-in, the Python API, the editor and the KRM
function; with claims in one file and the pods that name them in another, and with overlays."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

import gpuxlate
from gpuxlate.cli import kubectl
from gpuxlate.lsp.actions import Translated
from gpuxlate.lsp.session import CheckedText, OpenText, ServerOptions
from gpuxlate.model.kept import forget
from tests.claims.test_overlays import app, texts
from tests.claims.test_translated import DEPLOYMENT
from tests.overlays.apps import Files, build, needs_kubectl, written
from tests.overlays.test_translated import tidy
from tests.running import Ran, run

Texts = dict[str, str]


def beside_templates() -> Texts:
    """A Deployment in one file, and in another the templates that it names."""
    workload, *templates = gpuxlate.translate(DEPLOYMENT, to="dra-hami").text.split("---\n")
    return {"claims.yaml": "---\n".join(templates), "web.yaml": workload}


FOLDERS: dict[str, tuple[str, Callable[[], Files]]] = {
    "templates that go": ("hami", beside_templates),
    "templates that come": ("dra-hami", lambda: {"web.yaml": DEPLOYMENT}),
    "a folder below": ("hami", lambda: {f"app/{name}": text for name, text in beside_templates().items()}),
    "an overlay": ("volcano-vgpu", app),
    "an overlay with claims": ("dra-hami", app),
}
REFUSED: dict[str, tuple[str, Callable[[], Files]]] = {
    "templates of one name": ("dra-hami", lambda: {"one.yaml": DEPLOYMENT, "two.yaml": DEPLOYMENT}),
    "no template": ("hami", lambda: {"web.yaml": beside_templates()["web.yaml"]}),
}


@pytest.fixture
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> tuple[Path, str]:
    target, files = (FOLDERS | REFUSED)[request.param]
    return written(tmp_path / "given", files()), target


@pytest.mark.parametrize("folder", FOLDERS, indirect=True)
def test_files(folder: tuple[Path, str]) -> None:
    """Every way to translate files has the same new texts."""
    root, target = folder
    wanted = by_command(root, target)
    assert wanted != texts(root)
    assert by_command(root, target, kubectl.main) == wanted
    assert by_python(root, target) == wanted
    assert by_editor(root, target) == wanted


def by_command(root: Path, target: str, program: Any = None) -> Texts:
    copy = root.parent / "copy"
    shutil.copytree(root, copy)
    try:
        done = translated(copy, target, "-i", program=program)
        assert done.code == 0, done.err
        return texts(copy)
    finally:
        shutil.rmtree(copy)


def translated(root: Path, target: str, *options: str, program: Any = None) -> Ran:
    forget()
    return run("translate", str(root), "--to", target, *options, **({"program": program} if program else {}))


def by_python(root: Path, target: str) -> Texts:
    forget()
    made = gpuxlate.translate(root, to=target)
    assert made.text.encode() == translated(root, target).out
    return {str(Path(name).relative_to(root)): text for name, text in made.files.items()}


def by_editor(root: Path, target: str) -> Texts:
    """Each file alone, as it is open."""
    forget()
    return {
        name: Translated.of(
            CheckedText.of(OpenText((root / name).as_uri(), 1, text), ServerOptions(isolated=True)), target
        ).result.text
        for name, text in texts(root).items()
    }


@pytest.mark.parametrize("folder", FOLDERS, indirect=True)
@needs_kubectl
def test_a_list(folder: tuple[Path, str], tmp_path: Path) -> None:
    """The function gets the objects of the files, or those that kustomize builds of them."""
    root, target = folder
    over = root / "overlays" / "prod"
    before, copy = objects(root, over), tmp_path / "copy"
    shutil.copytree(root, copy)
    assert translated(copy, target, "-i").code == 0
    given = {
        "apiVersion": "config.kubernetes.io/v1",
        "kind": "ResourceList",
        "items": before,
        "functionConfig": {
            "apiVersion": "gpuxlate.io/v1alpha1", "kind": "Translate", "spec": {"to": target}
        },
    }  # fmt: skip
    done = run("krm", stdin=json.dumps(given).encode())
    assert done.code == 0, done.err
    items = json.loads(done.out)["items"]
    assert in_order(items) == in_order(objects(copy, copy / over.relative_to(root)))


def objects(root: Path, over: Path) -> list[Any]:
    """What a folder is applied as."""
    text = build(over) if over.is_dir() else "---\n".join(texts(root).values())
    assert text
    return [one for one in yaml.safe_load_all(text) if one]


def in_order(found: list[Any]) -> list[Any]:
    for one in found:
        if (
            claims := one["spec"]["template"]["spec"].get("resourceClaims")
            if "template" in one["spec"]
            else 0
        ):
            claims.sort(key=lambda claim: claim["name"])  # kustomize puts those of a patch first
    return sorted(map(tidy, found), key=lambda one: json.dumps(one["metadata"]))


@pytest.mark.parametrize("folder", REFUSED, indirect=True)
def test_refused(folder: tuple[Path, str]) -> None:
    """What is between the files is found in all of them together."""
    root, target = folder
    by_command = translated(root, target)
    assert by_command.code == 1
    assert translated(root, target, program=kubectl.main) == by_command
    forget()
    with pytest.raises(gpuxlate.Refused) as refused:
        gpuxlate.translate(root, to=target)
    found = [f"error[{one.code}]: {one.message}\n  --> {one.file}:" for one in refused.value.diagnostics]
    assert len(found) == 2
    assert all(text in by_command.err.decode() for text in found)


def test_parse_of_an_overlay(tmp_path: Path) -> None:
    """What kustomize builds is counted, and its files are not."""
    root = written(tmp_path, app())
    forget()
    found = gpuxlate.parse(root)
    assert [one.memory_mib for one in found.shares] == [8192, 3000 * 2]
    assert found.objects == [*yaml.safe_load_all(run("parse", str(root)).out)]


def test_parse_of_a_share_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "web.yaml").write_text(DEPLOYMENT.replace("nvidia.com/gpumem: ", "nvidia.com/gpumem: a"))
    forget()
    with pytest.raises(gpuxlate.Refused, match="K8S001"):
        gpuxlate.parse(tmp_path)


def test_a_path_that_cannot_be_read(tmp_path: Path) -> None:
    for function in (lambda path: gpuxlate.translate(path, to="hami"), gpuxlate.parse):
        with pytest.raises(OSError, match="no such file"):
            function(tmp_path / "none.yaml")
