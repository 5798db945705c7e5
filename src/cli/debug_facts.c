/* `graphmend debug facts`: the value of every expression, one a line: range, text, class, form, dtype, traits, reason. */
#include "cli/debug.h"
#include "cli/debug_files.h"
#include "flow/walk.h"
#include "values/values.h"

enum { TESTS };

enum { TEXT_LIMIT = 48 };

typedef struct printer {
    gm_flow *flow;
    gm_buffer *out;
    bool tests;
} printer;

static const struct {
    uint16_t bit;
    const char *text;
} traits[] = {
    {GM_VALUE_SCALAR, "scalar"},         {GM_VALUE_OPTIONAL, "optional"}, {GM_VALUE_FROM_DATA, "from-data"},
    {GM_VALUE_FROM_SHAPE, "from-shape"}, {GM_VALUE_BY_USE, "by-use"},     {GM_VALUE_BY_ANNOTATION, "by-annotation"},
    {GM_VALUE_PARAMETER, "parameter"},   {GM_VALUE_BUFFER, "buffer"},     {GM_VALUE_DYNAMIC_SHAPE, "dynamic-shape"},
    {GM_VALUE_FRESH, "fresh"},           {GM_VALUE_LEAF_INPUT, "input"},  {GM_VALUE_CONSTANT, "constant"},
};

static const char *const dtypes[] = {"", " bool", " integer", " floating", " complex"};

/* The text of a node on one line, cut where it is long. */
static void add_text(gm_buffer *out, const gm_source *source, const gm_node *node) {
    uint32_t length = node->end - node->start;
    uint32_t shown = length > TEXT_LIMIT ? TEXT_LIMIT : length;
    while (shown < length && ((unsigned char)source->text[node->start + shown] & 0xC0U) == 0x80U) {
        shown--;
    }
    for (uint32_t i = 0; i < shown; i++) {
        char byte = source->text[node->start + i];
        gm_buffer_add_char(out, byte == '\n' || byte == '\r' || byte == '\t' ? ' ' : byte);
    }
    gm_buffer_add_text(out, length > shown ? "..." : "");
}

static void add_value(const printer *state, const gm_node *node, gm_value value) {
    const gm_source *source = state->flow->tree->source;
    gm_position at = gm_source_position(source, node->start);
    gm_position end = gm_source_position(source, node->end);
    gm_buffer_printf(state->out, "%u:%u-%u:%u ", at.line, at.column, end.line, end.column);
    add_text(state->out, source, node);
    gm_buffer_printf(state->out, " | %s %s%s", gm_value_class_text(value.class_), gm_value_form_text(value.form), dtypes[value.dtype]);
    for (size_t i = 0; i < sizeof traits / sizeof traits[0]; i++) {
        if ((value.traits & traits[i].bit) != 0) {
            gm_buffer_printf(state->out, " %s", traits[i].text);
        }
    }
    gm_buffer_printf(state->out, " | %s\n", value.reason);
}

static bool is_stored(const gm_node *node) {
    return (node->kind == GM_KIND_Name && gm_as_Name(node)->ctx != GM_LOAD) ||
           (node->kind == GM_KIND_Attribute && gm_as_Attribute(node)->ctx != GM_LOAD) ||
           (node->kind == GM_KIND_Subscript && gm_as_Subscript(node)->ctx != GM_LOAD);
}

static bool visit_fact(const gm_node *node, const gm_node *parent, void *context) {
    const printer *state = context;
    (void)parent;
    const gm_node *test = state->tests ? gm_condition(node) : NULL;
    if (test != NULL) {
        add_value(state, test, gm_value_of_test(gm_flow_function_at(state->flow, test), test));
    } else if (!state->tests && gm_is_expr(node) && node->kind != GM_KIND_Constant && node->kind != GM_KIND_Slice && !is_stored(node)) {
        add_value(state, node, gm_value_of(gm_flow_function_at(state->flow, node), node));
    }
    return true;
}

static void print_facts(gm_arena *arena, gm_tree *tree, const gm_debug_options *options, gm_buffer *out) {
    printer state = {gm_flow_build(arena, tree, GM_RELEASE_2_13), out, options->switched[TESTS]};
    gm_walk(arena, &tree->module->base, visit_fact, &state);
}

int gm_cli_debug_facts(int count, char **arguments) {
    static const char *const switches[] = {"--tests", NULL};
    return gm_debug_each_file(count, arguments, switches, print_facts);
}
