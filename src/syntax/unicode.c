#include "syntax/unicode.h"

#include "base/search.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "syntax/unicode_tables.h"

typedef GM_VEC(uint32_t) codes;

static bool in_ranges(const gm_unicode_range *ranges, uint32_t count, uint32_t code) {
    uint32_t low = 0;
    uint32_t high = count;
    while (low < high) {
        uint32_t middle = gm_middle(low, high);
        if (code > ranges[middle].last) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && ranges[low].first <= code;
}

static bool is_letter(uint32_t code) {
    return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z') || code == '_';
}

bool gm_unicode_is_start(uint32_t code) {
    return is_letter(code) || in_ranges(gm_unicode_start, gm_unicode_start_count, code);
}

bool gm_unicode_is_continue(uint32_t code) {
    return gm_unicode_is_start(code) || (code >= '0' && code <= '9') || in_ranges(gm_unicode_tail, gm_unicode_tail_count, code);
}

/* Hangul syllables decompose and compose by arithmetic (Unicode, section 3.12). */
enum {
    SYLLABLES = 0xAC00,
    SYLLABLE_COUNT = 11172,
    LEADS = 0x1100,
    LEAD_COUNT = 19,
    VOWELS = 0x1161,
    VOWEL_COUNT = 21,
    TRAILS = 0x11A7,
    TRAIL_COUNT = 28,
};

static bool decompose_syllable(gm_arena *arena, codes *out, uint32_t code) {
    uint32_t index = code - SYLLABLES;
    if (code < SYLLABLES || index >= SYLLABLE_COUNT) {
        return false;
    }
    gm_vec_push(arena, out, LEADS + index / (VOWEL_COUNT * TRAIL_COUNT));
    gm_vec_push(arena, out, VOWELS + index % (VOWEL_COUNT * TRAIL_COUNT) / TRAIL_COUNT);
    if (index % TRAIL_COUNT != 0) {
        gm_vec_push(arena, out, TRAILS + index % TRAIL_COUNT);
    }
    return true;
}

static void decompose(gm_arena *arena, codes *out, uint32_t code) {
    uint32_t low = 0;
    uint32_t high = gm_unicode_decompositions_count;
    while (low < high) {
        uint32_t middle = gm_middle(low, high);
        if (gm_unicode_decompositions[middle].code < code) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const gm_unicode_decomposition *found = &gm_unicode_decompositions[low];
    if (low == gm_unicode_decompositions_count || found->code != code) {
        if (!decompose_syllable(arena, out, code)) {
            gm_vec_push(arena, out, code);
        }
        return;
    }
    for (uint32_t i = 0; i < found->length; i++) {
        gm_vec_push(arena, out, gm_unicode_decomposed[found->at + i]);
    }
}

static uint32_t combining_class(uint32_t code) {
    uint32_t low = 0;
    uint32_t high = gm_unicode_classes_count;
    while (low < high) {
        uint32_t middle = gm_middle(low, high);
        if (code > gm_unicode_classes[middle].last) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < gm_unicode_classes_count && gm_unicode_classes[low].first <= code;
    return found ? gm_unicode_classes[low].class : 0;
}

/* Canonical order: within a run of combining characters, stably by class. A counting sort by class keeps long runs linear. */
static void order_run(gm_arena *arena, uint32_t *run, uint32_t count) {
    enum { CLASSES = 256 };
    uint32_t ends[CLASSES + 1] = {0};
    uint32_t *sorted = gm_arena_alloc(arena, count * sizeof *sorted);
    for (uint32_t i = 0; i < count; i++) {
        ends[combining_class(run[i]) + 1]++;
    }
    for (uint32_t i = 1; i <= CLASSES; i++) {
        ends[i] += ends[i - 1];
    }
    for (uint32_t i = 0; i < count; i++) {
        sorted[ends[combining_class(run[i])]++] = run[i];
    }
    for (uint32_t i = 0; i < count; i++) {
        run[i] = sorted[i];
    }
}

static void order(gm_arena *arena, codes *text) {
    for (uint32_t i = 0; i < text->count;) {
        uint32_t start = i;
        while (i < text->count && combining_class(text->items[i]) != 0) {
            i++;
        }
        if (i - start > 1) {
            order_run(arena, text->items + start, i - start);
        }
        i = i == start ? i + 1 : i;
    }
}

/* The composition of two characters, 0 when there is none. */
static uint32_t compose_pair(uint32_t left, uint32_t right) {
    if (left - LEADS < LEAD_COUNT && right - VOWELS < VOWEL_COUNT) {
        return SYLLABLES + ((left - LEADS) * VOWEL_COUNT + (right - VOWELS)) * TRAIL_COUNT;
    }
    if (left - SYLLABLES < SYLLABLE_COUNT && (left - SYLLABLES) % TRAIL_COUNT == 0 && right > TRAILS && right < TRAILS + TRAIL_COUNT) {
        return left + (right - TRAILS);
    }
    uint32_t low = 0;
    uint32_t high = gm_unicode_pairs_count;
    while (low < high) {
        uint32_t middle = gm_middle(low, high);
        const gm_unicode_pair *pair = &gm_unicode_pairs[middle];
        if (pair->left < left || (pair->left == left && pair->right < right)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const gm_unicode_pair *found = &gm_unicode_pairs[low];
    return low < gm_unicode_pairs_count && found->left == left && found->right == right ? found->composed : 0;
}

/* Compose in place; a character is blocked by one of the same or a higher class between it and the starter. */
static void compose(codes *text) {
    uint32_t kept = 0;
    uint32_t starter = UINT32_MAX;
    uint32_t last_class = 0;
    for (uint32_t i = 0; i < text->count; i++) {
        uint32_t code = text->items[i];
        uint32_t class = combining_class(code);
        bool adjacent = starter != UINT32_MAX && kept == starter + 1;
        if (starter != UINT32_MAX && (adjacent || (last_class < class && last_class != 0))) {
            uint32_t composed = compose_pair(text->items[starter], code);
            if (composed != 0) {
                text->items[starter] = composed;
                continue;
            }
        }
        if (class == 0) {
            starter = kept;
        }
        last_class = class;
        text->items[kept++] = code;
    }
    text->count = kept;
}

void gm_unicode_normalize(gm_buffer *out, const char *text, size_t length) {
    codes all = {0};
    for (size_t at = 0; at < length;) {
        uint32_t code = 0;
        size_t size = gm_utf8_decode(text + at, length - at, &code);
        if (size == 0) {
            gm_buffer_add(out, text, length);
            return;
        }
        decompose(out->arena, &all, code);
        at += size;
    }
    order(out->arena, &all);
    compose(&all);
    for (uint32_t i = 0; i < all.count; i++) {
        char bytes[4];
        gm_buffer_add(out, bytes, gm_utf8_encode(all.items[i], bytes));
    }
}
