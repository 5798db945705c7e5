"""Path speculation: a graph follows one path through the decisions of a program.

    if x.sum() > 0:              # the sides differ too much for one graph
        self.history.append(x)   # the graph has the side of this call, and returns the test as an output
        x = self.deep(x)

The trace foretells the answer of each decision by a *shadow run*: the unfinished graph runs on copies of the call's own
inputs. The finished graph computes all answers again in every call. A call on another path is undone, and runs in a
graph of that path. A trace for a variant that has a path already ends at the first answer beside that path.
"""

from __future__ import annotations

import contextlib
import dataclasses
from typing import Any, Callable, Iterable, Iterator, Optional

import torch
from torch.fx import Graph, Node

from ..analysis import branch_proofs, node_facts
from ..base import torch_names, trace_state
from ..base.dynamo_values import guard_source
from ..base.marker_ops import kind_of
from ..base.owned_state import OwnedState


@dataclasses.dataclass
class Speculation:
    """The path of one trace, and the origins of the nodes of its graph."""

    variant: Optional[tuple[bool, ...]] = None  # the path of the variant that gets the graph; None without a path
    path: Optional[Path] = None  # the answers so far; None before the first question
    left: Optional[tuple[bool, ...]] = None  # the answers up to where the call left the path of the variant
    endless: bool = False  # the path has more decisions than a graph follows
    foreign: set[Node] = dataclasses.field(default_factory=set)  # nodes that do not come from modules alone
    own: dict[Node, tuple[Node, ...]] = dataclasses.field(default_factory=dict)  # the other nodes, with their users

    def note_endless(self) -> None:
        """Note that the path has more decisions than a graph follows."""
        self.endless = True


SPECULATION = OwnedState(__name__, Speculation)

MAX_DECISIONS = 64
ANY_NUMBER = 1
# Operators that only change the recording of gradients. The shadow run skips them, because the change would stay.
RECORDING = (
    torch_names._enter_inference_mode,
    torch_names._exit_inference_mode,
    torch_names._saved_tensors_hooks_disable,
    torch_names._saved_tensors_hooks_enable,
    torch_names._set_fwd_grad_enabled,
)


@dataclasses.dataclass
class Side:
    """An open side of a branch in a shadow run, with the tensors that a side beside the path has written to."""

    is_taken: bool
    saved: list[tuple[torch.Tensor, torch.Tensor]] = dataclasses.field(default_factory=list)

    def undo(self) -> None:
        """Write the values from before the side."""
        for tensor, value in reversed(self.saved):
            tensor.copy_(value)


