/* Kinds of graph break, as PyTorch numbers them: what each one is, and what to write instead.
 *
 * Three tables, none of them code: data/torch/VERSION/break_ids.def has the names that a version of PyTorch gives, data/breaks/breaks.def
 * says in a line when each kind occurs and which cause it belongs to, data/breaks/causes.def says what to do about a cause. A worked
 * example is a file of its own, data/breaks/examples/gbNNNN.md. Everything here is static and may be read from any thread. */
#ifndef GM_RULES_BREAKS_H
#define GM_RULES_BREAKS_H

#include <stdbool.h>
#include <stddef.h>

/* What breaks have in common is what to do about them. */
typedef struct gm_break_cause {
    const char *name;   /* "branch-on-data" */
    const char *advice; /* Markdown: what to write instead */
} gm_break_cause;

/* The versions of PyTorch whose kinds are known: gm_break_versions[0 .. GM_BREAK_VERSIONS), oldest first. */
enum { GM_BREAK_VERSIONS = 7 };
extern const char *const gm_break_versions[];

typedef struct gm_break {
    const char *id; /* "GB0170" */
    const gm_break_cause *cause;
    const char *mends;   /* "GM101 run": rules that remove it beside those that prevent it, and whether the runtime does alone */
    const char *summary; /* a sentence: when it happens */
} gm_break;

/* All kinds of all versions, sorted by id: gm_breaks[0 .. gm_break_count). */
extern const gm_break gm_breaks[];
extern const size_t gm_break_count;

/* The kind with an id, in upper or lower case ("GB0170", "gb0170"), or with the name that a version gives it
 * ("Data-dependent branching"); or NULL. */
const gm_break *gm_break_find(const char *id_or_name);

/* What a version calls the kind, or NULL where it does not have it. */
const char *gm_break_name(const gm_break *kind, size_t version);

/* Markdown with two fenced blocks of Python, first what breaks and then what does not, or NULL. */
const char *gm_break_example(const gm_break *kind);

#endif
