#include "driver/cache.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/files.h"

/* The file: a header, for each result a record and its text, and behind all that the hash of it. Numbers are those of this machine: the key of
 * every result holds the program's own bytes, so no other machine's numbers are ever asked for. */
static const char magic[8] = "GMCACHE2";

enum { OLDEST = 20, MOST_BYTES = 64 << 20 };

typedef struct record {
    gm_hash key;
    uint32_t findings;
    uint32_t mends;
    uint32_t age; /* runs since it was asked for */
    uint32_t size;
    uint32_t calls; /* bytes of `calls` behind the text, its end included; 0: none */
} record;

typedef struct slot {
    gm_hash key;
    gm_job_result result;
    uint32_t age;
    bool taken;
} slot;

struct gm_cache {
    const char *path;
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

static gm_hash hash_of(const char *bytes, size_t size) {
    gm_hasher hasher;
    gm_hasher_init(&hasher);
    gm_hasher_add(&hasher, bytes, size);
    return gm_hasher_end(&hasher);
}

/* Whether the bytes are a whole file of ours. */
static bool is_whole(const gm_file *file) {
    gm_hash hash;
    size_t least = sizeof magic + sizeof(uint32_t) + sizeof hash;
    if (file->size < least || memcmp(file->bytes, magic, sizeof magic) != 0) {
        return false;
    }
    memcpy(&hash, file->bytes + file->size - sizeof hash, sizeof hash);
    gm_hash real = hash_of(file->bytes, file->size - sizeof hash);
    return memcmp(&hash, &real, sizeof hash) == 0;
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
        bool ended = one.calls == 0 || ((size_t)(end - at) >= (size_t)one.size + one.calls && at[(size_t)one.size + one.calls - 1] == '\0');
        if ((size_t)(end - at) < (size_t)one.size + one.calls || !ended) {
            return;
        }
        gm_job_result result = {.findings = one.findings, .mends = one.mends, .size = one.size};
        result.text = (char *)(uintptr_t)at;
        result.calls = one.calls == 0 ? NULL : (char *)(uintptr_t)(at + one.size);
        *slot_of(cache, one.key) = (slot){one.key, result, one.age, true};
        at += (size_t)one.size + one.calls;
    }
}

gm_cache *gm_cache_open(gm_arena *arena, const char *path) {
    gm_cache *cache = GM_NEW(arena, gm_cache);
    gm_file file;
    cache->path = path;
    if (gm_file_read(arena, path, &file) == NULL && file.size <= MOST_BYTES && is_whole(&file)) {
        read_records(arena, cache, &file);
    } else {
        cache->capacity = 64;
        cache->slots = GM_NEW_ARRAY(arena, slot, cache->capacity);
    }
    return cache;
}

const gm_job_result *gm_cache_find(const gm_cache *cache, gm_hash key) {
    const slot *found = slot_of(cache, key);
    return found->taken ? &found->result : NULL;
}

/* ---- Writing ---- */

static void add_record(gm_buffer *out, gm_hash key, const gm_job_result *result, uint32_t age) {
    uint32_t calls = result->calls == NULL ? 0 : (uint32_t)strlen(result->calls) + 1;
    record one = {key, result->findings, result->mends, age, (uint32_t)result->size, calls};
    gm_buffer_add(out, (const char *)&one, sizeof one);
    if (result->size > 0) {
        gm_buffer_add(out, result->text, result->size);
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

/* Replace the file in one step. It is no harm when it is lost, so it is not flushed. */
static void replace(gm_arena *arena, const char *path, const gm_buffer *out) {
    size_t room = strlen(path) + 32;
    char *partial = gm_arena_alloc(arena, room);
    snprintf(partial, room, "%s.%ld", path, (long)getpid());
    int descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0) {
        return;
    }
    bool written = gm_file_write(descriptor, out->bytes, out->length) == NULL;
    written = close(descriptor) == 0 && written;
    if (!written || rename(partial, path) != 0) {
        unlink(partial);
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
    gm_hash hash = hash_of(out.bytes, out.length);
    gm_buffer_add(&out, (const char *)&hash, sizeof hash);
    replace(arena, cache->path, &out);
}

/* ---- Places ---- */

static bool is_set(const char *text) {
    return text != NULL && *text != '\0';
}

/* Make a folder and those around it. */
static void make_folders(gm_arena *arena, const char *folder) {
    char *path = gm_arena_copy(arena, folder, strlen(folder));
    for (char *at = path + 1; *at != '\0'; at++) {
        if (*at == '/') {
            *at = '\0';
            (void)mkdir(path, 0777);
            *at = '/';
        }
    }
    (void)mkdir(path, 0777);
}

const char *gm_cache_path(gm_arena *arena, const gm_cache_places *places) {
    gm_buffer path;
    gm_buffer_init(&path, arena);
    if (is_set(places->named)) {
        gm_buffer_printf(&path, "%s/check", places->named);
    } else if (is_set(places->common)) {
        gm_buffer_printf(&path, "%s/graphmend/check", places->common);
    } else if (is_set(places->home)) {
        gm_buffer_printf(&path, "%s/.cache/graphmend/check", places->home);
    } else {
        return NULL;
    }
    make_folders(arena, gm_buffer_text(&path));
    char *here = gm_arena_alloc(arena, PATH_MAX);
    if (getcwd(here, PATH_MAX) == NULL) {
        return NULL;
    }
    gm_hash hash = hash_of(here, strlen(here));
    gm_buffer_printf(&path, "/%016llx%016llx", (unsigned long long)hash.words[0], (unsigned long long)hash.words[1]);
    return gm_buffer_text(&path);
}

bool gm_cache_program(gm_arena *arena, gm_hash *hash) {
    gm_file file;
    if (gm_file_read(arena, "/proc/self/exe", &file) != NULL) {
        return false;
    }
    *hash = hash_of(file.bytes, file.size);
    return true;
}
