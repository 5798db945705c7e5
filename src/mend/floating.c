/* Tensors that are floating point by the way they are computed. */
#include <string.h>

#include "flow/torch_names.h"
#include "mend/relation.h"

enum { MOST_STEPS = 12 };

static bool is_floating(const gm_proof *proof, const gm_node *expression, uint32_t steps);

static bool is_of(gm_torch_names group, const gm_name *type) {
    return type != NULL && gm_torch_names_have(group, type->text);
}

/* The class of the module that `self.NAME(...)` calls, when `__init__` alone says so. */
static const gm_name *module_type(const gm_proof *proof, const gm_node *call) {
    const gm_class *class_ = gm_class_around(proof->function);
    const gm_node *callee = gm_as_Call(call)->func;
    if (class_ == NULL || callee->kind != GM_KIND_Attribute || gm_as_Attribute(callee)->value->kind != GM_KIND_Name ||
        gm_value_of(proof->function, callee).form != GM_FORM_MODULE) {
        return NULL;
    }
    const gm_attribute *attribute = gm_class_attribute(class_, gm_as_Attribute(callee)->attr);
    return attribute != NULL && !attribute->outside_init ? attribute->type : NULL;
}

bool gm_proof_is_layer(const gm_proof *proof, const gm_node *expression) {
    return expression->kind == GM_KIND_Call && is_of(GM_TORCH_NAMES_FLOATING_LAYERS, module_type(proof, expression));
}

/* Modules that give what they get, or something of the same dtype. */
static bool is_keeping_module(const gm_proof *proof, const gm_node *call) {
    return gm_as_Call(call)->args.count == 1 && is_of(GM_TORCH_NAMES_KEEPING_LAYERS, module_type(proof, call));
}

/* A number, or a tensor that does not make a floating point tensor anything else. */
static bool is_harmless(const gm_proof *proof, const gm_node *operand) {
    gm_value value = gm_value_of(proof->function, operand);
    bool number = value.class_ == GM_VALUE_NOT && (value.form == GM_FORM_FLOAT || value.form == GM_FORM_INT);
    bool constant = operand->kind == GM_KIND_Constant && (gm_as_Constant(operand)->value.literal == GM_LITERAL_int ||
                                                          gm_as_Constant(operand)->value.literal == GM_LITERAL_float);
    bool integer = value.class_ == GM_VALUE_TENSOR && (value.dtype == GM_DTYPE_INTEGER || value.dtype == GM_DTYPE_BOOL);
    return number || constant || integer;
}

/* What two values are promoted to. */
static bool is_floating_pair(const gm_proof *proof, const gm_node *left, const gm_node *right, uint32_t steps) {
    bool first = is_floating(proof, left, steps);
    bool second = is_floating(proof, right, steps);
    return (first || second) && (first || is_harmless(proof, left)) && (second || is_harmless(proof, right));
}

/* Pointwise operations of one tensor, and what has one tensor for an argument and keeps its dtype. */
static bool is_floating_call(const gm_proof *proof, const gm_node *node, uint32_t steps) {
    static const char *const keeping[] = {"dropout", "layer_norm", "reshape", "transpose", "permute", "contiguous",
                                          "squeeze", "unsqueeze",  "flatten", "detach",    "expand"};
    const gm_Call *call = gm_as_Call(node);
    if (gm_proof_is_layer(proof, node)) {
        return true;
    }
    if (is_keeping_module(proof, node)) {
        return is_floating(proof, call->args.items[0], steps);
    }
    bool method = false;
    const gm_torch_op *op = gm_called_torch_op(proof->function, node, &method);
    if (op != NULL && !method && strcmp(op->name, "where") == 0 && call->args.count == 3) {
        return is_floating_pair(proof, call->args.items[1], call->args.items[2], steps);
    }
    bool kept = false;
    for (size_t i = 0; op != NULL && i < sizeof keeping / sizeof keeping[0]; i++) {
        kept = kept || strcmp(op->name, keeping[i]) == 0;
    }
    uint32_t numbers = call->args.count + call->keywords.count;
    bool pointwise = op != NULL && (op->flags & GM_TORCH_POINTWISE) != 0 && (op->flags & GM_TORCH_BOOLEAN) == 0 &&
                     numbers == (method ? 0 : 1);
    if (!kept && !pointwise) {
        return false;
    }
    const gm_node *tensor = method ? gm_as_Attribute(call->func)->value : call->args.count > 0 ? call->args.items[0] : NULL;
    return tensor != NULL && is_floating(proof, tensor, steps);
}

static bool is_floating_name(const gm_proof *proof, const gm_node *name, uint32_t steps) {
    const gm_node *binder = gm_reaching_definition(proof->function, name);
    const gm_node *statement = binder == NULL ? NULL : gm_flow_statement(proof->analysis->flow, binder);
    bool plain = statement != NULL && statement->kind == GM_KIND_Assign && gm_as_Assign(statement)->targets.count == 1 &&
                 gm_as_Assign(statement)->targets.items[0] == binder;
    return plain && is_floating(proof, gm_as_Assign(statement)->value, steps);
}

static bool is_floating(const gm_proof *proof, const gm_node *expression, uint32_t steps) {
    gm_value value = gm_value_of(proof->function, expression);
    if (value.class_ == GM_VALUE_TENSOR && value.dtype != GM_DTYPE_UNKNOWN) {
        return value.dtype == GM_DTYPE_FLOATING;
    }
    if (steps == 0) {
        return false;
    }
    switch ((gm_kind)expression->kind) {
    case GM_KIND_Name: return is_floating_name(proof, expression, steps - 1);
    case GM_KIND_BinOp: return is_floating_pair(proof, gm_as_BinOp(expression)->left, gm_as_BinOp(expression)->right, steps - 1);
    case GM_KIND_Call: return is_floating_call(proof, expression, steps - 1);
    default: return false;
    }
}

bool gm_proof_floating(const gm_proof *proof, const gm_symbol *symbol) {
    const gm_node *definition = gm_proof_definition(proof, symbol);
    return definition != NULL && is_floating(proof, gm_as_Assign(definition)->value, MOST_STEPS);
}
