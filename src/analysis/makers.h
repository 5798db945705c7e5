/* What made an object: the class or function that was called for the value of a variable or of an attribute of `self`.
 *
 *     lock = threading.Lock()      lock      threading.Lock
 *     self.lstm = nn.LSTM(8, 8)    self.lstm torch.nn.LSTM */
#ifndef GM_ANALYSIS_MAKERS_H
#define GM_ANALYSIS_MAKERS_H

#include <string.h>

#include "values/values.h"

/* The dotted name of what was called, or NULL: a variable is bound once, an attribute is bound in the class. */
const gm_name *gm_maker_of(gm_function *function, const gm_node *object);

/* Whether the file has the first part of a dotted name at all: most files have none of those that matter to a rule. */
static inline bool gm_maker_named(const gm_function *function, const char *name) {
    size_t length = strcspn(name, ".");
    return gm_names_find(function->flow->tree->names, name, length) != NULL;
}

/* "Lock" of "threading.Lock". */
static inline const char *gm_last_part(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot == NULL ? name : dot + 1;
}

#endif
