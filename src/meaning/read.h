/* From tape to typed value: the half of the reader that knows types.
 *
 * A value fits a type at a *cost*, the sum of the costs of the repairs that it needs (repairs.def), or not at all. Where a union has branches, the cheapest
 * one is taken; when two cost the same and neither is the more specific one, that is an error that names both. Nothing is ever guessed: what could be two
 * things is an error. Time is linear in the tape: what a value costs as a branch of a union is computed once.
 *
 * Everything lives in the arena of the tape, whose error exit is taken when memory runs out. */
#ifndef GM_MEANING_READ_H
#define GM_MEANING_READ_H

#include "meaning/reading.h"

/* Read the value of the meaning's root from a finished tape, or, with `partial`, from one that still grows.
 *
 * The form for builders: a record is the list of its fields' values in order, or, when some are missing, an object from the numbers of the fields that are
 * there; an enumeration is the number of the member, a flag the list of those; a union whose branches do not all look like themselves in JSON is
 * [number of the branch, value]; a dict whose keys are not strings is a list of pairs; a decimal, date, time, UUID is a string in canonical form, bytes are
 * base64, a timedelta is microseconds. Floats may be NaN, Infinity and -Infinity. */
void gm_read(const gm_meaning *meaning, const uint8_t *plain, const gm_tape *tape, const gm_read_options *options, gm_reading *reading);

/* For every type whether its values look like themselves in the form for builders: the value that a JSON parser makes is the value. In the arena;
 * gm_read takes it so that it is found out once for many texts. */
uint8_t *gm_read_plain_types(gm_arena *arena, const gm_meaning *meaning);

/* Whether a text is the name of one of the meaning's records, or ends in a dot and such a name. For gm_tape.is_constructor; `context` is the meaning. */
bool gm_read_is_constructor(const void *meaning, const char *name, size_t length);

#endif
