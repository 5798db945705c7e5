"""The formats for tools against the schemas that their readers use, as far as they are used here."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

SAMPLES = Path(__file__).resolve().parents[1] / "data" / "check"

# SARIF 2.1.0 (OASIS, sarif-schema-2.1.0.json), the objects that occur: required members, types, limits, no others.
TEXT = {"type": str}
COUNT = {"type": int, "least": 1}
MESSAGE = {"type": dict, "required": {"text"}, "members": {"text": TEXT, "markdown": TEXT}}
LEVEL = {"type": str, "values": {"none", "note", "warning", "error"}}
BAG = {"type": dict, "required": set(), "open": True}  # of properties: any members
RULE = {
    "type": dict,
    "required": {"id"},
    "members": {
        "id": TEXT,
        "name": TEXT,
        "shortDescription": MESSAGE,
        "help": MESSAGE,
        "helpUri": {"type": str, "pattern": r"https://\S+"},
        "defaultConfiguration": {"type": dict, "members": {"level": LEVEL}, "required": set()},
        "properties": BAG,
    },
}
REGION = {
    "type": dict,
    "required": set(),
    "members": {name: COUNT for name in ("startLine", "startColumn", "endLine", "endColumn")},
}
URI = {"type": str, "pattern": r"(file://)?[A-Za-z0-9/._~%-]+"}
ARTIFACT = {"type": dict, "required": set(), "members": {"uri": URI}}
LOCATION = {
    "type": dict,
    "required": set(),
    "members": {
        "physicalLocation": {
            "type": dict,
            "required": {"artifactLocation"},
            "members": {
                "artifactLocation": ARTIFACT,
                "region": REGION,
            },
        }
    },
}
REPLACEMENT = {
    "type": dict,
    "required": {"deletedRegion"},
    "members": {
        "deletedRegion": REGION,
        "insertedContent": {"type": dict, "required": set(), "members": {"text": TEXT}},
    },
}
CHANGE = {
    "type": dict,
    "required": {"artifactLocation", "replacements"},
    "members": {
        "artifactLocation": ARTIFACT,
        "replacements": {"type": list, "items": REPLACEMENT, "fewest": 1},
    },
}
FIX = {
    "type": dict,
    "required": {"artifactChanges"},
    "members": {
        "description": MESSAGE,
        "artifactChanges": {"type": list, "items": CHANGE, "fewest": 1, "unique": True},
    },
}
RESULT = {
    "type": dict,
    "required": {"message"},
    "members": {
        "ruleId": TEXT,
        "level": LEVEL,
        "message": MESSAGE,
        "locations": {"type": list, "items": LOCATION},
        "partialFingerprints": BAG,
        "fixes": {"type": list, "items": FIX, "unique": True},
        "properties": BAG,
    },
}
DRIVER = {
    "type": dict,
    "required": {"name"},
    "members": {"name": TEXT, "version": TEXT, "rules": {"type": list, "items": RULE, "unique": True}},
}
RUN = {
    "type": dict,
    "required": {"tool"},
    "members": {
        "tool": {"type": dict, "required": {"driver"}, "members": {"driver": DRIVER}},
        "columnKind": {"type": str, "values": {"utf16CodeUnits", "unicodeCodePoints"}},
        "results": {"type": list, "items": RESULT},
    },
}
SARIF = {
    "type": dict,
    "required": {"version", "runs"},
    "members": {
        "$schema": {"type": str, "pattern": r"https://\S+"},
        "version": {"type": str, "values": {"2.1.0"}},
        "runs": {"type": list, "items": RUN},
    },
}

# GitLab's Code Quality report.
PLACE = {"type": dict, "required": {"line"}, "members": {"line": COUNT, "column": COUNT}}
ISSUE = {
    "type": dict,
    "required": {"description", "check_name", "fingerprint", "severity", "location"},
    "members": {
        "description": TEXT,
        "check_name": TEXT,
        "fingerprint": {"type": str, "pattern": "[0-9a-f]{16}"},
        "severity": {"type": str, "values": {"info", "minor", "major", "critical", "blocker"}},
        "location": {
            "type": dict,
            "required": {"path", "positions"},
            "members": {
                "path": {"type": str, "pattern": r"[^/.].*|/.*"},
                "positions": {"type": dict, "required": {"begin"}, "members": {"begin": PLACE, "end": PLACE}},
            },
        },
    },
}

# The XML schema of Jenkins' JUnit reader: attributes (True: required) and children of each element.
JUNIT: dict[str, tuple[dict[str, bool], set[str]]] = {
    "testsuites": ({"name": False, "tests": False, "failures": False, "errors": False}, {"testsuite"}),
    "testsuite": ({"name": True, "tests": True, "failures": False, "errors": False}, {"testcase"}),
    "testcase": ({"name": True, "classname": False}, {"failure"}),
    "failure": ({"message": False, "type": False}, set()),
}


def faults(value: Any, schema: dict[str, Any], where: str = "$") -> list[str]:
    """Where a value is not what the schema says."""
    if type(value) is not schema["type"]:
        return [f"{where}: {type(value).__name__}"]
    found = []
    if isinstance(value, str):
        found += [] if re.fullmatch(schema.get("pattern", "(?s:.*)"), value) else [f"{where}: {value!r}"]
        found += [] if value in schema.get("values", {value}) else [f"{where}: {value!r}"]
    elif isinstance(value, int):
        found += [] if value >= schema["least"] else [f"{where}: {value}"]
    elif isinstance(value, list):
        for index, item in enumerate(value):
            found += faults(item, schema["items"], f"{where}[{index}]")
        found += [f"{where}: too few"] if len(value) < schema.get("fewest", 0) else []
        found += [f"{where}: twice"] if schema.get("unique") and any(value.count(item) > 1 for item in value) else []
    else:
        found += [f"{where}.{name}: missing" for name in schema["required"] - value.keys()]
        members = schema.get("members", {})
        unknown = set() if schema.get("open") else value.keys() - members.keys()
        found += [f"{where}.{name}: unknown" for name in unknown]
        for name in value.keys() & members.keys():
            found += faults(value[name], members[name], f"{where}.{name}")
    return found


def xml_faults(element: ElementTree.Element) -> list[str]:
    required, children = JUNIT.get(element.tag, ({}, set()))
    found = [] if element.tag in JUNIT else [f"<{element.tag}>"]
    found += [f"{element.tag}@{name}" for name in element.attrib.keys() - required.keys()]
    found += [f"{element.tag}: no {name}" for name, must in required.items() if must and name not in element.attrib]
    for child in element:
        found += [] if child.tag in children else [f"<{child.tag}> in <{element.tag}>"]
        found += xml_faults(child)
    return found


def test_the_validators_find_faults() -> None:
    assert faults({"version": "2.0.0", "runs": []}, SARIF) == ["$.version: '2.0.0'"]
    assert faults({"version": "2.1.0"}, SARIF) == ["$.runs: missing"]
    assert faults({"startLine": 0}, REGION) == ["$.startLine: 0"]
    assert faults({"startLine": 1, "x": 1}, REGION) == ["$.x: unknown"]
    assert faults({"artifactChanges": []}, FIX) == ["$.artifactChanges: too few"]
    assert xml_faults(ElementTree.fromstring("<testsuites><testcase/></testsuites>")) == [
        "<testcase> in <testsuites>",
        "testcase: no name",
    ]


NASTY = "sp ace & <\"quote'>\x07.py"


@pytest.fixture
def samples(cli) -> None:
    """The samples, a name that needs escapes in every format, and text that does."""
    for path in SAMPLES.glob("*.py"):
        shutil.copy(path, cli.folder)
    cli.write(
        NASTY,
        "import torch\n@torch.compile\ndef f(x):\n    if (x > 0).any() and '\x1b]]>&<\"\\t':\n"
        "        x = x + 1\n    return x\n",
    )


def findings(cli) -> list[dict[str, Any]]:
    """Path, line, column, code of everything, by the JSON report."""
    rows = []
    for file in json.loads(cli("check", "--output-format", "json", ".").out):
        for entry in file["diagnostics"] + file["findings"]:
            rows.append((file["path"], entry["line"], entry["column"], entry.get("code", "syntax"), entry["message"]))
    return rows


def test_sarif(cli, samples) -> None:
    ended = cli("check", "--output-format", "sarif", ".")
    report = json.loads(ended.out)
    assert (ended.status, ended.err, faults(report, SARIF)) == (1, "", [])
    (run,) = report["runs"]
    known = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    rows = []
    for result in run["results"]:
        assert result["ruleId"] in known
        (place,) = [location["physicalLocation"] for location in result["locations"]]
        region = place["region"]
        assert (region["startLine"], region["startColumn"]) <= (region["endLine"], region["endColumn"])
        uri = bytes(place["artifactLocation"]["uri"], "ascii")
        path = re.sub(rb"%(..)", lambda match: bytes.fromhex(match.group(1).decode()), uri).decode()
        assert re.fullmatch("[0-9a-f]{16}", result["partialFingerprints"]["markedText/v1"])
        message = result["message"]["text"].split("\n")[0]
        rows.append((path, region["startLine"], region["startColumn"], result["ruleId"], message))
    assert rows == findings(cli)


def test_sarif_without_findings(cli) -> None:
    cli.write("a.py", "x = 1\n")
    ended = cli("check", "--output-format", "sarif", "a.py")
    report = json.loads(ended.out)
    assert ended.status == 0 and faults(report, SARIF) == [] and report["runs"][0]["results"] == []


def test_junit(cli, samples) -> None:
    ended = cli("check", "--output-format", "junit", ".")
    root = ElementTree.fromstring(ended.out)
    assert (ended.status, ended.err, xml_faults(root)) == (1, "", [])
    expected = findings(cli)
    cases = root.findall("testsuite/testcase")
    assert int(root.attrib["tests"]) == int(root.attrib["failures"]) == len(cases) == len(expected)
    for suite in root:
        assert int(suite.attrib["tests"]) == int(suite.attrib["failures"]) == len(suite)
    for case, (path, line, column, code, message) in zip(cases, expected):
        failure = case.find("failure")
        assert failure is not None and failure.text is not None
        assert case.attrib == {"name": code, "classname": path.replace("\x07", "\ufffd")}
        assert failure.attrib["message"] == message
        assert failure.text.startswith(f"line {line}, column {column}: {message}")


def test_junit_without_findings(cli) -> None:
    cli.write("a.py", "x = 1\n")
    root = ElementTree.fromstring(cli("check", "--output-format", "junit", "a.py").out)
    assert xml_faults(root) == [] and root.attrib["tests"] == "1" and root.attrib["failures"] == "0"
    assert len(root.findall("testsuite/testcase")) == 1 and root.find("testsuite/testcase/failure") is None


def test_gitlab(cli, samples) -> None:
    report = json.loads(cli("check", "--output-format", "gitlab", ".").out)
    assert faults(report, {"type": list, "items": ISSUE}) == []
    prints = [issue["fingerprint"] for issue in report]
    assert len(prints) == len(set(prints)) == len(findings(cli))
    model = cli.folder / "model.py"
    model.write_text("# a line above\n" + model.read_text(encoding="utf-8"), encoding="utf-8")
    moved = json.loads(cli("check", "--output-format", "gitlab", ".").out)
    assert [issue["fingerprint"] for issue in moved] == prints
    assert moved != report


def test_json_lines(cli, samples) -> None:
    rows = [json.loads(line) for line in cli("check", "--output-format", "json-lines", ".").out.splitlines()]
    told = [(row["path"], row["line"], row["column"], row.get("code", "syntax"), row["message"]) for row in rows]
    assert told == findings(cli)


def test_formats_without_findings(cli) -> None:
    cli.write("a.py", "x = 1\n")
    empty = {"full": "no findings in 1 file\n", "json": "[\n]\n", "gitlab": "[\n]\n"}
    for name in ("full", "concise", "json", "json-lines", "github", "gitlab"):
        ended = cli("check", "--output-format", name, "a.py")
        assert (ended.status, ended.out) == (0, empty.get(name, ""))


def test_standard_input(cli) -> None:
    text = b"import torch\n@torch.compile\ndef f(x: torch.Tensor):\n    print(x)\n    return x\n"

    def run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run([cli.executable, *arguments], input=text, capture_output=True, cwd=cli.folder)

    done = run("check", "--output-format", "concise", "-")
    assert (done.returncode, done.stderr) == (1, b"") and done.stdout.startswith(b"-:4:5: GM301 ")
    done = run("check", "--output-format", "concise", "--stdin-filename", "src/m.py", "-")
    assert done.returncode == 1 and done.stdout.startswith(b"src/m.py:4:5: GM301 ")
    done = run("fix", "--unsafe", "--select", "GM301", "--stdin-filename", "m.py", "-")
    assert done.returncode == 0 and b"m.py:4:5: GM301 fixed: " in done.stderr
    assert b"    if not torch.compiler.is_compiling():\n        print(x)\n" in done.stdout
    done = run("fix", "--unsafe", "--select", "GM301", "--diff", "--stdin-filename", "m.py", "-")
    assert done.returncode == 1 and done.stdout.startswith(b"--- a/m.py\n+++ b/m.py\n")
    done = run("fix", "-")
    assert done.returncode == 1 and done.stdout == text and b"GM301" in done.stderr
    assert list(cli.folder.iterdir()) == []


def test_exit_zero(cli, samples) -> None:
    usual, zero = cli("check", "."), cli("check", "--exit-zero", ".")
    assert (usual.status, zero.status) == (1, 0) and usual.out == zero.out
    assert cli("check", "--exit-zero", "absent.py").status == 2


def test_color_only_where_it_is_wanted(cli, samples) -> None:
    assert "\x1b[" not in cli("check", "model.py").out
    assert "\x1b[" in cli("check", "--color", "always", "model.py").out
    for name in ("concise", "json", "json-lines", "github", "gitlab", "sarif", "junit"):
        assert "\x1b[1" not in cli("check", "--color", "always", "--output-format", name, "model.py").out


def test_check_fixes_as_fix_does(cli) -> None:
    text = (
        "import torch\n@torch.compile\ndef f(x: torch.Tensor):\n    if x.sum() > 0:\n"
        "        x = x * 2\n    else:\n        x = x * 3\n    return x\n"
    )
    path = cli.write("a.py", text)
    patch = cli("check", "--diff", "a.py")
    assert patch.status == 1 and patch.out == cli("fix", "--diff", "a.py").out and path.read_text() == text
    assert cli("check", "--fix", "a.py").status == 0
    assert "torch.where(x.sum() > 0, x * 2, x * 3)" in path.read_text()


def test_caret_stands_under_the_operand_that_decides(cli) -> None:
    cli.write(
        "a.py",
        "import torch\n@torch.compile\ndef f(x: torch.Tensor, flag=False):\n    mask = x > 0\n"
        "    if flag is not None and not mask.any():\n        x = x * 2\n    return x\n",
    )
    (file,) = json.loads(cli("check", "--output-format", "json", "a.py").out)
    (finding,) = file["findings"]
    assert (finding["line"], finding["column"], finding["end_column"]) == (5, 33, 43)
    assert finding["because"] == "`mask` is a tensor: `mask = x > 0`, line 4"
    lines = cli("check", "a.py").out.splitlines()
    assert "    5 |     if flag is not None and not mask.any():" in lines
    assert "      |                                 ^^^^^^^^^^" in lines
    assert "      = because: `mask` is a tensor: `mask = x > 0`, line 4" in lines


def test_a_break_is_told_once_with_its_callers(cli) -> None:
    cli.write(
        "a.py",
        "import torch\ndef helper(x):\n    print(x)\n    return x\n"
        "@torch.compile\ndef f(x):\n    return helper(helper(x))\n@torch.compile\ndef g(x):\n    return helper(x)\n"
        "def nobody(x):\n    return helper(x)\n",
    )
    (file,) = json.loads(cli("check", "--output-format", "json", "a.py").out)
    assert [(finding["code"], finding["callers"]) for finding in file["findings"]] == [("GM301", 3)]
    assert "      = reached: by 3 calls\n" in cli("check", "a.py").out


NOT_TOLD = """import torch
from torch.compiler import is_compiling
def f(x: torch.Tensor, flag=False):
    n = x.max().item()
    if n > 3:
        x = x + 1
    kept = x[x > 0]
    if kept.numel() == 0 or len(kept) > n:
        return x
    if flag and not is_compiling():
        print(x)
    if flag and not is_compiling() and x.any():
        x = x * 2
    return x if flag or is_compiling() or x.all() else kept
