/* Numbers that are read out of tensors. `graphmend run` keeps the numbers in the graph without a mend of the source. */
#include <string.h>

#include "analysis/tensor_reads.h"
#include "flow/torch_names.h"
#include "rules/reads.h"
#include "rules/rule.h"

static const char page[] =
    "# GM201 number read out of a tensor\n\n"
    "## What it finds\n\n"
    "A tensor's value as a Python number: `item()`, `tolist()`, `int(t)`, `float(t)`, a tensor as a size, as a bound of a slice, or in `range`:\n\n"
    "    n = lengths.max().item()\n"
    "    y = torch.arange(n)\n\n"
    "## Why it breaks\n\n"
    "The number is known only when the graph has run (GB0124). Without `torch._dynamo.config.capture_scalar_outputs` the graph ends here, the number "
    "is fetched, which waits for the device, and another graph is compiled for what follows.\n\n"
    "## What to write\n\n"
    "Keep it a tensor: compare and compute with `lengths.max()`, select with `torch.where`, mask `torch.arange(most) < lengths[:, None]`. Or take the "
    "number in front of the compiled part and hand it in.\n\n"
    "## When the mend is safe\n\n"
    "`graphmend run` lets numbers that nothing has to know while tracing stay in the graph, and of those that are asked for it "
    "follows the value of the call. The file is not changed.\n";

static bool report(gm_analysis *analysis, const gm_site *site, const gm_node *node, const char *message) {
    return gm_report_read(analysis, &gm_rule_read_value, site, node, message,
                          "keep it a tensor, or take the number in front of the compiled part",
                          "the source stays as it is; `graphmend run` keeps the number in the graph");
}

static const char *text_of(gm_analysis *analysis, const gm_node *node) {
    return gm_analysis_quote(analysis, node, 40, "a tensor");
}

/* ---- Calls ---- */

static const char *name_of(const gm_Call *call) {
    const gm_name *name = gm_call_last_name(call);
    return name == NULL ? NULL : name->text;
}

/* `item()` and `tolist()` of what nothing else is known of: few other things have such methods. */
static bool find_named_read(gm_analysis *analysis, const gm_site *site) {
    gm_function *function = site->function;
    static const char *const names[] = {"item", "tolist", NULL};
    const gm_Call *call = gm_as_Call(site->node);
    const gm_Attribute *callee = call->func->kind == GM_KIND_Attribute ? gm_as_Attribute(call->func) : NULL;
    bool named = callee != NULL && gm_text_in(callee->attr->text, names) && call->args.count + call->keywords.count == 0;
    if (!named || gm_flow_qualified(function->flow, call->func) != NULL || gm_read_is_no_tensor(function, callee->value)) {
        return false;
    }
    return report(analysis, site, site->node,
                  gm_analysis_text(analysis, "`%s` reads %s", callee->attr->text, text_of(analysis, callee->value)));
}

/* `int(t)`, `float(t)`, `range(t)`. */
static bool find_builtin(gm_analysis *analysis, const gm_site *site) {
    gm_function *function = site->function;
    static const char *const names[] = {"builtins.int", "builtins.float", "builtins.range", "builtins.complex"};
    static const char *const short_names[] = {"int", "float", "range", "complex", NULL};
    const gm_Call *call = gm_as_Call(site->node);
    if (call->func->kind != GM_KIND_Name || !gm_text_in(name_of(call), short_names)) {
        return false;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0] && call->args.count > 0; i++) {
        if (!gm_flow_names(function->flow, call->func, names[i])) {
            continue;
        }
        for (uint32_t j = 0; j < call->args.count; j++) {
            if (gm_read_is_data(function, call->args.items[j])) {
                report(analysis, site, site->node,
                       gm_analysis_text(analysis, "`%s` reads %s", strchr(names[i], '.') + 1, text_of(analysis, call->args.items[j])));
                break;
            }
        }
        return true;
    }
    return false;
}

/* A tensor among the numbers of a size: itself, or in a tuple or list. */
static const gm_node *tensor_in_size(gm_function *function, const gm_node *size) {
    const gm_list *items = size->kind == GM_KIND_Tuple  ? &gm_as_Tuple(size)->elts
                           : size->kind == GM_KIND_List ? &gm_as_List(size)->elts
                                                        : NULL;
    if (items == NULL) {
        return gm_read_is_data(function, size) ? size : NULL;
    }
    for (uint32_t i = 0; i < items->count; i++) {
        if (gm_read_is_data(function, items->items[i])) {
            return items->items[i];
        }
    }
    return NULL;
}

/* Where an operation takes sizes: which arguments, and under which keyword. */
typedef struct gm_sized {
    const char *name; /* of a function the dotted name */
    const char *tail; /* its last part */
    uint8_t first; /* the first argument that is a size; of a function behind the tensor, if it takes one */
    bool all;      /* those behind it are sizes, too */
    const char *keyword;
} sized;

static const sized sized_functions[] = {
#define GM_SIZED_FUNCTION(module, name, first, all, keyword) {module name, name, first, all, keyword},
#define GM_SIZED_METHOD(name, first, all, keyword)
#include "rules/sizes.def"
};

