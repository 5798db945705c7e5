/* Lists, tuples, sets, dicts, and values of any type. */
#include <string.h>

#include "meaning/match.h"
#include "meaning/numbers.h"

enum { INNER_DEPTH = 2 };

static uint32_t inner_depth(const gm_match *in) {
    return in->tape_number == 0 ? 0 : in->inner.items[in->tape_number - 1].depth;
}

/* The tape of a string that holds JSON: read once, however often it is asked for. Its number, 0 when there is none. */
static uint32_t inner_tape(gm_match *in, uint32_t node) {
    gm_match_memo *memo = gm_match_remembered(in, GM_MEMO_INNER, node);
    if (memo->known) {
        return memo->branch;
    }
    memo->branch = 0;
    memo->known = true;
    uint32_t slot = 0;
    gm_text text = gm_match_text(in, node);
    uint32_t at = 0;
    while (at < text.length && gm_tape_is_blank(text.bytes[at])) {
        at++;
    }
    if (at == text.length || (text.bytes[at] != '{' && text.bytes[at] != '[') || inner_depth(in) == INNER_DEPTH) {
        return 0;
    }
    gm_tape *tape = GM_NEW(in->arena, gm_tape);
    gm_tape_init(tape, in->arena, false);
    gm_tape_read_value(tape, text.bytes, text.length);
    while (tape->at < tape->length && gm_tape_is_blank(tape->text[tape->at])) {
        tape->at++;
    }
    const gm_candidate *found = tape->candidates.items;
    if (tape->candidates.count == 1 && !found->broken && !found->open && tape->at == tape->length) {
        gm_vec_push(in->arena, &in->inner, ((gm_inner_tape){in->tape, in->tape_number, inner_depth(in) + 1, node, tape}));
        slot = in->inner.count;
    }
    gm_match_remembered(in, GM_MEMO_INNER, node)->branch = slot;
    return slot;
}

static gm_cost repairs_inside(gm_match *in, const gm_tape *tape, uint32_t node) {
    gm_cost cost = gm_match_repair(in, GM_REPAIR_STRINGIFIED, node);
    for (uint32_t i = 0; i < tape->repairs.count; i++) {
        cost = gm_match_add(cost, gm_match_repair(in, (gm_repair_kind)tape->repairs.items[i].kind, node));
    }
    return cost;
}

gm_cost gm_match_inside(gm_match *in, const gm_meaning_type *type, uint32_t node, gm_matcher *match) {
    const gm_tape_node *found = gm_match_node(in, node);
    uint32_t number = 0;
    if (!in->options.strict && found->kind == GM_TAPE_STRING && (found->flags & (GM_TAPE_KEY | GM_TAPE_OPEN)) == 0) {
        number = inner_tape(in, node);
    }
    if (number == 0) {
        return gm_match_unexpected(in, type, node);
    }
    const gm_tape *outer = in->tape;
    uint32_t outer_number = in->tape_number;
    gm_cost cost = repairs_inside(in, in->inner.items[number - 1].tape, node);
    in->tape = in->inner.items[number - 1].tape;
    in->tape_number = number;
    cost = gm_match_add(cost, match(in, type, in->tape->candidates.items[0].node));
    in->tape = outer;
    in->tape_number = outer_number;
    return cost;
}

/* Whether a partial reading stops in front of an item: it is not decided yet what it is. */
static bool is_undecided(const gm_match *in, uint32_t node) {
    const gm_tape_node *found = gm_match_node(in, node);
    return in->options.partial && (found->flags & GM_TAPE_OPEN) != 0 && found->kind != GM_TAPE_LIST && found->kind != GM_TAPE_OBJECT &&
           found->kind != GM_TAPE_CALL && found->kind != GM_TAPE_STRING;
}

