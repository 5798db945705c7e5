/* What an operator gives, by the kinds of its operands.
 *
 * Python asks the left operand, then the right one; who does not answer raises, or compares by identity. So the kind of one side is not
 * enough: a tensor times a list is a list, a tensor equals no list, and an object with operators of its own may make anything of a tensor.
 * Values fall into sorts, and each operator is a question about the sorts of both sides. An operation that raises may be called anything. */
#include "values/values_private.h"

typedef enum sort {
    TENSOR,   /* for certain or perhaps */
    UNSURE, /* nothing is known of it, or a Python value of any type: where a tensor is the other operand, it is taken for a number or tensor */
    NUMBER,
    SEQUENCE, /* text, bytes, tuples, lists: `+` and `*` make longer ones */
    SETTLED, /* objects that answer no arithmetic of others, and that compare as Python's own do */
    ARRAY,
    OWN, /* an object whose class may have operators of its own */
} sort;

static sort sort_of(gm_value value) {
    static const uint8_t sorts[] = {
        [GM_FORM_ANY] = UNSURE,       [GM_FORM_TENSOR] = UNSURE,    [GM_FORM_NONE] = SETTLED,   [GM_FORM_BOOL] = NUMBER,
        [GM_FORM_INT] = NUMBER,       [GM_FORM_FLOAT] = NUMBER,     [GM_FORM_NUMBER] = NUMBER,  [GM_FORM_STRING] = SEQUENCE,
        [GM_FORM_BYTES] = SEQUENCE,   [GM_FORM_SIZE] = SEQUENCE,    [GM_FORM_TUPLE] = SEQUENCE, [GM_FORM_LIST] = SEQUENCE,
        [GM_FORM_TENSORS] = SEQUENCE, [GM_FORM_DICT] = SETTLED,     [GM_FORM_SET] = SETTLED,    [GM_FORM_DTYPE] = SETTLED,
        [GM_FORM_DEVICE] = SETTLED,   [GM_FORM_FUNCTION] = SETTLED, [GM_FORM_CLASS] = SETTLED,  [GM_FORM_MODULE] = SETTLED,
        [GM_FORM_MODULES] = SETTLED,  [GM_FORM_LOGGER] = SETTLED,   [GM_FORM_ARRAY] = ARRAY,    [GM_FORM_OBJECT] = OWN,
        [GM_FORM_PLAIN] = SETTLED,
    };
    if (gm_value_has_tensor(value)) {
        return TENSOR;
    }
    if ((value.traits & GM_VALUE_OWN_OPERATORS) != 0) {
        return OWN;
    }
    return value.class_ == GM_VALUE_NOT ? (sort)sorts[value.form] : UNSURE;
}

/* Neither a tensor nor ruled out to be one; what is known of where it comes from stays. */
static gm_value undecided(gm_value left, gm_value right, const gm_node *node) {
    enum { DATA = GM_VALUE_FROM_DATA | GM_VALUE_MAYBE_DATA };
    gm_value value = gm_value_unknown(node);
    bool data = ((left.traits | right.traits) & DATA) != 0 || gm_value_has_tensor(left) || gm_value_has_tensor(right);
    bool left_is_data = (left.traits & DATA) != 0 || gm_value_has_tensor(left);
    value.traits = data ? GM_VALUE_MAYBE_DATA : 0;
    value.reason = !data ? value.reason : left_is_data ? left.reason : right.reason;
    return value;
}

/* ---- Arithmetic of Python ---- */

static bool is_bitwise(uint8_t operator_) {
    return operator_ == GM_OP_BitAnd || operator_ == GM_OP_BitOr || operator_ == GM_OP_BitXor;
}

/* A whole number to a negative power is a float, and a negative number to a broken power is complex. */
static gm_value_form power_form(gm_value base, gm_value exponent) {
    bool whole = exponent.form == GM_FORM_BOOL || exponent.form == GM_FORM_INT;
    return base.form == GM_FORM_FLOAT && whole ? GM_FORM_FLOAT : GM_FORM_NUMBER;
}

