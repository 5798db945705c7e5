#include "rules/contexts.h"

#include <string.h>

#include "analysis/makers.h"

static const char held[] = "it holds the lock while the call runs";

static const gm_untraced_context contexts[] = {
#define GM_UNTRACED_CONTEXT(type, way) {type, way},
#include "rules/untraced.def"
};

const gm_untraced_context *gm_untraced_context_of(gm_function *function, const gm_node *manager) {
    const gm_name *maker = manager->kind == GM_KIND_Call ? gm_flow_qualified(function->flow, gm_as_Call(manager)->func)
                                                         : gm_maker_of(function, manager);
    for (size_t i = 0; maker != NULL && i < sizeof contexts / sizeof contexts[0]; i++) {
        if (strcmp(maker->text, contexts[i].type) == 0) {
            return &contexts[i];
        }
    }
    return NULL;
}
