/* Numbers of types: parts that are the same are one, and named types are told apart. */
#include <string.h>

#include "base/hash.h"
#include "base/work.h"
#include "meaning/source_private.h"

enum { INTERN_WORK = 32, PART_WORK = 4 };

static bool same_type(const gm_meaning_type *a, const gm_meaning_type *b) {
    bool same = a->form == b->form && a->items.count == b->items.count && a->values.count == b->values.count &&
                a->bounds.count == b->bounds.count && gm_text_equal(a->note, b->note) && a->name.bytes == NULL && b->name.bytes == NULL;
    for (uint32_t i = 0; same && i < a->items.count; i++) {
        same = a->items.items[i] == b->items.items[i];
    }
    for (uint32_t i = 0; same && i < a->values.count; i++) {
        const gm_meaning_value *left = &a->values.items[i];
        const gm_meaning_value *right = &b->values.items[i];
        same = left->kind == right->kind && gm_text_equal(left->text, right->text) && gm_text_equal(left->name, right->name);
    }
    for (uint32_t i = 0; same && i < a->bounds.count; i++) {
        same = gm_text_equal(a->bounds.items[i].name, b->bounds.items[i].name) &&
               gm_text_equal(a->bounds.items[i].value, b->bounds.items[i].value);
    }
    return same;
}

static void add_text(gm_hasher *hasher, gm_text text) {
    gm_hasher_add(hasher, &text.length, sizeof text.length);
    gm_hasher_add(hasher, text.bytes, text.length);
}

/* Of what same_type compares. */
static uint64_t structure_key(const gm_meaning_type *type) {
    gm_hasher hasher;
    gm_hasher_init(&hasher);
    gm_hasher_add(&hasher, &type->form, sizeof type->form);
    for (uint32_t i = 0; i < type->items.count; i++) {
        gm_hasher_add(&hasher, &type->items.items[i], sizeof type->items.items[i]);
    }
    for (uint32_t i = 0; i < type->values.count; i++) {
        gm_hasher_add(&hasher, &type->values.items[i].kind, sizeof type->values.items[i].kind);
        add_text(&hasher, type->values.items[i].text);
        add_text(&hasher, type->values.items[i].name);
    }
    for (uint32_t i = 0; i < type->bounds.count; i++) {
        add_text(&hasher, type->bounds.items[i].name);
        add_text(&hasher, type->bounds.items[i].value);
    }
    add_text(&hasher, type->note);
    return gm_hasher_end(&hasher).words[0];
}

uint32_t gm_source_intern(gm_builder *in, const gm_meaning_type *type) {
    gm_work(in->arena, INTERN_WORK + (type->items.count + type->values.count + type->bounds.count) * (uint64_t)PART_WORK);
    uint64_t key = structure_key(type);
    uint32_t known = gm_table_find(&in->structures, key);
    if (known < in->meaning->types.count && same_type(&in->meaning->types.items[known], type)) {
        return known;
    }
    gm_table_put(&in->structures, in->arena, key, in->meaning->types.count);
    gm_vec_push(in->arena, &in->meaning->types, *type);
    return in->meaning->types.count - 1;
}

uint32_t gm_source_structure(gm_builder *in, gm_form form, const gm_type_indexes *items) {
    gm_meaning_type type = {.form = (uint8_t)form};
    if (items != NULL) {
        type.items = *items;
    }
    return gm_source_intern(in, &type);
}

static uint64_t nominal_key(const gm_node *node, const char *words) {
    return gm_hash_of(words, strlen(words)).words[0] + gm_table_pointer(node);
}

uint32_t gm_source_find(const gm_builder *in, const gm_node *node, const char *words) {
    uint32_t at = gm_table_find(&in->named, nominal_key(node, words));
    const gm_nominal *known = at < in->nominal.count ? &in->nominal.items[at] : NULL;
    return known != NULL && known->node == node && strcmp(known->words, words) == 0 ? known->type : GM_NO_TYPE;
}

/* How many named types have these words. */
static uint32_t count_named(gm_builder *in, const char *words, uint64_t key) {
    uint32_t at = gm_table_find(&in->named_last, key);
    if (at < in->nominal.count && strcmp(in->nominal.items[at].words, words) == 0) {
        return in->nominal.items[at].number;
    }
    uint32_t count = 0;
    if (at != GM_TABLE_NONE) { /* the last one was taken back */
        gm_work(in->arena, in->nominal.count * (uint64_t)PART_WORK);
        for (uint32_t i = 0; i < in->nominal.count; i++) {
            count += strcmp(in->nominal.items[i].words, words) == 0;
        }
    }
    return count;
}

/* A number for a named type that is about to be made; different types with one name are told apart. */
uint32_t gm_source_reserve(gm_builder *in, const gm_node *node, const char *words) {
    uint64_t key = gm_hash_of(words, strlen(words)).words[0];
    uint32_t count = count_named(in, words, key) + 1;
    gm_table_put(&in->named_last, in->arena, key, in->nominal.count);
    gm_table_put(&in->named, in->arena, nominal_key(node, words), in->nominal.count);
    gm_buffer name;
    gm_buffer_init(&name, in->arena);
    gm_buffer_add_text(&name, words);
    if (count > 1) {
        gm_buffer_printf(&name, "_%u", count);
    }
    gm_buffer_text(&name);
    gm_meaning_type type = {.form = GM_MEANING_any, .name = {name.bytes, (uint32_t)name.length}};
    gm_vec_push(in->arena, &in->meaning->types, type);
    gm_vec_push(in->arena, &in->nominal, ((gm_nominal){node, words, in->meaning->types.count - 1, count}));
    return in->meaning->types.count - 1;
}
