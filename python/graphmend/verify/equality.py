"""Whether the mended program and the program behave alike.

Eager Python is the reference, and plain compilation shows the cause of a difference.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, Optional

from . import streams
from .compare import CAPTURED, COMPILED, EXACT_BACKENDS, MEASURE, Comparison, Difference, Tolerance, short
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
    """Counts of comparisons of one aspect; `rounded` counts differences by rounding."""

    compared: int = 0
    exact: int = 0
    rounded: int = 0
    mended: int = 0
    torch: int = 0
    unsettled: int = 0


class Equality:
    """Comparison of the eager, plain and mended run, and of the runs with other rounding, if present."""

    def __init__(self, eager: Seen, plain: Seen, mended: Seen, *rounded: Seen) -> None:
        self.runs = eager, plain, mended
        self.all = (*self.runs, *rounded)
        self.spreads = [Comparison(eager.contents, seen.contents, MEASURE) for seen in rounded]
        self.largest: Optional[dict[str, Any]] = None  # of the differences by rounding
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
        """Whether no difference is due to mends."""
        return not any(tally.mended for tally in self.tallies.values())

    def compare_calls(self, key: Key) -> None:
        """Compare the calls of one callable, and its final state."""
        lists: list[Sequence[Optional[Call]]] = [seen.calls.get(key, []) for seen in self.all]
        counts = [{"type": "builtins.int", "value": len(calls)} for calls in lists[:3]]
        self.judge("values", f"number of calls of {key[0]}", *counts)
        # With other rounding a program may take another way: calls of other numbers are not the same calls.
        lists[3:] = [calls if len(calls) == len(lists[0]) else [None] * len(lists[0]) for calls in lists[3:]]
        states: list[dict[str, Any]] = [{} for _ in self.all]
        gradients: list[dict[str, Any]] = [{} for _ in self.all]
        if all(len({call.members["thread"] for call in calls if call}) <= 1 for calls in lists):  # else in any order
            for calls in zip(*lists):
                self.compare_call(calls, states, gradients)
        left = [seen.left.get(key, {}) if has_calls(calls) else {} for seen, calls in zip(self.all, lists)]
        for name, values in merged(states, left):
            self.judge("state", f"{name} of {key[0]} at the end", *values)

    def compare_call(
        self, calls: tuple[Optional[Call], ...], states: list[dict[str, Any]], gradients: list[dict[str, Any]]
    ) -> None:
        """Compare one call and the events behind the call."""
        own: list[Call] = [call for call in calls[:3] if call is not None]
        where = f"call {own[0].number} of {own[0].name}"
        self.judge("exceptions", where, *(call.members["error"] for call in own))
        if not all(call.detailed for call in own):
            return
        self.compared += 1
        seen = [call.members if call is not None and call.detailed else {} for call in calls]
        for aspect, member in (
            ("values", "output"),
            ("aliases", "aliases"),
            ("mutation", "inputs"),
            ("random", "random"),
        ):
            self.judge(aspect, where, *(members.get(member) for members in seen))
        for name, values in merged(states, [members.get("state", {}) for members in seen]):
            self.judge("state", f"{name} after {where}", *values)
        for name, values in merged(gradients, [members.get("gradients", {}) for members in seen]):
            self.judge("gradients", f"{name} after {where}", *values)
        for runs in backwards_of(calls):
            if all("gradients" in run for run in runs[:3]):
                self.judge("gradients", f"result of backward after {where}", *(run.get("result") for run in runs))
                for name, values in merged(gradients, [run.get("gradients", {}) for run in runs]):
                    self.judge("gradients", f"{name} in backward after {where}", *values)

    def compare_ends(self) -> None:
        """Compare how the program ended."""
        where = "end of the program"
        self.judge("exceptions", where, *(seen.error() for seen in self.runs))
        self.judge("random", where, *(seen.random for seen in self.runs))
        statuses = [{"type": "builtins.int", "value": seen.ended.exit_status} for seen in self.runs]
        self.judge("exit", where, *statuses)

    def judge(self, aspect: str, where: str, eager: Any, plain: Any, mended: Any, *rounded: Any) -> None:
        """Compare one value in three runs; `rounded` has the values with other rounding, None for an unknown one."""
        tally = self.tallies[aspect]
        tally.compared += 1
        tally.exact += eager == mended
        if eager == plain == mended:
            return
        self.to_plain.deviation = self.to_mended.deviation = 0.0
        off, found = self.to_plain.difference(eager, plain), self.to_mended.difference(eager, mended)
        tally.rounded += found is None and eager != mended
        if off is None and found is None:
            self.note_rounding(aspect, where, self.to_mended.deviation)
            return
        spread = self.spread(eager, rounded)
        if is_within(off, ROUNDING * spread):
            self.to_plain.deviation, off = off.deviation or 0.0, None  # type: ignore[union-attr]
        if off is None and is_within(found, ROUNDING * spread):
            tally.rounded += 1
            self.note_rounding(aspect, where, found.deviation or 0.0, spread)  # type: ignore[union-attr]
            return
        if off is None and found is None:
            return
        owner = self.owner(off, found, plain, mended)
        if owner is not None:
            numbers = all(one is None or one.deviation is not None for one in (off, found))
            self.note(aspect, where, owner, short(eager), text_of(off), text_of(found), numbers)

    def spread(self, eager: Any, rounded: tuple[Any, ...]) -> float:
        """The largest distance that other rounding moves a value; a run in which more than numbers differ has none."""
        largest = 0.0
        for comparison, value in zip(self.spreads, rounded):
            comparison.deviation = 0.0
            if value is not None and comparison.difference(eager, value) is None:
                largest = max(largest, comparison.deviation)
        return largest

    def note_rounding(self, aspect: str, where: str, deviation: float, spread: Optional[float] = None) -> None:
        """Keep the largest difference by rounding."""
        if deviation > (self.largest or {"deviation": 0.0})["deviation"]:
            self.largest = {"aspect": aspect, "place": where, "deviation": deviation, "spread": spread}

    def needs_spread(self) -> bool:
        """Whether a run with other rounding may settle the differences: all of them are numbers."""
        return any(found["numbers"] and found["whose"] != "torch" for found in self.differences)

    def word(self) -> str:
        """The verdict on the whole: `same`, `rounding` or `different`."""
        if not self.equal():
            return "different"
        return "rounding" if any(tally.rounded for tally in self.tallies.values()) else "same"

    def owner(self, off: Optional[Difference], found: Optional[Difference], plain: Any, mended: Any) -> Optional[str]:
        """The cause of a difference; None for rounding that plain compilation shows, too."""
        if found is None:
            return "torch"
        if off is None:
            rounded = found.deviation is not None and found.deviation <= ROUNDING * self.to_plain.deviation
            return None if rounded else "mended"
        return "torch" if self.between.difference(plain, mended) is None else "unsettled"

    def note(
        self,
        aspect: str,
        where: str,
        owner: str,
        eager: Optional[str],
        plain: Optional[str],
        mended: Optional[str],
        numbers: bool = False,
    ) -> None:
        """Count a difference, and keep it if there are few."""
        tally = self.tallies[aspect]
        setattr(tally, owner, getattr(tally, owner) + 1)
        if len(self.differences) < SHOWN or owner == "mended":
            self.differences.append(
                {
                    **{
                        "aspect": aspect,
                        "place": where,
                        "whose": owner,
                        "eager": eager,
                        "plain": plain,
                        "mended": mended,
                    },
                    "numbers": numbers,
                }
            )

    def compare_streams(self) -> None:
        """Compare what was printed, logged and warned."""
        for read, names in ((streams.events, ("output", "logs", "warnings")), (streams.errors, ("errors",))):
            eager, plain, mended = (read(seen) for seen in self.runs)
            for name in names:
                kinds = [[entry for entry in entries if entry[0] == name] for entries in (eager, mended)]
                self.tallies[name].compared = max(map(len, kinds))
                self.tallies[name].exact = sum(a == b for a, b in zip(*kinds))
            rounded = [read(seen) for seen in self.all[3:]]
            for region in streams.regions(eager, plain, mended):
                if not self.is_rounded_text(region, rounded):
                    self.note_region(region, streams.place(region, eager))

    def is_rounded_text(self, region: streams.Region, rounded: list[list[streams.Entry]]) -> bool:
        """Whether what differs in a place of the streams are numbers, by no more than rounding."""
        last = region.first + len(region.eager)
        others = [entries[region.first : last] for entries in rounded]
        others = [entries for entries in others if len(entries) == len(region.eager)]
        if not others or len({len(entries) for entries in region.all()}) != 1:
            return False
        rows = list(zip(*region.all(), *others))
        if any(len({kind for kind, _ in row}) != 1 for row in rows):
            return False
        if not all(streams.is_rounding(*(text for _, text in row), factor=ROUNDING) for row in rows):
            return False
        for kind, _ in region.eager:
            if kind in self.tallies:
                self.tallies[kind].rounded += 1
        return True

    def note_region(self, region: streams.Region, where: str) -> None:
        """Record one difference of the streams for each kind of event, or for the common order."""
        kinds = [kind for kind in streams.kinds(region) if kind != "call"]
        parts = [[streams.of_kind(entries, kind) for entries in region.all()] for kind in kinds]
        alone = [(kind, part) for kind, part in zip(kinds, parts) if part != [part[0]] * 3]
        if not alone:  # so it is their order that differs, or when calls return
            aspect = kinds[0] if kinds else "output"
            alone = [(aspect, [streams.of_kind(entries, *kinds) for entries in region.all()])]
        for kind, (here, *there) in alone:
            told: list[Any] = [None if entries == here else streams.words(entries) for entries in there]
            self.note(kind, where, "torch" if there[1] == here else region.whose(), streams.words(here), *told)

    def as_data(self) -> dict[str, Any]:
        """The comparison as the report has it."""
        shown = sorted(self.differences, key=lambda found: found["whose"] != "mended")[:SHOWN]
        return {
            "equal": self.equal(),
            "word": self.word(),
            "rounding": self.largest,
            "calls": self.runs[0].count_calls(),
            "compared": self.compared,
            "tolerance": {"relative": self.tolerance.relative, "absolute": self.tolerance.absolute},
            "aspects": [{"name": name, **dataclasses.asdict(tally)} for name, tally in self.tallies.items()],
            "differences": shown,
        }


def is_within(found: Optional[Difference], limit: float) -> bool:
    """Whether a difference is one of numbers, and no larger than a limit."""
    return found is not None and found.deviation is not None and found.deviation <= limit


def tolerance_of(plain: Seen) -> Tolerance:
    """How exact the program's backends are."""
    return CAPTURED if plain.backends and all(name in EXACT_BACKENDS for name in plain.backends) else COMPILED


def text_of(found: Optional[Difference]) -> Optional[str]:
    return None if found is None else found.text


def has_calls(calls: Sequence[Optional[Call]]) -> bool:
    """Whether the calls of a run are those that are compared."""
    return not calls or calls[0] is not None


def backwards_of(calls: tuple[Optional[Call], ...]) -> Iterator[list[dict[str, Any]]]:
    """The runs of backward behind one call in all runs; empty for a run with other rounding that had other ones."""
    lists = [call.backwards if call is not None else [] for call in calls]
    for number in range(min(map(len, lists[:3]))):
        yield [backwards[number] if number < len(backwards) else {} for backwards in lists]


def merged(known: list[dict[str, Any]], changes: list[dict[str, Any]]) -> Iterator[tuple[str, list[Any]]]:
    """Merge changes into the known state, and yield each changed name with three values."""
    for table, change in zip(known, changes):
        table.update(change)
    for name in dict.fromkeys(name for change in changes for name in change):
        yield name, [table.get(name, ABSENT) for table in known]
