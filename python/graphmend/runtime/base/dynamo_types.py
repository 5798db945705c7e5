"""Protocols for Dynamo's objects: the attributes and methods that hooks rely on.

    def is_number(variable: Variable) -> bool:     # `Any` would also accept the number itself
        return isinstance(variable.as_python_constant(), int)

mypy does not look into Dynamo, so its classes are `Any`. A protocol names the part of a class that graphmend uses, and
mypy checks our own code against the protocol. The classes themselves come from `torch_names`.
"""

from __future__ import annotations

from typing import Any, Protocol


class Variable(Protocol):
    """A variable of Dynamo's (`VariableTracker`): the trace-time stand-in for an object of the program."""

    source: Any

    def realize(self) -> Any:
        """The variable itself; a lazy variable is built, and guarded, at this request."""

    def python_type(self) -> type:
        """The type of the object; raises NotImplementedError where Dynamo does not know the type."""

    def is_python_constant(self) -> bool:
        """Whether the trace knows the value."""

    def as_python_constant(self) -> Any:
        """The value known to the trace."""

    def unpack_var_sequence(self, tx: Any) -> list[Any]:
        """The variables of the items, for a sequence."""

    def is_tensor(self) -> bool:
        """Whether the object is a tensor."""

    def as_proxy(self) -> Any:
        """The proxy whose `node` is the object's node in the graph."""


class NumberVariable(Variable, Protocol):
    """The variable of a symbolic number."""

    sym_num: Any
