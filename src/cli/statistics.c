#include "cli/statistics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/say.h"
#include "rules/rule.h"

static gm_statistic *row_of(gm_statistics *statistics, const char *code, size_t length) {
    for (uint32_t i = 0; i < statistics->count; i++) {
        gm_statistic *row = &statistics->rows[i];
        if (strlen(row->code) == length && memcmp(row->code, code, length) == 0) {
            return row;
        }
    }
    if (statistics->count == GM_STATISTICS_MOST || length >= sizeof statistics->rows[0].code) {
        return NULL; /* there are not so many rules */
    }
    gm_statistic *row = &statistics->rows[statistics->count++];
    memcpy(row->code, code, length);
    return row;
}

void gm_statistics_add(void *context, const char *text, size_t size) {
    const char *end = text + size;
    while (text < end) {
        const char *line_end = memchr(text, '\n', (size_t)(end - text));
        const char *space = memchr(text, ' ', (size_t)(end - text));
        gm_statistic *row = line_end == NULL || space == NULL ? NULL : row_of(context, text, (size_t)(space - text));
        if (row == NULL) {
            return;
        }
        row->count++;
        row->mends += space[1] == '1';
        text = line_end + 1;
    }
}

static int compare(const void *left, const void *right) {
    const gm_statistic *a = left;
    const gm_statistic *b = right;
    if (a->count != b->count) {
        return a->count > b->count ? -1 : 1;
    }
    return strcmp(a->code, b->code);
}

static const char *name_of(const gm_statistic *row) {
    const gm_rule *rule = gm_rule_find(row->code);
    return rule != NULL ? rule->name : strcmp(row->code, "too-large") == 0 ? "not-analysed" : "syntax-error";
}

void gm_statistics_print(gm_statistics *statistics) {
    qsort(statistics->rows, statistics->count, sizeof statistics->rows[0], compare);
    gm_cli_print_text(stdout, statistics->json ? "[" : "");
    for (uint32_t i = 0; i < statistics->count; i++) {
        const gm_statistic *row = &statistics->rows[i];
        if (statistics->json) {
            gm_cli_print(stdout, "%s\n{\"code\": \"%s\", \"name\": \"%s\", \"count\": %u, \"mends\": %u}", i == 0 ? "" : ",", row->code,
                         name_of(row), row->count, row->mends);
        } else {
            gm_cli_print(stdout, "%6u  %-6s  %-28s `run` mends %u\n", row->count, row->code, name_of(row), row->mends);
        }
    }
    gm_cli_print_text(stdout, statistics->json ? "\n]\n" : "");
}
