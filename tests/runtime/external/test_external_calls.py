"""Values from outside of the program: taken in order in front of the graph, generators left as eager Python does."""

from __future__ import annotations

import random
import textwrap
import threading
from typing import Any

import numpy
import pytest
import torch
from harness import compare, load

import graphmend.runtime as _gm
from graphmend.runtime.base.trace_state import local


def ones(*values: float) -> list:
    return [lambda value=value: (torch.full((4, 3), float(value)),) for value in values]


HEAD = """
import datetime, hashlib, json, logging, os, pathlib, random, time
import numpy as np
import torch
"""

WHOLE = {
    "coin": """
        def f(x):
            if random.random() < 0.5:
                return x * 2, "heads"
            return x - 1, "tails"
        """,
    "numbers that Dynamo draws": """
        def f(x):
            low = random.uniform(0.1, 1.0)
            start = random.randint(0, 2)
            end = start + 2
            return x[start:end] * low, low * 2, 1 - low, start % 2, end, low < 0.5, -start
        """,
    "numbers that Dynamo draws and others": """
        def f(x):
            scale = random.uniform(b=1.0, a=0.1) * random.lognormvariate(0, 1)
            return x * scale, scale, random.randrange(2, 4) * random.random()
        """,
    "number": """
        def f(x):
            weight = np.random.beta(0.4, 0.4)
            return weight * x + (1 - weight) * x.flip(0), weight
        """,
    "methods of NumPy's generators": """
        rng, old = np.random.default_rng(0), np.random.RandomState(3)

        def f(x):
            places = rng.choice(4, size=2, replace=False)
            x = x * rng.uniform(0.9, 1.1) + old.normal(0.0, 2.0)
            return x[torch.from_numpy(places)] * rng.exponential()
        """,
    "choices of NumPy": """
        def f(x):
            rows = np.random.choice(x.shape[0], 2, p=[0.1, 0.2, 0.3, 0.4])
            return x[np.random.choice(x.shape[0])] + x[torch.as_tensor(rows)].sum(0)
        """,
    "places in lists": """
        import bisect

        EDGES = [0, 2, 4, 8]

        def f(x):
            return x * bisect.bisect(EDGES, 3) + bisect.bisect_left(EDGES, x.shape[0]) + bisect.bisect_right(EDGES, 4)
        """,
    "words": """
        import fnmatch, html, shlex, textwrap, threading, unicodedata, urllib.parse

        def f(x):
            if fnmatch.fnmatch("layer.0", "layer.*"):
                x = x + 1
            text = textwrap.fill("a b c", 3) + html.escape("<") + unicodedata.normalize("NFC", "u")
            return x, text + urllib.parse.quote("/"), shlex.split("a 'b c'"), threading.current_thread().name
        """,
    "mixup": """
        def f(x):
            weight = np.random.beta(0.4, 0.4)
            return weight * x + (1 - weight) * x.flip(0) * x
        """,
    "all generators": """
        def f(x):
            a = np.random.normal()
            x = x + torch.rand(3)
            b = random.gauss(0, 1)
            x = x * torch.rand(3)
            c = np.random.uniform(1, 2)
            d = random.uniform(3, 4)
            e = random.random()
            return x, a, b, c, e, x * a + b, torch.rand(2)
        """,
    "arrays": """
        def f(x):
            noise = torch.from_numpy(np.random.normal(size=(4, 3)).astype(np.float32))
            places = torch.as_tensor(np.random.randint(0, 4, size=6))
            return x[places], x + noise, torch.from_numpy(np.random.permutation(4))
        """,
    "array returned": """
        def f(x):
            order = np.random.permutation(x.shape[0])
            return x * 2, order.tolist() if False else torch.from_numpy(order)
        """,
    "choice": """
        def f(x):
            return random.choice([torch.sin, torch.cos, torch.tanh])(x)
        """,
    "letters": """
        def f(x):
            return x + 1, random.choice("abc"), random.choice(("d", "e"))
        """,
    "sample": """
        def f(x):
            steps = random.sample([torch.sin, torch.cos], 2)
            return [step(x) for step in steps], random.choices([1, 2], weights=[1, 5], k=1)
        """,
    "shuffle": """
        def f(x):
            steps = [torch.sin, torch.tanh]
            again = steps
            random.shuffle(steps)
            for step in again:
                x = step(x)
            return x, [step.__name__ for step in steps], again is steps
        """,
    "loop": """
        def f(x):
            for factor in (2, 3):
                if random.random() < 0.5:
                    continue
                x = x * factor
            return x, 1
        """,
    "comprehension": """
        def f(x):
            return [x * random.gauss(0, 1) for _ in range(3)]
        """,
    "helper": """
        def noise(scale):
            return np.random.rand() * scale

        def f(x):
            return x * noise(2.0) + noise(3.0)
        """,
    "one side draws": """
        def f(x):
            if x.sum() > 0:
                x = x * random.gauss(0, 1)
            else:
                x = x - np.random.rand()
            return x + random.random()
        """,
    "draw, then nothing": """
        def f(x):
            np.random.rand()
            if x.sum() > 0:
                return None
            return x * np.random.rand()
        """,
    "seeds": """
        def f(x):
            random.seed(3)
            a = random.random()
            np.random.seed(4)
            b = np.random.rand()
            torch.manual_seed(5)
            return x * a + b + torch.rand(3), random.gauss(0, 1)
        """,
    "guard behind": """
        def f(x):
            p = random.random()
            q = torch.rand(3)
            if (x < 0).any():
                raise ValueError("negative")
            return x * p + q
        """,
    "guard between": """
        def f(x):
            p = random.random()
            if (x < 0).any():
                raise ValueError("negative")
            return x * p + np.random.rand()
        """,
    "index": """
        def f(x):
            p = random.random()
            y = x.index_select(0, x.sum().long().clamp(min=0).reshape(1))
            np.random.rand()
            return y * p
        """,
    "printed": """
        def f(x):
            p = random.gauss(0, 1)
            print("weight", round(p, 3), x.sum().item())
            return x * p
        """,
    "date": """
        def f(x):
            return x * (2 if datetime.datetime.now().year > 2000 else 3), datetime.date.today().isoweekday() > 0
        """,
    "digest": """
        def f(x):
            return x[int(hashlib.md5("name".encode()).hexdigest(), 16) % 4], hashlib.sha256(b"x").hexdigest()
        """,
    "parsed": """
        TEXT = '{"scale": 2.5, "list": [1, null, {"a": true}]}'

        def f(x):
            options = json.loads(TEXT)
            options["scale"] += 1
            options["list"].append("more")
            return x * options["scale"], options, json.dumps({"a": [1, 2.5]})
        """,
    "files": """
        def f(x):
            if os.path.exists("no such file") or pathlib.Path("neither").exists():
                return x
            return x * 2, os.getpid() > 0
        """,
    "no gradient": """
        def f(x):
            with torch.no_grad():
                y = x * random.random()
            return x * y
        """,
    "number by number": """
        def f(x, p=0.25):
            scale = 2.0 if random.random() < p else 0.5
            return x * scale, scale
        """,
}


