/* First pass over the tree: which names occur in which scope, and how. The order of visits follows CPython's, because the order
 * of child scopes and the first error depend on it. Here are statements, names and the dispatch. */
#include <string.h>

#include "flow/scopes_visit.h"
#include "flow/walk.h"

void gm_scopes_visit_list(scope_builder *builder, const gm_list *list) {
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i] != NULL) {
            gm_scopes_visit(builder, list->items[i]);
        }
    }
}

void gm_scopes_visit_optional(scope_builder *builder, const gm_node *node) {
    if (node != NULL) {
        gm_scopes_visit(builder, node);
    }
}

/* Every field from number `first` on, in the order of the grammar. */
static void visit_fields(scope_builder *builder, const gm_node *node, uint32_t first) {
    const gm_kind_info *info = gm_kind_of(node);
    for (uint32_t i = first; i < info->field_count; i++) {
        const char *field = (const char *)node + info->fields[i].offset;
        if (info->fields[i].type == GM_FIELD_NODE || info->fields[i].type == GM_FIELD_OPTIONAL) {
            gm_scopes_visit_optional(builder, *(gm_node *const *)(const void *)field);
        } else if (info->fields[i].type == GM_FIELD_LIST) {
            gm_scopes_visit_list(builder, (const gm_list *)(const void *)field);
        }
    }
}

/* Visit the target of a binding that `definition` explains. */
void gm_scopes_visit_defined(scope_builder *builder, const gm_node *target, const gm_node *definition) {
    builder->definition = target->kind == GM_KIND_Name || target->kind == GM_KIND_alias ? definition : NULL;
    gm_scopes_visit(builder, target);
    builder->definition = NULL;
}

/* ---- Names and calls ---- */

static bool is_zero_call(const gm_Call *call) {
    return call->args.count == 0 && call->keywords.count == 0;
}

static void mention(scope_builder *builder, const gm_name *name) {
    static const uint8_t bits[GM_WATCHED] = {MENTION_LOCALS, MENTION_EVAL, MENTION_EXEC, MENTION_SUPER};
    for (size_t i = 0; i < GM_WATCHED; i++) {
        if (name == builder->watched[i]) {
            builder->current->mentions |= bits[i];
        }
    }
}

static void visit_Name(scope_builder *builder, const gm_node *node) {
    const gm_Name *name = gm_as_Name(node);
    gm_scopes_add(builder, name->id, name->ctx == GM_LOAD ? GM_SYMBOL_USED : GM_SYMBOL_ASSIGNED, node);
    if (name->ctx != GM_LOAD) {
        return;
    }
    mention(builder, name->id);
    if (builder->current->function_like && name->id == builder->watched[GM_WATCHED_SUPER]) {
        gm_scopes_add_spelled(builder, builder->current, builder->class_cell, GM_SYMBOL_USED, NULL);
    }
}

static void note_call(scope_builder *builder, const gm_Call *call) {
    if (call->func->kind == GM_KIND_Name && is_zero_call(call)) {
        const gm_name *name = gm_as_Name(call->func)->id;
        builder->current->mentions |= gm_name_is(name, "vars") ? MENTION_VARS : 0;
        builder->current->mentions |= gm_name_is(name, "dir") ? MENTION_DIR : 0;
    }
}

static void note_attribute(scope_builder *builder, const gm_name *name) {
    if (gm_name_is(name, "_getframe") || gm_name_is(name, "currentframe")) {
        builder->current->scope.traits |= GM_SCOPE_NAMES_FRAME;
    }
}

/* ---- Statements ---- */