bool gm_match_skips(gm_match *in, uint32_t type, uint32_t node) {
    if (is_undecided(in, node)) {
        return true;
    }
    const gm_tape_node *found = gm_match_node(in, node);
    if (!in->options.partial || (found->flags & GM_TAPE_OPEN) == 0) {
        return false;
    }
    /* Found out once: values that are open hold one another, and each would ask all that it holds again. */
    gm_match_memo *memo = gm_match_remembered(in, GM_MEMO_SKIP + type, node);
    if (memo->known) {
        return memo->cost == GM_NO_FIT;
    }
    gm_buffer *out = in->out;
    bool explain = in->explain;
    in->out = NULL;
    in->explain = false;
    gm_cost cost = gm_match_type(in, type, node);
    in->out = out;
    in->explain = explain;
    memo = gm_match_remembered(in, GM_MEMO_SKIP + type, node);
    memo->known = true;
    memo->cost = cost;
    return cost == GM_NO_FIT;
}

static gm_cost item_cost(gm_match *in, uint32_t type, uint32_t node, uint32_t index) {
    const gm_match_step step = {in->path, {NULL, 0}, index};
    in->path = &step;
    gm_cost cost = gm_match_type(in, type, node);
    in->path = step.above;
    return cost;
}

/* `set([1, 2])`, `frozenset({1})`: the items are those of the argument. */
static uint32_t items_of(gm_match *in, uint32_t node) {
    static const char *const names[] = {"set", "frozenset", "list", "tuple", "deque", NULL};
    const gm_tape_node *found = gm_match_node(in, node);
    if (found->kind != GM_TAPE_CALL) {
        return node;
    }
    gm_text name = gm_match_text(in, node + 1);
    for (size_t i = 0; names[i] != NULL; i++) {
        if (gm_text_is(name, names[i])) {
            return node + 2 < found->next && gm_match_node(in, node + 2)->next == found->next ? node + 2 : node;
        }
    }
    return node;
}

/* Items that no list can be, so that a value is not taken for a list of itself again and again. */
static bool is_no_list(const gm_match *in, uint32_t type) {
    const gm_meaning_type *item = gm_meaning_resolve(in->meaning, type);
    return item->form == GM_MEANING_record || item->form == GM_MEANING_dict ||
           (item->form >= GM_MEANING_none && item->form <= GM_MEANING_flag);
}

static bool may_stand_alone(const gm_match *in, uint32_t type) {
    const gm_meaning_type *item = gm_meaning_resolve(in->meaning, type);
    bool fits = item->form == GM_MEANING_union || is_no_list(in, type);
    for (uint32_t i = 0; fits && item->form == GM_MEANING_union && i < item->items.count; i++) {
        fits = is_no_list(in, item->items.items[i]);
    }
    return fits;
}

/* A single value where a list is expected: an object or a number, never text, which may hold several values. */
static gm_cost single_item(gm_match *in, const gm_meaning_type *type, uint32_t node) {
    uint8_t kind = gm_match_node(in, node)->kind;
    if (in->options.strict || !may_stand_alone(in, type->items.items[0]) ||
        (kind != GM_TAPE_OBJECT && kind != GM_TAPE_NUMBER && kind != GM_TAPE_CALL)) {
        return gm_match_unexpected(in, type, node);
    }
    gm_cost cost = gm_match_repair(in, GM_REPAIR_SINGLE_ITEM, node);
    gm_match_put_char(in, '[');
    cost = gm_match_add(cost, item_cost(in, type->items.items[0], node, 0));
    gm_match_put_char(in, ']');
    return cost;
}

static gm_cost match_items(gm_match *in, const gm_meaning_type *type, uint32_t node) {
    const gm_bound_link *bounds = gm_match_take_bounds(in);
    uint32_t list = items_of(in, node);
    const gm_tape_node *found = gm_match_node(in, list);
    if (found->kind == GM_TAPE_STRING) {
        in->bounds = bounds;
        gm_cost inside = gm_match_inside(in, type, list, match_items);
        in->bounds = NULL;
        return inside;
    }
    if (found->kind != GM_TAPE_LIST) {
        return gm_match_size_fits(bounds, 1) ? single_item(in, type, node) : gm_match_unexpected(in, type, node);
    }
    gm_cost cost = 0;
    uint32_t count = 0;
    uint32_t end = found->next;
    gm_match_put_char(in, '[');
    for (uint32_t item = list + 1; item < end && cost != GM_NO_FIT; item = gm_match_node(in, item)->next) {
        if (gm_match_skips(in, type->items.items[0], item)) {
            break;
        }
        gm_match_put(in, ",", count > 0 ? 1 : 0);
        cost = gm_match_add(cost, item_cost(in, type->items.items[0], item, count++));
    }
    gm_match_put_char(in, ']');
    if (cost != GM_NO_FIT && !in->options.partial && !gm_match_size_fits(bounds, count)) {
        return gm_match_refuse(in, node, "%u items are out of bounds", count);
    }
    return cost;
}

