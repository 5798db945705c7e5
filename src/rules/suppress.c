#include "rules/suppress.h"

#include <string.h>
#include <strings.h>

#include "base/search.h"

typedef struct reader {
    gm_arena *arena;
    const gm_tree *tree;
    gm_suppressions *out;
} reader;

static bool is_space(char character) {
    return character == ' ' || character == '\t';
}

static const char *skip_spaces(const char *at, const char *end) {
    while (at < end && is_space(*at)) {
        at++;
    }
    return at;
}

/* What follows `word` (any case), or NULL when something else stands there. */
static const char *skip_word(const char *at, const char *end, const char *word) {
    size_t length = strlen(word);
    bool found = (size_t)(end - at) >= length && strncasecmp(at, word, length) == 0;
    return found ? at + length : NULL;
}

static bool is_code_character(char character) {
    return (character >= 'A' && character <= 'Z') || (character >= 'a' && character <= 'z') || (character >= '0' && character <= '9');
}

/* Codes with commas or spaces between them, each written with a comma behind it. Returns "" when there is none. */
static const char *read_codes(gm_arena *arena, const char *at, const char *end) {
    char *codes = gm_arena_alloc(arena, (size_t)(end - at) * 2 + 1);
    size_t length = 0;
    while (at < end && (is_code_character(*at) || is_space(*at) || *at == ',')) {
        const char *start = at;
        while (at < end && is_code_character(*at)) {
            codes[length++] = *at++;
        }
        if (at > start) {
            codes[length++] = ',';
        } else {
            at++;
        }
    }
    codes[length] = '\0';
    return codes;
}

static void add(reader *state, const char *start, const char *end, const char *codes, bool noqa) {
    const char *text = state->tree->source->text;
    gm_suppression one = {.start = (uint32_t)(start - text), .end = (uint32_t)(end - text), .codes = codes, .noqa = noqa};
    one.line = gm_source_position(state->tree->source, one.start).line;
    gm_vec_push(state->arena, &state->out->lines, one);
}

/* `ignore`, `ignore[...]` and `ignore-file`, after `graphmend:`. */
static void read_ignore(reader *state, const char *start, const char *at, const char *end) {
    at = skip_word(skip_spaces(at, end), end, "ignore");
    if (at == NULL) {
        return;
    }
    if (skip_word(at, end, "-file") != NULL) {
        state->out->whole_file = true;
    } else if (at < end && *at == '[') {
        const char *bracket = memchr(at, ']', (size_t)(end - at));
        add(state, start, bracket == NULL ? end : bracket + 1, read_codes(state->arena, at + 1, end), false);
    } else {
        add(state, start, at, NULL, false);
    }
}

/* `noqa` or `noqa: CODES`. */
static void read_noqa(reader *state, const char *start, const char *at, const char *end) {
    const char *rest = skip_spaces(at, end);
    bool listed = rest < end && *rest == ':';
    const char *codes = listed ? read_codes(state->arena, rest + 1, end) : "";
    add(state, start, listed ? end : at, *codes != '\0' ? codes : NULL, true);
}

static const char *line_end(const char *at, const char *end) {
    while (at < end && *at != '\n' && *at != '\r') {
        at++;
    }
    return at;
}

/* Whether a place lies between two tokens, where a `#` can only be one of a comment. */
static bool in_comment(const gm_tree *tree, uint32_t at) {
    uint32_t behind = gm_token_at(tree, at + 1);
    return behind == 0 || tree->tokens[behind - 1].end <= at;
}

/* What follows a `#`; few do, so the words are looked for first. A further `#` in a comment begins a further remark. */
static void read_remark(reader *state, const char *at, const char *end) {
    const char *word = skip_spaces(at, end);
    const char *silences = skip_word(word, end, "graphmend:");
    const char *noqa = silences == NULL ? skip_word(word, end, "noqa") : NULL;
    if ((silences == NULL && noqa == NULL) || !in_comment(state->tree, (uint32_t)(at - state->tree->source->text) - 1)) {
        return;
    }
    if (silences != NULL) {
        read_ignore(state, word, silences, line_end(at, end));
    } else {
        read_noqa(state, word, noqa, line_end(at, end));
    }
}

gm_suppressions *gm_suppress_read(gm_arena *arena, const gm_tree *tree) {
    gm_suppressions *out = GM_NEW(arena, gm_suppressions);
    reader state = {arena, tree, out};
    const char *end = tree->source->text + tree->source->length;
    const char *at = tree->source->text;
    while ((at = memchr(at, '#', (size_t)(end - at))) != NULL) {
        read_remark(&state, ++at, end);
    }
    return out;
}

const char *gm_suppress_next(gm_arena *arena, const char **at) {
    const char *comma = strchr(*at, ',');
    if (comma == NULL) {
        return NULL;
    }
    const char *code = gm_arena_copy(arena, *at, (size_t)(comma - *at));
    *at = comma + 1;
    return code;
}

/* Which of the codes stand for this one, bit by bit. */
static uint64_t matches(const char *codes, const char *code) {
    uint64_t found = 0;
    unsigned index = 0;
    for (const char *comma = strchr(codes, ','); comma != NULL; comma = strchr(codes, ',')) {
        if (comma > codes && strncasecmp(codes, code, (size_t)(comma - codes)) == 0) {
            found |= (uint64_t)1 << (index < 63 ? index : 63);
        }
        codes = comma + 1;
        index++;
    }
    return found;
}

bool gm_suppress_lists(const char *codes, const char *code) {
    return matches(codes, code) != 0;
}

uint32_t gm_suppress_at(const gm_suppressions *suppressions, uint32_t line) {
    uint32_t low = 0;
    uint32_t high = suppressions->lines.count;
    while (low < high) {
        uint32_t middle = gm_middle(low, high);
        if (suppressions->lines.items[middle].line < line) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool covers_on(gm_suppressions *suppressions, uint32_t line, const char *code) {
    bool covered = false;
    for (uint32_t i = gm_suppress_at(suppressions, line); i < suppressions->lines.count && suppressions->lines.items[i].line == line; i++) {
        gm_suppression *one = &suppressions->lines.items[i];
        uint64_t found = one->codes == NULL ? 0 : matches(one->codes, code);
        if (one->codes == NULL || found != 0) {
            one->used = covered = true;
            one->used_codes |= found;
        }
    }
    return covered;
}

bool gm_suppress_covers(gm_suppressions *suppressions, const gm_source *source, const char *code, uint32_t start, uint32_t end) {
    if (suppressions->lines.count == 0) {
        return suppressions->whole_file;
    }
    bool first = covers_on(suppressions, gm_source_position(source, start).line, code);
    bool last = covers_on(suppressions, gm_source_position(source, end).line, code);
    return first || last || suppressions->whole_file;
}
