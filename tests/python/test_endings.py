"""How programs with compiled functions end: in children, in finalizers, at exit, by sys.exit inside of a call."""

import importlib.util

import pytest

pytestmark = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs torch")

HEAD = """
import atexit, os, sys
import torch


def f(x, stop=False):
    y = x * 2
    print("shape", tuple(y.shape), flush=True)
    if (y < 0).any():
        raise ValueError(f"negative: {y.min().item()}")
    if stop:
        sys.exit(5)
    return y + 1


compiled = torch.compile(f, backend="eager")
print(compiled(torch.ones(2)).tolist())
"""
ENDINGS = """
pid = os.fork()
if pid == 0:
    compiled(torch.ones(2))
    sys.exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


class Last:
    def __del__(self, call=compiled, ones=torch.ones(4)):
        print(call(ones).tolist())


try:
    compiled(-torch.ones(2))
except ValueError as error:
    print(error)
last = Last()
del last
atexit.register(lambda: print(compiled(torch.ones(3)).tolist()))
compiled(torch.ones(2), True)
"""


@pytest.fixture
def programs(warm_programs):
    return warm_programs


def test_endings(programs):
    programs.write("script.py", HEAD + ENDINGS)
    plain, mended = programs.plain("script.py"), programs.mended("script.py", GRAPHMEND_SUMMARY="0")
    assert (plain.status, plain.out) == (mended.status, mended.out) and plain.status == 5
    assert "graphmend: warning" not in mended.err


FINALIZERS = """
import torch


def tell(text, x):
    if x.sum() > 0:
        print(text)


class Open:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("closing", self.name)
        tell("closed", torch.ones(2))


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.file = Open("layer")

    def forward(self, x):
        tell("positive", x)
        return x + 1


net = Net()
net(torch.ones(2))
script = Open("script")
Open.last = Open("class")
"""


def test_finalizers_at_the_end_of_the_interpreter(cold_programs):
    cold_programs.write("script.py", FINALIZERS)
    plain, mended = cold_programs.plain("script.py"), cold_programs.mended("script.py", GRAPHMEND_SUMMARY="0")
    assert (plain.status, sorted(plain.out.splitlines())) == (mended.status, sorted(mended.out.splitlines()))
    assert plain.out.count("closed") == 3
    assert plain.err == mended.err


def test_exception_inside(programs):
    programs.write("script.py", HEAD + "compiled(-torch.ones(2))\n")
    plain, mended = programs.plain("script.py"), programs.mended("script.py", GRAPHMEND_SUMMARY="0")
    assert (plain.status, plain.out) == (mended.status, mended.out)
    assert plain.err.splitlines()[-1:] == mended.err.splitlines()[-1:] != []