g = torch.compile(f)
"""
TOLD = """import torch
from torch.compiler import is_compiling
@torch.compile
def f(x: torch.Tensor, flag=False):
    if x.max().item() > 3:
        x = x + 1
    if x[x > 0].numel() == 0:
        return x
    if x.any() and not is_compiling():
        x = x * 2
    return x if x.all() and not is_compiling() else x + 1
"""


def test_a_read_number_and_what_is_never_compiled_decide_nothing(cli) -> None:
    cli.write("a.py", NOT_TOLD)
    cli.write("b.py", TOLD)
    found = [json.loads(line) for line in cli("check", "--output-format", "json-lines", "a.py").out.splitlines()]
    assert [(one["code"], one["line"]) for one in found] == [("GM201", 4), ("GM202", 7)]
    found = [json.loads(line) for line in cli("check", "--output-format", "json-lines", "b.py").out.splitlines()]
    assert [(one["code"], one["line"]) for one in found] == [("GM101", 5), ("GM102", 7), ("GM101", 9), ("GM103", 11)]
    everything = cli("check", "--all", "--output-format", "json-lines", "a.py").out.splitlines()
    certain = {one["line"]: one["certain"] for one in map(json.loads, everything)}
    assert certain[5] is False and certain[4] is True


UNUSED = """import torch
@torch.compile
def f(x):
    y = x + 1  # graphmend: ignore[GM101, GM102]  # other
    y = x + 2  # graphmend: ignore
    # graphmend: ignore
    print(x)  # graphmend: ignore[GM101, GM301] said why
    y = x + 1  # noqa: GM302, E501
    if y.sum() > 0:  # graphmend: ignore[GM101]
        y = y + 1
    if y.sum() > 0:
        y = y + 1  # graphmend: ignore[GM101] keeps `run` away
    return y  # noqa
