#include "rules/pages.h"

#include <string.h>
#include <strings.h>

static const char fence[] = "```";

/* With which version the claims about mends are tested. */
static const char tested[] = "On torch 2.13 `graphmend run`";

gm_page gm_page_find(const char *code_or_name) {
    gm_page page = {NULL, NULL};
    for (size_t i = 0; page.rule == NULL && i < gm_rule_count; i++) {
        bool named = strcasecmp(gm_rules[i]->code, code_or_name) == 0 || strcasecmp(gm_rules[i]->name, code_or_name) == 0;
        page.rule = named ? gm_rules[i] : NULL;
    }
    if (page.rule == NULL) {
        page.kind = gm_break_find(code_or_name);
    }
    return page;
}

size_t gm_page_count(void) {
    return gm_rule_count + gm_break_count;
}

gm_page gm_page_at(size_t index) {
    if (index < gm_rule_count) {
        return (gm_page){gm_rules[index], NULL};
    }
    return (gm_page){NULL, &gm_breaks[index - gm_rule_count]};
}

/* The name that the newest version gives. */
static const char *newest_name(const gm_break *kind) {
    const char *name = NULL;
    for (size_t version = GM_BREAK_VERSIONS; name == NULL && version-- > 0;) {
        name = gm_break_name(kind, version);
    }
    return name != NULL ? name : kind->id;
}

/* Which versions have it, and under which other name. */
static void add_versions(gm_buffer *out, const gm_break *kind) {
    const char *newest = newest_name(kind);
    const char *before = "torch ";
    for (size_t version = 0; version < GM_BREAK_VERSIONS; version++) {
        const char *name = gm_break_name(kind, version);
        if (name == NULL) {
            continue;
        }
        gm_buffer_printf(out, "%s%s", before, gm_break_versions[version]);
        if (strcmp(name, newest) != 0) {
            gm_buffer_printf(out, " (as \"%s\")", name);
        }
        before = ", ";
    }
}

/* A rule knows the kind that it prevents; the row of a kind adds the rules that remove it as well. */
static bool finds(const gm_rule *rule, const gm_break *kind) {
    return strcmp(rule->break_id, kind->id) == 0 || strstr(kind->mends, rule->code) != NULL;
}

/* The rules that find a kind, in the order of their codes: the one behind `last`, the first where that is NULL. */
static const gm_rule *next_rule(const gm_break *kind, const gm_rule *last) {
    const gm_rule *next = NULL;
    for (size_t i = 0; i < gm_rule_count; i++) {
        const gm_rule *rule = gm_rules[i];
        bool behind = last == NULL || strcmp(rule->code, last->code) > 0;
        if (behind && finds(rule, kind) && (next == NULL || strcmp(rule->code, next->code) < 0)) {
            next = rule;
        }
    }
    return next;
}

static bool runtime_mends(const gm_break *kind) {
    return strstr(kind->mends, "run") != NULL;
}

static void add_mends(gm_buffer *out, const gm_break *kind) {
    const gm_rule *first = next_rule(kind, NULL);
    if (first != NULL) {
        gm_buffer_printf(out, "%s mends it where the result is proved to be the same. `graphmend rule CODE` says when:\n\n", tested);
    }
    for (const gm_rule *rule = first; rule != NULL; rule = next_rule(kind, rule)) {
        gm_buffer_printf(out, "- %s %s\n", rule->code, rule->name);
    }
    if (runtime_mends(kind)) {
        gm_buffer_add_text(out, first != NULL ? "\nWhere no rule finds it, `graphmend run`" : tested);
        gm_buffer_add_text(out, " tries to hold the call in one graph all the same, and proves that it computes what it did.\n");
    }
    if (first == NULL && !runtime_mends(kind)) {
        gm_buffer_add_text(out, "No mend of this kind is known: `graphmend run` leaves the call as it is.\n");
    }
}

