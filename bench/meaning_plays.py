"""Clients of endpoints in plays: what holds where a server is slow, broken or lies.

usage: meaning_plays.py [--peer openai] [--only-peer] [--jobs N] [--verbose] [--json FILE]

The plays are those of tests/meaning/plays, each in its forms. A play holds where the call ends in time, with a text
that the server finished or with an error of the client's own type; of which kind the error is does not count here. A
peer is asked as its documentation shows, and not about options of this package and tools. A peer has no deadline for
the whole: plays that need one are counted apart, and a peer gets one try with that timeout. Servers are on this
machine, and nothing is sent anywhere else. `--verbose` names the plays that do not hold. Plays have times: one that
fails is performed once more in slow motion, so that a busy machine fails none. A play of a peer has a process, because
a peer may read an answer without end, and what is left of such a process would fail the plays behind it.
"""

from __future__ import annotations

import argparse
import asyncio
import collections
import concurrent.futures
import json
import multiprocessing
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "meaning"))

from plays import PLAYS
from plays.performance import Graphmend, settled
from plays.stage import Play

OWN = {"options", "tools"}
MOST_MEMORY = 6 << 30  # bytes of a process of a peer
MOST_SECONDS = 180.0  # of a play with a peer, in slow motion too


class OpenAI:
    """The openai package as a client."""

    def __init__(self) -> None:
        import openai

        self._openai = openai
        self.errors: tuple[type[BaseException], ...] = (openai.OpenAIError,)
        self.name = f"openai {openai.__version__}"

    def start(self, play: Play, url: Any) -> Any:
        return url

    def _options(self, play: Play, url: str) -> dict[str, Any]:
        tries, timeout = play.options.get("tries", 3), min(play.options.get("timeout", 5.0), 10.0)
        if play.own:  # the call has to be over by a deadline: what comes closest is one try with that timeout
            tries, timeout = 1, play.options.get("deadline", timeout)
        return {"base_url": url, "api_key": "none", "timeout": timeout, "max_retries": tries - 1}

    def _request(self, play: Play) -> dict[str, Any]:
        return {"model": "m", "messages": [{"role": "user", "content": play.prompt}]}

    def ask(self, play: Play, endpoint: Any, form: str) -> str:
        client = self._kept(play, endpoint)
        made = client.chat.completions.create(**self._request(play), stream=form == "stream")
        if form == "blocking":
            return str(made.choices[0].message.content)
        return "".join(part.choices[0].delta.content or "" for part in made if part.choices)

    def _kept(self, play: Play, url: str) -> Any:
        """One client for the calls of a play, whose connections it keeps."""
        if getattr(play, "client", (None, None))[0] != url:
            play.client = (url, self._openai.OpenAI(**self._options(play, url)))  # type: ignore[attr-defined]
        return play.client[1]  # type: ignore[attr-defined]

    async def ask_later(self, play: Play, endpoint: Any, form: str) -> str:
        loop = asyncio.get_running_loop()
        if getattr(play, "later", (None, None))[0] is not loop:
            play.later = (loop, self._openai.AsyncOpenAI(**self._options(play, endpoint)))  # type: ignore[attr-defined]
        client = play.later[1]  # type: ignore[attr-defined]
        made = await client.chat.completions.create(**self._request(play), stream="stream" in form)
        if form == "coroutine":
            return str(made.choices[0].message.content)
        return "".join([part.choices[0].delta.content or "" async for part in made if part.choices])

    def close(self, endpoint: Any) -> None:
        pass


def perform_apart(number: int, form: str, answer: Any) -> None:
    """Perform a play with the peer in this process, and send what is wrong."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    answer.send(settled(OpenAI(), PLAYS[number], form, kinds=False))


def apart(context: Any, number: int, form: str) -> Any:
    """What is wrong with a play with the peer, performed in a process of its own; None where the play holds."""
    answer, sender = context.Pipe(duplex=False)
    process = context.Process(target=perform_apart, args=(number, form, sender), daemon=True)
    process.start()
    sender.close()
    try:
        return answer.recv() if answer.poll(MOST_SECONDS) else f"no end within {MOST_SECONDS:.0f} s"
    except EOFError:
        return "the process of the peer has ended"
    finally:
        process.kill()
        process.join()


def tally(perform: Callable[[int, str], Any], plays: list[int], jobs: int, verbose: bool) -> dict[str, list[int]]:
    """Plays that hold and all of them, by their class; `perform` says what is wrong with a play in a form."""
    found: dict[str, list[int]] = collections.defaultdict(lambda: [0, 0])

    def one(case: tuple[int, str]) -> tuple[str, Any]:
        number, form = case
        wrong = perform(number, form)
        if wrong and verbose:
            print(f"{PLAYS[number]}, {form}: {wrong}", flush=True)
        return PLAYS[number].group, wrong

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for group, wrong in pool.map(one, [(number, form) for number in plays for form in PLAYS[number].forms]):
            found[group][0] += wrong is None
            found[group][1] += 1
    return dict(found)


def added(one: dict[str, list[int]], other: dict[str, list[int]]) -> dict[str, list[int]]:
    """The sum of two tallies."""
    empty = [0, 0]
    return {
        group: [sum(pair) for pair in zip(one.get(group, empty), other.get(group, empty))] for group in {**one, **other}
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", choices=["openai"])
    parser.add_argument("--only-peer", action="store_true", help="keep the figures of FILE for this package")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    how = (options.jobs, options.verbose)
    shared = [i for i, play in enumerate(PLAYS) if not play.own and play.group not in OWN]
    own = Graphmend()

    def with_own(number: int, form: str) -> Any:
        return settled(own, PLAYS[number], form, kinds=False)

    if options.only_peer:
        record = json.loads(options.json.read_text())
    else:
        record = {"all": {"graphmend": tally(with_own, list(range(len(PLAYS))), *how)}, "shared": {}}
        record["shared"]["graphmend"] = tally(with_own, shared, *how)
    if options.json:
        options.json.write_text(json.dumps(record, indent=1) + "\n")
    if options.peer:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["openai", "plays.performance"])
        name = OpenAI().name

        def with_peer(number: int, form: str) -> Any:
            return apart(context, number, form)

        more = [i for i, play in enumerate(PLAYS) if play.own and play.group not in OWN]
        record["shared"][name] = tally(with_peer, shared, *how)
        record["all"][name] = added(record["shared"][name], tally(with_peer, more, *how))
    for kind, clients in record.items():
        for name, groups in clients.items():
            print(
                f"{kind} {name}: {sum(held for held, _ in groups.values())} of {sum(of for _, of in groups.values())}"
            )
            print("  " + ", ".join(f"{group} {held} of {of}" for group, (held, of) in groups.items()))
    if options.json:
        options.json.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
