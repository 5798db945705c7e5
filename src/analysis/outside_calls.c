#include "analysis/outside_calls.h"

#include <string.h>

#include "values/values.h"

typedef struct gm_outside_function {
    const char *name;
    gm_outside_form form;
} outside_function;

static const outside_function functions[] = {
#define GM_OUTSIDE(name, form) {name, GM_OUTSIDE_##form},
#define GM_DRAWING(name)
#include "analysis/outside_calls.def"
};

static const char *const methods[] = {
#define GM_OUTSIDE(name, form)
#define GM_DRAWING(name) name,
#include "analysis/outside_calls.def"
};

static gm_outside_form form_of_name(const char *name) {
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (name[0] == functions[i].name[0] && strcmp(name, functions[i].name) == 0) {
            return functions[i].form;
        }
    }
    return GM_OUTSIDE_NONE;
}

/* `a.b.c`: text can stand in front of such a callee and behind it. */
static bool is_dotted(const gm_node *callee) {
    while (callee->kind == GM_KIND_Attribute) {
        callee = gm_as_Attribute(callee)->value;
    }
    return callee->kind == GM_KIND_Name;
}

/* Few names are looked for, so what the receiver is comes last: that takes long to find out. */
static bool is_drawing(gm_function *function, const gm_node *callee) {
    for (size_t i = 0; callee->kind == GM_KIND_Attribute && i < sizeof methods / sizeof methods[0]; i++) {
        if (gm_name_is(gm_as_Attribute(callee)->attr, methods[i])) {
            return gm_value_of(function, gm_as_Attribute(callee)->value).class_ != GM_VALUE_TENSOR;
        }
    }
    return false;
}

/* The Attribute that is asked for at once. */
static const gm_node *attribute_of(gm_flow *flow, const gm_node *call) {
    const gm_node *parent = gm_flow_parent(flow, call);
    return parent != NULL && parent->kind == GM_KIND_Attribute ? parent : NULL;
}

/* Whether an Attribute is called; a call with arguments asks for more than one thing. */
static const gm_Call *call_of(gm_flow *flow, const gm_node *attribute) {
    const gm_node *parent = gm_flow_parent(flow, attribute);
    bool called = parent != NULL && parent->kind == GM_KIND_Call && gm_as_Call(parent)->func == attribute;
    return called ? gm_as_Call(parent) : NULL;
}

static gm_outside_form form_in_place(gm_flow *flow, const gm_node *call, gm_outside_form form) {
    if (form == GM_OUTSIDE_STATEMENT) {
        const gm_node *parent = gm_flow_parent(flow, call);
        return parent != NULL && parent->kind == GM_KIND_Expr ? GM_OUTSIDE_STATEMENT : GM_OUTSIDE_OBJECT;
    }
    if (form == GM_OUTSIDE_PART) {
        const gm_node *attribute = attribute_of(flow, call);
        const gm_Call *method = attribute == NULL ? NULL : call_of(flow, attribute);
        bool plain = attribute != NULL && (method == NULL || method->args.count + method->keywords.count == 0);
        return plain ? GM_OUTSIDE_PART : GM_OUTSIDE_OBJECT;
    }
    return form;
}

/* `__init__` of a module: nothing is compiled there. */
static bool makes_module(gm_function *function) {
    const gm_node *class_def = gm_class_definition_around(function);
    return class_def != NULL && gm_name_is(gm_def_name(function->node), "__init__") && gm_class_is_module(function->flow, class_def);
}

gm_outside_form gm_outside_form_of(gm_function *function, const gm_node *call) {
    const gm_node *callee = gm_as_Call(call)->func;
    if (!is_dotted(callee)) {
        return GM_OUTSIDE_NONE;
    }
    const gm_name *name = gm_flow_qualified(function->flow, callee);
    gm_outside_form form = name != NULL                   ? form_in_place(function->flow, call, form_of_name(name->text))
                           : is_drawing(function, callee) ? GM_OUTSIDE_METHOD
                                                          : GM_OUTSIDE_NONE;
    return form != GM_OUTSIDE_NONE && makes_module(function) ? GM_OUTSIDE_NONE : form;
}

bool gm_outside_is_clock(const char *name) {
    return form_of_name(name) == GM_OUTSIDE_CLOCK;
}

const char *gm_outside_part(gm_analysis *analysis, const gm_node *call) {
    const gm_node *attribute = attribute_of(analysis->flow, call);
    const char *end = call_of(analysis->flow, attribute) != NULL ? "()" : "";
    return gm_analysis_text(analysis, "%s%s", gm_as_Attribute(attribute)->attr->text, end);
}
