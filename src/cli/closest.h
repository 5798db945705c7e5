/* "Did you mean": the name that a mistyped word is closest to. */
#ifndef GM_CLI_CLOSEST_H
#define GM_CLI_CLOSEST_H

#include <stddef.h>

/* The best of the names offered so far. */
typedef struct gm_closest {
    const char *word;
    size_t length;     /* of the word */
    const char *name;  /* NULL: none is close */
    size_t distance;
} gm_closest;

/* Look for what a word of `length` bytes may have been meant as. */
gm_closest gm_closest_start(const char *word, size_t length);

/* Offer a name, which has to live as long as the search. */
void gm_closest_offer(gm_closest *closest, const char *name);

/* Say on stderr which rule may be meant, by its name or its code. */
void gm_closest_say_rule(const char *word, size_t length);

/* Say on stderr which name is meant, in a line of its own, if one is close. */
void gm_closest_say(const gm_closest *closest);

#endif
