"""What a person would change in five models so that torch.compile makes one graph of each, and how it is applied.

A version by hand is written for the calls that are measured and changes the code of transformers 5: overflows are
clamped by `where`, no token has global attention, a warning is not logged, and sizes of images are given as lists of
numbers by the caller. It says less than the model does, or asks more of who calls it; a mended model has the same
behaviour as the model. In a spec it is the value of "by_hand": {"edits": {function: [[old text, new text]]},
"lists": [names of arguments whose tensors are given as lists]}.
"""

from __future__ import annotations

import importlib
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

MODELS = "transformers.models."
NO_GLOBAL = ["is_index_global_attn.flatten().any().item()", "False"]
OVERFLOW = "if hidden_states.dtype == torch.float16 and not torch.isfinite(hidden_states).all():"
WITHOUT_BRANCH = [
    [OVERFLOW, "if hidden_states.dtype == torch.float16:"],
    [
        "hidden_states = torch.clamp(hidden_states, min=-clamp_value, max=clamp_value)",
        "hidden_states = torch.where(torch.isfinite(hidden_states).all(), hidden_states, "
        "hidden_states.clamp(-clamp_value, clamp_value))",
    ],
]
UNLOGGED = ["logger.warning_once(", "str("]


# By the ids of model_specs.paper_specs().
BY_HAND: dict[str, dict[str, Any]] = {
    "marian-half": {"edits": {MODELS + "marian.modeling_marian.MarianEncoderLayer.forward": WITHOUT_BRANCH}},
    "bart-half": {"edits": {MODELS + "bart.modeling_bart.BartEncoderLayer.forward": WITHOUT_BRANCH}},
    "led": {
        "edits": {
            MODELS + "led.modeling_led.LEDEncoder._pad_to_window_size": [UNLOGGED],
            MODELS + "led.modeling_led.LEDEncoder.forward": [NO_GLOBAL],
        }
    },
    "longformer": {
        "edits": {
            MODELS + "longformer.modeling_longformer.LongformerModel._pad_to_window_size": [UNLOGGED],
            MODELS + "longformer.modeling_longformer.LongformerEncoder.forward": [NO_GLOBAL],
        }
    },
    "pixtral-vision": {"lists": ["image_sizes"]},
}


def edit(path: str, changes: list[list[str]]) -> None:
    """Replace texts in the source of a class's function, which must have each of them exactly once."""
    module_name, class_name, name = path.rsplit(".", 2)
    module = importlib.import_module(module_name)
    owner = getattr(module, class_name)
    source = textwrap.dedent(inspect.getsource(getattr(owner, name)))
    for old, new in changes:
        if source.count(old) != 1:
            raise RuntimeError(f"by hand: {path} has {source.count(old)} times {old}")
        source = source.replace(old, new)
    made: dict[str, Any] = {}
    exec(compile(source, f"<{path} by hand>", "exec", dont_inherit=True), vars(module), made)
    setattr(owner, name, made[name])


def with_lists(function: Callable[..., Any], names: list[str]) -> Callable[..., Any]:
    """The function, which gets these arguments as lists of numbers; the copy belongs to the time of a call."""

    def call(**arguments: Any) -> Any:
        return function(**{**arguments, **{name: arguments[name].tolist() for name in names}})

    return call
