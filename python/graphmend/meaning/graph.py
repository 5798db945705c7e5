"""From types at run time to the meaning IR, and to the builders of values.

Numbers are as in the C front end (src/meaning/source.h): a named type has a number before its parts, an unnamed type
behind its parts, and equal parts share a number.
"""

from __future__ import annotations

import enum
import sys
import types
import typing
from typing import Any, Callable, Optional

from graphmend.meaning.errors import UnsupportedType

Notes = Callable[[Any], dict[str, Any]]
Hint = Any

_NONE = type(None)
_UNION_TYPES = (typing.Union, getattr(types, "UnionType", typing.Union))
_PRIMITIVES = {bool: "bool", int: "int", float: "float", str: "str", bytes: "bytes", _NONE: "none", object: "any"}
_NAMED = {
    ("decimal", "Decimal"): "decimal",
    ("datetime", "datetime"): "datetime",
    ("datetime", "date"): "date",
    ("datetime", "time"): "time",
    ("datetime", "timedelta"): "timedelta",
    ("uuid", "UUID"): "uuid",
    ("pathlib", "Path"): "path",
    ("pathlib", "PurePath"): "path",
    ("pathlib", "PosixPath"): "path",
    ("pathlib", "PurePosixPath"): "path",
}
_COLLECTIONS = {
    "list": "list",
    "Sequence": "list",
    "MutableSequence": "list",
    "Iterable": "list",
    "Collection": "list",
    "set": "set",
    "MutableSet": "set",
    "Set": "set",
    "frozenset": "frozenset",
    "dict": "dict",
    "Mapping": "dict",
    "MutableMapping": "dict",
}
_BOUNDS = ("ge", "gt", "le", "lt", "multiple_of", "min_length", "max_length", "pattern")


def default_text(value: Any) -> Optional[str]:
    """The source of a default value, where the source is short and certain."""
    if value is None or type(value) in (bool, int, float, str):
        return repr(value)
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if value in ([], {}, ()) and type(value) in (list, dict, tuple):
        return repr(value)
    return None


def _factory_text(factory: Any) -> Optional[str]:
    return {list: "[]", dict: "{}", set: "set()"}.get(factory)


class Field:
    """A field of a record: its IR, and the way to pass its value to the constructor."""

    def __init__(self, name: str, hint: Hint, required: bool = True) -> None:
        self.name = name
        self.hint = hint
        self.required = required
        self.default: Optional[str] = None
        self.aliases: list[str] = []
        self.notes: list[str] = []
        self.keyword = name  # of the constructor
        self.keyword_only = False


class Record:
    """A class with fields."""

    def __init__(self, kind: str, cls: Any, fields: list[Field]) -> None:
        self.kind = kind
        self.cls = cls
        self.fields = fields


def class_hints(cls: Any, names: dict[str, Any]) -> dict[str, Hint]:
    """The annotations of a class and its bases, evaluated, with the notes in `Annotated`."""
    local = {**names, cls.__name__: cls}
    try:
        return typing.get_type_hints(cls, localns=local, include_extras=True)
    except TypeError:  # an InitVar in a string, before Python 3.11
        found: dict[str, Hint] = {}
        for base in reversed(cls.__mro__):
            found.update(_own_hints(base, local))
        return found


def function_hints(function: Any, names: dict[str, Any]) -> dict[str, Hint]:
    """The annotations of a function. A parameter may have an unknown type, and the result may not."""
    found: dict[str, Hint] = {}
    for name, hint in function.__annotations__.items():
        # As that of a class: for functions, older Pythons add None to the type of a parameter whose default is None.
        bare = type("Annotations", (), {"__annotations__": {name: hint}})
        try:
            hints = typing.get_type_hints(bare, function.__globals__, names or None, include_extras=True)
        except Exception as error:
            if name == "return":
                raise UnsupportedType(f"the return type of {function.__qualname__} is not known: {error}") from None
            hints = {name: Any}
        found.update(hints)
    return found


