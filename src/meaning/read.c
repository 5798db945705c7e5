/* The reader: which of the values in a model's text is the answer.
 *
 *     Sure! {"name": "Ada", "age": "36"}     the object, at the cost of a number in quotes and of prose around
 *     {"name": "Ada"} or {"name": "Bob"}     two answers that differ: an error that names both
 *
 * Problem: a text holds several values, none of which has to be what was asked for, and a repair can make almost anything of a text.
 *
 * Idea: repair at least cost, with types. The tape has read the text once and noted its repairs (tape.h); each candidate is then matched against the type,
 * and costs the repairs that it needs and the distance from the most specific branch of unions. A fit is the least over all ways, as in
 * error-correcting parsers; what a node costs as a type is remembered, as packrat parsers do, so time is linear in the tape. Costs rank the ways to
 * read one value, and never choose between values: candidates in fences are elected first, the last that fits is the answer, and any other
 * that fits has to say the same. A candidate that nearly fits, and text that seems to go on, refuse the answer (around.h).
 *
 * A value is weighed without writing, and written once: `match.out` is NULL while costs are compared.
 *
 * Sources: Aho, Peterson, A Minimum Distance Error-Correcting Parser for Context-Free Languages, SIAM J. Computing 1 (1972). Ford, Packrat
 * Parsing: Simple, Powerful, Lazy, Linear Time, ICFP 2002. */
#include "meaning/read.h"

#include <string.h>

#include "meaning/around.h"
#include "meaning/match.h"

const char *const gm_read_problems[] = {"ok", "empty", "syntax", "type", "ambiguous", "truncated"};

/* What a candidate turned out to be. */
typedef enum verdict { FITS, UNFIT, BROKEN, OPEN } verdict;

typedef struct judged {
    const gm_candidate *candidate;
    verdict verdict;
    bool alike;      /* it has something of the type: a field's name, or the right bracket */
    bool echo;       /* of the schema in the prompt */
    bool is_wrapped; /* the value is that of its only key */
    bool two;        /* it could be wrapped as well as not */
    bool loose;      /* it fits, but the text around it belongs to it too, at `at` */
    uint32_t at;
    gm_cost cost;
} judged;

typedef struct reader {
    gm_match match;
    const gm_tape *tape;
    uint32_t root;
    const gm_meaning_type *type; /* the root's, resolved */
} reader;

/* Candidates */

static gm_cost attempt(reader *in, uint32_t node, bool write, bool explain) {
    gm_match *match = &in->match;
    gm_buffer *out = match->out;
    match->out = write ? out : NULL;
    match->explain = explain;
    match->path = NULL;
    match->bounds = NULL;
    gm_cost cost = gm_match_type(match, in->root, node);
    match->out = out;
    match->explain = false;
    return cost;
}

/* The value of an object's only key, 0 when there is none. */
static uint32_t wrapped(const reader *in, uint32_t node) {
    const gm_tape_node *object = gm_match_node(&in->match, node);
    if (in->match.options.strict || object->kind != GM_TAPE_OBJECT || node + 2 >= object->next) {
        return 0;
    }
    return gm_match_node(&in->match, node + 2)->next == object->next ? node + 2 : 0;
}

static bool is_type_word(const reader *in, uint32_t node) {
    static const char *const words[] = {"string", "str", "int", "integer", "float", "number", "bool", "boolean", NULL};
    const gm_tape_node *found = gm_match_node(&in->match, node);
    gm_text text = {in->tape->text + found->start, found->end - found->start};
    for (size_t i = 0; found->kind == GM_TAPE_WORD && words[i] != NULL; i++) {
        size_t length = strlen(words[i]);
        if (text.length >= length && memcmp(text.bytes, words[i], length) == 0 &&
            (text.length == length || !gm_tape_is_name(text.bytes[length]))) {
            return true;
        }
    }
    return false;
}