@pytest.mark.parametrize("grad", [True, False])
@pytest.mark.parametrize("name", WHOLE)
def test_one_graph_for_each_path(tmp_path: Any, name: str, grad: bool) -> None:
    outcome = compare(load(tmp_path, HEAD + textwrap.dedent(WHOLE[name])), ones(2, -1, 1, 1, 3), grad)
    assert [one["mode"] for one in outcome.report["callables"]] == ["whole"], outcome.report


RIGHT = {
    "made in the call, drawn as Dynamo draws": """
        def f(x):
            generator = random.Random(3)
            return x * generator.random() * generator.uniform(1, 2) * random.random(), generator.randint(0, 4)
        """,
    "empty": """
        def f(x):
            try:
                return random.choice([])
            except IndexError as error:
                return x, str(error), random.random()
        """,
    "raises": """
        def f(x):
            p = random.random()
            np.random.beta(-1, 2)
            return x * p
        """,
    "dictionary": """
        def f(x):
            return x, random.choice({0: "a", 1: "b"})
        """,
    "rows": """
        def f(x):
            return random.choice(x) + 1
        """,
    "many values": """
        def f(x):
            return x, random.choice(list(range(40)))
        """,
    "integer": """
        def f(x):
            places = list(range(np.random.randint(1, 4)))
            start = np.random.randint(0, 2)
            return x[places], x[start : start + 2], np.random.randint(1, 3) * x
        """,
    "numpy scalar": """
        def f(x):
            return x * float(np.random.standard_normal()), np.random.rand(2)[:1] * 2
        """,
    "shown": """
        def f(x):
            return x, str(np.random.rand()), round(random.gauss(0, 1), 2), "%.2f" % random.random()
        """,
    "compared": """
        def f(x):
            return x, random.random() < 0.5, max(random.random(), 0.5), int(random.random() * 4), not random.random()
        """,
    "seed too late": """
        def f(x):
            a = torch.rand(3)
            torch.manual_seed(1)
            return x + a + torch.rand(3)
        """,
    "seed used": """
        def f(x):
            generator = torch.manual_seed(1)
            return x + torch.rand(3, generator=generator)
        """,
    "seed twice": """
        def f(x):
            torch.manual_seed(1)
            a = torch.rand(3)
            torch.manual_seed(1)
            return x + a - torch.rand(3)
        """,
    "seed on one side": """
        def f(x):
            if x.sum() > 0:
                torch.manual_seed(1)
            return x + torch.rand(3)
        """,
    "seed from data": """
        def f(x):
            torch.manual_seed(int(x.sum().item()) + 100)
            return x + torch.rand(3)
        """,
    "written before": """
        import tempfile
        path = os.path.join(tempfile.mkdtemp(), "trace")

        def f(x):
            before = os.path.exists(path)
            with open(path, "a") as stream:
                stream.write("line")
            after = os.path.exists(path)
            return x * 2, before, after, os.path.getsize(path)
        """,
    "written behind": """
        import tempfile
        path = os.path.join(tempfile.mkdtemp(), "trace")

        def f(x):
            before = os.path.exists(path)
            with open(path, "a") as stream:
                stream.write("line")
            return x * 2, before
        """,
    "removed meanwhile": """
        import tempfile
        path = os.path.join(tempfile.mkdtemp(), "trace")

        class Program:
            count = 0

            def __call__(self, x):
                return self.forward(x)

        def count(x):
            if os.path.exists(path):
                return x * 2, "there"
            return x, "gone"

        class Model(torch.nn.Module):
            def forward(self, x):
                return count(x)

            def shown(self):
                if os.path.exists(path):
                    os.remove(path)
                else:
                    open(path, "w").close()

        make = Model
        """,
    "custom operator": """
        @torch.library.custom_op("outside_test::noise", mutates_args=())
        def noise(x: torch.Tensor) -> torch.Tensor:
            return x + np.random.rand()

        @noise.register_fake
        def _(x):
            return torch.empty_like(x)

        def f(x):
            a = np.random.rand()
            with torch.no_grad():
                x = noise(x)
            return x * a + np.random.rand()
        """,
    "patched": """
        class Model(torch.nn.Module):
            count = 0

            def forward(self, x):
                return x * random.random() + random.choice([1, 2])

            def shown(self):
                self.count += 1
                if self.count == 3:
                    self.kept = random.random, random.choice
                    random.random, random.choice = (lambda: 0.5), (lambda items: items[-1])
                if self.count == 6:
                    random.random, random.choice = self.kept

        make = Model
        """,
    "text that changes": """
        TEXT = ["{}"]

        class Model(torch.nn.Module):
            text = '{"a": 0}'
            count = 0

            def forward(self, x):
                return x * json.loads(self.text)["a"], json.loads(GLOBAL)

            def shown(self):
                global GLOBAL
                self.count = (self.count + 1) % 3
                self.text = '{"a": %d}' % self.count
                GLOBAL = '[%d]' % self.count

        GLOBAL = "[]"
        make = Model
        """,
    "own generators": """
        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.numpy, self.old = np.random.default_rng(2), np.random.RandomState(3)

            def forward(self, x):
                a = self.numpy.random() * self.old.beta(2, 3)
                if (x < 0).any():
                    raise ValueError("negative")
                b = torch.from_numpy(self.numpy.permutation(3))
                return x * a + b, self.numpy.integers(3) + x, self.old.gamma(2) * x

            def shown(self):
                return str(self.numpy.bit_generator.state), str(self.old.get_state())

        make = Model
        """,
    "own generator of Python": """
        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.generator = random.Random(1)
                self.items = [1, 2]

            def forward(self, x):
                a = self.generator.gauss(0, 1) + self.generator.betavariate(1, 2)
                self.generator.shuffle(self.items)
                if (x < 0).any():
                    raise ValueError("negative")
                return x * a, self.generator.choice("ab")

            def shown(self):
                return hash(self.generator.getstate()), list(self.items)

        make = Model
        """,
    "generators exchanged": """
        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.number, self.generators = 0, [random.Random(1), random.Random(2)]
                self.generator = self.generators[0]

            def forward(self, x):
                return x * self.generator.gauss(0, 1)

            def shown(self):
                self.number += 1
                self.generator = self.generators[self.number % 2]
                if self.number == 7:
                    self.generator.gauss = lambda a, b: 3.0
                return hash(self.generators[0].getstate()), hash(self.generators[1].getstate())

        make = Model
        """,
    "another class": """
        class Fixed(random.Random):
            def random(self):
                return 0.25

        generator = Fixed(3)

        def f(x):
            return x * generator.random(), generator.choice("abc")
        """,
    "made in the call": """
        def f(x):
            generator = random.Random(3)
            other = np.random.RandomState(4)
            return x * generator.random() + other.rand(), generator.choice("ab")
        """,
    "cached": """
        import functools

        @functools.lru_cache(maxsize=None)
        def draw(number):
            return random.random()

        def f(x):
            return x * draw(1) + draw(2)
        """,
    "generator function": """
        def draws():
            while True:
                yield random.random()

        def f(x):
            numbers = draws()
            return x * next(numbers) + next(numbers)
        """,
    "checkpoint": """
        from torch.utils.checkpoint import checkpoint

        def inner(x):
            return x * random.random() + torch.rand(3)

        def f(x):
            return checkpoint(inner, x, use_reentrant=False) + random.random()
        """,
    "clocks": """
        def f(x):
            start = time.perf_counter()
            y = x * 2
            middle = time.perf_counter()
            y = y + 1
            print("later", time.perf_counter() >= middle >= start)
            return y, middle >= start
        """,
    "clock types": """
        def f(x):
            a = time.time_ns()
            y = x * 2
            print(type(a).__name__, time.time_ns() >= a, a > 10**18)
            return y
        """,
    "clock after work": """
        def f(x):
            y = x * 2
            start = time.monotonic()
            y = y * 3
            print(time.monotonic() >= start)
            return y, start > 0
        """,
    "shared list": """
        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.steps = [torch.sin, torch.cos]
                self.same = self.steps

            def forward(self, x):
                random.shuffle(self.steps)
                for step in self.same:
                    x = step(x)
                return x, self.steps is self.same

            def shown(self):
                return [step.__name__ for step in self.steps]

        make = Model
        """,
    "dates that are none": """
        def f(x):
            now = datetime.datetime.now()
            text = datetime.datetime.now().strftime("%Y")
            return x * now.year, text
        """,
    "drawn in a handler": """
        def f(x):
            try:
                if random.random() < 0.5:
                    raise KeyError("low")
                result = x * 2
            except KeyError:
                result = x * random.random()
            finally:
                x = x + np.random.rand()
            return result, x
        """,
    "drawn by both": """
        def g(x):
            return x * random.uniform(0, 1) + random.randint(0, 3)

        def f(x):
            a = random.random()
            y = g(x) * a
            return y + random.gauss(0, 1) + random.uniform(0, 1)
        """,
    "bound before": """
        from random import choice, random as draw
        pick = np.random.permutation

        def f(x, toss=random.random):
            return x * draw() * toss(), choice("ab"), torch.from_numpy(pick(3))
        """,
    "method of another": """
        class Bag:
            def choice(self, items):
                return items[0]

            def random(self):
                return 7

            beta = 3

        bag = Bag()

        def f(x):
            return x * bag.random(), bag.choice([1, 2]), bag.beta
        """,
    "two places": """
        def f(x):
            a, b = random.random() < 0.5, random.random() < 0.5
            if a and b:
                return x
            if a or b:
                return x * 2, "one"
            return None
        """,
}


