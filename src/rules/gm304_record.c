#include <string.h>

#include "analysis/effects.h"
#include "analysis/makers.h"
#include "analysis/read_before.h"
#include "analysis/read_next.h"
#include "analysis/recorded.h"
#include "analysis/tests.h"
#include "rules/counters.h"
#include "rules/defer.h"
#include "rules/kept_tensors.h"
#include "rules/own_reads.h"
#include "rules/rule.h"

static const char page[] =
    "# GM304 record of numbers\n\n"
    "## What it finds\n\n"
    "A statement that keeps a number for later, in an object that outlives the call: a counter, a history, a table of statistics:\n\n"
    "    self.losses.append(loss.item())\n"
    "    self.history.append(loss.detach())\n"
    "    self.last[\"mean\"] = y.mean().item()\n"
    "    self.means.setdefault(name, []).append(y.mean().item())\n"
    "    self.writer.add_scalar(\"mean\", y.mean().item())\n"
    "    if x.mean() > 0:\n"
    "        self.hits += 1\n"
    "    self.calls += 1\n\n"
    "## Why it breaks\n\n"
    "Reading the number ends the graph (GB0124), and so does a condition on data around the statement (GB0170). A whole number "
    "that a module holds is compiled in as a constant: where every call changes it, every call compiles the function again, and after eight times "
    "the function runs in plain Python (GB0039). A list or dictionary that grows in every call has the same end.\n\n"
    "## What to write\n\n"
    "Return the tensor and keep the number in the caller, or count in a buffer, with tensor operations:\n\n"
    "    self.register_buffer(\"calls\", torch.zeros((), dtype=torch.long))\n\n"
    "## When the mend is safe\n\n"
    "The value is a number, a text, a tensor that a list keeps, or a container of such, and nothing in the compiled call looks at the object, which is "
    "found out while the call is traced; a counter that the next statements read for certain is left as it is. A number under a key may be "
    "computed from what the dictionary holds (`self.counts[key] = self.counts.get(key, 0) + 1`). What a method of the program's "
    "own class may reach is looked through as well: it may write to "
    "nothing that the call reads, to no global name, and draw no random numbers. Calls of the program's own in the value are made where the "
    "statement stands. `graphmend run` keeps the tensors and carries the statement out when the compiled call has returned, in "
    "the order of the program with everything printed or logged.\n";

extern const gm_rule gm_rule_record;

/* A statement of this rule, taken apart. */
typedef struct gm_record {
    const gm_node *target; /* the attribute, global or container, in front of all brackets */
    const char *action;
    gm_list reads;         /* what the statement reads besides: indices, values, arguments */
    gm_list keys;          /* the indices among them, the outermost container's first */
    const gm_node *value;  /* what is kept; NULL for a call */
    bool counts;           /* an augmented assignment */
    bool foreign;          /* a method of which only the class of the object tells what it does */
} record;

static void add_node(gm_analysis *analysis, gm_list *list, const gm_node *node) {
    size_t size = sizeof *list->items;
    list->items = gm_arena_grow(analysis->arena, list->items, size * list->count, size * (list->count + 1));
    list->items[list->count++] = (gm_node *)(uintptr_t)node; /* lists hold nodes as the parser has made them */
}

static void add_read(gm_analysis *analysis, record *found, const gm_node *node) {
    add_node(analysis, &found->reads, node);
}

static void add_key(gm_analysis *analysis, record *found, const gm_node *node) {
    add_read(analysis, found, node);
    add_node(analysis, &found->keys, node);
}

/* ---- Taking it apart ---- */

static void strip_brackets(gm_analysis *analysis, record *found) {
    for (;;) {
        if (found->target->kind == GM_KIND_Subscript) {
            add_key(analysis, found, gm_as_Subscript(found->target)->slice);
            found->target = gm_as_Subscript(found->target)->value;
        } else if (gm_is_entry(analysis, found->target)) {
            const gm_Call *entry = gm_as_Call(found->target);
            add_key(analysis, found, entry->args.items[0]);
            found->target = gm_as_Attribute(entry->func)->value;
        } else {
            return;
        }
        found->action = "[]";
    }
}

