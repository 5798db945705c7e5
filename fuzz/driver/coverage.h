/* Which ways through the instrumented code an input took: gcc's -fsanitize-coverage=trace-pc calls back at every basic
 * block. One thread only. */
#ifndef GM_FUZZ_COVERAGE_H
#define GM_FUZZ_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>

/* Forget the way of the input before. */
void coverage_reset(void);

/* Whether the way since the reset has an edge that none had before, or one that was taken more often by a power of two; it is
 * remembered. */
bool coverage_is_new(void);

/* Edges that any input took. */
size_t coverage_edges(void);

#endif
