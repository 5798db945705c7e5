#include "driver/links.h"

#include <stdlib.h>
#include <string.h>

#include "base/seed.h"

/* A name has at most so many parts, is followed so many steps through imports and bases, over so many names in all, and a run has so many rounds. */
enum { MOST_PARTS = 16, MOST_STEPS = 8, MOST_NAMES = 1000, MOST_ROUNDS = 16 };

typedef struct edge {
    uint32_t target;
    const char *name; /* in the target, behind "@" for a decorator; not ended */
    uint32_t length;
    uint32_t calls;
} edge;

typedef struct edges {
    edge *items;
    uint32_t count;
    uint32_t capacity;
} edges;

typedef struct word {
    const char *text; /* not ended */
    size_t length;
} word;

/* A line of what a file holds: its kind, the word behind that and, for `<` and `>`, the other name. */
typedef struct line {
    word first;
    word second;
    char kind;
    bool decorates; /* "=@" */
} line;

typedef struct lines {
    line *items;
    uint32_t count;
    uint32_t capacity;
    const char *text; /* NULL when it has been read */
} lines;

/* Where a name leads that is looked for in a folder; most are asked for by many files. */
typedef struct known {
    gm_hash key;
    edges leads_to; /* `calls` are the asker's */
    bool taken;
} known;

typedef struct file_links {
    gm_arena *arena;
    gm_target *targets;
    uint32_t count;
    uint32_t *slots; /* hash table of targets by absolute path, numbers plus one */
    uint32_t capacity;
    edges *from;     /* of each target */
    lines *holds;    /* of each target: what it holds, behind what it calls */
    known *names;    /* hash table */
    uint32_t name_capacity;
    uint32_t name_count;
    uint32_t *roots; /* of each target: the length of the folder from which its absolute imports start */
} file_links;

/* ---- Targets by path ---- */

static uint32_t hash_of(const char *text, size_t length) {
    return (uint32_t)gm_seed_mix(gm_hash_of(text, length).words[0]);
}

static uint32_t *slot_of(const file_links *links, const char *path, size_t length) {
    uint32_t at = hash_of(path, length) & (links->capacity - 1);
    while (links->slots[at] != 0) {
        const char *other = links->targets[links->slots[at] - 1].absolute;
        if (strncmp(other, path, length) == 0 && other[length] == '\0') {
            break;
        }
        at = (at + 1) & (links->capacity - 1);
    }
    return &links->slots[at];
}

/* The target with a path, or `count`. */
static uint32_t target_at(const file_links *links, const char *path, size_t length) {
    uint32_t slot = *slot_of(links, path, length);
    return slot == 0 ? links->count : slot - 1;
}

static size_t folder_of(const char *path, size_t length) {
    while (length > 0 && path[length - 1] != '/') {
        length--;
    }
    return length > 0 ? length - 1 : 0;
}

static bool is_package(const file_links *links, gm_buffer *path, const char *folder, size_t length) {
    path->length = 0;
    gm_buffer_add(path, folder, length);
    gm_buffer_add_text(path, "/__init__.py");
    return target_at(links, path->bytes, path->length) < links->count;
}

static uint32_t root_of(const file_links *links, gm_buffer *path, const char *absolute) {
    size_t length = folder_of(absolute, strlen(absolute));
    while (length > 0 && is_package(links, path, absolute, length)) {
        length = folder_of(absolute, length);
    }
    return (uint32_t)length;
}

static bool same_folder(const char *left, const char *right) {
    size_t length = folder_of(left, strlen(left));
    return length == folder_of(right, strlen(right)) && memcmp(left, right, length) == 0;
}

