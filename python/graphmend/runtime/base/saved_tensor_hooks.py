"""Hooks on saved tensors: functions that autograd calls with each tensor kept for gradients.

    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.bfloat16(), lambda t: t.float()):
        loss = model(x)
    y = torch.utils.checkpoint.checkpoint(model, x, use_reentrant=False)      # hooks that count

A graph that computes both sides of a branch keeps more tensors than Python does, and a mask of truth values among them,
which hooks of the program may not take. A graph that runs in vain keeps tensors, too: a checkpoint compares the tensors
of two runs. `save_on_cpu` takes any tensor and counts none.
"""

from __future__ import annotations

from . import torch_names


def modules() -> list[str]:
    """The names of the modules of the hooks in force."""
    return [str(getattr(hook, "__module__", "")) for hook in torch_names._top_saved_tensors_default_hooks(True) or ()]


def belong_to_program() -> bool:
    """Whether hooks are in force that are not PyTorch's own."""
    return not all(name.startswith("torch.") for name in modules())


def notice_tensors() -> bool:
    """Whether hooks are in force that may count the tensors, or look at them."""
    return not all(name == "torch.autograd.graph" for name in modules())
