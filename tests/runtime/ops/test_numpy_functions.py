"""Functions of NumPy that Dynamo does not know."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from harness import compare, load

from graphmend.runtime.ops import numpy_functions

PROGRAMS = {
    "interp": "np.interp(a, np.arange(3), [0.0, 0.5, 1.0])",
    "digitize": "np.digitize(a, np.array([0.0, 1.0]), right=True)",
    "unwrap": "np.unwrap(a, axis=-1)",
    "order": "np.lexsort((a, [1, 0, 0]))",
    "a new array": "np.ediff1d(a)",
    "insert": "np.insert(a, 1, 7)",
    "a tensor": "np.interp(x.detach(), np.arange(3), [0.0, 0.5, 1.0])",
    "a tensor beside an array": "np.isin(x.detach(), a[:1]).astype(np.float32)",
}


def text(value: str, rest: str = "") -> str:
    """A program that computes with an array."""
    return f"""
        import numpy as np
        import torch
        def f(x):
            a = x.detach().numpy()
            b = {value}
            {rest}
            return torch.from_numpy(b) * 2, x.sum()
        """


CALLS = [lambda: (torch.tensor([0.5, -1.0, 1.75]),), lambda: (torch.tensor([0.0, 1.0, 2.5]),)]


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_arrays_are_computed_in_the_graph(tmp_path: Any, name: str, backend: str) -> None:
    outcome = compare(load(tmp_path, text(PROGRAMS[name], "b[0] = 3")), CALLS, True, backend)
    assert outcome.graphs == 1
    assert outcome.report["callables"][0]["mode"] == "whole"


KNOWN = {
    "a sum": "a * int(np.sum([3]))",
    "an element": "a * int(np.array([3])[0])",
    "a place": "a[: np.max([2])] + 1",
    "a method": "a + np.prod([3]).item()",
    "a truth": "a + 1 if bool(np.any([True])) else a - 1",
    "two arrays": "np.polynomial.legendre.leggauss(3)[0] + a",
    "an array": "np.polynomial.chebyshev.chebpts1(3) + a",
    "numbers without the last": "np.linspace(0, 5, num=3, endpoint=False) + a",
    "an array and a number": "np.linspace(0, 1, 3, retstep=True)[1] + a",
    "powers": "np.geomspace(1, 100, 3) + a",
}


@pytest.mark.parametrize("name", KNOWN)
def test_numbers_that_the_trace_knows(tmp_path: Any, name: str) -> None:
    outcome = compare(load(tmp_path, text(KNOWN[name])), CALLS)
    assert outcome.report["callables"][0]["mode"] == "whole"


def test_a_draw_is_noticed_and_undone() -> None:
    before = np.random.get_state()
    with numpy_functions.draws_undone() as drawn:
        np.random.rand()
    assert drawn()
    assert all(map(np.array_equal, before, np.random.get_state()))
    with numpy_functions.draws_undone() as drawn:
        np.polynomial.legendre.leggauss(3)
    assert not drawn()


DECIDING = """
    import numpy as np
    import torch
    def f(x):
        low, high = np.percentile(x.detach().numpy(), [10, 90])
        return x + 1 if high - low > 1 else x - 1
    """


def test_what_only_decides(tmp_path: Any) -> None:
    outcome = compare(load(tmp_path, DECIDING), [lambda k=k: (torch.arange(5.0) * k,) for k in (1, 0.1, 2, 0.2)], False)
    assert outcome.report["callables"][0]["mode"] == "whole"


OTHERWISE = {
    "another shape": ("np.union1d(a, a.round())", ""),
    "it raises": ("np.delete(a, int(x.sum() * 4))", ""),
    "nobody needs it": ("a.copy()", "np.interp(a, a, a)"),
    "no array": ("a + np.interp(0.5, a, a)", ""),
    "not in the graph": ("np.interp(a, *([a] * 2))", "np.ndarray"),
}


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("name", OTHERWISE)
def test_other_results_come_from_python(tmp_path: Any, name: str, backend: str) -> None:
    compare(load(tmp_path, text(*OTHERWISE[name])), CALLS, True, backend)


def test_a_function_of_the_program_in_its_place_is_called(tmp_path: Any) -> None:
    program = text("np.interp(a, a, a)") + "import sys\n        np.interp = lambda a, *_: a + 1\n"
    known = __import__("numpy").interp
    try:
        compare(load(tmp_path, program), CALLS)
    finally:
        __import__("numpy").interp = known


TYPES = {
    "shown": "a.dtype.name, str(a.dtype), a.dtype.kind, a.dtype.itemsize",
    "compared": "a.dtype == np.float32, a.dtype == 'float64', a.dtype in (np.float32, np.float64)",
    "used": "x + torch.from_numpy(a.astype(np.int16).astype(a.dtype)), np.issubdtype(a.dtype, np.floating)",
    "computed": "(a * 2).dtype.name, (a > 0).dtype.name, (a + np.float64(1)).dtype.name, a.argmax().dtype.name",
}
OTHER_TYPES = {
    "divided": "(i / 2).dtype.name",
    "multiplied": "(i * 1.5 + a).dtype.name",
    "mean": "i.mean().dtype.name, i.dtype.name",
    "roots": "np.sqrt(i).sum().dtype.name",
    "given": "a.dtype",
}


def type_program(value: str) -> str:
    """A program that asks for the types of arrays."""
    return f"""
        import numpy as np, torch
        def f(x):
            a = x.detach().numpy()
            i = x.detach().long().numpy()
            return x * 2, {value}
        """


@pytest.mark.parametrize("name", TYPES)
def test_types_of_arrays(tmp_path: Any, name: str) -> None:
    outcome = compare(load(tmp_path, type_program(TYPES[name])), CALLS)
    assert outcome.report["callables"][0]["mode"] == "whole"


@pytest.mark.parametrize("name", OTHER_TYPES)
def test_types_that_torch_takes_for_others_come_from_numpy(tmp_path: Any, name: str) -> None:
    compare(load(tmp_path, type_program(OTHER_TYPES[name])), CALLS)


WITH_NAN = {
    "mean": "np.nanmean(a, axis=0)",
    "largest": "np.array([np.nanmax(a)])",
    "a number": "float(np.nanmin(a)) * a",
    "quantile": "np.nanquantile(a, 0.3, 0)",
    "deviation": "np.nanstd(a, axis=-1, ddof=1)",
    "correlation": "np.corrcoef(a)",
    "covariance": "np.cov(a, rowvar=False)",
    "quantiles": "np.percentile(a, [10, 90])",
    "padding": "np.pad(a, ((0, 1), (1, 0)))",
    "selection": "np.select([a > 1, a < 0], [a, -a], 0.0)",
    "pieces": "np.piecewise(a, [a < 0, a >= 0], [-1, 1])",
    "accumulated": "np.maximum.accumulate(a, axis=1)",
    "table": "np.subtract.outer(a[0], a[1])",
}


@pytest.mark.parametrize("name", WITH_NAN)
def test_functions_that_warn_do_so_as_in_eager_python(tmp_path: Any, name: str) -> None:
    nan = float("nan")
    rows = [[[0.5, -1.0, 1.75], [2.0, 0.0, -3.0]], [[1.0, nan, 2.5], [0.25, 4.0, nan]]]
    calls = [lambda row=row: (torch.tensor(row),) for row in (*rows, [[nan] * 3] * 2, [[1.0] * 3] * 2)]
    compare(load(tmp_path, text(WITH_NAN[name])), calls)
    outcome = compare(load(tmp_path, text(WITH_NAN[name])), calls[:1])
    assert outcome.report["callables"][0]["mode"] == "whole"


NUMBERS = {
    "an open integer": "np.interp(step, [0, 5, 10], [0.0, 1.0, 0.1])",
    "a number of the data": "np.interp(x.mean().item(), [-1, 0, 1], [0.0, 1.0, 0.1])",
    "a place among constants": "int(np.searchsorted(np.array([0.0, 0.25, 0.5]), x.mean().item()))",
    "rounded": "np.round(x.sum().item(), 1)",
    "clipped": "np.clip(np.round(x.sum().item()), -1, 1)",
    "constants alone": "np.digitize(0.3, [0.1, 0.2, 0.4])",
    "an array of constants": "torch.from_numpy(np.polyfit([0, 1, 2], [1.0, 3.0, 2.0], 1)).sum()",
    "compared": "np.isclose(x.sum().item(), 1.25)",
}


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_are_arguments_too(tmp_path: Any, name: str, backend: str) -> None:
    """One graph for all numbers that the trace leaves open; a number of NumPy's leaves the call as one."""
    program = f"""
        import numpy as np, torch
        def f(x, step):
            found = {NUMBERS[name]}
            return x * found, found
        """
    calls = [lambda step=step: (torch.tensor([0.5, -1.0, 1.75]) / step, step) for step in (1, 3, 7)]
    outcome = compare(load(tmp_path, program), calls, backend == "eager", backend)
    assert outcome.report["callables"][0]["mode"] == "whole"


