"""`graphmend run`: a script or module as `python` would run the program, with the hook in place.

    graphmend run train.py --epochs 3       # python train.py --epochs 3
    graphmend run -m package.train          # python -m package.train

Arguments, `sys.path`, `__main__`, exit status and tracebacks are those of `python SCRIPT`. Only frames below the
user's first frame differ, and tracebacks hide them. If graphmend itself fails, the program runs without mends.
"""

from __future__ import annotations

import builtins
import dataclasses
import functools
import importlib.machinery
import importlib.util
import itertools
import os
import runpy
import sys
import types
from typing import Any, Callable, Iterator, Optional

from graphmend import hook, run_summary, terminal

USAGE = (
    "usage: graphmend run [--check[=N]] [--timings[=FILE]] SCRIPT [ARGUMENTS]\n"
    "       graphmend run [--check[=N]] [--timings[=FILE]] -m MODULE [ARGUMENTS]"
)
CHECKED_CALLS = 3  # of each compiled callable, for `--check` without a number
STANDARD_INPUT = "<stdin>"  # the interpreter's name for standard input
DIFFERS = 3  # the exit status where a compared call differs


def prepend_path(folder: str) -> None:
    """Put the folder of the program first, unless the interpreter runs in safe mode."""
    if not getattr(sys.flags, "safe_path", False):
        sys.path.insert(0, folder)


def fresh_main(script: Optional[str] = None) -> types.ModuleType:
    """An empty `__main__` as the interpreter makes the module for a script, or for a module that `runpy` will find.

    The old `__main__` is replaced. A module has no `__file__` at first: packages are imported at that time, and torch
    looks through all modules with a `__file__`.
    """
    main = types.ModuleType("__main__")
    main.__dict__.update(__package__=None, __annotations__={}, __builtins__=builtins)
    if script is None:
        main.__dict__.update(__loader__=importlib.machinery.BuiltinImporter)
    else:
        loader = importlib.machinery.SourceFileLoader("__main__", script)
        main.__dict__.update(__loader__=loader, __file__=script, __cached__=None)
    sys.modules["__main__"] = main
    return main


def read_script(script: str) -> bytes:
    """The bytes of the script; an unreadable script ends the program as in the interpreter."""
    try:
        with open(script, "rb") as stream:
            return stream.read()
    except OSError as error:
        message = f"{sys.executable}: can't open file {script!r}: [Errno {error.errno}] {error.strerror}"
        terminal.complain(message)
        sys.exit(2)


def absolute(script: str) -> str:
    """The path as `__file__` shows the script: below the current folder, otherwise as typed."""
    return script if os.path.isabs(script) else os.path.join(os.getcwd(), script)