static file_links *links_new(gm_arena *arena, gm_target *targets, uint32_t count) {
    file_links *links = GM_NEW(arena, file_links);
    *links = (file_links){.arena = arena, .targets = targets, .count = count, .capacity = 64};
    while (links->capacity < count * (uint64_t)2) {
        links->capacity *= 2;
    }
    links->slots = GM_NEW_ARRAY(arena, uint32_t, links->capacity);
    links->from = GM_NEW_ARRAY(arena, edges, count + 1);
    links->holds = GM_NEW_ARRAY(arena, lines, count + 1);
    links->roots = GM_NEW_ARRAY(arena, uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        *slot_of(links, targets[i].absolute, strlen(targets[i].absolute)) = i + 1;
    }
    gm_buffer path;
    gm_buffer_init(&path, arena);
    for (uint32_t i = 0; i < count; i++) {
        bool beside = i > 0 && same_folder(targets[i].absolute, targets[i - 1].absolute);
        links->roots[i] = beside ? links->roots[i - 1] : root_of(links, &path, targets[i].absolute);
    }
    return links;
}

/* ---- Names ---- */

/* The folder where the search for a name begins, its leading dots passed by. */
static size_t start_of(const file_links *links, uint32_t index, const char **name) {
    const char *absolute = links->targets[index].absolute;
    if (**name != '.') {
        return links->roots[index];
    }
    size_t length = strlen(absolute);
    for (; **name == '.'; ++*name) {
        length = folder_of(absolute, length);
    }
    return length;
}

/* The module of the run that holds a dotted name: the longest beginning of it that is one. `*rest` is the part behind. */
static uint32_t module_of(const file_links *links, gm_buffer *path, const char *folder, size_t length, const char *name, size_t size,
                          const char **rest) {
    size_t ends[MOST_PARTS];
    uint32_t parts = 0;
    path->length = 0;
    gm_buffer_add(path, folder, length);
    const char *at = name;
    const char *end = name + size;
    ends[parts++] = path->length;
    while (parts < MOST_PARTS && memchr(at, '.', (size_t)(end - at)) != NULL) {
        const char *dot = memchr(at, '.', (size_t)(end - at));
        gm_buffer_add_char(path, '/');
        gm_buffer_add(path, at, (size_t)(dot - at));
        ends[parts++] = path->length;
        at = dot + 1;
    }
    while (parts-- > 0) {
        static const char *const tails[] = {".py", "/__init__.py"};
        for (size_t i = 0; i < 2; i++) {
            path->length = ends[parts];
            gm_buffer_add_text(path, tails[i]);
            uint32_t found = target_at(links, path->bytes, path->length);
            if (found < links->count) {
                *rest = name + (ends[parts] - length);
                return found;
            }
        }
    }
    return links->count;
}

/* ---- What names stand for ---- */

static bool is_same_name(word left, word right) {
    return left.length == right.length && *left.text == *right.text && memcmp(left.text, right.text, left.length) == 0;
}

static const char *read_line(const char *at, line *read) {
    read->kind = *at++;
    read->decorates = read->kind == '=' && *at == '@';
    at += read->decorates;
    const char *end = strchr(at, '\n');
    end = end == NULL ? at + strlen(at) : end;
    const char *space = memchr(at, ' ', (size_t)(end - at));
    read->first = (word){at, (size_t)((space == NULL ? end : space) - at)};
    read->second = space == NULL ? (word){end, 0} : (word){space + 1, (size_t)(end - space - 1)};
    return end + (*end == '\n');
}

/* The lines of a target, read when somebody first asks. */
static const lines *lines_of(file_links *links, uint32_t target) {
    lines *held = &links->holds[target];
    for (const char *at = held->text; at != NULL && *at != '\0';) {
        line read;
        at = read_line(at, &read);
        gm_vec_push(links->arena, held, read);
    }
    held->text = NULL;
    return held;
}

typedef struct search {
    file_links *links;
    gm_buffer path;
    edges *found;
    uint32_t left; /* names that may still be looked at */
    bool applied;  /* as a decorator */
} search;

static void follow_name(search *searching, uint32_t target, word wanted, uint32_t depth);

