"""Breaks that the usual counters do not see; what they say goes into a file for the test."""

import json
import logging
import os
import sys

import planted
import torch

log = logging.getLogger("mine")


def loop(x):
    for number in range(2):
        print("loop", number)
        x = x + 1
    return x


def handler(x):
    try:
        print("handler")
        x = x + 1
    finally:
        x = x - 1
    return x


def printed(x):
    y = x + 1
    print("printed")
    return y * 2


def logged(x):
    y = x + 1
    log.warning("logged")
    return y * 2


def growing(x, sizes=[]):  # noqa: B006
    sizes.append(x.shape[0])
    return x + len(sizes)


def clean(x):
    return torch.relu(x) + 1


def straight(x):
    return x + x.sum().item()


compiled = [torch.compile(one, backend="eager") for one in (loop, handler, printed, logged, growing, clean, straight)]
for _ in range(4):
    for call in compiled:
        call(torch.ones(4))

if not planted.is_mended() and not os.path.exists(sys.argv[1]):
    counters = torch._dynamo.utils.counters
    if counters["stats"]:  # something was compiled: this is the plain run
        explained = [
            torch._dynamo.explain(one)(torch.ones(4)).graph_break_count for one in (loop, handler, printed, logged)
        ]
        with open(sys.argv[1], "w", encoding="utf-8") as stream:
            json.dump({"counted": sum(counters["graph_break"].values()), "explained": explained}, stream)
