/* A reading: what is asked of the reader, and what it has made of a text. */
#ifndef GM_MEANING_READING_H
#define GM_MEANING_READING_H

#include "meaning/meaning.h"
#include "meaning/tape.h"

typedef struct gm_read_options {
    bool strict;  /* exactly the JSON of the schema; the tape has to be strict too */
    bool partial; /* a text that ends too soon gives what there is: fields may be missing, lists end early */
    bool plain;   /* write the value as the JSON that the schema describes instead of the form for builders */
} gm_read_options;

typedef enum gm_read_problem {
    GM_READ_OK,
    GM_READ_EMPTY,     /* there is no value in the text */
    GM_READ_SYNTAX,    /* there is, but it cannot be read */
    GM_READ_TYPE,      /* it is not of the type */
    GM_READ_AMBIGUOUS, /* it could be two things */
    GM_READ_TRUNCATED  /* the text ends inside of it */
} gm_read_problem;

extern const char *const gm_read_problems[]; /* "ok", "empty", ... */

typedef struct gm_reading {
    gm_read_problem problem;
    gm_buffer message; /* one sentence, lower case, names in backticks */
    gm_buffer path;    /* where in the value, such as `employer.skills[2]`; empty for the whole */
    uint32_t at;       /* where in the text */
    uint32_t cost;
    GM_VEC(gm_repair) repairs; /* in no particular order; `node` is not used */
    gm_buffer value;
} gm_reading;

#endif
