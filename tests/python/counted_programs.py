"""Parts of programs that count their graphs: a backend that counts, and a function that breaks in two places."""

from __future__ import annotations

COUNT = """
import torch
graphs = [0]
def backend(graph, inputs):
    graphs[0] += 1
    return graph.forward
"""
GATE = """
def gate(x):
    if x.sum() > 0:
        print("positive")
        x = x * 2
    return x + 1
"""
