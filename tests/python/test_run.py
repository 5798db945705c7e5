"""`graphmend run` is `python` in everything that a program can see of its start and end."""

from __future__ import annotations

import signal
import sys
import zipfile

import pytest

SURROUNDINGS = """
import sys, __main__
print(sys.argv, sys.path, __name__, __file__, __spec__, __package__, type(__loader__).__name__)
print(sorted(globals()), sys.modules["__main__"] is __main__, __main__.__dict__ is globals())
print(sys.stdin.read())
"""

ENDS = {
    "normal": "print('out')",
    "status": "import sys; sys.exit(3)",
    "status text": "import sys; sys.exit('words')",
    "status none": "import sys; sys.exit(None)",
    "status bool": "raise SystemExit(True)",
    "exception": "def f():\n    return 1 / 0\n\nf()\n",
    "exception with cause": "try:\n    {}['a']\nexcept KeyError as error:\n    raise ValueError('b') from error\n",
    "exception in context": "try:\n    {}['a']\nexcept KeyError:\n    [][1]\n",
    "exception group": "raise ExceptionGroup('many', [ValueError(1), TypeError(2)])",
    "interrupt": "raise KeyboardInterrupt",
    "generator exit": "raise GeneratorExit('x')",
    "at once": "import os; os._exit(4)",
    "syntax": "x = 1\ndef f(:\n    pass\n",
    "null byte": "x = 1\0\n",
    "indentation": "if True:\npass\n",
    "bad encoding": "# coding: no-such-encoding\n",
    "invalid escape": "print('\\d')\n",
    "comparison warning": "x = 1\nprint(x is 1)\n",
    "excepthook": "import sys\nsys.excepthook = lambda *a: print('hook', a[0], a[2].tb_lineno)\nraise ValueError\n",
    "at exit": "import atexit\natexit.register(print, 'last')\nprint('first')\nraise ValueError('x')\n",
    "module missing": "import no_such_module",
    "recursion": "import sys\ndef f(): return f()\ntry:\n    f()\nexcept RecursionError: print('deep')\n",
    "thread": "import threading\nt = threading.Thread(target=lambda: 1 / 0)\nt.start(); t.join(); print('on')\n",
    "main thread": "import threading\nprint(threading.current_thread() is threading.main_thread())\n",
}


@pytest.mark.parametrize(
    "arguments", [["script.py"], ["./script.py", "-x", "--m", "a b"], ["sub/../script.py", "--help"]]
)
def test_surroundings(programs, arguments):
    programs.write("script.py", SURROUNDINGS)
    programs.write("sub/empty.txt", "")
    mended = programs.mended(*arguments, stdin="given\n")
    assert mended == programs.plain(*arguments, stdin="given\n")
    assert mended.status == 0 and "given" in mended.out


@pytest.mark.parametrize("name", ENDS)
def test_end(programs, name):
    if name == "exception group" and sys.version_info < (3, 11):
        pytest.skip("needs Python 3.11")
    programs.write("script.py", ENDS[name])
    assert programs.mended("script.py") == programs.plain("script.py")


STACKS = """
import inspect, io, logging, sys, traceback

def shown():
    traceback.print_stack()
    traceback.print_stack(limit=1, file=sys.stdout)
    print([frame.filename for frame in inspect.stack()], len(traceback.extract_stack()), traceback.format_stack()[0])
    print([row.name for row in traceback.StackSummary.extract(traceback.walk_stack(None))])
    logging.warning("%d", "no number", stack_info=True)

logging.basicConfig(format="%(message)s")
[shown() for _ in range(1)]
"""


@pytest.mark.parametrize("arguments", [["script.py"], ["-m", "script"]])
def test_stacks(programs, arguments):
    """What the program shows of its calls begins with its own first one."""
    programs.write("script.py", STACKS)
    mended = programs.mended(*arguments)
    assert mended == programs.plain(*arguments)
    assert "--- Logging error ---" in mended.err and "graphmend" not in mended.err


def test_missing_script(programs):
    mended = programs.mended("missing.py")
    assert mended == programs.plain("missing.py")
    assert mended.status == 2


