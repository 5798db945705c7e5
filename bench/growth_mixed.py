"""Shapes of source in which forms of Python meet: scopes in scopes, conditions in comprehensions, long texts."""

from __future__ import annotations

from collections.abc import Callable

from growth_shapes import T, f

MIXED: dict[str, Callable[[int], str]] = {}
MIXED["nested_defs"] = lambda n: f(
    "".join(
        f"    def g{i}(y, k=x):\n        nonlocal x\n        x = x + y\n"
        f"        return g{max(0, i - 1)} if x.sum() > 0 else k\n"
        for i in range(n)
    )
)
MIXED["nonlocal_list"] = lambda n: f(
    "    " + " = ".join(f"v{i}" for i in range(n)) + " = x\n"
    "    def g():\n        nonlocal "
    + ", ".join(f"v{i}" for i in range(n))
    + "\n"
    + "".join(f"        v{i} = v{max(0, i - 1)} + 1\n" for i in range(n))
    + "    g()\n"
)
MIXED["global_list"] = lambda n: f(
    "    global "
    + ", ".join(f"v{i}" for i in range(n))
    + "\n"
    + "".join(f"    v{i} = x.sum() + {i}\n" for i in range(n))
)
MIXED["compr_walrus"] = lambda n: f(
    "".join(f"    y{i} = [w for j in x if (w := j.sum()) > {i} if w < y{max(0, i - 1)}[0]]\n" for i in range(n))
)
MIXED["match_guards"] = lambda n: f(
    "    match x.sum().item():\n"
    + "".join(f"        case {i} | -{i} as v if x.mean() > {i}:\n            x = x + v\n" for i in range(1, n))
)
MIXED["deco_lambdas"] = lambda n: (
    T
    + "".join(
        f"@(lambda g: g)\n@d(lambda v: v + {i})\ndef f{i}(x, k=lambda v: v):\n    return k(x) if x.sum() else x\n"
        for i in range(n)
    )
)
MIXED["fstr_nested"] = lambda n: f(
    "".join(f"    print(f\"{{x.sum().item():>{{len(f'{{a!r}}')}}}} {{{i}:{{a}}}}\")\n" for i in range(n))
)
MIXED["chain_long"] = lambda n: f("    y = x" + "".join(f" < {i}" for i in range(n)) + "\n")
MIXED["chains"] = lambda n: f("".join(f"    if {i} < x.sum() < a < x[0]:\n        x = x + {i}\n" for i in range(n)))
MIXED["with_wide"] = lambda n: f(
    "    with " + ", ".join(f"g({i}) as v{i}" for i in range(n)) + ":\n        x = x + v0\n"
)
MIXED["withs_in_ifs"] = lambda n: f(
    "".join(f"    with g() as v{i}:\n        if v{i}.sum() > 0:\n            x = v{i}\n" for i in range(n))
)
MIXED["star_calls"] = lambda n: f("    x = g(" + ", ".join(f"*x, k{i}=x" for i in range(n)) + ", **a)\n")
MIXED["star_targets"] = lambda n: f("".join(f"    v{i}, *x, w{i} = *x, *v{max(0, i - 1)}, x.sum()\n" for i in range(n)))
MIXED["lambda_defaults"] = lambda n: f(
    "".join(f"    h{i} = lambda v, w=x, *, u=h{max(0, i - 1)}: v + w if v.sum() > {i} else u(v)\n" for i in range(n))
)
MIXED["class_wide"] = lambda n: (
    T
    + "class M(torch.nn.Module):\n"
    + "".join(f"    a{i}: torch.Tensor = None\n    b{i} = a{max(0, i - 1)}\n" for i in range(n))
    + "    def forward(self, x):\n        return x if self.a0.sum() > 0 else self.b0\n"
)
MIXED["self_wide"] = lambda n: (
    T
    + "class M(torch.nn.Module):\n    def __init__(self):\n"
    + "".join(f"        self.a{i} = torch.ones(2) if {i} else self.a{max(0, i - 1)}\n" for i in range(n))
    + "    def forward(self, x):\n"
    + "".join(f"        if self.a{i}.sum() > 0:\n            x = x + self.a{i}\n" for i in range(n))
    + "        return x\n"
)
MIXED["try_star_chain"] = lambda n: f(
    "".join(
        f"    try:\n        x = g(x)\n    except* E{i} as e:\n        x = x + {i}\n    except* F:\n        print(e)\n"
        for i in range(n)
    )
)
MIXED["annotations"] = lambda n: (
    T
    + "".join(
        f"def f{i}(x: 'Optional[torch.Tensor]', y: Union[int, dict[str, list[int]]] = {i}) -> torch.Tensor:\n"
        f"    z: 'torch.Tensor | None' = x\n    return z if y.sum() > 0 else x\n"
        for i in range(n)
    )
)
MIXED["text_long"] = lambda n: f("    y = '" + "x\\n%s" * n + "' % x.sum()\n")
MIXED["text_joined"] = lambda n: f("    y = (" + "\n        ".join(f"'a{i}' f'{{x.sum()}}'" for i in range(n)) + ")\n")
MIXED["text_added"] = lambda n: f("    y = ''\n" + "".join(f"    y += 'a{i}' + str(x.sum())\n" for i in range(n)))
MIXED["dicts_nested"] = lambda n: f(
    "    y = {" + ", ".join(f"'k{i}': {{'v': [x, x.sum(), {{**a, 'w': x.item()}}]}}" for i in range(n)) + "}\n"
)
MIXED["loops_breaks"] = lambda n: f(
    "".join(
        f"    for i in x:\n        if i.min() > {i}:\n            break\n        x += i\n    else:\n        x = g(x)\n"
        for i in range(n)
    )
)
MIXED["returns_some"] = lambda n: f(
    "".join(f"    if x.sum() > {i}:\n        y = x + {i}\n        return y, a\n    x = g(x)\n" for i in range(n))
)
