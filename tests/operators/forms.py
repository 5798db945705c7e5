"""Every operator and functional form that can be called with generated arguments, as an expression of a program.

ATen overloads come from their schemas: as they are, as functions of `torch`, `torch.linalg` and so on, as methods, with
`out=`. Functions of `torch.nn.functional` come from their signatures, `inplace` by position and by name. Distributions
come from what they say about their parameters, layers from the options that they have.
"""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import io
import itertools
import typing
import warnings
from typing import Any, Callable, Iterator, Optional

import torch
from arguments import Chooser, Spec, tensor

TRIES = 60
HOMES = {"linalg_": "linalg", "fft_": "fft", "special_": "special"}
# Not called here: derivatives, which trust the indices that they are given; what waits, writes files or memory that it
# is given by address, changes the process, or gives memory as it was found.
LEFT_OUT = frozenset(
    "from_file set_num_threads seed manual_seed initial_seed _fw_primal _make_dual set_ set_data backward "
    "record_stream _pin_memory pin_memory is_pinned _sparse_mm empty empty_like new_empty empty_strided "
    "new_empty_strided empty_permuted resize_as_ resize_ resize _resize_output_ _resize_output resize_as_sparse_ "
    "_copy_from _copy_from_and_resize retain_grad requires_grad_ share_memory_ rename_ _nested_tensor_from_mask "
    "vander _unsafe_view _reshape_alias as_strided as_strided_ _debug_has_internal_overlap sspaddmm".split()
)
OF_MACHINES = ("mkldnn", "cudnn", "miopen", "fbgemm", "_mkldnn", "_cudnn", "_miopen", "quantized_")
GLOBALS = {"torch": torch, "F": torch.nn.functional}


@dataclasses.dataclass(frozen=True)
class Form:
    """A call as text, the tensors that it is given, and the function or method that it calls."""

    name: str
    text: str
    specs: tuple[Spec, ...]
    setup: str = ""  # a line in front of the program

    def tensors(self, seed: int = 0) -> list[torch.Tensor]:
        """Its inputs."""
        return [tensor(spec, seed + place) for place, spec in enumerate(self.specs)]

    def call(self, inputs: list[torch.Tensor]) -> Any:
        """Make the call in eager Python."""
        names = {**GLOBALS, **{f"a{place}": value for place, value in enumerate(inputs)}}
        exec(self.setup, names)
        return eval(self.text, names)


@dataclasses.dataclass(frozen=True)
class Candidate:
    """Something that can be called: parameters as name, type, whether it has a default, whether it goes by name."""

    name: str
    call: str  # with `{}` for the arguments; `{self}` stands for the first one
    parameters: tuple[tuple[str, str, bool, bool], ...]
    switched: Optional[str] = None  # how `inplace` is given: by position or by name
    setup: str = ""


def text_of(value: Any) -> str:
    """An argument as Python writes it."""
    if isinstance(value, list):
        return "[" + ", ".join(map(text_of, value)) + "]"
    return repr(value)


def attempt(candidate: Candidate, number: int) -> Form:
    """The candidate with arguments by chance."""
    chooser = Chooser(f"{candidate.name} {candidate.switched} {number}")
    texts: list[str] = []
    by_name = False
    for name, kind, has_default, keyword in candidate.parameters:
        if name == "pin_memory" and has_default:  # of a device that need not be there
            continue
        if name == "inplace" and candidate.switched is not None:
            texts.append("True" if candidate.switched == "position" else "inplace=True")
            by_name = by_name or candidate.switched == "name"
            continue
        needed = candidate.switched == "position" and not keyword
        if has_default and not needed and chooser.random.random() < 0.5:
            by_name = True
            continue
        value = chooser.value(kind)
        if name == "training" and candidate.switched:
            value = True
        texts.append(f"{name}={text_of(value)}" if keyword or by_name else text_of(value))
    if "{self}" in candidate.call:
        call = candidate.call.replace("{self}", texts[0]).replace("{}", ", ".join(texts[1:]))
    else:
        call = candidate.call.replace("{}", ", ".join(texts))
    return Form(candidate.name, call, tuple(chooser.specs), candidate.setup)


