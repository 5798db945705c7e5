"""Who is to blame for a difference, told from the records of three runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Optional

import pytest
import torch

from graphmend.verify.equality import Equality
from graphmend.verify.processes import ENDED, Ended
from graphmend.verify.reading import Seen
from graphmend.verify.store import Writer
from graphmend.verify.values import Describer

NOTHING = {"torch": "0"}


class Run:
    """A run with calls of one callable, written as the recorder writes it."""

    def __init__(self, folder: Path, backend: str = "aot_eager") -> None:
        folder.mkdir()
        self.folder = folder
        self.writer = Writer(str(folder))
        self.describe = Describer(self.writer).value
        self.number = 0
        self.printed = ""
        self.writer.write("backend", name=backend)
        self.writer.write("callable", number=0, name="f", file="f.py", line=1)

    def call(self, output: Any = None, gradients: Optional[dict[str, Any]] = None, error: Any = None) -> Run:
        self.writer.write(
            "call",
            callable=0,
            call=self.number,
            seconds=1.0,
            printed=len(self.printed),
            thread="",
            error=error,
            output=self.describe(output),
            aliases=[],
            inputs=self.describe([]),
            state={},
            gradients={name: self.describe(value) for name, value in (gradients or {}).items()},
            random=NOTHING,
        )
        self.number += 1
        return self

    def event(self, kind: str, text: str) -> Run:
        if kind == "print":
            self.printed += text + "\n"
        else:
            self.writer.write(kind, text=text, printed=len(self.printed))
        return self

    def seen(self) -> Seen:
        self.writer.close()
        (self.folder / "stdout").write_text(self.printed, encoding="utf-8")
        (self.folder / "stderr").write_text("", encoding="utf-8")
        return Seen(Ended("run", str(self.folder), ENDED, 0))


Fill = Callable[[Run], Run]


def blamed(folder: Path, *fills: Fill, backend: str = "aot_eager") -> list[tuple[str, str]]:
    """Aspects that differ, and who is to blame, for an eager, a plain, a mended and perhaps a rounded run."""
    runs = [fill(Run(folder / str(number), backend)).seen() for number, fill in enumerate(fills)]
    equality = Equality(*runs)
    data = equality.as_data()
    assert data["equal"] is not any(found["whose"] == "mended" for found in data["differences"])
    return [(found["aspect"], found["whose"]) for found in data["differences"]]


def returns(*values: Any) -> Fill:
    return lambda run: [run.call(value) for value in values][-1]


ONES, ERROR = torch.ones(3), {"type": "builtins.ValueError", "text": "x", "cause": None}
BLAME = {
    "nothing": ([returns(ONES)] * 3, []),
    "mended": ([returns(ONES), returns(ONES), returns(ONES * 2)], [("values", "mended")]),
    "torch": ([returns(ONES), returns(ONES * 2), returns(ONES * 2)], [("values", "torch")]),
    "only plain": ([returns(ONES), returns(ONES * 2), returns(ONES)], [("values", "torch")]),
    "all": ([returns(ONES), returns(ONES * 2), returns(ONES * 3)], [("values", "unsettled")]),
    "close": ([returns(ONES), returns(ONES), returns(ONES * 1.00001)], []),
    "rounding": ([returns(ONES), returns(ONES * 1.00009), returns(ONES * 1.0002)], []),
    "more than rounding": (
        [returns(ONES), returns(ONES * 1.00001), returns(ONES * 1.0002)],
        [("values", "mended")],
    ),
    "a call less": ([returns(1, 2), returns(1, 2), returns(1)], [("values", "mended"), ("output", "mended")]),
    "gradient of zeros": (
        [
            lambda run: run.call(gradients={"w": None}),
            lambda run: run.call(gradients={"w": None}),
            lambda run: run.call(gradients={"w": torch.zeros(2)}),
        ],
        [("gradients", "mended")],
    ),
    "exception": (
        [lambda run: run.call(error=ERROR)] * 2 + [lambda run: run.call(error={**ERROR, "text": "y"})],
        [("exceptions", "mended")],
    ),
    "order of print and log": (
        [lambda run: run.event("print", "a").event("log", "b").call()] * 2
        + [lambda run: run.event("log", "b").event("print", "a").call()],
        [("logs", "mended"), ("logs", "mended")],
    ),
    "print behind the call": (
        [lambda run: run.event("print", "a").call()] * 2 + [lambda run: run.call().event("print", "a")],
        [("output", "mended"), ("output", "mended")],
    ),
    "one warning of plain, one log of mended": (
        [
            lambda run: run.call(),
            lambda run: run.event("warning", "w").call(),
            lambda run: run.event("log", "l").call(),
        ],
        [("logs", "mended"), ("warnings", "torch")],
    ),
}


@pytest.mark.parametrize("name", BLAME)
def test_blame(tmp_path: Path, name: str) -> None:
    fills, expected = BLAME[name]
    assert sorted(blamed(tmp_path, *fills)) == sorted(expected)


def test_a_compiling_backend_may_round_more(tmp_path: Path) -> None:
    fills = returns(ONES), returns(ONES), returns(ONES * 1.0005)
    for backend, expected in (("eager", [("values", "mended")]), ("inductor", [])):
        (tmp_path / backend).mkdir()
        assert blamed(tmp_path / backend, *fills, backend=backend) == expected


# With runs that show what rounding does: what eager, plain, mended and other rounding give.
ROUNDED = {
    "as far as other rounding": ([ONES, ONES, ONES * 1.02, ONES * 0.99], []),
    "further than other rounding": ([ONES, ONES, ONES * 1.5, ONES * 0.99], [("values", "mended")]),
    "exact where rounding changes nothing": ([ONES, ONES, ONES * 1.02, ONES], [("values", "mended")]),
    "plain and mended, each by rounding": ([ONES, ONES * 0.98, ONES * 1.02, ONES * 0.99], []),
    "plain by rounding, mended by more": ([ONES, ONES * 0.98, ONES * 2, ONES * 0.99], [("values", "mended")]),
    "the largest spread counts": ([ONES, ONES, ONES * 1.02, ONES, ONES * 0.99], []),
    "further than both spreads": ([ONES, ONES, ONES * 1.02, ONES, ONES * 1.001], [("values", "mended")]),
    "another type": ([ONES, ONES, ONES.double(), ONES * 0.9], [("values", "mended")]),
    "whole numbers": (
        [torch.tensor([1]), torch.tensor([1]), torch.tensor([2]), torch.tensor([3])],
        [("values", "mended")],
    ),
}


@pytest.mark.parametrize("name", ROUNDED)
def test_rounding(tmp_path: Path, name: str) -> None:
    values, expected = ROUNDED[name]
    assert blamed(tmp_path, *map(returns, values)) == expected


def test_a_run_of_another_way_has_no_spread(tmp_path: Path) -> None:
    """Calls of other numbers are not the same calls."""
    fills = returns(ONES), returns(ONES), returns(ONES * 1.02), returns(ONES * 0.9, ONES)
    assert blamed(tmp_path, *fills) == [("values", "mended")]


PRINTED = {
    "last digits": (["loss 0.4312", "loss 0.4314", "loss 0.4308", "loss 0.4310"], []),
    "the largest spread": (["loss 0.4312", "loss 0.4312", "loss 0.4302", "loss 0.4312", "loss 0.4315"], []),
    "another loss": (["loss 0.4312", "loss 0.4312", "loss 0.5", "loss 0.4310"], [("output", "mended")]),
    "a step": (["step 3 0.1", "step 3 0.1", "step 4 0.1", "step 3 0.2"], [("output", "mended")]),
    "another word": (["loss 0.4", "loss 0.4", "cost 0.4", "loss 0.5"], [("output", "mended")]),
}


@pytest.mark.parametrize("name", PRINTED)
def test_rounding_of_what_is_printed(tmp_path: Path, name: str) -> None:
    texts, expected = PRINTED[name]
    fills = [lambda run, text=text: run.event("print", text).call() for text in texts]
    assert blamed(tmp_path, *fills) == expected


def test_words(tmp_path: Path) -> None:
    """Same, rounding or different, with the largest difference by rounding."""
    for number, (factor, word) in enumerate(((1.0, "same"), (1.00001, "rounding"), (2.0, "different"))):
        folder = tmp_path / str(number)
        folder.mkdir()
        runs = [returns(ONES * scale)(Run(folder / str(index))).seen() for index, scale in enumerate((1, 1, factor))]
        data = Equality(*runs).as_data()
        assert data["word"] == word
        assert (data["rounding"] is not None) is (word == "rounding")
