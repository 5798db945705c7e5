"""Programs that end early: exceptions in what is printed and logged, exits, interrupts, streams that are closed."""

from __future__ import annotations

import builtins
import io
import logging
import sys
from typing import Any, Callable

import pytest
import torch
from harness import compare, load, plain, same

CALLS = [
    lambda: (torch.tensor([1.0, 2.0, 3.0]),),
    lambda: (torch.tensor([-1.0, -2.0, 0.5]),),
    lambda: (torch.tensor([200.0, 1.0, 1.0]),),
]

PROGRAMS = {
    "text that cannot be made": """
        class Odd:
            def __str__(self):
                raise KeyError("odd")
        ODD = Odd()
        def f(x):
            print("first")
            y = x * 2
            print("odd", ODD)
            print("last")
            return y
        """,
    "text that cannot be made, state behind it": """
        import torch
        class Odd:
            def __str__(self):
                raise KeyError("odd")
        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.odd = Odd()
                self.count = 0
                self.register_buffer("seen", torch.zeros(3))
            def shown(self):
                return self.count
            def forward(self, x):
                self.seen += x.detach()
                self.count += 1
                print("odd", self.odd)
                self.seen += 1
                self.count += 1
                return x * 2
        make = Model
        """,
    "handler around an effect": """
        class Odd:
            def __str__(self):
                raise KeyError("odd")
        ODD = Odd()
        def f(x):
            try:
                print("odd", ODD)
            except KeyError as error:
                print("caught", error)
                return x * 3
            return x * 2
        """,
    "handler around a function with an effect": """
        class Odd:
            def __str__(self):
                raise KeyError("odd")
        ODD = Odd()
        def show():
            print("odd", ODD)
        def f(x):
            try:
                show()
            except KeyError as error:
                print("caught", error)
                return x * 3
            return x * 2
        """,
    "exit on data": """
        import sys
        def f(x):
            print("before")
            y = x * 2
            if y.max() > 100:
                print("leaving", round(y.max().item(), 2))
                sys.exit(3)
            print("behind")
            return y + 1
        """,
    "exit always": """
        import sys
        def f(x):
            print("before", x.shape)
            if x.shape[0] == 3:
                sys.exit("no more")
            return x
        """,
    "exit with cleanup": """
        import sys
        def f(x):
            try:
                if x.sum() > 100:
                    sys.exit(4)
                return x * 2
            finally:
                print("finally")
        """,
    "interrupt on data": """
        def f(x):
            print("before")
            if x.max() > 100:
                raise KeyboardInterrupt
            print("behind")
            return x * 2
        """,
    "exceptions of many kinds": """
        import torch
        class Own(BaseException):
            pass
        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("seen", torch.zeros(3))
            def forward(self, x):
                self.seen += x.detach()
                print("start")
                if x.sum() > 100:
                    raise Own("own", float(x.sum()))
                if x.sum() < 0:
                    try:
                        {}[1]
                    except KeyError as error:
                        raise RuntimeError("negative") from error
                print("end")
                self.seen += 1
                return x * 2
        make = Model
        """,
    "exception of the caller's": """
        import contextlib
        def f(x):
            with contextlib.suppress(ValueError):
                print("inside")
                if x.max() > 100:
                    raise ValueError(f"{x.max():.1f}")
                print("behind")
            return x * 2
        """,
    "generator that is closed": """
        def rows(x):
            try:
                for number in range(3):
                    print("row", number)
                    yield x[number]
            except GeneratorExit:
                print("closed")
                raise
        def f(x):
            found = rows(x)
            first = next(found)
            found.close()
            return first * 2
        """,
}


