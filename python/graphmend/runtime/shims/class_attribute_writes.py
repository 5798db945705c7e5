"""Class attributes set by the call, read through an instance or a subclass.

    Model.calls += 1        # pending until the graph has run
    return self.calls       # Dynamo reads the value from before the call

Dynamo looks up pending writes where the program reads the class itself, and not for an instance, a subclass or
`super()`. The hooks of this module search the pending writes along the method resolution order. A second gap:
`types.SimpleNamespace` has a method of its own for attribute writes, which works like the method of `object`.
"""

from __future__ import annotations

import functools
import types
from typing import Any

from ..base import hooks, trace_state

FEATURE = hooks.Feature(__name__, hooks.GAIN, "what a call sets in a class, seen by those who inherit", partial=True)


@FEATURE.hook("class.getattr")
def read_of_class(of_class: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """Read an attribute of a class."""
    variable = None if own_write(tx, self, name) else inherited_write(tx, self.value.__mro__, name)
    return hooks.DECLINED if variable is None else variable


@FEATURE.hook("object.getattr")
def read_of_object(of_object: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """Read an attribute of an object."""
    is_own = own_write(tx, self, name) or name in getattr(self.value, "__dict__", {})
    variable = None if is_own else inherited_write(tx, type(self.value).__mro__, name)
    if variable is None:
        return hooks.DECLINED
    guard_absence(self, name)
    return variable


def guard_absence(variable: Any, name: str) -> None:
    """Guard that an object has no attribute of its own that would hide the attribute of its class."""
    from ..base.torch_names import GuardBuilder, install_guard

    if variable.source is not None and hasattr(variable.value, "__dict__"):
        check = functools.partial(GuardBuilder.NOT_PRESENT_IN_GENERIC_DICT, attr=name)
        install_guard(variable.source.make_guard(check))


@FEATURE.hook("super.getattr")
def read_of_super(of_super: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """Read an attribute of `super()`."""
    variable = inherited_write(tx, classes_above(self), name)
    return hooks.DECLINED if variable is None else variable


@FEATURE.hook("class.hasattr")
def class_has(has: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """Whether a class has an attribute."""
    from ..base.torch_names import ConstantVariable

    variable = inherited_write(tx, self.value.__mro__, name)
    return hooks.DECLINED if variable is None else ConstantVariable.create(True)


@FEATURE.hook("attribute.is_plain_setter")
def sets_plainly(standard: Any, trace: trace_state.Trace, method: Any) -> bool:
    """Whether a method only sets an attribute."""
    return method is types.SimpleNamespace.__setattr__ or standard(method)


def classes_above(variable: Any) -> tuple[type, ...]:
    """The classes searched by `super()`, in order; empty where Dynamo does not know them."""
    owner = variable.objvar
    kind = owner.python_type() if owner is not None else object
    order = getattr(getattr(owner, "value", None), "__mro__", ()) if issubclass(kind, type) else kind.__mro__
    return behind(order, variable.typevar.as_python_constant())


def behind(order: tuple[type, ...], below: type) -> tuple[type, ...]:
    """The classes behind one of them in a method resolution order; empty for another class."""
    return order[order.index(below) + 1 :] if below in order else ()


def own_write(tx: Any, variable: Any, name: str) -> bool:
    """Whether the call has set an attribute of this very object."""
    return bool(tx.output.side_effects.has_pending_mutation_of_attr(variable, name))


def inherited_write(tx: Any, order: tuple[type, ...], name: str) -> Any:
    """Dynamo's variable for a pending write in the first of these classes with the attribute.

    None if the call set no such attribute, or if an earlier class hides the write. Pending functions, properties and
    deletions break the graph: the lookup would bind a function or property to the object.
    """
    effects = tx.output.side_effects
    written = {
        item.value: table[name]
        for item, table in effects.store_attr_mutations.items()
        if name in table and isinstance(getattr(item, "value", None), type)
    }
    if not written:  # the common case
        return None
    from ..base.torch_names import DeletedVariable, unimplemented

    for base in order:
        if base in written:
            variable = written[base]
            if not isinstance(variable, DeletedVariable) and not hasattr(variable.python_type(), "__get__"):
                return variable
            unimplemented(
                gb_type="Attribute of a class that binds itself",
                context=f"{base.__name__}.{name}",
                explanation="the call has set it, and an instance or a class that inherits asks for it",
                hints=[],
            )
        if name in vars(base):
            break
    return None