def test_constants_of_numpy_decide_while_the_call_is_traced(tmp_path: Any) -> None:
    program = """
        import numpy as np, torch
        def f(x):
            return x + 1 if np.digitize(0.3, [0.1, 0.2]) > 1 else x - 1
        """
    outcome = compare(load(tmp_path, program), CALLS)
    assert outcome.graphs == 1 and outcome.report["callables"][0]["mode"] == "whole"


NUMBERS_OR_ARRAYS = {
    "clip of a number": "np.clip(a.mean(), 0, 1)",
    "clip of an array": "np.clip(a[0, ...], 0, 1)",
    "round": "np.round(a.sum(), 1)",
    "a view of a number": "np.reshape(a.sum(), ())",
    "squeezed": "np.squeeze(a[:1])",
    "absolute": "np.abs(a.min()), np.real(a.max())",
    "a copy": "np.array(a.max()), a.max().copy()",
    "where": "np.where(a[0] > 0, a[0], a[1])",
}


@pytest.mark.parametrize("name", NUMBERS_OR_ARRAYS)
def test_numpy_itself_says_what_is_a_number(tmp_path: Any, name: str) -> None:
    program = f"""
        import numpy as np, torch
        def f(x):
            a = x.detach().numpy()
            if x.sum() > 1:
                x = x + 1
            return x, {NUMBERS_OR_ARRAYS[name]}
        """
    compare(load(tmp_path, program), CALLS)
