"""Whether a program can tell the chosen copy from the tensor that eager Python hands on: a graph for each way."""

from __future__ import annotations

from typing import Any, Callable

import pytest
import torch
from marked_graphs import Written, value_of
from torch.fx import Node

from graphmend.runtime.analysis.branch_proofs import Order, aliasing, is_saved
from graphmend.runtime.analysis.node_facts import storage_of

Graph = Callable[[Written, Node, Node], list[Node]]  # of a test and an input; the results

INPUT = "a side returns an input, a parameter or a buffer itself"
TOLD, CHANGED = f"{INPUT}, which the caller can tell from a copy", f"{INPUT}, and the result is written to later"
RESULT = "a side returns a tensor that is also another result of the call"
ELSEWHERE = "a side returns a tensor that is used elsewhere, and the result is written to later"
SHARED = "a result shares memory that is written to later"
NEEDED = "a side returns a tensor that its gradient still needs, and the result is written to later"
TWINS = "two results of a side share memory"
ORDER = "the selected tensor would lie in memory in another order"
DOUBT = "a side may lie in memory in another order than the compiler believes"
NO_MEMORY = "a result has no memory of its own"


def chosen(graph: Written, test: Node, first: Any, second: Any) -> Node:
    return graph.branch(test, first, second)[0]


def fresh(g: Written, t: Node, x: Node) -> list[Node]:
    return [chosen(g, t, lambda: g.call(torch.add, x, 1), lambda: g.call(torch.sub, x, 1))]


def returned(g: Written, t: Node, x: Node) -> list[Node]:
    return [chosen(g, t, lambda: x, lambda: g.call(torch.sub, x, 1))]


def returned_by_the_second(g: Written, t: Node, x: Node) -> list[Node]:
    return [chosen(g, t, lambda: g.call(torch.sub, x, 1), lambda: x)]


def view_returned(g: Written, t: Node, x: Node) -> list[Node]:
    one = chosen(g, t, lambda: x, lambda: g.call(torch.sub, x, 1))
    return [g.method("view", one, 3, 3)]


def read_alone(g: Written, t: Node, x: Node) -> list[Node]:
    one = chosen(g, t, lambda: x, lambda: g.call(torch.sub, x, 1))
    return [g.call(torch.add, one, 1)]


def input_changed(g: Written, t: Node, x: Node) -> list[Node]:
    one = chosen(g, t, lambda: x, lambda: g.call(torch.sub, x, 1))
    g.method("add_", one, 1)
    return [g.call(torch.add, one, 1)]


def buffer_returned(g: Written, t: Node, x: Node) -> list[Node]:
    buffer = g.keep(g.graph.get_attr("buffer"), value_of(g.input("b", 3, 3)))
    return [chosen(g, t, lambda: buffer, lambda: g.call(torch.sub, x, 1))]


def another_result(g: Written, t: Node, x: Node) -> list[Node]:
    y = g.call(torch.add, x, 1)
    return [chosen(g, t, lambda: y, lambda: g.call(torch.sub, x, 1)), y]


def another_result_alone(g: Written, t: Node, x: Node) -> list[Node]:
    """The chosen one is no result."""
    y = g.call(torch.add, x, 1)
    one = chosen(g, t, lambda: y, lambda: g.call(torch.sub, x, 1))
    return [y, g.call(torch.add, one, 1)]


def changed_later(g: Written, t: Node, x: Node) -> list[Node]:
    one = chosen(g, t, lambda: g.call(torch.add, x, 1), lambda: g.call(torch.sub, x, 1))
    g.method("add_", one, 1)
    return [one]


def changed_and_used(g: Written, t: Node, x: Node) -> list[Node]:
    y = g.call(torch.add, x, 1)
    one = chosen(g, t, lambda: y, lambda: g.call(torch.sub, x, 1))
    g.method("add_", one, 1)
    return [one, g.call(torch.add, y, 1)]


def changed_through_a_view(g: Written, t: Node, x: Node) -> list[Node]:
    y = g.call(torch.add, x, 1)
    one = chosen(g, t, lambda: y, lambda: g.call(torch.sub, x, 1))
    g.method("add_", g.method("view", one, 9), 1)
    return [g.call(torch.add, one, y)]


def used_before(g: Written, t: Node, x: Node) -> list[Node]:
    y = g.call(torch.add, x, 1)
    z = g.call(torch.add, y, 1)
    one = chosen(g, t, lambda: y, lambda: g.call(torch.sub, x, 1))
    g.method("add_", one, 1)
    return [one, z]


def side_changed_later(g: Written, t: Node, x: Node) -> list[Node]:
    y = g.call(torch.add, x, 1)
    one = chosen(g, t, lambda: y, lambda: g.call(torch.sub, x, 1))
    g.method("add_", y, 1)
    return [g.call(torch.add, one, 1)]