@pytest.mark.parametrize("grad", [True, False])
@pytest.mark.parametrize("name", RIGHT)
def test_nobody_can_tell(tmp_path: Any, name: str, grad: bool) -> None:
    compare(load(tmp_path, HEAD + textwrap.dedent(RIGHT[name])), ones(2, -1, 1, 1, 3), grad)


@pytest.mark.parametrize("grad", [True, False])
@pytest.mark.parametrize("name", ["coin", "mixup", "arrays", "choice", "guard behind", "loop", "parsed"])
def test_inductor(tmp_path: Any, name: str, grad: bool) -> None:
    with torch._inductor.config.patch(fallback_random=True):
        make = load(tmp_path, HEAD + textwrap.dedent(WHOLE[name]))
        outcome = compare(make, ones(2, -1, 1, 1, 3), grad, backend="inductor")
    assert [one["mode"] for one in outcome.report["callables"]] == ["whole"], outcome.report


def test_half_precision(tmp_path: Any) -> None:
    """A number is not the same as a tensor there; integers are not, either."""
    text = """
        def f(x):
            weight = random.random()
            return weight * x, (x.double() * weight).sum() - weight, x.long() + weight, weight + weight * x.mean()
        """
    calls = [lambda dtype=dtype: (torch.linspace(-3, 3, 12).to(dtype),) for dtype in (torch.float16, torch.bfloat16)]
    compare(load(tmp_path, HEAD + textwrap.dedent(text)), calls, False)


