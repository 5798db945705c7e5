"""Write data/torch/VERSION/ops.def and break_ids.def from the installed PyTorch.

    python tools/make_torch_facts.py [--output DIRECTORY] [--check]

Sources, all of them PyTorch's own: operator schemas (results, aliases, generators), operator tags, the type stubs it
ships, and, where these are silent, what a call does to small tensors, real ones and fake ones. `--check` writes nothing
and exits with 1 when the files differ from what would be written.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import logging
import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable

import numpy
import torch
from torch._subclasses.fake_tensor import DataDependentOutputException, DynamicOutputShapeException, FakeTensorMode
from torch.overrides import get_testing_overrides

COMMAND = "python tools/make_torch_facts.py"
SUBMODULES = ("linalg", "fft", "special")

RESULTS = {
    "Tensor": "TENSOR",
    "_bool": "BOOL",
    "bool": "BOOL",
    "_int": "INT",
    "int": "INT",
    "SymInt": "INT",
    "_float": "FLOAT",
    "float": "FLOAT",
    "Number": "SCALAR",
    "Scalar": "SCALAR",
    "Size": "SIZE",
    "tuple[_int, ...]": "SIZE",
    "tuple[int, ...]": "SIZE",
    "int[]": "SIZE",
    "SymInt[]": "SIZE",
    "str": "STRING",
    "_dtype": "DTYPE",
    "ScalarType": "DTYPE",
    "_device": "DEVICE",
    "Device": "DEVICE",
    "None": "NONE",
    "()": "NONE",
    "Self": "TENSOR",
    "list": "OTHER",
}


def result_of_text(text: str) -> str:
    """The kind of result that a type, written as in a stub or a schema, stands for."""
    text = text.replace("torch.", "").strip("\"'")
    if text in RESULTS:
        return RESULTS[text]
    if text.startswith("return_types.") or ("Tensor" in text and text.startswith(("tuple[", "list[", "Tensor[", "("))):
        return "TENSORS"
    return "UNKNOWN"


def result_of_object(value: Any) -> str:
    """The kind of an observed result."""
    kinds: list[tuple[Any, str]] = [
        (torch.Tensor, "TENSOR"),
        (bool, "BOOL"),
        (int, "INT"),
        (float, "FLOAT"),
        (torch.Size, "SIZE"),
        (str, "STRING"),
        (torch.dtype, "DTYPE"),
        (torch.device, "DEVICE"),
        (type(None), "NONE"),
    ]
    for kind, name in kinds:
        if isinstance(value, kind):
            return name
    if isinstance(value, (tuple, list)) and value and all(isinstance(item, torch.Tensor) for item in value):
        return "TENSORS"
    if isinstance(value, (tuple, list)) and value and all(isinstance(item, int) for item in value):
        return "SIZE"
    return "OTHER"


def join_results(results: set[str]) -> tuple[str, bool]:
    """One kind for all overloads, and whether some of them return several tensors where others return one."""
    known = results - {"UNKNOWN"}
    if known == {"TENSOR", "TENSORS"}:
        return "TENSOR", True
    if known == {"SIZE", "INT"}:
        return "SIZE", False
    if known == {"TENSOR", "NONE"}:
        return "UNKNOWN", False
    if len(known) == 1 and len(results) == 1:
        return known.pop(), False
    return ("OTHER", False) if known and "TENSOR" not in known and "TENSORS" not in known else ("UNKNOWN", False)


class Stubs:
    """Result types by name, from the stub files of the package."""

    def __init__(self) -> None:
        root = Path(torch.__file__).parent
        self.functions = self._read(ast.parse((root / "_C/_VariableFunctions.pyi").read_text()).body)
        self.nn = self._read(ast.parse((root / "nn/functional.pyi").read_text()).body)
        self.methods: dict[str, set[str]] = {}
        for node in ast.parse((root / "_C/__init__.pyi").read_text()).body:
            if isinstance(node, ast.ClassDef) and node.name in ("_TensorBase", "TensorBase"):
                self.methods = self._read(node.body)

    @staticmethod
    def _read(body: list[ast.stmt]) -> dict[str, set[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for node in body:
            if isinstance(node, ast.FunctionDef) and node.returns is not None:
                found[node.name].add(result_of_text(ast.unparse(node.returns)))
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                found[node.target.id].add(result_of_text(ast.unparse(node.annotation)))
        return dict(found)


class Schemas:
    """What the operator schemas and tags of `aten::NAME` say."""

    def __init__(self) -> None:
        self.by_name: dict[str, list[Any]] = defaultdict(list)
        for schema in torch._C._jit_get_all_schemas():
            space, _, name = schema.name.partition("::")
            if space == "aten":
                self.by_name[name].append(schema)

    def results(self, name: str) -> set[str]:
        return {self._result(schema) for schema in self.by_name.get(name, []) if not self._is_out(schema)}

    @staticmethod
    def _result(schema: Any) -> str:
        returns = [str(item.type) for item in schema.returns]
        if len(returns) > 1 and all(item in ("Tensor", "Tensor[]") for item in returns):
            return "TENSORS"
        if len(returns) == 1:
            return {"List[Tensor]": "TENSORS", "List[int]": "SIZE", "List[SymInt]": "SIZE"}.get(
                returns[0], result_of_text(returns[0])
            )
        return "NONE" if not returns else "UNKNOWN"

    @staticmethod
    def _is_out(schema: Any) -> bool:
        return any(item.is_out for item in schema.arguments)

    def mentions_tensors(self, name: str) -> bool:
        return any("Tensor" in str(schema) for schema in self.by_name.get(name, []))

    def flags(self, name: str) -> set[str]:
        flags: set[str] = set()
        for schema in self.by_name.get(name, []):
            if self._is_out(schema):
                flags.add("HAS_OUT")
                continue
            flags |= self._alias_flags(schema) | self._tag_flags(name, schema.overload_name)
            if any(item.name == "generator" for item in schema.arguments):
                flags.add("RANDOM")
            if not any("Tensor" in str(item.type) and "Optional" not in str(item.type) for item in schema.arguments):
                flags |= {"CREATES"} if self._result(schema) == "TENSOR" else set()
        return flags

    @staticmethod
    def _alias_flags(schema: Any) -> set[str]:
        flags: set[str] = set()
        for item in schema.arguments:
            if item.alias_info is not None and item.alias_info.is_write:
                flags.add("MUTATES")
        for item in schema.returns:
            if item.alias_info is not None and not item.alias_info.is_write:
                flags.add("VIEW")
        return flags

    @staticmethod
    def _tag_flags(name: str, overload: str) -> set[str]:
        packet = getattr(torch.ops.aten, name, None)
        operator = getattr(packet, overload or "default", None)
        tags = set(getattr(operator, "tags", ()))
        names = {
            torch.Tag.nondeterministic_seeded: "RANDOM",
            torch.Tag.data_dependent_output: "DATA",
            torch.Tag.dynamic_output_shape: "DYNAMIC_SHAPE",
            torch.Tag.pointwise: "POINTWISE",
            torch.Tag.inplace_view: "INPLACE_VIEW",
        }
        return {flag for tag, flag in names.items() if tag in tags}


def argument_lists(rows: int, columns: int, batch: int = 0) -> Iterator[tuple[Any, ...]]:
    """Arguments that many operators accept."""
    shape = (batch, rows, columns) if batch else (rows, columns)

    def tensor() -> torch.Tensor:
        return torch.linspace(0.1, 0.9, torch.Size(shape).numel()).reshape(shape)

    yield (tensor(),)
    yield (tensor(), tensor())
    yield (tensor(), 1)
    yield (tensor(), tensor() > 0.5)
    yield (tensor(), tensor(), tensor())
    yield (tensor(), torch.zeros(shape[0], dtype=torch.int64))
    yield (tensor(), tensor() > 0.5, tensor())
    yield (tensor(), 1, 1)
    yield ([tensor(), tensor()],)


def needs_no_tensor() -> Iterator[tuple[Any, ...]]:
    yield ([0.5, 1.5],)
    yield (2,)
    yield (numpy.zeros(2),)


def shares_storage(left: torch.Tensor, right: torch.Tensor) -> bool:
    if left.layout is not torch.strided or left.numel() == 0:
        return False
    return left.untyped_storage().data_ptr() == right.untyped_storage().data_ptr()


class Observer:
    """What calls do to small tensors."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.results: set[str] = set()
        self.flags: set[str] = set()

    def run(self, factory: bool) -> Observer:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._run_real()
            self._run_fake()
            if factory:
                self._run_without_tensors()
        return self

    def _call(self, arguments: tuple[Any, ...]) -> Any:
        return self.function(*arguments)

    def _run_real(self) -> None:
        dims: dict[int, list[int]] = defaultdict(list)
        dtypes: set[torch.dtype] = set()
        for sizes in ((2, 3), (3, 3), (1, 1), (2, 3, 2), (3, 3, 3)):
            for arguments in argument_lists(*sizes):
                torch.manual_seed(0)
                before = torch.get_rng_state()
                try:
                    result = self._call(arguments)
                except Exception:  # any refusal only means that the arguments do not fit
                    continue
                if not torch.equal(before, torch.get_rng_state()):
                    self.flags.add("RANDOM")
                self.results.add(result_of_object(result))
                if isinstance(result, torch.Tensor):
                    dtypes.add(result.dtype)
                    self._note_sharing(result, arguments)
                    if all(isinstance(item, torch.Tensor) for item in arguments):
                        dims[len(arguments)].append(result.dim())
                elif result_of_object(result) != "TENSORS" and self._depends_on_data(result, arguments):
                    self.flags.add("DATA")
        if any(len(seen) > 1 for seen in dims.values()) and not any(dims[min(dims)]):
            self.flags.add("REDUCES")
        if dtypes == {torch.bool}:
            self.flags.add("BOOLEAN")

    def _depends_on_data(self, result: Any, arguments: tuple[Any, ...]) -> bool:
        """Whether a Python result is the same for equal data and another one for other data."""
        same = self._call(tuple(item.clone() if isinstance(item, torch.Tensor) else item for item in arguments))
        others = [
            self._call(tuple(item * factor if isinstance(item, torch.Tensor) else item for item in arguments))
            for factor in (2, 0)
        ]
        return repr(same) == repr(result) and any(repr(other) != repr(result) for other in others)

    def _note_sharing(self, result: torch.Tensor, arguments: tuple[Any, ...]) -> None:
        for item in arguments:
            if isinstance(item, torch.Tensor) and result is not item and shares_storage(result, item):
                self.flags.add("VIEW")

    def _run_fake(self) -> None:
        with FakeTensorMode():
            for arguments in argument_lists(2, 3):
                try:
                    self._call(arguments)
                except DataDependentOutputException:
                    plain = all(isinstance(item, torch.Tensor) and item.is_floating_point() for item in arguments)
                    self.flags |= {"DATA"} if plain else set()
                except DynamicOutputShapeException:
                    self.flags.add("DYNAMIC_SHAPE")
                except Exception:
                    continue

    def _run_without_tensors(self) -> None:
        for arguments in needs_no_tensor():
            try:
                result = self._call(arguments)
            except Exception:
                continue
            if isinstance(result, torch.Tensor):
                self.flags.add("CREATES")