/* The stream of `print(..., file=self.stream)` and `json.dump(..., self.stream)`; NULL for others. */
static const gm_node *stream_of(const gm_analysis *analysis, const gm_Call *call) {
    if (gm_flow_names(analysis->flow, call->func, "builtins.print")) {
        return gm_call_keyword(call, "file");
    }
    bool dumps = gm_flow_names(analysis->flow, call->func, "json.dump");
    return !dumps ? NULL : call->args.count == 2 ? call->args.items[1] : gm_call_keyword(call, "fp");
}

/* Methods of what no import gives: a writer's, a meter's, a progress bar's. Names that end in `_` write to tensors. */
static bool may_record(const gm_analysis *analysis, const gm_Call *call) {
    const gm_name *method = gm_as_Attribute(call->func)->attr;
    size_t length = strlen(method->text);
    return gm_flow_qualified(analysis->flow, call->func) == NULL && method->text[0] != '_' && method->text[length - 1] != '_';
}

static bool take_call(gm_analysis *analysis, const gm_Call *call, record *found) {
    const gm_node *stream = stream_of(analysis, call);
    if (stream != NULL) {
        found->target = stream;
        found->action = "write";
    } else if (call->func->kind == GM_KIND_Attribute) {
        found->target = gm_as_Attribute(call->func)->value;
        found->action = gm_as_Attribute(call->func)->attr->text;
        found->foreign = !gm_text_in(found->action, gm_recorded_methods);
    }
    if (found->target == NULL || (found->foreign && !may_record(analysis, call))) {
        return false;
    }
    for (uint32_t i = 0; i < call->args.count; i++) {
        if (call->args.items[i] != stream) {
            add_read(analysis, found, call->args.items[i]);
        }
    }
    for (uint32_t i = 0; i < call->keywords.count; i++) {
        const gm_keyword *keyword = gm_as_keyword(call->keywords.items[i]);
        if (keyword->value != stream) {
            add_read(analysis, found, keyword->value);
        }
    }
    return true;
}

static bool take_statement(gm_analysis *analysis, const gm_site *site, record *found) {
    const gm_Call *call = gm_defer_call(site);
    found->action = "=";
    if (call != NULL) {
        return take_call(analysis, call, found);
    }
    if (site->node->kind == GM_KIND_AugAssign) {
        found->target = gm_as_AugAssign(site->node)->target;
        found->value = gm_as_AugAssign(site->node)->value;
        found->counts = true;
    } else if (site->node->kind == GM_KIND_Assign && gm_as_Assign(site->node)->targets.count == 1) {
        found->target = gm_as_Assign(site->node)->targets.items[0];
        found->value = gm_as_Assign(site->node)->value;
    } else {
        return false;
    }
    add_read(analysis, found, found->value);
    return true;
}

/* The name that a chain of attributes starts with, or NULL. Private names are written differently inside classes. */
static const gm_node *chain_root(const gm_node *node) {
    while (node->kind == GM_KIND_Attribute) {
        if (strncmp(gm_as_Attribute(node)->attr->text, "__", 2) == 0) {
            return NULL;
        }
        node = gm_as_Attribute(node)->value;
    }
    return node->kind == GM_KIND_Name && strncmp(gm_as_Name(node)->id->text, "__", 2) != 0 ? node : NULL;
}

static bool is_global(gm_analysis *analysis, const gm_symbol *symbol) {
    const gm_symbol *owner = gm_symbol_owner(analysis->flow->scopes, symbol);
    return owner != NULL && owner->scope == analysis->flow->scopes->module;
}

/* Fill in whose the object is: a parameter's, by an attribute, or a global. A local that is itself the container has mostly been made in the
 * call, where the tracer knows all about it. */
