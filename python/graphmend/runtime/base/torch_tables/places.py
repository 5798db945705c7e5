"""Rows of capabilities: for each function of torch 2.13 that a hook may replace, the place and the parameters.

    "skipped.call": "SkipFunctionVariable.call_function(self, tx, args, kwargs)"
    "compare": "compare_op_handlers['*'](tx, sides, options)"
    "items.search": "dynamo_utils.iter_contains(...) | lists.iter_contains(...)"

A place reads like Python: `Class.method(parameters)`, `Class.table['key'].slot(parameters)` or
`module.function(parameters)`; `|` joins several places of one capability. The key `'*'` stands for every item of a
table, and hooks of the table get the key in front of the parameters. The first part is a name of `names.py` or a module
of MODULES. The parameters are the parameters of hooks; a release may have more behind them.
"""

from __future__ import annotations

import dataclasses
import re

MODULES = {
    "aot_autograd": "torch._functorch.aot_autograd",
    "builder": "torch._dynamo.variables.builder",
    "builtin": "torch._dynamo.variables.builtin",
    "dynamo_utils": "torch._dynamo.utils",
    "graph_compile": "torch._functorch._aot_autograd.graph_compile",
    "lists": "torch._dynamo.variables.lists",
    "nn_module": "torch._dynamo.variables.nn_module",
    "object_protocol": "torch._dynamo.variables.object_protocol",
    "tensor": "torch._dynamo.variables.tensor",
    "user_defined": "torch._dynamo.variables.user_defined",
}

CALL = "call_function(self, tx, args, kwargs)"
METHOD = "call_method(self, tx, name, args, kwargs)"
READ = "var_getattr(self, tx, name)"
HAS = "call_obj_hasattr(self, tx, name)"

