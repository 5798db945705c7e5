"""The state of a trace, the call stack, marker operators, and the names of torch: what all rooms of the runtime use."""
