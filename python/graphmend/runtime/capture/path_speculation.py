"""Graphs that follow one path through the decisions of a program.

Where both sides of a branch cannot stand in one graph, the graph holds the side that the call takes. The answers are
foretold while the call is traced, by running the graph made so far on the call's own inputs; whenever the graph runs,
it computes them again. A call that takes another path is undone and run by a graph for that path.
"""

from __future__ import annotations

import contextlib
import dataclasses
from typing import Any, Iterable, Iterator, Optional

import torch
from torch.fx import Graph, Node

from ..analysis import node_facts
from ..base import torch_names, trace_state
from ..base.dynamo_values import guard_source
from ..base.marker_ops import kind_of
from ..base.owned_state import OwnedState


@dataclasses.dataclass
class Speculation:
    """The path of one trace, and the origins of the nodes of its graph."""

    path: Optional[Path] = None  # the answers so far; None before the first question
    foreign: set[Node] = dataclasses.field(default_factory=set)  # nodes that do not come from modules alone
    own: dict[Node, tuple[Node, ...]] = dataclasses.field(default_factory=dict)  # the other nodes, with their users


SPECULATION = OwnedState(__name__, Speculation)

MAX_DECISIONS = 64
# What changes only how gradients are recorded. It would outlast the moment in which the shadow runs.
RECORDING = (
    torch_names._enter_inference_mode,
    torch_names._exit_inference_mode,
    torch_names._saved_tensors_hooks_disable,
    torch_names._saved_tensors_hooks_enable,
    torch_names._set_fwd_grad_enabled,
)


class Shadow:
    """Runs a graph that is being traced, on copies of the inputs of the call, as far as it has been made.

    What it finds is a guess: nothing rests on it but how often a graph is traced or run for nothing.
    """

    def __init__(self, output: Any) -> None:
        self.output = output
        self.values: dict[Node, Any] = {}
        self.blocks: dict[Node, Any] = {}  # of autocast, that the graph is in, by the nodes that enter them
        self.generators = torch.get_rng_state()

    def set_generators(self, state: Optional[torch.Tensor] = None) -> None:
        """Let the next draws begin with a state of the random generator: the present one, or another."""
        self.generators = torch.get_rng_state() if state is None else state

    def note(self, node: Node, value: Any) -> None:
        """Note the value of a node that the trace has computed."""
        self.values[node] = value

    def value(self, node: Node) -> Any:
        """The value of a node of the graph; what comes from the program's modules alone is computed alone."""
        from ..base.torch_names import no_dispatch

        devices = list(range(torch.cuda.device_count())) if torch.cuda.is_initialized() else []
        with no_dispatch(), torch.no_grad(), torch.random.fork_rng(devices), self.in_blocks():
            torch.set_rng_state(self.generators)
            self.catch_up(node, of_modules(node) or node.graph.nodes)
            self.generators = torch.get_rng_state()
        return self.values[node]

    def catch_up(self, last: Node, nodes: Iterable[Node]) -> None:
        """Run those nodes that have been added up to the last one to be run."""
        for node in nodes:
            if node not in self.values:
                self.values[node] = self.run(node)
            if node is last:
                break

    @contextlib.contextmanager
    def in_blocks(self) -> Iterator[None]:
        """Be in the blocks that the graph has entered; nothing of them stays when the shadow rests."""
        depth = torch_names.get_dynamic_layer_stack_depth()
        for node in self.blocks:
            self.blocks[node] = torch_names._enter_autocast(*self.fetch(node.args))
        try:
            yield
        finally:
            for block in reversed(self.blocks.values()):
                torch_names._exit_autocast(block)
            deeper = torch_names.get_dynamic_layer_stack_depth() > depth
            if deeper:
                torch_names.pop_dynamic_layer_stack_and_undo_to_depth(depth)
        if deeper:
            raise RuntimeError("a transformed function is not at its end")

    def run(self, node: Node) -> Any:
        """Run one node."""
        if node.op == "placeholder":
            return copy_of(node.meta["grapharg"])
        if node.op == "get_attr":
            return copied(self.attribute(str(node.target)))
        if kind_of(node) == "test":
            return torch.tensor(bool(self.fetch(node.args[1])))
        if kind_of(node) is not None or node.target in RECORDING:
            return None
        if node.target is torch_names._enter_autocast:
            self.blocks[node] = node.target(*self.fetch(node.args))
            return None
        if node.target is torch_names._exit_autocast:
            return node.target(self.blocks.pop(node.args[0]))
        args, kwargs = self.fetch(node.args), self.fetch(node.kwargs)
        if node.op == "call_method":
            return getattr(args[0], str(node.target))(*args[1:], **kwargs)
        if node.target is torch.tensor and isinstance(args[0], torch.Tensor):  # an array of the program: no warning
            return args[0].detach().clone().to(kwargs.get("device"), kwargs.get("dtype"))
        return node.target(*args, **kwargs)  # type: ignore[operator]

    def number(self, graph: Graph, symbol: Any) -> Any:
        """The number that a symbol stands for; None where no node of the graph gives it."""
        from ..base.torch_names import key_get

        node = giving(graph, symbol)
        return None if node is None else key_get(self.value(node), node.meta["unbacked_bindings"][symbol])

    def fetch(self, tree: Any) -> Any:
        """Arguments with values in place of nodes."""
        return torch.fx.map_arg(tree, self.values.__getitem__)

    def attribute(self, name: str) -> Any:
        """What a `get_attr` node of an unfinished graph stands for."""
        first, *rest = name.split(".")
        found = self.output.nn_modules[first]
        for part in rest:
            found = getattr(found, part)
        return found