gm_cost gm_match_list(gm_match *in, const gm_meaning_type *type, uint32_t node) {
    return match_items(in, type, node);
}
gm_cost gm_match_set(gm_match *in, const gm_meaning_type *type, uint32_t node) {
    return match_items(in, type, node);
}
gm_cost gm_match_frozenset(gm_match *in, const gm_meaning_type *type, uint32_t node) {
    return match_items(in, type, node);
}
gm_cost gm_match_tuple_of(gm_match *in, const gm_meaning_type *type, uint32_t node) {
    return match_items(in, type, node);
}

gm_cost gm_match_tuple(gm_match *in, const gm_meaning_type *type, uint32_t node) {
    (void)gm_match_take_bounds(in);
    uint32_t list = items_of(in, node);
    const gm_tape_node *found = gm_match_node(in, list);
    if (found->kind == GM_TAPE_STRING) {
        return gm_match_inside(in, type, list, gm_match_tuple);
    }
    if (found->kind != GM_TAPE_LIST) {
        return gm_match_unexpected(in, type, node);
    }
    gm_cost cost = 0;
    uint32_t count = 0;
    uint32_t end = found->next;
    gm_match_put_char(in, '[');
    for (uint32_t item = list + 1; item < end && cost != GM_NO_FIT; item = gm_match_node(in, item)->next) {
        if (count == type->items.count) {
            return gm_match_refuse(in, node, "expected %u items, got more", type->items.count);
        }
        if (gm_match_skips(in, type->items.items[count], item)) {
            break;
        }
        gm_match_put(in, ",", count > 0 ? 1 : 0);
        cost = gm_match_add(cost, item_cost(in, type->items.items[count], item, count));
        count++;
    }
    gm_match_put_char(in, ']');
    if (cost != GM_NO_FIT && count < type->items.count && !in->options.partial) {
        return gm_match_refuse(in, node, "expected %u items, got %u", type->items.count, count);
    }
    return cost;
}

static uint32_t hash_text(gm_text text) {
    uint32_t hash = 2166136261U;
    for (uint32_t i = 0; i < text.length; i++) {
        hash = (hash ^ (unsigned char)text.bytes[i]) * 16777619U;
    }
    return hash;
}

static bool same_source(const gm_match *in, uint32_t a, uint32_t b) {
    const gm_tape_node *left = gm_match_node(in, a);
    const gm_tape_node *right = gm_match_node(in, b);
    uint32_t length = left->end - left->start;
    return left->kind == right->kind && length == right->end - right->start &&
           memcmp(in->tape->text + left->start, in->tape->text + right->start, length) == 0;
}

bool gm_match_same_source(const gm_match *in, uint32_t a, uint32_t b) {
    return same_source(in, a, b);
}

/* Keys given twice: in JSON the last one counts, as everywhere; in what models write that is an error unless both say the same. */
static gm_cost check_keys(gm_match *in, uint32_t first, uint32_t end) {
    uint32_t count = 0;
    gm_cost cost = 0;
    for (uint32_t key = first; key + 1 < end; key = gm_match_node(in, key + 1)->next) {
        count++;
    }
    if (in->options.strict || count < 2) {
        return 0;
    }
    uint32_t capacity = 4;
    while (capacity < count * 2) {
        capacity *= 2;
    }
    uint32_t *slots = GM_NEW_ARRAY(in->arena, uint32_t, capacity);
    for (uint32_t key = first; key + 1 < end; key = gm_match_node(in, key + 1)->next) {
        gm_text text = gm_match_text(in, key);
        uint32_t slot = hash_text(text) & (capacity - 1);
        while (slots[slot] != 0 && !gm_text_equal(text, gm_match_text(in, slots[slot]))) {
            slot = (slot + 1) & (capacity - 1);
        }
        if (slots[slot] == 0) {
            slots[slot] = key;
        } else if (same_source(in, key + 1, slots[slot] + 1)) {
            cost = gm_match_add(cost, gm_match_repair(in, GM_REPAIR_REPEATED_KEY, key));
        } else {
            return gm_match_refuse_two(in, key, "the key `%.*s` has two values", gm_match_shown(text), text.bytes);
        }
    }
    return cost;
}

