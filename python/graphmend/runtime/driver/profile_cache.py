"""The profile of a compiled callable: findings of earlier processes, kept in a file for the next process.

The first trace of a callable may fail, and be repeated with other settings:

    first process     trace with site A: refused     trace without site A: a graph
    next process      trace without site A: a graph

The profile has the refused sites, the treatment of numbers, and the reason where calls are compiled in parts. A profile
is valid for the same code, layers, kinds of arguments and versions, and for a week. Only time depends on a profile:
every trace proves its sites, and after a failed first trace the second trace starts without the profile.
"""

from __future__ import annotations

import dataclasses
import functools
import glob
import hashlib
import json
import os
import time
from typing import Any, Iterable, Optional

import torch

from ..base import folders

WEEK = 7 * 24 * 3600
MOST_ITEMS = 64  # of a container that tell of what kind it is


@dataclasses.dataclass
class Known:
    """How the traces of one callable went.

    `off` has the sites that stayed as written, with reasons. `hosts` is a field of retry_policy.Course, `fixed` and
    `symbolic` are fields of number_policy.NumberPolicy; `fixed` is also true where open numbers were the same in all
    calls. `left` is the reason why calls are compiled in parts, or None.
    """

    off: dict[str, str] = dataclasses.field(default_factory=dict)
    hosts: bool = False
    fixed: bool = False
    symbolic: bool = False
    left: Optional[str] = None


class Evidence:
    """The profile of one compiled callable, by gradient mode, shared by all variants."""

    def __init__(self) -> None:
        self.paths: dict[bool, Optional[str]] = {}  # of the files, for modes in which it was looked for
        self.known: dict[bool, Known] = {}
        self.files: set[str] = set()  # that were traced

    def take(self, frame: Any, backend: Any) -> Optional[Known]:
        """The profile for the current gradient mode, at the first conversion of a frame; None without a profile."""
        mode = torch.is_grad_enabled()
        if mode in self.paths:
            return None
        self.paths[mode] = path = place(frame, backend)
        found = load(path) if path is not None else None
        if found is not None:
            self.known[mode] = found
        return found

    def left(self) -> bool:
        """Whether calls are compiled in parts because whole graphs did not pay."""
        return any(known.left is not None for known in self.known.values())

    def add_files(self, files: Iterable[str]) -> None:
        """Note files whose code was traced."""
        self.files.update(files)

    def note(self, **found: Any) -> None:
        """Add findings for the current gradient mode, and write the file if the profile changed."""
        mode = torch.is_grad_enabled()
        path, known = self.paths.get(mode), self.known.get(mode, Known())
        now = dataclasses.replace(known, **found)
        if path is None or now == known:
            return
        self.known[mode] = now
        store(path, now, self.files)


def place(frame: Any, backend: Any) -> Optional[str]:
    """The name of the file for a callable, by the callable's first frame; None where no profile is kept.

    Only mended programs keep profiles, and GRAPHMEND_EVIDENCE=0 switches profiles off.
    """
    from graphmend import cache, hook

    if not hook.state.active or os.environ.get("GRAPHMEND_EVIDENCE") == "0":
        return None
    code = frame.f_code
    name = getattr(backend, "compiler_name", None) or getattr(backend, "__qualname__", type(backend).__qualname__)
    begins = os.path.abspath(code.co_filename), code.co_name, code.co_firstlineno, code.co_code
    try:
        subject = [own_version(), name, torch.is_grad_enabled(), begins, kind_of(frame.f_locals, 2)]
        digest = hashlib.blake2b(repr(subject).encode(), digest_size=cache.DIGEST).hexdigest()
        return f"{digest}.json"
    except Exception:  # a parameter without a shape: no error, only slower
        return None


@functools.lru_cache(maxsize=None)
def own_version() -> float:
    """The time of the last change of the package."""
    return max(map(os.path.getmtime, glob.glob(os.path.join(folders.RUNTIME, "**", "*.py"), recursive=True)))


def kind_of(value: Any, depth: int) -> Any:
    """The kind of a value, found without code of the program: layers with sizes, kinds of tensors."""
    kind = type(value)
    if isinstance(value, torch.nn.Module):
        return [*layers_of(value)]
    if kind in (torch.Tensor, torch.nn.Parameter):
        return str(value.dtype), value.dim(), value.device.type, value.requires_grad
    if kind in (list, tuple) and depth:
        return [kind.__name__, *(kind_of(item, depth - 1) for item in value[:MOST_ITEMS])]
    if kind is dict and depth:
        return [(str(key), kind_of(value[key], depth - 1)) for key in list(value)[:MOST_ITEMS] if type(key) is str]
    return f"{kind.__module__}.{kind.__qualname__}"


def layers_of(module: torch.nn.Module) -> Iterable[Any]:
    """All layers of a module: class, training mode, and the kinds of parameters and buffers."""
    waiting, seen = [module], {id(module)}
    while waiting:
        layer = waiting.pop()
        own = vars(layer)
        kept = [*own.get("_parameters", {}).items(), *own.get("_buffers", {}).items()]
        tensors = [(name, str(tensor.dtype), tuple(tensor.shape)) for name, tensor in kept if tensor is not None]
        yield type(layer).__qualname__, own.get("training"), tensors
        inner = [part for part in own.get("_modules", {}).values() if part is not None and id(part) not in seen]
        seen.update(map(id, inner))
        waiting += inner


def stamps(files: Iterable[str]) -> dict[str, list[int]]:
    """Size and time of change of files, without files of torch, because torch has a version."""
    found = {}
    for name in sorted(files):
        if not name.startswith(folders.TORCH):
            try:
                state = os.stat(name)
            except OSError:  # code that was made while the program ran
                continue
            found[os.path.abspath(name)] = [state.st_size, state.st_mtime_ns]
    return found


def load(name: str) -> Optional[Known]:
    """The profile in a file; None if the file is missing, too old, or about sources that have changed."""
    from graphmend import cache

    data = cache.read(name, age=time.time() - WEEK)
    try:
        content = json.loads(data or b"")
        known = Known(**content["known"])
        return known if is_sound(known) and content["files"] == stamps(content["files"]) else None
    except (ValueError, LookupError, TypeError, RecursionError):
        return None


def is_sound(known: Known) -> bool:
    """Whether the fields of a profile have the types that `store` writes."""
    words = [*known.off, *known.off.values()] if isinstance(known.off, dict) else [None]
    marks = known.hosts, known.fixed, known.symbolic
    return (
        all(type(word) is str for word in words)
        and {*map(type, marks)} == {bool}
        and type(known.left) in (str, type(None))
    )


def store(name: str, known: Known, files: Iterable[str]) -> None:
    """Write a profile, as a whole or not at all."""
    from graphmend import cache

    content = {"known": dataclasses.asdict(known), "files": stamps(files)}
    cache.write(name, json.dumps(content).encode())
