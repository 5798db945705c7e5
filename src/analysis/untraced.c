#include "analysis/untraced.h"

/* `torch.compiler.disable`, called or not. */
static bool keeps_out(gm_flow *flow, const gm_node *wrapper) {
    static const char *const names[] = {"torch.compiler.disable",
                                        "torch.compiler.assume_constant_result",
                                        "torch.compiler.allow_in_graph",
                                        "torch.compiler.nonstrict_trace",
                                        "torch._dynamo.disable",
                                        "torch._dynamo.assume_constant_result",
                                        "torch._dynamo.allow_in_graph",
                                        "torch._dynamo.nonstrict_trace",
                                        "torch._disable_dynamo",
                                        "torch.library.custom_op",
                                        NULL};
    const gm_name *name = gm_flow_qualified(flow, wrapper->kind == GM_KIND_Call ? gm_as_Call(wrapper)->func : wrapper);
    return name != NULL && gm_text_in(name->text, names);
}

/* `f = torch.compiler.disable(f)`, as the last that binds the name. */
static bool is_rebound(gm_flow *flow, const gm_node *definition) {
    const gm_symbol *symbol = gm_scopes_symbol(flow->scopes, definition);
    uint32_t count = symbol == NULL ? 0 : symbol->binders.count;
    const gm_node *assignment = count < 2 ? NULL : gm_scopes_definition(flow->scopes, symbol->binders.items[count - 1]);
    if (assignment == NULL || assignment->kind != GM_KIND_Assign || gm_as_Assign(assignment)->value->kind != GM_KIND_Call) {
        return false;
    }
    const gm_Call *call = gm_as_Call(gm_as_Assign(assignment)->value);
    const gm_node *wrapped = call->args.count > 0 ? call->args.items[0] : NULL;
    return wrapped != NULL && wrapped->kind == GM_KIND_Name && gm_scopes_symbol(flow->scopes, wrapped) == symbol &&
           keeps_out(flow, call->func);
}

bool gm_is_untraced(gm_flow *flow, const gm_node *definition) {
    const gm_list *decorators = gm_def_decorators(definition);
    for (uint32_t i = 0; i < decorators->count; i++) {
        if (keeps_out(flow, decorators->items[i])) {
            return true;
        }
    }
    return is_rebound(flow, definition);
}
