"""The settings of one run, from the command to the process."""

from __future__ import annotations

import dataclasses
import json
import os
from typing import Optional

EAGER, PLAIN, MENDED, ROUNDED = "eager", "plain", "mended", "rounded"
# The runs in their order: name, which program, and whether it is asked for one graph or an error.
RUNS = (
    (EAGER, EAGER, False),
    (PLAIN, PLAIN, False),
    (MENDED, MENDED, False),
    ("plain fullgraph", PLAIN, True),
    ("mended fullgraph", MENDED, True),
)
# With other rounding: one number may move by little by chance, three of three hardly ever.
ROUNDINGS = ("rounded", "rounded 2", "rounded 3")
COMPARED = tuple(name for name, _, fullgraph in RUNS if not fullgraph)


@dataclasses.dataclass(frozen=True)
class Settings:
    """One run. `calls` is how many are noted in full; for a callable, `rounds` is how many to make, of `inputs`."""

    role: str
    fullgraph: bool
    kind: str  # "script", "module" or "callable"
    name: str
    backend: Optional[str]
    seed: int
    calls: int
    rounds: int = 10
    inputs: str = "inputs"
    number: int = 0  # of a run with other rounding, counted from 0

    def save(self, folder: str) -> None:
        """Write the settings for the process of the run."""
        with open(os.path.join(folder, "settings.json"), "w", encoding="utf-8") as stream:
            json.dump(dataclasses.asdict(self), stream)

    @classmethod
    def load(cls, folder: str) -> Settings:
        """What `save` wrote."""
        with open(os.path.join(folder, "settings.json"), encoding="utf-8") as stream:
            return cls(**json.load(stream))
