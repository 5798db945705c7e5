"""The import hook: source files are compiled from their mended text, in memory.

    import model                    # SourceFileLoader.get_code("model")
    model.py -> core -> mended text -> code object, cached

Every module with a source file passes through `SourceFileLoader.get_code`. Modules loaded by path and never looked up
on `sys.meta_path`, as remote code of Hugging Face, pass there too. Each file outside of the standard library, torch and
graphmend goes through the core once, and the result is cached. The interpreter's .pyc files are neither read nor
written for a mended file, and work as usual for all further files. Whatever fails here, the module is imported without
mends.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sysconfig
import types
import warnings
from typing import Any, Callable

from graphmend import cache, children, core, run_summary, runtime, source_texts, terminal, torch_watch
from graphmend.runtime.base import dialect_class, host, timings

# The distribution of torch itself: Dynamo does not break in its own code in ways that a rewrite could cure.
OWN_PACKAGES = frozenset({"torch", "functorch", "torchgen", "graphmend"})
Loader = importlib.machinery.SourceFileLoader


class State:
    """The hook of this process: installed parts, mended files and reported problems."""

    def __init__(self) -> None:
        self.active = False
        self.original: Callable[..., Any] | None = None
        self.cache: cache.Cache | None = None
        self.mended: dict[str, cache.Entry] = {}  # by file name
        self.imported: set[str] = set()  # files that have passed through `get_code`, mended or not
        self.choosing: dict[str, None] = {}  # files whose code may get other builtins, as displayed
        self.warned = False
        self.compared = 0  # the number of calls of each compiled callable to compare with eager Python
        self.told = False  # whether the summary is printed at the end


state = State()
_STANDARD_LIBRARY = tuple(
    {os.path.join(sysconfig.get_path(kind), "") for kind in ("stdlib", "platstdlib")}
    | {os.path.join(os.path.dirname(os.__file__), "")}
)


def is_off() -> bool:
    """Whether the environment turns graphmend off."""
    return os.environ.get("GRAPHMEND") == "0"


def warn(what: str, error: BaseException) -> None:
    """Report a failure of graphmend once, on stderr: a program may turn warnings into errors."""
    if not state.warned:
        state.warned = True
        terminal.complain(f"graphmend: warning: {what} ({type(error).__name__}: {error}); it runs as it is")


def is_ours_to_mend(name: str, path: str) -> bool:
    """Whether a module is none of the standard library, torch and graphmend."""
    if name.partition(".")[0] in OWN_PACKAGES:
        return False
    return not path.startswith(_STANDARD_LIBRARY) or any(part in path for part in host.PACKAGE_FOLDERS)


def could_be_traced(path: str, data: bytes) -> bool:
    """Whether a file may handle tensors. Installed packages that do name torch in each of their files.

    Dynamo itself runs on sympy and further packages, whose many branches must not become slower.
    """
    return not any(part in path for part in host.PACKAGE_FOLDERS) or b"torch" in data


def chooses_builtins(path: str, data: bytes) -> bool:
    """Whether a text names `__builtins__`: its functions may get builtins without the runtime.

    The user is told, because the whole file runs without mends.
    """
    if b"__builtins__" not in data:
        return False
    import ast

    try:
        nodes = list(ast.walk(ast.parse(data)))
    except (SyntaxError, ValueError, RecursionError):
        return False
    names = (getattr(node, name, None) for node in nodes for name in ("id", "attr", "value"))
    found = any(type(name) is str and name == "__builtins__" for name in names)
    if found:
        state.choosing[f"{path}: it names `__builtins__`, and code with other builtins would not find the runtime"] = (
            None
        )
    return found


def compile_mended(result: dict[str, Any], data: bytes, path: str, flags: int = 0) -> types.CodeType:
    """The code object of the mended text, in the user's positions and names."""
    from graphmend import positions  # imports `ast`: only needed on a cache miss

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the compilation of the original has issued them
        original = importlib.util.decode_source(data)
        tree = positions.parse_mended(result["text"], original, result["lines"], path)
        code = compile(tree, path, "exec", flags=flags, dont_inherit=True)
    return positions.name_sinks(code)


