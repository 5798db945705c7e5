"""What people hand to torch.compile beside a function and a module: results of a plain run, in one graph."""

from __future__ import annotations

import pytest
from counted_programs import COUNT

pytest.importorskip("torch")

NET = """
import copy, functools
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 3)
    def forward(self, x, *, scale=1.0):
        y = self.layer(x) * scale
        if y.sum() > 0:
            print("positive")
            y = y * 2
        return y + 1
torch.manual_seed(0)
net = Net()
"""
CALLS = """
print(model(torch.ones(2, 3)).tolist(), model(-torch.ones(2, 3)).tolist(), model(9 * torch.ones(2, 3)).tolist())
print("graphs", graphs[0])
"""
WAYS = {  # how the callable is made, and the graphs of the mended run
    "functools.partial of a module": ("model = torch.compile(functools.partial(net, scale=2.0), backend=backend)", 1),
    "functools.partial of a function": (
        "def step(scale, x): return net(x, scale=scale)\n"
        "model = torch.compile(functools.partial(step, 3.0), backend=backend)",
        1,
    ),
    "a copy of a compiled module": ("model = copy.deepcopy(torch.compile(net, backend=backend))", 1),
    "a compiled module and its copy": (
        "first = torch.compile(net, backend=backend)\nfirst(torch.ones(2, 3))\nmodel = copy.deepcopy(first)",
        1,
    ),
    "nn.DataParallel inside": ("model = torch.compile(torch.nn.DataParallel(net), backend=backend)", 1),
    "nn.DataParallel outside": ("model = torch.nn.DataParallel(torch.compile(net, backend=backend))", 1),
}


@pytest.mark.parametrize("way", WAYS)
def test_way(warm_programs, way):
    made, graphs = WAYS[way]
    warm_programs.write("script.py", COUNT + NET + made + CALLS)
    plain, mended = warm_programs.plain("script.py"), warm_programs.mended("script.py")
    assert plain.status == mended.status == 0, mended.err
    (before, plain_graphs), (after, mended_graphs) = (ended.out.rsplit("graphs", 1) for ended in (plain, mended))
    assert before == after and "positive" in before
    assert int(plain_graphs) > graphs == int(mended_graphs), mended.err
