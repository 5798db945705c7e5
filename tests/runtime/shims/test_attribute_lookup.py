"""Objects with a `__getattribute__` of their own: copies, and reads of what the call has set.

Torch 2.12 and older need the shim for each of these programs; newer ones follow most of them, and must give the same.
"""

from __future__ import annotations

import collections
from typing import Any

import pytest
import torch
from harness import compare, load

from graphmend.runtime.shims import attribute_lookup

TEXT = """
    import copy

    class Settings:
        renamed = {"layers": "encoder_layers"}
        encoder_layers = 12
        width = 4

        def __init__(self):
            self.encoder_layers = 1
            self.decoder_layers = 2
            self.nested = {"depth": [1, 2]}

        def __getattribute__(self, name):
            if name != "renamed" and name in super().__getattribute__("renamed"):
                name = super().__getattribute__("renamed")[name]
            return super().__getattribute__(name)

        @property
        def total(self):
            return self.layers + self.decoder_layers

    settings = Settings()

    def f(x):
        copied = copy.deepcopy(settings)
        value = getattr(copied, "decoder_layers")
        delattr(copied, "decoder_layers")
        setattr(copied, "encoder_layers", value)
        copied.decoder_layers = 5
        copied.nested["depth"].append(3)
        first = x * copied.layers + copied.total
        return first + sum(copied.nested["depth"]) - sum(settings.nested["depth"]) + settings.layers * copied.width
    """


def test_copies_are_read_as_the_call_has_made_them(tmp_path: Any) -> None:
    outcome = compare(load(tmp_path, TEXT), [lambda: (torch.ones(3),), lambda: (torch.zeros(3),)])
    assert outcome.report["callables"][0]["mode"] == "whole"


ANSWERED = """
    import copy

    class Tripled:
        def __get__(self, owner, kind):
            return owner.count * 3

    class Settings:
        tripled = Tripled()

        def __init__(self):
            self.count = 2

        def __getattribute__(self, name):
            return super().__getattribute__("count" if name == "number" else name)

        def __getattr__(self, name):
            return len(name)

    settings = Settings()

    def f(x):
        copied = copy.deepcopy(settings)
        copied.count = 5
        if x.sum() > 0:
            x = x + 1
        return x * copied.number + copied.tripled + copied.missing + settings.number
    """


def test_code_that_answers_for_a_class_gives_what_python_gives(tmp_path: Any) -> None:
    compare(load(tmp_path, ANSWERED), [lambda: (torch.ones(3),), lambda: (-torch.ones(3),)])


class Plain:
    def __init__(self) -> None:
        self.count = 1


class Empty:
    pass


class Slotted:
    __slots__ = ("count", "__dict__")

    def __init__(self) -> None:
        self.count, self.more = 1, 2


class Stateful(Plain):
    def __getstate__(self) -> dict[str, int]:
        return {"count": 7}


class Items(list):  # type: ignore[type-arg]
    def __init__(self) -> None:
        self.count = 1


class Counts(collections.OrderedDict):  # type: ignore[type-arg]
    def __init__(self) -> None:
        super().__init__()
        self.count = 1


@pytest.mark.parametrize("kind", [Plain, Empty, Slotted, Stateful, Items, Counts], ids=lambda kind: kind.__name__)
def test_only_objects_that_python_reduces_so_are_reduced_so(kind: type) -> None:
    value = kind()
    if attribute_lookup.is_plain_reduction(value.__reduce_ex__):
        assert value.__reduce_ex__(4) == attribute_lookup.reduce_ex(value)
    else:
        assert kind is not Plain
