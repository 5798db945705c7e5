"""The cache of mended code between runs: the key is content, path and all versions involved.

A mended import would cost a run of the core and a compilation in every process:

    data = read("model.py")
    cache.is_unmended(Cache.key(path, data))    # nothing to mend: import the plain file
    cache.load(Cache.key(path, data))           # the code object of an earlier process

The folder in the user's cache holds one file for each mended code object, written under a temporary name and renamed.
One further file holds digests of sources with nothing to mend; records of equal size are appended. A cache that fails
makes imports slower, and raises no error. Python runs the code objects, so the folder must be private to this user
(private.py). The digest in front of a code object detects only files cut short by a power failure.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.machinery
import importlib.util
import json
import marshal
import os
import sys
import types
from collections.abc import Iterator
from typing import Any

from graphmend import core, private, terminal

DIGEST = 16
FORMAT = 2
UNMENDED = "unmended"
MOST_UNMENDED, MOST_CODE, MOST_OTHER = 16 << 20, 64 << 20, 1 << 20  # bytes

told: list[bool] = []


def folder() -> str:
    """The folder of the cache, for access by name; raises `Refused` unless the folder is private to this user."""
    return private.check(place())


def place() -> str:
    """The folder in `GRAPHMEND_CACHE_DIR`, or `graphmend` in the user's cache folder."""
    named = os.environ.get("GRAPHMEND_CACHE_DIR")
    if named:
        return named
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "graphmend")


def torch_version() -> str:
    """The text of torch's `version.py`, without an import of torch or the slow reader of package metadata."""
    spec = importlib.machinery.PathFinder.find_spec("torch")
    if spec is None or spec.origin is None:
        return "none"
    try:
        with open(os.path.join(os.path.dirname(spec.origin), "version.py"), encoding="utf-8") as stream:
            return stream.read()
    except OSError:
        return spec.origin


def meaning() -> str:
    """A digest of all versions and flags on which a mended code object depends besides path and content."""
    library = os.stat(core.library_path())
    here = os.path.dirname(os.path.abspath(__file__))
    writers = [os.stat(os.path.join(here, name)).st_mtime_ns for name in ("positions.py", "cache.py")]
    parts = [
        FORMAT,
        core.version(),
        library.st_mtime_ns,
        library.st_size,
        writers,
        torch_version(),
        sys.version,
        importlib.util.MAGIC_NUMBER.hex(),
        sys.flags.optimize,
    ]
    return hashlib.blake2b(repr(parts).encode(), digest_size=DIGEST).hexdigest()


class Entry:
    """A mended module: the code object, the mended sites and the remaining breaks."""

    def __init__(self, code: types.CodeType, sites: list[dict[str, Any]], left: list[dict[str, Any]]) -> None:
        self.code = code
        self.sites = sites
        self.left = left


class Cache:
    """The cache of one process. Methods never raise."""

    def __init__(self) -> None:
        self._folder: private.Often | None = None
        self._unmended: set[bytes] = set()
        with self._told():
            self._folder = private.Often(place(), meaning())
            with self._folder.opened() as within:
                data = private.read(within, UNMENDED, MOST_UNMENDED) or b""
            self._unmended = {data[i : i + DIGEST] for i in range(0, len(data) - DIGEST + 1, DIGEST)}

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """Turn the cache off at a failure of its folder, and report a folder that another user may have changed."""
        try:
            yield
        except private.Refused as error:
            tell(error)
            self._folder = None
        except (OSError, core.CoreError):
            self._folder = None

    @staticmethod
    def key(path: str, data: bytes) -> bytes:
        """The digest of a source file."""
        digest = hashlib.blake2b(data, digest_size=DIGEST)
        digest.update(b"\0" + os.fsencode(path))
        return digest.digest()

    def is_unmended(self, key: bytes) -> bool:
        """Whether the file is known to have nothing to mend."""
        return key in self._unmended

    def add_unmended(self, key: bytes) -> None:
        """Remember that the file has nothing to mend."""
        self._unmended.add(key)
        if self._folder is not None:
            with self._told(), self._folder.opened() as within:
                private.append(within, UNMENDED, key, MOST_UNMENDED - DIGEST, DIGEST)

    def load(self, key: bytes) -> Entry | None:
        """The mended module, if it is stored and whole."""
        data = None
        if self._folder is not None:
            with self._told(), self._folder.opened() as within:
                data = private.read(within, f"{key.hex()}.bin", MOST_CODE)
        if data is None or hashlib.blake2b(data[DIGEST:], digest_size=DIGEST).digest() != data[:DIGEST]:
            return None
        try:
            code, facts = marshal.loads(data[DIGEST:])
            sites, left = json.loads(facts)
            return Entry(code, sites, left)
        except (ValueError, EOFError, TypeError):
            return None

    def store(self, key: bytes, entry: Entry) -> None:
        """Keep a mended module."""
        if self._folder is None or not keeps_orders(entry.code):
            return
        payload = marshal.dumps((entry.code, json.dumps([entry.sites, entry.left])))
        data = hashlib.blake2b(payload, digest_size=DIGEST).digest() + payload
        if len(data) <= MOST_CODE:
            with self._told(), self._folder.opened() as within:
                private.replace(within, f"{key.hex()}.bin", data)


def keeps_orders(code: types.CodeType) -> bool:
    """Whether the constant sets of numbers have the same order in a stored code object: `list({40, 8, 16})`.

    The order follows the insertions, and a set is stored in an order of its own. A program is compiled anew in each run
    of Python, so its sets must not be stored. The order of texts changes with each process anyway.
    """
    sets = [value for value in code.co_consts if isinstance(value, frozenset) and are_numbers(value)]
    inner = [value for value in code.co_consts if isinstance(value, types.CodeType)]
    return all(list(marshal.loads(marshal.dumps(value))) == list(value) for value in sets) and all(
        map(keeps_orders, inner)
    )


def are_numbers(values: frozenset[Any]) -> bool:
    """Whether all members of a set are numbers."""
    return all(isinstance(value, (int, float, complex)) for value in values)


def tell(error: private.Refused) -> None:
    """Say once in a process why the cache is off."""
    if not told:
        told.append(True)
        terminal.complain(f"graphmend: nothing is kept, `{place()}`: {error}")


# ---- Further files beside them, by name


def read(name: str, age: float | None = None) -> bytes | None:
    """A small file written for the same versions, and not before the time `age`; None without a file."""
    try:
        with private.folder(place(), meaning(), make=False) as within:
            return private.read(within, name, MOST_OTHER, age)
    except private.Refused as error:
        tell(error)
    except (OSError, core.CoreError):
        pass
    return None


def write(name: str, data: bytes) -> None:
    """Write a small file for these versions, as a whole or not at all."""
    try:
        with private.folder(place(), meaning()) as within:
            private.replace(within, name, data)
    except private.Refused as error:
        tell(error)
    except (OSError, core.CoreError):
        pass
