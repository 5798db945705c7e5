/* What is written about classes, functions, fields and parameters. */
#include <string.h>

#include "base/work.h"
#include "meaning/source_private.h"
#include "syntax/literal.h"

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\f' || c == '\r';
}

gm_text gm_source_string(gm_arena *arena, const gm_tree *text, const gm_node *node) {
    if (node == NULL || node->kind != GM_KIND_Constant || gm_as_Constant(node)->value.literal != GM_LITERAL_str) {
        return (gm_text){NULL, 0};
    }
    gm_buffer out;
    gm_buffer_init(&out, arena);
    gm_literal_decode(text->source, &gm_as_Constant(node)->value, &out);
    gm_buffer_text(&out);
    return (gm_text){out.bytes, (uint32_t)out.length};
}

static uint32_t line_end(gm_text text, uint32_t at) {
    while (at < text.length && text.bytes[at] != '\n' && text.bytes[at] != '\r') {
        at++;
    }
    return at;
}

static uint32_t next_line(gm_text text, uint32_t end) {
    return end + (end + 1 < text.length && text.bytes[end] == '\r' && text.bytes[end + 1] == '\n' ? 2U : 1U);
}

/* Blanks at the start of a line, in columns: a tab goes to the next multiple of eight. */
static uint32_t indent_of(gm_text text, uint32_t at, uint32_t end, uint32_t *first) {
    uint32_t columns = 0;
    for (; at < end && is_blank(text.bytes[at]); at++) {
        columns = text.bytes[at] == '\t' ? (columns / 8 + 1) * 8 : columns + 1;
    }
    *first = at;
    return columns;
}

/* The least indentation of the lines behind the first one. */
static uint32_t margin_of(gm_text text) {
    uint32_t margin = UINT32_MAX;
    for (uint32_t at = next_line(text, line_end(text, 0)); at < text.length; at = next_line(text, line_end(text, at))) {
        uint32_t first = 0;
        uint32_t end = line_end(text, at);
        uint32_t indent = indent_of(text, at, end, &first);
        margin = first < end && indent < margin ? indent : margin;
    }
    return margin == UINT32_MAX ? 0 : margin;
}

/* A docstring without its indentation, as inspect.cleandoc leaves it. */
static gm_text clean(gm_arena *arena, gm_text text) {
    gm_buffer out;
    gm_buffer_init(&out, arena);
    uint32_t margin = margin_of(text);
    for (uint32_t at = 0; at < text.length;) {
        uint32_t end = line_end(text, at);
        uint32_t first = 0;
        uint32_t last = end;
        uint32_t indent = indent_of(text, at, end, &first);
        while (last > first && is_blank(text.bytes[last - 1])) {
            last--;
        }
        for (uint32_t i = margin; at > 0 && first < last && i < indent; i++) {
            gm_buffer_add_char(&out, ' ');
        }
        gm_buffer_add(&out, text.bytes + first, last - first);
        gm_buffer_add_char(&out, '\n');
        at = next_line(text, end);
    }
    uint32_t start = 0;
    uint32_t end = (uint32_t)out.length;
    while (start < end && (out.bytes[start] == '\n' || is_blank(out.bytes[start]))) {
        start++;
    }
    while (end > start && (out.bytes[end - 1] == '\n' || is_blank(out.bytes[end - 1]))) {
        end--;
    }
    return end > start ? (gm_text){gm_arena_copy(arena, out.bytes + start, end - start), end - start} : (gm_text){NULL, 0};
}

/* Words with single blanks between them. */
static void add_words(gm_buffer *out, gm_text text) {
    for (uint32_t at = 0; at < text.length;) {
        uint32_t start = at;
        while (at < text.length && !is_blank(text.bytes[at]) && text.bytes[at] != '\n' && text.bytes[at] != '\v') {
            at++;
        }
        if (at > start) {
            gm_buffer_add_text(out, out->length > 0 ? " " : "");
            gm_buffer_add(out, text.bytes + start, at - start);
        } else {
            at++;
        }
    }
}

static gm_text text_of(gm_buffer *out) {
    if (out->length == 0) {
        return (gm_text){NULL, 0};
    }
    gm_buffer_text(out);
    return (gm_text){out->bytes, (uint32_t)out->length};
}

static const gm_node *string_statement(const gm_list *body, uint32_t index) {
    if (index >= body->count || body->items[index]->kind != GM_KIND_Expr) {
        return NULL;
    }
    return gm_as_Expr(body->items[index])->value;
}

gm_text gm_source_docstring(gm_arena *arena, const gm_tree *tree, const gm_list *body) {
    gm_text text = gm_source_string(arena, tree, string_statement(body, 0));
    return text.bytes == NULL ? text : clean(arena, text);
}

