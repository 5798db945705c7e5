/* Calls of torch in a side. */
#include <math.h>
#include <string.h>

#include "mend/relation.h"

typedef struct source_op {
    const char *name;
    uint8_t gradient;
    bool saves;
    uint8_t numbers;
} source_op;

static const source_op ops[] = {
#define GM_SOURCE_OP(name, gradient, saves, numbers) {name, GM_GRADIENT_##gradient, saves, numbers},
#include "mend/source_ops.def"
};

/* Half precision ends at 65504; a bound beyond it raises. */
static const double most_bound = 60000;

static const source_op *find_op(const char *name) {
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        if (strcmp(ops[i].name, name) == 0) {
            return &ops[i];
        }
    }
    return NULL;
}

/* The arguments of a call of torch, the tensor in front whether it is called as function or as method. */
typedef struct arguments {
    bool method;
    const char *name;
    const gm_node *tensor;
    gm_node *const *rest;
    uint32_t count;
    const gm_list *keywords;
} arguments;

static bool has_star(const gm_Call *call) {
    for (uint32_t i = 0; i < call->args.count; i++) {
        if (call->args.items[i]->kind == GM_KIND_Starred) {
            return true;
        }
    }
    for (uint32_t i = 0; i < call->keywords.count; i++) {
        if (gm_as_keyword(call->keywords.items[i])->arg == NULL) {
            return true;
        }
    }
    return false;
}

static bool read_call(gm_proof *proof, const gm_Call *call, arguments *out) {
    const gm_name *name = gm_flow_qualified(proof->analysis->flow, call->func);
    if (has_star(call)) {
        return false;
    }
    *out = (arguments){.keywords = &call->keywords};
    if (name != NULL) {
        static const char nn[] = "torch.nn.functional.";
        size_t prefix = strncmp(name->text, nn, sizeof nn - 1) == 0 ? sizeof nn - 1 : strlen("torch.");
        if (strncmp(name->text, "torch.", strlen("torch.")) != 0 || strchr(name->text + prefix, '.') != NULL || call->args.count == 0) {
            return false;
        }
        if (gm_torch_find_qualified(proof->analysis->flow->facts, name->text) == NULL) {
            return false;
        }
        out->name = name->text + prefix;
        out->tensor = call->args.items[0];
        out->rest = call->args.items + 1;
        out->count = call->args.count - 1;
        return true;
    }
    if (call->func->kind != GM_KIND_Attribute) {
        return false;
    }
    out->method = true;
    out->name = gm_as_Attribute(call->func)->attr->text;
    out->tensor = gm_as_Attribute(call->func)->value;
    out->rest = call->args.items;
    out->count = call->args.count;
    return gm_torch_find(proof->analysis->flow->facts, GM_TORCH_METHOD, out->name) != NULL;
}

static const gm_relation not_proved = {.kind = GM_RELATION_NONE, .reason = "the side calls something of which nothing is proved"};

/* A number that every floating dtype holds, or the dtype of this very tensor does. */
static bool is_bound(gm_proof *proof, const gm_node *node, const gm_relation *tensor) {
    gm_relation number = gm_relation_of(proof, node);
    if (number.kind != GM_RELATION_NUMBER) {
        return false;
    }
    bool own = number.limit != 0 && tensor->bases.count == 1 && number.bases.items[0] == tensor->bases.items[0];
    return own || (number.literal && fabs(number.value) <= most_bound);
}

