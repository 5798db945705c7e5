#include "driver/cache.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "driver/calls.h"
#include "driver/private.h"

/* The file: a header, for each result a record and its data, and behind all that the hash of it, against what power failures leave. Numbers are those of this machine: the key of
 * every result holds the program's own bytes, so no other machine's numbers are ever asked for. */
static const char magic[8] = {'G', 'M', 'C', 'A', 'C', 'H', 'E', '3'};

static const char inner[] = "check"; /* the folder of the cache */

enum { OLDEST = 20, MOST_BYTES = 64 << 20, NAME_ROOM = 40 };

typedef struct record {
    gm_hash key;
    uint32_t age; /* runs since it was asked for */
    uint32_t size;
    uint32_t calls; /* bytes of `calls` behind the data, its end included; 0: none */
    uint32_t unused;
} record;

typedef struct slot {
    gm_hash key;
    gm_job_result result;
    uint32_t age;
    bool taken;
} slot;

struct gm_cache {
    const char *path;     /* of the folder */
    char name[NAME_ROOM]; /* of the file in it */
    slot *slots; /* open addressing, capacity a power of two */
    uint32_t capacity;
    uint32_t count;
};

static slot *slot_of(const gm_cache *cache, gm_hash key) {
    uint32_t at = (uint32_t)key.words[0] & (cache->capacity - 1);
    while (cache->slots[at].taken && memcmp(&cache->slots[at].key, &key, sizeof key) != 0) {
        at = (at + 1) & (cache->capacity - 1);
    }
    return &cache->slots[at];
}

/* Whether the bytes are a whole file of ours. */
static bool is_whole(const gm_file *file) {
    gm_hash hash;
    size_t least = sizeof magic + sizeof(uint32_t) + sizeof hash;
    if (file->size < least || memcmp(file->bytes, magic, sizeof magic) != 0) {
        return false;
    }
    memcpy(&hash, file->bytes + file->size - sizeof hash, sizeof hash);
    gm_hash real = gm_hash_of(file->bytes, file->size - sizeof hash);
    return memcmp(&hash, &real, sizeof hash) == 0;
}

static bool are_calls(const char *text, uint32_t size) {
    return size == 0 || (memchr(text, '\0', size) == text + size - 1 && gm_calls_valid(text));
}

static void read_records(gm_arena *arena, gm_cache *cache, const gm_file *file) {
    const char *at = file->bytes + sizeof magic;
    const char *end = file->bytes + file->size - sizeof(gm_hash);
    memcpy(&cache->count, at, sizeof cache->count);
    at += sizeof cache->count;
    uint32_t most = (uint32_t)((size_t)(end - at) / sizeof(record));
    cache->count = cache->count < most ? cache->count : most;
    for (cache->capacity = 64; cache->capacity < cache->count * (uint64_t)2; cache->capacity *= 2) {
    }
    cache->slots = GM_NEW_ARRAY(arena, slot, cache->capacity);
    for (uint32_t i = 0; i < cache->count; i++) {
        record one;
        if ((size_t)(end - at) < sizeof one) {
            return;
        }
        memcpy(&one, at, sizeof one);
        at += sizeof one;
        if ((size_t)(end - at) < (size_t)one.size + one.calls || !are_calls(at + one.size, one.calls)) {
            return;
        }
        gm_job_result result = {.kept_size = one.size};
        result.kept = at;
        result.calls = one.calls == 0 ? NULL : at + one.size;
        *slot_of(cache, one.key) = (slot){one.key, result, one.age, true};
        at += (size_t)one.size + one.calls;
    }
}

const gm_job_result *gm_cache_find(const gm_cache *cache, gm_hash key) {
    const slot *found = slot_of(cache, key);
    return found->taken ? &found->result : NULL;
}

/* ---- Writing ---- */

static void add_record(gm_buffer *out, gm_hash key, const gm_job_result *result, uint32_t age) {
    uint32_t calls = result->calls == NULL ? 0 : (uint32_t)strlen(result->calls) + 1;
    record one = {key, age, (uint32_t)result->kept_size, calls, 0};
    gm_buffer_add(out, (const char *)&one, sizeof one);
    if (result->kept_size > 0) {
        gm_buffer_add(out, result->kept, result->kept_size);
    }
    if (calls > 0) {
        gm_buffer_add(out, result->calls, calls);
    }
}

/* What was kept before and was not asked for now. `asked` are flags by slot. */
static uint32_t add_old(gm_buffer *out, const gm_cache *cache, const bool *asked) {
    uint32_t added = 0;
    for (uint32_t i = 0; i < cache->capacity; i++) {
        const slot *old = &cache->slots[i];
        if (old->taken && !asked[i] && old->age < OLDEST && out->length < MOST_BYTES / 2) {
            add_record(out, old->key, &old->result, old->age + 1);
            added++;
        }
    }
    return added;
}