static gm_value_form number_form(uint8_t operator_, gm_value left, gm_value right) {
    if (operator_ == GM_OP_Pow) {
        return power_form(left, right);
    }
    if (left.form == GM_FORM_NUMBER || right.form == GM_FORM_NUMBER) {
        return GM_FORM_NUMBER;
    }
    if (operator_ == GM_OP_Div || left.form == GM_FORM_FLOAT || right.form == GM_FORM_FLOAT) {
        return GM_FORM_FLOAT;
    }
    return is_bitwise(operator_) && left.form == right.form ? (gm_value_form)left.form : GM_FORM_INT; /* of two bools, a bool */
}

static gm_value_form python_form(uint8_t operator_, gm_value left, gm_value right) {
    sort of_left = sort_of(left);
    sort of_right = sort_of(right);
    if (of_left == ARRAY || of_right == ARRAY) { /* numpy answers for all others; a text alone formats it */
        bool text = left.form == GM_FORM_STRING || left.form == GM_FORM_BYTES;
        return text && operator_ == GM_OP_Mod ? (gm_value_form)left.form : GM_FORM_ARRAY;
    }
    if (of_left == NUMBER && of_right == NUMBER) {
        return number_form(operator_, left, right);
    }
    if (left.form == GM_FORM_MODULES || right.form == GM_FORM_MODULES) {
        return GM_FORM_ANY;
    }
    if (of_left == SEQUENCE || of_right == SEQUENCE) {
        bool differ = of_left == of_right && left.form != right.form && operator_ != GM_OP_Mod;
        return differ ? GM_FORM_ANY : of_left == SEQUENCE ? (gm_value_form)left.form : (gm_value_form)right.form;
    }
    bool collections = left.form == right.form && (left.form == GM_FORM_SET || left.form == GM_FORM_DICT);
    return collections ? (gm_value_form)left.form : GM_FORM_ANY;
}

static gm_value arithmetic_of_python(uint8_t operator_, gm_value left, gm_value right, const gm_node *node) {
    gm_value value = gm_value_python(python_form(operator_, left, right), left.reason, node);
    value.traits = gm_value_origins(gm_value_origin(left), gm_value_origin(right));
    if (value.traits != 0 && gm_value_origin(left) == 0) {
        value.reason = right.reason;
    }
    if (sort_of(left) == SEQUENCE || sort_of(right) == SEQUENCE) {
        value.reason = sort_of(left) == SEQUENCE ? left.reason : right.reason;
    }
    return value;
}

/* ---- Arithmetic of tensors ---- */

static uint8_t dtype_of_number(gm_value value) {
    static const uint8_t dtypes[] = {[GM_FORM_BOOL] = GM_DTYPE_BOOL,
                                     [GM_FORM_INT] = GM_DTYPE_INTEGER,
                                     [GM_FORM_FLOAT] = GM_DTYPE_FLOATING,
                                     [GM_FORM_NUMBER] = GM_DTYPE_UNKNOWN};
    return gm_value_is_number(value) ? dtypes[value.form] : value.dtype;
}

/* The kind of dtype that promotion gives; kinds are in the order of promotion. */
static uint8_t promote(uint8_t operator_, gm_value left, gm_value right) {
    uint8_t a = dtype_of_number(left);
    uint8_t b = dtype_of_number(right);
    if (a == GM_DTYPE_UNKNOWN || b == GM_DTYPE_UNKNOWN) {
        return GM_DTYPE_UNKNOWN;
    }
    uint8_t joined = a > b ? a : b;
    if (operator_ == GM_OP_Div && joined != GM_DTYPE_COMPLEX) {
        return GM_DTYPE_FLOATING;
    }
    return joined == GM_DTYPE_BOOL && !is_bitwise(operator_) ? GM_DTYPE_UNKNOWN : joined;
}

/* A whole number in a tensor repeats a sequence as any other does. */
static gm_value repetition(gm_value left, gm_value right, const gm_node *node) {
    gm_value sequence = sort_of(left) == SEQUENCE ? left : right;
    gm_value times = sort_of(left) == SEQUENCE ? right : left;
    if (!gm_value_is_tensor(times)) {
        return undecided(left, right, node);
    }
    gm_value value = gm_value_python((gm_value_form)sequence.form, times.reason, node);
    value.traits = gm_value_origin(times);
    return value;
}

