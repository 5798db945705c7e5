#include "mend/source_forms.h"

static const gm_source_form forms[] = {
    [GM_PLAN_BRANCH] = gm_form_branch, [GM_PLAN_RETURN] = gm_form_return, [GM_PLAN_ARGUMENT] = gm_form_argument,
    [GM_PLAN_SELECT] = gm_form_select, [GM_PLAN_CHECK] = gm_form_check,   [GM_PLAN_DEFER] = gm_form_defer,
    [GM_PLAN_DROP] = gm_form_drop,
};

gm_source_form gm_source_form_of(uint8_t kind) {
    return kind < sizeof forms / sizeof forms[0] ? forms[kind] : NULL;
}