def _own_hints(cls: Any, local: dict[str, Any]) -> dict[str, Hint]:
    scope = vars(sys.modules.get(cls.__module__, typing))
    written = dict(vars(cls).get("__annotations__", {}))
    for name, hint in written.items():
        if isinstance(hint, str) and "InitVar" in hint:
            written[name] = getattr(eval(hint, dict(scope), local), "type", Any)
    bare = type("Annotations", (), {"__annotations__": written, "__module__": cls.__module__})
    return typing.get_type_hints(bare, localns=local, include_extras=True)


def _generic(hint: Hint) -> tuple[Any, tuple[Any, ...]]:
    """A class and its arguments."""
    origin = typing.get_origin(hint)
    if origin is not None and isinstance(origin, type):
        return origin, typing.get_args(hint)
    data = getattr(hint, "__pydantic_generic_metadata__", None)
    if data and data.get("origin"):
        return hint, tuple(data["args"])
    return hint, ()


def _dataclass_record(cls: Any, names: dict[str, Any]) -> Record:
    hints = class_hints(cls, names)
    fields = []
    for name, field in cls.__dataclass_fields__.items():
        category = getattr(field, "_field_type", None)
        if "CLASSVAR" in repr(category) or not field.init:
            continue
        hint = hints.get(name, Any)
        hint = getattr(hint, "type", Any) if type(hint).__name__ == "InitVar" else hint
        missing = [type(value).__name__ == "_MISSING_TYPE" for value in (field.default, field.default_factory)]
        made = Field(name, hint, all(missing))
        if not missing[0]:
            made.default = default_text(field.default)
        elif not missing[1]:
            made.default = _factory_text(field.default_factory)
        made.keyword_only = bool(getattr(field, "kw_only", False)) and repr(getattr(field, "kw_only", False)) == "True"
        fields.append(made)
    return Record("dataclass", cls, fields)


def _attrs_record(cls: Any, names: dict[str, Any]) -> Record:
    hints = class_hints(cls, names)
    fields = []
    for attribute in cls.__attrs_attrs__:
        if not attribute.init:
            continue
        default = attribute.default
        made = Field(attribute.name, hints.get(attribute.name, attribute.type or Any), repr(default) == "NOTHING")
        made.keyword = getattr(attribute, "alias", None) or attribute.name.lstrip("_")
        made.keyword_only = bool(attribute.kw_only)
        if not made.required:
            factory = getattr(default, "factory", None)
            made.default = _factory_text(factory) if factory is not None else default_text(default)
        fields.append(made)
    return Record("attrs", cls, fields)


def _pydantic_record(cls: Any) -> Record:
    fields = []
    for name, info in cls.model_fields.items():
        made = Field(name, info.annotation, info.is_required())
        # What Field() and Annotated say about the value belongs to the annotation again.
        parts = [part for part in info.metadata if _annotation_parts((part,)) != ([], {})]
        if parts:
            made.hint = typing.Annotated.__class_getitem__((info.annotation, *parts))  # type: ignore[attr-defined]
        alias = info.validation_alias if isinstance(info.validation_alias, str) else info.alias
        made.aliases = [alias] if isinstance(alias, str) else []
        made.keyword = alias if isinstance(alias, str) else name
        if info.description:
            made.notes.append(info.description)
        if not made.required:
            made.default = _factory_text(info.default_factory) if info.default_factory else default_text(info.default)
        fields.append(made)
    return Record("pydantic", cls, fields)


def _typed_dict_record(cls: Any, names: dict[str, Any]) -> Record:
    fields = []
    for name, hint in class_hints(cls, names).items():
        required = name in cls.__required_keys__
        while getattr(typing.get_origin(hint), "_name", "") in ("Required", "NotRequired", "ReadOnly"):
            origin: Any = typing.get_origin(hint)
            required = origin._name == "Required" or (required and origin._name == "ReadOnly")
            (hint,) = typing.get_args(hint)
        fields.append(Field(name, hint, required))
    return Record("typeddict", cls, fields)


def _named_tuple_record(cls: Any, names: dict[str, Any]) -> Record:
    hints = class_hints(cls, names)
    fields = []
    for name in cls._fields:
        made = Field(name, hints.get(name, Any), name not in cls._field_defaults)
        if not made.required:
            made.default = default_text(cls._field_defaults[name])
        fields.append(made)
    return Record("namedtuple", cls, fields)