def test_seldom_wasted(tmp_path: Any) -> None:
    """Values that decide are known before the graph runs: no call runs the graph of another path in vain."""
    make = load(tmp_path, HEAD + textwrap.dedent(WHOLE["coin"]))
    runs = []

    def backend(module: Any, inputs: Any) -> Any:
        def run(*values: Any) -> Any:
            runs.append(module)
            return module.forward(*values)

        return run

    torch._dynamo.reset()
    _gm.registry.reset()
    function = torch.compile(make(), backend=backend)
    random.seed(5)
    sides = {function(torch.ones(2))[1] for _ in range(100)}
    assert sides == {"heads", "tails"} and len(runs) == 100
    assert [(one["mode"], one["paths"], one["replays"]) for one in _gm.report()["callables"]] == [("whole", 2, 0)]


def test_generators_after_a_trace(tmp_path: Any) -> None:
    """A trace that leads to nothing draws nothing either."""
    text = """
        def f(x):
            a = np.random.rand() + random.gauss(0, 1)
            torch.manual_seed(3)
            breakpoint_of(x)
            return x * a + torch.rand(3)

        @torch.compiler.disable
        def breakpoint_of(x):
            pass
        """
    outcome = compare(load(tmp_path, HEAD + textwrap.dedent(text)), ones(1, 2))
    assert outcome.report["callables"][0]["mode"] == "partial"


