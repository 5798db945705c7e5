#include "mend/source_text.h"

#include <string.h>

#include "mend/writer.h"
#include "syntax/lexer.h"

enum { LEAST_WIDTH = 88, MOST_WIDTH = 120 };

static const gm_source *source_of(const gm_fixer *fixer) {
    return fixer->analysis->tree->source;
}

static uint32_t line_start(const gm_source *source, uint32_t offset) {
    return source->line_starts[gm_source_position(source, offset).line - 1];
}

const char *gm_text_indent(const gm_fixer *fixer, const gm_node *statement) {
    const gm_source *source = source_of(fixer);
    uint32_t start = line_start(source, statement->start);
    for (uint32_t at = start; at < statement->start; at++) {
        if (source->text[at] != ' ' && source->text[at] != '\t' && source->text[at] != '\f') {
            return NULL;
        }
    }
    return gm_arena_copy(fixer->analysis->arena, source->text + start, statement->start - start);
}

const char *gm_text_unit(const gm_fixer *fixer, const gm_function *function) {
    const gm_node *node = function->node;
    const gm_list *body = node->kind == GM_KIND_FunctionDef ? &gm_as_FunctionDef(node)->body : &gm_as_AsyncFunctionDef(node)->body;
    const char *outer = gm_text_indent(fixer, node);
    const char *inner = gm_text_indent(fixer, body->items[0]);
    size_t length = outer == NULL ? 0 : strlen(outer);
    if (outer == NULL || inner == NULL || strncmp(outer, inner, length) != 0 || inner[length] == '\0') {
        return "    ";
    }
    return inner + length;
}

const char *gm_text_gap(const gm_fixer *fixer, uint32_t offset) {
    char before = offset == 0 ? ' ' : source_of(fixer)->text[offset - 1];
    return before >= 'a' && before <= 'z' ? " " : ""; /* the last letter of a keyword */
}

const char *gm_text_line_end(const gm_fixer *fixer, uint32_t offset) {
    const gm_source *source = source_of(fixer);
    uint32_t line = gm_source_position(source, offset).line;
    if (line >= source->line_count && line > 1) {
        line--; /* the last line may have no end */
    }
    uint32_t end = line < source->line_count ? source->line_starts[line] : source->length;
    if (end >= 2 && source->text[end - 1] == '\n' && source->text[end - 2] == '\r') {
        return "\r\n";
    }
    return end >= 1 && source->text[end - 1] == '\r' ? "\r" : "\n";
}

uint32_t gm_text_width(const gm_fixer *fixer) {
    const gm_source *source = source_of(fixer);
    uint32_t longest = LEAST_WIDTH;
    for (uint32_t i = 0; i + 1 < source->line_count; i++) {
        uint32_t length = source->line_starts[i + 1] - source->line_starts[i] - 1;
        longest = length > longest && length <= MOST_WIDTH ? length : longest;
    }
    return longest;
}

/* ---- Comments ---- */

static bool is_kept(const gm_edit_text *kept, uint32_t at) {
    for (uint32_t i = 0; i < kept->pieces.count; i++) {
        const gm_edit_piece *piece = &kept->pieces.items[i];
        if (piece->ascii == NULL && at >= piece->start && at < piece->end) {
            return true;
        }
    }
    return false;
}

/* The comments between two tokens. */
static void add_trivia(const gm_fixer *fixer, gm_edit_text *text, uint32_t start, uint32_t end, const gm_edit_text *kept,
                       const char *indent) {
    const char *bytes = source_of(fixer)->text;
    gm_arena *arena = fixer->analysis->arena;
    for (uint32_t at = start; at < end; at++) {
        if (bytes[at] != '#') {
            continue;
        }
        uint32_t stop = at;
        while (stop < end && bytes[stop] != '\n' && bytes[stop] != '\r') {
            stop++;
        }
        if (!is_kept(kept, at)) {
            gm_edit_add_source(arena, text, at, stop);
            gm_edit_add(arena, text, gm_text_line_end(fixer, start));
            gm_edit_add(arena, text, indent);
        }
        at = stop;
    }
}

void gm_text_add_comments(const gm_fixer *fixer, gm_edit_text *text, uint32_t start, uint32_t end, const gm_edit_text *kept,
                          const char *indent) {
    const gm_tree *tree = fixer->analysis->tree;
    uint32_t at = start;
    for (uint32_t i = gm_token_at(tree, start); i < tree->token_count && tree->tokens[i].start < end; i++) {
        add_trivia(fixer, text, at, tree->tokens[i].start, kept, indent);
        at = tree->tokens[i].end;
    }
    add_trivia(fixer, text, at, end, kept, indent);
}

