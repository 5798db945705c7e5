/* First pass: `from __future__ import`. */
#include "flow/scopes_visit.h"

static const char late_future[] = "`from __future__` imports must occur at the beginning of the file";

static bool is_future(const gm_node *node) {
    return node->kind == GM_KIND_ImportFrom && gm_as_ImportFrom(node)->level == 0 &&
           gm_name_is(gm_as_ImportFrom(node)->module, "__future__");
}

static bool is_docstring(const gm_node *node) {
    return gm_is_text(node->kind == GM_KIND_Expr ? gm_as_Expr(node)->value : node);
}

static void check_feature(scope_builder *builder, const gm_alias *alias) {
    static const char *const features[] = {"nested_scopes",  "generators",       "division",       "absolute_import", "with_statement",
                                           "print_function", "unicode_literals", "barry_as_FLUFL", "generator_stop",  "annotations"};
    for (size_t i = 0; i < sizeof features / sizeof features[0]; i++) {
        if (gm_name_is(alias->name, features[i])) {
            return;
        }
    }
    /* Up to 3.9 it is the compiler that complains, not the symbol table. */
    if (builder->target == 0 || scopes_at_least(builder, 310)) {
        gm_scopes_complain(builder, &alias->base, "future feature `%s` is not defined", alias->name);
    }
}

static void read_features(scope_builder *builder, const gm_ImportFrom *node) {
    for (uint32_t i = 0; i < node->names.count; i++) {
        const gm_alias *alias = gm_as_alias(node->names.items[i]);
        builder->future_annotations |= gm_name_is(alias->name, "annotations");
        check_feature(builder, alias);
    }
}

/* The symbol tables of 3.10 and 3.11 refuse a late import that is on the line of the statement in front of it. */
static void refuse_on_same_line(scope_builder *builder, const gm_list *body, uint32_t at) {
    const gm_source *source = builder->tree->source;
    uint32_t line = gm_source_position(source, body->items[at]->start).line;
    for (uint32_t i = at + 1; i < body->count && gm_source_position(source, body->items[i]->start).line == line; i++) {
        if (is_future(body->items[i])) {
            gm_scopes_complain(builder, body->items[i], late_future, NULL);
            return;
        }
    }
}

/* Future imports stand at the beginning of a module, behind its docstring. */
void gm_scopes_read_future(scope_builder *builder, const gm_Module *module) {
    uint32_t at = module->body.count > 0 && is_docstring(module->body.items[0]) ? 1 : 0;
    while (at < module->body.count && is_future(module->body.items[at])) {
        read_features(builder, gm_as_ImportFrom(module->body.items[at]));
        at++;
    }
    builder->future_end = at < module->body.count ? module->body.items[at]->start : UINT32_MAX;
    if (at < module->body.count && scopes_at_least(builder, 310) && !scopes_at_least(builder, 312)) {
        refuse_on_same_line(builder, &module->body, at);
    }
}

/* No version runs a late import of a feature; most leave it to the compiler to say so. */
void gm_scopes_refuse_late_future(scope_builder *builder, const gm_node *node) {
    if (builder->target == 0 && is_future(node) && node->start >= builder->future_end) {
        gm_scopes_complain(builder, node, late_future, NULL);
    }
}
