"""Receivers of effects that look at the program, or at which it looks: what they see is as in eager Python."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import CountingBackend, load, start

SEEING = {
    "a filter that adds a buffer of the model to each record": """
        class Add(logging.Filter):
            def __init__(self, model):
                super().__init__()
                self.model = model
            def filter(self, record):
                record.total = float(self.model.total)
                seen.append(record.total)
                return True

        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("total", torch.zeros(()))
                log.addFilter(Add(self))
            def forward(self, x):
                log.info("one")
                self.total.add_(x.sum())
                log.info("two")
                return x + self.total
        make = Model
    """,
    "a filter that counts": """
        class Count(logging.Filter):
            count = 0
            def filter(self, record):
                self.count += 1
                return True
        counter = Count()
        log.addFilter(counter)
        def f(x):
            log.info("mean %s", x.mean().item())
            log.info("records %d", counter.count)
            return x * counter.count
    """,
    "a handler whose messages are counted": """
        messages = []
        class Keep(logging.Handler):
            def emit(self, record):
                messages.append(record.getMessage())
        log.addHandler(Keep())
        def f(x):
            log.info("mean %s", x.mean().item())
            return x * len(messages)
    """,
    "a stream with lines": """
        class Tee:
            def __init__(self, stream):
                self.stream, self.lines = stream, []
            def write(self, text):
                self.lines.append(text)
                return self.stream.write(text)
            def flush(self):
                self.stream.flush()
        sys.stdout = Tee(sys.stdout)
        def f(x):
            print("mean", x.mean().item())
            return x * len(sys.stdout.lines)
    """,
    "a showwarning that keeps": """
        kept = []
        def show(message, category, filename, lineno, file=None, line=None):
            kept.append(str(message))
        warnings.showwarning = show
        warnings.simplefilter("always")
        def f(x):
            warnings.warn(f"mean {x.mean().item()}")
            return x * len(kept)
    """,
    "a stream that writes to a tensor": """
        written = torch.zeros(())
        class Stream:
            def write(self, text):
                written.add_(len(text))
            def flush(self):
                pass
        sys.stdout = Stream()
        def f(x):
            print("mean", x.mean().item())
            return x + written
    """,
    "a formatter that reads what the call sets": """
        class Format(logging.Formatter):
            def format(self, record):
                seen.append(state["step"])
                return super().format(record)
        state = {"step": 0}
        handler = logging.StreamHandler(io.StringIO())
        handler.setFormatter(Format())
        log.addHandler(handler)
        def f(x):
            log.info("mean %s", x.mean().item())
            state["step"] += 1
            return x + state["step"]
    """,
    "a handler that reads a global that the call sets": """
        class Keep(logging.Handler):
            def emit(self, record):
                seen.append(step)
        step = 0
        log.addHandler(Keep())
        def f(x):
            global step
            log.info("mean %s", x.mean().item())
            step += 1
            return x + step
    """,
    "a stream that draws": """
        class Stream:
            def write(self, text):
                seen.append(torch.normal(0.0, 1.0, (1,)).item())
            def flush(self):
                pass
        sys.stdout = Stream()
        def f(x):
            print("mean", x.mean().item())
            return torch.nn.functional.dropout(x, 0.5)
    """,
    "a stream below a text stream": """
        class Raw(io.RawIOBase):
            def writable(self):
                return True
            def write(self, data):
                lines.append(bytes(data))
                return len(data)
        lines = []
        sys.stdout = io.TextIOWrapper(Raw(), write_through=True)
        def f(x):
            print("mean", x.mean().item())
            return x * len(lines)
    """,
    "a handler that imports the program": """
        class Keep(logging.Handler):
            def emit(self, record):
                program = sys.modules[__name__]
                seen.append(float(program.total))
        total = torch.zeros(())
        log.addHandler(Keep())
        def f(x):
            log.info("mean %s", x.mean().item())
            total.add_(1)
            return x + total
    """,
    "a class that counts": """
        class Keep(logging.Handler):
            count = 0
            def emit(self, record):
                Keep.count += 1
        log.addHandler(Keep())
        def f(x):
            log.info("mean %s", x.mean().item())
            return x * Keep.count
    """,
    "a filter that changes what is shown": """
        class Zero(logging.Filter):
            def filter(self, record):
                record.args[0].zero_()
                return True
        log.addFilter(Zero())
        def f(x):
            y = x + 1
            log.info("all %s", y)
            return y * 2
    """,
    "a handler in place of another": """
        class Keep(logging.Handler):
            def emit(self, record):
                seen.append(float(total))
        total = torch.zeros(())
        def f(x):
            log.info("mean %s", x.mean().item())
            total.add_(1)
            return x + total
        def between(number):
            if number == 1:
                log.addHandler(Keep())
    """,
    "a stream in place of another": """
        class Stream:
            def __init__(self, stream):
                self.stream = stream
            def write(self, text):
                seen.append(float(total))
                self.stream.write(text)
            def flush(self):
                pass
        total = torch.zeros(())
        def f(x):
            print("mean", x.mean().item())
            total.add_(1)
            return x + total
        def between(number):
            if number == 1:
                sys.stdout = Stream(sys.stdout)
    """,
}
BLIND = {
    "a stream that keeps lines": """
        class Tee:
            def __init__(self, stream):
                self.stream, self.lines = stream, []
            def write(self, text):
                self.lines.append(text)
                seen.append(text)
                return self.stream.write(text)
            def flush(self):
                self.stream.flush()
        sys.stdout = Tee(sys.stdout)
        def f(x):
            print("mean", x.mean().item())
            return x * 2
    """,
    "a handler that keeps messages": """
        class Keep(logging.Handler):
            def emit(self, record):
                seen.append(self.format(record))
        log.addHandler(Keep())
        def f(x):
            log.info("mean %s", x.mean().item())
            return x * 2
    """,
    "a formatter of its own": """
        class Format(logging.Formatter):
            def format(self, record):
                return f"<{record.levelname}> {super().format(record)}"
        handler = logging.StreamHandler(io.StringIO())
        handler.setFormatter(Format("%(message)s"))
        log.addHandler(handler)
        def f(x):
            log.info("mean %s", x.mean().item())
            return x * 2
    """,
    "a showwarning of its own": """
        def show(message, category, filename, lineno, file=None, line=None):
            seen.append(str(message))
        warnings.showwarning = show
        warnings.simplefilter("always")
        def f(x):
            warnings.warn(f"mean {x.mean().item()}")
            return x * 2
    """,
}
HEAD = """
        import io, logging, sys, warnings
        import torch
        seen = []
        log = logging.getLogger(__name__)
        log.setLevel(logging.INFO)
