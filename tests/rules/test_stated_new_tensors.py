"""What makes a tensor that nobody else holds, in front of the branches that change it."""

from __future__ import annotations

from pathlib import Path

from stated_matrices import matrix
from stated_texts import hold

HEAD = "import torch\nimport torch.nn.functional as F\nfrom other import make\n"
MADE = [
    *("y = x * 2", "y = -x", "y = x", "y = x.T", "y = x[0]", "y = x.view(-1)", "y = x.clone()", "y = x.relu()"),
    *("y = torch.relu(x)", "y = torch.relu_(x)", "y = F.relu(x)", "y = F.relu(x, inplace=True)", "y = make(x)"),
    *("y = torch.add(x, 1)", "y = torch.add(x, 1, out=z)", "y = torch.add(x, 1, out=None)", "y = x.add_(1)"),
    *("y = torch.zeros_like(x)", "y = torch.zeros(3)", "y = torch.zeros(3, out=z)", "y = torch.as_tensor(x)"),
    *("y = torch.where(x > 0, x, z)", "y = torch.where(x > 0)", "y = torch.where(x > 0, x, z, out=z)"),
    *("y = torch.reshape(x, (3,))", "y = torch.max(x, 0)", "y = self.layer(x)", "y = self.other(x)", "y = self(x)"),
    *("y: torch.Tensor = x * 2", "y = w = x * 2", "y, w = x * 2, x", "y = x * 2\nw = y", "y = x * 2\nw = [y]"),
    *("y = x * 2 if z else x", "y = x * 2\ny = y + 1", "y = x * 2\nw = y.view(-1)", "y = x * 2\nw = y + 1"),
]
CHANGES = [
    "if x.sum() > 0:\n    y = y + 1\nreturn y",
    "if x.sum() > 0:\n    y = y + 1\nelse:\n    y = y - 1\nreturn y",
    "if x.sum() > 0:\n    y = torch.relu(y)\nreturn y",
    "if x.sum() > 0:\n    y = x * 2\nreturn y",
    "if (y < 0).any():\n    y[y < 0] = 0\nreturn y",
    "if (y < 0).any():\n    y = torch.where(y < 0, 0, y)\nreturn y",
    "if x.sum() > 0:\n    y += 1\nreturn y",
]


def test_new_tensors(executable: str, tmp_path: Path) -> None:
    def written(made: str, change: str, number: int) -> str:
        lines = f"{made}\n{change}".splitlines()
        body = "".join(f"        {line}\n" for line in lines)
        head = f"class M{number}(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        head += "        self.layer = torch.nn.Linear(3, 3)\n        self.other = make(3)\n\n"
        return f"\n\n{head}    @torch.compile\n    def forward(self, x: torch.Tensor, z: torch.Tensor):\n{body}"

    text = matrix(executable, tmp_path, HEAD, MADE, CHANGES, written, "--all")
    hold(Path(__file__).parent / "stated" / "new_tensors.txt", text)
