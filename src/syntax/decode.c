#include "syntax/decode.h"

#include <string.h>

#include "base/utf8.h"
#include "syntax/lexer.h"

gm_source *gm_decode_source(gm_arena *arena, const char *path, const char *bytes, size_t size, gm_diagnostics *diagnostics) {
    gm_source *source = GM_NEW(arena, gm_source);
    source->path = path;
    source->bytes = bytes;
    source->size = size;
    bool mark = size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0;
    source->text_offset = mark ? 3 : 0;
    source->length = (uint32_t)(size - source->text_offset);
    char *text = gm_arena_alloc(arena, (size_t)source->length + GM_TEXT_PADDING);
    if (source->length > 0) {
        memcpy(text, bytes + source->text_offset, source->length);
    }
    memset(text + source->length, 0, GM_TEXT_PADDING);
    source->text = text;
    size_t valid = gm_utf8_check(text, source->length);
    if (valid < source->length) {
        gm_diagnostic diagnostic = {(uint32_t)valid, (uint32_t)valid + 1, "invalid UTF-8"};
        gm_vec_push(arena, diagnostics, diagnostic);
    }
    return source;
}

const char *gm_decode_original(gm_arena *arena, const gm_source *source, uint32_t start, uint32_t end, size_t *size) {
    (void)arena;
    *size = end - start;
    return source->bytes + source->text_offset + start;
}
