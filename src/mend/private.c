/* Who else holds a tensor: whether a variable may stand for a copy of it. */
#include <string.h>

#include "mend/definitions.h"
#include "mend/relation.h"

enum { BINDER_WORK = 16 };

static bool is_variable(const gm_proof *proof, const gm_node *node, const gm_symbol *symbol) {
    return node->kind == GM_KIND_Name && gm_scopes_symbol(proof->analysis->flow->scopes, node) == symbol;
}

/* Whether the operator always makes a tensor of its own. Others may hand their argument back: `dropout` that is off, `to`, `contiguous`. */
static bool makes_own_tensor(const gm_torch_op *op) {
    static const char *const names[] = {"matmul", "bmm", "mm", "addmm", "linear", "softmax", "log_softmax", "layer_norm"};
    const unsigned bad = GM_TORCH_MUTATES | GM_TORCH_VIEW | GM_TORCH_INPLACE_VIEW | GM_TORCH_INPLACE_ARGUMENT | GM_TORCH_RANDOM |
                         GM_TORCH_CREATES | GM_TORCH_PROPERTY | GM_TORCH_EITHER;
    bool known = (op->flags & (GM_TORCH_POINTWISE | GM_TORCH_REDUCES)) != 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        known = known || strcmp(op->name, names[i]) == 0;
    }
    return known && op->result == GM_TORCH_TENSOR && (op->flags & bad) == 0;
}

typedef struct use_search {
    const gm_proof *proof;
    const gm_symbol *symbol;
    uint32_t from;
    uint32_t to;
    bool (*allows)(const gm_proof *proof, const gm_node *use);
    bool shared;
} use_search;

/* Attributes that say something of a tensor and hand nothing of it out. */
static bool is_harmless_attribute(const gm_proof *proof, const gm_node *attribute) {
    static const char *const names[] = {"dtype", "shape", "device", "ndim", "is_cuda", "requires_grad", "layout"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (gm_name_is(gm_as_Attribute(attribute)->attr, names[i])) {
            return true;
        }
    }
    const gm_node *parent = gm_flow_parent(proof->analysis->flow, attribute);
    if (parent == NULL || parent->kind != GM_KIND_Call || gm_as_Call(parent)->func != attribute) {
        return false;
    }
    const gm_torch_op *op = gm_torch_find(proof->analysis->flow->facts, GM_TORCH_METHOD, gm_as_Attribute(attribute)->attr->text);
    return op != NULL && (makes_own_tensor(op) || op->result == GM_TORCH_SIZE || op->result == GM_TORCH_INT || op->result == GM_TORCH_BOOL);
}

static bool is_harmless_call(const gm_proof *proof, const gm_node *call) {
    const gm_name *name = gm_flow_qualified(proof->analysis->flow, gm_as_Call(call)->func);
    const gm_torch_op *op = name == NULL ? NULL : gm_torch_find_qualified(proof->analysis->flow->facts, name->text);
    return op != NULL && makes_own_tensor(op) && gm_as_Call(call)->keywords.count == 0;
}

/* Whether a reading of the variable can leave another reference to the object behind. */
static bool is_harmless(const gm_proof *proof, const gm_node *use) {
    const gm_node *parent = gm_flow_parent(proof->analysis->flow, use);
    switch (parent == NULL ? GM_KIND_Module : (gm_kind)parent->kind) {
    case GM_KIND_BinOp:
    case GM_KIND_Compare: return true;
    case GM_KIND_UnaryOp: return gm_as_UnaryOp(parent)->op == GM_OP_USub || gm_as_UnaryOp(parent)->op == GM_OP_Not;
    case GM_KIND_Attribute: return is_harmless_attribute(proof, parent);
    case GM_KIND_Call: return is_harmless_call(proof, parent);
    default: return false;
    }
}

static bool find_sharing(const gm_node *node, void *context) {
    use_search *search = context;
    bool inside = node->start >= search->from && node->start < search->to;
    if (inside && is_variable(search->proof, node, search->symbol) && gm_as_Name(node)->ctx == GM_LOAD) {
        search->shared = search->shared || !search->allows(search->proof, node);
    }
    return !search->shared && gm_node_children(node, find_sharing, context);
}

