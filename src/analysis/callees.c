#include "analysis/callees.h"

#include <string.h>

#include "analysis/methods.h"
#include "flow/bases.h"

static const gm_callee nothing = {NULL, NULL};

/* Names that lead out of the program that is checked. */
static bool is_library(const char *name) {
    static const char *const prefixes[] = {"builtins.",  "torch.",     "typing.",      "math.", "numpy.", "logging.", "warnings.",
                                           "functools.", "itertools.", "collections.", "copy.", "os.",    "inspect.", "dataclasses."};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) {
            return true;
        }
    }
    return strchr(name, '.') == NULL;
}

/* Whether a dotted expression begins with a name that an import of the program binds: the names of libraries need not be spelled out. */
static bool leads_out(gm_analysis *analysis, const gm_node *node) {
    while (node->kind == GM_KIND_Attribute) {
        node = gm_as_Attribute(node)->value;
    }
    const gm_scopes *scopes = analysis->flow->scopes;
    const gm_symbol *symbol = node->kind == GM_KIND_Name ? gm_scopes_symbol(scopes, node) : NULL;
    const gm_symbol *owner = symbol == NULL ? NULL : gm_symbol_owner(scopes, symbol);
    if (owner == NULL || owner->binders.count == 0) {
        return false;
    }
    const gm_node *binder = owner->binders.items[0];
    const gm_node *import = binder->kind == GM_KIND_alias ? gm_scopes_definition(scopes, binder) : NULL;
    if (import == NULL) {
        return binder->kind == GM_KIND_Name; /* it may be another name of one */
    }
    const char *module = import->kind == GM_KIND_Import             ? gm_as_alias(binder)->name->text
                         : gm_as_ImportFrom(import)->level > 0      ? "."
                         : gm_as_ImportFrom(import)->module == NULL ? "."
                                                                    : gm_as_ImportFrom(import)->module->text;
    return strncmp(module, "torch", 5) != 0 && strncmp(module, "typing", 6) != 0;
}

static gm_callee outside(const gm_name *name) {
    return name == NULL || is_library(name->text) ? nothing : (gm_callee){NULL, name};
}

static gm_callee outside_of(gm_analysis *analysis, const gm_node *expression) {
    return leads_out(analysis, expression) ? outside(gm_flow_qualified(analysis->flow, expression)) : nothing;
}

/* ---- Classes of the file ---- */

/* The class of the file that a name stands for, or NULL. */
static const gm_node *class_of_name(gm_analysis *analysis, const gm_node *name) {
    const gm_symbol *symbol = name->kind == GM_KIND_Name ? gm_scopes_symbol(analysis->flow->scopes, name) : NULL;
    const gm_symbol *owner = symbol == NULL ? NULL : gm_symbol_owner(analysis->flow->scopes, symbol);
    bool known = owner != NULL && owner->binders.count == 1 && owner->binders.items[0]->kind == GM_KIND_ClassDef;
    return known ? owner->binders.items[0] : NULL;
}

static gm_callee method_below(gm_analysis *analysis, gm_base_search *search, const gm_node *class_def, const gm_name *name, uint32_t depth);

/* The method in the bases: those of the file first, then the first that is imported. */
static gm_callee method_in_bases(gm_analysis *analysis, gm_base_search *search, const gm_node *class_def, const gm_name *name,
                                 uint32_t depth) {
    const gm_list *bases = &gm_as_ClassDef(class_def)->bases;
    gm_callee elsewhere = nothing;
    for (uint32_t i = 0; gm_bases_go_on(search, i, bases->count, depth); i++) {
        const gm_node *base = class_of_name(analysis, bases->items[i]);
        if (base != NULL && !gm_bases_enter(search, base, depth + 1)) {
            continue;
        }
        gm_callee found = base != NULL ? method_below(analysis, search, base, name, depth + 1) : outside_of(analysis, bases->items[i]);
        if (found.definition != NULL) {
            return found;
        }
        if (found.outside != NULL && elsewhere.outside == NULL) {
            elsewhere = found;
            if (base == NULL) {
                const char *text = gm_analysis_text(analysis, "%s.%s", found.outside->text, name->text);
                elsewhere.outside = gm_names_intern(analysis->tree->names, text, strlen(text));
            }
        }
    }
    return elsewhere;
}

