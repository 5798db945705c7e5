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
