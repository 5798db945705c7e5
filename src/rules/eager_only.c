#include "rules/eager_only.h"

#include <string.h>

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

/* Whether the condition has the value `when` for the compiler, whatever else is in it. */
static bool decides(gm_flow *flow, const gm_node *test, bool when) {
    if (test->kind == GM_KIND_UnaryOp && gm_as_UnaryOp(test)->op == GM_OP_Not) {
        return decides(flow, gm_as_UnaryOp(test)->operand, !when);
    }
    if (test->kind == GM_KIND_BoolOp) {
        bool is_and = gm_as_BoolOp(test)->op == GM_OP_And;
        const gm_list *values = &gm_as_BoolOp(test)->values;
        return is_and != when && values->count > 0 && decides(flow, values->items[0], when);
    }
    return when && asks_compiling(flow, test);
}

static bool holds(const gm_list *block, const gm_node *node) {
    return block->count > 0 && node->start >= block->items[0]->start && node->end <= block->items[block->count - 1]->end;
}

/* Whether the compiler never comes to `node` inside `around`. */
static bool is_passed_by(gm_flow *flow, const gm_node *around, const gm_node *node) {
    if (around->kind == GM_KIND_If) {
        const gm_If *branch = gm_as_If(around);
        return (decides(flow, branch->test, false) && !holds(&branch->orelse, node)) ||
               (decides(flow, branch->test, true) && !holds(&branch->body, node));
    }
    if (around->kind == GM_KIND_IfExp) {
        const gm_IfExp *choice = gm_as_IfExp(around);
        return (decides(flow, choice->test, false) && node != choice->orelse) ||
               (decides(flow, choice->test, true) && node != choice->body);
    }
    return around->kind == GM_KIND_Assert && decides(flow, gm_as_Assert(around)->test, true);
}

bool gm_eager_only(gm_flow *flow, const gm_node *node) {
    for (const gm_node *at = node; at != NULL; at = gm_flow_parent(flow, at)) {
        if (is_passed_by(flow, at, node)) {
            return true;
        }
    }
    return false;
}
