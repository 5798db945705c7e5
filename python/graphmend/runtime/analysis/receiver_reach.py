"""The objects that receivers of effects may reach: streams, handlers, formatters and filters.

A deferred `print` or log record runs program code where the program replaced a receiver:

    class Counting(logging.Filter):
        def filter(self, record):
            self.model.records += 1               # a write to the model, hidden behind `logger.info`

Deferral is invisible only if the graph neither reads nor writes the objects behind the receivers. The search is the
search of `reachability.py`, with the entries that Python's library calls (`write`, `emit`, `filter`), and with further
refusals: receivers see frames, imports and log records.
"""

from __future__ import annotations

import dis
import gc
import importlib
import inspect
import io
import logging
import sys
import types
from typing import Any, Optional

from ..base.host import PACKAGE_FOLDERS, is_hosts_stream
from .reachability import PLAIN, Reach, Search, Unknown, is_trusted, reach_of_search

LOOK_AROUND = (gc, importlib, inspect)  # modules through which code reaches every object
ENTRIES = ("write", "writelines", "flush", "filter", "format", "emit", "handle", "__call__")
MODELS = ("torch", "numpy")  # packages with many functions that read or change global state
CELLS = "cell_contents"  # Dynamo's name for the value in a closure


class ReceiverSearch(Search):
    """A search for the objects that receivers may reach; Python's library calls the methods inherited from its
    classes.
    """

    def look_at_function(self, value: Any) -> None:
        """Refuse functions of torch and NumPy; look at all further functions as for any call."""
        module = getattr(value, "__module__", None) or ""
        if module.partition(".")[0] in MODELS:
            raise Unknown(f"it may call `{getattr(value, '__name__', module)}`")
        if isinstance(value, types.FunctionType) and not is_trusted(module):
            contents = (cell.cell_contents for cell in value.__closure__ or ())
            if any(type(content) in PLAIN for content in contents):
                self.globals.add(CELLS)
        super().look_at_function(value)

    def look_at_code(self, code: types.CodeType, variables: dict[str, Any], outer: tuple[str, ...]) -> None:
        """Add imported modules, besides the names of the code."""
        for item in dis.get_instructions(code):
            if item.opname == "IMPORT_NAME":
                if item.argval in sys.modules:
                    self.add(sys.modules[item.argval])
                elif not any(folder in code.co_filename for folder in PACKAGE_FOLDERS):
                    raise Unknown(f"it imports `{item.argval}`")
        installed = any(folder in code.co_filename for folder in PACKAGE_FOLDERS)
        if not installed and not {"__import__", "__dict__", "args"}.isdisjoint(code.co_names):
            raise Unknown("it may change what it is shown, or look around")
        super().look_at_code(code, variables, outer)

    def look_at_class(self, kind: type) -> None:
        """Add a class whose attributes the call may share, and the methods that Python's library calls."""
        if not is_trusted(kind.__module__):
            self.ids.add(id(kind))
            bases = [base for base in kind.__mro__[1:] if is_trusted(base.__module__)]
            for name, member in vars(kind).items():
                if name in ENTRIES or any(name in vars(base) for base in bases):
                    self.add(member)
        super().look_at_class(kind)

    def look_at_module(self, module: types.ModuleType) -> None:
        """Add the members that code names; refuse modules that lead everywhere."""
        home = module.__name__.partition(".")[0]
        if module in LOOK_AROUND or (module is sys and "modules" in self.names):
            raise Unknown(f"it may look around by `{module.__name__}`")
        if home in MODELS or module is sys:
            if module not in self.tables:
                self.tables.append(module)
            for name in self.names & vars(module).keys() if home in MODELS else ():
                member = vars(module)[name]
                if isinstance(member, types.ModuleType):  # `torch.torch` is `torch`
                    self.add(member)
                elif not isinstance(member, type):
                    raise Unknown(f"it may use `{home}.{name}`")
        super().look_at_module(module)
        if not is_trusted(module.__name__):
            self.globals.update(name for name in self.names & vars(module).keys() if type(vars(module)[name]) in PLAIN)

    def look_at_object(self, value: Any) -> None:
        """Add the parts of an object. Only the arguments of a log record can be objects of the program."""
        if isinstance(value, logging.LogRecord) and "args" not in self.names:
            return
        if isinstance(value, logging.Logger):
            self.ids.add(id(value))
            for part in (type(value), value.parent, *value.filters, *value.handlers):
                self.add(part)
            return
        if isinstance(value, io.TextIOWrapper):
            self.add(value.buffer)
        elif isinstance(value, io.BufferedWriter):
            self.add(value.raw)
        super().look_at_object(value)


def reach_of_receivers(receivers: list[Any]) -> tuple[Optional[str], Reach]:
    """The reach of receivers; or the reason why the reach is unknown. Streams of the host are not searched."""
    search = ReceiverSearch()
    search.ids.update(id(value) for value in receivers if is_hosts_stream(value))
    searched = [value for value in receivers if id(value) not in search.ids]
    return reach_of_search(searched, search, "they")
