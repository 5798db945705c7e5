"""Print what a release of torch has renamed or moved, by the tables of `torch_tables`. Nothing is compiled.

usage: PYTHON_OF_AN_ENVIRONMENT drift.py [BASE]     the release is the one that this Python imports

With BASE, the folder of torch 2.13, members of Dynamo's classes are compared, too (`drift_members.py`). Not each
difference matters: they are to be looked through. The exit status is 1 where a row points to nothing.
"""

from __future__ import annotations

import difflib
import pathlib
import sys
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))

import drift_members  # noqa: E402 - beside this file

from graphmend.runtime.base import slots, torch_names  # noqa: E402 - of this checkout
from graphmend.runtime.base.torch_tables import places, releases  # noqa: E402


def similar(capability: str) -> str:
    """Names at the place of a capability that look like the missing one."""
    found: list[str] = []
    for place in places.parse(torch_names.release().places[capability] or ""):
        if place.owner in places.MODULES or not torch_names.has(place.owner):
            continue
        owner: Any = torch_names.find(place.owner)
        found += difflib.get_close_matches(place.steps[-1].name, dir(owner), n=3, cutoff=0.5)
    return f"; similar: {', '.join(found)}" if found else ""


def main() -> int:
    version = torch_names.version()
    known = releases.version_of(version)
    rows = torch_names.release()
    print(f"torch {version}: {'known' if known in releases.KNOWN else 'not known, rows of the closest release'}")
    missing = [name for name in rows.names if rows.names[name] is not None and not torch_names.has(name)]
    for name in missing:
        print(f"  name   {name}: nothing at {rows.names[name]}")
    for capability, _, reason in slots.all_found():
        if reason and rows.places[capability] is not None:
            missing.append(capability)
            print(f"  place  {capability}: {reason}{similar(capability)}")
    none = [name for name, row in {**rows.names, **rows.places}.items() if row is None]
    print(f"{len(missing)} rows point to nothing; {len(none)} are known not to be there: {', '.join(none) or '-'}")
    if len(sys.argv) > 1:
        compare_members(pathlib.Path(sys.argv[1]))
    return int(bool(missing))


def compare_members(base: pathlib.Path) -> None:
    """Print members of Dynamo's classes that have another form than in the base release."""
    import torch

    package = pathlib.Path(torch_names.__file__).parents[2]
    own = {row.partition(".")[2] for row in torch_names.release().additions}
    lines = drift_members.differences(package, base, pathlib.Path(torch.__file__).parent, own)
    print(f"{len(lines)} members that the runtime mentions have another form:")
    for line in lines:
        print(f"  member {line}")


if __name__ == "__main__":
    sys.exit(main())
