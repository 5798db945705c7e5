/* The text around a value: prose, or the rest of a value that was cut in two by what is wrong with it. */
#ifndef GM_MEANING_AROUND_H
#define GM_MEANING_AROUND_H

#include "meaning/tape.h"

/* Whether what stands in front of `start` or behind `end` is no prose but belongs to the value between them: a quote or a bracket without its
 * partner, a key, or a separator with a value at its other side. Closing brackets too many that nothing follows are none of that unless the value's
 * end is `loose`. `*at` is the place.
 * Looks no farther than to the next fence or thinking section, and not in front of `from`. */
bool gm_around_goes_on(const gm_tape *tape, uint32_t from, uint32_t start, uint32_t end, bool loose, uint32_t *at);

/* Whether there is a sentence, or a part of one, and nothing of a value between two places. */
bool gm_around_is_apart(const gm_tape *tape, uint32_t start, uint32_t end);

#endif