/* A type as a prompt writes it has types where values would be; a JSON Schema has `properties` or `$ref`. */
static bool is_echo(const reader *in, const gm_candidate *candidate) {
    uint32_t end = gm_match_node(&in->match, candidate->node)->next;
    bool schema = gm_match_node(&in->match, candidate->node)->kind == GM_TAPE_OBJECT;
    for (uint32_t node = candidate->node; node < end; node++) {
        const gm_tape_node *found = gm_match_node(&in->match, node);
        gm_text text = {in->tape->text + found->start, found->end - found->start};
        if (is_type_word(in, node) && (found->flags & GM_TAPE_KEY) == 0) {
            return true;
        }
        if (schema && (found->flags & GM_TAPE_KEY) != 0 &&
            (gm_text_is(text, "$schema") || gm_text_is(text, "$defs") || gm_text_is(text, "$ref"))) {
            return true;
        }
    }
    return false;
}

static bool has_field(const gm_meaning_type *type, gm_text key) {
    for (uint32_t i = 0; i < type->fields.count; i++) {
        const gm_meaning_field *field = &type->fields.items[i];
        if (gm_text_equal(field->name, key) || (field->aliases.count > 0 && gm_text_equal(field->aliases.items[0], key))) {
            return true;
        }
    }
    return false;
}

static bool is_list(const gm_meaning_type *type) {
    return type->form == GM_MEANING_list || type->form == GM_MEANING_set || type->form == GM_MEANING_frozenset ||
           type->form == GM_MEANING_tuple_of;
}

/* Whether a value that does not fit was meant to: it has a field of the type, or is a list where one is wanted. */
static bool is_alike(reader *in, const gm_meaning_type *type, uint32_t node, unsigned depth) {
    const gm_tape_node *found = gm_match_node(&in->match, node);
    if (type->form == GM_MEANING_union && depth < 4) {
        for (uint32_t i = 0; i < type->items.count; i++) {
            if (is_alike(in, gm_meaning_resolve(in->match.meaning, type->items.items[i]), node, depth + 1)) {
                return true;
            }
        }
        return false;
    }
    if (type->form != GM_MEANING_record) {
        bool list = is_list(type) || type->form == GM_MEANING_tuple;
        if (list && type->items.count > 0 && found->kind == GM_TAPE_OBJECT && depth < 4) {
            return is_alike(in, gm_meaning_resolve(in->match.meaning, type->items.items[0]), node, depth + 1);
        }
        return (list && found->kind == GM_TAPE_LIST) || (type->form == GM_MEANING_dict && found->kind == GM_TAPE_OBJECT) ||
               type->form == GM_MEANING_any;
    }
    uint32_t key = node + (found->kind == GM_TAPE_CALL ? 2 : 1);
    while (found->kind == GM_TAPE_CALL && key < found->next && (gm_match_node(&in->match, key)->flags & GM_TAPE_KEY) == 0) {
        key = gm_match_node(&in->match, key)->next;
    }
    for (; (found->kind == GM_TAPE_OBJECT || found->kind == GM_TAPE_CALL) && key + 1 < found->next;
         key = gm_match_node(&in->match, key + 1)->next) {
        if (has_field(type, gm_match_text(&in->match, key))) {
            return true;
        }
    }
    return found->kind == GM_TAPE_CALL;
}

/* Where texts of the value end is not certain: quotes were repaired or are not there. */
static bool has_loose_ends(const reader *in, const gm_candidate *candidate) {
    const gm_tape *tape = in->tape;
    bool loose = false;
    for (uint32_t i = candidate->repairs; i < candidate->repairs_end; i++) {
        loose |= tape->repairs.items[i].kind == GM_REPAIR_MISSING_QUOTE || tape->repairs.items[i].kind == GM_REPAIR_INNER_QUOTE;
    }
    uint32_t end = gm_match_node(&in->match, candidate->node)->next;
    for (uint32_t node = candidate->node; node < end; node++) {
        const gm_tape_node *found = gm_match_node(&in->match, node);
        loose |= found->kind == GM_TAPE_WORD && (found->flags & GM_TAPE_KEY) == 0;
    }
    return loose;
}

