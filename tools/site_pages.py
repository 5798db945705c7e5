"""The pages of the documentation site, put together in one folder: `make docs`.

The project's Markdown files link to each other by their places in the repository; on the site they stand side by side,
and beside them a page for each rule and for each kind of graph break:

    README.md            -> index.md               [guards](docs/guard.md) becomes [guards](guard.md)
    docs/guard.md        -> guard.md
    graphmend rule GM101 -> rules/GM101.md
    graphmend rule GB0170 -> breaks/GB0170.md

Files of examples that a page links to are copied; a link to a folder becomes its text. The pages of breaks are found by
the number and by the words that torch.compile prints: the search of the site has both.

usage: site_pages.py FOLDER [--graphmend PROGRAM]
"""

from __future__ import annotations

import argparse
import json
import posixpath
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
CODE = re.compile(r"^(```+|~~~+)")
NAME = "graphmend"
PARTS = [
    ("Start", ["index.md"]),
    ("Commands", ["check.md", "verify.md", "guard.md", "editors.md", "settings.md", "json.md"]),
    ("Models' answers", ["meaning.md"]),
    ("What works where", ["releases.md", "packages.md", "results.md"]),
    ("Inside", ["architecture.md", "source-dialect.md", "runtime-dialect.md", "glossary.md"]),
    ("Project", ["CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]),
]
BREAKS = "breaks/index.md"
TITLES = {"index.md": "graphmend", "CHANGELOG.md": "Changes"}


def sources() -> dict[str, str]:
    """The pages that the repository holds: place in the repository to place on the site."""
    places = {"README.md": "index.md"}
    places.update({path.name: path.name for path in ROOT.glob("*.md") if path.name != "README.md"})
    places.update({f"docs/{path.name}": path.name for path in (ROOT / "docs").glob("*.md")})
    return {**places, "docs/breaks.md": BREAKS}


def with_prose(text: str, change: "Callable[[str], str]") -> str:
    """A Markdown text whose lines are changed where they are no code."""
    lines, fence = [], ""
    for line in text.splitlines():
        found = CODE.match(line)
        if found and (not fence or line.rstrip() == fence):
            fence = "" if fence else found[1]
        elif not fence and not line.startswith("    "):
            line = change(line)
        lines.append(line)
    return "\n".join(lines) + "\n"


class Pages:
    """A folder of pages for the site."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.places = sources()

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def target(self, source: str, link: str) -> "str | None":
        """Where a link of a file of the repository leads on the site; None where nothing of the site is there."""
        path, _, anchor = link.partition("#")
        if "://" in link or not path:
            return link
        place = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        found = self.places.get(place)
        if found is None and (ROOT / place).is_file():
            found = f"files/{place}"
            (self.folder / found).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / place, self.folder / found)
        if found is None:
            return None
        from_here = posixpath.relpath(found, posixpath.dirname(self.places[source]) or ".")
        return from_here + (f"#{anchor}" if anchor else "")

    def linked(self, source: str, text: str) -> str:
        """The text of a page with links that lead to pages of the site; code stays as it is."""

        def replace(match: "re.Match[str]") -> str:
            mark, words, link = match.groups()
            target = self.target(source, link)
            return words if target is None else f"{mark}[{words}]({target})"

        return with_prose(text, lambda line: LINK.sub(replace, line))

    def write_sources(self) -> None:
        for source, place in self.places.items():
            self.write(place, self.linked(source, (ROOT / source).read_text(encoding="utf-8")))

    def write_rules(self, pages: "list[dict[str, Any]]") -> "dict[str, list[str]]":
        """The pages of rules and of breaks, with a list of each; returns their places."""
        known = {page["code"] for page in pages}
        made: "dict[str, list[str]]" = {"rules": [], "breaks": []}
        listed: "dict[str, list[str]]" = {"rules": [], "breaks": []}
        for page in pages:
            folder = "rules" if page["kind"] == "rule" else "breaks"
            place = f"{folder}/{page['code']}.md"
            title = page["page"].partition("\n")[0].removeprefix("# ")
            self.write(place, with_codes(page["page"], known, page["code"]))
            made[folder].append(place)
            listed[folder].append(f"- [{title}]({page['code']}.md)")
        words = "`check` names them, and `graphmend rule CODE` prints their pages."
        self.write("rules/index.md", f"# Rules\n\n{words}\n\n" + "\n".join(listed["rules"]) + "\n")
        about = (self.folder / BREAKS).read_text(encoding="utf-8")
        self.write(BREAKS, f"{about}\n## All of them\n\n" + "\n".join(listed["breaks"]) + "\n")
        return made


def with_codes(text: str, known: "set[str]", own: str) -> str:
    """A page of a rule or a break, with links from the codes in it to their pages."""

    def replace(match: "re.Match[str]") -> str:
        code = match[0]
        folder = "rules" if code.startswith("GM") else "breaks"
        return f"[{code}](../{folder}/{code}.md)" if code in known and code != own else code

    def change(line: str) -> str:
        return line if line.startswith("#") or "`" in line else re.sub(r"\bG[MB]\d{3,4}\b", replace, line)

    return with_prose(text, change)


def settings_of(folder: Path, made: "dict[str, list[str]]") -> "dict[str, Any]":
    """The settings of mkdocs. Nothing of the site is loaded from elsewhere: no fonts, no scripts, no counters."""
    navigation: "list[dict[str, Any]]" = [
        {title: [{TITLES[name]: name} if name in TITLES else name for name in names]} for title, names in PARTS
    ]
    navigation.insert(2, {"Rules": ["rules/index.md", *made["rules"]]})
    navigation.insert(3, {"Graph breaks": [BREAKS]})
    return {
        "site_name": NAME,
        "site_description": "Finds, explains and removes what makes torch.compile break its graph",
        "docs_dir": str(folder.resolve()),
        "site_dir": str((folder.parent / "site").resolve()),
        "use_directory_urls": False,
        "strict": True,
        "theme": {"name": "material", "font": False, "features": ["navigation.indexes", "content.code.copy"]},
        "plugins": ["material/search"],
        "markdown_extensions": ["tables", "fenced_code", {"toc": {"permalink": True}}],
        "validation": {"links": {"not_found": "warn", "anchors": "warn", "absolute_links": "warn"}},
        "not_in_nav": "/breaks/GB*.md\n",
        "nav": navigation,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description="The pages of the documentation site, in one folder.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--graphmend", default="graphmend")
    options = parser.parse_args()
    shutil.rmtree(options.folder, ignore_errors=True)
    options.folder.mkdir(parents=True)
    pages = Pages(options.folder)
    pages.write_sources()
    command = [options.graphmend, "rule", "--all", "--output-format", "json"]
    made = pages.write_rules(json.loads(subprocess.run(command, capture_output=True, check=True).stdout))
    settings = json.dumps(settings_of(options.folder, made), indent=1)  # JSON is YAML
    (options.folder.parent / "mkdocs.yml").write_text(settings + "\n", encoding="utf-8")
    print(f"site: {sum(1 for _ in options.folder.rglob('*.md'))} pages in {options.folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
