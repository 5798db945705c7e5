/* One of several: literals, enumerations and flags. */
#include <string.h>

#include "meaning/match.h"
#include "meaning/numbers.h"

typedef enum spelling { EXACT, OTHER, LOOSE, SPELLINGS } spelling;

static bool is_key(const gm_match *in, uint32_t node) {
    return (gm_match_node(in, node)->flags & GM_TAPE_KEY) != 0;
}

/* The next letter or digit in lower case; separators do not count. Bytes beyond ASCII count as they are. */
static char next_letter(gm_text text, uint32_t *at) {
    while (*at < text.length) {
        char c = text.bytes[(*at)++];
        if (c >= 'A' && c <= 'Z') {
            return (char)(c | 0x20);
        }
        if (c != ' ' && c != '_' && c != '-' && c != '.') {
            return c;
        }
    }
    return '\0';
}

static bool same_loosely(gm_text a, gm_text b) {
    uint32_t i = 0;
    uint32_t j = 0;
    for (;;) {
        char left = next_letter(a, &i);
        if (left != next_letter(b, &j)) {
            return false;
        }
        if (left == '\0') {
            return i > 0;
        }
    }
}

static gm_text without_prefix(const gm_meaning_type *type, gm_text text) {
    uint32_t length = type->name.length;
    if (type->form != GM_MEANING_literal && text.length > length + 1 && text.bytes[length] == '.' &&
        memcmp(text.bytes, type->name.bytes, length) == 0) {
        return (gm_text){text.bytes + length + 1, text.length - length - 1};
    }
    return text;
}

/* The kind of value that JSON writes this way. */
static bool same_kind(const gm_match *in, uint32_t node, uint8_t kind) {
    static const uint8_t kinds[] = {[GM_VALUE_null] = GM_TAPE_NULL,     [GM_VALUE_true] = GM_TAPE_TRUE,
                                    [GM_VALUE_false] = GM_TAPE_FALSE,   [GM_VALUE_number] = GM_TAPE_NUMBER,
                                    [GM_VALUE_string] = GM_TAPE_STRING, [GM_VALUE_bytes] = GM_TAPE_STRING};
    const gm_tape_node *found = gm_match_node(in, node);
    return kind != GM_VALUE_other && (found->kind == kinds[kind] || is_key(in, node)) && (found->flags & GM_TAPE_PYTHON_BYTES) == 0;
}

static gm_text value_text(const gm_meaning_value *value) {
    static const char *const words[] = {[GM_VALUE_null] = "null", [GM_VALUE_true] = "true", [GM_VALUE_false] = "false"};
    if (value->kind <= GM_VALUE_false) {
        return (gm_text){words[value->kind], (uint32_t)strlen(words[value->kind])};
    }
    return value->text;
}

static bool same_number(gm_match *in, gm_text a, gm_text b) {
    if (!gm_number_is_json(a) || !gm_number_is_json(b)) {
        return false;
    }
    gm_number left = gm_number_of(in->arena, a);
    gm_number right = gm_number_of(in->arena, b);
    return gm_number_compare(&left, &right) == 0;
}

static bool same_value(gm_match *in, uint32_t node, gm_text text, const gm_meaning_value *value) {
    if (!same_kind(in, node, value->kind)) {
        return false;
    }
    return value->kind == GM_VALUE_number ? same_number(in, text, value->text) : gm_text_equal(text, value_text(value));
}

static bool is_string(const gm_match *in, uint32_t node) {
    return gm_match_node(in, node)->kind == GM_TAPE_STRING || is_key(in, node);
}

static bool by_name(const gm_meaning_type *type, const gm_meaning_value *value) {
    return value->name.bytes != NULL && (type->form != GM_MEANING_literal ? !type->by_value : true);
}

static bool agrees(gm_match *in, const gm_meaning_type *type, uint32_t node, gm_text text, const gm_meaning_value *value, spelling how) {
    bool named = by_name(type, value);
    if (how == EXACT) {
        return named ? is_string(in, node) && gm_text_equal(text, value->name) : same_value(in, node, text, value);
    }
    gm_text given = without_prefix(type, text);
    if (how == OTHER) {
        return (value->name.bytes != NULL && gm_text_equal(given, value->name)) || same_value(in, node, text, value) ||
               (value->kind != GM_VALUE_other && value->kind != GM_VALUE_bytes && gm_text_equal(text, value_text(value)));
    }
    return (value->name.bytes != NULL && same_loosely(given, value->name)) ||
           (value->kind == GM_VALUE_string && same_loosely(text, value->text));
}

static bool is_scalar(const gm_match *in, uint32_t node) {
    uint8_t kind = gm_match_node(in, node)->kind;
    return kind <= GM_TAPE_WORD;
}

