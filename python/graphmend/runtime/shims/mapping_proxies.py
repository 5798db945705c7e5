"""Read-only views of dictionaries (`mappingproxy`), such as `inspect.signature(f).parameters`.

    options["scale"] = 2                            # a write to some dictionary
    names = list(self.signature.parameters)         # Dynamo now refuses each proxy

Dynamo knows the content of an existing proxy, but not the dictionary behind the proxy. After a write to any dictionary,
Dynamo therefore refuses all proxies; in other places, Dynamo reads a proxy although its dictionary has changed. Python
can tell the dictionary behind a proxy, and Dynamo the written dictionaries. A trace that writes to the dictionary of a
proxy in use is refused, whatever the order.
"""

from __future__ import annotations

import gc
import types
from typing import Any, Optional

from ..base import hooks, trace_state
from ..base.dynamo_values import real

# The state of a trace is the set of dictionaries, by address, behind the proxies that the program has loaded.
FEATURE: hooks.Feature[set[Optional[int]]] = hooks.Feature(
    __name__, hooks.GUARD, "read-only views of dictionaries", partial=True, state=set, rules=("GM304",)
)
SEEN = "a dictionary is written to, and looked at through a proxy"


def written_addresses(effects: Any) -> Optional[set[int]]:
    """The addresses of all dictionaries that the traced program may have written to; None if an address is unknown."""
    from ..base.torch_names import AttributeMutationExisting, ValueMutationExisting

    addresses = set()
    for address, variable in effects.id_to_variable.items():
        if not effects.is_modified(variable):
            continue
        addresses.add(address)
        if isinstance(variable.mutation_type, AttributeMutationExisting):
            if not hasattr(variable, "value"):
                return None
            addresses.add(id(getattr(variable.value, "__dict__", None)))
        elif not isinstance(variable.mutation_type, ValueMutationExisting) and variable.source is not None:
            return None
    return addresses


def has_changed(proxy: Any, tx: Any) -> Optional[bool]:
    """Whether the traced program has written to the dictionary behind an existing proxy; None if unknown."""
    try:
        dictionary = dictionary_behind(tx.output.resolve_source_value(proxy.source))
        addresses = written_addresses(tx.output.side_effects)
    except Exception:  # a source that only compiled code can resolve
        return None
    return None if addresses is None or dictionary is None else dictionary in addresses


def dictionary_behind(proxy: Any) -> Optional[int]:
    """The address of the dictionary behind a proxy; None for a proxy of another mapping."""
    referents = gc.get_referents(proxy)
    return id(referents[0]) if len(referents) == 1 and isinstance(referents[0], dict) else None


@FEATURE.hook("proxy.check", needed=False)
def check_proxy(check: Any, trace: trace_state.Trace, self: Any, tx: Any) -> None:
    """Read a proxy of an unchanged dictionary."""
    if self.source and tx.output.side_effects.has_existing_dict_mutation() and has_changed(self, tx) is not False:
        check(self, tx)


@FEATURE.hook("variable.build")
def build_proxy(build: Any, trace: trace_state.Trace, self: Any, value: Any) -> Any:
    """Note the dictionary behind a loaded proxy; refuse a dictionary that the trace has written to."""
    if isinstance(value, types.MappingProxyType):
        dictionary, addresses = dictionary_behind(value), written_addresses(self.tx.output.side_effects)
        if addresses is not None and dictionary in addresses:
            raise trace_state.SiteRefused(SEEN)
        FEATURE.of(trace).add(dictionary)
    return hooks.DECLINED


@FEATURE.hook("effects.check")
def check_write(check: Any, trace: trace_state.Trace, self: Any, item: Any) -> Any:
    """Refuse a write to a dictionary behind a loaded proxy."""
    if item.source is not None and (shown := FEATURE.of(trace)):
        value = real(item)
        if id(value) in shown or id(getattr(value, "__dict__", None)) in shown:
            raise trace_state.SiteRefused(SEEN)
    return hooks.DECLINED