def record_of(cls: Any, names: dict[str, Any]) -> Optional[Record]:
    """The fields of a class; None for a class without declared fields."""
    if not isinstance(cls, type):
        return None
    if hasattr(cls, "__pydantic_fields__") or hasattr(cls, "model_fields"):
        return _pydantic_record(cls)
    if hasattr(cls, "__dataclass_fields__"):
        return _dataclass_record(cls, names)
    if hasattr(cls, "__attrs_attrs__"):
        return _attrs_record(cls, names)
    if hasattr(cls, "__required_keys__") and issubclass(cls, dict):
        return _typed_dict_record(cls, names)
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return _named_tuple_record(cls, names)
    return None


def _annotation_parts(metadata: tuple[Any, ...]) -> tuple[list[str], dict[str, Any]]:
    """Notes and bounds of an Annotated: strings, descriptions, and whatever has the attributes of a constraint."""
    notes: list[str] = []
    bounds: dict[str, Any] = {}
    for part in metadata:
        if isinstance(part, str):
            notes.append(part)
            continue
        for name in ("description", "documentation"):
            if isinstance(getattr(part, name, None), str):
                notes.append(getattr(part, name))
        for inner in (part, *(getattr(part, "metadata", None) or ())):
            for name in _BOUNDS:
                value = getattr(inner, name, None)
                if value is not None and type(value) in (int, float, str):
                    bounds[name] = value
    return notes, {name: bounds[name] for name in _BOUNDS if name in bounds}


def _value(value: Any) -> dict[str, Any]:
    """A literal value or the value of a member, as the IR has it."""
    if isinstance(value, enum.Enum):
        return {"name": value.name, **_value(value.value)}
    if value is None or type(value) in (bool, int, str):
        return {"value": value}
    if type(value) is float and value == value and value not in (float("inf"), float("-inf")):
        return {"value": value}
    if type(value) is bytes:
        import base64

        return {"bytes": base64.b64encode(value).decode()}
    return {}