/* A dotted name as the file `target` spells it, and what is behind it. */
static void follow_dotted(search *searching, uint32_t target, word dotted, word behind, uint32_t depth) {
    file_links *links = searching->links;
    const char *rest = NULL;
    const char *at = dotted.text;
    size_t folder = start_of(links, target, &at);
    size_t length = dotted.length - (size_t)(at - dotted.text);
    uint32_t found = module_of(links, &searching->path, links->targets[target].absolute, folder, at, length, &rest);
    if (found == links->count) {
        return;
    }
    gm_buffer whole;
    gm_buffer_init(&whole, links->arena);
    if (rest < at + length) {
        gm_buffer_add(&whole, rest, (size_t)(at + length - rest));
    }
    if (behind.length > 0) {
        gm_buffer_add_text(&whole, whole.length > 0 ? "." : "");
        gm_buffer_add(&whole, behind.text, behind.length);
    }
    if (whole.length > 0) {
        follow_name(searching, found, (word){whole.bytes, whole.length}, depth + 1);
    }
}

static void add_edge(search *searching, uint32_t target, word entered) {
    char *kept = gm_arena_alloc(searching->links->arena, entered.length + 2);
    kept[0] = '@';
    memcpy(kept + 1, entered.text, entered.length);
    edge new = {target, kept + !searching->applied, (uint32_t)entered.length + searching->applied, 0};
    gm_vec_push(searching->links->arena, searching->found, new);
}

/* Whether the file itself has the name; callers of what is quiet make no difference. */
static bool holds(search *searching, uint32_t target, word wanted) {
    const lines *held = lines_of(searching->links, target);
    bool found = false;
    for (uint32_t i = 0; i < held->count; i++) {
        const line *at = &held->items[i];
        bool own = at->kind == '=' || at->kind == '-';
        if (own && at->decorates == searching->applied && is_same_name(at->first, wanted)) {
            found = true;
            if (at->kind == '=') {
                add_edge(searching, target, wanted);
                return true;
            }
        }
    }
    return found;
}

static void follow_base(search *searching, uint32_t target, word base, word tail, uint32_t depth) {
    gm_buffer text;
    gm_buffer_init(&text, searching->links->arena);
    gm_buffer_add(&text, base.text, base.length);
    gm_buffer_add_char(&text, '.');
    gm_buffer_add(&text, tail.text, tail.length);
    follow_name(searching, target, (word){text.bytes, text.length}, depth + 1);
}

/* A name of a file: its own function, class or method, or what an import or the base of a class leads to. */
static void follow_name(search *searching, uint32_t target, word wanted, uint32_t depth) {
    if (depth > MOST_STEPS || searching->left == 0 || holds(searching, target, wanted)) {
        return;
    }
    searching->left--;
    const char *dot = memchr(wanted.text, '.', wanted.length);
    word head = {wanted.text, dot == NULL ? wanted.length : (size_t)(dot - wanted.text)};
    word tail = {dot == NULL ? NULL : dot + 1, dot == NULL ? 0 : wanted.length - head.length - 1};
    const lines *held = lines_of(searching->links, target);
    for (uint32_t i = 0; i < held->count; i++) {
        const line *at = &held->items[i];
        if (at->kind == '>' && is_same_name(at->first, head)) {
            follow_dotted(searching, target, at->second, tail, depth);
        } else if (at->kind == '<' && tail.length > 0 && is_same_name(at->first, head)) {
            follow_base(searching, target, at->second, tail, depth);
        }
    }
}

/* ---- What a file calls ---- */

static known *known_of(const file_links *links, gm_hash key) {
    uint32_t at = (uint32_t)gm_seed_mix(key.words[0]) & (links->name_capacity - 1);
    while (links->names[at].taken && memcmp(&links->names[at].key, &key, sizeof key) != 0) {
        at = (at + 1) & (links->name_capacity - 1);
    }
    return &links->names[at];
}

static void grow_names(file_links *links) {
    known *old = links->names;
    uint32_t capacity = links->name_capacity;
    links->name_capacity = capacity == 0 ? 256 : capacity * 2;
    links->names = GM_NEW_ARRAY(links->arena, known, links->name_capacity);
    for (uint32_t i = 0; i < capacity; i++) {
        if (old[i].taken) {
            *known_of(links, old[i].key) = old[i];
        }
    }
}

