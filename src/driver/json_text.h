/* A reader over JSON text that keeps track of where things stand. The functions move over what they read and return false at what is no JSON. */
#ifndef GM_DRIVER_JSON_TEXT_H
#define GM_DRIVER_JSON_TEXT_H

#include "base/buffer.h"

typedef struct gm_json_text {
    const char *start;
    const char *at;
    const char *end;
    uint32_t depth;
} gm_json_text;

gm_json_text gm_json_text_of(const char *bytes, size_t size);

/* The next character that is no white space, 0 at the end. */
char gm_json_text_peek(gm_json_text *json);

/* Move over one character behind white space, when it is `wanted`. */
bool gm_json_text_take(gm_json_text *json, char wanted);

/* Move over a string; its contents are appended to `out` as UTF-8 (lone surrogates included) when that is not NULL. */
bool gm_json_text_string(gm_json_text *json, gm_buffer *out);

/* Move over any value. */
bool gm_json_text_skip(gm_json_text *json);

/* Call `member` for each member of an object, standing in front of its value, which it must move over. */
bool gm_json_text_object(gm_json_text *json, gm_arena *arena, bool (*member)(gm_json_text *json, const char *key, void *context),
                         void *context);

/* The same for the items of a list. */
bool gm_json_text_list(gm_json_text *json, bool (*item)(gm_json_text *json, void *context), void *context);

/* Append a string with its quotes; `ascii`: characters from 128 on as escapes. */
void gm_json_text_write(gm_buffer *out, const char *text, size_t length, bool ascii);

#endif
