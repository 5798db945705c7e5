/* Numbers of Python in a side: literals, floats by name, the limits of a dtype. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mend/relation.h"

enum { LONGEST_LITERAL = 40 };

/* Numbers of this size and less stay in the range of every floating dtype when taken off its limits. */
static const double small = 60000;

gm_relation gm_relation_of_number(uint8_t level, bool literal, double value) {
    return (gm_relation){.kind = GM_RELATION_NUMBER, .level = level, .literal = literal, .value = value};
}

/* Decimal digits without underscores; NaN for what is written in another way. */
static double value_of(const gm_source *source, const gm_node *node) {
    char digits[LONGEST_LITERAL + 1];
    uint32_t length = node->end - node->start;
    if (length > LONGEST_LITERAL) {
        return NAN;
    }
    memcpy(digits, source->text + node->start, length);
    digits[length] = '\0';
    char *end = NULL;
    bool plain = strspn(digits, "0123456789.eE+-") == length;
    double value = plain ? strtod(digits, &end) : NAN;
    return plain && end == digits + length ? value : NAN;
}

static gm_relation of_constant(const gm_proof *proof, const gm_node *node) {
    uint8_t literal = gm_as_Constant(node)->value.literal;
    if (literal != GM_LITERAL_int && literal != GM_LITERAL_float) {
        return gm_relation_none("the side holds a constant that is no number");
    }
    double value = value_of(proof->analysis->tree->source, node);
    if (!isfinite(value) || (literal == GM_LITERAL_int && value >= 9e18)) {
        return gm_relation_none("the side holds a number that may be too large");
    }
    return gm_relation_of_number(literal == GM_LITERAL_int ? GM_PROMOTED_INT : GM_PROMOTED_FLOAT, true, value);
}

/* The variable whose dtype `torch.finfo(x.dtype)` asks for, if that is floating point; NULL otherwise. */
static const gm_symbol *limited(const gm_proof *proof, const gm_node *node) {
    if (node->kind != GM_KIND_Call || gm_as_Call(node)->args.count != 1 || gm_as_Call(node)->keywords.count > 0 ||
        !gm_flow_names(proof->analysis->flow, gm_as_Call(node)->func, "torch.finfo")) {
        return NULL;
    }
    const gm_node *argument = gm_as_Call(node)->args.items[0];
    if (argument->kind != GM_KIND_Attribute || !gm_name_is(gm_as_Attribute(argument)->attr, "dtype") ||
        gm_as_Attribute(argument)->value->kind != GM_KIND_Name) {
        return NULL;
    }
    const gm_symbol *symbol = gm_scopes_symbol(proof->analysis->flow->scopes, gm_as_Attribute(argument)->value);
    for (uint32_t i = 0; i < proof->bound.count; i++) {
        if (proof->bound.items[i].symbol == symbol) {
            return NULL;
        }
    }
    return symbol != NULL && gm_proof_dtype(proof, symbol) == GM_DTYPE_FLOATING ? symbol : NULL;
}

static gm_relation of_limit(const gm_proof *proof, const gm_Attribute *attribute) {
    static const struct {
        const char *name;
        int8_t limit;
    } limits[] = {{"max", 1}, {"min", -1}, {"eps", 1}, {"tiny", 1}, {"smallest_normal", 1}};
    const gm_symbol *symbol = limited(proof, attribute->value);
    for (size_t i = 0; symbol != NULL && i < sizeof limits / sizeof limits[0]; i++) {
        if (gm_name_is(attribute->attr, limits[i].name)) {
            gm_relation result = gm_relation_of_number(GM_PROMOTED_FLOAT, false, 0);
            result.limit = limits[i].limit;
            result.bases = (gm_symbols4){.items = {symbol}, .count = 1};
            return result;
        }
    }
    return gm_relation_none("the side reads an attribute of which nothing is proved");
}