static gm_cost entry_cost(gm_match *in, uint32_t type, uint32_t key) {
    const gm_match_step step = {in->path, gm_match_text(in, key), 0};
    in->path = &step;
    gm_cost cost = gm_match_type(in, type, key + 1);
    in->path = step.above;
    return cost;
}

/* Keys of strings and of what is written as a string make an object. */
static bool has_text_keys(const gm_match *in, const gm_meaning_type *type) {
    return in->options.plain || gm_meaning_resolve(in->meaning, type->items.items[0])->form == GM_MEANING_str;
}

/* A key as a string, whatever its type is. */
static gm_cost put_key(gm_match *in, uint32_t type, uint32_t key) {
    uint8_t form = gm_meaning_resolve(in->meaning, type)->form;
    if ((form == GM_MEANING_str || form == GM_MEANING_any) && gm_match_node(in, key)->kind == GM_TAPE_STRING) {
        return gm_match_type(in, type, key);
    }
    gm_buffer *out = in->out;
    gm_buffer text;
    gm_buffer_init(&text, in->arena);
    in->out = out == NULL ? NULL : &text;
    gm_cost cost = gm_match_type(in, type, key);
    in->out = out;
    if (out != NULL && cost != GM_NO_FIT) {
        bool quoted = text.length > 0 && text.bytes[0] == '"';
        gm_match_put(in, "\"", quoted ? 0 : 1);
        gm_match_put(in, text.bytes, text.length);
        gm_match_put(in, "\"", quoted ? 0 : 1);
    }
    return cost;
}

static gm_cost match_entries(gm_match *in, const gm_meaning_type *type, uint32_t first, uint32_t end) {
    bool object = has_text_keys(in, type);
    gm_cost cost = check_keys(in, first, end);
    uint32_t count = 0;
    gm_match_put_char(in, object ? '{' : '[');
    for (uint32_t key = first; key + 1 < end && cost != GM_NO_FIT; key = gm_match_node(in, key + 1)->next) {
        if (gm_match_skips(in, type->items.items[1], key + 1)) {
            break;
        }
        gm_match_put(in, ",[", count == 0 ? 0 : object ? 1 : 2);
        gm_match_put(in, "[", count == 0 && !object ? 1 : 0);
        cost = gm_match_add(cost, object ? put_key(in, type->items.items[0], key) : gm_match_type(in, type->items.items[0], key));
        gm_match_put_char(in, object ? ':' : ',');
        cost = gm_match_add(cost, cost == GM_NO_FIT ? cost : entry_cost(in, type->items.items[1], key));
        gm_match_put(in, "]", object ? 0 : 1);
        count++;
    }
    gm_match_put_char(in, object ? '}' : ']');
    return gm_match_add(cost, 1);
}

static uint64_t count_entries(const gm_match *in, uint32_t first, uint32_t end) {
    uint64_t count = 0;
    for (uint32_t key = first; key + 1 < end; key = gm_match_node(in, key + 1)->next) {
        count++;
    }
    return count;
}

