"""Import torch once, then run each program in a child that begins with torch in memory.

    python main.py SOCKET

A child has the arguments, the environment, the folder and the streams of its client (client.py). The program runs in
`__main__` as Python would run it, so that it ends like any other: with its functions for the exit, its threads, its
traceback. Other than in a fresh process, torch is there before graphmend is.
With WARM_CHILDREN in the environment, `sys.executable` is the client, so that children of the program are like it.

Dynamo's modules are imported too, and nothing is compiled: what the first compilation imports is found out in a child.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import itertools
import json
import os
import runpy
import select
import signal
import site
import socket
import sys
from typing import Any, Optional

# Read when torch is imported: with other values, a program needs an interpreter of its own.
READ_EARLY = ("PYTHON", "TORCH", "OMP_", "MKL_", "LD_", "LC_", "LANG", "CUDA", "KMP_")
OPTIONS = ("-u", "-B")  # of the interpreter, which a child can still have
READ_LATE = (
    "TORCHINDUCTOR_CACHE_DIR",
    "TORCHINDUCTOR_COMPILE_THREADS",  # become() sets what is made of it
    "PYTHONPATH",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHON_EXEC",
    "TORCHELASTIC_",
    "TORCH_NCCL_",
)


def what_a_compilation_imports() -> list[str]:
    """The names of the modules that are there when a function has been compiled, found out in a child."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        import torch

        torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2))
        os.write(writing, json.dumps(list(sys.modules)).encode())
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as stream:
        data = stream.read()
    os.wait()
    return list(json.loads(data))


def warm_up() -> None:
    """Import torch and what it imports later."""
    importlib.import_module("torch")
    for name in what_a_compilation_imports():
        if name.partition(".")[0] != "graphmend" and name not in sys.modules:
            with contextlib.suppress(ImportError):  # a module that another one has put there
                importlib.import_module(name)
    gc.collect()
    gc.freeze()  # a child that looked through all of that would copy it


def is_same(environment: dict[str, str]) -> bool:
    """Whether torch and Python would be the same in another environment."""
    early = [
        {name: value for name, value in each.items() if name.startswith(READ_EARLY) and not name.startswith(READ_LATE)}
        for each in (environment, os.environ)
    ]
    return early[0] == early[1]


def is_possible(arguments: list[str], environment: dict[str, str]) -> bool:
    """Whether a program can run in a child: a file, a module or a text without options of the interpreter."""
    if not arguments or (arguments[0].startswith("-") and (arguments[0] not in ("-c", "-m") or len(arguments) < 2)):
        return False
    return is_same(environment)


def receive(client: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """The request of a client, and its three streams."""
    header, streams, _, _ = socket.recv_fds(client, 8, 3)
    size, data = int.from_bytes(header, "big"), b""
    while len(data) < size:
        data += client.recv(size - len(data))
    return json.loads(data), list(streams)


def take(client: socket.socket) -> Optional[dict[str, Any]]:
    """Start what a client asks for. Returns the request in the child, None here."""
    request, streams = receive(client)
    request["options"] = list(itertools.takewhile(OPTIONS.__contains__, request["arguments"]))
    del request["arguments"][: len(request["options"])]
    if request["arguments"] and request["arguments"][0][:2] == "-m" != request["arguments"][0]:
        request["arguments"][:1] = ["-m", request["arguments"][0][2:]]
    if not is_possible(request["arguments"], request["environment"]):
        client.sendall(b"null\n")
    else:
        process = os.fork()
        if process == 0:
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
                os.close(stream)
            return request
        children[process] = client
        client.sendall(b"%d\n" % process)
    for stream in streams:
        os.close(stream)
    return None


children: dict[int, socket.socket] = {}  # by process


def reap() -> None:
    """Tell the clients of ended children how these ended."""
    while True:
        try:
            process, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if process == 0:
            return
        client = children.pop(process, None)
        if client is not None:
            with contextlib.suppress(OSError):  # it has not waited
                client.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))
            client.close()


def serve(path: str) -> dict[str, Any]:
    """Fork a child for each client; ends with this process's parent. Returns the request, in the child."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    listener.listen(64)
    reading, writing = socket.socketpair()
    writing.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(writing.fileno())
    parent = os.getppid()
    while os.getppid() == parent:
        ready, _, _ = select.select([listener, reading, *children.values()], [], [], 5)
        if reading in ready:
            reading.recv(4096)
        for process, client in list(children.items()):
            if client in ready:  # it says nothing: it is gone
                os.kill(process, signal.SIGKILL)
                del children[process]
        reap()
        if listener in ready:
            request = take(listener.accept()[0])
            if request is not None:
                for one in (listener, reading, writing, *children.values()):
                    one.close()
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                return request
    os._exit(0)


def become(request: dict[str, Any]) -> None:
    """Give this process the arguments, the environment and the folder of the request, and empty its `__main__`."""
    arguments, environment = request["arguments"], request["environment"]
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(environment)
    if environment.get("WARM_CHILDREN"):
        sys.executable = request["python"]
    sys.orig_argv = [sys.executable, *arguments]
    sys.argv = ["-c", *arguments[2:]] if arguments[0] == "-c" else arguments[1:] if arguments[0] == "-m" else arguments
    sys.dont_write_bytecode = "-B" in request["options"] or bool(environment.get("PYTHONDONTWRITEBYTECODE"))
    sys.path[1:1] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    inductor = sys.modules.get("torch._inductor.config")
    if inductor is not None and environment.get("TORCHINDUCTOR_COMPILE_THREADS"):
        inductor.compile_threads = int(environment["TORCHINDUCTOR_COMPILE_THREADS"])
    if environment.get("PYTHONPATH"):
        site.execsitecustomize()
    if "-u" in request["options"]:
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(write_through=True)  # type: ignore[union-attr]
    sys.modules["torch"].default_generator.seed()
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed()


def run(arguments: list[str]) -> None:
    """Run a program in an emptied `__main__`; an exception is shown as the interpreter would show it."""
    main = vars(sys.modules["__main__"])
    for name in set(main) - {"__name__", "__builtins__", "__loader__"}:
        del main[name]
    main.update(__doc__=None, __package__=None, __spec__=None, __annotations__={})
    try:
        if arguments[0] == "-m":
            sys.path[0] = os.getcwd()
            runpy._run_module_as_main(arguments[1])  # type: ignore[attr-defined]
        elif arguments[0] == "-c":
            sys.path[0] = ""
            exec(compile(arguments[1], "<string>", "exec", dont_inherit=True), main)
        else:
            path = os.path.join(os.getcwd(), arguments[0])
            sys.path[0] = os.path.dirname(os.path.realpath(path))
            main.update(__file__=path, __cached__=None)
            with open(path, "rb") as stream:
                code = compile(stream.read(), path, "exec", dont_inherit=True)
            exec(code, main)
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:
        traceback = error.__traceback__
        while traceback is not None and traceback.tb_frame.f_code.co_filename in (__file__, runpy.__file__):
            traceback = traceback.tb_next
        sys.excepthook(type(error), error.with_traceback(traceback), traceback)
        sys.exit(1)
