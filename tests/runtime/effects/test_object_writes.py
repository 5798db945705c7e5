"""Writes to objects that outlive the call: postponed where nobody looks at the object before the call has ended."""

from __future__ import annotations

import collections
import io
import queue
from typing import Any

import pytest
import torch
from harness import compare, load

import graphmend.runtime as _gm
from graphmend.runtime.driver.callback import Callback

SITE = "m.py:1:0:GM304"
POSITIVE, NEGATIVE = (lambda: (torch.tensor([1.0, 2.0]),)), (lambda: (torch.tensor([-1.0, -5.0]),))
CALLS = [POSITIVE, NEGATIVE, POSITIVE]


class Model(torch.nn.Module):
    """Counts, keeps and sums up; the attributes are part of what is compared."""

    hits = 0

    def __init__(self) -> None:
        super().__init__()
        self.losses: list = []
        self.table: dict = {"sum": 0.0}
        self.nested = collections.defaultdict(list)
        self.counts = collections.Counter()
        self.recent = collections.deque(maxlen=3)
        self.last = None
        self.total = 0.0
        self.queue: Any = queue.Queue()
        self.file = io.StringIO()

    def shown(self) -> str:
        kept = [self.hits, self.losses, self.table, dict(self.nested), dict(self.counts), list(self.recent), self.last]
        return repr([kept, round(float(self.total), 4), list(self.queue.queue), self.file.getvalue()])


def append(self, x):
    if _gm.on(SITE):

        def _gm_sink__append(self, x):
            self.losses.append(x.mean().item())

        _gm.record(SITE, _gm_sink__append, (self,), (x,), "self.losses", "append")
    else:
        self.losses.append(x.mean().item())
    return x + 1


def count(self, x):
    if _gm.on(SITE):

        def _gm_sink__count(self):
            self.hits += 1

        _gm.record(SITE, _gm_sink__count, (self,), (), "self.hits", "=")
    else:
        self.hits += 1
    return x + 1


def total(self, x):
    if _gm.on(SITE):

        def _gm_sink__total(self, x):
            self.total = 0.9 * self.total + x.sum().item()

        _gm.record(SITE, _gm_sink__total, (self,), (x,), "self.total", "=")
    else:
        self.total = 0.9 * self.total + x.sum().item()
    return x + 1


def items(self, x):
    key = "a" if x.shape[0] > 1 else "b"
    if _gm.on(SITE):

        def _gm_sink__items(self, x, key):
            self.table["sum"] += x.sum().item()
            self.nested[key].append(x.shape[0])
            self.counts[key] += 1

        _gm.record(SITE, _gm_sink__items, (self,), (x, key), "self.table", "[]")
        _gm.record(SITE, lambda self: None, (self,), (), "self.nested", "[]")
        _gm.record(SITE, lambda self: None, (self,), (), "self.counts", "[]")
    else:
        self.table["sum"] += x.sum().item()
        self.nested[key].append(x.shape[0])
        self.counts[key] += 1
    return x + 1


def streams(self, x):
    if _gm.on(SITE):

        def _gm_sink__streams(self, x):
            self.queue.put(x.sum().item())

        _gm.record(SITE, _gm_sink__streams, (self,), (x,), "self.queue", "put")

        def _gm_sink__file(self, a):
            self.file.write(f"{a}\n")

        _gm.record(SITE, _gm_sink__file, (self,), (x.shape,), "self.file", "write")
    else:
        self.queue.put(x.sum().item())
        self.file.write(f"{x.shape}\n")
    return x + 1


def under_condition(self, x):
    def positive(self, x):
        count(self, x)
        return (x * 2,)

    if _gm.on("m.py:2:0:GM101"):
        (y,) = _gm.branch("m.py:2:0:GM101", x.sum() > 0, positive, lambda self, x: (x - 1,), (self, x))
    else:
        (y,) = positive(self, x) if x.sum() > 0 else (x - 1,)
    return y


def program(forward: Any) -> Any:
    return type(forward.__name__, (Model,), {"forward": forward})


