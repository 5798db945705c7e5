"""Faults for the tests, planted into the mended process alone. No part of graphmend knows of this."""

from __future__ import annotations

import functools
import random
import sys
import time


def is_mended():
    """Whether this process runs the mended program as it is (not the one that is asked for whole graphs)."""
    hook = sys.modules.get("graphmend.hook")
    return hook is not None and hook.state.active


def plant(name, fault):
    """Have the compiled callable of a name do `fault(call, args, kwargs)` instead of `call(*args, **kwargs)`."""
    if not is_mended():
        return
    import graphmend.runtime.driver.wrapper as wrapper

    wrap = wrapper.wrap

    def wrap_wrongly(variants, function, module):
        call = wrap(variants, function, module)
        if getattr(function, "__name__", None) != name:
            return call

        @functools.wraps(call)
        def wrong(*args, **kwargs):
            return fault(call, args, kwargs)

        return wrong

    wrapper.wrap = wrap_wrongly


def other_value(call, args, kwargs):
    return call(*args, **kwargs) * 1.01


def other_exception(call, args, kwargs):
    try:
        return call(*args, **kwargs)
    except ValueError as error:
        raise RuntimeError(str(error)) from None


def swallowed_exception(call, args, kwargs):
    try:
        return call(*args, **kwargs)
    except ValueError:
        return args[0]


def other_gradient(call, args, kwargs):
    result = call(*args, **kwargs)
    return result.detach() + (result - result.detach()) * 1.5


def no_gradient(call, args, kwargs):
    return call(*args, **kwargs).detach()


def other_input(call, args, kwargs):
    result = call(*args, **kwargs)
    args[0][0] += 1
    return result


def other_draw(call, args, kwargs):
    random.random()
    return call(*args, **kwargs)


def copied_result(call, args, kwargs):
    return call(*args, **kwargs).clone()


def hang(call, args, kwargs):
    time.sleep(600)


def crash(call, args, kwargs):
    import os
    import signal

    os.kill(os.getpid(), signal.SIGSEGV)


def lose_effects():
    """Have deferred work never be done."""
    if is_mended():
        from graphmend.runtime.driver import outcomes, wrapper

        for module in (outcomes, wrapper):
            module.carry_out = lambda waiting: waiting.__setitem__(0, None)
