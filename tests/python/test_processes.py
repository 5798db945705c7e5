"""Programs of many processes: children are mended whatever starts them, compute what they do without graphmend, and the
first process tells for all."""

from __future__ import annotations

import re
import sys
import textwrap

import pytest
from counted_programs import COUNT, GATE

pytest.importorskip("torch")
import torch.distributed

WORK = """
import os, sys
torch.set_num_threads(1)
def work(number):
    compiled = torch.compile(gate, backend=backend)
    found = [compiled(torch.ones(3) * number).sum().item(), compiled(-torch.ones(3)).sum().item()]
    tests = ("GRAPHMEND_CACHE_DIR", "GRAPHMEND_BUILD", "GRAPHMEND_PYTHON")
    ours = [name for name in os.environ if name.startswith("GRAPHMEND_") and name not in tests]
    assert not os.environ.get("PYTHONPATH") and ours == [] and not any("bootstrap" in folder for folder in sys.path)
    return number, found, graphs[0]
def put(rank, queue):
    queue.put(work(rank + 1))
"""
STARTS = {
    "multiprocessing, spawn": """
import multiprocessing
with multiprocessing.get_context("spawn").Pool(1) as pool:
    found = pool.map(work, [1])
    pool.close()
    pool.join()
""",
    "executor, forkserver": """
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
with ProcessPoolExecutor(1, multiprocessing.get_context("forkserver")) as pool:
    found = list(pool.map(work, [1]))
""",
    "subprocess": """
import subprocess
code = "import script; print(script.work(1))"
done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
found = [eval(done.stdout.splitlines()[-1])]
""",
    "torch.multiprocessing.spawn": """
import torch.multiprocessing as multiprocessing
found = multiprocessing.get_context("spawn").SimpleQueue()
multiprocessing.spawn(put, (found,), nprocs=1)
found = [found.get()]
""",
}


# Children of mended programs have interpreters of their own; the processes that start them, and plain runs, need none.
WARM = {"WARM_CHILDREN": "1"}


@pytest.mark.parametrize("start", STARTS)
def test_children(warm_programs, start):
    programs = warm_programs
    program = (
        COUNT + GATE + WORK + "if __name__ == '__main__':\n" + textwrap.indent(STARTS[start] + "print(found)\n", "    ")
    )
    programs.write("script.py", program)
    plain, mended = programs.plain("script.py", PYTHONPATH="", **WARM), programs.mended("script.py", PYTHONPATH="")
    assert plain.status == mended.status == 0, mended.err
    before, after = (eval(ended.out.splitlines()[-1]) for ended in (plain, mended))
    assert before[0][:2] == after[0][:2] and before[0][2] > 1 == after[0][2]
    assert mended.err.count("graphmend: ") == 1 and "graphmend: 2 places mended\n" in mended.err


def test_loader_workers(programs):
    """A DataLoader's workers, which are spawned, and a model in the process that starts them."""
    text = (
        COUNT
        + GATE
        + WORK
        + (
            "class Numbers(torch.utils.data.Dataset):\n"
            "    def __len__(self):\n        return 2\n"
            "    def __getitem__(self, index):\n        return torch.tensor(work(index + 1)[1])\n"
            "if __name__ == '__main__':\n"
            "    loader = torch.utils.data.DataLoader(Numbers(), num_workers=2, multiprocessing_context='spawn')\n"
            "    print([batch.tolist() for batch in loader], work(2)[1:])\n"
        )
    )
    programs.write("script.py", text)
    plain, mended = programs.plain("script.py"), programs.mended("script.py")
    rows = [ended.out.splitlines()[-1].rpartition(",") for ended in (plain, mended)]
    assert rows[0][0] == rows[1][0] and rows[0][2] != " 1)" == rows[1][2]
    assert mended.err.count("graphmend: ") == 1 and "graphmend: 2 places mended in 3 processes" in mended.err


def test_children_that_read_no_environment(warm_programs):
    programs = warm_programs
    programs.write("child.py", "print('ran')\n")
    text = "import subprocess, sys, torch\nprint(subprocess.run([sys.executable, '-I', 'child.py']).returncode)\n"
    programs.write("script.py", text + "torch.compile(lambda x: x + 1, backend='eager')(torch.ones(1))\n")
    mended = programs.mended("script.py")
    assert mended.out == "ran\n0\n"
    assert "unmended a child process was started by `python -I`, which reads no environment" in mended.err


