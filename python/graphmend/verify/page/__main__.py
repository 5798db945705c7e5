"""`python -m graphmend.verify.page evidence.json page.html`."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from . import save


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m graphmend.verify.page", description="writes the page of a report")
    parser.add_argument("report", type=Path, help="what `graphmend verify --json` wrote")
    parser.add_argument("page", type=Path)
    options = parser.parse_args()
    save(json.loads(options.report.read_text(encoding="utf-8")), options.page)


main()
