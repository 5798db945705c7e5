"""What is said of calls with `*args` and `**kwargs` is true, whatever is in them: held against what torch returns."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from test_claims import is_wrong, read_claims  # noqa: E402

REDUCTIONS = ["any", "all", "sum", "mean", "prod", "norm", "std", "var", "argmax", "argmin", "amax", "logsumexp"]
PAIRS = ["max", "min", "median", "mode", "sort", "topk", "unique", "where", "nonzero", "std_mean", "unbind", "split"]
MADE = ["zeros", "ones", "full", "empty", "arange", "rand", "randint", "tensor", "zeros_like", "full_like", "rand_like"]
OTHERS = ["clone", "isnan", "add", "relu", "softmax", "cumsum", "abs", "square", "equal", "allclose", "reshape", "dot"]
LOSSES = ["mse_loss", "l1_loss", "smooth_l1_loss", "dropout", "relu", "softmax"]
METHODS = [*REDUCTIONS, *PAIRS[:9], "unbind", "split", "to", "float", "long", "clone", "abs", "relu_", "size", "stride"]
METHODS += ["tolist", "item", "new_zeros", "type", "reshape", "dim", "add", "softmax", "cumsum", "equal"]
FORMS = ["*s", "x, *s", "**k", "x, **k", "*s, **k", "x, x, *s", "x, x, **k", "x, 0, **k", "3, **k", "x, dim=0, **k"]
OF_METHODS = ["*s", "**k", "*s, **k", "0, **k", "x, **k", "dim=0, *s"]
CALLS = [f"torch.{name}({form})" for name in (*REDUCTIONS, *PAIRS, *MADE, *OTHERS) for form in FORMS]
CALLS += [f"torch.nn.functional.{name}({form})" for name in LOSSES for form in FORMS]
CALLS += [f"x.{name}({form})" for name in METHODS for form in OF_METHODS]
X = torch.tensor([[1.0, -2.0], [0.5, 4.0]])
STARRED: list[tuple[Any, ...]] = [
    (),
    (X,),
    (X, 0),
    (0,),
    (X, X),
    (2, 3),
    (X > 0, X, X),
    (torch.int64,),
    (X, 0, True),
    (2,),
]
KEYWORDS: list[dict[str, Any]] = [
    *({}, {"dim": 0}, {"dim": 0, "keepdim": True}, {"dtype": torch.int64}, {"dtype": torch.float64}),
    *({"reduction": "none"}, {"as_tuple": True}, {"return_inverse": True}, {"return_counts": True}, {"input": X}),
    *({"input": X, "dim": 0}, {"other": X}, {"out": torch.zeros(2, 2)}, {"size": (2,)}, {"p": 0.5}, {"k": 1}),
]


def results(function: Any, call: str) -> list[Any]:
    """Of each way to fill what is open, where torch takes it."""
    found = []
    rows = itertools.product(STARRED if "*s" in call else [()], KEYWORDS if "**k" in call else [{}])
    for starred, keywords in rows:
        try:
            found.append(function(X.clone(), starred, keywords))
        except (TypeError, RuntimeError, ValueError, IndexError, AttributeError):
            continue
    return found


def test_what_is_said_of_open_arguments(executable: str, tmp_path: Path) -> None:
    text = "import torch\n"
    for number, call in enumerate(CALLS):
        text += f"def f{number}(x: torch.Tensor, s, k):\n    return {call}\n"
    (tmp_path / "a.py").write_text(text)
    claims = read_claims(executable, tmp_path / "a.py")
    scope: dict[str, Any] = {}
    exec(text, scope)
    problems, held = [], 0
    for number, call in enumerate(CALLS):
        class_, form, words, _ = claims[2 * number + 3, 11, 2 * number + 3, 11 + len(call)]
        for value in results(scope[f"f{number}"], call):
            held += class_ != "unknown"
            if is_wrong(value, class_, form, words):
                problems.append(f"{call}: {class_} {form} {sorted(words)}, and is {value!r}")
                break
    assert not problems, "\n".join(problems)
    assert held > 1000