def found_form(candidate: Candidate) -> Optional[Form]:
    """The first arguments with which the candidate can be called."""
    for number in range(TRIES):
        try:
            form = attempt(candidate, number)
            with quiet():
                torch.manual_seed(0)
                result = form.call(form.tensors())
            if not result_tensors(result) and result is not None:
                continue
            return form
        except Exception:  # wrong arguments
            continue
    return None


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Neither warnings nor texts."""
    with (
        warnings.catch_warnings(),
        contextlib.redirect_stderr(io.StringIO()),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        warnings.simplefilter("ignore")
        yield


def result_tensors(result: Any) -> list[torch.Tensor]:
    """The tensors that a call has given."""
    return [leaf for leaf in torch.utils._pytree.tree_leaves(result) if isinstance(leaf, torch.Tensor)]


# ---- ATen ----


def schemas() -> list[Any]:
    """The schemas of all operators of ATen, in one order for ever."""
    found = [schema for schema in torch._C._jit_get_all_schemas() if schema.name.startswith("aten::")]
    found = [
        schema for schema in found if any("Tensor" in str(item.type) for item in [*schema.arguments, *schema.returns])
    ]
    return sorted(found, key=lambda schema: (schema.name, schema.overload_name))


def aten_candidates(private: bool = False) -> Iterator[Candidate]:
    """Overloads as they are, as functions, as methods."""
    for schema in schemas():
        name = schema.name.partition("::")[2]
        if (
            name in LEFT_OUT
            or "_backward" in name
            or name.startswith(OF_MACHINES)
            or (name.startswith("_") and not private)
            or name.startswith("__")
        ):
            continue
        packet = getattr(torch.ops.aten, name, None)
        overload = schema.overload_name or "default"
        if packet is None or overload not in packet.overloads():
            continue
        parameters = tuple(
            (argument.name, str(argument.real_type), argument.has_default_value(), argument.kwarg_only)
            for argument in schema.arguments
        )
        label = f"{name}.{overload}"
        yield Candidate(f"aten {label}", f"torch.ops.aten.{label}({{}})", parameters)
        home, short = home_of(name)
        if callable(getattr(home, short, None)):
            yield Candidate(f"function {label}", f"torch{place_of(home)}.{short}({{}})", parameters)
        first = parameters[0] if parameters else None
        if first is not None and first[1].startswith("Tensor") and callable(getattr(torch.Tensor, name, None)):
            if not any(keyword and "out" in argument for argument, _, _, keyword in parameters):
                yield Candidate(f"method {label}", f"{{self}}.{name}({{}})", parameters)


def home_of(name: str) -> tuple[Any, str]:
    """The namespace in which users find an operator, and its name there."""
    for prefix, home in HOMES.items():
        if name.startswith(prefix):
            return getattr(torch, home), name.removeprefix(prefix)
    return torch, name


def place_of(home: Any) -> str:
    """The namespace behind `torch`."""
    return home.__name__.removeprefix("torch")


# ---- Functions of Python, distributions, layers ----


def functional_candidates() -> Iterator[Candidate]:
    """Functions of `torch.nn.functional`, and those of `torch` that are written in Python."""
    homes = [(torch.nn.functional, "F")] + [(torch, "torch")]
    for home, label in homes:
        for name in sorted(vars(home)):
            function = getattr(home, name)
            if name.startswith("_") or name in LEFT_OUT or not inspect.isroutine(function):
                continue
            if not str(getattr(function, "__module__", "")).startswith(
                ("torch.nn.functional", "torch.functional", "torch._lowrank", "torch._lobpcg")
            ):
                continue
            yield from of_signature(name, f"{label}.{name}({{}})", function)


def of_signature(name: str, call: str, function: Callable[..., Any]) -> Iterator[Candidate]:
    """A function of Python, once for each way to say `inplace`."""
    original = inspect.unwrap(function)
    try:
        signature = inspect.signature(original)
        hints = typing.get_type_hints(original)
    except (ValueError, TypeError, NameError):
        return
    parameters = []
    for item in signature.parameters.values():
        if item.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            continue
        keyword = item.kind is inspect.Parameter.KEYWORD_ONLY
        kind = kind_of(hints.get(item.name), item.default)
        parameters.append((item.name, kind, item.default is not inspect.Parameter.empty, keyword))
    names = [parameter[0] for parameter in parameters]
    yield Candidate(f"functional {name}", call, tuple(parameters))
    if "inplace" in names:
        for switched in ("position", "name"):
            yield Candidate(f"functional {name} inplace by {switched}", call, tuple(parameters), switched)


def kind_of(hint: Any, default: Any) -> str:
    """The type of a parameter as a schema writes it."""
    if hint is None:
        plain = {bool: "bool", int: "int", float: "float", str: "str"}
        return plain.get(type(default), "Tensor")
    text = getattr(hint, "__name__", str(hint)) if isinstance(hint, type) else str(hint)
    return text.replace("torch.Tensor", "Tensor")


TRANSFORMED = {"positive": "{}.abs() + 0.5", "nonnegative": "{}.abs()", "unit": "{}.sigmoid()"}


def distribution_candidates() -> Iterator[Form]:
    """Draws from distributions."""
    for name in sorted(torch.distributions.__all__):
        kind = getattr(torch.distributions, name)
        constraints = getattr(kind, "arg_constraints", None)
        if not isinstance(kind, type) or not isinstance(constraints, dict):
            continue
        texts = []
        needed = [
            item for item in inspect.signature(kind).parameters.values() if item.default is inspect.Parameter.empty
        ]
        for place, item in enumerate(needed):
            words = str(constraints.get(item.name, "")).lower()
            transform = "{}.abs() + 0.5" if "greater" in words or "positive" in words else "{}"
            transform = "{}.softmax(-1)" if "simplex" in words else transform
            transform = "{}.sigmoid()" if "interval" in words else transform
            texts.append(transform.format(f"a{place}"))
        specs = tuple(("float", (3, 4)) for _ in needed)
        for method in ("sample()", "rsample()", "sample((2,))"):
            yield Form(
                f"distribution {name} {method}", f"torch.distributions.{name}({', '.join(texts)}).{method}", specs
            )


def layer_candidates() -> Iterator[Layer]:
    """Layers, with `inplace` where they have it."""
    for name in sorted(vars(torch.nn)):
        kind = getattr(torch.nn, name)
        if isinstance(kind, type) and issubclass(kind, torch.nn.Module) and not name.startswith("Lazy"):
            yield Layer(f"layer {name}", "")
            if "inplace" in inspect.signature(kind).parameters:
                yield Layer(f"layer {name} inplace", "inplace=True")


@dataclasses.dataclass(frozen=True)
class Layer:
    """A layer of `torch.nn` with an option."""

    name: str
    option: str

    def form(self) -> Optional[Form]:
        """The first arguments with which it can be made and called."""
        for needed, shape in itertools.product(("", "2", "3", "4", "0.1, 0.2", "2, 4", "4, 3"), LAYER_SHAPES):
            given = ", ".join(filter(None, (needed, self.option)))
            setup = f"layer = torch.nn.{self.name.split()[1]}({given})"
            form = Form(self.name, "layer(a0)", (("float", shape),), setup)
            if works(form):
                return form
        return None


LAYER_SHAPES = ((2, 3, 4, 4), (2, 3, 4), (3, 4), (2, 3, 4, 4, 4))


def works(form: Form) -> bool:
    """Whether a form can be called."""
    try:
        with quiet():
            torch.manual_seed(0)
            return bool(result_tensors(form.call(form.tensors())))
    except Exception:
        return False


def candidates(private: bool = False) -> list[Any]:
    """All that is to be tried, in one order."""
    return [*aten_candidates(private), *functional_candidates(), *distribution_candidates(), *layer_candidates()]


def form_of(candidate: Any) -> Optional[Form]:
    """A candidate as a call that works; None if there is none."""
    if isinstance(candidate, Layer):
        return candidate.form()
    if isinstance(candidate, Form):
        return candidate if works(candidate) else None
    return found_form(candidate)


def forms(chosen: list[Any]) -> Iterator[Form]:
    """The forms of candidates, one for each name."""
    seen: set[str] = set()
    for candidate in chosen:
        form = None if candidate.name in seen else form_of(candidate)
        if form is not None:
            seen.add(form.name)
            yield form