def side_changed_before(g: Written, t: Node, x: Node) -> list[Node]:
    y = g.call(torch.add, x, 1)
    g.method("add_", y, 1)
    return [chosen(g, t, lambda: y, lambda: g.call(torch.sub, x, 1))]


def needed(g: Written, t: Node, x: Node) -> list[Node]:
    w = g.input("w", 3, 3, grad=True)
    y = g.call(torch.exp, w)
    one = chosen(g, t, lambda: y, lambda: g.call(torch.sub, w, 1))
    g.method("add_", one, 1)
    return [one]


def not_needed(g: Written, t: Node, x: Node) -> list[Node]:
    w = g.input("w", 3, 3, grad=True)
    one = chosen(g, t, lambda: g.call(torch.neg, w), lambda: g.call(torch.sub, w, 1))
    g.method("add_", one, 1)
    return [one]


def needed_and_whole(g: Written, t: Node, x: Node) -> list[Node]:
    w = g.input("w", 3, 3, grad=True)
    return [chosen(g, t, lambda: g.call(torch.exp, w), lambda: g.call(torch.sub, w, 1))]


def twins(g: Written, t: Node, x: Node) -> list[Node]:
    def first() -> Any:
        y = g.call(torch.add, x, 1)
        return y, g.method("view", y, 3, 3)

    return g.branch(t, first, lambda: (g.call(torch.sub, x, 1), g.call(torch.neg, x)))


def twins_of_which_one_is_returned(g: Written, t: Node, x: Node) -> list[Node]:
    one, other = twins(g, t, x)
    return [g.call(torch.add, other, 1), one]


def twins_that_are_read(g: Written, t: Node, x: Node) -> list[Node]:
    one, other = twins(g, t, x)
    return [g.call(torch.add, one, other)]


def twins_that_are_changed(g: Written, t: Node, x: Node) -> list[Node]:
    _, other = twins(g, t, x)
    g.method("add_", other, 1)
    return [g.call(torch.add, other, 1)]


def no_twins(g: Written, t: Node, x: Node) -> list[Node]:
    return g.branch(
        t,
        lambda: (g.call(torch.add, x, 1), g.call(torch.exp, x)),
        lambda: (g.call(torch.sub, x, 1), g.call(torch.neg, x)),
    )


def doubtful(g: Written, t: Node, x: Node) -> list[Node]:
    turned = g.method("t", x)
    return [chosen(g, t, lambda: g.call(torch.xlogy, turned, turned), lambda: g.call(torch.sub, turned, 1))]


def doubtful_second(g: Written, t: Node, x: Node) -> list[Node]:
    turned = g.method("t", x)
    return [chosen(g, t, lambda: g.call(torch.sub, turned, 1), lambda: g.call(torch.xlogy, turned, turned))]


def no_doubt(g: Written, t: Node, x: Node) -> list[Node]:
    return [chosen(g, t, lambda: g.call(torch.xlogy, x, x), lambda: g.call(torch.sub, x, 1))]


def rows(g: Written, t: Node) -> Node:
    """A chosen row of which one side is every second of a row."""
    n, m = g.input("n", 6, dtype=torch.int64), g.input("m", 3, dtype=torch.int64)
    return chosen(g, t, lambda: g.call(lambda one: one[::2], n), lambda: g.call(torch.add, m, 1))


def rows_read(g: Written, t: Node, x: Node) -> list[Node]:
    return [g.call(torch.add, rows(g, t), 1)]


def rows_returned(g: Written, t: Node, x: Node) -> list[Node]:
    return [rows(g, t)]


def rows_returned_among_others(g: Written, t: Node, x: Node) -> list[Node]:
    """One result of several is enough for the caller to see the order."""
    one = rows(g, t)
    return [g.call(torch.add, one, 1), one, g.call(torch.neg, x)]


def rows_chosen_again(g: Written, t: Node) -> tuple[Node, Node]:
    """What a second branch hands on is the first choice, maybe."""
    first = rows(g, t)
    return first, chosen(g, t, lambda: first, lambda: g.call(torch.neg, first))


def rows_chosen_again_and_read(g: Written, t: Node, x: Node) -> list[Node]:
    return [g.call(torch.add, rows_chosen_again(g, t)[1], 1)]


def rows_chosen_again_and_changed(g: Written, t: Node, x: Node) -> list[Node]:
    second = rows_chosen_again(g, t)[1]
    g.method("add_", second, 1)
    return [g.call(torch.add, second, 1)]


def rows_chosen_again_and_returned(g: Written, t: Node, x: Node) -> list[Node]:
    first, second = rows_chosen_again(g, t)
    return [g.call(torch.add, first, 1), second]


def rows_chosen_again_as_a_table(g: Written, t: Node, x: Node) -> list[Node]:
    return [g.call(torch.add, g.method("expand", rows_chosen_again(g, t)[1], 2, 3), 1)]


