"""Lists that calls append to: one graph for every length, and the same lists as in eager Python."""

from __future__ import annotations

import contextlib
import copy
from pathlib import Path
from typing import Any, Callable

import pytest
import torch
from harness import CountingBackend, load

ARMS = """
import torch

LOG = []

class Base(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.log = []
        self.tables = {"a": [], "b": []}
        self.other = self.log
        self.mode = self.size = self.last = 0
"""
# Bodies of `forward(self, x)`, and the number of graphs that twelve calls need: one where the writes are deferred, two
# or three where the list is open, None where others would do as well.
BODIES = {
    "tensors": ("self.log.append(x.detach() * 2)\nreturn x + 1", 1),
    "arrays": ("self.log.append(x.detach().numpy())\nreturn x + 1", 2),
    "global_list": ("LOG.append(x * 2)\nreturn x + 1", 2),
    "inside_a_dictionary": ("self.tables['a'].append(x * 2)\nreturn x + 1", 1),
    "extend": ("self.log.extend([x * 2, 'text'])\nself.log.extend((3,))\nreturn x + 1", 2),
    "in_place_addition": ("self.log += [x * 2, x.shape]\nreturn x + 1", 2),
    "extended_by_a_generator": ("self.log.extend(x * k for k in range(2))\nreturn x + 1", None),
    "extended_by_itself": (
        "self.log.append(x * 2)\nif len(self.log) < 9:\n    self.log.extend(self.log)\nreturn x + 1",
        None,
    ),
    "extended_by_another": (
        "self.log.append(x * 2)\nself.log.extend(self.tables['a'])\nself.log += 'ab'\nreturn x + 1",
        None,
    ),
    "extended_by_keys": (
        "self.log.append(x * 2)\nself.log += {'k': x}\nself.log.extend({x.sum(): 1}.values())\nreturn x",
        None,
    ),
    "new_item_is_changed": ("self.log.append([x * 2, 0])\nself.log[-1][1] = 7\nreturn x + 1, self.log[-1]", 2),
    "list_is_returned": ("self.log.append(x * 2)\nreturn x + 1, self.log", 2),
    "list_is_handed_on": ("note(self.log, x)\nreturn x + 1", 2),
    "two_lists": ("self.tables['a'].append(x * 2)\nself.tables['b'].append(x + 2)\nreturn x + 1", 1),
    "one_list_under_two_names": ("self.log.append(x * 2)\nself.other.append(x + 2)\nreturn x + 1", 2),
    "numbers_too": ("self.log.append(x.numpy())\nself.mode += 1\nreturn x + 1", None),
    "effect_beside": ("self.log.append(x.detach().numpy())\nprint(x.sum().item())\nreturn x + 1", 2),
    "raises": ("self.log.append(x.numpy())\nif x.sum() > 20:\n    raise ValueError('large')\nreturn x + 1", None),
    "two_paths": ("if x.sum() > 5:\n    self.log.append(x * 2)\nreturn x + 1", None),
    "length": ("self.log.append(x * 2)\nreturn x + len(self.log)", 2),
    "length_before_and_behind": (
        "n = len(self.log)\nself.log.extend([x * 2, n])\nself.last = n\nreturn x + n, n, len(self.log)",
        2,
    ),
    "length_in_an_attribute": (
        "self.log.append(x.numpy())\nself.last, self.size = self.size, len(self.log)\nreturn x + self.last",
        2,
    ),
    "emptiness": ("fresh = not self.log\nself.log.append(x * 2)\nreturn x + 1 if fresh else x - 1", 2),
    "emptiness_behind": ("self.log.append(x * 2)\nreturn x + 1 if self.log else x - 1", 2),
    "every_fifth": ("self.log.append(x * 2)\nif len(self.log) % 5 == 0:\n    x = x * 3\nreturn x + 1", 3),
    "flushed": (
        "self.log.append(x * 2)\nif len(self.log) > 3:\n    x = x + torch.cat(self.log).sum()\n    self.log.clear()\n"
        "    self.log.append(x)\nreturn x + 1, len(self.log)",
        4,
    ),
    "removed_twice": (
        "self.log.extend([x * 2, x])\nif len(self.log) > 4:\n    self.log.pop(0)\n    self.log.pop(0)\nreturn x + 1",
        3,
    ),
    "emptied_by_removal": (
        "self.log.append(x * 2)\nself.log.pop(0)\nself.log.append(x)\nreturn x + len(self.log)",
        2,
    ),
    "first_item_is_used": ("self.log.append(x * 2)\nold = self.log.pop(0)\nself.log.append(x)\nreturn x + old", None),
    "truth": ("self.log.append(x * 2)\nif not self.log[0].shape:\n    return x\nreturn x + 1", None),
    "older_item": ("self.log.append(x * 2)\nreturn x + (self.log[-2] if len(self.log) > 1 else 1)", None),
    "window": ("self.log.append(x * 2)\nreturn x + torch.stack(self.log[-3:]).sum(0)", None),
    "limit": ("self.log.append(x * 2)\nif len(self.log) > 3:\n    self.log.pop(0)\nreturn x + 1", 3),
    "replaced": ("self.log = [*self.log, x * 2]\nreturn x + 1", None),
    "gone_over": (
        "self.log.append(x * 2)\nif self.mode:\n    for item in self.log:\n        x = x + item\nreturn x",
        None,
    ),
    "cleared": ("self.log.append(x * 2)\nif self.mode:\n    self.log.clear()\nreturn x + 1", 3),
}