@pytest.mark.parametrize(
    "forward", [append, count, total, items, streams, under_condition], ids=lambda forward: forward.__name__
)
def test_one_graph(forward: Any) -> None:
    for grad in (True, False):
        outcome = compare(program(forward), CALLS, grad)
        assert outcome.mended("GM304") and outcome.graphs == 1, outcome.report


def read_later(self, x):
    append(self, x)
    return x * len(self.losses)


def returned(self, x):
    count(self, x)
    return x, self.hits


def written_later(self, x):
    count(self, x)
    self.hits = 7
    return x + 1


def other_name(self, x):
    append(self, x)
    return x + len(self.alias)


def by_function(self, x):
    count(self, x)
    return x + getattr(self, "".join(["hi", "ts"]))


def by_dictionary(self, x):
    append(self, x)
    return x + len(vars(self)["losses"])


def read_in_helper(self, x):
    def helper(other):
        return other.losses[-1:] if other.losses else 3

    append(self, x)
    return x + 1, helper(self)


@pytest.mark.parametrize(
    "forward",
    [read_later, returned, written_later, other_name, by_function, by_dictionary, read_in_helper],
    ids=lambda forward: forward.__name__,
)
def test_object_that_is_looked_at(forward: Any) -> None:
    def make() -> Any:
        model = program(forward)()
        model.alias = model.losses
        return model

    outcome = compare(make, CALLS)
    assert not outcome.mended("GM304"), outcome.report
    assert "in the same call" in outcome.refusals("GM304")[0]


class Careful(Model):
    def __setattr__(self, name, value):
        super().__setattr__(name, value + 1 if name == "hits" else value)


class Property(Model):
    @property
    def hits(self):
        return self.last or 0

    @hits.setter
    def hits(self, value):
        self.last = value


class Tensors(Model):
    def __init__(self):
        super().__init__()
        self.hits = torch.zeros(1)


class Loud(list):
    def append(self, value):
        super().append(value * 2)


class Own(Model):
    def __init__(self):
        super().__init__()
        self.losses = Loud()


@pytest.mark.parametrize(
    "kind, forward",
    [(Careful, count), (Property, count), (Tensors, count), (Own, append)],
    ids=["setattr", "property", "tensor", "container"],
)
def test_object_with_its_own_ways(kind: Any, forward: Any) -> None:
    outcome = compare(type("Program", (kind,), {"forward": forward}), CALLS)
    assert not outcome.mended("GM304") and outcome.refusals("GM304")


TABLE = {"calls": 0}
NUMBER = 0


def globals_(x):
    if _gm.on(SITE):

        def _gm_sink__globals_(x):
            global NUMBER
            NUMBER += x.sum().item()
            TABLE["calls"] += 1

        _gm.record(SITE, _gm_sink__globals_, (), (x,), "TABLE", "[]")
        _gm.record(SITE, lambda: None, (), (), "NUMBER", "=")
    else:
        global NUMBER
        NUMBER += x.sum().item()
        TABLE["calls"] += 1
    return x + 1


def test_globals() -> None:
    def make() -> Any:
        global NUMBER
        NUMBER, TABLE["calls"] = 0, 0
        return globals_

    found = []
    for grad in (True, False):
        outcome = compare(make, CALLS, grad)
        assert outcome.mended("GM304") and outcome.graphs == 1
        found.append((round(NUMBER, 4), dict(TABLE)))
    assert found == [(round(sum((3.0, -6.0, 3.0)[i % 3] for i in range(20)), 4), {"calls": 20})] * 2


def test_object_of_the_call() -> None:
    class Local:
        hits = 0

    def program(x):
        local = Local()
        count(local, x)
        return x * local.hits

    outcome = compare(lambda: program, CALLS)
    assert not outcome.mended("GM304")


