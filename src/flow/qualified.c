/* Dotted names behind expressions. */
#include <string.h>

#include "flow/scopes.h"

/* `a = b; b = a` and long attribute chains end here. */
enum { DEPTH_LIMIT = 16 };

/* `*cut` tells that the limit ended it, so that the answer is none for a shorter way. */
static const gm_name *qualify(const gm_scopes *scopes, const gm_node *node, uint32_t depth, bool *cut);

static const gm_name *join(const gm_scopes *scopes, const char *left, const char *separator, const char *right) {
    gm_names *names = scopes->tree->names;
    size_t lengths[] = {strlen(left), strlen(separator), strlen(right)};
    size_t length = lengths[0] + lengths[1] + lengths[2];
    char room[256]; /* enough for most; names that are known need no memory */
    char *text = length <= sizeof room ? room : gm_arena_alloc(names->arena, length);
    memcpy(text, left, lengths[0]);
    memcpy(text + lengths[0], separator, lengths[1]);
    memcpy(text + lengths[0] + lengths[1], right, lengths[2]);
    return gm_names_intern(names, text, length);
}

/* What an alias of an import statement stands for. */
static const gm_name *qualify_alias(const gm_scopes *scopes, const gm_alias *alias, const gm_node *statement) {
    if (statement->kind == GM_KIND_Import) {
        const char *dot = strchr(alias->name->text, '.');
        bool whole = alias->asname != NULL || dot == NULL;
        return whole ? alias->name : gm_names_intern(scopes->tree->names, alias->name->text, (size_t)(dot - alias->name->text));
    }
    static const char dots[] = "................";
    const gm_ImportFrom *import = gm_as_ImportFrom(statement);
    size_t level = import->level < 0 ? 0 : (size_t)import->level;
    const char *prefix = dots + (level < sizeof dots - 1 ? sizeof dots - 1 - level : 0);
    if (import->module == NULL) {
        return join(scopes, prefix, "", alias->name->text);
    }
    return join(scopes, join(scopes, prefix, "", import->module->text)->text, ".", alias->name->text);
}

static const gm_name *qualify_binder(const gm_scopes *scopes, const gm_node *binder, uint32_t depth, bool *cut) {
    const gm_node *definition = gm_scopes_definition(scopes, binder);
    if (definition == NULL) {
        return NULL;
    }
    if (binder->kind == GM_KIND_alias) {
        return qualify_alias(scopes, gm_as_alias(binder), definition);
    }
    return definition->kind == GM_KIND_Assign ? qualify(scopes, gm_as_Assign(definition)->value, depth + 1, cut) : NULL;
}

/* What all binders of a variable agree on. It is kept: names that have several binders each, one behind the other, would be asked for as often as
 * there are ways through them. */
static const gm_name *qualify_owner(const gm_scopes *scopes, gm_symbol *owner, uint32_t depth, bool *cut) {
    if (owner->is_qualified) {
        return owner->qualified;
    }
    bool ended = false;
    const gm_name *name = qualify_binder(scopes, owner->binders.items[0], depth, &ended);
    for (uint32_t i = 1; name != NULL && i < owner->binders.count; i++) {
        name = qualify_binder(scopes, owner->binders.items[i], depth, &ended) == name ? name : NULL;
    }
    owner->qualified = name;
    owner->is_qualified = !ended;
    *cut = *cut || ended;
    return name;
}

static const gm_name *qualify_name(const gm_scopes *scopes, const gm_node *node, uint32_t depth, bool *cut) {
    const gm_symbol *symbol = gm_scopes_symbol(scopes, node);
    if (symbol == NULL) {
        return NULL;
    }
    if (gm_symbol_is_builtin(scopes, symbol)) {
        return join(scopes, "builtins", ".", symbol->name->text);
    }
    gm_symbol *owner = gm_symbol_owner(scopes, symbol);
    if (owner == NULL || (owner->flags & (GM_SYMBOL_OUTSIDE | GM_SYMBOL_PARAMETER)) != 0 || owner->binders.count == 0) {
        return NULL;
    }
    return qualify_owner(scopes, owner, depth, cut);
}

static const gm_name *qualify(const gm_scopes *scopes, const gm_node *node, uint32_t depth, bool *cut) {
    if (depth > DEPTH_LIMIT) {
        *cut = true;
        return NULL;
    }
    if (node->kind == GM_KIND_Name) {
        return qualify_name(scopes, node, depth, cut);
    }
    if (node->kind != GM_KIND_Attribute) {
        return NULL;
    }
    const gm_name *base = qualify(scopes, gm_as_Attribute(node)->value, depth + 1, cut);
    return base == NULL ? NULL : join(scopes, base->text, ".", gm_as_Attribute(node)->attr->text);
}

const gm_name *gm_scopes_qualified(const gm_scopes *scopes, const gm_node *expression) {
    bool cut = false;
    return qualify(scopes, expression, 0, &cut);
}
