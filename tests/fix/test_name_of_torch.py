"""By which name a mend calls torch, and where it imports torch for want of one: in front of what comes of torch."""

from __future__ import annotations

from pathlib import Path

import pytest
from fix_command import Command

BODY = """

@compile
def f(x: Tensor):
    if x.mean() > 0:
        y = x * 2
    else:
        y = x * 3
    return y
"""
MENDED = """

@compile
def f(x: Tensor):
    y = {name}.where(x.mean() > 0, x * 2, x * 3)
    return y
"""
LINE = "from torch import Tensor, compile\n"
HERE = "import torch\n"

# What stands above the function, what stands there afterwards, and the name; no name for a function that stays.
HEADS = {
    "torch": (HERE + LINE, HERE + LINE, "torch"),
    "another name": ("import torch as t\n" + LINE, "import torch as t\n" + LINE, "t"),
    "a module below": ("import torch.nn\n" + LINE, "import torch.nn\n" + LINE, "torch"),
    "a module below by another name": (
        "import torch.nn as nn\n" + LINE,
        HERE + "import torch.nn as nn\n" + LINE,
        "torch",
    ),
    "two names": (HERE + "import torch as t\n" + LINE, HERE + "import torch as t\n" + LINE, "torch"),
    "only names of torch": (LINE, HERE + LINE, "torch"),
    "names of a module below": (
        "import os\nfrom torch.nn import Module\n" + LINE,
        "import os\n" + HERE + "from torch.nn import Module\n" + LINE,
        "torch",
    ),
    "behind and in front of others": (
        "import os\n\n" + LINE + "import sys\n",
        "import os\n\n" + HERE + LINE + "import sys\n",
        "torch",
    ),
    "a relative module of that name": (
        "from .torch import other\n" + LINE,
        "from .torch import other\n" + HERE + LINE,
        "torch",
    ),
    "a relative name": ("from . import torch_like\n" + LINE, "from . import torch_like\n" + HERE + LINE, "torch"),
    "modules whose names begin so": (
        "from torchvision import ops\nimport torchaudio\n" + LINE,
        "from torchvision import ops\nimport torchaudio\n" + HERE + LINE,
        "torch",
    ),
    "a docstring": ('"""Words."""\n\n' + LINE, '"""Words."""\n\n' + HERE + LINE, "torch"),
    "a future": (
        "from __future__ import annotations\n" + LINE,
        "from __future__ import annotations\n" + HERE + LINE,
        "torch",
    ),
    "no line of its own": ("import os; " + LINE, "import os; " + LINE, None),
    "something else by that name": ("import numpy as torch\n" + LINE, "import numpy as torch\n" + LINE, None),
    "a name that is bound again": (LINE + "torch = None\n", LINE + "torch = None\n", None),
    "a name that may be something else": (
        "try:\n    import torch\nexcept ImportError:\n    torch = None\n" + LINE,
        "try:\n    import torch\nexcept ImportError:\n    torch = None\n" + LINE,
        None,
    ),
}


@pytest.fixture(scope="module")
def fixed(executable: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The texts of all programs after one run."""
    fix = Command(executable, tmp_path_factory.mktemp("heads"))
    paths: dict[str, Path] = {name: fix.write(f"{at}.py", HEADS[name][0] + BODY) for at, name in enumerate(HEADS)}
    ended = fix(*(path.name for path in paths.values()))
    assert ended.status in (0, 1) and ended.err == "", ended
    return {name: path.read_text(encoding="utf-8") for name, path in paths.items()}


@pytest.mark.parametrize("head", HEADS)
def test_the_name_and_the_import(fixed: dict[str, str], head: str) -> None:
    before, after, name = HEADS[head]
    assert fixed[head] == (before + BODY if name is None else after + MENDED.format(name=name))
