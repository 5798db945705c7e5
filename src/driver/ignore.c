#include "driver/ignore.h"

#include <string.h>

#include "base/vec.h"

typedef struct rule {
    const char *pattern;
    const char *tail; /* its end, from which on every character stands for itself */
    size_t tail_length;
    bool negated;
    bool folders_only;
    bool anchored; /* matched against the path below the folder, otherwise against the last component */
} rule;

struct gm_ignore {
    const gm_ignore *outer;
    const char *folder;
    size_t folder_length;
    GM_VEC(rule) rules;
};

/* Steps that one question may take of a list that belongs to settings: no list that somebody writes comes near. */
static const uint64_t steps_of_question = 1U << 20;

static void spend(uint64_t *steps, uint64_t count) {
    *steps -= count < *steps ? count : *steps;
}

/* Match `[...]` against a character; returns what follows the class, or NULL when it is not closed. */
static const char *match_class(const char *pattern, char character, bool *matched, uint64_t *steps) {
    const char *at = pattern + 1;
    bool negated = *at == '!' || *at == '^';
    at += negated;
    *matched = false;
    for (const char *first = at; *at != '\0' && (*at != ']' || at == first); at++) {
        if (at[1] == '-' && at[2] != '\0' && at[2] != ']') {
            *matched |= at[0] <= character && character <= at[2];
            at += 2;
        } else {
            *matched |= *at == character;
        }
    }
    spend(steps, (uint64_t)(at - pattern));
    *matched = *matched != negated && character != '/';
    return *at == ']' ? at + 1 : NULL;
}

/* Match one element that stands for one character; returns the pattern behind it, or NULL. */
static const char *match_one(const char *pattern, char character, uint64_t *steps) {
    if (*pattern == '?') {
        return character == '/' ? NULL : pattern + 1;
    }
    if (*pattern == '[') {
        bool matched = false;
        const char *rest = match_class(pattern, character, &matched, steps);
        if (rest != NULL) {
            return matched ? rest : NULL;
        }
    }
    if (*pattern == '\\' && pattern[1] != '\0') {
        pattern++;
    }
    return *pattern == character ? pattern + 1 : NULL;
}

/* Whether `**` at `at` stands for folders: it is a whole component. Elsewhere two stars are one. */
static bool is_wide(const char *pattern, const char *at) {
    return at[1] == '*' && (at == pattern || at[-1] == '/') && (at[2] == '/' || at[2] == '\0');
}

static const char *skip_stars(const char *at) {
    return at + strspn(at, "*");
}

/* Whether a path matches a pattern in which `*` and `?` stop at slashes and `**` is any number of folders. Greedy with one remembered star of
 * each kind, no recursion; where the steps come to an end, nothing matches. */
static bool match_pattern(const char *whole, const char *path, uint64_t *steps) {
    const char *pattern = whole;
    const char *star = NULL;
    const char *star_path = NULL;
    const char *wide = NULL;
    const char *wide_path = NULL;
    for (; *steps > 0; spend(steps, 1)) {
        if (*pattern == '*' && is_wide(whole, pattern)) {
            if (pattern[2] == '\0') {
                return true;
            }
            wide = pattern += 3;
            wide_path = path;
            star = NULL;
            continue;
        }
        if (*pattern == '*') {
            star = pattern = skip_stars(pattern);
            star_path = path;
            continue;
        }
        if (*path == '\0' && *pattern == '\0') {
            return true;
        }
        const char *next = *path != '\0' && *pattern != '\0' ? match_one(pattern, *path, steps) : NULL;
        const char *slash = next == NULL && wide != NULL ? strchr(wide_path, '/') : NULL;
        if (next != NULL) {
            pattern = next;
            path++;
        } else if (star != NULL && *star_path != '\0' && *star_path != '/') {
            pattern = star;
            path = ++star_path;
        } else if (slash != NULL) {
            spend(steps, (uint64_t)(slash - wide_path));
            pattern = wide;
            path = wide_path = slash + 1;
            star = NULL;
        } else {
            return false;
        }
    }
    return false;
}