static bool find_owner(gm_analysis *analysis, const gm_site *site, const record *found, gm_plan *plan) {
    const gm_node *root = chain_root(found->target);
    gm_symbol *symbol = root == NULL ? NULL : gm_scopes_symbol(analysis->flow->scopes, root);
    if (symbol == NULL || symbol->scope != site->function->scope) {
        return false;
    }
    bool bare = found->target == root;
    if (is_global(analysis, symbol)) {
        plan->declares = bare && strcmp(found->action, "=") == 0;
        return !plan->declares || symbol->binding == GM_BINDING_GLOBAL_EXPLICIT;
    }
    plan->object = symbol;
    bool fixed = symbol->binding == GM_BINDING_LOCAL || (symbol->binding == GM_BINDING_CELL && symbol->binders.count == 1);
    return !bare && (symbol->flags & GM_SYMBOL_PARAMETER) != 0 && fixed;
}

/* ---- What is kept ---- */

/* What may be a number; or a container of numbers that goes in as itself, or that items are taken out of. */
typedef struct gm_guessed_node {
    const gm_node *node;
    bool items;
} guessed_node;

typedef struct gm_plain_question {
    gm_analysis *analysis;
    gm_function *function;
    const char *own; /* the object that is written to: it holds what has been kept before */
    bool itself;     /* what is recorded goes in as it is */
    bool guesses;    /* variables and calls of which nothing is known may give a number: tracing finds out */
    GM_VEC(guessed_node) guessed;
} plain_question;

static bool is_plain(plain_question *asked, const gm_node *node);

static bool are_plain(plain_question *asked, const gm_list *nodes) {
    for (uint32_t i = 0; i < nodes->count; i++) {
        if (nodes->items[i] != NULL && !is_plain(asked, nodes->items[i])) {
            return false;
        }
    }
    return true;
}

/* Builtins that give a number or text whatever they get, and those that do for numbers and texts. */
static const char *const converters[] = {"ascii", "bin", "bool", "float", "format", "hash", "hex", "int", "len", "repr", "str", NULL};
static const char *const keepers[] = {"abs", "dict", "list", "max", "min", "round", "set", "sorted", "sum", "tuple", NULL};
static const char *const texts[] = {"json.dumps", "pprint.pformat", NULL};
static const char *const readers[] = {"item", "tolist", NULL};
static const char *const makers[] = {"dim",   "format",  "join", "lower", "ndimension", "nelement",
                                     "numel", "replace", "size", "strip", "upper",      NULL};
static const char *const facts[] = {"__name__", "device", "dtype", "ndim", "shape", "training", NULL};

static bool reads_clock(const gm_name *name) {
    static const char *const clocks[] = {
        "time", "perf_counter", "monotonic", "process_time", "thread_time", "time_ns", "perf_counter_ns", "monotonic_ns", NULL};
    return strncmp(name->text, "time.", strlen("time.")) == 0 && gm_text_in(name->text + strlen("time."), clocks);
}

static bool guess(plain_question *asked, const gm_node *node, bool items) {
    guessed_node guessed = {node, items};
    gm_vec_push(asked->analysis->arena, &asked->guessed, guessed);
    return true;
}

static bool may_be_plain(plain_question *asked, const gm_node *node, bool items) {
    return asked->guesses && gm_value_of(asked->function, node).class_ == GM_VALUE_UNKNOWN && guess(asked, node, items);
}

static bool is_container(gm_value value) {
    gm_value_form form = value.form;
    return form == GM_FORM_LIST || form == GM_FORM_TUPLE || form == GM_FORM_TENSORS || form == GM_FORM_DICT || form == GM_FORM_SET;
}

/* Tracing finds out what a container holds. */
static bool is_plain_variable(plain_question *asked, const gm_node *name, bool items) {
    gm_value value = gm_value_of(asked->function, name);
    bool known = value.class_ == GM_VALUE_NOT;
    return known && is_container(value) ? guess(asked, name, items) : known || may_be_plain(asked, name, items);
}

