#include <string.h>

#include "api/call.h"
#include "base/work.h"
#include "driver/fix.h"
#include "driver/foresee.h"
#include "report/report.h"

/* As in check.c: nothing is filtered. */
static const gm_check_options everything = {.all = true};

static void add_text(gm_buffer *out, const char *text) {
    if (text != NULL) {
        gm_buffer_add_json(out, text, strlen(text));
    } else {
        gm_buffer_add_text(out, "null");
    }
}

static void add_sites(gm_buffer *out, const gm_fixed *fixed) {
    for (uint32_t i = 0; i < fixed->sites.count; i++) {
        const gm_fixed_site *site = &fixed->sites.items[i];
        gm_buffer_printf(out, "%s{\"code\": \"%s\", \"message\": ", i == 0 ? "" : ", ", site->rule->code);
        add_text(out, site->message);
        gm_buffer_add_text(out, ", \"assumption\": ");
        add_text(out, site->assumption);
        gm_buffer_add_char(out, '}');
    }
}

typedef struct telling {
    gm_buffer *out;
    const gm_fixed *fixed;
    const gm_checked *before;
} telling;

static void tell(void *context) {
    const telling *state = context;
    gm_buffer *out = state->out;
    const gm_fixed *fixed = state->fixed;
    gm_buffer_add_char(out, '{');
    gm_report_json_members(out, state->before);
    gm_buffer_add_text(out, fixed->changed ? ", \"changed\": true, \"text\": " : ", \"changed\": false, \"text\": ");
    bool notebook = fixed->after->cells != NULL;
    gm_buffer_add_json(out, notebook ? fixed->bytes : fixed->after->source->text, notebook ? fixed->size : fixed->after->source->length);
    gm_buffer_add_text(out, ", \"fixed\": [");
    add_sites(out, fixed);
    gm_buffer_add_text(out, "], \"problem\": ");
    add_text(out, fixed->problem);
    gm_buffer_add_text(out, "}\n");
}

static void fix(gm_buffer *out, const void *request) {
    const gm_api_source *given = request;
    const gm_fix_options options = {
        .assumed = (given->flags & GM_FIX_ASSUMED) != 0,
        .drops_output = (given->flags & GM_FIX_DROP_OUTPUT) != 0,
    };
    const gm_fixed *fixed = gm_fix_bytes(out->arena, given->path, given->bytes, given->size, &options, &everything);
    gm_foresee(out->arena, fixed->before, &everything, false);
    telling state = {out, fixed, fixed->before};
    if (!gm_work_within(out->arena, given->size, tell, &state)) {
        out->length = 0;
        state.before = gm_check_too_large(out->arena, fixed->before, 0, GM_TOO_LARGE_REPORT);
        tell(&state);
    }
}

gm_status gm_fix_source(const char *path, const char *bytes, size_t size, unsigned flags, gm_output *output) {
    const gm_api_source source = {.path = path, .bytes = bytes, .size = size, .flags = flags};
    if (output != NULL && (flags & ~(unsigned)(GM_FIX_ASSUMED | GM_FIX_DROP_OUTPUT)) != 0) {
        *output = (gm_output){NULL, 0};
        return GM_BAD_ARGUMENT;
    }
    return gm_api_call_source(fix, &source, output);
}
