"""The markers of a graph, read into regions with two sides, checks, decisions and deferred events.

Mended source leaves markers in the traced graph, one after another:

    enter("model.py:3:4:GM101#0", test)       # Region(predicate=test,
    log = x.log()                             #        sides=([log], [mul]),
    otherwise(...); mul = x * 2; leave(...)   #        selects=[Select(log, mul)])

`read` goes through the nodes once, keeps a stack of open regions, and puts every node on the current side of each open
region. A region without its closing markers was cut by a graph break, and its site stays as written.
"""

from __future__ import annotations

import dataclasses
from typing import Optional

import torch
from torch.fx import Graph, GraphModule, Node

from ..base.marker_ops import kind_of, site_of


@dataclasses.dataclass
class Select:
    """Two results of a region and the node that chooses between them; `marker` is None for a choice added by a later
    pass.
    """

    marker: Optional[Node]
    result: Node
    sides: tuple[Node, Node]


@dataclasses.dataclass(eq=False)
class Region:
    """The nodes of the two sides of one branch; `side` is the side that `read` fills.

    `stored` holds choices copied into memory that other tensors share. `renamed` holds choices that took the name and
    the memory of a tensor, where Python would have written to the tensor. `joined` holds tests of one side, combined
    with the test of the region.
    """

    key: str
    predicate: Node
    start: Node
    markers: list[Node]
    outer: list[tuple[Region, int]]
    sides: tuple[list[Node], list[Node]] = dataclasses.field(default_factory=lambda: ([], []))
    selects: list[Select] = dataclasses.field(default_factory=list)
    stored: list[Node] = dataclasses.field(default_factory=list)
    renamed: list[tuple[Node, Optional[int]]] = dataclasses.field(default_factory=list)
    joined: list[Node] = dataclasses.field(default_factory=list)
    side: int = 0
    complete: bool = False

    @property
    def site(self) -> str:
        """The site that the region belongs to."""
        return site_of(self.key)


@dataclasses.dataclass
class Check:
    """A guard of the graph; the guard counts only where the sides in `outer` were taken."""

    key: str
    marker: Node
    predicate: Node
    outer: list[tuple[Region, int]]


@dataclasses.dataclass
class Decision:
    """A test with two continuations, and the answer that the graph follows."""

    key: str
    marker: Node
    predicate: Node
    answer: bool


@dataclasses.dataclass
class Event:
    """A deferred effect with the snapshots of the tensors that the effect will read."""

    key: str
    marker: Node
    values: list[Node]


@dataclasses.dataclass
class Marks:
    """All markers of a graph. `broken` names the sites whose region was cut by a graph break."""

    regions: list[Region] = dataclasses.field(default_factory=list)
    checks: list[Check] = dataclasses.field(default_factory=list)
    decisions: list[Decision] = dataclasses.field(default_factory=list)
    events: list[Event] = dataclasses.field(default_factory=list)
    broken: list[str] = dataclasses.field(default_factory=list)

    def sites(self) -> set[str]:
        """Every site with a marker in the graph."""
        parts = [*self.regions, *self.checks, *self.decisions, *self.events]
        return {site_of(part.key) for part in parts} | set(self.broken)

    def renew(self) -> None:
        """Read predicates, sides and values from the markers again, because a pass replaced nodes of the graph."""
        for region in self.regions:
            region.predicate = region.start.args[1]
            region.joined = [marker.args[1] for marker in region.markers if kind_of(marker) == "join"]
            for select in region.selects:
                if select.marker is not None:
                    select.sides = (select.marker.args[1], select.marker.args[2])
        for part in (*self.checks, *self.decisions):
            part.predicate = part.marker.args[1]
        for event in self.events:
            event.values = list(event.marker.args[1])


def has_markers(graph: GraphModule) -> bool:
    """Whether a graph has any marker."""
    return any(kind_of(node) is not None for node in graph.graph.nodes)


def read(module: GraphModule) -> Marks:
    """The markers of a graph, as regions, checks, decisions and events."""
    marks = Marks()
    opened: list[Region] = []
    by_key: dict[str, Region] = {}
    for node in module.graph.nodes:
        kind = kind_of(node)
        if kind is None:
            for region in opened:
                region.sides[region.side].append(node)
            continue
        key = node.args[0]
        outer = [(region, region.side) for region in opened]
        if kind == "enter":
            region = Region(key, node.args[1], node, [node], outer)
            opened.append(region)
            by_key[key] = region
        elif kind in ("otherwise", "leave"):
            region = by_key.get(key)
            if region is None or not opened or opened[-1] is not region:
                marks.broken.append(site_of(key))
                continue
            region.markers.append(node)
            region.side = 1
            if kind == "leave":
                opened.pop()
                marks.regions.append(region)
        elif kind in ("pair", "join", "done"):
            region = by_key.get(key)
            if region is None or region in opened:
                marks.broken.append(site_of(key))
                continue
            if kind == "done":
                region.markers.append(node)
                region.complete = True
                continue
            if kind == "join":
                region.markers.append(node)
                region.joined.append(node.args[1])
                continue
            region.selects.append(Select(node, node.next, (node.args[1], node.args[2])))
        elif kind == "check":
            marks.checks.append(Check(key, node, node.args[1], outer))
        elif kind == "decide":
            marks.decisions.append(Decision(key, node, node.args[1], node.args[2]))
        elif kind == "event":
            marks.events.append(Event(key, node, list(node.args[1])))
    marks.broken += [region.site for region in opened]
    marks.broken += [region.site for region in marks.regions if not region.complete]
    return marks


def tensor_of(node: object) -> Optional[object]:
    """The fake tensor that a node produced in the trace."""
    return node.meta.get("example_value") if isinstance(node, Node) else None


def predicate_beside(graph: Graph, region: Region, value: Node) -> Node:
    """The predicate of a region on the device of a tensor; a copy is inserted at the graph's insertion point."""
    fakes = [tensor_of(region.predicate), tensor_of(value)]
    devices = [fake.device if isinstance(fake, torch.Tensor) else None for fake in fakes]
    if None in devices or devices[0] == devices[1]:
        return region.predicate
    node = graph.call_method("to", (region.predicate, devices[1]))
    with fakes[0].fake_mode:  # type: ignore[union-attr]
        node.meta = {"example_value": fakes[0].to(devices[1])}  # type: ignore[union-attr]
    return node