static const char *directive_error(uint32_t flags, bool global) {
    static const char *const texts[2][4] = {
        {"name `%s` is parameter and nonlocal", "name `%s` is used prior to nonlocal declaration", "annotated name `%s` can't be nonlocal",
         "name `%s` is assigned to before nonlocal declaration"},
        {"name `%s` is parameter and global", "name `%s` is used prior to global declaration", "annotated name `%s` can't be global",
         "name `%s` is assigned to before global declaration"},
    };
    unsigned which = (flags & GM_SYMBOL_PARAMETER) != 0   ? 0
                     : (flags & GM_SYMBOL_USED) != 0      ? 1
                     : (flags & GM_SYMBOL_ANNOTATED) != 0 ? 2
                                                          : 3;
    uint32_t relevant = GM_SYMBOL_PARAMETER | GM_SYMBOL_ASSIGNED | GM_SYMBOL_USED | GM_SYMBOL_ANNOTATED;
    return (flags & relevant) == 0 ? NULL : texts[global][which];
}

static void record_directive(scope_builder *builder, const gm_symbol *symbol, const gm_node *node) {
    uint64_t key = gm_table_pointer(symbol);
    if (gm_table_find(&builder->directive_of, key) == GM_TABLE_NONE) {
        gm_table_put(&builder->directive_of, builder->arena, key, builder->directives.count);
        gm_vec_push(builder->arena, &builder->directives, node);
    }
}

static void declare(scope_builder *builder, const gm_node *node, const gm_name_list *names, bool global) {
    for (uint32_t i = 0; i < names->count; i++) {
        const gm_name *name = gm_scopes_spell(builder, builder->current, names->items[i]);
        const gm_symbol *symbol = gm_scope_find(&builder->current->scope, name);
        const char *error = directive_error(symbol == NULL ? 0 : symbol->flags, global);
        if (error != NULL) {
            gm_scopes_complain(builder, node, error, name);
        }
        gm_scopes_add_spelled(builder, builder->current, name, global ? GM_SYMBOL_GLOBAL : GM_SYMBOL_NONLOCAL, NULL);
        record_directive(builder, gm_scope_find(&builder->current->scope, name), node);
    }
}

static void visit_Global(scope_builder *builder, const gm_node *node) {
    declare(builder, node, &gm_as_Global(node)->names, true);
}

static void visit_Nonlocal(scope_builder *builder, const gm_node *node) {
    declare(builder, node, &gm_as_Nonlocal(node)->names, false);
}

static void annotate_name(scope_builder *builder, const gm_AnnAssign *assign) {
    const gm_Name *target = gm_as_Name(assign->target);
    const gm_symbol *symbol = gm_scope_find(&builder->current->scope, gm_scopes_spell(builder, builder->current, target->id));
    uint32_t flags = symbol == NULL ? 0 : symbol->flags;
    bool in_module = builder->current->scope.kind == GM_SCOPE_MODULE;
    if ((flags & (GM_SYMBOL_GLOBAL | GM_SYMBOL_NONLOCAL)) != 0 && !in_module && assign->simple) {
        gm_scopes_complain(
            builder, assign->target,
            (flags & GM_SYMBOL_GLOBAL) != 0 ? "annotated name `%s` can't be global" : "annotated name `%s` can't be nonlocal", target->id);
    }
    if (assign->simple) {
        gm_scopes_add(builder, target->id, GM_SYMBOL_ANNOTATED | GM_SYMBOL_ASSIGNED, assign->target);
    } else if (assign->value != NULL) {
        gm_scopes_add(builder, target->id, GM_SYMBOL_ASSIGNED, assign->target);
    }
}

static void visit_AnnAssign(scope_builder *builder, const gm_node *node) {
    const gm_AnnAssign *assign = gm_as_AnnAssign(node);
    if (assign->target->kind == GM_KIND_Name) {
        builder->definition = node;
        annotate_name(builder, assign);
        builder->definition = NULL;
    } else {
        gm_scopes_visit(builder, assign->target);
    }
    gm_scopes_visit_annotation(builder, assign->annotation);
    gm_scopes_visit_optional(builder, assign->value);
}

static void visit_Assign(scope_builder *builder, const gm_node *node) {
    const gm_Assign *assign = gm_as_Assign(node);
    for (uint32_t i = 0; i < assign->targets.count; i++) {
        gm_scopes_visit_defined(builder, assign->targets.items[i], node);
    }
    gm_scopes_visit(builder, assign->value);
}

