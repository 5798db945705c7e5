#include "rules/shape_calls.h"

static const char *const shape_calls[] = {"size", "numel", "dim", "ndimension", "nelement", "stride", "element_size", "is_floating_point"};

bool gm_is_shape_call(const gm_Call *call) {
    if (call->func->kind != GM_KIND_Attribute || call->keywords.count > 0) {
        return false;
    }
    for (uint32_t i = 0; i < call->args.count; i++) {
        const gm_node *argument = call->args.items[i];
        bool constant = argument->kind == GM_KIND_Constant ||
                        (argument->kind == GM_KIND_UnaryOp && gm_as_UnaryOp(argument)->operand->kind == GM_KIND_Constant);
        if (!constant) {
            return false;
        }
    }
    for (size_t i = 0; i < sizeof shape_calls / sizeof shape_calls[0]; i++) {
        if (gm_name_is(gm_as_Attribute(call->func)->attr, shape_calls[i])) {
            return true;
        }
    }
    return false;
}
