#include "api/call.h"
#include "driver/foresee.h"
#include "report/report.h"

/* Nothing is filtered: the members `certain` and `reached` say what the command would leave out. */
static const gm_check_options everything = {.all = true};

static void write_members(gm_buffer *out, const gm_checked *checked, const gm_report_style *style) {
    (void)style;
    gm_buffer_add_char(out, '{');
    gm_report_json_members(out, checked);
    gm_buffer_add_text(out, "}\n");
}

static const gm_report_format members = {.name = "members", .file = write_members};

static void check(gm_buffer *out, const void *request) {
    const gm_api_source *source = request;
    gm_checked *checked = gm_check_bytes(out->arena, source->path, source->bytes, source->size, &everything);
    gm_foresee(out->arena, checked, &everything, true);
    (void)gm_report_file(out, &members, checked, NULL);
}

gm_status gm_check_source(const char *path, const char *bytes, size_t size, gm_output *output) {
    const gm_api_source source = {.path = path, .bytes = bytes, .size = size};
    return gm_api_call_source(check, &source, output);
}