/* The comment that starts at `at`, without its sign, up to the end of its line. */
static gm_text comment_text(const gm_source *source, uint32_t at, uint32_t sign) {
    gm_text whole = {source->text, source->length};
    return (gm_text){source->text + at + sign, line_end(whole, at) - at - sign};
}

static bool starts_note(const gm_source *source, uint32_t at) {
    return at + 1 < source->length && source->text[at] == '#' && source->text[at + 1] == ':';
}

static uint32_t skip_blanks(const gm_source *source, uint32_t at) {
    while (at < source->length && is_blank(source->text[at]) && source->text[at] != '\r') {
        at++;
    }
    return at;
}

/* Lines of `#:` directly above a statement, none of them above `limit`. */
static void add_comments_above(gm_buffer *out, const gm_source *source, uint32_t start, uint32_t limit) {
    uint32_t line = gm_source_position(source, start).line;
    uint32_t first = line;
    while (first > 1) {
        uint32_t above = source->line_starts[first - 2];
        if (above < limit || !starts_note(source, skip_blanks(source, above))) {
            break;
        }
        first--;
    }
    for (; first < line; first++) {
        add_words(out, comment_text(source, skip_blanks(source, source->line_starts[first - 1]), 2));
    }
}

gm_text gm_source_field_note(gm_arena *arena, const gm_tree *tree, const gm_list *body, uint32_t index) {
    const gm_source *source = tree->source;
    const gm_node *statement = body->items[index];
    gm_buffer out;
    gm_buffer_init(&out, arena);
    add_comments_above(&out, source, statement->start, index > 0 ? body->items[index - 1]->end : 0);
    uint32_t behind = skip_blanks(source, statement->end);
    if (starts_note(source, behind)) {
        add_words(&out, comment_text(source, behind, 2));
    }
    gm_text text = gm_source_string(arena, tree, string_statement(body, index + 1));
    if (text.bytes != NULL) {
        add_words(&out, text);
    }
    return text_of(&out);
}

/* Comments that are for tools. */
static bool is_pragma(gm_text comment) {
    static const char *const signs[] = {
        "type:", "noqa", "pylint:", "pragma:", "fmt:", "ruff:", "mypy:", "pyright:", "isort:", "nosec", NULL};
    while (comment.length > 0 && is_blank(comment.bytes[0])) {
        comment.bytes++;
        comment.length--;
    }
    for (size_t i = 0; signs[i] != NULL; i++) {
        size_t length = strlen(signs[i]);
        if (comment.length >= length && memcmp(comment.bytes, signs[i], length) == 0) {
            return true;
        }
    }
    return comment.length == 0;
}

gm_text gm_source_parameter_note(gm_arena *arena, const gm_tree *tree, uint32_t end) {
    const gm_source *source = tree->source;
    uint32_t at = skip_blanks(source, end);
    if (at < source->length && source->text[at] == ',') {
        at = skip_blanks(source, at + 1);
    }
    gm_buffer out;
    gm_buffer_init(&out, arena);
    if (at < source->length && source->text[at] == '#') {
        gm_text comment = comment_text(source, at, starts_note(source, at) ? 2 : 1);
        if (!is_pragma(comment)) {
            add_words(&out, comment);
        }
    }
    return text_of(&out);
}

typedef struct lister {
    gm_arena *arena;
    const gm_tree *tree;
    gm_buffer *out;
    bool any;
} lister;

static void list_body(lister *in, const gm_list *body, const char *prefix, uint32_t depth);

static void add_member(lister *in, gm_text name, gm_text note, bool *any) {
    if (note.bytes == NULL) {
        return;
    }
    gm_buffer_add_text(in->out, *any ? ",{\"name\":" : "{\"name\":");
    *any = true;
    gm_buffer_add_json(in->out, name.bytes, name.length);
    gm_buffer_add_text(in->out, ",\"note\":");
    gm_buffer_add_json(in->out, note.bytes, note.length);
    gm_buffer_add_char(in->out, '}');
}

static const gm_name *member_name(const gm_node *statement) {
    const gm_node *target = NULL;
    if (statement->kind == GM_KIND_AnnAssign) {
        target = gm_as_AnnAssign(statement)->target;
    } else if (statement->kind == GM_KIND_Assign && gm_as_Assign(statement)->targets.count == 1) {
        target = gm_as_Assign(statement)->targets.items[0];
    }
    return target != NULL && target->kind == GM_KIND_Name ? gm_as_Name(target)->id : NULL;
}

static void add_fields(lister *in, const gm_list *body) {
    bool any = false;
    for (uint32_t i = 0; i < body->count; i++) {
        const gm_name *name = member_name(body->items[i]);
        if (name != NULL) {
            add_member(in, (gm_text){name->text, name->length}, gm_source_field_note(in->arena, in->tree, body, i), &any);
        }
    }
}

