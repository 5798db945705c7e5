"""Read-only views of dictionaries that nothing has changed.

Dynamo knows what an existing `mappingproxy` shows, but not which dictionary is behind it. So once the traced program
has written to any dictionary, it refuses to look through any proxy, such as that of the parameters of a signature;
and in other places it looks although that dictionary has changed. Python can tell which dictionary it is, and Dynamo
what has been written to.
"""

from __future__ import annotations

import contextlib
import gc
from typing import Any, Iterator, Optional

from torch._dynamo.variables import dicts

from . import state

# What a proxy is asked without Dynamo's looking for changes.
UNCHECKED = ("unpack_var_sequence", "tp_iter_impl", "sq_contains", "mp_length", "richcompare_impl")


def written(effects: Any) -> Optional[set[int]]:
    """The addresses of all dictionaries that the traced program may have written to; None if they are not known."""
    from torch._dynamo.variables.base import AttributeMutationExisting, ValueMutationExisting

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


@contextlib.contextmanager
def proxies_followed(trace: state.Trace) -> Iterator[None]:
    """Let the trace inside the block look through proxies of dictionaries that it has not written to, and no others."""
    kind = getattr(dicts, "MappingProxyVariable", None)
    check = getattr(kind, "_check_mutation_guard", None)
    if check is None:
        yield
        return
    unchecked = {name: kind.__dict__[name] for name in UNCHECKED if name in kind.__dict__}

    def checked(self: Any, tx: Any) -> None:
        if self.source and tx.output.side_effects.has_existing_dict_mutation() and has_changed(self, tx) is not False:
            check(self, tx)

    def watched(name: str) -> Any:
        def ask(self: Any, tx: Any, *args: Any) -> Any:
            if self.source and trace.whole and has_changed(self, tx):
                raise state.SiteRefused("a dictionary is written to and then looked at through a proxy")
            return unchecked[name](self, tx, *args)

        return ask

    askers = ((kind, name, watched(name)) for name in unchecked)
    with state.replaced((kind, "_check_mutation_guard", checked), *askers):
        yield