/* Arguments of a function that takes the items out of what it is given: `dict(logs)`, `max(a, b)`. */
static bool are_taken(plain_question *asked, const gm_Call *call) {
    bool plain = true;
    for (uint32_t i = 0; plain && i < call->args.count; i++) {
        const gm_node *argument = call->args.items[i];
        plain = argument->kind == GM_KIND_Name ? is_plain_variable(asked, argument, true) : is_plain(asked, argument);
    }
    for (uint32_t i = 0; plain && i < call->keywords.count; i++) {
        plain = is_plain(asked, gm_as_keyword(call->keywords.items[i])->value);
    }
    return plain;
}

/* A call that is made where it stands: of one that gives no tensor it is still not known what else it gives. */
static bool may_give_plain(plain_question *asked, const gm_Call *call) {
    if (!gm_effects_in_place(asked->analysis, asked->function, &call->base)) {
        return false;
    }
    bool known = gm_value_of(asked->function, &call->base).class_ == GM_VALUE_NOT;
    return known ? guess(asked, &call->base, !asked->itself) : may_be_plain(asked, &call->base, !asked->itself);
}

/* `self.counts.get(key, 0)` of the dictionary that is written to: read when the statement is carried out. */
static bool reads_own(plain_question *asked, const gm_Call *call) {
    const gm_node *receiver = call->func->kind == GM_KIND_Attribute ? gm_as_Attribute(call->func)->value : NULL;
    return receiver != NULL && gm_name_is(gm_as_Attribute(call->func)->attr, "get") && call->keywords.count == 0 &&
           gm_own_reads_as(asked->function, receiver, asked->own) && are_plain(asked, &call->args);
}

static bool is_plain_call(plain_question *asked, const gm_Call *call) {
    if (reads_own(asked, call)) {
        return true;
    }
    const gm_name *name = gm_flow_qualified(asked->function->flow, call->func);
    if (name != NULL && strncmp(name->text, "builtins.", strlen("builtins.")) == 0 && call->func->kind == GM_KIND_Name) {
        const gm_name *builtin = gm_as_Name(call->func)->id;
        return gm_text_in(builtin->text, converters) || (gm_text_in(builtin->text, keepers) && are_taken(asked, call));
    }
    if (name != NULL && (gm_text_in(name->text, texts) || reads_clock(name))) {
        return true;
    }
    if (call->func->kind == GM_KIND_Attribute) {
        const gm_name *method = gm_as_Attribute(call->func)->attr;
        if (gm_text_in(method->text, readers) || gm_text_in(method->text, makers)) {
            return true;
        }
    }
    return may_give_plain(asked, call);
}

/* A number, a text, or a container of such. */
static bool is_plain(plain_question *asked, const gm_node *node) {
    if (gm_own_reads_as(asked->function, node, asked->own)) {
        return true;
    }
    switch ((gm_kind)node->kind) {
    case GM_KIND_Constant:
    case GM_KIND_JoinedStr: return true;
    case GM_KIND_UnaryOp: return is_plain(asked, gm_as_UnaryOp(node)->operand);
    case GM_KIND_BinOp: return is_plain(asked, gm_as_BinOp(node)->left) && is_plain(asked, gm_as_BinOp(node)->right);
    case GM_KIND_Compare: return is_plain(asked, gm_as_Compare(node)->left) && are_plain(asked, &gm_as_Compare(node)->comparators);
    case GM_KIND_Tuple: return are_plain(asked, &gm_as_Tuple(node)->elts);
    case GM_KIND_List: return are_plain(asked, &gm_as_List(node)->elts);
    case GM_KIND_Dict: return are_plain(asked, &gm_as_Dict(node)->keys) && are_plain(asked, &gm_as_Dict(node)->values);
    case GM_KIND_Subscript: return is_plain(asked, gm_as_Subscript(node)->value);
    case GM_KIND_Call: return is_plain_call(asked, gm_as_Call(node));
    case GM_KIND_Attribute:
        return gm_text_in(gm_as_Attribute(node)->attr->text, facts) || gm_value_of(asked->function, node).class_ == GM_VALUE_NOT;
    case GM_KIND_Name: return is_plain_variable(asked, node, !asked->itself);
    default: return false;
    }
}

