"""Make the files of a new rule: its C file, its line in rules.def and its Markdown file of cases.

What is written works as it stands: a rule that reports statements which call one function, without a mend. From there,
its `find_NAME` and the page are changed to what the rule is to know, and the cases to what it must mend, report and
leave alone.

usage: new_rule.py CODE NAME [--break GBnnnn] [--call FUNCTION]
       new_rule.py GM390 breakpoint-in-graph --break GB0059 --call builtins.breakpoint
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

C_FILE = """\
#include "rules/defer.h"
#include "rules/rule.h"

static const char page[] =
    "# {code} {title}\\n\\n"
    "## What it finds\\n\\n"
    "A statement that calls `{short}`.\\n\\n"
    "## Why it breaks\\n\\n"
    "{cause} ({break_id}).\\n\\n"
    "## What to write\\n\\n"
    "Call `{short}` before the compiled part, or behind it.\\n\\n"
    "## When the mend is safe\\n\\n"
    "There is no mend: the call stays where it is.\\n";

extern const gm_rule gm_rule_{symbol};

static bool find_{symbol}(gm_analysis *analysis, const gm_site *site) {{
    const gm_Call *call = gm_defer_call(site);
    if (call == NULL || !gm_flow_names(analysis->flow, call->func, "{call}")) {{
        return false;
    }}
    gm_refusal refusal = {{"no mend is known", site->node}};
    gm_report_refusal(analysis, &gm_rule_{symbol}, site, refusal, "`{short}` ends the graph",
                      "call `{short}` before the compiled part, or behind it", true);
    return true;
}}

const gm_rule gm_rule_{symbol} = {{
    .code = "{code}",
    .name = "{name}",
    .break_id = "{break_id}",
    .page = page,
    .walk = GM_WALK_MENDS,
    .find = find_{symbol},
}};
"""

CASES = """\
# {code} {title}

A statement that calls `{short}`. `rule_cases.py` tells how to read this file.

## Reports only

```python
{imports}import torch


def f(x: torch.Tensor):
    {spelled}()  # {code}: no mend is known
    return x * 2
```

## Stays silent

The name alone.

```python
import torch


def f(x: torch.Tensor):
    text = "{spelled}()"
    return x + len(text)


inputs = [(torch.tensor([1.0, 2.0]),)]
```
"""


def fail(text: str) -> None:
    raise SystemExit(f"new_rule: {text}")


def cause_of(root: Path, break_id: str) -> str:
    """What PyTorch calls this kind of graph break."""
    for path in sorted(root.glob("data/torch/*/break_ids.def"), reverse=True):
        match = re.search(rf'^GM_TORCH_BREAK\("{break_id}", "(.*)"\)$', path.read_text(encoding="utf-8"), re.MULTILINE)
        if match:
            return match.group(1)
    fail(f"PyTorch has no graph break `{break_id}`, data/torch lists them")
    return ""


def check(root: Path, options: argparse.Namespace) -> None:
    """Refuse what would not build, or stand for two rules."""
    if not re.fullmatch(r"GM[1-9]\d\d", options.code):
        fail(f"`{options.code}` is no code, they are GM100 to GM999")
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", options.name):
        fail(f"`{options.name}` is no name, they are lower-case words with hyphens")
    if not re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+", options.call):
        fail(f"`{options.call}` is no qualified name, such as `time.sleep` or `builtins.breakpoint`")
    for path in sorted((root / "src/rules").glob("*.c")):
        text = path.read_text(encoding="utf-8")
        for taken in (options.code, options.name):
            if f'"{taken}"' in text:
                fail(f"`{taken}` is taken by {path.relative_to(root)}")


def write_new(path: Path, text: str) -> None:
    with path.open("x", encoding="utf-8") as stream:
        stream.write(text)
    print(f"wrote {path}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("code", help="GM1xx branches, 2xx values, 3xx effects, 4xx guards, 5xx foreign code, 6xx state")
    parser.add_argument("name", help="words with hyphens")
    parser.add_argument("--break", dest="break_id", default="GB0059", help="the kind of graph break that it prevents")
    parser.add_argument(
        "--call", default="builtins.breakpoint", help="qualified name of a function that it finds at first"
    )
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[1], help=argparse.SUPPRESS)
    options = parser.parse_args()
    root: Path = options.root
    check(root, options)
    module, _, function = options.call.rpartition(".")
    builtin = module == "builtins"
    fields = {
        "code": options.code,
        "name": options.name,
        "title": options.name.replace("-", " "),
        "symbol": options.name.replace("-", "_"),
        "break_id": options.break_id,
        "cause": cause_of(root, options.break_id),
        "call": options.call,
        "short": function if builtin else options.call,
        "spelled": function if builtin else options.call,
        "imports": "" if builtin else f"import {module}\n\n",
    }
    rules = root / "src/rules/rules.def"
    text = rules.read_text(encoding="utf-8")
    end = text.index("#undef GM_RULE")
    stem = f"{options.code.lower()}_{fields['symbol']}"
    write_new(root / f"src/rules/{stem}.c", C_FILE.format(**fields))
    write_new(root / f"tests/rules/{options.code.lower()}.md", CASES.format(**fields))
    rules.write_text(f"{text[:end]}GM_RULE(gm_rule_{fields['symbol']})\n{text[end:]}", encoding="utf-8")
    print(f"added a line to {rules}; then: make build, and GRAPHMEND_ACCEPT=1 pytest tests/cli tests/rules")
    return 0


if __name__ == "__main__":
    sys.exit(main())