class Shadow:
    """Runs a graph under construction on copies of the call's inputs, as far as the graph has been traced.

    A shadow run only guesses: a wrong guess costs a further trace or run, and never a wrong result.
    """

    def __init__(self, output: Any) -> None:
        self.output = output
        self.values: dict[Node, Any] = {}
        self.blocks: dict[Node, Any] = {}  # open autocast blocks, by the node that enters the block
        self.generators = torch.get_rng_state()
        self.sides: list[Side] = []  # open sides of branches, the innermost last
        self.raises = False  # a guard has failed, so the call raises, and nothing behind the guard matters

    def set_generators(self, state: Optional[torch.Tensor] = None) -> None:
        """Let the next draws begin with a state of the random generator: the present one, or another."""
        self.generators = torch.get_rng_state() if state is None else state

    def note(self, node: Node, value: Any) -> None:
        """Note the value of a node that the trace has computed."""
        self.values[node] = value

    def value(self, node: Node) -> Any:
        """The value of a node; a node that depends on module data alone runs without the other nodes."""
        from ..base.torch_names import no_dispatch

        uses_cuda: Callable[[], bool] = torch.cuda.is_initialized
        devices = list(range(torch.cuda.device_count())) if uses_cuda() else []
        quiet, alone = node_facts.without_warnings(), torch.random.fork_rng(devices)
        with no_dispatch(), quiet, torch.no_grad(), alone, self.in_blocks():
            torch.set_rng_state(self.generators)
            self.catch_up(node, nodes_from_modules(node) or node.graph.nodes)
            self.generators = torch.get_rng_state()
        return self.values[node]

    def catch_up(self, last: Node, nodes: Iterable[Node]) -> None:
        """Run the nodes that have no value yet, up to `last`."""
        for node in nodes:
            if node not in self.values:
                self.values[node] = self.run(node)
            if node is last:
                break

    @contextlib.contextmanager
    def in_blocks(self) -> Iterator[None]:
        """Enter the autocast blocks that the graph is in, and leave them again behind the shadow run."""
        depth = torch_names.get_dynamic_layer_stack_depth()
        for node in self.blocks:
            self.blocks[node] = torch_names._enter_autocast(*self.fetch(node.args))
        try:
            yield
        finally:
            for block in reversed(self.blocks.values()):
                torch_names._exit_autocast(block)
            is_deeper = torch_names.get_dynamic_layer_stack_depth() > depth
            if is_deeper:
                torch_names.pop_dynamic_layer_stack_and_undo_to_depth(depth)
        if is_deeper:
            raise RuntimeError("a transformed function is not at its end")

    def run(self, node: Node) -> Any:
        """The value of one node, computed from the values of its inputs."""
        if node.op == "placeholder":
            return input_copy(node.meta["grapharg"])
        if node.op == "get_attr":
            return copy_value(self.attribute(str(node.target)))
        kind = kind_of(node)
        if kind == "test":
            return torch.tensor(bool(self.fetch(node.args[1])))
        if kind == "check" and all(side.is_taken for side in self.sides):
            self.raises = self.raises or bool(self.fetch(node.args[1]))
        if kind is not None:
            self.cross(node, kind)
            return None
        if node.target in RECORDING:
            return None
        if node.target is torch_names._enter_autocast:
            self.blocks[node] = node.target(*self.fetch(node.args))
            return None
        if node.target is torch_names._exit_autocast:
            (entry,) = node.all_input_nodes
            return node.target(self.blocks.pop(entry))
        if branch_proofs.may_have_effects(node):
            raise RuntimeError("an operator that may have effects")
        args, kwargs = self.fetch(node.args), self.fetch(node.kwargs)
        beside = next((side for side in reversed(self.sides) if not side.is_taken), None)
        if beside is not None:
            tensors, places = node_facts.tensors_in((args, kwargs)), node_facts.facts_of(node).writes
            beside.saved += [(tensors[place], tensors[place].clone()) for place in places]
        if node.op == "call_method":
            return getattr(args[0], str(node.target))(*args[1:], **kwargs)
        if node.target is torch.tensor and isinstance(args[0], torch.Tensor):  # an array of the program: no warning
            return args[0].detach().clone().to(kwargs.get("device"), kwargs.get("dtype"))
        return node.target(*args, **kwargs)  # type: ignore[operator]

    def cross(self, marker: Node, kind: str) -> None:
        """Begin or end a side of a branch. Both sides run; writes of the side beside the path are undone at its end."""
        if kind == "enter":
            self.sides.append(Side(bool(self.fetch(marker.args[1]))))
        elif kind in ("otherwise", "leave") and self.sides:
            side = self.sides.pop()
            side.undo()
            if kind == "otherwise":
                self.sides.append(Side(not side.is_taken))

    def number(self, graph: Graph, symbol: Any) -> Any:
        """The number behind a symbol; None if no node of the graph is the source of the symbol."""
        from ..base.torch_names import key_get

        node = source_of(graph, symbol)
        return None if node is None else key_get(self.value(node), node.meta["unbacked_bindings"][symbol])

    def fetch(self, tree: Any) -> Any:
        """Arguments with nodes replaced by their values."""
        return torch.fx.map_arg(tree, self.values.__getitem__)

    def attribute(self, name: str) -> Any:
        """The object behind a `get_attr` node of an unfinished graph."""
        first, *rest = name.split(".")
        value = self.output.nn_modules[first]
        for part in rest:
            value = getattr(value, part)
        return value


def copy_value(value: Any) -> Any:
    """A copy of a tensor, safe to write to; other values unchanged."""
    return value.detach().clone() if isinstance(value, torch.Tensor) else value


def input_copy(argument: Any) -> Any:
    """A copy of an input of the graph."""
    value = argument.example
    if isinstance(value, torch.SymInt):
        return value.node.hint
    if argument.pass_arg_as_tensor and not isinstance(value, torch.Tensor):
        return torch.as_tensor(value)
    return copy_value(value)


def source_of(graph: Graph, symbol: Any) -> Optional[Node]:
    """The node that is the source of a data-dependent symbol; None if there is no such node."""
    return next((node for node in graph.nodes if symbol in (node.meta.get("unbacked_bindings") or ())), None)


