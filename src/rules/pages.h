/* Pages for people and tools: of a rule, which stands in the rule's own file, and of a kind of graph break, which is put together from the
 * tables of breaks.h. */
#ifndef GM_RULES_PAGES_H
#define GM_RULES_PAGES_H

#include "base/buffer.h"
#include "rules/breaks.h"
#include "rules/rule.h"

/* Exactly one is set; both are NULL where there is no such page. */
typedef struct gm_page {
    const gm_rule *rule;
    const gm_break *kind;
} gm_page;

/* The page for what people type: the code or name of a rule, the id or name of a kind of graph break. */
gm_page gm_page_find(const char *code_or_name);

/* All pages, rules first: gm_page_at(0 .. gm_page_count() - 1). */
size_t gm_page_count(void);
gm_page gm_page_at(size_t index);

/* The page as Markdown, with a line feed at its end. */
void gm_page_add_markdown(gm_buffer *out, const gm_page *page);

/* The page and its parts as a JSON object; docs/json.md describes the members. */
void gm_page_add_json(gm_buffer *out, const gm_page *page);

#endif