def test_sitecustomize_of_the_user(programs):
    """What the user's own `sitecustomize` does is done, and children find their paths as in a plain run."""
    programs.write("own/sitecustomize.py", "import builtins\nbuiltins.own = 'seen'\n")
    code = "import sys, os; print(own, sys.path, os.environ.get('PYTHONPATH'), sys.modules['sitecustomize'].__file__)"
    text = f"import subprocess, sys\nprint(subprocess.check_output([sys.executable, '-c', {code!r}], text=True))\n"
    programs.write("script.py", text)
    own = str(programs.folder / "own")
    plain, mended = (run("script.py", PYTHONPATH=own) for run in (programs.plain, programs.mended))
    assert plain == mended and "seen" in plain.out


def test_other_programs_keep_their_environment(programs):
    text = "import os, subprocess\nprint(sorted(os.environ))\nprint(subprocess.check_output('env', text=True))\n"
    programs.write("script.py", text)
    plain, mended = (run("script.py", GRAPHMEND_PYTHON=sys.executable) for run in (programs.plain, programs.mended))
    assert plain == mended


def test_environment_for_other_launchers(warm_programs):
    """What starts a Python by itself is given the variables."""
    programs = warm_programs
    programs.write("child.py", COUNT + GATE + WORK + "print(work(1))\n")
    text = (
        "import os, shlex, sys, graphmend\ngraphmend.install()\n"
        "found = ' '.join(f'{name}={shlex.quote(text)}' for name, text in graphmend.environment().items())\n"
        "os.system(f'{found} {sys.executable} child.py')\n"
    )
    programs.write("script.py", text)
    mended = programs.plain("script.py", PYTHONPATH="")
    assert mended.out.splitlines()[-1].endswith(", 1)"), mended.err


def test_nothing_is_left_behind(programs):
    """The folder of a job goes with its first process, also where nobody asked for a summary."""
    text = "import subprocess, sys, torch, graphmend\ngraphmend.install(summary=False)\n"
    programs.write("script.py", text + "subprocess.run([sys.executable, '-c', 'import torch'], check=True)\n")
    (programs.folder / "temporary").mkdir()
    assert programs.plain("script.py", TMPDIR=str(programs.folder / "temporary")).status == 0
    assert not [path.name for path in (programs.folder / "temporary").iterdir() if "graphmend" in path.name]


JOB = """
import datetime, sys, time, torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
torch.set_num_threads(1)
order = []

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.wide, self.last = torch.nn.Linear(8, 64), torch.nn.Linear(64, 8192), torch.nn.Linear(8192, 1)
        self.norm = torch.nn.BatchNorm1d(64)
    def forward(self, x):
        y = torch.relu(self.norm(self.first(x)))
        if x.mean() > 0:
            y = y * 2
        if dist.get_rank() == 0:
            print("mean", round(y.mean().item(), 4))
        return self.last(self.wide(y))

def reduced(state, bucket):
    order.append((bucket.index(), bucket.buffer().numel()))
    work = dist.all_reduce(bucket.buffer().div_(dist.get_world_size()), async_op=True)
    return work.get_future().then(lambda done: done.value()[0])

def main(kind):
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=60))
    torch.manual_seed(0)
    net, rank = Net(), dist.get_rank()
    if kind == "outer":
        wrapper = DDP(net)
        model = torch.compile(wrapper, backend=backend)
    elif kind == "inner":
        model = wrapper = DDP(torch.compile(net, backend=backend))
    else:
        from torch.distributed.fsdp import fully_shard
        model = torch.compile(net, backend=backend) if kind == "sharded after" else net
        fully_shard(net.first)
        fully_shard(net)
        model = torch.compile(net, backend=backend) if kind == "sharded before" else model
    if kind in ("outer", "inner"):
        wrapper.register_comm_hook(None, reduced)
    optimizer, shown = torch.optim.SGD(net.parameters(), lr=0.0001), []
    for step in range(4):
        torch.manual_seed(10 * step + rank)
        x = torch.randn(4, 8) + (1 if (step + rank) % 2 else -1)  # ranks decide differently
        model(x).pow(2).mean().backward()
        full = [p.grad.full_tensor() if hasattr(p.grad, "full_tensor") else p.grad for p in net.parameters()]
        shown.append([round(gradient.double().sum().item(), 5) for gradient in full])
        optimizer.step()
        optimizer.zero_grad()
    rows = [None] * dist.get_world_size()
    dist.all_gather_object(rows, (shown, order, graphs[0]))
    if rank == 0:
        print("rows", rows)
    dist.destroy_process_group()
    time.sleep(0.2)  # a thread of gloo lets go of the last future of a hook; torch may join it with the GIL held

main(sys.argv[1])
"""


