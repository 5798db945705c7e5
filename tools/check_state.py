"""Check that no module of the runtime writes to the state of another module.

A module declares its state with `hooks.Feature(..., state=Draws)` or `OwnedState(__name__, Draws)`. `Draws` is a class
of the same module, and the module alone writes to it:

    DRAWS.of(trace).count += 1                      # in the module of `Draws`
    draws.DRAWS.of(trace).count += 1                # elsewhere: an error
    draws.note_draw(trace)                          # elsewhere: as it should be

The check follows a state by `X.of(...)` with an `X` of another module, by functions that are annotated to return a
state, by annotated parameters, and by local names for these. A write is an assignment, a deletion, `setattr`, or a call
of a method such as `append` on a field. States in `notes` are reached in `owned_state.py` alone.

usage: check_state.py [RUNTIME]
"""

from __future__ import annotations

import ast
import pathlib
import sys
from collections.abc import Iterator
from typing import NamedTuple, Optional, Union

MECHANISM = "owned_state"  # the module that keeps states in `notes`
MAKERS = ("Feature", "OwnedState")
MUTATORS = frozenset(
    "add append appendleft clear discard extend insert intersection_update difference_update pop popitem remove reverse"
    " setdefault sort update".split()
)
Function = Union[ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda]


class Module(NamedTuple):
    """One module. `imports` has the module and name behind each imported name, `states` the classes of its states."""

    path: pathlib.Path
    tree: ast.Module
    classes: frozenset[str]
    imports: dict[str, tuple[str, str]]
    states: frozenset[str]

    @property
    def name(self) -> str:
        """The name without the package."""
        return self.path.stem


def last_name(node: Optional[ast.AST]) -> str:
    """The last part of a dotted name; empty for other expressions."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def read(path: pathlib.Path) -> Module:
    """A module from a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    classes = frozenset(node.name for node in tree.body if isinstance(node, ast.ClassDef))
    states = frozenset(name for node in tree.body if isinstance(node, ast.Assign) for name in states_made(node.value))
    imports = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            home = (node.module or "").rpartition(".")[2]
            imports.update({alias.asname or alias.name: (home, alias.name) for alias in node.names})
    return Module(path, tree, classes, imports, states & classes)


def states_made(value: ast.AST) -> Iterator[str]:
    """The class of the state that a call of `Feature` or `OwnedState` declares."""
    if isinstance(value, ast.Call) and last_name(value.func) in MAKERS:
        given = [keyword.value for keyword in value.keywords if keyword.arg == "state"]
        for node in given or value.args[1:2]:
            if isinstance(node, ast.Name):
                yield node.id


def annotated(node: Optional[ast.AST]) -> Iterator[str]:
    """The names of classes in an annotation."""
    for part in ast.walk(node) if node is not None else ():
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value.rpartition(".")[2]
        elif last_name(part):
            yield last_name(part)