class Graph:
    """The types within reach of a type: `types` is the IR, `made` the run-time form of each type."""

    def __init__(self, notes: Optional[Notes] = None, names: Optional[dict[str, Any]] = None) -> None:
        self.types: list[dict[str, Any]] = []
        self.made: list[Any] = []
        self._notes = notes or (lambda target: {})
        self.names = names or {}
        self._nominal: dict[Any, int] = {}
        self._structural: dict[Any, int] = {}
        self._taken: dict[str, int] = {}
        self._variables: list[dict[Any, Hint]] = []

    def add(self, hint: Hint) -> int:
        """The number of a type."""
        hint = self._settle(hint)
        if hint is Any:
            return self._structure("any", ())
        if hint is None:
            return self._structure("none", ())
        if isinstance(hint, type) and hint in _PRIMITIVES:
            return self._structure(_PRIMITIVES[hint], ())
        if (origin := typing.get_origin(hint)) is not None:
            return self._add_generic(hint, origin, typing.get_args(hint))
        if hasattr(hint, "__supertype__"):
            return self._alias(hint, hint.__name__, hint.__supertype__)
        if type(hint).__name__ == "TypeAliasType":
            return self._alias(hint, hint.__name__, hint.__value__)
        if isinstance(hint, type):
            return self._add_class(hint)
        raise UnsupportedType(f"{hint!r} cannot be read from text")

    def add_any(self, hint: Hint) -> int:
        """Add a type, with `any` for types without a reader."""
        count = len(self.types)
        nominal, structural, taken = dict(self._nominal), dict(self._structural), dict(self._taken)
        try:
            return self.add(hint)
        except UnsupportedType:
            del self.types[count:], self.made[count:]
            self._nominal, self._structural, self._taken = nominal, structural, taken
            return self.add(Any)

    def _settle(self, hint: Hint) -> Hint:
        """A type without forward references and type variables."""
        if isinstance(hint, str):
            hint = typing.ForwardRef(hint)
        if isinstance(hint, typing.ForwardRef):
            return self._forward(hint)
        if isinstance(hint, typing.TypeVar):
            for scope in reversed(self._variables):
                if hint in scope:
                    return self._settle(scope[hint])
            return self._settle(hint.__bound__) if hint.__bound__ is not None else Any
        return hint

    def _forward(self, hint: typing.ForwardRef) -> Hint:
        text = hint.__forward_arg__
        module = getattr(hint, "__forward_module__", None)
        scope = {**vars(typing), **getattr(module, "__dict__", {}), **self.names}
        try:
            return eval(text, scope)
        except Exception as error:
            raise UnsupportedType(f"the annotation {text!r} cannot be evaluated: {error}") from None

    def _structure(self, form: str, items: tuple[int, ...], made: Any = None, **more: Any) -> int:
        key = (form, items, repr(sorted(more.items())))
        if key not in self._structural:
            self._structural[key] = len(self.types)
            self.types.append({"form": form, **more, **({"items": list(items)} if items or form == "tuple" else {})})
            if "bounds" in more:
                self.types[-1]["bounds"] = self.types[-1].pop("bounds")
            self.made.append(made)
        return self._structural[key]

    def _reserve(self, key: Any, name: str) -> tuple[int, str]:
        index = self._nominal[key] = len(self.types)
        self.types.append({})
        self.made.append(None)
        count = self._taken[name] = self._taken.get(name, 0) + 1
        return index, name if count == 1 else f"{name}_{count}"

    def _alias(self, key: Any, name: str, target: Hint) -> int:
        if key in self._nominal:
            return self._nominal[key]
        index, name = self._reserve(key, name)
        self.types[index] = {"form": "alias", "name": name}
        self.types[index]["items"] = [self.add(target)]
        return index

    def _add_generic(self, hint: Hint, origin: Any, args: tuple[Any, ...]) -> int:
        if origin in _UNION_TYPES:
            return self._union(args)
        if origin is typing.Literal:
            return self._literal(args)
        if hasattr(hint, "__metadata__"):
            return self._annotated(hint)
        name = getattr(origin, "__name__", "")
        if origin is tuple:
            if hint is typing.Tuple or (len(args) == 2 and args[1] is Ellipsis):
                return self._structure("tuple_of", (self.add(args[0] if args else Any),))
            return self._structure("tuple", tuple(self.add(arg) for arg in args if arg != ()))
        if type(origin).__name__ == "TypeAliasType":
            return self._parametric(
                hint, origin.__type_params__, args, lambda: self._alias(hint, self._name(hint), origin.__value__)
            )
        if isinstance(origin, type) and name in _COLLECTIONS and origin.__module__ in ("builtins", "collections.abc"):
            args = args or (Any,) * (2 if _COLLECTIONS[name] == "dict" else 1)  # `typing.List` as it stands
            return self._structure(_COLLECTIONS[name], tuple(self.add(arg) for arg in args))
        if isinstance(origin, type) and origin.__module__ != "collections.abc":
            parameters = getattr(origin, "__parameters__", ())
            return self._parametric(hint, parameters, args, lambda: self._add_record(hint, origin))
        raise UnsupportedType(f"{hint!r} cannot be read from text")

    def _parametric(
        self, hint: Hint, parameters: tuple[Any, ...], args: tuple[Any, ...], add: Callable[[], int]
    ) -> int:
        if hint in self._nominal:
            return self._nominal[hint]
        self._variables.append(dict(zip(parameters, (self._settle(arg) for arg in args))))
        try:
            return add()
        finally:
            self._variables.pop()

    def _name(self, hint: Hint) -> str:
        """The name of a generic type with its arguments, such as `Box[int]`."""
        if isinstance(hint, type) and typing.get_origin(hint) is None:
            return hint.__name__
        args = ", ".join(self._name(self._settle(arg)) for arg in typing.get_args(hint))
        origin = typing.get_origin(hint)
        if origin is None:
            return getattr(hint, "__name__", None) or str(hint).replace("typing.", "")
        if origin in _UNION_TYPES:
            return " | ".join(
                "None" if arg is _NONE else self._name(self._settle(arg)) for arg in typing.get_args(hint)
            )
        return f"{getattr(origin, '__name__', str(origin))}[{args}]"

    def _union(self, args: tuple[Any, ...]) -> int:
        items: list[int] = []
        for arg in args:
            index = self.add(arg)
            if index not in items:
                items.append(index)
        return items[0] if len(items) == 1 else self._structure("union", tuple(items))

    def _literal(self, args: tuple[Any, ...]) -> int:
        values = [_value(arg) for arg in args]
        if not all(values):
            raise UnsupportedType(f"Literal{list(args)!r} has values that text cannot be")
        return self._structure("literal", (), made=args, values=values)

    def _annotated(self, hint: Hint) -> int:
        index = self.add(hint.__origin__)
        notes, bounds = _annotation_parts(hint.__metadata__)
        more: dict[str, Any] = {}
        if notes:
            more["note"] = " ".join(notes)
        if bounds:
            more["bounds"] = bounds
        return self._structure("annotated", (index,), **more) if more else index

    def _add_class(self, cls: Any) -> int:
        if cls in self._nominal:
            return self._nominal[cls]
        for base in cls.__mro__:
            form = _NAMED.get((base.__module__.split(".")[0], base.__name__))
            if form is not None:
                return self._structure(form, (), made=cls)
        if issubclass(cls, enum.Enum):
            return self._enumeration(cls)
        if cls in (list, set, frozenset, dict, tuple):
            if cls is tuple:
                return self._structure("tuple_of", (self.add(Any),))
            parts = (Any, Any) if cls is dict else (Any,)
            return self._structure(cls.__name__, tuple(self.add(part) for part in parts))
        origin, args = _generic(cls)
        return self._add_record(cls, cls)

    def _enumeration(self, cls: Any) -> int:
        index, name = self._reserve(cls, cls.__name__)
        form = "flag" if issubclass(cls, enum.Flag) else "enum"
        notes = self._notes(cls)
        made: dict[str, Any] = {"form": form, "name": name}
        if notes.get("doc"):
            made["doc"] = notes["doc"]
        made["members"] = []
        members = [member for member in cls]
        if form == "flag" and sys.version_info < (3, 11):
            members = [member for member in cls if member.value and member.value & (member.value - 1) == 0]
        for member in members:
            value = {"name": member.name, **_value(member.value)}
            if notes.get("members", {}).get(member.name):
                value["note"] = notes["members"][member.name]
            made["members"].append(value)
        if not members:
            raise UnsupportedType(f"{cls.__name__} has no members")
        self.types[index], self.made[index] = made, members
        return index

    def _add_record(self, hint: Hint, cls: Any) -> int:
        record = record_of(cls, self.names)
        if record is None:
            raise UnsupportedType(
                f"{getattr(cls, '__name__', cls)} cannot be read from text: it has no declared fields"
            )
        index, name = self._reserve(hint, self._name(hint))
        notes = self._notes(cls)
        made: dict[str, Any] = {"form": "record", "name": name, "kind": record.kind}
        if notes.get("doc"):
            made["doc"] = notes["doc"]
        self.types[index], self.made[index] = made, record
        self._variables.append(_inherited(cls))
        try:
            made["fields"] = [self._field(field, notes) for field in record.fields]
        finally:
            self._variables.pop()
        return index

    def _field(self, field: Field, notes: dict[str, Any]) -> dict[str, Any]:
        made: dict[str, Any] = {"name": field.name}
        if field.aliases:
            made["aliases"] = field.aliases
        made["type"] = self.add(field.hint)
        if not field.required:
            made["required"] = False
            if field.default is not None:
                made["default"] = field.default
        written = notes.get("members", {}).get(field.name)
        words = [*field.notes, *([written] if written and written not in field.notes else [])]
        if words:
            made["note"] = " ".join(words)
        return made


def _inherited(cls: Any) -> dict[Any, Hint]:
    """The values of type variables in the generic bases of a class."""
    found: dict[Any, Hint] = {}
    for base in getattr(cls, "__orig_bases__", ()):
        origin = typing.get_origin(base)
        parameters = getattr(origin, "__parameters__", ())
        for parameter, arg in zip(parameters, typing.get_args(base)):
            if parameter is not arg:
                found[parameter] = arg
    return found
