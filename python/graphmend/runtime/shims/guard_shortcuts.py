"""Options of Dynamo by which a call skips some of its guards: off while a call is traced.

    def record(x, seen=[]):           # torch before 2.12
        seen.append(x.shape)          # Dynamo appends to a list of its own
        return x * len(seen)          # 1 in each call

    self.users.move_to_end(key)       # torch 2.9: a dictionary of a class of the program
    self.users.popitem(last=False)    # the next call passes the guards on the keys, although the keys are others

Dynamo takes a constant default value without a guard, and counts a list of constants as a constant. The list is then
new in each call, and appended items are lost. Dynamo 2.9 skips guards on dictionaries by their versions; later
releases have the option off.
"""

from __future__ import annotations

from typing import Iterator

from ..base import hooks, torch_names
from ..base.trace_state import Trace

FEATURE = hooks.Feature(__name__, hooks.GUARD, "options that skip guards")

OPTIONS = ("skip_guards_on_constant_func_defaults", "use_recursive_dict_tags_for_guards")


@FEATURE.scope
def check_all(trace: Trace) -> Iterator[None]:
    """Turn the options off while a call is traced and its guards are built."""
    config = torch_names.dynamo_config
    with config.patch({option: False for option in OPTIONS if getattr(config, option, False)}):
        yield
