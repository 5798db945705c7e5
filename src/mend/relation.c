/* Relations of expressions: an abstract interpretation of a side of a branch.
 *
 *     y = x * 2 + b     bases x, b; the dtype that promotion gives; a gradient of zero stays zero; may not share memory with x or b
 *
 * Problem: shapes and dtypes are not in the text, so no side has a shape that could be compared. Two sides can still be known to have the same one,
 * whatever it is.
 *
 * Idea: an expression stands for a point in a product of small lattices, each measured against the tensors that come into the branch (the bases), and
 * never absolutely: dtype as a level of promotion above that of the bases, layout as that of the bases or not, the derivative by what it makes of a
 * gradient of zero. An operator joins the points of its operands (gm_relation_merge); what it may do beyond that, such as raising, leads to NONE, the
 * top, with the reason in words. Two sides are selected from when their points are the same. A point says less than is true, and never more:
 * with equal points, equal shapes follow from broadcasting the same bases in the same order.
 *
 * The gradient of the side that is not taken is zero times its derivative: NaN where the derivative is infinite. So a product by a number stays
 * within what half precision holds, and a division by a tensor is given up.
 *
 * Sources: Cousot, Cousot, Abstract Interpretation: A Unified Lattice Model, POPL 1977. PyTorch, Tensor Attributes (type promotion: categories of
 * dtypes) and Broadcasting semantics. JAX, Frequently Asked Questions, Gradients contain NaN where using where. */
#include "mend/relation.h"

#include <math.h>

/* Half precision holds these without making them infinite or zero: a gradient of zero stays zero through such a factor. */
static const double most_factor = 60000;
static const double least_factor = 1e-4;

gm_relation gm_relation_none(const char *reason) {
    return (gm_relation){.kind = GM_RELATION_NONE, .reason = reason};
}

bool gm_symbols4_have(const gm_symbols4 *list, const gm_symbol *symbol) {
    for (uint8_t i = 0; i < list->count; i++) {
        if (list->items[i] == symbol) {
            return true;
        }
    }
    return false;
}

static bool join(gm_symbols4 *into, const gm_symbols4 *from) {
    for (uint8_t i = 0; i < from->count; i++) {
        if (gm_symbols4_have(into, from->items[i])) {
            continue;
        }
        if (into->count == GM_RELATION_BASES) {
            return false;
        }
        into->items[into->count++] = from->items[i];
    }
    return true;
}

/* In the same order: where memory lies in other orders, the first operand decides on the order of the result. */
static bool same_list(const gm_symbols4 *left, const gm_symbols4 *right) {
    for (uint8_t i = 0; i < left->count && i < right->count; i++) {
        if (left->items[i] != right->items[i]) {
            return false;
        }
    }
    return left->count == right->count;
}

static bool same_set(const gm_symbols4 *left, const gm_symbols4 *right) {
    for (uint8_t i = 0; i < left->count; i++) {
        if (!gm_symbols4_have(right, left->items[i])) {
            return false;
        }
    }
    return left->count == right->count;
}

void gm_relation_bind(gm_proof *proof, const gm_symbol *symbol, gm_relation relation) {
    gm_related related = {symbol, relation};
    gm_vec_push(proof->analysis->arena, &proof->bound, related);
}

/* ---- Dtypes ---- */

static bool all_bases(const gm_proof *proof, const gm_relation *relation, gm_value_dtype dtype) {
    for (uint8_t i = 0; i < relation->bases.count; i++) {
        if (gm_proof_dtype(proof, relation->bases.items[i]) != dtype) {
            return false;
        }
    }
    return relation->bases.count > 0;
}

bool gm_relation_floating_bases(const gm_proof *proof, const gm_relation *relation) {
    return all_bases(proof, relation, GM_DTYPE_FLOATING);
}

bool gm_relation_floating(const gm_proof *proof, const gm_relation *relation) {
    return relation->level != GM_PROMOTED_BOOL && gm_relation_floating_bases(proof, relation);
}

bool gm_relation_arithmetic(const gm_proof *proof, const gm_relation *relation) {
    if (relation->level == GM_PROMOTED_INT || relation->level == GM_PROMOTED_FLOAT) {
        return true;
    }
    return relation->level == GM_PROMOTED_SAME &&
           (all_bases(proof, relation, GM_DTYPE_FLOATING) || all_bases(proof, relation, GM_DTYPE_INTEGER));
}

