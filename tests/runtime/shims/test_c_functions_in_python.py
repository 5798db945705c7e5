"""Functions that Dynamo cannot look into, traced in the form that Python itself could have run."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

PROGRAMS = {
    "places": """
        import numpy as np
        def f(x):
            table = np.zeros((2, 3))
            for i, j in np.ndindex(*table.shape):
                table[i, j] = i * 3 + j
            return x * 2, table.tolist(), list(np.ndindex((1, 2))), list(np.ndindex()), next(np.ndindex(3))
        """,
    "covariance": """
        import torch
        def f(x):
            rows = torch.stack([x, x * x + 1, x.flip(0)])
            related = torch.corrcoef(rows).nan_to_num()
            return torch.cov(rows) * x.sum(), rows.cov(), related, torch.cov(input=x), x.corrcoef()
        """,
    "bisect": """
        import bisect
        def f(x):
            limits, value = [0.1, 0.5, 1.5], x.sum().item()
            place = bisect.bisect_left(limits, float(value))
            return x * bisect.bisect(limits, value), place, bisect.bisect_right([1, 2], 1)
        """,
    "insort": """
        import bisect
        def f(x):
            kept = []
            for value in x.tolist():
                bisect.insort(kept, value)
            return x - kept[0], kept[-1]
        """,
    "heap": """
        import heapq
        def f(x):
            heap = []
            for i, value in enumerate(x.tolist()):
                heapq.heappush(heap, (value, i))
                if len(heap) > 2:
                    heapq.heappop(heap)
            return x[sorted(i for _, i in heap)], heap[0][0]
        """,
    "largest": """
        import heapq
        def f(x):
            return x - heapq.nlargest(2, x.tolist())[1]
        """,
    "counted": """
        import heapq
        from collections import Counter
        def f(x):
            signs = [int(value > 0.3) for value in x.tolist()]
            none = heapq.nlargest(1, [])
            return x * 2, Counter(signs).most_common(1), Counter(signs).most_common(), heapq.nsmallest(1, signs), none
        """,
    "rows": """
        import torch
        def f(x):
            low, *_, high = sorted(x, reverse=True)
            return (x - low) / (high - low), sorted(x[:1])
        """,
    "copies": """
        import copy
        DEFAULTS = {"scale": 2.0, "names": ["a"]}
        def f(x):
            merged, names, kinds = copy.copy(DEFAULTS), copy.copy(DEFAULTS["names"]), copy.copy({1, 2})
            merged["scale"] = 3.0
            names.append("b")
            kinds.add(3)
            return x * merged["scale"], DEFAULTS, merged, merged["names"] is DEFAULTS["names"], names, len(kinds)
        """,
    "caches": """
        import functools
        import torch
        class Sum(torch.autograd.Function):
            @staticmethod
            @functools.lru_cache(maxsize=None)
            def weights(n):
                return torch.arange(n) / 2
            @staticmethod
            def forward(ctx, x):
                return x * Sum.weights(x.shape[0])
            @staticmethod
            def backward(ctx, g):
                return g * Sum.weights(g.shape[0])
        def f(x):
            if x.isnan().any():
                raise ValueError("NaN")
            return Sum.apply(x)
        """,
    "classes": """
        import torch
        def f(x):
            labels = x.long()
            return torch.nn.functional.one_hot(labels), torch.nn.functional.one_hot(labels, -1).sum(0) * 2
        """,
}
ROWS = [[0.0, 2.0, 1.0], [1.0, 0.0, 0.5]]


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_python_could_run_is_traced(tmp_path: Any, name: str, backend: str) -> None:
    calls = [lambda row=row: (torch.tensor(row),) for row in ROWS]
    compare(load(tmp_path, PROGRAMS[name]), calls, True, backend)
    outcome = compare(load(tmp_path, PROGRAMS[name]), calls[:1], backend == "eager", backend)
    assert outcome.report["callables"][0]["mode"] == "whole"


FAILING = {
    "classes": "torch.nn.functional.one_hot(x.long())",
    "order": "sorted(x.sum())",
    "heap": "heapq.heappop(x.tolist()[3:])",
}


@pytest.mark.parametrize("name", FAILING)
def test_what_python_raises_comes_from_python(tmp_path: Any, name: str) -> None:
    text = f"import heapq, torch\ndef f(x):\n    y = {FAILING[name]}\n    return x, y\n"
    calls = [lambda row=row: (torch.tensor(row),) for row in [[0.0, 1.0, 2.0], [0.0, -2.0, 1.0], []]]
    compare(load(tmp_path, text), calls, False)


def test_the_own_functions_of_a_program_are_not_taken_for_those_of_the_library(tmp_path: Any) -> None:
    text = """
        import bisect
        known = bisect.bisect_left
        def bisect_left(limits, value):
            return 7 if value > 1 else known(limits, value)
        bisect_left.__module__ = "bisect"
        def f(x):
            return x * bisect_left([1.0], x.sum().item())
        """
    compare(load(tmp_path, text), [lambda row=row: (torch.tensor(row),) for row in ROWS])
