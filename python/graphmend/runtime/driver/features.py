"""Features of the runtime, in the order of their hooks: Dynamo reaches a later feature earlier."""

from __future__ import annotations

import functools
import importlib

from ..base import folders, hooks, torch_names

ORDER = (
    "capture.identity_guard",
    "effects.object_writes",
    "shims.mapping_proxies",
    "capture.assumptions",
    "capture.number_operators",
    "capture.dynamic_counters",
    "capture.growing_lists",
    "capture.number_tuples",
    "shims.early_side_refusal",
    "capture.implicit_bool",
    "shims.containment",
    "shims.tensor_predicates_api",
    "shims.sorting",
    "shims.no_op_conversions",
    "shims.number_outputs",
    "effects.deferred_values",
    "shims.builtins_of_tensors",
    "shims.object_operators",
    "shims.object_texts",
    "shims.string_formatting",
    "shims.exception_texts",
    "shims.exception_arguments",
    "shims.new_attribute_tables",
    "shims.tensor_indexing",
    "shims.mask_writes",
    "shims.c_functions_in_python",
    "shims.constant_folding",
    "shims.pickled_constants",
    "shims.evaluated_texts",
    "shims.context_managers",
    "effects.redirected_output",
    "effects.deferred_calls",
    "external.locks",
    "ops.ctc_loss",
    "external.numpy_random_functions",
    "shims.numpy_semantics",
    "ops.numpy_functions",
    "shims.number_lists",
    "external.random_objects",
    "external.seeded_generators",
    "external.rng_states",
    "autograd.gradient_api",
    "autograd.retain_grad",
    "shims.generator_close",
    "shims.generator_ends",
    "shims.kept_objects",
    "passes.dead_code_that_raises",
    "shims.module_construction",
    "ops.scipy_functions",
    "ops.statistics_functions",
    "external.lru_caches",
    "shims.stack_inspection",
    "effects.queue_sizes",
    "autograd.tensor_hooks",
    "ops.rnn_layers",
    "autograd.function_repeated_input",
    "autograd.function_class_methods",
    "autograd.function_numbers",
    "autograd.function_effects",
    "shims.class_attribute_writes",
    "shims.class_tables",
    "shims.function_attributes",
    "shims.metaclass_calls",
    "external.python_random",
    "effects.exceptions",
    "shims.property_functions",
    "shims.attribute_lookup",
    "shims.joined_texts",
    "shims.string_members",
    "shims.typed_dictionaries",
    "shims.deleted_cells",
    "shims.skipped_torch_functions",
    "shims.tracked_optimizers",
    "shims.guard_shortcuts",
    "shims.item_hint",
    "shims.lazy_sides",
    "shims.unguarded_values",
    "shims.distinct_objects",
    "shims.limited_queues",
    "shims.changed_deques",
    "shims.rewritten_dictionaries",
    "shims.unhashable_keys",
    "shims.signatures",
    "shims.shared_attributes",
    "shims.lazy_attributes",
    "effects.purity_watch",
    "effects.finalizers",
    "shims.is_compiling",
    "shims.unmended_functions",
    "capture.trace_time",
    "effects.undo_log",
    "external.prologue",
)


@functools.lru_cache(maxsize=None)
def load() -> None:
    """Import all features, in order."""
    torch_names.add_what_is_missing()
    for name in ORDER:
        importlib.import_module(f"{folders.PACKAGE}.{name}")
    known = dict(hooks.features)
    hooks.features.clear()
    hooks.features.update({name: known[name] for name in (path.rpartition(".")[2] for path in ORDER)})