"""
KEPT = """import torch
@torch.compile
def f(x):
    y = x + 1  # other
    y = x + 2
    print(x)  # graphmend: ignore[GM301] said why
    y = x + 1  # noqa: E501
    if y.sum() > 0:  # graphmend: ignore[GM101]
        y = y + 1
    if y.sum() > 0:
        y = y + 1  # graphmend: ignore[GM101] keeps `run` away
    return y  # noqa
"""


def test_unused_suppressions(cli) -> None:
    path = cli.write("a.py", UNUSED)
    told = [line.split(": ", 1) for line in cli("check", "--output-format", "concise", "a.py").out.splitlines()]
    assert [place for place, text in told if text.startswith("GM001 ")] == [
        "a.py:4:18",
        "a.py:5:18",
        "a.py:6:7",
        "a.py:7:17",
        "a.py:8:18",
    ]
    assert cli("fix", "a.py").status in (0, 1)
    assert path.read_text() == KEPT
    before = path.stat().st_ino
    assert cli("fix", "a.py").status in (0, 1)
    assert path.stat().st_ino == before


def test_codes_that_are_left_out_are_not_judged(cli) -> None:
    cli.write("a.py", "x = 1  # graphmend: ignore[GM101]\n")
    assert cli("check", "a.py").status == 1
    assert cli("check", "--ignore", "GM101", "a.py").status == 0
    assert cli("check", "--ignore", "GM001", "a.py").status == 0
    cli.write("b.py", "x = 1  # graphmend: ignore\n")
    assert cli("check", "b.py").status == 1
    assert cli("check", "--ignore", "GM101", "b.py").status == 0


@pytest.mark.parametrize("start", ["", "\ufeff"], ids=["plain", "mark"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=repr)
def test_add_ignore_in_the_first_and_the_last_line(cli, end, start) -> None:
    first, last = f"{start}def f(x): print(x)", "def g(x): print(x)"
    path = cli.write("a.py", end.join([first, "import torch", "h = torch.compile(f)", "@torch.compile", last]))
    before = path.read_bytes().decode()
    assert cli("check", "--add-ignore", "a.py").out == "2 findings silenced\n"
    comment = "  # graphmend: ignore[GM301]"
    assert path.read_bytes().decode() == before.replace("print(x)", f"print(x){comment}")


def test_add_ignore(cli) -> None:
    path = cli.write(
        "a.py",
        "import torch\r\n@torch.compile\r\ndef f(x):\r\n    print(x); print('ü')\r\n"
        "    print(x)  # graphmend: ignore[GM101]\r\n    print('''\r\n    ''', x)  # said\r\n"
        "    if (x.sum() >\r\n            0):\r\n        x = x + 1\r\n    return x",
    )
    before = path.read_bytes()
    patch = cli("check", "--add-ignore", "--diff", "a.py")
    assert patch.status == 1 and path.read_bytes() == before
    ended = cli("check", "--add-ignore", "a.py")
    assert (ended.status, ended.out, ended.err) == (0, "5 findings silenced\n", "")
    assert path.read_bytes().decode() == (
        "import torch\r\n@torch.compile\r\ndef f(x):\r\n    print(x); print('ü')  # graphmend: ignore[GM301]\r\n"
        "    print(x)  # graphmend: ignore[GM101, GM301]\r\n"
        "    print('''\r\n    ''', x)  # said  # graphmend: ignore[GM301]\r\n"
        "    if (x.sum() >\r\n            0):  # graphmend: ignore[GM101]\r\n"
        "        x = x + 1\r\n    return x"
    )
    assert cli("check", "--ignore", "GM001", "a.py").status == 0
    assert cli("check", "--add-ignore", "a.py").out == "0 findings silenced\n"
