#include "meaning/match.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "meaning/numbers.h"

static gm_matcher *const matchers[GM_MEANING_COUNT] = {
#define GM_FORM(name, arity) gm_match_##name,
#include "meaning/forms.def"
};

gm_cost gm_match_type(gm_match *in, uint32_t type, uint32_t node) {
    const gm_meaning_type *found = &in->meaning->types.items[type];
    if (gm_match_node(in, node)->kind == GM_TAPE_BROKEN) {
        return gm_match_refuse(in, node, "no value");
    }
    return matchers[found->form](in, found, node);
}

gm_cost gm_match_alias(gm_match *in, const gm_meaning_type *type, uint32_t node) {
    return gm_match_type(in, type->items.items[0], node);
}

gm_cost gm_match_annotated(gm_match *in, const gm_meaning_type *type, uint32_t node) {
    if (type->bounds.count == 0) {
        return gm_match_type(in, type->items.items[0], node);
    }
    const gm_bound_link *before = in->bounds;
    const gm_bound_link link = {before, type};
    in->bounds = &link;
    gm_cost cost = gm_match_type(in, type->items.items[0], node);
    in->bounds = before;
    return cost;
}

const gm_bound_link *gm_match_take_bounds(gm_match *in) {
    const gm_bound_link *bounds = in->bounds;
    in->bounds = NULL;
    return bounds;
}

static bool keeps(const gm_meaning_bound *bound, int order) {
    return gm_text_is(bound->name, "ge")   ? order >= 0
           : gm_text_is(bound->name, "gt") ? order > 0
           : gm_text_is(bound->name, "le") ? order <= 0
           : gm_text_is(bound->name, "lt") ? order < 0
                                           : true;
}

bool gm_match_number_fits(gm_match *in, const gm_bound_link *bounds, gm_text number) {
    for (; bounds != NULL; bounds = bounds->next) {
        gm_number value = gm_number_of(in->arena, number);
        for (uint32_t i = 0; i < bounds->type->bounds.count; i++) {
            const gm_meaning_bound *bound = &bounds->type->bounds.items[i];
            if (!bound->is_number) {
                continue;
            }
            gm_number limit = gm_number_of(in->arena, bound->value);
            if (!keeps(bound, gm_number_compare(&value, &limit))) {
                return false;
            }
        }
    }
    return true;
}

static uint64_t small_number(gm_text text) {
    uint64_t value = 0;
    for (uint32_t i = 0; i < text.length && value < UINT32_MAX; i++) {
        value = value * 10 + (uint64_t)(text.bytes[i] - '0');
    }
    return value;
}

bool gm_match_size_fits(const gm_bound_link *bounds, uint64_t size) {
    for (; bounds != NULL; bounds = bounds->next) {
        for (uint32_t i = 0; i < bounds->type->bounds.count; i++) {
            const gm_meaning_bound *bound = &bounds->type->bounds.items[i];
            if ((gm_text_is(bound->name, "min_length") && size < small_number(bound->value)) ||
                (gm_text_is(bound->name, "max_length") && size > small_number(bound->value))) {
                return false;
            }
        }
    }
    return true;
}

gm_text gm_match_text(gm_match *in, uint32_t node) {
    const gm_tape_node *found = gm_match_node(in, node);
    if (found->kind != GM_TAPE_STRING || (found->flags & (GM_TAPE_ESCAPES | GM_TAPE_REPAIRED | GM_TAPE_OPEN)) == 0) {
        return (gm_text){in->tape->text + found->start, found->end - found->start};
    }
    gm_buffer text;
    gm_buffer_init(&text, in->arena);
    gm_tape_add_text(in->tape, found, &text);
    gm_buffer_text(&text);
    return (gm_text){text.bytes, (uint32_t)text.length};
}

void gm_match_put_text(gm_match *in, gm_text text) {
    if (in->out != NULL) {
        gm_buffer_add_json(in->out, text.bytes, text.length);
    }
}

/* Places inside of a string in a string are told as that of the outer string. */
static uint32_t place(const gm_match *in, uint32_t node) {
    const gm_tape *tape = in->tape;
    for (uint32_t number = in->tape_number; number != 0;) {
        const gm_inner_tape *inner = &in->inner.items[number - 1];
        node = inner->node;
        tape = inner->outer;
        number = inner->outer_number;
    }
    return node < tape->nodes.count ? tape->nodes.items[node].start : tape->length;
}

