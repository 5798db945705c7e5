"""Random graphs with markers: what is read is what was written, in the whole graph and in each part between breaks."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import marked_graphs
import pytest
import torch
from torch.fx import Graph, GraphModule, Node

from graphmend.runtime.analysis import marker_regions
from graphmend.runtime.analysis.marker_regions import Marks, fake_of, predicate_beside, read_markers
from graphmend.runtime.base import marker_ops

Outer = list[tuple[str, int]]


@dataclasses.dataclass
class Written:
    """A region as it was written; nodes by name."""

    site: str
    predicate: str
    outer: Outer
    markers: list[str] = dataclasses.field(default_factory=list)
    sides: tuple[list[str], list[str]] = dataclasses.field(default_factory=lambda: ([], []))
    selects: list[tuple[str, str, str, str]] = dataclasses.field(default_factory=list)
    joined: list[str] = dataclasses.field(default_factory=list)


class Writer:
    """Writes a graph, and notes what reading it has to give."""

    def __init__(self, seed: int) -> None:
        self.chance, self.graph = random.Random(seed), Graph()
        self.values = [self.graph.placeholder("x"), self.graph.placeholder("y")]
        self.opened: list[tuple[Written, int]] = []
        self.regions: list[Written] = []
        self.parts: dict[str, tuple[str, Any, Outer]] = {}
        self.count = 0
        self.block(3)
        self.graph.output((self.values[-1],))

    def key(self) -> str:
        self.count += 1
        return marker_ops.key_of(f"m.py:{self.count}:0:GM101", 0)

    def some(self) -> Node:
        return self.chance.choice(self.values)

    def outer(self) -> Outer:
        return [(region.site, side) for region, side in self.opened]

    def compute(self) -> Node:
        self.values.append(self.graph.call_function(torch.add, (self.some(), self.some())))
        for region, side in self.opened:
            region.sides[side].append(self.values[-1].name)
        return self.values[-1]

    def mark(self, kind: Any, *args: Any) -> Node:
        return self.graph.call_function(kind, args)

    def block(self, depth: int) -> None:
        for _ in range(self.chance.randint(0, 4)):
            kind = self.chance.choice(["compute", "compute", "check", "decide", "event", "region", "region"])
            if kind == "compute":
                self.compute()
            elif kind == "region" and depth > 0:
                self.region(depth)
            elif kind != "region":
                self.part(kind)

    def part(self, kind: str) -> None:
        key, outer, first, second = self.key(), self.outer(), self.some(), self.some()
        told: list[Any]
        if kind == "event":
            node, told = self.mark(marker_ops.event, key, [first, second]), [first.name, second.name]
        elif kind == "decide":
            answer = self.chance.random() < 0.5
            node, told = self.mark(marker_ops.decide, key, first, answer), [first.name, answer]
        else:
            node, told = self.mark(marker_ops.check, key, first), [first.name]
        self.parts[node.name] = key, told, outer

    def region(self, depth: int) -> None:
        key, predicate = self.key(), self.some()
        region = Written(marker_ops.site_of(key), predicate.name, self.outer())
        region.markers.append(self.mark(marker_ops.enter, key, predicate).name)
        for side, closing in enumerate((marker_ops.otherwise, marker_ops.leave)):
            self.opened.append((region, side))
            self.block(depth - 1)
            self.opened.pop()
            region.markers.append(self.mark(closing, key).name)
        for _ in range(self.chance.randint(0, 2)):
            first, second = self.some(), self.some()
            marker = self.mark(marker_ops.pair, key, first, second)
            region.selects.append((marker.name, self.compute().name, first.name, second.name))
        for _ in range(self.chance.randint(0, 1)):
            test = self.some()
            region.markers.append(self.mark(marker_ops.join, key, test).name)
            region.joined.append(test.name)
        region.markers.append(self.mark(marker_ops.done, key).name)
        self.regions.append(region)


def told(region: Any) -> Written:
    """A region as it was read."""
    return Written(
        region.site,
        region.predicate.name,
        [(outer.site, side) for outer, side in region.outer],
        [node.name for node in region.markers],
        ([node.name for node in region.sides[0]], [node.name for node in region.sides[1]]),
        [(one.marker.name, one.result.name, *(node.name for node in one.sides)) for one in region.selects],
        [node.name for node in region.joined],
    )


def told_part(part: Any) -> list[Any]:
    if isinstance(part, marker_regions.Event):
        return [node.name for node in part.values]
    answer = [part.answer] if isinstance(part, marker_regions.Decision) else []
    return [part.predicate.name, *answer]


def read(graph: Graph) -> Marks:
    return read_markers(GraphModule({}, graph))


SEEDS = [seed for seed in range(30) if Writer(seed).regions]


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_read_is_what_was_written(seed: int) -> None:
    written = Writer(seed)
    marks = read(written.graph)
    assert [told(region) for region in marks.regions] == written.regions and not marks.broken
    assert all(region.complete and region.start.name == region.markers[0].name for region in marks.regions)
    parts = {part.marker.name: (part.key, told_part(part)) for part in marks.parts()}
    assert parts == {name: (key, shown) for name, (key, shown, _) in written.parts.items()}
    for check in marks.checks:
        assert [(region.site, side) for region, side in check.outer] == written.parts[check.marker.name][2]
    keys = [marker_ops.site_of(key) for key, *_ in written.parts.values()]
    assert marks.sites() == {*keys, *(region.site for region in written.regions)}
    assert marker_regions.has_markers(GraphModule({}, written.graph))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_part_between_breaks(seed: int) -> None:
    """Regions are read where all of their markers are in the part; those that are cut are told."""
    chance, length = random.Random(seed), len(Writer(seed).graph.nodes)
    for _ in range(12):
        first, last = sorted((chance.randint(2, length - 1), chance.randint(2, length - 1)))
        for begin, end in ((2, last), (first, length - 1), (first, last)):
            written = Writer(seed)
            nodes = list(written.graph.nodes)
            for node in reversed([*nodes[2:begin], *nodes[end:-1]]):
                node.replace_all_uses_with(nodes[0])
                written.graph.erase_node(node)
            left = {node.name for node in written.graph.nodes}
            marks = read(written.graph)
            all_markers = {
                region.site: {*region.markers, *(marker for marker, *_ in region.selects)} for region in written.regions
            }
            whole = {site for site, markers in all_markers.items() if markers <= left}
            cut_through = {site for site, markers in all_markers.items() if markers & left} - whole
            assert {region.site for region in marks.regions if region.complete} == whole
            assert set(marks.broken) == cut_through
            assert {part.marker.name for part in marks.parts()} == written.parts.keys() & left


@pytest.mark.parametrize("seed", SEEDS[:20])
def test_nodes_that_a_pass_replaces(seed: int) -> None:
    written = Writer(seed)
    marks = read(written.graph)
    new = written.graph.placeholder("new")
    for node in list(written.graph.nodes):
        if marker_ops.kind_of(node) is None and node.op == "call_function":
            node.replace_all_uses_with(new)
    marks.renew()
    fresh = read(written.graph)
    assert [told(region) for region in marks.regions] == [told(region) for region in fresh.regions]
    assert [told_part(part) for part in marks.parts()] == [told_part(part) for part in fresh.parts()]


def test_a_graph_without_markers() -> None:
    graph = Graph()
    x = graph.placeholder("x")
    graph.output((graph.call_function(torch.add, (x, x)), 3))
    module = GraphModule({}, graph)
    assert not marker_regions.has_markers(module) and read(graph) == Marks()
    assert [str(item) for item in marker_regions.outputs_of(module)] == ["add", "3"]


@pytest.mark.parametrize("devices", [("cpu", "cpu"), ("cpu", "cuda"), ("cuda", "cpu"), ("cuda", "cuda")], ids=str)
def test_a_test_is_made_on_the_device_of_what_it_chooses(devices: tuple[str, str]) -> None:
    """No device is needed for that: the graph is traced with tensors without memory."""
    graph = marked_graphs.Written()
    test = graph.call(torch.ones, (), dtype=torch.bool, device=devices[0])
    value = graph.call(torch.ones, 3, device=devices[1])
    graph.branch(test, lambda: (), lambda: ())
    _, marks, _ = graph.read(value)
    (region,) = marks.regions
    beside = predicate_beside(graph.graph, region, value)
    assert fake_of(beside).device.type == devices[1] and fake_of(beside).dtype == torch.bool
    assert (beside is region.predicate) is (devices[0] == devices[1])
    assert beside is test or (beside.target, beside.args[0]) == ("to", test)


def test_a_number_is_a_test_on_every_device() -> None:
    graph = marked_graphs.Written()
    number = graph.method("item", graph.call(torch.ones, (), dtype=torch.bool))
    value = graph.call(torch.ones, 3)
    graph.branch(number, lambda: (), lambda: ())
    _, marks, _ = graph.read(value)
    assert predicate_beside(graph.graph, marks.regions[0], value) is number