/* The level without promotions that change nothing. */
static uint8_t settled_level(const gm_proof *proof, const gm_relation *relation) {
    if (relation->level == GM_PROMOTED_BOOL) {
        return GM_PROMOTED_BOOL;
    }
    if (all_bases(proof, relation, GM_DTYPE_FLOATING) ||
        (relation->level == GM_PROMOTED_INT && all_bases(proof, relation, GM_DTYPE_INTEGER))) {
        return GM_PROMOTED_SAME;
    }
    return relation->level;
}

void gm_relation_save(gm_relation *result, const gm_relation *operand) {
    if (operand->alias) {
        join(&result->saved, &operand->bases);
    }
}

void gm_relation_save_both(gm_relation *result, const gm_relation *left, const gm_relation *right) {
    result->saved = left->saved;
    join(&result->saved, &right->saved); /* there is room: the bases of both are the same */
}

/* Whether nobody can change a variable's tensor in place behind the branch: it is new, and the branch gives the variable another. */
static bool is_out_of_reach(const gm_proof *proof, const gm_symbol *symbol, const gm_symbol *target) {
    return (symbol == target && gm_proof_private(proof, symbol)) || gm_proof_kept(proof, symbol);
}

/* What only one side keeps for the backward pass, the other may let others change. */
static bool keeps_more(const gm_proof *proof, const gm_relation *left, const gm_relation *right, const gm_symbol *target) {
    for (uint8_t i = 0; i < left->saved.count; i++) {
        const gm_symbol *symbol = left->saved.items[i];
        if (!gm_symbols4_have(&right->saved, symbol) && !is_out_of_reach(proof, symbol, target)) {
            return true;
        }
    }
    return false;
}

const char *gm_relation_disagree(const gm_proof *proof, const gm_relation *left, const gm_relation *right, const gm_symbol *target) {
    if (left->kind != GM_RELATION_TENSOR || right->kind != GM_RELATION_TENSOR) {
        return "a side is not certainly a tensor";
    }
    if (!same_list(&left->bases, &right->bases)) {
        return "the shapes or layouts of the sides may differ";
    }
    if (left->layout != right->layout || left->layout == GM_LAYOUT_UNKNOWN) {
        return "the shapes or layouts of the sides may differ";
    }
    if (settled_level(proof, left) != settled_level(proof, right)) {
        return "the dtypes of the sides may differ";
    }
    if (proof->grad_free) {
        return NULL;
    }
    if (!same_set(&left->inputs, &right->inputs)) {
        return "a gradient flows to other tensors in one side than in the other";
    }
    bool zero = left->gradient == GM_GRADIENT_ZERO && right->gradient == GM_GRADIENT_ZERO;
    bool same = left->gradient == GM_GRADIENT_NAN && right->gradient == GM_GRADIENT_NAN;
    if (!zero && !same) {
        return "the side that is not selected may make the gradient NaN";
    }
    bool more = keeps_more(proof, left, right, target) || keeps_more(proof, right, left, target);
    return more ? "one side keeps a tensor for the backward pass that others may change in place" : NULL;
}

gm_relation gm_relation_merge(const gm_proof *proof, const gm_relation *left, const gm_relation *right) {
    gm_relation result = {.kind = GM_RELATION_TENSOR, .bases = left->bases, .inputs = left->inputs};
    result.level = left->level > right->level ? left->level : right->level;
    result.gradient = left->gradient > right->gradient ? left->gradient : right->gradient;
    result.layout = left->layout == right->layout ? left->layout : GM_LAYOUT_UNKNOWN;
    result.saved = left->saved;
    if (!join(&result.bases, &right->bases) || !join(&result.inputs, &right->inputs) || !join(&result.saved, &right->saved)) {
        return gm_relation_none("the side reads too many tensors");
    }
    bool floating = gm_relation_floating_bases(proof, &result);
    if (result.bases.count > 1 && !floating) {
        return gm_relation_none("the dtypes of the tensors in the side are not known");
    }
    if (left->level != right->level && !floating && (left->level == GM_PROMOTED_BOOL || right->level == GM_PROMOTED_BOOL)) {
        return gm_relation_none("the dtypes of the tensors in the side are not known");
    }
    if (left->level == GM_PROMOTED_BOOL && right->level != GM_PROMOTED_BOOL) {
        result.level = right->level;
    } else if (right->level == GM_PROMOTED_BOOL && left->level != GM_PROMOTED_BOOL) {
        result.level = left->level;
    }
    if (result.gradient == GM_GRADIENT_NAN) {
        result.gradient = GM_GRADIENT_ANY; /* of two readings either may be the NaN */
    }
    return result;
}

