/* Annotations that are unions: `A | B`, `Union[A, B]`, `Optional[A]`, names of such types, in one another and in quotes. */
#include "base/work.h"
#include "meaning/source_private.h"

static const char *const optional_names[] = {"typing.Optional", NULL};
static const char *const union_names[] = {"typing.Union", NULL};

bool gm_source_names_union(const char *name) {
    return gm_text_in(name, union_names) || gm_text_in(name, optional_names);
}

const gm_list *gm_source_arguments(gm_builder *in, const gm_node *slice) {
    if (slice->kind == GM_KIND_Tuple) {
        return &gm_as_Tuple(slice)->elts;
    }
    gm_list *one = GM_NEW(in->arena, gm_list);
    one->items = GM_NEW_ARRAY(in->arena, gm_node *, 1);
    one->items[0] = (gm_node *)(uintptr_t)slice;
    one->count = 1;
    return one;
}

static void add_unique(gm_builder *in, gm_type_indexes *items, uint32_t type) {
    gm_work(in->arena, items->count / 4);
    for (uint32_t i = 0; i < items->count; i++) {
        if (items->items[i] == type) {
            return;
        }
    }
    gm_vec_push(in->arena, items, type);
}

const gm_node *gm_source_quoted_type(gm_builder *in, const gm_source_place *place, const gm_node *node, gm_source_place *inner) {
    gm_text text = gm_source_string(in->arena, place->text, node);
    const gm_tree *tree = text.bytes == NULL ? NULL : gm_source_quoted_tree(in, place->code, text);
    if (tree == NULL) {
        return NULL;
    }
    *inner = *place;
    inner->text = tree;
    return gm_as_Expr(tree->module->body.items[0])->value;
}

static void add_branches(gm_builder *in, const gm_source_place *place, const gm_node *node, gm_type_indexes *items);

static void add_arguments(gm_builder *in, const gm_source_place *place, const gm_node *slice, gm_type_indexes *items) {
    const gm_list *arguments = gm_source_arguments(in, slice);
    for (uint32_t i = 0; i < arguments->count; i++) {
        add_branches(in, place, arguments->items[i], items);
    }
}

/* `Name = A | B` used as a type is that union itself. */
static const gm_node *alias_value(gm_builder *in, const gm_source_place *place, const gm_node *node, const gm_source_place **inner) {
    gm_source_target target = node->kind == GM_KIND_Name || node->kind == GM_KIND_Attribute ? gm_source_resolve(in, place, node)
                                                                                            : (gm_source_target){0};
    if (target.node == NULL || (target.node->kind != GM_KIND_Assign && target.node->kind != GM_KIND_AnnAssign)) {
        return NULL;
    }
    *inner = target.place;
    const gm_node *value = target.node->kind == GM_KIND_Assign ? gm_as_Assign(target.node)->value : gm_as_AnnAssign(target.node)->value;
    return value->kind == GM_KIND_BinOp || value->kind == GM_KIND_Subscript ? value : NULL;
}

bool gm_source_is_bar(const gm_node *node) {
    return node->kind == GM_KIND_BinOp && gm_as_BinOp(node)->op == GM_OP_BitOr;
}

/* `A | B | C` leans to the left: its sides are one list, however many they are. */
static void add_sides(gm_builder *in, const gm_source_place *place, const gm_node *node, gm_type_indexes *items) {
    GM_VEC(const gm_node *) sides = {NULL, 0, 0};
    for (; gm_source_is_bar(node); node = gm_as_BinOp(node)->left) {
        gm_vec_push(in->arena, &sides, gm_as_BinOp(node)->right);
    }
    add_branches(in, place, node, items);
    for (uint32_t i = sides.count; i-- > 0;) {
        add_branches(in, place, sides.items[i], items);
    }
}

/* Unions inside of unions are one union. */
static void add_branches(gm_builder *in, const gm_source_place *place, const gm_node *node, gm_type_indexes *items) {
    const gm_source_place *outer = NULL;
    gm_source_place inner;
    const gm_node *quoted = gm_source_quoted_type(in, place, node, &inner);
    const gm_node *value = alias_value(in, place, node, &outer);
    if (in->problem.message != NULL || in->depth >= GM_SOURCE_DEPTH) {
        return;
    }
    in->depth++;
    if (quoted != NULL) {
        add_branches(in, &inner, quoted, items);
    } else if (value != NULL) {
        add_branches(in, outer, value, items);
    } else if (gm_source_is_bar(node)) {
        add_sides(in, place, node, items);
    } else if (node->kind == GM_KIND_Subscript && gm_source_is(in, place, gm_as_Subscript(node)->value, union_names)) {
        add_arguments(in, place, gm_as_Subscript(node)->slice, items);
    } else if (node->kind == GM_KIND_Subscript && gm_source_is(in, place, gm_as_Subscript(node)->value, optional_names)) {
        add_arguments(in, place, gm_as_Subscript(node)->slice, items);
        add_unique(in, items, gm_source_structure(in, GM_MEANING_none, NULL));
    } else {
        add_unique(in, items, gm_source_type(in, place, node));
    }
    in->depth--;
}

uint32_t gm_source_union(gm_builder *in, const gm_source_place *place, const gm_node *node) {
    gm_type_indexes items = {0};
    add_branches(in, place, node, &items);
    return items.count == 1 ? items.items[0] : gm_source_structure(in, GM_MEANING_union, &items);
}
