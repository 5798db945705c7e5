"""The dialect's calls for deferred effects: `defer` for prints, logs and warnings, `record` for writes to objects.

    print("loss", loss)                                # the user's statement
    _gm.defer(site, lambda a, b: print(a, b), ("loss", loss))     # the mended one

While Dynamo traces, both put the *sink* (the function that carries out the effect) and copies of its values into the
effect queue. In eager Python they run the user's statement. Each line here must be traceable: plain Python, constants
of the trace, and marker operators. Names of local variables are part of the contract: `trace_time_effects` looks them
up in the traced frame by text, as in `is_later("value")`.
"""

from __future__ import annotations

from typing import Any, Callable, Iterator, Optional, Sequence

from ..base import dialect_names as torch
from ..base import marker_ops
from ..base.call_stack import call_at
from ..base.trace_state import local
from ..capture.dialect import traced
from ..capture.trace_time import new_key, refuse
from .deferred_values import OPERATIONS
from .exceptions import exception_of
from .kept_tensors import keep, keeps_tensors
from .shown_dataclasses import instance_of, shown_fields
from .shown_texts import Text, asked_texts, blame_records, is_shown_exception
from .trace_time_effects import (
    any_later,
    changeable,
    is_followed,
    is_later,
    is_made_text,
    keeps_objects,
    leave_as_written,
    note_event,
    noted_stack,
    passed_unread,
    prints_elsewhere,
    undeferrable,
    unrecordable,
)

# Options of warnings and log records that change how the stack is read.
MADE_TEXT = "made text"  # the form of an `io.StringIO` of the call
PLACES = ("source", "skip_file_prefixes", "exc_info", "stack_info")


def snapshot(site: str, value: Any, only_numbers: bool, tensors: list[Any], flat: list[Any]) -> Any:
    """Append a copy of a value to `flat`, safe from later changes; returns the *form* of the value.

    Containers are taken apart: Dynamo takes a container of numbers and strings for a constant, and compiles again for
    each new content. The form of a container is its type and the forms of its parts; of a deferred number, the
    operation and the operands; of an exception, its type and arguments. Other values have no form (None). Tensors are
    also listed in `tensors`.
    """
    if is_later("value"):
        if value.operation == "":
            flat.append(value.parts[0])
            return "", ()
        return value.operation, copy_values(site, value.parts, "", tensors, flat)
    if isinstance(value, torch.Tensor):
        value = torch.alias(value.detach() if only_numbers else value)
        tensors.append(value)
    elif type(value) is list:
        return "list", copy_values(site, tuple(value), "", tensors, flat)
    elif type(value) is tuple:
        return "tuple", copy_values(site, value, "", tensors, flat)
    elif type(value) is dict:
        return "dict", copy_values(site, (*value.keys(), *value.values()), "", tensors, flat)
    elif type(value) is set:
        value = set(value)
    elif is_shown_exception("value"):
        flat.append(type(value))
        return "exception", (None, *copy_values(site, value.args, "", tensors, flat))
    else:
        reason = changeable("value")
        if reason:
            fields = shown_fields(site, "value")
            if fields and not only_numbers:
                flat.append(type(value))
                flat.append(fields)
                parts = parts_of(value, fields.split(","))  # a comprehension would make a cell of `value`
                return "instance", (None, None, *copy_values(site, parts, "", tensors, flat))
            texts = "" if only_numbers else asked_texts(site, "value")
            if not texts:
                refuse(site, reason)
            flat.append(text_of(site, value, str, reason) if texts != "r" else "")
            flat.append(text_of(site, value, repr, reason) if texts != "s" else "")
            return "text", (None, None)
    flat.append(value)
    return None


def text_of(site: str, value: Any, make: Callable[[Any], str], reason: str) -> str:
    """The text of an object; `print` has written its earlier arguments before an exception or effect of `__str__`."""
    before = len(local.queue)
    try:
        text = make(value)
    except Exception:
        blame_records()
        refuse(site, reason)
    if len(local.queue) > before:
        refuse(site, reason)
    return text


def parts_of(value: Any, names: list[str]) -> tuple[Any, ...]:
    """The attributes of an object with these names."""
    return tuple([getattr(value, name) for name in names])


def copy_values(site: str, values: Any, numbers: str, tensors: list[Any], flat: list[Any]) -> tuple[Any, ...]:
    """Append copies of the values of a deferred effect to `flat`; returns their forms.

    `numbers` has a mark for each value: `1` where only numbers are read, `f` for the file of a print, `v` where a
    container made by the call is recorded itself, `l` where the length alone is asked for.
    """
    can_stay = passed_unread("values")
    forms: list[Any] = []
    for i in range(len(values)):  # `enumerate` would bring guards on Python's own functions along
        value = values[i]
        mark = numbers[i : i + 1]
        if mark == "f" and is_made_text("value"):
            flat.append(value.cell)
            forms.append((MADE_TEXT, ()))
        elif mark == "l" and can_stay[i] != "1":
            flat.append(range(len(value)))  # of the same length
            forms.append(None)
        elif can_stay[i] == "1" or mark == "f" or (mark == "v" and isinstance(value, (list, tuple, dict, set))):
            flat.append(value)
            forms.append(None)
        else:
            forms.append(snapshot(site, value, mark == "1", tensors, flat))
    return tuple(forms)


