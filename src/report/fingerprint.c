/* What a finding is known by when lines are added above it. */
#include <string.h>

#include "report/report.h"

/* FNV-1a. */
static uint64_t mix(uint64_t hash, const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001B3U;
    }
    return (hash ^ 0xFFU) * 0x100000001B3U;
}

static uint64_t hash_of(const gm_checked *checked, const gm_entry *entry) {
    uint64_t hash = mix(0xCBF29CE484222325U, checked->path, strlen(checked->path));
    hash = mix(hash, gm_report_code(entry), strlen(gm_report_code(entry)));
    return mix(hash, checked->source->text + entry->start, entry->end - entry->start);
}

uint64_t gm_report_fingerprint(gm_arena *arena, gm_table *seen, const gm_checked *checked, const gm_entry *entry) {
    uint64_t hash = hash_of(checked, entry);
    uint32_t known = gm_table_find(seen, hash);
    uint32_t same = known == GM_TABLE_NONE ? 0 : known + 1;
    gm_table_put(seen, arena, hash, same);
    return same == 0 ? hash : mix(hash, (const char *)&same, sizeof same);
}
