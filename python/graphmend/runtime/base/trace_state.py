"""The state of the runtime: the trace in progress, the deferred effects of each thread, the records of sites and
callables.

    trace_state.local.trace             # the attempt of this thread: Trace
    trace_state.local.waiting           # deferred effects on the way from a graph to the wrapper
    trace_state.registry.report()       # sites and callables of the process, for `graphmend run`

A feature's own state is in `Feature.of(trace)`. `Trace` keeps the fields shared by several modules.
"""

from __future__ import annotations

import dataclasses
import os
import threading
from typing import Any, Callable, Optional

# Rules whose mends postpone work until the graph has returned, or undo a call and run it again. Their order against
# code at a graph break could not be kept, so they are in force only where the whole call is one graph.
WHOLE_CALL_RULES = ("GM105", "GM3", "GM4", "GM5")
QUEUE_SOURCE = "local.queue"  # Dynamo's name for the effect queue
INHERITED = object()  # stands for an attribute that a class inherits


class GuardFailed(BaseException):
    """Raised by a compiled graph when the call has to run again, in eager Python or by the graph of another path.

    `restore` undoes the run. `answers`: for a call on another path, the answers of the call's decisions up to the first
    answer without a foretelling; None where the graph raised, as a graph may do for a call on another path. `path` is
    the path of the graph. `stopped` is an effect that has raised an exception. `hopeless`: a graph for many numbers
    found different numbers in the very call behind the graph, and the shadow run computes differently from the compiled
    graph. `locks` have to be held for the graph (locks.py).
    """

    def __init__(
        self,
        restore: Any,
        answers: Optional[tuple[bool, ...]] = None,
        path: Any = None,
        stopped: Any = None,
        hopeless: bool = False,
        locks: tuple[Any, ...] = (),
    ) -> None:
        super().__init__()
        self.hopeless = hopeless
        self.locks = locks
        self.stopped = stopped
        self.restore = restore
        self.answers = answers
        self.path = path


class NotWhole(BaseException):
    """Raised while converting the first frame of a call with several graphs; no part of the call has run yet.

    `raises`: the program itself raises an exception in the call, for all tensors. `again`: the next call may be a
    single graph, after an eager run of the present call.
    """

    def __init__(self, raises: bool = False, again: bool = False) -> None:
        super().__init__()
        self.raises = raises
        self.again = again


class OtherPath(BaseException):
    """Raised instead of tracing a call for a path that is not, or may not be, the path of the call.

    No part of the call has run yet.

    `answers` is the path of the call; None if no trace of a path was requested yet. `begins`: `answers` is the
    beginning of the path, up to where the call leaves the path of the variant. `repeated`: a graph of the path has
    already failed for the call, and a second graph would fail, too. `facts`: the assumptions of a graph that would
    stand in front of graphs of the same variant, and would take their calls.
    """

    def __init__(
        self,
        answers: Optional[tuple[bool, ...]] = None,
        repeated: bool = False,
        facts: Optional[tuple[Any, ...]] = None,
        begins: bool = False,
    ) -> None:
        super().__init__()
        self.answers = answers
        self.begins = begins
        self.repeated = repeated
        self.facts = facts


class SiteRefused(Exception):
    """Ends a trace in which the proof of a site failed; the reasons are in the trace."""


class SymbolsRefused(SiteRefused):
    """Ends a trace whose graph has numbers from the data as symbols that the compiler refuses.

    `surprising`: the backend was no known compiler when the trace began.
    """

    def __init__(self, reason: Optional[str], surprising: bool = False) -> None:
        super().__init__(reason)
        self.surprising = surprising


@dataclasses.dataclass
class Trace:
    """One attempt to convert one frame: the state that more than two features need.

    Every further state belongs to one module, which reaches the state through `hooks.Feature.of` or `OwnedState.of`.
    """

    whole: bool  # the frame is a whole call, which becomes one graph or none
    off: frozenset[str]  # sites that stay as written
    refusals: dict[str, str] = dataclasses.field(default_factory=dict)  # sites without a proof, with reasons
    touched: dict[str, None] = dataclasses.field(default_factory=dict)  # sites whose mended form was traced
    blamed: dict[str, str] = dataclasses.field(default_factory=dict)  # sites that stay as written here, with reasons
    open: list[Any] = dataclasses.field(default_factory=list)  # keys and scopes of the open sides of branches
    libraries: dict[str, None] = dataclasses.field(default_factory=dict)  # places where a library is an operator
    unmarked: dict[str, None] = dataclasses.field(default_factory=dict)  # mended places that leave no mark in the graph
    ignored_errors: int = 0  # open blocks of `numpy.errstate` that ignore errors
    notes: dict[str, Any] = dataclasses.field(default_factory=dict)  # states that one module owns, by module

    def refuse(self, site: str, reason: str) -> None:
        """Record the reason why a site cannot be mended in this trace."""
        self.refusals.setdefault(site, reason)


class Replay:
    """An eager run of a call whose deferred effect has raised an exception, up to the place of the exception.

    `sites` are the sites of all deferred effects, `done` the sites of the effects already carried out, in order. None
    stands for a print into a text of the call itself: the replay makes that text anew, and prints once more.
    """

    def __init__(self, sites: frozenset[str], done: list[Optional[str]], error: BaseException) -> None:
        self.sites = sites
        self.done = done
        self.error = error
        self.position = 0
        self.running = True

    def on(self, site: str) -> bool:
        """Whether the mended form of a site is to run."""
        return self.running and (site in self.sites or not rule_of(site).startswith("GM3"))

    def is_done(self, site: str) -> bool:
        """Whether the effect at a site has been carried out; raises the exception at the effect that failed."""
        if not self.running:
            return False
        if self.position == len(self.done):
            self.running = False
            raise self.error
        self.position += 1
        return self.done[self.position - 1] is not None


