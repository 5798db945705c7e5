"""The pages of the documentation site: every link leads to a page or a file that is there, and code stays as it is."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
FENCED = re.compile(r"^(```+)[^\n]*\n.*?^\1$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")


@pytest.fixture(scope="module")
def site() -> ModuleType:
    """`tools/site_pages.py`, which is no package."""
    spec = importlib.util.spec_from_file_location("site_pages", ROOT / "tools" / "site_pages.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["site_pages"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def made(site: ModuleType, executable: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of pages."""
    folder = tmp_path_factory.mktemp("site") / "pages"
    command = [sys.executable, str(ROOT / "tools" / "site_pages.py"), str(folder), "--graphmend", executable]
    subprocess.run(command, check=True, capture_output=True)
    return folder


def test_links_lead_somewhere(made: Path) -> None:
    lost = []
    for path in made.rglob("*.md"):
        text = FENCED.sub("", path.read_text(encoding="utf-8"))
        prose = "\n".join(line for line in text.splitlines() if not line.startswith("    "))
        for link in LINK.findall(re.sub(r"`[^`\n]*`", "", prose)):
            target = link.partition("#")[0]
            if target and "://" not in link and not (path.parent / target).exists():
                lost.append(f"{path.relative_to(made)}: {link}")
    assert lost == []


def test_every_rule_and_break_has_a_page(made: Path, executable: str) -> None:
    told = subprocess.run([executable, "rule", "--all", "--output-format", "json"], capture_output=True, check=True)
    pages: "list[dict[str, Any]]" = json.loads(told.stdout)
    for page in pages:
        folder = "rules" if page["kind"] == "rule" else "breaks"
        text = (made / folder / f"{page['code']}.md").read_text(encoding="utf-8")
        assert text.partition("\n")[0] == page["page"].partition("\n")[0]
        assert f"]({page['code']}.md)" in (made / folder / "index.md").read_text(encoding="utf-8")
    assert {page["kind"] for page in pages} == {"rule", "break"}


def test_every_page_of_the_repository_is_in_the_navigation(site: ModuleType, made: Path) -> None:
    settings = json.loads((made.parent / "mkdocs.yml").read_text(encoding="utf-8"))
    named = set(re.findall(r'"([\w/-]+\.md)"', json.dumps(settings["nav"])))
    assert set(site.sources().values()) <= named
    assert all((made / name).exists() for name in named)


def test_links_of_code_stay(site: ModuleType, tmp_path: Path) -> None:
    pages = site.Pages(tmp_path)
    text = "[a](docs/guard.md#x)\n```python\nb[0](docs/guard.md)\n```\n    c[0](docs/guard.md)\n[d](examples/ci)\n"
    assert pages.linked("README.md", text) == (
        "[a](guard.md#x)\n```python\nb[0](docs/guard.md)\n```\n    c[0](docs/guard.md)\nd\n"
    )
    assert pages.linked("docs/breaks.md", "[a](../README.md)\n") == "[a](../index.md)\n"
    assert pages.linked("docs/check.md", "[a](../examples/tour.py)\n") == "[a](files/examples/tour.py)\n"
    assert (tmp_path / "files/examples/tour.py").read_bytes() == (ROOT / "examples/tour.py").read_bytes()