/* Where a line of a file leads. The search depends on nothing but the folder where it begins and the name. */
static const edges *leads_to(file_links *links, search *searching, uint32_t index, word dotted) {
    const char *rest = dotted.text;
    size_t folder = start_of(links, index, &rest);
    gm_hasher hasher;
    gm_hasher_init(&hasher);
    gm_hasher_add(&hasher, links->targets[index].absolute, folder);
    gm_hasher_add(&hasher, searching->applied ? "\n@" : "\n", 1 + (size_t)searching->applied);
    gm_hasher_add(&hasher, rest, dotted.length - (size_t)(rest - dotted.text));
    gm_hash key = gm_hasher_end(&hasher);
    if (links->name_count * 2 >= links->name_capacity) {
        grow_names(links);
    }
    known *found = known_of(links, key);
    if (!found->taken) {
        *found = (known){.key = key, .taken = true};
        links->name_count++;
        searching->found = &found->leads_to;
        searching->left = MOST_NAMES;
        follow_dotted(searching, index, dotted, (word){NULL, 0}, 0);
    }
    return &found->leads_to;
}

/* The lines that tell what a file holds, as they are in the first round: what is open then stays open. */
static void keep_holds(file_links *links, uint32_t index, const char *calls) {
    while (calls != NULL && *calls != '\0' && strchr("=-<>", *calls) == NULL) {
        calls += strcspn(calls, "\n");
        calls += *calls == '\n';
    }
    links->holds[index].text = gm_arena_copy(links->arena, calls == NULL ? "" : calls, calls == NULL ? 0 : strlen(calls));
}

static void add_edges(file_links *links, uint32_t index, const edges *found, uint32_t calls) {
    for (uint32_t i = 0; i < found->count; i++) {
        edge new = found->items[i];
        new.calls = calls;
        if (new.target != index) {
            gm_vec_push(links->arena, &links->from[index], new);
        }
    }
}

static void set_calls(file_links *links, uint32_t index, const char *calls) {
    search searching = {.links = links};
    gm_buffer_init(&searching.path, links->arena);
    links->from[index].count = 0;
    while (calls != NULL && *calls != '\0' && strchr("=-<>", *calls) == NULL) {
        size_t length = strcspn(calls, " ");
        searching.applied = *calls == '@';
        word dotted = {calls + searching.applied, length - searching.applied};
        add_edges(links, index, leads_to(links, &searching, index, dotted), (uint32_t)strtoul(calls + length, NULL, 10));
        calls += strcspn(calls, "\n");
        calls += *calls == '\n';
    }
}

/* ---- Entrances ---- */

static int compare_edges(const void *left, const void *right) {
    const edge *a = left;
    const edge *b = right;
    if (a->target != b->target) {
        return a->target < b->target ? -1 : 1;
    }
    uint32_t shorter = a->length < b->length ? a->length : b->length;
    int order = memcmp(a->name, b->name, shorter);
    return order != 0 ? order : a->length < b->length ? -1 : a->length > b->length;
}

static bool same_place(const edge *left, const edge *right) {
    return left->target == right->target && left->length == right->length && memcmp(left->name, right->name, left->length) == 0;
}

/* The lines for one target from the sorted edges that lead to it. */
static const char *entrances_of(file_links *links, const edge *items, uint32_t count) {
    gm_buffer text;
    gm_buffer_init(&text, links->arena);
    for (uint32_t i = 0; i < count;) {
        uint32_t calls = 0;
        uint32_t first = i;
        for (; i < count && same_place(&items[first], &items[i]); i++) {
            calls += items[i].calls;
        }
        gm_buffer_printf(&text, "%.*s %u\n", (int)items[first].length, items[first].name, calls);
    }
    return gm_buffer_text(&text);
}

