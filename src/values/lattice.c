/* The lattice of values, and their texts. */
#include <stdarg.h>
#include <string.h>

#include "base/buffer.h"
#include "values/values_private.h"

const char *gm_value_class_text(uint8_t class_) {
    static const char *const texts[] = {
        [GM_VALUE_UNKNOWN] = "unknown",
        [GM_VALUE_TENSOR] = "tensor",
        [GM_VALUE_MAYBE] = "maybe",
        [GM_VALUE_NOT] = "not",
    };
    return class_ < sizeof texts / sizeof texts[0] ? texts[class_] : "no path";
}

const char *gm_value_form_text(uint8_t form) {
    static const char *const texts[] = {
        [GM_FORM_ANY] = "any",           [GM_FORM_TENSOR] = "tensor",   [GM_FORM_NONE] = "none",     [GM_FORM_BOOL] = "bool",
        [GM_FORM_INT] = "int",           [GM_FORM_FLOAT] = "float",     [GM_FORM_NUMBER] = "number", [GM_FORM_STRING] = "string",
        [GM_FORM_SIZE] = "size",         [GM_FORM_TUPLE] = "tuple",     [GM_FORM_LIST] = "list",     [GM_FORM_DICT] = "dict",
        [GM_FORM_SET] = "set",           [GM_FORM_TENSORS] = "tensors", [GM_FORM_DTYPE] = "dtype",   [GM_FORM_DEVICE] = "device",
        [GM_FORM_FUNCTION] = "function", [GM_FORM_CLASS] = "class",     [GM_FORM_MODULE] = "module", [GM_FORM_MODULES] = "modules",
        [GM_FORM_LOGGER] = "logger",     [GM_FORM_ARRAY] = "array",     [GM_FORM_OBJECT] = "object", [GM_FORM_PLAIN] = "plain",
        [GM_FORM_BYTES] = "bytes",
    };
    return texts[form];
}

/* Names are short; of one that is not, the beginning tells enough. */
enum { TEXT_ROOM = 159 };

static size_t add_text(char *text, size_t size, const char *added, size_t length) {
    length = length < TEXT_ROOM - size ? length : TEXT_ROOM - size;
    memcpy(text + size, added, length);
    return size + length;
}

/* It is called for every other expression: far simpler than printf. */
const char *gm_value_text(gm_flow *flow, const char *format, ...) {
    char text[TEXT_ROOM];
    size_t size = 0;
    va_list arguments;
    va_start(arguments, format);
    for (const char *at = format; *at != '\0';) {
        size_t plain = strcspn(at, "%");
        size = add_text(text, size, at, plain);
        at += plain;
        if (*at == '%') {
            const char *argument = va_arg(arguments, const char *);
            size = add_text(text, size, argument, strlen(argument));
            at += 2;
        }
    }
    va_end(arguments);
    while (size == TEXT_ROOM && size > 0 && ((unsigned char)text[size - 1] & 0x80U) != 0) {
        size--; /* it ends with a whole character */
    }
    return gm_names_intern(flow->tree->names, text, size)->text;
}

gm_value gm_value_make(gm_value_class class_, gm_value_form form, const char *reason, const gm_node *evidence) {
    return (gm_value){.class_ = (uint8_t)class_, .form = (uint8_t)form, .reason = reason, .evidence = evidence};
}

gm_value gm_value_python(gm_value_form form, const char *reason, const gm_node *evidence) {
    return gm_value_make(GM_VALUE_NOT, form, reason, evidence);
}

gm_value gm_value_unknown(const gm_node *node) {
    return gm_value_make(GM_VALUE_UNKNOWN, GM_FORM_ANY, "nothing is known of it", node);
}

gm_value gm_value_no_path(void) {
    return (gm_value){.class_ = GM_VALUE_NO_PATH, .reason = "control does not come here"};
}

static uint8_t join_classes(uint8_t left, uint8_t right) {
    if (left == right) {
        return left;
    }
    bool tensor = left == GM_VALUE_TENSOR || right == GM_VALUE_TENSOR || left == GM_VALUE_MAYBE || right == GM_VALUE_MAYBE;
    return tensor ? GM_VALUE_MAYBE : GM_VALUE_UNKNOWN;
}

static bool is_number(uint8_t form) {
    return form >= GM_FORM_BOOL && form <= GM_FORM_NUMBER;
}

static uint8_t join_forms(uint8_t left, uint8_t right) {
    if (left == right) {
        return left;
    }
    return is_number(left) && is_number(right) ? GM_FORM_NUMBER : GM_FORM_ANY;
}