def compile_script(data: bytes, path: str) -> types.CodeType:
    """The code of the script without mends; for an invalid script, a fresh interpreter reports the error."""
    try:
        return compile(data, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        import subprocess

        flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
        os.execv(sys.executable, [sys.executable, *flags, *sys.argv])


def run_script(script: str) -> None:
    """Run a file as `__main__`."""
    path = absolute(script)
    data = read_script(path)
    code = compile_script(data, path)
    prepend_path(os.path.dirname(os.path.realpath(path)))
    main = fresh_main(path)
    if hook.state.active:
        hook.state.imported.add(path)
    execute(main, path, data, code)


def execute(main: types.ModuleType, path: str, data: bytes, code: types.CodeType) -> None:
    """Run a text as `__main__`, mended where it can be."""
    mended = hook.mended_code(path, data) if hook.state.active else None
    exec(code if mended is None else mended, main.__dict__)


def run_standard_input(name: str) -> None:
    """Run the text on standard input as `__main__`."""
    data = sys.stdin.buffer.read()
    prepend_path("")
    main = fresh_main()
    main.__dict__.update(__file__=STANDARD_INPUT)
    execute(main, STANDARD_INPUT, data, compile(data, STANDARD_INPUT, "exec", dont_inherit=True))


def run_module(name: str) -> None:
    """Run a module as `__main__`; its loader provides the code and so calls the hook."""
    prepend_path(os.getcwd())
    fresh_main()
    runpy._run_module_as_main(name)  # type: ignore[attr-defined]


def run_container(path: str) -> None:
    """Run the `__main__` of a folder or a zip file."""
    prepend_path(absolute(path))
    fresh_main()
    runpy._run_module_as_main("__main__", False)  # type: ignore[attr-defined]


def is_container(path: str) -> bool:
    """Whether the interpreter would look for `__main__` in this path."""
    if os.path.isdir(path):
        return True
    import zipfile

    return os.path.isfile(path) and not path.endswith(".py") and zipfile.is_zipfile(path)


def without_our_frames(traceback: types.TracebackType | None) -> types.TracebackType | None:
    """The traceback from the user's first frame on."""
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if not is_our_frame(code):
            break
        traceback = traceback.tb_next
    return traceback


def is_our_frame(code: types.CodeType) -> bool:
    """Whether a frame belongs to the launch: to this package, or to the `-c` or `-m` that started graphmend."""
    here = os.path.dirname(os.path.abspath(__file__))
    if code.co_filename.startswith(os.path.join(here, "")):
        return True
    return code.co_filename == "<string>" and code.co_name == "<module>"


def hide_frames_below_user() -> None:
    """Begin the traceback of the exception that ends the program with the user's first frame."""
    show = sys.excepthook

    def excepthook(kind: Any, value: BaseException, traceback: types.TracebackType | None) -> None:
        visible = without_our_frames(traceback)
        show(kind, value.with_traceback(visible), visible)

    sys.excepthook = excepthook


def end_stacks_at_user() -> None:
    """End the stacks that a program shows at the program's own first frame; the library walks stacks in two places."""
    import inspect  # imported here: most programs never come here, and do not pay for the import
    import traceback

    walk, outer = traceback.walk_stack, inspect.getouterframes

    def is_launch(code: types.CodeType) -> bool:
        return code.co_filename == start.__code__.co_filename

    @functools.wraps(walk)
    def walk_stack(f: types.FrameType | None) -> Iterator[tuple[types.FrameType, int]]:  # `f` is Python's name
        if f is None and sys.version_info >= (3, 14):
            f = sys._getframe(1)  # older releases take the frame when the caller asks for the first row
        return itertools.takewhile(lambda row: not is_launch(row[0].f_code), walk(f))

    @functools.wraps(outer)
    def getouterframes(frame: types.FrameType, context: int = 1) -> list[inspect.FrameInfo]:
        return list(itertools.takewhile(lambda info: not is_launch(info.frame.f_code), outer(frame, context)))

    traceback.walk_stack, inspect.getouterframes = walk_stack, getouterframes


def start(arguments: list[str]) -> None:
    """Run the program that the arguments name; returns, raises and exits as the program does."""
    program = arguments[0]
    action: Callable[[str], None] = run_script
    if program == "-":
        action = run_standard_input
    elif program == "-m":
        action, arguments = run_module, arguments[1:]
    elif is_container(program):
        action = run_container
    sys.argv[:] = arguments
    end_stacks_at_user()
    try:
        action(arguments[0])
    except SystemExit:
        raise
    except BaseException:
        hide_frames_below_user()
        raise


@dataclasses.dataclass
class Options:
    """The options in front of the program on the command line."""

    calls: int | None = None  # of each compiled callable, to compare with eager Python
    timings: bool = False  # whether timings are printed at the end
    timings_file: str | None = None  # the file for timings as JSON

    def take(self, argument: str) -> bool:
        """Take an argument if the argument is an option; False for every further argument."""
        name, sign, value = argument.partition("=")
        if name == "--check" and (not sign or (value.isascii() and value.isdigit() and int(value) > 0)):
            self.calls = int(value) if sign else CHECKED_CALLS
        elif name == "--timings" and (value or not sign):
            self.timings, self.timings_file = True, os.path.abspath(value) if sign else None
        else:
            return False
        return True


def run(arguments: list[str]) -> None:
    """`graphmend run ARGUMENTS`. `sys.path` must not hold the interpreter's entry for the program yet."""
    options = Options()
    while arguments and options.take(arguments[0]):
        arguments = arguments[1:]
    if not arguments or (arguments[0] == "-m" and len(arguments) < 2) or (arguments[0] in ("-h", "--help")):
        wanted = bool(arguments) and arguments[0] != "-m"
        (terminal.say if wanted else terminal.complain)(*USAGE.split("\n"))
        sys.exit(0 if wanted else 2)
    if arguments[0].startswith("-") and arguments[0] not in ("-m", "-"):
        terminal.complain(f"graphmend: unknown option `{arguments[0]}`", *USAGE.split("\n"))
        sys.exit(2)
    if options.timings:
        from graphmend import run_timings

        run_timings.start(options.timings_file)
    try:
        hook.install(summary=True)
    except Exception as error:
        hook.warn("nothing is mended", error)
    if options.calls is None:
        start(arguments)
    else:
        start_checked(arguments, options.calls)


def start_checked(arguments: list[str], calls: int) -> None:
    """Run the program and compare its first calls; the exit status is `DIFFERS` where a call differs."""
    hook.state.compared = calls
    try:
        start(arguments)
    except BaseException as error:
        if not run_summary.calls_differ():
            raise
        if not isinstance(error, SystemExit):
            sys.excepthook(*sys.exc_info())
    if run_summary.calls_differ():
        sys.exit(DIFFERS)
