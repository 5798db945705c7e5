"""Models with random weights and their inputs, from specs: small ones of the GraphMend paper, and lines of a zoo file.

A spec names a model class, perhaps a configuration class with its settings, and the inputs of a call: {"id",
"model_class", "model_kwargs", "config_class", "config", "inputs", "kwargs", "dtype", "train"}. An input has a name and
either {"shape", "dtype", "value"} or {"shape", "dtype", "fill"}, where a fill is one of "zeros", "ones", "rand",
"randn" (both times "scale") and "randint" (from "low" up to "high" - 1); or it is made of others: {"literal"},
{"list"}, {"tuple"}, {"dict"}. What by_hand.py changes in a model is "by_hand".
"""

from __future__ import annotations

import importlib
import json
import random
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
from by_hand import BY_HAND

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
from paper_check import COMMON, MODELS, SEQ2SEQ  # noqa: E402

Spec = dict[str, Any]
LONG = {"vocab_size": 128, "attention_window": 8}
HALF = "float16"
# The models of `make paper`, which break with the transformers of the paper's time, and some that break with 5 as well.
PAPER: dict[str, tuple[str, str, dict[str, Any], bool, str]] = {
    **{name.lower(): (*model, "float32") for name, model in MODELS.items()},
    "marian-half": (*MODELS["Marian"], HALF),
    "bart-half": ("BartForConditionalGeneration", "BartConfig", {**COMMON, **SEQ2SEQ}, True, HALF),
    "led": (
        "LEDForConditionalGeneration",
        "LEDConfig",
        {**LONG, **SEQ2SEQ, "max_encoder_position_embeddings": 64, "max_decoder_position_embeddings": 64},
        True,
        "float32",
    ),
    "longformer": (
        "LongformerModel",
        "LongformerConfig",
        {
            **LONG,
            "hidden_size": 64,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "intermediate_size": 128,
            "max_position_embeddings": 512,
        },
        False,
        "float32",
    ),
}


BASE = {"d_model": 768, "encoder_layers": 6, "decoder_layers": 6, "encoder_ffn_dim": 3072, "decoder_ffn_dim": 3072}
LENGTHS = {"small": (8, 20), "base": (512, 1024)}  # tokens of a text; of one where attention has a window


# Sizes of images are tensors, by which the model cuts patches out.
PIXTRAL: Spec = {
    "id": "pixtral-vision",
    "model_class": "transformers.PixtralVisionModel",
    "config_class": "transformers.PixtralVisionConfig",
    "config": {
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "image_size": 32,
        "patch_size": 4,
    },
    "inputs": [
        {"name": "pixel_values", "shape": [4, 3, 32, 32], "dtype": "float32", "fill": "rand"},
        {
            "name": "image_sizes",
            "shape": [4, 2],
            "dtype": "int64",
            "value": [[32, 32], [24, 32], [32, 16], [16, 16]],
        },
    ],
    "dtype": "float32",
    "train": False,
}


def tokens(name: str, length: int) -> Spec:
    return {"name": name, "shape": [1, length], "dtype": "int64", "fill": "randint", "low": 3, "high": 128}


def paper_specs(size: str = "small") -> list[Spec]:
    """The models of the paper as specs, and one that breaks with version 5 only.

    A size is "small", or "base": the width and depth that a class of models has by default, and longer texts.
    """
    found = []
    for name, (model_class, config_class, config, has_decoder, dtype) in PAPER.items():
        length = LENGTHS[size][1 if "attention_window" in config else 0]
        inputs = [tokens("input_ids", length)]
        inputs += [tokens("decoder_input_ids", LENGTHS[size][0])] * has_decoder
        if size == "base":
            config = {name: value for name, value in BASE.items() if name in config}
        classes = {"model_class": f"transformers.{model_class}", "config_class": f"transformers.{config_class}"}
        found.append({"id": name, **classes, "config": config, "inputs": inputs, "dtype": dtype, "train": False})
    return [{**spec, "by_hand": BY_HAND.get(spec["id"])} for spec in [*found, PIXTRAL]]


