#include "cli/options.h"

#include "cli/closest.h"
#include "cli/say.h"

#include <stdio.h>
#include <string.h>

static void print_help(const gm_cli_usage *usage) {
    gm_cli_print(stdout, "usage: %s\n\n%s\n\noptions:\n", usage->synopsis, usage->summary);
    for (int i = 0; i < usage->count; i++) {
        const gm_option *option = &usage->options[i];
        if (option->help == NULL) {
            continue;
        }
        char left[64];
        snprintf(left, sizeof left, "%s %s", option->name, option->value_name != NULL ? option->value_name : "");
        gm_cli_print(stdout, "  %-22s %s\n", left, option->help);
    }
}

/* `--name` or `--name=value`; `*value` is what follows the equals sign. */
static const gm_option *find_option(const gm_cli_usage *usage, const char *argument, const char **value) {
    const char *equals = strchr(argument, '=');
    size_t length = equals != NULL ? (size_t)(equals - argument) : strlen(argument);
    *value = equals != NULL ? equals + 1 : NULL;
    for (int i = 0; i < usage->count; i++) {
        const char *name = usage->options[i].name;
        if (strlen(name) == length && memcmp(name, argument, length) == 0) {
            return &usage->options[i];
        }
    }
    return NULL;
}

static void say_unknown(const char *argument, const gm_cli_usage *usage) {
    gm_closest closest = gm_closest_start(argument, strcspn(argument, "="));
    for (int i = 0; i < usage->count; i++) {
        gm_closest_offer(&closest, usage->options[i].name);
    }
    gm_cli_say(stderr, "graphmend: unknown option `%s`\n", argument);
    gm_closest_say(&closest);
    gm_cli_say(stderr, "usage: %s\n", usage->synopsis);
}

/* Returns false when the option is wrong. `*at` moves over a value of its own. */
static bool take(int count, char **arguments, int *at, const gm_cli_usage *usage) {
    const char *value = NULL;
    const gm_option *option = find_option(usage, arguments[*at], &value);
    if (option == NULL) {
        say_unknown(arguments[*at], usage);
        return false;
    }
    if (option->on != NULL) {
        *option->on = true;
        if (value != NULL) {
            gm_cli_say(stderr, "graphmend: `%s` takes no value\n", option->name);
        }
        return value == NULL;
    }
    if (value == NULL && *at + 1 < count) {
        value = arguments[++*at];
    }
    if (value == NULL) {
        gm_cli_say(stderr, "graphmend: `%s` needs a value\n", option->name);
        return false;
    }
    *option->value = value;
    return true;
}

static bool is_operand(const char *argument, const gm_cli_usage *usage) {
    return argument[0] != '-' || argument[1] == '\0' || (usage->leading && argument[1] != '-');
}

int gm_options_read(int count, char **arguments, const gm_cli_usage *usage) {
    int operands = 0;
    bool ended = false;
    for (int at = 1; at < count; at++) {
        char *argument = arguments[at];
        if (!ended && (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0)) {
            print_help(usage);
            return GM_OPTIONS_HELP;
        }
        if (ended || is_operand(argument, usage)) {
            arguments[++operands] = argument;
            ended = ended || usage->leading;
        } else if (strcmp(argument, "--") == 0) {
            ended = true;
        } else if (!take(count, arguments, &at, usage)) {
            return GM_OPTIONS_WRONG;
        }
    }
    return operands;
}