static judged judge(reader *in, const gm_candidate *candidate) {
    judged made = {.candidate = candidate, .cost = GM_NO_FIT};
    made.echo = !in->match.options.strict && is_echo(in, candidate);
    made.alike = !made.echo && is_alike(in, in->type, candidate->node, 0);
    if (candidate->broken) {
        made.verdict = BROKEN;
        return made;
    }
    if (candidate->open && !in->match.options.partial) {
        made.verdict = OPEN;
        return made;
    }
    if (made.echo) {
        made.verdict = UNFIT;
        return made;
    }
    made.cost = attempt(in, candidate->node, false, false);
    uint32_t value = !made.alike ? wrapped(in, candidate->node) : 0;
    if (value != 0 && (made.cost == GM_NO_FIT || is_list(in->type))) {
        gm_cost inside = attempt(in, value, false, false);
        made.two = made.cost != GM_NO_FIT && inside != GM_NO_FIT;
        made.is_wrapped = made.cost == GM_NO_FIT && inside != GM_NO_FIT;
        made.cost = made.two ? GM_NO_FIT : made.is_wrapped ? inside : made.cost;
    }
    made.verdict = made.cost == GM_NO_FIT ? UNFIT : FITS;
    return made;
}

static void fail(reader *in, gm_read_problem problem, const char *message, uint32_t at) {
    gm_reading *reading = in->match.reading;
    if (reading->problem == GM_READ_OK) {
        reading->problem = problem;
        reading->at = at;
        gm_buffer_add_text(&reading->message, message);
    }
}

/* Text that is none of the candidates, blanks and fences. */
static bool has_prose(const reader *in, const gm_candidate *candidate) {
    const char *text = in->tape->text;
    uint32_t start = candidate->start;
    while (start > in->tape->thought_end && gm_tape_is_blank(text[start - 1])) {
        start--;
    }
    uint32_t end = candidate->end;
    while (end < in->tape->length && gm_tape_is_blank(text[end])) {
        end++;
    }
    return candidate->fenced ? in->tape->seen_text : start > in->tape->thought_end || end < in->tape->length;
}

static void note(reader *in, gm_repair_kind kind, uint32_t at) {
    gm_vec_push(in->match.arena, &in->match.reading->repairs, ((gm_repair){kind, at, 0}));
}

static void write_value(reader *in, const judged *chosen) {
    const gm_candidate *candidate = chosen->candidate;
    for (uint32_t i = candidate->repairs; i < candidate->repairs_end; i++) {
        gm_vec_push(in->match.arena, &in->match.reading->repairs, in->tape->repairs.items[i]);
    }
    if (chosen->is_wrapped) {
        note(in, GM_REPAIR_WRAPPER, candidate->start);
    }
    gm_buffer_reserve(in->match.out, candidate->end - candidate->start); /* a value is about as long as its text */
    attempt(in, chosen->is_wrapped ? wrapped(in, candidate->node) : candidate->node, true, true);
    if (!in->match.options.strict && has_prose(in, candidate)) {
        note(in, GM_REPAIR_PROSE, candidate->start);
    }
}

/* Two answers are one when they say the same. */
static bool same_values(reader *in, const judged *a, const judged *b) {
    gm_buffer *out = in->match.out;
    gm_reading unused = {0};
    gm_reading *reading = in->match.reading;
    gm_buffer texts[2];
    const judged *both[2] = {a, b};
    in->match.reading = &unused;
    for (size_t i = 0; i < 2; i++) {
        gm_buffer_init(&texts[i], in->match.arena);
        in->match.out = &texts[i];
        attempt(in, both[i]->is_wrapped ? wrapped(in, both[i]->candidate->node) : both[i]->candidate->node, true, false);
    }
    in->match.out = out;
    in->match.reading = reading;
    return texts[0].length == texts[1].length && memcmp(texts[0].bytes, texts[1].bytes, texts[0].length) == 0;
}

typedef struct election {
    judged chosen;
    judged last_alike; /* the last one that looks like the answer and does not fit */
    judged cracked;    /* one that would be the answer, had it not come apart: what else fits may be a part of it */
    bool found;
    bool missed;
    bool is_cracked;
    bool two;
} election;