/* ---- Operators ---- */

static bool is_factor(const gm_relation *number) {
    double size = fabs(number->value);
    return number->literal && size <= most_factor && size >= least_factor;
}

/* A product or quotient of a tensor and a number. */
static void scale(gm_relation *result, const gm_relation *number, uint8_t operator_) {
    if (!is_factor(number)) {
        bool zero = number->literal && number->value == 0 && operator_ == GM_OP_Mult;
        result->gradient = zero && result->gradient == GM_GRADIENT_ZERO ? GM_GRADIENT_ZERO : GM_GRADIENT_ANY;
        result->chain = false;
    }
}

/* Of a tensor that may be of integers: a large int does not fit and raises, and what is annotated as float may be an int. */
static bool fits(const gm_proof *proof, const gm_relation *tensor, const gm_relation *number) {
    bool known = number->literal && (number->level == GM_PROMOTED_FLOAT || fabs(number->value) <= INT8_MAX);
    return known || number->limit != 0 || gm_relation_floating_bases(proof, tensor);
}

static gm_relation with_number(const gm_proof *proof, const gm_BinOp *operation, gm_relation tensor, const gm_relation *number,
                               bool number_first) {
    if (operation->op == GM_OP_Sub && !gm_relation_arithmetic(proof, &tensor)) {
        return gm_relation_none("a subtraction raises if the tensor is of bool");
    }
    if (!fits(proof, &tensor, number)) {
        return gm_relation_none("a number in the side may not fit into the dtype of the tensor");
    }
    if (tensor.level == GM_PROMOTED_SAME || number->level > tensor.level || tensor.level == GM_PROMOTED_BOOL) {
        tensor.level = number->level;
    }
    if (operation->op == GM_OP_Div) {
        tensor.level = GM_PROMOTED_FLOAT;
    }
    if (operation->op == GM_OP_Div && number_first) {
        tensor.gradient = GM_GRADIENT_ANY;
        tensor.chain = false;
    } else if (operation->op == GM_OP_Div || operation->op == GM_OP_Mult) {
        scale(&tensor, number, operation->op);
    }
    tensor.alias = false;
    return tensor;
}

static gm_relation of_tensors(const gm_proof *proof, const gm_BinOp *operation, const gm_relation *left, const gm_relation *right) {
    bool arithmetic = gm_relation_arithmetic(proof, left) && gm_relation_arithmetic(proof, right);
    if (!arithmetic) {
        return gm_relation_none("the dtypes of the tensors in the side are not known");
    }
    gm_relation result = gm_relation_merge(proof, left, right);
    if (result.kind == GM_RELATION_TENSOR && operation->op != GM_OP_Add && operation->op != GM_OP_Sub) {
        gm_relation_save(&result, left);
        gm_relation_save(&result, right);
        result.gradient = GM_GRADIENT_ANY;
        result.level = operation->op == GM_OP_Div ? GM_PROMOTED_FLOAT : result.level;
    }
    return result;
}

static gm_relation of_operation(gm_proof *proof, const gm_BinOp *operation) {
    if (operation->op != GM_OP_Add && operation->op != GM_OP_Sub && operation->op != GM_OP_Mult && operation->op != GM_OP_Div) {
        return gm_relation_none("an operator in the side may raise");
    }
    gm_relation left = gm_relation_of(proof, operation->left);
    gm_relation right = gm_relation_of(proof, operation->right);
    if (left.kind == GM_RELATION_NONE || right.kind == GM_RELATION_NONE) {
        return left.kind == GM_RELATION_NONE ? left : right;
    }
    if (left.kind == GM_RELATION_NUMBER && right.kind == GM_RELATION_NUMBER) {
        return gm_relation_number(proof, &operation->base);
    }
    if (left.kind == GM_RELATION_NUMBER || right.kind == GM_RELATION_NUMBER) {
        bool first = left.kind == GM_RELATION_NUMBER;
        return with_number(proof, operation, first ? right : left, first ? &left : &right, first);
    }
    return of_tensors(proof, operation, &left, &right);
}

static gm_relation of_sign(gm_proof *proof, const gm_UnaryOp *operation) {
    gm_relation operand = gm_relation_of(proof, operation->operand);
    if (operand.kind == GM_RELATION_NONE) {
        return operand;
    }
    if (operand.kind == GM_RELATION_NUMBER) {
        return gm_relation_number(proof, &operation->base);
    }
    if (operation->op == GM_OP_Invert && operand.level == GM_PROMOTED_BOOL) {
        return operand;
    }
    if (operation->op != GM_OP_USub || !gm_relation_arithmetic(proof, &operand)) {
        return gm_relation_none("an operator in the side may raise");
    }
    operand.alias = false;
    return operand;
}

