/* How the variables of a function are used, by syntax alone: what only tensors take, and who may share their storage. */
#include <string.h>

#include "flow/walk.h"
#include "values/values_private.h"

typedef struct use_search {
    gm_function *function;
    gm_value_usage *usages;
} use_search;

/* The variable of the function that a Name reads or is, or NULL. */
static gm_symbol *variable_of(const use_search *search, const gm_node *node) {
    const gm_scopes *scopes = search->function->flow->scopes;
    const gm_symbol *symbol = node->kind == GM_KIND_Name ? gm_scopes_symbol(scopes, node) : NULL;
    gm_symbol *owner = symbol == NULL ? NULL : gm_symbol_owner(scopes, symbol);
    return owner != NULL && owner->scope == search->function->scope ? owner : NULL;
}

static gm_value_usage *usage_of(const use_search *search, const gm_node *node) {
    const gm_symbol *symbol = variable_of(search, node);
    return symbol == NULL ? NULL : &search->usages[symbol->index];
}

static void note(gm_value_usage *usage, const char *reason, const gm_node *evidence) {
    if (usage->reason == NULL) {
        usage->reason = reason;
        usage->evidence = evidence;
    }
}

/* ---- Attributes ---- */

static void look_at_attribute(use_search *search, const gm_node *node, const gm_node *parent) {
    const gm_Attribute *attribute = gm_as_Attribute(node);
    gm_value_usage *usage = usage_of(search, attribute->value);
    if (usage == NULL || attribute->ctx != GM_LOAD) {
        return;
    }
    bool called = parent != NULL && parent->kind == GM_KIND_Call && gm_as_Call(parent)->func == node;
    const gm_torch_op *op = gm_torch_find(search->function->flow->facts, GM_TORCH_METHOD, attribute->attr->text);
    if (op == NULL) {
        usage->escapes = true;
        return;
    }
    bool python = op->result != GM_TORCH_TENSOR && op->result != GM_TORCH_TENSORS && op->result != GM_TORCH_UNKNOWN &&
                  op->result != GM_TORCH_OTHER;
    bool new = gm_torch_is_fresh(op) || (op->flags & GM_TORCH_REDUCES) != 0;
    if (!(python || (called && new))) {
        usage->escapes = true;
    }
    if (gm_torch_is_telling(search->function, op, called)) {
        note(
            usage,
            gm_value_text(search->function->flow, "`%s` is used like a tensor, in `.%s`", gm_as_Name(attribute->value)->id->text, op->name),
            node);
    }
}

/* ---- Calls ---- */

static bool is_size_call(const gm_name *name) {
    static const char *const names[] = {"builtins.range", NULL};
    return gm_text_in(name->text, names);
}

/* Arguments of a torch operator: the first is a tensor, unless it makes tensors of numbers; others may share its storage. */
static void look_at_torch_call(use_search *search, const gm_torch_op *op, const gm_Call *call) {
    bool tensors = op->result == GM_TORCH_TENSOR || op->result == GM_TORCH_TENSORS;
    for (uint32_t i = 0; i < call->args.count; i++) {
        gm_value_usage *usage = usage_of(search, call->args.items[i]);
        if (usage == NULL) {
            continue;
        }
        usage->escapes = usage->escapes || !(gm_torch_is_fresh(op) || (op->flags & GM_TORCH_REDUCES) != 0);
        if (i == 0 && tensors && (op->flags & GM_TORCH_CREATES) == 0) {
            note(usage, gm_value_text(search->function->flow, "`%s` is given to `%s`", gm_as_Name(call->args.items[i])->id->text, op->name),
                 &call->base);
        }
    }
    for (uint32_t i = 0; i < call->keywords.count; i++) {
        gm_value_usage *usage = usage_of(search, gm_as_keyword(call->keywords.items[i])->value);
        if (usage != NULL) {
            usage->escapes = true;
        }
    }
}

