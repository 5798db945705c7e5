"""Pictures of a page for the documents.

usage: pictures.py REPORT.json FOLDER    (what `graphmend verify --json` wrote, and where the pictures go)
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import chromium

from graphmend.verify.page import render

PICTURES = {"verify-wide.png": (1000, False, 1150), "verify-phone.png": (390, True, 1150)}


def main() -> int:
    report, folder = map(Path, sys.argv[1:3])
    if chromium.find() is None:
        print("pictures.py: SKIPPED, there is no Chromium here", file=sys.stderr)
        return 0
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, chromium.opened() as page:
        path = Path(scratch) / "page.html"
        path.write_text(render(json.loads(report.read_text(encoding="utf-8"))), encoding="utf-8")
        for name, (width, dark, height) in PICTURES.items():
            page.open(path, width, dark)
            page.picture(folder / name, height)
    return 0


if __name__ == "__main__":
    sys.exit(main())