class Check:
    """The check of one module. `states` are classes of states, `givers` the modules of functions that return one."""

    def __init__(self, module: Module, states: set[str], givers: dict[str, set[str]]) -> None:
        self.module, self.states, self.givers = module, states, givers
        self.faults: list[tuple[int, str]] = []
        self.parts: set[str] = set()  # local names for parts of states of other modules

    def is_others(self, kind: str) -> bool:
        """Whether a class is the state of another module."""
        return kind in self.states and kind not in self.module.classes

    def is_foreign(self, node: Optional[ast.AST], names: set[str]) -> bool:
        """Whether an expression is a state of another module, or a part of one."""
        if isinstance(node, ast.Name):
            return node.id in names
        if isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
            return self.is_foreign(node.value, names)
        if isinstance(node, ast.NamedExpr):
            return self.is_foreign(node.value, names)
        if not isinstance(node, ast.Call):
            return False
        if isinstance(node.func, ast.Attribute) and node.func.attr == "of":
            return self.home(node.func.value)[0] != ""
        home, name = self.home(node.func)
        return home in self.givers.get(name, ())

    def home(self, node: ast.AST) -> tuple[str, str]:
        """The other module of an imported name or of `module.name`, and the name there; empty for own names."""
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            return (
                (self.module.imports[node.value.id][1], node.attr) if node.value.id in self.module.imports else ("", "")
            )
        return self.module.imports.get(node.id, ("", "")) if isinstance(node, ast.Name) else ("", "")

    def run(self) -> list[tuple[int, str]]:
        """The lines with a fault, and what is written there."""
        self.scope(self.module.tree, set())
        return sorted(self.faults)

    def scope(self, owner: ast.AST, outer: set[str]) -> None:
        """Check a module or function; inner functions see its names."""
        names = set(outer)
        if isinstance(owner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            arguments = [*owner.args.posonlyargs, *owner.args.args, *owner.args.kwonlyargs]
            names -= {argument.arg for argument in arguments}
            names |= {item.arg for item in arguments if any(map(self.is_others, annotated(item.annotation)))}
        nodes = list(own_nodes(owner))
        for node in nodes:
            for target, value in bound(node):
                if self.is_foreign(value, names):
                    names.add(target)
                    self.parts |= set() if isinstance(value, ast.Call) else {target}
        for node in nodes:
            self.writes(node, names)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
                self.scope(node, names)

    def writes(self, node: ast.AST, names: set[str]) -> None:
        """Note the writes of one node."""
        for target in written(node):
            is_part = isinstance(node, ast.Call) and isinstance(target, ast.Name) and target.id in names & self.parts
            inside = isinstance(target, (ast.Attribute, ast.Subscript)) and self.is_foreign(target.value, names)
            if is_part or inside:
                self.faults.append((target.lineno, ast.unparse(target)))
            elif "notes" in (last_name(target), last_name(getattr(target, "value", None))):
                if self.module.name != MECHANISM and not isinstance(target, ast.Name):
                    self.faults.append((target.lineno, ast.unparse(target)))


def own_nodes(owner: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a module or function without those inside of inner functions."""
    waiting = list(ast.iter_child_nodes(owner))
    while waiting:
        node = waiting.pop(0)
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            waiting = list(ast.iter_child_nodes(node)) + waiting


def bound(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """The local names that a node gives a value."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name):
                yield target.id, node.value
            elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = zip(target.elts, node.value.elts)
                yield from ((part.id, value) for part, value in pairs if isinstance(part, ast.Name))
    elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and isinstance(node.target, ast.Name) and node.value:
        yield node.target.id, node.value
    elif isinstance(node, (ast.For, ast.comprehension)) and isinstance(node.target, ast.Name):
        yield node.target.id, node.iter


def written(node: ast.AST) -> Iterator[ast.expr]:
    """The expressions that a node writes to."""
    if isinstance(node, (ast.Assign, ast.Delete)):
        for target in node.targets:
            yield from target.elts if isinstance(target, (ast.Tuple, ast.List)) else (target,)
    elif isinstance(node, (ast.AugAssign, ast.AnnAssign)):
        yield node.target
    elif isinstance(node, ast.Call) and last_name(node.func) in ("setattr", "delattr") and node.args:
        yield ast.copy_location(ast.Attribute(node.args[0], "*", ast.Store()), node)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS:
        yield node.func.value


def violations(runtime: pathlib.Path) -> list[str]:
    """Every write to a state outside of its module."""
    modules = [read(path) for path in sorted(runtime.rglob("*.py"))]
    states = {kind for module in modules for kind in module.states}
    givers: dict[str, set[str]] = {}
    for module in modules:
        for node in module.tree.body:
            if isinstance(node, ast.FunctionDef) and any(kind in states for kind in annotated(node.returns)):
                givers.setdefault(node.name, set()).add(module.name)
    return [
        f"{module.path}:{line}: `{text}` is a state of another module; call a function or method of its owner"
        for module in modules
        for line, text in Check(module, states, givers).run()
    ]


def main() -> int:
    runtime = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "python/graphmend/runtime")
    found = violations(runtime)
    print(
        "\n".join(found) or f"state: every module of {runtime} writes to its own",
        file=sys.stderr if found else sys.stdout,
    )
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
