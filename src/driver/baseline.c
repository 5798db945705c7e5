#include "driver/baseline.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/seed.h"
#include "driver/content.h"
#include "driver/files.h"
#include "driver/json_text.h"

enum { VERSION = 1, MOST_BYTES = 256 << 20 };

/* ---- Paths ---- */

const char *gm_baseline_folder(gm_arena *arena, const char *path, const char **problem) {
    const char *slash = strrchr(path, '/');
    const char *typed = slash == NULL ? "." : gm_arena_copy(arena, path, slash == path ? 1 : (size_t)(slash - path));
    char *folder = realpath(typed, gm_arena_alloc(arena, PATH_MAX));
    *problem = folder == NULL ? gm_file_error(errno) : NULL;
    return folder;
}

/* How many bytes of two absolute paths are whole parts in common, with the slash behind them. */
static size_t common_length(const char *folder, const char *path) {
    size_t common = 0;
    for (size_t i = 0; folder[i] == path[i] && path[i] != '\0'; i++) {
        common = path[i] == '/' ? i + 1 : common;
    }
    size_t length = strlen(folder);
    bool inside = strncmp(folder, path, length) == 0 && path[length] == '/';
    return inside ? length + 1 : common;
}

/* A path from a folder on: "src/a.py", "../a.py". */
static const char *path_from(gm_arena *arena, const char *folder, const char *absolute) {
    if (absolute[0] != '/') {
        return absolute;
    }
    size_t common = common_length(folder, absolute);
    gm_buffer path;
    gm_buffer_init(&path, arena);
    for (const char *at = folder + (common < strlen(folder) ? common : strlen(folder)); *at != '\0'; at += strcspn(at, "/")) {
        at += *at == '/';
        gm_buffer_add_text(&path, "../");
    }
    gm_buffer_add_text(&path, absolute + common);
    return gm_buffer_text(&path);
}

/* ---- Tables ---- */

/* Of what a finding is known by; the number is 0 where findings that are alike are counted. */
static uint64_t hash_of(const char *path, const char *function, const gm_rule *rule, const char *key, uint32_t number) {
    gm_hasher hasher;
    uint64_t seed = gm_seed();
    gm_hasher_init(&hasher);
    gm_hasher_add(&hasher, &seed, sizeof seed);
    gm_hasher_add_text(&hasher, path);
    gm_hasher_add_text(&hasher, function);
    gm_hasher_add_text(&hasher, rule == NULL ? "" : rule->code);
    gm_hasher_add_text(&hasher, key);
    gm_hasher_add(&hasher, &number, sizeof number);
    return gm_hasher_end(&hasher).words[0];
}

static uint64_t hash_of_path(const char *path) {
    return hash_of(path, "", NULL, "", 0);
}

/* The sites of a path are a list, the last one first; of two that are alike the first one is found. */
static void add_site(gm_arena *arena, gm_baseline *baseline, gm_baseline_site site) {
    uint32_t index = baseline->sites.count;
    uint64_t path = hash_of_path(site.path);
    uint64_t whole = hash_of(site.path, site.function, site.rule, site.key, site.number);
    site.next = gm_table_find(&baseline->by_path, path);
    gm_table_put(&baseline->by_path, arena, path, index);
    if (gm_table_find(&baseline->by_site, whole) == GM_TABLE_NONE) {
        gm_table_put(&baseline->by_site, arena, whole, index);
    }
    gm_vec_push(arena, &baseline->sites, site);
}

/* ---- Reading ---- */

typedef struct reading {
    gm_arena *arena;
    gm_baseline *baseline;
    gm_baseline_site site;
    const char *of;
    uint32_t version;
} reading;

static bool read_text(gm_json_text *json, gm_arena *arena, const char **text) {
    gm_buffer buffer;
    gm_buffer_init(&buffer, arena);
    bool read = gm_json_text_string(json, &buffer);
    *text = gm_buffer_text(&buffer);
    return read;
}

static bool read_number(gm_json_text *json, uint32_t *number) {
    (void)gm_json_text_peek(json);
    char *end = NULL;
    unsigned long value = strtoul(json->at, &end, 10);
    bool right = end > json->at && value <= UINT32_MAX;
    *number = right ? (uint32_t)value : 0;
    return right && gm_json_text_skip(json);
}

