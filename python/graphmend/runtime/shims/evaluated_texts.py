"""`eval` of a constant string.

    self.activation = "torch.relu"
    y = eval(self.activation)(x)      # Dynamo breaks the graph

The expression becomes the body of a function, and Dynamo inlines the function. Variables of the frame are its
parameters.
"""

from __future__ import annotations
import __future__

import ast
import types
from typing import Any, Optional

from ..base import hooks, trace_state
from ..base.dynamo_values import as_constant

FEATURE = hooks.Feature(__name__, hooks.GAIN, "eval of texts that are constants")

LONGEST = 10_000
FUTURE = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
# `(n := 3)` would assign a variable of the frame; the other nodes are syntax errors outside of functions.
ONLY_IN_FUNCTIONS = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)
SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
AROUND = "<lambda>.<locals>."


@FEATURE.hook("builtin.call", of=(eval,))
def evaluate(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Inline the expression in a constant string."""
    from ..base.torch_names import UserFunctionVariable

    tree = tree_of(tx, args) if len(args) == 1 and not kwargs else None
    names = None if tree is None else variables_of(tx, tree)
    if tree is None or names is None:
        return hooks.DECLINED
    function = types.FunctionType(as_function(tree, names, tx.f_code.co_flags & FUTURE), tx.f_globals, "<module>")
    return tx.inline_user_function_return(
        UserFunctionVariable(function), [tx.symbolic_locals[name] for name in names], {}
    )


def tree_of(tx: Any, args: Any) -> Optional[ast.Expression]:
    """The syntax tree of the expression; None if the argument is no constant string with an expression."""
    try:
        text = as_constant(args[0])
        if type(text) is not str or len(text) > LONGEST:
            return None
        flags = tx.f_code.co_flags & FUTURE | ast.PyCF_ONLY_AST
        tree = compile(text.lstrip(" \t"), "<string>", "eval", flags=flags, dont_inherit=True)
    except Exception:  # the argument is no constant, or its text no expression
        return None
    return None if any(isinstance(node, ONLY_IN_FUNCTIONS) for node in ast.walk(tree)) else tree


def variables_of(tx: Any, tree: ast.Expression) -> Optional[list[str]]:
    """The variables of the frame named in an expression; None if a variable cannot become a parameter.

    Inner functions of an evaluated expression do not see variables of the frame: Python looks their names up as
    globals.
    """
    locals_of_frame = {*tx.f_code.co_varnames, *tx.f_code.co_cellvars, *tx.f_code.co_freevars}
    closed = {*tx.f_code.co_cellvars, *tx.f_code.co_freevars}
    inner = {name for node in ast.walk(tree) if isinstance(node, SCOPES) for name in names_in(node)}
    used = locals_of_frame & names_in(tree)
    if used & (inner | closed) or not used <= tx.symbolic_locals.keys():
        return None
    return sorted(used)


def names_in(node: ast.AST) -> set[str]:
    """The names in a part of an expression."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def as_function(tree: ast.Expression, names: list[str], flags: int) -> types.CodeType:
    """The code of a function with these parameters that returns the value of an expression."""
    parameters_in_order = [ast.arg(name) for name in names]
    parameters = ast.arguments(posonlyargs=[], args=parameters_in_order, kwonlyargs=[], kw_defaults=[], defaults=[])
    tree.body = ast.copy_location(ast.Lambda(parameters, tree.body), tree.body)
    ast.fix_missing_locations(tree)
    code = compile(tree, "<string>", "eval", flags=flags, dont_inherit=True)
    body = next(item for item in code.co_consts if isinstance(item, types.CodeType))
    return body.replace(co_consts=tuple(map(outermost, body.co_consts)))


def outermost(constant: Any) -> Any:
    """The code of an inner function, with a qualified name as if it stood at the top level."""
    if not isinstance(constant, types.CodeType):
        return constant
    code = constant.replace(co_consts=tuple(map(outermost, constant.co_consts)))
    name = getattr(code, "co_qualname", None)  # since Python 3.11
    changes = {} if name is None else {"co_qualname": name.replace(AROUND, "", 1)}
    return code.replace(**changes)
