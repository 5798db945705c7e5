"""Shapes of source that make a tool slow whose passes are not linear: a name, and the text with so many of it."""

from __future__ import annotations

from collections.abc import Callable

T = "import torch\n"


def f(body: str) -> str:
    """A function around a body."""
    return T + "def f(x, a):\n" + body + "    return x\n"


S: dict[str, Callable[[int], str]] = {}
S["elif"] = lambda n: f(
    "    if a == 0:\n        x = x\n" + "".join(f"    elif a == {i}:\n        x = x + {i}\n" for i in range(n))
)
S["elif_t"] = lambda n: f(
    "    if x.sum() == 0:\n        x = x\n"
    + "".join(f"    elif x.sum() == {i}:\n        x = x + {i}\n" for i in range(n))
)
S["early"] = lambda n: f("".join(f"    if x.sum() > {i}:\n        return x + {i}\n" for i in range(n)))
S["early_a"] = lambda n: f("".join(f"    if a > {i}:\n        return x + {i}\n" for i in range(n)))
S["if_names"] = lambda n: f("".join(f"    if x.sum() > {i}:\n        v{i} = x + {i}\n" for i in range(n)))
S["if_names2"] = lambda n: f(
    "".join(f"    if a > {i}:\n        v{i} = x\n    else:\n        v{i} = 1\n" for i in range(n))
)
S["try"] = lambda n: f(
    "".join(f"    try:\n        x = x + {i}\n    except ValueError:\n        pass\n" for i in range(n))
)
S["try_fin"] = lambda n: f("".join(f"    try:\n        x = x + {i}\n    finally:\n        a = {i}\n" for i in range(n)))
S["names_eq"] = lambda n: T + " = ".join(f"v{i}" for i in range(n)) + " = 1\n"
S["names_eq_f"] = lambda n: f("    " + " = ".join(f"v{i}" for i in range(n)) + " = x\n")
S["tuple_eq"] = lambda n: f("    " + ", ".join(f"v{i}" for i in range(n)) + " = x\n")
S["same_eq"] = lambda n: f("    " + " = ".join("v" for i in range(n)) + " = x\n")
S["if_same"] = lambda n: f("".join(f"    if x.sum() > {i}:\n        x = x + {i}\n" for i in range(n)))
S["if_else"] = lambda n: f(
    "".join(f"    if x.sum() > {i}:\n        x = x + {i}\n    else:\n        x = x - 1\n" for i in range(n))
)
S["prints"] = lambda n: f("".join(f"    print(x, {i})\n" for i in range(n)))
S["items"] = lambda n: f("".join(f"    a{i} = x.item()\n" for i in range(n)))


def cls(body: str) -> str:
    """A module around its methods."""
    return T + "class A(torch.nn.Module):\n" + body


