"""The extension of contrib/vscode, with VS Code's modules in stand-ins that record what they are given."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "contrib" / "vscode"
STARTED = """
const Module = require("module"), load = Module._load, seen = [];
class LanguageClient {
  constructor(...given) { seen.push(given); }
  start() { seen.push("start"); }
  stop() { seen.push("stop"); }
}
const {default: command} = require("./package.json").contributes.configuration.properties["gpuxlate.command"];
const stands = {
  vscode: {workspace: {getConfiguration: () => ({get: () => command})}},
  "vscode-languageclient/node": {LanguageClient},
};
Module._load = (name, ...rest) => stands[name] ?? load(name, ...rest);
const extension = require("./extension.js");
extension.activate();
extension.deactivate();
console.log(JSON.stringify(seen));
"""


def test_the_extension_starts_and_stops_the_server() -> None:
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    done = subprocess.run(["node", "-e", STARTED], cwd=FOLDER, capture_output=True, text=True, check=True)
    [[name, _, server, options], *calls] = json.loads(done.stdout)
    assert (name, server) == ("gpuxlate", {"command": "gpuxlate", "args": ["server"]})
    assert [one["language"] for one in options["documentSelector"]] == ["yaml", "json"]
    assert calls == ["start", "stop"]
