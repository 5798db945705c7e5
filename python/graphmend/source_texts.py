"""Source texts of code in this process, by the file name in the code object.

    code = compile(text, "<cell 3>", "exec")    # the text is on no disk
    candidates("<cell 3>")                      # `text`, and further texts with the same name

Texts come from three places: calls of `compile` after `start()`, seen by an audit hook; `linecache`, used by notebooks,
prompts and doctests; and the disk. No text is trusted: the caller compares the code of a text with the code at hand
(function_mends.py).
"""

from __future__ import annotations

import linecache
import os
import sys
from typing import Any

MOST_NAMES, MOST_OF_A_NAME, MOST_BYTES = (
    1024,
    1 << 13,
    1 << 20,
)  # names, texts of each (many are `<string>`), bytes of one


class Seen:
    """The last texts given to `compile` with names of files that are not on disk."""

    def __init__(self) -> None:
        self.hooked = False  # an audit hook stays for the life of a process
        self.active = False
        self.texts: dict[str, dict[bytes, None]] = {}  # by name, in order of arrival

    def note(self, source: Any, name: Any) -> None:
        """Keep a text that may define functions; a full table forgets the oldest text."""
        if isinstance(name, bytes):
            name = os.fsdecode(name)
        if not isinstance(name, str) or not isinstance(source, (str, bytes)) or len(source) > MOST_BYTES:
            return
        data = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
        if (b"def " not in data and b"lambda" not in data) or os.path.isfile(name):
            return
        texts = self.texts.setdefault(name, {})
        texts[data] = None
        tables: tuple[tuple[dict[Any, Any], Any, int], ...] = (
            (texts, data, MOST_OF_A_NAME),
            (self.texts, name, MOST_NAMES),
        )
        for table, key, most in tables:
            table[key] = table.pop(key)
            if len(table) > most:
                del table[next(iter(table))]


seen = Seen()


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "compile" and seen.active:
        try:
            seen.note(*arguments)
        except Exception:
            pass  # an exception would be the program's: it would come out of its call of `compile`


def start() -> None:
    """Watch calls of `compile` from now on. Another audit hook may refuse the new hook; then fewer texts are known."""
    seen.active = True
    if not seen.hooked:
        seen.hooked = True
        sys.addaudithook(_audit)


def stop() -> None:
    """Watch calls of `compile` no more, and forget the texts."""
    seen.active = False
    seen.texts.clear()


def were_compiled(name: str) -> bool:
    """Whether `compile` was given a text with this name."""
    return name in seen.texts


def of_linecache(name: str) -> bytes | None:
    """The text under a name in `linecache`."""
    entry = linecache.cache.get(name)
    if entry is None or len(entry) < 3 or os.path.isfile(name):
        return None
    return "".join(entry[2]).encode("utf-8", "surrogatepass")


def of_disk(name: str) -> bytes | None:
    """The bytes of a file of Python source."""
    try:
        with open(name, "rb") as stream:
            return stream.read()
    except (OSError, ValueError):
        return None


def candidates(name: str, function: str) -> list[bytes]:
    """The texts that the code of a function with this file name may come from, the likeliest first."""
    word = b"lambda" if function.startswith("<") else function.encode()
    found = [data for data in reversed(list(seen.texts.get(name, {}))) if word in data]
    others = (of_linecache(name), of_disk(name) if os.path.isfile(name) else None)
    return list(dict.fromkeys([*found, *(data for data in others if data is not None)]))