static bool read_site_member(gm_json_text *json, const char *key, void *context) {
    reading *state = context;
    gm_baseline_site *site = &state->site;
    const char **text = strcmp(key, "path") == 0       ? &site->path
                        : strcmp(key, "function") == 0 ? &site->function
                        : strcmp(key, "code") == 0     ? &site->code
                        : strcmp(key, "text") == 0     ? &site->text
                                                       : NULL;
    if (text != NULL) {
        return read_text(json, state->arena, text);
    }
    return strcmp(key, "number") == 0 ? read_number(json, &site->number) : gm_json_text_skip(json);
}

static bool read_site(gm_json_text *json, void *context) {
    reading *state = context;
    state->site = (gm_baseline_site){.number = 0};
    if (!gm_json_text_object(json, state->arena, read_site_member, state)) {
        return false;
    }
    gm_baseline_site *site = &state->site;
    if (site->path == NULL || site->function == NULL || site->code == NULL || site->text == NULL || site->number == 0) {
        return false;
    }
    site->key = gm_content_key(state->arena, site->text);
    site->rule = gm_rule_find(site->code);
    add_site(state->arena, state->baseline, *site);
    return true;
}

static bool read_member(gm_json_text *json, const char *key, void *context) {
    reading *state = context;
    if (strcmp(key, "baseline") == 0) {
        return read_number(json, &state->version);
    }
    if (strcmp(key, "of") == 0) {
        return read_text(json, state->arena, &state->of);
    }
    return strcmp(key, "sites") == 0 ? gm_json_text_list(json, read_site, state) : gm_json_text_skip(json);
}

static const char *problem_of(const reading *state, bool read) {
    if (!read || state->of == NULL) {
        return "is no baseline, `--write-baseline` makes one";
    }
    if (strcmp(state->of, "check") != 0) {
        return "is a baseline of something else than `check`";
    }
    return state->version != VERSION ? "is a baseline of another version of graphmend" : NULL;
}

gm_baseline *gm_baseline_read(gm_arena *arena, const char *path, const char **problem) {
    gm_file file;
    gm_baseline *baseline = GM_NEW(arena, gm_baseline);
    baseline->folder = gm_baseline_folder(arena, path, problem);
    *problem = *problem != NULL ? *problem : gm_file_read_most(arena, path, MOST_BYTES, &file);
    if (*problem != NULL) {
        return NULL;
    }
    reading state = {.arena = arena, .baseline = baseline};
    gm_json_text json = gm_json_text_of(file.bytes, file.size);
    bool read = gm_json_text_object(&json, arena, read_member, &state) && gm_json_text_peek(&json) == '\0';
    *problem = problem_of(&state, read);
    return *problem == NULL ? baseline : NULL;
}

/* ---- Findings ---- */

typedef struct counted {
    const char *function;
    const char *text;
    const char *key;
    uint32_t number;
} counted;

typedef GM_VEC(counted) counted_list;

/* The entries of a file with their numbers; syntax errors have number 0. */
static void count(gm_arena *arena, const gm_checked *checked, counted_list *all) {
    gm_table numbers = {0}; /* how many there were of each */
    for (uint32_t i = 0; i < checked->entries.count; i++) {
        const gm_entry *entry = &checked->entries.items[i];
        counted one = {"", "", "", 0};
        if (entry->rule != NULL) {
            gm_content content = gm_content_of(arena, checked, entry);
            one = (counted){content.function, content.text, gm_content_key(arena, content.text), 1};
            uint64_t hash = hash_of("", one.function, entry->rule, one.key, 0);
            uint32_t before = gm_table_find(&numbers, hash);
            one.number += before == GM_TABLE_NONE ? 0 : before;
            gm_table_put(&numbers, arena, hash, one.number);
        }
        gm_vec_push(arena, all, one);
    }
}

static gm_baseline_site *find_site(gm_baseline *baseline, const char *path, const counted *one, const gm_rule *rule) {
    uint32_t at = gm_table_find(&baseline->by_site, hash_of(path, one->function, rule, one->key, one->number));
    return at == GM_TABLE_NONE ? NULL : &baseline->sites.items[at];
}

