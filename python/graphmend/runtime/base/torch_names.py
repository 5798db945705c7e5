"""Private names of torch in the installed release: together with its tables the only room with private names of torch.

    from ..base.torch_names import TensorVariable     # found in the installed release at the first use
    torch_names.method("truth")                       # "bool_impl" in 2.13, "nb_bool_impl" from 2.14 on
    torch_names.find("SetAttrBuiltinVariable")        # MissingName on torch 2.12

Private names move between releases; `torch_tables` has the rows. Hooks import names from here at each call, so this
is a module and no package: from a package, Python looks up each name twice.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import sys
import types
from typing import TYPE_CHECKING, Any

from .torch_tables.releases import BASE, Release, rows, version_of

if TYPE_CHECKING:  # all further names are `Any`
    from torch._subclasses.fake_tensor import FakeTensor as FakeTensor

    from .torch_tables.protocols import RemovableHandleVariable as RemovableHandleVariable
    from .torch_tables.protocols import TorchDispatchMode as TorchDispatchMode

ABSENT = object()
OLDER = f"{__package__}.torch_tables.older"
owners: dict[str, tuple[Any, str]] = {}  # the object that has a name as an attribute, and the attribute


class MissingName(Exception):
    """A name that the installed release of torch does not have at the place of the table."""

    def __init__(self, name: str, place: Any) -> None:
        where = f" at `{place}`" if place else ""
        super().__init__(f"torch {version()} has no `{name}`{where}")
        self.missing = name


def version() -> str:
    """The version of the loaded torch, or of the installed torch; empty without torch."""
    torch = sys.modules.get("torch")
    number = getattr(torch, "__version__", None)
    if number is None:
        try:
            number = importlib.metadata.version("torch")
        except importlib.metadata.PackageNotFoundError:
            number = ""
    return str(number)


def release() -> Release:
    """The rows for the installed torch."""
    return release_of(version())


@functools.lru_cache(maxsize=None)
def release_of(number: str) -> Release:
    """The rows for a version of torch, as text."""
    return rows(version_of(number) or BASE)


@functools.lru_cache(maxsize=None)
def steps_to(place: str) -> tuple[types.ModuleType, tuple[str, ...]]:
    """The module of a place, imported, and the attributes from there to the object."""
    module, _, path = place.partition(":")
    imported = importlib.import_module(OLDER if module == "older" else module)
    return imported, tuple(path.split(".")) if path else ()


def find(name: str) -> Any:
    """The object behind a name of the table; raises MissingName."""
    place = release().names.get(name)
    if place is None:
        raise MissingName(name, None)
    try:
        value: Any
        value, path = steps_to(place)
        for part in path:
            value = getattr(value, part)
    except (ImportError, AttributeError):
        raise MissingName(name, place) from None
    return value


def add_what_is_missing() -> None:
    """Give classes of Dynamo the attributes of newer releases; present attributes stay."""
    for row, place in release().additions.items():
        name, _, attribute = row.partition(".")
        if has(name) and not hasattr(owner := find(name), attribute):
            added = importlib.import_module(OLDER)
            setattr(owner, attribute, vars(added)[place.partition(":")[2]])


def has(name: str) -> bool:
    """Whether the installed release has a name."""
    try:
        find(name)
    except MissingName:
        return False
    return True


def module_of(name: str) -> str:
    """The module of a name in the installed release."""
    return (release().names.get(name) or "").partition(":")[0]


def is_loaded(name: str) -> bool:
    """Whether the module of a name has been imported."""
    return module_of(name) in sys.modules


def method(name: str) -> str:
    """The name of a method or attribute of Dynamo's variables in the installed release."""
    return release().methods[name]


def __getattr__(name: str) -> Any:
    if name in owners:
        return getattr(*owners[name])
    if name.startswith("__") or name not in release().names:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = find(name)
    if isinstance(value, (type, types.ModuleType)):  # a function may be replaced, a number may change
        globals()[name] = value
    else:
        note_owner(name)
    return value


def note_owner(name: str) -> None:
    """Keep the object that has a name which was found, so that later uses of the name take one step."""
    place = release().names[name]
    owner, path = steps_to(str(place))
    for part in path[:-1]:
        owner = getattr(owner, part)
    if path:
        owners[name] = (owner, path[-1])


def forget() -> None:
    """Forget the names found so far, for tests that take a name away."""
    for name in release().names:
        globals().pop(name, None)
    owners.clear()
    steps_to.cache_clear()
