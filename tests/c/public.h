/* The functions of include/graphmend.h that take a file, for tests that run all of them. */
#ifndef GM_TESTS_PUBLIC_H
#define GM_TESTS_PUBLIC_H

#include "graphmend.h"

typedef gm_status (*public_function)(const char *path, const char *bytes, size_t size, gm_output *output);

static inline gm_status fix_assumed(const char *path, const char *bytes, size_t size, gm_output *output) {
    return gm_fix_source(path, bytes, size, GM_FIX_ASSUMED, output);
}

/* Whatever the file is. */
static inline gm_status page(const char *path, const char *bytes, size_t size, gm_output *output) {
    (void)path, (void)bytes, (void)size;
    return gm_rule_json("GB0170", output);
}

static const struct {
    const char *name;
    public_function run;
} public_functions[] = {
    {"gm_check_source", gm_check_source},
    {"gm_fix_source", fix_assumed},
    {"gm_mend_source", gm_mend_source},
    {"gm_rule_json", page},
};

enum { PUBLIC_COUNT = sizeof public_functions / sizeof public_functions[0] };

#endif
