#include "driver/toml.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/seed.h"
#include "base/utf8.h"

enum { DEPTH_LIMIT = 64 };

typedef struct reader {
    gm_arena *arena;
    const char *at;
    const char *end;
    uint32_t line;
    uint32_t depth;
    gm_toml_error *error;
} reader;

/* Remember the first error; everything stops at it. Returns false. */
static bool fail(reader *state, const char *words) {
    if (state->error->words == NULL) {
        *state->error = (gm_toml_error){state->line, words};
    }
    return false;
}

static char peek(const reader *state) {
    return state->at < state->end ? *state->at : '\0';
}

static bool take(reader *state, char wanted) {
    if (state->at >= state->end || *state->at != wanted) {
        return false;
    }
    state->line += wanted == '\n';
    state->at++;
    return true;
}

static bool starts_with(const reader *state, const char *text) {
    size_t length = strlen(text);
    return (size_t)(state->end - state->at) >= length && memcmp(state->at, text, length) == 0;
}

static void skip_blanks(reader *state) {
    while (peek(state) == ' ' || peek(state) == '\t') {
        state->at++;
    }
}

static void skip_comment(reader *state) {
    if (peek(state) == '#') {
        while (state->at < state->end && *state->at != '\n') {
            state->at++;
        }
    }
}

/* Blanks, comments and line ends, inside of arrays and between statements. */
static void skip_lines(reader *state) {
    for (;;) {
        skip_blanks(state);
        skip_comment(state);
        if (peek(state) == '\r') {
            state->at++;
        } else if (!take(state, '\n')) {
            return;
        }
    }
}

static gm_toml *new_value(reader *state, gm_toml_kind kind) {
    gm_toml *value = GM_NEW(state->arena, gm_toml);
    value->kind = (uint8_t)kind;
    value->line = state->line;
    return value;
}

/* ---- Strings ---- */

static bool add_code(reader *state, gm_buffer *out, int digits) {
    uint32_t code = 0;
    for (int i = 0; i < digits; i++, state->at++) {
        char digit = peek(state);
        uint32_t value = digit >= '0' && digit <= '9'   ? (uint32_t)(digit - '0')
                         : digit >= 'a' && digit <= 'f' ? (uint32_t)(digit - 'a' + 10)
                         : digit >= 'A' && digit <= 'F' ? (uint32_t)(digit - 'A' + 10)
                                                        : 16;
        if (value == 16) {
            return fail(state, "a string has an escape that is no number");
        }
        code = code << 4 | value;
    }
    char bytes[4];
    bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (code > 0x10FFFF || code == 0 || surrogate) {
        return fail(state, "a string has an escape that is no character");
    }
    gm_buffer_add(out, bytes, gm_utf8_encode(code, bytes));
    return true;
}

/* A backslash at the end of a line of a long string takes away the white space that follows. */
static bool skip_join(reader *state) {
    const char *at = state->at;
    while (at < state->end && (*at == ' ' || *at == '\t' || *at == '\r')) {
        at++;
    }
    if (at >= state->end || *at != '\n') {
        return false;
    }
    while (state->at < state->end && strchr(" \t\r\n", *state->at) != NULL) {
        state->line += *state->at == '\n';
        state->at++;
    }
    return true;
}

static bool add_escape(reader *state, gm_buffer *out, bool joins) {
    static const char from[] = "btnfre\"\\";
    static const char to[] = "\b\t\n\f\r\033\"\\";
    char letter = peek(state);
    const char *found = letter == '\0' ? NULL : strchr(from, letter);
    if (found != NULL) {
        gm_buffer_add_char(out, to[found - from]);
        state->at++;
        return true;
    }
    if (letter == 'u' || letter == 'U') {
        state->at++;
        return add_code(state, out, letter == 'u' ? 4 : 8);
    }
    return (joins && skip_join(state)) || fail(state, "a string has an escape that is unknown");
}

static bool read_long_string(reader *state, const char *quotes, gm_buffer *out) {
    state->at += 3;
    if (peek(state) == '\r') {
        state->at++;
    }
    take(state, '\n');
    while (state->at < state->end) {
        if (starts_with(state, quotes) && !(state->end - state->at > 3 && state->at[3] == quotes[0])) {
            state->at += 3;
            return true;
        }
        if (*quotes == '"' && peek(state) == '\\') {
            state->at++;
            if (!add_escape(state, out, true)) {
                return false;
            }
            continue;
        }
        state->line += *state->at == '\n';
        gm_buffer_add_char(out, *state->at++);
    }
    return fail(state, "a string is never closed");
}

static bool read_short_string(reader *state, char quote, gm_buffer *out) {
    state->at++;
    while (state->at < state->end && *state->at != '\n') {
        char next = *state->at++;
        if (next == quote) {
            return true;
        }
        if (next == '\\' && quote == '"') {
            if (!add_escape(state, out, false)) {
                return false;
            }
        } else {
            gm_buffer_add_char(out, next);
        }
    }
    return fail(state, "a string is never closed");
}

