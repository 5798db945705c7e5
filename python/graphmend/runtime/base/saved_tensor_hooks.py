"""Hooks on saved tensors: functions of the program that autograd calls with each tensor kept for gradients.

    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.bfloat16(), lambda t: t.float()):
        loss = model(x)

A graph that computes both sides of a branch keeps more tensors than Python does, and a mask of truth values among them,
which such hooks may not take. PyTorch's own hooks (`save_on_cpu`, checkpoints) take any tensor.
"""

from __future__ import annotations

from . import torch_names


def belong_to_program() -> bool:
    """Whether hooks are in force that are not PyTorch's own."""
    hooks = torch_names._top_saved_tensors_default_hooks(True)
    return hooks is not None and not all(str(getattr(hook, "__module__", "")).startswith("torch.") for hook in hooks)
