"""The module that Python imports at the start of a child of a mended program: `graphmend.children` is the manual.

A `sitecustomize` of the user is imported afterwards, as without graphmend.
"""

import os
import sys

try:
    from graphmend import children

    children.begin()
except ImportError:  # a Python that has no graphmend
    sys.path[:] = [folder for folder in sys.path if folder != os.path.dirname(os.path.abspath(__file__))]
except Exception as error:
    from graphmend import terminal

    terminal.complain(f"graphmend: warning: this process is not mended ({type(error).__name__}: {error})")

del sys.modules["sitecustomize"]
if any(os.path.isfile(os.path.join(folder, "sitecustomize.py")) for folder in sys.path):
    import sitecustomize  # type: ignore[import-not-found]  # noqa: F401
else:
    raise ImportError("there is no sitecustomize of the user's own", name="sitecustomize")
