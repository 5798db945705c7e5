"""A package under `fix --unsafe`: files that change compile, parse again, and are left alone by a second run.

usage: fix_tree.py [--package transformers] [--below models] [--folder build/fixed/site-packages] [--json FILE.json]
                   [--zoo FILE.jsonl --chosen FILE.jsonl]

The package is copied to FOLDER, where `fix` rewrites what lies below one of its folders; what is installed stays as
it is. A Python with FOLDER in front in PYTHONPATH imports the rewritten package. With `--zoo`, the models of a zoo
whose own file has changed are written to another file, for a scorer that runs them so. Give FOLDER the name
site-packages: tools tell by it what is a library.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

FIXED = re.compile(r"^(?P<path>\S.*?):\d+:\d+: (?P<code>GM\d+) fixed: ", re.MULTILINE)


def find_graphmend() -> str:
    beside = Path(sys.executable).with_name("graphmend")
    found = str(beside) if beside.exists() else shutil.which("graphmend")
    if found is None:
        raise SystemExit("graphmend is not installed in this environment")
    return found


def copy_package(package: str, folder: Path) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit(f"{package} is not installed in this environment")
    copy = folder / package
    shutil.rmtree(copy, ignore_errors=True)
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(spec.submodule_search_locations[0], copy, ignore=ignored)
    return copy


def read_all(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*.py"))}


def run_fix(graphmend: str, root: Path) -> dict[str, int]:
    """How many mends of each rule one run reports."""
    command = [graphmend, "fix", "--unsafe", "--isolated", "--color", "never", str(root)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1) or done.stderr:
        raise SystemExit(f"fix ended with status {done.returncode}: {done.stderr[:2000]}")
    codes = [found["code"] for found in FIXED.finditer(done.stdout)]
    return {code: codes.count(code) for code in sorted(set(codes))}


def compile_problem(text: bytes, path: str) -> str | None:
    """What Python says of a file, warnings included."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", SyntaxWarning)
            compile(text, path, "exec", dont_inherit=True)
    except (SyntaxError, SyntaxWarning, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    return None


def parse_problem(graphmend: str, path: Path) -> str | None:
    """What our parser says of a file."""
    done = subprocess.run([graphmend, "debug", "tree", str(path)], capture_output=True, text=True)
    return None if done.returncode == 0 else (done.stderr or done.stdout)[:500] or f"status {done.returncode}"


def find_problems(
    graphmend: str, root: Path, before: dict[str, bytes], after: dict[str, bytes]
) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {"compile": [], "parse": []}
    for path in [path for path in after if after[path] != before[path]]:
        problems = {"compile": compile_problem(after[path], path), "parse": parse_problem(graphmend, root / path)}
        if problems["compile"] is not None and compile_problem(before[path], path) == problems["compile"]:
            problems["compile"] = None  # the package's own
        for kind, problem in problems.items():
            found[kind] += [] if problem is None else [f"{path}: {problem}"]
    return found


def check_tree(graphmend: str, root: Path) -> dict[str, Any]:
    before = read_all(root)
    mends = run_fix(graphmend, root)
    once = read_all(root)
    problems = find_problems(graphmend, root, before, once)
    again = run_fix(graphmend, root)
    twice = read_all(root)
    unstable = [path for path in once if once[path] != twice[path]]
    changed = [path for path in once if once[path] != before[path]]
    return {
        "files": len(before),
        "changed": changed,
        "mends": mends,
        "mends_of_second_run": again,
        "unstable": unstable,
        **problems,
    }


def model_file(package: str, model_class: str) -> str | None:
    """The file below the package that defines a model class, as the lazy import of the package tells."""
    module: Any = importlib.import_module(package)
    found = getattr(module, model_class.rpartition(".")[2], None)
    parts = getattr(found, "__module__", "").split(".")
    return "/".join(parts[1:]) + ".py" if parts[0] == package else None


def choose_models(zoo: Path, chosen: Path, package: str, changed: set[str]) -> int:
    lines = [line for line in zoo.read_text(encoding="utf-8").splitlines() if line.strip()]
    models = [(line, json.loads(line)) for line in lines]
    kept = [
        line
        for line, spec in models
        if spec.get("package") == package and model_file(package, spec["model_class"]) in changed
    ]
    chosen.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
    return len(kept)


def show(result: dict[str, Any]) -> bool:
    mends = ", ".join(f"{count} {code}" for code, count in result["mends"].items())
    print(
        f"{len(result['changed'])} of {result['files']} files changed: {sum(result['mends'].values())} mends ({mends})"
    )
    names = {"compile": "do not compile", "parse": "do not parse again", "unstable": "change in a second run"}
    for kind, words in names.items():
        print(f"{len(result[kind])} {words}")
        for problem in result[kind][:20]:
            print(f"    {problem}")
    if result["mends_of_second_run"]:
        print(f"a second run still mends: {result['mends_of_second_run']}")
    return not any(result[kind] for kind in (*names, "mends_of_second_run"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", default="transformers")
    parser.add_argument("--below", default="models", help="folder of the package that is rewritten")
    parser.add_argument("--folder", type=Path, default=Path("build/fixed/site-packages"), help="where the copy goes")
    parser.add_argument("--json", type=Path, help="file for the numbers")
    parser.add_argument("--zoo", type=Path, help="models, a line each")
    parser.add_argument("--chosen", type=Path, help="file for those whose own file has changed")
    options = parser.parse_args()
    copy = copy_package(options.package, options.folder)
    result = check_tree(find_graphmend(), copy / options.below)
    right = show(result)
    if options.zoo and options.chosen:
        changed = {f"{options.below}/{path}" for path in result["changed"]}
        count = choose_models(options.zoo, options.chosen, options.package, changed)
        print(f"{count} models of the zoo have changed files")
    if options.json:
        result["package"] = f"{options.package} {importlib.metadata.version(options.package)}"
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(result, indent=1), encoding="utf-8")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