def rows_changed(g: Written, t: Node, x: Node) -> list[Node]:
    one = rows(g, t)
    g.method("add_", one, 1)
    return [g.call(torch.add, one, 1)]


def rows_as_a_column(g: Written, t: Node, x: Node) -> list[Node]:
    return [g.call(torch.add, g.method("view", rows(g, t), 3, 1), 1)]


def rows_as_a_table(g: Written, t: Node, x: Node) -> list[Node]:
    return [g.call(torch.add, g.method("expand", rows(g, t), 2, 3), 1)]


def floats_in_rows(g: Written, t: Node, x: Node) -> list[Node]:
    n, m = g.input("n", 6), g.input("m", 3)
    one = chosen(g, t, lambda: g.call(lambda row: row[::2], n), lambda: g.call(torch.add, m, 1))
    return [g.call(torch.add, one, 1)]


def of_a_branch(g: Written, t: Node, x: Node) -> list[Node]:
    """The side of a second branch is what the first has chosen, which might be `y`."""
    y = g.call(torch.add, x, 1)
    first = chosen(g, t, lambda: y, lambda: g.call(torch.sub, x, 1))
    second = chosen(g, t, lambda: first, lambda: g.call(torch.neg, x))
    return [second, y]


def of_a_branch_changed(g: Written, t: Node, x: Node) -> list[Node]:
    y = g.call(torch.add, x, 1)
    first = chosen(g, t, lambda: y, lambda: g.call(torch.sub, x, 1))
    second = chosen(g, t, lambda: first, lambda: g.call(torch.neg, x))
    g.method("add_", second, 1)
    return [g.call(torch.add, second, 1)]


def sparse_result(g: Written, t: Node, x: Node) -> list[Node]:
    one = chosen(g, t, lambda: g.call(torch.add, x, 1), lambda: g.call(torch.sub, x, 1))
    with g.mode:
        value = torch.ones(3, 3).to_sparse()
    for node in g.graph.nodes:
        if node is one or node.target in (torch.add, torch.sub):
            node.meta["example_value"] = value
    return [one]


GRAPHS: dict[str, tuple[Graph, list[str | None]]] = {
    "made on each side": (fresh, [None]),
    "an input": (returned, [TOLD]),
    "an input on the second side": (returned_by_the_second, [TOLD]),
    "a view of an input": (view_returned, [TOLD]),
    "an input that is read": (read_alone, [None]),
    "an input that is changed": (input_changed, [CHANGED]),
    "a buffer": (buffer_returned, [TOLD]),
    "another result": (another_result, [RESULT]),
    "another result, while this one is none": (another_result_alone, [None]),
    "changed later": (changed_later, [None]),
    "changed, and the side is used": (changed_and_used, [ELSEWHERE]),
    "changed through a view": (changed_through_a_view, [ELSEWHERE]),
    "used before": (used_before, [None]),
    "the side is changed later": (side_changed_later, [SHARED]),
    "the side is changed before": (side_changed_before, [None]),
    "needed for its gradient": (needed, [NEEDED]),
    "not needed": (not_needed, [None]),
    "needed, and not changed": (needed_and_whole, [None]),
    "twins that are results": (twins, [RESULT, RESULT]),
    "twins of which one is returned": (twins_of_which_one_is_returned, [TWINS, None]),
    "twins that are read": (twins_that_are_read, [None, None]),
    "twins of which one is changed": (twins_that_are_changed, [SHARED, TWINS]),
    "no twins": (no_twins, [None, None]),
    "doubtful strides": (doubtful, [DOUBT]),
    "doubtful strides on the second side": (doubtful_second, [DOUBT]),
    "strides beyond doubt": (no_doubt, [None]),
    "rows that are read": (rows_read, [None]),
    "rows that are returned": (rows_returned, [ORDER]),
    "rows that are returned among others": (rows_returned_among_others, [ORDER]),
    "rows chosen again": (rows_chosen_again_and_read, [None, None]),
    "rows chosen again and changed": (rows_chosen_again_and_changed, [ORDER, None]),
    "rows chosen again and returned": (rows_chosen_again_and_returned, [ORDER, None]),
    "rows chosen again as a table": (rows_chosen_again_as_a_table, [ORDER, None]),
    "rows that are changed": (rows_changed, [ORDER]),
    "rows as a column": (rows_as_a_column, [None]),
    "rows as a table": (rows_as_a_table, [ORDER]),
    "rows of floats": (floats_in_rows, [ORDER]),
    "chosen twice": (of_a_branch, [RESULT, None]),
    "chosen twice and changed": (of_a_branch_changed, [None, None]),
    "without memory": (sparse_result, [NO_MEMORY]),
}