PLACES = {
    # Calls that the program makes.
    "torch_function.call": f"TorchInGraphFunctionVariable.{CALL}",
    "function.call": f"UserFunctionVariable.{CALL}",
    "method.call": f"UserMethodVariable.{CALL}",
    "skipped.call": f"SkipFunctionVariable.{CALL}",
    "builtin.call": f"BuiltinVariable.{CALL}",
    "polyfill.call": f"PolyfilledFunctionVariable.{CALL}",
    "class.call": f"UserDefinedClassVariable.{CALL}",
    "numpy.call": f"NumpyVariable.{CALL}",
    "random_object.method": f"RandomVariable.{METHOD}",
    "random_class.call": f"RandomClassVariable.{CALL}",
    "opaque_class.call": f"OpaqueObjectClassVariable.{CALL}",
    "itertools.call": f"ItertoolsVariable.{CALL}",
    "wrapper.call": f"WrapperUserFunctionVariable.{CALL}",
    "random.call": "user_defined.call_random_fn(tx, function, args, kwargs)",
    "translator.call": "InstructionTranslatorBase.call_function(self, function, args, kwargs)",
    "translator.jump": "InstructionTranslatorBase.jump(self, instruction)",
    "inlined.run": "InliningInstructionTranslator.inline_call_(self)",
    # Methods.
    "tensor.method": f"TensorVariable.{METHOD}",
    "tensor.item_hint": "TensorVariable._warn_capture_scalar_outputs()",
    "array.method": f"NumpyNdarrayVariable.{METHOD}",
    "builtin.method": f"BuiltinVariable.{METHOD}",
    "constant.method": f"ConstantVariable.{METHOD}",
    "class.method": f"UserDefinedClassVariable.{METHOD}",
    "pattern.method": f"ConstantLikeVariable.{METHOD}",
    "list.method": f"ListVariable.{METHOD}",
    "set.method": f"SetVariable.{METHOD}",
    "logger.method": f"LoggingLoggerVariable.{METHOD}",
    "numpy.method": f"NumpyVariable.{METHOD}",
    "nn_module.method": f"UnspecializedNNModuleVariable.{METHOD}",
    "optimizer.init_group": f"OptimizerVariable.{METHOD}",
    # Attributes.
    "tensor.getattr": f"TensorVariable.{READ}",
    "array.getattr": f"NumpyNdarrayVariable.{READ}",
    "module.getattr": f"PythonModuleVariable.{READ}",
    "class.getattr": f"UserDefinedClassVariable.{READ}",
    "object.getattr": "UserDefinedObjectVariable.generic_getattr(self, tx, name)",
    "super.getattr": f"SuperVariable.{READ}",
    "exception.getattr": f"ExceptionVariable.{READ}",
    "exception.reconstruct": "ExceptionVariable.reconstruct(self, codegen)",
    "super.method": f"SuperVariable.{METHOD}",
    "function.getattr": f"UserFunctionVariable.{READ}",
    "logger.getattr": f"LoggingLoggerVariable.{READ}",
    "optimizer.getattr": f"OptimizerVariable.{READ}",
    "tensor.hasattr": f"TensorVariable.{HAS}",
    "class.hasattr": f"UserDefinedClassVariable.{HAS}",
    "function.hasattr": f"UserFunctionVariable.{HAS}",
    "dict.guard_keys": "ConstDictVariable.install_dict_keys_match_guard(self)",
    "dict.hasattr": f"ConstDictVariable.{HAS}",
    "object.table": "UserDefinedObjectVariable.get_dict_vt(self, tx)",
    "object.index": "UserDefinedObjectVariable.nb_index_impl(self, tx)",
    "attribute.set": "SetAttrBuiltinVariable._call_setattr(self, tx, item, name, value)",
    "attribute.is_plain_setter": "user_defined.is_standard_setattr(method)",
    # Types and identity.
    "tensor.type": "TensorVariable.python_type(self)",
    "object.type": "UserDefinedObjectVariable.python_type(self)",
    "tensor.compare_identity": "builtin.extract_fake_example_value(node)",
    "dict.getitem": "ConstDictVariable.getitem_const_raise_exception_if_absent(self, tx, key)",
    "dict.key": "HashableTracker.__init__(self, variable)",
    # Comparisons and containment.
    "compare": "compare_op_handlers['*'](tx, sides, options)",
    "number.compare": "SymNodeVariable.richcompare_impl(self, tx, other, name)",
    "item.compare": "object_protocol.generic_richcompare_bool(tx, first, second, name)",
    "items.search": "dynamo_utils.iter_contains(items, wanted, tx) | lists.iter_contains(items, wanted, tx)",
    "range.contains": "RangeVariable.sq_contains(self, tx, item)",
    "items.has": "ConstDictVariable.__contains__(self, key) | SetVariable.__contains__(self, key)",
    "object.contains": "UserDefinedObjectVariable.sq_contains(self, tx, item)",
    "dict_items.contains": "DictItemsVariable.sq_contains(self, tx, item)",
    "set.iterate": "SetVariable.tp_iter_impl(self, tx) | SetVariable.unpack_var_sequence(self, tx)",
    # Read-only views of dictionaries.
    "proxy.check": "MappingProxyVariable._check_mutation_guard(self, tx)",
    # Tables of attributes (`__dict__`).
    "attribute_table.create": "DunderDictVariable.create(cls, tx, owner)",
    "dictionary.reconstruct": "ConstDictVariable.reconstruct(self, codegen)",
    "attribute_table.guard_names": "DunderDictVariable.install_dict_keys_match_guard(self)",
    "sequence.guard_length": "GuardBuilder.SEQUENCE_LENGTH(self, guard)",
    "attribute.guard": "GuardBuilder.HASATTR(self, guard)",
    "attribute_table.guard_name": "DunderDictVariable.install_dict_contains_guard(self, tx, args)",
    # Variables that Dynamo makes.
    "number.create": "SymNodeVariable.create(cls, tx, proxy)",
    "variable.build": "VariableBuilder.__call__(self, value)",
    "variable.lazy": "LazyVariableTracker.create(value, source)",
    "variable.lazy_constant": "LazyConstantVariable.create(value, source)",
    "variable.sourceless": "SourcelessBuilder.create(tx, value)",
    "inner_function.make": "NestedUserFunctionVariable.get_function(self)",
    "generator.create": "LocalGeneratorObjectVariable.__init__(self)",
    "generator.rebuild": "LocalGeneratorObjectVariable.reconstruct(self)",
    "generator.step": "InliningInstructionTranslator.inline_call_(self)",
    "generator.method": f"LocalGeneratorObjectVariable.{METHOD}",
    "dict_view.rebuild": "DictViewVariable.reconstruct(self, codegen)",
    "list_iterator.create": "ListIteratorVariable.__init__(self, items)",
    "list_iterator.rebuild": "ListIteratorVariable.reconstruct(self, codegen)",
    "generator.drain": "InstructionTranslator.replace_tos_if_return_is_generator(self)",
    "mutation.create": "MutationType.__init__(self)",
    "module.initialize": "nn_module.initialize_lazy_module(tx, module, args, kwargs)",
    "mode.enter": "TorchFunctionModeVariable.enter(self, tx)",
    "float.wrap": "VariableBuilder.wrap_symfloat(self, value)",
    "number.dynamic": "builder.process_automatic_dynamic(tx, name, entry)",
    "integer.specialize": "builder.is_int_specialization_case(value, source)",
    # Texts.
    "text.format_value": "InstructionTranslatorBase._format_value(self, specification, flags)",
    "text.method": f"StringFormatVariable.{METHOD}",
    "text.create": "StringFormatVariable.create(cls, text, args, kwargs)",
    "text.hash": "StringFormatVariable.hash_impl(self, tx)",
    "text.number": "LazySymNodeFormatString.__repr__(self)",
    # The graph, its numbers, its side effects, the code around it.
    "graph.example": "builder.set_example_value(node, value) | tensor.set_example_value(node, value)",
    "node.run": "dynamo_utils.run_node(output, node, args, kwargs, module)",
    "graph.create_proxy": "SubgraphTracer.create_proxy(self)",
    "graph.remove_unused": "OutputGraph.remove_unused_graphargs(self)",
    "graph.check_gradients": "OutputGraph._check_requires_grad_intermediate_outputs(self)",
    "autograd_function.apply": "AutogradFunctionVariable.call_apply(self, tx, args, kwargs)",
    "autograd_function.prepare": "AutogradFunctionApplyVariable.prepare_fn_vt(self, tx, context, name, args)",
    "graph.rewire_backward": (
        "AutogradFunctionApplyVariable.rewire_bwd_graph_outputs(self, inputs, gradients, graph, outer, arguments)"
    ),
    "effects.mutation": "SideEffects.mutation(self, variable)",
    "effects.store": "SideEffects.store_attr(self, item, name, value)",
    "effects.codegen": "SideEffects.codegen_update_mutated(self, cg)",
    "effects.modified": "SideEffects._get_modified_vars(self)",
    "effects.check": "SideEffects.check_allowed_side_effect(self, item)",
    "block.enter": "InstructionTranslatorBase.setup_or_before_with(self, instruction)",
    "code.output": "PyCodegen.add_graph_output(self, value)",
    "code.import": "PyCodegen.load_import_from(self, module, name)",
    "array.operator": "builtin.numpy_operator_wrapper(function)",
    "shape.evaluate": "ShapeEnv._evaluate_expr(self, expr)",
    "number.fetch": (
        "fake_implementations[item](mode, operator, value) | fake_implementations[local_scalar](mode, operator, value)"
    ),
    "compiler.donated_buffers": "graph_compile.collect_bw_donated_buffer_idxs()",
    "compiler.start": "aot_autograd.create_aot_state()",
}