static void visit_import(scope_builder *builder, const gm_node *node) {
    gm_scopes_refuse_late_future(builder, node);
    const gm_list *names = node->kind == GM_KIND_Import ? &gm_as_Import(node)->names : &gm_as_ImportFrom(node)->names;
    for (uint32_t i = 0; i < names->count; i++) {
        gm_scopes_visit_defined(builder, names->items[i], node);
    }
}

static void visit_alias(scope_builder *builder, const gm_node *node) {
    const gm_alias *alias = gm_as_alias(node);
    const gm_name *name = alias->asname != NULL ? alias->asname : alias->name;
    if (gm_name_is(name, "*")) {
        builder->current->scope.traits |= GM_SCOPE_IMPORT_STAR;
        if (builder->current->scope.kind != GM_SCOPE_MODULE) {
            gm_scopes_complain(builder, node, "`import *` only allowed at module level", NULL);
        }
        return;
    }
    const char *dot = memchr(name->text, '.', name->length);
    if (dot != NULL) {
        name = gm_names_intern(builder->tree->names, name->text, (size_t)(dot - name->text));
    }
    gm_scopes_add(builder, name, GM_SYMBOL_IMPORTED, node);
}

/* Both kinds of try; up to 3.12 CPython visits `else` before the handlers. */
static void visit_Try(scope_builder *builder, const gm_node *node) {
    const gm_Try *try = (const gm_Try *)(const void *)node;
    bool in_order = builder->target == 0 || scopes_at_least(builder, 313);
    gm_scopes_visit_list(builder, &try->body);
    if (!in_order) {
        gm_scopes_visit_list(builder, &try->orelse);
    }
    gm_scopes_visit_list(builder, &try->handlers);
    if (in_order) {
        gm_scopes_visit_list(builder, &try->orelse);
    }
    gm_scopes_visit_list(builder, &try->finalbody);
}

static void visit_ExceptHandler(scope_builder *builder, const gm_node *node) {
    const gm_ExceptHandler *handler = gm_as_ExceptHandler(node);
    gm_scopes_visit_optional(builder, handler->type);
    if (handler->name != NULL) {
        gm_scopes_add(builder, handler->name, GM_SYMBOL_ASSIGNED, node);
    }
    gm_scopes_visit_list(builder, &handler->body);
}

/* `elif` chains nest as deep as they are long. */
static void visit_If(scope_builder *builder, const gm_node *node) {
    for (;;) {
        const gm_If *branch = gm_as_If(node);
        gm_scopes_visit(builder, branch->test);
        gm_scopes_visit_list(builder, &branch->body);
        if (branch->orelse.count != 1 || branch->orelse.items[0]->kind != GM_KIND_If) {
            gm_scopes_visit_list(builder, &branch->orelse);
            return;
        }
        node = branch->orelse.items[0];
    }
}

static void visit_async(scope_builder *builder, const gm_node *node) {
    builder->current->scope.traits |= GM_SCOPE_HAS_AWAIT;
    visit_fields(builder, node, 0);
}

static void visit_MatchAs(scope_builder *builder, const gm_node *node) {
    const gm_MatchAs *match = gm_as_MatchAs(node);
    gm_scopes_visit_optional(builder, match->pattern);
    if (match->name != NULL) {
        gm_scopes_add(builder, match->name, GM_SYMBOL_ASSIGNED, node);
    }
}

static void visit_MatchStar(scope_builder *builder, const gm_node *node) {
    if (gm_as_MatchStar(node)->name != NULL) {
        gm_scopes_add(builder, gm_as_MatchStar(node)->name, GM_SYMBOL_ASSIGNED, node);
    }
}

static void visit_MatchMapping(scope_builder *builder, const gm_node *node) {
    const gm_MatchMapping *match = gm_as_MatchMapping(node);
    gm_scopes_visit_list(builder, &match->keys);
    gm_scopes_visit_list(builder, &match->patterns);
    if (match->rest != NULL) {
        gm_scopes_add(builder, match->rest, GM_SYMBOL_ASSIGNED, node);
    }
}

/* ---- Dispatch ---- */

