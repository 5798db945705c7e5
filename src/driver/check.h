/* What there is to say about one file: syntax errors and the findings that no comment silences. */
#ifndef GM_DRIVER_CHECK_H
#define GM_DRIVER_CHECK_H

#include "driver/checked.h"
#include "rules/run.h"
#include "rules/selection.h"

typedef struct gm_check_options {
    bool report_only;   /* nobody looks at what is not reported: findings that `all` would add need not be made */
    bool all;           /* also findings by shape alone, and in functions that torch.compile does not reach */
    gm_rule_selection rules;
    gm_asked asked;          /* of the analysis */
    bool release_named;      /* `asked.release` stands in place of the settings' */
} gm_check_options;

/* What is said of a file whose work is beyond its budget, and how that begins. */
#define GM_TOO_LARGE_WORDS "too large, not analysed"
#define GM_TOO_LARGE_WORK "this would take far more work or memory than its length stands for"
#define GM_TOO_LARGE_REPORT "what there is to tell would take far more room than the file"

/* The same file with the notice that it is too large, at a place and why, in place of all else. */
gm_checked *gm_check_too_large(gm_arena *arena, const gm_checked *checked, uint32_t at, const char *why);

/* The checked file, a notebook when its name says so; `bytes` and `path` are borrowed for the life of the arena. It has a budget of its own. */
gm_checked *gm_check_bytes(gm_arena *arena, const char *path, const char *bytes, size_t size, const gm_check_options *options);

/* The same for text that is Python, whatever its name, with the cells of a notebook in it, or NULL. */
gm_checked *gm_check_python(gm_arena *arena, const char *path, const char *text, size_t size, const gm_cells *cells,
                            const gm_check_options *options);

/* The same within the budget of the caller; the cells of a notebook in it, or NULL. */
gm_checked *gm_check_text(gm_arena *arena, const char *path, const char *text, size_t size, const gm_cells *cells,
                          const gm_check_options *options);

#endif
