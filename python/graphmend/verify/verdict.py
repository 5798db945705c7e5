"""The verdict: one word, sentences, and the exit status."""

from __future__ import annotations

from typing import Any, Optional

from .figures import breaks, times
from .processes import ENDED, SIGNAL, TIMEOUT
from .reading import Seen

SAME, DIFFERENT, IMPOSSIBLE = 0, 1, 2
STATUS = {
    "whole": SAME,
    "fewer": SAME,
    "same": SAME,
    "clean": SAME,
    "worse": DIFFERENT,
    "different": DIFFERENT,
    "failed": DIFFERENT,
    "not in force": IMPOSSIBLE,
    "not run": IMPOSSIBLE,
}


def how_it_ended(seen: Seen) -> Optional[str]:
    """The fault at the end of a run; None for a regular end."""
    ended = seen.ended
    if ended.outcome == TIMEOUT:
        return f"hangs: it had not ended after {ended.seconds:.0f} s{in_call(seen)}"
    if ended.outcome == SIGNAL:
        return f"crashes with {ended.signal}{in_call(seen)}"
    if ended.outcome != ENDED:
        return "was not run"
    return None


def in_call(seen: Seen) -> str:
    """The call in progress at the end of a run."""
    return "" if seen.begun is None else f", in call {seen.begun[1]} of {seen.begun[0][0]}"


def cannot_be_verified(runs: dict[str, Seen]) -> Optional[str]:
    """Why the program itself gives nothing to verify."""
    for name, words in (("eager", "without torch.compile"), ("plain", "without graphmend")):
        seen = runs.get(name)
        wrong = "was not run" if seen is None else how_it_ended(seen)
        if wrong is not None:
            return f"the program {wrong} ({words})"
        assert seen is not None
        if not seen.callables:
            error = seen.error()
            if error is not None:
                what = f"{error['type'].replace('builtins.', '')}: {error['text']}"
                return f"the program ends with {what}, before it calls anything compiled"
            status = seen.ended.exit_status
            how = "compiles nothing" if status == 0 else f"ends with status {status} before it calls anything compiled"
            return f"the program {how}"
    return None


def of_counts(callables: list[dict[str, Any]]) -> str:
    """The verdict by breaks before and after."""
    before = [item for item in callables if breaks(item["plain"])]
    after = [item for item in callables if breaks(item["mended"])]
    if not before:
        return "clean"
    if not after:
        return "whole"
    fewer = sum(item["mended"]["breaks"] for item in callables) < sum(item["plain"]["breaks"] for item in callables)
    captured = any(item["plain"]["graphs"] == 0 < item["mended"]["graphs"] for item in callables)
    return "fewer" if fewer or len(after) < len(before) or captured else "same"


def count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def sentence_of_counts(totals: dict[str, dict[str, int]]) -> str:
    plain, mended = totals["plain"], totals["mended"]
    before = f"{count(plain['breaks'], 'break')} in {count(plain['graphs'], 'graph')}"
    text = f"{before} became {mended['breaks']} in {mended['graphs']}"
    if plain["skipped_frames"] or mended["skipped_frames"]:
        text += f", {count(plain['skipped_frames'], 'skipped frame')} became {mended['skipped_frames']}"
    if plain["recompiles"] or mended["recompiles"]:
        text += f", {count(plain['recompiles'], 'recompilation')} became {mended['recompiles']}"
    return text


def sentences_of_equality(equality: dict[str, Any]) -> list[str]:
    found = []
    ours = {aspect["name"]: aspect["mended"] for aspect in equality["aspects"] if aspect["mended"]}
    if equality["equal"]:
        found.append(
            f"the mended program does the same in {equality['compared']} of {count(equality['calls'], 'call')}"
        )
        if equality["word"] == "rounding":
            found.append(sentence_of_rounding(equality))
    else:
        found.append(
            f"the mended program does something else: {', '.join(f'{name} {times(n)}' for name, n in ours.items())}"
        )
    for owner, words in (
        ("torch", "plain compilation differs from eager Python, and graphmend is not to blame"),
        ("unsettled", "all runs differ, and nothing can be said"),
    ):
        counted = {aspect["name"]: aspect[owner] for aspect in equality["aspects"] if aspect[owner]}
        if counted:
            found.append(f"{words}: {', '.join(f'{name} {times(n)}' for name, n in counted.items())}")
    return found


def sentence_of_rounding(equality: dict[str, Any]) -> str:
    """That numbers differ by rounding, with figures."""
    number = sum(aspect["rounded"] for aspect in equality["aspects"])
    text, largest = f"{times(number).capitalize()} it differs by rounding", equality["rounding"]
    if largest is None:
        return text
    text += f", at most by {largest['deviation']:.2g} ({largest['aspect']}, {largest['place']}"
    if largest["spread"] is not None:
        text += f"; other rounding in eager Python moves it by {largest['spread']:.2g}"
    return text + ")"


def not_in_force(mended: Seen) -> Optional[str]:
    """Why the mends of a run could not be in force, None if they could."""
    report = mended.report()
    mode = report.get("mode") or {"name": "whole"}
    if mode["name"] in ("off", "source only"):
        missing = mode["reason"] or f"missing: {', '.join(sorted(mode['lost']))}"
        return f"the mends could not be in force with torch {mode['torch']}: mode `{mode['name']}` ({missing})"
    if report.get("faults"):
        return f"a fault of graphmend itself: {report['faults'][0]}"
    return None


def of(runs: dict[str, Seen], data: dict[str, Any], impossible: Optional[str]) -> tuple[str, list[str]]:
    """The verdict with sentences, from the sections of the report."""
    if impossible is not None:
        return "not run", [impossible]
    failed = how_it_ended(runs["mended"])
    if failed is not None:
        return "failed", [f"the mended program {failed}; without graphmend it does not"]
    sentences = [sentence_of_counts(data["totals"]), *sentences_of_equality(data["equality"])]
    sentences += [entry["text"] for entry in data["worse"]]
    if any(runs[name].end is None for name in ("eager", "plain", "mended")):
        sentences.append("the program ends without its exit handlers: memory and what is mended are not known")
    if not data["equality"]["equal"]:
        return "different", sentences
    reason = not_in_force(runs["mended"])
    if reason is not None:
        return "not in force", [reason, *sentences]
    return ("worse" if data["worse"] else of_counts(data["callables"])), sentences
