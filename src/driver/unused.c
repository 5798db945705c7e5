#include "driver/unused.h"

#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "rules/decisions.h"

/* Whether a code or prefix may silence a rule that the options leave in. Codes of no rule at all are judged too. */
static bool is_judged(const char *code, const gm_check_options *options) {
    bool known = false;
    for (size_t i = 0; i < gm_rule_count; i++) {
        bool stands = strncasecmp(gm_rules[i]->code, code, strlen(code)) == 0;
        if (stands && (gm_rules[i] == &gm_rule_unused_suppression || !gm_check_selects(options, gm_rules[i]))) {
            return false;
        }
        known = known || stands;
    }
    return known || strncasecmp(code, "GM", 2) == 0;
}

static bool is_known(const char *code) {
    for (size_t i = 0; i < gm_rule_count; i++) {
        if (strncasecmp(gm_rules[i]->code, code, strlen(code)) == 0) {
            return true;
        }
    }
    return false;
}

static bool all_selected(const gm_check_options *options) {
    for (size_t i = 0; i < gm_rule_count; i++) {
        if (!gm_check_selects(options, gm_rules[i])) {
            return false;
        }
    }
    return true;
}

/* Of another tool's comment only the codes of graphmend are looked at. */
static bool is_ours(const gm_suppression *comment, const char *code) {
    return !comment->noqa || strncasecmp(code, "GM", 2) == 0;
}

/* The codes of a comment that silence nothing; `*known` tells whether all of them stand for rules, `*count` how many codes there are. */
static const char *unused_codes(gm_arena *arena, const gm_suppression *comment, const gm_check_options *options, bool *known,
                                uint32_t *kept) {
    gm_buffer unused;
    gm_buffer_init(&unused, arena);
    const char *at = comment->codes;
    unsigned index = 0;
    *known = true;
    *kept = 0;
    for (const char *code = gm_suppress_next(arena, &at); code != NULL; code = gm_suppress_next(arena, &at), index++) {
        bool used = (comment->used_codes >> (index < 63 ? index : 63) & 1) != 0;
        if (!used && is_ours(comment, code) && is_judged(code, options)) {
            gm_buffer_add_text(&unused, code);
            gm_buffer_add_char(&unused, ',');
            *known = *known && is_known(code);
        } else {
            ++*kept;
        }
    }
    return unused.length == 0 ? NULL : gm_buffer_text(&unused);
}

/* "`GM101` and `GM103`" of "GM101,GM103,". */
static const char *list_of(gm_arena *arena, const char *codes) {
    gm_buffer text;
    gm_buffer_init(&text, arena);
    for (const char *code = gm_suppress_next(arena, &codes); code != NULL; code = gm_suppress_next(arena, &codes)) {
        const char *between = text.length == 0 ? "" : *codes == '\0' ? " and " : ", ";
        gm_buffer_printf(&text, "%s`%s`", between, code);
    }
    return gm_buffer_text(&text);
}

static void judge(gm_analysis *analysis, gm_unused_list *found, const gm_suppression *comment, const gm_check_options *options) {
    gm_arena *arena = analysis->arena;
    gm_unused one = {.comment = comment};
    if (comment->codes == NULL) {
        if (comment->used || comment->noqa || !all_selected(options)) {
            return;
        }
        one.message = "nothing to silence here";
    } else {
        bool known = true;
        uint32_t kept = 0;
        one.codes = unused_codes(arena, comment, options, &known, &kept);
        if (one.codes == NULL) {
            return;
        }
        const char *words = known ? "nothing to silence here for" : "nothing to silence here, or no such rule:";
        one.message = gm_analysis_text(analysis, "%s %s", words, list_of(arena, one.codes));
        one.codes = kept == 0 ? NULL : one.codes;
    }
    gm_vec_push(arena, &found->items, one);
}

/* Whether a list of codes has one of the shape of ours. */
static bool has_own_code(const char *codes) {
    for (const char *at = codes; *at != '\0'; at += strcspn(at, ",") + 1) {
        if (strncasecmp(at, "GM", 2) == 0) {
            return true;
        }
    }
    return false;
}

bool gm_unused_possible(const gm_suppressions *comments) {
    for (uint32_t i = 0; i < comments->lines.count; i++) {
        const gm_suppression *one = &comments->lines.items[i];
        if (!one->noqa || (one->codes != NULL && has_own_code(one->codes))) {
            return true;
        }
    }
    return false;
}

/* `graphmend run` obeys comments at decisions too, under their own code and under those of the rules for the same break. */
static void ask_decisions(gm_analysis *analysis, gm_suppressions *comments) {
    const gm_source *source = analysis->tree->source;
    const gm_findings *found = gm_decisions_of(analysis);
    for (uint32_t i = 0; i < found->count; i++) {
        const gm_finding *decision = &found->items[i];
        for (size_t rule = 0; rule < gm_rule_count; rule++) {
            if (strcmp(gm_rules[rule]->break_id, decision->rule->break_id) == 0) {
                (void)gm_suppress_covers(comments, source, gm_rules[rule]->code, decision->node->start, decision->node->end);
            }
        }
    }
}

