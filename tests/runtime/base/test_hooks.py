"""The table of hooks: its rows beside the installed torch, what a missing place costs, arguments that are handed on."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import inspect
import io
import subprocess
from typing import Any, Iterator

import pytest
import torch
from harness import load

import graphmend.runtime as runtime
from graphmend.runtime.base import hooks, slots, torch_names
from graphmend.runtime.base.torch_tables import older, places, releases
from graphmend.runtime.base.trace_state import registry
from graphmend.runtime.driver import features, modes

features.load()
IS_BASE = releases.version_of(torch.__version__) == releases.BASE
PROGRAM = """
import torch

def make():
    def f(x):
        if x.sum() > 2:
            x = x + 1
        print("seen", x.shape)
        return x * 2
    return f
"""


@pytest.fixture(autouse=True)
def looked_up_anew() -> Iterator[None]:
    """Each test begins with a table of its own, and leaves none behind."""
    yield
    forget()


def forget() -> None:
    hooks.forget()
    torch_names.forget()
    modes.found.cache_clear()
    registry.mode = None
    registry.faults.clear()


def without(monkeypatch: Any, names: dict[str, Any], gone: dict[str, Any]) -> None:
    """Have a torch that lacks these names and places."""
    rows = releases.rows(releases.version_of(torch.__version__) or releases.BASE)
    changed = dataclasses.replace(rows, names={**rows.names, **names}, places={**rows.places, **gone})
    monkeypatch.setattr(torch_names, "release", lambda: changed)
    forget()


def outcome(tmp_path: Any, program: str = PROGRAM) -> tuple[list[Any], str, str]:
    """Results, output and error output of a small program that is compiled anew.

    The streams are never closed: handlers of torch's loggers that are made meanwhile keep them.
    """
    torch._dynamo.reset()
    make = load(tmp_path, program)
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as error:
        compiled = torch.compile(make(), backend="eager")
        results = [compiled(torch.ones(3)).tolist(), compiled(torch.zeros(3)).tolist()]
    return results, out.getvalue(), error.getvalue()


EXPECTED = [[4.0] * 3, [0.0] * 3]
PRINTED = "seen torch.Size([3])\n" * 2


@pytest.mark.parametrize("release", sorted({releases.BASE, *releases.NEWER, *releases.OLDER}))
def test_every_release_has_the_same_capabilities(release: Any) -> None:
    rows = releases.rows(release)
    assert rows.places.keys() == releases.rows(releases.BASE).places.keys()
    assert rows.names.keys() == releases.rows(releases.BASE).names.keys()
    assert rows.methods.keys() == releases.METHODS.keys()
    for row in rows.places.values():
        for place in places.parse(row) if row is not None else ():
            assert place.owner in places.MODULES or rows.names[place.owner] is not None


@pytest.mark.parametrize("release", sorted(releases.OLDER))
def test_additions_are_functions_for_older_releases(release: Any) -> None:
    """And none of them is added where the class has it: torch 2.13 stays as it is."""
    for row, place in releases.rows(release).additions.items():
        owner, _, attribute = row.partition(".")
        assert place == f"older:{attribute}" and hasattr(older, attribute)
        if IS_BASE and owner != "OutputGraph":
            assert vars(torch_names.find(owner)).get(attribute) is not vars(older)[attribute]


@pytest.mark.skipif(not IS_BASE, reason="the rows of another release are compared by `make drift`")
def test_rows_of_the_base_release_are_true() -> None:
    assert [reason for _, _, reason in slots.all_found() if reason] == []
    assert [name for name in torch_names.release().names if not torch_names.has(name)] == []
    assert modes.found().name == modes.WHOLE and hooks.features_off == {}


def test_every_hook_has_a_row() -> None:
    assert {hook.capability for hook in hooks.all_hooks()} <= places.PLACES.keys()


def test_all_places_are_put_back() -> None:
    class Trace:
        whole, early, notes, loads, outside = True, True, {}, None, None
        recorder = type("Recorder", (), {"close": staticmethod(lambda: None)})

    before = {capability: [slot.read() for slot in found] for capability, found in hooks.table().items()}
    with hooks.in_force(Trace()):
        changed = {capability for capability, found in hooks.table().items() if before[capability] != read(found)}
    assert changed >= {"tensor.getattr", "compare", "number.create", "graph.example"}
    assert {capability: read(found) for capability, found in hooks.table().items()} == before


def read(found: list[slots.Slot]) -> list[Any]:
    return [slot.read() for slot in found]


@pytest.mark.parametrize("capability", sorted(places.PLACES))
def test_a_place_that_is_gone_costs_its_own_features(tmp_path: Any, monkeypatch: Any, capability: str) -> None:
    """Renamed or moved: the results stay, at most one line is told, and other features are on."""
    without(monkeypatch, {}, {capability: "TensorVariable.no_such_method(self)"})
    results, out, error = outcome(tmp_path)
    assert (results, out) == (EXPECTED, PRINTED)
    assert len(error.splitlines()) <= 1, error
    users = {hook.feature.name for hook in hooks.all_hooks() if hook.capability == capability and hook.needed}
    assert hooks.features_off.keys() == users
    assert bool(error) == bool(users) and all(name in error for name in users)


@pytest.mark.parametrize("name", sorted(releases.base_names()))
def test_a_name_that_is_gone_changes_no_result(tmp_path: Any, monkeypatch: Any, name: str) -> None:
    without(monkeypatch, {name: "torch._dynamo:no_such_name"}, {})
    results, out, error = outcome(tmp_path)
    assert (results, out) == (EXPECTED, PRINTED)
    told = error.splitlines()
    assert all(line.startswith("graphmend: ") for line in told), error
    assert len(told) <= 2 + len(hooks.features_off), error  # the mode, and a line for each feature that needs the name


def test_a_lost_guard_takes_its_rules_along(tmp_path: Any, monkeypatch: Any) -> None:
    without(monkeypatch, {}, {"variable.build": None})
    outcome(tmp_path)
    assert modes.current().name == modes.REDUCED
    assert not hooks.is_guarded("GM301") and hooks.is_guarded("GM101")


def test_without_a_guard_of_all_rules_only_the_text_proves(tmp_path: Any, monkeypatch: Any) -> None:
    without(monkeypatch, {}, {"shape.evaluate": None})
    results, out, error = outcome(tmp_path)
    assert (results, out) == (EXPECTED, PRINTED)
    assert runtime.report()["mode"]["name"] == modes.SOURCE_ONLY and "only what the text alone proves" in error


def test_what_is_never_called_is_lost(monkeypatch: Any) -> None:
    """A release of the future whose names resolve, though tables hold the functions."""
    monkeypatch.setattr(modes, "CHECKED", ())
    monkeypatch.setattr(modes, "canaries", lambda: (["list.method"], ["identity_guard"]))
    forget()
    found = modes.found()
    assert found.name == modes.SOURCE_ONLY
    assert (
        found.lost.keys() == {"sorting", "lists_in_sort", "containment", "identity_guard"}
        and "lets a program pass" in found.lost["identity_guard"]
    )
    assert "never calls `list.method`" in found.lost["sorting"]


def test_canaries_see_a_table_that_has_moved(monkeypatch: Any) -> None:
    from graphmend import canaries

    monkeypatch.setattr(canaries, "CALLS", {"numbers": canaries.CALLS["numbers"]})
    assert "compare" not in canaries.uncalled()
    home = importlib.import_module("torch._dynamo.symbolic_convert")
    monkeypatch.setattr(home, "compare_op_handlers", dict(home.compare_op_handlers))
    assert "compare" in canaries.uncalled()


def test_old_and_strange_versions(monkeypatch: Any) -> None:
    for version, name in (("2.6.0", "off"), ("", "off"), ("2.13.0a0+git1f2e3d", "whole"), ("nightly", "off")):
        monkeypatch.setattr(torch_names, "version", lambda version=version: version)
        forget()
        with contextlib.redirect_stderr(io.StringIO()) as error:
            mode = modes.decide()
        assert mode.name == name, version
        assert len(error.getvalue().splitlines()) == (name == "off")


def test_a_fault_of_ours_costs_its_feature_and_is_told_once(tmp_path: Any, monkeypatch: Any) -> None:
    from graphmend.runtime.shims import no_op_conversions

    def broken(*_: Any) -> Any:
        raise AttributeError("gone")

    broken.__code__ = broken.__code__.replace(co_filename=no_op_conversions.__file__)
    monkeypatch.setattr(no_op_conversions, "is_plain", broken)
    program = PROGRAM.replace("x = x + 1", "x = x.to(torch.float32) + 1")
    results, out, error = outcome(tmp_path, program)
    assert (results, out) == (EXPECTED, PRINTED) and len(error.splitlines()) == 1
    assert "a fault of graphmend" in error and "no_op_conversions" in error
    assert runtime.report()["callables"][-1]["mode"] == "whole"


def test_arguments_that_a_hook_does_not_know_are_handed_on() -> None:
    feature = hooks.Feature("some.test_feature", hooks.GAIN, "a feature of this test")
    hooks.features.pop("test_feature")

    @feature.hook("tensor.getattr")
    def look(call: Any, trace: Any, self: Any, tx: Any, name: str) -> Any:
        return "hooked", call(self, tx, name)

    def original(self: Any, tx: Any, name: str, more: int = 0, *, last: int = 0) -> Any:
        return self, tx, name, more, last

    link = hooks.dispatcher("tensor.getattr", feature.hooks, original, None)
    assert link(1, 2, "a") == ("hooked", (1, 2, "a", 0, 0))
    assert link(1, 2, "a", 5) == ("hooked", (1, 2, "a", 5, 0))
    assert link(1, tx=2, name="a", last=6) == ("hooked", (1, 2, "a", 0, 6))


def test_a_hook_that_declines_adds_nothing_to_the_stack() -> None:
    """A hook that has nothing to do stays off the stack of the call behind it; else deep models end in errors."""
    feature = hooks.Feature("some.test_feature", hooks.GAIN, "a feature of this test")
    hooks.features.pop("test_feature")

    for _ in range(20):

        @feature.hook("tensor.getattr")
        def decline(call: Any, trace: Any, self: Any, tx: Any, name: str) -> Any:
            return hooks.DECLINED

    def original(self: Any, tx: Any, name: str, more: int = 0) -> Any:
        return len(inspect.stack(0)), more

    link = hooks.dispatcher("tensor.getattr", feature.hooks, original, None)
    depth = len(inspect.stack(0))
    assert link(1, 2, "a") == (depth + 2, 0)
    assert link(1, 2, "a", 5) == (depth + 2, 5)
    assert link(1, tx=2, name="a", more=6) == (depth + 2, 6)


DEEP = """
import torch
class Nest(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
    def forward(self, x):
        return self.inner(x)
def leaf(x):
    if x.sum() > 0:
        return x + 1
    return x - 1
def make():
    model = leaf
    for _ in range(30):
        model = Nest(model)
    return model
"""


def test_a_deep_model_is_traced_within_the_limit_of_the_stack(tmp_path: Any) -> None:
    """Dynamo alone traces some 40 levels; hooks that are asked one within the other leave room for half of them."""
    results, out, error = outcome(tmp_path, DEEP)
    assert (results, out, error) == ([[2.0] * 3, [-1.0] * 3], "", "")
    assert runtime.report()["callables"][-1]["mode"] == "whole"


def test_notes_hear_of_results_and_of_errors() -> None:
    feature = hooks.Feature("some.test_feature", hooks.GAIN, "a feature of this test")
    hooks.features.pop("test_feature")
    heard: list[Any] = []

    @feature.note("tensor.getattr")
    def hear(trace: Any, result: Any, self: Any, *args: Any) -> None:
        heard.append((trace, result, self, args))

    @feature.hook("tensor.getattr")
    def answer(call: Any, trace: Any, self: Any, tx: Any, name: str) -> Any:
        return "answered" if name == "a" else hooks.DECLINED

    def original(self: Any, tx: Any, name: str) -> Any:
        raise AttributeError(name)

    link = hooks.dispatcher("tensor.getattr", feature.hooks, original, "trace")
    assert link(1, 2, "a") == link(1, tx=2, name="a") == "answered"
    with pytest.raises(AttributeError):
        link(1, 2, "b")
    told = ("trace", "answered", 1, (2, "a"))
    assert heard == [told, told, ("trace", hooks.RAISED, 1, (2, "b"))]


def test_canaries_run_again_for_another_graphmend(tmp_path: Any, monkeypatch: Any) -> None:
    """What the canaries of an older graphmend found says nothing about this one."""
    monkeypatch.setenv("GRAPHMEND_CACHE_DIR", str(tmp_path))
    runs: list[Any] = []

    def run(*args: Any, **options: Any) -> Any:
        runs.append(args)
        return subprocess.CompletedProcess(args, 0, stdout=b'{"uncalled": [], "passing": []}')

    monkeypatch.setattr(modes.subprocess, "run", run)
    assert modes.canaries() == modes.canaries() == ([], [])
    assert len(runs) == 1
    monkeypatch.setattr(modes, "own_version", lambda: 0.0)
    assert modes.canaries() == ([], [])
    assert len(runs) == 2
