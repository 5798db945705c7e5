"""A real Neovim, headless, with the lines of docs/editors.md. Skipped aloud where there is none."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

NEOVIM = os.environ.get("GRAPHMEND_NEOVIM") or shutil.which("nvim")
DOCS = Path(__file__).resolve().parents[2] / "docs" / "editors.md"
TEXT = """import torch


@torch.compile
def f(x: torch.Tensor):
    s = x.float().sum()
    if s > 0:
        y = s + 1.0
    else:
        y = s - 1.0
    return y
"""
# Debian 12 has Neovim 0.7, in which `start` was two functions.
BEFORE = """
vim.lsp.start = vim.lsp.start or function(config)
  vim.lsp.buf_attach_client(0, vim.lsp.start_client(config))
end
"""
DRIVER = """
local function until_true(what, condition)
  if not vim.wait(60000, condition, 20) then error('nothing came: ' .. what) end
end
vim.cmd('edit a.py')
local client
until_true('client', function()
  client = (vim.lsp.get_clients or vim.lsp.get_active_clients)()[1]
  return client ~= nil and client.initialized ~= false
end)
until_true('diagnostics', function() return #vim.diagnostic.get(0) == 1 end)
local found = vim.diagnostic.get(0)[1]
assert(found.code == 'GM101' and found.lnum == 6 and found.col == 7, vim.inspect(found))
local params = { textDocument = vim.lsp.util.make_text_document_params(), position = { line = 6, character = 7 } }
local hover = client.request_sync('textDocument/hover', params, 60000, 0)
assert(hover.result.contents.value:find('data%-dependent branch'), vim.inspect(hover))
params.range = { start = { line = 6, character = 7 }, ['end'] = { line = 6, character = 7 } }
params.context = { diagnostics = {}, only = { 'quickfix' } }
local actions = client.request_sync('textDocument/codeAction', params, 60000, 0)
vim.lsp.util.apply_workspace_edit(actions.result[1].edit, client.offset_encoding)
until_true('the mended text', function() return #vim.diagnostic.get(0) == 0 end)
local file = io.open('seen.txt', 'w')
file:write(table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n') .. '\\n')
file:close()
vim.cmd('qall!')
"""


def configuration() -> str:
    """The Lua of the document."""
    found = re.search(r"```lua\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    return found[1]


def test_neovim(executable, tmp_path) -> None:
    if not NEOVIM:
        pytest.skip("ALOUD: tests/server/test_neovim.py: Neovim is not installed")
    (tmp_path / "a.py").write_text(TEXT, encoding="utf-8")
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "graphmend").symlink_to(executable)
    (tmp_path / "driver.lua").write_text(BEFORE + configuration() + DRIVER, encoding="utf-8")
    done = subprocess.run(
        [NEOVIM, "--headless", "--clean", "-n", "-c", "luafile driver.lua", "-c", "cquit 1"],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=180,
    )
    seen = tmp_path / "seen.txt"
    assert seen.exists(), done.stderr
    mended = subprocess.run([executable, "fix", "--isolated", "-"], input=TEXT, capture_output=True, text=True).stdout
    assert seen.read_text(encoding="utf-8") == mended
    assert (tmp_path / "a.py").read_text(encoding="utf-8") == TEXT
