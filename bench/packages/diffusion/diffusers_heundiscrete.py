"""The loop of a sampler with the scheduler HeunDiscrete."""

import torch
from diffusers import HeunDiscreteScheduler

FAMILY = "diffusers"
GRAD = False
IGNORE_STATE = ["steps"]


class Sample(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Conv2d(1, 1, 3, padding=1)
        self.steps = HeunDiscreteScheduler(num_train_timesteps=50)

    def forward(self, x):
        self.steps.set_timesteps(4)
        for time in self.steps.timesteps:
            found = self.net(self.steps.scale_model_input(x, time))
            x = self.steps.step(found, time, x).prev_sample
        return x


def model():
    return Sample().eval()


def calls():
    return [(torch.randn(1, 1, 6, 6),) for _ in range(2)]
