/* The IR as JSON: members in a fixed order, those without content left out. */
#include <string.h>

#include "base/sha256.h"
#include "meaning/meaning.h"

const gm_form_info gm_forms[GM_MEANING_COUNT] = {
#define GM_FORM(name, arity) {#name, arity},
#include "meaning/forms.def"
};

bool gm_text_equal(gm_text a, gm_text b) {
    return a.length == b.length && (a.length == 0 || memcmp(a.bytes, b.bytes, a.length) == 0);
}

bool gm_text_is(gm_text text, const char *word) {
    return text.length == strlen(word) && memcmp(text.bytes != NULL ? text.bytes : "", word, text.length) == 0;
}

static void add_text(gm_buffer *out, const char *member, gm_text text) {
    if (text.bytes != NULL) {
        gm_buffer_printf(out, ",\"%s\":", member);
        gm_buffer_add_json(out, text.bytes, text.length);
    }
}

static void add_items(gm_buffer *out, const gm_type_indexes *items) {
    gm_buffer_add_text(out, ",\"items\":[");
    for (uint32_t i = 0; i < items->count; i++) {
        gm_buffer_printf(out, "%s%u", i > 0 ? "," : "", items->items[i]);
    }
    gm_buffer_add_char(out, ']');
}

static void add_aliases(gm_buffer *out, const gm_texts *aliases) {
    gm_buffer_add_text(out, ",\"aliases\":[");
    for (uint32_t i = 0; i < aliases->count; i++) {
        gm_buffer_add_text(out, i > 0 ? "," : "");
        gm_buffer_add_json(out, aliases->items[i].bytes, aliases->items[i].length);
    }
    gm_buffer_add_char(out, ']');
}

static void add_field(gm_buffer *out, const gm_meaning_field *field) {
    gm_buffer_add_text(out, "{\"name\":");
    gm_buffer_add_json(out, field->name.bytes, field->name.length);
    if (field->aliases.count > 0) {
        add_aliases(out, &field->aliases);
    }
    gm_buffer_printf(out, ",\"type\":%u", field->type);
    gm_buffer_add_text(out, field->required ? "" : ",\"required\":false");
    add_text(out, "default", field->value);
    add_text(out, "note", field->note);
    gm_buffer_add_char(out, '}');
}

static void add_value(gm_buffer *out, const gm_meaning_value *value) {
    static const char *const words[] = {[GM_VALUE_null] = "null", [GM_VALUE_true] = "true", [GM_VALUE_false] = "false"};
    const char *separator = "{";
    if (value->name.bytes != NULL) {
        gm_buffer_add_text(out, "{\"name\":");
        gm_buffer_add_json(out, value->name.bytes, value->name.length);
        separator = ",";
    }
    if (value->kind != GM_VALUE_other) {
        gm_buffer_printf(out, "%s\"%s\":", separator, value->kind == GM_VALUE_bytes ? "bytes" : "value");
        separator = ",";
    }
    if (value->kind == GM_VALUE_number) {
        gm_buffer_add(out, value->text.bytes, value->text.length);
    } else if (value->kind == GM_VALUE_string || value->kind == GM_VALUE_bytes) {
        gm_buffer_add_json(out, value->text.bytes, value->text.length);
    } else if (value->kind != GM_VALUE_other) {
        gm_buffer_add_text(out, words[value->kind]);
    }
    add_text(out, "note", value->note);
    gm_buffer_add_char(out, '}');
}

static void add_bounds(gm_buffer *out, const gm_meaning_type *type) {
    gm_buffer_add_text(out, ",\"bounds\":{");
    for (uint32_t i = 0; i < type->bounds.count; i++) {
        const gm_meaning_bound *bound = &type->bounds.items[i];
        gm_buffer_add_text(out, i > 0 ? "," : "");
        gm_buffer_add_json(out, bound->name.bytes, bound->name.length);
        gm_buffer_add_char(out, ':');
        if (bound->is_number) {
            gm_buffer_add(out, bound->value.bytes, bound->value.length);
        } else {
            gm_buffer_add_json(out, bound->value.bytes, bound->value.length);
        }
    }
    gm_buffer_add_char(out, '}');
}

