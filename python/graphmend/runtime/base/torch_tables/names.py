"""Rows of private names: for each module of torch 2.13, the names that the runtime reads there.

    "torch._ops": "HigherOrderOperator OpOverload",   # torch_names.OpOverload is torch._ops.OpOverload
    "torch._VF": "_VF=.",                             # torch_names._VF is the module torch._VF
    "torch._dynamo.trace_rules": "skip_module=add",   # torch_names.skip_module is torch._dynamo.trace_rules.add

`X=y.z` gives the name `X` to `y.z` of the module, `X=.` to the module itself. `releases.py` has the differences of
further releases.
"""

from __future__ import annotations

NAMES = {
    "torch": "_assert _assert_scalar _check_is_size",
    "torch._C": (
        "_dispatch_tls_set_dispatch_key_excluded _get_dispatch_mode _PreserveDispatchKeyGuard _set_fwd_grad_enabled "
        "_is_torch_function_mode_enabled _TorchDispatchModeKey _will_engine_execute_node DisableTorchFunction "
        "DispatchKey"
    ),
    "torch._C._autograd": (
        "_saved_tensors_hooks_disable _saved_tensors_hooks_enable _top_saved_tensors_default_hooks "
        "_unsafe_set_version_counter"
    ),
    "torch._C._dynamo.eval_frame": "FrameAction=_FrameAction FrameExecStrategy=_FrameExecStrategy set_eval_frame",
    "torch._C._functorch": (
        "get_dynamic_layer_stack_depth get_unwrapped is_functorch_wrapped_tensor maybe_current_level "
        "pop_dynamic_layer_stack_and_undo_to_depth set_inplace_requires_grad_allowed"
    ),
    "torch._VF": "_VF=.",
    "torch._dynamo": "dynamo=. graph_break",
    "torch._dynamo.backends.registry": "lookup_backend",
    "torch._dynamo.bytecode_transformation": "create_call_function create_instruction",
    "torch._dynamo.codegen": "PyCodegen",
    "torch._dynamo.compiled_autograd": "compiled_autograd_enabled",
    "torch._dynamo.config": "dynamo_config=.",
    "torch._dynamo.convert_frame": "compile_lock output_codes",
    "torch._dynamo.current_scope_id": "_current_scope_id current_scope_id",
    "torch._dynamo.eval_frame": "eval_frame=. _optimize innermost_fn optimize OptimizeContext",
    "torch._dynamo.exc": (
        "InternalTorchDynamoError ObservedAttributeError ObservedUserStopIteration "
        "raise_observed_exception SkipFrame TorchDynamoException TorchRuntimeError "
        "unimplemented Unsupported UserError UserErrorType"
    ),
    "torch._dynamo.guards": "GuardBuilder install_guard",
    "torch._dynamo.output_graph": "output_graph=. OutputGraph SubgraphTracer",
    "torch._dynamo.pgo": "auto_dynamic",
    "torch._dynamo.polyfills": "polyfills=.",
    "torch._dynamo.side_effects": "SideEffects",
    "torch._dynamo.source": (
        "AttrSource CallFunctionNoArgsSource CallMethodItemSource DictGetItemSource GenericAttrSource GetItemSource "
        "GlobalSource LocalCellSource RandomValueSource TempLocalSource TypeSource"
    ),
    "torch._dynamo.symbolic_convert": (
        "compare_op_handlers InliningInstructionTranslator InstructionTranslator InstructionTranslatorBase"
    ),
    "torch._dynamo.trace_rules": (
        "FORCE_SKIP_FILES get_torch_obj_rule_map is_skipped_code=check SKIP_DIRS skip_module=add"
    ),
    "torch._dynamo.types": "ConvertFrameReturn",
    "torch._dynamo.utils": (
        "dynamo_utils=. _get_error_on_graph_break _set_error_on_graph_break guard_if_dyn numpy_method_wrapper "
        "numpy_operator_wrapper numpy_to_tensor_wrapper proxy_args_kwargs to_numpy_helper unpack_iterable"
    ),
    # Since torch 2.15 the first of these stands in a module of its own.
    "torch._dynamo.variables": "ExceptionVariable SetVariable UserDefinedExceptionObjectVariable",
    "torch._dynamo.variables.base": (
        "AttributeMutationExisting AttributeMutationNew MutationType ValueMutationExisting ValueMutationNew "
        "VariableTracker"
    ),
    "torch._dynamo.variables.builder": "GraphArg SourcelessBuilder VariableBuilder wrap_fx_proxy",
    "torch._dynamo.variables.builtin": "BuiltinVariable SetAttrBuiltinVariable",
    "torch._dynamo.variables.torch_function": "can_dispatch_torch_function TorchFunctionModeVariable",
    "torch._dynamo.variables.constant": "ConstantVariable",
    "torch._dynamo.variables.ctx_manager": "ContextWrappingVariable GradModeVariable NullContextVariable",
    "torch._dynamo.variables.dicts": (
        "ConstDictVariable DictItemsVariable DictViewVariable DunderDictVariable is_hashable MappingProxyVariable"
    ),
    "torch._dynamo.variables.functions": (
        "FunctoolsPartialVariable LocalGeneratorObjectVariable NestedUserFunctionVariable PolyfilledFunctionVariable "
        "SkipFunctionVariable UserFunctionVariable UserMethodVariable WrapperUserFunctionVariable"
    ),
    "torch._dynamo.variables.hashable": "HashableTracker",
    "torch._dynamo.variables.higher_order_ops": "AutogradFunctionApplyVariable",
    "torch._dynamo.variables.iter": "IteratorVariable ItertoolsVariable",
    "torch._dynamo.variables.lazy": "LazyConstantVariable LazySymNodeFormatString LazyVariableTracker",
    "torch._dynamo.variables.lists": (
        "BaseListVariable DequeVariable ListIteratorVariable ListVariable RangeVariable SizeVariable SliceVariable "
        "TupleVariable"
    ),
    "torch._dynamo.variables.misc": (
        "AutogradFunctionContextVariable AutogradFunctionVariable CellVariable ConstantLikeVariable DeletedVariable "
        "get_np_to_tnp_map GetAttrVariable LambdaVariable LoggingLoggerVariable NewGlobalVariable NumpyDTypeVariable "
        "NumpyVariable PythonModuleVariable RandomClassVariable RandomVariable StringFormatVariable SuperVariable"
    ),
    "torch._dynamo.variables.nn_module": "UnspecializedNNModuleVariable",
    "torch._dynamo.variables.object_protocol": "generic_richcompare generic_richcompare_bool",
    "torch._dynamo.variables.optimizer": "OptimizerVariable",
    "torch._dynamo.variables.script_object": "OpaqueObjectClassVariable",
    "torch._dynamo.variables.tensor": (
        "all_tensor_attrs NumpyNdarrayVariable SymNodeVariable TensorVariable UnspecializedPythonVariable"
    ),
    "torch._dynamo.variables.torch": "TorchInGraphFunctionVariable",
    "torch._dynamo.variables.user_defined": (
        "RemovableHandleVariable UserDefinedClassVariable UserDefinedObjectVariable"
    ),
    "torch._inductor.config": "inductor_config=.",
    "torch._functorch.config": "functorch_config=.",
    "torch._functorch.pyfunctorch": "temporarily_clear_interpreter_stack",
    "torch._higher_order_ops.effects": "_register_effectful_op",
    "torch._library.custom_ops": "OPDEFS",
    "torch._library.effects": "EffectType",
    "torch._numpy": "torch_numpy=.",
    "torch._ops": "HigherOrderOperator OpOverload OpOverloadPacket",
    "torch._prims_common": (
        "is_channels_last_contiguous_or_false is_contiguous_or_false is_non_overlapping_and_dense_or_false"
    ),
    "torch._subclasses.fake_impls": "fake_implementations=op_implementations_dict",
    "torch._subclasses.fake_tensor": "FakeTensor",
    "torch.amp": "_enter_autocast _exit_autocast",
    "torch.autograd.grad_mode": "_enter_inference_mode _exit_inference_mode",
    "torch.fx._lazy_graph_module": "_LazyGraphModule",
    "torch.fx.experimental.symbolic_shapes": "DimDynamic GuardOnDataDependentSymNode ShapeEnv",
    "torch.overrides": "_get_current_function_mode_stack",
    "torch.utils._device": "DeviceContext",
    "torch.utils._mode_utils": "no_dispatch",
    "torch.utils._python_dispatch": "_disable_current_modes TorchDispatchMode",
    "torch.utils._pytree": "key_get SequenceKey tree_leaves tree_map",
    "torch.utils._sympy.functions": "FloorDiv Max Min Mod PythonMod ToFloat",
    "torch.utils._sympy.printers": "PythonPrinter",
    "torch.utils._sympy.symbol": "SymT symbol_is_type",
}
