#include "rules/read_next.h"

#include <string.h>

#include "flow/walk.h"

typedef struct gm_read_question {
    const gm_tree *tree;
    const char *path;
    bool found;
} read_question;

/* Whether a part of an expression may not be evaluated though the whole is. */
static bool is_optional(const gm_node *node, const gm_node *parent) {
    if (parent == NULL) {
        return false;
    }
    switch ((gm_kind)parent->kind) {
    case GM_KIND_BoolOp:
        return node != gm_as_BoolOp(parent)->values.items[0];
    case GM_KIND_IfExp:
        return node != gm_condition(parent);
    case GM_KIND_Compare: /* a chain ends where it is false */
        return node != gm_as_Compare(parent)->left && node != gm_as_Compare(parent)->comparators.items[0];
    case GM_KIND_Lambda:
    case GM_KIND_ListComp:
    case GM_KIND_SetComp:
    case GM_KIND_DictComp:
    case GM_KIND_GeneratorExp:
        return true;
    default:
        return false;
    }
}

static bool look(const gm_node *node, const gm_node *parent, void *context) {
    read_question *asked = context;
    if (asked->found || is_optional(node, parent)) {
        return false;
    }
    size_t length = strlen(asked->path);
    bool same = node->end - node->start == length && memcmp(asked->tree->source->text + node->start, asked->path, length) == 0;
    asked->found = same && (node->kind == GM_KIND_Attribute || node->kind == GM_KIND_Name);
    return !asked->found;
}

/* What is evaluated first when a statement runs; NULL where that is nothing, or nothing simple. */
static const gm_node *first_of(const gm_node *statement) {
    switch ((gm_kind)statement->kind) {
    case GM_KIND_If:
    case GM_KIND_While:
    case GM_KIND_Assert:
        return gm_condition(statement);
    case GM_KIND_Assign:
        return gm_as_Assign(statement)->value;
    case GM_KIND_AugAssign:
        return gm_as_AugAssign(statement)->value;
    case GM_KIND_Return:
        return gm_as_Return(statement)->value;
    case GM_KIND_Expr:
        return gm_as_Expr(statement)->value;
    default:
        return NULL;
    }
}

bool gm_read_next(const gm_site *site, const char *path) {
    read_question asked = {site->function->flow->tree, path, false};
    for (const gm_place *place = site->place; place != NULL && !asked.found; place = place->outer) {
        for (uint32_t i = place->index + 1; i < place->list->count; i++) {
            const gm_node *statement = place->list->items[i], *first = first_of(statement);
            if (first != NULL) {
                gm_walk(site->function->flow->arena, first, look, &asked);
            }
            bool goes_on = statement->kind == GM_KIND_Assign || statement->kind == GM_KIND_AugAssign || statement->kind == GM_KIND_Expr;
            if (asked.found || !goes_on) {
                return asked.found;
            }
        }
        if (place->owner->kind != GM_KIND_If && place->owner->kind != GM_KIND_With) {
            return false;
        }
    }
    return asked.found;
}
