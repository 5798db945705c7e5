"""The order in which torch, the modules that torch imports, and mended modules are imported."""

import importlib.util

import pytest

pytestmark = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs torch")

MODEL = """
def forward(x):
    y = x + 1
    if y.sum() > 0:
        y = y * 2
    return y
"""
USE = """
def backend(module, inputs):
    graphs.append(module)
    return module.forward

graphs = []
compiled = torch.compile(model.forward, backend=backend)
for sign in (1, -1):
    assert compiled(sign * torch.ones(3)).tolist() == ([4] * 3 if sign > 0 else [0] * 3)
print(len(graphs))
"""


@pytest.mark.parametrize("imports", ["import torch\nimport model", "import model\nimport torch"])
def test_module_before_and_after_torch(programs, imports):
    programs.write("model.py", MODEL)
    programs.write("script.py", imports + USE)
    for _ in range(2):  # the second time from the cache
        ended = programs.mended("script.py")
        assert (ended.status, ended.out) == (0, "1\n")
        assert ended.err == "graphmend: 1 place mended\n  mended   model.py:4 GM101\n"


def test_mended_module_leaves_torch_alone(programs):
    programs.write("model.py", MODEL)
    programs.write(
        "script.py", "import sys, model\nprint('torch' in sys.modules)\nmodel.forward(__import__('torch').ones(1))"
    )
    ended = programs.mended("script.py")
    assert (ended.status, ended.out, ended.err) == (0, "False\n", "")


def test_module_that_torch_imports(programs):
    """It is compiled from its mended text while torch is half imported."""
    programs.write("typing_extensions.py", MODEL + "from real_typing_extensions import *\n")
    source = importlib.util.find_spec("typing_extensions").origin
    with open(source) as stream:
        programs.write("real_typing_extensions.py", stream.read())
    script = "import torch, typing_extensions as model\nassert model.__file__.startswith(%r)\n" % str(programs.folder)
    programs.write("script.py", script + USE)
    ended = programs.mended("script.py")
    assert (ended.status, ended.out) == (0, "1\n"), ended.err
    assert "warning" not in ended.err


def test_part_of_ours_that_cannot_be_loaded(warm_programs):
    """A torch that we do not know may lack what our parts import: the program runs, with one warning."""
    programs = warm_programs
    programs.write("model.py", MODEL)
    broken = "import sys, torch, model\nsys.modules['graphmend.runtime.passes.lower'] = None\n"
    programs.write("script.py", broken + USE.replace("print(len(graphs))", "torch.compile(model.forward)"))
    ended = programs.mended("script.py")
    assert ended.status == 0, ended.err
    assert ended.err.count("graphmend: warning:") == 1


def test_a_program_without_torch_imports_none(programs):
    """Nor threads of NumPy's libraries, whose number the program may still want to set."""
    programs.write("script.py", "import sys\nprint([name for name in ('torch', 'numpy') if name in sys.modules])\n")
    assert programs.mended("script.py").out == "[]\n"


def test_a_module_of_torch_is_run(programs):
    """Its packages are imported before `__main__` has a file, and torch looks through modules that have one."""
    ended = programs.mended("-m", "torch.distributed.run", "--help")
    assert ended.status == 0 and "usage: run.py" in ended.out + ended.err
