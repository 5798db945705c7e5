"""Calls of mended source that defer a side effect: `defer` and `record`. In eager Python they run the user's statement.

Everything here must stay traceable: plain Python, constants of the trace, and marker operators.
"""

from __future__ import annotations

from typing import Any, Callable, Iterator

from ..base import dialect_names as torch
from ..base import marker_ops
from ..base.call_stack import call_at
from ..base.trace_state import local
from ..capture.dialect import traced
from ..capture.trace_time import new_key, refuse
from .deferred_values import OPERATIONS
from .trace_time_effects import (
    changeable,
    is_followed,
    is_later,
    is_shown_exception,
    keeps_objects,
    note_event,
    noted_stack,
    postponed,
    prints_elsewhere,
    unrecordable,
    untouched,
)

# Options of warnings and log records with which they look at the stack in another way.
PLACES = ("source", "skip_file_prefixes", "exc_info", "stack_info")


def snapshot(site: str, value: Any, only_numbers: bool, found: list, flat: list) -> Any:
    """Put a copy of a value that later code cannot change behind those in `flat`; gives its form.

    A container is taken apart, because Dynamo takes one of numbers and texts for a constant, and compiles again
    whenever one of them changes. Its form is its type and the forms of its parts, that of a clock reading what is
    computed from it, that of an exception its type and arguments; all else has none. Tensors are listed in `found`.
    """
    if is_later("value"):
        if value.operation == "":
            flat.append(value.parts[0])
            return "", ()
        return value.operation, kept(site, value.parts, "", found, flat)
    if isinstance(value, torch.Tensor):
        value = torch.alias(value.detach() if only_numbers else value)
        found.append(value)
    elif type(value) is list:
        return "list", kept(site, tuple(value), "", found, flat)
    elif type(value) is tuple:
        return "tuple", kept(site, value, "", found, flat)
    elif type(value) is dict:
        return "dict", kept(site, (*value.keys(), *value.values()), "", found, flat)
    elif type(value) is set:
        value = set(value)
    elif is_shown_exception("value"):
        flat.append(type(value))
        return "exception", (None, *kept(site, value.args, "", found, flat))
    else:
        reason = changeable("value")
        if reason:
            refuse(site, reason)
    flat.append(value)
    return None


def kept(site: str, values: Any, numbers: str, found: list, flat: list) -> tuple:
    """Put values that a deferred effect shows into `flat` as they are now; gives their forms.

    `numbers` has a `1` where only numbers are read, an `f` where a file is printed into, and a `v` where a container
    that the call has made is itself recorded.
    """
    fixed = untouched("values")
    forms = []
    for i in range(len(values)):  # `enumerate` would bring guards on Python's own functions along
        value = values[i]
        mark = numbers[i : i + 1]
        if fixed[i] == "1" or mark == "f" or (mark == "v" and isinstance(value, (list, tuple, dict, set))):
            flat.append(value)
            forms.append(None)
        else:
            forms.append(snapshot(site, value, mark == "1", found, flat))
    return tuple(forms)


def put_together(forms: tuple, flat: Iterator[Any]) -> list:
    """Values of these forms again."""
    values = []
    for form in forms:
        if form is None:
            values.append(next(flat))
            continue
        if form[0] == "":
            values.append(next(flat)[0])
            continue
        parts = put_together(form[1], flat)
        values.append(CONTAINERS[form[0]](parts) if form[0] in CONTAINERS else OPERATIONS[form[0]](*parts))
    return values


def table_of(parts: list) -> dict:
    """A dictionary of its keys and values."""
    half = len(parts) // 2
    return dict(zip(parts[:half], parts[half:]))


def exception_of(parts: list) -> BaseException:
    """An exception with the text of another."""
    return parts[0](*parts[1:])


CONTAINERS: dict[str, Callable[[list], Any]] = {
    "list": list,
    "tuple": tuple,
    "dict": table_of,
    "exception": exception_of,
}


def call_with_containers(forms: tuple, sink: Callable[..., None], before: int, *flat: Any) -> None:
    """Call a sink with so many values as they are, and the rest put together."""
    sink(*flat[:before], *put_together(forms, iter(flat[before:])))


def is_done(site: str) -> bool:
    """Whether the effect at a site has been carried out by the compiled call that is run again in eager Python."""
    return local.replay is not None and local.replay.is_done(site)


def defer(site: str, sink: Callable[..., None], values: Any, numbers: str = "", levels: int = 1) -> None:
    """Call `sink(*values)` once the compiled call has returned; at once where nothing is traced.

    It looks at so many frames of the stack, its own included.
    """
    if not traced():
        if not is_done(site):
            sink(*values)
        return
    if prints_elsewhere("values", numbers):
        refuse(site, "it prints into what may be no file of Python's")
    reason = postponed("sink")
    if reason:
        refuse(site, reason)
    found: list = []
    flat: list = []
    forms = kept(site, values, numbers, found, flat)
    key = new_key(site)
    note_event(key, "sink")
    marker_ops.event(key, found)
    first: list = []
    if levels > 1:
        first = [noted_stack(levels), levels, sink]
        sink = call_at
    postpone(site, sink, first, forms, flat)


def stacklevel(site: str, *values: Any, **options: Any) -> int:
    """The argument `stacklevel` among those of a warning or a log record, by position the third one."""
    if not traced():
        return 1
    for name in PLACES:
        if name in options:
            refuse(site, "the place that it names is not known")
    level = options["stacklevel"] if "stacklevel" in options else values[2] if len(values) > 2 else 1
    if len(values) > 3 or type(level) is not int:
        refuse(site, "`stacklevel` is not known")
    return level


def postpone(site: str, sink: Callable[..., None], first: list, forms: tuple, flat: list) -> None:
    """Have `sink(*first, *values)` called later, the values being those that were kept."""
    for form in forms:
        if form is not None:
            first, sink = [forms, sink, len(first), *first], call_with_containers
            break
    # `local` comes first because Dynamo does not take it for a constant: it would otherwise look into the numbers
    # and strings of the event, and compile again whenever one changes.
    local.queue.append((local, sink, torch.is_grad_enabled(), site, *first, *flat))


def record(
    site: str, sink: Callable[..., None], roots: tuple, values: Any, path: str, action: str, numbers: str = ""
) -> None:
    """Call `sink(*roots, *values)` like a deferred effect; it writes to `path`, at which nobody may look before."""
    if not traced():
        if not is_done(site):
            sink(*roots, *values)
        return
    if is_followed(site) or keeps_objects(site, "values", numbers, action):
        sink(*roots, *values)
        return
    reason = unrecordable(site, path, action)
    if reason:
        refuse(site, reason)
    found: list = []
    flat: list = []
    forms = kept(site, values, numbers, found, flat)
    key = new_key(site)
    note_event(key, "sink")
    marker_ops.event(key, found)
    postpone(site, sink, list(roots), forms, flat)
