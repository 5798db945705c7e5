#include "flow/torch_names.h"

#include "base/names.h"

#define GM_TORCH_NAMES(group, ...) static const char *const names_of_##group[] = {__VA_ARGS__, NULL};
#include "flow/torch_names.def"

bool gm_torch_names_have(gm_torch_names group, const char *name) {
    static const char *const *const groups[] = {
#define GM_TORCH_NAMES(group, ...) names_of_##group,
#include "flow/torch_names.def"
    };
    return gm_text_in(name, groups[group]);
}