def nodes_from_modules(node: Node) -> Optional[list[Node]]:
    """The nodes behind a node, with the node as the last, if all of them come from data of the program's modules.

    Returns None where an argument of the call or a random number is among them, or where the graph writes to one of
    them. The answer stays true while the graph grows, and the trace keeps the answer.
    """
    assert trace_state.local.trace is not None
    origins = SPECULATION.of(trace_state.local.trace)
    foreign, own = origins.foreign, origins.own
    nodes: dict[Node, None] = {}
    waiting = [node]
    while waiting:
        last = waiting.pop()
        if last in nodes:
            continue
        if own.get(last) != tuple(last.users):
            if last in foreign or is_foreign(last):
                foreign.add(node)
                return None
            own[last] = tuple(last.users)
        nodes[last] = None
        waiting += last.all_input_nodes
    return [other for other in node.graph.nodes if other in nodes]


def is_foreign(node: Node) -> bool:
    """Whether the value of a node does not come from modules alone, or no longer equals the data of the module."""
    if node.op == "placeholder":
        argument = node.meta.get("grapharg")  # missing in inner graphs, whose inputs are computed by the outer graph
        if argument is None or not is_of_module(argument.source):
            return True
    return node_facts.draws(node) or any(map(node_facts.writes_of, [node, *node.users]))


def is_of_module(source: Any) -> bool:
    """Whether Dynamo reads a value from a module of the program."""
    place = guard_source(source)
    return place is not None and (place.is_unspecialized_nn_module() or place.is_specialized_nn_module())


class Path:
    """The answers of one trace. The first answers are `known` after a run on another path."""

    def __init__(self, output: Any, known: tuple[bool, ...]) -> None:
        self.shadow: Optional[Shadow] = Shadow(output)
        self.output = output
        self.known = known
        self.answers: list[bool] = []
        self.raises = False  # the shadow run failed behind a failed guard

    def answer(self, predicate: Node) -> bool:
        """The answer of the next decision."""
        if len(self.answers) < len(self.known):
            self.answers.append(self.known[len(self.answers)])
        else:
            self.answers.append(self.guess(predicate))
        self.stay()
        return self.answers[-1]

    def stay(self) -> None:
        """End a trace whose call leaves the path of the variant: the graph would be thrown away."""
        assert trace_state.local.trace is not None
        speculation, answers = SPECULATION.of(trace_state.local.trace), tuple(self.answers)
        if speculation.variant is not None and speculation.variant[: len(answers)] != answers:
            speculation.left = answers
            raise trace_state.SiteRefused("the call takes another path")

    def number(self, graph: Graph, symbol: Any) -> Any:
        """The number behind a symbol in this call; None where the shadow run fails.

        An operator may fail on what a guard in front of it has found, such as an index beyond a table. Any number will
        do behind the guard: the call raises, and a later call with another number runs in another way.
        """
        if self.shadow is None:
            return ANY_NUMBER if self.raises else None
        try:
            return self.shadow.number(graph, symbol)
        except Exception:  # as in `guess`
            self.give_up()
            return ANY_NUMBER if self.raises else None

    def tensor(self, node: Node) -> Optional[torch.Tensor]:
        """The value of a node in this call; None where the shadow run fails."""
        try:
            return self.shadow.value(node) if self.shadow is not None else None
        except Exception:  # as in `guess`
            self.give_up()
            return None

    def guess(self, predicate: Node) -> bool:
        """The answer of a decision on the call's inputs; False where the shadow run fails.

        Behind a failed guard, any answer will do. That of the variant makes no further path.
        """
        if self.shadow is None:
            assert trace_state.local.trace is not None
            variant = SPECULATION.of(trace_state.local.trace).variant or ()
            return self.raises and variant[len(self.answers) :][:1] == (True,)
        try:
            return bool(self.shadow.value(predicate))
        except Exception:  # no memory, no kernel, a value missing from the shadow run
            self.give_up()
            return self.guess(predicate)

    def give_up(self) -> None:
        """Run the graph no further in this trace."""
        assert self.shadow is not None
        self.raises, self.shadow = self.shadow.raises, None


def path_of(trace: trace_state.Trace, output: Any) -> Path:
    """The path of a trace; the first request begins the path."""
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