/* The answer among candidates of one class (in fences or outside). Values that differ are an error: none of them is more of an answer. */
static election elect(reader *in, bool fenced) {
    election result = {0};
    for (uint32_t i = 0; i < in->tape->candidates.count; i++) {
        const gm_candidate *candidate = &in->tape->candidates.items[i];
        if (candidate->fenced != fenced) {
            continue;
        }
        judged one = judge(in, candidate);
        if (one.verdict == FITS) {
            result.two |= result.found && !result.two && !same_values(in, &result.chosen, &one);
            result.chosen = one;
            result.found = true;
        } else if (one.alike || one.two || (one.verdict == OPEN && !one.echo) || in->tape->candidates.count == 1) {
            result.last_alike = one;
            result.missed = true;
        }
        if (one.verdict == BROKEN && one.alike && !result.is_cracked) {
            result.cracked = one;
            result.is_cracked = true;
        }
    }
    const gm_candidate *chosen = result.chosen.candidate;
    uint32_t from = 0;
    if (result.found && result.missed && !result.is_cracked && is_list(in->type) &&
        gm_match_node(&in->match, result.last_alike.candidate->node)->kind == GM_TAPE_LIST &&
        gm_match_node(&in->match, chosen->node)->kind != GM_TAPE_LIST) {
        result.cracked = result.last_alike; /* a list that does not fit, and an item beside it */
        result.is_cracked = true;
    }
    if (result.found && result.is_cracked && result.cracked.candidate + 1 == chosen &&
        gm_around_is_apart(in->tape, result.cracked.candidate->end, chosen->start)) {
        result.is_cracked = false; /* tried, given up, and done again */
        from = result.cracked.candidate->end;
    }
    bool checked = result.found && !result.is_cracked && !in->match.options.strict && !in->match.options.partial;
    if (checked && gm_around_goes_on(in->tape, from, chosen->start, chosen->end, has_loose_ends(in, chosen), &result.chosen.at)) {
        result.cracked = result.chosen;
        result.cracked.loose = result.is_cracked = true;
    }
    return result;
}

/* Why the candidate that should have been the answer is none. */
static void explain(reader *in, const judged *missed) {
    const gm_candidate *candidate = missed->candidate;
    if (missed->loose) {
        fail(in, GM_READ_SYNTAX, "the text around the value may belong to it", missed->at);
    } else if (missed->verdict == BROKEN) {
        fail(in, GM_READ_SYNTAX, in->tape->trouble.message != NULL ? in->tape->trouble.message : "cannot be read", in->tape->trouble.at);
    } else if (missed->verdict == OPEN) {
        fail(in, GM_READ_TRUNCATED, "the text ends inside of the value", in->tape->length);
    } else if (missed->two) {
        fail(in, GM_READ_AMBIGUOUS, "could be one item as well as an object around the list", candidate->start);
    } else if (missed->echo) {
        fail(in, GM_READ_EMPTY, "the text has the schema, but no value", candidate->start);
    } else {
        attempt(in, candidate->node, false, true);
    }
}

/* Where a line's mark ends: `-`, `*`, `1.` or `1)` and a blank; `at` itself when there is none. */
static uint32_t skip_mark(const gm_tape *tape, uint32_t at) {
    const char *text = tape->text;
    uint32_t end = at;
    while (gm_utf8_is_digit(text[end])) {
        end++;
    }
    bool mark = end > at ? text[end] == '.' || text[end] == ')' : text[end] == '-' || text[end] == '*';
    return mark && text[end + 1] == ' ' ? end + 2 : at;
}

/* Nothing but blanks and commas, and a mark where a line begins. */
static bool is_between_items(const gm_tape *tape, uint32_t start, uint32_t end, bool first) {
    bool line = first;
    for (uint32_t at = start; at < end; at++) {
        uint32_t behind = line ? skip_mark(tape, at) : at;
        line |= tape->text[at] == '\n';
        if (behind > at && behind <= end) {
            at = behind - 1;
            line = false;
        } else if (!gm_tape_is_blank(tape->text[at]) && tape->text[at] != ',') {
            return false;
        }
    }
    return true;
}

