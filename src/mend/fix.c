#include "mend/fix.h"

#include "mend/source_forms.h"
#include "mend/source_text.h"

/* Code for compiled functions alone: it is noise everywhere else. */
static bool is_for_compiled(const gm_plan *plan) {
    return plan->kind == GM_PLAN_CHECK || plan->kind == GM_PLAN_DEFER || (plan->kind == GM_PLAN_BRANCH && plan->targets.count == 0);
}

/* What is a guess, or never compiled, is no reason to touch a file: these are the findings that `check` shows. */
static bool is_wanted(const gm_finding *finding, const gm_fix_options *options) {
    const gm_plan *plan = finding->plan;
    return finding->certain && plan != NULL && (finding->reached_surely || (options->all && !is_for_compiled(plan)));
}

static bool is_free(const gm_edits *taken, const gm_edits *edits) {
    for (uint32_t i = 0; i < edits->items.count; i++) {
        const gm_edit *edit = &edits->items.items[i];
        if (gm_edits_touch(taken, edit->start, edit->end)) {
            return false;
        }
    }
    return edits->items.count > 0;
}

/* What is said when a form has nothing better to say. */
static const char general[] = "no plain torch that is proved to do the same; `graphmend run` mends it while tracing";

static const char guessed[] = "it is a guess that a tensor decides here";
static const char unreached[] =
    "this file does not show for certain that torch.compile comes here; `--all` mends it where eager code gains, too";

/* "`x` and `y` are floating point tensors"; nothing when there are no variables. */
static const char *state_of(gm_analysis *analysis, const gm_variables *variables, const char *one, const char *several) {
    const char *names = "";
    for (uint32_t i = 0; i < variables->count; i++) {
        const char *between = i == 0 ? "" : i + 1 == variables->count ? " and " : ", ";
        names = gm_analysis_text(analysis, "%s%s`%s`", names, between, variables->items[i]->name->text);
    }
    return gm_analysis_text(analysis, "%s%s", names, variables->count == 0 ? "" : variables->count == 1 ? one : several);
}

static const char *state(gm_analysis *analysis, const gm_assumptions *made) {
    const char *tensors = state_of(analysis, &made->tensors, " is a floating point tensor", " are floating point tensors");
    const char *kept = state_of(analysis, &made->kept, " is not changed in place before the backward pass",
                                " are not changed in place before the backward pass");
    const char *placed = state_of(analysis, &made->placed, " is on the device of the values", " are on the device of the values");
    bool first = *tensors != '\0' && (*kept != '\0' || *placed != '\0');
    bool second = *kept != '\0' && *placed != '\0';
    return gm_analysis_text(analysis, "%s%s%s%s%s", tensors, first ? ", " : "", kept, second ? ", " : "", placed);
}

/* Proved if possible, else with assumptions if those are welcome. */
static bool write_form(gm_fixer *fixer, const gm_plan *plan, gm_edits *edits, const char **assumption) {
    gm_source_form form = gm_source_form_of(plan->kind);
    if (form == NULL) {
        return false;
    }
    form(fixer, plan, edits, assumption);
    if (edits->items.count == 0 && fixer->options->assumed) {
        gm_assumptions made = {0};
        fixer->assumptions = &made;
        form(fixer, plan, edits, assumption);
        fixer->assumptions = NULL;
        *assumption = made.tensors.count + made.kept.count + made.placed.count > 0 ? state(fixer->analysis, &made) : *assumption;
    }
    return edits->items.count > 0;
}

/* Add the `import torch` that is missing in front of a statement; nothing where none is missing. */
static void add_import(gm_fixer *fixer, gm_edits *edits, const gm_node *place) {
    if (place != NULL) {
        gm_edit edit = {.start = place->start, .end = place->start};
        gm_edit_add(fixer->analysis->arena, &edit.text, "import torch");
        gm_edit_add(fixer->analysis->arena, &edit.text, gm_text_line_end(fixer, edit.start));
        gm_edits_add(fixer->analysis->arena, edits, edit);
    }
}

static bool mend(gm_fixer *fixer, gm_fix_site *site) {
    gm_edits edits = {0};
    const gm_node *import_of_others = fixer->import_at;
    fixer->import_at = NULL;
    const gm_plan *plan = site->finding->plan;
    fixer->reason = general;
    bool open = !gm_edits_touch(&fixer->fix->edits, plan->node->start, plan->node->end);
    bool mended = open && write_form(fixer, plan, &edits, &site->assumption) && is_free(&fixer->fix->edits, &edits);
    for (uint32_t i = 0; mended && i < edits.items.count; i++) {
        gm_edits_add(fixer->analysis->arena, &fixer->fix->edits, edits.items.items[i]);
    }
    if (mended) {
        site->edits = edits;
        add_import(fixer, &site->edits, fixer->import_at);
    }
    fixer->import_at = mended && import_of_others == NULL ? fixer->import_at : import_of_others;
    return mended;
}

gm_fix *gm_fix_run(gm_analysis *analysis, const gm_fix_options *options) {
    gm_fix *fix = GM_NEW(analysis->arena, gm_fix);
    gm_fixer fixer = {.analysis = analysis, .options = options, .fix = fix};
    for (uint32_t i = 0; i < analysis->findings.count; i++) {
        gm_fix_site site = {.finding = &analysis->findings.items[i]};
        if (site.finding->plan == NULL) {
            continue;
        }
        if (!is_wanted(site.finding, options)) {
            gm_fix_left unwanted = {site.finding, site.finding->certain ? unreached : guessed};
            gm_vec_push(analysis->arena, &fix->left, unwanted);
        } else if (mend(&fixer, &site)) {
            gm_vec_push(analysis->arena, &fix->sites, site);
        } else {
            gm_fix_left left = {site.finding, fixer.reason};
            gm_vec_push(analysis->arena, &fix->left, left);
        }
    }
    add_import(&fixer, &fix->edits, fixer.import_at);
    return fix;
}
