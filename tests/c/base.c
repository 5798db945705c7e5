/* usage: base WHAT [NUMBER]
 *
 * Reads lines of bytes in hex, and says a line about each: what a part of src/base makes of them. `WHAT` is one of the names in the table at the end.
 * Every line is given in a block of exactly its size. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/hash.h"
#include "base/names.h"
#include "base/seed.h"
#include "base/sha256.h"
#include "base/source.h"
#include "base/table.h"
#include "base/utf8.h"
#include "base/visible.h"
#include "base/width.h"
#include "base/work.h"
#include "memory.h"
#include "syntax/parse.h"

/* A line of the input, and what is kept from line to line. */
typedef struct request {
    gm_arena *arena;
    char *bytes;
    size_t size;
    unsigned number;
    gm_names names;
    gm_table table;
    uint32_t count;
} request;

static void print_hex(const void *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) {
        printf("%02x", ((const unsigned char *)bytes)[i]);
    }
    printf("\n");
}

static void say_sha256(request *asked) {
    uint8_t digest[GM_SHA256_SIZE];
    gm_sha256(asked->bytes, asked->size, digest);
    print_hex(digest, sizeof digest);
}

/* In pieces of `number` bytes. */
static void say_siphash(request *asked) {
    gm_hasher hasher;
    gm_hasher_init(&hasher);
    for (size_t at = 0; at < asked->size; at += asked->number) {
        size_t left = asked->size - at;
        gm_hasher_add(&hasher, asked->bytes + at, left < asked->number ? left : asked->number);
    }
    gm_hash hash = gm_hasher_end(&hasher);
    print_hex(hash.words, sizeof hash.words);
}

/* How much of it is UTF-8, and the characters of that part. */
static void say_utf8(request *asked) {
    size_t good = gm_utf8_check(asked->bytes, asked->size);
    printf("%zu", good);
    for (size_t at = 0; at < good;) {
        uint32_t code = 0;
        char again[4];
        size_t size = gm_utf8_decode(asked->bytes + at, good - at, &code);
        bool same = size > 0 && gm_utf8_encode(code, again) == size && memcmp(again, asked->bytes + at, size) == 0;
        printf(" %x%s", code, same ? "" : "!");
        at += size > 0 ? size : 1;
    }
    printf("\n");
}

static void say_visible(request *asked) {
    gm_buffer out;
    gm_buffer_init(&out, asked->arena);
    gm_visible_add(&out, asked->bytes, asked->size, asked->number);
    print_hex(out.bytes, out.length);
}

static void say_json(request *asked) {
    gm_buffer out;
    gm_buffer_init(&out, asked->arena);
    gm_buffer_add_json(&out, asked->bytes, asked->size);
    print_hex(out.bytes, out.length);
}

/* The columns that each character takes. */
static void say_width(request *asked) {
    for (size_t at = 0; at < asked->size;) {
        uint32_t code = 0;
        size_t size = gm_utf8_decode(asked->bytes + at, asked->size - at, &code);
        printf("%u", gm_width(code));
        at += size > 0 ? size : 1;
    }
    printf("\n");
}

/* The index that was there before, the one after it, and whether a text that is longer by a byte is another name. */
static void say_name(request *asked) {
    const gm_name *before = gm_names_find(&asked->names, asked->bytes, asked->size);
    const gm_name *name = gm_names_intern(&asked->names, asked->bytes, asked->size);
    bool kept = name->length == asked->size && memcmp(name->text, asked->bytes, asked->size) == 0 && name->text[name->length] == '\0';
    bool found = gm_names_find(&asked->names, asked->bytes, asked->size) == name;
    printf("%d %u %s\n", before == NULL ? -1 : (int)before->index, name->index, kept && found ? "kept" : "lost");
}

/* The eight bytes are a key: what stood there before its number does. */
static void say_key(request *asked) {
    uint64_t key = 0;
    memcpy(&key, asked->bytes, asked->size < sizeof key ? asked->size : sizeof key);
    uint32_t before = gm_table_find(&asked->table, key);
    gm_table_put(&asked->table, asked->arena, key, asked->count);
    uint32_t after = gm_table_find(&asked->table, key);
    printf("%d %u %u\n", before == GM_TABLE_NONE ? -1 : (int)before, after, asked->table.count);
    asked->count++;
}

