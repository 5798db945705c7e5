"""`python -m graphmend`: `run` in this interpreter, every other command in the native executable."""

from __future__ import annotations

import os
import shutil
import sys

from graphmend import terminal


def executable() -> str:
    """The native executable of this environment."""
    beside = os.path.join(os.path.dirname(sys.executable), "graphmend")
    found = beside if os.path.exists(beside) else shutil.which("graphmend")
    if found is None:
        terminal.complain("graphmend: the native executable is not installed in this environment")
        sys.exit(2)
    return found


def main() -> None:
    arguments = sys.argv[1:]
    if arguments[:1] == ["run"]:
        if not getattr(sys.flags, "safe_path", False):
            del sys.path[0]  # the folder that `-m` put there
        from graphmend.launch import run

        run(arguments[1:])
    else:
        path = executable()
        os.execv(path, [path, *arguments])


if __name__ == "__main__":
    main()
