"""Gradients inside a call: hooks, `retain_grad`, `requires_grad`, and `backward` in the compiled function."""
