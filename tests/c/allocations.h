/* Allocations of the C library that fail on purpose: the linker puts them in place of the real ones. */
#ifndef GM_TESTS_ALLOCATIONS_H
#define GM_TESTS_ALLOCATIONS_H

#include <stdbool.h>

/* Let so many allocations succeed and all behind them fail; negative: all succeed. */
void allocations_limit(long count);

/* Whether one has failed since the last limit that fails any. */
bool allocations_failed(void);

/* How many blocks are allocated and not freed. */
long allocations_outstanding(void);

#endif
