/* A message as it was read: the strict half of the reader of models' answers (meaning/tape.h) has it on a tape, and this looks things up.
 *
 * Values are numbers of nodes; GM_INPUT_NONE is a value that is not there. Every function takes it and finds nothing in it, so that a path
 * into a message needs one look at its end. */
#ifndef GM_SERVER_INPUT_H
#define GM_SERVER_INPUT_H

#include "meaning/tape.h"

#define GM_INPUT_NONE UINT32_MAX

typedef struct gm_input {
    gm_arena *arena;
    gm_tape tape;
} gm_input;

/* Read a message; false when it is no object of JSON in UTF-8. Its root is the value 0. */
bool gm_input_read(gm_input *input, gm_arena *arena, const char *bytes, size_t size);

/* The member of an object. */
uint32_t gm_input_member(const gm_input *input, uint32_t object, const char *name);

/* The member of a member, and so on: names between dots. */
uint32_t gm_input_path(const gm_input *input, uint32_t object, const char *names);

/* The items of a list in turn: GM_INPUT_NONE starts, and ends. */
uint32_t gm_input_next(const gm_input *input, uint32_t list, uint32_t item);

bool gm_input_is(const gm_input *input, uint32_t value, gm_tape_kind kind);
bool gm_input_true(const gm_input *input, uint32_t value);

/* The text of a string, valid UTF-8 (a lone surrogate is U+FFFD) with NUL behind it; NULL for other values. `size` may be NULL: then a text
 * with a NUL in it is none. */
const char *gm_input_text(const gm_input *input, uint32_t value, size_t *size);

/* Whether a value is this string. */
bool gm_input_says(const gm_input *input, uint32_t value, const char *text);

/* A whole number from 0 on, the largest where it is larger; false for other values. */
bool gm_input_number(const gm_input *input, uint32_t value, uint32_t *number);

/* A number or string as it stands in the message, quotes included; NULL for other values. */
const char *gm_input_raw(const gm_input *input, uint32_t value);

#endif
