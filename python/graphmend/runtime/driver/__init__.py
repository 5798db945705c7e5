"""The way of a call: what stands in for `torch.compile`, variants of a callable, the retry policy, the backend."""
