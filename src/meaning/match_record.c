/* Records: objects with fields. */
#include <string.h>

#include "meaning/match.h"

typedef struct record {
    const gm_meaning_type *type;
    uint32_t base;    /* in the scratch: the node of each field's value, 0 for none */
    uint32_t known;   /* keys that name a field */
    uint32_t unknown; /* the first key that names none, 0 for none */
    gm_cost cost;
} record;

static gm_text shown_key(const gm_meaning_field *field) {
    return field->aliases.count > 0 ? field->aliases.items[0] : field->name;
}

/* Letters without regard to case and separators: `firstName`, `First Name` and `first-name` are `first_name`. */
static char next_letter(gm_text text, uint32_t *at) {
    while (*at < text.length) {
        char c = text.bytes[(*at)++];
        if (c >= 'A' && c <= 'Z') {
            return (char)(c | 0x20);
        }
        if (c != ' ' && c != '_' && c != '-') {
            return c;
        }
    }
    return '\0';
}

static bool same_loosely(gm_text a, gm_text b) {
    uint32_t i = 0;
    uint32_t j = 0;
    char left = '\0';
    do {
        left = next_letter(a, &i);
        if (left != next_letter(b, &j)) {
            return false;
        }
    } while (left != '\0');
    return a.length > 0;
}

/* How a key names a field: 2 as it is shown, 1 by another name or spelling, 0 not. */
static int names_field(const gm_meaning_field *field, gm_text key, bool loosely) {
    if (gm_text_equal(key, shown_key(field))) {
        return 2;
    }
    bool same = gm_text_equal(key, field->name) || (loosely && same_loosely(key, field->name));
    for (uint32_t i = 0; i < field->aliases.count && !same; i++) {
        same = gm_text_equal(key, field->aliases.items[i]) || (loosely && same_loosely(key, field->aliases.items[i]));
    }
    return same;
}

/* The field that a key names; the number of fields when it names none or, loosely, several. */
static uint32_t find_field(const gm_match *in, const gm_meaning_type *type, gm_text key, uint32_t hint, bool *exact) {
    uint32_t count = type->fields.count;
    *exact = true;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = hint + i < count ? hint + i : hint + i - count;
        if (gm_text_equal(key, shown_key(&type->fields.items[at]))) {
            return at;
        }
    }
    *exact = false;
    for (int loosely = 0; loosely < 2 && !in->options.strict; loosely++) {
        uint32_t found = count;
        for (uint32_t i = 0; i < count; i++) {
            if (names_field(&type->fields.items[i], key, loosely != 0) > 0) {
                if (found != count) {
                    return count;
                }
                found = i;
            }
        }
        if (found != count) {
            return found;
        }
    }
    return count;
}

static gm_cost give(gm_match *in, record *to, uint32_t field, uint32_t value) {
    uint32_t *slot = &in->scratch.items[to->base + field];
    gm_text name = to->type->fields.items[field].name;
    if (*slot != 0 && !in->options.strict) {
        if (!gm_match_same_source(in, *slot, value)) {
            return gm_match_refuse_two(in, value, "the field `%.*s` has two values", (int)name.length, name.bytes);
        }
        return gm_match_repair(in, GM_REPAIR_REPEATED_KEY, value);
    }
    *slot = value;
    return 0;
}

/* What separates values, inside of a key: a quote was lost in front of it, and fields with it. */
static bool holds_structure(gm_text key) {
    for (uint32_t i = 0; i < key.length; i++) {
        if (strchr("{}[]\"", key.bytes[i]) != NULL ||
            (i + 1 < key.length && (key.bytes[i] == ':' || key.bytes[i] == ',') && key.bytes[i + 1] == ' ')) {
            return true;
        }
    }
    return false;
}

/* A record around this one lacks a field that the key names: a bracket may stand in the wrong place. */
static bool belongs_around(const gm_match *in, gm_text key) {
    for (const gm_record_link *link = in->records; link != NULL; link = link->above) {
        for (uint32_t i = 0; i < link->type->fields.count; i++) {
            if (in->scratch.items[link->base + i] == 0 && gm_text_equal(key, shown_key(&link->type->fields.items[i]))) {
                return true;
            }
        }
    }
    return false;
}

static gm_cost take_key(gm_match *in, record *to, uint32_t key, uint32_t *hint) {
    gm_text text = gm_match_text(in, key);
    bool exact = false;
    uint32_t field = find_field(in, to->type, text, *hint, &exact);
    if (field == to->type->fields.count) {
        to->unknown = to->unknown == 0 ? key : to->unknown;
        if (in->options.strict) {
            return gm_match_refuse(in, key, "an unknown key `%.*s`", gm_match_shown(text), text.bytes);
        }
        if (holds_structure(text)) {
            return gm_match_refuse(in, key, "an unknown key with brackets or quotes in it");
        }
        if (belongs_around(in, text)) {
            return gm_match_refuse_two(in, key, "the key `%.*s` may belong to the value around", gm_match_shown(text), text.bytes);
        }
        return gm_match_repair(in, GM_REPAIR_EXTRA_KEY, key);
    }
    *hint = field + 1 < to->type->fields.count ? field + 1 : 0;
    to->known++;
    gm_cost cost = exact ? 0 : gm_match_repair(in, GM_REPAIR_KEY_SPELLING, key);
    return gm_match_add(cost, give(in, to, field, key + 1));
}

