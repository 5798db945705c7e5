"""What `check` reports breaks under Dynamo, and what a test or an earlier read rules out is not reported."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

# Bodies of `def f(x: torch.Tensor, n: Union[int, float, torch.Tensor])`, and the lines that are reported.
PROGRAMS = {
    "any_of_a_list": ("values = x.tolist()", "if any(values):", "    x = x + 1", "return x", [1]),
    "all_of_a_generator": (
        "values = [int(v) for v in x.tolist()]",
        "if all(v == values[0] for v in values):",
        "    x = x + 1",
        "return x",
        [1],
    ),
    "unpacked": (
        "first, second = torch.stack([x, x]).tolist()",
        "best = max(range(2), key=first.__getitem__)",
        "if first[best] > 0:",
        "    x = x + 1",
        "return x",
        [1],
    ),
    "chosen_text": ("k = int(x.max().item()) + 1", "text = 'one' if k == 1 else f'{k}'", "return x, text", [1]),
    "a_tensor_returns": ("if isinstance(n, torch.Tensor):", "    return x", "return x + (1 if n == 1 else 2)", []),
    "a_tensor_on_the_other_side": (
        "if isinstance(n, torch.Tensor):",
        "    x = x * n",
        "elif n > 0:",
        "    x = x + 1",
        "return x",
        [],
    ),
    "a_number": ("if isinstance(n, (int, float)):", "    x = x * float(n)", "return x + n.sum()", []),
    "one_of_several_types": (
        "if isinstance(n, (int, float)):",
        "    if n > 0:",
        "        x = x + 1",
        "return x + n.sum()",
        [],
    ),
    "perhaps_a_tensor": (
        "if isinstance(n, (int, torch.Tensor)):",
        "    x = x * n.sum()",
        "    x = x[: int(n)]",
        "return x",
        [3],
    ),
    "perhaps_a_tensor_first": (
        "if isinstance(n, (torch.Tensor, int)):",
        "    x = x * n.sum()",
        "    x = x[: int(n)]",
        "return x",
        [3],
    ),
    "no_tensor_after_all": (
        "if isinstance(n, (torch.Tensor, list)):",
        "    return x",
        "return x + 1 if n > 0 else x + n.sum()",
        [],
    ),
    "filled_in": ("if n is None:", "    n = x.sum().item()", "if n > 0:", "    x = x + 1", "return x", [2]),
    "filled_in_with_a_tensor": ("if n is None:", "    n = x.sum()", "if n > 0:", "    x = x + 1", "return x", [3]),
    "items_filled_in": (
        "if n is None:",
        "    n = tuple(int(i) for i in x)",
        "return x if n[0] == 3 else x + 1",
        [2],
    ),
    "a_flag_and_a_number": ("most = x.max().item()", "if n and most > 2:", "    x = x + 1", "return x", [1]),
    "equal_to_a_list": ("xs = [x]", "if x.relu() != []:", "    x = x + 1", "return x", []),
    "asserted": ("assert not torch.is_tensor(n)", "return x.reshape(int(n))", []),
    "in_a_conjunction": ("if isinstance(n, int) and n > 0:", "    x = x + 1", "return x * torch.as_tensor(n)", []),
    "bound_again": (
        "if isinstance(n, int):",
        "    n = x.sum()",
        "    if n > 0:",
        "        x = x + 1",
        "return x",
        [3],
    ),
    "assertion": ("assert (x > 0).all(), 'text'", "return x + 1", []),
    "assertion_of_two": ("assert (x > 0).all() and (x < 9).all(), 'text'", "return x + 1", [1]),
    "assertion_that_is_negated": ("assert not (x > 9).any(), 'text'", "return x + 1", [1]),
    "assertion_of_what_may_be_one": ("assert n.amax() <= 4", "return x + 1", []),
    "assertion_of_a_form_and_data": ("assert x.ndim == 1 and x.sum() < 9", "return x + 1", []),
    "assertion_of_a_range": ("assert 0 < x.sum() < 9", "return x + 1", [1]),
    "assertion_with_the_value": ("assert n.amax() <= 4, f'{n}'", "return x + 1", [1]),
    "a_number_or_what_is_given": (
        "low = float(n.min()) if isinstance(n, torch.Tensor) else min(n)",
        "if 3.0 < low:",
        "    x = x + 1",
        "return x",
        [1],
    ),
    "a_tensor_or_a_number": ("low = x.min() if n is None else 3", "if low > 2:", "    x = x + 1", "return x", [2]),
    "seed_of_the_graph": ("import numpy as np", "np.random.seed(3)", "return x + np.random.rand()", [3]),
    "assertion_of_a_number": ("assert bool((x > 0).all())", "return x + 1", [1]),
    "a_size_by_its_uses": (
        "def g(x: torch.Tensor, like: torch.Tensor):",
        "    rows = like[-2] if len(like) >= 2 else None",
        "    if rows:",
        "        x = x + 1",
        "    return x",
        "return g(x, x.shape)",
        [],
    ),
    "a_tensor_by_one_of_its_uses": (
        "def g(x: torch.Tensor, like: torch.Tensor):",
        "    rows = like[-2] if len(like) >= 2 else None",
        "    if rows:",
        "        x = x + like",
        "    return x",
        "return g(x, x + 1)",
        [3],
    ),
    "a_tensor_of_which_items_are_read": (
        "def g(x: torch.Tensor, like: torch.Tensor):",
        "    if like[0]:",
        "        x = x + 1",
        "    return x",
        "return g(x, x + 1)",
        [2],
    ),
    "a_tensor_of_which_slices_are_read": (
        "def g(x: torch.Tensor, like: torch.Tensor):",
        "    if len(like) > 2 and like[1:].sum() > 0:",
        "        x = x + 1",
        "    return x",
        "return g(x, x + 1)",
        [2],
    ),
    "a_number_beside_what_is_unknown": (
        "import settings",
        "w = x.sum().item()",
        "if 0 < w <= settings.width:",
        "    x = x + 1",
        "if w * settings.width == settings.height:",
        "    x = x + 1",
        "return x",
        [2],
    ),
    "a_number_that_is_kept": (
        "import settings",
        "w = int(x[-1] + 1)",
        "settings.longest = max(w, settings.longest)",
        "settings.sums.append(x.sum().item())",
        "return x",
        [2, 4],
    ),
    "asked_before": (
        "checking = not torch.compiler.is_compiling()",
        "if checking and not torch.isfinite(x).all():",
        "    raise ValueError",
        "return x",
        [],
    ),
    "asked_before_and_bound_again": (
        "checking = not torch.compiler.is_compiling()",
        "checking = n",
        "if checking and not torch.isfinite(x).all():",
        "    raise ValueError",
        "return x",
        [3],
    ),
    "asked_before_each_other": (
        "a = not b",
        "b = not a",
        "if a and x.sum() > 0:",
        "    x = x + 1",
        "return x",
        [3],
    ),
    "another_torch": (
        "if torch.__version__ == 'parrots' and x.sum() > 0:",
        "    print(x)",
        "if torch.__version__ != 'parrots' or x.sum() > 0:",
        "    x = x + 1",
        "if torch.__version__ == '2.13.0' and x.sum() > 0:",
        "    x = x + 1",
        "return x",
        [5],
    ),
    "a_dictionary_by_its_key": ("if n['rows'] == 0:", "    x = x + 1", "return x", []),
    "the_cache_of_the_device": ("torch.cuda.empty_cache()", "return x + 1", []),
    "either_of_two": ("if isinstance(n, int) or x.sum() > 0:", "    x = x * float(n.sum())", "return x", [1, 2]),
}


@pytest.fixture(scope="module")
def told(executable: str, tmp_path_factory: pytest.TempPathFactory) -> "dict[str, list[int]]":
    """The lines of the bodies that `check` reports by default."""
    folder = tmp_path_factory.mktemp("precision")
    head = "import torch\nfrom typing import Union\n\n\n@torch.compile\n"
    head += "def f(x: torch.Tensor, n: Union[int, float, torch.Tensor]):\n"
    for name, (*body, _) in PROGRAMS.items():
        (folder / f"{name}.py").write_text(head + "".join(f"    {line}\n" for line in body))
    command = [executable, "check", "--no-cache", "--output-format", "json", "."]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    first = head.count("\n")
    return {
        Path(one["path"]).stem: [found["line"] - first for found in one["findings"]] for one in json.loads(done.stdout)
    }


@pytest.mark.parametrize("name", PROGRAMS)
def test_lines(told: "dict[str, list[int]]", name: str) -> None:
    assert told.get(name, []) == PROGRAMS[name][-1]