def copied(value: Any) -> Any:
    """A copy of a tensor that may be written to; anything else as it is."""
    return value.detach().clone() if isinstance(value, torch.Tensor) else value


def copy_of(argument: Any) -> Any:
    """A copy of an input of the graph."""
    value = argument.example
    if isinstance(value, torch.SymInt):
        return value.node.hint
    if argument.pass_arg_as_tensor and not isinstance(value, torch.Tensor):
        return torch.as_tensor(value)
    return copied(value)


def giving(graph: Graph, symbol: Any) -> Optional[Node]:
    """The node that gives the number, decided by data, that a symbol stands for; None if there is none."""
    return next((node for node in graph.nodes if symbol in (node.meta.get("unbacked_bindings") or ())), None)


def of_modules(node: Node) -> Optional[list[Node]]:
    """The nodes that a node is computed from, itself the last, where all come from what the program's modules hold.

    None where arguments of the call or random numbers are among them, or where the graph writes to one of them. That
    stays so however the graph grows, and is noted in the trace.
    """
    assert trace_state.local.trace is not None
    origins = SPECULATION.of(trace_state.local.trace)
    foreign, own = origins.foreign, origins.own
    found: dict[Node, None] = {}
    waiting = [node]
    while waiting:
        last = waiting.pop()
        if last in found:
            continue
        if own.get(last) != tuple(last.users):
            if last in foreign or is_foreign(last):
                foreign.add(node)
                return None
            own[last] = tuple(last.users)
        found[last] = None
        waiting += last.all_input_nodes
    return [other for other in node.graph.nodes if other in found]


def is_foreign(node: Node) -> bool:
    """Whether a node gives what does not come from modules alone, or is not what they hold any more."""
    if node.op == "placeholder":
        given = node.meta.get("grapharg")  # a graph inside of this one has none: it is given what others compute
        if given is None or not is_of_module(given.source):
            return True
    return node_facts.draws(node) or any(map(node_facts.writes_of, [node, *node.users]))


def is_of_module(source: Any) -> bool:
    """Whether Dynamo finds a value in a module of the program."""
    place = guard_source(source)
    return place is not None and (place.is_unspecialized_nn_module() or place.is_specialized_nn_module())


class Path:
    """The answers of one trace; the first ones are known when the call has been run on another path."""

    def __init__(self, output: Any, known: tuple[bool, ...]) -> None:
        self.shadow: Optional[Shadow] = Shadow(output)
        self.output = output
        self.known = known
        self.answers: list[bool] = []

    def answer(self, predicate: Node) -> bool:
        """Whether the next decision is taken."""
        if len(self.answers) < len(self.known):
            self.answers.append(self.known[len(self.answers)])
        else:
            self.answers.append(self.guess(predicate))
        return self.answers[-1]

    def number(self, graph: Graph, symbol: Any) -> Any:
        """The number in this call that data decide and that a symbol stands for; None where it is not to be had."""
        if self.shadow is None:
            return None
        try:
            return self.shadow.number(graph, symbol)
        except Exception:  # as below
            self.shadow = None
            return None

    def tensor(self, node: Node) -> Optional[torch.Tensor]:
        """What a node of the graph gives in this call; None where it is not to be had."""
        try:
            return self.shadow.value(node) if self.shadow is not None else None
        except Exception:  # as below
            self.shadow = None
            return None

    def guess(self, predicate: Node) -> bool:
        """What a decision finds on the inputs of the call; false where that is not to be had."""
        if self.shadow is None:
            return False
        try:
            return bool(self.shadow.value(predicate))
        except Exception:  # no memory, no kernel, a value that nobody has
            self.shadow = None
            return False


def path_of(trace: trace_state.Trace, output: Any) -> Path:
    """The path of a trace, begun when first asked for."""
    speculation = SPECULATION.of(trace)
    if speculation.path is None or speculation.path.output is not output:
        speculation.path = Path(output, trace_state.local.known)
    return speculation.path


def shadow_of(trace: trace_state.Trace) -> Optional[Shadow]:
    """The shadow run of a trace; None before the first question about the path, and after a failure."""
    path = SPECULATION.of(trace).path
    return path.shadow if path is not None else None


def forget_path(trace: trace_state.Trace) -> None:
    """Free the graph and the copies of the inputs, at the end of a trace."""
    SPECULATION.of(trace).path = None
