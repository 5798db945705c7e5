#include "analysis/defaults.h"

#include "analysis/messages.h"
#include "flow/walk.h"

/* What the file says of flags. */
struct gm_switched {
    gm_table on;      /* names that are given True anywhere: keywords of calls, and attributes */
    gm_table decides; /* names of attributes of `self` that decide about more than messages */
    gm_table given;   /* of a class of the file and a keyword: bits of what calls of the class give it */
};

enum { GIVEN_OFF = 1, GIVEN_OTHER = 2 };

gm_flag gm_flag_of_constant(const gm_node *value) {
    if (value == NULL || value->kind != GM_KIND_Constant) {
        return GM_FLAG_UNKNOWN;
    }
    switch (gm_as_Constant(value)->value.literal) {
    case GM_LITERAL_False:
    case GM_LITERAL_None: return GM_FLAG_OFF;
    case GM_LITERAL_True: return GM_FLAG_ON;
    default: return GM_FLAG_UNKNOWN;
    }
}

static const gm_arguments *arguments_of(const gm_node *definition) {
    return gm_as_arguments(definition->kind == GM_KIND_FunctionDef ? gm_as_FunctionDef(definition)->args
                                                                   : gm_as_AsyncFunctionDef(definition)->args);
}

const gm_node *gm_default_of(const gm_node *definition, const gm_name *name, uint32_t *index) {
    const gm_arguments *all = arguments_of(definition);
    uint32_t positional = all->posonlyargs.count + all->args.count;
    for (uint32_t i = 0; i < positional; i++) {
        const gm_node *one = i < all->posonlyargs.count ? all->posonlyargs.items[i] : all->args.items[i - all->posonlyargs.count];
        if (gm_as_arg(one)->arg == name) {
            uint32_t from = positional - all->defaults.count;
            *index = i;
            return i < from ? NULL : all->defaults.items[i - from];
        }
    }
    for (uint32_t i = 0; i < all->kwonlyargs.count; i++) {
        if (gm_as_arg(all->kwonlyargs.items[i])->arg == name) {
            *index = UINT32_MAX;
            return all->kw_defaults.items[i];
        }
    }
    return NULL;
}

/* ---- What the file says ---- */

static void note(gm_analysis *analysis, gm_table *table, uint64_t key, uint32_t bits) {
    uint32_t before = gm_table_find(table, key);
    gm_table_put(table, analysis->arena, key, before == GM_TABLE_NONE ? bits : before | bits);
}

/* The parameter that an expression is, or NULL. */
static const gm_symbol *parameter_of(gm_analysis *analysis, const gm_node *node) {
    const gm_symbol *symbol = node != NULL && node->kind == GM_KIND_Name ? gm_scopes_symbol(analysis->flow->scopes, node) : NULL;
    const gm_symbol *owner = symbol == NULL ? NULL : gm_symbol_owner(analysis->flow->scopes, symbol);
    bool parameter = owner != NULL && owner->binders.count == 1 && owner->binders.items[0]->kind == GM_KIND_arg;
    return parameter && gm_is_def(owner->scope->node) ? owner : NULL;
}

static const gm_node *default_of_parameter(const gm_symbol *parameter) {
    uint32_t index = 0;
    return gm_default_of(parameter->scope->node, parameter->name, &index);
}

static const gm_node *class_of_call(gm_analysis *analysis, const gm_Call *call) {
    const gm_symbol *symbol = call->func->kind == GM_KIND_Name ? gm_scopes_symbol(analysis->flow->scopes, call->func) : NULL;
    const gm_symbol *owner = symbol == NULL ? NULL : gm_symbol_owner(analysis->flow->scopes, symbol);
    bool once = owner != NULL && owner->binders.count == 1 && owner->binders.items[0]->kind == GM_KIND_ClassDef;
    return once ? owner->binders.items[0] : NULL;
}

static uint64_t key_of(const gm_node *class_def, const gm_name *name) {
    return (uint64_t)class_def->number << 32 | name->index;
}

/* What a call of a class gives a keyword: a parameter of the same name without a default is one that others decide. */
static uint32_t bits_of(gm_analysis *analysis, const gm_keyword *keyword) {
    const gm_symbol *parameter = parameter_of(analysis, keyword->value);
    const gm_node *value = parameter == NULL ? keyword->value : default_of_parameter(parameter);
    if (parameter != NULL && value == NULL) {
        return parameter->name == keyword->arg ? 0 : GIVEN_OTHER;
    }
    return gm_flag_of_constant(value) == GM_FLAG_OFF ? GIVEN_OFF : GIVEN_OTHER;
}