/* Line and column of every offset, columns by bytes and by characters, which are counted in two ways. */
static void say_positions(request *asked) {
    const gm_tree *tree = gm_parse(asked->arena, "text", asked->bytes, asked->size, NULL);
    gm_source plain = *tree->source;
    gm_source indexed = plain;
    plain.continued = NULL;
    gm_source_index_columns(asked->arena, &indexed);
    for (uint32_t at = 0; at <= plain.length; at++) {
        gm_position found = gm_source_position(&plain, at);
        printf("%u:%u:%u:%u ", found.line, found.column, gm_source_column(&plain, found), gm_source_column(&indexed, found));
    }
    printf("\n");
}

/* Where each line ends, without what ends it. */
static void say_lines(request *asked) {
    const gm_tree *tree = gm_parse(asked->arena, "text", asked->bytes, asked->size, NULL);
    for (uint32_t line = 1; line <= tree->source->line_count; line++) {
        printf("%u ", gm_source_line_end(tree->source, line));
    }
    printf("\n");
}

/* The texts of a line, with a NUL between two; `-` alone is none. The list ends in NULL. */
static const char **texts_of(const request *asked, size_t *count) {
    const char *all = gm_arena_copy(asked->arena, asked->bytes, asked->size);
    const char **texts = GM_NEW_ARRAY(asked->arena, const char *, asked->size + 2);
    *count = 0;
    for (const char *at = all; at <= all + asked->size; at += strlen(at) + 1) {
        texts[(*count)++] = strcmp(at, "-") == 0 ? NULL : at;
    }
    texts[*count] = NULL;
    return texts;
}

/* The hash of texts in a row, each with its end. */
static void say_row(request *asked) {
    size_t count = 0;
    const char **texts = texts_of(asked, &count);
    gm_hasher hasher;
    gm_hasher_init(&hasher);
    for (size_t i = 0; i < count; i++) {
        gm_hasher_add_text(&hasher, texts[i]);
    }
    gm_hash hash = gm_hasher_end(&hasher);
    print_hex(hash.words, sizeof hash.words);
}

/* Whether the first text is one of the others, and in which of them it ends. */
static void say_texts(request *asked) {
    size_t count = 0;
    const char **texts = texts_of(asked, &count);
    printf("%d ", gm_text_in(texts[0], texts + 1));
    for (size_t i = 1; i < count; i++) {
        printf("%d", gm_text_ends_with(texts[0], texts[i]));
    }
    printf("\n");
}

static void say_seed(request *asked) {
    (void)asked;
    printf("%llx\n", (unsigned long long)gm_seed());
}

/* What printf and the writer of numbers add to a text of that size. */
static void say_buffer(request *asked) {
    gm_buffer out;
    gm_buffer_init(&out, asked->arena);
    uint64_t value = 0;
    memcpy(&value, asked->bytes, asked->size < sizeof value ? asked->size : sizeof value);
    gm_buffer_printf(&out, "<%.*s>", (int)asked->size, asked->bytes);
    gm_buffer_add_unsigned(&out, value);
    gm_buffer_printf(&out, "<%s>", gm_arena_copy(asked->arena, out.bytes, out.length));
    if (strlen(gm_buffer_text(&out)) != out.length) {
        gm_buffer_add_text(&out, "no end");
    }
    print_hex(out.bytes, out.length);
}

/* A buffer that holds exactly the bytes, and what stands behind it in memory when it is made a text. */
static void say_full(request *asked) {
    gm_buffer out;
    gm_buffer_init(&out, asked->arena);
    gm_buffer_add(&out, asked->bytes, asked->size);
    size_t room = out.capacity - out.length;
    char *behind = gm_arena_copy(asked->arena, "behind", 6);
    bool ended = strlen(gm_buffer_text(&out)) == asked->size;
    printf("%zu %s %s\n", room, ended ? "ended" : "open", behind);
}

/* No more than a gigabyte at once: a sanitizer would end the program, where malloc has nothing to give. */
static void *allocate_some(void *context, size_t size) {
    (void)context;
    return size <= (size_t)1 << 30 ? malloc(size) : NULL;
}

static void release_some(void *context, void *memory) {
    (void)context;
    free(memory);
}