def test_nothing_is_left_to_undo(tmp_path: Any) -> None:
    """A failure in a later call does not undo the draws of an earlier one."""
    make = load(tmp_path, HEAD + textwrap.dedent(WHOLE["mixup"]))
    torch._dynamo.reset()
    function = torch.compile(make(), backend="eager")
    other = torch.compile(lambda x: x.missing, backend="eager")
    function(torch.ones(2))
    state = random.getstate(), numpy.random.get_state()[1].tolist()
    assert local.pending is None
    with pytest.raises(AttributeError):
        other(torch.ones(2))
    assert (random.getstate(), numpy.random.get_state()[1].tolist()) == state


def test_threads(tmp_path: Any) -> None:
    """Each thread gets the numbers that its own generator gives."""
    text = """
        def f(x, generator):
            return x * generator.gauss(0, 1) + generator.betavariate(1, 2), generator.choice("ab")
        """
    make = load(tmp_path, HEAD + textwrap.dedent(text))
    torch._dynamo.reset()
    program = make()
    function = torch.compile(program, backend="eager")
    failures = []

    def work(number: int) -> None:
        one, other = random.Random(number), random.Random(number)
        for _ in range(20):
            (got, letter), (wanted, again) = function(torch.ones(2), one), program(torch.ones(2), other)
            if not torch.equal(got, wanted) or letter != again or one.getstate() != other.getstate():
                failures.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
