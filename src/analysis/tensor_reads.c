#include "analysis/tensor_reads.h"

#include <string.h>

#include "flow/torch_names.h"

bool gm_read_is_no_tensor(gm_function *function, const gm_node *node) {
    return gm_value_of(function, node).class_ == GM_VALUE_NOT;
}

/* The evidence is a parameter that is annotated as a tensor, among others: `Optional[Tensor]` in place of which a list may have come. */
static bool is_annotated(gm_function *function, gm_value value) {
    bool parameter = (value.traits & GM_VALUE_BY_ANNOTATION) != 0 && value.evidence != NULL && value.evidence->kind == GM_KIND_arg;
    const gm_node *annotation = parameter ? gm_as_arg(value.evidence)->annotation : NULL;
    const char *text = function->flow->tree->source->text;
    for (uint32_t at = annotation == NULL ? 0 : annotation->start; annotation != NULL && at + 6 <= annotation->end; at++) {
        if (memcmp(text + at, "Tensor", 6) == 0) {
            return true;
        }
    }
    return false;
}

bool gm_read_is_tensor(gm_function *function, const gm_node *node) {
    static const unsigned signs = GM_VALUE_BY_USE | GM_VALUE_OPTIONAL;
    gm_value value = gm_value_of(function, node);
    return value.class_ == GM_VALUE_TENSOR ||
           (value.class_ == GM_VALUE_MAYBE && (value.form != GM_FORM_ANY || (value.traits & signs) != 0 || is_annotated(function, value)));
}

/* A tensor that is made of Python numbers alone, such as `torch.div(n, 2, rounding_mode="trunc")`: its value is known while tracing. */
static bool is_of_numbers(gm_function *function, const gm_node *node, uint32_t depth) {
    gm_value value = gm_value_of(function, node);
    if (depth > 4 || value.class_ == GM_VALUE_NOT) {
        return depth <= 4 && (value.traits & GM_VALUE_FROM_DATA) == 0;
    }
    if (node->kind == GM_KIND_BinOp) {
        return is_of_numbers(function, gm_as_BinOp(node)->left, depth + 1) && is_of_numbers(function, gm_as_BinOp(node)->right, depth + 1);
    }
    if (node->kind == GM_KIND_Name) {
        const gm_node *binder = gm_reaching_definition(function, node);
        const gm_node *definition = binder == NULL ? NULL : gm_scopes_definition(function->flow->scopes, binder);
        return definition != NULL && definition->kind == GM_KIND_Assign &&
               is_of_numbers(function, gm_as_Assign(definition)->value, depth + 1);
    }
    if (node->kind != GM_KIND_Call) {
        return false;
    }
    const gm_Call *call = gm_as_Call(node);
    const gm_name *name = gm_flow_qualified(function->flow, call->func);
    bool known = name != NULL && gm_torch_names_have(GM_TORCH_NAMES_OF_NUMBERS, name->text);
    for (uint32_t i = 0; known && i < call->args.count; i++) {
        known = is_of_numbers(function, call->args.items[i], depth + 1);
    }
    return known;
}

/* A tensor whose value is known only when the graph has run. */
bool gm_read_is_data(gm_function *function, const gm_node *node) {
    return gm_read_is_tensor(function, node) && !is_of_numbers(function, node, 0);
}

/* The name behind what changes neither the kind of the items nor whether they are a mask: `mask.squeeze(-1)`, `masks[i]`. */
static const gm_name *name_behind(const gm_node *node) {
    static const char *const methods[] = {"squeeze", "unsqueeze", "view", "reshape",   "flatten", "expand",     "expand_as",
                                          "repeat",  "to",        "bool", "transpose", "permute", "contiguous", NULL};
    for (;;) {
        if (node->kind == GM_KIND_Subscript) {
            node = gm_as_Subscript(node)->value;
        } else if (node->kind == GM_KIND_Call && gm_as_Call(node)->func->kind == GM_KIND_Attribute &&
                   gm_text_in(gm_as_Attribute(gm_as_Call(node)->func)->attr->text, methods)) {
            node = gm_as_Attribute(gm_as_Call(node)->func)->value;
        } else {
            break;
        }
    }
    return node->kind == GM_KIND_Name ? gm_as_Name(node)->id : node->kind == GM_KIND_Attribute ? gm_as_Attribute(node)->attr : NULL;
}

/* What tensors of bool are called, where nothing else is known of a name; positions of masks are none. */
static bool is_called_mask(gm_function *function, const gm_node *index) {
    static const char *const others[] = {"_idx",    "_index",   "_indices", "_id",    "_ids", "_positions", "_len",   "_lens",
                                         "_length", "_lengths", "_size",    "_sizes", "_num", "_count",     "_tokens"};
    const gm_name *name = name_behind(index);
    if (name == NULL || strstr(name->text, "mask") == NULL || gm_read_is_no_tensor(function, index)) {
        return false;
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (gm_text_ends_with(name->text, others[i])) {
            return false;
        }
    }
    return true;
}

/* `~mask` and comparisons are masks when what they look at is a tensor, or nothing is known of it. */
static bool is_mask(gm_function *function, const gm_node *index) {
    gm_value value = gm_value_of(function, index);
    if (index->kind == GM_KIND_UnaryOp && gm_as_UnaryOp(index)->op == GM_OP_Invert) {
        return !gm_read_is_no_tensor(function, gm_as_UnaryOp(index)->operand);
    }
    bool known = gm_read_is_tensor(function, index) && value.dtype != GM_DTYPE_UNKNOWN;
    return known ? value.dtype == GM_DTYPE_BOOL : is_called_mask(function, index);
}

static const gm_node *tensor_bound(gm_function *function, const gm_node *index) {
    const gm_Slice *slice = index->kind == GM_KIND_Slice ? gm_as_Slice(index) : NULL;
    if (slice == NULL) {
        return NULL;
    }
    const gm_node *const bounds[] = {slice->lower, slice->upper, slice->step};
    for (size_t i = 0; i < 3; i++) {
        if (bounds[i] != NULL && gm_read_is_data(function, bounds[i])) {
            return bounds[i];
        }
    }
    return NULL;
}

/* What is indexed by a tensor of bool is one itself. */
static bool is_masked(gm_function *function, const gm_Subscript *item) {
    gm_value index = gm_value_of(function, item->slice);
    return index.class_ == GM_VALUE_TENSOR && index.dtype == GM_DTYPE_BOOL && !gm_read_is_no_tensor(function, item->value);
}

gm_index_read gm_read_by_index(gm_function *function, const gm_node *subscript) {
    const gm_Subscript *item = gm_as_Subscript(subscript);
    gm_index_read read = {NULL, NULL};
    if (item->ctx != GM_LOAD || (!gm_read_is_tensor(function, item->value) && !is_masked(function, item))) {
        return read;
    }
    bool several = item->slice->kind == GM_KIND_Tuple;
    const gm_list *indices = several ? &gm_as_Tuple(item->slice)->elts : NULL;
    for (uint32_t i = 0; i < (several ? indices->count : 1) && read.bound == NULL && read.mask == NULL; i++) {
        const gm_node *index = several ? indices->items[i] : item->slice;
        read.bound = tensor_bound(function, index);
        read.mask = read.bound == NULL && is_mask(function, index) ? index : NULL;
    }
    return read;
}

const gm_name *gm_call_last_name(const gm_Call *call) {
    const gm_node *callee = call->func;
    return callee->kind == GM_KIND_Name ? gm_as_Name(callee)->id : callee->kind == GM_KIND_Attribute ? gm_as_Attribute(callee)->attr : NULL;
}
