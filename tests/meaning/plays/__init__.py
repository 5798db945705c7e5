"""Plays: servers that are slow, broken or lie, each a script of bytes, waits and closes on a real socket.

`stage` has the steps and the server that carries them out, `protocol` what a right server says, the other modules the
plays, a module for each class of them and three of all classes, and `performance` shows a client to a play.
"""

from __future__ import annotations

from plays import belonging, costs, failures, framing, grammar, options, patience, repetition, text, tools, waiting
from plays.stage import Play

PLAYS: list[Play] = [
    play
    for module in (belonging, failures, text, waiting, repetition, costs, options, tools, framing, grammar, patience)
    for play in module.PLAYS
]