/* Traits that hold of a value when they hold of one of those it may be. */
enum {
    EITHER_TRAITS = GM_VALUE_OWN_OPERATORS | GM_VALUE_OPTIONAL | GM_VALUE_BY_USE | GM_VALUE_BY_ANNOTATION | GM_VALUE_MAYBE_DATA |
        GM_VALUE_UNSURE_DATA,
    ORIGINS = GM_VALUE_FROM_DATA | GM_VALUE_FROM_SHAPE | GM_VALUE_MAYBE_DATA | GM_VALUE_UNSURE_DATA,
};

static uint16_t join_traits(uint16_t left, uint16_t right) {
    unsigned both = (unsigned)left & right;
    unsigned either = (unsigned)(left | right) & EITHER_TRAITS;
    bool data = ((left | right) & GM_VALUE_FROM_DATA) != 0 && (both & GM_VALUE_FROM_DATA) == 0;
    return (uint16_t)(both | either | (data ? GM_VALUE_MAYBE_DATA : 0));
}

/* The value whose reason is the better one to show. */
static int weight(gm_value value) {
    static const int weights[] = {[GM_VALUE_UNKNOWN] = 1, [GM_VALUE_TENSOR] = 4, [GM_VALUE_MAYBE] = 3, [GM_VALUE_NOT] = 0};
    bool data = (value.traits & (GM_VALUE_FROM_DATA | GM_VALUE_MAYBE_DATA)) != 0;
    return data && weights[value.class_] < 2 ? 2 : weights[value.class_];
}

static bool may_be_none(gm_value value, gm_value other) {
    return gm_value_is(value, GM_FORM_NONE) && gm_value_has_tensor(other);
}

gm_value gm_value_join(gm_value left, gm_value right) {
    if (left.class_ == GM_VALUE_NO_PATH || right.class_ == GM_VALUE_NO_PATH) {
        return left.class_ == GM_VALUE_NO_PATH ? right : left;
    }
    if (may_be_none(left, right) || may_be_none(right, left)) {
        gm_value value = gm_value_has_tensor(left) ? left : right;
        value.class_ = GM_VALUE_MAYBE;
        value.traits |= GM_VALUE_OPTIONAL;
        return value;
    }
    gm_value value = weight(right) > weight(left) ? right : left;
    value.class_ = join_classes(left.class_, right.class_);
    value.form = join_forms(left.form, right.form);
    value.dtype = left.dtype == right.dtype ? left.dtype : GM_DTYPE_UNKNOWN;
    value.traits = join_traits(left.traits, right.traits);
    return value;
}

bool gm_value_same(gm_value left, gm_value right) {
    return left.class_ == right.class_ && left.form == right.form && left.dtype == right.dtype && left.traits == right.traits;
}

gm_value gm_value_used(gm_value value) {
    if (value.class_ == GM_VALUE_MAYBE && value.form == GM_FORM_TENSOR && (value.traits & GM_VALUE_OPTIONAL) != 0) {
        value.class_ = GM_VALUE_TENSOR;
        value.traits &= (uint16_t)~GM_VALUE_OPTIONAL;
    }
    return value;
}

gm_value gm_value_finish(gm_value value, const gm_node *node) {
    if (value.class_ == GM_VALUE_NO_PATH) {
        value = gm_value_unknown(node);
    }
    value.traits &= (uint16_t)~(GM_VALUE_MAYBE_DATA | GM_VALUE_UNSURE_DATA | GM_VALUE_OWN_OPERATORS);
    return value;
}

uint16_t gm_value_origin(gm_value value) {
    switch (value.class_) {
    case GM_VALUE_TENSOR: return GM_VALUE_FROM_DATA;
    case GM_VALUE_MAYBE: return GM_VALUE_MAYBE_DATA;
    case GM_VALUE_UNKNOWN: return (uint16_t)((value.traits & GM_VALUE_MAYBE_DATA) | GM_VALUE_UNSURE_DATA);
    default: return (uint16_t)(value.traits & ORIGINS);
    }
}

uint16_t gm_value_origins(uint16_t left, uint16_t right) {
    unsigned all = (unsigned)(left | right) & ORIGINS;
    return (uint16_t)((all & GM_VALUE_FROM_DATA) != 0 ? all & ~(unsigned)(GM_VALUE_MAYBE_DATA | GM_VALUE_UNSURE_DATA) : all);
}
