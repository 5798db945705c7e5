"""A document is where its URI leads: the settings that hold for it are those of the folder that the path names."""

from __future__ import annotations

import itertools
import os
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


@pytest.mark.parametrize("form", ["%{:02x}", "%{:02X}"])
def test_every_byte_of_a_path(client: Client, tmp_path: Path, form: str) -> None:
    """Each byte that a name may have, in its spelling with `%`."""
    loud = tmp_path / "loud"
    for folder, text in ((loud, "[tool.graphmend]\n"), (tmp_path, "[tool.graphmend]\n")):
        folder.mkdir(exist_ok=True)
        (folder / "pyproject.toml").write_text(text)
    for byte in sorted({*range(1, 256)} - {ord("/")}):
        folder = os.fsencode(loud) + b"/a" + bytes([byte])
        os.mkdir(folder)
        with open(folder + b"/pyproject.toml", "w") as file:
            file.write(SETTINGS)
        uri = client.open(f"file://{loud}/a{form.format(byte)}/model.py", TEXT)
        assert client.pull(uri) == [], byte
        assert client.pull(client.open(f"file://{loud}/b{form.format(byte)}/model.py", TEXT)) != [], byte


@pytest.mark.parametrize("end", ["%", "%4", "%4/", "%g1", "%1g", "%/1", "%00", "% 1", "%41%", "%%41"])
def test_spellings_that_are_none(client: Client, tmp_path: Path, end: str) -> None:
    """What is no byte leads nowhere: no settings hold, and the text is checked."""
    (tmp_path / "pyproject.toml").write_text(SETTINGS)
    assert client.pull(client.open(f"file://{tmp_path}/a.py", TEXT)) == []
    assert client.pull(client.open(f"file://{tmp_path}/a{end}.py", TEXT)) != []
