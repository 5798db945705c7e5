/* What a check says of one file: entries, in order of position. */
#ifndef GM_DRIVER_CHECKED_H
#define GM_DRIVER_CHECKED_H

#include "driver/notebook.h"
#include "rules/rule.h"

/* What `graphmend fix` does about a finding. */
typedef enum gm_fix_answer {
    GM_FIXES_NO,
    GM_FIXES_SAFE,    /* it is written, proved by the text of the file */
    GM_FIXES_ASSUMING, /* it is written with `--unsafe` */
} gm_fix_answer;

/* Bytes from `start` to `end` of the text become `text`. */
typedef struct gm_replacement {
    uint32_t start;
    uint32_t end;
    const char *text; /* UTF-8 */
} gm_replacement;

typedef struct gm_replacements {
    GM_VEC(gm_replacement) items; /* in order of position, none overlapping another */
} gm_replacements;

typedef struct gm_entry {
    const gm_rule *rule; /* NULL: a syntax error, or by its level a notice */
    const gm_node *node; /* the statement or expression that the finding is about; NULL for syntax errors and comments */
    const gm_finding *finding; /* NULL for syntax errors and comments, and in entries that were kept */
    const struct gm_unused *unused; /* the comment that silences nothing, of GM001; NULL in entries that were kept */
    const char *break_id; /* of the release of torch that was asked about; "" for none, NULL with a syntax error */
    uint8_t level;       /* gm_level */
    uint32_t start;      /* byte range in the text of what is marked */
    uint32_t end;
    uint32_t site;       /* start of the statement or expression that the finding is about */
    uint32_t line_end;   /* on whose line a comment silences it */
    gm_position from;
    gm_position to;
    const char *message;
    const char *because; /* where the marked value comes from; may be NULL */
    const char *advice; /* what to write instead; may be NULL */
    const char *reason; /* why there is no mend; NULL where there is one */
    const char *run_note; /* of gm_foresee: how `run` mends what has no plan, or why not; may be NULL */
    const char *fix_note; /* the same: what `fix` assumes, or why it writes nothing; may be NULL */
    const gm_replacements *edits; /* of gm_foresee: what `fix` writes, under its assumption too; NULL where `fix` is GM_FIXES_NO */
    uint32_t callers;    /* calls of the function around it in code that torch.compile reaches */
    uint8_t fix;         /* gm_fix_answer, of gm_foresee */
    bool run;            /* whether `graphmend run` mends it, of gm_foresee */
    bool certain;
    bool reached;
} gm_entry;

typedef struct gm_checked {
    const char *path;
    gm_analysis *analysis; /* NULL when the file has syntax errors or is too large: that is all that is said then */
    const gm_source *source;
    const gm_cells *cells;       /* of a notebook, in the text of `source`; NULL for other files */
    const gm_notebook *notebook; /* as it was read, when `source` is its text; or NULL */
    GM_VEC(gm_entry) entries; /* in order of position */
    const struct gm_unused_list *unused; /* comments that silence nothing; NULL with syntax errors */
    const char *calls; /* what calls between files need to know, as links.h describes it; NULL: nothing */
} gm_checked;

/* Whether an entry says what was not looked at: it is told, and no finding. */
static inline bool gm_check_is_notice(const gm_entry *entry) {
    return entry->level == GM_LEVEL_NOTICE;
}

/* Whether a file was not analysed because it is too large. */
static inline bool gm_check_is_too_large(const gm_checked *checked) {
    return checked->entries.count > 0 && gm_check_is_notice(&checked->entries.items[0]);
}

#endif
