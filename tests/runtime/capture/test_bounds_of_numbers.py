"""Which assumptions about one number need no assertion of their own, as the graph asserts a bound of the number."""

from __future__ import annotations

import pytest
import sympy

from graphmend.runtime.capture.assumptions import FAILED, bounded

U, V = sympy.symbols("u0 u10", integer=True)
FACTS = {
    "a bound": (sympy.Ge(U, 2), True),
    "another bound": (sympy.Lt(U, 9), True),
    "a number": (sympy.Eq(U, 2), True),
    "of another number": (sympy.Ge(V, 2), False),
    "of two numbers": (sympy.Ge(U, V), False),
    "of a sum": (sympy.Ge(U + V, 2), False),
    "of none": (sympy.true, False),
}


@pytest.mark.parametrize("name", FACTS)
@pytest.mark.parametrize("sign", [">=", "<=", ">", "<"])
def test_bounds(name: str, sign: str) -> None:
    fact, expected = FACTS[name]
    assert bounded(fact, ["other", f"{FAILED}u0 {sign} 0 on node 'ge'"]) is expected
    assert (
        not bounded(fact, []) and not bounded(fact, [f"u0 {sign} 0"]) and not bounded(fact, [f"{FAILED}u00 {sign} 0"])
    )
