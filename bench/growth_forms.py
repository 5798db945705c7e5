"""Shapes of source for forms of Python: matches, comprehensions, type parameters, texts, lambdas, scopes."""

from __future__ import annotations

from collections.abc import Callable

from growth_shapes import T, f

FORMS: dict[str, Callable[[int], str]] = {}
FORMS["match_cases"] = lambda n: f(
    "    match a:\n" + "".join(f"        case {i}:\n            x = x + {i}\n" for i in range(n))
)
FORMS["match_or"] = lambda n: f(
    "    match a:\n        case " + " | ".join(str(i) for i in range(n)) + ":\n            x = x + 1\n"
)
FORMS["match_cap"] = lambda n: f(
    "    match a:\n"
    + "".join(f"        case [v{i}, *w{i}] if x.sum() > v{i}:\n            x = x + {i}\n" for i in range(n))
)
FORMS["match_stmts"] = lambda n: f(
    "".join(
        f"    match a:\n        case {{'k{i}': v{i}}}:\n            x = x + v{i}\n        case _:\n            pass\n"
        for i in range(n)
    )
)
FORMS["compr_wide"] = lambda n: f(
    "".join(f"    y{i} = [[j * k for k in x] for j in x if j.sum() > {i}]\n" for i in range(n))
)
FORMS["compr_fors"] = lambda n: f("    y = [" + "v0 " + "".join(f"for v{i} in x " for i in range(n)) + "]\n")
FORMS["compr_ifs"] = lambda n: f("    y = [v for v in x " + "".join(f"if v.sum() > {i} " for i in range(n)) + "]\n")
FORMS["decos_stack"] = lambda n: T + "".join(f"@d{i}\n" for i in range(n)) + "def f(x):\n    return x\n"
FORMS["deco_calls"] = lambda n: (
    T
    + "".join(
        f"def d{i}(f):\n    return f\n@d{i}\n@torch.compile\n"
        f"def f{i}(x):\n    if x.sum() > 0:\n        x = x + 1\n    return x\n"
        for i in range(n)
    )
)
FORMS["typeparams"] = lambda n: T + "def f[" + ", ".join(f"T{i}: int" for i in range(n)) + "](x: T0):\n    return x\n"
FORMS["typeparam_defs"] = lambda n: (
    T
    + "".join(
        f"class A{i}[T, *Ts, **P](A{max(0, i - 1)}[T]):\n    def f[U: T](self, x: U) -> T:\n        return x\n"
        for i in range(n)
    )
)
FORMS["type_aliases"] = lambda n: T + "".join(f"type A{i}[T] = A{max(0, i - 1)}[T] | int\n" for i in range(n))
FORMS["fstr_many"] = lambda n: f("    y = f'" + "".join("{x.item()!r:>{a}}" for i in range(n)) + "'\n")
FORMS["fstr_stmts"] = lambda n: f("".join(f"    y = f'{{x}} {{f\"{{a}} {i}\"}}'\n    print(y)\n" for i in range(n)))
FORMS["lambda_args"] = lambda n: f(
    "".join(f"    g{i} = lambda y, z=g{max(0, i - 1)}: z(y) if y.sum() > {i} else y\n" for i in range(n))
)
FORMS["lambda_nest"] = lambda n: f("".join(f"    g{i} = " + "lambda: " * 80 + "x\n" for i in range(n)))
FORMS["star_calls"] = lambda n: f("    y = g(" + ", ".join(f"*v{i}" for i in range(n)) + ")\n")
FORMS["star_assign"] = lambda n: f("".join(f"    v{i}, *w{i}, u{i} = *x, *a\n" for i in range(n)))
FORMS["global_list"] = lambda n: (
    T
    + "def f(x):\n    global "
    + ", ".join(f"v{i}" for i in range(n))
    + "\n"
    + "".join(f"    v{i} = x\n" for i in range(n))
    + "    return x\n"
)
FORMS["nonlocal_defs"] = lambda n: f(
    "".join(f"    v{i} = x\n" for i in range(n))
    + "".join(f"    def g{i}():\n        nonlocal v{i}\n        v{i} = a\n" for i in range(n))
)
FORMS["nonlocal_all"] = lambda n: f(
    "".join(f"    v{i} = x\n" for i in range(n))
    + "    def g():\n        nonlocal "
    + ", ".join(f"v{i}" for i in range(n))
    + "\n        v0 = a\n    g()\n"
)
FORMS["walrus_chain"] = lambda n: f(
    "    if " + " and ".join(f"(v{i} := x.sum() + {i}) > 0" for i in range(n)) + ":\n        x = x + 1\n"
)
FORMS["walrus_ifs"] = lambda n: f(
    "".join(f"    if (v{i} := x.sum().item()) > {i}:\n        x = x + v{i}\n" for i in range(n))
)
FORMS["try_star"] = lambda n: f(
    "".join(
        f"    try:\n        x = x + {i}\n    except* (ValueError, E{i}) as e{i}:\n        x = x - 1\n" for i in range(n)
    )
)
FORMS["excepts"] = lambda n: f(
    "    try:\n        x = g(x)\n" + "".join(f"    except E{i} as e:\n        x = x + {i}\n" for i in range(n))
)
FORMS["try_else_fin"] = lambda n: f(
    "".join(
        f"    try:\n        v{i} = x\n    except E:\n        v{i} = a\n"
        f"    else:\n        x = v{i}\n    finally:\n        a = {i}\n"
        for i in range(n)
    )
)
FORMS["semicolons"] = lambda n: f("    " + "; ".join(f"x = x + {i}" for i in range(n)) + "\n")
FORMS["semi_prints"] = lambda n: f("    " + "; ".join("print(x.item())" for i in range(n)) + "\n")
FORMS["short_lines"] = lambda n: T + "x\n" * n
FORMS["backslashes"] = lambda n: f(
    "    y = x" + "".join(" + \\\n        x" for i in range(min(n, 90))) + "\n" + "    y = x \\\n  + 1\n" * n
)
FORMS["imports_ring"] = lambda n: "".join(f"from .m{i} import a{i} as a{(i + 1) % max(1, n)}\n" for i in range(n)) + T
FORMS["alias_ring"] = lambda n: (
    T + "".join(f"a{i} = a{(i + 1) % max(1, n)}\n" for i in range(n)) + "def f(x):\n    return a0(x)\n"
)
FORMS["def_ring_closure"] = lambda n: (
    T
    + "def o(x):\n"
    + "".join(f"    def g{i}(y):\n        return g{(i + 1) % max(1, n)}(y) if y.sum() > 0 else x\n" for i in range(n))
    + "    return g0(x)\n"
)
FORMS["while_else"] = lambda n: f(
    "".join(
        f"    while x.sum() > {i}:\n        x = x - 1\n        if a: break\n    else:\n        x = x + {i}\n"
        for i in range(n)
    )
)
FORMS["breaks"] = lambda n: f(
    "    for i in x:\n" + "".join(f"        if i.sum() > {i}: break\n        if a: continue\n" for i in range(n))
)
FORMS["with_items"] = lambda n: f(
    "    with " + ", ".join(f"g({i}) as v{i}" for i in range(n)) + ":\n        x = x + 1\n"
)
FORMS["del_names"] = lambda n: f(
    "".join(f"    v{i} = x\n" for i in range(n)) + "    del " + ", ".join(f"v{i}" for i in range(n)) + "\n"
)
FORMS["subscr_aug"] = lambda n: f("".join(f"    a[{i}, x.item()] += x[{i}:, ..., None]\n" for i in range(n)))
FORMS["dict_spread"] = lambda n: f("    y = {" + ", ".join(f"**v{i}, 'k{i}': x.item()" for i in range(n)) + "}\n")
FORMS["compare_chain"] = lambda n: f("    if " + " < ".join(f"x{i}.sum()" for i in range(n)) + ":\n        x = x + 1\n")
FORMS["assign_attr_chain"] = lambda n: (
    T
    + "class A(torch.nn.Module):\n    def forward(self, x):\n"
    + "".join(
        f"        self.a{i} = self.a{max(0, i - 1)} + x\n        if self.a{i}.sum() > 0:\n            self.b = x\n"
        for i in range(n)
    )
    + "        return x\n"
)
FORMS["yield_awaits"] = lambda n: (
    T
    + "async def f(x):\n"
    + "".join(f"    v{i} = await g(x)\n    if v{i}.sum() > 0:\n        yield v{i}\n" for i in range(n))
)
