"""A document is where its URI leads: the settings that hold for it are those of the folder that the path names."""

from __future__ import annotations

import itertools
import posixpath
from pathlib import Path

import pytest
from lsp_client import Client

TEXT = "import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n    print(x.sum())\n    return x\n"
FOLDERS = ["", "a", "a.", ".a", "..a", "a..", "...", "a.b", ".a."]
STEPS = ["", ".", "..", "a", "a.", ".a", "..a", "..."]
SETTINGS = '[tool.graphmend]\nignore = ["GM301"]\n'


@pytest.mark.parametrize("quiet", FOLDERS)
def test_paths_of_documents(client: Client, tmp_path: Path, quiet: str) -> None:
    """All paths of two steps, and each folder below itself, with settings in one folder alone."""
    for folder in FOLDERS:
        (tmp_path / folder / "a").mkdir(parents=True, exist_ok=True)
    (tmp_path / quiet / "pyproject.toml").write_text(SETTINGS)
    for folder in FOLDERS:
        if folder != quiet:
            (tmp_path / folder / "pyproject.toml").write_text("[tool.graphmend]\n")
    (tmp_path / "a" / "a" / "pyproject.toml").write_text("[tool.graphmend]\n")
    for first, second in itertools.product(STEPS, repeat=2):
        path = f"a/{first}/{second}/model.py"
        place = Path(posixpath.normpath(tmp_path / path)).parent
        if place.exists() and tmp_path in (place, *place.parents):
            found = client.diagnostics(client.open(f"file://{tmp_path}/{path}", TEXT))
            nearest = next(above for above in (place, *place.parents) if (above / "pyproject.toml").exists())
            assert bool(found) == (nearest != tmp_path / quiet), path