const gm_unused_list *gm_unused_find(gm_analysis *analysis, gm_suppressions *comments, const gm_check_options *options) {
    gm_unused_list *found = GM_NEW(analysis->arena, gm_unused_list);
    if (!gm_unused_possible(comments) || comments->whole_file || !gm_check_selects(options, &gm_rule_unused_suppression)) {
        return found;
    }
    ask_decisions(analysis, comments);
    for (uint32_t i = 0; i < comments->lines.count; i++) {
        judge(analysis, found, &comments->lines.items[i], options);
    }
    return found;
}

/* ---- Taking them away ---- */

static bool is_blank(char byte) {
    return byte == ' ' || byte == '\t';
}

static bool is_line_end(char byte) {
    return byte == '\n' || byte == '\r' || byte == '\0';
}

/* From its `#` up to the next remark or the end of the line; what would be left blank goes too, and a line of its own altogether. */
static gm_edit whole_comment(const gm_source *source, const gm_suppression *comment) {
    const char *text = source->text;
    uint32_t start = comment->start;
    while (text[start] != '#') {
        start--;
    }
    uint32_t end = comment->end;
    while (!is_line_end(text[end]) && text[end] != '#') {
        end++;
    }
    uint32_t line = source->line_starts[comment->line - 1];
    uint32_t blanks = start;
    while (is_line_end(text[end]) && blanks > line && is_blank(text[blanks - 1])) {
        blanks--;
    }
    bool alone = is_line_end(text[end]) && blanks == line && comment->line < source->line_count;
    return (gm_edit){.start = alone ? line : blanks, .end = alone ? source->line_starts[comment->line] : end};
}

static bool is_code_character(char byte) {
    return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9');
}

/* The next code in a comment from `at` on: its end, with its start in `*start`; the end of the comment when there is none. */
static uint32_t next_code(const gm_source *source, uint32_t at, uint32_t end, uint32_t *start) {
    while (at < end && !is_code_character(source->text[at])) {
        at++;
    }
    *start = at;
    while (at < end && is_code_character(source->text[at])) {
        at++;
    }
    return at;
}

static bool lists_exactly(gm_arena *arena, const char *codes, const char *code, size_t length) {
    for (const char *one = gm_suppress_next(arena, &codes); one != NULL; one = gm_suppress_next(arena, &codes)) {
        if (strlen(one) == length && memcmp(one, code, length) == 0) {
            return true;
        }
    }
    return false;
}

/* Comments come in order of position; of two in one comment the second waits when they meet. */
static void add_edit(gm_arena *arena, gm_edits *edits, gm_edit edit) {
    if (edits->items.count == 0 || edits->items.items[edits->items.count - 1].end <= edit.start) {
        gm_vec_push(arena, &edits->items, edit);
    }
}

/* Codes go with the blanks and the comma up to their neighbour: the next one, or for the last ones the one before that stays. */
static void add_code_edits(gm_arena *arena, const gm_source *source, const gm_unused *unused, gm_edits *edits) {
    const gm_suppression *comment = unused->comment;
    const char *list = strpbrk(source->text + comment->start, "[:");
    if (!comment->noqa) {
        list = strchr(source->text + comment->start, '[');
    }
    uint32_t at = (uint32_t)(list - source->text);
    uint32_t kept_end = 0;
    uint32_t start = 0;
    for (uint32_t end = next_code(source, at, comment->end, &start); end > start;) {
        uint32_t next_start = 0;
        uint32_t next_end = next_code(source, end, comment->end, &next_start);
        bool gone = lists_exactly(arena, unused->codes, source->text + start, end - start);
        bool last = next_end == next_start;
        if (gone) {
            gm_edit edit = {.start = last && kept_end > 0 ? kept_end : start, .end = last ? end : next_start};
            add_edit(arena, edits, edit);
        } else {
            kept_end = end;
        }
        start = next_start;
        end = next_end;
    }
}

void gm_unused_add_edits_of(gm_arena *arena, const gm_source *source, const gm_unused *unused, gm_edits *edits) {
    if (unused->codes != NULL) {
        add_code_edits(arena, source, unused, edits);
    } else {
        add_edit(arena, edits, whole_comment(source, unused->comment));
    }
}

void gm_unused_add_edits(gm_arena *arena, const gm_source *source, const gm_unused_list *list, gm_edits *edits) {
    gm_edits taken = {0};
    for (uint32_t i = 0; i < list->items.count; i++) {
        gm_unused_add_edits_of(arena, source, &list->items.items[i], &taken);
    }
    gm_edits_merge(arena, edits, &taken);
}