def program(body: str) -> str:
    indented = "".join(f"        {line}\n" for line in body.splitlines())
    helper = "\ndef note(log, x):\n    log.append(x * 2)\n"
    return (
        f"{ARMS}{helper}\nclass Model(Base):\n    def forward(self, x):\n{indented}\ndef make():\n    return Model()\n"
    )


def shown(value: Any, seen: tuple[int, ...] = ()) -> Any:
    """A value that can be compared."""
    if isinstance(value, (list, tuple)):
        return "itself" if id(value) in seen else [shown(item, (*seen, id(value))) for item in value]
    if isinstance(value, dict):
        return {key: shown(item, seen) for key, item in value.items()}
    return [value.tolist(), getattr(value, "requires_grad", None)] if hasattr(value, "tolist") else value


def states(model: Any, function: Callable[[torch.Tensor], Any]) -> list[Any]:
    """What twelve calls return and leave behind; the lists change between calls, too."""
    found = []
    table = type(model).forward.__globals__["LOG"]
    for number in range(12):
        if number == 6:
            model.log.insert(0, torch.zeros(1))
        if number == 8:
            model.log.clear()
            model.tables["b"] = []
        model.mode = int(number == 10)
        try:
            result = function(torch.full((3,), float(number)))
        except ValueError as error:
            result = str(error)
        found.append(
            copy.deepcopy(
                shown([result, model.log, model.tables, table, model.other is model.log, model.last, model.size])
            )
        )
    return found


@pytest.mark.parametrize("name", BODIES)
def test_lists_are_those_of_eager_python(tmp_path: Path, name: str) -> None:
    body, graphs = BODIES[name]
    names: dict[str, Any] = {}
    exec(program(body), names)
    plain, mended, backend = names["make"](), load(tmp_path, program(body))(), CountingBackend()
    torch._dynamo.reset()
    assert states(mended, torch.compile(mended, backend=backend)) == states(plain, plain)
    assert graphs is None or len(backend.graphs) == graphs


TAKEN = """
def make():
    log = []
    calls = 0

    def forward(x):
        nonlocal calls
        calls += 1
        log.append(x.sum().item())

        def mean():
            return sum(log[-calls:]) / len(log)

        if mean() > 1:
            calls = 0
            log[:] = log[-1:]
        return x * mean(), len(log + [1.0]), calls

    return forward
"""


def test_slices_and_sums_of_open_lists_stay_whole(tmp_path: Path) -> None:
    names: dict[str, Any] = {}
    exec(TAKEN, names)
    torch._dynamo.reset()
    plain, mended = names["make"](), torch.compile(load(tmp_path, TAKEN)(), backend="eager", fullgraph=True)
    for number in (0.1, -2.0, 0.5, 9.0, -3.0, 0.25):
        assert str(mended(torch.full((3,), number))) == str(plain(torch.full((3,), number)))


class Full:
    """A stream that fails once it has taken some texts."""

    def __init__(self) -> None:
        self.left = 5

    def write(self, text: str) -> int:
        self.left -= 1
        if not self.left:
            raise OSError("no space")
        return len(text)

    def flush(self) -> None:
        pass


def test_new_items_go_where_a_deferred_effect_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body = "self.log.append(x.numpy())\nprint(x.sum().item())\nself.log.append(x.numpy())\nreturn x + 1"
    names: dict[str, Any] = {}
    exec(program(body), names)
    torch._dynamo.reset()
    plain, mended = names["make"](), load(tmp_path, program(body))()
    lengths = []
    for model, function in ((plain, plain), (mended, torch.compile(mended, backend="eager"))):
        monkeypatch.setattr("sys.stdout", Full())
        for number in range(4):
            with contextlib.suppress(OSError):
                function(torch.full((3,), float(number)))
            lengths.append(len(model.log))
    assert lengths[:4] == lengths[4:]
