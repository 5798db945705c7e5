/* Places of texts that a client chooses, such as URIs and ids: drawn by lot in every process, so that it cannot choose texts that meet. */
#ifndef GM_SERVER_BUCKETS_H
#define GM_SERVER_BUCKETS_H

#include <string.h>

#include "base/hash.h"
#include "base/seed.h"

enum { GM_BUCKETS = 1024 };

static inline uint32_t gm_bucket_of(const char *text) {
    return (uint32_t)gm_seed_mix(gm_hash_of(text, strlen(text)).words[0]) % GM_BUCKETS;
}

#endif