static void take(gm_arena *arena, int way, size_t size) {
    gm_buffer out;
    gm_buffer_init(&out, arena);
    char *small = gm_arena_copy(arena, "small", 5);
    if (way == 0) {
        (void)gm_arena_alloc(arena, size);
    } else if (way == 1) {
        (void)gm_arena_grow(arena, small, 6, size);
    } else {
        gm_buffer_add_text(&out, "text");
        gm_buffer_reserve(&out, size);
    }
}

static bool is_taken(int way, size_t size) {
    jmp_buf out_of_memory;
    gm_arena arena;
    volatile bool taken = false;
    gm_arena_init(&arena, (gm_allocator){allocate_some, release_some, NULL}, &out_of_memory);
    if (setjmp(out_of_memory) == 0) {
        take(&arena, way, size);
        taken = true;
    }
    gm_arena_free(&arena);
    return taken;
}

/* Whether there is room for a number of bytes: in a new block, in one that grows, and in a buffer. */
static void say_size(request *asked) {
    uint64_t size = 0;
    memcpy(&size, asked->bytes, sizeof size);
    for (int way = 0; way < 3; way++) {
        printf("%s ", is_taken(way, (size_t)size) ? "taken" : "refused");
    }
    printf("\n");
}

/* Whether a block keeps its place: where it shrinks, and where it is the newest one and the chunk has room for it. */
static bool keeps_place(const gm_arena *arena, const unsigned char *bytes, size_t size, size_t wanted) {
    bool newest = (const char *)bytes < arena->next && (size_t)(arena->next - (const char *)bytes) < size + 8;
    return wanted <= size || (newest && wanted <= (size_t)(arena->limit - (const char *)bytes));
}

/* Blocks of an arena of its own, each filled with its number; an odd byte makes the block in front of it grow or shrink. Says whether any has lost what
 * it was filled with, and what is still taken when the arena is gone. */
static void say_arena(request *asked) {
    typedef struct block {
        unsigned char *bytes;
        size_t size;
    } block;
    jmp_buf out_of_memory;
    test_memory memory = {.fail_at = LONG_MAX};
    gm_arena arena;
    gm_arena_init(&arena, test_allocator(&memory), &out_of_memory);
    block *blocks = GM_NEW_ARRAY(asked->arena, block, asked->size + 1);
    size_t count = 0;
    unsigned lost = 0;
    for (size_t i = 0; i < asked->size; i++) {
        unsigned byte = (unsigned char)asked->bytes[i];
        size_t size = (size_t)(byte >> 1) * (byte >> 1) * 3;
        if ((byte & 1) != 0 && count > 0) {
            block *last = &blocks[count - 1];
            bool stays = keeps_place(&arena, last->bytes, last->size, size);
            unsigned char *grown = gm_arena_grow(&arena, last->bytes, last->size, size);
            lost += stays && grown != last->bytes;
            last->bytes = grown;
            for (size_t k = 0; k < (size < last->size ? size : last->size); k++) {
                lost += last->bytes[k] != (unsigned char)(count - 1);
            }
            last->size = size;
        } else {
            blocks[count++] = (block){gm_arena_alloc(&arena, size), size};
        }
        lost += (uintptr_t)blocks[count - 1].bytes % 8 != 0;
        memset(blocks[count - 1].bytes, (int)(count - 1), size);
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < blocks[i].size; k++) {
            lost += blocks[i].bytes[k] != (unsigned char)i;
        }
    }
    gm_arena_free(&arena);
    gm_arena_free(&arena);
    printf("%u lost, %ld left, %zu counted\n", lost, memory.outstanding, arena.total);
}

/* Work within a budget, and how far it came. */
typedef struct working {
    gm_arena *arena;
    uint64_t units;
    size_t bytes;
    size_t added;
    bool nested;
    bool came;
} working;

static void do_work(void *context) {
    working *in = context;
    gm_work_add(in->arena, in->added);
    if (in->nested) {
        in->nested = false;
        in->came = gm_work_within(in->arena, SIZE_MAX / 4, do_work, in);
        return;
    }
    gm_work(in->arena, in->units);
    for (size_t i = 0; i < in->bytes >> 20; i++) {
        (void)gm_arena_alloc(in->arena, 1 << 20);
        in->arena->work = UINT64_MAX; /* memory has a bound of its own */
    }
    in->came = true;
}

