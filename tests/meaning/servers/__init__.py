"""Real servers that speak the protocol of chat completions, each a process of its own, to be asked by real clients.

`echo` is what they serve where they have no model: the answer to a question is the question.
"""