gm_cost gm_match_dict(gm_match *in, const gm_meaning_type *type, uint32_t node) {
    const gm_bound_link *bounds = gm_match_take_bounds(in);
    const gm_tape_node *found = gm_match_node(in, node);
    bool call = found->kind == GM_TAPE_CALL && gm_text_is(gm_match_text(in, node + 1), "dict");
    if (found->kind == GM_TAPE_STRING) {
        return gm_match_inside(in, type, node, gm_match_dict);
    }
    if (found->kind != GM_TAPE_OBJECT && !(call && (node + 2 == found->next || (gm_match_node(in, node + 2)->flags & GM_TAPE_KEY) != 0))) {
        return gm_match_unexpected(in, type, node);
    }
    uint32_t first = node + (call ? 2 : 1);
    if (bounds != NULL && !in->options.partial && !gm_match_size_fits(bounds, count_entries(in, first, found->next))) {
        return gm_match_refuse(in, node, "a number of keys that is out of bounds");
    }
    return match_entries(in, type, first, found->next);
}

static gm_cost any_number(gm_match *in, uint32_t node) {
    enum { DIGITS = 4300, FINITE = 300 };
    gm_text text = gm_match_text(in, node);
    bool has_exponent = memchr(text.bytes, 'e', text.length) != NULL || memchr(text.bytes, 'E', text.length) != NULL;
    if (text.length > FINITE || has_exponent) {
        gm_number number = gm_number_of(in->arena, text);
        bool whole = !has_exponent && memchr(text.bytes, '.', text.length) == NULL;
        uint32_t digits = text.length - (text.bytes[0] == '-' ? 1 : 0);
        if (whole ? digits > DIGITS : !gm_number_is_finite(&number)) {
            return gm_match_refuse(in, node, "a number too large");
        }
    }
    gm_match_put(in, text.bytes, text.length);
    return 3;
}

static gm_cost any_word(gm_match *in, const gm_meaning_type *type, uint32_t node) {
    gm_written_number number;
    gm_text text = gm_match_text(in, node);
    if (gm_number_read(in->arena, text, &number) && number.is_special) {
        gm_match_put(in, number.text.bytes, number.text.length);
        return gm_match_add(gm_match_repair(in, GM_REPAIR_NUMBER, node), 3);
    }
    return gm_match_add(gm_match_str(in, type, node), 2);
}

gm_cost gm_match_any(gm_match *in, const gm_meaning_type *type, uint32_t node) {
    (void)gm_match_take_bounds(in);
    const gm_tape_node *found = gm_match_node(in, node);
    uint32_t self = (uint32_t)(type - in->meaning->types.items);
    uint32_t end = found->next;
    gm_cost cost = 3;
    switch (found->kind) {
    case GM_TAPE_NULL: gm_match_put(in, "null", 4); return cost;
    case GM_TAPE_TRUE: gm_match_put(in, "true", 4); return cost;
    case GM_TAPE_FALSE: gm_match_put(in, "false", 5); return cost;
    case GM_TAPE_NUMBER: return any_number(in, node);
    case GM_TAPE_WORD: return any_word(in, type, node);
    case GM_TAPE_STRING: return gm_match_add(gm_match_str(in, type, node), 2);
    case GM_TAPE_LIST:
        gm_match_put_char(in, '[');
        for (uint32_t item = node + 1, count = 0; item < end && cost != GM_NO_FIT; item = gm_match_node(in, item)->next) {
            if (gm_match_skips(in, self, item)) {
                break;
            }
            gm_match_put(in, ",", count > 0 ? 1 : 0);
            cost = gm_match_add(cost, item_cost(in, self, item, count++));
        }
        gm_match_put_char(in, ']');
        return cost;
    case GM_TAPE_OBJECT:
        cost = check_keys(in, node + 1, end);
        gm_match_put_char(in, '{');
        for (uint32_t key = node + 1; key + 1 < end && cost != GM_NO_FIT; key = gm_match_node(in, key + 1)->next) {
            if (gm_match_skips(in, self, key + 1)) {
                break;
            }
            gm_match_put(in, ",", key > node + 1 ? 1 : 0);
            cost = gm_match_add(cost, put_key(in, self, key));
            gm_match_put_char(in, ':');
            cost = gm_match_add(cost, entry_cost(in, self, key));
        }
        gm_match_put_char(in, '}');
        return gm_match_add(cost, 3);
    default: return gm_match_unexpected(in, type, node);
    }
}