static gm_callee method_below(gm_analysis *analysis, gm_base_search *search, const gm_node *class_def, const gm_name *name,
                              uint32_t depth) {
    const gm_node *own = gm_method_to_read(analysis, class_def, name);
    return own != NULL ? (gm_callee){own, NULL} : method_in_bases(analysis, search, class_def, name, depth);
}

static gm_callee method_of_bases(gm_analysis *analysis, const gm_node *class_def, const gm_name *name) {
    gm_base_search search = gm_bases_search(analysis->flow);
    return method_in_bases(analysis, &search, class_def, name, 0);
}

static gm_callee method_of(gm_analysis *analysis, const gm_node *class_def, const gm_name *name) {
    gm_base_search search = gm_bases_search(analysis->flow);
    return method_below(analysis, &search, class_def, name, 0);
}

static bool has_outer_base(gm_analysis *analysis, gm_base_search *search, const gm_node *class_def, uint32_t depth) {
    const gm_list *bases = &gm_as_ClassDef(class_def)->bases;
    for (uint32_t i = 0; gm_bases_go_on(search, i, bases->count, depth); i++) {
        const gm_node *base = class_of_name(analysis, bases->items[i]);
        if (base != NULL ? gm_bases_enter(search, base, depth + 1) && has_outer_base(analysis, search, base, depth + 1)
                         : outside_of(analysis, bases->items[i]).outside != NULL) {
            return true;
        }
    }
    return false;
}

bool gm_callee_has_outer_base(gm_analysis *analysis, const gm_node *class_def) {
    gm_base_search search = gm_bases_search(analysis->flow);
    return has_outer_base(analysis, &search, class_def, 0);
}

static gm_callee constructor_of(gm_analysis *analysis, const gm_node *class_def) {
    const gm_name *name = gm_names_find(analysis->tree->names, "__init__", strlen("__init__"));
    gm_callee found = name == NULL ? nothing : method_of(analysis, class_def, name);
    return found.definition != NULL ? found : nothing;
}

/* The class of the module with this name, or NULL. */
static const gm_node *class_called(gm_analysis *analysis, const gm_name *name) {
    const gm_symbol *symbol = gm_scope_find(analysis->flow->scopes->module, name);
    bool known = symbol != NULL && symbol->binders.count == 1 && symbol->binders.items[0]->kind == GM_KIND_ClassDef;
    return known ? symbol->binders.items[0] : NULL;
}

/* ---- Calls ---- */

static bool is_own(const gm_node *node) {
    return node->kind == GM_KIND_Name && (gm_name_is(gm_as_Name(node)->id, "self") || gm_name_is(gm_as_Name(node)->id, "cls"));
}

static bool is_super(const gm_node *node) {
    return node->kind == GM_KIND_Call && gm_as_Call(node)->func->kind == GM_KIND_Name &&
           gm_name_is(gm_as_Name(gm_as_Call(node)->func)->id, "super");
}

/* `self.NAME.method`: NAME holds an instance of a class of the file. */
static gm_callee method_of_attribute(gm_analysis *analysis, const gm_class *around, const gm_Attribute *holder, const gm_name *name) {
    const gm_attribute *held = around != NULL && is_own(holder->value) ? gm_class_attribute(around, holder->attr) : NULL;
    const gm_node *class_def = held == NULL || held->type == NULL ? NULL : class_called(analysis, held->type);
    return class_def == NULL ? nothing : method_of(analysis, class_def, name);
}

/* `NAME.method`: NAME is a variable of the module that holds an instance of a class of the file. */
static gm_callee method_of_variable(gm_analysis *analysis, const gm_node *variable, const gm_name *name) {
    const gm_symbol *symbol = variable->kind == GM_KIND_Name ? gm_scopes_symbol(analysis->flow->scopes, variable) : NULL;
    const gm_symbol *owner = symbol == NULL ? NULL : gm_symbol_owner(analysis->flow->scopes, symbol);
    bool once = owner != NULL && owner->scope == analysis->flow->scopes->module && owner->binders.count == 1;
    const gm_node *definition = once ? gm_scopes_definition(analysis->flow->scopes, owner->binders.items[0]) : NULL;
    const gm_node *value = definition != NULL && definition->kind == GM_KIND_Assign ? gm_as_Assign(definition)->value : NULL;
    const gm_node *class_def = value != NULL && value->kind == GM_KIND_Call ? class_of_name(analysis, gm_as_Call(value)->func) : NULL;
    return class_def == NULL ? nothing : method_of(analysis, class_def, name);
}

