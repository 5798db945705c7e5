/* Values of items and attributes. */
#include <string.h>

#include "values/values_private.h"

/* ---- Settings ---- */

static bool is_setting_name(const gm_name *name) {
    static const char *const names[] = {"config", "cfg", "args", "hparams", "opt", "opts", "options", "generation_config", NULL};
    if (gm_text_in(name->text, names)) {
        return true;
    }
    static const char tail[] = "_config";
    return name->length >= sizeof tail && strcmp(name->text + name->length - (sizeof tail - 1), tail) == 0;
}

bool gm_is_setting(const gm_node *node) {
    while (node->kind == GM_KIND_Attribute) {
        if (is_setting_name(gm_as_Attribute(node)->attr)) {
            return true;
        }
        node = gm_as_Attribute(node)->value;
    }
    return node->kind == GM_KIND_Name && is_setting_name(gm_as_Name(node)->id) && !gm_name_is(gm_as_Name(node)->id, "args");
}

/* ---- Subscripts ---- */

/* A part of what was read out of a tensor was read out of it too. */
static gm_value part_of(gm_value whole, gm_value part) {
    part.traits = (uint16_t)(whole.traits & (GM_VALUE_FROM_DATA | GM_VALUE_MAYBE_DATA));
    part.reason = part.traits != 0 ? whole.reason : part.reason;
    return part;
}

gm_value gm_value_item(gm_value value, const gm_node *evidence) {
    value = gm_value_used(value);
    switch (value.class_) {
    case GM_VALUE_TENSOR:
    case GM_VALUE_MAYBE: value.traits &= GM_VALUE_BY_USE | GM_VALUE_BY_ANNOTATION; return value;
    case GM_VALUE_NOT: break;
    default: return value;
    }
    gm_value item = gm_value_unknown(evidence);
    switch ((gm_value_form)value.form) {
    case GM_FORM_TENSORS:
        item = gm_value_make(GM_VALUE_TENSOR, GM_FORM_TENSOR, value.reason, evidence);
        item.traits = (uint16_t)(value.traits & GM_VALUE_DYNAMIC_SHAPE);
        break;
    case GM_FORM_SIZE:
        item = gm_value_python(GM_FORM_INT, "a size", evidence);
        item.traits = (uint16_t)(value.traits & (GM_VALUE_FROM_DATA | GM_VALUE_MAYBE_DATA));
        item.traits = item.traits == 0 ? GM_VALUE_FROM_SHAPE : item.traits;
        break;
    case GM_FORM_MODULES: item = gm_value_python(GM_FORM_MODULE, "a module of a list of modules", evidence); break;
    case GM_FORM_STRING: item = part_of(value, gm_value_python(GM_FORM_STRING, "a string", evidence)); break;
    case GM_FORM_BYTES: item = part_of(value, gm_value_python(GM_FORM_INT, "a byte", evidence)); break;
    default:
        if ((value.traits & GM_VALUE_FROM_DATA) != 0) {
            item = gm_value_python(value.form == GM_FORM_ARRAY ? GM_FORM_ARRAY : GM_FORM_ANY, value.reason, evidence);
            item.traits = GM_VALUE_FROM_DATA;
        } else if ((value.traits & GM_VALUE_MAYBE_DATA) != 0) {
            item.traits = GM_VALUE_MAYBE_DATA;
            item.reason = value.reason;
        }
        break;
    }
    return item;
}

/* `x[..., 0]` and `x[:, None]`: what only arrays take. */
static bool is_array_index(const gm_node *index) {
    if (index->kind == GM_KIND_Constant) {
        return gm_as_Constant(index)->value.literal == GM_LITERAL_Ellipsis;
    }
    for (uint32_t i = 0; index->kind == GM_KIND_Tuple && i < gm_as_Tuple(index)->elts.count; i++) {
        const gm_node *item = gm_as_Tuple(index)->elts.items[i];
        if (item->kind == GM_KIND_Slice || is_array_index(item)) {
            return true;
        }
    }
    return false;
}

