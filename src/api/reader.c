#include <stdlib.h>
#include <string.h>

#include "api/call.h"
#include "base/utf8.h"
#include "meaning/read.h"

struct gm_reader {
    gm_arena arena;
    gm_meaning meaning;
    const uint8_t *plain;
};

struct gm_stream {
    gm_arena arena;
    gm_tape tape;
    const gm_reader *reader;
    unsigned flags;
    uint32_t valid; /* bytes that are known to be UTF-8 */
    bool failed; /* memory ran out in the middle of a piece */
    bool finished;
};

enum { ALL_FLAGS = GM_READ_STRICT | GM_READ_PARTIAL | GM_READ_PLAIN | GM_READ_BRIEF };

/* Words for a caller; those of the core's own failures need no memory. */
static gm_status say(gm_output *problem, const char *message) {
    if (problem != NULL) {
        size_t size = strlen(message);
        char *bytes = malloc(size + 1);
        if (bytes == NULL) {
            return GM_OUT_OF_MEMORY;
        }
        memcpy(bytes, message, size + 1);
        *problem = (gm_output){bytes, size};
    }
    return GM_BAD_ARGUMENT;
}

static const char *load(gm_reader *reader, const char *meaning, size_t size) {
    gm_meaning_error error = gm_meaning_load(&reader->arena, meaning, size, &reader->meaning);
    if (error.message == NULL) {
        reader->plain = gm_read_plain_types(&reader->arena, &reader->meaning);
    }
    return error.message;
}

static gm_status load_guarded(gm_reader *reader, const char *meaning, size_t size, gm_output *problem) {
    jmp_buf out_of_memory;
    gm_arena_init(&reader->arena, gm_allocator_default(), &out_of_memory);
    if (setjmp(out_of_memory) != 0) {
        return GM_OUT_OF_MEMORY;
    }
    const char *message = load(reader, meaning, size);
    gm_status status = message != NULL ? say(problem, message) : GM_OK;
    reader->arena.out_of_memory = NULL;
    return status;
}

gm_status gm_reader_new(const char *meaning, size_t size, gm_reader **reader, gm_output *problem) {
    if (problem != NULL) {
        *problem = (gm_output){NULL, 0};
    }
    if (reader == NULL) {
        return GM_BAD_ARGUMENT;
    }
    *reader = NULL;
    if (meaning == NULL && size > 0) {
        return GM_BAD_ARGUMENT;
    }
    gm_reader *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return GM_OUT_OF_MEMORY;
    }
    gm_status status = load_guarded(made, meaning, size, problem);
    if (status != GM_OK) {
        gm_reader_free(made);
        return status;
    }
    *reader = made;
    return GM_OK;
}

void gm_reader_free(gm_reader *reader) {
    if (reader != NULL) {
        gm_arena_free(&reader->arena);
        free(reader);
    }
}

static void write_meaning(gm_buffer *out, const void *request) {
    const gm_reader *reader = request;
    gm_meaning_write(&reader->meaning, true, out);
}

gm_status gm_reader_meaning(const gm_reader *reader, gm_output *output) {
    if (output != NULL) {
        *output = (gm_output){NULL, 0};
    }
    return reader == NULL ? GM_BAD_ARGUMENT : gm_api_call(write_meaning, reader, output);
}

static void add_lower(gm_buffer *out, const char *name) {
    for (; *name != '\0'; name++) {
        gm_buffer_add_char(out, *name >= 'A' && *name <= 'Z' ? (char)(*name | 0x20) : *name);
    }
}

static void write_reading(gm_buffer *out, const gm_reading *reading, bool brief) {
    if (reading->problem != GM_READ_OK) {
        gm_buffer_printf(out, "{\"ok\":false,\"problem\":\"%s\",\"message\":", gm_read_problems[reading->problem]);
        gm_buffer_add_json(out, reading->message.bytes, reading->message.length);
        gm_buffer_add_text(out, ",\"path\":");
        gm_buffer_add_json(out, reading->path.bytes, reading->path.length);
        gm_buffer_printf(out, ",\"at\":%u}", reading->at);
        return;
    }
    gm_buffer_printf(out, "{\"ok\":true,\"cost\":%u,\"repairs\":[", reading->cost);
    for (uint32_t i = 0; !brief && i < reading->repairs.count; i++) {
        gm_buffer_add_text(out, i > 0 ? ",[\"" : "[\"");
        add_lower(out, gm_repairs[reading->repairs.items[i].kind].name);
        gm_buffer_printf(out, "\",%u]", reading->repairs.items[i].at);
    }
    gm_buffer_add_text(out, "],\"value\":");
    gm_buffer_add(out, reading->value.bytes, reading->value.length);
    gm_buffer_add_char(out, '}');
}

static void refuse_encoding(gm_buffer *out, size_t at) {
    gm_buffer_printf(out, "{\"ok\":false,\"problem\":\"syntax\",\"message\":\"the text is not UTF-8\",\"path\":\"\",\"at\":%zu}", at);
}

static void write_value(gm_buffer *out, const gm_reader *reader, const gm_tape *tape, unsigned flags) {
    const gm_read_options options = {
        .strict = (flags & GM_READ_STRICT) != 0,
        .partial = (flags & GM_READ_PARTIAL) != 0,
        .plain = (flags & GM_READ_PLAIN) != 0,
    };
    gm_reading reading;
    gm_read(&reader->meaning, reader->plain, tape, &options, &reading);
    write_reading(out, &reading, (flags & GM_READ_BRIEF) != 0);
}

typedef struct request {
    const gm_reader *reader;
    const char *text;
    size_t size;
    unsigned flags;
} request;

