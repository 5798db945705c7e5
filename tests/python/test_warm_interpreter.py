"""The interpreters of these tests that begin with torch in memory run programs as fresh ones do."""

from __future__ import annotations

import importlib.util
import textwrap

import pytest

pytestmark = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")

PROGRAMS = {
    "state": """
        import os, sys
        print(sys.argv, __name__, __file__, os.getcwd(), sys.path[0], sorted(globals()), sys.stdin.read())
        print(os.environ["OWN"], sys.modules["__main__"].__dict__ is globals())
        """,
    "exception": """
        import atexit
        atexit.register(print, "at exit")
        def f():
            raise ValueError("own")
        f()
        """,
    "exit": "import sys; sys.exit('a text')",
    "status": "import sys; print('out', flush=True); sys.exit(7)",
    "hard": "import os; os._exit(9)",
    "signal": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "abort": "import os; os.abort()",
    "invalid": "def f(:",
    "thread": "import threading; threading.Timer(0.1, print, ['late']).start()",
    "numbers": "import torch; print(torch.manual_seed(1).initial_seed(), torch.rand(2), torch._dynamo.utils.counters)",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(cold_programs, warm_python, name):
    cold_programs.write("folder/program.py", textwrap.dedent(PROGRAMS[name]))
    command = ("folder/program.py", "a", "-b")
    cold, warm = (
        cold_programs.start(python, *command, stdin="typed", OWN="own")
        for python in (cold_programs.python, warm_python)
    )
    assert cold == warm


def test_modules_and_texts(cold_programs, warm_python):
    cold_programs.write("package/__main__.py", "import sys; print(__name__, __package__, sys.argv, sys.path[0])\n")
    for command in (("-m", "package", "a"), ("-c", "import sys; print(sys.argv, sys.path[0], __name__)", "-x")):
        cold, warm = (cold_programs.start(python, *command) for python in (cold_programs.python, warm_python))
        assert cold == warm and cold.status == 0


def test_what_needs_a_fresh_interpreter_gets_one(cold_programs, warm_python):
    text = "import sys; print('torch' in sys.modules, sys.flags.optimize)"
    assert cold_programs.start(warm_python, "-c", text).out == "True 0\n"
    assert cold_programs.start(warm_python, "-O", "-c", text).out == "False 1\n"
    assert cold_programs.start(warm_python, "-c", text, TORCH_LOGS="graph").out == "False 0\n"
