"""Where a function was defined does not matter: cells, prompts, `__main__`, earlier imports, `compile` and `exec`.

Each program counts graphs by its own backend, plain and with `install()`.
"""

from __future__ import annotations

import re
import sys

import pytest
from counted_programs import COUNT

pytest.importorskip("torch")

FUNCTION = """
def gate(x):
    if x.sum() > 0:
        print("positive", x.sum())
        x = x * 2
    return inner(x)

def inner(x):
    if x.mean() > 3:
        x = x - 1
    return x + 1
"""
USE = """
compiled = torch.compile(gate, backend=backend)
print(compiled(torch.ones(3)), compiled(-torch.ones(3)), compiled(torch.ones(3) * 9))
print("graphs", graphs[0])
"""
INSTALL = "import graphmend\ngraphmend.install()\n"


@pytest.fixture
def programs(warm_programs):
    return warm_programs


def compare(programs, text, *arguments, whole=1, install=INSTALL):
    """The outputs are equal but for the number of graphs, and the mended one has `whole` graphs."""
    plain_text, mended_text = text.replace("INSTALL", ""), text.replace("INSTALL", install)
    programs.write("script.py", plain_text)
    plain = programs.plain(*(arguments or ("script.py",)), stdin=plain_text)
    programs.write("script.py", mended_text)
    mended = programs.plain(*(arguments or ("script.py",)), stdin=mended_text)
    assert plain.status == mended.status == 0, mended.err
    figures = [int(re.search(r"graphs (\d+)", ended.out).group(1)) for ended in (plain, mended)]
    assert figures[0] > whole == figures[1], (figures, mended.err)
    hide = re.compile(r"graphs \d+|>>> |\.\.\. ")
    assert hide.sub("", plain.out) == hide.sub("", mended.out)
    return mended


def test_main_behind_the_call(programs):
    mended = compare(programs, COUNT + "\nINSTALL\n" + FUNCTION + USE)
    assert "graphmend: 3 places mended\n" in mended.err


def test_main_before_the_call(programs):
    compare(programs, COUNT + FUNCTION + "\nINSTALL\n" + USE)


def test_no_summary(programs):
    mended = compare(programs, COUNT + "\nINSTALL\n" + FUNCTION + USE, install=INSTALL.replace("()", "(summary=False)"))
    assert "graphmend" not in mended.err


def test_modules_imported_earlier(programs):
    programs.write("gates.py", FUNCTION)
    compare(programs, COUNT + "from gates import gate\nINSTALL\n" + USE)


def test_methods_of_bases_and_decorated_functions(programs):
    programs.write(
        "bases.py",
        "import torch\nclass Base(torch.nn.Module):\n    @torch.no_grad()\n    def forward(self, x):\n"
        "        if x.sum() > 0:\n            x = x * 2\n        return x + 1\n",
    )
    text = "import bases\nclass Net(bases.Base):\n    def forward(self, x):\n        return super().forward(x)\n"
    text += "gate = Net()\n"
    compare(programs, COUNT + text + "INSTALL\n" + USE)


@pytest.mark.parametrize(
    "run", ["exec(compile(text, 'cell one', 'exec'))", "exec(text)", "exec(compile(text.encode(), b'<cell>', 'exec'))"]
)
def test_texts(programs, run):
    compare(programs, COUNT + f"INSTALL\ntext = {FUNCTION!r}\n{run}\n" + USE)


def test_texts_with_futures_that_are_not_of_the_caller(programs):
    text = "from __future__ import annotations\n" + FUNCTION.replace("(x)", "(x: Tensor)", 1)
    compare(programs, COUNT + f"INSTALL\ntext = {text!r}\nexec(text)\n" + USE)


def test_functions_of_one_name_in_texts_of_one_name(programs):
    """The text of a function is told by its code: others have its name, its line and its file name."""
    other = FUNCTION.replace("x * 2", "x * 5").replace("> 0", "> 1")
    text = (
        f"INSTALL\ntext = {FUNCTION!r}\nother = {other!r}\nexec(text)\nsame = gate, inner\nexec(other)\nother = gate\n"
    )
    compare(programs, COUNT + text + "gate, inner = same\n" + USE)


