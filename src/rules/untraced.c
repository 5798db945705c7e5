#include "rules/untraced.h"

#include <string.h>

#include "rules/versions.h"

typedef struct gm_untraced_search {
    gm_analysis *analysis;
    gm_function *function;
    gm_untraced *found;
} search;

static const char *const packages[] = {
#define GM_UNTRACED_PACKAGE(prefix) prefix,
#define GM_UNTRACED_METHOD(type, method)
#define GM_UNTRACED_CONTEXT(type, way)
#define GM_UNTRACED_FACTORY(name)
#define GM_UNTRACED_LAYER(type)
#include "rules/untraced.def"
};

static const struct {
    const char *type;
    const char *method;
} methods[] = {
#define GM_UNTRACED_PACKAGE(prefix)
#define GM_UNTRACED_METHOD(type, method) {type, method},
#define GM_UNTRACED_CONTEXT(type, way)
#define GM_UNTRACED_FACTORY(name)
#define GM_UNTRACED_LAYER(type)
#include "rules/untraced.def"
};

static const char held[] = "it holds the lock while the call runs";

static const struct {
    const char *type;
    const char *way;
} contexts[] = {
#define GM_UNTRACED_PACKAGE(prefix)
#define GM_UNTRACED_METHOD(type, method)
#define GM_UNTRACED_CONTEXT(type, way) {type, way},
#define GM_UNTRACED_FACTORY(name)
#define GM_UNTRACED_LAYER(type)
#include "rules/untraced.def"
};

static const char *const factories[] = {
#define GM_UNTRACED_PACKAGE(prefix)
#define GM_UNTRACED_METHOD(type, method)
#define GM_UNTRACED_CONTEXT(type, way)
#define GM_UNTRACED_FACTORY(name) name,
#define GM_UNTRACED_LAYER(type)
#include "rules/untraced.def"
    NULL,
};

static const char *const layers[] = {
#define GM_UNTRACED_PACKAGE(prefix)
#define GM_UNTRACED_METHOD(type, method)
#define GM_UNTRACED_CONTEXT(type, way)
#define GM_UNTRACED_FACTORY(name)
#define GM_UNTRACED_LAYER(type) type,
#include "rules/untraced.def"
    NULL,
};

static bool tell(const search *searching, gm_untraced found) {
    *searching->found = found;
    return true;
}

static const char *text_of(const search *searching, const gm_node *node) {
    const gm_source *source = searching->analysis->tree->source;
    uint32_t length = node->end - node->start;
    bool plain = length <= 60 && memchr(source->text + node->start, '\n', length) == NULL;
    return plain ? gm_analysis_text(searching->analysis, "`%.*s`", (int)length, source->text + node->start) : "this";
}

static const char *last_part(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot == NULL ? name : dot + 1;
}

/* Whether the file has a name at all: most files have none of those that matter here. */
static bool has_name(const search *searching, const char *name) {
    size_t length = strcspn(name, ".");
    return gm_names_find(searching->analysis->tree->names, name, length) != NULL;
}

/* ---- What made an object ---- */

/* The dotted name of what is called to make the value of a variable that is bound once. */
static const gm_name *maker_of_name(const search *searching, const gm_node *name) {
    const gm_scopes *scopes = searching->analysis->flow->scopes;
    const gm_symbol *symbol = gm_scopes_symbol(scopes, name);
    const gm_symbol *owner = symbol == NULL ? NULL : gm_symbol_owner(scopes, symbol);
    bool once = owner != NULL && owner->binders.count == 1 && (owner->flags & (GM_SYMBOL_OUTSIDE | GM_SYMBOL_PARAMETER)) == 0;
    const gm_node *definition = once ? gm_scopes_definition(scopes, owner->binders.items[0]) : NULL;
    const gm_node *value = definition == NULL                      ? NULL
                           : definition->kind == GM_KIND_Assign    ? gm_as_Assign(definition)->value
                           : definition->kind == GM_KIND_AnnAssign ? gm_as_AnnAssign(definition)->value
                                                                   : NULL;
    bool called = value != NULL && value->kind == GM_KIND_Call;
    return called ? gm_flow_qualified(searching->analysis->flow, gm_as_Call(value)->func) : NULL;
}