static bool look_for(gm_baseline *baseline, const char *path, const gm_check_options *options) {
    uint32_t first = gm_table_find(&baseline->by_path, hash_of_path(path));
    for (uint32_t i = first; i != GM_TABLE_NONE; i = baseline->sites.items[i].next) {
        gm_baseline_site *site = &baseline->sites.items[i];
        site->looked_for = site->rule == NULL || gm_selection_has(&options->rules, site->rule);
    }
    return first != GM_TABLE_NONE;
}

uint32_t gm_baseline_take(gm_arena *arena, gm_baseline *baseline, const char *absolute, gm_checked *checked,
                          const gm_check_options *options) {
    const char *path = path_from(arena, baseline->folder, absolute);
    if (checked->analysis == NULL || !look_for(baseline, path, options)) {
        return 0;
    }
    counted_list all = {0};
    count(arena, checked, &all);
    uint32_t left = 0;
    for (uint32_t i = 0; i < all.count; i++) {
        gm_baseline_site *site = find_site(baseline, path, &all.items[i], checked->entries.items[i].rule);
        if (site != NULL) {
            site->found = true;
        } else {
            checked->entries.items[left++] = checked->entries.items[i];
        }
    }
    checked->entries.count = left;
    return all.count - left;
}

bool gm_baseline_is_stale(gm_arena *arena, const gm_baseline *baseline, const gm_baseline_site *site) {
    if (site->found || site->looked_for) {
        return !site->found;
    }
    gm_buffer path;
    gm_buffer_init(&path, arena);
    gm_buffer_printf(&path, "%s%s%s", site->path[0] == '/' ? "" : baseline->folder, site->path[0] == '/' ? "" : "/", site->path);
    return access(gm_buffer_text(&path), F_OK) != 0;
}

/* ---- Writing ---- */

static void add_member(gm_buffer *out, const char *name, const char *text) {
    gm_buffer_printf(out, "\"%s\": ", name);
    gm_buffer_add_json(out, text, strlen(text));
    gm_buffer_add_text(out, ", ");
}

uint32_t gm_baseline_add(gm_arena *arena, gm_buffer *out, const char *folder, const char *absolute, const gm_checked *checked) {
    counted_list all = {0};
    count(arena, checked, &all);
    uint32_t added = 0;
    for (uint32_t i = 0; i < all.count; i++) {
        if (all.items[i].number > 0) {
            gm_buffer_add_text(out, ",\n{");
            add_member(out, "path", path_from(arena, folder, absolute));
            add_member(out, "function", all.items[i].function);
            add_member(out, "code", checked->entries.items[i].rule->code);
            add_member(out, "text", all.items[i].text);
            gm_buffer_printf(out, "\"number\": %u}", all.items[i].number);
            added++;
        }
    }
    return added;
}

static const char *create(const char *path, const char *bytes, size_t size) {
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0) {
        return gm_file_error(errno);
    }
    const char *problem = gm_file_write(descriptor, bytes, size);
    if (close(descriptor) != 0 && problem == NULL) {
        problem = gm_file_error(errno);
    }
    if (problem != NULL) {
        unlink(path);
    }
    return problem;
}

const char *gm_baseline_write(gm_arena *arena, const char *path, const char *lines, size_t size) {
    gm_buffer text;
    gm_buffer_init(&text, arena);
    gm_buffer_printf(&text, "{\"baseline\": %d, \"of\": \"check\", \"sites\": [", VERSION);
    if (size > 0) {
        gm_buffer_add(&text, lines + 1, size - 1);
    }
    gm_buffer_add_text(&text, "\n]}\n");
    gm_file old;
    const char *problem = gm_file_read(arena, path, &old);
    if (problem == NULL) {
        bool same = old.size == text.length && memcmp(old.bytes, text.bytes, old.size) == 0;
        return same ? NULL : gm_file_replace(arena, &old, text.bytes, text.length, NULL);
    }
    return access(path, F_OK) == 0 ? problem : create(path, text.bytes, text.length);
}