void gm_text_append(gm_arena *arena, gm_edit_text *text, const gm_edit_text *more) {
    for (uint32_t i = 0; i < more->pieces.count; i++) {
        gm_vec_push(arena, &text->pieces, more->pieces.items[i]);
    }
}

bool gm_text_has_lines(const gm_fixer *fixer, uint32_t start, uint32_t end) {
    const char *bytes = source_of(fixer)->text;
    for (uint32_t at = start; at < end; at++) {
        if (bytes[at] == '\n' || bytes[at] == '\r') {
            return true;
        }
    }
    return false;
}

/* ---- The name of torch ---- */

/* Whether every binding of the module's symbol is an import of torch itself. */
static bool is_torch(gm_flow *flow, const gm_symbol *symbol) {
    for (uint32_t i = 0; i < symbol->binders.count; i++) {
        const gm_node *binder = symbol->binders.items[i];
        const gm_node *statement = binder->kind == GM_KIND_alias ? gm_scopes_definition(flow->scopes, binder) : NULL;
        if (statement == NULL || statement->kind != GM_KIND_Import) {
            return false;
        }
        const gm_alias *alias = gm_as_alias(binder);
        bool plain = gm_name_is(alias->name, "torch");
        bool below = alias->asname == NULL && strncmp(alias->name->text, "torch.", strlen("torch.")) == 0;
        if (!plain && !below) {
            return false;
        }
    }
    return symbol->binders.count > 0;
}

/* Whether a name means the module's in the function. */
static bool is_visible(const gm_function *function, const gm_name *name) {
    for (const gm_scope *scope = function->scope; scope->parent != NULL; scope = scope->parent) {
        const gm_symbol *symbol = gm_scope_find(scope, name);
        bool class_body = scope->kind == GM_SCOPE_CLASS;
        if (symbol != NULL && !class_body && (gm_symbol_is_local(symbol) || symbol->binding == GM_BINDING_FREE)) {
            return false;
        }
        if (symbol != NULL && (symbol->flags & GM_SYMBOL_GLOBAL) != 0) {
            return false;
        }
    }
    return true;
}

static bool is_at_line_start(const gm_source *source, const gm_node *statement) {
    return line_start(source, statement->start) == statement->start;
}

static bool mentions_torch(const gm_node *statement) {
    if (statement->kind == GM_KIND_ImportFrom) {
        const gm_ImportFrom *import = gm_as_ImportFrom(statement);
        return import->level == 0 && import->module != NULL &&
               (gm_name_is(import->module, "torch") || strncmp(import->module->text, "torch.", strlen("torch.")) == 0);
    }
    if (statement->kind != GM_KIND_Import) {
        return false;
    }
    const gm_name *name = gm_as_alias(gm_as_Import(statement)->names.items[0])->name;
    return gm_name_is(name, "torch") || strncmp(name->text, "torch.", strlen("torch.")) == 0;
}

/* The import of something of torch in front of which `import torch` goes: that torch is there is then no news. */
static const gm_node *import_place(const gm_fixer *fixer) {
    const gm_list *body = &fixer->analysis->tree->module->body;
    for (uint32_t i = 0; i < body->count; i++) {
        if (mentions_torch(body->items[i])) {
            return is_at_line_start(source_of(fixer), body->items[i]) ? body->items[i] : NULL;
        }
    }
    return NULL;
}

static const char *add_import(gm_fixer *fixer, const gm_function *function) {
    gm_analysis *analysis = fixer->analysis;
    const gm_name *name = gm_names_intern(analysis->tree->names, "torch", strlen("torch"));
    const gm_symbol *symbol = gm_scope_find(analysis->flow->scopes->module, name);
    bool bound = symbol != NULL && ((symbol->flags & (GM_SYMBOL_BOUND | GM_SYMBOL_OUTSIDE)) != 0);
    const gm_node *place = import_place(fixer);
    if (bound || place == NULL || !is_visible(function, name)) {
        return NULL;
    }
    fixer->import_at = place;
    return "torch";
}

const char *gm_text_torch(gm_fixer *fixer, const gm_function *function) {
    gm_flow *flow = fixer->analysis->flow;
    const gm_scope *module = flow->scopes->module;
    for (uint32_t i = 0; i < module->symbols.count; i++) {
        const gm_symbol *symbol = module->symbols.items[i];
        bool imported = (symbol->flags & GM_SYMBOL_IMPORTED) != 0 && (symbol->flags & GM_SYMBOL_OUTSIDE) == 0;
        if (imported && is_torch(flow, symbol) && is_visible(function, symbol->name)) {
            return symbol->name->text;
        }
    }
    return add_import(fixer, function);
}
