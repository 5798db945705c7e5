/* Positions of the protocol: lines and units within them, from 0, against byte offsets of a text in UTF-8.
 *
 * A line ends in `\n`, `\r\n` or a lone `\r`. Units are bytes, pairs of bytes of UTF-16, or characters, as client and server have agreed. Any
 * position has an offset: beyond a line it is the line's end, beyond the text the text's end, inside of a character its start. */
#ifndef GM_SERVER_POSITIONS_H
#define GM_SERVER_POSITIONS_H

#include <stddef.h>
#include <stdint.h>

typedef enum gm_encoding_units { GM_UNITS_UTF16, GM_UNITS_UTF8, GM_UNITS_UTF32, GM_UNITS_COUNT } gm_encoding_units;

/* "utf-16", "utf-8", "utf-32". */
extern const char *const gm_units_names[GM_UNITS_COUNT];

typedef struct gm_place_in {
    uint32_t line;
    uint32_t unit;
} gm_place_in;

/* How many units the bytes of whole characters are. */
uint32_t gm_units_of(gm_encoding_units units, const char *bytes, size_t size);

/* The start of a line that was found: the next search begins there, forwards or backwards. All zero is the first line. */
typedef struct gm_line_mark {
    size_t at;
    uint32_t line;
} gm_line_mark;

/* As gm_offset_of, from a mark, which moves to the line. */
size_t gm_offset_from(gm_encoding_units units, const char *text, size_t size, gm_place_in place, gm_line_mark *mark);

/* The offset of a position; one pass over the lines in front. */
size_t gm_offset_of(gm_encoding_units units, const char *text, size_t size, gm_place_in place);

#endif
