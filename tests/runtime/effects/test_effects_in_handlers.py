"""Effects of code that handles an exception: what may look at the exception is not deferred, anything else is."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

PROGRAM = """
import logging, sys, traceback

import torch

log = logging.getLogger("handlers")
log.setLevel(logging.INFO)
log.propagate = False

class Shown(logging.Handler):
    def emit(self, record):
        print(self.format(record).splitlines()[-1])

class Told(logging.StreamHandler):
    def emit(self, record):
        print(record.getMessage(), sys.exc_info()[0])

class Notes:
    def __init__(self):
        self.kept = []
    def keep(self, value):
        self.kept.append(value)
    def keep_kind(self, value):
        self.kept.append((value, sys.exc_info()[0]))
    def keep_text(self, value):
        self.kept.append((value, traceback.format_exc(limit=0)))
    def log(self, value):
        log.error("noted %s", value, exc_info=True)

log.handlers[:] = [{handler}()]
notes = Notes()

def forward(x):
    try:
        if x.sum() < 0:
            raise ValueError("negative")
    except ValueError:
        {effect}
        return x.abs()
    return x * 2

def make():
    return forward
"""
LOOKS = {
    "the record of an exception": "log.exception('falling back')",
    "a method that asks for the exception": "notes.keep_kind(3)",
    "a method that asks for its text": "notes.keep_text(3)",
    "a method that logs it": "notes.log(3)",
}
LOOKS_NOT = {
    "GM301": "print('falling back', x.shape)",
    "GM302": "log.warning('falling back %s', x.shape)",
    "GM304": "notes.keep(3)",
}
CALLS = [lambda: (torch.ones(2, 3),), lambda: (-torch.ones(2, 3),), lambda: (torch.ones(2, 3),)]


@pytest.mark.parametrize("name", LOOKS)
def test_what_looks_at_the_exception_sees_it(tmp_path: Any, name: str) -> None:
    compare(load(tmp_path, PROGRAM.format(effect=LOOKS[name], handler="Shown")), CALLS)


@pytest.mark.parametrize("code", LOOKS_NOT)
def test_other_effects_are_deferred(tmp_path: Any, code: str) -> None:
    program = PROGRAM.format(effect=LOOKS_NOT[code], handler="logging.NullHandler")
    assert compare(load(tmp_path, program), CALLS).mended(code)


def test_a_handler_that_asks_for_the_exception(tmp_path: Any) -> None:
    program = PROGRAM.format(effect=LOOKS_NOT["GM302"], handler="Told")
    compare(load(tmp_path, program), CALLS)
