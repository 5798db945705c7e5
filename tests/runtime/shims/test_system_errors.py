"""Classes of system errors."""

from __future__ import annotations

from typing import Any

import pytest
from harness import compare_in_loop

# Code of the module, and code that sets `r` in a loop with a branch on data.
CASES = {
    "os subclass": (
        "",
        """
        try:
            raise OSError(2, "no")
        except FileNotFoundError:
            r = "missing"
        except OSError as q:
            r = "other"
        """,
    ),
    "os errno attr": (
        "",
        """
        try:
            raise OSError(2, "no")
        except OSError as q:
            r = (q.errno, q.strerror, type(q).__name__, str(q))
        """,
    ),
    "os other numbers": (
        "",
        """
        r = []
        for n in (13, 17, 1, 110, 32, 9999):
            try:
                raise OSError(n, "x")
            except PermissionError:
                r.append("perm")
            except FileExistsError:
                r.append("exists")
            except TimeoutError:
                r.append("time")
            except ConnectionError:
                r.append("conn")
            except OSError:
                r.append("os")
        """,
    ),
    "ioerror": (
        "",
        """
        try:
            raise IOError(2, "x")
        except FileNotFoundError:
            r = "m"
        except OSError:
            r = "o"
        """,
    ),
    "environment": (
        "",
        """
        try:
            raise EnvironmentError(13, "x", "file")
        except PermissionError as e:
            r = ("p", e.filename)
        except OSError:
            r = "o"
        """,
    ),
    "os one arg": (
        "",
        """
        try:
            raise OSError("just text")
        except FileNotFoundError:
            r = "m"
        except OSError as e:
            r = ("o", e.args, e.errno)
        """,
    ),
    "os own subclass": (
        """
        class Own(OSError):
            pass
        """,
        """
        try:
            raise Own(2, "x")
        except FileNotFoundError:
            r = "m"
        except OSError as e:
            r = (type(e).__name__,)
        """,
    ),
    "os made then type": (
        "",
        """
        e = OSError(2, "x")
        r = (type(e).__name__, isinstance(e, FileNotFoundError))
        """,
    ),
    "os connection": (
        "",
        """
        try:
            raise ConnectionError(104, "x")
        except ConnectionResetError:
            r = "reset"
        except ConnectionError:
            r = "conn"
        """,
    ),
    "file not found direct": (
        "",
        """
        try:
            raise FileNotFoundError(2, "x")
        except FileNotFoundError:
            r = "m"
        """,
    ),
}
WHOLE = frozenset(("os subclass", "os other numbers", "os own subclass", "os connection"))


@pytest.mark.parametrize("name", CASES)
def test_cases_are_as_in_python(name: str, tmp_path: Any) -> None:
    compare_in_loop(tmp_path, *CASES[name], is_whole=name in WHOLE)
