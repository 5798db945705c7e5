"""Objects that outlive a call, where Dynamo would rebuild another object than Python has made.

    self.names = self.table.keys()    # Python: a view that sees later items; Dynamo: a view of a copy
    self.rest = iter(self.queue)      # Python: sees items that come later; Dynamo: an iterator over a copy
    return len(self.names)            # Dynamo does not know which dictionary a kept view shows

A view of a dictionary from before the call is taken from the dictionary itself. A graph is refused that keeps
an iterator or reads a kept one, and one that reads a kept view and changes a dictionary.
"""

from __future__ import annotations

from typing import Any

from ..base import hooks, trace_state
from ..capture.trace_time import leave_to_python
from . import generator_close

FEATURE: hooks.Feature[list[Any]] = hooks.Feature(
    __name__, hooks.GUARD, "objects that calls keep", partial=True, state=list
)

VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))
ITERATOR: type = type(iter([]))
READ = "a view or an iterator from before the call is read"


@FEATURE.hook("dict_view.rebuild", needed=False)
def view_itself(rebuild: Any, trace: trace_state.Trace, self: Any, codegen: Any) -> Any:
    """Emit code that takes the view from the dictionary of the program."""
    if self.dv_dict.source is None or self.kv is None:
        return hooks.DECLINED
    codegen(self.dv_dict.source)
    codegen.load_method(self.kv)
    codegen.call_method(0)
    return None


@FEATURE.hook("list_iterator.rebuild", needed=False)
def refuse_iterator(rebuild: Any, trace: trace_state.Trace, self: Any, codegen: Any) -> Any:
    """Refuse a graph that puts an iterator into an object."""
    if trace.whole and generator_close.FEATURE.of(trace).storing:
        raise trace_state.SiteRefused("an iterator over a list is kept")
    return hooks.DECLINED


@FEATURE.hook("variable.build", needed=False)
def note_kept(build: Any, trace: trace_state.Trace, self: Any, value: Any) -> Any:
    """Note a kept view; refuse a kept iterator, which Dynamo would not move on. Frames on their own break the graph."""
    if type(value) not in (*VIEWS, ITERATOR):
        return hooks.DECLINED
    if type(value) is ITERATOR or not trace.whole:
        leave_to_python(trace, READ)
    FEATURE.of(trace).append(value)
    return hooks.DECLINED


def refuse_views(trace: trace_state.Trace, output: Any) -> None:
    """Refuse a graph that reads a kept view and changes a dictionary: Dynamo does not know which the view shows."""
    from ..base.torch_names import ConstDictVariable

    effects = output.side_effects
    changed = (item for item in effects.id_to_variable.values() if isinstance(item, ConstDictVariable))
    if FEATURE.of(trace) and any(item.source is not None and effects.is_modified(item) for item in changed):
        raise trace_state.SiteRefused("a view of a dictionary is read, and a dictionary changed")