/* The folder is opened anew, as carefully as before. What cannot be written is no error. */
static void replace(const gm_cache *cache, const gm_buffer *out) {
    gm_private folder;
    if (out->length <= MOST_BYTES && gm_private_open(cache->path, inner, &folder) == NULL) {
        (void)gm_private_replace(&folder, cache->name, out->bytes, out->length);
        gm_private_close(&folder);
    }
}

void gm_cache_keep(gm_arena *arena, gm_cache *cache, const gm_job_result *results, uint32_t count) {
    bool *asked = GM_NEW_ARRAY(arena, bool, cache->capacity);
    gm_buffer out;
    gm_buffer_init(&out, arena);
    gm_buffer_add(&out, magic, sizeof magic);
    uint32_t total = 0;
    uint32_t new = 0;
    gm_buffer_add(&out, (const char *)&total, sizeof total);
    for (uint32_t i = 0; i < count; i++) {
        if (!results[i].keyed || results[i].problem != NULL) {
            continue;
        }
        const slot *old = slot_of(cache, results[i].key);
        new += !old->taken;
        if (old->taken) {
            asked[old - cache->slots] = true;
        }
        add_record(&out, results[i].key, &results[i], 0);
        total++;
    }
    if (new == 0) {
        return;
    }
    total += add_old(&out, cache, asked);
    memcpy(out.bytes + sizeof magic, &total, sizeof total);
    gm_hash hash = gm_hash_of(out.bytes, out.length);
    gm_buffer_add(&out, (const char *)&hash, sizeof hash);
    replace(cache, &out);
}

/* ---- Places ---- */

static bool is_set(const char *text) {
    return text != NULL && *text != '\0';
}

/* The folder of the cache, or NULL. */
static const char *place_of(gm_arena *arena, const gm_cache_places *places) {
    gm_buffer path;
    gm_buffer_init(&path, arena);
    if (is_set(places->named)) {
        gm_buffer_add_text(&path, places->named);
    } else if (is_set(places->common)) {
        gm_buffer_printf(&path, "%s/graphmend", places->common);
    } else if (is_set(places->home)) {
        gm_buffer_printf(&path, "%s/.cache/graphmend", places->home);
    } else {
        return NULL;
    }
    return gm_buffer_text(&path);
}

/* The file holds the results of all runs from one folder. */
static bool choose_name(gm_arena *arena, char *name) {
    char *here = gm_arena_alloc(arena, PATH_MAX);
    if (getcwd(here, PATH_MAX) == NULL) {
        return false;
    }
    gm_hash hash = gm_hash_of(here, strlen(here));
    snprintf(name, NAME_ROOM, "%016llx%016llx", (unsigned long long)hash.words[0], (unsigned long long)hash.words[1]);
    return true;
}

/* Memory is taken while the folder is open; where there is none, the program ends. */
static const char *load(gm_arena *arena, gm_cache *cache, bool *absent) {
    gm_private folder;
    gm_file file = {0};
    const char *problem = gm_private_open(cache->path, inner, &folder);
    *absent = folder.absent;
    if (problem == NULL) {
        problem = gm_private_read(arena, &folder, cache->name, MOST_BYTES, &file);
        gm_private_close(&folder);
    }
    if (problem == NULL && is_whole(&file)) {
        read_records(arena, cache, &file);
    } else {
        cache->capacity = 64;
        cache->slots = GM_NEW_ARRAY(arena, slot, cache->capacity);
    }
    return problem;
}

gm_cache *gm_cache_open(gm_arena *arena, const gm_cache_places *places, gm_cache_refusal *refusal) {
    gm_cache *cache = GM_NEW(arena, gm_cache);
    bool absent = false;
    *refusal = (gm_cache_refusal){NULL, NULL};
    cache->path = place_of(arena, places);
    if (cache->path == NULL || !choose_name(arena, cache->name)) {
        return NULL;
    }
    const char *problem = load(arena, cache, &absent);
    if (problem != NULL && !absent) {
        *refusal = (gm_cache_refusal){cache->path, problem};
    }
    return problem == NULL ? cache : NULL;
}

bool gm_cache_program(gm_arena *arena, gm_hash *hash) {
    gm_file file;
    if (gm_file_read(arena, "/proc/self/exe", &file) != NULL) {
        return false;
    }
    *hash = gm_hash_of(file.bytes, file.size);
    return true;
}