S["self_attr"] = lambda n: cls(
    "    def __init__(self):\n        super().__init__()\n"
    + "".join(f"        self.a{i} = {i}\n" for i in range(n))
    + "    def forward(self, x):\n"
    + "".join(f"        x = x + self.a{i}\n" for i in range(n))
    + "        return x\n"
)
S["self_set"] = lambda n: cls(
    "    def forward(self, x):\n"
    + "".join(f"        self.a{i} = x.sum().item()\n" for i in range(n))
    + "        return x\n"
)
S["self_if"] = lambda n: cls(
    "    def forward(self, x):\n"
    + "".join(f"        if x.sum() > {i}:\n            self.a{i} = x\n" for i in range(n))
    + "        return x\n"
)
S["methods"] = lambda n: cls("".join(f"    def m{i}(self, x):\n        return self.m{i + 1}(x)\n" for i in range(n)))
S["methods1"] = lambda n: cls("".join(f"    def m{i}(self, x):\n        return self.q(x)\n" for i in range(n)))
S["funcs"] = lambda n: T + "".join(f"def m{i}(x):\n    return m{i + 1}(x)\n" for i in range(n))
S["funcs_rev"] = lambda n: T + "".join(f"def m{i}(x):\n    return m{i - 1}(x)\n" for i in range(n))
S["classes"] = lambda n: (
    T + "".join(f"class C{i}(C{i - 1}):\n    def f(self, x):\n        return self.q(x)\n" for i in range(n))
)
S["bases"] = lambda n: (
    T
    + "".join(f"class C{i}: pass\n" for i in range(n))
    + "class Z("
    + ", ".join(f"C{i}" for i in range(n))
    + "):\n    def f(self, x):\n        return self.q(x)\n"
)
S["imports"] = lambda n: "".join(f"import m{i}\n" for i in range(n))
S["imports_from"] = lambda n: T + "from m import (" + ", ".join(f"a{i}" for i in range(n)) + ")\n"
S["calls"] = lambda n: f("".join(f"    x = g{i}(x)\n" for i in range(n)))
S["call_nest_args"] = lambda n: f("    x = g(" + ", ".join(f"a{i}" for i in range(n)) + ")\n")
S["kwargs"] = lambda n: f("    x = g(" + ", ".join(f"a{i}={i}" for i in range(n)) + ")\n")
S["params"] = lambda n: T + "def f(" + ", ".join(f"a{i}" for i in range(n)) + "):\n    return a0\n"
S["params_use"] = lambda n: (
    T
    + "def f("
    + ", ".join(f"a{i}" for i in range(n))
    + "):\n    return "
    + " + ".join(f"a{i}" for i in range(n))
    + "\n"
)
S["list"] = lambda n: "x = [" + ", ".join(str(i) for i in range(n)) + "]\n"
S["dict"] = lambda n: "x = {" + ", ".join(f"{i}: {i}" for i in range(n)) + "}\n"
S["dict_s"] = lambda n: "x = {" + ", ".join(f"'a{i}': {i}" for i in range(n)) + "}\n"
S["set_fn"] = lambda n: T + "x = {" + ", ".join(f"'a{i}': torch.sin" for i in range(n)) + "}\n"
S["plus"] = lambda n: f("    x = " + " + ".join("x" for i in range(n)) + "\n")
S["andor"] = lambda n: f("    if " + " and ".join(f"a > {i}" for i in range(n)) + ":\n        x = 1\n")
S["and_t"] = lambda n: f("    if " + " and ".join(f"x.sum() > {i}" for i in range(n)) + ":\n        x = x + 1\n")
S["cmp"] = lambda n: f("    if " + " < ".join("a" for i in range(n)) + ":\n        x = 1\n")
S["attr"] = lambda n: f("    x = x" + ".a" * n + "\n")
S["sub"] = lambda n: f("    x = x" + "[0]" * n + "\n")
S["callchain"] = lambda n: f("    x = x" + ".f()" * n + "\n")
S["unary"] = lambda n: f("    x = " + "not " * n + "x\n")
S["minus"] = lambda n: f("    x = " + "-" * n + "x\n")
S["paren"] = lambda n: f("    x = " + "(" * n + "x" + ")" * n + "\n")
S["paren_open"] = lambda n: "(" * n
S["brack_open"] = lambda n: "[" * n
S["brace_open"] = lambda n: "{" * n
S["paren_close"] = lambda n: ")" * n
S["colon"] = lambda n: ":" * n
S["lines"] = lambda n: "x\n" * n
S["assign"] = lambda n: "x = 1\n" * n
S["assign_f"] = lambda n: f("    x = x + 1\n" * n)
S["aug"] = lambda n: f("    x += 1\n" * n)
S["while"] = lambda n: f("    while x.sum() > 0:\n        x = x - 1\n" * n)
S["for"] = lambda n: f("    for i in x:\n        x = x - 1\n" * n)
S["for_range"] = lambda n: f("".join(f"    for i{i} in range(3):\n        x = x - i{i}\n" for i in range(n)))
S["with"] = lambda n: f("    with torch.no_grad():\n        x = x - 1\n" * n)
S["with_items"] = lambda n: f("    with " + ", ".join(f"g() as v{i}" for i in range(n)) + ":\n        pass\n")
S["lambda"] = lambda n: f("".join(f"    g{i} = lambda y: y + x\n" for i in range(n)))
S["nested_def"] = lambda n: f("".join(f"    def g{i}(y):\n        return y + x\n" for i in range(n)))
S["comp"] = lambda n: f("    x = [y for y in x]\n" * n)
S["comp_fors"] = lambda n: f("    x = [1 " + "for y in x " * n + "]\n")
S["comp_ifs"] = lambda n: f("    x = [1 for y in x " + "if y " * n + "]\n")
S["fstring"] = lambda n: "x = f'" + "{a}" * n + "'\n"
S["strings"] = lambda n: "x = " + "'a' " * n + "\n"
S["quote"] = lambda n: "'" * n
S["tripleq"] = lambda n: "'''" * n
S["bslash"] = lambda n: "\\\n" * n
S["comments"] = lambda n: "# a\n" * n
S["noqa"] = lambda n: "x = 1  # graphmend: ignore\n" * n
S["noqa2"] = lambda n: f("".join(f"    print(x, {i})  # graphmend: ignore[GM101]\n" for i in range(n)))
S["del"] = lambda n: f("".join(f"    del v{i}\n" for i in range(n)))
S["global"] = lambda n: f("".join(f"    global v{i}\n    v{i} = 1\n" for i in range(n)))
S["global1"] = lambda n: f("    global " + ", ".join(f"v{i}" for i in range(n)) + "\n")
S["deco"] = lambda n: T + "@torch.no_grad()\n" * n + "def f(x):\n    return x\n"
S["decos"] = lambda n: T + "".join(f"@d{i}\n" for i in range(n)) + "def f(x):\n    return x\n"
S["match"] = lambda n: f("    match a:\n" + "".join(f"        case {i}:\n            x = x + {i}\n" for i in range(n)))
S["match_or"] = lambda n: f(
    "    match a:\n        case " + " | ".join(str(i) for i in range(n)) + ":\n            x = x + 1\n"
)
S["walrus"] = lambda n: f("".join(f"    if (v{i} := a):\n        x = x + 1\n" for i in range(n)))
S["assert"] = lambda n: f("".join(f"    assert x.sum() > {i}\n" for i in range(n)))
S["raise"] = lambda n: f("".join(f"    if x.sum() > {i}:\n        raise ValueError({i})\n" for i in range(n)))
S["ternary"] = lambda n: f("    x = " + "".join(f"{i} if a > {i} else " for i in range(n)) + "0\n")
S["ternary_s"] = lambda n: f("".join(f"    x = x + 1 if x.sum() > {i} else x\n" for i in range(n)))
S["yield"] = lambda n: f("    yield x\n" * n)
S["star"] = lambda n: f("    x = g(" + ", ".join("*a" for i in range(n)) + ")\n")
S["excepts"] = lambda n: f(
    "    try:\n        x = x\n" + "".join(f"    except E{i}:\n        x = {i}\n" for i in range(n))
)
S["trydeep_stmts"] = lambda n: f(
    "    try:\n" + "".join(f"        x = x + {i}\n" for i in range(n)) + "    except E:\n        pass\n"
)
S["try_names"] = lambda n: f(
    "    try:\n" + "".join(f"        v{i} = x\n" for i in range(n)) + "    except E:\n        pass\n"
)
S["break"] = lambda n: f(
    "    while a:\n" + "".join(f"        if x.sum() > {i}:\n            break\n" for i in range(n))
)
S["continue"] = lambda n: f(
    "    for i in range(9):\n" + "".join(f"        if x.sum() > {i}:\n            continue\n" for i in range(n))
)
S["loop_names"] = lambda n: f("    while a:\n" + "".join(f"        v{i} = v{i + 1}\n" for i in range(n)))
S["loop_chain"] = lambda n: f(
    "    v0 = x\n" + "    while a:\n" + "".join(f"        v{n - i} = v{n - i - 1}\n" for i in range(n))
)
S["chain"] = lambda n: f("    v0 = x\n" + "".join(f"    v{i + 1} = v{i} + 1\n" for i in range(n)))
S["mod_chain"] = lambda n: T + "v0 = 1\n" + "".join(f"v{i + 1} = v{i} + 1\n" for i in range(n))
S["mod_rev"] = lambda n: T + "".join(f"v{n - i} = v{n - i - 1}\n" for i in range(n))
S["mod_if"] = lambda n: T + "".join(f"if a{i}:\n    b = {i}\n" for i in range(n))
S["alias_chain"] = lambda n: (
    "import torch as t0\n"
    + "".join(f"t{i + 1} = t{i}\n" for i in range(n))
    + f"def f(x):\n    print(t{n}.sin(x))\n    return x\n"
)
S["semi"] = lambda n: "x=1;" * n + "\n"
S["tabs"] = lambda n: "\t" * n + "x\n"
S["spaces"] = lambda n: " " * n + "x\n"
S["dedents"] = lambda n: "".join(" " * (i % 50) + "if a:\n" for i in range(n))
S["err_lines"] = lambda n: "x = = 1\n" * n
S["err_tok"] = lambda n: "?" * n
S["nul"] = lambda n: "\0" * n
S["ff"] = lambda n: "\xff" * n
S["annot"] = lambda n: f("".join(f"    v{i}: torch.Tensor = x\n" for i in range(n)))
S["union_ann"] = lambda n: T + "def f(x: " + " | ".join(f"A{i}" for i in range(n)) + "):\n    return x\n"
S["sub_ann"] = lambda n: T + "def f(x: Union[" + ", ".join(f"A{i}" for i in range(n)) + "]):\n    return x\n"
S["long_name"] = lambda n: "a" * n + " = 1\n"
S["long_num"] = lambda n: "x = " + "1" * n + "\n"
S["long_str"] = lambda n: "x = '" + "1" * n + "'\n"
S["long_line_f"] = lambda n: f("    x = g(" + "1, " * n + ")\n" * 1)
S["find_line"] = lambda n: T + "def f(x):\n    " + "; ".join("print(x)" for i in range(n)) + "\n    return x\n"
S["item_ifs"] = lambda n: f("".join(f"    if x[{i}].item() > {i}:\n        x = x + {i}\n" for i in range(n)))
S["nonzero"] = lambda n: f("".join(f"    y{i} = torch.nonzero(x)\n" for i in range(n)))
S["dups"] = lambda n: T + "def f(x):\n    print(x)\n    return x\n" * n
S["compiles"] = lambda n: (
    T + "".join(f"@torch.compile\ndef f{i}(x):\n    print(x)\n    return f{i - 1}(x)\n" for i in range(n))
)
S["type_alias"] = lambda n: "".join(f"type A{i} = A{i + 1}\n" for i in range(n))
S["all"] = lambda n: "__all__ = [" + ", ".join(f"'a{i}'" for i in range(n)) + "]\n"
S["slots"] = lambda n: "class A:\n" + "".join(f"    a{i}: int = {i}\n" for i in range(n))
S["nested_class"] = lambda n: "".join(f"class A{i}:\n    x = {i}\n" for i in range(n))
S["self_call"] = lambda n: cls(
    "    def m(self, x): return x\n    def forward(self, x):\n" + "        x = self.m(x)\n" * n + "        return x\n"
)
S["self_mods"] = lambda n: cls(
    "    def __init__(self):\n"
    + "".join(f"        self.l{i} = torch.nn.Linear(3, 3)\n" for i in range(n))
    + "    def forward(self, x):\n"
    + "".join(f"        x = self.l{i}(x)\n" for i in range(n))
    + "        return x\n"
)
S["bufs"] = lambda n: cls(
    "    def __init__(self):\n"
    + "".join(f"        self.register_buffer('l{i}', torch.zeros(3))\n" for i in range(n))
    + "    def forward(self, x):\n"
    + "".join(f"        self.l{i} += 1\n" for i in range(n))
    + "        return x\n"
)


