/* `graphmend debug scopes`: the symbol tables, for people or (--symtable) as JSON to compare with CPython's. */
#include <stdlib.h>
#include <string.h>

#include "cli/debug.h"
#include "cli/debug_files.h"
#include "flow/scopes.h"

static const char *kind_text(const gm_scope *scope, gm_version target) {
    static const char *const texts[] = {
        [GM_SCOPE_MODULE] = "module",
        [GM_SCOPE_CLASS] = "class",
        [GM_SCOPE_FUNCTION] = "function",
        [GM_SCOPE_ANNOTATION] = "annotation",
        [GM_SCOPE_TYPE_PARAMS] = "type parameters",
        [GM_SCOPE_TYPE_ALIAS] = "type alias",
        [GM_SCOPE_TYPE_VARIABLE] = "type variable",
    };
    if (target == 312 && scope->kind == GM_SCOPE_TYPE_PARAMS) {
        return "type parameter";
    }
    if (target == 312 && scope->kind == GM_SCOPE_TYPE_VARIABLE) {
        return "TypeVar bound";
    }
    return texts[scope->kind];
}

static const char *binding_text(uint8_t binding) {
    static const char *const texts[] = {
        [GM_BINDING_LOCAL] = "local",
        [GM_BINDING_CELL] = "cell",
        [GM_BINDING_FREE] = "free",
        [GM_BINDING_GLOBAL_EXPLICIT] = "global",
        [GM_BINDING_GLOBAL_IMPLICIT] = "implicit",
    };
    return texts[binding];
}

static bool is_namespace(const gm_scope *scope, const gm_name *name) {
    for (uint32_t i = 0; i < scope->children.count; i++) {
        if (scope->children.items[i]->name == name) {
            return true;
        }
    }
    return false;
}

/* The letters of the questions that symtable.Symbol answers with yes. */
static void add_flags(gm_buffer *out, const gm_symbol *symbol) {
    const struct {
        uint16_t bit;
        char letter;
    } letters[] = {{GM_SYMBOL_USED, 'r'},      {GM_SYMBOL_ASSIGNED, 'a'}, {GM_SYMBOL_IMPORTED, 'i'},
                   {GM_SYMBOL_PARAMETER, 'p'}, {GM_SYMBOL_NONLOCAL, 'n'}, {GM_SYMBOL_ANNOTATED, 't'}};
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++) {
        if ((symbol->flags & letters[i].bit) != 0) {
            gm_buffer_add_char(out, letters[i].letter);
        }
    }
    if (is_namespace(symbol->scope, symbol->name)) {
        gm_buffer_add_char(out, 's');
    }
}

static int compare_symbols(const void *left, const void *right) {
    const gm_symbol *const *a = left;
    const gm_symbol *const *b = right;
    return strcmp((*a)->name->text, (*b)->name->text);
}

static gm_symbol **sorted_symbols(gm_arena *arena, const gm_scope *scope) {
    size_t size = sizeof(gm_symbol *) * scope->symbols.count;
    gm_symbol **sorted = gm_arena_alloc(arena, size);
    if (size > 0) {
        memcpy(sorted, scope->symbols.items, size);
        qsort(sorted, scope->symbols.count, sizeof *sorted, compare_symbols);
    }
    return sorted;
}

/* [type, name, line, nested, [[name, flags, binding], ...], [child, ...]] */
static void add_table(gm_arena *arena, const gm_scope *scope, gm_version target, gm_buffer *out) {
    gm_symbol **symbols = sorted_symbols(arena, scope);
    gm_buffer_printf(out, "[\"%s\",", kind_text(scope, target));
    gm_buffer_add_json(out, scope->name->text, scope->name->length);
    gm_buffer_printf(out, ",%u,%s,[", scope->line, (scope->traits & GM_SCOPE_NESTED) != 0 ? "true" : "false");
    for (uint32_t i = 0; i < scope->symbols.count; i++) {
        gm_buffer_add_text(out, i > 0 ? ",[" : "[");
        gm_buffer_add_json(out, symbols[i]->name->text, symbols[i]->name->length);
        gm_buffer_add_text(out, ",\"");
        add_flags(out, symbols[i]);
        gm_buffer_printf(out, "\",\"%s\"]", binding_text(symbols[i]->binding));
    }
    gm_buffer_add_text(out, "],[");
    for (uint32_t i = 0; i < scope->children.count; i++) {
        gm_buffer_add_text(out, i > 0 ? "," : "");
        add_table(arena, scope->children.items[i], target, out);
    }
    gm_buffer_add_text(out, "]]");
}

static void add_error(gm_buffer *out, const gm_tree *tree, const gm_diagnostic *diagnostic) {
    gm_position at = gm_source_position(tree->source, diagnostic->start);
    gm_buffer_printf(out, "{\"line\":%u,\"column\":%u,\"error\":", at.line, at.column);
    gm_buffer_add_json(out, diagnostic->message, strlen(diagnostic->message));
    gm_buffer_add_text(out, "}\n");
}

static void add_lines(gm_arena *arena, const gm_scope *scope, uint32_t depth, gm_buffer *out) {
    gm_buffer_printf(out, "%*s%s %s, line %u%s%s\n", (int)(depth * 2), "", kind_text(scope, 0), scope->name->text, scope->line,
                     (scope->traits & GM_SCOPE_CALLS_LOCALS) != 0 ? ", locals()" : "",
                     (scope->traits & GM_SCOPE_CALLS_EVAL) != 0 ? ", eval or exec" : "");
    gm_symbol **symbols = sorted_symbols(arena, scope);
    for (uint32_t i = 0; i < scope->symbols.count; i++) {
        gm_buffer_printf(out, "%*s%s: %s ", (int)(depth * 2 + 4), "", symbols[i]->name->text, binding_text(symbols[i]->binding));
        add_flags(out, symbols[i]);
        gm_buffer_add_char(out, '\n');
    }
    for (uint32_t i = 0; i < scope->children.count; i++) {
        add_lines(arena, scope->children.items[i], depth + 1, out);
    }
}

static void print_scopes(gm_arena *arena, gm_tree *tree, const gm_debug_options *options, gm_buffer *out) {
    if (tree->diagnostics.count > 0) {
        add_error(out, tree, &tree->diagnostics.items[0]);
        return;
    }
    gm_scopes *scopes = gm_scopes_build(arena, tree, options->target);
    if (scopes->diagnostics.count > 0) {
        add_error(out, tree, &scopes->diagnostics.items[0]);
    } else if (options->switched[0]) {
        add_table(arena, scopes->module, options->target, out);
        gm_buffer_add_char(out, '\n');
    } else {
        add_lines(arena, scopes->module, 0, out);
    }
}

int gm_cli_debug_scopes(int count, char **arguments) {
    static const char *const switches[] = {"--symtable", NULL};
    return gm_debug_each_file(count, arguments, switches, print_scopes);
}