static bool is_same(const char *left, const char *right) {
    return left == NULL || right == NULL ? left == right : strcmp(left, right) == 0;
}

static uint32_t update(file_links *links, uint32_t *changed) {
    edges all = {0};
    for (uint32_t i = 0; i < links->count; i++) {
        for (uint32_t j = 0; j < links->from[i].count; j++) {
            gm_vec_push(links->arena, &all, links->from[i].items[j]);
        }
    }
    if (all.count > 1) {
        qsort(all.items, all.count, sizeof *all.items, compare_edges);
    }
    uint32_t found = 0;
    for (uint32_t i = 0, at = 0; i < links->count; i++) {
        uint32_t first = at;
        while (at < all.count && all.items[at].target == i) {
            at++;
        }
        const char *entrances = at == first ? NULL : entrances_of(links, all.items + first, at - first);
        if (!is_same(entrances, links->targets[i].entrances)) {
            links->targets[i].entrances = entrances;
            changed[found++] = i;
        }
    }
    return found;
}

/* ---- Rounds ---- */

typedef struct heavy {
    size_t weight;
    uint32_t index;
} heavy;

typedef struct rounds {
    file_links *links;
    gm_target *again; /* copies of the targets of a round */
    gm_job_result *results;
    uint32_t *changed;
    gm_job_results earlier;
    uint32_t capacity; /* of `earlier` */
} rounds;

static int compare_weights(const void *left, const void *right) {
    const heavy *a = left;
    const heavy *b = right;
    return a->weight != b->weight ? (a->weight > b->weight ? -1 : 1) : a->index < b->index ? -1 : a->index > b->index;
}

/* The largest files come first, so that no thread is left with one of them while the others have nothing to do. */
static void sort_by_weight(gm_arena *arena, uint32_t *changed, uint32_t count, const gm_job_result *results) {
    heavy *items = GM_NEW_ARRAY(arena, heavy, count);
    for (uint32_t i = 0; i < count; i++) {
        items[i] = (heavy){results[changed[i]].weight, changed[i]};
    }
    qsort(items, count, sizeof *items, compare_weights);
    for (uint32_t i = 0; i < count; i++) {
        changed[i] = items[i].index;
    }
}

/* The result of a round in place of the one before, which is kept. */
static void replace(gm_arena *arena, rounds *state, gm_job_result *results, uint32_t round_index) {
    uint32_t index = state->changed[round_index];
    if (state->earlier.count == state->capacity) {
        state->earlier.items = gm_vec_grow(arena, state->earlier.items, &state->capacity, sizeof *state->earlier.items);
    }
    state->earlier.items[state->earlier.count++] = results[index];
    results[index] = state->results[round_index];
    set_calls(state->links, index, results[index].calls);
}

gm_job_results gm_links_run(gm_arena *arena, gm_target *targets, uint32_t count, uint32_t threads, gm_job job, const void *options,
                            gm_job_result *results) {
    gm_jobs_run(targets, count, threads, job, options, results);
    rounds state = {.links = links_new(arena, targets, count)};
    state.again = GM_NEW_ARRAY(arena, gm_target, count + 1);
    state.results = GM_NEW_ARRAY(arena, gm_job_result, count + 1);
    state.changed = GM_NEW_ARRAY(arena, uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        keep_holds(state.links, i, results[i].calls);
    }
    for (uint32_t i = 0; i < count; i++) {
        set_calls(state.links, i, results[i].calls);
    }
    uint32_t more = update(state.links, state.changed);
    for (uint32_t round = 0; more > 0 && round < MOST_ROUNDS; round++) {
        sort_by_weight(arena, state.changed, more, results);
        for (uint32_t i = 0; i < more; i++) {
            state.again[i] = targets[state.changed[i]];
        }
        gm_jobs_run(state.again, more, threads, job, options, state.results);
        for (uint32_t i = 0; i < more; i++) {
            replace(arena, &state, results, i);
        }
        more = update(state.links, state.changed);
    }
    return state.earlier;
}
