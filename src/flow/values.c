#include "flow/values.h"

#include <string.h>

const char *gm_value_class_text(uint8_t class_) {
    static const char *const texts[] = {
        [GM_VALUE_UNKNOWN] = "unknown",
        [GM_VALUE_TENSOR] = "tensor",
        [GM_VALUE_MAYBE] = "maybe",
        [GM_VALUE_NOT] = "not",
    };
    return texts[class_];
}

const char *gm_value_form_text(uint8_t form) {
    static const char *const texts[] = {
        [GM_FORM_ANY] = "any",           [GM_FORM_TENSOR] = "tensor", [GM_FORM_NONE] = "none",     [GM_FORM_BOOL] = "bool",
        [GM_FORM_INT] = "int",           [GM_FORM_FLOAT] = "float",   [GM_FORM_NUMBER] = "number", [GM_FORM_STRING] = "string",
        [GM_FORM_SIZE] = "size",         [GM_FORM_TUPLE] = "tuple",   [GM_FORM_LIST] = "list",     [GM_FORM_DICT] = "dict",
        [GM_FORM_SET] = "set",           [GM_FORM_TENSORS] = "tensors", [GM_FORM_DTYPE] = "dtype", [GM_FORM_DEVICE] = "device",
        [GM_FORM_FUNCTION] = "function", [GM_FORM_CLASS] = "class",   [GM_FORM_MODULE] = "module", [GM_FORM_MODULES] = "modules",
        [GM_FORM_LOGGER] = "logger",     [GM_FORM_ARRAY] = "array",   [GM_FORM_OBJECT] = "object",
    };
    return texts[form];
}

static gm_value make(gm_value_class class_, gm_value_form form, const char *reason, const gm_node *node) {
    return (gm_value){.class_ = (uint8_t)class_, .form = (uint8_t)form, .reason = reason, .evidence = node};
}

const gm_torch_op *gm_called_torch_op(gm_function *function, const gm_node *call, bool *method) {
    const gm_name *name = gm_flow_qualified(function->flow, gm_as_Call(call)->func);
    if (method != NULL) {
        *method = false;
    }
    return name == NULL ? NULL : gm_torch_find_qualified(name->text);
}

gm_value gm_value_of(gm_function *function, const gm_node *expression) {
    if (expression->kind == GM_KIND_Constant || expression->kind == GM_KIND_JoinedStr) {
        return make(GM_VALUE_NOT, GM_FORM_ANY, "a constant", expression);
    }
    const gm_torch_op *op = expression->kind == GM_KIND_Call ? gm_called_torch_op(function, expression, NULL) : NULL;
    if (op != NULL && op->result == GM_TORCH_TENSOR) {
        return make(GM_VALUE_MAYBE, GM_FORM_ANY, "the result of an operation of torch", expression);
    }
    return make(GM_VALUE_UNKNOWN, GM_FORM_ANY, "nothing is known of it", expression);
}

gm_value gm_value_before(gm_function *function, const gm_node *statement, const gm_symbol *symbol) {
    (void)function;
    (void)symbol;
    return make(GM_VALUE_UNKNOWN, GM_FORM_ANY, "nothing is known of it", statement);
}

gm_value gm_value_of_test(gm_function *function, const gm_node *test) {
    return gm_value_of(function, test);
}

bool gm_is_logger(gm_function *function, const gm_node *expression) {
    const gm_name *name = gm_flow_qualified(function->flow, expression);
    return name != NULL && strcmp(name->text, "loguru.logger") == 0;
}

const gm_class *gm_class_of(gm_flow *flow, const gm_node *class_def) {
    (void)flow;
    (void)class_def;
    return NULL;
}

const gm_class *gm_class_around(gm_function *function) {
    (void)function;
    return NULL;
}

const gm_attribute *gm_class_attribute(const gm_class *class_, const gm_name *name) {
    for (uint32_t i = 0; i < class_->attributes.count; i++) {
        if (class_->attributes.items[i].name == name) {
            return &class_->attributes.items[i];
        }
    }
    return NULL;
}
