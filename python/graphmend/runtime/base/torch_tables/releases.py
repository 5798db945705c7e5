"""Releases of torch: for each release, the rows that differ from the neighbour on the way to 2.13.

    (2, 14): Differences(methods={"truth": "nb_bool_impl"}, ...)               # 2.15 inherits the row
    (2, 12): Differences(places={"object.getattr": "UserDefinedObjectVariable.var_getattr(...)"}, ...)
    (2, 11): Differences(places={"object.table": None}, ...)                   # 2.11 and older have no such place

`names.py` and `places.py` describe 2.13. A newer release inherits the rows of the release before, an older release the
rows of the release behind. A difference gives the new place of a name, or None for a missing name. `older:NAME` stands
for a function of `older.py`, which does the work of the missing function.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Mapping
from typing import Optional

from .names import NAMES
from .places import PLACES

Version = tuple[int, int]
BASE: Version = (2, 13)
OLDEST: Version = (2, 9)

# The releases on which `verify`, the kit and the tests of the runtime have run: see docs/results.md.
KNOWN: tuple[Version, ...] = ((2, 9), (2, 10), (2, 11), (2, 12), (2, 13), (2, 14), (2, 15))


@dataclasses.dataclass(frozen=True)
class Differences:
    """Differences from the neighbour: places of names, methods of Dynamo's variables, places of capabilities.

    `additions` are attributes that classes lack, by the names of class and attribute, with the object to add.
    """

    names: Mapping[str, Optional[str]] = dataclasses.field(default_factory=dict)
    methods: Mapping[str, str] = dataclasses.field(default_factory=dict)
    places: Mapping[str, Optional[str]] = dataclasses.field(default_factory=dict)
    additions: Mapping[str, str] = dataclasses.field(default_factory=dict)


# Methods and attributes of Dynamo's variables that some release names differently.
METHODS = {
    "truth": "bool_impl",
    "read": "var_getattr",
    "method_receiver": "obj",
    "generator_exhausted": "_is_generator_exhausted",
}

READ = "tp_getattro_impl(self, tx, name)"
COMPARE_ITEMS = "generic_richcompare_bool(tx, first, second, name)"
OF_RANDOM = "seed getstate setstate shuffle sample random randint randrange uniform".split()
NEWER: dict[Version, Differences] = {
    (2, 14): Differences(
        names={"OpaqueObjectClassVariable": "torch._dynamo.variables.script_object:CustomClassVariable"},
        methods={"truth": "nb_bool_impl", "read": "tp_getattro_impl", "generator_exhausted": "_frame_state_finished"},
        places={
            "tensor.getattr": f"TensorVariable.{READ}",
            "array.getattr": f"NumpyNdarrayVariable.{READ}",
            "module.getattr": f"PythonModuleVariable.{READ}",
            "class.getattr": f"UserDefinedClassVariable.{READ}",
            "super.getattr": f"SuperVariable.{READ}",
            "function.getattr": f"UserFunctionVariable.{READ}",
            "optimizer.getattr": f"OptimizerVariable.{READ}",
            "logger.getattr": f"LoggingLoggerVariable.{READ}",
            "generator.method": None,  # a generator that an exception has left is finished
            "number.compare": "SymNodeVariable.tp_richcompare_impl(self, tx, other, name)",
            "range.contains": "RangeVariable.sq_contains_impl(self, tx, item)",
            "dict_items.contains": "DictItemsVariable.sq_contains_impl(self, tx, item)",
            "object.contains": "UserDefinedObjectVariable.sq_contains_impl(self, tx, item)",
            # A module that imports a function by name has a reference of its own.
            "item.compare": " | ".join(f"{home}.{COMPARE_ITEMS}" for home in ("object_protocol", "lists")),
        },
    ),
    (2, 15): Differences(
        methods={"method_receiver": "im_self"},
        places={
            "exception.reconstruct": "UserDefinedExceptionObjectVariable.reconstruct(self, codegen)",
            "text.create": "StringFormatVariable.create(cls, tx, text, args, kwargs)",
            "random_object.method": " | ".join(
                f"RandomVariable.tp_methods['{name}'].handler(self, tx, args, kwargs)" for name in OF_RANDOM
            ),
            "optimizer.init_group": "OptimizerVariable.tp_methods['_init_group'].handler(self, tx, args, kwargs)",
        },
    ),
}
OLDER: dict[Version, Differences] = {
    (2, 12): Differences(
        names={
            "SetAttrBuiltinVariable": None,
            "unpack_iterable": "older:unpack_iterable",
            "generic_richcompare": "older:generic_richcompare",
            "generic_richcompare_bool": "older:generic_richcompare",
        },
        places={
            "attribute.set": "BuiltinVariable.call_setattr(self, tx, item, name, value)",
            "object.getattr": "UserDefinedObjectVariable.var_getattr(self, tx, name)",
            "item.compare": None,
            "number.compare": None,
            "range.contains": None,
            "set.iterate": "SetVariable.unpack_var_sequence(self, tx)",
            "dict_items.contains": None,
            "object.contains": "UserDefinedObjectVariable.call_method(self, tx, name, args, kwargs)",
            "text.hash": None,
        },
        additions={"UserDefinedObjectVariable.generic_getattr": "older:generic_getattr"},
    ),
    (2, 11): Differences(
        names={
            "DunderDictVariable": None,
            "HashableTracker": "torch._dynamo.variables.dicts:ConstDictVariable._HashableTracker",
        },
        additions={"OutputGraph.resolve_source_value": "older:resolve_source_value"},
        places={
            "attribute_table.create": None,
            "attribute_table.guard_name": None,
            "attribute_table.guard_names": None,
            "graph.check_gradients": None,
            "object.table": None,
            "proxy.check": None,
        },
    ),
    (2, 10): Differences(
        names={
            "LazyConstantVariable": "older:LazyConstantVariable",
            "is_non_overlapping_and_dense_or_false": "older:is_non_overlapping_and_dense_or_false",
        },
        additions={
            "OutputGraph.leaf_var_creation_order": "older:leaf_var_creation_order",
            "ShapeEnv.backed_var_to_val": "older:backed_var_to_val",
        },
        places={"graph.rewire_backward": None, "autograd_function.prepare": None, "variable.lazy_constant": None},
    ),
    (2, 9): Differences(
        names={
            "EffectType": "torch._higher_order_ops.effects:_EffectType",
            "_register_effectful_op": "older:_register_effectful_op",
            "OpaqueObjectClassVariable": None,
            "TempLocalSource": "older:TempLocalSource",
            "unimplemented": "torch._dynamo.exc:unimplemented_v2",
        },
        additions={
            "VariableTracker.is_tensor": "older:is_tensor",
            "VariableTracker.is_constant_none": "older:is_constant_none",
        },
        places={"sequence.guard_length": None, "opaque_class.call": None},
    ),
}


@dataclasses.dataclass(frozen=True)
class Release:
    """All rows of one release of torch."""

    version: Version
    names: Mapping[str, Optional[str]]
    methods: Mapping[str, str]
    places: Mapping[str, Optional[str]]
    additions: Mapping[str, str]


def version_of(version: str) -> Optional[Version]:
    """Major and minor number of a version such as `2.15.0a0+git1f2e3d`; None for a text without numbers."""
    match = re.match(r"(\d+)\.(\d+)", version)
    return (int(match[1]), int(match[2])) if match else None


def base_names() -> dict[str, Optional[str]]:
    """The place of each name of 2.13, as `module:attribute`."""
    places: dict[str, Optional[str]] = {}
    for module, names in NAMES.items():
        for row in names.split():
            name, _, attribute = row.partition("=")
            places[name] = f"{module}:{'' if attribute == '.' else attribute or name}"
    return places


@functools.lru_cache(maxsize=None)
def rows(version: Version) -> Release:
    """The rows of a release; for an unknown release, the rows of the closest known release."""
    names, methods, places = base_names(), dict(METHODS), dict[str, Optional[str]](PLACES)
    additions: dict[str, str] = {}
    if version > BASE:
        chain = [NEWER[newer] for newer in sorted(NEWER) if newer <= version]
    else:
        chain = [OLDER[newer] for newer in sorted(OLDER, reverse=True) if newer >= version]
    for differences in chain:
        names.update(differences.names)
        methods.update(differences.methods)
        places.update(differences.places)
        additions.update(differences.additions)
    return Release(version, names, methods, places, additions)