def parameters_of(function: Callable[..., Any]) -> list[str]:
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return []


class Facts:
    """All lines of ops.def."""

    def __init__(self) -> None:
        self.schemas = Schemas()
        self.stubs = Stubs()
        self.overridable = set(map(id, get_testing_overrides()))
        self.lines: list[tuple[int, bytes, str]] = []

    def add(self, space: str, name: str, result: str, flags: set[str]) -> None:
        text = " | ".join(f"GM_TORCH_{flag}" for flag in sorted(flags)) or "0"
        order = ("FUNCTION", "METHOD", "NN").index(space)
        line = f'GM_TORCH_OP({space}, "{name}", {result}, {text})'
        self.lines.append((order, name.encode(), line))

    def _combine(self, sources: list[set[str]], seen: Observer) -> tuple[str, set[str]]:
        """The first source that knows the result decides; what was seen fills the gaps."""
        for results in [*sources, seen.results]:
            result, either = join_results(results)
            if result != "UNKNOWN":
                return result, {"EITHER"} if either else set()
        return "UNKNOWN", set()

    def callable_facts(self, space: str, name: str, aten: str, function: Callable[..., Any], stub: set[str]) -> None:
        flags = self.schemas.flags(aten)
        if space == "METHOD":
            flags.discard("CREATES")
        native = bool(self.schemas.by_name.get(aten))
        # What is no operation on tensors (save, seed, set_num_threads) must not be tried.
        safe = id(function) in self.overridable or space == "NN" or bool(stub) or name.startswith("is_")
        safe = self.schemas.mentions_tensors(aten) if native else safe
        seen = Observer(function)
        if safe and not name.endswith("_") and not name.startswith(("set_", "cudnn_", "miopen_", "mkldnn_")):
            seen.run(factory=space == "FUNCTION")
        sources = [seen.results] if inspect.isfunction(function) else []
        result, extra = self._combine([*sources, stub, self.schemas.results(aten)], seen)
        if any(item.startswith("return_") for item in parameters_of(function)) and result == "TENSOR":
            extra.add("EITHER")
        flags |= extra | (seen.flags - ({"CREATES"} if native else set()))
        if name.endswith("_") and not name.endswith("__"):
            flags.add("MUTATES")
        elif not native or not self._always_writes(aten):
            flags.discard("MUTATES")
        if result != "TENSOR":
            flags -= {"REDUCES", "BOOLEAN", "CREATES"}
        if result == "TENSORS" or (result == "TENSOR" and space != "NN"):
            flags.discard("DATA")
        if result == "UNKNOWN" and name.startswith("is_"):
            return
        if result in ("BOOL", "INT", "SIZE", "DTYPE", "DEVICE", "NONE", "STRING"):
            flags.discard("VIEW")
        flags |= self._python_flags(space, name, function)
        self.add(space, name, result, flags)

    def _always_writes(self, aten: str) -> bool:
        schemas = [item for item in self.schemas.by_name[aten] if not Schemas._is_out(item)]
        return bool(schemas) and all("MUTATES" in Schemas._alias_flags(item) for item in schemas)

    def _python_flags(self, space: str, name: str, function: Callable[..., Any]) -> set[str]:
        flags: set[str] = set()
        if space == "METHOD" and hasattr(numpy.ndarray, name):
            flags.add("NUMPY")
        if "inplace" in parameters_of(function):
            flags.add("INPLACE_ARGUMENT")
        return flags

    def collect_functions(self) -> None:
        for name in sorted(dir(torch)):
            function = getattr(torch, name)
            known = self.schemas.by_name.get(name) or name in self.stubs.functions or id(function) in self.overridable
            known = known or name.startswith("is_")
            if not name.startswith("_") and callable(function) and not inspect.isclass(function) and known:
                self.callable_facts("FUNCTION", name, name, function, self.stubs.functions.get(name, set()))
        for module in SUBMODULES:
            space = getattr(torch, module)
            for name in sorted(dir(space)):
                function = getattr(space, name)
                aten = f"{module}_{name}"
                if not name.startswith("_") and self.schemas.by_name.get(aten) and callable(function):
                    self.callable_facts("FUNCTION", f"{module}.{name}", aten, function, set())

    def collect_methods(self) -> None:
        for name in sorted(dir(torch.Tensor)):
            if name.startswith("_"):
                continue
            member = getattr(torch.Tensor, name)
            if callable(member) and not inspect.isclass(member):
                self.callable_facts("METHOD", name, name, member, self.stubs.methods.get(name, set()))
            elif not inspect.isclass(member):
                self.property_facts(name)

    def property_facts(self, name: str) -> None:
        flags = {"PROPERTY"} | ({"NUMPY"} if hasattr(numpy.ndarray, name) else set())
        tensor = torch.linspace(0.1, 0.9, 6).reshape(2, 3)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                value = getattr(tensor, name)
            result = result_of_object(value)
        except Exception:  # sparse or named tensors only
            result, _ = join_results(self.stubs.methods.get(name, set()))
            value = None
        stub, _ = join_results(self.stubs.methods.get(name, {"UNKNOWN"}))
        result = result if result != "NONE" else ("UNKNOWN" if stub == "NONE" else stub)
        if isinstance(value, torch.Tensor) and value is not tensor:
            flags |= {"VIEW"} if shares_storage(value, tensor) else set()
        if self.schemas.by_name.get(name) and result == "TENSOR":
            flags |= self.schemas.flags(name) & {"VIEW"}
        self.add("METHOD", name, result, flags)

    def collect_nn(self) -> None:
        functional = torch.nn.functional
        for name in sorted(dir(functional)):
            function = getattr(functional, name)
            module = getattr(function, "__module__", None) or ""
            if name.startswith("_") or inspect.isclass(function) or not inspect.isroutine(function):
                continue
            if module.startswith(("torch.nn.functional", "torch._C", "torch._jit_internal")) or not module:
                self.callable_facts("NN", name, name, function, self.stubs.nn.get(name, set()))

    def text(self) -> str:
        self.collect_functions()
        self.collect_methods()
        self.collect_nn()
        head = (
            f"/* What the names of PyTorch {version()} do: GM_TORCH_OP(space, name, result, flags), sorted.\n"
            f" * Generated by `{COMMAND}`; do not edit. Undefines GM_TORCH_OP. */\n"
        )
        lines = [line for _, _, line in sorted(self.lines)]
        return head + "\n".join(lines) + "\n#undef GM_TORCH_OP\n"


