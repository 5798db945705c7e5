"""The plugin that runs tests in several processes: nothing is lost, also where a test ends its process."""

from __future__ import annotations

from pathlib import Path

import pytest

FILES = {
    "test_first": """
        import os, pytest
        def test_a(tmp_path):
            (tmp_path / "x").write_text("x")
        @pytest.mark.parametrize("number", range(3))
        def test_b(number, capfd):
            os.write(1, b"told\\n")
            assert capfd.readouterr().out == "told\\n"
        def test_fails():
            print("what the test printed")
            assert 1 == 2
    """,
    "test_second": """
        import os, signal
        def test_before(): pass
        def test_dies(): os.kill(os.getpid(), signal.SIGKILL)
        def test_behind(): pass
        def test_leaves(): os._exit(3)
        def test_last(): pass
    """,
    "test_fourth": """
        import os
        def test_child_comes_out_of_the_test():
            child = os.fork()
            assert child, "in the child"
            assert os.waitpid(child, 0)[1] != 0
    """,
    "test_third": """
        import os, time, pytest
        @pytest.fixture(scope="module")
        def process():
            return os.getpid()
        def test_one(process): assert process == os.getpid() != os.getppid()
        @pytest.mark.skip
        def test_skipped(): pass
        @pytest.mark.xfail
        def test_expected(): assert False
        def test_leaves_a_child_behind():
            if os.fork() == 0:
                time.sleep(30)
                os._exit(0)
            os._exit(4)
    """,
}


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    monkeypatch.setenv("COLUMNS", "200")  # lines of the summary are not cut off
    pytester.makepyfile(**FILES)
    return pytester


@pytest.mark.parametrize("workers", (2, 5))
def test_every_test_is_reported(project: pytest.Pytester, workers: int) -> None:
    result = project.runpytest_subprocess("-p", "workers", "--workers", str(workers), "-rf")
    result.assert_outcomes(passed=9, failed=4, skipped=1, xfailed=1)
    result.stdout.fnmatch_lines(["*what the test printed*"])
    text = result.stdout.str()
    for line in ("test_dies - the process of this test ended with signal 9", "test_leaves - the process of this test"):
        assert f"FAILED test_second.py::{line}" in text
    assert "test_leaves_a_child_behind - the process of this test ended with status 4" in text
    assert "4 failed, 9 passed, 1 skipped, 1 xfailed" in result.stdout.lines[-1] and result.ret == 1


def test_the_first_failure_may_end_the_run(project: pytest.Pytester) -> None:
    result = project.runpytest_subprocess("-p", "workers", "--workers", "2", "-x")
    assert result.parseoutcomes()["failed"] == 1 and result.ret == 1 or result.ret == 2


def test_one_process_is_the_default(project: pytest.Pytester) -> None:
    result = project.runpytest_subprocess("-p", "workers", "test_first.py")
    result.assert_outcomes(passed=4, failed=1)
