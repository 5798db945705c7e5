#include "base/search.h"
#include "driver/notebook.h"

const gm_cell *gm_cells_at(const gm_cells *cells, uint32_t offset) {
    uint32_t low = 0;
    uint32_t high = cells->items.count;
    while (low < high) {
        uint32_t middle = gm_middle(low, high);
        if (cells->items.items[middle].start <= offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 ? &cells->items.items[low - 1] : NULL;
}

/* Where a border between two cells is after the edits; what is inserted at it belongs to the cell behind it. False when an edit reaches
 * over it. */
static bool shift(const gm_edits *edits, uint32_t border, bool last, uint32_t *shifted) {
    int64_t delta = 0;
    for (uint32_t i = 0; i < edits->items.count; i++) {
        const gm_edit *edit = &edits->items.items[i];
        if (edit->start < border && edit->end > border) {
            return false;
        }
        if (edit->start < border || (last && edit->start == border)) {
            delta += (int64_t)gm_edit_length(&edit->text) - (int64_t)(edit->end - edit->start);
        }
    }
    *shifted = (uint32_t)((int64_t)border + delta);
    return true;
}

gm_cells *gm_cells_shift(gm_arena *arena, const gm_cells *cells, const gm_edits *edits) {
    gm_cells *shifted = GM_NEW(arena, gm_cells);
    for (uint32_t i = 0; i < cells->items.count; i++) {
        gm_cell cell = cells->items.items[i];
        bool last = i + 1 == cells->items.count;
        if (!shift(edits, cell.start, false, &cell.start) || !shift(edits, cell.end, last, &cell.end)) {
            return NULL;
        }
        gm_vec_push(arena, &shifted->items, cell);
    }
    return shifted;
}
