"""The network of TabNet, with its sparse attention."""

import torch
from pytorch_tabnet.tab_network import TabNet

FAMILY = "tabnet"


def model():
    groups = torch.eye(5)
    return TabNet(5, 2, n_d=4, n_a=4, n_steps=2, group_attention_matrix=groups, virtual_batch_size=4).train()


def calls():
    return [(torch.randn(n, 5),) for n in (8, 8, 12)]
