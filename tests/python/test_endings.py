"""How programs with compiled functions end: by sys.exit inside, at exit, in finalizers, in children."""

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
ENDINGS = {
    "sys.exit inside": "compiled(torch.ones(2), True)\n",
    "exception inside": "compiled(-torch.ones(2))\n",
    "at exit": "atexit.register(lambda: print(compiled(torch.ones(3)).tolist()))\n",
    "finalizer": (
        "class Last:\n"
        "    def __del__(self, call=compiled, ones=torch.ones(4)):\n"
        "        print(call(ones).tolist())\n"
        "last = Last()\n"
        "del last\n"
    ),
    "forked child": (
        "pid = os.fork()\n"
        "if pid == 0:\n"
        "    compiled(torch.ones(2))\n"
        "    sys.exit(3)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))\n"
    ),
}


@pytest.mark.parametrize("name", ENDINGS)
def test_ending(programs, name):
    programs.write("script.py", HEAD + ENDINGS[name])
    plain, mended = programs.plain("script.py"), programs.mended("script.py", GRAPHMEND_SUMMARY="0")
    assert (plain.status, plain.out) == (mended.status, mended.out)
    assert plain.err.splitlines()[-1:] == mended.err.splitlines()[-1:]
    assert "graphmend: warning" not in mended.err