def zoo_specs(path: str, names: list[str], seed: int, count: int) -> list[Spec]:
    """The specs of a zoo file that are named, or so many picked at random."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    specs = [json.loads(line) for line in lines if line.strip()]
    if not names:
        return random.Random(seed).sample(specs, min(count, len(specs)))
    by_name = {spec["id"]: spec for spec in specs}
    missing = [name for name in names if name not in by_name]
    if missing:
        raise SystemExit(f"bench: {path} has no {', '.join(missing)}")
    return [by_name[name] for name in names]


def seed_all(seed: int) -> None:
    """Seed the generators that a model may draw from."""
    torch.manual_seed(seed)
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed)


def named(path: str) -> Any:
    """The class that a dotted path names."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def build_model(spec: Spec) -> torch.nn.Module:
    """The model in its dtype, in evaluation mode unless it is to be trained; dropout is off in both."""
    arguments = []
    if "config_class" in spec:
        arguments.append(named(spec["config_class"]).from_dict(json.loads(json.dumps(spec["config"]))))
    seed_all(11)
    model = named(spec["model_class"])(*arguments, **spec.get("model_kwargs", {}))
    model = model.to(getattr(torch, spec.get("dtype", "float32"))).train(bool(spec.get("train")))
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    return model


def build_tensor(spec: Spec, dtype: str) -> torch.Tensor:
    shape, own = spec.get("shape", []), getattr(torch, spec.get("dtype") or dtype)
    fill = spec.get("fill", "randn")
    if "value" in spec:
        return torch.tensor(spec["value"], dtype=own).reshape(shape)
    if fill == "randint":
        return torch.randint(spec["low"], spec["high"], shape).to(own)
    made = getattr(torch, fill)(shape)
    return (made * spec.get("scale", 1.0) if fill in ("rand", "randn") else made).to(own)


def build_value(spec: Spec, dtype: str) -> Any:
    """The value of an input."""
    if "literal" in spec:
        return spec["literal"]
    for kind, make in (("list", list), ("tuple", tuple)):
        if kind in spec:
            return make(build_value(item, dtype) for item in spec[kind])
    if "dict" in spec:
        return {name: build_value(item, dtype) for name, item in spec["dict"].items()}
    return build_tensor(spec, dtype)


def build_calls(spec: Spec, count: int) -> list[dict[str, Any]]:
    """The arguments of so many calls; values that are filled at random differ from call to call."""
    seed_all(22)
    dtype = spec.get("dtype", "float32")
    return [
        {**{one["name"]: build_value(one, dtype) for one in spec["inputs"]}, **spec.get("kwargs", {})}
        for _ in range(count)
    ]


def moved(value: Any, device: str, dtype: torch.dtype | None, batch: int) -> Any:
    """A value on a device, its floating point tensors in a dtype, its first dimension repeated."""
    if isinstance(value, torch.Tensor):
        value = value.to(device, dtype) if dtype and value.is_floating_point() else value.to(device)
        return value.repeat(batch, *[1] * (value.dim() - 1)) if value.dim() and batch > 1 else value
    if isinstance(value, dict):
        return {name: moved(item, device, dtype, batch) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(moved(item, device, dtype, batch) for item in value)
    return value


def tensors(value: Any, within: frozenset[int] = frozenset()) -> Iterator[torch.Tensor]:
    """The tensors of an output, also those in objects such as caches; `within` are the objects that it is a part of."""
    if isinstance(value, torch.Tensor):
        yield value.detach()
    elif id(value) not in within:
        if isinstance(value, Mapping):
            parts = list(value.values())
        elif isinstance(value, (list, tuple)):
            parts = list(value)
        else:
            is_code = isinstance(value, (torch.nn.Module, type))
            parts = [] if is_code else list(getattr(value, "__dict__", {}).values())
        for part in parts:
            yield from tensors(part, within | {id(value)})