def nest(kind: str) -> Callable[[int], str]:
    """Many towers of fifteen blocks."""

    def g(n: int) -> str:
        out = T + "def f(x, a):\n"
        for _ in range(max(1, n // 15)):
            out += "".join("    " * (depth + 1) + kind + "\n" for depth in range(15)) + "    " * 16 + "x = x + 1\n"
        return out + "    return x\n"

    return g


S["nest_if"] = nest("if x.sum() > 0:")
S["nest_while"] = nest("while a:")
S["nest_for"] = nest("for i in x:")
S["nest_with"] = nest("with a:")

S["print_wide"] = lambda n: f("    print(" + "x, " * n + ")\n")
S["print_names"] = lambda n: f("    print(" + ", ".join(f"x{i}" for i in range(n)) + ")\n")
S["print_dict"] = lambda n: f("    print({" + ", ".join(f"x{i}: y{i}" for i in range(n)) + "})\n")
S["print_comp"] = lambda n: f("    print([" + ", ".join(f"[y{i} for y{i} in x]" for i in range(n)) + "])\n")
S["loops_of_comp"] = lambda n: f("    print([1 " + "for y in x " * n + "])\n")
S["print_fields"] = lambda n: f("    print(f'" + "".join(f"{{x:{{y{i}}}}}" for i in range(n)) + "')\n")
S["format"] = lambda n: f("    print('" + "{} " * n + "'.format(" + "x, " * n + "))\n")
S["percent"] = lambda n: f("    print('" + "%s " * n + "' % (" + "x, " * n + "))\n")
S["log_wide"] = lambda n: (
    "import logging\nlog = logging.getLogger(__name__)\n" + f("    log.info('a', " + "x, " * n + ")\n")
)
S["append_wide"] = lambda n: cls("    def forward(self, x):\n        self.r.append((" + "x, " * n + "))\n")
S["items_sums"] = lambda n: f(
    ("    print(" + " + ".join(f"x[{i}].item()" for i in range(200)) + ")\n") * (n // 200 + 1)
)
S["one_line"] = lambda n: f("    " + "print(x); " * n + "\n")
S["one_line_ifs"] = lambda n: f("    x = (" + ", ".join(f"x if x.sum() > {i} else 1" for i in range(n)) + ")\n")
S["if_names_and"] = lambda n: f("    if " + " and ".join(f"x{i}" for i in range(n)) + ":\n        x = x + 1\n")
S["if_args"] = lambda n: f("    if x.sum() > g(" + ", ".join(f"x{i}" for i in range(n)) + "):\n        x = x + 1\n")
S["if_body"] = lambda n: f("    if x.sum() > 0:\n" + "".join(f"        v{i} = x + {i}\n" for i in range(n)))
S["if_bodies"] = lambda n: f(
    "    if x.sum() > 0:\n"
    + "".join(f"        v{i} = x + {i}\n" for i in range(n))
    + "    else:\n"
    + "".join(f"        v{i} = x - {i}\n" for i in range(n))
    + "".join(f"    x = x + v{i}\n" for i in range(n))
)
S["params_keyword"] = lambda n: (
    T
    + "def g("
    + ", ".join(f"a{i}=1" for i in range(n))
    + "):\n    return "
    + " + ".join(f"a{i}" for i in range(min(n, 4000)))
    + "\n"
    + f("".join(f"    x = g(a{i}=x)\n" for i in range(n)))
)
S["redefined"] = lambda n: "import torch\n@torch.compile\ndef f(x):\n    print(x)\n    return x\n" * n
S["fixed_functions"] = lambda n: (
    "import torch\n"
    + "".join(
        f"\n\n@torch.compile\ndef f{i}(x):\n"
        f"    if x.sum() > 0:\n        y = x + {i}\n    else:\n        y = x - {i}\n    return y\n"
        for i in range(n)
    )
)

# What `graphmend meaning FILE:X` reads.
H = "from dataclasses import dataclass\nfrom enum import Enum\nfrom typing import *\n\n\n"
RECORD = "@dataclass\nclass X:\n"
MEANINGS: dict[str, Callable[[int], str]] = {}
MEANINGS["meaning_names"] = lambda n: (
    H
    + "".join(f"@dataclass\nclass C{i}:\n    a: int\n" for i in range(n))
    + RECORD
    + "".join(f"    f{i}: C{i}\n" for i in range(n))
)
MEANINGS["meaning_alias"] = lambda n: (
    H
    + "A = Union["
    + ", ".join(f"Literal[{i}]" for i in range(n))
    + "]\n"
    + RECORD
    + "".join(f"    f{i}: A\n" for i in range(n))
)
MEANINGS["meaning_enum"] = lambda n: H + "class X(Enum):\n" + "".join(f"    m{i} = {i}\n" for i in range(n))
MEANINGS["meaning_params"] = lambda n: (
    H + "def X(" + ", ".join(f"a{i}: Dict[str, Tuple[int, Literal[{i}]]] = {i}" for i in range(n)) + ") -> int: ...\n"
)
MEANINGS["meaning_stars"] = lambda n: (
    "from torch.nn import *\n" * n + H + RECORD + "".join(f"    f{i}: int\n" for i in range(n))
)
MEANINGS["meaning_notes"] = lambda n: H + RECORD + "".join(f"    f{i}: int  #: note {i}\n" for i in range(n))
MEANINGS["meaning_docs"] = lambda n: H + RECORD + "".join(f"    f{i}: int\n    'doc {i}'\n" for i in range(n))
MEANINGS["meaning_quoted"] = lambda n: H + RECORD + "".join(f"    f{i}: 'Optional[int]'\n" for i in range(n))
