/* Annotations in strings: many fields have the same one, and a tree is large beside ten letters. */
#include "base/hash.h"
#include "base/work.h"
#include "meaning/source_private.h"

static uint64_t quoted_key(const gm_code *code, gm_text text) {
    gm_hasher hasher;
    gm_hasher_init(&hasher);
    gm_hasher_add(&hasher, &code, sizeof code);
    gm_hasher_add(&hasher, text.bytes, text.length);
    return gm_hasher_end(&hasher).words[0];
}

static const gm_tree *parse_quoted(gm_builder *in, const gm_code *code, gm_text text) {
    const gm_tree *tree = gm_parse(in->arena, code->path, text.bytes, text.length, NULL);
    bool expression = tree->diagnostics.count == 0 && tree->module->body.count == 1 && tree->module->body.items[0]->kind == GM_KIND_Expr;
    return expression ? tree : NULL;
}

const gm_tree *gm_source_quoted_tree(gm_builder *in, const gm_code *code, gm_text text) {
    uint64_t key = quoted_key(code, text);
    uint32_t at = gm_table_find(&in->quoted_by_text, key);
    const gm_source_quoted *known = at == GM_TABLE_NONE ? NULL : &in->quoted.items[at];
    gm_work(in->arena, text.length);
    if (known != NULL && known->code == code && gm_text_equal(known->text, text)) {
        return known->tree;
    }
    gm_source_quoted quoted = {code, text, parse_quoted(in, code, text)};
    gm_table_put(&in->quoted_by_text, in->arena, key, in->quoted.count);
    gm_vec_push(in->arena, &in->quoted, quoted);
    return quoted.tree;
}