/* Whether `self.NAME(...)` calls a layer of torch.nn: what it is given is a tensor. */
static bool is_layer_call(const use_search *search, const gm_Call *call) {
    if (call->func->kind != GM_KIND_Attribute) {
        return false;
    }
    const gm_Attribute *callee = gm_as_Attribute(call->func);
    const gm_node *class_def = gm_class_of_self(search->function, callee->value);
    const gm_attribute *attribute = class_def == NULL ? NULL : gm_class_attribute_of(search->function->flow, class_def, callee->attr);
    return attribute != NULL && attribute->type != NULL && strncmp(attribute->type->text, "torch.nn.", 9) == 0 &&
           strcmp(attribute->type->text, "torch.nn.Identity") != 0 && attribute->value.form == GM_FORM_MODULE;
}

static void look_at_other_call(use_search *search, const gm_name *name, const gm_Call *call) {
    bool size = name != NULL && is_size_call(name);
    gm_value_usage *first = call->args.count == 0 ? NULL : usage_of(search, call->args.items[0]);
    if (first != NULL && is_layer_call(search, call)) {
        note(first, gm_value_text(search->function->flow, "`%s` is given to a layer", gm_as_Name(call->args.items[0])->id->text),
             &call->base);
    }
    for (uint32_t i = 0; i < call->args.count; i++) {
        gm_value_usage *usage = usage_of(search, call->args.items[i]);
        if (usage != NULL) {
            usage->counts = usage->counts || size;
            usage->escapes = true;
        }
    }
    for (uint32_t i = 0; i < call->keywords.count; i++) {
        gm_value_usage *usage = usage_of(search, gm_as_keyword(call->keywords.items[i])->value);
        if (usage != NULL) {
            usage->escapes = true;
        }
    }
}

/* `isinstance(x, torch.Tensor)`, `torch.is_tensor(x)`: it may be one. */
static bool asks_for_tensor(use_search *search, const gm_name *name, const gm_Call *call) {
    if (name == NULL || call->args.count == 0) {
        return false;
    }
    if (strcmp(name->text, "torch.is_tensor") == 0) {
        return true;
    }
    return strcmp(name->text, "builtins.isinstance") == 0 && call->args.count == 2 &&
           gm_flow_names(search->function->flow, call->args.items[1], "torch.Tensor");
}

/* Keep `isinstance(x, ...)` and `torch.is_tensor(x)` with the variable. */
static void note_question(use_search *search, const gm_name *name, const gm_Call *call) {
    bool asks = name != NULL && call->keywords.count == 0 &&
                ((strcmp(name->text, "builtins.isinstance") == 0 && call->args.count == 2) ||
                 (strcmp(name->text, "torch.is_tensor") == 0 && call->args.count == 1));
    gm_value_usage *usage = asks ? usage_of(search, call->args.items[0]) : NULL;
    if (usage != NULL) {
        gm_vec_push(search->function->flow->arena, &usage->questions, &call->base);
    }
}

static void look_at_call(use_search *search, const gm_node *node) {
    const gm_Call *call = gm_as_Call(node);
    const gm_name *name = gm_flow_qualified(search->function->flow, call->func);
    note_question(search, name, call);
    if (asks_for_tensor(search, name, call)) {
        gm_value_usage *usage = usage_of(search, call->args.items[0]);
        if (usage != NULL) {
            note(usage,
                 gm_value_text(search->function->flow, "`%s` may be a tensor, as the code asks", gm_as_Name(call->args.items[0])->id->text),
                 node);
        }
        return;
    }
    const gm_torch_op *op = name != NULL ? gm_torch_find_qualified(search->function->flow->facts, name->text) : NULL;
    if (op != NULL) {
        look_at_torch_call(search, op, call);
        return;
    }
    look_at_other_call(search, name, call);
}

/* ---- Everything else ---- */

