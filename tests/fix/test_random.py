"""Random functions with branches on data: whatever is mended, the program stays the same, gradients included."""

from __future__ import annotations

import importlib.util

import pytest

pytest.importorskip("hypothesis")
if importlib.util.find_spec("torch") is None:
    pytest.skip("torch is not installed", allow_module_level=True)

from behaviour import compare
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from graphmend import core

NUMBERS = st.sampled_from(["2", "1", "0", "-1", "0.5", "1.5", "-2.0", "3", "1e-6", "1e9", "100"])
COMPARISONS = st.sampled_from([">", "<", ">=", "==", "!="])


@st.composite
def values(draw: st.DrawFn, name: str, depth: int = 2) -> str:
    """An expression over the tensor `name`, now and then over `s` and the number `c`."""
    if depth == 0:
        return draw(st.sampled_from([name] * 9 + ["s"]))
    inner = draw(values(name, draw(st.sampled_from([0, 0, depth - 1]))))
    number = draw(NUMBERS)
    if draw(st.integers(0, 2)):
        return draw(
            st.sampled_from(
                [
                    f"{inner} * {number}",
                    f"({inner} + {number}) * 2",
                    f"{number} - {inner}",
                    f"torch.relu({inner})",
                    f"({inner}).clamp(min={number})",
                    f"-({inner})",
                    f"torch.where({inner} > 0, {inner}, {number})",
                    f"({inner}).abs() / 2",
                ]
            )
        )
    forms = [
        inner,
        f"{inner} {draw(st.sampled_from(['+', '-', '*', '/']))} {number}",
        f"({inner}) {draw(st.sampled_from(['+', '-', '*']))} {number}",
        f"{number} {draw(st.sampled_from(['+', '-', '*', '/']))} ({inner})",
        f"({inner}) {draw(st.sampled_from(['+', '-', '*']))} ({draw(values(name, depth - 1))})",
        f"-({inner})",
        f"({inner}).clamp(min={number})",
        f"torch.clamp({inner}, min=-1, max={number})",
        f"torch.clamp({name}, max=torch.finfo({name}.dtype).max - 1000)",
        f"torch.{draw(st.sampled_from(['relu', 'sigmoid', 'tanh', 'exp', 'abs', 'sqrt', 'floor', 'square']))}({inner})",
        f"({inner}).{draw(st.sampled_from(['abs', 'sign', 'round', 'neg', 'log', 'clone', 'nan_to_num']))}()",
        f"({inner}).masked_fill({name} {draw(COMPARISONS)} {number}, {number})",
        f"torch.where({name} {draw(COMPARISONS)} {number}, {inner}, {number})",
        f"torch.{draw(st.sampled_from(['zeros_like', 'ones_like', 'rand_like']))}({inner})",
        f"({inner}) * c",
        f"({inner}).sum()",
        f"({inner}).t()",
    ]
    return draw(st.sampled_from(forms))


@st.composite
def conditions(draw: st.DrawFn, depth: int = 1) -> str:
    number, compared = draw(NUMBERS), draw(COMPARISONS)
    forms = [
        f"x.mean() {compared} {number}",
        f"x.sum() {compared} {number}",
        f"h.sum().item() {compared} {number}",
        f"(x {compared} {number}).{draw(st.sampled_from(['any', 'all']))}()",
        f"torch.{draw(st.sampled_from(['isnan', 'isinf', 'isfinite']))}(h).{draw(st.sampled_from(['any', 'all']))}()",
        f"torch.any(h {compared} {number})",
        f"h.max() {compared} {number}",
        "x.any()",
        "x.sum()",
    ]
    if draw(st.integers(0, 1)):
        return f"{draw(st.sampled_from(['x', 'h']))}.mean() {compared} {number}"
    if depth > 0:
        one, other = draw(conditions(depth - 1)), draw(conditions(depth - 1))
        forms += [f"not {one}", f"({one} or {other})", f"({one} and {other})", f"bool({one})"]
        forms += [f"x.dtype == torch.float32 and {one}", f"h.is_floating_point() and {one}"]
    return draw(st.sampled_from(forms))


@st.composite
def branches(draw: st.DrawFn) -> list[str]:
    condition, name = draw(conditions()), draw(st.sampled_from(["h", "x"]))
    one, other, third = (draw(values(name)) for _ in range(3))
    forms = [
        [f"if {condition}:", f"    y = {one}", "else:", f"    y = {other}"],
        [f"if {condition}:", f"    h = {one}"],
        [f"if {condition}:", f"    y = {one}", f"    h = {third}", "else:", f"    h = {other}", "    y = x - 1"],
        [f"if {condition}:", f"    y = {one}", "    h = h * 2", "else:", f"    b = {other}", "    y = b + 1"],
        [f"flag = {condition}", "if not flag:", f"    y = {one}", "    h = h + 1", "else:", f"    y = {other}"],
        [f"if {condition}:", "    b = torch.finfo(h.dtype).max - 1000", "    h = torch.clamp(h, min=-b, max=b)"],
        [f"if {condition}:", f"    a = {one}", "    y = a * 2", "else:", f"    y = {other}"],
        [f"y = {one} if {condition} else {other}"],
        [f"if {condition}:", f"    return {one}"],
        [f"if {condition}:", f"    return {one}", "else:", f"    return {other}"],
        [
            f"if {condition}:",
            f"    y = {one}",
            f"elif {draw(conditions())}:",
            f"    y = {other}",
            "else:",
            f"    y = {third}",
        ],
        [f"if (h < {draw(NUMBERS)}).any():", f"    h[h < {draw(NUMBERS)}] = {draw(NUMBERS)}"],
        [f"y = torch.relu({one} if {condition} else {other})"],
    ]
    return draw(st.sampled_from(forms))


@st.composite
def programs(draw: st.DrawFn) -> str:
    lines = ["y = x"]
    lines.append(
        draw(st.sampled_from(["h = x * 2", "h = x + s", "h = x", "h = torch.relu(x)", "h = x.exp()", "h = x / 2"]))
    )
    lines.append(
        draw(st.sampled_from(["pass", "pass", "k = h", "k = h * h", "k = h.shape", "k = h > 0", "k = (h, x)"]))
    )
    for _ in range(draw(st.integers(1, 2))):
        lines += draw(branches())
    lines.append(draw(st.sampled_from(["return y", "return h", "return y, h", "return h + y, x", "return y * 2, k"])))
    head = ["import torch", "", ""]
    head += draw(st.sampled_from([["@torch.compile"], ["@torch.compile", "@torch.no_grad()"]]))
    return "\n".join(
        [*head, "def f(x: torch.Tensor, s: torch.Tensor, c: float):", *(f"    {line}" for line in lines), ""]
    )


def check(text: str, flags: int, floating: bool) -> None:
    result = core.fix_source("case.py", text.encode(), flags)
    event("changed" if result["changed"] else "left alone")
    if result["changed"]:
        again = core.fix_source("case.py", result["text"].encode(), flags)
        assert not again["changed"], again["text"]
        assert compare(text, result["text"], floating) > 0


COMMON = settings(deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)


@settings(COMMON, max_examples=300)
@given(programs())
def test_proved(text: str) -> None:
    check(text, 0, floating=False)


@settings(COMMON, max_examples=100)
@given(programs())
def test_assumed(text: str) -> None:
    """What is assumed is that they are floating point tensors."""
    check(text.replace(": torch.Tensor", ""), core.FIX_ASSUMED, floating=True)
