"""Calls from one file of a run into another: what they reach is reported, with all callers."""

from __future__ import annotations

import json

import pytest

IMPORTS = "import torch\nfrom torch import nn\n"
MODEL = (
    IMPORTS + "from ..tools.sizes import longest\nfrom ..tools import total, Meter\nfrom ..tools import sizes\n\n\n"
    "class Model(nn.Module):\n    def forward(self, x: torch.Tensor):\n"
    "        a = longest(x) + longest(x)\n        b = sizes.shortest(x)\n"
    "        return a + b + total(x) + Meter(x).count\n"
)
SIZES = (
    "def longest(x):\n    return inner(x)\n\n\ndef shortest(x):\n    return x.min().item()\n\n\n"
    "def inner(x):\n    return x.max().item()\n\n\ndef nobody(x):\n    return x.sum().item()\n"
)
SUMS = (
    "def total(x):\n    return x.sum().item()\n\n\nclass Meter:\n    def __init__(self, x):\n"
    "        self.count = x.mean().item()\n\n    def other(self, x):\n        return x.std().item()\n"
)
FILES = {
    "pkg/__init__.py": "",
    "pkg/models/__init__.py": "",
    "pkg/models/model.py": MODEL,
    "pkg/tools/__init__.py": "from .sums import total, Meter\n",
    "pkg/tools/sizes.py": SIZES,
    "pkg/tools/sums.py": SUMS,
}


def write(cli, files: dict[str, str]) -> None:
    for name, text in files.items():
        cli.write(name, text)


def found(cli, *arguments: str) -> set[tuple[str, int, str, int]]:
    """Path, line, code and callers of what is found."""
    lines = cli("check", "--output-format", "json-lines", *arguments).out.splitlines()
    all_found = [json.loads(line) for line in lines]
    return {(one["path"], one["line"], one["code"], one["callers"]) for one in all_found}


EXPECTED = {
    ("pkg/tools/sizes.py", 6, "GM201", 1),
    ("pkg/tools/sizes.py", 10, "GM201", 1),
    ("pkg/tools/sums.py", 2, "GM201", 1),
    ("pkg/tools/sums.py", 7, "GM201", 1),
}


def test_helpers_in_other_files(cli) -> None:
    write(cli, FILES)
    assert found(cli, "--no-cache", "pkg") == EXPECTED
    assert found(cli, "--no-cache", "pkg/tools") == set(), "nothing that is looked at calls them"
    assert found(cli, "--no-cache", "pkg/models", "pkg/tools/sizes.py", "pkg/__init__.py") == {
        ("pkg/tools/sizes.py", 6, "GM201", 1),
        ("pkg/tools/sizes.py", 10, "GM201", 1),
    }


def test_callers_are_counted_over_all_files(cli) -> None:
    write(cli, FILES)
    cli.write("pkg/models/other.py", MODEL)
    callers = {(path, line): count for path, line, _, count in found(cli, "--no-cache", "pkg")}
    assert callers["pkg/tools/sizes.py", 6] == 2 and callers["pkg/tools/sums.py", 2] == 2
    assert "      = reached: by 2 calls\n" in cli("check", "--no-cache", "pkg").out


def test_what_is_kept_is_right_when_another_file_changes(cli) -> None:
    write(cli, FILES)
    assert found(cli, "pkg") == found(cli, "pkg") == EXPECTED
    cli.write("pkg/models/model.py", MODEL.replace("sizes.shortest(x)", "1"))
    assert found(cli, "pkg") == EXPECTED - {("pkg/tools/sizes.py", 6, "GM201", 1)}
    cli.write("pkg/models/model.py", MODEL)
    assert found(cli, "pkg") == EXPECTED


def test_the_same_bytes_on_any_number_of_threads(cli) -> None:
    write(cli, {**FILES, **{f"pkg/models/m{number}.py": MODEL for number in range(12)}})
    outs = {cli("check", "--no-cache", "--threads", threads, "pkg").out for threads in ("1", "2", "5")}
    assert len(outs) == 1