def mend(path: str, data: bytes) -> cache.Entry | None:
    """The mended module; None for a file with nothing to mend or with invalid source."""
    if not could_be_traced(path, data) or chooses_builtins(path, data):
        return None
    if state.cache is None:
        state.cache = cache.Cache()
    key = state.cache.key(path, data)
    if state.cache.is_unmended(key):
        return None
    entry = state.cache.load(key)
    if entry is None:
        result = core.mend_source(path, data)
        if not result["mended"]:
            state.cache.add_unmended(key)
            return None
        try:
            compile(data, path, "exec", dont_inherit=True)  # issues the warnings of the user's own text
        except (SyntaxError, ValueError):
            return None
        entry = cache.Entry(compile_mended(result, data, path), result["sites"], result["left"])
        state.cache.store(key, entry)
    return entry


def mend_text(path: str, data: bytes, flags: int) -> cache.Entry | None:
    """A mended text outside of modules: already compiled with these flags, and not cached."""
    if not could_be_traced(path, data) or chooses_builtins(path, data):
        return None
    with timings.phase(timings.SOURCE):
        result = core.mend_source(path, data)
        if not result["mended"]:
            return None
        return cache.Entry(compile_mended(result, data, path, flags), result["sites"], result["left"])


def put_in_force(path: str, entry: cache.Entry) -> types.CodeType:
    """The code of an entry, with the runtime behind it."""
    torch_watch.load_runtime()
    runtime.add_sites(len(entry.sites))
    state.mended[path] = entry
    return dialect_class.carrying(entry.code)


def mended_code(path: str, data: bytes) -> types.CodeType | None:
    """The code to run instead of the file's own, or None; whatever goes wrong is reported and leads to None."""
    try:
        with timings.phase(timings.SOURCE):
            entry = mend(path, data)
        return None if entry is None else put_in_force(path, entry)
    except Exception as error:
        warn(f"{path} is not mended", error)
        return None


def reads_plain_files(loader: Loader) -> bool:
    """Whether a loader compiles its file unchanged; one that rewrites source (beartype, typeguard) is left alone."""
    kind = type(loader)
    return kind is Loader or all(
        getattr(kind, name) is getattr(Loader, name) for name in ("source_to_code", "get_data")
    )


def get_code(self: Loader, fullname: str) -> Any:
    """`SourceFileLoader.get_code` with mends."""
    assert state.original is not None
    if not state.active:
        return state.original(self, fullname)
    code = None
    try:
        path = self.get_filename(fullname)
        wanted = path.endswith(".py") and is_ours_to_mend(fullname, path) and reads_plain_files(self)
        data = self.get_data(path) if wanted else None
    except Exception:
        data = None  # the loader's own attempt below tells the user what is wrong
    if data is not None:
        state.imported.add(path)
        code = mended_code(path, data)
    return state.original(self, fullname) if code is None else code


def install(summary: bool = False) -> None:
    """Put the hook in place, and torch.compile's wrapper as soon as torch is imported; `summary` tells at the end."""
    if summary and not state.told and not is_off():
        state.told = True
        run_summary.at_exit()
    if state.active or is_off():
        return
    try:
        core.version()
    except core.CoreError as error:
        warn("nothing is mended", error)
        return
    state.active = True
    host.note()
    if state.original is None:
        state.original = Loader.get_code
        Loader.get_code = get_code  # type: ignore[assignment,method-assign]
    source_texts.start()
    children.install(run_summary.own_report)
    torch_watch.start()


def uninstall() -> None:
    """Take the hook and the wrapper away again."""
    if not state.active:
        return
    state.active = False
    if Loader.get_code is get_code:  # otherwise another hook calls ours, and ours only passes calls on
        Loader.get_code = state.original  # type: ignore[assignment,method-assign]
        state.original = None
    source_texts.stop()
    children.uninstall()
    torch_watch.stop()
