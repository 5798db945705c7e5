"""Further programs for the canaries of guards, about state that calls or objects share (`guard_canaries.py`)."""

from __future__ import annotations

PROGRAMS = {
    "replaced_data": """
        def f(x):
            if x.sum() > 0:
                x.mul_(1)
            view = x.view(-1)
            view.mul_(2)
            x.data = x.data + 1
            return view.sum().item(), x * 1
        """,
    "global_settings": """
        def f(x):
            torch.set_default_dtype(torch.float64)
            ones = torch.ones(3)
            torch.set_default_dtype(torch.float32)
            if x.sum() > 0:
                x = x + 1
            return x, ones
        """,
    "object_comparisons": """
        class Score:
            def __eq__(self, other):
                return other < 5
        def f(x):
            found = Score() == int(x.sum())
            if x.sum() > 0:
                x = x + 1
            return x, found
        """,
    "changing_hooks": """
        INNER = torch.nn.Identity()
        def f(x):
            y = INNER(x)
            if y.sum() > 0:
                INNER.register_forward_hook(lambda module, inputs, output: output + 1)
            return y * 2
        """,
    "set_orders": """
        def f(x):
            if x.sum() > 0:
                x = x + 1
            seen = {33, 1}
            seen.add(2)
            return x, list(seen), seen.pop()
        """,
    "bypassed_caches": """
        import functools
        CALLED = []
        @functools.lru_cache(maxsize=None)
        def scale(n):
            CALLED.append(n)
            return n
        def f(x):
            if x.sum() > 0:
                x = x + 1
            return x * scale(3)
        def state():
            scale.cache_clear()
            return CALLED
        """,
    "derived_sets": """
        class Names(set):
            pass
        def f(x):
            if x.sum() > 0:
                x = x + 1
            return x, Names(["a", "b"])
        """,
    "current_attribute_tables": """
        class Steps:
            done = 0
        STEPS = Steps()
        def look(gradient):
            return None
        def f(x):
            if x.sum() > 0:
                x = x + 1
            for _ in range(2):
                STEPS.done = STEPS.done + 1
                y = x * 2
                if y.requires_grad:
                    y.register_hook(look)
                x = torch.cond(y.sum() > 0, lambda v: v + 1, lambda v: v - 1, (y,))
            STEPS.done = STEPS.done + 1
            return x, STEPS.done
        def state():
            return STEPS.done
        """,
    "formatted_numbers": """
        RATES = [0.5, 1.5, 2.5, 3.5]
        def f(x):
            rate = RATES[0]
            RATES.append(RATES.pop(0))
            return x, f"{rate:.2f} {x.tolist()!r}"
        """,
    "numpy_random_parts": """
        import numpy as np
        def f(x):
            np.random.seed(3)
            torch._dynamo.graph_break()
            return x + float(np.random.rand())
        def state():
            return np.random.get_state()[1].tolist()
        """,
    "reshaped_tensors": """
        def f(x):
            y = x.clone()[None]
            if x.sum() > 0:
                y.squeeze_(0)
            return y / y.shape[0], y.dim()
        """,
    "selected_strides": """
        TABLE = torch.arange(6).reshape(3, 2)
        def f(x):
            if x.sum() > 0:
                row = TABLE[:, 1]
            else:
                row = x.long()
            return row + 1, row.is_contiguous()
        """,
}
