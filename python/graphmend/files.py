"""Files that a person has named to a command: written as a whole or not at all."""

from __future__ import annotations

import os
import stat
from typing import Union


def replace(path: Union[str, os.PathLike[str]], text: str) -> None:
    """Write a file in one step: under a random name, then renamed. An existing link is replaced and not followed: in a
    shared folder anybody could have made the link. A path that is no regular file, as /dev/stdout, is written to."""
    path, data = os.fspath(path), text.encode("utf-8", "surrogateescape")
    if _is_special(path):
        with open(path, "wb") as stream:
            stream.write(data)
        return
    partial = f"{path}.{os.urandom(8).hex()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(partial, flags, _mode_of(path))
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.replace(partial, path)
    except BaseException:
        os.unlink(partial)
        raise


def _is_special(path: str) -> bool:
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _mode_of(path: str) -> int:
    """The mode of a new file: no more than the replaced file had, and no more than the umask allows."""
    try:
        state = os.lstat(path)
    except OSError:
        return 0o666
    return stat.S_IMODE(state.st_mode) & 0o666 if stat.S_ISREG(state.st_mode) else 0o666
