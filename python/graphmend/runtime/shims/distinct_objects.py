"""Objects that a call changes, beside other objects of their types that the call reads.

    def step(seen, best):
        seen.append(1)
        return len(best)                            # another length where `best` is `seen`

Dynamo guards that two arguments are the same object, and not that they are two objects. A call with one list under two
names could run the graph that was made for two lists. For each object that the call changes, a guard holds that none of
the others of its type is the same object. Two objects that the program compares by `is` get the guard, too. Modules are
left out: a tree of modules keeps its shape. Dynamo guards tensors itself.
"""

from __future__ import annotations

import functools
import itertools
from typing import Any, Iterator

import torch

from ..base import hooks, trace_state
from ..base.dynamo_values import can_be_guarded, source_name
from ..capture.growing_lists import is_open

FEATURE = hooks.Feature(__name__, hooks.GAIN, "objects that are two", partial=True)
MAX_PAIRS = 64  # each costs a comparison in each call


@FEATURE.hook("effects.codegen")
def guard_changed(write: Any, trace: trace_state.Trace, self: Any, cg: Any, *args: Any) -> Any:
    """Guard the objects that the call has changed."""
    pairs = list(itertools.islice(changed_pairs(self), MAX_PAIRS + 1))
    for changed, other in pairs if len(pairs) <= MAX_PAIRS else ():
        guard_pair(changed, other)
    return hooks.DECLINED


@FEATURE.hook("compare")
def guard_compared(compare: Any, trace: trace_state.Trace, sign: str, tx: Any, sides: Any, options: Any) -> Any:
    """Guard two objects of one type that the program compares by `is`."""
    if sign in ("is", "is not"):
        first, second = (side.realize() for side in sides)
        if first is not second and type(first) is type(second) and is_from_before(first) and is_from_before(second):
            guard_pair(first, second)
    return hooks.DECLINED


def guard_pair(first: Any, second: Any) -> None:
    """Guard two of Dynamo's variables."""
    from ..base.torch_names import install_guard

    install_guard(first.source.make_guard(functools.partial(guard_distinct, other=second.source)))


def changed_pairs(effects: Any) -> Iterator[tuple[Any, Any]]:
    """Dynamo's variables of a changed object and of another one of its type, both from before the call."""
    done = set()
    for variable in effects.id_to_variable.values():
        if effects.is_modified(variable) and is_from_before(variable):
            done.add(id(variable))
            for other in effects.id_to_variable.values():
                if id(other) not in done and kind_of(other) == kind_of(variable) and is_from_before(other):
                    yield variable, other


def kind_of(variable: Any) -> tuple[Any, Any]:
    """The class of Dynamo's variable, and the class of the object behind it where Dynamo's says little."""
    kind = type(variable).__mro__[1] if is_open(variable) else type(variable)
    return kind, vars(variable).get("value_type")


def is_from_before(variable: Any) -> bool:
    """Whether a variable stands for an object, no tensor and no module, that is older than the call."""
    from ..base.torch_names import AttributeMutationExisting, ValueMutationExisting

    if not isinstance(variable.mutation_type, (AttributeMutationExisting, ValueMutationExisting)):
        return False
    if variable.is_tensor() or isinstance(vars(variable).get("value"), (torch.nn.Module, type)):
        return False
    return can_be_guarded(variable.source)


def guard_distinct(builder: Any, guard: Any, *, other: Any) -> None:
    """Guard that two sources are two objects."""
    code = f"{builder.arg_ref(guard)} is not {builder.arg_ref(source_name(other))}"
    builder.add_python_lambda_leaf_guard_to_root([code], [code])  # runs behind all other guards
