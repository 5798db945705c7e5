/* Dates, times and durations as text. */
#ifndef GM_MEANING_TIMES_H
#define GM_MEANING_TIMES_H

#include "meaning/meaning.h"

/* Each appends the canonical text and says with `*plain` whether it was written as ISO 8601 writes it; false, and nothing appended, when it is no
 * such thing or could be one in two ways (03/04/2025). */

/* 2025-01-31 */
bool gm_time_add_date(gm_text text, gm_buffer *out, bool *plain);

/* 12:30:00 or 12:30:00.000250, with +00:00 behind it where an offset is given; `Z` is one. */
bool gm_time_add_time(gm_text text, gm_buffer *out, bool *plain);

/* Date, `T`, time. */
bool gm_time_add_datetime(gm_text text, gm_buffer *out, bool *plain);

/* A duration in microseconds, as digits: P1DT2H30M, or `1 day, 2:30:00` and `2:30:00` as Python writes it. */
bool gm_time_add_duration(gm_text text, gm_buffer *out, bool *plain);

#endif
