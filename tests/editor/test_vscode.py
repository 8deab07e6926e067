"""The extension of contrib/vscode, with VS Code's modules in stand-ins that record what they are given."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gpuxlate.editor.settings import SETTINGS
from gpuxlate.locale import LANGUAGES

FOLDER = Path(__file__).parents[2] / "contrib" / "vscode"
STARTED = """
const Module = require("module"), load = Module._load, seen = [], failing = process.env.FAILING;
class LanguageClient {
  constructor(...given) { seen.push(given); }
  async start() { seen.push("start"); if (failing) throw new Error("ENOENT"); }
  stop() { seen.push("stop"); }
}
const {default: command} = require("./package.json").contributes.configuration.properties["gpuxlate.command"];
const stands = {
  vscode: {
    workspace: {getConfiguration: () => ({get: () => command})},
    window: {
      showQuickPick: async (names) => (await names)[1],
      showErrorMessage: (message) => seen.push(message),
    },
  },
  "vscode-languageclient/node": {LanguageClient},
};
Module._load = (name, ...rest) => stands[name] ?? load(name, ...rest);
const extension = require("./extension.js");
extension.activate().then(async () => {
  const {executeCommand} = seen[0][3].middleware;
  const next = async (name, args) => name === "gpuxlate.targets" ? ["vke", "tke"] : [name, ...args];
  seen.push(await executeCommand("gpuxlate.translate", ["file:///a.yaml"], next));
  seen.push(await executeCommand("gpuxlate.translate", ["file:///a.yaml", "hami"], next));
  extension.deactivate();
  console.log(JSON.stringify(seen));
});
"""


def activated(**environment: str) -> list[Any]:
    command = ["node", "-e", STARTED]
    env = os.environ | environment
    done = subprocess.run(command, cwd=FOLDER, env=env, capture_output=True, text=True, check=True)
    found: list[Any] = json.loads(done.stdout)
    return found


def test_the_extension_starts_and_stops_the_server() -> None:
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    [[name, _, server, options], *calls] = activated()
    assert (name, server) == ("gpuxlate", {"command": "gpuxlate", "args": ["server"]})
    assert [one["language"] for one in options["documentSelector"]] == ["yaml", "json"]
    assert options["synchronize"] == {"configurationSection": "gpuxlate"}
    chosen = [["gpuxlate.translate", "file:///a.yaml", target] for target in ("tke", "hami")]
    assert calls == ["start", *chosen, "stop"]
    _, start, said, *_ = activated(FAILING="1")
    assert (start, said) == (
        "start",
        "gpuxlate does not start (ENOENT). Install it with pip install 'gpuxlate[editor]', "
        "or set gpuxlate.command to where it is.",
    )


def test_what_it_sets_is_what_the_server_takes() -> None:
    properties = json.loads((FOLDER / "package.json").read_text())["contributes"]["configuration"][
        "properties"
    ]
    assert {name.removeprefix("gpuxlate.") for name in properties} == {*SETTINGS, "command"}
    assert properties["gpuxlate.lang"]["enum"] == ["", *LANGUAGES]
