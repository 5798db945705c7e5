/* Inputs from inputs. */
#ifndef GM_FUZZ_MUTATE_H
#define GM_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* A number below `end`, which is not 0; `state` is any number but 0 at the start (xorshift64*). */
size_t random_below(uint64_t *state, size_t end);

/* Changes `size` bytes in a few places, at most `capacity` bytes in the end; returns the new size. Parts may come from `other`,
 * which may have no bytes. */
size_t mutate(uint64_t *state, unsigned char *bytes, size_t size, size_t capacity, const unsigned char *other, size_t other_size);

#endif
