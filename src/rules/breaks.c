#include "rules/breaks.h"

#include <string.h>

typedef struct text_row {
    const char *id;
    const char *text;
} text_row;

/* Every cause by its symbol, so that a row with a wrong one does not compile. */
#define GM_BREAK_CAUSE(symbol, name, advice) static const gm_break_cause cause_##symbol = {name, advice};
#include "../../data/breaks/causes.def"

const gm_break gm_breaks[] = {
#define GM_BREAK(id, symbol, mends, summary) {id, &cause_##symbol, mends, summary},
#include "../../data/breaks/breaks.def"
};

const size_t gm_break_count = sizeof gm_breaks / sizeof gm_breaks[0];

#define GM_TORCH_BREAK(id, name) {id, name},
static const text_row names_2_9[] = {
#include "../../data/torch/2.9.1/break_ids.def"
};
#define GM_TORCH_BREAK(id, name) {id, name},
static const text_row names_2_10[] = {
#include "../../data/torch/2.10.0/break_ids.def"
};
#define GM_TORCH_BREAK(id, name) {id, name},
static const text_row names_2_11[] = {
#include "../../data/torch/2.11.0/break_ids.def"
};
#define GM_TORCH_BREAK(id, name) {id, name},
static const text_row names_2_12[] = {
#include "../../data/torch/2.12.1/break_ids.def"
};
#define GM_TORCH_BREAK(id, name) {id, name},
static const text_row names_2_13[] = {
#include "../../data/torch/2.13.0/break_ids.def"
};
#define GM_TORCH_BREAK(id, name) {id, name},
static const text_row names_2_14[] = {
#include "../../data/torch/2.14.1/break_ids.def"
};
#define GM_TORCH_BREAK(id, name) {id, name},
static const text_row names_2_15[] = {
#include "../../data/torch/2.15.0/break_ids.def"
};

const char *const gm_break_versions[] = {"2.9", "2.10", "2.11", "2.12", "2.13", "2.14", "2.15"};

static const struct {
    const text_row *rows;
    size_t count;
} names[GM_BREAK_VERSIONS] = {
    {names_2_9, sizeof names_2_9 / sizeof names_2_9[0]},    {names_2_10, sizeof names_2_10 / sizeof names_2_10[0]},
    {names_2_11, sizeof names_2_11 / sizeof names_2_11[0]}, {names_2_12, sizeof names_2_12 / sizeof names_2_12[0]},
    {names_2_13, sizeof names_2_13 / sizeof names_2_13[0]}, {names_2_14, sizeof names_2_14 / sizeof names_2_14[0]},
    {names_2_15, sizeof names_2_15 / sizeof names_2_15[0]},
};

/* Made from data/breaks/examples by CMake; ends with a row without an id. */
static const text_row examples[] = {
#define GM_BREAK_EXAMPLE(id, text) {id, text},
#include "break_examples.def"
    {NULL, NULL},
};

static char upper(char byte) {
    return byte >= 'a' && byte <= 'z' ? (char)(byte - 'a' + 'A') : byte;
}

static bool is_id(const char *id, const char *given) {
    size_t at = 0;
    while (id[at] != '\0' && id[at] == upper(given[at])) {
        at++;
    }
    return id[at] == '\0' && given[at] == '\0';
}

static const gm_break *find_id(const char *id) {
    for (size_t i = 0; i < gm_break_count; i++) {
        if (is_id(gm_breaks[i].id, id)) {
            return &gm_breaks[i];
        }
    }
    return NULL;
}

static const gm_break *find_name(const char *name) {
    for (size_t version = GM_BREAK_VERSIONS; version-- > 0;) {
        for (size_t i = 0; i < names[version].count; i++) {
            if (strcmp(names[version].rows[i].text, name) == 0) {
                return find_id(names[version].rows[i].id);
            }
        }
    }
    return NULL;
}

const gm_break *gm_break_find(const char *id_or_name) {
    const gm_break *found = find_id(id_or_name);
    return found != NULL ? found : find_name(id_or_name);
}

static const char *text_of(const text_row *rows, size_t count, const char *id) {
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(rows[middle].id, id);
        if (order == 0) {
            return rows[middle].text;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

const char *gm_break_name(const gm_break *kind, size_t version) {
    return text_of(names[version].rows, names[version].count, kind->id);
}

const char *gm_break_example(const gm_break *kind) {
    return text_of(examples, sizeof examples / sizeof examples[0] - 1, kind->id);
}