@pytest.mark.skipif(not torch.distributed.is_available(), reason="a torch without processes")
@pytest.mark.parametrize(
    "kind, ranks, started",  # how the mended run starts
    [
        ("outer", 2, "cold"),
        ("outer", 4, "warm"),
        ("inner", 2, "warm"),
        ("sharded before", 2, "warm"),
        ("sharded after", 2, "warm"),
    ],
)
def test_distributed(warm_programs, kind, ranks, started):
    """Under torchrun: gradients and the order of reductions are those of the plain run."""
    programs, warm = warm_programs, warm_programs.python
    programs.write("script.py", COUNT + JOB)
    launch = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(ranks), "script.py", kind]
    plain = programs.plain(*launch, OMP_NUM_THREADS="1", PYTHON_EXEC=warm)
    programs.python = warm if started == "warm" else sys.executable
    mended = programs.mended(*launch, OMP_NUM_THREADS="1", PYTHON_EXEC=programs.python)
    assert plain.status == mended.status == 0, mended.err
    before, after = (rows_of(ended.out) for ended in (plain, mended))
    assert [row[:2] for row in before] == [row[:2] for row in after]
    shown = [re.findall("mean .*", ended.out) for ended in (plain, mended)]
    assert shown[0] == shown[1] and len(shown[0]) == 4
    assert mended.err.count("graphmend: ") == 1 and f"mended in {ranks} processes" in mended.err
    figures = [[row[2] for row in rows] for rows in (before, after)]
    if kind in ("outer", "inner"):
        assert figures[1] == [2] * ranks and min(figures[0]) > 2, figures  # torch splits the one graph by buckets
        assert "breaks" not in mended.err
    else:  # what shards parameters runs around each module, and no graph can hold it
        assert all(after < before for before, after in zip(*figures))


def rows_of(out):
    return eval(next(line for line in out.splitlines() if line.startswith("rows "))[5:])


COLLECTIVES = """
import datetime, torch, torch.distributed as dist
torch.set_num_threads(1)
def sides(x):
    y = x * 2
    dist.all_reduce(y)
    z = y[:2] + 1 if x.mean() > 0 else torch.cat([y, y])
    total = z.sum()
    dist.all_reduce(total)
    return z.sum().item(), total.item()
def raises(x):
    y = x * 2
    dist.all_reduce(y)
    if x.min() < -5:
        raise ValueError("low")
    return y.sum().item(), 0
dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=60))
rank, found = dist.get_rank(), []
for function in (sides, raises):
    compiled = torch.compile(function, backend="eager")
    for step in range(5):
        x = torch.arange(4.0) + 1
        x = -x if step > 1 and (step + rank) % 2 else x
        try:
            found.append(compiled(x - 10 if step == 4 and rank else x))
        except ValueError as error:
            found.append(str(error))
rows = [None, None]
dist.all_gather_object(rows, found)
if rank == 0:
    print("rows", rows)
dist.destroy_process_group()
"""


@pytest.mark.skipif(not torch.distributed.is_available(), reason="a torch without processes")
def test_ranks_that_decide_differently(warm_programs):
    """A call that is undone and run again would send its collectives twice, and the other rank would wait for ever."""
    programs = warm_programs
    programs.write("script.py", COLLECTIVES)
    launch = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "script.py"]
    limit = {"OMP_NUM_THREADS": "1", "PYTHON_EXEC": programs.python}
    plain, mended = programs.plain(*launch, **limit), programs.mended(*launch, **limit)
    assert plain.status == mended.status == 0, mended.err
    assert rows_of(plain.out) == rows_of(mended.out)
    assert "all_reduce`, which may have effects of its own" in mended.err
