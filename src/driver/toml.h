/* A reader for TOML 1.0, as far as settings need it: all of its syntax is read, dates and numbers with a fraction are kept as text.
 *
 * Tolerant where that does no harm: of a key that is given twice the last value counts. A pure function of its arguments; everything lives
 * in the arena. */
#ifndef GM_DRIVER_TOML_H
#define GM_DRIVER_TOML_H

#include "base/table.h"
#include "base/vec.h"

typedef enum gm_toml_kind { GM_TOML_TABLE, GM_TOML_ARRAY, GM_TOML_STRING, GM_TOML_INTEGER, GM_TOML_BOOLEAN, GM_TOML_OTHER } gm_toml_kind;

typedef struct gm_toml gm_toml;

struct gm_toml {
    uint8_t kind;      /* gm_toml_kind */
    uint32_t line;     /* where the value begins, from 1 */
    const char *key;   /* in the table around it; NULL for items of an array */
    const char *text;  /* of strings, and as written of other scalars */
    int64_t integer;   /* of integers; of booleans 0 or 1 */
    GM_VEC(gm_toml *) items; /* of tables and arrays */
    gm_table places;         /* of the keys of a table among `items` */
};

typedef struct gm_toml_error {
    uint32_t line;
    const char *words; /* NULL: none */
} gm_toml_error;

/* The root table. When `error->words` is set, it holds what stands in front of the error. */
gm_toml *gm_toml_parse(gm_arena *arena, const char *text, size_t length, gm_toml_error *error);

/* The value of a key, or NULL; `table` may be NULL or no table. */
const gm_toml *gm_toml_get(const gm_toml *table, const char *key);

#endif