/* What a budget holds that is spent to its last unit and beyond; of the text that is read for another one, too, and in a budget within a budget. */
static void say_work(request *asked) {
    for (unsigned i = 0; i < 8; i++) {
        size_t added = (i & 1) != 0 ? asked->number : 0;
        uint64_t budget = gm_work_for(asked->size) + (gm_work_for(added) - gm_work_for(0));
        working in = {.arena = asked->arena, .units = budget + ((i & 2) != 0), .added = added, .nested = (i & 4) != 0};
        in.units += in.nested ? gm_work_for(added) - gm_work_for(0) : 0;
        bool done = gm_work_within(asked->arena, asked->size, do_work, &in);
        gm_work(asked->arena, UINT64_MAX); /* outside, nothing is counted */
        printf("%s%s ", done ? "done" : "too much", in.came ? "" : ", ended");
    }
    for (unsigned i = 0; i < 4; i++) {
        jmp_buf out_of_memory;
        gm_arena arena;
        gm_arena_init(&arena, gm_allocator_default(), &out_of_memory);
        size_t added = (i & 1) != 0 ? (size_t)asked->number << 20 : 0;
        size_t most = gm_memory_for(asked->size) + (gm_memory_for(added) - gm_memory_for(0));
        working in = {.arena = &arena, .bytes = (i & 2) != 0 ? most + (1 << 20) : most - (4 << 20), .added = added};
        bool done = gm_work_within(&arena, asked->size, do_work, &in);
        printf("%s ", done ? "done" : "too much");
        gm_arena_free(&arena);
    }
    printf("\n");
}

static const struct {
    const char *what;
    void (*say)(request *asked);
} table[] = {
    {"sha256", say_sha256},       {"siphash", say_siphash}, {"utf8", say_utf8},   {"visible", say_visible},
    {"json", say_json},           {"width", say_width},     {"name", say_name},   {"key", say_key},
    {"positions", say_positions}, {"buffer", say_buffer},   {"arena", say_arena}, {"work", say_work},
    {"lines", say_lines},         {"row", say_row},         {"texts", say_texts}, {"seed", say_seed},
    {"full", say_full},           {"size", say_size},
};

static void (*find(const char *what))(request *asked) {
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (strcmp(table[i].what, what) == 0) {
            return table[i].say;
        }
    }
    fprintf(stderr, "base: no part is named %s\n", what);
    exit(2);
}

/* The bytes of a line of the input; NULL at its end. */
static char *read_line(size_t *size) {
    size_t room = 1 << 12;
    char *bytes = malloc(room);
    size_t count = 0;
    int character = getchar();
    for (unsigned high = 0; bytes != NULL && character != EOF && character != '\n'; character = getchar()) {
        unsigned digit = (unsigned)(character <= '9' ? character - '0' : character - 'a' + 10);
        if (count % 2 == 0) {
            high = digit;
        } else {
            bytes[count / 2] = (char)(high << 4 | digit);
        }
        count++;
        bytes = count / 2 == room ? realloc(bytes, room *= 2) : bytes;
    }
    *size = count / 2;
    bool ended = bytes == NULL || (character == EOF && count == 0);
    char *exact = ended ? NULL : malloc(*size > 0 ? *size : 1);
    if (exact != NULL) {
        memcpy(exact, bytes, *size);
    }
    free(bytes);
    return exact;
}

int main(int count, char **arguments) {
    if (count < 2) {
        fprintf(stderr, "usage: base WHAT [NUMBER]\n");
        return 2;
    }
    jmp_buf out_of_memory;
    gm_arena arena;
    gm_arena_init(&arena, gm_allocator_default(), &out_of_memory);
    if (setjmp(out_of_memory) != 0) {
        return 2;
    }
    request asked = {.arena = &arena, .number = count > 2 ? (unsigned)strtoul(arguments[2], NULL, 10) : 0};
    gm_names_init(&asked.names, &arena);
    void (*say)(request *) = find(arguments[1]);
    while ((asked.bytes = read_line(&asked.size)) != NULL) {
        say(&asked);
        free(asked.bytes);
    }
    gm_arena_free(&arena);
    return 0;
}
