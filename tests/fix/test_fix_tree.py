"""tools/fix_tree.py: what it says of a folder that `fix` has rewritten."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
from fix_command import AFTER, BEFORE

TOOL = Path(__file__).resolve().parents[2] / "tools" / "fix_tree.py"


@pytest.fixture
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fix_tree", TOOL)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_files_that_change_are_told(tool: ModuleType, tmp_path: Path, executable: str) -> None:
    (tmp_path / "model.py").write_text(BEFORE)
    (tmp_path / "other.py").write_text("x = 1\n")
    result = tool.check_tree(executable, tmp_path)
    assert result["files"] == 2 and result["changed"] == ["model.py"] and result["mends"] == {"GM101": 1}
    assert result["compile"] == result["parse"] == result["unstable"] == [] and result["mends_of_second_run"] == {}
    assert (tmp_path / "model.py").read_text() == AFTER
    assert tool.show(result)


def test_what_is_broken_is_a_problem(tool: ModuleType, tmp_path: Path, executable: str) -> None:
    (tmp_path / "model.py").write_text("x = (1\n")
    found = tool.find_problems(executable, tmp_path, {"model.py": b"x = 1\n"}, {"model.py": b"x = (1\n"})
    assert len(found["compile"]) == len(found["parse"]) == 1
    assert found["compile"][0].startswith("model.py: SyntaxError")


def test_a_run_that_is_not_the_last_is_no_success(tool: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    result = {"files": 1, "changed": [], "mends": {}, "mends_of_second_run": {"GM101": 1}, "unstable": ["model.py"]}
    assert not tool.show({**result, "compile": [], "parse": []})
    assert "1 change in a second run" in capsys.readouterr().out
