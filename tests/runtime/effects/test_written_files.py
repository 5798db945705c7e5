"""Files that a call writes: by one statement each, when the compiled call has returned."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

PROGRAM = """
    import csv
    import os
    import pathlib
    import shutil
    import torch

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.folder = {folder!r}
            shutil.rmtree(self.folder, ignore_errors=True)
            os.mkdir(self.folder)

        def forward(self, x, name):
            root, y = self.folder, x * 2
            print("before")
            os.makedirs(os.path.join(root, "deep"), exist_ok=True)
            with open(os.path.join(root, name), "a", newline="") as handle:
                table = csv.writer(handle, delimiter=";")
                table.writerow(["largest", round(y.max().item(), 3)])
                table.writerows([[1, 2], [y.shape[0], y.dim()]])
            y.add_(1)
            pathlib.Path(root, "sum.txt").write_text(str(y.sum().item()), encoding="utf-8")
            pathlib.Path(root, "mark").touch()
            print("behind")
            with open(os.path.join(root, name), "a") as handle:
                rows = csv.DictWriter(handle, ["a", "b"])
                rows.writeheader()
                rows.writerow(dict(b=1, a=y.numel()))
            return y + 1

        def shown(self):
            return sorted((p.name, p.is_file() and p.read_text()) for p in pathlib.Path(self.folder).iterdir())

    def make():
        return Net()
    """


def program(tmp_path: Any) -> str:
    return PROGRAM.format(folder=str(tmp_path / "written"))


def named(name: str) -> Any:
    return lambda: (torch.tensor([1.0, 2.0]), name)


def test_tables_and_paths(tmp_path: Any) -> None:
    outcome = compare(load(tmp_path, program(tmp_path)), [named("a.csv"), named("b.csv")], False)
    assert outcome.graphs == 1 and outcome.mended("GM305") and outcome.mended("GM301")


def test_a_file_that_cannot_be_opened(tmp_path: Any) -> None:
    calls = [named("a.csv"), named("none/a.csv"), named("b.csv")]
    assert compare(load(tmp_path, program(tmp_path)), calls, False).mended("GM305")


READ_AGAIN = """
    import pathlib
    import tempfile
    import torch

    folder = tempfile.mkdtemp()

    def f(x):
        pathlib.Path(folder, "scale.txt").write_text(str(x.shape[0]))
        if pathlib.Path(folder, "scale.txt").exists():
            x = x + 1
        with open(folder + "/scale.txt") as stream:
            scale = int(stream.read())
        pathlib.Path(folder, "scale.txt").unlink()
        return x * scale
    """


def test_a_file_that_is_read_in_the_same_call(tmp_path: Any) -> None:
    outcome = compare(load(tmp_path, READ_AGAIN), [lambda: (torch.ones(3),)], False)
    assert not outcome.mended("GM305")


LATER = """
    import csv
    import tempfile
    import torch

    def f(x):
        with tempfile.TemporaryFile("w+") as handle:
            handle.write("text")
        with open({name!r}, "w") as handle:
            table = csv.writer(handle)
            table.writerow([1])
        return x + len(str(type(table))) + handle.closed
    """


def test_what_is_used_behind_the_statement(tmp_path: Any) -> None:
    text = LATER.format(name=str(tmp_path / "table.csv"))
    outcome = compare(load(tmp_path, text), [lambda: (torch.ones(3),)], False)
    assert not outcome.mended("GM305")


TABLES = """
    import csv
    import io
    import torch

    class Loud(io.StringIO):
        def write(self, text):
            print("writes", text.strip())
            return super().write(text)

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.text = {kind}()
            self.rows = csv.writer(self.text)
            self.named = csv.DictWriter(self.text, ["loss", "n"])

        def forward(self, x):
            y = x * 2
            self.rows.writerow([x.shape[0], round(y.mean().item(), 3)])
            n = {length}
            self.named.writerow({{"loss": y.max().item(), "n": n}})
            return y + n

        def shown(self):
            return self.text.getvalue()

    def make():
        return Net()
    """
TABLE_CALLS = [lambda k=k: (torch.ones(2) * k,) for k in (1, 2.5, -1)]


def test_a_table_that_the_program_keeps(tmp_path: Any) -> None:
    text = TABLES.format(kind="io.StringIO", length="x.shape[0]")
    outcome = compare(load(tmp_path, text), TABLE_CALLS)
    assert outcome.graphs == 1 and outcome.mended("GM304")


@pytest.mark.parametrize("kind, length", [("io.StringIO", "len(self.text.getvalue())"), ("Loud", "1")])
def test_a_table_that_somebody_else_sees(tmp_path: Any, kind: str, length: str) -> None:
    compare(load(tmp_path, TABLES.format(kind=kind, length=length)), TABLE_CALLS, False)
