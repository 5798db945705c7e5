"""Places of C sources that a mutant changes: what stands there, and what stands there instead.

Comments, texts, preprocessor lines and generated tables are no places. Neither are places at which the change makes no
other program: the last `break` of a `switch`, one in front of `default: break`, the boundary of `a < b ? a : b`, of
`a < b ? 0 : a - b` and of `if (a < b) { b = a; }`, one more of what memory is taken for or a local array has room for,
the slot at which a hash table is entered and how full it may be, the item whose size is asked, what `longjmp` gives,
`va_end`, and the count of work against its budget, which is far above ordinary files (tests/syntax/test_hostile.py
holds the budget itself). `draw` takes places by chance: an operator first, so that comparisons do not crowd out the
rarer ones, then one of its places.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

GENERATED = re.compile(r"_tables\.c$|unicode_names_data\.c$")
HIDDEN = re.compile(
    r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:\\\n|[^\n])*", re.S | re.M
)
HEAD = re.compile(r"^(?!typedef|struct|enum|union|#)[A-Za-z_][^;={}]*?\b(\w+)\([^;{}]*\)\s*\{", re.M)
OPERATORS: dict[str, tuple[re.Pattern[str], dict[str, str]]] = {
    "comparison": (re.compile(r"(?<![=!<>])(?:==|!=)(?!=)"), {"==": "!=", "!=": "=="}),
    "boundary": (
        re.compile(r"(?<= )(?:<=|>=|<|>)(?= )"),
        {"<": "<=", "<=": "<", ">": ">=", ">=": ">"},
    ),
    "and/or": (re.compile(r"&&|\|\|"), {"&&": "||", "||": "&&"}),
    "return": (
        re.compile(r"\breturn (?:true|false|0|NULL);"),
        {
            "return true;": "return false;",
            "return false;": "return true;",
            "return 0;": "return 1;",
        },
    ),
    "break": (re.compile(r"\bbreak;"), {"break;": ";"}),
    "constant": (re.compile(r"(?<![\w.])\d+(?=U?L?L?\b)(?![\w.]*[.x])"), {}),
    "condition": (re.compile(r"\b(?:if|while) \("), {}),
    "call": (re.compile(r"^[ \t]+gm_?\w+\([^;]*\);$|^[ \t]+[a-z_]+\([^;]*\);$", re.M), {}),
}
WORK = re.compile(r"\s*(?:gm_work|gm_source_index_columns|va_end)\(")
TAKEN = re.compile(r"\b(?:GM_NEW_ARRAY|gm_(?:arena_alloc|arena_grow|buffer_reserve|work)|[cm]alloc|realloc|longjmp)\(")
SLOT = re.compile(r"(?<!\+ 1\) )& \([\w.>-]*capacity - $")
FULL = re.compile(r"count >= [\w.>-]*capacity / 2\b")
SIZED = re.compile(r"\bsizeof [\w.>-]+\[$")
ROOM = re.compile(r"[ \t]+(?!return\b)[a-z]\w* (\w+)\[[\w +]*\];")
TERM, CAST = r"(?:\d \* )?[\w.*>\[\]-]+", r"(?:\([a-z]\w*\))?"
CHOSEN = rf"{CAST}\(?\1\)? : {CAST}\(?\2\)?|{CAST}\(?\2\)? : {CAST}\(?\1\)?|0 : \1 - \2"
SMALLER = re.compile(rf"({TERM}) (?:[<>]=?) ({TERM}) \? (?:{CHOSEN})(?![\w.\[(-])")
LOWERED = re.compile(
    rf"\bif \((?:[^;{{}}]* && )?({TERM}) (?:[<>]=?) ({TERM})\) \{{\s*(?:\2 = {CAST}\1|\1 = {CAST}\2);\s*\}}"
)


@dataclass(frozen=True)
class Place:
    """A mutant: `before` at `offset` of a file becomes `after`."""

    path: str
    offset: int
    line: int
    function: str
    operator: str
    before: str
    after: str


def hide(text: str) -> str:
    """The source with spaces in place of what is no code."""
    return HIDDEN.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def closing(code: str, opened: int) -> int:
    """Where the bracket closes that opens at an offset; -1 without one."""
    depth = 0
    for at in range(opened, len(code)):
        depth += {"(": 1, ")": -1}.get(code[at], 0)
        if depth == 0:
            return at
    return -1


def falls_out(code: str, start: int, end: int) -> bool:
    """Whether a `break` leaves a `switch` whose end comes next anyway."""
    if re.match(r"\s*default: break;\s*\}", code[end:]):
        return True
    if not re.match(r"\s*\}", code[end:]):
        return False
    depth, at = 1, start
    while at > 0 and depth > 0:
        at -= 1
        depth += {"}": 1, "{": -1}.get(code[at], 0)
    return code[code.rfind("\n", 0, at) + 1 : at].lstrip("} ").startswith("switch")


def functions_of(code: str) -> list[tuple[int, int, str]]:
    """Where each function begins and ends, and its name."""
    found = []
    for head in HEAD.finditer(code):
        end = code.find("\n}", head.end())
        found.append((head.end(), end if end >= 0 else len(code), head.group(1)))
    return found


def before_in_line(code: str, found: re.Match[str]) -> Iterator[re.Match[str]]:
    """The calls that take memory or count work in front of a place."""
    return TAKEN.finditer(code, code.rfind("\n", 0, found.start()) + 1, found.start())


def smaller(code: str, found: re.Match[str]) -> Iterator[re.Match[str]]:
    """The choices of the smaller or the greater one of two on the line of a place, or by the statement on the line."""
    start, end = code.rfind("\n", 0, found.start()) + 1, code.find("\n", found.start())
    yield from SMALLER.finditer(code, start, end if end >= 0 else len(code))
    statement = LOWERED.search(code, start)
    if statement is not None and statement.start(1) < found.start():
        yield statement


def is_room(code: str, found: re.Match[str]) -> bool:
    """Whether a place is the length of a local array of which nobody asks the size."""
    declared = ROOM.match(code, code.rfind("\n", 0, found.start()) + 1)
    if declared is None or not declared.end(1) < found.start() < declared.end():
        return False
    behind = code[declared.end() : code.find("\n}", declared.end())]
    return re.search(rf"\b(?:sizeof|LENGTH)\b[ (]*{declared.group(1)}\b", behind) is None


def changed(code: str, text: str, operator: str, found: re.Match[str]) -> tuple[int, str, str]:
    """Offset, what stands there and what shall; an empty text for no mutant."""
    before = found.group()
    if operator == "constant" and any(
        found.start() < closing(code, taken.end() - 1) for taken in before_in_line(code, found)
    ):
        return 0, "", ""
    before_it = code[max(0, found.start() - 60) : found.start()]
    if operator == "constant" and (SLOT.search(before_it) or SIZED.search(before_it) or is_room(code, found)):
        return 0, "", ""
    line = code[code.rfind("\n", 0, found.start()) + 1 : code.find("\n", found.start())]
    if operator in ("boundary", "constant") and FULL.search(line):
        return 0, "", ""
    if operator == "constant":
        return found.start(), before, str(int(before) + 1)
    if operator == "condition":
        end = closing(code, found.end() - 1)
        inner = text[found.end() : end]
        return (found.end(), inner, f"!({inner})") if end >= 0 else (0, "", "")
    if operator == "break" and falls_out(code, found.start(), found.end()):
        return 0, "", ""
    if operator == "boundary" and any(same.start() < found.start() < same.end() for same in smaller(code, found)):
        return 0, "", ""
    if operator == "call" and WORK.match(before):
        return 0, "", ""
    if operator == "call":
        indent = len(before) - len(before.lstrip())
        return found.start() + indent, text[found.start() + indent : found.end()], ";"
    return found.start(), before, OPERATORS[operator][1].get(before, "")


def places_of(path: Path, name: str) -> Iterator[Place]:
    text = path.read_text()
    code = hide(text)
    bodies = functions_of(code)
    for operator, (pattern, _) in OPERATORS.items():
        for found in pattern.finditer(code):
            inside = [name for start, end, name in bodies if start <= found.start() < end]
            if not inside:
                continue
            offset, before, after = changed(code, text, operator, found)
            if before and after:
                yield Place(name, offset, text.count("\n", 0, offset) + 1, inside[0], operator, before, after)


def all_places(root: Path, only: list[str]) -> dict[str, list[Place]]:
    """The places of the sources below `only`, by operator, in a fixed order."""
    found: dict[str, list[Place]] = {operator: [] for operator in OPERATORS}
    for path in sorted((root / "src").rglob("*.c")):
        name = path.relative_to(root).as_posix()
        if name.startswith(tuple(only)) and not GENERATED.search(name):
            for place in places_of(path, name):
                found[place.operator].append(place)
    return {operator: places for operator, places in found.items() if places}


def draw(root: Path, only: list[str], count: int, seed: int) -> list[Place]:
    """So many different mutants."""
    return drawn_from(all_places(root, only), count, seed)


def drawn_from(places: dict[str, list[Place]], count: int, seed: int) -> list[Place]:
    """So many of the places by operator: an operator first, then one of its places."""
    chance = random.Random(seed)
    for some in places.values():
        chance.shuffle(some)
    drawn: list[Place] = []
    while places and len(drawn) < count:
        operator = chance.choice(sorted(places))
        drawn.append(places[operator].pop())
        if not places[operator]:
            del places[operator]
    return drawn


def draw_each(root: Path, folders: list[str], count: int, seed: int) -> list[Place]:
    """So many of every folder, a round after the other, so that a run that is ended has seen each folder."""
    drawn = [draw(root, [folder], count, seed) for folder in folders]
    return [some[at] for at in range(count) for some in drawn if at < len(some)]
