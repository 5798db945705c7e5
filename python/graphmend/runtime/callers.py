"""The functions through which a trace has come to the place where it is."""

from __future__ import annotations

from typing import Any

# Dynamo's own function that calls what is behind a wrapper such as `functools.lru_cache`.
UNWRAPPERS = ("getattr_and_trace", "getattr_and_trace_no_nested_graph_breaks")


def translators(tx: Any) -> Any:
    """The translators of the frames being traced, from the innermost one out."""
    while tx is not None:
        yield tx
        tx = getattr(tx, "parent", None)


def behind_wrapper(tx: Any) -> bool:
    """Whether the trace looks behind a wrapper that Python asks, and that might answer from its cache."""
    from torch._dynamo import polyfills

    codes = [getattr(polyfills, name).__code__ for name in UNWRAPPERS if hasattr(polyfills, name)]
    return any(translator.f_code in codes for translator in translators(tx))
