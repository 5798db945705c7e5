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
from typing import Any, Optional, Union

import torch
from torch.fx import Graph, GraphModule, Node

from ..base.marker_ops import kind_of, site_of
from ..base.torch_names import FakeTensor


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
    """The nodes of the two sides of one branch; `side` is the side that `read_markers` fills.

    `stored` holds choices copied into memory shared with further tensors. `renamed` holds choices with the name and the
    memory of a tensor, where Python would have written to the tensor. `joined` holds tests of one side, combined with
    the test of the region. `scales`: for each side, whether the derivative may multiply by infinity.
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
    scales: list[bool] = dataclasses.field(default_factory=lambda: [False, False])
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
        keys = [*(region.key for region in self.regions), *(part.key for part in self.parts())]
        return {site_of(key) for key in keys} | set(self.broken)

    def tests(self) -> list[Union[Check, Decision]]:
        """All parts with a predicate that the graph computes in every call."""
        return [*self.checks, *self.decisions]

    def parts(self) -> list[Union[Check, Decision, Event]]:
        """All parts with a single marker."""
        return [*self.checks, *self.decisions, *self.events]

    def renew(self) -> None:
        """Read predicates, sides and values from the markers again, because a pass replaced nodes of the graph."""
        for region in self.regions:
            region.predicate = node_at(region.start, 1)
            region.joined = [node_at(marker, 1) for marker in region.markers if kind_of(marker) == "join"]
            for select in region.selects:
                if select.marker is not None:
                    select.sides = (node_at(select.marker, 1), node_at(select.marker, 2))
        for part in self.tests():
            part.predicate = node_at(part.marker, 1)
        for event in self.events:
            event.values = nodes_at(event.marker, 1)


def has_markers(graph: GraphModule) -> bool:
    """Whether a graph has any marker."""
    return any(kind_of(node) is not None for node in graph.graph.nodes)


def read_markers(module: GraphModule) -> Marks:
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
            innermost = opened[-1] if opened else None
            if innermost is None or by_key.get(key) is not innermost:
                marks.broken.append(site_of(key))
                continue
            innermost.markers.append(node)
            innermost.side = 1
            if kind == "leave":
                opened.pop()
                marks.regions.append(innermost)
        elif kind in ("pair", "join", "done"):
            closed = by_key.get(key)
            if closed is None or closed in opened:
                marks.broken.append(site_of(key))
                continue
            if kind == "done":
                closed.markers.append(node)
                closed.complete = True
                continue
            if kind == "join":
                closed.markers.append(node)
                closed.joined.append(node.args[1])
                continue
            closed.selects.append(Select(node, node.next, (node.args[1], node.args[2])))
        elif kind == "check":
            marks.checks.append(Check(key, node, node.args[1], outer))
        elif kind == "decide":
            marks.decisions.append(Decision(key, node, node.args[1], node.args[2]))
        elif kind == "event":
            marks.events.append(Event(key, node, list(node.args[1])))
    marks.broken += [region.site for region in opened]
    marks.broken += [region.site for region in marks.regions if not region.complete]
    return marks


def node_at(node: Node, position: int) -> Node:
    """The argument of a node at a position, for an argument that is a node."""
    argument = node.args[position]
    assert isinstance(argument, Node)
    return argument


def nodes_at(node: Node, position: int) -> list[Node]:
    """The argument of a node at a position, for an argument that is a list of nodes."""
    arguments = node.args[position]
    assert isinstance(arguments, (list, tuple))
    return [argument for argument in arguments if isinstance(argument, Node)]


def outputs_of(module: GraphModule) -> tuple[Any, ...]:
    """The outputs of a graph: nodes, and constants of the graph."""
    outputs = module.graph.output_node().args[0]
    assert isinstance(outputs, (list, tuple))
    return tuple(outputs)


def fake_of(node: Node) -> torch.Tensor:
    """The fake tensor of a node, for a node that gives a tensor."""
    value = tensor_of(node)
    assert isinstance(value, torch.Tensor)
    return value


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
    predicate = fakes[0]
    assert isinstance(predicate, FakeTensor)
    with predicate.fake_mode:
        node.meta = {"example_value": predicate.to(devices[1])}
    return node