def test_decorators_and_bases_in_other_files(cli) -> None:
    wraps = (
        "import functools\n\n\ndef traced(limit):\n    limit.item()\n\n"
        "    def apply(function):\n        function.item()\n\n"
        "        @functools.wraps(function)\n        def wrapper(*args):\n            return args[0].item()\n\n"
        "        return wrapper\n\n    return apply\n"
    )
    base = IMPORTS + "\n\nclass Base(nn.Module):\n    def size(self, x):\n        return x.max().item()\n"
    model = (
        IMPORTS + "from base import Base\nfrom wraps import traced\n\n\nclass Model(Base):\n    @traced(3)\n"
        "    def forward(self, x: torch.Tensor):\n        return self.size(x)\n"
    )
    write(cli, {"wraps.py": wraps, "base.py": base, "model.py": model})
    assert found(cli, "--no-cache", ".") == {("base.py", 7, "GM201", 1), ("wraps.py", 12, "GM201", 1)}


def test_tables_of_functions(cli) -> None:
    losses = (
        "from .more import third\n\n\ndef first(x):\n    return x.item()\n\n\n"
        "def second(x):\n    return x.max().item()\n\n\n"
        'LOSSES = {"first": first, "third": third}\n'
    )
    more = "def third(x):\n    return x.min().item()\n"
    model = (
        IMPORTS + "from .losses import LOSSES\n\n\ndef own(x):\n    return x.item()\n\n\nOWN = [own]\n\n\n"
        "class Base(nn.Module):\n    @property\n    def loss(self):\n        return LOSSES.get(self.kind)\n\n"
        "    @loss.setter\n    def loss(self, value):\n        self.kind = value\n\n\n"
        "class Model(Base):\n    def forward(self, x: torch.Tensor):\n        return self.loss(x) + OWN[0](x)\n"
    )
    write(cli, {"pkg/__init__.py": "", "pkg/losses.py": losses, "pkg/more.py": more, "pkg/model.py": model})
    assert {(path, line) for path, line, *_ in found(cli, "--no-cache", "pkg")} == {
        ("pkg/losses.py", 5),
        ("pkg/model.py", 7),
        ("pkg/more.py", 2),
    }


@pytest.mark.parametrize("rounds", [3, 40])
def test_long_and_circular_ways_end(cli, rounds) -> None:
    """A function of one file calls one of the next; the last file calls the first."""
    for number in range(rounds):
        after = (number + 1) % rounds
        text = f"from .m{after} import f as g\n\n\ndef f(x):\n    return g(x) + x.item()\n"
        cli.write(f"pkg/m{number}.py", text)
    cli.write("pkg/__init__.py", "from .m0 import f\nfrom . import f as again\n")
    cli.write("pkg/main.py", IMPORTS + "from . import f\n\n\n@torch.compile\ndef h(x):\n    return f(x)\n")
    paths = {path for path, *_ in found(cli, "--no-cache", "pkg")}
    assert paths >= {f"pkg/m{number}.py" for number in range(min(rounds, 10))}


def test_names_that_lead_nowhere(cli) -> None:
    text = (
        IMPORTS + "from ....... import far\nfrom . import missing\nfrom .gone import away\n"
        "import a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r\n"
        "\n\nclass Model(nn.Module):\n    def forward(self, x: torch.Tensor):\n        far(x)\n        missing.f(x)\n"
        "        away(x)\n        a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s(x)\n        return x.item()\n"
    )
    write(cli, {"pkg/__init__.py": "", "pkg/model.py": text, "a/__init__.py": "b = 1\n"})
    assert found(cli, "--no-cache", ".") == {("pkg/model.py", 15, "GM201", 0)}


def test_what_is_silenced_or_listed_is_told_no_more(cli) -> None:
    write(cli, FILES)
    assert cli("check", "--write-baseline", "known.json", "pkg").status == 0
    assert found(cli, "--no-cache", "--baseline", "known.json", "pkg") == set()
    assert cli("check", "--add-ignore", "pkg").out.startswith("4 findings silenced")
    assert found(cli, "--no-cache", "pkg") == set()


def test_fix_changes_only_what_the_file_itself_reaches(cli) -> None:
    helper = IMPORTS + "\n\ndef scale(x: torch.Tensor):\n    if x.sum() > 0:\n        x = x * 2\n    return x\n"
    model = (
        IMPORTS + "from .helper import scale\n\n\nclass Model(nn.Module):\n"
        "    def forward(self, x: torch.Tensor):\n        return scale(x)\n"
    )
    write(cli, {"pkg/__init__.py": "", "pkg/helper.py": helper, "pkg/model.py": model})
    assert {(path, code) for path, _, code, _ in found(cli, "--no-cache", "pkg")} == {("pkg/helper.py", "GM101")}
    assert cli("fix", "pkg").out.startswith("0 fixed") and (cli.folder / "pkg/helper.py").read_text() == helper
