/* Classes of `torch.autograd.Function`, whose `apply` calls `forward` and, in the backward pass, `backward`. */
#include "flow/bases.h"
#include "values/values_private.h"

static const char *const function_classes[] = {"torch.autograd.Function", "torch.autograd.function.Function", NULL};

static bool is_function(gm_base_search *search, const gm_node *class_def, uint32_t depth) {
    const gm_list *bases = &gm_as_ClassDef(class_def)->bases;
    for (uint32_t i = 0; gm_bases_go_on(search, i, bases->count, depth); i++) {
        const gm_node *base = gm_class_base(search->flow, bases->items[i]);
        const gm_name *name = base == NULL ? gm_flow_qualified(search->flow, bases->items[i]) : NULL;
        bool known = name != NULL && gm_text_in(name->text, function_classes);
        bool inner = base != NULL && gm_bases_enter(search, base, depth + 1);
        if (known || (inner && is_function(search, base, depth + 1))) {
            return true;
        }
    }
    return false;
}

bool gm_class_is_autograd_function(gm_flow *flow, const gm_node *class_def) {
    gm_base_search search = gm_bases_search(flow);
    return is_function(&search, class_def, 0);
}