replays: list[Replay] = []  # the replays in progress, of all threads


class Local(threading.local):
    """State of one thread.

    `waiting` holds the deferred effects of a compiled call that is about to return (effect_queue.py).
    """

    def __init__(self) -> None:
        self.waiting: list[Any] = [None]
        self.queue: list[Any] = []  # the effect queue, as a trace sees the queue: only traced code appends events
        self.trace: Optional[Trace] = None
        # Undoes the call, while deferred effects are on the way from a graph to the wrapper; returns the success.
        self.pending: Optional[Callable[[], bool]] = None
        self.replay: Optional[Replay] = None
        self.entered: list[Any] = []  # blocks that deferred effects have entered (redirected_output.py)
        self.known: tuple[bool, ...] = ()  # the first answers on the path of the call
        self.failed: tuple[Any, ...] = ()  # the paths of the graphs that have failed for the call
        self.varied = False  # a graph has failed for its numbers
        self.generator: Any = None  # the state of `random` before the call, if the graph draws numbers
        self.spared = 0  # graphs that were not run, because the inputs showed that the call takes another path
        self.undo: list[Any] = []  # functions that undo the external calls of the running graph (prologue.py)
        self.held: list[Any] = []  # locks that the wrapper holds for the call (locks.py)
        self.holder: Any = None  # the variants of the wrapper that holds the locks
        self.tracing = False  # the call may be traced, although some variants have not been tried


local = Local()


@dataclasses.dataclass
class SiteRecord:
    """Use and refusals of one site in this process."""

    mended: int = 0
    refused: dict[str, None] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class CallableRecord:
    """Graphs and state of one compiled callable; findings of one feature alone are in `notes`."""

    name: str  # qualified name of the function
    file: str  # file of the function
    line: int  # first line of the function
    mode: str = "unused"  # `unused`, `waiting`, `whole`, `partial` or `plain`
    reason: Optional[str] = None  # why calls are not one graph
    replays: int = 0  # calls that ran in eager Python after a graph
    paths: int = 1  # whole variants
    calls_random: bool = False  # a graph needs numbers from Python's `random`
    selects: bool = False  # a graph computes both sides of a branch, and selects
    notes: dict[str, Any] = dataclasses.field(default_factory=dict)  # states that one module owns, by module

    def plain(self) -> dict[str, Any]:
        """The record as data for JSON."""
        data = {name: value for name, value in vars(self).items() if name != "notes"}
        for state in self.notes.values():
            data.update(state.report())
        return data


class Registry:
    """Process-wide record of sites and compiled callables; the lock guards every change."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.known = 0
        self.sites: dict[str, SiteRecord] = {}
        self.callables: list[CallableRecord] = []
        self.mode: Optional[dict[str, Any]] = (
            None  # the mode of graphmend (modes.py); None before the first compiled callable
        )
        self.faults: dict[str, None] = {}  # faults of the runtime, as texts for a report

    def add_sites(self, count: int) -> None:
        """Note that modules with `count` more sites have been loaded."""
        with self.lock:
            self.known += count

    def mended(self, sites: Any) -> None:
        """Note that the sites are part of a graph in use."""
        with self.lock:
            for site in sites:
                self.sites.setdefault(site, SiteRecord()).mended += 1

    def refused(self, reasons: dict[str, str]) -> None:
        """Note the reasons for which sites were left as written."""
        with self.lock:
            for site, reason in reasons.items():
                self.sites.setdefault(site, SiteRecord()).refused[reason] = None

    def reason(self, site: str) -> str:
        """The first reason for which a site was left as written."""
        with self.lock:
            return next(iter(self.sites[site].refused), "") if site in self.sites else ""

    def reset(self) -> None:
        """Forget all sites and callables."""
        with self.lock:
            self.sites.clear()
            self.callables.clear()

    def report(self) -> dict[str, Any]:
        """The record as data for JSON."""
        with self.lock:
            return {
                "known_sites": self.known,
                "mode": self.mode,
                "faults": list(self.faults),
                "sites": {
                    site: {"mended": record.mended, "refused": list(record.refused)}
                    for site, record in self.sites.items()
                },
                "callables": [record.plain() for record in self.callables if record.mode != "unused"],
            }


registry = Registry()


def enabled() -> bool:
    """Whether the environment allows mending at all."""
    return os.environ.get("GRAPHMEND", "1") != "0"


def leaves_no_mark(site: str) -> bool:
    """Whether the mended form of a site is plain code, without a proof and without a marker in the graph."""
    return rule_of(site) == "GM110"


def site_name(path: str, line: int, rule: str, column: int = 0) -> str:
    """The name of a site; columns count from 0, and 0 stands for the line as a whole."""
    return f"{path}:{line}:{column}:{rule}"


def rule_of(site: str) -> str:
    """The rule code at the end of a site name."""
    return site.rpartition(":")[2]


def is_branch(site: str) -> bool:
    """Whether a site selects between the results of two sides."""
    return rule_of(site).startswith("GM1")


def records(site: str) -> bool:
    """Whether a site writes to an object that outlives the call."""
    return rule_of(site) == "GM304"


def needs_whole_call(site: str) -> bool:
    """Whether the mend of a site postpones work until the call has ended."""
    return rule_of(site).startswith(WHOLE_CALL_RULES)
