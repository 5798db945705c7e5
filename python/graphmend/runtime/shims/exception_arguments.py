"""Arguments that an exception class of the program hands to `super().__init__`.

    class BadBatch(ValueError):
        def __init__(self, index):
            super().__init__(f"batch {index}")     # Dynamo does not know `ValueError.__init__`
            self.index = index

The `__init__` of most exceptions is C code of `BaseException`, and keeps the arguments in `args`. Classes with members
of their own (`OSError.errno`) fill the members too, and are left to Python.
"""

from __future__ import annotations

import types
from typing import Any

from ..base import hooks, trace_state
from ..base.dynamo_values import is_constant

FEATURE = hooks.Feature(__name__, hooks.GAIN, "arguments of exceptions")
MEMBERS = (types.MemberDescriptorType, types.GetSetDescriptorType)


@FEATURE.hook("super.method")
def call_initializer(
    method: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any
) -> Any:
    """Keep the arguments of an exception that the call makes."""
    from ..base.torch_names import AttributeMutationNew, ConstantVariable, UserDefinedExceptionObjectVariable

    error = self.objvar
    if name != "__init__" or kwargs or not isinstance(error, UserDefinedExceptionObjectVariable):
        return hooks.DECLINED
    initializer, _ = self._resolved_getattr_and_source(tx, name)
    if not keeps_arguments_only(initializer) or not isinstance(error.mutation_type, AttributeMutationNew):
        return hooks.DECLINED
    error.init_args = list(args)  # for the code that makes the exception behind the graph
    getattr(error, "exc_vt", error).args = list(args)  # since torch 2.15 the exception's variable has them itself
    return ConstantVariable.create(None)


@FEATURE.hook("exception.reconstruct")
def make_exception(make: Any, trace: trace_state.Trace, self: Any, codegen: Any) -> Any:
    """Make an exception behind the graph without `__init__`, whose code is traced; torch 2.15 calls the class.

    The attributes of the exception follow, as for each object made in a call.
    """
    initialized = isinstance(getattr(self.exc_type, "__init__", None), types.FunctionType)
    if not initialized or not hasattr(self.mutation_type, "cls_source"):
        return hooks.DECLINED
    source = self.mutation_type.cls_source
    if source is None:
        raise trace_state.SiteRefused("the class of an exception is made in the call")

    def load_new() -> None:
        codegen(source)
        codegen.extend_output([codegen.create_load_attr("__new__")])

    codegen.add_push_null(load_new)
    codegen(source)
    codegen.foreach(self.args)
    codegen.call_function(1 + len(self.args), False)
    return None


@FEATURE.hook("effects.codegen")
def store_chain(store: Any, trace: trace_state.Trace, self: Any, codegen: Any, *args: Any) -> Any:
    """Store whether an exception that outlives the call hides its context, and refuse causes and contexts."""
    from ..base.torch_names import ConstantVariable, UserDefinedExceptionObjectVariable

    for error in self._get_modified_vars():
        if isinstance(error, UserDefinedExceptionObjectVariable):
            chain = getattr(error, "exc_vt", error)
            if not all(is_constant(item, None) for item in (chain.__cause__, chain.__context__)):
                raise trace_state.SiteRefused("an exception with a cause or a context outlives the call")
            if is_constant(chain.__suppress_context__, True):
                codegen(ConstantVariable.create(True))
                codegen(error)
                codegen.store_attr("__suppress_context__")
    return hooks.DECLINED


def keeps_arguments_only(initializer: Any) -> bool:
    """Whether a function is the `__init__` of a built-in exception without members of its own."""
    if type(initializer) is not types.WrapperDescriptorType:
        return False
    classes = initializer.__objclass__.__mro__
    own = classes[: classes.index(BaseException)] if BaseException in classes else ()
    return bool(own) and not any(isinstance(member, MEMBERS) for kind in own for member in vars(kind).values())
