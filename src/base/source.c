#include "base/source.h"

#include "base/search.h"

gm_position gm_source_position(const gm_source *source, uint32_t offset) {
    uint32_t low = 0;
    uint32_t high = source->line_count;
    while (high - low > 1) {
        uint32_t middle = gm_middle(low, high);
        if (source->line_starts[middle] <= offset) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (gm_position){low + 1, offset - source->line_starts[low]};
}

uint32_t gm_source_line_end(const gm_source *source, uint32_t line) {
    uint32_t start = source->line_starts[line - 1];
    uint32_t end = line < source->line_count ? source->line_starts[line] : source->length;
    while (end > start && (source->text[end - 1] == '\n' || source->text[end - 1] == '\r')) {
        end--;
    }
    return end;
}

static bool continues(const gm_source *source, uint32_t at) {
    return ((unsigned char)source->text[at] & 0xC0) == 0x80;
}

void gm_source_index_columns(gm_arena *arena, gm_source *source) {
    uint32_t *counts = GM_NEW_ARRAY(arena, uint32_t, (size_t)source->length / GM_SOURCE_STRIDE + 1);
    uint32_t count = 0;
    for (uint32_t at = 0; at < source->length; at++) {
        if (at % GM_SOURCE_STRIDE == 0) {
            counts[at / GM_SOURCE_STRIDE] = count;
        }
        count += continues(source, at);
    }
    if (source->length % GM_SOURCE_STRIDE == 0) {
        counts[source->length / GM_SOURCE_STRIDE] = count;
    }
    source->continued = counts;
}

/* How many bytes in front of an offset continue a character. */
static uint32_t continued_before(const gm_source *source, uint32_t offset) {
    uint32_t count = source->continued[offset / GM_SOURCE_STRIDE];
    for (uint32_t at = offset - offset % GM_SOURCE_STRIDE; at < offset; at++) {
        count += continues(source, at);
    }
    return count;
}

uint32_t gm_source_column(const gm_source *source, gm_position position) {
    uint32_t start = source->line_starts[position.line - 1];
    uint32_t end = start + position.column;
    if (source->continued != NULL) {
        return position.column - (continued_before(source, end) - continued_before(source, start)) + 1;
    }
    uint32_t column = 1;
    for (uint32_t at = start; at < end; at++) {
        column += !continues(source, at);
    }
    return column;
}
