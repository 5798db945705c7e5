"""What earlier processes have found out about a compiled callable, so that this one need not find it out again.

The first trace of a callable may fail at sites that cannot be proved, and be repeated without them; graphs may be made
for sets of numbers, or for paths, until it shows that there are too many. The next process on the same program would
waste the same time. So what was found out is kept in a file in graphmend's cache: which sites are left as they are and
how numbers are treated where a graph came of it, and that none does. It is valid for the same code, the same layers and
kinds of arguments, the same versions, and a week. Nothing but time rests on it: sites that are mended are proved in
every trace, and where the first trace fails, the next one begins as if nothing had been known.
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

    `off` has the sites that stayed as written, with reasons. `hosts`, `fixed` and `symbolic` are fields of
    retry_policy.Course; `fixed` is also true where open numbers were the same in all calls. `left` is the reason why
    calls are compiled in parts, or None.
    """

    off: dict[str, str] = dataclasses.field(default_factory=dict)
    hosts: bool = False
    fixed: bool = False
    symbolic: bool = False
    left: Optional[str] = None


class Evidence:
    """What is known of one compiled callable, by gradient mode; all its ways share it."""

    def __init__(self) -> None:
        self.paths: dict[bool, Optional[str]] = {}  # of the files, for modes in which it was looked for
        self.known: dict[bool, Known] = {}
        self.files: set[str] = set()  # that were traced

    def take(self, frame: Any, backend: Any) -> Optional[Known]:
        """What is known in this mode when a frame is converted for the first time; None if nothing is."""
        mode = torch.is_grad_enabled()
        if mode in self.paths:
            return None
        self.paths[mode] = path = place(frame, backend)
        found = load(path) if path is not None else None
        if found is not None:
            self.known[mode] = found
        return found

    def note(self, **found: Any) -> None:
        """Keep what was found out in this mode, if it is more or other than what was known."""
        mode = torch.is_grad_enabled()
        path, known = self.paths.get(mode), self.known.get(mode, Known())
        now = dataclasses.replace(known, **found)
        if path is None or now == known:
            return
        self.known[mode] = now
        store(path, now, self.files)


def place(frame: Any, backend: Any) -> Optional[str]:
    """The name of the file for a callable that begins with a frame; None where nothing is kept: only mended programs
    leave any, unless the environment says that they do not."""
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
    """When this package was last changed."""
    return max(map(os.path.getmtime, glob.glob(os.path.join(folders.RUNTIME, "**", "*.py"), recursive=True)))


def kind_of(value: Any, depth: int) -> Any:
    """Of what kind a value is, without running code of the program: layers and their sizes, kinds of tensors."""
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
    """The kinds of all layers, whether they train, and the kinds of their parameters and buffers."""
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
    """Size and time of change of files: what shows that they are others than before. Those of torch have a version."""
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
    """What a file tells; None if there is none, or if it is too old or about other files than there are now."""
    from graphmend import cache

    data = cache.read(name, age=time.time() - WEEK)
    try:
        content = json.loads(data or b"")
        known = Known(**content["known"])
        return known if is_sound(known) and content["files"] == stamps(content["files"]) else None
    except (ValueError, LookupError, TypeError, RecursionError):
        return None


def is_sound(known: Known) -> bool:
    """Whether what was read is of the kinds that are written."""
    words = [*known.off, *known.off.values()] if isinstance(known.off, dict) else [None]
    marks = known.hosts, known.fixed, known.symbolic
    return (
        all(type(word) is str for word in words)
        and {*map(type, marks)} == {bool}
        and type(known.left) in (str, type(None))
    )


def store(name: str, known: Known, files: Iterable[str]) -> None:
    """Write what is known, as a whole or not at all."""
    from graphmend import cache

    content = {"known": dataclasses.asdict(known), "files": stamps(files)}
    cache.write(name, json.dumps(content).encode())