static const char *read_string(reader *state) {
    gm_buffer out;
    gm_buffer_init(&out, state->arena);
    bool read = starts_with(state, "\"\"\"") ? read_long_string(state, "\"\"\"", &out)
                : starts_with(state, "'''")  ? read_long_string(state, "'''", &out)
                                             : read_short_string(state, peek(state), &out);
    if (!read) {
        return NULL;
    }
    return memchr(gm_buffer_text(&out), '\0', out.length) == NULL ? gm_buffer_text(&out) : (fail(state, "a string holds a NUL"), NULL);
}

/* ---- Keys ---- */

static bool is_bare(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '-' || byte == '_';
}

static const char *read_key(reader *state) {
    skip_blanks(state);
    if (peek(state) == '"' || peek(state) == '\'') {
        return read_string(state);
    }
    const char *start = state->at;
    while (is_bare(peek(state))) {
        state->at++;
    }
    if (state->at == start) {
        fail(state, "a key is missing");
        return NULL;
    }
    return gm_arena_copy(state->arena, start, (size_t)(state->at - start));
}

static uint64_t hash_of(const char *key) {
    uint64_t hash = 0xCBF29CE484222325U;
    for (const char *at = key; *at != '\0'; at++) {
        hash = gm_seed_mix(hash ^ (unsigned char)*at);
    }
    return hash;
}

/* Where a key is among those of a table, or GM_TABLE_NONE. Two keys of one hash, which nobody can choose, would be one after the other. */
static uint32_t place_of(const gm_toml *table, const char *key, uint64_t *hash) {
    for (*hash = hash_of(key);; ++*hash) {
        uint32_t at = gm_table_find(&table->places, *hash);
        if (at == GM_TABLE_NONE || strcmp(table->items.items[at]->key, key) == 0) {
            return at;
        }
    }
}

static gm_toml *member(const gm_toml *table, const char *key) {
    uint64_t hash = 0;
    uint32_t at = table == NULL || table->kind != GM_TOML_TABLE ? GM_TABLE_NONE : place_of(table, key, &hash);
    return at == GM_TABLE_NONE ? NULL : table->items.items[at];
}

static void put(reader *state, gm_toml *table, const char *key, gm_toml *value) {
    uint64_t hash = 0;
    uint32_t at = place_of(table, key, &hash);
    value->key = key;
    if (at != GM_TABLE_NONE) {
        table->items.items[at] = value;
        return;
    }
    gm_table_put(&table->places, state->arena, hash, table->items.count);
    gm_vec_push(state->arena, &table->items, value);
}

/* The table behind a key, made when new; of an array of tables the last one. */
static gm_toml *enter(reader *state, gm_toml *table, const char *key) {
    gm_toml *found = member(table, key);
    if (found == NULL) {
        found = new_value(state, GM_TOML_TABLE);
        put(state, table, key, found);
    }
    if (found->kind == GM_TOML_ARRAY && found->items.count > 0) {
        found = found->items.items[found->items.count - 1];
    }
    if (found->kind != GM_TOML_TABLE) {
        fail(state, "a key is used as a table and is none");
        return NULL;
    }
    return found;
}

/* `a.b.c`: the table that holds the last part, with that in `*last`. */
static gm_toml *read_path(reader *state, gm_toml *table, const char **last) {
    *last = read_key(state);
    for (;;) {
        skip_blanks(state);
        if (*last == NULL || table == NULL) {
            return NULL;
        }
        if (!take(state, '.')) {
            return table;
        }
        table = enter(state, table, *last);
        *last = read_key(state);
    }
}

/* ---- Values ---- */

static gm_toml *read_value(reader *state);

static gm_toml *read_array(reader *state) {
    gm_toml *array = new_value(state, GM_TOML_ARRAY);
    state->at++;
    for (;;) {
        skip_lines(state);
        if (take(state, ']')) {
            return array;
        }
        gm_toml *item = read_value(state);
        if (item == NULL) {
            return NULL;
        }
        gm_vec_push(state->arena, &array->items, item);
        skip_lines(state);
        if (!take(state, ',') && peek(state) != ']') {
            fail(state, "an array is never closed");
            return NULL;
        }
    }
}

static bool read_pair(reader *state, gm_toml *table) {
    const char *key = NULL;
    gm_toml *holder = read_path(state, table, &key);
    if (holder == NULL) {
        return false;
    }
    if (!take(state, '=')) {
        return fail(state, "a key has no value, `=` is missing");
    }
    gm_toml *value = read_value(state);
    if (value == NULL) {
        return false;
    }
    put(state, holder, key, value);
    return true;
}

static gm_toml *read_inline_table(reader *state) {
    gm_toml *table = new_value(state, GM_TOML_TABLE);
    state->at++;
    for (;;) {
        skip_lines(state);
        if (take(state, '}')) {
            return table;
        }
        if (!read_pair(state, table)) {
            return NULL;
        }
        skip_lines(state);
        if (!take(state, ',') && peek(state) != '}') {
            fail(state, "an inline table is never closed");
            return NULL;
        }
    }
}