def version() -> str:
    return torch.__version__.split("+")[0]


def break_ids_text() -> str:
    registry = Path(torch.__file__).parent / "_dynamo/graph_break_registry.json"
    entries = json.loads(registry.read_text())
    head = (
        f"/* The kinds of graph break of PyTorch {version()}: GM_TORCH_BREAK(id, name), sorted by id.\n"
        f" * Generated by `{COMMAND}`; do not edit. Undefines GM_TORCH_BREAK. */\n"
    )
    lines = [f"GM_TORCH_BREAK({json.dumps(key)}, {json.dumps(entries[key][0]['Gb_type'])})" for key in sorted(entries)]
    return head + "\n".join(lines) + "\n#undef GM_TORCH_BREAK\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    root = Path(__file__).resolve().parent.parent
    parser.add_argument("--output", type=Path, default=root / "data" / "torch" / version())
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    logging.disable(logging.CRITICAL)
    texts = {"ops.def": Facts().text(), "break_ids.def": break_ids_text()}
    stale = [
        name
        for name, text in texts.items()
        if not (options.output / name).exists() or (options.output / name).read_text() != text
    ]
    if options.check:
        for name in stale:
            print(f"{options.output / name} is not what {COMMAND} writes", file=sys.stderr)
        return 1 if stale else 0
    options.output.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (options.output / name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
