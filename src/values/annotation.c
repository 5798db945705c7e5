/* What annotations promise. */
#include <string.h>

#include "base/buffer.h"
#include "syntax/literal.h"
#include "values/values_private.h"

enum { DEPTH_LIMIT = 8 };

static gm_value promise(gm_flow *flow, const gm_node *annotation, uint32_t depth);

static gm_value tensor(const gm_node *node) {
    gm_value value = gm_value_make(GM_VALUE_TENSOR, GM_FORM_TENSOR, "it is annotated as a tensor", node);
    value.traits = GM_VALUE_BY_ANNOTATION;
    return value;
}

static gm_value python(gm_value_form form, const gm_node *node) {
    gm_value value = gm_value_python(form, "its annotation", node);
    value.traits = GM_VALUE_BY_ANNOTATION;
    return value;
}

/* Names of types, qualified or not. */
static gm_value of_type_name(const char *name, const gm_node *node) {
    static const struct {
        const char *name;
        uint8_t form;
    } types[] = {
        {"int", GM_FORM_INT},      {"float", GM_FORM_FLOAT},      {"bool", GM_FORM_BOOL},     {"str", GM_FORM_STRING},
        {"bytes", GM_FORM_BYTES},  {"complex", GM_FORM_NUMBER},   {"None", GM_FORM_NONE},     {"dict", GM_FORM_DICT},
        {"Dict", GM_FORM_DICT},    {"list", GM_FORM_LIST},        {"List", GM_FORM_LIST},     {"tuple", GM_FORM_TUPLE},
        {"Tuple", GM_FORM_TUPLE},  {"set", GM_FORM_SET},          {"Set", GM_FORM_SET},       {"Callable", GM_FORM_FUNCTION},
        {"Sequence", GM_FORM_ANY}, {"Iterable", GM_FORM_ANY},     {"Iterator", GM_FORM_ANY},  {"Mapping", GM_FORM_DICT},
        {"Literal", GM_FORM_ANY},  {"Path", GM_FORM_ANY},         {"Generator", GM_FORM_ANY}, {"Number", GM_FORM_NUMBER},
        {"ndarray", GM_FORM_ANY},  {"partial", GM_FORM_FUNCTION}, {"Enum", GM_FORM_ANY},      {"type", GM_FORM_CLASS},
    };
    static const char *const tails[] = {"Config", "Cache", "Output", "Tokenizer", "Criteria", "Kwargs", NULL};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(types[i].name, name) == 0) {
            return python((gm_value_form)types[i].form, node);
        }
    }
    for (const char *const *tail = tails; *tail != NULL; tail++) {
        if (gm_text_ends_with(name, *tail)) {
            return python(GM_FORM_ANY, node);
        }
    }
    return strcmp(name, "Tensor") == 0 ? tensor(node) : gm_value_unknown(node);
}

static gm_value of_torch_type(const gm_name *name, const gm_node *node) {
    static const struct {
        const char *name;
        uint8_t form;
    } types[] = {
#define GM_TORCH_TYPE(name, form) {name, form},
#include "values/torch_forms.def"
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(types[i].name, name->text) == 0) {
            return python((gm_value_form)types[i].form, node);
        }
    }
    if (gm_text_ends_with(name->text, "Tensor") || gm_text_ends_with(name->text, ".Parameter")) {
        return tensor(node);
    }
    return strncmp(name->text, "torch.nn.", 9) == 0 ? python(GM_FORM_MODULE, node) : gm_value_unknown(node);
}

/* A name or dotted name, by what the file's imports make of it. */
static gm_value of_name(gm_flow *flow, const gm_node *node) {
    const gm_name *name = gm_flow_qualified(flow, node);
    if (name != NULL && strncmp(name->text, "torch.", 6) == 0) {
        return of_torch_type(name, node);
    }
    const gm_node *definition = node->kind == GM_KIND_Name ? gm_flow_definition_of(flow, node) : NULL;
    if (definition != NULL && definition->kind == GM_KIND_ClassDef) {
        return gm_class_is_module(flow, definition) ? python(GM_FORM_MODULE, node) : gm_value_unknown(node);
    }
    return of_type_name(node->kind == GM_KIND_Name ? gm_as_Name(node)->id->text : gm_as_Attribute(node)->attr->text, node);
}

/* "torch.Tensor", "Optional[Tensor]": annotations written as strings. */
static gm_value of_text(gm_flow *flow, const gm_node *node) {
    gm_buffer buffer;
    gm_buffer_init(&buffer, flow->arena);
    gm_literal_decode(flow->tree->source, &gm_as_Constant(node)->value, &buffer);
    const char *text = gm_buffer_text(&buffer);
    const char *plain = strncmp(text, "torch.", 6) == 0 ? text + 6 : text;
    if (strpbrk(plain, "[]|, .") == NULL) {
        return gm_text_ends_with(plain, "Tensor") && plain[0] >= 'A' && plain[0] <= 'Z' ? tensor(node) : of_type_name(plain, node);
    }
    if (strcmp(plain, "Optional[torch.Tensor]") == 0 || strcmp(plain, "Optional[Tensor]") == 0 || strcmp(plain, "Tensor | None") == 0) {
        gm_value value = tensor(node);
        value.class_ = GM_VALUE_MAYBE;
        value.traits |= GM_VALUE_OPTIONAL;
        return value;
    }
    return gm_value_unknown(node);
}