/* A comparison of a tensor with a number or another tensor of the same bases. */
static gm_relation of_comparison(gm_proof *proof, const gm_Compare *compare) {
    if (compare->ops.count != 1 || compare->ops.items[0] < GM_OP_Eq || compare->ops.items[0] > GM_OP_GtE) {
        return gm_relation_none("the side holds a comparison of another kind");
    }
    gm_relation left = gm_relation_of(proof, compare->left);
    gm_relation right = gm_relation_of(proof, compare->comparators.items[0]);
    if (left.kind == GM_RELATION_NONE || right.kind == GM_RELATION_NONE) {
        return left.kind == GM_RELATION_NONE ? left : right;
    }
    if (left.kind == GM_RELATION_NUMBER && right.kind == GM_RELATION_NUMBER) {
        return gm_relation_none("the side compares numbers");
    }
    gm_relation result = left.kind == GM_RELATION_NUMBER    ? right
                         : right.kind == GM_RELATION_NUMBER ? left
                                                            : gm_relation_merge(proof, &left, &right);
    if (result.kind == GM_RELATION_TENSOR) {
        bool is_equality = compare->ops.items[0] == GM_OP_Eq || compare->ops.items[0] == GM_OP_NotEq;
        if (!is_equality && !gm_relation_floating_bases(proof, &result) && !all_bases(proof, &result, GM_DTYPE_INTEGER)) {
            return gm_relation_none("the dtypes of the tensors in the side are not known");
        }
        uint8_t layout = result.layout;
        result = (gm_relation){.kind = GM_RELATION_TENSOR, .level = GM_PROMOTED_BOOL, .layout = layout, .bases = result.bases};
    }
    return result;
}

/* ---- Names ---- */

gm_relation gm_relation_of_variable(const gm_proof *proof, const gm_symbol *symbol) {
    gm_value value = gm_value_before(proof->function, proof->statement, symbol);
    if (!gm_proof_tensor(proof, value, symbol)) {
        return gm_relation_none("a variable is not certainly a tensor");
    }
    gm_relation result = {.kind = GM_RELATION_TENSOR, .alias = true, .chain = true};
    result.bases = (gm_symbols4){.items = {symbol}, .count = 1};
    gm_value_dtype dtype = gm_proof_dtype(proof, symbol);
    if (dtype == GM_DTYPE_BOOL) {
        result.level = GM_PROMOTED_BOOL;
    }
    if (dtype != GM_DTYPE_BOOL && dtype != GM_DTYPE_INTEGER) {
        result.inputs = result.bases;
    }
    return result;
}

static gm_relation of_name(gm_proof *proof, const gm_node *name) {
    const gm_symbol *symbol = gm_scopes_symbol(proof->function->flow->scopes, name);
    if (symbol == NULL || symbol->scope != proof->function->scope || symbol->binding != GM_BINDING_LOCAL) {
        return gm_relation_number(proof, name);
    }
    for (uint32_t i = proof->bound.count; i-- > 0;) {
        if (proof->bound.items[i].symbol == symbol) {
            return proof->bound.items[i].relation;
        }
    }
    gm_relation tensor = gm_relation_of_variable(proof, symbol);
    return tensor.kind == GM_RELATION_NONE ? gm_relation_number(proof, name) : tensor;
}

static gm_relation relation_of(gm_proof *proof, const gm_node *expression) {
    switch ((gm_kind)expression->kind) {
    case GM_KIND_Name: return of_name(proof, expression);
    case GM_KIND_BinOp: return of_operation(proof, gm_as_BinOp(expression));
    case GM_KIND_UnaryOp: return of_sign(proof, gm_as_UnaryOp(expression));
    case GM_KIND_Compare: return of_comparison(proof, gm_as_Compare(expression));
    case GM_KIND_Call: return gm_relation_call(proof, expression);
    default: return gm_relation_number(proof, expression);
    }
}

/* Thousands of terms in a row are a tree of that depth, and nobody's code. */
enum { DEPTH_LIMIT = 500 };

gm_relation gm_relation_of(gm_proof *proof, const gm_node *expression) {
    if (proof->depth >= DEPTH_LIMIT) {
        return gm_relation_none("the expression is nested too deeply");
    }
    proof->depth++;
    gm_relation relation = relation_of(proof, expression);
    proof->depth--;
    return relation;
}