def reasons(build: Graph, ignored: bool = False) -> list[str | None]:
    graph = Written()
    x = graph.input("x", 3, 3)
    test = graph.call(torch.gt, graph.method("sum", graph.input("c", 3)), 0)
    results = build(graph, test, x)
    _, marks, order = graph.read(*results)
    return [
        aliasing(order, region, select, set(results) if ignored else set())
        for region in marks.regions
        for select in region.selects
    ]


@pytest.mark.parametrize("name", GRAPHS)
def test_what_a_program_can_tell(name: str) -> None:
    build, expected = GRAPHS[name]
    assert reasons(build) == expected


def test_results_that_are_snapshots() -> None:
    """A deferred effect may hold what a side gave: the snapshot is no result of the call."""
    assert reasons(another_result) == [RESULT] and reasons(another_result, ignored=True) == [None]


def test_memory_that_is_handed_on() -> None:
    graph = Written()
    x = graph.input("x", 3, 3)
    test = graph.call(torch.gt, graph.method("sum", x), 0)
    y = graph.call(torch.add, x, 1)
    first = chosen(graph, test, lambda: y, lambda: graph.call(torch.sub, x, 1))
    second = chosen(graph, test, lambda: graph.call(torch.neg, x), lambda: first)
    third = graph.call(torch.add, second, y)
    _, _, order = graph.read(third)
    memory = {node: storage_of(value_of(node)) for node in (x, y, first, second, third)}
    assert order.handed_on(memory[y]) == {memory[y], memory[first], memory[second]}
    assert order.handed_on(memory[first]) == {memory[first], memory[second]}
    assert order.handed_on(memory[x]) == {memory[x]} and order.handed_on(None) == set()


def test_order_of_writes_and_reads() -> None:
    graph = Written()
    x = graph.input("x", 3, 3)
    y = graph.call(torch.add, x, 1)
    write = graph.method("add_", y, 1)
    read = graph.call(torch.neg, y)
    order = Order(graph.end(read))
    memory = {node: storage_of(value_of(node)) for node in (x, y, read)}
    assert order.outputs == [read] and order.inputs == {memory[x]}
    assert [node for node, _ in order.writers] == [write]
    assert order.written_after(memory[y], x) and order.written_after(memory[y], y)
    assert not order.written_after(memory[y], write) and not order.written_after(memory[x], x)
    assert order.used_after(memory[y], y, set()) and order.used_after(memory[y], write, set())
    assert not order.used_after(memory[y], read, set()) and not order.used_after(memory[y], write, {read})
    assert order.used_after(memory[x], x, set()) and not order.used_after(memory[x], y, set())


def test_writes_that_a_choice_stands_for() -> None:
    """Where Python would write to a tensor, the graph has a choice that counts as a write to its memory."""
    graph = Written()
    x = graph.input("x", 3, 3)
    test = graph.call(torch.gt, graph.method("sum", x), 0)
    before = graph.call(torch.neg, x)
    choices = [chosen(graph, test, lambda: x, lambda: graph.call(torch.sub, x, 1)) for _ in range(2)]
    module, marks, _ = graph.read(*choices)
    memory = storage_of(value_of(before))
    marks.regions[0].renamed.append((choices[0], memory))
    marks.regions[1].renamed.append((choices[1], None))
    order = Order(module)
    order.note_selects(marks.regions)
    assert order.writers == [(choices[0], {memory})]
    assert order.written_after(memory or 0, before) and not order.written_after(memory or 0, choices[0])


SAVED: dict[str, tuple[Callable[[Written, Node], Node], bool]] = {
    "a root": (lambda g, w: g.call(torch.sqrt, w), True),
    "a sum": (lambda g, w: g.call(torch.add, w, 1), False),
    "a view of a root": (lambda g, w: g.method("view", g.call(torch.sqrt, w), 9), True),
    "a view of a sum": (lambda g, w: g.method("view", g.call(torch.add, w, 1), 9), False),
    "without a gradient": (lambda g, w: g.call(torch.sqrt, g.method("detach", w)), False),
    "no tensor": (lambda g, w: g.method("size", w), False),
    "what fails": (lambda g, w: failing(g, w), True),
}


def failing(graph: Written, w: Node) -> Node:
    node = graph.call(torch.add, w, 1)
    node.target = torch.mm
    return node


@pytest.mark.parametrize("name", SAVED)
def test_what_a_gradient_needs(name: str) -> None:
    build, expected = SAVED[name]
    graph = Written()
    node = build(graph, graph.input("w", 3, 3, grad=True))
    order = Order(graph.end(node))
    memory = storage_of(value_of(node)) or 0
    users = {user for holder in order.holders.get(memory, ()) for user in holder.users}
    assert is_saved(order, node, memory, users) is expected
    if expected is False and name.startswith(("a sum", "a view")):
        assert is_saved(order, node, memory, set())  # the user may keep it