static const sized sized_methods[] = {
#define GM_SIZED_FUNCTION(module, name, first, all, keyword)
#define GM_SIZED_METHOD(name, first, all, keyword) {name, name, first, all, keyword},
#include "rules/sizes.def"
};

static const sized *sized_by_name(const char *name) {
    for (size_t i = 0; i < sizeof sized_functions / sizeof sized_functions[0]; i++) {
        if (strcmp(sized_functions[i].name, name) == 0) { /* few come here */
            return &sized_functions[i];
        }
    }
    return NULL;
}

static const sized *sized_by_method(const char *name) {
    for (size_t i = 0; i < sizeof sized_methods / sizeof sized_methods[0]; i++) {
        if (sized_methods[i].name[0] == name[0] && strcmp(sized_methods[i].name, name) == 0) {
            return &sized_methods[i];
        }
    }
    return NULL;
}

static bool ends_name(const char *name) {
    for (size_t i = 0; i < sizeof sized_functions / sizeof sized_functions[0]; i++) {
        if (sized_functions[i].tail[0] == name[0] && strcmp(sized_functions[i].tail, name) == 0) {
            return true;
        }
    }
    return false;
}

/* How a call takes sizes, or NULL. */
static const sized *sized_of(gm_function *function, const gm_Call *call) {
    const char *short_name = name_of(call);
    if (short_name == NULL) {
        return NULL;
    }
    const gm_name *name = ends_name(short_name) ? gm_flow_qualified(function->flow, call->func) : NULL;
    if (name != NULL) {
        return sized_by_name(name->text);
    }
    const sized *method = call->func->kind == GM_KIND_Attribute ? sized_by_method(short_name) : NULL;
    return method != NULL && gm_read_is_tensor(function, gm_as_Attribute(call->func)->value) ? method : NULL;
}

/* Tensors as sizes: `torch.arange(lengths.max())`, `x.reshape(h, w)` with `h, w = grid`. */
static bool find_size(gm_analysis *analysis, const gm_site *site) {
    gm_function *function = site->function;
    const gm_Call *call = gm_as_Call(site->node);
    const sized *taken = sized_of(function, call);
    const gm_node *tensor = NULL;
    for (uint32_t i = taken == NULL ? call->args.count : taken->first; i < call->args.count && tensor == NULL; i++) {
        tensor = taken->all || i == taken->first ? tensor_in_size(function, call->args.items[i]) : NULL;
    }
    for (uint32_t i = 0; taken != NULL && i < call->keywords.count && tensor == NULL; i++) {
        const gm_keyword *keyword = gm_as_keyword(call->keywords.items[i]);
        tensor = taken->keyword != NULL && gm_name_is(keyword->arg, taken->keyword) ? tensor_in_size(function, keyword->value) : NULL;
    }
    return tensor != NULL && report(analysis, site, tensor, gm_analysis_text(analysis, "a size reads %s", text_of(analysis, tensor)));
}

/* `[x] * n` where `n` is a tensor. */
static bool find_repetition(gm_analysis *analysis, const gm_site *site) {
    const gm_BinOp *product = gm_as_BinOp(site->node);
    bool left = product->left->kind == GM_KIND_List;
    bool right = product->right->kind == GM_KIND_List;
    const gm_node *times = left ? product->right : product->left;
    return product->op == GM_OP_Mult && left != right && gm_read_is_data(site->function, times) &&
           report(analysis, site, times, gm_analysis_text(analysis, "the length of a list reads %s", text_of(analysis, times)));
}

/* Assertions of torch that look at all of a tensor. */
static bool find_check(gm_analysis *analysis, const gm_site *site) {
    const gm_Call *call = gm_as_Call(site->node);
    const char *short_name = name_of(call);
    if (short_name == NULL || strncmp(short_name, "_check_tensor_all", strlen("_check_tensor_all")) != 0) {
        return false;
    }
    const gm_name *name = gm_flow_qualified(analysis->flow, call->func);
    return name != NULL && gm_torch_names_have(GM_TORCH_NAMES_TENSOR_CHECKS, name->text) &&
           report(analysis, site, site->node, gm_analysis_text(analysis, "`%s` reads a tensor", short_name));
}

static bool find_bound(gm_analysis *analysis, const gm_site *site) {
    const gm_node *bound = gm_read_by_index(site->function, site->node).bound;
    return bound != NULL &&
           report(analysis, site, bound, gm_analysis_text(analysis, "a bound of a slice reads %s", text_of(analysis, bound)));
}

static bool find_read_value(gm_analysis *analysis, const gm_site *site) {
    switch ((gm_kind)site->node->kind) {
    case GM_KIND_Call:
        return find_builtin(analysis, site) || find_named_read(analysis, site) || find_check(analysis, site) || find_size(analysis, site);
    case GM_KIND_Subscript: return find_bound(analysis, site);
    case GM_KIND_BinOp: return find_repetition(analysis, site);
    default: return false;
    }
}

const gm_rule gm_rule_read_value = {
    .code = "GM201",
    .name = "value-read-from-tensor",
    .break_id = "GB0124",
    .page = page,
    .walk = GM_WALK_READS,
    .find = find_read_value,
};
