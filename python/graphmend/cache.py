"""What the core said about a file, kept between runs: by content, path and the versions of everything involved.

Two things are stored in a folder of the user's cache: code objects of mended files, one file each, written beside and
renamed; and one file of digests of sources that have nothing to mend, to which records of equal size are appended.
A cache that cannot be read or written is no error, only slower.
"""

from __future__ import annotations

import hashlib
import importlib.machinery
import importlib.util
import json
import marshal
import os
import sys
import types
from typing import Any

from graphmend import core

DIGEST = 16
FORMAT = 1


def folder() -> str:
    """The folder that the environment names, or the user's cache folder."""
    named = os.environ.get("GRAPHMEND_CACHE_DIR")
    if named:
        return named
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "graphmend")


def torch_version() -> str:
    """What torch says about its version, without importing it or the slow reader of package metadata."""
    spec = importlib.machinery.PathFinder.find_spec("torch")
    if spec is None or spec.origin is None:
        return "none"
    try:
        with open(os.path.join(os.path.dirname(spec.origin), "version.py"), encoding="utf-8") as stream:
            return stream.read()
    except OSError:
        return spec.origin


def meaning() -> str:
    """Everything besides path and content on which a mended code object depends."""
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
    """A mended module: its code, and what was mended and left."""

    def __init__(self, code: types.CodeType, sites: list[dict[str, Any]], left: list[dict[str, Any]]) -> None:
        self.code = code
        self.sites = sites
        self.left = left


class Cache:
    """The cache of one process. Methods never raise."""

    def __init__(self) -> None:
        self._folder: str | None = None
        self._unmended: set[bytes] = set()
        try:
            self._open(os.path.join(folder(), meaning()))
        except (OSError, core.CoreError):
            self._folder = None

    def _open(self, path: str) -> None:
        os.makedirs(path, mode=0o700, exist_ok=True)
        self._folder = path
        name = os.path.join(path, "unmended")
        try:
            with open(name, "rb") as stream:
                data = stream.read()
            if len(data) % DIGEST:  # a record was cut short; what is appended later has to be found again
                os.truncate(name, len(data) - len(data) % DIGEST)
        except OSError:
            return
        self._unmended = {data[i : i + DIGEST] for i in range(0, len(data) - DIGEST + 1, DIGEST)}

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
        if self._folder is None:
            return
        try:
            handle = os.open(os.path.join(self._folder, "unmended"), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(handle, key)
            finally:
                os.close(handle)
        except OSError:
            self._folder = None

    def _path(self, key: bytes) -> str | None:
        return None if self._folder is None else os.path.join(self._folder, f"{key.hex()}.bin")

    def load(self, key: bytes) -> Entry | None:
        """The mended module, if it is stored and whole."""
        path = self._path(key)
        if path is None:
            return None
        try:
            with open(path, "rb") as stream:
                check, payload = stream.read(DIGEST), stream.read()
            if hashlib.blake2b(payload, digest_size=DIGEST).digest() != check:
                return None
            code, facts = marshal.loads(payload)
            sites, left = json.loads(facts)
            return Entry(code, sites, left)
        except (OSError, ValueError, EOFError, TypeError):
            return None

    def store(self, key: bytes, entry: Entry) -> None:
        """Keep a mended module."""
        path = self._path(key)
        if path is None or self._folder is None:
            return
        import tempfile  # slow to import, and most runs store nothing

        payload = marshal.dumps((entry.code, json.dumps([entry.sites, entry.left])))
        check = hashlib.blake2b(payload, digest_size=DIGEST).digest()
        try:
            handle, partial = tempfile.mkstemp(dir=self._folder)
            try:
                with os.fdopen(handle, "wb") as stream:
                    stream.write(check + payload)
                os.replace(partial, path)
            except BaseException:
                os.unlink(partial)
                raise
        except OSError:
            self._folder = None
