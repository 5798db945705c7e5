/* `graphmend rule`: the list of rules, or the page of one. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "rules/rule.h"

static const char usage[] = "usage: graphmend rule [CODE]\n"
                            "\n"
                            "Prints the page of a rule (what it finds, why it breaks, what to write, when the mend is safe),\n"
                            "or the list of all rules.\n";

static int list_rules(void) {
    for (size_t i = 0; i < gm_rule_count; i++) {
        printf("%s  %-7s %s\n", gm_rules[i]->code, gm_rules[i]->break_id, gm_rules[i]->name);
    }
    return GM_EXIT_CLEAN;
}

static int complain(const char *words, const char *argument) {
    fprintf(stderr, "graphmend: %s `%s`, see `graphmend rule` for all rules\n", words, argument);
    return GM_EXIT_USAGE;
}

int gm_cli_rule(int count, char **arguments) {
    if (count == 1) {
        return list_rules();
    }
    if (strcmp(arguments[1], "--help") == 0 || strcmp(arguments[1], "-h") == 0) {
        fputs(usage, stdout);
        return GM_EXIT_CLEAN;
    }
    if (arguments[1][0] == '-') {
        return complain("unknown option", arguments[1]);
    }
    if (count > 2) {
        return complain("one rule at a time, not also", arguments[2]);
    }
    const gm_rule *rule = gm_rule_find(arguments[1]);
    if (rule == NULL) {
        return complain("no rule", arguments[1]);
    }
    fputs(rule->page, stdout);
    return GM_EXIT_CLEAN;
}