gm_cost gm_match_repair(gm_match *in, gm_repair_kind kind, uint32_t node) {
    if (in->options.strict) {
        return gm_match_refuse(in, node, "%s", gm_repairs[kind].words);
    }
    if (in->out != NULL) {
        gm_vec_push(in->arena, &in->reading->repairs, ((gm_repair){kind, place(in, node), 0}));
    }
    return GM_COST(gm_repairs[kind].cost);
}

static void write_path(gm_buffer *out, const gm_match_step *step) {
    if (step->above != NULL) {
        write_path(out, step->above);
    }
    if (step->name.bytes == NULL) {
        gm_buffer_printf(out, "[%u]", step->index);
    } else {
        gm_buffer_add_text(out, out->length > 0 ? "." : "");
        gm_buffer_add(out, step->name.bytes, step->name.length);
    }
}

static gm_cost refuse(gm_match *in, gm_read_problem problem, uint32_t node, const char *format, va_list arguments) {
    gm_reading *reading = in->reading;
    if (!in->explain || reading->problem != GM_READ_OK) {
        return GM_NO_FIT;
    }
    char words[400];
    (void)vsnprintf(words, sizeof words, format, arguments);
    reading->problem = problem;
    reading->at = place(in, node);
    gm_buffer_add_text(&reading->message, words);
    if (in->path != NULL) {
        write_path(&reading->path, in->path);
    }
    return GM_NO_FIT;
}

gm_cost gm_match_refuse(gm_match *in, uint32_t node, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    gm_cost cost = refuse(in, GM_READ_TYPE, node, format, arguments);
    va_end(arguments);
    return cost;
}

gm_cost gm_match_refuse_two(gm_match *in, uint32_t node, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    in->ambiguities++;
    gm_cost cost = refuse(in, GM_READ_AMBIGUOUS, node, format, arguments);
    va_end(arguments);
    return cost;
}

const char *gm_match_name(gm_match *in, const gm_meaning_type *type) {
    while (type->form == GM_MEANING_annotated) {
        type = &in->meaning->types.items[type->items.items[0]];
    }
    if (type->name.bytes != NULL) {
        return gm_arena_copy(in->arena, type->name.bytes, type->name.length);
    }
    if (type->form == GM_MEANING_literal) {
        return "one of the literals";
    }
    if (gm_forms[type->form].arity != 1) {
        return gm_forms[type->form].name;
    }
    gm_buffer words;
    gm_buffer_init(&words, in->arena);
    const gm_meaning_type *item = gm_meaning_resolve(in->meaning, type->items.items[0]);
    gm_buffer_printf(&words, "%s of %s", type->form == GM_MEANING_tuple_of ? "tuple" : gm_forms[type->form].name,
                     item->name.bytes != NULL ? gm_arena_copy(in->arena, item->name.bytes, item->name.length) : gm_forms[item->form].name);
    return gm_buffer_text(&words);
}

int gm_match_shown(gm_text text) {
    enum { SHOWN = 40 };
    uint32_t shown = text.length > SHOWN ? SHOWN : text.length;
    while (shown > 0 && shown < text.length && ((unsigned char)text.bytes[shown] & 0xC0) == 0x80) {
        shown--;
    }
    return (int)shown;
}

/* What a node is, in words, with its text as far as it is short. */
static const char *describe(gm_match *in, uint32_t node) {
    static const char *const words[] = {"null", "true", "false", "number", "string", "text", "list", "object", "call", "nothing"};
    const gm_tape_node *found = gm_match_node(in, node);
    if (found->kind < GM_TAPE_NUMBER || found->kind > GM_TAPE_WORD) {
        return words[found->kind];
    }
    gm_buffer text;
    gm_buffer_init(&text, in->arena);
    gm_text whole = {in->tape->text + found->start, found->end - found->start};
    int shown = gm_match_shown(whole);
    gm_buffer_printf(&text, "%s `%.*s%s`", words[found->kind], shown, whole.bytes, (uint32_t)shown < whole.length ? "..." : "");
    return gm_buffer_text(&text);
}

gm_cost gm_match_unexpected(gm_match *in, const gm_meaning_type *type, uint32_t node) {
    if (!in->explain) {
        return GM_NO_FIT;
    }
    return gm_match_refuse(in, node, "expected %s, got %s", gm_match_name(in, type), describe(in, node));
}
