"""Wrappers around torch.compile, as lightning makes one when it is imported: they do not turn mending off."""

import importlib.util
import textwrap

import pytest

pytestmark = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs torch")

WRAPPERS = {
    "function": """
        def wrapped(before):
            @functools.wraps(before)
            def compile(*args, **kwargs):
                return before(*args, **kwargs)
            return compile
        torch.compile = wrapped(torch.compile)
    """,
    "partial": "torch.compile = functools.partial(torch.compile, dynamic=False)",
    "kept before torch.compile is replaced": """
        from torch import compile as kept
        def compile(*args, **kwargs):
            return kept(*args, **kwargs)
        torch.compile = compile
    """,
    "object": """
        class Compile:
            before = staticmethod(torch.compile)
            def __call__(self, *args, **kwargs):
                return self.before(*args, **kwargs)
        torch.compile = Compile()
    """,
    "straight to Dynamo": """
        import torch._dynamo
        torch.compile = lambda f, backend: torch._dynamo.optimize(backend)(f)
    """,
    "name of Dynamo's function": """
        from torch._dynamo import optimize
        torch.compile = lambda f, backend: optimize(backend)(f)
    """,
    "around Dynamo": """
        import torch._dynamo
        torch._dynamo.optimize = functools.partial(torch._dynamo.optimize)
    """,
}
MODEL = """
def forward(x):
    y = x + 1
    if y.sum() > 0:
        y = y * 2
    return y
"""
USE = """
before = torch.compile

def backend(module, inputs):
    graphs.append(module)
    return module.forward

graphs = []
compiled = torch.compile(model.forward, backend=backend)
for sign in (1, -1):
    assert compiled(sign * torch.ones(3)).tolist() == ([4] * 3 if sign > 0 else [0] * 3)
print(len(graphs), torch.compile is before)
"""


@pytest.fixture
def programs(warm_programs):
    return warm_programs


@pytest.mark.parametrize("name", WRAPPERS)
def test_wrapped(programs, name):
    programs.write("model.py", MODEL)

    programs.write("script.py", "import functools, torch, model\n" + textwrap.dedent(WRAPPERS[name]) + USE)
    ended = programs.mended("script.py")
    assert (ended.status, ended.out) == (0, "1 True\n"), ended.err
    assert ended.err == "graphmend: 1 place mended\n  mended   model.py:4 GM101\n"


def test_torch_compile_is_torchs_own(cold_programs):
    """Programs and packages compare it, and ask where it is from."""
    ask = (
        "import sys, torch\nprint(torch.compile.__code__.co_filename == torch.__file__, 'torch._dynamo' in sys.modules)"
    )
    cold_programs.write("script.py", ask)
    ended = cold_programs.mended("script.py")
    assert (ended.status, ended.out, ended.err) == (0, "True False\n", "")


def test_report_is_json(programs):
    """The record of a callable that counts, and prints."""
    programs.write(
        "script.py",
        """
import json, torch
import graphmend.runtime

class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        y = x * self.calls
        print("mean", float(y.mean()))
        return y

compiled = torch.compile(Counter(), backend="eager")
for _ in range(4):
    compiled(torch.ones(3))
report = json.loads(json.dumps(graphmend.runtime.report()))
print([record["counters"] for record in report["callables"]])
""",
    )
    ended = programs.mended("script.py")
    assert ended.status == 0, ended.err
    assert ended.out.splitlines()[-1] == """[["L['self'].calls"]]""", ended.out