def put_together(forms: tuple[Any, ...], flat: Iterator[Any]) -> list[Any]:
    """Values rebuilt from their forms and the flat list of parts."""
    values = []
    for form in forms:
        if form is None:
            values.append(next(flat))
            continue
        if form[0] in ("", MADE_TEXT):
            values.append(next(flat)[0])
            continue
        parts = put_together(form[1], flat)
        values.append(CONTAINERS[form[0]](parts) if form[0] in CONTAINERS else OPERATIONS[form[0]](*parts))
    return values


def table_of(parts: list[Any]) -> dict[Any, Any]:
    """A dictionary from a list of its keys and then its values."""
    half = len(parts) // 2
    return dict(zip(parts[:half], parts[half:]))


def shown_text(parts: list[Any]) -> Text:
    """An object with the texts of the shown object."""
    return Text(parts[0], parts[1])


CONTAINERS: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "tuple": tuple,
    "dict": table_of,
    "exception": exception_of,
    "instance": instance_of,
    "text": shown_text,
}


def prints_into_made(sink: Callable[..., None], values: Sequence[Any]) -> bool:
    """Whether an event is a print into an `io.StringIO` of the call."""
    return sink is call_with_containers and (MADE_TEXT, ()) in values[0]


def call_with_containers(forms: tuple[Any, ...], sink: Callable[..., None], unchanged: int, *flat: Any) -> None:
    """Call a sink with the first `before` values unchanged, and with the other values rebuilt from their forms."""
    sink(*flat[:unchanged], *put_together(forms, iter(flat[unchanged:])))


def is_done(site: str) -> bool:
    """Whether an earlier run of this call has carried out the effect of a site; asked in a replay in eager Python."""
    return local.replay is not None and local.replay.is_done(site)


def defer(site: str, sink: Callable[..., None], values: Any, numbers: str = "", levels: int = 1) -> None:
    """Call `sink(*values)` after the compiled call has returned; in eager Python at once.

    `levels` is the number of stack frames that the sink reads, its own frame included.
    """
    if not traced():
        if not is_done(site):
            sink(*values)
        return
    if prints_elsewhere("values", numbers):
        refuse(site, "it prints into what may be no file of Python's")
    reason = undeferrable("sink")
    if reason:
        refuse(site, reason)
    tensors: list[Any] = []
    flat: list[Any] = []
    forms = copy_values(site, values, numbers, tensors, flat)
    key = new_key(site)
    note_event(key, "sink")
    marker_ops.event(key, tensors)
    leading: list[Any] = []
    if levels > 1:
        leading = [noted_stack(levels), levels, sink]
        sink = call_at
    postpone(site, sink, leading, forms, flat)


def stacklevel(site: str, *values: Any, **options: Any) -> int:
    """The value of `stacklevel` among the arguments of a warning or a log record; the third one by position."""
    if not traced():
        return 1
    for name in PLACES:
        if name in options:
            refuse(site, "the place that it names is not known")
    level = options["stacklevel"] if "stacklevel" in options else values[2] if len(values) > 2 else 1
    if len(values) > 3 or type(level) is not int:
        refuse(site, "`stacklevel` is not known")
    return level


def postpone(
    site: Optional[str], sink: Callable[..., None], leading: list[Any], forms: tuple[Any, ...], flat: list[Any]
) -> None:
    """Queue the call `sink(*first, *values)` for the flush; `forms` and `flat` describe the values.

    An event without a site is carried out once more when the call is replayed.
    """
    for form in forms:
        if form is not None:
            leading, sink = [forms, sink, len(leading), *leading], call_with_containers
            break
    # `local` comes first because Dynamo does not take `local` for a constant. In a tuple of constants, Dynamo would
    # read the numbers and strings of the event, and compile again for each change.
    local.queue.append((local, sink, torch.is_grad_enabled(), site, *leading, *flat))


def record(
    site: str, sink: Callable[..., None], roots: tuple[Any, ...], values: Any, path: str, action: str, numbers: str = ""
) -> None:
    """Call `sink(*roots, *values)` like a deferred effect: the sink writes to `path`, and no code reads `path` in
    between.
    """
    if not traced():
        if not is_done(site):
            sink(*roots, *values)
        return
    if is_followed(site):
        sink(*roots, *values)
        return
    if keeps_objects(site, "values", numbers, action):
        if keeps_tensors(site, "values", path, action):
            keep_tensors(site, sink, roots, values, path, action, numbers)
        else:
            sink(*roots, *values)
        return
    reason = unrecordable(site, path, action)
    if reason:
        if any_later("values"):
            refuse(site, reason)
        leave_as_written(site, reason)
        sink(*roots, *values)
        return
    tensors: list[Any] = []
    flat: list[Any] = []
    forms = copy_values(site, values, numbers, tensors, flat)
    key = new_key(site)
    note_event(key, "sink")
    marker_ops.event(key, tensors)
    postpone(site, sink, list(roots), forms, flat)


def keep_tensors(
    site: str, sink: Callable[..., None], roots: tuple[Any, ...], values: Any, path: str, action: str, numbers: str
) -> None:
    """Defer a record of tensors; the flush puts in the tensors themselves, and no copies."""
    reason = unrecordable(site, path, action)
    if reason:
        refuse(site, reason)
    key = new_key(site)
    note_event(key, "sink")
    marker_ops.event(key, [])
    leading = [sink, path, len(roots) == 0, action, [], numbers.count("k")]
    local.queue.append((local, keep, torch.is_grad_enabled(), site, *leading, *roots, *values))
