"""What layers of torch give when they are called, by the class that they are made of."""

import torch
from torch import nn
from torch.nn import utils


def make(size):
    return size


class Own(nn.Module):
    def forward(self, x):
        return x * 2


class Layers(nn.Module):
    def __init__(self, flag: bool):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.lazy = nn.LazyLinear(4)
        self.relu, self.drop = nn.ReLU(), nn.Dropout(0.5)
        self.norm = nn.LayerNorm(4)
        self.conv = torch.nn.Conv2d(1, 1, 3)
        self.pool = nn.MaxPool1d(2)
        self.pool_of = nn.MaxPool2d(2, return_indices=True)
        self.average = nn.AvgPool1d(2)
        self.adaptive = nn.AdaptiveMaxPool1d(2)
        self.unpool = nn.MaxUnpool1d(2)
        self.embed = nn.Embedding(4, 4)
        self.bag = nn.EmbeddingBag(4, 4)
        self.lstm, self.gru, self.rnn = nn.LSTM(4, 4), nn.GRU(4, 4), nn.RNN(4, 4)
        self.cell, self.other_cell = nn.LSTMCell(4, 4), nn.GRUCell(4, 4)
        self.attention = nn.MultiheadAttention(4, 1)
        self.encoder = nn.TransformerEncoderLayer(4, 1)
        self.same = nn.Identity()
        self.rows = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
        self.parts = nn.ModuleList([nn.Linear(4, 4)])
        self.named = nn.ModuleDict({"a": nn.Linear(4, 4)})
        self.data = nn.DataParallel(nn.Linear(4, 4))
        self.loss = nn.CrossEntropyLoss()
        self.adaptive_loss = nn.AdaptiveLogSoftmaxWithLoss(4, 8, [2])
        self.flat = nn.Flatten()
        self.parametrized = utils.parametrizations.weight_norm(nn.Linear(4, 4))
        self.quantized = torch.nn.quantized.FloatFunctional()
        self.own = Own()
        self.either = nn.Linear(4, 4) if flag else None
        self.both = nn.ReLU() if flag else nn.GELU()
        self.container = nn.Container() if flag else nn.Module()
        self.parameter = nn.Parameter(torch.ones(4))
        self.unknown = make(4)

    def forward(self, x: torch.Tensor, ids: torch.Tensor):
        a = self.linear(x)
        b = self.relu(self.drop(a))
        c = self.norm(b), self.lazy(b), self.conv(b)
        d = self.pool(x), self.pool_of(x), self.average(x), self.adaptive(x), self.unpool(x, ids)
        e = self.embed(ids), self.bag(ids)
        f, state = self.lstm(x)
        g, last = self.gru(x)
        h = self.rnn(x)
        i, j = self.cell(x)
        k = self.other_cell(x)
        m, weights = self.attention(x, x, x)
        n = self.encoder(x)
        o = self.same(x), self.same(3), self.same()
        p = self.rows(x), self.parts[0](x), self.named["a"](x), self.data(x)
        q = self.loss(x, ids), self.adaptive_loss(x, ids), self.flat(x)
        r = self.parametrized(x), self.quantized.add(x, x), self.own(x)
        s = self.either(x), self.both(x), self.container(x), self.unknown(x)
        t = nn.Linear(4, 4)(x), torch.nn.functional.relu(x), nn.ReLU()(x), nn.Identity()(x), self.parameter * x
        u = self.linear.forward(x), self.linear.weight(x), self.linear.__call__(x)
        if self.loss(x, ids) > 0:
            a = a + 1
        if self.pool(x).sum() > 0:
            a = a + 2
        if self.gru(x)[0].sum() > 0:
            a = a + 3
        return a, b, c, d, e, f, state, g, last, h, i, j, k, m, weights, n, o, p, q, r, s, t, u
