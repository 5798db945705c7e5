"""Read-only views of dictionaries that nothing has changed.

Dynamo knows what an existing `mappingproxy` shows, but not which dictionary is behind it. So once the traced program
has written to any dictionary, it refuses to look through any proxy, such as that of the parameters of a signature;
and in other places it looks although that dictionary has changed. Python can tell which dictionary it is, and Dynamo
what has been written to.
"""

from __future__ import annotations

import gc
from typing import Any, Optional

from ..base import hooks, trace_state

FEATURE = hooks.Feature(__name__, hooks.GUARD, "read-only views of dictionaries", partial=True, rules=("GM304",))

# What a proxy is asked without Dynamo's looking for changes.
UNCHECKED = ("unpack_var_sequence", "tp_iter_impl", "sq_contains", "mp_length", "richcompare_impl")


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
        behind = gc.get_referents(tx.output.resolve_source_value(proxy.source))
        known = written(tx.output.side_effects)
    except Exception:  # a source that leads nowhere but from compiled code
        return None
    if known is None or len(behind) != 1 or not isinstance(behind[0], dict):
        return None
    return id(behind[0]) in known


@FEATURE.hook("proxy.check", needed=False)
def check_proxy(check: Any, trace: trace_state.Trace, self: Any, tx: Any) -> None:
    """Look through a view of a dictionary that nothing has changed."""
    if self.source and tx.output.side_effects.has_existing_dict_mutation() and has_changed(self, tx) is not False:
        check(self, tx)


@FEATURE.hook("proxy.unpack", "proxy.iter", "proxy.contains", "proxy.len", "proxy.compare", needed=False)
def watch_proxy(ask: Any, trace: trace_state.Trace, self: Any, tx: Any, *args: Any) -> Any:
    """Refuse a view of a dictionary that the trace has written to."""
    if self.source and trace.whole and has_changed(self, tx):
        raise trace_state.SiteRefused("a dictionary is written to and then looked at through a proxy")
    return ask(self, tx, *args)