/* A variable that holds a number. An int may be too large for a tensor, unless it is a size. */
static gm_relation of_variable(const gm_proof *proof, const gm_node *node) {
    gm_value value = gm_value_of(proof->function, node);
    bool size = (value.traits & (GM_VALUE_FROM_SHAPE | GM_VALUE_OPTIONAL)) == GM_VALUE_FROM_SHAPE;
    if (value.class_ != GM_VALUE_NOT || (value.traits & GM_VALUE_OPTIONAL) != 0) {
        return gm_relation_none("the side reads a value that is not certainly a tensor or a number");
    }
    if (value.form == GM_FORM_FLOAT) {
        return gm_relation_of_number(GM_PROMOTED_FLOAT, false, 0);
    }
    if (value.form == GM_FORM_INT && size) {
        return gm_relation_of_number(GM_PROMOTED_INT, false, 0);
    }
    return gm_relation_none("the side reads a value that is not certainly a tensor or a number");
}

static gm_relation negate(gm_relation number) {
    number.value = -number.value;
    number.limit = (int8_t)-number.limit;
    return number;
}

static double calculate(uint8_t operator_, double left, double right) {
    switch (operator_) {
    case GM_OP_Add: return left + right;
    case GM_OP_Sub: return left - right;
    case GM_OP_Mult: return left * right;
    default: return left / right;
    }
}

/* A number that stays in the range of the dtype when another one is taken off it or it is made smaller. */
static bool keeps_limit(uint8_t operator_, const gm_relation *limit, const gm_relation *other) {
    if (!other->literal) {
        return false;
    }
    switch (operator_) {
    case GM_OP_Sub: return other->value * limit->limit >= 0 && fabs(other->value) <= small;
    case GM_OP_Add: return other->value * limit->limit <= 0 && fabs(other->value) <= small;
    case GM_OP_Mult: return other->value >= 0 && other->value <= 1;
    default: return other->value >= 1;
    }
}

static gm_relation of_operation(gm_proof *proof, const gm_BinOp *operation) {
    gm_relation left = gm_relation_number(proof, operation->left);
    gm_relation right = gm_relation_number(proof, operation->right);
    if (left.kind == GM_RELATION_NONE || right.kind == GM_RELATION_NONE) {
        return left.kind == GM_RELATION_NONE ? left : right;
    }
    if (operation->op == GM_OP_Div && (!right.literal || right.value == 0)) {
        return gm_relation_none("a division in the side may raise");
    }
    bool is_float = operation->op == GM_OP_Div || left.level == GM_PROMOTED_FLOAT || right.level == GM_PROMOTED_FLOAT;
    gm_relation result = gm_relation_of_number(is_float ? GM_PROMOTED_FLOAT : GM_PROMOTED_INT, left.literal && right.literal, 0);
    result.value = result.literal ? calculate(operation->op, left.value, right.value) : 0;
    if (left.limit != 0 && keeps_limit(operation->op, &left, &right)) {
        result.limit = left.limit;
        result.bases = left.bases;
    }
    bool known = result.literal && isfinite(result.value) && fabs(result.value) < 9e18;
    return is_float || known ? result : gm_relation_none("the side holds a number that may be too large");
}

gm_relation gm_relation_number(gm_proof *proof, const gm_node *expression) {
    switch ((gm_kind)expression->kind) {
    case GM_KIND_Constant: return of_constant(proof, expression);
    case GM_KIND_Attribute: return of_limit(proof, gm_as_Attribute(expression));
    case GM_KIND_UnaryOp: {
        gm_relation operand = gm_relation_of(proof, gm_as_UnaryOp(expression)->operand);
        bool minus = gm_as_UnaryOp(expression)->op == GM_OP_USub && operand.kind == GM_RELATION_NUMBER;
        return minus ? negate(operand) : gm_relation_none("an operator in the side may raise");
    }
    case GM_KIND_BinOp: {
        uint8_t operator_ = gm_as_BinOp(expression)->op;
        bool known = operator_ == GM_OP_Add || operator_ == GM_OP_Sub || operator_ == GM_OP_Mult || operator_ == GM_OP_Div;
        return known ? of_operation(proof, gm_as_BinOp(expression)) : gm_relation_none("an operator in the side may raise");
    }
    case GM_KIND_Name: {
        const gm_symbol *symbol = gm_scopes_symbol(proof->analysis->flow->scopes, expression);
        for (uint32_t i = proof->bound.count; i-- > 0;) {
            if (proof->bound.items[i].symbol == symbol) {
                return proof->bound.items[i].relation;
            }
        }
        return of_variable(proof, expression);
    }
    default: return gm_relation_none("the side holds an expression of which nothing is proved");
    }
}
