"""Notes of authors about classes and functions: from the source, read by the C core, or from docstrings without a
source.
"""

from __future__ import annotations

import sys
from typing import Any, Optional

_files: dict[str, dict[str, dict[str, Any]]] = {}
_AUTOMATIC = (
    "An enumeration.",
    "Support for flags",
    "Create a collection of name/value pairs.",
    "Enum where members are also",
)


def clean(text: Optional[str]) -> str:
    """A docstring without its indentation."""
    if not text:
        return ""
    lines = text.expandtabs().splitlines()
    margins = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
    margin = min(margins, default=0)
    return "\n".join([lines[0].strip(), *(line[margin:].rstrip() for line in lines[1:])]).strip()


def _docstring(target: Any) -> str:
    text = vars(target).get("__doc__") if isinstance(target, type) else getattr(target, "__doc__", None)
    name = getattr(target, "__name__", "")
    if not isinstance(text, str) or text.startswith((f"{name}(", *_AUTOMATIC)):
        return ""
    return clean(text)


def _file_notes(path: str) -> dict[str, dict[str, Any]]:
    """The notes of a source file by qualified name; the last definition of a name counts."""
    if path not in _files:
        found: dict[str, dict[str, Any]] = {}
        try:
            with open(path, "rb") as stream:
                data = stream.read()
            from graphmend.core import meaning_notes

            for entry in meaning_notes(path, data)["definitions"]:
                found[entry["name"]] = entry
        except (OSError, ImportError, ValueError):
            found = {}
        _files[path] = found
    return _files[path]


def _source_path(target: Any) -> Optional[str]:
    code = getattr(target, "__code__", None)
    if code is not None:
        return str(code.co_filename)
    module = sys.modules.get(getattr(target, "__module__", ""))
    return getattr(module, "__file__", None)


def notes_of(target: Any) -> dict[str, Any]:
    """{"doc": str, "members": {name: str}} of a class or function."""
    path = _source_path(target)
    entry = _file_notes(path).get(getattr(target, "__qualname__", "")) if path else None
    members = {
        name: note
        for base in reversed(getattr(target, "__mro__", (target,)))
        for name, note in _own_members(base).items()
    }
    return {"doc": clean(entry["doc"]) if entry and entry.get("doc") else _docstring(target), "members": members}


def _own_members(target: Any) -> dict[str, str]:
    path = _source_path(target)
    entry = _file_notes(path).get(getattr(target, "__qualname__", "")) if path else None
    if not entry:
        return {}
    return {
        member["name"]: " ".join(clean(member["note"]).split()) for member in entry["members"] if member.get("note")
    }
