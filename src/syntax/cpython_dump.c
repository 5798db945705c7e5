#include "syntax/cpython_dump.h"

#include "syntax/literal.h"

/* Far beyond what CPython itself can print, and small enough for the C stack. */
enum { DEPTH_LIMIT = 5000 };

typedef struct dumper {
    gm_arena *arena;
    const gm_source *source;
    const gm_dump_options *options;
    gm_buffer *out;
    uint32_t depth;
    uint32_t line; /* where the last position was found: the next one is near */
    bool inside_format;
    bool too_deep;
} dumper;

static void dump_node(dumper *in, const gm_node *node);

static void add(dumper *in, const char *text) {
    gm_buffer_add_text(in->out, text);
}

/* Positions come nearly in order, so the line is looked for from the last one. */
static gm_position position_of(dumper *in, uint32_t offset) {
    const uint32_t *starts = in->source->line_starts;
    uint32_t at = in->line;
    if (starts[at] > offset || (at + 8 < in->source->line_count && starts[at + 8] <= offset)) {
        in->line = gm_source_position(in->source, offset).line - 1;
        return (gm_position){in->line + 1, offset - starts[in->line]};
    }
    while (at + 1 < in->source->line_count && starts[at + 1] <= offset) {
        at++;
    }
    in->line = at;
    return (gm_position){at + 1, offset - starts[at]};
}

static bool has_attributes(const dumper *in, const gm_node *node) {
    uint8_t group = gm_kind_of(node)->group;
    if (group == GM_GROUP_mod || (in->options->without_format_positions && in->inside_format)) {
        return false;
    }
    switch (node->kind) {
    case GM_KIND_comprehension:
    case GM_KIND_arguments:
    case GM_KIND_withitem:
    case GM_KIND_match_case: return false;
    case GM_KIND_alias: return in->options->version >= 310;
    default: return true;
    }
}

static void dump_attributes(dumper *in, const gm_node *node, bool first) {
    gm_position start = position_of(in, node->start);
    gm_position end = position_of(in, node->end);
    add(in, first ? "lineno=" : ", lineno=");
    gm_buffer_add_unsigned(in->out, start.line);
    add(in, ", col_offset=");
    gm_buffer_add_unsigned(in->out, start.column);
    add(in, ", end_lineno=");
    gm_buffer_add_unsigned(in->out, end.line);
    add(in, ", end_col_offset=");
    gm_buffer_add_unsigned(in->out, end.column);
}

static void dump_name(dumper *in, const gm_name *name) {
    if (name == NULL) {
        add(in, "None");
    } else {
        gm_literal_repr_text(name->text, name->length, in->out, in->options->version);
    }
}

static void dump_list(dumper *in, const gm_list *list) {
    add(in, "[");
    for (uint32_t i = 0; i < list->count; i++) {
        if (i > 0) {
            add(in, ", ");
        }
        if (list->items[i] == NULL) {
            add(in, "None");
        } else {
            dump_node(in, list->items[i]);
        }
    }
    add(in, "]");
}

static void dump_names(dumper *in, const gm_name_list *names) {
    add(in, "[");
    for (uint32_t i = 0; i < names->count; i++) {
        add(in, i > 0 ? ", " : "");
        dump_name(in, names->items[i]);
    }
    add(in, "]");
}

static void dump_operator(dumper *in, uint8_t operator) {
    add(in, gm_operator_names[operator]);
    add(in, "()");
}

static void dump_operators(dumper *in, const gm_operator_list *operators) {
    add(in, "[");
    for (uint32_t i = 0; i < operators->count; i++) {
        add(in, i > 0 ? ", " : "");
        dump_operator(in, operators->items[i]);
    }
    add(in, "]");
}

static const void *field_of(const gm_node *node, const gm_field *field) {
    return (const char *)node + field->offset;
}

/* A field that this version's grammar does not have. */
static bool is_newer(const dumper *in, const gm_node *node, const gm_field *field) {
    bool parameters = node->kind <= GM_KIND_ClassDef && field->type == GM_FIELD_LIST && field->name[0] == 't'; /* type_params */
    return parameters && in->options->version < 312;
}

static uint32_t list_count(const gm_node *node, const gm_field *field) {
    switch (field->type) {
    case GM_FIELD_LIST: return ((const gm_list *)field_of(node, field))->count;
    case GM_FIELD_NAMES: return ((const gm_name_list *)field_of(node, field))->count;
    default: return 1;
    }
}

/* Fields that are None, and from 3.13 on empty lists, are not printed. */
static bool is_left_out(const dumper *in, const gm_node *node, const gm_field *field) {
    switch (field->type) {
    case GM_FIELD_OPTIONAL: return *(gm_node *const *)field_of(node, field) == NULL;
    case GM_FIELD_NAME: return *(const gm_name *const *)field_of(node, field) == NULL;
    default: return is_newer(in, node, field) || (in->options->version >= 313 && list_count(node, field) == 0);
    }
}