/* Values one after the other, with nothing but blanks and commas between them, where a list is wanted. */
static bool read_lines(reader *in) {
    const gm_tape *tape = in->tape;
    uint32_t count = tape->candidates.count;
    if (!is_list(in->type) || count < 2 || in->match.options.strict) {
        return false;
    }
    uint32_t item = in->type->items.items[0];
    for (uint32_t i = 0; i < count; i++) {
        const gm_candidate *one = &tape->candidates.items[i];
        uint32_t before = i == 0 ? one->start : tape->candidates.items[i - 1].end;
        if (!is_between_items(tape, before, one->start, i == 0)) {
            return false;
        }
        if (one->broken || one->open || gm_match_node(&in->match, one->node)->kind == GM_TAPE_LIST) {
            return false;
        }
    }
    uint32_t at = 0;
    uint32_t first = tape->candidates.items[0].start;
    uint32_t line = first;
    while (line > tape->thought_end && tape->text[line - 1] != '\n') {
        line--;
    }
    bool marked = skip_mark(tape, line) == first;
    if (gm_around_goes_on(tape, marked ? first : 0, tape->candidates.items[0].start, tape->candidates.items[count - 1].end, false, &at)) {
        return false;
    }
    gm_match_put_char(&in->match, '[');
    for (uint32_t i = 0; i < count; i++) {
        gm_match_put(&in->match, ",", i > 0 ? 1 : 0);
        in->match.explain = true;
        const gm_match_step step = {NULL, {NULL, 0}, i};
        in->match.path = &step;
        gm_cost cost = gm_match_type(&in->match, item, tape->candidates.items[i].node);
        in->match.path = NULL;
        in->match.explain = false;
        if (cost == GM_NO_FIT) {
            return true; /* with the reason in the reading */
        }
    }
    gm_match_put_char(&in->match, ']');
    for (uint32_t i = 0; i < tape->repairs.count; i++) {
        gm_vec_push(in->match.arena, &in->match.reading->repairs, tape->repairs.items[i]);
    }
    note(in, GM_REPAIR_LINES, tape->candidates.items[0].start);
    return true;
}

/* Scalars: the whole text is the value, but for a label, a full stop and emphasis. */

static gm_text trim(gm_text text) {
    while (text.length > 0 && gm_tape_is_blank(text.bytes[0])) {
        text.bytes++;
        text.length--;
    }
    while (text.length > 0 && gm_tape_is_blank(text.bytes[text.length - 1])) {
        text.length--;
    }
    return text;
}

static gm_text whole_text(const reader *in) {
    const gm_tape *tape = in->tape;
    return trim((gm_text){tape->text + tape->thought_end, tape->length - tape->thought_end});
}

static bool starts_with(gm_text text, const char *word) {
    size_t length = strlen(word);
    if (text.length < length) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        char c = text.bytes[i];
        if ((c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c) != word[i]) {
            return false;
        }
    }
    return true;
}

static gm_text behind(gm_text text, size_t length) {
    return trim((gm_text){text.bytes + length, text.length - (uint32_t)length});
}

/* One pair of fences around everything. */
static gm_text without_fence(gm_text text) {
    if (!starts_with(text, "```") || text.length < 7 || memcmp(text.bytes + text.length - 3, "```", 3) != 0) {
        return text;
    }
    const char *line = memchr(text.bytes, '\n', text.length);
    if (line == NULL) {
        return trim((gm_text){text.bytes + 3, text.length - 6});
    }
    uint32_t start = (uint32_t)(line - text.bytes);
    return start + 3 < text.length ? trim((gm_text){line, text.length - start - 3}) : text;
}

