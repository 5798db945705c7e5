"""Access to the cache: a folder private to this user, and the files in the folder. No module opens the cache elsewhere.

    ~/.cache/graphmend/<digest>.bin     # a code object, which Python will run

Graphmend trusts the files of the cache, so nobody else may have written them. A digest proves nothing against a user
with write access; the owner and the mode of the folder do. Folders are opened one after the other from descriptors,
never again by name. A link that another user could have made is not followed. `src/driver/private.c` does the same for
`check`.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from typing import Optional

OTHERS = stat.S_IRWXG | stat.S_IRWXO
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
MOST_LINKS = 40
_ENTER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_PASS = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC  # need not be readable


class Refused(Exception):
    """The folder, or a file in the folder, is not private to this user."""


class Walk:
    """The folders of a path, opened one after the other."""

    def __init__(self, path: str, make: bool) -> None:
        self.make = make
        self.exposed = False  # whether another user could exchange a folder on the way
        self.links = 0
        self.rest = _parts(path)
        self.at = os.open("/" if path.startswith("/") else ".", _PASS)
        try:
            while self.rest:
                self._step(self.rest.pop())
        except BaseException:
            os.close(self.at)
            raise

    def _step(self, name: str) -> None:
        state = os.fstat(self.at)
        open_to_all = state.st_mode & OTHERS_WRITE and not state.st_mode & stat.S_ISVTX
        self.exposed |= bool(open_to_all) or state.st_uid not in (0, os.geteuid())
        try:
            self.enter(name, _PASS)
        except OSError:
            if not self._is_link(name):
                raise
            self._follow(name)

    def _is_link(self, name: str) -> bool:
        try:
            state = os.stat(name, dir_fd=self.at, follow_symlinks=False)
        except OSError:
            return False
        if not stat.S_ISLNK(state.st_mode):
            return False
        if not self.rest:
            raise Refused("is a link; name the folder itself")
        if state.st_uid not in (0, os.geteuid()):
            raise Refused("another user's link is in the way")
        return True

    def _follow(self, name: str) -> None:
        target = os.readlink(name, dir_fd=self.at)
        self.links += 1
        if self.links > MOST_LINKS:
            raise Refused("too many symbolic links")
        self.rest += _parts(target)
        if target.startswith("/"):
            os.close(self.at)
            self.at = os.open("/", _PASS)

    def enter(self, name: str, flags: int = _ENTER) -> os.stat_result:
        """Go into a folder, made if missing; returns the state of the folder."""
        try:
            folder = os.open(name, flags, dir_fd=self.at)
        except FileNotFoundError:
            if not self.make:
                raise
            with contextlib.suppress(FileExistsError):
                os.mkdir(name, 0o700, dir_fd=self.at)
            folder = os.open(name, flags, dir_fd=self.at)
        os.close(self.at)
        self.at = folder
        return os.fstat(folder)

    def enter_own(self, name: str, forbidden: int) -> None:
        """Go into a folder of this user."""
        try:
            state = self.enter(name)
        except OSError as error:
            if isinstance(error, FileNotFoundError) or not self.make:
                raise
            raise Refused("a folder in it is no folder") from None
        if state.st_uid != os.geteuid():
            raise Refused("a folder in it belongs to another user")
        if state.st_mode & forbidden:
            raise Refused("others may enter a folder in it that should be private")


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part][::-1]


def _check_root(walk: Walk) -> bool:
    """Whether further users may read the folder at the end of the walk."""
    state = os.fstat(walk.at)
    if state.st_uid != os.geteuid():
        raise Refused("belongs to another user; name a folder of your own")
    if state.st_mode & OTHERS_WRITE:
        raise Refused("can be written by others; `chmod go-w` it, or name a folder of your own")
    return bool(state.st_mode & OTHERS)


@contextlib.contextmanager
def folder(path: str, *inner: str, make: bool = True, apart: bool = True) -> Iterator[int]:
    """A descriptor of a folder in the cache `path`; missing folders are made with mode 0700.

    `path` has to be this user's and not be writable by further users. In a `path` that further users can read, all
    files are in its folder "private", unless not `apart`. Raises Refused for an unsafe folder, OSError for a missing
    folder."""
    walk, _ = _come_to(path, inner, make, apart)
    try:
        yield walk.at
    finally:
        os.close(walk.at)


def _come_to(path: str, inner: tuple[str, ...], make: bool, apart: bool) -> tuple[Walk, str]:
    """The walk to a folder, with an open descriptor, and the way to the folder."""
    walk = Walk(path, make)
    try:
        if _check_root(walk) and apart:
            inner = ("private", *inner)
        for name in inner:
            walk.enter_own(name, OTHERS if name == "private" else OTHERS_WRITE)
        if not inner:
            walk.enter(".")
    except BaseException:
        os.close(walk.at)
        raise
    return walk, os.path.join(path, *inner)


class Often:
    """A folder in a cache with many accesses and no open descriptor: a program may count its descriptors, or close all.

    Where nobody else can exchange a folder on the way, the path leads to the same folder as during the walk."""

    def __init__(self, path: str, *inner: str) -> None:
        self.path, self.inner = os.path.join(os.getcwd(), path), inner
        walk, way = _come_to(self.path, inner, make=True, apart=True)
        os.close(walk.at)
        self.way = None if walk.exposed else way

    @contextlib.contextmanager
    def opened(self) -> Iterator[int]:
        """A descriptor of the folder; raises OSError when the folder is gone."""
        if self.way is None:
            with folder(self.path, *self.inner, make=False) as within:
                yield within
            return
        within = os.open(self.way, _ENTER)
        try:
            state = os.fstat(within)
            if state.st_uid != os.geteuid() or state.st_mode & OTHERS_WRITE:
                raise Refused("a folder in it belongs to another user")
            yield within
        finally:
            os.close(within)


def check(path: str) -> str:
    """The path of a cache for access by name: nobody else can write there, or put another folder in the place of the
    cache. The folder may be missing."""
    try:
        walk = Walk(path, make=False)
    except FileNotFoundError:
        return path
    try:
        if walk.exposed:
            raise Refused("others can exchange a folder around it")
        _check_root(walk)
    finally:
        os.close(walk.at)
    return path


# ---- Files


def _open(within: int, name: str, flags: int, most: int) -> int:
    """A regular file of the folder, owned by this user alone. A pipe without a writer does not block."""
    try:
        handle = os.open(name, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600, dir_fd=within)
    except FileNotFoundError:
        raise
    except OSError:
        state = os.stat(name, dir_fd=within, follow_symlinks=False)
        if not stat.S_ISREG(state.st_mode):
            raise Refused("holds what is not a regular file") from None
        raise
    try:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode):
            raise Refused("holds what is not a regular file")
        if state.st_uid != os.geteuid() or state.st_mode & OTHERS_WRITE or state.st_nlink > 1:
            raise Refused("holds a file that is not this user's alone")
        if state.st_size > most:
            raise Refused("holds a file that is too large")
    except BaseException:
        os.close(handle)
        raise
    return handle


def read(within: int, name: str, most: int, age: Optional[float] = None) -> Optional[bytes]:
    """The bytes of a file up to a size; None for a missing file, or a file written before the time `age`."""
    try:
        handle = _open(within, name, os.O_RDONLY, most)
    except FileNotFoundError:
        return None
    with os.fdopen(handle, "rb") as stream:
        state = os.fstat(handle)
        return stream.read(min(state.st_size, most)) if age is None or state.st_mtime >= age else None


def append(within: int, name: str, data: bytes, most: int, size: int) -> None:
    """Add a record of a fixed size to a file, behind the last whole record."""
    handle = _open(within, name, os.O_WRONLY | os.O_APPEND | os.O_CREAT, most)
    try:
        length = os.fstat(handle).st_size  # once: other processes add records meanwhile
        if length % size != 0:  # cut short: records start at multiples of the size
            os.ftruncate(handle, length - length % size)
        os.write(handle, data)
    finally:
        os.close(handle)


def replace(within: int, name: str, data: bytes) -> None:
    """Write a file in one step, or not at all."""
    partial = f"{name}.{os.getpid()}.{os.urandom(8).hex()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(partial, flags, 0o600, dir_fd=within)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.rename(partial, name, src_dir_fd=within, dst_dir_fd=within)
    except BaseException:
        os.unlink(partial, dir_fd=within)
        raise