static void dump_value(dumper *in, const gm_node *node, const gm_field *field) {
    static const char *const contexts[] = {[GM_LOAD] = "Load()", [GM_STORE] = "Store()", [GM_DEL] = "Del()"};
    const void *value = field_of(node, field);
    switch ((gm_field_type)field->type) {
    case GM_FIELD_NODE:
    case GM_FIELD_OPTIONAL: dump_node(in, *(gm_node *const *)value); break;
    case GM_FIELD_LIST: dump_list(in, value); break;
    case GM_FIELD_NAME: dump_name(in, *(const gm_name *const *)value); break;
    case GM_FIELD_NAMES: dump_names(in, value); break;
    case GM_FIELD_OPERATOR: dump_operator(in, *(const uint8_t *)value); break;
    case GM_FIELD_OPERATORS: dump_operators(in, value); break;
    case GM_FIELD_CONTEXT: add(in, contexts[*(const uint8_t *)value]); break;
    case GM_FIELD_INTEGER: gm_buffer_printf(in->out, "%d", *(const int32_t *)value); break;
    case GM_FIELD_CONSTANT: gm_literal_repr(in->arena, in->source, value, in->out, in->options->version); break;
    }
}

static bool is_unicode_kind(const gm_node *node) {
    if (node->kind != GM_KIND_Constant) {
        return false;
    }
    const gm_constant *value = &gm_as_Constant(node)->value;
    return value->literal == GM_LITERAL_str && value->part_count > 0 && (value->parts[0].flags & GM_PART_UNICODE) != 0;
}

static bool dump_fields(dumper *in, const gm_node *node) {
    const gm_kind_info *info = gm_kind_of(node);
    bool first = true;
    for (uint32_t i = 0; i < info->field_count; i++) {
        const gm_field *field = &info->fields[i];
        if (is_left_out(in, node, field)) {
            continue;
        }
        add(in, first ? "" : ", ");
        add(in, field->name);
        add(in, "=");
        dump_value(in, node, field);
        first = false;
    }
    if (is_unicode_kind(node)) {
        add(in, ", kind='u'");
    }
    if (node->kind == GM_KIND_Module && in->options->version < 313) {
        add(in, first ? "type_ignores=[]" : ", type_ignores=[]");
    }
    return first;
}

static void dump_node(dumper *in, const gm_node *node) {
    if (in->depth >= DEPTH_LIMIT) {
        in->too_deep = true;
        return;
    }
    in->depth++;
    bool outer = in->inside_format;
    add(in, gm_kind_of(node)->name);
    add(in, "(");
    bool attributes = has_attributes(in, node);
    in->inside_format |= node->kind == GM_KIND_JoinedStr;
    bool first = dump_fields(in, node);
    in->inside_format = outer;
    if (attributes) {
        dump_attributes(in, node, first);
    }
    add(in, ")");
    in->depth--;
}

bool gm_dump_cpython(gm_arena *arena, const gm_tree *tree, const gm_dump_options *options, gm_buffer *out) {
    dumper in = {.arena = arena, .source = tree->source, .options = options, .out = out};
    size_t before = out->length;
    dump_node(&in, &tree->module->base);
    if (in.too_deep) {
        out->length = before;
    }
    return !in.too_deep;
}

/* For people. */

static void show_node(dumper *in, const char *label, const gm_node *node);

static void show_start(dumper *in, const char *label) {
    for (uint32_t i = 0; i < in->depth; i++) {
        add(in, "  ");
    }
    if (label[0] != '\0') {
        add(in, label);
        add(in, ": ");
    }
}

static void show_scalars(dumper *in, const gm_node *node) {
    const gm_kind_info *info = gm_kind_of(node);
    for (uint32_t i = 0; i < info->field_count; i++) {
        const gm_field *field = &info->fields[i];
        bool is_child = field->type == GM_FIELD_NODE || field->type == GM_FIELD_OPTIONAL || field->type == GM_FIELD_LIST;
        if (!is_child && !is_left_out(in, node, field)) {
            gm_buffer_printf(in->out, " %s=", field->name);
            dump_value(in, node, field);
        }
    }
}

static void show_list(dumper *in, const char *label, const gm_list *list) {
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i] != NULL) {
            show_node(in, label, list->items[i]);
        } else {
            show_start(in, label);
            add(in, "None\n");
        }
    }
}

static void show_node(dumper *in, const char *label, const gm_node *node) {
    show_start(in, label);
    if (in->depth >= DEPTH_LIMIT / 10) {
        add(in, "...\n");
        return;
    }
    gm_position start = position_of(in, node->start);
    gm_position end = position_of(in, node->end);
    add(in, gm_kind_of(node)->name);
    show_scalars(in, node);
    gm_buffer_printf(in->out, "  %u:%u-%u:%u\n", start.line, start.column, end.line, end.column);
    in->depth++;
    const gm_kind_info *info = gm_kind_of(node);
    for (uint32_t i = 0; i < info->field_count; i++) {
        const gm_field *field = &info->fields[i];
        if (field->type == GM_FIELD_LIST) {
            show_list(in, field->name, field_of(node, field));
        } else if (field->type <= GM_FIELD_OPTIONAL && *(gm_node *const *)field_of(node, field) != NULL) {
            show_node(in, field->name, *(gm_node *const *)field_of(node, field));
        }
    }
    in->depth--;
}

void gm_dump_readable(gm_arena *arena, const gm_tree *tree, gm_buffer *out) {
    gm_dump_options options = {.version = GM_VERSION_NEWEST};
    dumper in = {.arena = arena, .source = tree->source, .options = &options, .out = out};
    show_node(&in, "", &tree->module->base);
}