/* `x[x > 0]`, `x[(x > 0) & m]`: only arrays are indexed by comparisons. */
static bool is_comparison(const gm_node *index) {
    if (index->kind == GM_KIND_BinOp) {
        const gm_BinOp *both = gm_as_BinOp(index);
        return (both->op == GM_OP_BitAnd || both->op == GM_OP_BitOr) && (is_comparison(both->left) || is_comparison(both->right));
    }
    if (index->kind != GM_KIND_Compare || gm_as_Compare(index)->ops.count != 1) {
        return false;
    }
    uint8_t compares = gm_as_Compare(index)->ops.items[0];
    return compares != GM_OP_Is && compares != GM_OP_IsNot && compares != GM_OP_In && compares != GM_OP_NotIn;
}

static bool is_mask(gm_function *function, const gm_node *index) {
    if (index->kind == GM_KIND_Slice || index->kind == GM_KIND_Tuple || index->kind == GM_KIND_Constant) {
        return false;
    }
    gm_value value = gm_evaluate(function, index);
    return is_comparison(index) || (gm_value_is_tensor(value) && value.dtype == GM_DTYPE_BOOL);
}

static gm_value index_tensor(gm_function *function, gm_value value, const gm_node *index) {
    value = gm_value_item(value, value.evidence);
    bool masked = is_mask(function, index);
    for (uint32_t i = 0; !masked && index->kind == GM_KIND_Tuple && i < gm_as_Tuple(index)->elts.count; i++) {
        masked = is_mask(function, gm_as_Tuple(index)->elts.items[i]);
    }
    value.traits |= masked ? GM_VALUE_DYNAMIC_SHAPE : 0;
    return value;
}

gm_value gm_evaluate_subscript(gm_function *function, const gm_node *node) {
    const gm_Subscript *subscript = gm_as_Subscript(node);
    gm_value value = gm_value_used(gm_evaluate(function, subscript->value));
    if (gm_value_has_tensor(value)) {
        bool keyed = gm_is_text(subscript->slice); /* `state["length"]`: a dictionary, whatever an annotation says of it */
        return keyed ? gm_value_unknown(node) : index_tensor(function, value, subscript->slice);
    }
    bool sliced = subscript->slice->kind == GM_KIND_Slice || gm_value_is(gm_evaluate(function, subscript->slice), GM_FORM_PLAIN);
    if (sliced && value.class_ == GM_VALUE_NOT) {
        value.traits &= (uint16_t)~GM_VALUE_CONSTANT;
        return value;
    }
    if (value.class_ == GM_VALUE_UNKNOWN && is_array_index(subscript->slice) && gm_values_shared_of(function->flow)->tensors) {
        gm_value item = gm_value_make(GM_VALUE_MAYBE, GM_FORM_ANY, "it is indexed like a tensor", node);
        item.traits = GM_VALUE_BY_USE;
        return item;
    }
    if (value.class_ == GM_VALUE_UNKNOWN && is_comparison(subscript->slice) && gm_values_shared_of(function->flow)->tensors) {
        gm_value item = gm_value_make(GM_VALUE_MAYBE, GM_FORM_ANY, "it is selected by a comparison, like a tensor by a mask", node);
        item.traits = GM_VALUE_BY_USE | GM_VALUE_DYNAMIC_SHAPE;
        return item;
    }
    return gm_is_setting(subscript->value) ? gm_value_python(GM_FORM_ANY, "configuration", node) : gm_value_item(value, node);
}

/* ---- Attributes ---- */

static gm_value attribute_of_module(const gm_node *node, const gm_name *name) {
    static const char *const parameters[] = {"weight", "bias", "in_proj_weight", "in_proj_bias", NULL};
    static const char *const flags[] = {"training", NULL};
    static const char *const sizes[] = {
        "in_features", "out_features",   "in_channels",   "out_channels", "kernel_size",      "stride",    "padding",  "dilation",
        "groups",      "num_embeddings", "embedding_dim", "padding_idx",  "normalized_shape", "eps",       "momentum", "affine",
        "p",           "inplace",        "hidden_size",   "num_layers",   "batch_first",      "num_heads", "head_dim", NULL};
    if (gm_text_in(name->text, parameters)) {
        gm_value value = gm_value_make(GM_VALUE_MAYBE, GM_FORM_TENSOR, "a parameter of a module", node);
        value.traits = GM_VALUE_OPTIONAL | GM_VALUE_PARAMETER;
        return value;
    }
    if (gm_text_in(name->text, flags)) {
        return gm_value_python(GM_FORM_BOOL, "a flag of a module", node);
    }
    return gm_text_in(name->text, sizes) ? gm_value_python(GM_FORM_ANY, "a setting of a module", node) : gm_value_unknown(node);
}