static bool bounds_are_known(gm_proof *proof, const arguments *given, const gm_relation *tensor) {
    for (uint32_t i = 0; i < given->count; i++) {
        if (!is_bound(proof, given->rest[i], tensor)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < given->keywords->count; i++) {
        const gm_keyword *keyword = gm_as_keyword(given->keywords->items[i]);
        bool known = gm_name_is(keyword->arg, "min") || gm_name_is(keyword->arg, "max");
        if (!known || !is_bound(proof, keyword->value, tensor)) {
            return false;
        }
    }
    return true;
}

static gm_relation of_pointwise(gm_proof *proof, const source_op *op, const arguments *given, gm_relation tensor) {
    uint32_t numbers = given->count + given->keywords->count;
    if (numbers > op->numbers || (op->numbers > 0 && numbers == 0) || !bounds_are_known(proof, given, &tensor)) {
        return not_proved;
    }
    if (!gm_relation_floating(proof, &tensor)) {
        return gm_relation_none("the dtype of a tensor in the side is not known");
    }
    if (op->saves) {
        gm_relation_save(&tensor, &tensor);
    }
    bool outer_nan = op->gradient == GM_GRADIENT_NAN;
    if (outer_nan && !tensor.chain) {
        tensor.gradient = GM_GRADIENT_ANY;
    } else if (op->gradient > tensor.gradient) {
        tensor.gradient = op->gradient;
    }
    tensor.chain = tensor.chain && op->gradient != GM_GRADIENT_ANY && strcmp(op->name, "nan_to_num") != 0 && strcmp(op->name, "sign") != 0;
    tensor.alias = false;
    return tensor;
}

/* isnan, isinf, isfinite: of every dtype. */
static gm_relation of_predicate(const arguments *given, const gm_relation *tensor) {
    if (given->count + given->keywords->count > 0) {
        return not_proved;
    }
    return (gm_relation){.kind = GM_RELATION_TENSOR, .level = GM_PROMOTED_BOOL, .layout = tensor->layout, .bases = tensor->bases};
}

/* zeros_like and ones_like: nothing flows back. */
static gm_relation of_constant(const arguments *given, gm_relation tensor) {
    if (given->count + given->keywords->count > 0) {
        return not_proved;
    }
    tensor.inputs.count = tensor.saved.count = 0;
    tensor.gradient = GM_GRADIENT_ZERO;
    tensor.alias = tensor.chain = false;
    return tensor;
}

static gm_relation of_masked_fill(gm_proof *proof, const arguments *given, gm_relation tensor) {
    if (given->count != 2 || given->keywords->count > 0 || !is_bound(proof, given->rest[1], &tensor)) {
        return not_proved;
    }
    gm_relation mask = gm_relation_of(proof, given->rest[0]);
    bool same = mask.kind == GM_RELATION_TENSOR && mask.level == GM_PROMOTED_BOOL && mask.bases.count == 1 && tensor.bases.count == 1 &&
                mask.bases.items[0] == tensor.bases.items[0];
    if (!same || !gm_relation_floating(proof, &tensor)) {
        return gm_relation_none("the mask may have another shape than the tensor");
    }
    gm_relation_save(&tensor, &mask);
    tensor.alias = tensor.chain = false;
    tensor.layout = GM_LAYOUT_CONTIGUOUS;
    if (tensor.gradient == GM_GRADIENT_NAN) {
        tensor.gradient = GM_GRADIENT_ANY;
    }
    return tensor;
}

/* where(condition, a, b): a number takes the dtype of the tensor beside it. */
static gm_relation of_where(gm_proof *proof, const arguments *given, const gm_relation *condition) {
    if (given->method || given->count != 2 || given->keywords->count > 0 || condition->level != GM_PROMOTED_BOOL) {
        return not_proved;
    }
    gm_relation left = gm_relation_of(proof, given->rest[0]);
    gm_relation right = gm_relation_of(proof, given->rest[1]);
    if (left.kind == GM_RELATION_NONE || right.kind == GM_RELATION_NONE) {
        return left.kind == GM_RELATION_NONE ? left : right;
    }
    bool number = left.kind == GM_RELATION_NUMBER || right.kind == GM_RELATION_NUMBER;
    gm_relation result = left.kind == GM_RELATION_NUMBER ? right : left;
    if (left.kind == GM_RELATION_NUMBER && right.kind == GM_RELATION_NUMBER) {
        return not_proved;
    }
    if (!gm_relation_floating(proof, &result)) {
        return gm_relation_none("the dtype of a tensor in the side is not known");
    }
    if (!number) {
        result = gm_relation_merge(proof, &left, &right);
    }
    if (result.kind == GM_RELATION_TENSOR) {
        for (uint8_t i = 0; i < condition->bases.count; i++) {
            if (!gm_symbols4_have(&result.bases, condition->bases.items[i])) {
                return gm_relation_none("the condition may have another shape than the values");
            }
        }
        gm_relation_save(&result, condition);
        result.alias = result.chain = false;
        result.layout = result.layout == condition->layout ? result.layout : GM_LAYOUT_UNKNOWN;
        result.gradient = result.gradient == GM_GRADIENT_NAN ? GM_GRADIENT_ANY : result.gradient;
    }
    return result;
}

static bool is_any_of(const char *name, const char *const *names) {
    while (*names != NULL && strcmp(*names, name) != 0) {
        names++;
    }
    return *names != NULL;
}

gm_relation gm_relation_call(gm_proof *proof, const gm_node *call) {
    static const char *const predicates[] = {"isnan", "isinf", "isfinite", NULL};
    static const char *const constants[] = {"zeros_like", "ones_like", NULL};
    arguments given;
    if (!read_call(proof, gm_as_Call(call), &given)) {
        return not_proved;
    }
    gm_relation tensor = gm_relation_of(proof, given.tensor);
    if (tensor.kind != GM_RELATION_TENSOR) {
        return tensor.kind == GM_RELATION_NONE ? tensor : not_proved;
    }
    if (is_any_of(given.name, predicates)) {
        return of_predicate(&given, &tensor);
    }
    if (is_any_of(given.name, constants)) {
        return of_constant(&given, tensor);
    }
    if (strcmp(given.name, "masked_fill") == 0) {
        return of_masked_fill(proof, &given, tensor);
    }
    if (strcmp(given.name, "where") == 0) {
        return of_where(proof, &given, &tensor);
    }
    const source_op *op = find_op(given.name);
    return op != NULL ? of_pointwise(proof, op, &given, tensor) : not_proved;
}
