"""Further shapes for growth.py, of what people seldom write much of: a name, and the text with so many of it."""

from __future__ import annotations

from collections.abc import Callable

from growth_shapes import T, cls, f

MORE: dict[str, Callable[[int], str]] = {}
MORE["comp_nested"] = lambda n: f(
    "".join(f"    y{i} = [[[a + b for a in b] for b in c] for c in x]\n" for i in range(n))
)
MORE["comp_names"] = lambda n: f("    x = [1 " + " ".join(f"for y{i} in x" for i in range(n)) + "]\n")
MORE["deco_calls"] = lambda n: (
    T + "".join(f"@torch.compile(dynamic=g{i})\n" for i in range(n)) + "def f(x):\n    return x\n"
)
MORE["deco_each"] = lambda n: (
    T + "def g0(h):\n    return h\n" + "".join(f"@g{i}\ndef g{i + 1}(x):\n    return g{i}(x)\n" for i in range(n))
)
MORE["lambda_params"] = lambda n: f("    g = lambda " + ", ".join(f"a{i}=x" for i in range(n)) + ": x\n")
MORE["lambda_body"] = lambda n: f("    g = lambda y: (" + ", ".join(f"y + {i}" for i in range(n)) + ")\n")
MORE["lambda_calls"] = lambda n: f("    x = (" + ", ".join(f"(lambda y: y.item() + {i})(x)" for i in range(n)) + ")\n")
MORE["match_captures"] = lambda n: f(
    "    match a:\n" + "".join(f"        case [y{i}, *z{i}] if y{i}:\n            x = x + y{i}\n" for i in range(n))
)
MORE["match_class"] = lambda n: f(
    "    match a:\n        case A(" + ", ".join(f"b{i}=v{i}" for i in range(n)) + "):\n            x = x + 1\n"
)
MORE["match_mapping"] = lambda n: f(
    "    match a:\n        case {" + ", ".join(f"{i}: v{i}" for i in range(n)) + "}:\n            x = x + 1\n"
)
MORE["matches"] = lambda n: f(
    "".join(
        f"    match a:\n        case {i}:\n            v{i} = x\n        case _:\n            v{i} = 1\n"
        for i in range(n)
    )
)
MORE["fstring_spec"] = lambda n: f(
    "".join(f"    y{i} = f'{{x:{{a}}.{{a}}}} {{x!r:>{{a}}}} {{f\"{{a}}\"}}'\n" for i in range(n))
)
MORE["fstring_prints"] = lambda n: f("".join(f"    print(f'{{x}} {{x.item():.{{a}}}} {i}')\n" for i in range(n)))
MORE["type_params"] = lambda n: T + "def f[" + ", ".join(f"T{i}" for i in range(n)) + "](x: T0):\n    return x\n"
MORE["type_params_each"] = lambda n: (
    T + "".join(f"def f{i}[T{i}: int](x: T{i}) -> T{i}:\n    return x\n" for i in range(n))
)
MORE["class_params"] = lambda n: (
    T + "class A[" + ", ".join(f"*T{i}" if i == 0 else f"T{i}" for i in range(n)) + "]:\n    pass\n"
)
MORE["nonlocal"] = lambda n: f(
    "".join(f"    v{i} = x\n" for i in range(n))
    + "    def g():\n        nonlocal "
    + ", ".join(f"v{i}" for i in range(n))
    + "\n        v0 = 1\n    g()\n"
)
MORE["nonlocal_each"] = lambda n: f(
    "".join(f"    v{i} = x\n    def g{i}():\n        nonlocal v{i}\n        v{i} = 1\n" for i in range(n))
)
MORE["global_reads"] = lambda n: (
    T
    + "".join(f"v{i} = {i}\n" for i in range(n))
    + f("".join(f"    if x.sum() > v{i}:\n        x = x + v{i}\n" for i in range(n)))
)
MORE["star_imports"] = lambda n: "".join(f"from m{i} import *\n" for i in range(n)) + f("    x = torch.sin(x)\n" * 10)
MORE["star_imports_names"] = lambda n: (
    "".join(f"from m{i} import *\n" for i in range(n // 2)) + f("".join(f"    x = g{i}(x)\n" for i in range(n // 2)))
)
MORE["lattice"] = lambda n: (
    T
    + "".join(
        f"class A{i}({'' if i == 0 else f'B{i - 1}, C{i - 1}'}):\n    pass\n"
        f"class B{i}(A{i}):\n    pass\nclass C{i}(A{i}):\n    pass\n"
        for i in range(n // 3 + 1)
    )
    + f("    x = A0()(x)\n")
)
MORE["modules_nested"] = lambda n: (
    T
    + "".join(
        f"class M{i}(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        f"        self.m = M{i + 1}()\n    def forward(self, x):\n        return self.m(x)\n"
        for i in range(n)
    )
)
MORE["try_tail"] = lambda n: f(
    "".join(
        f"    try:\n        v{i} = x\n    except ValueError as e:\n        v{i} = e\n    else:\n        x = v{i}\n"
        f"    finally:\n        a = v{i}\n"
        for i in range(n)
    )
)
MORE["try_returns"] = lambda n: f(
    "".join(
        f"    try:\n        if x.sum() > {i}:\n            return x\n    finally:\n        a = {i}\n" for i in range(n)
    )
)
MORE["with_chain"] = lambda n: f(
    "    with " + ", ".join("torch.no_grad()" for _ in range(n)) + ":\n        x = x.item()\n"
)
MORE["withs_names"] = lambda n: f(
    "".join(f"    with open(a) as v{i}:\n        if x.sum() > {i}:\n            x = v{i}\n" for i in range(n))
)
MORE["async"] = lambda n: (
    T
    + "".join(
        f"async def g{i}(x):\n    async with x as y:\n        async for z in y:\n"
        f"            await g{i + 1}(z)\n    return x\n"
        for i in range(n)
    )
)
MORE["awaits"] = lambda n: (
    T + "async def f(x):\n" + "".join(f"    x{i} = await g(x)\n" for i in range(n)) + "    return x\n"
)
MORE["walrus_and"] = lambda n: f(
    "    if " + " and ".join(f"(v{i} := x.sum()) > {i}" for i in range(n)) + ":\n        x = x + 1\n"
)
MORE["walrus_comp"] = lambda n: f("    x = [" + ", ".join(f"(v{i} := a + v{i - 1})" for i in range(n)) + " ]\n")
MORE["del_list"] = lambda n: f(
    "    " + ", ".join(f"v{i}" for i in range(n)) + " = x\n    del " + ", ".join(f"v{i}" for i in range(n)) + "\n"
)
MORE["del_ifs"] = lambda n: f("".join(f"    v{i} = x\n    if x.sum() > {i}:\n        del v{i}\n" for i in range(n)))
MORE["huge_numbers"] = lambda n: "".join(
    f"x{i} = 0x{'f' * 200}\ny{i} = {'9' * 200}.{'9' * 200}e{i}j\n" for i in range(n)
)
MORE["power"] = lambda n: f("    x = " + "2 ** " * n + "2\n")
MORE["invert"] = lambda n: f("    x = " + "~" * n + "x\n")
MORE["mixed_chain"] = lambda n: f(
    "    x = " + "".join(("x + ", "x * ", "x @ ", "x << ", "-x - ", "not_x % ")[i % 6] for i in range(n)) + "x\n"
)
MORE["binary_lists"] = lambda n: f("".join(f"    x = {' + '.join(['x'] * 60)}\n" for i in range(n // 60 + 1)))
MORE["continued"] = lambda n: f(
    "    x = (x\n"
    + "".join("        + 1 \\\n" for i in range(min(n, 90)))
    + "    )\n"
    + "    x = 1 + \\\n        x\n" * n
)
MORE["keywords_calls"] = lambda n: f(
    "".join(f"    x = torch.add(x, other={i}, alpha={i}, out=None)\n" for i in range(n))
)
MORE["kwargs_dup"] = lambda n: f("    x = g(" + "a=1, " * n + ")\n")
MORE["ring"] = lambda n: (
    T
    + "".join(
        f"def g{i}(x):\n    if x.sum() > {i}:\n        x = x + 1\n    return g{(i + 1) % max(n, 1)}(x)\n"
        for i in range(n)
    )
    + "@torch.compile\ndef f(x):\n    return g0(x)\n"
)
MORE["calls_all"] = lambda n: (
    T
    + "".join(f"def g{i}(x):\n    print(x)\n    return x\n" for i in range(n))
    + f("".join(f"    x = g{i}(x)\n" for i in range(n)))
)
MORE["ring_methods"] = lambda n: cls(
    "".join(f"    def m{i}(self, x):\n        return self.m{(i + 1) % max(n, 1)}(x)\n" for i in range(n))
    + "    def forward(self, x):\n        return self.m0(x)\n"
)
MORE["if_used_later"] = lambda n: f(
    "".join(f"    if x.sum() > {i}:\n        v{i} = x + {i}\n    else:\n        v{i} = x\n" for i in range(n))
    + "".join(f"    x = x + v{i}\n" for i in range(n))
)
MORE["if_used_next"] = lambda n: f(
    "    v0 = x\n"
    + "".join(
        f"    if x.sum() > {i}:\n        v{i + 1} = v{i} + x\n    else:\n        v{i + 1} = v{i}\n" for i in range(n)
    )
)
MORE["elif_names"] = lambda n: f(
    "    if a == 0:\n        v = x\n" + "".join(f"    elif x.sum() == {i}:\n        v{i} = x + {i}\n" for i in range(n))
)
MORE["loops_names"] = lambda n: f(
    "".join(f"    for i{i} in range(3):\n        if x.sum() > i{i}:\n            v{i} = x\n" for i in range(n))
)
MORE["loop_ifs"] = lambda n: f(
    "    while a:\n" + "".join(f"        if x.sum() > {i}:\n            v{i} = x\n        x = v{i}\n" for i in range(n))
)
MORE["quoted_params"] = lambda n: (
    T + "".join(f"def g{i}(x: 'Optional[torch.Tensor]', y: 'List[int]' = ()):\n    return x\n" for i in range(n))
)
MORE["quoted_fields"] = lambda n: "class A:\n" + "".join(f"    a{i}: 'Optional[int]' = {i}\n" for i in range(n))
MORE["assert_chain"] = lambda n: f("".join(f"    assert isinstance(x, torch.Tensor), f'{{x}} {i}'\n" for i in range(n)))
MORE["isinstance_ifs"] = lambda n: f(
    "".join(f"    if isinstance(x, torch.Tensor) and x.item() > {i}:\n        x = x + {i}\n" for i in range(n))
)