static void (*const visitors[GM_KIND_COUNT])(scope_builder *, const gm_node *) = {
    [GM_KIND_FunctionDef] = gm_scopes_visit_FunctionDef,
    [GM_KIND_AsyncFunctionDef] = gm_scopes_visit_FunctionDef,
    [GM_KIND_ClassDef] = gm_scopes_visit_ClassDef,
    [GM_KIND_Lambda] = gm_scopes_visit_Lambda,
    [GM_KIND_ListComp] = gm_scopes_visit_ListComp,
    [GM_KIND_SetComp] = gm_scopes_visit_SetComp,
    [GM_KIND_DictComp] = gm_scopes_visit_DictComp,
    [GM_KIND_GeneratorExp] = gm_scopes_visit_GeneratorExp,
    [GM_KIND_comprehension] = gm_scopes_visit_comprehension,
    [GM_KIND_NamedExpr] = gm_scopes_visit_NamedExpr,
    [GM_KIND_Yield] = gm_scopes_visit_Yield,
    [GM_KIND_YieldFrom] = gm_scopes_visit_YieldFrom,
    [GM_KIND_Await] = gm_scopes_visit_Await,
    [GM_KIND_Name] = visit_Name,
    [GM_KIND_Global] = visit_Global,
    [GM_KIND_Nonlocal] = visit_Nonlocal,
    [GM_KIND_Assign] = visit_Assign,
    [GM_KIND_Import] = visit_import,
    [GM_KIND_ImportFrom] = visit_import,
    [GM_KIND_AnnAssign] = visit_AnnAssign,
    [GM_KIND_alias] = visit_alias,
    [GM_KIND_Try] = visit_Try,
    [GM_KIND_TryStar] = visit_Try,
    [GM_KIND_ExceptHandler] = visit_ExceptHandler,
    [GM_KIND_If] = visit_If,
    [GM_KIND_AsyncFor] = visit_async,
    [GM_KIND_AsyncWith] = visit_async,
    [GM_KIND_MatchAs] = visit_MatchAs,
    [GM_KIND_MatchStar] = visit_MatchStar,
    [GM_KIND_MatchMapping] = visit_MatchMapping,
    [GM_KIND_TypeVar] = gm_scopes_visit_TypeVar,
    [GM_KIND_ParamSpec] = gm_scopes_visit_ParamSpec,
    [GM_KIND_TypeVarTuple] = gm_scopes_visit_TypeVarTuple,
    [GM_KIND_TypeAlias] = gm_scopes_visit_TypeAlias,
};

static void visit_spine(scope_builder *builder, const gm_node *node) {
    uint32_t base = builder->spine.count;
    for (const gm_node *left = gm_left_operand(node); left != NULL; left = gm_left_operand(node)) {
        gm_vec_push(builder->arena, &builder->spine, node);
        node = left;
    }
    gm_scopes_visit(builder, node);
    while (builder->spine.count > base) {
        node = builder->spine.items[--builder->spine.count];
        if (node->kind == GM_KIND_Call) {
            note_call(builder, gm_as_Call(node));
        } else if (node->kind == GM_KIND_Attribute) {
            note_attribute(builder, gm_as_Attribute(node)->attr);
        }
        visit_fields(builder, node, 1);
    }
}

void gm_scopes_visit(scope_builder *builder, const gm_node *node) {
    if (visitors[node->kind] != NULL) {
        visitors[node->kind](builder, node);
    } else if (gm_left_operand(node) != NULL) {
        visit_spine(builder, node);
    } else {
        visit_fields(builder, node, 0);
    }
}

void gm_scopes_collect(scope_builder *builder) {
    const gm_Module *module = builder->tree->module;
    gm_scopes_read_future(builder, module);
    const gm_name *name = gm_names_intern(builder->tree->names, "top", 3);
    scope_entry *entry = gm_scopes_enter(builder, GM_SCOPE_MODULE, &module->base, name);
    gm_scopes_record_scope(builder, &module->base, &entry->scope);
    gm_scopes_visit_list(builder, &module->body);
    gm_scopes_leave(builder);
}
