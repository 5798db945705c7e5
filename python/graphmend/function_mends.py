"""Mends of functions outside of the import hook, made when torch.compile is about to trace the function.

    >>> def f(x): ...           # a cell of a notebook, a prompt, `__main__`
    >>> torch.compile(f)(x)     # the import hook never saw the text of `f`

Further examples are modules imported before `install()`, code given to `compile` with a name, and files loaded by
another import hook. Before the trace, graphmend looks for the text of the function. A text is accepted only if its
compilation gives exactly the code of the function. Then the code of the mended text replaces the code in the function
object; the program's objects, names and modules stay the same.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import dataclasses
import gc
import sys
import threading
import types
import warnings
from typing import Any, Iterator, Optional

from graphmend import hook, source_texts

# The bits of `co_flags` for `from __future__ import ...`, without a bit that has another meaning in `co_flags`.
FUTURES = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names} - {0x10})
Key = tuple[str, int]  # name and first line of a code object
NO_SOURCE = "its source is not kept, so nothing in it can be mended"
OTHER_SOURCE = "its source is not what is in the file now, so nothing in it can be mended"


class CodePair:
    """A text and its mended form: pairs of matching code objects."""

    def __init__(self, plain: types.CodeType, mended: Optional[types.CodeType]) -> None:
        self.codes: dict[Key, list[tuple[types.CodeType, Optional[types.CodeType]]]] = {}
        self.add(plain, mended)

    def add(self, plain: types.CodeType, mended: Optional[types.CodeType]) -> None:
        """Take all code inside of two code objects in."""
        left = list(constants_of(mended)) if mended is not None else []
        for code in constants_of(plain):
            other = next((one for one in left if stand_for_each_other(code, one)), None)
            if other is not None:
                left.remove(other)
            self.codes.setdefault(key_of(code), []).append((code, other))
            self.add(code, other)

    def find(self, code: types.CodeType) -> Optional[tuple[types.CodeType, Optional[types.CodeType]]]:
        """The pair whose first half equals a code object in all effects and in all visible attributes."""
        return next((pair for pair in self.codes.get(key_of(code), []) if pair[0] == code), None)

    def holds(self, code: types.CodeType) -> bool:
        """Whether a code object is a mended half."""
        return any(pair[1] == code for pair in self.codes.get(key_of(code), []))


def constants_of(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code objects directly inside a code object."""
    return (constant for constant in code.co_consts if isinstance(constant, types.CodeType))


def key_of(code: types.CodeType) -> Key:
    return code.co_name, code.co_firstlineno


def stand_for_each_other(plain: types.CodeType, mended: types.CodeType) -> bool:
    """Whether two code objects may be exchanged: the same function, parameters and free variables."""
    names = "co_name co_firstlineno co_argcount co_posonlyargcount co_kwonlyargcount co_freevars".split()
    return all(getattr(plain, name) == getattr(mended, name) for name in names) and parameters(plain) == parameters(
        mended
    )


def parameters(code: types.CodeType) -> tuple[str, ...]:
    """The names of the parameters of a code object."""
    variable = bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + variable]


@dataclasses.dataclass
class Unread:
    """A function traced without mends because its text is unknown."""

    name: str
    path: str
    line: int
    reason: str


class State:
    """The functions without a mended import in this process, and their texts."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.pairs: dict[tuple[str, bytes, int], Optional[CodePair]] = {}  # by name, text and futures
        self.unread: dict[tuple[str, str, int], Unread] = {}
        self.earlier: dict[str, None] = {}  # callables that were compiled before `install()`, in words


state = State()


def mend_function(function: Any) -> bool:
    """Put mended code into a function; True if the code was replaced. Never raises."""
    function = getattr(function, "__func__", function)
    if not hook.state.active or type(function) is not types.FunctionType:
        return False
    code = function.__code__
    if not may_be_mended(function, code):
        return False
    try:
        with state.lock:
            mended = mended_half(code)
            if mended is None:
                return False
            function.__code__ = mended
            return True
    except Exception as error:
        hook.warn(f"{code.co_name} in {code.co_filename} is not mended", error)
        return False


def may_be_mended(function: types.FunctionType, code: types.CodeType) -> bool:
    """Whether a function belongs to the program or a package, and the import hook has not seen its file."""
    path = code.co_filename
    if not finds_runtime(function):
        return False
    if "_gm" in code.co_names or (path in hook.state.imported and not source_texts.were_compiled(path)):
        return False
    return hook.is_ours_to_mend(str(function.__globals__.get("__name__") or ""), path)


def finds_runtime(function: types.FunctionType) -> bool:
    """Whether code of a function finds the runtime: not where the program has chosen its builtins."""
    names = function.__globals__.get("__builtins__", builtins)
    return "_gm" in (names if isinstance(names, dict) else vars(names))


def mended_half(code: types.CodeType) -> Optional[types.CodeType]:
    """The mended code for a code object; None without a mend or a known text."""
    texts = source_texts.candidates(code.co_filename, code.co_name)
    for data in texts:
        pair = pair_of(code.co_filename, data, code.co_flags & FUTURES)
        if pair is None:
            continue
        found = pair.find(code)
        if found is not None:
            return found[1] if found[1] != code else None
        if pair.holds(code):
            return None
    note_unread(code, OTHER_SOURCE if texts else NO_SOURCE)
    return None


def note_unread(code: types.CodeType, reason: str) -> None:
    key = code.co_filename, code.co_name, code.co_firstlineno
    state.unread.setdefault(key, Unread(code.co_name, code.co_filename, code.co_firstlineno, reason))


def pair_of(path: str, data: bytes, futures: int) -> Optional[CodePair]:
    """A text and its mended form, cached; None for a text that cannot be compiled."""
    key = path, data, futures
    if key not in state.pairs:
        state.pairs[key] = make_pair(path, data, futures)
    return state.pairs[key]


def make_pair(path: str, data: bytes, futures: int) -> Optional[CodePair]:
    flags = futures | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT  # cells may await outside of functions
    plain = compiled(path, data, flags)
    if plain is None:
        return None
    entry = hook.mend_text(path, data, flags)
    return CodePair(plain, hook.put_in_force(path, entry) if entry is not None else None)


def compiled(path: str, data: bytes, flags: int) -> Optional[types.CodeType]:
    """The code of a text, compiled as the program has compiled the text; None where the compilation fails."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the program's own compilation has issued them
            code: types.CodeType = compile(data, path, "exec", flags=flags, dont_inherit=True)
            return code
    except (SyntaxError, ValueError):
        return None


def note_earlier() -> None:
    """Note a callable that torch.compile wrapped before `install()`: the callable stays without mends."""
    if "torch._dynamo" not in sys.modules:
        return
    for value in gc.get_objects():
        if type(value) is types.FunctionType and "_torchdynamo_orig_callable" in value.__dict__:
            original = value.__dict__["_torchdynamo_orig_callable"]
            owner = getattr(original, "__self__", None)
            name = getattr(original, "__qualname__", "") if owner is None else type(owner).__name__
            if hook.is_ours_to_mend(getattr(original if owner is None else type(owner), "__module__", ""), ""):
                state.earlier[f"`{name}` was compiled before `install()`; compile it again to have it mended"] = None
