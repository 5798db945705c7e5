"""A small layer that breaks its graph in three places, and how many graphs torch.compile makes of it."""

import torch


class Gate(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if torch.isnan(x).any():
            raise ValueError("NaN in the input")
        y = torch.relu(x)
        if y.sum() > 10:
            y = y * 0.5
        print("mean", y.mean())
        return y


def main() -> None:
    graphs = []

    def count(graph: torch.fx.GraphModule, inputs: list) -> object:
        graphs.append(graph)
        return graph.forward

    gate = torch.compile(Gate(), backend=count)
    for size in (1.0, 100.0):
        gate(torch.linspace(-size, size, 8))
    print("graphs:", len(graphs))


if __name__ == "__main__":
    main()