static gm_callee callee_by_attribute(gm_analysis *analysis, gm_function *function, const gm_Attribute *callee) {
    const gm_node *value = callee->value;
    const gm_class *around = is_own(value) || is_super(value) || value->kind == GM_KIND_Attribute ? gm_class_around(function) : NULL;
    if (around != NULL && is_own(value)) { /* what a method sets is no method of a base */
        return gm_class_attribute(around, callee->attr) != NULL ? nothing : method_of(analysis, around->node, callee->attr);
    }
    if (around != NULL && is_super(value)) {
        return method_of_bases(analysis, around->node, callee->attr);
    }
    const gm_node *named = class_of_name(analysis, value);
    if (named != NULL) {
        return method_of(analysis, named, callee->attr);
    }
    return value->kind == GM_KIND_Attribute ? method_of_attribute(analysis, around, gm_as_Attribute(value), callee->attr)
                                            : method_of_variable(analysis, value, callee->attr);
}

static gm_callee callee_by_name(gm_analysis *analysis, const gm_node *name) {
    const gm_symbol *symbol = gm_scopes_symbol(analysis->flow->scopes, name);
    const gm_symbol *owner = symbol == NULL ? NULL : gm_symbol_owner(analysis->flow->scopes, symbol);
    const gm_node *binder = owner != NULL && owner->binders.count == 1 ? owner->binders.items[0] : NULL;
    if (binder != NULL && gm_is_def(binder)) {
        return (gm_callee){binder, NULL};
    }
    return binder != NULL && binder->kind == GM_KIND_ClassDef ? constructor_of(analysis, binder) : nothing;
}

gm_callee gm_callee_of(gm_analysis *analysis, gm_function *function, const gm_node *call) {
    const gm_node *callee = gm_as_Call(call)->func;
    gm_callee found = callee->kind == GM_KIND_Name        ? callee_by_name(analysis, callee)
                      : callee->kind == GM_KIND_Attribute ? callee_by_attribute(analysis, function, gm_as_Attribute(callee))
                                                          : nothing;
    return found.definition != NULL || found.outside != NULL ? found : outside_of(analysis, callee);
}

gm_callee gm_callee_of_decorator(gm_analysis *analysis, const gm_node *decorator) {
    const gm_node *callee = decorator->kind == GM_KIND_Call ? gm_as_Call(decorator)->func : decorator;
    gm_callee found = callee->kind == GM_KIND_Name ? callee_by_name(analysis, callee) : nothing;
    return found.definition != NULL ? found : outside_of(analysis, callee);
}

/* ---- Names of the module ---- */

/* What `from ..a import b` binds, or NULL; other imports bind modules. */
static const gm_name *imported(gm_analysis *analysis, const gm_node *binder) {
    const gm_node *statement = binder->kind == GM_KIND_alias ? gm_scopes_definition(analysis->flow->scopes, binder) : NULL;
    if (statement == NULL || statement->kind != GM_KIND_ImportFrom) {
        return NULL;
    }
    const gm_ImportFrom *import = gm_as_ImportFrom(statement);
    const char *module = import->module == NULL ? "" : import->module->text;
    static const char dots[] = "................";
    int level = import->level < 0 ? 0 : import->level < 16 ? (int)import->level : 16;
    const char *text = gm_analysis_text(analysis, "%.*s%s%s%s", level, dots, module, *module == '\0' ? "" : ".",
                                        gm_as_alias(binder)->name->text);
    return gm_names_intern(analysis->tree->names, text, strlen(text));
}

typedef struct gm_callee_visit {
    void (*each)(gm_callee callee, void *context);
    void *context;
    const gm_name *method; /* NULL: the thing itself */
} callee_visit;

static void visit_import(gm_analysis *analysis, const callee_visit *visit, const gm_name *name) {
    if (name != NULL && visit->method != NULL) {
        const char *text = gm_analysis_text(analysis, "%s.%s", name->text, visit->method->text);
        name = gm_names_intern(analysis->tree->names, text, strlen(text));
    }
    visit->each(outside(name), visit->context);
}