def test_prompt_in_python(programs):
    """Of `python -m code`; what it reads goes through `compile`."""
    text = (COUNT + "\nINSTALL\n" + FUNCTION + USE).replace(
        "\n    return graph.forward", "\n    return graph.forward\n"
    )
    compare(programs, text.replace("\ndef inner", "\n\ndef inner"), "-m", "code")


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="the prompt keeps what it reads")
def test_prompt_that_keeps_no_source(programs):
    """Nothing can be mended then, and a line says so."""
    text = (COUNT + "\n" + INSTALL + FUNCTION + USE).replace("graph.forward", "graph.forward\n")
    mended = programs.plain("-i", "-q", stdin=text)
    assert "not read gate (<stdin>:1): its source is not kept" in mended.err
    assert "still breaks" in mended.err


def test_source_that_has_changed(programs):
    programs.write("gates.py", FUNCTION)
    change = "open('gates.py', 'w').write(open('gates.py').read().replace('x * 2', 'x * 3'))\n"
    programs.write("script.py", COUNT + "from gates import gate\n" + change + INSTALL + USE)
    mended = programs.plain("script.py")
    assert mended.status == 0 and "tensor([3., 3., 3.])" in mended.out
    assert "not read gate (gates.py:2): its source is not what is in the file now" in mended.err


def test_compiled_before_the_call(programs):
    programs.write(
        "script.py",
        COUNT + FUNCTION + "early = torch.compile(gate, backend=backend)\n" + INSTALL + "early(torch.ones(3))\n",
    )
    mended = programs.plain("script.py")
    assert "unmended `gate` was compiled before `install()`" in mended.err


def test_what_functions_show_of_themselves(programs):
    """Names, places, closures, defaults, attributes and source are those of the program."""
    shown = """
import inspect
def outer(n, *, k=2):
    def add(x, y=1, *rest, z=k):
        if x.sum() > 0:
            x = x * n
        return x + y
    add.note = "kept"
    return add
f = outer(3)
compiled = torch.compile(f, backend=backend)
print(compiled(torch.ones(2)), compiled(-torch.ones(2)))
print(f.__name__, f.__qualname__, f.__defaults__, f.__kwdefaults__, f.note, f.__closure__[0].cell_contents)
print(inspect.signature(f), inspect.getsource(f), f.__code__.co_firstlineno, f.__code__.co_freevars)
try:
    f("no tensor")
except AttributeError as error:
    print(error.__traceback__.tb_next.tb_lineno, error)
print("graphs", graphs[0])
"""
    text = COUNT + "INSTALL\n" + shown
    mended = compare(programs, text.replace("INSTALL\n", "INSTALL #"), install="import graphmend; graphmend.install()")
    assert "graphmend: 1 place mended" in mended.err


def test_summary_at_any_time(programs):
    text = COUNT + INSTALL + "print(graphmend.summary())\n" + FUNCTION + USE + "print(graphmend.summary())\n"
    programs.write("script.py", text + "print(graphmend.summary()._repr_html_())\n")
    out = programs.plain("script.py").out
    assert out.startswith("graphmend: nothing has been compiled")
    assert re.search(r"\ngraphmend: 3 places mended\n  mended   script\.py:\d+ GM10", out)
    assert "<table><caption>graphmend: 3 places mended</caption>" in out


def test_uninstalled_functions_stay_as_they_are(programs):
    programs.write("script.py", COUNT + INSTALL + "graphmend.uninstall()\n" + FUNCTION + USE)
    programs.write("plain.py", COUNT + FUNCTION + USE)
    assert programs.plain("script.py").out == programs.plain("plain.py").out


def test_install_under_run_is_told_once(programs):
    programs.write("script.py", COUNT + INSTALL + FUNCTION + USE)
    mended = programs.mended("script.py")
    assert "graphs 1" in mended.out and mended.err.count("graphmend: 3 places mended") == 1
