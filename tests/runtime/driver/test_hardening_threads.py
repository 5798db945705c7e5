"""One compiled callable in many threads and tasks at once."""

from __future__ import annotations

import asyncio
import concurrent.futures
import copy
import logging
import threading
from typing import Any, Callable

import pytest
import torch
from harness import load

PROGRAM = """
    import logging
    import torch
    logger = logging.getLogger("program")
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(3, 3)
        def forward(self, x, tag):
            logger.warning("%s in %.3f", tag, x.sum().item())
            y = self.linear(x)
            if y.mean() > 0:
                y = y * 2
            else:
                y = y - 1
            logger.warning("%s out %s", tag, tuple(y.shape))
            if x.max() > 50:
                raise ValueError(f"{tag}: {x.max().item():.1f}")
            logger.warning("%s sum %.3f", tag, y.sum().item())
            return y.tanh()
    def make():
        torch.manual_seed(0)
        return Model()
    """

THREADS, STEPS = 6, 15


class Lines(logging.Handler):
    """The log lines of each thread and tag, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.found.append((record.threadName, f"{record.funcName} {record.getMessage()}"))

    def taken(self) -> dict[tuple, list[str]]:
        """The lines by thread and tag, which are forgotten."""
        lines: dict[tuple, list[str]] = {}
        for thread, text in self.found:
            lines.setdefault((thread, text.split()[1]), []).append(text)
        self.found.clear()
        return lines


@pytest.fixture
def lines() -> Any:
    """What the program logs."""
    handler = Lines()
    logger = logging.getLogger("program")
    logger.addHandler(handler)
    logger.propagate = False
    yield handler
    logger.removeHandler(handler)
    logger.propagate = True


def inputs(number: int, step: int) -> torch.Tensor:
    """The input of one call: every third step decides otherwise, every seventh fails."""
    generator = torch.Generator().manual_seed(100 * number + step)
    x = torch.randn(3, generator=generator)
    return x * 100 if step % 7 == 6 else x - step % 3


def work(function: Callable[..., Any], number: int, results: dict) -> None:
    """The calls of one thread."""
    for step in range(STEPS):
        x = inputs(number, step).requires_grad_()
        try:
            y = function(x, f"t{number}")
            y.sum().backward()
            results[number, step] = (y.detach().clone(), x.grad.clone())
        except Exception as error:
            results[number, step] = (type(error), str(error))


def in_threads(functions: list) -> dict:
    """The results of one thread for each function, all started together."""
    results: dict = {}
    start = threading.Barrier(len(functions))

    def run(number: int) -> None:
        start.wait()
        work(functions[number], number, results)

    threads = [threading.Thread(target=run, args=(i,), name=f"thread {i}") for i in range(len(functions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def agree(expected: dict, got: dict) -> None:
    """Check that results are equal."""
    assert expected.keys() == got.keys()
    for key, (first, second) in expected.items():
        if isinstance(first, torch.Tensor):
            assert torch.allclose(first, got[key][0], atol=1e-5), (key, first, got[key][0])
            assert torch.allclose(second, got[key][1], atol=1e-5), (key, second, got[key][1])
        else:
            assert (first, second) == got[key]


@pytest.mark.parametrize("first", ["at once", "after one call"])
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_one_callable_in_threads(tmp_path: Any, lines: Lines, first: str, backend: str) -> None:
    make = load(tmp_path, PROGRAM)
    expected = in_threads([make()] * THREADS)
    logged = lines.taken()
    compiled = torch.compile(make(), backend=backend)
    if first == "after one call":
        compiled(torch.ones(3), "warm")
        lines.found.clear()
    got = in_threads([compiled] * THREADS)
    agree(expected, got)
    assert logged == lines.taken()


def test_a_replica_for_each_thread(tmp_path: Any, lines: Lines) -> None:
    make = load(tmp_path, PROGRAM)
    model = make()
    expected = in_threads([copy.deepcopy(model) for _ in range(THREADS)])
    logged = lines.taken()
    compiled = torch.compile(model, backend="eager")
    got = in_threads([copy.deepcopy(compiled) for _ in range(THREADS)])
    agree(expected, got)
    assert logged == lines.taken()


def test_threads_compile_for_themselves(tmp_path: Any, lines: Lines) -> None:
    make = load(tmp_path, PROGRAM)
    model = make()
    expected = in_threads([model] * THREADS)
    logged = lines.taken()
    got = in_threads([lambda x, tag: torch.compile(model, backend="eager")(x, tag)] * THREADS)
    agree(expected, got)
    assert logged == lines.taken()


def test_pool_with_gradient_modes(tmp_path: Any, lines: Lines) -> None:
    make = load(tmp_path, PROGRAM)
    modes = [torch.enable_grad, torch.no_grad, torch.inference_mode]

    def run(function: Callable[..., Any]) -> list:
        def call(number: int) -> tuple:
            with modes[number % 3]():
                y = function(inputs(0, number % 6), f"call-{number}")
            return y.requires_grad, y.is_inference(), y.detach().tolist()

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            return list(pool.map(call, range(24)))

    def by_tag() -> dict:
        return {tag: texts for (_, tag), texts in lines.taken().items()}

    model = make()
    expected, logged = run(model), by_tag()
    got = run(torch.compile(model, backend="eager"))
    assert [row[:2] for row in expected] == [row[:2] for row in got]
    for one, other in zip(expected, got):
        assert one[2] == pytest.approx(other[2], abs=1e-5)
    assert logged == by_tag()


def test_tasks(tmp_path: Any, lines: Lines) -> None:
    make = load(tmp_path, PROGRAM)

    def run(function: Callable[..., Any]) -> dict:
        results: dict = {}

        async def task(number: int) -> None:
            for step in range(STEPS):
                x = inputs(number, step).requires_grad_()
                try:
                    y = function(x, f"t{number}")
                    await asyncio.sleep(0)
                    y.sum().backward()
                    results[number, step] = (y.detach().clone(), x.grad.clone())
                except ValueError as error:
                    results[number, step] = (type(error), str(error))

        async def main() -> None:
            await asyncio.gather(*[task(number) for number in range(4)])
            await asyncio.to_thread(work, function, 9, results)

        asyncio.run(main())
        return results

    model = make()
    expected, logged = run(model), lines.taken()
    got = run(torch.compile(model, backend="eager"))
    agree(expected, got)
    # The name of the thread that asyncio takes is not the program's.
    assert {tag: texts for (_, tag), texts in logged.items()} == {
        tag: texts for (_, tag), texts in lines.taken().items()
    }


COROUTINES = {
    "compiled": """
        import asyncio
        import torch
        async def f(x):
            y = x * 2
            return y + 3
        """,
    "around what is compiled": """
        import asyncio
        import torch
        @torch.compile(backend="eager")
        def step(x, number):
            print("step", number, round(x.sum().item(), 2))
            if x.sum() > 50:
                raise ValueError(f"{number}: {x.sum().item():.1f}")
            return x * 2 if x.sum() > 0 else x - 1
        async def part(x, number):
            y = step(x, number)
            await asyncio.sleep(0)
            print("part", number, "ends")
            return step(y, number + 10)
        async def f(x):
            first, second = await asyncio.gather(part(x, 1), part(x - 2, 2))
            return first + second
        """,
}


@pytest.mark.parametrize("value", [1.0, -1.0, 100.0])
@pytest.mark.parametrize("name", COROUTINES)
def test_coroutines(tmp_path: Any, name: str, value: float, capsys: pytest.CaptureFixture) -> None:
    function = load(tmp_path, COROUTINES[name])()

    def run(function: Callable[..., Any]) -> tuple:
        try:
            result = asyncio.run(function(torch.full((3,), value))).tolist()
        except ValueError as error:
            result = str(error)
        return result, capsys.readouterr().out

    with torch.compiler.set_stance("force_eager"):
        expected = run(function)
    compiled = torch.compile(function, backend="eager") if name == "compiled" else function
    assert run(compiled) == expected
    assert run(compiled) == expected


def test_asynchronous_generator(tmp_path: Any, capsys: pytest.CaptureFixture) -> None:
    program = """
        import torch
        @torch.compile(backend="eager")
        def step(x):
            print("step", round(x.sum().item(), 2))
            return x * 2 if x.sum() > 0 else x - 1
        async def rows(x):
            for row in x:
                yield step(row)
        async def f(x):
            total = 0
            async for row in rows(x):
                print("row")
                total = total + row
            return total
        """
    function = load(tmp_path, program)()
    x = torch.tensor([[1.0, 2.0], [-1.0, -2.0], [3.0, 1.0]])

    def run() -> tuple:
        return asyncio.run(function(x)).tolist(), capsys.readouterr().out

    with torch.compiler.set_stance("force_eager"):
        expected = run()
    assert run() == expected
    assert run() == expected