static gm_value arithmetic_of_tensors(uint8_t operator_, gm_value left, gm_value right) {
    bool left_decides = left.class_ == GM_VALUE_TENSOR || (left.class_ == GM_VALUE_MAYBE && right.class_ != GM_VALUE_TENSOR);
    gm_value value = left_decides ? left : right;
    value.form = value.class_ == GM_VALUE_TENSOR ? GM_FORM_TENSOR : GM_FORM_ANY;
    value.dtype = promote(operator_, left, right);
    bool scalar = gm_value_is_scalar(left) && gm_value_is_scalar(right) && operator_ != GM_OP_MatMult;
    value.traits &= GM_VALUE_BY_USE | GM_VALUE_BY_ANNOTATION;
    value.traits |= (uint16_t)((scalar ? GM_VALUE_SCALAR : 0) | GM_VALUE_FRESH);
    return value;
}

gm_value gm_value_arithmetic(uint8_t operator_, gm_value left, gm_value right, const gm_node *node) {
    if (left.class_ == GM_VALUE_NO_PATH || right.class_ == GM_VALUE_NO_PATH) {
        return gm_value_no_path();
    }
    left = gm_value_used(left);
    right = gm_value_used(right);
    bool text = gm_value_is(left, GM_FORM_STRING) || gm_value_is(left, GM_FORM_BYTES);
    if (text && operator_ == GM_OP_Mod) {
        return arithmetic_of_python(operator_, left, right, node);
    }
    sort of_left = sort_of(left);
    sort of_right = sort_of(right);
    if (of_left == OWN || of_right == OWN) {
        return undecided(left, right, node);
    }
    if (left.class_ == GM_VALUE_NOT && right.class_ == GM_VALUE_NOT) {
        return arithmetic_of_python(operator_, left, right, node);
    }
    if (of_left != TENSOR && of_right != TENSOR) {
        return undecided(left, right, node);
    }
    if (operator_ == GM_OP_Mult && (of_left == SEQUENCE || of_right == SEQUENCE)) {
        return repetition(left, right, node);
    }
    return arithmetic_of_tensors(operator_, left, right);
}

/* ---- Augmented assignments ---- */

/* `items += ...` takes in what the other operand gives when it is iterated over, whatever that is. */
static gm_value extension(gm_value left, gm_value right, const gm_node *node) {
    bool tensors = left.form == GM_FORM_TENSORS && (gm_value_is(right, GM_FORM_TENSORS) || gm_value_is_tensor(right));
    bool list = left.form == GM_FORM_LIST;
    gm_value value = gm_value_python(tensors ? GM_FORM_TENSORS : list ? GM_FORM_LIST : GM_FORM_ANY, left.reason, node);
    value.traits = gm_value_origins(gm_value_origin(left), gm_value_origin(right));
    return value;
}

gm_value gm_value_augmented(uint8_t operator_, gm_value left, gm_value right, const gm_node *node) {
    bool list = gm_value_is(left, GM_FORM_LIST) || gm_value_is(left, GM_FORM_TENSORS);
    if (list && operator_ == GM_OP_Add && right.class_ != GM_VALUE_NO_PATH && sort_of(right) != SEQUENCE && sort_of(right) != ARRAY &&
        sort_of(right) != OWN) {
        return extension(left, gm_value_used(right), node);
    }
    gm_value value = gm_value_arithmetic(operator_, left, right, node);
    if (gm_value_has_tensor(gm_value_used(left)) && gm_value_has_tensor(value)) {
        bool fresh = (left.traits & GM_VALUE_FRESH) != 0;
        value.dtype = sort_of(right) == ARRAY ? GM_DTYPE_UNKNOWN : left.dtype;
        value.traits &= (uint16_t)~(fresh ? 0 : GM_VALUE_FRESH);
    } else if (gm_value_has_tensor(value)) {
        value.traits &= (uint16_t)~GM_VALUE_FRESH;
    } else if (gm_value_is(left, GM_FORM_DICT) && value.class_ == GM_VALUE_NOT) {
        value.form = GM_FORM_DICT;
    }
    return value;
}

/* ---- Comparisons ---- */

static gm_value python_bool(const char *reason, const gm_node *node) {
    return gm_value_python(GM_FORM_BOOL, reason, node);
}

