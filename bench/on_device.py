"""Run a script of an evaluation kit with the models and the calls of its cases on a device.

usage: [graphmend run] on_device.py SCRIPT.py [ARGUMENT...]     (the device: GRAPHMEND_DEVICE, "cuda" by default)

A kit is written for the processor: it builds a model and its calls there, and reads tensors there. What stands between
the kit and the device is put around four functions of its module `recording`: a subject is moved when it is made, a
tensor is read on the processor, gradients start on the device, and the generators of the device are recorded as well.
The files of the cases stay as they are, so that what is mended is what the kit holds. A scorer is given two commands:
`python on_device.py` for the plain runs, `graphmend run on_device.py` for the mended ones.
"""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path
from typing import Any


def tensors_of(module: Any) -> list[tuple[Any, str]]:
    """The plain attributes of a model that are tensors: `Module.to` moves parameters and buffers only."""
    import torch

    return [
        (part, name)
        for part in module.modules()
        for name, value in vars(part).items()
        if isinstance(value, torch.Tensor)
    ]


def moved(value: Any, device: str) -> Any:
    """A model, or the arguments of calls, on a device; what else there is stays as it is."""
    import torch
    from torch.utils import _pytree

    if isinstance(value, torch.nn.Module):
        for part, name in tensors_of(value):
            vars(part)[name] = vars(part)[name].to(device)
        return value.to(device)
    return _pytree.tree_map(lambda leaf: leaf.to(device) if isinstance(leaf, torch.Tensor) else leaf, value)


def put_between(recording: Any, device: str) -> None:
    """Change the four functions of a kit that know where tensors are."""
    import torch

    subject, described, differentiate = recording.Subject, recording.describe_tensor, recording.backward
    states = recording.random_states

    def make_subject(model: Any, rounds: Any, **settings: Any) -> Any:
        return subject(model=moved(model, device), rounds=moved(rounds, device), **settings)

    def describe_tensor(tensor: torch.Tensor) -> Any:
        record = described(tensor.detach().cpu())  # of a copy, which can be laid out in another way
        if record["stride"] is not None:
            record["stride"] = list(tensor.stride())
        kept = {"tensor": recording.type_name(tensor), "requires_grad": tensor.requires_grad}
        return {**record, **kept, "device": tensor.device.type}

    def backward(output: Any) -> None:
        with torch.device(device):
            differentiate(output)

    def random_states() -> dict[str, str]:
        on_device = torch.get_device_module(device).get_rng_state().tolist()
        return {**states(), device: repr(on_device)}

    recording.Subject, recording.describe_tensor, recording.backward = make_subject, describe_tensor, backward
    if device != "cpu":
        recording.random_states = random_states


def main() -> None:
    sys.argv = sys.argv[1:]
    if sys.argv[0].startswith("-"):  # a scorer asks for versions by -c
        os.execv(sys.executable, [sys.executable, *sys.argv])
    sys.path[0] = str(Path(sys.argv[0]).resolve().parent)
    import recording  # type: ignore[import-not-found]
    import torch

    device = os.environ.get("GRAPHMEND_DEVICE", "cuda")
    torch.set_default_device(device)
    put_between(recording, device)
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
