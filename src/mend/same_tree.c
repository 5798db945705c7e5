#include "mend/same_tree.h"

#include <string.h>

#include "base/search.h"

/* Where an edit stands in the old text and in the new one. */
typedef struct moved {
    uint32_t start;
    uint32_t end;
    uint32_t new_start;
    uint32_t new_end;
} moved;

/* The edits are in order and none overlaps another, in the old text and in the new one: what is asked about a node is found by halving. */
typedef struct comparison {
    const moved *edits;
    uint32_t count;
} comparison;

static moved *place_edits(gm_arena *arena, const gm_edits *edits) {
    moved *places = GM_NEW_ARRAY(arena, moved, edits->items.count + 1);
    uint32_t shift = 0; /* modulo 2^32: text may shrink */
    for (uint32_t i = 0; i < edits->items.count; i++) {
        const gm_edit *edit = &edits->items.items[i];
        uint32_t new_start = edit->start + shift;
        uint32_t length = gm_edit_length(&edit->text);
        places[i] = (moved){edit->start, edit->end, new_start, new_start + length};
        shift += length - (edit->end - edit->start);
    }
    return places;
}

/* The first edit that ends at an offset of the old text or behind it. */
static uint32_t first_ending(const comparison *all, uint32_t offset) {
    uint32_t low = 0;
    for (uint32_t high = all->count; low < high;) {
        uint32_t middle = gm_middle(low, high);
        if (all->edits[middle].end < offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The same in the new text. */
static uint32_t first_new_ending(const comparison *all, uint32_t offset) {
    uint32_t low = 0;
    for (uint32_t high = all->count; low < high;) {
        uint32_t middle = gm_middle(low, high);
        if (all->edits[middle].new_end < offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The new place of an offset that no edit touches. */
static uint32_t move(const comparison *all, uint32_t offset) {
    uint32_t behind = first_ending(all, offset);
    while (behind < all->count && all->edits[behind].end == offset) {
        behind++;
    }
    return behind == 0 ? offset : offset + (all->edits[behind - 1].new_end - all->edits[behind - 1].end);
}

static bool is_touched(const comparison *all, const gm_node *node) {
    uint32_t first = first_ending(all, node->start);
    return first < all->count && all->edits[first].start <= node->end;
}

static bool is_replaced(const comparison *all, const gm_node *node) {
    for (uint32_t i = first_ending(all, node->end); i < all->count && all->edits[i].start <= node->start; i++) {
        if (all->edits[i].start < all->edits[i].end) {
            return true;
        }
    }
    return false;
}

/* A new statement that begins and ends in new text. */
static bool is_new(const comparison *all, const gm_node *node) {
    uint32_t first = first_new_ending(all, node->start + 1);
    uint32_t last = first_new_ending(all, node->end);
    return first < all->count && all->edits[first].new_start <= node->start && last < all->count && all->edits[last].new_start < node->end;
}

static bool is_same(const comparison *all, const gm_node *before, const gm_node *after);

static bool is_same_list(const comparison *all, const gm_list *before, const gm_list *after) {
    uint32_t i = 0;
    uint32_t j = 0;
    for (;;) {
        while (i < before->count && before->items[i] != NULL && is_replaced(all, before->items[i])) {
            i++;
        }
        while (j < after->count && after->items[j] != NULL && is_new(all, after->items[j])) {
            j++;
        }
        if (i == before->count || j == after->count) {
            return i == before->count && j == after->count;
        }
        if (!is_same(all, before->items[i++], after->items[j++])) {
            return false;
        }
    }
}

/* Names of two trees are two objects. */
static bool is_same_name(const gm_name *before, const gm_name *after) {
    return before == NULL || after == NULL ? before == after : strcmp(before->text, after->text) == 0;
}

static bool are_same_names(const gm_name_list *before, const gm_name_list *after) {
    bool same = before->count == after->count;
    for (uint32_t i = 0; same && i < before->count; i++) {
        same = is_same_name(before->items[i], after->items[i]);
    }
    return same;
}

static bool are_same_operators(const gm_operator_list *before, const gm_operator_list *after) {
    return before->count == after->count && memcmp(before->items, after->items, sizeof *before->items * before->count) == 0;
}

static bool is_same_field(const comparison *all, const gm_field *field, const gm_node *before, const gm_node *after) {
    const char *left = (const char *)before + field->offset;
    const char *right = (const char *)after + field->offset;
    switch ((gm_field_type)field->type) {
    case GM_FIELD_NODE:
    case GM_FIELD_OPTIONAL: return is_same(all, *(gm_node *const *)(const void *)left, *(gm_node *const *)(const void *)right);
    case GM_FIELD_LIST: return is_same_list(all, (const gm_list *)(const void *)left, (const gm_list *)(const void *)right);
    case GM_FIELD_OPERATOR: return *(const uint8_t *)left == *(const uint8_t *)right;
    case GM_FIELD_OPERATORS:
        return are_same_operators((const gm_operator_list *)(const void *)left, (const gm_operator_list *)(const void *)right);
    case GM_FIELD_NAME: return is_same_name(*(gm_name *const *)(const void *)left, *(gm_name *const *)(const void *)right);
    case GM_FIELD_NAMES: return are_same_names((const gm_name_list *)(const void *)left, (const gm_name_list *)(const void *)right);
    default: return true; /* constants follow from the text, which is the same, and contexts from the nodes around */
    }
}

static bool has_moved(const comparison *all, const gm_node *before, const gm_node *after) {
    return move(all, before->start) == after->start && move(all, before->end) == after->end;
}

static bool is_same(const comparison *all, const gm_node *before, const gm_node *after) {
    if (before == NULL || after == NULL) {
        return before == after;
    }
    bool touched = is_touched(all, before);
    if (touched && gm_is_expr(before)) {
        return gm_is_expr(after);
    }
    if (before->kind != after->kind || (!touched && !has_moved(all, before, after))) {
        return false;
    }
    const gm_kind_info *info = gm_kind_of(before);
    for (uint16_t i = 0; i < info->field_count; i++) {
        if (!is_same_field(all, &info->fields[i], before, after)) {
            return false;
        }
    }
    return true;
}

bool gm_same_tree(gm_arena *arena, const gm_tree *before, const gm_tree *after, const gm_edits *edits) {
    comparison all = {place_edits(arena, edits), edits->items.count};
    return is_same(&all, &before->module->base, &after->module->base);
}
