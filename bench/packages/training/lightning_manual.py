"""Manual optimisation: two optimisers in one step."""

import lightning
import torch

FAMILY = "lightning"
GRAD = False
IGNORE_STATE = ["first", "second"]


class Pair(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.maker, self.judge = torch.nn.Linear(2, 4), torch.nn.Linear(4, 1)
        self.first = torch.optim.Adam(self.maker.parameters(), lr=0.01)
        self.second = torch.optim.Adam(self.judge.parameters(), lr=0.01)

    def forward(self, noise, real):
        fake = self.maker(noise)
        made = torch.nn.functional.softplus(-self.judge(fake)).mean()
        self.first.zero_grad()
        made.backward()
        self.first.step()
        judged = (
            torch.nn.functional.softplus(self.judge(fake.detach())).mean()
            + torch.nn.functional.softplus(-self.judge(real)).mean()
        )
        self.second.zero_grad()
        judged.backward()
        torch.nn.utils.clip_grad_norm_(self.judge.parameters(), 1.0)
        self.second.step()
        return made.detach(), judged.detach()


def model():
    return Pair()


def calls():
    return [(torch.randn(5, 2), torch.randn(5, 4)) for _ in range(3)]
