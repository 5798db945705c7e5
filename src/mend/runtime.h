/* The runtime dialect: the text that `graphmend run` executes in place of a file. docs/runtime-dialect.md is the contract. */
#ifndef GM_MEND_RUNTIME_H
#define GM_MEND_RUNTIME_H

#include "analysis/analysis.h"
#include "mend/writer.h"

typedef struct gm_mended_site {
    const gm_finding *finding;
    const char *site; /* "PATH:LINE:COLUMN:CODE", column in bytes from 0 */
} gm_mended_site;

typedef struct gm_mended {
    const char *text; /* NULL when nothing is mended */
    size_t size;
    gm_line_map lines;
    GM_VEC(gm_mended_site) sites;
    const char *problem; /* why a file with plans is left alone; or NULL */
} gm_mended;

/* Write the file of an analysis with all its plans carried out, and with its decisions (rules/decisions.h) handed to the runtime.
 * The result lives in the arena of the analysis. */
const gm_mended *gm_mend_runtime(gm_analysis *analysis, const gm_findings *decisions);

#endif