static void visit_items(gm_analysis *analysis, const gm_list *items, void (*each)(gm_callee callee, void *context), void *context) {
    for (uint32_t i = 0; i < items->count; i++) {
        const gm_node *item = items->items[i];
        if (item != NULL && item->kind == GM_KIND_Name) {
            gm_callee own = callee_by_name(analysis, item);
            each(own.definition != NULL ? own : outside_of(analysis, item), context);
        }
    }
}

/* The functions in what a variable of the module is bound to. */
static void visit_table(gm_analysis *analysis, const gm_node *binder, void (*each)(gm_callee callee, void *context), void *context) {
    const gm_node *definition = gm_scopes_definition(analysis->flow->scopes, binder);
    const gm_node *value = definition == NULL                      ? NULL
                           : definition->kind == GM_KIND_Assign    ? gm_as_Assign(definition)->value
                           : definition->kind == GM_KIND_AnnAssign ? gm_as_AnnAssign(definition)->value
                                                                   : NULL;
    if (value != NULL && value->kind == GM_KIND_Dict) {
        visit_items(analysis, &gm_as_Dict(value)->values, each, context);
    } else if (value != NULL && value->kind == GM_KIND_List) {
        visit_items(analysis, &gm_as_List(value)->elts, each, context);
    } else if (value != NULL && value->kind == GM_KIND_Tuple) {
        visit_items(analysis, &gm_as_Tuple(value)->elts, each, context);
    }
}

static void visit_binder(gm_analysis *analysis, const callee_visit *visit, const gm_node *binder) {
    if (binder->kind == GM_KIND_ClassDef) {
        visit->each(visit->method == NULL ? constructor_of(analysis, binder) : method_of(analysis, binder, visit->method), visit->context);
    } else if (gm_is_def(binder) && visit->method == NULL) {
        visit->each((gm_callee){binder, NULL}, visit->context);
    } else if (binder->kind == GM_KIND_alias) {
        visit_import(analysis, visit, imported(analysis, binder));
    } else if (binder->kind == GM_KIND_Name && visit->method == NULL) {
        visit_table(analysis, binder, visit->each, visit->context);
    }
}

static const gm_node *table_of(const gm_node *node) {
    if (node->kind == GM_KIND_Subscript) {
        return gm_as_Subscript(node)->value;
    }
    const gm_node *callee = node->kind == GM_KIND_Call ? gm_as_Call(node)->func : NULL;
    bool asked = callee != NULL && callee->kind == GM_KIND_Attribute && gm_name_is(gm_as_Attribute(callee)->attr, "get");
    return asked ? gm_as_Attribute(callee)->value : NULL;
}

gm_callee gm_callee_of_table(gm_analysis *analysis, const gm_node *node) {
    const gm_node *table = table_of(node);
    return table != NULL && table->kind == GM_KIND_Name ? outside_of(analysis, table) : nothing;
}

void gm_callees_in_table(gm_analysis *analysis, const gm_node *node, void (*each)(gm_callee callee, void *context), void *context) {
    const gm_node *table = table_of(node);
    const gm_symbol *symbol = table != NULL && table->kind == GM_KIND_Name ? gm_scopes_symbol(analysis->flow->scopes, table) : NULL;
    const gm_symbol *owner = symbol == NULL ? NULL : gm_symbol_owner(analysis->flow->scopes, symbol);
    bool once = owner != NULL && owner->scope == analysis->flow->scopes->module && owner->binders.count == 1;
    if (once && owner->binders.items[0]->kind == GM_KIND_Name) {
        visit_table(analysis, owner->binders.items[0], each, context);
    }
}

void gm_callees_of_name(gm_analysis *analysis, const char *name, size_t length, void (*each)(gm_callee callee, void *context),
                        void *context) {
    const char *dot = memchr(name, '.', length);
    size_t first = dot == NULL ? length : (size_t)(dot - name);
    const gm_name *found = gm_names_find(analysis->tree->names, name, first);
    const gm_symbol *symbol = found == NULL ? NULL : gm_scope_find(analysis->flow->scopes->module, found);
    callee_visit visit = {each, context, NULL};
    if (dot != NULL) {
        visit.method = gm_names_intern(analysis->tree->names, dot + 1, length - first - 1);
    }
    for (uint32_t i = 0; symbol != NULL && i < symbol->binders.count; i++) {
        visit_binder(analysis, &visit, symbol->binders.items[i]);
    }
}
