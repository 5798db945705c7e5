"""The way of a call: the stand-in for `torch.compile`, variants of a callable, the retry policy, the backend."""
