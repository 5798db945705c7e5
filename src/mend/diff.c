#include "mend/diff.h"

#include <string.h>

#include "base/hash.h"
#include "base/table.h"
#include "base/vec.h"
#include "base/work.h"

enum { CONTEXT = 3, STEP_WORK = 4 /* to look at a diagonal */ };

typedef struct line {
    const char *text;
    size_t length;  /* with its line end */
    uint32_t class; /* lines of one text have one number */
} line;

typedef struct text {
    line *lines;
    int32_t count;
} text;

/* Numbers for the texts of lines. Two hashes tell them apart: lines that meet in both are compared. */
typedef struct classes {
    gm_table numbers; /* by hash: the line that was first */
    GM_VEC(line) first;
} classes;

static bool equal_text(const line *a, const line *b) {
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

static uint32_t class_of(gm_arena *arena, classes *known, const line *one) {
    uint64_t hash = gm_hash_of(one->text, one->length).words[0];
    for (;; hash++) {
        uint32_t number = gm_table_find(&known->numbers, hash);
        if (number == GM_TABLE_NONE) {
            gm_table_put(&known->numbers, arena, hash, known->first.count);
            gm_vec_push(arena, &known->first, *one);
            return known->first.count - 1;
        }
        if (equal_text(&known->first.items[number], one)) {
            return number;
        }
    }
}

static text split(gm_arena *arena, classes *known, const char *bytes, size_t size) {
    GM_VEC(line) lines = {0};
    for (size_t at = 0; at < size;) {
        const char *end = memchr(bytes + at, '\n', size - at);
        size_t length = end == NULL ? size - at : (size_t)(end - (bytes + at)) + 1;
        line next = {bytes + at, length, 0};
        next.class = class_of(arena, known, &next);
        gm_vec_push(arena, &lines, next);
        at += length;
    }
    return (text){lines.items, (int32_t)lines.count};
}

static bool equal(const line *a, const line *b) {
    return a->class == b->class;
}

/* ---- The shortest way, after Myers: for each number of changes, how far each diagonal gets ---- */

/* A run of lines: `old_count` lines from `old` become `new_count` lines from `new`. */
typedef struct change {
    int32_t old;
    int32_t old_count;
    int32_t new;
    int32_t new_count;
} change;

typedef struct differ {
    gm_arena *arena;
    text old;
    text new;
    int32_t first;    /* lines in front that are the same */
    int32_t old_size; /* lines between those and the same lines at the end */
    int32_t new_size;
    GM_VEC(int32_t *) reached; /* reached[d][k + d]: the old line that d changes get to on diagonal k */
    GM_VEC(change) changes; /* from the last to the first */
} differ;

static void trim(differ *all) {
    int32_t old_end = all->old.count;
    int32_t new_end = all->new.count;
    while (all->first < old_end && all->first < new_end && equal(&all->old.lines[all->first], &all->new.lines[all->first])) {
        all->first++;
    }
    while (old_end > all->first && new_end > all->first && equal(&all->old.lines[old_end - 1], &all->new.lines[new_end - 1])) {
        old_end--;
        new_end--;
    }
    all->old_size = old_end - all->first;
    all->new_size = new_end - all->first;
}

static int32_t follow(const differ *all, int32_t x, int32_t k) {
    while (x < all->old_size && x - k < all->new_size && equal(&all->old.lines[all->first + x], &all->new.lines[all->first + x - k])) {
        x++;
    }
    return x;
}

/* Whether the best way to diagonal k with d changes ends with an insertion, and not with a deletion. */
static bool comes_down(const int32_t *before, int32_t d, int32_t k) {
    return k == -d || (k != d && before[k - 1 + d - 1] < before[k + 1 + d - 1]);
}

/* The number of changes. Time and memory by the square of it: the budget of the text bounds both. */
static int32_t search(differ *all) {
    for (int32_t d = 0;; d++) {
        gm_work(all->arena, (uint64_t)d * STEP_WORK);
        int32_t *here = GM_NEW_ARRAY(all->arena, int32_t, 2 * (size_t)d + 1);
        const int32_t *before = d > 0 ? all->reached.items[d - 1] : NULL;
        gm_vec_push(all->arena, &all->reached, here);
        for (int32_t k = -d; k <= d; k += 2) {
            int32_t x = 0;
            if (d > 0) {
                x = comes_down(before, d, k) ? before[k + 1 + d - 1] : before[k - 1 + d - 1] + 1;
            }
            here[k + d] = follow(all, x, k);
            gm_work(all->arena, (uint64_t)(here[k + d] - x));
            if (here[k + d] >= all->old_size && here[k + d] - k >= all->new_size) {
                return d;
            }
        }
    }
}

/* Put a changed line in front of the changes that are known; next to the first of them it becomes part of it. */
static void add_change(differ *all, int32_t old, int32_t new, bool inserted) {
    change *first = all->changes.count > 0 ? &all->changes.items[all->changes.count - 1] : NULL;
    change one = {all->first + old, inserted ? 0 : 1, all->first + new, inserted ? 1 : 0};
    if (first == NULL || first->old != one.old + one.old_count || first->new != one.new + one.new_count) {
        gm_vec_push(all->arena, &all->changes, one);
        return;
    }
    *first = (change){one.old, first->old_count + one.old_count, one.new, first->new_count + one.new_count};
}

static void trace(differ *all, int32_t d) {
    int32_t k = all->old_size - all->new_size;
    for (; d > 0; d--) {
        const int32_t *before = all->reached.items[d - 1];
        bool down = comes_down(before, d, k);
        k += down ? 1 : -1;
        int32_t x = before[k + d - 1];
        add_change(all, x, x - k, down);
    }
}

static void find_shortest(void *context) {
    differ *all = context;
    trace(all, search(all));
}

/* False: beyond the budget, all lines between the first and the last change are one. */
static bool find_changes(differ *all, size_t length) {
    trim(all);
    if (gm_work_within(all->arena, length, find_shortest, all)) {
        return true;
    }
    all->changes.count = 0;
    change whole = {all->first, all->old_size, all->first, all->new_size};
    gm_vec_push(all->arena, &all->changes, whole);
    return false;
}

/* ---- Hunks ---- */

static void add_lines(gm_buffer *out, char mark, const text *from, int32_t start, int32_t count) {
    for (int32_t i = start; i < start + count; i++) {
        const line *at = &from->lines[i];
        gm_buffer_add_char(out, mark);
        gm_buffer_add(out, at->text, at->length);
        if (at->text[at->length - 1] != '\n') {
            gm_buffer_add_text(out, "\n\\ No newline at end of file\n");
        }
    }
}

/* A range without lines is named by the line in front of it. */
static void add_range(gm_buffer *out, char mark, int32_t start, int32_t count) {
    gm_buffer_printf(out, "%c%d", mark, count == 0 ? start : start + 1);
    if (count != 1) {
        gm_buffer_printf(out, ",%d", count);
    }
}

/* One hunk from change `from` down to change `to`; changes are stored backwards. */
static void add_hunk(gm_buffer *out, const differ *all, uint32_t from, uint32_t to) {
    const change *first = &all->changes.items[from];
    const change *last = &all->changes.items[to];
    int32_t lead = first->old < CONTEXT ? first->old : CONTEXT;
    int32_t behind = all->old.count - (last->old + last->old_count);
    int32_t tail = behind < CONTEXT ? behind : CONTEXT;
    int32_t old_end = last->old + last->old_count + tail;
    int32_t new_end = last->new + last->new_count + tail;
    gm_buffer_add_text(out, "@@ ");
    add_range(out, '-', first->old - lead, old_end - (first->old - lead));
    gm_buffer_add_char(out, ' ');
    add_range(out, '+', first->new - lead, new_end - (first->new - lead));
    gm_buffer_add_text(out, " @@\n");
    int32_t at = first->old - lead;
    for (uint32_t i = from + 1; i-- > to;) {
        const change *next = &all->changes.items[i];
        add_lines(out, ' ', &all->old, at, next->old - at);
        add_lines(out, '-', &all->old, next->old, next->old_count);
        add_lines(out, '+', &all->new, next->new, next->new_count);
        at = next->old + next->old_count;
    }
    add_lines(out, ' ', &all->old, at, old_end - at);
}

static void add_hunks(gm_buffer *out, const differ *all) {
    for (uint32_t from = all->changes.count; from-- > 0;) {
        uint32_t to = from;
        while (to > 0 && all->changes.items[to - 1].old - (all->changes.items[to].old + all->changes.items[to].old_count) <= 2 * CONTEXT) {
            to--;
        }
        add_hunk(out, all, from, to);
        from = to;
    }
}

/* A name that could end its line, or move a cursor. */
static bool needs_quotes(const char *path) {
    for (; *path != '\0'; path++) {
        if ((unsigned char)*path < 0x20 || *path == 0x7F || *path == '"' || *path == '\\') {
            return true;
        }
    }
    return false;
}

/* As git writes such names: `"a/line\012end"`. */
static void add_quoted(gm_buffer *out, const char *side, const char *path) {
    gm_buffer_printf(out, "\"%s", side);
    for (; *path != '\0'; path++) {
        bool plain = (unsigned char)*path >= 0x20 && (unsigned char)*path < 0x7F && *path != '"' && *path != '\\';
        if (plain) {
            gm_buffer_add_char(out, *path);
        } else {
            gm_buffer_printf(out, "\\%03o", (unsigned)(unsigned char)*path);
        }
    }
    gm_buffer_add_text(out, "\"\n");
}

/* A name from the folder on in which the patch is applied: git takes none that begins with `/` or `./`. A tab ends one that holds blanks. */
static void add_name(gm_buffer *out, const char *prefix, const char *path) {
    while (*path == '/' || strncmp(path, "./", 2) == 0) {
        path += *path == '/' ? 1 : 2;
    }
    if (needs_quotes(path)) {
        gm_buffer_add(out, prefix, 4); /* "--- " */
        add_quoted(out, prefix + 4, path);
        return;
    }
    gm_buffer_add_text(out, prefix);
    gm_buffer_add_text(out, path);
    gm_buffer_add_text(out, strpbrk(path, " \t") != NULL ? "\t\n" : "\n");
}

bool gm_diff_unified(gm_buffer *out, const char *path, const char *old, size_t old_size, const char *new, size_t new_size) {
    if (old_size == new_size && (old_size == 0 || memcmp(old, new, old_size) == 0)) {
        return true;
    }
    classes known = {0};
    differ all = {.arena = out->arena};
    all.old = split(out->arena, &known, old, old_size);
    all.new = split(out->arena, &known, new, new_size);
    bool shortest = find_changes(&all, old_size + new_size);
    add_name(out, "--- a/", path);
    add_name(out, "+++ b/", path);
    add_hunks(out, &all);
    return shortest;
}