static bool is_between(const gm_proof *proof, const gm_node *definition, const gm_node *binder) {
    return binder->start >= definition->end && binder->start < proof->statement->start;
}

const gm_node *gm_proof_definition(const gm_proof *proof, const gm_symbol *symbol) {
    const gm_node *definition = gm_definition_before(proof->analysis, proof->place, symbol);
    gm_work(proof->analysis->arena, definition == NULL ? 0 : symbol->binders.count * (uint64_t)BINDER_WORK);
    for (uint32_t i = 0; definition != NULL && i < symbol->binders.count; i++) {
        if (is_between(proof, definition, symbol->binders.items[i])) {
            return NULL;
        }
    }
    return definition;
}

/* Operations whose result is new and no leaf of a graph that the user could ask for its gradient. */
static bool makes_new(const gm_proof *proof, const gm_symbol *symbol, const gm_node *value) {
    if (!gm_proof_tensor(proof, gm_value_of(proof->function, value), symbol)) {
        return false;
    }
    if (value->kind == GM_KIND_BinOp || gm_proof_is_layer(proof, value)) {
        return true;
    }
    const gm_torch_op *op = value->kind == GM_KIND_Call ? gm_called_torch_op(proof->function, value, NULL) : NULL;
    if (op == NULL || gm_call_keyword(gm_as_Call(value), "out") != NULL) { /* `out` is the result, and others hold it */
        return false;
    }
    return (strcmp(op->name, "where") == 0 && gm_as_Call(value)->args.count == 3) || makes_own_tensor(op);
}

/* Whether all readings of the variable between its definition and the branch are of a kind. */
static bool all_uses(const gm_proof *proof, const gm_symbol *symbol, const gm_node *definition,
                     bool (*allows)(const gm_proof *proof, const gm_node *use)) {
    use_search search = {proof, symbol, definition->end, proof->statement->start, allows, false};
    gm_work_below(proof->analysis->arena, proof->function->node);
    gm_node_children(proof->function->node, find_sharing, &search);
    return !search.shared;
}

bool gm_proof_private(const gm_proof *proof, const gm_symbol *symbol) {
    if (symbol->binding != GM_BINDING_LOCAL || symbol->scope != proof->function->scope) {
        return false;
    }
    const gm_node *definition = gm_definition_before(proof->analysis, proof->place, symbol);
    if (definition == NULL || !makes_new(proof, symbol, gm_as_Assign(definition)->value)) {
        return false;
    }
    gm_work(proof->analysis->arena, symbol->binders.count * (uint64_t)BINDER_WORK);
    for (uint32_t i = 0; i < symbol->binders.count; i++) {
        const gm_node *binder = symbol->binders.items[i];
        const gm_node *statement = is_between(proof, definition, binder) ? gm_definition_of(proof->analysis, binder) : definition;
        if (statement == NULL || !makes_new(proof, symbol, gm_as_Assign(statement)->value)) {
            return false;
        }
    }
    return all_uses(proof, symbol, definition, is_harmless);
}

/* Comparisons keep nothing, and neither does a look at the shape. */
static bool is_unsaved_use(const gm_proof *proof, const gm_node *use) {
    static const char *const names[] = {"dtype", "shape", "device", "ndim"};
    const gm_node *parent = gm_flow_parent(proof->analysis->flow, use);
    if (parent != NULL && parent->kind == GM_KIND_Attribute) {
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            if (gm_name_is(gm_as_Attribute(parent)->attr, names[i])) {
                return true;
            }
        }
    }
    return parent != NULL && parent->kind == GM_KIND_Compare;
}

/* These keep their operands for the backward pass, not their result. */
static bool keeps_result(const gm_node *value) {
    if (value->kind != GM_KIND_BinOp) {
        return true;
    }
    uint8_t op = gm_as_BinOp(value)->op;
    return op != GM_OP_Add && op != GM_OP_Sub && op != GM_OP_Mult && op != GM_OP_MatMult;
}

bool gm_proof_unsaved(const gm_proof *proof, const gm_symbol *symbol) {
    const gm_node *definition = gm_proof_definition(proof, symbol);
    return proof->grad_free ||
           (definition != NULL && !keeps_result(gm_as_Assign(definition)->value) && all_uses(proof, symbol, definition, is_unsaved_use));
}