/* The class of which `self.NAME` holds an instance, as its constructor is called in the class. */
static const gm_name *maker_of_attribute(const search *searching, const gm_Attribute *attribute) {
    bool own = attribute->value->kind == GM_KIND_Name && gm_name_is(gm_as_Name(attribute->value)->id, "self");
    const gm_class *class_ = own ? gm_class_around(searching->function) : NULL;
    const gm_attribute *attached = class_ == NULL ? NULL : gm_class_attribute(class_, attribute->attr);
    return attached == NULL ? NULL : attached->type;
}

static const gm_name *maker_of(const search *searching, const gm_node *object) {
    return object->kind == GM_KIND_Name        ? maker_of_name(searching, object)
           : object->kind == GM_KIND_Attribute ? maker_of_attribute(searching, gm_as_Attribute(object))
                                               : NULL;
}

/* ---- Calls ---- */

/* The dotted name of a callee in one of the packages, or NULL. */
static const gm_name *foreign_name(const search *searching, const gm_node *callee) {
    bool named = false;
    for (size_t i = 0; i < sizeof packages / sizeof packages[0]; i++) {
        named = named || has_name(searching, packages[i]);
    }
    const gm_name *name = named ? gm_flow_qualified(searching->analysis->flow, callee) : NULL;
    for (size_t i = 0; name != NULL && i < sizeof packages / sizeof packages[0]; i++) {
        if (strncmp(name->text, packages[i], strlen(packages[i])) == 0) {
            return name;
        }
    }
    return NULL;
}

static bool is_traced(const search *searching, const char *type, const char *method) {
    const char *name = gm_analysis_text(searching->analysis, "%s.%s", type, method);
    return gm_release_traces((gm_release)searching->analysis->release, name);
}

static bool find_method(const search *searching, const gm_node *node) {
    const gm_node *callee = gm_as_Call(node)->func;
    const gm_Attribute *attribute = callee->kind == GM_KIND_Attribute ? gm_as_Attribute(callee) : NULL;
    for (size_t i = 0; attribute != NULL && i < sizeof methods / sizeof methods[0]; i++) {
        bool named = gm_name_is(attribute->attr, methods[i].method) && has_name(searching, last_part(methods[i].type));
        const gm_name *maker = named ? maker_of(searching, attribute->value) : NULL;
        if (maker != NULL && strcmp(maker->text, methods[i].type) == 0 && !is_traced(searching, methods[i].type, methods[i].method)) {
            const char *message = gm_analysis_text(searching->analysis, "`%s` of a `%s` is not traced", methods[i].method,
                                                   last_part(methods[i].type));
            return tell(searching, (gm_untraced){&gm_rule_untraced_call, node, message, "call it in front of the compiled part",
                                                 "it cannot be in a graph"});
        }
    }
    return false;
}

static bool is_off(const gm_node *value) {
    return value->kind == GM_KIND_Constant && gm_as_Constant(value)->value.literal == GM_LITERAL_False;
}

static const char flag_advice[] = "set `requires_grad` in front of the compiled part";
static const char flag_reason[] = "which tensors are leaves is decided when the graph is made";

static bool find_factory(const search *searching, const gm_node *node) {
    const gm_Call *call = gm_as_Call(node);
    for (uint32_t i = 0; i < call->keywords.count; i++) {
        const gm_keyword *keyword = gm_as_keyword(call->keywords.items[i]);
        if (!gm_name_is(keyword->arg, "requires_grad") || is_off(keyword->value)) {
            continue;
        }
        const gm_name *name = gm_flow_qualified(searching->analysis->flow, call->func);
        if (name != NULL && gm_text_in(name->text, factories)) {
            const char *message = gm_analysis_text(searching->analysis, "`%s` makes a leaf with `requires_grad`", last_part(name->text));
            return tell(searching, (gm_untraced){&gm_rule_gradient_flag, node, message, flag_advice, flag_reason});
        }
    }
    return false;
}