# Keys of tables that are operators of torch, by the word in the brackets.
KEYS = {"item": "aten.item.default", "local_scalar": "aten._local_scalar_dense.default"}

FORM = re.compile(r"(?P<owner>\w+)(?P<steps>(?:\.\w+|\['[^']+'\]|\[\w+\])+)\((?P<parameters>[\w, ]*)\)")
EVERY = "*"
STEP = re.compile(r"\.(?P<attribute>\w+)|\['(?P<key>[^']+)'\]|\[(?P<symbol>\w+)\]")


@dataclasses.dataclass(frozen=True)
class Step:
    """One step from an owner to a place: an attribute, or an item of a table."""

    kind: str  # attribute, key or symbol
    name: str


@dataclasses.dataclass(frozen=True)
class Place:
    """A place as a row describes it."""

    text: str
    owner: str
    steps: tuple[Step, ...]
    parameters: tuple[str, ...]


def parse(row: str) -> list[Place]:
    """The places of a row."""
    places = []
    for text in (part.strip() for part in row.split("|")):
        match = FORM.fullmatch(text)
        if match is None:
            raise ValueError(f"not a place: {text}")
        steps = tuple(Step(step.lastgroup or "", step[step.lastgroup or 0]) for step in STEP.finditer(match["steps"]))
        parameters = tuple(name.strip() for name in match["parameters"].split(",") if name.strip())
        places.append(Place(text, match["owner"], steps, parameters))
    return places