/* The values of an object, or of a constructor with names. */
static gm_cost take_keys(gm_match *in, record *to, uint32_t first, uint32_t end) {
    gm_cost cost = 0;
    uint32_t hint = 0;
    for (uint32_t key = first; key + 1 < end && cost != GM_NO_FIT; key = gm_match_node(in, key + 1)->next) {
        cost = gm_match_add(cost, take_key(in, to, key, &hint));
    }
    return cost;
}

/* Values in order: those of a tuple, or the first ones of a constructor. Returns where names begin. */
static uint32_t take_items(gm_match *in, record *to, uint32_t first, uint32_t end) {
    uint32_t field = 0;
    uint32_t item = first;
    while (item < end && (gm_match_node(in, item)->flags & GM_TAPE_KEY) == 0) {
        if (field == to->type->fields.count) {
            to->cost = gm_match_refuse(in, item, "more values than fields");
            return end;
        }
        in->scratch.items[to->base + field++] = item;
        to->known++;
        item = gm_match_node(in, item)->next;
    }
    return item;
}

static bool names_type(gm_match *in, const gm_meaning_type *type, uint32_t node) {
    gm_text given = gm_match_text(in, node);
    gm_text name = type->name;
    for (uint32_t i = 0; i < name.length; i++) {
        name.length = name.bytes[i] == '[' ? i : name.length; /* a generic type is called without its arguments */
    }
    return given.length >= name.length && memcmp(given.bytes + given.length - name.length, name.bytes, name.length) == 0 &&
           (given.length == name.length || given.bytes[given.length - name.length - 1] == '.');
}

static void take(gm_match *in, record *to, uint32_t node) {
    const gm_tape_node *found = gm_match_node(in, node);
    uint32_t end = found->next;
    if (found->kind == GM_TAPE_OBJECT) {
        to->cost = take_keys(in, to, node + 1, end);
    } else if (found->kind == GM_TAPE_CALL && names_type(in, to->type, node + 1)) {
        uint32_t names = take_items(in, to, node + 2, end);
        to->cost = gm_match_add(to->cost, to->cost == GM_NO_FIT ? 0 : take_keys(in, to, names, end));
    } else if (found->kind == GM_TAPE_LIST && !in->options.strict && gm_text_is(to->type->kind, "namedtuple")) {
        to->cost = gm_match_repair(in, GM_REPAIR_PYTHON_TEXT, node);
        take_items(in, to, node + 1, end);
    } else {
        to->cost = gm_match_unexpected(in, to->type, node);
    }
}

enum { NAME_LIMIT = 40 };

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* The number of letters to change, add or take away that make one name of the other. */
static uint32_t distance(gm_text a, gm_text b) {
    uint32_t row[NAME_LIMIT + 1];
    for (uint32_t j = 0; j <= b.length; j++) {
        row[j] = j;
    }
    for (uint32_t i = 1; i <= a.length; i++) {
        uint32_t corner = row[0];
        row[0] = i;
        for (uint32_t j = 1; j <= b.length; j++) {
            uint32_t changed = corner + (a.bytes[i - 1] != b.bytes[j - 1]);
            corner = row[j];
            row[j] = least(changed, least(row[j], row[j - 1]) + 1);
        }
    }
    return row[b.length];
}

/* Two letters next to each other in the other order. */
static bool is_swapped(gm_text a, gm_text b) {
    uint32_t at = 0;
    while (at < a.length && at < b.length && a.bytes[at] == b.bytes[at]) {
        at++;
    }
    return a.length == b.length && at + 1 < a.length && a.bytes[at] == b.bytes[at + 1] && a.bytes[at + 1] == b.bytes[at] &&
           memcmp(a.bytes + at + 2, b.bytes + at + 2, a.length - at - 2) == 0;
}

/* A key that nearly names a field that is missing: a slip of the pen, not a key to be left out. */
static gm_cost check_slips(gm_match *in, const record *to, uint32_t field, uint32_t first, uint32_t end) {
    gm_text name = shown_key(&to->type->fields.items[field]);
    for (uint32_t key = first; key + 1 < end; key = gm_match_node(in, key + 1)->next) {
        gm_text text = gm_match_text(in, key);
        bool exact = false;
        if (text.length < 3 || text.length > NAME_LIMIT || name.length < 3 || name.length > NAME_LIMIT ||
            find_field(in, to->type, text, 0, &exact) != to->type->fields.count) {
            continue;
        }
        if (distance(text, name) <= (name.length < 5 ? 1U : 2U) || is_swapped(text, name)) {
            return gm_match_refuse_two(in, key, "an unknown key `%.*s`, which may mean `%.*s`", (int)text.length, text.bytes,
                                       (int)name.length, name.bytes);
        }
    }
    return 0;
}