static bool find_layer(const search *searching, const gm_node *node) {
    const gm_node *callee = gm_as_Call(node)->func;
    bool named = false;
    for (size_t i = 0; layers[i] != NULL; i++) {
        named = named || has_name(searching, last_part(layers[i]));
    }
    const gm_name *type = named && callee->kind == GM_KIND_Attribute ? maker_of(searching, callee) : NULL;
    if (type == NULL || !gm_text_in(type->text, layers)) {
        return false;
    }
    const char *message = gm_analysis_text(searching->analysis, "%s is `torch.nn.%s`: the graph ends", text_of(searching, callee),
                                           last_part(type->text));
    return tell(searching, (gm_untraced){&gm_rule_recurrent_layer, node, message,
                                         "allow it with `torch._dynamo.config.allow_rnn = True`, which compiles one graph a length",
                                         "a setting of the compiler decides it"});
}

static bool find_call(const search *searching, const gm_node *node) {
    const gm_node *callee = gm_as_Call(node)->func;
    const gm_name *name = foreign_name(searching, callee);
    if (name != NULL) {
        const char *message = gm_analysis_text(searching->analysis, "`%s` is not traced", name->text);
        return tell(searching, (gm_untraced){&gm_rule_untraced_call, node, message, "call it in front of the compiled part, or behind it",
                                             "torch has no such operation"});
    }
    return find_method(searching, node) || find_factory(searching, node) || find_layer(searching, node);
}

/* ---- Statements ---- */

/* What a context manager was made by, if `with` cannot enter it; -1 for others. */
static int context_of(const search *searching, const gm_node *manager) {
    const gm_name *maker = manager->kind == GM_KIND_Call ? gm_flow_qualified(searching->analysis->flow, gm_as_Call(manager)->func)
                                                         : maker_of(searching, manager);
    for (size_t i = 0; maker != NULL && i < sizeof contexts / sizeof contexts[0]; i++) {
        if (strcmp(maker->text, contexts[i].type) == 0) {
            return (int)i;
        }
    }
    return -1;
}

static bool find_context(const search *searching, const gm_node *item) {
    const gm_node *manager = gm_as_withitem(item)->context_expr;
    int context = context_of(searching, manager);
    if (context < 0) {
        return false;
    }
    const char *message = gm_analysis_text(searching->analysis, "`with` enters a `%s`", last_part(contexts[context].type));
    return tell(searching, (gm_untraced){&gm_rule_untraced_context, manager, message, "enter it around the compiled part",
                                         "no code in a graph can enter it"});
}

const char *gm_untraced_context_way(gm_analysis *analysis, gm_function *function, const gm_node *manager) {
    search searching = {analysis, function, NULL};
    int context = context_of(&searching, manager);
    return context < 0 ? NULL : contexts[context].way;
}

/* `x.requires_grad = ...`: nothing but tensors has such an attribute that Dynamo would trace. */
static bool find_flag(const search *searching, const gm_node *node) {
    const gm_Assign *assign = gm_as_Assign(node);
    for (uint32_t i = 0; i < assign->targets.count; i++) {
        const gm_node *target = assign->targets.items[i];
        if (target->kind == GM_KIND_Attribute && gm_name_is(gm_as_Attribute(target)->attr, "requires_grad")) {
            const char *message = gm_analysis_text(searching->analysis, "%s is assigned", text_of(searching, target));
            return tell(searching, (gm_untraced){&gm_rule_gradient_flag, target, message, flag_advice, flag_reason});
        }
    }
    return false;
}

bool gm_untraced_find(gm_analysis *analysis, gm_function *function, const gm_node *node, gm_untraced *found) {
    search searching = {analysis, function, found};
    switch ((gm_kind)node->kind) {
    case GM_KIND_Call: return find_call(&searching, node);
    case GM_KIND_withitem: return find_context(&searching, node);
    case GM_KIND_Assign: return find_flag(&searching, node);
    default: return false;
    }
}