def outcomes(make: Callable[[], Any], function_of: Callable[..., Any], capsys: pytest.CaptureFixture) -> list:
    """What four rounds of calls give, print and leave; every exception counts, `SystemExit` among them."""
    target = make()
    function = function_of(target)
    found = []
    for case in CALLS * 4:
        result: Any
        try:
            result = plain(function(*case()))
        except BaseException as error:
            result = type(error).__name__, str(error), error.args, type(error.__cause__), type(error.__context__)
        state = [plain(value) for value in target.state_dict().values()] if hasattr(target, "state_dict") else []
        shown = target.shown() if hasattr(target, "shown") else None
        found.append((result, capsys.readouterr().out, state, shown))
    return found


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_ends(tmp_path: Any, name: str, backend: str, capsys: pytest.CaptureFixture) -> None:
    make = load(tmp_path, PROGRAMS[name])
    expected = outcomes(make, lambda target: target, capsys)
    got = outcomes(make, lambda target: torch.compile(target, backend=backend), capsys)
    for number, (one, other) in enumerate(zip(expected, got)):
        assert same(one, other), (number, one, other)


STATE = """
    import logging
    import torch
    logger = logging.getLogger("program")
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("seen", torch.zeros(3))
        def forward(self, x):
            self.seen += x.detach()
            print("first", round(x.sum().item(), 2))
            logger.warning("second %.2f", x.mean().item())
            print("third")
            return x * 2
    make = Model
    """


def test_handler_of_logging_raises(tmp_path: Any, capsys: pytest.CaptureFixture) -> None:
    class Raising(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.args[0] > 0:
                raise OSError(record.getMessage())

    handler = Raising()
    logging.getLogger("program").addHandler(handler)
    try:
        make = load(tmp_path, STATE)
        expected = outcomes(make, lambda target: target, capsys)
        got = outcomes(make, lambda target: torch.compile(target, backend="eager"), capsys)
    finally:
        logging.getLogger("program").removeHandler(handler)
    assert same(expected, got), (expected[0], got[0])


class Limited(io.StringIO):
    """A stream that breaks after some lines, as a pipe does whose reader has gone."""

    def __init__(self, room: int) -> None:
        super().__init__()
        self.room = room

    def write(self, text: str) -> int:
        self.room -= 1
        if self.room < 0:
            raise BrokenPipeError("gone")
        return super().write(text)


@pytest.mark.parametrize("room", [0, 2, 4, 5, 9])
def test_stream_breaks(tmp_path: Any, room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    make = load(tmp_path, STATE)

    def run(function_of: Callable[..., Any]) -> list:
        target = make()
        function = function_of(target)
        stream = Limited(10**6)
        monkeypatch.setattr(sys, "stdout", stream)
        found = []
        for number in range(4):
            stream.room = 10**6 if number % 2 == 0 else room
            try:
                result: Any = function(torch.ones(3) * number).tolist()
            except OSError as error:
                result = type(error), str(error)
            found.append((result, stream.getvalue(), target.seen.tolist()))
        monkeypatch.undo()
        return found

    assert run(lambda target: target) == run(lambda target: torch.compile(target, backend="eager"))


def test_print_is_replaced_between_calls(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    make = load(tmp_path, STATE)

    def run(function_of: Callable[..., Any]) -> tuple:
        target = make()
        function = function_of(target)
        seen: list = []
        function(torch.ones(3))
        monkeypatch.setattr(builtins, "print", lambda *values, **options: seen.append(values))
        result = [function(torch.ones(3)).tolist() for _ in range(3)]
        monkeypatch.undo()
        return result, seen

    assert run(lambda target: target) == run(lambda target: torch.compile(target, backend="eager"))


def test_next_call_is_free_of_the_last(tmp_path: Any, capsys: pytest.CaptureFixture) -> None:
    """Whatever ends a call, nothing of it comes out of the next one."""
    make = load(tmp_path, PROGRAMS["exit on data"])
    function = torch.compile(make(), backend="eager")
    function(CALLS[0]()[0])
    capsys.readouterr()
    for _ in range(3):
        with pytest.raises(SystemExit):
            function(CALLS[2]()[0])
        assert capsys.readouterr().out == "before\nleaving 400.0\n"
        function(CALLS[0]()[0])
        assert capsys.readouterr().out == "before\nbehind\n"


def test_harness_sees_errors(tmp_path: Any) -> None:
    with pytest.raises(AssertionError):
        make = load(
            tmp_path, PROGRAMS["exceptions of many kinds"].replace("class Own(BaseException)", "class Own(Exception)")
        )
        calls = iter(range(100))
        compare(lambda: lambda x: make()(x) * next(calls), CALLS[:1])
