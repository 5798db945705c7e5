#include <string.h>

#include "rules/rule.h"

const gm_rule *const gm_rules[] = {
#define GM_RULE(symbol) &symbol,
#include "rules/rules.def"
};

const size_t gm_rule_count = sizeof gm_rules / sizeof gm_rules[0];

const gm_rule *const *gm_rules_of(gm_arena *arena, gm_rule_walk walk, bool last_first, uint32_t *count) {
    const gm_rule **rules = GM_NEW_ARRAY(arena, const gm_rule *, gm_rule_count);
    *count = 0;
    for (size_t i = 0; i < gm_rule_count; i++) {
        const gm_rule *rule = gm_rules[last_first ? gm_rule_count - 1 - i : i];
        if (rule->walk == walk) {
            rules[(*count)++] = rule;
        }
    }
    return rules;
}

const gm_rule *gm_rule_find(const char *code) {
    for (size_t i = 0; i < gm_rule_count; i++) {
        if (strcmp(gm_rules[i]->code, code) == 0) {
            return gm_rules[i];
        }
    }
    return NULL;
}