/* The part of a pattern that each path it matches ends with; the slash of `**` `/` may stand for nothing. */
static const char *tail_of(const char *pattern) {
    const char *tail = pattern;
    for (const char *at = pattern; *at != '\0'; at++) {
        if (strchr("*?[]\\", *at) != NULL) {
            tail = at + 1;
        }
    }
    return tail + (tail > pattern && *tail == '/');
}

static bool parse_rule(gm_arena *arena, const char *line, size_t length, rule *out) {
    while (length > 0 && (line[length - 1] == ' ' || line[length - 1] == '\r' || line[length - 1] == '\t')) {
        length--;
    }
    if (length == 0 || line[0] == '#') {
        return false;
    }
    *out = (rule){.negated = line[0] == '!'};
    line += out->negated;
    length -= out->negated;
    if (length > 0 && line[length - 1] == '/') {
        out->folders_only = true;
        length--;
    }
    out->anchored = length > 0 && memchr(line, '/', length) != NULL;
    if (length > 0 && line[0] == '/') {
        line++;
        length--;
    }
    out->pattern = gm_arena_copy(arena, line, length);
    out->tail = tail_of(out->pattern);
    out->tail_length = strlen(out->tail);
    return length > 0;
}

gm_ignore *gm_ignore_parse(gm_arena *arena, const gm_ignore *outer, const char *folder, const char *text, size_t length) {
    gm_ignore *list = GM_NEW(arena, gm_ignore);
    list->outer = outer;
    list->folder = folder;
    list->folder_length = strlen(folder);
    const char *end = text + length;
    while (text < end) {
        const char *line_end = memchr(text, '\n', (size_t)(end - text));
        line_end = line_end == NULL ? end : line_end;
        rule parsed;
        if (parse_rule(arena, text, (size_t)(line_end - text), &parsed)) {
            gm_vec_push(arena, &list->rules, parsed);
        }
        text = line_end + 1;
    }
    return list;
}

/* A path below the folder of a list, as the rules of the list see it. */
typedef struct subject {
    const char *below;
    const char *last; /* its last component */
    size_t length;    /* of `below` */
    bool is_folder;
} subject;

static subject subject_of(const char *below, bool is_folder) {
    const char *slash = strrchr(below, '/');
    return (subject){below, slash == NULL ? below : slash + 1, strlen(below), is_folder};
}

static bool ends_with_tail(const rule *candidate, const char *text, size_t length) {
    size_t tail = candidate->tail_length;
    return tail == 0 ||
           (tail <= length && text[length - 1] == candidate->tail[tail - 1] && memcmp(text + length - tail, candidate->tail, tail) == 0);
}

static bool rule_matches(const rule *candidate, const subject *asked, uint64_t *steps) {
    spend(steps, 1);
    const char *text = candidate->anchored ? asked->below : asked->last;
    size_t length = asked->length - (size_t)(text - asked->below);
    if ((candidate->folders_only && !asked->is_folder) || !ends_with_tail(candidate, text, length)) {
        return false;
    }
    return match_pattern(candidate->pattern, text, steps);
}

bool gm_ignore_matches(const gm_ignore *list, const char *path, bool is_folder, uint64_t *steps) {
    for (; list != NULL; list = list->outer) {
        if (strncmp(path, list->folder, list->folder_length) != 0) {
            continue;
        }
        subject asked = subject_of(path + list->folder_length, is_folder);
        for (uint32_t i = list->rules.count; i > 0 && *steps > 0; i--) {
            const rule *candidate = &list->rules.items[i - 1];
            if (rule_matches(candidate, &asked, steps)) {
                return !candidate->negated;
            }
        }
    }
    return false;
}

bool gm_ignore_covers(const gm_ignore *list, const char *path) {
    char folder[4096];
    uint64_t steps = steps_of_question;
    size_t length = strlen(path);
    if (list == NULL || length >= sizeof folder || strncmp(path, list->folder, list->folder_length) != 0) {
        return false;
    }
    memcpy(folder, path, length + 1);
    for (size_t at = list->folder_length; at < length; at++) {
        if (folder[at] == '/') {
            folder[at] = '\0';
            bool left_out = gm_ignore_matches(list, folder, true, &steps);
            folder[at] = '/';
            if (left_out) {
                return true;
            }
        }
    }
    return gm_ignore_matches(list, path, false, &steps);
}
