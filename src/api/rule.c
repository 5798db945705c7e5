#include "api/call.h"
#include "rules/rule.h"

static void add_page(gm_buffer *out, const void *request) {
    const gm_rule *rule = request;
    gm_buffer_add_text(out, rule->page);
}

gm_status gm_rule_page(const char *code, gm_output *output) {
    if (output == NULL) {
        return GM_BAD_ARGUMENT;
    }
    *output = (gm_output){NULL, 0};
    const gm_rule *rule = code != NULL ? gm_rule_find(code) : NULL;
    return rule != NULL ? gm_api_call(add_page, rule, output) : GM_BAD_ARGUMENT;
}
