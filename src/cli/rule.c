/* `graphmend rule`: the list of rules, or the page of a rule or of a kind of graph break. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/closest.h"
#include "cli/options.h"
#include "cli/say.h"
#include "graphmend.h"
#include "rules/rule.h"

typedef gm_status (*get_pages)(const char *code, gm_output *output);

/* The first rule whose code comes behind another one. */
static const gm_rule *next_rule(const gm_rule *before) {
    const gm_rule *next = NULL;
    for (size_t i = 0; i < gm_rule_count; i++) {
        const gm_rule *rule = gm_rules[i];
        bool behind = before == NULL || strcmp(rule->code, before->code) > 0;
        next = behind && (next == NULL || strcmp(rule->code, next->code) < 0) ? rule : next;
    }
    return next;
}

/* A line a rule, in the order of their codes, with the title of its page. */
static int list_rules(void) {
    for (const gm_rule *rule = next_rule(NULL); rule != NULL; rule = next_rule(rule)) {
        const char *title = strchr(rule->page + 2, ' ') + 1;
        gm_cli_print(stdout, "%s  %-7s %-28s %.*s\n", rule->code, rule->break_id, rule->name, (int)strcspn(title, "\n"), title);
    }
    return GM_EXIT_CLEAN;
}

static int complain(const char *words, const char *argument) {
    gm_cli_say(stderr, "graphmend: %s `%s`, see `graphmend rule` for all rules\n", words, argument);
    gm_closest_say_rule(argument, strlen(argument));
    return GM_EXIT_USAGE;
}

/* Prints one page, or all of them where `code` is NULL. */
static int print_pages(get_pages get, const char *code) {
    gm_output output;
    gm_status status = get(code, &output);
    if (status == GM_BAD_ARGUMENT) {
        return complain("no rule", code);
    }
    if (status != GM_OK) {
        gm_cli_print_text(stderr, "graphmend: out of memory\n");
        return GM_EXIT_USAGE;
    }
    gm_cli_put(stdout, output.bytes, output.size);
    gm_output_free(&output);
    return GM_EXIT_CLEAN;
}

int gm_cli_rule(int count, char **arguments) {
    bool all = false;
    const char *format = "text";
    const gm_option options[] = {
        {"--all", &all, NULL, NULL, "every page: of the rules, and of the kinds of graph break"},
        {"--output-format", NULL, &format, "NAME", "text or json (default: text)"},
    };
    const gm_cli_usage usage = {
        .synopsis = "graphmend rule [OPTIONS] [CODE]",
        .summary = "Prints the page of a rule (GM101): what it finds, why it breaks, what to write, when the mend is safe.\n"
                   "For a kind of graph break, by the id or the name in an error of torch.compile (GB0170, gb0170,\n"
                   "\"Data-dependent branching\"): when it happens, what to write instead, which rules mend it. Without a\n"
                   "code, the list of rules. Exit status: 0 printed, 2 there is no such page.",
        .options = options,
        .count = sizeof options / sizeof options[0],
    };
    int operands = gm_options_read(count, arguments, &usage);
    if (operands < 0) {
        return operands == GM_OPTIONS_HELP ? GM_EXIT_CLEAN : GM_EXIT_USAGE;
    }
    bool json = strcmp(format, "json") == 0;
    if (!json && strcmp(format, "text") != 0) {
        gm_cli_say(stderr, "graphmend: unknown format `%s`, there are text, json\n", format);
        return GM_EXIT_USAGE;
    }
    if (operands > (all ? 0 : 1)) {
        return complain(all ? "all rules, not also" : "one rule at a time, not also", arguments[all ? 1 : 2]);
    }
    if (operands == 0 && !all && !json) {
        return list_rules();
    }
    return print_pages(json ? gm_rule_json : gm_rule_page, operands == 1 ? arguments[1] : NULL);
}
