#include "base/source.h"

gm_position gm_source_position(const gm_source *source, uint32_t offset) {
    uint32_t low = 0;
    uint32_t high = source->line_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (source->line_starts[middle] <= offset) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (gm_position){low + 1, offset - source->line_starts[low]};
}

uint32_t gm_source_column(const gm_source *source, gm_position position) {
    const char *line = source->text + source->line_starts[position.line - 1];
    uint32_t column = 1;
    for (uint32_t i = 0; i < position.column; i++) {
        column += ((unsigned char)line[i] & 0xC0) != 0x80; /* bytes that continue a character do not count */
    }
    return column;
}