static bool holds_items(gm_value value) {
    return gm_value_is(value, GM_FORM_TUPLE) || gm_value_is(value, GM_FORM_LIST) || gm_value_is(value, GM_FORM_TENSORS);
}

static gm_value membership(gm_value left, gm_value right, const gm_node *node) {
    gm_value value = python_bool("a membership test", node);
    if (gm_value_has_tensor(right)) {
        value.traits = gm_value_origin(right);
        value.reason = right.reason;
    } else if (gm_value_has_tensor(left) && holds_items(right)) {
        value.traits = gm_value_origin(left);
        value.reason = left.reason;
    } else if ((left.traits & GM_VALUE_FROM_DATA) != 0 && left.class_ == GM_VALUE_NOT) {
        value.traits = GM_VALUE_FROM_DATA;
        value.reason = left.reason;
    } else if (left.class_ == GM_VALUE_UNKNOWN || (left.traits & GM_VALUE_MAYBE_DATA) != 0) {
        value.traits = gm_value_origin(left);
        value.reason = left.reason;
    }
    return value;
}

static gm_value comparison_of_python(gm_value left, gm_value right, const gm_node *node) {
    uint16_t origin = gm_value_origins(gm_value_origin(left), gm_value_origin(right));
    gm_value value = python_bool("a comparison of Python values", node);
    value.form = sort_of(left) == ARRAY || sort_of(right) == ARRAY ? GM_FORM_ARRAY : GM_FORM_BOOL; /* element by element */
    value.traits = origin;
    bool right_is_data = ((right.traits & ~left.traits) & GM_VALUE_FROM_DATA) != 0;
    value.reason = origin == 0 ? value.reason : right_is_data || gm_value_origin(left) == 0 ? right.reason : left.reason;
    return value;
}

/* A tuple or list of which it is not certain that no item is a tensor: a list of constants may have got others since. */
static bool may_hold_tensors(gm_value value) {
    bool constant = value.form == GM_FORM_TUPLE && (value.traits & GM_VALUE_CONSTANT) != 0;
    return holds_items(value) && !constant;
}

/* The order of two sequences is that of the first items that differ: where one is a tensor, a tensor. */
static bool orders_tensors(uint8_t operator_, gm_value left, gm_value right) {
    bool order = operator_ != GM_OP_Eq && operator_ != GM_OP_NotEq;
    return order && (may_hold_tensors(left) || may_hold_tensors(right));
}

/* Nothing equals a tensor, or what may be one, that is None, a text, a list and the like: the answer is a bool. */
static bool settles(gm_value value, gm_value other) {
    sort of_value = sort_of(value);
    return of_value == SETTLED || (of_value == SEQUENCE && (!holds_items(value) || sort_of(other) == TENSOR));
}

gm_value gm_value_comparison(uint8_t operator_, gm_value left, gm_value right, const gm_node *node) {
    if (operator_ == GM_OP_Is || operator_ == GM_OP_IsNot) {
        return python_bool("an identity test", node);
    }
    if (left.class_ == GM_VALUE_NO_PATH || right.class_ == GM_VALUE_NO_PATH) {
        return gm_value_no_path();
    }
    if (operator_ == GM_OP_In || operator_ == GM_OP_NotIn) {
        return membership(left, right, node);
    }
    left = gm_value_used(left);
    right = gm_value_used(right);
    if (sort_of(left) == OWN || sort_of(right) == OWN || orders_tensors(operator_, left, right)) {
        return undecided(left, right, node);
    }
    bool arrays = sort_of(left) == ARRAY || sort_of(right) == ARRAY;
    if (!arrays && (settles(left, right) || settles(right, left))) {
        return python_bool("a comparison with what is no tensor", node);
    }
    if (left.class_ == GM_VALUE_NOT && right.class_ == GM_VALUE_NOT) {
        return comparison_of_python(left, right, node);
    }
    gm_value value = gm_value_arithmetic(GM_OP_Add, left, right, node);
    if (gm_value_has_tensor(value)) {
        value.dtype = GM_DTYPE_BOOL;
        value.class_ = arrays ? GM_VALUE_MAYBE : value.class_; /* which of the two is asked, depends on their releases */
    }
    return value;
}
