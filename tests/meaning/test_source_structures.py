"""Types that are said twice are one, and those that differ in any part are two: every pair of some types, in turns."""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from graphmend import core
from graphmend.meaning.api import readable

HEAD = """import enum
from dataclasses import dataclass
from typing import Annotated, Any, Dict, FrozenSet, List, Literal, Optional, Set, Tuple, Union


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Other(enum.Enum):
    RED = 1


class Bound:
    def __init__(self, **bounds):
        self.__dict__.update(bounds)


"""
TYPES = [
    "int",
    "str",
    "List[int]",
    "List[str]",
    "Set[int]",
    "FrozenSet[int]",
    "Tuple[int, ...]",
    "Tuple[int]",
    "Tuple[int, str]",
]
TYPES += [
    "Tuple[str, int]",
    "Tuple[()]",
    "Tuple[int, int]",
    "Dict[str, int]",
    "Dict[int, str]",
    "Dict[str, str]",
    "Optional[int]",
]
TYPES += [
    "Optional[str]",
    "Union[int, str]",
    "Union[int, str, None]",
    "Literal['a']",
    "Literal['b']",
    "Literal[1]",
]
TYPES += [
    "Literal['1']",
    "Literal['a', 'b']",
    "Literal[True]",
    "Literal[None]",
    "Literal[b'a']",
    "Literal[b'b']",
]
TYPES += [
    "Literal[Color.RED]",
    "Literal[Color.BLUE]",
    "Literal[Other.RED]",
    "Color",
    "Other",
    "List[List[int]]",
    "List[List[str]]",
]
TYPES += [
    "Annotated[int, 'a']",
    "Annotated[int, 'b']",
    "Annotated[str, 'a']",
    "Annotated[int, 'a', 'b']",
    "Literal['ab', 'c']",
]
TYPES += [
    "Literal['a', 'bc']",
    "List[Literal['a']]",
    "List[Any]",
    "Any",
    "Annotated[List[int], 'a']",
    "List[Annotated[int, 'a']]",
]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="has other types")
def test_pairs_of_types(tmp_path: Path) -> None:
    for one, other in itertools.combinations(TYPES, 2):
        fields = "".join(
            f"    f{at}: {shown}\n"
            for at, shown in enumerate((one, other, one, f"List[{other}]", other, f"List[{one}]"))
        )
        text = f"{HEAD}@dataclass\nclass A:\n{fields}"
        scope: dict[str, Any] = {"__name__": __name__}
        exec(compile(text, "a.py", "exec", dont_inherit=True), scope)
        known = json.loads(readable(scope["A"]).reader.meaning())
        assert core.meaning_source(str(tmp_path / "a.py"), text.encode(), "A") == known, (one, other)
