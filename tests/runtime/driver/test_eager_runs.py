"""Calls that run in eager Python: Dynamo looks away while they run, and then does again what it did before."""

from __future__ import annotations

from typing import Any, Callable

import pytest

from graphmend.runtime.base.torch_names import set_eval_frame
from graphmend.runtime.driver.outcomes import run_eagerly
from graphmend.runtime.driver.self_check import run_plainly


def now() -> Any:
    """What Dynamo does with the next frame: nothing for None, only what is compiled for False."""
    found = set_eval_frame(None)
    set_eval_frame(found)
    return found


def eagerly(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return run_eagerly(function, args, kwargs)


@pytest.mark.parametrize("run", [eagerly, run_plainly])
@pytest.mark.parametrize("before", [None, False])
@pytest.mark.parametrize("fails", [False, True])
def test_what_dynamo_does(run: Any, before: Any, fails: bool) -> None:
    def call(*args: int, **kwargs: int) -> Any:
        if fails:
            raise ValueError(now())
        return now(), args, kwargs

    prior = set_eval_frame(before)
    try:
        if fails:
            with pytest.raises(ValueError, match="^None$"):
                run(call)
        else:
            assert run(call, 1, two=2) == (None, (1,), {"two": 2})
        assert now() is before
    finally:
        set_eval_frame(prior)
