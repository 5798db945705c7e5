"""Gradients that a call computes or changes: hooks, `retain_grad`, `requires_grad`, `backward` inside the call."""
