#include "analysis/eager_only.h"

#include <string.h>

#include "base/utf8.h"
#include "syntax/literal.h"
#include "values/values.h"

/* `torch.compiler.is_compiling()`, its older names, and what libraries have made of it. */
static bool asks_compiling(gm_flow *flow, const gm_node *node) {
    static const char *const names[] = {"is_compiling", "is_dynamo_compiling", "is_torchdynamo_compiling"};
    const gm_name *name = node->kind == GM_KIND_Call ? gm_flow_qualified(flow, gm_as_Call(node)->func) : NULL;
    const char *dot = name != NULL ? strrchr(name->text, '.') : NULL;
    for (size_t i = 0; dot != NULL && i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(dot + 1, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* What other ways to capture a program ask about themselves: false for the compiler (run). */
static bool asks_other_capture(gm_flow *flow, const gm_node *node) {
    static const char *const names[] = {"torch.jit.is_tracing", "torch.jit.is_scripting", "torch.onnx.is_in_onnx_export", NULL};
    const gm_name *name = node->kind == GM_KIND_Call ? gm_flow_qualified(flow, gm_as_Call(node)->func) : NULL;
    return name != NULL && gm_text_in(name->text, names);
}

/* `torch.__version__ == "parrots"`: a text that no version begins like. */
static bool asks_other_torch(gm_flow *flow, const gm_node *node, bool when) {
    const gm_Compare *test = node->kind == GM_KIND_Compare ? gm_as_Compare(node) : NULL;
    if (test == NULL || test->ops.count != 1 || !gm_flow_names(flow, test->left, "torch.__version__")) {
        return false;
    }
    const gm_node *text = test->comparators.items[0];
    if (!gm_is_text(text)) {
        return false;
    }
    gm_buffer decoded;
    gm_buffer_init(&decoded, flow->arena);
    gm_literal_decode(flow->tree->source, &gm_as_Constant(text)->value, &decoded);
    bool version = decoded.length > 0 && gm_utf8_is_digit(decoded.bytes[0]);
    return !version && test->ops.items[0] == (when ? GM_OP_NotEq : GM_OP_Eq);
}

static const gm_node *decides(gm_flow *flow, const gm_node *test, bool when);

/* `checking = not torch.compiler.is_compiling()`, and nothing else binds the variable. */
static const gm_node *decided_before(gm_flow *flow, const gm_node *name, bool when) {
    const gm_symbol *symbol = gm_scopes_symbol(flow->scopes, name);
    const gm_symbol *owner = symbol == NULL ? NULL : gm_symbol_owner(flow->scopes, symbol);
    const gm_node *binding = owner == NULL || owner->binders.count != 1 ? NULL
                                                                        : gm_scopes_definition(flow->scopes, owner->binders.items[0]);
    const gm_node *value = binding != NULL && binding->kind == GM_KIND_Assign ? gm_as_Assign(binding)->value : NULL;
    const gm_node *asked = value;
    while (asked != NULL && asked->kind == GM_KIND_UnaryOp) {
        asked = gm_as_UnaryOp(asked)->operand;
    }
    return asked != NULL && asked->kind == GM_KIND_Call && decides(flow, value, when) != NULL ? name : NULL;
}

/* The part of the condition that gives it the value `when` for the compiler, whatever else is in it; what stands behind that part is not
 * asked. NULL: there is none. */
static const gm_node *decides(gm_flow *flow, const gm_node *test, bool when) {
    if (test->kind == GM_KIND_UnaryOp && gm_as_UnaryOp(test)->op == GM_OP_Not) {
        return decides(flow, gm_as_UnaryOp(test)->operand, !when);
    }
    if (test->kind == GM_KIND_BoolOp) {
        bool one = (gm_as_BoolOp(test)->op == GM_OP_And) != when; /* decides alone; else all have to */
        const gm_list *values = &gm_as_BoolOp(test)->values;
        for (uint32_t i = 0; i < values->count; i++) {
            const gm_node *found = decides(flow, values->items[i], when);
            if ((found != NULL) == one) {
                return found;
            }
        }
        return one ? NULL : test;
    }
    if (test->kind == GM_KIND_Name) {
        return decided_before(flow, test, when);
    }
    bool known = when ? asks_compiling(flow, test) : asks_other_capture(flow, test);
    return known || asks_other_torch(flow, test, when) ? test : NULL;
}

static bool is_inside(const gm_node *outer, const gm_node *node) {
    return node->start >= outer->start && node->end <= outer->end;
}

static bool holds(const gm_list *block, const gm_node *node) {
    return block->count > 0 && node->start >= block->items[0]->start && node->end <= block->items[block->count - 1]->end;
}

/* Whether no data are asked in front of a part of the condition. */
static bool is_first(gm_flow *flow, const gm_node *test, const gm_node *part) {
    if (test->kind == GM_KIND_UnaryOp) {
        return is_first(flow, gm_as_UnaryOp(test)->operand, part);
    }
    const gm_list *values = test->kind == GM_KIND_BoolOp ? &gm_as_BoolOp(test)->values : NULL;
    for (uint32_t i = 0; values != NULL && i < values->count; i++) {
        if (is_inside(values->items[i], part)) {
            return is_first(flow, values->items[i], part);
        }
        gm_value value = gm_value_of_test(gm_flow_function_at(flow, test), values->items[i]);
        if (value.class_ == GM_VALUE_TENSOR || value.class_ == GM_VALUE_MAYBE) {
            return false;
        }
    }
    return test == part;
}

/* Whether a node of the condition stands behind the part that decides; of all that the condition is for, whether that part comes first. */
static bool is_unasked(gm_flow *flow, const gm_node *around, const gm_node *test, const gm_node *part, const gm_node *node) {
    return node == around ? is_first(flow, test, part) : is_inside(test, node) && node->start >= part->end;
}

/* Whether the compiler never comes to `node` inside `around`, or has nothing to decide there. */
static bool is_passed_by(gm_flow *flow, const gm_node *around, const gm_node *node) {
    for (int when = 0; when < 2; when++) {
        if (around->kind == GM_KIND_If) {
            const gm_If *branch = gm_as_If(around);
            const gm_node *part = decides(flow, branch->test, when == 1);
            const gm_list *left_out = when == 1 ? &branch->orelse : &branch->body;
            if (part != NULL && (holds(left_out, node) || is_unasked(flow, around, branch->test, part, node))) {
                return true;
            }
        } else if (around->kind == GM_KIND_IfExp) {
            const gm_IfExp *choice = gm_as_IfExp(around);
            const gm_node *part = decides(flow, choice->test, when == 1);
            const gm_node *left_out = when == 1 ? choice->orelse : choice->body;
            if (part != NULL && (is_inside(left_out, node) || is_unasked(flow, around, choice->test, part, node))) {
                return true;
            }
        } else if (around->kind == GM_KIND_Assert && when == 1) {
            const gm_node *part = decides(flow, gm_as_Assert(around)->test, true);
            return part != NULL && is_unasked(flow, around, gm_as_Assert(around)->test, part, node);
        }
    }
    return false;
}

const gm_list *gm_eager_only_block(gm_flow *flow, const gm_If *branch) {
    if (decides(flow, branch->test, true) != NULL) {
        return &branch->orelse;
    }
    return decides(flow, branch->test, false) != NULL ? &branch->body : NULL;
}

bool gm_eager_only(gm_flow *flow, const gm_node *node) {
    for (const gm_node *at = node; at != NULL; at = gm_flow_around(flow, at)) {
        if (is_passed_by(flow, at, node)) {
            return true;
        }
    }
    return false;
}
