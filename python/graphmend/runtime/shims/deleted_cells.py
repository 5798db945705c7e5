"""`del` of a local variable that an inner function reads.

    outputs = self.layer(x)
    cache = next((outputs[name] for name in NAMES if name in outputs), None)     # `outputs` becomes a cell
    del outputs                                                                  # Dynamo has no DELETE_DEREF

Dynamo keeps the contents of a cell like an attribute, and knows deleted attributes. A later read of the cell refuses
the trace, because eager Python raises a NameError there. Cells from before the call are left to Dynamo.
"""

from __future__ import annotations

import dis
from typing import Any, Iterator

from ..base import hooks, trace_state
from ..capture.implicit_bool import Handler, handlers

FEATURE = hooks.Feature(__name__, hooks.GAIN, "deleted variables of inner functions")


@FEATURE.scope
def delete_cells(trace: trace_state.Trace) -> Iterator[None]:
    """Give Dynamo's translators a handler of DELETE_DEREF."""
    opcode = dis.opmap["DELETE_DEREF"]
    tables = list(handlers())
    originals = [table[opcode] for table in tables]
    for table, original in zip(tables, originals):
        if original is not None:
            table[opcode] = deleting(original)
    try:
        yield
    finally:
        for table, original in zip(tables, originals):
            table[opcode] = original


def deleting(handle: Handler) -> Handler:
    """A handler of DELETE_DEREF for cells that the call has made; `handle` is for other cells."""

    def delete(tx: Any, instruction: Any) -> Any:
        from ..base.torch_names import AttributeMutationNew, DeletedVariable

        cell, effects = tx.symbolic_locals.get(instruction.argval), tx.output.side_effects
        if cell is None or not isinstance(cell.mutation_type, AttributeMutationNew):
            return handle(tx, instruction)
        effects.load_cell(cell)  # an empty cell refuses the trace
        effects.store_cell(cell, DeletedVariable())
        return None

    return delete
