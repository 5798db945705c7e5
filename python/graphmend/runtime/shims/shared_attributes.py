"""Objects that share one `__dict__`: an attribute set through one of them is read through the others.

    class State:
        shared = {}

        def __init__(self):
            self.__dict__ = self.shared

    first.is_last = True
    if second.is_last:      # Dynamo reads the value from before the call

Dynamo keeps attributes that a call sets by object. Here each of them is noted for all objects with the same `__dict__`,
and the code behind the graph sets it once for each object.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Iterator

from ..base import hooks, torch_names, trace_state


@dataclasses.dataclass
class Owners:
    """Dynamo's variables of the objects that one graph has met, by their `__dict__`."""

    output: Any = None
    variables: dict[int, list[Any]] = dataclasses.field(default_factory=dict)


FEATURE = hooks.Feature(
    __name__, hooks.GAIN, "attributes of objects that share a dictionary", partial=True, state=Owners
)


@FEATURE.hook("variable.build")
def note_object(build: Any, trace: trace_state.Trace, self: Any, value: Any) -> Any:
    """Note an object, and hand it what the call has set through another one."""
    variable = build(self, value)
    for other in others(trace, self.tx.output, variable, new=True):
        copy_attributes(self.tx.output.side_effects, other, variable)
    return variable


@FEATURE.hook("effects.store")
def store_for_all(
    store: Any, trace: trace_state.Trace, self: Any, item: Any, name: str, value: Any, *args: Any
) -> None:
    """Set an attribute of all objects with the same `__dict__`."""
    store(self, item, name, value, *args)
    output = self.output_graph_weakref()
    for other in others(trace, output, item, new=False) if output is not None else ():
        refuse_deleted(value)
        store(self, other, name, value, *args)


def others(trace: trace_state.Trace, output: Any, variable: Any, new: bool) -> Iterator[Any]:
    """The variables of other objects with the same `__dict__`; a `new` variable is noted."""
    if not isinstance(variable, torch_names.UserDefinedObjectVariable) or variable.source is None:
        return
    try:
        key = id(object.__getattribute__(variable.value, "__dict__"))
    except AttributeError:  # a class with slots
        return
    known = FEATURE.of_graph(trace, output).variables.setdefault(key, [])
    yield from [other for other in known if other is not variable]
    if new and not any(other is variable for other in known):
        known.append(variable)


def copy_attributes(effects: Any, source: Any, target: Any) -> None:
    """Note the attributes set through one variable for another variable, too."""
    kinds = getattr(effects, "attr_mutation_kinds", {}).get(source, {})
    for name, value in list(effects.store_attr_mutations.get(source, {}).items()):
        if name not in effects.store_attr_mutations.get(target, {}):
            refuse_deleted(value)
            effects.store_attr(target, name, value, *([kinds[name]] if name in kinds else []))


def refuse_deleted(value: Any) -> None:
    """Refuse to delete an attribute of several objects: the code behind the graph would do so for each of them."""
    from ..base.torch_names import DeletedVariable

    if isinstance(value, DeletedVariable):
        raise trace_state.SiteRefused("the call deletes an attribute of objects that share a dictionary")
