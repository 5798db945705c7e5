/* SHA-256 (FIPS 180-4), for content hashes. */
#ifndef GM_BASE_SHA256_H
#define GM_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { GM_SHA256_SIZE = 32 };

void gm_sha256(const void *bytes, size_t size, uint8_t digest[GM_SHA256_SIZE]);

#endif