/* What goes in as itself: what the program does to it later would have to be seen inside, which a kept copy does not show. */
static bool is_shared(gm_function *function, const gm_node *node);

static bool are_shared(gm_function *function, const gm_list *nodes) {
    for (uint32_t i = 0; i < nodes->count; i++) {
        if (nodes->items[i] != NULL && is_shared(function, nodes->items[i])) {
            return true;
        }
    }
    return false;
}

static bool is_shared(gm_function *function, const gm_node *node) {
    switch ((gm_kind)node->kind) {
    case GM_KIND_Name:
    case GM_KIND_Attribute: {
        gm_value value = gm_value_of(function, node);
        return (node->kind == GM_KIND_Attribute && is_container(value)) || value.form == GM_FORM_OBJECT || value.form == GM_FORM_ARRAY;
    }
    case GM_KIND_Tuple: return are_shared(function, &gm_as_Tuple(node)->elts);
    case GM_KIND_List: return are_shared(function, &gm_as_List(node)->elts);
    case GM_KIND_Dict: return are_shared(function, &gm_as_Dict(node)->values);
    default: return false;
    }
}

/* Methods that take the items out of what they are given. */
static bool takes_items(const char *action) {
    static const char *const names[] = {"extend", "extendleft", "update", "writelines"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(action, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- Whether it is any of our business ---- */

typedef struct gm_data_question {
    gm_function *function;
    bool found;
} data_question;

static bool find_data(const gm_node *node, void *context) {
    data_question *asked = context;
    bool call = node->kind == GM_KIND_Call && gm_as_Call(node)->func->kind == GM_KIND_Attribute;
    bool reads = call && gm_text_in(gm_as_Attribute(gm_as_Call(node)->func)->attr->text, readers);
    bool value = gm_is_expr(node) && (gm_value_of(asked->function, node).traits & GM_VALUE_FROM_DATA) != 0;
    asked->found = reads || value;
    return !asked->found && gm_node_children(node, find_data, context);
}

static bool reads_data(gm_function *function, const gm_list *nodes) {
    data_question asked = {function, false};
    for (uint32_t i = 0; i < nodes->count; i++) {
        gm_work_below(function->flow->arena, nodes->items[i]);
    }
    for (uint32_t i = 0; i < nodes->count && !asked.found; i++) {
        find_data(nodes->items[i], &asked);
    }
    return asked.found;
}

/* `time.time() - start`, and what is computed of it: known only behind the graph. */
static bool find_span(const gm_node *node, void *context) {
    data_question *asked = context;
    if (node->kind == GM_KIND_BinOp && gm_as_BinOp(node)->op == GM_OP_Sub && gm_as_BinOp(node)->left->kind == GM_KIND_Call) {
        const gm_name *name = gm_flow_qualified(asked->function->flow, gm_as_Call(gm_as_BinOp(node)->left)->func);
        asked->found = name != NULL && reads_clock(name);
    }
    return !asked->found && gm_node_children(node, find_span, context);
}

static bool is_span(gm_function *function, const gm_node *value) {
    data_question asked = {function, false};
    gm_work_below(function->flow->arena, value);
    find_span(value, &asked);
    return asked.found;
}

static bool is_constructor(const gm_function *function) {
    return function->node->kind == GM_KIND_FunctionDef && strncmp(gm_as_FunctionDef(function->node)->name->text, "__init", 6) == 0;
}

/* A variable that is guessed to hold a number goes by the name of a parameter. */
static bool is_guess(const gm_capture *capture, const gm_node *guess) {
    bool inside = capture->node->start <= guess->start && guess->end <= capture->node->end;
    return inside || (guess->kind == GM_KIND_Name && strcmp(capture->parameter, gm_as_Name(guess)->id->text) == 0);
}

static void mark_guessed(gm_plan *plan, const plain_question *asked) {
    for (uint32_t i = 0; i < plan->captures.count; i++) {
        gm_capture *capture = &plan->captures.items[i];
        capture->kept = plan->live;
        for (uint32_t k = 0; k < asked->guessed.count && !plan->live; k++) {
            bool meant = is_guess(capture, asked->guessed.items[k].node);
            capture->kept |= meant && !asked->guessed.items[k].items;
            capture->items |= meant && asked->guessed.items[k].items;
        }
    }
}

/* An object of torch's own, such as a scheduler: the runtime looks through no method of torch. */
static bool is_torchs(const gm_site *site, const record *found) {
    const gm_name *maker = found->foreign && gm_maker_named(site->function, "torch") ? gm_maker_of(site->function, found->target) : NULL;
    return maker != NULL && strncmp(maker->text, "torch.", strlen("torch.")) == 0;
}

static bool plan_record(gm_analysis *analysis, const gm_site *site, bool grows) {
    record found = {0};
    gm_plan *plan = gm_plan_new(analysis, &gm_rule_record, site, GM_PLAN_RECORD);
    if (is_constructor(site->function) || !take_statement(analysis, site, &found) || is_torchs(site, &found)) {
        return false; /* what torch does with a number is for the rule of numbers to say */
    }
    const gm_list kept = found.reads;
    bool itself = !found.counts && !takes_items(found.action);
    if (itself && are_shared(site->function, &kept)) {
        return false;
    }
    const char *method = found.action;
    strip_brackets(analysis, &found);
    const char *start = analysis->tree->source->text + found.target->start;
    plan->path = gm_analysis_text(analysis, "%.*s", (int)(found.target->end - found.target->start), start);
    plan->action = found.action;
    bool taken_in = found.value == NULL && !found.foreign;
    plain_question asked = {.analysis = analysis, .function = site->function, .own = plan->path, .itself = itself};
    asked.guesses = taken_in && !gm_flow_names(analysis->flow, gm_defer_call(site)->func, "builtins.print"); /* GM301 keeps tensors, too */
    if (!find_owner(analysis, site, &found, plan)) {
        return false;
    }
    plan->live = !are_plain(&asked, &kept);
    bool keeps = taken_in && (plan->live || asked.guessed.count > 0) && gm_keeps_tensors(analysis, method, &kept);
    if (keeps && found.keys.count > 0 && gm_keys_hold(analysis, site->function, &found.keys, &kept)) {
        plan->live = true;
        plan->keys = found.keys;
        plan->action = gm_analysis_text(analysis, "[].%s", method);
    }
    if (plan->live && (!keeps || (found.keys.count > 0 && plan->keys.count == 0))) {
        return false;
    }
    bool certain = reads_data(site->function, &found.reads);
    found.counts = found.counts || (found.keys.count > 0 && found.value != NULL && gm_own_reads(analysis, found.value, found.target));
    bool known = found.value != NULL && !found.counts && !certain;
    if (known && !is_span(site->function, found.value) && !gm_own_under_data(site)) {
        return false;
    }
    bool counted = found.counts && !certain && gm_read_next(analysis, site, plan->path);
    if (counted || gm_own_is_merged(analysis, site, found.target, found.value, plan->path)) {
        return false;
    }
    const char *changed = grows ? gm_counter_message : "an object is changed in every call";
    const char *message = certain ? "a number from a tensor is kept in an object" : changed;
    const char *advice = grows ? gm_counter_advice : "return the tensor, and keep the number in the caller";
    grows = grows || (certain && !gm_reads_nothing(site->function, &found.reads));
    gm_defer_record(analysis, site, plan, &found.reads, found.target, message, advice, grows);
    mark_guessed(plan, &asked);
    return true;
}

static bool find_record(gm_analysis *analysis, const gm_site *site) {
    bool grows = gm_counter_grows(analysis, site);
    bool planned = plan_record(analysis, site, grows);
    if (grows) {
        gm_counter_report(analysis, &gm_rule_record, site, planned);
    }
    return grows || planned;
}

const gm_rule gm_rule_record = {
    .code = "GM304",
    .name = "record-in-graph",
    .break_id = "GB0124",
    .page = page,
    .walk = GM_WALK_MENDS,
    .find = find_record,
};
