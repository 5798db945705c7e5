"""Read-only views of dictionaries that nothing has changed.

Dynamo knows what an existing `mappingproxy` shows, but not which dictionary is behind it. So once the traced program
has written to any dictionary, it refuses to look through any proxy, such as that of the parameters of a signature;
and in other places it looks although that dictionary has changed. Python can tell which dictionary it is, and Dynamo
what has been written to. A trace in which both happen, in whatever order, is refused.
"""

from __future__ import annotations

import gc
import types
from typing import Any, Optional

from ..base import hooks, trace_state
from ..base.dynamo_values import real

# The state of a trace is the set of dictionaries, by address, whose proxies the program has.
FEATURE = hooks.Feature(
    __name__, hooks.GUARD, "read-only views of dictionaries", partial=True, state=set, rules=("GM304",)
)
SEEN = "a dictionary is written to, and looked at through a proxy"


def written(effects: Any) -> Optional[set[int]]:
    """The addresses of all dictionaries that the traced program may have written to; None if they are not known."""
    from ..base.torch_names import AttributeMutationExisting, ValueMutationExisting

    found = set()
    for address, variable in effects.id_to_variable.items():
        if not effects.is_modified(variable):
            continue
        found.add(address)
        if isinstance(variable.mutation_type, AttributeMutationExisting):
            if not hasattr(variable, "value"):
                return None
            found.add(id(getattr(variable.value, "__dict__", None)))
        elif not isinstance(variable.mutation_type, ValueMutationExisting) and variable.source is not None:
            return None
    return found


def has_changed(proxy: Any, tx: Any) -> Optional[bool]:
    """Whether the traced program has written to what Dynamo's variable of an existing proxy shows; None if unknown."""
    try:
        behind = dictionary_behind(tx.output.resolve_source_value(proxy.source))
        known = written(tx.output.side_effects)
    except Exception:  # a source that leads nowhere but from compiled code
        return None
    return None if known is None or behind is None else behind in known


def dictionary_behind(proxy: Any) -> Optional[int]:
    """The address of the dictionary that a proxy shows; None where it shows something else."""
    behind = gc.get_referents(proxy)
    return id(behind[0]) if len(behind) == 1 and isinstance(behind[0], dict) else None


@FEATURE.hook("proxy.check", needed=False)
def check_proxy(check: Any, trace: trace_state.Trace, self: Any, tx: Any) -> None:
    """Look through a view of a dictionary that nothing has changed."""
    if self.source and tx.output.side_effects.has_existing_dict_mutation() and has_changed(self, tx) is not False:
        check(self, tx)


@FEATURE.hook("variable.build")
def build_proxy(build: Any, trace: trace_state.Trace, self: Any, value: Any) -> Any:
    """Note the dictionary behind a proxy that the program meets; refuse one that the trace has written to."""
    if isinstance(value, types.MappingProxyType):
        behind, known = dictionary_behind(value), written(self.tx.output.side_effects)
        if known is not None and behind in known:
            raise trace_state.SiteRefused(SEEN)
        FEATURE.of(trace).add(behind)
    return build(self, value)


@FEATURE.hook("effects.check")
def check_write(check: Any, trace: trace_state.Trace, self: Any, item: Any) -> Any:
    """Refuse a write to a dictionary whose proxy the program has."""
    if item.source is not None and (shown := FEATURE.of(trace)):
        value = real(item)
        if id(value) in shown or id(getattr(value, "__dict__", None)) in shown:
            raise trace_state.SiteRefused(SEEN)
    return check(self, item)