"""


def run(make: Any, backend: Any) -> tuple[list, int, list]:
    """What four calls of a program give, what its receivers saw, and the number of graphs."""
    import logging
    import sys
    import warnings

    streams, shown, filters = (sys.stdout, sys.stderr), warnings.showwarning, warnings.filters[:]
    try:
        program, function = start(make, backend)
        module = sys.modules[program.__module__]
        found = []
        for number in range(4):
            getattr(module, "between", id)(number)
            found.append(function(torch.arange(3.0) + number).tolist())
        return found, len(getattr(backend, "graphs", ())), module.seen
    finally:
        sys.stdout, sys.stderr = streams
        warnings.showwarning = shown
        warnings.filters[:] = filters
        log = logging.getLogger(module.__name__)
        log.handlers.clear()
        log.filters.clear()


@pytest.mark.parametrize("name", SEEING)
def test_seeing(tmp_path, name):
    make = load(tmp_path, HEAD + SEEING[name])
    expected, _, seen = run(make, None)
    got, _, seen_again = run(make, CountingBackend())
    assert (got, seen_again) == (expected, seen)


@pytest.mark.parametrize("name", BLIND)
def test_blind(tmp_path, name):
    make = load(tmp_path, HEAD + BLIND[name])
    expected, _, seen = run(make, None)
    got, graphs, seen_again = run(make, CountingBackend())
    assert (got, seen_again) == (expected, seen)
    assert graphs == 1
