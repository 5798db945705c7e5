#include "rules/selection.h"

#include "base/buffer.h"
#include "rules/suppress.h"

const char *gm_selection_named(gm_arena *arena, const gm_rule_selection *selection) {
    if (selection->select == NULL || selection->more == NULL) {
        return selection->select != NULL ? selection->select : selection->more;
    }
    gm_buffer both;
    gm_buffer_init(&both, arena);
    gm_buffer_printf(&both, "%s%s", selection->select, selection->more);
    return gm_buffer_text(&both);
}

bool gm_selection_has(const gm_rule_selection *selection, const gm_rule *rule) {
    bool more = selection->more != NULL && gm_suppress_lists(selection->more, rule->code);
    return (selection->select == NULL || more || gm_suppress_lists(selection->select, rule->code)) &&
           (selection->ignore == NULL || !gm_suppress_lists(selection->ignore, rule->code)) &&
           (selection->file_ignore == NULL || !gm_suppress_lists(selection->file_ignore, rule->code));
}
