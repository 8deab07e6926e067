"""The schemas in editors: in Ajv 2020, with patterns in Unicode mode, and in the YAML language server."""

from __future__ import annotations

import asyncio
import json
import subprocess
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

from tests.editor.client import Editor, utf16
from tests.editor.node import modules

ROOT = Path(__file__).parents[2]
SCHEMAS = ROOT / "schemas"

AJV = """
const fs = require("fs"), Ajv = require("ajv/dist/2020").default;
const found = {};
for (const [name, texts] of Object.entries(JSON.parse(fs.readFileSync(0)))) {
  const relaxed = {strictTypes: false, strictRequired: false, strictTuples: false, validateFormats: false};
  const ajv = new Ajv({unicodeRegExp: true, strict: true, ...relaxed});
  ajv.addVocabulary(["errorMessage", "doNotSuggest"]);
  const valid = ajv.compile(JSON.parse(fs.readFileSync(name)));
  found[name] = texts.map(one => valid(one));
}
console.log(JSON.stringify(found));
"""


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


def test_every_schema_compiles_in_ajv_and_judges_alike() -> None:
    """2020-12, strict but for notes on style. Patterns have the flag u, under which \\- is no escape."""
    overlay = SCHEMAS / "kubernetes-overlay.json"
    asked = {str(one): [] for one in SCHEMAS.glob("*.json")} | {str(overlay): [text for text, _ in JUDGED]}
    folder = modules().parent
    done = subprocess.run(
        ["node", "-e", AJV], cwd=folder, input=json.dumps(asked), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[str(overlay)] == [right for _, right in JUDGED]
    assert len(asked) >= 7


POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
  - name: web
    resources:
      limits:
        LIMITS
"""
SAID = {
    f"{TKE}-core: 35": [],
    f"{TKE}-memory: 4": [],
    f'{TKE}-memory: "4"': [],
    f"{TKE}-memory: four": ["write 1 or more"],
    f"{TKE}-core: 33\n        {TKE}-memory: 4": ["Value is not divisible by 5."],
    f'{TKE}-core: "33"\n        {TKE}-memory: 4': [
        "write 5 to 100 in multiples of 5, 101 to 200, 100 or more in multiples of 100"
    ],
    f"{TKE}-memroy: 4": [f"Property {TKE}-memroy is not allowed."],
    f"{VKE}-core: 30\n        {ACK}-mem: 4": ["keys of two vendors: a container asks one vendor for GPUs"],
    f"{VKE}-compute-policy: native": [f"{VKE}-compute-policy has no effect here: policy"],
}
"""Limits, and what the YAML language server says of them."""


async def _in_yaml_editor() -> None:
    settings = {
        "validate": True,
        "completion": True,
        "schemaStore": {"enable": False},
        "schemas": {(SCHEMAS / "kubernetes-overlay.json").as_uri(): ["*.yaml"]},
    }
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
    for number, (limits, expected) in enumerate(SAID.items()):
        uri = f"file:///{number}.yaml"
        found = await one.open(uri, POD.replace("LIMITS", limits))
        assert [each.message for each in found] == expected, limits
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