/* What operators return several tensors in has names: `x.max(0).values`. */
static gm_value field_of_tensors(gm_value receiver, const gm_node *node, const gm_name *name) {
    static const char *const fields[] = {
        "values",       "indices",  "U",    "S",         "V",        "Vh",       "Q",   "R",   "L",    "LU", "eigenvalues",
        "eigenvectors", "solution", "sign", "logabsdet", "mantissa", "exponent", "min", "max", "hist", NULL};
    return gm_text_in(name->text, fields) ? gm_value_make(GM_VALUE_TENSOR, GM_FORM_TENSOR, receiver.reason, node) : gm_value_unknown(node);
}

/* Attributes that are no tensors, whoever has them. */
static gm_value attribute_of_unknown(gm_function *function, const gm_node *node, const gm_torch_op *op) {
    const gm_name *name = gm_as_Attribute(node)->attr;
    if (gm_name_is(name, "training")) {
        return gm_value_python(GM_FORM_BOOL, "a flag of a module", node);
    }
    bool property = op != NULL && (op->flags & GM_TORCH_PROPERTY) != 0;
    if (property && op->result != GM_TORCH_TENSOR && op->result != GM_TORCH_UNKNOWN) {
        return gm_value_torch_property(function->flow, op, gm_value_unknown(node), node);
    }
    if (property && gm_torch_is_telling(function, op, false)) {
        gm_value value = gm_value_make(GM_VALUE_MAYBE, GM_FORM_ANY, gm_value_text(function->flow, "`%s` of a tensor", op->name), node);
        value.traits = GM_VALUE_BY_USE;
        return value;
    }
    return gm_value_unknown(node);
}

static gm_value attribute_of(gm_function *function, gm_value receiver, const gm_node *node) {
    const gm_name *name = gm_as_Attribute(node)->attr;
    const gm_torch_op *op = gm_torch_find(function->flow->facts, GM_TORCH_METHOD, name->text);
    if (receiver.class_ == GM_VALUE_NO_PATH) {
        return receiver;
    }
    receiver = gm_value_used(receiver);
    if (gm_value_has_tensor(receiver) && op != NULL) {
        return (op->flags & GM_TORCH_PROPERTY) != 0 ? gm_value_torch_property(function->flow, op, receiver, node)
                                                    : gm_value_python(GM_FORM_FUNCTION, "a method", node);
    }
    if (gm_value_is(receiver, GM_FORM_TENSORS)) {
        return field_of_tensors(receiver, node, name);
    }
    if (gm_value_is(receiver, GM_FORM_MODULE) || gm_value_is(receiver, GM_FORM_MODULES)) {
        return attribute_of_module(node, name);
    }
    if (receiver.class_ == GM_VALUE_NOT && !gm_value_is_closed(receiver) && receiver.form != GM_FORM_CLASS) {
        return gm_value_python(GM_FORM_ANY, "an attribute of what is no tensor", node);
    }
    return attribute_of_unknown(function, node, op);
}

gm_value gm_evaluate_attribute(gm_function *function, const gm_node *node) {
    const gm_name *qualified = gm_flow_qualified(function->flow, node);
    if (qualified != NULL && strncmp(qualified->text, "torch.", 6) == 0) {
        return gm_value_of_torch_name(function->flow, qualified, node);
    }
    if (qualified != NULL && strncmp(qualified->text, "math.", 5) == 0) {
        static const char *const numbers[] = {"math.pi", "math.e", "math.tau", "math.inf", "math.nan", NULL};
        return gm_value_python(gm_text_in(qualified->text, numbers) ? GM_FORM_FLOAT : GM_FORM_FUNCTION, "a name of math", node);
    }
    if (qualified != NULL && strncmp(qualified->text, "logging.", 8) == 0) {
        return gm_value_python(GM_FORM_ANY, "a name of logging", node);
    }
    if (gm_is_setting(node)) {
        return gm_value_python(GM_FORM_ANY, "configuration", node);
    }
    const gm_node *class_def = gm_class_of_self(function, gm_as_Attribute(node)->value);
    if (class_def != NULL) {
        gm_value value = gm_evaluate_self(function, class_def, node);
        if (value.class_ != GM_VALUE_UNKNOWN) {
            return value;
        }
    }
    return attribute_of(function, gm_evaluate(function, gm_as_Attribute(node)->value), node);
}
