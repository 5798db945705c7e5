#include "mend/fix.h"

#include "mend/source_forms.h"

/* What is a guess, or never compiled, is no reason to touch a file: these are the findings that `check` shows. */
static bool is_wanted(const gm_finding *finding) {
    return finding->certain && finding->reached;
}

gm_fix *gm_fix_run(gm_analysis *analysis, bool assumed) {
    gm_fix *fix = GM_NEW(analysis->arena, gm_fix);
    gm_fixer fixer = {analysis, assumed, fix};
    for (uint32_t i = 0; i < analysis->findings.count; i++) {
        gm_fix_site site = {.finding = &analysis->findings.items[i]};
        bool free_place = !gm_edits_touch(&fix->edits, site.finding->node->start, site.finding->node->end);
        if (is_wanted(site.finding) && free_place && gm_source_form(&fixer, site.finding, &site.assumption)) {
            gm_vec_push(analysis->arena, &fix->sites, site);
        }
    }
    return fix;
}
