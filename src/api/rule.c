#include "api/call.h"
#include "rules/pages.h"

static void add_page(gm_buffer *out, const void *request) {
    gm_page_add_markdown(out, request);
}

static void add_json(gm_buffer *out, const void *request) {
    gm_page_add_json(out, request);
    gm_buffer_add_char(out, '\n');
}

static void add_pages(gm_buffer *out, const void *request) {
    (void)request;
    for (size_t i = 0; i < gm_page_count(); i++) {
        const gm_page page = gm_page_at(i);
        gm_buffer_add_text(out, i == 0 ? "" : "\n");
        gm_page_add_markdown(out, &page);
    }
}

static void add_all_json(gm_buffer *out, const void *request) {
    (void)request;
    for (size_t i = 0; i < gm_page_count(); i++) {
        const gm_page page = gm_page_at(i);
        gm_buffer_add_text(out, i == 0 ? "[\n" : ",\n");
        gm_page_add_json(out, &page);
    }
    gm_buffer_add_text(out, "\n]\n");
}

static gm_status call(gm_api_body one, gm_api_body all, const char *code, gm_output *output) {
    if (output == NULL) {
        return GM_BAD_ARGUMENT;
    }
    *output = (gm_output){NULL, 0};
    if (code == NULL) {
        return gm_api_call(all, NULL, output);
    }
    const gm_page page = gm_page_find(code);
    return page.rule != NULL || page.kind != NULL ? gm_api_call(one, &page, output) : GM_BAD_ARGUMENT;
}

gm_status gm_rule_page(const char *code, gm_output *output) {
    return call(add_page, add_pages, code, output);
}

gm_status gm_rule_json(const char *code, gm_output *output) {
    return call(add_json, add_all_json, code, output);
}
