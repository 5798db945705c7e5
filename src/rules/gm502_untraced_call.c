/* Calls that Dynamo does not look into: functions in C, and methods of objects of some types. */
#include <string.h>

#include "analysis/makers.h"
#include "rules/reads.h"
#include "rules/rule.h"
#include "rules/versions.h"

static const char page[] =
    "# GM502 call that is not traced\n\n"
    "## What it finds\n\n"
    "Calls of functions in C and in packages that the compiler does not look into, of methods of `contextvars.ContextVar`, and of "
    "`step` of `torch.optim.lr_scheduler.ReduceLROnPlateau`, which decides by a number from the data:\n\n"
    "    rows, columns = scipy.optimize.linear_sum_assignment(cost)\n"
    "    self.scheduler.step(loss.item())\n\n"
    "## Why it breaks\n\n"
    "The compiler cannot look into the function (GB0007). The graph ends, tensors become arrays, and another graph is compiled for "
    "what follows.\n\n"
    "## What to write\n\n"
    "Make the call in front of the compiled part or behind it: compile the module that computes the cost, not the loss that "
    "matches; let a scheduler step when the compiled call has returned.\n\n"
    "## When the mend is safe\n\n"
    "There is no mend of the source: what the function gives depends on what the graph has computed. Under `graphmend run`, "
    "`scipy.optimize.linear_sum_assignment` is part of the graph.\n";

static const char *const packages[] = {
#define GM_UNTRACED_PACKAGE(prefix) prefix,
#include "rules/untraced.def"
};

static const struct {
    const char *type;
    const char *method;
} methods[] = {
#define GM_UNTRACED_METHOD(type, method) {type, method},
#include "rules/untraced.def"
};

/* The dotted name of a callee in one of the packages, or NULL. */
static const gm_name *foreign_name(gm_function *function, const gm_node *callee) {
    bool named = false;
    for (size_t i = 0; i < sizeof packages / sizeof packages[0]; i++) {
        named = named || gm_maker_named(function, packages[i]);
    }
    const gm_name *name = named ? gm_flow_qualified(function->flow, callee) : NULL;
    for (size_t i = 0; name != NULL && i < sizeof packages / sizeof packages[0]; i++) {
        if (strncmp(name->text, packages[i], strlen(packages[i])) == 0) {
            return name;
        }
    }
    return NULL;
}

static bool find_function(gm_analysis *analysis, const gm_site *site) {
    const gm_name *name = foreign_name(site->function, gm_as_Call(site->node)->func);
    return name != NULL &&
           gm_report_read(analysis, &gm_rule_untraced_call, site, site->node, gm_analysis_text(analysis, "`%s` is not traced", name->text),
                          "call it in front of the compiled part, or behind it", "torch has no such operation");
}

static bool is_traced(gm_analysis *analysis, const char *type, const char *method) {
    const char *name = gm_analysis_text(analysis, "%s.%s", type, method);
    return gm_release_traces((gm_release)analysis->release, name);
}

static bool find_method(gm_analysis *analysis, const gm_site *site) {
    const gm_node *callee = gm_as_Call(site->node)->func;
    const gm_Attribute *attribute = callee->kind == GM_KIND_Attribute ? gm_as_Attribute(callee) : NULL;
    for (size_t i = 0; attribute != NULL && i < sizeof methods / sizeof methods[0]; i++) {
        bool named = gm_name_is(attribute->attr, methods[i].method) && gm_maker_named(site->function, gm_last_part(methods[i].type));
        const gm_name *maker = named ? gm_maker_of(site->function, attribute->value) : NULL;
        if (maker != NULL && strcmp(maker->text, methods[i].type) == 0 && !is_traced(analysis, methods[i].type, methods[i].method)) {
            return gm_report_read(
                analysis, &gm_rule_untraced_call, site, site->node,
                gm_analysis_text(analysis, "`%s` of a `%s` is not traced", methods[i].method, gm_last_part(methods[i].type)),
                "call it in front of the compiled part, or behind it", "it cannot be in a graph");
        }
    }
    return false;
}

static bool find_untraced_call(gm_analysis *analysis, const gm_site *site) {
    return site->node->kind == GM_KIND_Call && (find_function(analysis, site) || find_method(analysis, site));
}

const gm_rule gm_rule_untraced_call = {
    .code = "GM502",
    .name = "untraced-call",
    .break_id = "",
    .page = page,
    .walk = GM_WALK_READS,
    .find = find_untraced_call,
};
