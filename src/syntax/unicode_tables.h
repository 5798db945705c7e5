/* Tables of unicode.c: characters beyond ASCII that names may have. All are sorted by their first member. */
#ifndef GM_SYNTAX_UNICODE_TABLES_H
#define GM_SYNTAX_UNICODE_TABLES_H

#include <stdint.h>

typedef struct gm_unicode_range {
    uint32_t first;
    uint32_t last;
} gm_unicode_range;

/* XID_Start, and XID_Continue without XID_Start. */
extern const gm_unicode_range gm_unicode_start[];
extern const uint32_t gm_unicode_start_count;
extern const gm_unicode_range gm_unicode_tail[];
extern const uint32_t gm_unicode_tail_count;

/* Full compatibility decomposition (NFKD), Hangul syllables left out: `length` characters of gm_unicode_decomposed. */
typedef struct gm_unicode_decomposition {
    uint32_t code;
    uint16_t at;
    uint16_t length;
} gm_unicode_decomposition;

extern const gm_unicode_decomposition gm_unicode_decompositions[];
extern const uint32_t gm_unicode_decompositions_count;
extern const uint32_t gm_unicode_decomposed[];
extern const uint32_t gm_unicode_decomposed_count;

/* Combining classes other than 0. */
typedef struct gm_unicode_class {
    uint32_t first;
    uint32_t last;
    uint32_t class;
} gm_unicode_class;

extern const gm_unicode_class gm_unicode_classes[];
extern const uint32_t gm_unicode_classes_count;

/* Canonical composition: sorted by `left`, then `right`. */
typedef struct gm_unicode_pair {
    uint32_t left;
    uint32_t right;
    uint32_t composed;
} gm_unicode_pair;

extern const gm_unicode_pair gm_unicode_pairs[];
extern const uint32_t gm_unicode_pairs_count;

#endif