static void add_parameters(lister *in, const gm_arguments *arguments) {
    const gm_list *lists[] = {&arguments->posonlyargs, &arguments->args, &arguments->kwonlyargs};
    uint32_t positional = arguments->posonlyargs.count + arguments->args.count;
    bool any = false;
    for (size_t l = 0; l < 3; l++) {
        for (uint32_t i = 0; i < lists[l]->count; i++) {
            const gm_arg *parameter = gm_as_arg(lists[l]->items[i]);
            uint32_t number = i + (l == 1 ? arguments->posonlyargs.count : 0);
            const gm_node *value = NULL;
            if (l == 2) {
                value = arguments->kw_defaults.items[i];
            } else if (number + arguments->defaults.count >= positional) {
                value = arguments->defaults.items[number + arguments->defaults.count - positional];
            }
            uint32_t end = value != NULL ? value->end : parameter->base.end;
            add_member(in, (gm_text){parameter->arg->text, parameter->arg->length}, gm_source_parameter_note(in->arena, in->tree, end),
                       &any);
        }
    }
}

static const gm_FunctionDef *as_function(const gm_node *node) {
    return (const gm_FunctionDef *)(const void *)node;
}

static void list_definition(lister *in, const gm_node *node, const char *prefix, uint32_t depth) {
    bool is_class = node->kind == GM_KIND_ClassDef;
    const gm_name *name = is_class ? gm_as_ClassDef(node)->name : as_function(node)->name;
    const gm_list *body = is_class ? &gm_as_ClassDef(node)->body : &as_function(node)->body;
    gm_buffer qualified;
    gm_buffer_init(&qualified, in->arena);
    gm_buffer_printf(&qualified, "%s%s", prefix, name->text);
    gm_text doc = gm_source_docstring(in->arena, in->tree, body);
    gm_buffer_add_text(in->out, in->any ? ",\n{\"name\":" : "\n{\"name\":");
    in->any = true;
    gm_buffer_add_json(in->out, qualified.bytes, qualified.length);
    gm_buffer_printf(in->out, ",\"kind\":\"%s\",\"line\":%u", is_class ? "class" : "function",
                     gm_source_position(in->tree->source, node->start).line);
    if (doc.bytes != NULL) {
        gm_buffer_add_text(in->out, ",\"doc\":");
        gm_buffer_add_json(in->out, doc.bytes, doc.length);
    }
    gm_buffer_add_text(in->out, ",\"members\":[");
    if (is_class) {
        add_fields(in, body);
    } else {
        add_parameters(in, gm_as_arguments(as_function(node)->args));
    }
    gm_buffer_add_text(in->out, "]}");
    gm_buffer_add_text(&qualified, is_class ? "." : ".<locals>.");
    list_body(in, body, gm_buffer_text(&qualified), depth + 1);
}

static void list_lists(lister *in, const gm_node *node, const char *prefix, uint32_t depth) {
    if (node->kind == GM_KIND_If) {
        list_body(in, &gm_as_If(node)->body, prefix, depth + 1);
        list_body(in, &gm_as_If(node)->orelse, prefix, depth + 1);
    } else if (node->kind == GM_KIND_Try) {
        list_body(in, &gm_as_Try(node)->body, prefix, depth + 1);
        list_body(in, &gm_as_Try(node)->orelse, prefix, depth + 1);
    } else if (node->kind == GM_KIND_With) {
        list_body(in, &gm_as_With(node)->body, prefix, depth + 1);
    }
}

enum { DEPTH_LIMIT = 50 };

static void list_body(lister *in, const gm_list *body, const char *prefix, uint32_t depth) {
    for (uint32_t i = 0; i < body->count && depth < DEPTH_LIMIT; i++) {
        const gm_node *node = body->items[i];
        if (node->kind == GM_KIND_ClassDef || gm_is_def(node)) {
            list_definition(in, node, prefix, depth);
        } else {
            list_lists(in, node, prefix, depth);
        }
    }
}

typedef struct noting {
    gm_arena *arena;
    const char *path;
    const char *bytes;
    size_t size;
    gm_buffer *out;
} noting;

static void list_file(void *context) {
    const noting *state = context;
    const gm_tree *tree = gm_parse(state->arena, state->path, state->bytes, state->size, NULL);
    lister in = {.arena = state->arena, .tree = tree, .out = state->out};
    if (tree->diagnostics.count == 0) {
        list_body(&in, &tree->module->body, "", 0);
    }
}

void gm_source_notes(gm_arena *arena, const char *path, const char *bytes, size_t size, gm_buffer *out) {
    gm_buffer_add_text(out, "{\"definitions\":[");
    noting state = {arena, path, bytes, size, out};
    size_t before = out->length;
    if (!gm_work_within(arena, size, list_file, &state)) {
        out->length = before;
    }
    gm_buffer_add_text(out, "\n]}\n");
}