static void add_fields(gm_buffer *out, const gm_meaning_type *type) {
    gm_buffer_add_text(out, ",\"fields\":[");
    for (uint32_t i = 0; i < type->fields.count; i++) {
        gm_buffer_add_text(out, i > 0 ? "," : "");
        add_field(out, &type->fields.items[i]);
    }
    gm_buffer_add_char(out, ']');
}

static void add_values(gm_buffer *out, const gm_meaning_type *type) {
    gm_buffer_add_text(out, type->form == GM_MEANING_literal ? ",\"values\":[" : ",\"members\":[");
    for (uint32_t i = 0; i < type->values.count; i++) {
        gm_buffer_add_text(out, i > 0 ? "," : "");
        add_value(out, &type->values.items[i]);
    }
    gm_buffer_add_char(out, ']');
}

static void add_type(gm_buffer *out, const gm_meaning_type *type) {
    gm_buffer_printf(out, "{\"form\":\"%s\"", gm_forms[type->form].name);
    add_text(out, "name", type->name);
    add_text(out, "kind", type->kind);
    add_text(out, "doc", type->doc);
    add_text(out, "note", type->note);
    if (gm_forms[type->form].arity != 0) {
        add_items(out, &type->items);
    }
    if (type->form == GM_MEANING_record) {
        add_fields(out, type);
    } else if (type->form == GM_MEANING_literal || type->form == GM_MEANING_enum || type->form == GM_MEANING_flag) {
        add_values(out, type);
    }
    if (type->bounds.count > 0) {
        add_bounds(out, type);
    }
    gm_buffer_add_char(out, '}');
}

static void add_parameter(gm_buffer *out, const gm_meaning_parameter *parameter) {
    gm_buffer_add_text(out, "{\"name\":");
    gm_buffer_add_json(out, parameter->name.bytes, parameter->name.length);
    gm_buffer_printf(out, ",\"type\":%u", parameter->type);
    add_text(out, "default", parameter->value);
    add_text(out, "note", parameter->note);
    gm_buffer_add_char(out, '}');
}

static void add_signature(gm_buffer *out, const gm_meaning_function *function) {
    gm_buffer_add_text(out, "{\"name\":");
    gm_buffer_add_json(out, function->name.bytes, function->name.length);
    add_text(out, "doc", function->doc);
    gm_buffer_add_text(out, function->is_async ? ",\"async\":true" : "");
    gm_buffer_add_text(out, ",\"parameters\":[");
    for (uint32_t i = 0; i < function->parameters.count; i++) {
        gm_buffer_add_text(out, i > 0 ? "," : "");
        add_parameter(out, &function->parameters.items[i]);
    }
    gm_buffer_add_char(out, ']');
}

static void add_function(gm_buffer *out, const gm_meaning *meaning) {
    gm_buffer_add_text(out, "\"function\":");
    add_signature(out, &meaning->function);
    for (uint32_t i = 0; i < meaning->tools.count; i++) {
        gm_buffer_add_text(out, i > 0 ? "," : ",\"tools\":[");
        add_signature(out, &meaning->tools.items[i]);
        gm_buffer_add_char(out, '}');
    }
    gm_buffer_add_text(out, meaning->tools.count > 0 ? "]}," : "},");
}

static void add_body(gm_buffer *out, const gm_meaning *meaning) {
    if (meaning->is_function) {
        add_function(out, meaning);
    }
    gm_buffer_printf(out, "\"root\":%u,\"types\":[", meaning->root);
    for (uint32_t i = 0; i < meaning->types.count; i++) {
        gm_buffer_add_text(out, i > 0 ? ",\n" : "\n");
        add_type(out, &meaning->types.items[i]);
    }
    gm_buffer_add_text(out, "\n]}\n");
}

void gm_meaning_write(const gm_meaning *meaning, bool hash, gm_buffer *out) {
    gm_buffer body;
    gm_buffer_init(&body, out->arena);
    add_body(&body, meaning);
    gm_buffer_add_text(out, "{\"meaning\":1,");
    if (hash) {
        uint8_t digest[GM_SHA256_SIZE];
        gm_sha256(body.bytes, body.length, digest);
        gm_buffer_add_text(out, "\"hash\":\"");
        for (size_t i = 0; i < GM_SHA256_SIZE / 2; i++) {
            gm_buffer_printf(out, "%02x", digest[i]);
        }
        gm_buffer_add_text(out, "\",");
    }
    gm_buffer_add(out, body.bytes, body.length);
}
