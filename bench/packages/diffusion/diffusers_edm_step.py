"""Training of a denoiser with weights by signal, and an average of its parameters."""

import torch
from diffusers import DDPMScheduler
from diffusers.training_utils import EMAModel, compute_snr

FAMILY = "diffusers"
GRAD = False
IGNORE_STATE = ["optimizer", "schedule", "average"]


class Step(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Conv2d(1, 1, 3, padding=1)
        self.schedule = DDPMScheduler(num_train_timesteps=20)
        self.average = EMAModel(self.net.parameters(), decay=0.9)
        self.optimizer = torch.optim.AdamW(self.net.parameters(), lr=1e-3)

    def forward(self, x):
        noise = torch.randn_like(x)
        steps = torch.randint(0, 20, (x.shape[0],))
        found = self.net(self.schedule.add_noise(x, noise, steps))
        weight = compute_snr(self.schedule, steps).clamp(max=5.0)
        loss = (weight * ((found - noise) ** 2).mean((1, 2, 3))).mean()
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.average.step(self.net.parameters())
        return loss.detach().item()


def model():
    return Step().train()


def calls():
    return [(torch.randn(2, 1, 8, 8),) for _ in range(3)]
