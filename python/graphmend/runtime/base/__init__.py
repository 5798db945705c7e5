"""The state of a trace, the call stack, marker operators, hooks, and the names of torch, shared by all rooms of the
runtime.
"""