def test_traceback_through_modules(programs):
    programs.write("helper.py", "def fail(x):\n    if x:\n        raise ValueError(x)\n")
    programs.write("script.py", "import helper\n\n\ndef main():\n    helper.fail([1])\n\n\nmain()\n")
    mended = programs.mended("script.py")
    assert mended == programs.plain("script.py")
    assert "helper.py" in mended.err and "launch.py" not in mended.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["-m", "package.tool", "1", "-m"],
        ["-m", "package", "1"],
        ["-m", "package.nothing"],
        ["-m", "nothing"],
        ["folder", "1"],
        ["archive.zip", "1"],
        ["empty"],
    ],
)
def test_modules_and_folders(programs, arguments):
    body = "import sys\nprint(sys.argv, sys.path, __name__, __package__, __spec__ and __spec__.name)\n1 / 0\n"
    for name in ("package/tool.py", "package/__main__.py", "folder/__main__.py"):
        programs.write(name, body)
    programs.write("package/__init__.py", "import sys\nprint('init', __name__)\n")
    programs.write("empty/readme.txt", "")
    with zipfile.ZipFile(programs.folder / "archive.zip", "w") as archive:
        archive.writestr("__main__.py", body)
    assert programs.mended(*arguments) == programs.plain(*arguments)


def test_signal(programs):
    programs.write("script.py", "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\n")
    assert programs.mended("script.py").status == -signal.SIGTERM


def test_interrupt_by_signal(programs):
    programs.write("script.py", "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(9)\n")
    assert programs.mended("script.py") == programs.plain("script.py")


def test_turned_off(programs):
    programs.write(
        "script.py", "import sys\nprint([m for m in sys.modules if 'graphmend' in m and '__editable' not in m])\n"
    )
    off = programs.mended("script.py", GRAPHMEND="0")
    assert off == programs.plain("script.py")
    assert programs.mended("script.py").out != off.out


def test_names_in_the_current_folder_do_not_shadow_ours(programs):
    for name in ("graphmend", "core", "hook", "runtime", "launch", "summary"):
        programs.write(f"{name}.py", "raise RuntimeError('shadow')\n")
    programs.write("script.py", "print('ran')\n")
    ended = programs.mended("script.py")
    assert (ended.status, ended.out, ended.err) == (0, "ran\n", "")


def test_missing_library_runs_the_program_as_it_is(programs):
    programs.write("script.py", "import json, sys\nprint(json.dumps(1))\nsys.exit(5)\n")
    ended = programs.mended("script.py", GRAPHMEND_LIBRARY="/nonexistent/libgraphmend.so")
    assert (ended.status, ended.out) == (5, "1\n")
    assert ended.err.count("graphmend: warning:") == 1 and ended.err.count("\n") == 1


def test_broken_library_runs_the_program_as_it_is(programs):
    programs.write("script.py", "print('ran')\n")
    broken = programs.write("libbroken.so", "not a library")
    ended = programs.mended("script.py", GRAPHMEND_LIBRARY=str(broken))
    assert (ended.status, ended.out) == (0, "ran\n")
    assert ended.err.count("graphmend: warning:") == 1


def test_closed_streams(programs):
    programs.write("script.py", "import sys\nsys.stderr.close()\nsys.exit(6)\n")
    assert programs.mended("script.py").status == 6
    programs.write("script.py", "import sys\nsys.stderr = None\nsys.exit(7)\n")
    assert programs.mended("script.py").status == 7


@pytest.mark.parametrize("arguments", [[], ["-m"], ["--nonsense", "script.py"]])
def test_usage(programs, arguments):
    ended = programs.mended(*arguments)
    assert ended.status == 2 and ended.out == ""
    assert ended.err.startswith("graphmend: ") and "usage: graphmend run" in ended.err


def test_other_interpreter_without_graphmend(programs, tmp_path):
    """A Python that lacks the package still runs the program, with one warning."""
    programs.write("script.py", "import sys\nprint(sys.argv)\nsys.exit(8)\n")
    wrapper = tmp_path / "python"
    wrapper.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S -E "$@"\n')
    wrapper.chmod(0o755)
    ended = programs.mended("script.py", "a", GRAPHMEND_PYTHON=str(wrapper))
    assert (ended.status, ended.out) == (8, "['script.py', 'a']\n")
    assert ended.err.count("graphmend: warning:") == 1
