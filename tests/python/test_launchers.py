"""Packages that start Pythons, where they are installed: `make launchers` installs and asks them.

Each program counts its graphs in the processes that were started, plain and mended.
"""

from __future__ import annotations

import importlib.util

import pytest
from counted_programs import GATE

pytest.importorskip("torch")

WORK = """
import os, sys, torch
torch.set_num_threads(1)
def work(number):
    graphs = [0]
    def backend(graph, inputs):
        graphs[0] += 1
        return graph.forward
    compiled = torch.compile(gate, backend=backend)
    found = [compiled(torch.ones(3) * number).sum().item(), compiled(-torch.ones(3)).sum().item()]
    return number, found, graphs[0]
"""
JOBLIB = """
if __name__ == "__main__":
    import joblib
    print("rows", joblib.Parallel(2)(joblib.delayed(work)(number) for number in (1, 2)))
"""
ACCELERATE = """
if __name__ == "__main__":
    from accelerate import Accelerator
    model = Accelerator(cpu=True).prepare(torch.nn.Linear(2, 2))
    print(type(model).__name__, sys.argv)
    print("rows", [work(1), work(2)])
"""
LAUNCH = ["-m", "accelerate.commands.accelerate_cli", "launch", "--cpu", "--num_processes=1", "--num_machines=1"]
LAUNCH += ["--mixed_precision=no", "--dynamo_backend=no", "script.py", "--lr", "1"]
TWO_RANKS = """
if __name__ == "__main__":
    from accelerate import Accelerator
    accelerator = Accelerator(cpu=True)
    model = accelerator.prepare(torch.nn.Linear(2, 2))
    print(type(model).__name__, accelerator.num_processes)
    rows = [work(1), work(2)]
    every = [None, None]
    torch.distributed.all_gather_object(every, rows)
    assert every[0] == every[1]
    if accelerator.is_main_process:
        print("rows", rows)
    accelerator.wait_for_everyone()
    torch.distributed.destroy_process_group()
"""
TORCHRUN = ["-m", "torch.distributed.run", "--nproc_per_node=2", "--standalone", "script.py"]
RAY = """
class Worker:
    def work(self, number):
        return [work(number), os.getpid()]
def task(number):
    return [work(number), os.getpid()]
if __name__ == "__main__":
    import ray
    variables = {}
    if "graphmend" in sys.modules:
        import graphmend
        variables = graphmend.environment()
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": variables})
    rows = [ray.get(ray.remote(task).remote(1)), ray.get(ray.remote(Worker).remote().work.remote(2))]
    ray.shutdown()
    assert os.getpid() not in [process for _, process in rows]
    print("rows", [row for row, _ in rows])
"""


def needs(module):
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"ALOUD: tests/python/test_launchers.py: {module} is not installed (make launchers)")


def compare(programs, text, *arguments):
    """Two calls of `work` give what they give in a plain run, each in one graph; and how the mended run ended."""
    programs.write("script.py", GATE + WORK + text)
    plain, mended = (run(*arguments, PYTHONPATH="") for run in (programs.plain, programs.mended))
    assert plain.status == mended.status == 0, plain.err + mended.err
    shown, rows = zip(*(ended.out.split("rows ") for ended in (plain, mended)))
    assert sorted(shown[0]) == sorted(shown[1])  # processes print at the same time
    before, after = map(eval, rows)
    assert [row[:2] for row in before] == [row[:2] for row in after] == [(1, [9.0, 0.0]), (2, [15.0, 0.0])]
    assert all(row[2] > 1 for row in before) and [row[2] for row in after] == [1, 1], rows
    return mended


def test_joblib(programs):
    needs("joblib")
    mended = compare(programs, JOBLIB, "script.py")
    assert mended.err.count("graphmend: ") == 1 and "graphmend: 2 places mended" in mended.err


def test_accelerate_launch(programs):
    """The process that it starts tells with the first one."""
    needs("accelerate")
    mended = compare(programs, ACCELERATE, *LAUNCH)
    assert mended.err.count("graphmend: ") == 1 and "graphmend: 2 places mended" in mended.err


def test_accelerate_in_two_ranks(programs):
    """Two processes of gloo under torchrun; one summary for both."""
    needs("accelerate")
    mended = compare(programs, TWO_RANKS, *TORCHRUN)
    assert mended.err.count("graphmend: ") == 1 and "graphmend: 2 places mended" in mended.err


def test_ray(programs):
    """A task and an actor, with the variables that README tells to hand in."""
    needs("ray")
    mended = compare(programs, RAY, "script.py")
    assert mended.err.count("graphmend: ") == 1 and "graphmend: 2 places mended" in mended.err