static void add_break(gm_buffer *out, const gm_break *kind) {
    gm_buffer_printf(out, "# %s %s\n\n%s: ", kind->id, newest_name(kind), kind->cause->name);
    add_versions(out, kind);
    gm_buffer_printf(out, "\n\n## When it happens\n\n%s\n\n## What to write\n\n%s\n\n## What graphmend does\n\n", kind->summary,
                     kind->cause->advice);
    add_mends(out, kind);
    const char *example = gm_break_example(kind);
    if (example != NULL) {
        gm_buffer_printf(out, "\n## Example\n\n%s", example);
    }
}

void gm_page_add_markdown(gm_buffer *out, const gm_page *page) {
    if (page->rule != NULL) {
        gm_buffer_add_text(out, page->rule->page);
    } else {
        add_break(out, page->kind);
    }
}

static void add_text(gm_buffer *out, const char *text) {
    gm_buffer_add_json(out, text, strlen(text));
}

static void add_member(gm_buffer *out, const char *name, const char *text) {
    gm_buffer_printf(out, ", \"%s\": ", name);
    add_text(out, text);
}

static void add_page_member(gm_buffer *out, const gm_page *page) {
    gm_buffer text;
    gm_buffer_init(&text, out->arena);
    gm_page_add_markdown(&text, page);
    add_member(out, "page", gm_buffer_text(&text));
}

static void add_rule_members(gm_buffer *out, const gm_rule *rule) {
    gm_buffer_add_text(out, "\"kind\": \"rule\"");
    add_member(out, "code", rule->code);
    add_member(out, "name", rule->name);
    if (rule->break_id[0] != '\0') {
        add_member(out, "break_id", rule->break_id);
    } else {
        gm_buffer_add_text(out, ", \"break_id\": null");
    }
}

static void add_torch_member(gm_buffer *out, const gm_break *kind) {
    gm_buffer_add_text(out, ", \"torch\": {");
    const char *before = "";
    for (size_t version = 0; version < GM_BREAK_VERSIONS; version++) {
        const char *name = gm_break_name(kind, version);
        if (name != NULL) {
            gm_buffer_printf(out, "%s\"%s\": ", before, gm_break_versions[version]);
            add_text(out, name);
            before = ", ";
        }
    }
    gm_buffer_add_char(out, '}');
}

static void add_rules_member(gm_buffer *out, const gm_break *kind) {
    gm_buffer_add_text(out, ", \"rules\": [");
    const gm_rule *first = next_rule(kind, NULL);
    for (const gm_rule *rule = first; rule != NULL; rule = next_rule(kind, rule)) {
        gm_buffer_add_text(out, rule == first ? "" : ", ");
        add_text(out, rule->code);
    }
    gm_buffer_printf(out, "], \"runtime\": %s", runtime_mends(kind) ? "true" : "false");
}

/* The next fenced block from `*at` on, as a member; null where there is none. */
static void add_block_member(gm_buffer *out, const char *name, const char **at) {
    const char *start = *at != NULL ? strstr(*at, fence) : NULL;
    start = start != NULL ? strchr(start, '\n') : NULL;
    const char *end = start != NULL ? strstr(start, fence) : NULL;
    gm_buffer_printf(out, ", \"%s\": ", name);
    if (end == NULL) {
        gm_buffer_add_text(out, "null");
        *at = NULL;
        return;
    }
    gm_buffer_add_json(out, start + 1, (size_t)(end - start - 1));
    *at = end + strlen(fence);
}

static void add_break_members(gm_buffer *out, const gm_break *kind) {
    gm_buffer_add_text(out, "\"kind\": \"break\"");
    add_member(out, "code", kind->id);
    add_member(out, "name", newest_name(kind));
    add_torch_member(out, kind);
    add_member(out, "cause", kind->cause->name);
    add_member(out, "summary", kind->summary);
    add_member(out, "advice", kind->cause->advice);
    add_rules_member(out, kind);
    const char *example = gm_break_example(kind);
    add_block_member(out, "before", &example);
    add_block_member(out, "after", &example);
}

void gm_page_add_json(gm_buffer *out, const gm_page *page) {
    gm_buffer_add_char(out, '{');
    if (page->rule != NULL) {
        add_rule_members(out, page->rule);
    } else {
        add_break_members(out, page->kind);
    }
    add_page_member(out, page);
    gm_buffer_add_char(out, '}');
}