static void start_tape(gm_tape *tape, gm_arena *arena, const gm_reader *reader, unsigned flags) {
    gm_tape_init(tape, arena, (flags & GM_READ_STRICT) != 0);
    tape->is_constructor = gm_read_is_constructor;
    tape->context = &reader->meaning;
}

static void read_text(gm_buffer *out, const void *given) {
    const request *asked = given;
    size_t valid = gm_utf8_check(asked->text, asked->size);
    if (valid != asked->size) {
        refuse_encoding(out, valid);
        return;
    }
    gm_tape tape;
    start_tape(&tape, out->arena, asked->reader, asked->flags);
    tape.final = true;
    gm_tape_feed(&tape, asked->text, asked->size);
    gm_tape_finish(&tape);
    write_value(out, asked->reader, &tape, asked->flags);
}

gm_status gm_reader_read(const gm_reader *reader, const char *text, size_t size, unsigned flags, gm_output *output) {
    if (output != NULL) {
        *output = (gm_output){NULL, 0};
    }
    if (reader == NULL || output == NULL || (text == NULL && size > 0) || (flags & ~(unsigned)ALL_FLAGS) != 0) {
        return GM_BAD_ARGUMENT;
    }
    if (size >= GM_TAPE_LIMIT) {
        return GM_TOO_LARGE;
    }
    const request asked = {reader, text != NULL ? text : "", size, flags};
    return gm_api_call(read_text, &asked, output);
}

gm_status gm_stream_new(const gm_reader *reader, unsigned flags, gm_stream **stream) {
    if (stream == NULL) {
        return GM_BAD_ARGUMENT;
    }
    *stream = NULL;
    if (reader == NULL || (flags & ~(unsigned)ALL_FLAGS) != 0) {
        return GM_BAD_ARGUMENT;
    }
    gm_stream *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return GM_OUT_OF_MEMORY;
    }
    gm_arena_init(&made->arena, gm_allocator_default(), NULL);
    made->reader = reader;
    made->flags = flags;
    start_tape(&made->tape, &made->arena, reader, flags);
    *stream = made;
    return GM_OK;
}

gm_status gm_stream_feed(gm_stream *stream, const char *bytes, size_t size) {
    if (stream == NULL || (bytes == NULL && size > 0) || stream->finished) {
        return GM_BAD_ARGUMENT;
    }
    if (stream->failed) {
        return GM_OUT_OF_MEMORY;
    }
    if (size >= GM_TAPE_LIMIT - stream->tape.length) {
        return GM_TOO_LARGE;
    }
    jmp_buf out_of_memory;
    stream->arena.out_of_memory = &out_of_memory;
    stream->failed = true;
    if (setjmp(out_of_memory) != 0) {
        return GM_OUT_OF_MEMORY;
    }
    gm_tape_feed(&stream->tape, bytes, size);
    stream->failed = false;
    return GM_OK;
}

/* Whether bytes that are no UTF-8 may become a character with those that come. */
static bool may_become_character(const char *bytes, size_t size) {
    unsigned char first = (unsigned char)bytes[0];
    size_t whole = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    bool starts = first >= 0xC2 && first <= 0xF4 && size < whole;
    for (size_t i = 1; starts && i < size; i++) {
        starts = ((unsigned char)bytes[i] & 0xC0) == 0x80;
    }
    return starts;
}

/* The reading has an arena of its own, so that looking often does not add up; the tape grows in its own one. */
static void write_stream(gm_buffer *out, const void *given) {
    gm_stream *stream = *(gm_stream *const *)given;
    gm_tape *tape = &stream->tape;
    stream->arena.out_of_memory = out->arena->out_of_memory;
    if (stream->finished) {
        gm_tape_finish(tape);
    } else {
        gm_tape_feed(tape, "", 0); /* there is a text from now on, be it an empty one */
    }
    stream->valid += (uint32_t)gm_utf8_check(tape->text + stream->valid, tape->length - stream->valid);
    size_t left = tape->length - stream->valid;
    if (left > 0 && (stream->finished || !may_become_character(tape->text + stream->valid, left))) {
        refuse_encoding(out, stream->valid);
        return;
    }
    gm_tape_view view = gm_tape_show(tape);
    gm_tape shown = *tape;
    shown.arena = out->arena;
    write_value(out, stream->reader, &shown, stream->flags | (stream->finished ? 0U : (unsigned)GM_READ_PARTIAL));
    gm_tape_hide(tape, view);
    stream->failed = false;
}

static gm_status show(gm_stream *stream, gm_output *output) {
    if (stream->failed) {
        return GM_OUT_OF_MEMORY;
    }
    stream->failed = true;
    gm_status status = gm_api_call(write_stream, &stream, output);
    stream->failed = status != GM_OK;
    return status;
}

static gm_status check(const gm_stream *stream, gm_output *output) {
    if (output == NULL) {
        return GM_BAD_ARGUMENT;
    }
    *output = (gm_output){NULL, 0};
    if (stream == NULL || stream->finished) {
        return GM_BAD_ARGUMENT;
    }
    return GM_OK;
}

gm_status gm_stream_partial(gm_stream *stream, gm_output *output) {
    gm_status status = check(stream, output);
    return status != GM_OK ? status : show(stream, output);
}

gm_status gm_stream_finish(gm_stream *stream, gm_output *output) {
    gm_status status = check(stream, output);
    if (status != GM_OK) {
        return status;
    }
    stream->finished = true;
    return show(stream, output);
}

void gm_stream_free(gm_stream *stream) {
    if (stream != NULL) {
        gm_arena_free(&stream->arena);
        free(stream);
    }
}
