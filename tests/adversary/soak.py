"""Random programs of new seeds for hours: `soak.py --hours 8 --jobs 2`. What differs is kept, reduced.

Each finding is a file of its own, named after its seed and number, by which `hunt.py` makes it again.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import secrets
import sys
import time
from pathlib import Path
from typing import Any

from hunt import CHUNK, run_there, summary


def kept(folder: Path, seed: int, results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Write the findings of one seed to files; gives them."""
    found = [item for item in results if "signature" in item]
    for item in found:
        again = f"hunt.py --seed {seed} --first {item['number']} --programs 1"
        text = f"# {item['signature']}\n# {again}\n{item['text']}\n"
        (folder / f"{seed}-{item['number']}.txt").write_text(text, encoding="utf-8")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=float, default=1.0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--folder", type=Path, default=Path("build/soak"))
    given = parser.parse_args()
    os.makedirs(given.folder, exist_ok=True)
    end, results, found = time.monotonic() + given.hours * 3600, [], []

    def work() -> None:
        while time.monotonic() < end:
            seed = secrets.randbelow(1 << 31)
            fresh = run_there(seed, 0, CHUNK, 90)
            results.extend(fresh)
            found.extend(kept(given.folder, seed, fresh))
            print(summary(results), flush=True)

    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for task in [pool.submit(work) for _ in range(given.jobs)]:
            task.result()
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