static void skip_scalar(reader *state) {
    while (is_bare(peek(state)) || peek(state) == '+' || peek(state) == '.' || peek(state) == ':') {
        state->at++;
    }
}

/* Whether a time follows the date that has been read, behind a space: `1979-05-27 07:32:00`. */
static bool has_time(const reader *state, const char *start) {
    static const char date[] = "0000-00-00";
    const char *at = state->at;
    if ((size_t)(at - start) != strlen(date) || state->end - at < 4 || at[0] != ' ' || !gm_utf8_is_digit(at[1]) ||
        !gm_utf8_is_digit(at[2]) || at[3] != ':') {
        return false;
    }
    for (size_t i = 0; i < strlen(date); i++) {
        if (date[i] == '0' ? !gm_utf8_is_digit(start[i]) : start[i] != date[i]) {
            return false;
        }
    }
    return true;
}

/* A number without the `_` between its digits. */
static const char *without_joins(reader *state, const char *text) {
    char *number = gm_arena_copy(state->arena, text, strlen(text));
    size_t length = 0;
    for (size_t i = 0; text[i] != '\0'; i++) {
        bool joins = text[i] == '_' && i > 0 && gm_utf8_is_digit(text[i - 1]) && gm_utf8_is_digit(text[i + 1]);
        number[length] = text[i];
        length += joins ? 0 : 1;
    }
    number[length] = '\0';
    return number;
}

/* Numbers without a fraction are integers, `_` between digits included; what else there is stays text. */
static gm_toml *read_scalar(reader *state) {
    const char *start = state->at;
    skip_scalar(state);
    if (has_time(state, start)) {
        state->at++;
        skip_scalar(state);
    }
    if (state->at == start) {
        fail(state, "a value is missing");
        return NULL;
    }
    gm_toml *value = new_value(state, GM_TOML_OTHER);
    value->text = gm_arena_copy(state->arena, start, (size_t)(state->at - start));
    bool truth = strcmp(value->text, "true") == 0;
    if (truth || strcmp(value->text, "false") == 0) {
        value->kind = GM_TOML_BOOLEAN;
        value->integer = truth;
        return value;
    }
    char *end = NULL;
    long long number = strtoll(without_joins(state, value->text), &end, 10);
    if (*end == '\0') {
        value->kind = GM_TOML_INTEGER;
        value->integer = number;
    }
    return value;
}

static gm_toml *read_value(reader *state) {
    skip_blanks(state);
    if (++state->depth > DEPTH_LIMIT) {
        fail(state, "values are nested too deeply");
        return NULL;
    }
    gm_toml *value = NULL;
    char first = peek(state);
    if (first == '"' || first == '\'') {
        value = new_value(state, GM_TOML_STRING);
        value->text = read_string(state);
        value = value->text == NULL ? NULL : value;
    } else {
        value = first == '[' ? read_array(state) : first == '{' ? read_inline_table(state) : read_scalar(state);
    }
    state->depth--;
    return value;
}

/* ---- Statements ---- */

/* `[a.b]` or `[[a.b]]`: the table that the lines behind it fill. */
static gm_toml *read_header(reader *state, gm_toml *root) {
    bool array = starts_with(state, "[[");
    state->at += array ? 2 : 1;
    const char *key = NULL;
    gm_toml *holder = read_path(state, root, &key);
    if (holder == NULL) {
        return NULL;
    }
    if (!take(state, ']') || (array && !take(state, ']'))) {
        fail(state, "the name of a table is never closed");
        return NULL;
    }
    if (!array) {
        return enter(state, holder, key);
    }
    gm_toml *list = member(holder, key);
    if (list == NULL || list->kind != GM_TOML_ARRAY) {
        list = new_value(state, GM_TOML_ARRAY);
        put(state, holder, key, list);
    }
    gm_toml *table = new_value(state, GM_TOML_TABLE);
    gm_vec_push(state->arena, &list->items, table);
    return table;
}

static bool read_statement(reader *state, gm_toml *root, gm_toml **table) {
    if (peek(state) == '[') {
        *table = read_header(state, root);
        if (*table == NULL) {
            return false;
        }
    } else if (!read_pair(state, *table)) {
        return false;
    }
    skip_blanks(state);
    skip_comment(state);
    if (peek(state) == '\r') {
        state->at++;
    }
    return state->at >= state->end || peek(state) == '\n' || fail(state, "something follows the value on its line");
}

gm_toml *gm_toml_parse(gm_arena *arena, const char *text, size_t length, gm_toml_error *error) {
    reader state = {.arena = arena, .at = text, .end = text + length, .line = 1, .error = error};
    *error = (gm_toml_error){0};
    if (starts_with(&state, "\xEF\xBB\xBF")) {
        state.at += 3;
    }
    gm_toml *root = new_value(&state, GM_TOML_TABLE);
    gm_toml *table = root;
    skip_lines(&state);
    while (state.at < state.end && read_statement(&state, root, &table)) {
        skip_lines(&state);
    }
    return root;
}

const gm_toml *gm_toml_get(const gm_toml *table, const char *key) {
    return member(table, key);
}
