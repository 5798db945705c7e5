/* Classes that inherit from one of several classes of other packages, over the classes of the program's files:
   `torch.autograd.Function`, whose `apply` calls `forward` and, in the backward pass, `backward`; and loggers. */
#include "flow/bases.h"
#include "values/values_private.h"

static const char *const functions[] = {"torch.autograd.Function", "torch.autograd.function.Function", NULL};
static const char *const loggers[] = {"logging.LoggerAdapter", "logging.Logger", NULL};

static bool derives(gm_base_search *search, const gm_node *class_def, const char *const *names, uint32_t depth) {
    const gm_list *bases = &gm_as_ClassDef(class_def)->bases;
    for (uint32_t i = 0; gm_bases_go_on(search, i, bases->count, depth); i++) {
        const gm_node *base = gm_class_base(search->flow, bases->items[i]);
        const gm_name *name = base == NULL ? gm_flow_qualified(search->flow, bases->items[i]) : NULL;
        bool known = name != NULL && gm_text_in(name->text, names);
        bool inner = base != NULL && gm_bases_enter(search, base, depth + 1);
        if (known || (inner && derives(search, base, names, depth + 1))) {
            return true;
        }
    }
    return false;
}

bool gm_class_is_autograd_function(gm_flow *flow, const gm_node *class_def) {
    gm_base_search search = gm_bases_search(flow);
    return derives(&search, class_def, functions, 0);
}

bool gm_class_is_logger(gm_flow *flow, const gm_node *class_def) {
    gm_base_search search = gm_bases_search(flow);
    return derives(&search, class_def, loggers, 0);
}