/* `The answer is: X`, `Result: X`. */
static gm_text without_label(gm_text text, bool *label) {
    static const char *const words[] = {"the ", "final ", "answer", "result", "output", "value", " is", NULL};
    gm_text left = text;
    bool noun = false;
    for (size_t i = 0; words[i] != NULL; i++) {
        if (starts_with(left, words[i])) {
            noun |= i >= 2 && i <= 5;
            left.bytes += strlen(words[i]);
            left.length -= (uint32_t)strlen(words[i]);
        }
    }
    bool sign = left.length > 0 && (left.bytes[0] == ':' || left.bytes[0] == '=');
    bool verb = noun && left.bytes > text.bytes + 3 && memcmp(left.bytes - 3, " is", 3) == 0 && left.length > 0 && left.bytes[0] == ' ';
    if (!noun || (!sign && !verb)) {
        return text;
    }
    *label = true;
    return behind(left, 1);
}

static gm_text without_emphasis(gm_text text) {
    static const char *const marks[] = {"**", "__", "*", "`", NULL};
    for (size_t i = 0; marks[i] != NULL; i++) {
        size_t length = strlen(marks[i]);
        if (text.length > 2 * length && starts_with(text, marks[i]) && memcmp(text.bytes + text.length - length, marks[i], length) == 0) {
            return trim((gm_text){text.bytes + length, text.length - (uint32_t)(2 * length)});
        }
    }
    return text;
}

static bool read_text_as(reader *in, gm_text text, bool write) {
    gm_tape *tape = GM_NEW(in->match.arena, gm_tape);
    gm_tape_init(tape, in->match.arena, false);
    gm_tape_read_value(tape, text.bytes, text.length);
    if (tape->candidates.count != 1 || tape->candidates.items[0].broken || tape->candidates.items[0].open) {
        return false;
    }
    while (tape->at < tape->length && gm_tape_is_blank(tape->text[tape->at])) {
        tape->at++;
    }
    if (tape->at < tape->length) {
        return false;
    }
    const gm_tape *outer = in->match.tape;
    in->match.tape = tape;
    in->match.memo_count = in->match.memo_capacity = 0; /* those were of another tape */
    in->match.memos = NULL;
    bool fits = attempt(in, tape->candidates.items[0].node, write, write) != GM_NO_FIT;
    in->match.tape = outer;
    in->match.memo_count = in->match.memo_capacity = 0;
    in->match.memos = NULL;
    uint32_t start = (uint32_t)(text.bytes - in->tape->text);
    for (uint32_t i = 0; write && i < tape->repairs.count; i++) {
        note(in, (gm_repair_kind)tape->repairs.items[i].kind, start + tape->repairs.items[i].at);
    }
    return fits;
}

static gm_text without_stop(gm_text text) {
    return text.length > 1 && text.bytes[text.length - 1] == '.' ? trim((gm_text){text.bytes, text.length - 1}) : text;
}

static bool read_scalar(reader *in) {
    gm_text text = without_fence(whole_text(in));
    bool label = false;
    for (int i = 0; i < 3; i++) {
        if (read_text_as(in, text, false)) {
            if (i > 0) {
                note(in, label ? GM_REPAIR_LABEL : GM_REPAIR_PROSE, (uint32_t)(text.bytes - in->tape->text));
            }
            return read_text_as(in, text, true);
        }
        text = i == 0 ? without_emphasis(without_stop(without_label(text, &label))) : without_stop(without_emphasis(text));
    }
    return false;
}

static bool has_form(const reader *in, const gm_meaning_type *type, gm_form form, unsigned depth) {
    if (type->form != GM_MEANING_union || depth > 4) {
        return type->form == form;
    }
    for (uint32_t i = 0; i < type->items.count; i++) {
        if (has_form(in, gm_meaning_resolve(in->match.meaning, type->items.items[i]), form, depth + 1)) {
            return true;
        }
    }
    return false;
}

