"""Numbers in an f-string that a graph break cuts in two.

    f"{rate:.2f} {x.tolist()!r}"     # the graph breaks at `tolist`, behind the text of `rate`

Dynamo gives the text of a symbolic number the origin of the number. Behind the break the number stands on the stack
in the place of its text, and `join` raises a TypeError. Here the text has no origin, and Dynamo guards the number
where it needs the text.
"""

from __future__ import annotations

import functools
from typing import Any

from ..base import hooks, trace_state
from .string_formatting import push_number

FEATURE = hooks.Feature(
    __name__,
    hooks.GUARD,
    "numbers in texts that a break cuts in two",
    partial=True,
    wanted=hooks.in_parts,
)


@FEATURE.hook("text.format_value")
def format_value(show: Any, trace: trace_state.Trace, self: Any, specification: Any, flags: int) -> Any:
    """Format a number without the origin of the number."""
    from ..base.torch_names import SymNodeVariable

    value = self.stack[-1].realize()
    if not isinstance(value, SymNodeVariable):
        return hooks.DECLINED
    push_number(self, text_class(), value, specification, flags)
    return None


@functools.lru_cache(maxsize=None)
def text_class() -> type:
    """Dynamo's class of texts of numbers; imported late, because Dynamo may not be loaded yet."""
    from ..base.torch_names import LazySymNodeFormatString

    class NumberText(LazySymNodeFormatString):  # type: ignore[misc]  # a class of Dynamo, unknown to mypy
        """The text of a number, formatted as a number: Dynamo formats the text of `str`."""

        def __repr__(self) -> str:
            return str(self.fmt_var.as_python_constant().format(self.sym_node_var.evaluate_expr()))

    return NumberText
