#include <string.h>

#include "rules/rule.h"

const gm_rule *const gm_rules[] = {
#define GM_RULE(symbol) &symbol,
#include "rules/rules.def"
};

const size_t gm_rule_count = sizeof gm_rules / sizeof gm_rules[0];

const gm_rule *gm_rule_find(const char *code) {
    for (size_t i = 0; i < gm_rule_count; i++) {
        if (strcmp(gm_rules[i]->code, code) == 0) {
            return gm_rules[i];
        }
    }
    return NULL;
}
