"""Attributes of classes that the call itself has set: `Model.calls += 1; return self.calls`.

What a program writes to a class is pending until the graph has run. Dynamo looks it up where the class itself is asked;
an instance, or a class that inherits, is answered with what the class held before the call. `types.SimpleNamespace`
sets attributes as `object` does, by a method of its own that Dynamo does not know.
"""

from __future__ import annotations

import types
from typing import Any

from ..base import hooks, trace_state

FEATURE = hooks.Feature(__name__, hooks.GAIN, "what a call sets in a class, seen by those who inherit")


@FEATURE.hook("class.getattr")
def read_of_class(of_class: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """The attribute of a class."""
    found = None if own_write(tx, self, name) else inherited(tx, self.value.__mro__, name)
    return of_class(self, tx, name) if found is None else found


@FEATURE.hook("object.getattr")
def read_of_object(of_object: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """The attribute of an object."""
    own = own_write(tx, self, name) or name in getattr(self.value, "__dict__", {})
    found = None if own else inherited(tx, type(self.value).__mro__, name)
    return of_object(self, tx, name) if found is None else found


@FEATURE.hook("super.getattr")
def read_of_super(of_super: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """The attribute of `super()`."""
    found = inherited(tx, classes_above(self), name)
    return of_super(self, tx, name) if found is None else found


@FEATURE.hook("class.hasattr")
def class_has(has: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """Whether a class has an attribute."""
    from ..base.torch_names import ConstantVariable

    found = inherited(tx, self.value.__mro__, name)
    return has(self, tx, name) if found is None else ConstantVariable.create(True)


@FEATURE.hook("attribute.is_plain_setter")
def sets_plainly(standard: Any, trace: trace_state.Trace, method: Any) -> bool:
    """Whether a method does no more than to set an attribute."""
    return method is types.SimpleNamespace.__setattr__ or standard(method)


def classes_above(variable: Any) -> tuple[type, ...]:
    """The classes in which `super()` looks, in order; none where Dynamo does not know them."""
    owner = variable.objvar
    kind = owner.python_type() if owner is not None else object
    order = owner.value.__mro__ if issubclass(kind, type) else kind.__mro__
    below = variable.typevar.as_python_constant()
    return order[order.index(below) + 1 :] if below in order else ()


def own_write(tx: Any, variable: Any, name: str) -> bool:
    """Whether the call has set an attribute of this very object."""
    return bool(tx.output.side_effects.has_pending_mutation_of_attr(variable, name))


def inherited(tx: Any, order: tuple[type, ...], name: str) -> Any:
    """Dynamo's variable of what the call has set under a name in the first of these classes that has it.

    None if it has set nothing there, or something that another class hides. What binds itself to the object that asks
    (a function, a property) and what was deleted end the graph.
    """
    effects = tx.output.side_effects
    written = {
        item.value: table[name]
        for item, table in effects.store_attr_mutations.items()
        if name in table and isinstance(getattr(item, "value", None), type)
    }
    if not written:  # as nearly always
        return None
    from ..base.torch_names import DeletedVariable, unimplemented

    for base in order:
        if base in written:
            found = written[base]
            if not isinstance(found, DeletedVariable) and not hasattr(found.python_type(), "__get__"):
                return found
            unimplemented(
                gb_type="Attribute of a class that binds itself",
                context=f"{base.__name__}.{name}",
                explanation="the call has set it, and an instance or a class that inherits asks for it",
                hints=[],
            )
        if name in vars(base):
            break
    return None
