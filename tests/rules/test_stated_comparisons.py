"""Every operand in every condition: which are data, which are settings and texts, and which nobody knows."""

from __future__ import annotations

from pathlib import Path

from stated_matrices import matrix
from stated_texts import hold

STATED = Path(__file__).parent / "stated"
HEAD = """import enum
import torch

LIMIT, NAMES = 3, ("a", "b")


class Kind(enum.Enum):
    ONE = 1


def helper(a):
    return a
"""
FUNCTION = """

@torch.compile
def f{number}(x: torch.Tensor, u, v=None, k: int = 1, word: str = "a", config=None, self=None, *rest, **more):
    z = x.sum()
    s = x.shape
    t = x.tolist()
{body}
    return x + u.sum()
"""
OPERANDS = [
    *("z", "x", "x[0]", "z.item()", "float(z)", "s", "s[0]", "x.dim()", "x.dtype", "x.device", "t", "t[0]", "len(t)"),
    *(
        "u",
        "u[0]",
        "u.a",
        "u.shape",
        "v",
        "v.b",
        "v()",
        "helper(z)",
        "helper(v)",
        "k",
        "word",
        "rest",
        "more",
        "more['a']",
    ),
    *(
        "config",
        "config.a",
        "cfg.a.b",
        "self.a",
        "self.config",
        "self.training",
        "self.args.n",
        "v.training",
        "v.cfg",
        "cfg",
    ),
    *(
        "'a'",
        "b'a'",
        "1",
        "1.5",
        "None",
        "True",
        "...",
        "[1, 2]",
        "(1, 'a')",
        "()",
        "[k]",
        "{1: 2}",
        "LIMIT",
        "NAMES",
        "Kind.ONE",
    ),
    *(
        "z > 0",
        "(not z)",
        "-z",
        "z + k",
        "k + 1",
        "v + 1",
        "z is None",
        "isinstance(z, int)",
        "torch.float32",
        "max(z, k)",
    ),
    *(
        "(z if k else v)",
        "(k if z else v)",
        "(m := z)",
        "[z]",
        "(z, k)",
        "[a for a in t]",
        "(lambda: z)",
        "f'{z}'",
        "any(t)",
        "all(z)",
    ),
]
CONDITIONS = [
    *(
        "{o}",
        "not {o}",
        "{o} == 1",
        "{o} == 'a'",
        "{o} == 1.5",
        "{o} == None",
        "{o} is None",
        "{o} is not v",
        "{o} != v",
        "v != {o}",
    ),
    *(
        "{o} > 0",
        "0 < {o}",
        "0 < {o} < k",
        "{o} < z",
        "v < {o}",
        "{o} < v",
        "k < {o}",
        "{o} == config.a",
        "self.a == {o}",
    ),
    *(
        "{o} in (1, 2)",
        "{o} in [1.5, 2]",
        "{o} in ('a', 'b')",
        "{o} in (1, 'a')",
        "{o} in ()",
        "{o} in NAMES",
        "{o} not in v",
    ),
    *(
        "v in {o}",
        "k in {o}",
        "'a' in {o}",
        "{o} and k",
        "{o} or k",
        "k and {o}",
        "{o} and z > 0",
        "z > 0 or {o}",
        "{o} and v",
    ),
    *(
        "v or {o}",
        "not ({o} and v)",
        "{o} == {o}",
        "{o} is {o}",
        "bool({o})",
        "len({o}) > 0",
        "{o} > 0 and {o} < 9",
        "isinstance({o}, int)",
    ),
]


def function(operand: str, condition: str, number: int) -> str:
    body = f"    if {condition.format(o=operand)}:\n        x = x + 1"
    return FUNCTION.format(number=number, body=body)


def test_conditions(executable: str, tmp_path: Path) -> None:
    hold(STATED / "comparisons.txt", matrix(executable, tmp_path, HEAD, OPERANDS, CONDITIONS, function, "--all"))


def test_conditions_by_default(executable: str, tmp_path: Path) -> None:
    """What is reported where nothing is doubtful."""
    some = OPERANDS[::2]
    hold(STATED / "comparisons.sure.txt", matrix(executable, tmp_path, HEAD, some, CONDITIONS[::2], function))
