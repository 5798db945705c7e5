#include "cli/closest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/say.h"
#include "rules/rule.h"

enum { LONGEST = 40 };

static size_t smaller(size_t left, size_t right) {
    return left < right ? left : right;
}

static char lower(char byte) {
    return (char)tolower((unsigned char)byte);
}

/* Levenshtein's distance, row by row, capitals aside. Both texts have at most LONGEST bytes. */
static size_t distance(const char *left, size_t left_length, const char *right, size_t right_length) {
    size_t row[LONGEST + 1];
    for (size_t j = 0; j <= right_length; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= left_length; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= right_length; j++) {
            size_t change = diagonal + (lower(left[i - 1]) != lower(right[j - 1]));
            diagonal = row[j];
            row[j] = smaller(change, smaller(row[j], row[j - 1]) + 1);
        }
    }
    return row[right_length];
}

gm_closest gm_closest_start(const char *word, size_t length) {
    return (gm_closest){.word = word, .length = length, .name = NULL, .distance = length <= LONGEST ? length / 3 + 1 : 0};
}

void gm_closest_offer(gm_closest *closest, const char *name) {
    size_t length = strlen(name);
    if (closest->distance == 0 || length > LONGEST) {
        return;
    }
    size_t found = distance(closest->word, closest->length, name, length);
    if (found < closest->distance || (found == closest->distance && closest->name == NULL)) {
        closest->name = name;
        closest->distance = found;
    }
}

void gm_closest_say(const gm_closest *closest) {
    if (closest->name != NULL) {
        gm_cli_say(stderr, "graphmend: did you mean `%s`?\n", closest->name);
    }
}

void gm_closest_say_rule(const char *word, size_t length) {
    gm_closest closest = gm_closest_start(word, length);
    for (size_t i = 0; i < gm_rule_count; i++) {
        gm_closest_offer(&closest, gm_rules[i]->name);
        gm_closest_offer(&closest, gm_rules[i]->code);
    }
    gm_closest_say(&closest);
}