static const char *base_of(const gm_node *node) {
    if (node->kind == GM_KIND_Name) {
        return gm_as_Name(node)->id->text;
    }
    return node->kind == GM_KIND_Attribute ? gm_as_Attribute(node)->attr->text : "";
}

/* The types between the brackets: one, or a tuple of them. */
static gm_list between(const gm_node *const *slice) {
    if ((*slice)->kind == GM_KIND_Tuple) {
        return gm_as_Tuple(*slice)->elts;
    }
    return (gm_list){(gm_node **)(uintptr_t)slice, 1};
}

/* `int | Tensor` with nothing else known is as good as no annotation: callers mostly hand in the number. */
static gm_value joined(gm_value left, gm_value right, const gm_node *node) {
    gm_value value = gm_value_join(left, right);
    bool optional = (value.traits & GM_VALUE_OPTIONAL) != 0 && value.form == GM_FORM_TENSOR;
    return value.class_ == GM_VALUE_MAYBE && !optional ? gm_value_unknown(node) : value;
}

static gm_value join_types(gm_flow *flow, const gm_list *types, uint32_t depth) {
    gm_value value = gm_value_no_path();
    for (uint32_t i = 0; i < types->count; i++) {
        value = joined(value, promise(flow, types->items[i], depth + 1), types->items[i]);
    }
    return value.class_ == GM_VALUE_NO_PATH ? gm_value_unknown(NULL) : value;
}

/* Whether all items, but for `...`, are tensors. */
static bool are_tensors(gm_flow *flow, const gm_list *types, uint32_t depth) {
    for (uint32_t i = 0; i < types->count; i++) {
        const gm_node *item = types->items[i];
        bool dots = item->kind == GM_KIND_Constant && gm_as_Constant(item)->value.literal == GM_LITERAL_Ellipsis;
        if (!dots && !gm_value_is_tensor(promise(flow, item, depth + 1))) {
            return false;
        }
    }
    return types->count > 0;
}

static gm_value of_subscript(gm_flow *flow, const gm_node *node, uint32_t depth) {
    static const char *const transparent[] = {"Final", "ClassVar", "Annotated", "Required", "NotRequired", NULL};
    static const char *const arrays[] = {"Float", "Int", "Bool", "Num", "Shaped", "Integer", "Inexact", "UInt", "Complex", NULL};
    static const char *const sequences[] = {"List", "list", "Tuple", "tuple", "Sequence", "Iterable", NULL};
    const gm_Subscript *subscript = gm_as_Subscript(node);
    const char *base = base_of(subscript->value);
    const gm_node *slice = subscript->slice;
    gm_list types = between(&slice);
    if (strcmp(base, "Optional") == 0) {
        return gm_value_join(promise(flow, slice, depth + 1), python(GM_FORM_NONE, node));
    }
    if (strcmp(base, "Union") == 0) {
        return join_types(flow, &types, depth);
    }
    if (types.count > 0 && gm_text_in(base, transparent)) {
        return promise(flow, types.items[0], depth + 1);
    }
    if (types.count > 0 && gm_text_in(base, arrays)) {
        gm_value value = promise(flow, types.items[0], depth + 1);
        return gm_value_is_tensor(value) ? value : gm_value_unknown(node);
    }
    if (gm_text_in(base, sequences) && are_tensors(flow, &types, depth)) {
        return python(GM_FORM_TENSORS, node);
    }
    return promise(flow, subscript->value, depth + 1);
}

static gm_value promise(gm_flow *flow, const gm_node *annotation, uint32_t depth) {
    if (depth > DEPTH_LIMIT) {
        return gm_value_unknown(annotation);
    }
    switch ((gm_kind)annotation->kind) {
    case GM_KIND_Name:
    case GM_KIND_Attribute: return of_name(flow, annotation);
    case GM_KIND_Constant:
        if (gm_as_Constant(annotation)->value.literal == GM_LITERAL_None) {
            return python(GM_FORM_NONE, annotation);
        }
        return gm_as_Constant(annotation)->value.literal == GM_LITERAL_str ? of_text(flow, annotation) : gm_value_unknown(annotation);
    case GM_KIND_Subscript: return of_subscript(flow, annotation, depth);
    case GM_KIND_BinOp:
        return gm_as_BinOp(annotation)->op != GM_OP_BitOr ? gm_value_unknown(annotation)
                                                          : joined(promise(flow, gm_as_BinOp(annotation)->left, depth + 1),
                                                                   promise(flow, gm_as_BinOp(annotation)->right, depth + 1), annotation);
    default: return gm_value_unknown(annotation);
    }
}

gm_value gm_value_of_annotation(gm_flow *flow, const gm_node *annotation) {
    return promise(flow, annotation, 0);
}