static bool is_null_for_default(gm_match *in, const gm_meaning_field *field, uint32_t value) {
    if (field->required || in->options.strict || gm_match_node(in, value)->kind != GM_TAPE_NULL) {
        return false;
    }
    gm_buffer *out = in->out;
    bool explain = in->explain;
    in->out = NULL;
    in->explain = false;
    gm_cost cost = gm_match_type(in, field->type, value);
    in->out = out;
    in->explain = explain;
    return cost == GM_NO_FIT;
}

/* Fields that are not there, and nulls that stand for a default. Counts the former. */
static gm_cost check_missing(gm_match *in, const record *to, uint32_t node, uint32_t *missing) {
    const gm_meaning_type *type = to->type;
    bool keyed = gm_match_node(in, node)->kind == GM_TAPE_OBJECT;
    gm_cost cost = 0;
    for (uint32_t i = 0; i < type->fields.count && cost != GM_NO_FIT; i++) {
        const gm_meaning_field *field = &type->fields.items[i];
        uint32_t value = in->scratch.items[to->base + i];
        if (value != 0 && is_null_for_default(in, field, value)) {
            cost = gm_match_add(cost, gm_match_repair(in, GM_REPAIR_NULL_FOR_DEFAULT, value));
            value = in->scratch.items[to->base + i] = 0;
        } else if (value != 0 && gm_match_skips(in, field->type, value)) {
            value = in->scratch.items[to->base + i] = 0;
        } else if (value == 0 && field->required && !in->options.partial) {
            gm_text key = shown_key(field);
            return gm_match_refuse(in, node, "the field `%.*s` of %s is missing", (int)key.length, key.bytes, gm_match_name(in, type));
        } else if (value == 0 && to->unknown != 0 && keyed) {
            cost = gm_match_add(cost, check_slips(in, to, i, node + 1, gm_match_node(in, node)->next));
        }
        *missing += value == 0;
    }
    return cost;
}

static void put_name(gm_match *in, const gm_meaning_type *type, uint32_t field) {
    if (in->options.plain) {
        gm_match_put_text(in, shown_key(&type->fields.items[field]));
    } else {
        gm_match_put_char(in, '"');
        gm_match_put_number(in, field);
        gm_match_put_char(in, '"');
    }
    gm_match_put_char(in, ':');
}

static gm_cost put_fields(gm_match *in, const record *to, bool keyed) {
    const gm_meaning_type *type = to->type;
    gm_cost cost = 0;
    bool first = true;
    gm_match_put_char(in, keyed ? '{' : '[');
    for (uint32_t i = 0; i < type->fields.count && cost != GM_NO_FIT; i++) {
        uint32_t value = in->scratch.items[to->base + i];
        if (value == 0) {
            continue;
        }
        gm_match_put(in, ",", first ? 0 : 1);
        first = false;
        if (keyed && in->out != NULL) {
            put_name(in, type, i);
        }
        const gm_match_step step = {in->path, type->fields.items[i].name, 0};
        in->path = &step;
        cost = gm_match_add(cost, gm_match_type(in, type->fields.items[i].type, value));
        in->path = step.above;
    }
    gm_match_put_char(in, keyed ? '}' : ']');
    return cost;
}

static gm_cost read_fields(gm_match *in, record *to, const gm_record_link *link, uint32_t node) {
    take(in, to, node);
    if (to->cost == GM_NO_FIT) {
        return GM_NO_FIT;
    }
    if (to->known == 0 && to->unknown != 0) {
        gm_text key = gm_match_text(in, to->unknown);
        return gm_match_refuse(in, node, "an object without any field of %s, but with `%.*s`", gm_match_name(in, to->type),
                               gm_match_shown(key), key.bytes);
    }
    uint32_t missing = 0;
    gm_cost cost = gm_match_add(to->cost, check_missing(in, to, node, &missing));
    if (cost == GM_NO_FIT) {
        return cost;
    }
    in->records = link;
    cost = gm_match_add(cost, put_fields(in, to, missing > 0 || in->options.plain));
    in->records = link->above;
    return cost;
}

gm_cost gm_match_record(gm_match *in, const gm_meaning_type *type, uint32_t node) {
    (void)gm_match_take_bounds(in);
    if (gm_match_node(in, node)->kind == GM_TAPE_STRING) {
        return gm_match_inside(in, type, node, gm_match_record);
    }
    record to = {.type = type, .base = in->scratch.count};
    for (uint32_t i = 0; i < type->fields.count; i++) {
        gm_vec_push(in->arena, &in->scratch, 0U);
    }
    const gm_record_link link = {in->records, type, to.base};
    gm_cost cost = read_fields(in, &to, &link, node);
    in->scratch.count = to.base;
    return cost;
}
