#include "rules/reads.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/guarded_calls.h"
#include "analysis/reach.h"
#include "rules/rule.h"
#include "rules/untraced.h"

/* Whether operators of a name have results whose size may depend on data; many calls have the same name. */
typedef enum size_known { SIZE_UNKNOWN, SIZE_FIXED, SIZE_BY_DATA } size_known;

typedef struct gm_read_walk {
    gm_analysis *analysis;
    gm_function *function; /* NULL outside of functions */
    gm_findings *found;
    uint8_t *sizes; /* size_known of each name of the tree by its index, of the first `size_count` */
    uint32_t size_count;
} walk;

static const char number_advice[] = "keep it a tensor, or take the number in front of the compiled part";
static const char size_advice[] = "keep the size: select with `torch.where` or mask what does not count";
static const char number_reason[] = "the source stays as it is; `graphmend run` keeps the number in the graph";
static const char size_reason[] = "the source stays as it is; `graphmend run` keeps the size in the graph";

static void add(walk *walking, const gm_rule *rule, const gm_node *node, const char *message) {
    gm_finding read = {.rule = rule, .node = node, .function = walking->function, .message = message, .certain = true};
    bool number = rule == &gm_rule_read_value;
    read.advice = number ? number_advice : size_advice;
    read.refusal = (gm_refusal){number ? number_reason : size_reason, node};
    gm_vec_push(walking->analysis->arena, walking->found, read);
}