def test_an_object_of_the_call_needs_no_second_trace(monkeypatch: Any) -> None:
    class Cache:
        def __init__(self):
            self.filled = [False]

        def fill(self, x):
            if _gm.on(SITE):

                def sink(self, place, value):
                    self.filled[place] = value

                _gm.record(SITE, sink, (self,), (0, True), "self.filled", "[]")
            else:
                self.filled[0] = True
            return x * 2

    def program(x):
        cache = Cache()
        return cache.fill(x) if not cache.filled[0] else x, cache.filled

    attempt, traced = Callback.attempt, []

    def noting(self, trace, *args):
        traced.append(trace)
        return attempt(self, trace, *args)

    monkeypatch.setattr(Callback, "attempt", noting)
    assert torch.compile(program, backend="eager", fullgraph=True)(torch.ones(2))[1] == [True]
    assert len(traced) == 1


READ_BACK = """
    import torch

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.table = {}

        def forward(self, x):
            if x.dim() == 2:
                raise ValueError("two dimensions")
            y = x * 2
            self.table["largest"] = y.abs().max().item()
            if self.table["largest"] > 4:
                y = y * 3
            return y

        def shown(self):
            return dict(self.table)

    def make():
        return Net()
    """


def test_a_record_that_the_call_reads_where_nothing_was(tmp_path: Any) -> None:
    outcome = compare(load(tmp_path, READ_BACK), [lambda: (torch.ones(1, 1),), *CALLS])
    assert outcome.graphs == 2 and not outcome.mended("GM304")


RAISING = """
    import torch

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.table = {}

        def forward(self, x, number):
            y = x * 2
            self.table["largest"] = y.abs().max().item()
            return y * [1.0, 2.0][number]

        def shown(self):
            return dict(self.table)

    def make():
        return Net()
    """


def test_a_call_that_raises_leaves_records_as_they_are(tmp_path: Any) -> None:
    numbers = [5, *range(2)] * 3
    outcome = compare(load(tmp_path, RAISING), [lambda n=n: (torch.ones(2), n) for n in numbers])
    assert outcome.mended("GM304")


LOOKS_UP = """
    import torch

    class Parent(torch.nn.Module):
        level = 3

    class Net(Parent):
        def forward(self, x):
            self.added = x.sum().item()
            return x * 2, self.read()

        def read(self):
            try:
                return self.__dict__["added"]
            except KeyError:
                return "nothing"

    class Above(Net):
        def forward(self, x):
            Parent.level += 1
            return x * 2, super().level

    class Found(Net):
        def read(self):
            return hasattr(self, "added"), getattr(self, "add" + "ed", None)

    class OfTensor(Net):
        def forward(self, x):
            if x.sum() > 0:
                x.note = "hot"
            return x * 2, getattr(x, "note", None), hasattr(x, "note")

    def function(x):
        function.last = x.sum().item()
        return x * 2, getattr(function, "la" + "st", None)

    def make():
        Parent.level = 3
        function.__dict__.clear()
        return %s
    """


@pytest.mark.parametrize("kind", ["Net()", "Above()", "Found()", "OfTensor()", "function"])
def test_lookups_of_which_no_variable_is_built(kind: str, tmp_path: Any) -> None:
    """What was recorded is seen by them, too."""
    compare(load(tmp_path, LOOKS_UP % kind), CALLS)


ENDS_BY_WRITES = """
    import collections
    import torch

    class Queue(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.rows = collections.OrderedDict()
            self.jobs = collections.deque(range(5))
            self.left = 3

        def forward(self, x):
            for key in x.long().tolist():
                self.rows[key] = 1
                while len(self.rows) > 2:
                    self.rows.popitem(last=False)
            while len(self.jobs) > 2:
                self.jobs.popleft()
            while self.left > 0:
                self.left -= 1
            return x * len(self.rows), list(self.rows), len(self.jobs), self.left

    make = Queue
    """


def test_a_loop_that_ends_by_what_it_writes(tmp_path: Any) -> None:
    """A trace that postpones the writes never reaches the end of the loop."""
    calls = [lambda rows=rows: (torch.tensor(rows),) for rows in ([0.0, 1.0], [2.0, 3.0], [3.0, 3.0])]
    compare(load(tmp_path, ENDS_BY_WRITES), calls, grad=False, rounds=6)