/* The member that a node means. */
static gm_cost choose(gm_match *in, const gm_meaning_type *type, uint32_t node, uint32_t *index) {
    if (!is_scalar(in, node)) {
        return gm_match_unexpected(in, type, node);
    }
    gm_text text = gm_match_text(in, node);
    for (unsigned how = EXACT; how < (in->options.strict ? OTHER : SPELLINGS); how++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < type->values.count; i++) {
            if (agrees(in, type, node, text, &type->values.items[i], (spelling)how)) {
                *index = count == 0 ? i : *index;
                count++;
            }
        }
        if (count > 1 && how != EXACT) {
            return gm_match_refuse_two(in, node, "`%.*s` could be more than one member", gm_match_shown(text), text.bytes);
        }
        if (count > 0) {
            bool bare = gm_match_node(in, node)->kind == GM_TAPE_WORD && !is_key(in, node);
            gm_cost cost = bare ? gm_match_repair(in, GM_REPAIR_BARE_TEXT, node) : 0;
            return how == EXACT ? cost : gm_match_add(cost, gm_match_repair(in, GM_REPAIR_VALUE_SPELLING, node));
        }
    }
    return gm_match_unexpected(in, type, node);
}

static void put_value(gm_match *in, const gm_meaning_value *value) {
    gm_text text = value_text(value);
    if (value->kind == GM_VALUE_string || value->kind == GM_VALUE_bytes) {
        gm_match_put_text(in, text);
    } else {
        gm_match_put(in, text.bytes, text.length);
    }
}

static void put_member(gm_match *in, const gm_meaning_type *type, uint32_t index) {
    const gm_meaning_value *value = &type->values.items[index];
    if (in->options.plain) {
        if (by_name(type, value)) {
            gm_match_put_text(in, value->name);
        } else {
            put_value(in, value);
        }
    } else if (type->form == GM_MEANING_literal && in->plain[type - in->meaning->types.items]) {
        put_value(in, value);
    } else {
        gm_match_put_number(in, index);
    }
}

gm_cost gm_match_literal(gm_match *in, const gm_meaning_type *type, uint32_t node) {
    uint32_t index = 0;
    (void)gm_match_take_bounds(in);
    gm_cost cost = choose(in, type, node, &index);
    if (cost != GM_NO_FIT) {
        put_member(in, type, index);
    }
    return cost;
}

gm_cost gm_match_enum(gm_match *in, const gm_meaning_type *type, uint32_t node) {
    return gm_match_literal(in, type, node);
}

static bool is_first(const gm_match *in, uint32_t list, uint32_t item) {
    return item == list + 1 || (gm_match_node(in, list)->kind == GM_TAPE_CALL && item == list + 2);
}

/* `A|B`: members in one string. */
static gm_cost flag_text(gm_match *in, const gm_meaning_type *type, uint32_t node) {
    gm_text text = gm_match_text(in, node);
    gm_cost cost = gm_match_repair(in, GM_REPAIR_VALUE_SPELLING, node);
    gm_match_put_char(in, '[');
    for (uint32_t start = 0; start <= text.length;) {
        uint32_t end = start;
        while (end < text.length && text.bytes[end] != '|') {
            end++;
        }
        gm_text part = {text.bytes + start, end - start};
        while (part.length > 0 && part.bytes[0] == ' ') {
            part.bytes++;
            part.length--;
        }
        while (part.length > 0 && part.bytes[part.length - 1] == ' ') {
            part.length--;
        }
        part = without_prefix(type, part);
        uint32_t found = type->values.count;
        for (uint32_t i = 0; i < type->values.count; i++) {
            found = gm_text_equal(part, type->values.items[i].name) ? i : found;
        }
        if (found == type->values.count) {
            return gm_match_unexpected(in, type, node);
        }
        gm_match_put(in, ",", start > 0 ? 1 : 0);
        put_member(in, type, found);
        start = end + 1;
    }
    gm_match_put_char(in, ']');
    return cost;
}

gm_cost gm_match_flag(gm_match *in, const gm_meaning_type *type, uint32_t node) {
    (void)gm_match_take_bounds(in);
    const gm_tape_node *list = gm_match_node(in, node);
    if (list->kind == GM_TAPE_STRING || list->kind == GM_TAPE_WORD) {
        return in->options.strict ? gm_match_unexpected(in, type, node) : flag_text(in, type, node);
    }
    if (list->kind != GM_TAPE_LIST) {
        return gm_match_unexpected(in, type, node);
    }
    gm_cost cost = 0;
    gm_match_put_char(in, '[');
    for (uint32_t item = node + 1; item < list->next && cost != GM_NO_FIT; item = gm_match_node(in, item)->next) {
        uint32_t index = 0;
        cost = gm_match_add(cost, choose(in, type, item, &index));
        if (cost != GM_NO_FIT) {
            gm_match_put(in, ",", is_first(in, node, item) ? 0 : 1);
            put_member(in, type, index);
        }
    }
    gm_match_put_char(in, ']');
    return cost;
}