/* Whether a name under this parent gives nobody else its storage: an operand, a condition, a returned value, the base of a store. */
static bool is_private_use(const gm_node *node, const gm_node *parent) {
    switch ((gm_kind)parent->kind) {
    case GM_KIND_BinOp:
    case GM_KIND_UnaryOp:
    case GM_KIND_Compare:
    case GM_KIND_Attribute: /* looked at with the attribute */
    case GM_KIND_Call:      /* looked at with the call */
    case GM_KIND_keyword:
    case GM_KIND_Return:
    case GM_KIND_Expr:
    case GM_KIND_If:
    case GM_KIND_While:
    case GM_KIND_Assert: return true;
    case GM_KIND_AugAssign: return gm_as_AugAssign(parent)->target == node || gm_as_AugAssign(parent)->target->kind == GM_KIND_Name;
    case GM_KIND_Subscript: return gm_as_Subscript(parent)->slice == node || gm_as_Subscript(parent)->ctx == GM_STORE;
    default: return false;
    }
}

static bool is_number(const gm_node *node) {
    const gm_node *operand = node->kind == GM_KIND_UnaryOp ? gm_as_UnaryOp(node)->operand : node;
    return operand->kind == GM_KIND_Constant && gm_as_Constant(operand)->value.literal == GM_LITERAL_int;
}

static bool is_length(const use_search *search, const gm_node *node) {
    const gm_node *callee = node->kind == GM_KIND_Call ? gm_as_Call(node)->func : NULL;
    bool named = callee != NULL && callee->kind == GM_KIND_Name && gm_name_is(gm_as_Name(callee)->id, "len");
    return named && gm_as_Call(node)->args.count == 1 && gm_as_Call(node)->keywords.count == 0 &&
           gm_flow_names(search->function->flow, gm_as_Call(node)->func, "builtins.len");
}

/* Whether a name is used as a size is: by its length, by one of its items, and by whether there is one. */
static bool is_use_of_size(const use_search *search, const gm_node *node, const gm_node *parent) {
    if (parent == NULL) {
        return false;
    }
    if (parent->kind == GM_KIND_Subscript) {
        return gm_as_Subscript(parent)->value == node && gm_as_Subscript(parent)->ctx == GM_LOAD &&
               is_number(gm_as_Subscript(parent)->slice);
    }
    if (parent->kind == GM_KIND_Compare) {
        const gm_Compare *compare = gm_as_Compare(parent);
        const gm_node *other = compare->left == node ? compare->comparators.items[0] : compare->left;
        return compare->comparators.count == 1 && other->kind == GM_KIND_Constant &&
               gm_as_Constant(other)->value.literal == GM_LITERAL_None;
    }
    return is_length(search, parent);
}

/* `len(x) >= 3`: how many dimensions there are. */
static void look_at_comparison(use_search *search, const gm_node *node) {
    const gm_Compare *compare = gm_as_Compare(node);
    bool length = compare->comparators.count == 1 && is_length(search, compare->left) && is_number(compare->comparators.items[0]);
    gm_value_usage *usage = length ? usage_of(search, gm_as_Call(compare->left)->args.items[0]) : NULL;
    if (usage != NULL) {
        usage->measured = true;
    }
}

static void look_at_name(use_search *search, const gm_node *node, const gm_node *parent) {
    const gm_symbol *symbol = variable_of(search, node);
    if (symbol == NULL || gm_as_Name(node)->ctx != GM_LOAD) {
        return;
    }
    gm_value_usage *usage = &search->usages[symbol->index];
    usage->opened = usage->opened || (symbol->flags & GM_SYMBOL_PARAMETER) == 0 || !is_use_of_size(search, node, parent);
    if (symbol->binding == GM_BINDING_CELL || parent == NULL || !is_private_use(node, parent)) {
        usage->escapes = true;
    }
}

static bool visit_use(const gm_node *node, const gm_node *parent, void *context) {
    use_search *search = context;
    switch ((gm_kind)node->kind) {
    case GM_KIND_Name: look_at_name(search, node, parent); break;
    case GM_KIND_Attribute: look_at_attribute(search, node, parent); break;
    case GM_KIND_Call: look_at_call(search, node); break;
    case GM_KIND_Compare: look_at_comparison(search, node); break;
    default: break;
    }
    return true;
}

gm_value_usage *gm_values_usages(gm_function *function) {
    use_search search = {function, GM_NEW_ARRAY(function->flow->arena, gm_value_usage, function->scope->symbols.count)};
    gm_walk(function->flow->arena, function->node, visit_use, &search);
    return search.usages;
}
