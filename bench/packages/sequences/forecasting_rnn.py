"""A recurrent network of pytorch-forecasting over sequences of several lengths."""

import torch
from pytorch_forecasting.models.nn import LSTM

FAMILY = "forecasting"


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = LSTM(3, 5, batch_first=True)
        self.head = torch.nn.Linear(5, 1)

    def forward(self, x, lengths):
        found, state = self.cell(x, lengths=lengths, enforce_sorted=False)
        state = self.cell.handle_no_encoding(state, lengths == 0, self.cell.init_hidden_state(x))
        return self.head(found[0] if isinstance(found, tuple) else found), state[0]


def model():
    return Network()


def calls():
    return [(torch.randn(3, 5, 3), torch.tensor([5, 3, 2])), (torch.randn(3, 5, 3), torch.tensor([4, 5, 1]))]