static void note_call(gm_analysis *analysis, const gm_Call *call) {
    const gm_node *class_def = class_of_call(analysis, call);
    for (uint32_t i = 0; i < call->keywords.count; i++) {
        const gm_keyword *keyword = gm_as_keyword(call->keywords.items[i]);
        if (keyword->arg == NULL) {
            continue;
        }
        if (gm_flag_of_constant(keyword->value) == GM_FLAG_ON) {
            note(analysis, &analysis->switched->on, gm_table_pointer(keyword->arg), 1);
        }
        if (class_def != NULL) {
            note(analysis, &analysis->switched->given, key_of(class_def, keyword->arg), bits_of(analysis, keyword));
        }
    }
}

static void note_assign(gm_analysis *analysis, const gm_Assign *assign) {
    for (uint32_t i = 0; i < assign->targets.count && gm_flag_of_constant(assign->value) == GM_FLAG_ON; i++) {
        if (assign->targets.items[i]->kind == GM_KIND_Attribute) {
            note(analysis, &analysis->switched->on, gm_table_pointer(gm_as_Attribute(assign->targets.items[i])->attr), 1);
        }
    }
}

/* Whether an attribute that is read decides about messages alone, or is handed on under its own name. */
static bool is_for_messages(gm_analysis *analysis, const gm_Attribute *attribute, const gm_node *parent) {
    if (parent->kind == GM_KIND_keyword) {
        return gm_as_keyword(parent)->arg == attribute->attr;
    }
    const gm_node *at = gm_flow_statement(analysis->flow, &attribute->base);
    if (at == NULL || at->kind != GM_KIND_If) {
        return false;
    }
    const gm_If *branch = gm_as_If(at);
    gm_function *function = gm_flow_function_at(analysis->flow, at);
    bool test = attribute->base.start >= branch->test->start && attribute->base.end <= branch->test->end;
    return test && gm_are_messages(function, &branch->body) && gm_are_messages(function, &branch->orelse);
}

static void note_attribute(gm_analysis *analysis, const gm_Attribute *attribute, const gm_node *parent) {
    bool own = attribute->ctx == GM_LOAD && attribute->value->kind == GM_KIND_Name && gm_name_is(gm_as_Name(attribute->value)->id, "self");
    if (own && !is_for_messages(analysis, attribute, parent)) {
        note(analysis, &analysis->switched->decides, gm_table_pointer(attribute->attr), 1);
    }
}

static bool look(const gm_node *node, const gm_node *parent, void *context) {
    gm_analysis *analysis = context;
    switch ((gm_kind)node->kind) {
    case GM_KIND_Call: note_call(analysis, gm_as_Call(node)); break;
    case GM_KIND_Assign: note_assign(analysis, gm_as_Assign(node)); break;
    case GM_KIND_Attribute: note_attribute(analysis, gm_as_Attribute(node), parent); break;
    default: break;
    }
    return true;
}

static const struct gm_switched *switched_of(gm_analysis *analysis) {
    if (analysis->switched == NULL) {
        analysis->switched = GM_NEW(analysis->arena, struct gm_switched);
        gm_walk(analysis->arena, &analysis->tree->module->base, look, analysis);
    }
    return analysis->switched;
}

static bool has(const gm_table *table, const gm_name *name) {
    return gm_table_find(table, gm_table_pointer(name)) != GM_TABLE_NONE;
}

/* ---- Attributes ---- */

static const gm_node *value_of_place(const gm_node *place) {
    return place->kind == GM_KIND_Assign      ? gm_as_Assign(place)->value
           : place->kind == GM_KIND_AnnAssign ? gm_as_AnnAssign(place)->value
                                              : NULL;
}

/* What a parameter of `__init__` is: by its default, or by what the calls of the class give it. */
static gm_flag flag_of_parameter(gm_analysis *analysis, const gm_node *class_def, const gm_symbol *parameter) {
    const struct gm_switched *switched = switched_of(analysis);
    const gm_node *value = default_of_parameter(parameter);
    if (has(&switched->on, parameter->name)) {
        return GM_FLAG_UNKNOWN;
    }
    bool off = value == NULL ? gm_table_find(&switched->given, key_of(class_def, parameter->name)) == GIVEN_OFF
                             : gm_flag_of_constant(value) == GM_FLAG_OFF;
    return off ? GM_FLAG_OFF : GM_FLAG_UNKNOWN;
}

bool gm_is_off_by_default(gm_analysis *analysis, const gm_node *class_def, const gm_name *name) {
    const gm_attribute *attribute = gm_class_attribute_of(analysis->flow, class_def, name);
    if (attribute == NULL || attribute->places != 1 || attribute->outside_init || attribute->binder == NULL ||
        has(&switched_of(analysis)->decides, name) || has(&switched_of(analysis)->on, name)) {
        return false;
    }
    const gm_node *value = value_of_place(attribute->binder);
    const gm_symbol *parameter = parameter_of(analysis, value);
    gm_flag flag = parameter == NULL ? gm_flag_of_constant(value) : flag_of_parameter(analysis, class_def, parameter);
    return flag == GM_FLAG_OFF;
}