/* The evidence is a parameter that is annotated as a tensor, among others: `Optional[Tensor]` in place of which a list may have come. */
static bool is_annotated(const walk *walking, gm_value value) {
    bool parameter = (value.traits & GM_VALUE_BY_ANNOTATION) != 0 && value.evidence != NULL && value.evidence->kind == GM_KIND_arg;
    const gm_node *annotation = parameter ? gm_as_arg(value.evidence)->annotation : NULL;
    const char *text = walking->analysis->tree->source->text;
    for (uint32_t at = annotation == NULL ? 0 : annotation->start; annotation != NULL && at + 6 <= annotation->end; at++) {
        if (memcmp(text + at, "Tensor", 6) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_tensor(const walk *walking, const gm_node *node) {
    static const unsigned signs = GM_VALUE_BY_USE | GM_VALUE_OPTIONAL;
    gm_value value = gm_value_of(walking->function, node);
    return value.class_ == GM_VALUE_TENSOR ||
           (value.class_ == GM_VALUE_MAYBE && (value.form != GM_FORM_ANY || (value.traits & signs) != 0 || is_annotated(walking, value)));
}

/* A tensor that is made of Python numbers alone, such as `torch.div(n, 2, rounding_mode="trunc")`: its value is known while tracing. */
static bool is_of_numbers(const walk *walking, const gm_node *node, uint32_t depth) {
    static const char *const makers[] = {"torch.div", "torch.floor_divide", "torch.tensor", "torch.scalar_tensor", NULL};
    gm_value value = gm_value_of(walking->function, node);
    if (depth > 4 || value.class_ == GM_VALUE_NOT) {
        return depth <= 4 && (value.traits & GM_VALUE_FROM_DATA) == 0;
    }
    if (node->kind == GM_KIND_BinOp) {
        return is_of_numbers(walking, gm_as_BinOp(node)->left, depth + 1) && is_of_numbers(walking, gm_as_BinOp(node)->right, depth + 1);
    }
    if (node->kind == GM_KIND_Name) {
        const gm_node *binder = gm_reaching_definition(walking->function, node);
        const gm_node *definition = binder == NULL ? NULL : gm_scopes_definition(walking->analysis->flow->scopes, binder);
        return definition != NULL && definition->kind == GM_KIND_Assign &&
               is_of_numbers(walking, gm_as_Assign(definition)->value, depth + 1);
    }
    if (node->kind != GM_KIND_Call) {
        return false;
    }
    const gm_Call *call = gm_as_Call(node);
    const gm_name *name = gm_flow_qualified(walking->analysis->flow, call->func);
    bool known = name != NULL && gm_text_in(name->text, makers);
    for (uint32_t i = 0; known && i < call->args.count; i++) {
        known = is_of_numbers(walking, call->args.items[i], depth + 1);
    }
    return known;
}

/* A tensor whose value is known only when the graph has run. */
static bool is_data(const walk *walking, const gm_node *node) {
    return is_tensor(walking, node) && !is_of_numbers(walking, node, 0);
}

static const char *text_of(const walk *walking, const gm_node *node) {
    const gm_source *source = walking->analysis->tree->source;
    uint32_t length = node->end - node->start;
    bool plain = length <= 40 && memchr(source->text + node->start, '\n', length) == NULL;
    return plain ? gm_analysis_text(walking->analysis, "`%.*s`", (int)length, source->text + node->start) : "a tensor";
}

/* ---- Calls ---- */

/* The last name of a callee, by which most calls are done with; NULL when it has none. */
static const gm_name *last_name_of(const gm_Call *call) {
    const gm_node *callee = call->func;
    return callee->kind == GM_KIND_Name ? gm_as_Name(callee)->id : callee->kind == GM_KIND_Attribute ? gm_as_Attribute(callee)->attr : NULL;
}

static const char *name_of(const gm_Call *call) {
    const gm_name *name = last_name_of(call);
    return name == NULL ? NULL : name->text;
}

static bool find_data_size(const gm_torch_facts *facts, const char *name) {
    static const gm_torch_space spaces[] = {GM_TORCH_FUNCTION, GM_TORCH_METHOD, GM_TORCH_NN};
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
        const gm_torch_op *op = gm_torch_find(facts, spaces[i], name);
        if (op != NULL && (op->flags & GM_TORCH_DYNAMIC_SHAPE) != 0) {
            return true;
        }
    }
    return false;
}

static bool has_data_size(const walk *walking, const gm_name *name) {
    if (name->index >= walking->size_count) {
        return find_data_size(walking->function->flow->facts, name->text);
    }
    uint8_t *known = &walking->sizes[name->index];
    if (*known == SIZE_UNKNOWN) {
        *known = find_data_size(walking->function->flow->facts, name->text) ? SIZE_BY_DATA : SIZE_FIXED;
    }
    return *known == SIZE_BY_DATA;
}

/* The argument that gives `repeat_interleave` the size of its result: a tensor of counts, unless `output_size` is given. */
static bool repeats_by_data(const walk *walking, const gm_Call *call, bool method) {
    uint32_t at = method ? 0 : 1;
    for (uint32_t i = 0; i < call->keywords.count; i++) {
        const gm_name *name = gm_as_keyword(call->keywords.items[i])->arg;
        if (gm_name_is(name, "output_size")) {
            return false;
        }
        if (gm_name_is(name, "repeats")) {
            return is_tensor(walking, gm_as_keyword(call->keywords.items[i])->value);
        }
    }
    return call->args.count > at ? is_tensor(walking, call->args.items[at]) : !method && call->args.count == 1;
}

/* Whether the arguments are those of the form whose result has a size that depends on data. */
static bool sizes_by_data(const walk *walking, const gm_torch_op *op, const gm_Call *call, bool method) {
    if (strcmp(op->name, "where") == 0) {
        return call->args.count + call->keywords.count == 1 && !method;
    }
    if (strcmp(op->name, "repeat_interleave") == 0) {
        return repeats_by_data(walking, call, method);
    }
    if (strcmp(op->name, "one_hot") == 0) {
        return call->args.count + call->keywords.count == 1;
    }
    return strcmp(op->name, "linalg.lstsq") != 0 && strcmp(op->name, "index") != 0;
}

static bool is_known_otherwise(const walk *walking, const gm_node *node) {
    return gm_value_of(walking->function, node).class_ == GM_VALUE_NOT;
}

/* `item()` and `tolist()` of what nothing else is known of: few other things have such methods. */
static bool visit_named_read(walk *walking, const gm_node *node) {
    static const char *const names[] = {"item", "tolist", NULL};
    const gm_Call *call = gm_as_Call(node);
    const gm_Attribute *callee = call->func->kind == GM_KIND_Attribute ? gm_as_Attribute(call->func) : NULL;
    bool named = callee != NULL && gm_text_in(callee->attr->text, names) && call->args.count + call->keywords.count == 0;
    if (!named || gm_flow_qualified(walking->analysis->flow, call->func) != NULL || is_known_otherwise(walking, callee->value)) {
        return false;
    }
    add(walking, &gm_rule_read_value, node,
        gm_analysis_text(walking->analysis, "`%s` reads %s", callee->attr->text, text_of(walking, callee->value)));
    return true;
}

static void visit_op(walk *walking, const gm_node *node) {
    bool method = false;
    const gm_Call *call = gm_as_Call(node);
    const gm_name *name = last_name_of(call);
    const gm_torch_op *op = name == NULL || !has_data_size(walking, name) ? NULL : gm_called_torch_op(walking->function, node, &method);
    if (op == NULL || (method && !is_tensor(walking, gm_as_Attribute(call->func)->value))) {
        return;
    }
    if ((op->flags & GM_TORCH_DYNAMIC_SHAPE) != 0 && sizes_by_data(walking, op, call, method)) {
        add(walking, &gm_rule_data_size, node,
            gm_analysis_text(walking->analysis, "the size of what `%s` gives depends on data", op->name));
    }
}

/* `int(t)`, `float(t)`, `range(t)`. */
static bool visit_builtin(walk *walking, const gm_node *node) {
    static const char *const names[] = {"builtins.int", "builtins.float", "builtins.range", "builtins.complex"};
    static const char *const short_names[] = {"int", "float", "range", "complex", NULL};
    const gm_Call *call = gm_as_Call(node);
    if (call->func->kind != GM_KIND_Name || !gm_text_in(name_of(call), short_names)) {
        return false;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0] && call->args.count > 0; i++) {
        if (!gm_flow_names(walking->analysis->flow, call->func, names[i])) {
            continue;
        }
        for (uint32_t j = 0; j < call->args.count; j++) {
            if (is_data(walking, call->args.items[j])) {
                add(walking, &gm_rule_read_value, node,
                    gm_analysis_text(walking->analysis, "`%s` reads %s", strchr(names[i], '.') + 1, text_of(walking, call->args.items[j])));
                break;
            }
        }
        return true;
    }
    return false;
}

/* A tensor among the numbers of a size: itself, or in a tuple or list. */
static const gm_node *tensor_in_size(const walk *walking, const gm_node *size) {
    const gm_list *items = size->kind == GM_KIND_Tuple  ? &gm_as_Tuple(size)->elts
                           : size->kind == GM_KIND_List ? &gm_as_List(size)->elts
                                                        : NULL;
    if (items == NULL) {
        return is_data(walking, size) ? size : NULL;
    }
    for (uint32_t i = 0; i < items->count; i++) {
        if (is_data(walking, items->items[i])) {
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
static const sized *sized_of(const walk *walking, const gm_Call *call) {
    const char *short_name = name_of(call);
    if (short_name == NULL) {
        return NULL;
    }
    const gm_name *name = ends_name(short_name) ? gm_flow_qualified(walking->analysis->flow, call->func) : NULL;
    if (name != NULL) {
        return sized_by_name(name->text);
    }
    const sized *method = call->func->kind == GM_KIND_Attribute ? sized_by_method(short_name) : NULL;
    return method != NULL && is_tensor(walking, gm_as_Attribute(call->func)->value) ? method : NULL;
}

/* Tensors as sizes: `torch.arange(lengths.max())`, `x.reshape(h, w)` with `h, w = grid`. */
static void visit_size(walk *walking, const gm_node *node) {
    const gm_Call *call = gm_as_Call(node);
    const sized *taken = sized_of(walking, call);
    const gm_node *tensor = NULL;
    for (uint32_t i = taken == NULL ? call->args.count : taken->first; i < call->args.count && tensor == NULL; i++) {
        tensor = taken->all || i == taken->first ? tensor_in_size(walking, call->args.items[i]) : NULL;
    }
    for (uint32_t i = 0; taken != NULL && i < call->keywords.count && tensor == NULL; i++) {
        const gm_keyword *keyword = gm_as_keyword(call->keywords.items[i]);
        tensor = taken->keyword != NULL && gm_name_is(keyword->arg, taken->keyword) ? tensor_in_size(walking, keyword->value) : NULL;
    }
    if (tensor != NULL) {
        add(walking, &gm_rule_read_value, tensor, gm_analysis_text(walking->analysis, "a size reads %s", text_of(walking, tensor)));
    }
}

/* `[x] * n` where `n` is a tensor. */
static void visit_repetition(walk *walking, const gm_node *node) {
    const gm_BinOp *product = gm_as_BinOp(node);
    bool left = product->left->kind == GM_KIND_List;
    bool right = product->right->kind == GM_KIND_List;
    const gm_node *times = left ? product->right : product->left;
    if (product->op == GM_OP_Mult && left != right && is_data(walking, times)) {
        add(walking, &gm_rule_read_value, times,
            gm_analysis_text(walking->analysis, "the length of a list reads %s", text_of(walking, times)));
    }
}

/* Assertions of torch that look at all of a tensor. */
static bool visit_check(walk *walking, const gm_node *node) {
    static const char *const names[] = {"torch._check_tensor_all", "torch._check_tensor_all_with", NULL};
    const gm_Call *call = gm_as_Call(node);
    const char *short_name = name_of(call);
    if (short_name == NULL || strncmp(short_name, "_check_tensor_all", strlen("_check_tensor_all")) != 0) {
        return false;
    }
    const gm_name *name = gm_flow_qualified(walking->analysis->flow, call->func);
    bool found = name != NULL && gm_text_in(name->text, names);
    if (found) {
        add(walking, &gm_rule_read_value, node, gm_analysis_text(walking->analysis, "`%s` reads a tensor", short_name));
    }
    return found;
}

/* ---- Items ---- */

/* The name behind what changes neither the kind of the items nor whether they are a mask: `mask.squeeze(-1)`, `masks[i]`. */
static const gm_name *name_behind(const gm_node *node) {
    static const char *const methods[] = {"squeeze", "unsqueeze", "view", "reshape",   "flatten", "expand",     "expand_as",
                                          "repeat",  "to",        "bool", "transpose", "permute", "contiguous", NULL};
    for (;;) {
        if (node->kind == GM_KIND_Subscript) {
            node = gm_as_Subscript(node)->value;
        } else if (node->kind == GM_KIND_Call && gm_as_Call(node)->func->kind == GM_KIND_Attribute &&
                   gm_text_in(gm_as_Attribute(gm_as_Call(node)->func)->attr->text, methods)) {
            node = gm_as_Attribute(gm_as_Call(node)->func)->value;
        } else {
            break;
        }
    }
    return node->kind == GM_KIND_Name ? gm_as_Name(node)->id : node->kind == GM_KIND_Attribute ? gm_as_Attribute(node)->attr : NULL;
}

/* What tensors of bool are called, where nothing else is known of a name; positions of masks are none. */
static bool is_called_mask(const walk *walking, const gm_node *index) {
    static const char *const others[] = {"_idx",    "_index",   "_indices", "_id",    "_ids", "_positions", "_len",   "_lens",
                                         "_length", "_lengths", "_size",    "_sizes", "_num", "_count",     "_tokens"};
    const gm_name *name = name_behind(index);
    if (name == NULL || strstr(name->text, "mask") == NULL || is_known_otherwise(walking, index)) {
        return false;
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (gm_text_ends_with(name->text, others[i])) {
            return false;
        }
    }
    return true;
}

/* `~mask` and comparisons are masks when what they look at is a tensor, or nothing is known of it. */
static bool is_mask(const walk *walking, const gm_node *index) {
    gm_value value = gm_value_of(walking->function, index);
    if (index->kind == GM_KIND_UnaryOp && gm_as_UnaryOp(index)->op == GM_OP_Invert) {
        return !is_known_otherwise(walking, gm_as_UnaryOp(index)->operand);
    }
    bool known = is_tensor(walking, index) && value.dtype != GM_DTYPE_UNKNOWN;
    return known ? value.dtype == GM_DTYPE_BOOL : is_called_mask(walking, index);
}

static const gm_node *tensor_bound(const walk *walking, const gm_node *index) {
    const gm_Slice *slice = index->kind == GM_KIND_Slice ? gm_as_Slice(index) : NULL;
    if (slice == NULL) {
        return NULL;
    }
    const gm_node *const bounds[] = {slice->lower, slice->upper, slice->step};
    for (size_t i = 0; i < 3; i++) {
        if (bounds[i] != NULL && is_data(walking, bounds[i])) {
            return bounds[i];
        }
    }
    return NULL;
}

static bool visit_index(walk *walking, const gm_node *node, const gm_node *index) {
    const gm_node *bound = tensor_bound(walking, index);
    if (bound != NULL) {
        add(walking, &gm_rule_read_value, bound,
            gm_analysis_text(walking->analysis, "a bound of a slice reads %s", text_of(walking, bound)));
        return true;
    }
    if (is_mask(walking, index)) {
        add(walking, &gm_rule_data_size, node,
            gm_analysis_text(walking->analysis, "the mask %s chooses how many items there are", text_of(walking, index)));
        return true;
    }
    return false;
}

/* What is indexed by a tensor of bool is one itself. */
static bool is_masked(const walk *walking, const gm_Subscript *item) {
    gm_value index = gm_value_of(walking->function, item->slice);
    return index.class_ == GM_VALUE_TENSOR && index.dtype == GM_DTYPE_BOOL && !is_known_otherwise(walking, item->value);
}

static void visit_subscript(walk *walking, const gm_node *node) {
    const gm_Subscript *item = gm_as_Subscript(node);
    if (item->ctx != GM_LOAD || (!is_tensor(walking, item->value) && !is_masked(walking, item))) {
        return;
    }
    if (item->slice->kind != GM_KIND_Tuple) {
        visit_index(walking, node, item->slice);
        return;
    }
    const gm_list *indices = &gm_as_Tuple(item->slice)->elts;
    for (uint32_t i = 0; i < indices->count && !visit_index(walking, node, indices->items[i]); i++) {
    }
}

/* ---- What is not traced ---- */

static bool visit_untraced(walk *walking, const gm_node *node) {
    gm_untraced found;
    if (!gm_untraced_find(walking->analysis, walking->function, node, &found)) {
        return false;
    }
    gm_finding finding = {.rule = found.rule, .node = found.node, .function = walking->function, .certain = true};
    finding.message = found.message;
    finding.advice = found.advice;
    finding.refusal = (gm_refusal){found.reason, found.node};
    gm_vec_push(walking->analysis->arena, walking->found, finding);
    return true;
}

/* ---- The walk ---- */

static bool is_open(const walk *walking, const gm_node *definition) {
    return !walking->analysis->reached_only || gm_reach_has(walking->analysis, definition);
}

/* Outside of functions that are looked at, only definitions matter. */
static bool visit(gm_node *node, void *context) {
    walk inner = *(walk *)context;
    if (node->kind == GM_KIND_JoinedStr || (inner.function == NULL && !gm_holds_statements(node))) {
        return true;
    }
    if (gm_is_def(node)) {
        inner.function = is_open(&inner, node) ? gm_flow_function(inner.analysis->flow, node) : NULL;
    } else if (node->kind == GM_KIND_ClassDef || node->kind == GM_KIND_Lambda) {
        inner.function = NULL;
    }
    if (inner.function != NULL && visit_untraced(&inner, node)) {
        return gm_node_children(node, visit, &inner);
    }
    if (inner.function != NULL && node->kind == GM_KIND_Call) {
        if (!visit_builtin(&inner, node) && !visit_named_read(&inner, node) && !visit_check(&inner, node)) {
            visit_op(&inner, node);
            visit_size(&inner, node);
        }
    } else if (inner.function != NULL && node->kind == GM_KIND_Subscript) {
        visit_subscript(&inner, node);
    } else if (inner.function != NULL && node->kind == GM_KIND_BinOp) {
        visit_repetition(&inner, node);
    }
    return gm_node_children(node, visit, &inner);
}

static int compare(const void *left, const void *right) {
    const gm_finding *a = left;
    const gm_finding *b = right;
    return a->node->start != b->node->start ? (a->node->start < b->node->start ? -1 : 1) : a->node->end > b->node->end ? -1 : 1;
}

gm_findings *gm_reads_of(gm_analysis *analysis) {
    walk walking = {.analysis = analysis, .found = GM_NEW(analysis->arena, gm_findings)};
    if (analysis->flow == NULL) {
        return walking.found;
    }
    walking.size_count = analysis->tree->names->count;
    walking.sizes = GM_NEW_ARRAY(analysis->arena, uint8_t, walking.size_count);
    gm_node_children(&analysis->tree->module->base, visit, &walking);
    gm_findings *found = walking.found;
    if (found->count > 1) {
        qsort(found->items, found->count, sizeof *found->items, compare);
    }
    for (uint32_t i = 0; i < found->count; i++) {
        gm_finding *read = &found->items[i];
        gm_guarded_mark(analysis, read, read->function->node, read->rule->drops_output);
    }
    return found;
}
