"""Cells of closures, which may be empty: a function may be made before the variable gets a value."""

from __future__ import annotations

from types import CellType
from typing import Any


def contents_of_cell(cell: CellType) -> tuple[Any, ...]:
    """The value of a cell; nothing while the cell is empty."""
    try:
        return (cell.cell_contents,)
    except ValueError:
        return ()
