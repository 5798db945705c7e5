"""The extension for VS Code: its tests in Node, and what its manifest promises. `make vscode` builds both.

Skipped aloud where Node is not installed, or nothing is built.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXTENSION = ROOT / "editors" / "vscode"


@pytest.fixture(scope="module")
def manifest() -> "dict[str, Any]":
    """The extension's package.json."""
    loaded: "dict[str, Any]" = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    return loaded


@pytest.mark.parametrize("name", ["executable", "protocol"])
def test_in_node(executable: str, name: str) -> None:
    built = EXTENSION / "out" / "test" / f"{name}.test.js"
    node = shutil.which("node")
    if node is None:
        pytest.skip("ALOUD: tests/editors/test_vscode.py: Node is not installed")
    sources = [*EXTENSION.glob("src/*.ts"), *EXTENSION.glob("test/*.ts")]
    if not built.exists() or built.stat().st_mtime < max(path.stat().st_mtime for path in sources):
        pytest.skip("ALOUD: tests/editors/test_vscode.py: the extension is not built as it is: `make vscode` builds it")
    environment = {**os.environ, "GRAPHMEND": executable}
    done = subprocess.run(
        [node, "--test", str(built)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^# pass [1-9]", done.stdout, re.MULTILINE) or re.search(r"ℹ pass [1-9]", done.stdout)


def test_the_version_is_that_of_the_package(manifest: "dict[str, Any]") -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'version = "{manifest["version"]}"' in project


def test_every_command_is_registered(manifest: "dict[str, Any]") -> None:
    source = (EXTENSION / "src" / "commands.ts").read_text(encoding="utf-8")
    registered = set(re.findall(r'register\("([\w.]+)"', source))
    assert registered == {command["command"] for command in manifest["contributes"]["commands"]}


def test_settings_are_those_of_the_document(manifest: "dict[str, Any]") -> None:
    """The editor's own choices, with the defaults that docs/editors.md tells."""
    settings = manifest["contributes"]["configuration"]["properties"]
    page = (ROOT / "docs" / "editors.md").read_text(encoding="utf-8")
    choices = dict(re.findall(r"^\| `(\w+)` \| `(true|false)` \|", page, re.MULTILINE))
    assert choices == {
        name: json.dumps(settings[f"graphmend.{name}"]["default"]) for name in ("codeLens", "inlayHints")
    }
    others = set(settings) - {f"graphmend.{name}" for name in choices}
    assert all(f"`{name}`" in page for name in others)


def test_only_a_trusted_workspace_names_an_executable(manifest: "dict[str, Any]") -> None:
    untrusted = manifest["capabilities"]["untrustedWorkspaces"]
    assert untrusted["supported"] == "limited" and untrusted["restrictedConfigurations"] == ["graphmend.path"]


def test_packages_are_locked(manifest: "dict[str, Any]") -> None:
    """What is installed is what package-lock.json names, by hash, from any registry."""
    lock = json.loads((EXTENSION / "package-lock.json").read_text(encoding="utf-8"))
    assert lock["packages"][""]["devDependencies"] == manifest["devDependencies"]
    packages = {name: package for name, package in lock["packages"].items() if name}
    assert all(package["integrity"].startswith("sha512-") for package in packages.values())
    assert not any("resolved" in package for package in packages.values())
