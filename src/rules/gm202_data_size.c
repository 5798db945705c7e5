/* Sizes that depend on data. `graphmend run` keeps the sizes in the graph without a mend of the source. */
#include <string.h>

#include "analysis/tensor_reads.h"
#include "rules/reads.h"
#include "rules/rule.h"

static const char page[] =
    "# GM202 size that depends on data\n\n"
    "## What it finds\n\n"
    "Operations whose result has as many items as the data say: a mask as an index, `nonzero`, `masked_select`, `unique`, `bincount`, "
    "`torch.where(condition)`, `repeat_interleave` with a tensor of counts:\n\n"
    "    chosen = x[mask]\n\n"
    "## Why it breaks\n\n"
    "The size is known only when the graph has run (GB0036). Without `torch._dynamo.config.capture_dynamic_output_shape_ops` the graph ends here.\n\n"
    "## What to write\n\n"
    "Keep the size and say what does not count: `torch.where(mask, x, 0)` in front of a sum, `masked_fill`, a mean as the sum over the mask "
    "divided by `mask.sum()`. `repeat_interleave` takes `output_size=`. `x[mask] = value` with one value is no such place.\n\n"
    "## When the mend is safe\n\n"
    "`graphmend run` lets such sizes stay in the graph while it traces. The file is not changed.\n";

/* Whether operators of a name have results whose size may depend on data; many calls have the same name. */
typedef enum size_known { SIZE_UNKNOWN, SIZE_FIXED, SIZE_BY_DATA } size_known;

struct gm_data_sizes {
    uint8_t *of_names; /* size_known of each name of the tree by its index */
    uint32_t count;
};

static bool report(gm_analysis *analysis, const gm_site *site, const char *message) {
    return gm_report_read(analysis, &gm_rule_data_size, site, site->node, message,
                          "keep the size: select with `torch.where` or mask what does not count",
                          "the source stays as it is; `graphmend run` keeps the size in the graph");
}

static bool has_dynamic_shape(const gm_torch_facts *facts, const char *name) {
    static const gm_torch_space spaces[] = {GM_TORCH_FUNCTION, GM_TORCH_METHOD, GM_TORCH_NN};
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
        const gm_torch_op *op = gm_torch_find(facts, spaces[i], name);
        if (op != NULL && (op->flags & GM_TORCH_DYNAMIC_SHAPE) != 0) {
            return true;
        }
    }
    return false;
}

static bool has_data_size(gm_analysis *analysis, const gm_name *name) {
    const gm_torch_facts *facts = analysis->flow->facts;
    if (analysis->data_sizes == NULL) {
        analysis->data_sizes = GM_NEW(analysis->arena, struct gm_data_sizes);
        analysis->data_sizes->count = analysis->tree->names->count;
        analysis->data_sizes->of_names = GM_NEW_ARRAY(analysis->arena, uint8_t, analysis->data_sizes->count);
    }
    if (name->index >= analysis->data_sizes->count) {
        return has_dynamic_shape(facts, name->text);
    }
    uint8_t *known = &analysis->data_sizes->of_names[name->index];
    if (*known == SIZE_UNKNOWN) {
        *known = has_dynamic_shape(facts, name->text) ? SIZE_BY_DATA : SIZE_FIXED;
    }
    return *known == SIZE_BY_DATA;
}

/* The argument that gives `repeat_interleave` the size of its result: a tensor of counts, unless `output_size` is given. */
static bool repeats_by_data(gm_function *function, const gm_Call *call, bool method) {
    uint32_t at = method ? 0 : 1;
    for (uint32_t i = 0; i < call->keywords.count; i++) {
        const gm_name *name = gm_as_keyword(call->keywords.items[i])->arg;
        if (gm_name_is(name, "output_size")) {
            return false;
        }
        if (gm_name_is(name, "repeats")) {
            return gm_read_is_tensor(function, gm_as_keyword(call->keywords.items[i])->value);
        }
    }
    return call->args.count > at ? gm_read_is_tensor(function, call->args.items[at]) : !method && call->args.count == 1;
}

/* Whether the arguments are those of the form whose result has a size that depends on data. */
static bool sizes_by_data(gm_function *function, const gm_torch_op *op, const gm_Call *call, bool method) {
    if (strcmp(op->name, "where") == 0) {
        return call->args.count + call->keywords.count == 1 && !method;
    }
    if (strcmp(op->name, "repeat_interleave") == 0) {
        return repeats_by_data(function, call, method);
    }
    if (strcmp(op->name, "one_hot") == 0) {
        return call->args.count + call->keywords.count == 1;
    }
    return strcmp(op->name, "linalg.lstsq") != 0 && strcmp(op->name, "index") != 0;
}

static bool find_op(gm_analysis *analysis, const gm_site *site) {
    bool method = false;
    const gm_Call *call = gm_as_Call(site->node);
    const gm_name *name = gm_call_last_name(call);
    const gm_torch_op *op = name == NULL || !has_data_size(analysis, name) ? NULL : gm_called_torch_op(site->function, site->node, &method);
    if (op == NULL || (method && !gm_read_is_tensor(site->function, gm_as_Attribute(call->func)->value))) {
        return false;
    }
    return (op->flags & GM_TORCH_DYNAMIC_SHAPE) != 0 && sizes_by_data(site->function, op, call, method) &&
           report(analysis, site, gm_analysis_text(analysis, "the size of what `%s` gives depends on data", op->name));
}

static bool find_mask(gm_analysis *analysis, const gm_site *site) {
    const gm_node *mask = gm_read_by_index(site->function, site->node).mask;
    return mask != NULL && report(analysis, site,
                                  gm_analysis_text(analysis, "the mask %s chooses how many items there are",
                                                   gm_analysis_quote(analysis, mask, 40, "a tensor")));
}

static bool find_data_size(gm_analysis *analysis, const gm_site *site) {
    switch ((gm_kind)site->node->kind) {
    case GM_KIND_Call: return find_op(analysis, site);
    case GM_KIND_Subscript: return find_mask(analysis, site);
    default: return false;
    }
}

const gm_rule gm_rule_data_size = {
    .code = "GM202",
    .name = "data-dependent-size",
    .break_id = "GB0036",
    .page = page,
    .walk = GM_WALK_READS,
    .find = find_data_size,
};
