"""Whether the mended program does what the program does.

Eager Python tells what is right, and plain compilation who is to blame.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, Optional

from . import streams
from .compare import CAPTURED, COMPILED, EXACT_BACKENDS, Comparison, Difference, Tolerance, short
from .reading import Call, Key, Seen

ASPECTS = (
    *("values", "aliases", "gradients", "mutation", "state", "exceptions", "random"),
    *("output", "errors", "logs", "warnings", "exit"),
)
SHOWN = 100
ROUNDING = 4  # how much further off than plain compilation's result one may be that is off for the same reason
ABSENT: dict[str, Any] = {"type": "absent"}


@dataclasses.dataclass
class Tally:
    """What was compared of one aspect."""

    compared: int = 0
    exact: int = 0
    mended: int = 0
    torch: int = 0
    unsettled: int = 0


class Equality:
    """Compares the eager, the plain and the mended run."""

    def __init__(self, eager: Seen, plain: Seen, mended: Seen) -> None:
        self.runs = eager, plain, mended
        self.tolerance = tolerance_of(plain)
        self.to_plain = Comparison(eager.contents, plain.contents, self.tolerance)
        self.to_mended = Comparison(eager.contents, mended.contents, self.tolerance)
        self.between = Comparison(plain.contents, mended.contents, self.tolerance)
        self.tallies = {name: Tally() for name in ASPECTS}
        self.differences: list[dict[str, Any]] = []
        self.compared = 0
        for key in eager.callables:
            self.compare_calls(key)
        self.compare_ends()
        self.compare_streams()

    def equal(self) -> bool:
        """Whether nothing differs for which the mends are to blame."""
        return not any(tally.mended for tally in self.tallies.values())

    def compare_calls(self, key: Key) -> None:
        """Compare the calls of one callable, and what it has left."""
        lists = [seen.calls.get(key, []) for seen in self.runs]
        counts = [{"type": "builtins.int", "value": len(calls)} for calls in lists]
        self.judge("values", f"number of calls of {key[0]}", *counts)
        states: list[dict[str, Any]] = [{}, {}, {}]
        gradients: list[dict[str, Any]] = [{}, {}, {}]
        if all(len({call.members["thread"] for call in calls}) <= 1 for calls in lists):  # otherwise in any order
            for calls in zip(*lists):
                self.compare_call(calls, states, gradients)
        for name, values in merged(states, [seen.left.get(key, {}) for seen in self.runs]):
            self.judge("state", f"{name} of {key[0]} at the end", *values)

    def compare_call(
        self, calls: tuple[Call, ...], states: list[dict[str, Any]], gradients: list[dict[str, Any]]
    ) -> None:
        """Compare one call and what followed it."""
        where = f"call {calls[0].number} of {calls[0].name}"
        self.judge("exceptions", where, *(call.members["error"] for call in calls))
        if not all(call.detailed for call in calls):
            return
        self.compared += 1
        for aspect, member in (
            ("values", "output"),
            ("aliases", "aliases"),
            ("mutation", "inputs"),
            ("random", "random"),
        ):
            self.judge(aspect, where, *(call.members[member] for call in calls))
        for name, values in merged(states, [call.members["state"] for call in calls]):
            self.judge("state", f"{name} after {where}", *values)
        for name, values in merged(gradients, [call.members["gradients"] for call in calls]):
            self.judge("gradients", f"{name} after {where}", *values)
        for runs in zip(*(call.backwards for call in calls)):
            if all("gradients" in run for run in runs):
                self.judge("gradients", f"result of backward after {where}", *(run["result"] for run in runs))
                for name, values in merged(gradients, [run["gradients"] for run in runs]):
                    self.judge("gradients", f"{name} in backward after {where}", *values)

    def compare_ends(self) -> None:
        """Compare how the program ended."""
        where = "end of the program"
        self.judge("exceptions", where, *(seen.error() for seen in self.runs))
        self.judge("random", where, *(seen.random for seen in self.runs))
        statuses = [{"type": "builtins.int", "value": seen.ended.exit_status} for seen in self.runs]
        self.judge("exit", where, *statuses)

    def judge(self, aspect: str, where: str, eager: Any, plain: Any, mended: Any) -> None:
        """Compare one thing in three runs."""
        tally = self.tallies[aspect]
        tally.compared += 1
        tally.exact += eager == mended
        if eager == plain == mended:
            return
        self.to_plain.deviation = self.to_mended.deviation = 0.0
        off, found = self.to_plain.difference(eager, plain), self.to_mended.difference(eager, mended)
        if off is None and found is None:
            return
        owner = self.owner(off, found, plain, mended)
        if owner is not None:
            self.note(aspect, where, owner, short(eager), text_of(off), text_of(found))

    def owner(self, off: Optional[Difference], found: Optional[Difference], plain: Any, mended: Any) -> Optional[str]:
        """Who is to blame for a difference; None if it is rounding that plain compilation shows, too."""
        if found is None:
            return "torch"
        if off is None:
            rounded = found.deviation is not None and found.deviation <= ROUNDING * self.to_plain.deviation
            return None if rounded else "mended"
        return "torch" if self.between.difference(plain, mended) is None else "unsettled"

    def note(
        self, aspect: str, where: str, owner: str, eager: Optional[str], plain: Optional[str], mended: Optional[str]
    ) -> None:
        """Count a difference, and keep it if there are few."""
        tally = self.tallies[aspect]
        setattr(tally, owner, getattr(tally, owner) + 1)
        if len(self.differences) < SHOWN or owner == "mended":
            self.differences.append(
                {"aspect": aspect, "place": where, "whose": owner, "eager": eager, "plain": plain, "mended": mended}
            )

    def compare_streams(self) -> None:
        """Compare what was printed, logged and warned."""
        for read, names in ((streams.events, ("output", "logs", "warnings")), (streams.errors, ("errors",))):
            eager, plain, mended = (read(seen) for seen in self.runs)
            for name in names:
                kinds = [[entry for entry in entries if entry[0] == name] for entries in (eager, mended)]
                self.tallies[name].compared = max(map(len, kinds))
                self.tallies[name].exact = sum(a == b for a, b in zip(*kinds))
            for region in streams.regions(eager, plain, mended):
                self.note_region(region, streams.place(region, eager))

    def note_region(self, region: streams.Region, where: str) -> None:
        """Note one difference of the streams, for each kind of event that differs, or for their common order."""
        kinds = [kind for kind in streams.kinds(region) if kind != "call"]
        parts = [[streams.of_kind(entries, kind) for entries in region.all()] for kind in kinds]
        alone = [(kind, part) for kind, part in zip(kinds, parts) if part != [part[0]] * 3]
        if not alone:  # so it is their order that differs, or when calls return
            aspect = kinds[0] if kinds else "output"
            alone = [(aspect, [streams.of_kind(entries, *kinds) for entries in region.all()])]
        for kind, (here, *there) in alone:
            told = [None if entries == here else streams.words(entries) for entries in there]
            self.note(kind, where, "torch" if there[1] == here else region.whose(), streams.words(here), *told)

    def as_data(self) -> dict[str, Any]:
        """The comparison as the report has it."""
        shown = sorted(self.differences, key=lambda found: found["whose"] != "mended")[:SHOWN]
        return {
            "equal": self.equal(),
            "calls": self.runs[0].count_calls(),
            "compared": self.compared,
            "tolerance": {"relative": self.tolerance.relative, "absolute": self.tolerance.absolute},
            "aspects": [{"name": name, **dataclasses.asdict(tally)} for name, tally in self.tallies.items()],
            "differences": shown,
        }


def tolerance_of(plain: Seen) -> Tolerance:
    """How exact the program's backends are."""
    return CAPTURED if plain.backends and all(name in EXACT_BACKENDS for name in plain.backends) else COMPILED


def text_of(found: Optional[Difference]) -> Optional[str]:
    return None if found is None else found.text


def merged(known: list[dict[str, Any]], changes: list[dict[str, Any]]) -> Iterator[tuple[str, list[Any]]]:
    """Take what has changed into what was known, and give each name that has changed with its three values."""
    for table, change in zip(known, changes):
        table.update(change)
    for name in dict.fromkeys(name for change in changes for name in change):
        yield name, [table.get(name, ABSENT) for table in known]