/* A text that is asked for is all of the answer. Only where it is one JSON string as a whole is it the content of that. */
static void read_text(reader *in) {
    gm_text text = whole_text(in);
    bool quoted = text.length > 1 && text.bytes[0] == '"' && in->tape->candidates.count == 1 && !in->tape->candidates.items[0].broken &&
                  !in->tape->candidates.items[0].open &&
                  in->tape->candidates.items[0].repairs == in->tape->candidates.items[0].repairs_end &&
                  gm_match_node(&in->match, in->tape->candidates.items[0].node)->kind == GM_TAPE_STRING &&
                  in->tape->candidates.items[0].end == (uint32_t)(text.bytes - in->tape->text) + text.length;
    if (quoted) {
        attempt(in, in->tape->candidates.items[0].node, true, true);
        return;
    }
    gm_tape *tape = GM_NEW(in->match.arena, gm_tape);
    gm_tape_init(tape, in->match.arena, false);
    gm_tape_feed(tape, "", 0);
    tape->text = gm_arena_copy(in->match.arena, text.bytes, text.length);
    tape->length = text.length;
    gm_tape_push(tape, GM_TAPE_STRING, GM_TAPE_REPAIRED | GM_TAPE_RAW, 0, text.length);
    in->match.tape = tape;
    attempt(in, 0, true, true);
    in->match.tape = in->tape;
}

static void explain_missed(reader *in, const election *fenced, const election *bare) {
    if (fenced->missed || bare->missed) {
        explain(in, fenced->missed ? &fenced->last_alike : &bare->last_alike);
    }
    fail(in, GM_READ_EMPTY, "there is no value in the text", 0);
}

static void read_candidates(reader *in) {
    if (in->match.options.strict && in->tape->trouble.message != NULL) {
        fail(in, GM_READ_SYNTAX, in->tape->trouble.message, in->tape->trouble.at);
        return;
    }
    election fenced = elect(in, true);
    election bare = elect(in, false);
    election *best = fenced.found || fenced.is_cracked ? &fenced : &bare;
    bool text_too = has_form(in, in->type, GM_MEANING_str, 0) && !in->match.options.strict;
    if (read_lines(in)) {
        return;
    }
    if (text_too && (!best->found || has_prose(in, best->chosen.candidate))) {
        if (best->found) {
            fail(in, GM_READ_AMBIGUOUS, "could be a value with text around it as well as text", best->chosen.candidate->start);
        } else if (!read_scalar(in)) {
            explain_missed(in, &fenced, &bare);
        }
    } else if (best->found && best->two) {
        fail(in, GM_READ_AMBIGUOUS, "the text has several answers that differ", best->chosen.candidate->start);
    } else if (best->found && best->missed && best->last_alike.candidate > best->chosen.candidate) {
        explain(in, &best->last_alike);
    } else if (best->found && best->is_cracked) {
        explain(in, &best->cracked);
    } else if (best->found) {
        write_value(in, &best->chosen);
    } else if (!in->match.options.strict && read_scalar(in)) {
        return;
    } else {
        explain_missed(in, &fenced, &bare);
    }
}

static uint32_t total(const gm_reading *reading) {
    uint64_t cost = 0;
    for (uint32_t i = 0; i < reading->repairs.count; i++) {
        cost += gm_repairs[reading->repairs.items[i].kind].cost;
    }
    return cost > UINT32_MAX ? UINT32_MAX : (uint32_t)cost;
}

void gm_read(const gm_meaning *meaning, const uint8_t *plain, const gm_tape *tape, const gm_read_options *options, gm_reading *reading) {
    *reading = (gm_reading){0};
    gm_buffer_init(&reading->message, tape->arena);
    gm_buffer_init(&reading->path, tape->arena);
    gm_buffer_init(&reading->value, tape->arena);
    reader in = {
        .match = {.arena = tape->arena, .meaning = meaning, .tape = tape, .options = *options, .out = &reading->value, .reading = reading},
        .tape = tape,
        .root = meaning->root,
        .type = gm_meaning_resolve(meaning, meaning->root),
    };
    in.match.plain = plain;
    if (in.type->form == GM_MEANING_str && !options->strict) {
        read_text(&in);
    } else {
        read_candidates(&in);
    }
    if (reading->value.length == 0) {
        fail(&in, GM_READ_EMPTY, "there is no value in the text", 0); /* whatever was read, it made no value */
    }
    reading->cost = total(reading);
    if (reading->problem != GM_READ_OK) {
        reading->value.length = 0;
    }
}
