/* All stages of the compiler over one file, as the commands and the public functions run them. */
#ifndef GM_TESTS_PIPELINE_H
#define GM_TESTS_PIPELINE_H

#include "driver/add_ignore.h"
#include "driver/fix.h"
#include "mend/runtime.h"
#include "rules/decisions.h"
#include "report/report.h"

/* Tokens, tree, scopes, control flow, findings, the reports on them, and the file in both dialects. Returns the tree. */
static inline const gm_tree *run_pipeline(gm_arena *arena, const char *path, const char *bytes, size_t size) {
    const gm_check_options everything = {.all = true};
    const gm_fix_options mends = {.assumed = true, .all = true};
    const gm_report_style style = {0};
    const gm_tree *tree = gm_parse(arena, path, bytes, size, NULL);
    const gm_checked *checked = gm_check_bytes(arena, path, bytes, size, &everything);
    gm_buffer report;
    gm_buffer_init(&report, arena);
#define GM_FORMAT(name, symbol) symbol.file(&report, checked, &style);
#include "report/formats.def"
    gm_add_ignore(arena, checked);
    gm_fix_bytes(arena, path, bytes, size, &mends, &everything);
    if (checked->analysis != NULL) {
        gm_mend_runtime(checked->analysis, gm_decisions_of(checked->analysis));
    }
    return tree;
}

#endif
