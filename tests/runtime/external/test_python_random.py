"""Numbers that are drawn from a row of them: one graph, whichever they are."""

from __future__ import annotations

import random
from typing import Any

import pytest
import torch
from harness import compare, load

NUMBERS = {
    "sample": "random.sample(range(x.shape[0]), 3)",
    "steps": "random.sample(range(1, 40, 3), k=2)",
    "backwards": "random.sample([6, 4, 2, 0], 3)",
    "choice": "[random.choice(range(2, 40))]",
    "choices": "random.choices(range(-3, 3), k=4)",
    "weights": "random.choices(range(12), [1] * 12, k=2)",
    "method": "GENERATOR.sample(range(9), 2)",
}
CALLS = [lambda: (torch.arange(24.0).reshape(6, 4),), lambda: (torch.ones(6, 4),)]


def program(folder: Any, rows: str, result: str) -> Any:
    """A program that draws numbers."""
    return load(
        folder,
        f"""
        import random
        import torch
        GENERATOR = random.Random(3)
        def f(x):
            rows = {rows}
            return {result}
        """,
    )


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_of_a_row(tmp_path: Any, name: str) -> None:
    outcome = compare(
        program(tmp_path, NUMBERS[name], "x * rows[0] + sum(rows), rows, x.sum() + random.random()"), CALLS
    )
    assert outcome.graphs == 1
    assert [known["mode"] for known in outcome.report["callables"]] == ["whole"]


def test_numbers_behind_one_that_dynamo_draws(tmp_path: Any) -> None:
    """Torch before 2.12 restores Python's generator inside of the trace, and not around it."""
    make = load(
        tmp_path,
        """
        import random
        def f(x):
            first = random.randint(0, 9)
            return x * first, random.sample(range(5), 2), random.choice([1, 2, 3])
        """,
    )
    outcome = compare(make, CALLS)
    assert [known["mode"] for known in outcome.report["callables"]] == ["whole"]


def test_items_at_places_that_are_drawn(tmp_path: Any) -> None:
    outcome = compare(program(tmp_path, "random.sample(range(len(x)), 3)", "x[rows] * 2, x[rows[0]]"), CALLS)
    assert outcome.graphs == 1


def test_numbers_of_a_row_whose_length_the_data_decide(tmp_path: Any) -> None:
    rows = "torch.tensor(random.sample(range(int(x[0].argmax()) + 3), 3))"
    outcome = compare(program(tmp_path, rows, "x[rows] * 2, rows"), CALLS)
    assert [known["mode"] for known in outcome.report["callables"]] == ["whole"]


def test_a_list_that_is_shuffled(tmp_path: Any) -> None:
    make = load(
        tmp_path,
        """
        import random
        def f(x):
            order = list(range(6))
            random.shuffle(order)
            return x[order], order
        """,
    )
    assert compare(make, CALLS).graphs == 1


@pytest.mark.parametrize(
    "rows", ["random.sample(range(2), 3)", "random.choice(range(0))", "random.sample([0, 1, 3, 9], 3)"]
)
def test_other_draws_stay_as_they_are(tmp_path: Any, rows: str) -> None:
    compare(program(tmp_path, rows, "x * 2, rows"), CALLS)
    random.seed(0)


FLOATS = {
    "choice": "[random.choice(LEVELS)]",
    "sample": "random.sample((0.5, 1.5, 2.5), 2)",
    "signs": "[random.choice([0.0, -0.0, 2.5])]",
}


@pytest.mark.parametrize("name", FLOATS)
def test_floats_of_a_list(tmp_path: Any, name: str) -> None:
    source = FLOATS[name].replace("LEVELS", "[0.1, 0.2, 0.4, 0.7]")
    outcome = compare(program(tmp_path, source, "x * rows[0] + sum(rows), rows, x.sum() + random.random()"), CALLS)
    assert outcome.graphs == 1


def test_floats_with_repetition(tmp_path: Any) -> None:
    outcome = compare(program(tmp_path, "random.choices([0.1, 0.2, 0.4], k=4)", "x * rows[0] + sum(rows), rows"), CALLS)
    assert outcome.graphs <= 2  # one of them with the numbers of the first call: they are many


def test_a_float_that_decides_a_size(tmp_path: Any) -> None:
    size = "torch.nn.functional.interpolate(x[None], scale_factor=rows)"
    compare(program(tmp_path, "random.choice([1.0, 2.0])", size), CALLS)


@pytest.mark.parametrize("drawn", ["random.sample(queue, 2)", "[random.choice(queue)]", "random.choices(queue, k=2)"])
def test_items_of_a_deque(tmp_path: Any, drawn: str) -> None:
    rows = drawn.replace("queue", "__import__('collections').deque([x, x + 1, x + 2])")
    outcome = compare(program(tmp_path, rows, "sum(rows), x * 2"), CALLS[:1])
    assert outcome.graphs >= 1
