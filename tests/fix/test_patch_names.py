"""Patches of files whose names hold anything but a slash: git finds each file, and makes of it what `fix` makes."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

from fix_command import AFTER, BEFORE, Command

LETTERS = [
    "a",
    "b",
    '"',
    "\\",
    "\n",
    "\t",
    "\r",
    "\x7f",
    "\x1b",
    "\x01",
    "\u00e9",
    "\u20ac",
    " ",
    "'",
    "$",
    "*",
    ".",
    "-",
    "%",
]
NAMES = 60


def names() -> list[str]:
    chance = random.Random(1)
    found = {f"{letter}.py" for letter in LETTERS} | {f"a{letter}/b.py" for letter in LETTERS}
    while len(found) < NAMES + 2 * len(LETTERS):
        found.add("".join(chance.choice(LETTERS) for _ in range(chance.randint(1, 6))) + ".py")
    return sorted(found - {"..py"})


def test_git_applies_the_patch(fix: Command) -> None:
    tree = fix.folder / "tree"
    for name in names():
        fix.write(f"tree/{name}", BEFORE)
    patch = subprocess.run([fix.executable, "fix", "--diff", "--isolated", "."], cwd=tree, capture_output=True).stdout
    assert patch.count(b"@@ -") == len(names())
    shutil.copytree(tree, fix.folder / "other")
    subprocess.run(["git", "apply", "-"], input=patch, cwd=fix.folder / "other", check=True)
    for name in names():
        assert Path(fix.folder, "other", name).read_text() == AFTER, name
    assert all(BEFORE == Path(tree, name).read_text() for name in names())


def test_a_patch_names_files_below_the_folder_that_it_is_applied_in(fix: Command) -> None:
    """Without `./` in front, in whichever way a file is named; of an absolute path without the slashes."""
    fix.write("tree/a.py", BEFORE)
    fix.write("tree/.a/b.py", BEFORE)
    tree = fix.folder / "tree"
    here = str(tree).lstrip("/")
    ways = {f"{front}{name}": name for front in ("", "./", "././", ".//", ".//././/") for name in ("a.py", ".a/b.py")}
    ways |= {f"{slash}{here}{name}": f"{here}{name}" for slash in "/ // ///".split() for name in ("/a.py", "/./a.py")}
    ways |= {f"/./{here}/a.py": f"{here}/a.py", f".//./../{tree.name}/a.py": f"../{tree.name}/a.py"}
    ways |= {"../tree/a.py": "../tree/a.py", "./../tree/a.py": "../tree/a.py", ".a/../a.py": ".a/../a.py"}
    for typed, told in ways.items():
        command = [fix.executable, "fix", "--diff", "--isolated", typed]
        patch = subprocess.run(command, cwd=tree, capture_output=True, text=True).stdout
        end = "\t" if " " in told else ""
        assert patch.splitlines()[:2] == [f"--- a/{told}{end}", f"+++ b/{told}{end}"], typed
