/* What the stages of `graphmend debug` share: options, reading and parsing each file, printing one buffer a file. */
#ifndef GM_CLI_DEBUG_FILES_H
#define GM_CLI_DEBUG_FILES_H

#include "base/buffer.h"
#include "syntax/parse.h"

/* Options before the files: `--target 3.13`, and switches that the stage knows. */
typedef struct gm_debug_options {
    gm_version target; /* 0 without --target */
    bool switched[4];  /* by position in the stage's list of switches */
    int *status;       /* exit status so far; a stage may raise it */
} gm_debug_options;

typedef void (*gm_debug_print)(gm_arena *arena, gm_tree *tree, const gm_debug_options *options, gm_buffer *out);

/* Runs a stage over its files: `switches` is a NULL-terminated list such as {"--symtable", NULL}. `-` is standard input. The output of
 * a file is written when the file is done. Returns the exit status. */
int gm_debug_each_file(int count, char **arguments, const char *const *switches, gm_debug_print print);

#endif
