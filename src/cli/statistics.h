/* `--statistics`: how many findings of each rule there are, the most frequent first. */
#ifndef GM_CLI_STATISTICS_H
#define GM_CLI_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GM_STATISTICS_MOST = 128 };

typedef struct gm_statistic {
    char code[16];
    uint32_t count;
    uint32_t mends;
} gm_statistic;

typedef struct gm_statistics {
    bool json;
    uint32_t count;
    gm_statistic rows[GM_STATISTICS_MOST];
} gm_statistics;

/* Count the lines that gm_report_tally wrote for a file. `context` is the gm_statistics. */
void gm_statistics_add(void *context, const char *text, size_t size);

void gm_statistics_print(gm_statistics *statistics);

#endif
