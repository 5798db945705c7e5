"""A small training: `train.py CASE`, one of CASES, as it is or, with `--wrong`, under a mend that is planted wrong.

The step of a case has one thing that breaks graphs: a printed loss, or a clip that data decide.
"""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from pathlib import Path
from typing import Any

import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "programs"))
import planted  # noqa: E402


@dataclasses.dataclass(frozen=True)
class Case:
    model: str
    optimizer: str
    dtype: torch.dtype = torch.float32  # of the parameters
    autocast: "torch.dtype | None" = None
    scaler: bool = False
    wrong: str = "other_value"  # the fault that `--wrong` plants
    clips: bool = False  # whether the step clips its outputs; otherwise it prints the loss


HALF, BRAIN = torch.float16, torch.bfloat16
CASES = {
    "mlp-sgd": Case("mlp", "sgd"),
    "mlp-momentum": Case("mlp", "momentum", wrong="other_gradient", clips=True),
    "mlp-adam": Case("mlp", "adam", wrong="no_gradient", clips=True),
    "mlp-adamw": Case("mlp", "adamw", wrong="other_input"),
    "mlp-rmsprop": Case("mlp", "rmsprop"),
    "mlp-adagrad": Case("mlp", "adagrad", wrong="other_gradient"),
    "conv-sgd": Case("conv", "sgd", wrong="other_input", clips=True),
    "conv-adam": Case("conv", "adam"),
    "attention-adamw": Case("attention", "adamw", wrong="other_gradient", clips=True),
    "attention-nadam": Case("attention", "nadam"),
    "mlp-bf16": Case("mlp", "sgd", BRAIN, clips=True),
    "conv-bf16": Case("conv", "adamw", BRAIN, wrong="other_gradient"),
    "attention-bf16": Case("attention", "adamw", BRAIN),
    "mlp-fp16": Case("mlp", "sgd", HALF, scaler=False, wrong="no_gradient"),
    "mlp-autocast": Case("mlp", "adam", autocast=BRAIN),
    "conv-autocast": Case("conv", "momentum", autocast=BRAIN, wrong="other_input", clips=True),
    "attention-autocast": Case("attention", "adamw", autocast=BRAIN, wrong="other_gradient"),
    "mlp-fp16-scaler": Case("mlp", "sgd", autocast=HALF, scaler=True, clips=True),
    "attention-fp16-scaler": Case("attention", "adamw", autocast=HALF, scaler=True, wrong="no_gradient"),
    "conv-fp16-scaler": Case("conv", "rmsprop", autocast=HALF, scaler=True, wrong="other_gradient"),
}


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm = nn.Linear(16, 16), nn.LayerNorm(16)
        self.attention = nn.MultiheadAttention(16, 2, batch_first=True)
        self.last = nn.Linear(16, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.first(x.view(x.shape[0], 4, 16))
        x = self.norm(x + self.attention(x, x, x, need_weights=False)[0])
        return self.last(x.mean(1))


class Conv(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm = nn.Conv2d(1, 4, 3, padding=1), nn.GroupNorm(2, 4)
        self.last = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(torch.relu(self.norm(self.conv(x.view(-1, 1, 8, 8)))).mean((2, 3)))


def model_of(case: Case) -> nn.Module:
    if case.model == "mlp":
        return nn.Sequential(nn.Linear(64, 32), nn.GELU(), nn.Linear(32, 4)).to(case.dtype)
    return (Conv() if case.model == "conv" else Attention()).to(case.dtype)


def optimizer_of(case: Case, model: nn.Module) -> torch.optim.Optimizer:
    kinds: "dict[str, Any]" = {
        "sgd": (torch.optim.SGD, {"lr": 0.05}),
        "momentum": (torch.optim.SGD, {"lr": 0.05, "momentum": 0.9, "nesterov": True}),
        "adam": (torch.optim.Adam, {"lr": 1e-3}),
        "adamw": (torch.optim.AdamW, {"lr": 1e-3}),
        "nadam": (torch.optim.NAdam, {"lr": 1e-3}),
        "rmsprop": (torch.optim.RMSprop, {"lr": 1e-3}),
        "adagrad": (torch.optim.Adagrad, {"lr": 1e-2}),
    }
    kind, options = kinds[case.optimizer]
    return kind(model.parameters(), **options)


def main() -> None:
    case = CASES[sys.argv[1]]
    if "--wrong" in sys.argv:
        planted.plant("loss_of", getattr(planted, case.wrong))
    torch.manual_seed(0)
    model = model_of(case)
    optimizer = optimizer_of(case, model)
    clips = case.clips
    scaler = torch.amp.GradScaler("cpu", enabled=case.scaler)

    @torch.compile
    def loss_of(x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        out = model(x)
        if clips and out.abs().max() > 0.5:
            out = out.clamp(-0.5, 0.5)
        loss = nn.functional.cross_entropy(out.float(), target)
        if not clips:
            print(f"loss {loss.item():.2f}")
        return loss

    around = torch.autocast("cpu", case.autocast) if case.autocast is not None else contextlib.nullcontext()
    for _ in range(4):
        x, target = torch.randn(8, 64).to(case.dtype), torch.randint(4, (8,))
        optimizer.zero_grad()
        with around:
            loss = loss_of(x, target)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    print("done")


if __name__ == "__main__":
    main()
