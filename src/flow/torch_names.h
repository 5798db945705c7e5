/* Groups of names of torch, by what they say of a value: torch_names.def. */
#ifndef GM_FLOW_TORCH_NAMES_H
#define GM_FLOW_TORCH_NAMES_H

#include <stdbool.h>

typedef enum gm_torch_names {
#define GM_TORCH_NAMES(group, ...) GM_TORCH_NAMES_##group,
#include "flow/torch_names.def"
} gm_torch_names;

bool gm_torch_names_have(gm_torch_names group, const char *name);

#endif
