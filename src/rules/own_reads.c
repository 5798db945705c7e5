#include "rules/own_reads.h"

#include <string.h>

#include "analysis/read_next.h"
#include "analysis/recorded.h"
#include "analysis/tests.h"
#include "flow/walk.h"
#include "values/values.h"

/* The tests around a statement that are looked through: a ladder of `elif` may have any number of them. */
enum { MOST_TESTS = 8 };

typedef struct gm_own_search {
    gm_analysis *analysis;
    const gm_node *target;
    bool found;
} search;

bool gm_own_under_data(const gm_site *site) {
    for (const gm_place *place = site->place; place != NULL; place = place->outer) {
        const char *reason = NULL;
        if (place->owner->kind == GM_KIND_If && gm_test_classify(site->function, gm_as_If(place->owner)->test, &reason) != GM_TEST_PYTHON) {
            return true;
        }
    }
    return false;
}

static bool look_for_target(const gm_node *node, const gm_node *parent, void *context) {
    search *asked = context;
    (void)parent;
    asked->found |= node->kind == GM_KIND_Attribute && gm_analysis_same_text(asked->analysis, node, asked->target);
    return !asked->found;
}

bool gm_own_reads_as(const gm_function *function, const gm_node *node, const char *text) {
    size_t length = strlen(text);
    return node->end - node->start == length && memcmp(function->flow->tree->source->text + node->start, text, length) == 0;
}

bool gm_own_reads(gm_analysis *analysis, const gm_node *expression, const gm_node *target) {
    search asked = {analysis, target, false};
    gm_walk(analysis->arena, expression, look_for_target, &asked);
    return asked.found;
}

bool gm_own_is_merged(gm_analysis *analysis, const gm_site *site, const gm_node *target, const gm_node *value, const char *path) {
    if (value == NULL || target->kind != GM_KIND_Attribute || !gm_value_is_number(gm_value_of(site->function, value)) ||
        !gm_own_under_data(site)) {
        return false;
    }
    bool found = gm_read_next(analysis, site, path);
    uint32_t tests = 0;
    for (const gm_place *place = site->place; place != NULL && !found && tests < MOST_TESTS; place = place->outer) {
        if (place->owner->kind == GM_KIND_If) {
            found = gm_own_reads(analysis, gm_as_If(place->owner)->test, target);
            tests++;
        }
    }
    return found;
}

bool gm_own_is_last_item(gm_analysis *analysis, gm_function *function, const gm_node *node) {
    const gm_Subscript *item = node->kind == GM_KIND_Subscript ? gm_as_Subscript(node) : NULL;
    if (item == NULL || item->value->kind != GM_KIND_Attribute || item->slice->kind != GM_KIND_UnaryOp || !gm_test_is_number(item->slice)) {
        return false;
    }
    gm_value list = gm_value_of(function, item->value);
    return list.class_ == GM_VALUE_NOT && list.form == GM_FORM_LIST && !gm_recorded_before(analysis, function, item->value);
}
