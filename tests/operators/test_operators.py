"""Operators around which a mend must not be noticed, 120 by chance; `make operators` takes all of them.

Beside it, the facts of the runtime against what every callable really does: a torch with a random or writing operator
that its schemas and tags do not tell of fails here.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator, Sequence
from typing import Any, Optional

import pytest
import torch
from forms import Form, aten_candidates, candidates, forms, quiet, result_tensors, schemas
from isolation import isolated
from reality import really, told
from settings import SETTINGS, difference

import graphmend.runtime as runtime
from graphmend.runtime.analysis import aten_facts
from graphmend.runtime.analysis.node_facts import Recorder

SEED, COUNT, PARTS = 20261124, 120, 8


@pytest.fixture(autouse=True)
def installed() -> Iterator[None]:
    """The runtime is in force, with one thread."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    runtime.install_compile()
    runtime.add_sites(1)
    yield
    runtime.uninstall_compile()
    torch._dynamo.reset()
    torch.set_num_threads(threads)


def differing(part: int, chosen: Sequence[Any]) -> list[tuple[str, Optional[str]]]:
    """The forms of candidates, and what somebody notices of a mend around each."""
    found = []
    for form in forms(list(chosen)):
        chance = random.Random(f"{SEED} {part} {form.name}")
        found.append((form.name, difference(form, chance.choice(SETTINGS), chance.random() < 0.5)))
    return found


@pytest.mark.parametrize("part", range(PARTS))
def test_nobody_notices(part: int) -> None:
    chosen = candidates()
    random.Random(f"{SEED} {part}").shuffle(chosen)
    found: dict[str, Optional[str]] = {}
    while len(found) < COUNT // PARTS and chosen:
        some, chosen = chosen[:16], chosen[16:]
        found.update(isolated(functools.partial(differing, part), some))
    assert not [text for text in found.values() if text is not None]


def with_forms(chosen: Sequence[Any]) -> list[Form]:
    """The forms of candidates."""
    return list(forms(list(chosen)))


@functools.lru_cache(maxsize=None)
def called() -> list[Form]:
    """The forms of all operators and functions, found once: most of what is tried cannot be called."""
    return isolated(with_forms, [item for item in candidates() if item.name.startswith(("aten", "functional"))])


def compared(chosen: Sequence[Form]) -> list[tuple[str, str, bool, bool, str]]:
    """Of each form: its name and text, whether it draws, whether it is told to, and what is missed."""
    found = []
    for form in chosen:
        said = told(form)
        if said is not None:
            real = really(form)
            missed = (real.draws and not said.draws) or bool(real.writes - said.writes)
            found.append((form.name, form.text, real.draws, said.draws, f"{real} {said}" if missed else ""))
    return found


def test_facts_tell_what_calls_do() -> None:
    """No operator or function draws or writes more than the facts say; few are told to draw that do not."""
    found = isolated(compared, called())
    assert not [row for row in found if row[4]]
    assert len(found) > 1500
    idle = [name for name, _, draws, said, _ in found if said and not draws]
    assert not [name for name in idle if not is_random(name)]


def is_random(name: str) -> bool:
    """Whether other calls of an operator draw: it was given nothing to draw for, or a rate of zero."""
    operator = name.split()[1].partition(".")[0].rstrip("_")
    packet = getattr(torch.ops.aten, operator, None)
    overloads = [getattr(packet, overload) for overload in packet.overloads()] if packet is not None else []
    return not overloads or operator in ("tensor", "as_tensor") or any(map(aten_facts.draws, overloads))


def test_schemas_and_tags_agree() -> None:
    """What takes a generator draws, what has the mark of writing in its name says where, in every overload."""
    silent = []
    for schema in schemas():
        name = schema.name.partition("::")[2]
        overload = getattr(getattr(torch.ops.aten, name), schema.overload_name or "default", None)
        if overload is None:
            continue
        takes = any("Generator" in str(item.type) for item in schema.arguments)
        if takes and not aten_facts.draws(overload):
            silent.append(f"{schema} takes a generator, and is not known to draw")
        marked = name.endswith("_") and not name.endswith("__")
        if marked and not schema.is_mutable and name not in aten_facts.WRITES_UNSAID:
            silent.append(f"{schema} is in place, and does not say where")
    assert not silent


def test_statistics_are_written() -> None:
    """What writes to statistics without a word in its schema is in the table, and what is in the table takes them."""
    known = {name.partition(".")[0].split()[1] for name in (candidate.name for candidate in aten_candidates(True))}
    assert {name for name in aten_facts.WRITES_UNSAID if not name.startswith(("cudnn", "miopen"))} <= known


def unsaid(chosen: Sequence[Form]) -> list[str]:
    """The forms whose derivative reads a result, where no ATen call behind them is said to save it."""
    missed = []
    for form in chosen:
        inputs = [value.requires_grad_() * 1 if value.is_floating_point() else value for value in form.tensors()]
        if saves_result(form, inputs) and not said_to_save(form):
            missed.append(form.text)
    return missed


def test_what_derivatives_save_of_results() -> None:
    """Where the derivative reads a result, the facts say so of an ATen call behind the operator."""
    chosen = [form for form in called() if form.name.startswith("aten") and "out" not in form.name]
    assert not isolated(unsaid, chosen)


def saves_result(form: Form, inputs: list[torch.Tensor]) -> bool:
    """Whether a result shares memory with what its derivative has saved, and no input does."""
    try:
        with quiet():
            results = [item for item in result_tensors(form.call(inputs)) if item.grad_fn is not None]
    except Exception:  # the arguments are none for gradients
        return False
    known = {value.untyped_storage().data_ptr() for value in inputs}
    own = {item.untyped_storage().data_ptr() for item in results if item.layout == torch.strided} - known
    return any(not own.isdisjoint(saved_memory(item.grad_fn)) for item in results)


def saved_memory(function: object) -> set[int]:
    """The addresses of what a function of the backward pass has saved."""
    saved = [getattr(function, name) for name in dir(function) if name.startswith("_saved_")]
    tensors = [item for item in result_tensors(saved) if item.layout == torch.strided and item.numel()]
    return {item.untyped_storage().data_ptr() for item in tensors}


def said_to_save(form: Form) -> bool:
    """Whether the facts say that a call saves its result."""
    with Recorder() as recorder, quiet(), torch.no_grad():
        form.call(form.tensors())
    return any(aten_facts.saves_result(call[0]) for call in recorder.calls)
