#include "driver/calls.h"

#include <string.h>

#include "analysis/reach.h"
#include "base/buffer.h"
#include "base/search.h"

typedef struct gm_calls_text {
    gm_buffer text;
    const gm_checked *checked;
} calls_text;

static void add_name(calls_text *told, const gm_name *name) {
    gm_buffer_add(&told->text, name->text, name->length);
}

static bool is_quiet(const gm_checked *checked, const gm_node *definition) {
    uint32_t low = 0; /* the first entry that begins in the definition or behind it */
    for (uint32_t high = checked->entries.count; low < high;) {
        uint32_t middle = gm_middle(low, high);
        if (checked->entries.items[middle].start < definition->start) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low < checked->entries.count && checked->entries.items[low].start < definition->end) {
        return false;
    }
    return gm_reach_has(checked->analysis, definition);
}

static void add_calls(calls_text *told) {
    const gm_outgoing_list *outgoing = gm_reach_outgoing(told->checked->analysis);
    for (uint32_t i = 0; i < outgoing->count; i++) {
        const gm_outgoing *call = &outgoing->items[i];
        gm_buffer_add_text(&told->text, call->applied ? "@" : "");
        add_name(told, call->name);
        gm_buffer_add_char(&told->text, ' ');
        gm_buffer_add_unsigned(&told->text, call->calls);
        gm_buffer_add_char(&told->text, '\n');
    }
}

/* A line: the kind, the name, in front of that the class and what separates them. */
static void add_held(calls_text *told, const char *kind, const gm_name *class_name, const char *separator, const gm_name *name) {
    gm_buffer_add_text(&told->text, kind);
    if (class_name != NULL) {
        add_name(told, class_name);
    }
    gm_buffer_add_text(&told->text, separator);
    add_name(told, name);
    gm_buffer_add_char(&told->text, '\n');
}

/* What a decorator returns is never reached before somebody applies it. */
static void add_def(calls_text *told, const gm_node *definition, const gm_name *class_name) {
    const gm_name *name = gm_def_name(definition);
    const char *kind = is_quiet(told->checked, definition) ? "-" : "=";
    if (class_name == NULL) {
        add_held(told, "=@", NULL, "", name);
        add_held(told, kind, NULL, "", name);
        return;
    }
    if (gm_name_is(name, "__init__")) {
        add_held(told, kind, NULL, "", class_name);
    }
    add_held(told, kind, class_name, ".", name);
}

static void add_class(calls_text *told, const gm_ClassDef *class_def) {
    for (uint32_t i = 0; i < class_def->bases.count; i++) {
        const gm_node *base = class_def->bases.items[i];
        if (base->kind == GM_KIND_Name) {
            add_held(told, "<", class_def->name, " ", gm_as_Name(base)->id);
        }
    }
    for (uint32_t i = 0; i < class_def->body.count; i++) {
        if (gm_is_def(class_def->body.items[i])) {
            add_def(told, class_def->body.items[i], class_def->name);
        }
    }
}

/* What `import *` brings in is not followed, and packages that are no part of a program neither. */
static void add_imports(calls_text *told, const gm_ImportFrom *import) {
    static const char dots[] = "................";
    const char *module = import->module == NULL ? "" : import->module->text;
    size_t level = import->level < 0 ? 0 : import->level < 16 ? (size_t)import->level : 16;
    bool library = level == 0 && (strncmp(module, "torch", 5) == 0 || strncmp(module, "typing", 6) == 0);
    for (uint32_t i = 0; !library && i < import->names.count; i++) {
        const gm_alias *alias = gm_as_alias(import->names.items[i]);
        gm_buffer_add_char(&told->text, '>');
        add_name(told, alias->asname != NULL ? alias->asname : alias->name);
        gm_buffer_add_char(&told->text, ' ');
        gm_buffer_add(&told->text, dots, level);
        gm_buffer_add_text(&told->text, module);
        add_held(told, "", NULL, *module == '\0' ? "" : ".", alias->name);
    }
}

/* A table of functions, perhaps. */
static void add_table(calls_text *told, const gm_Assign *assign) {
    const gm_node *name = assign->targets.count == 1 ? assign->targets.items[0] : NULL;
    gm_kind kind = (gm_kind)assign->value->kind;
    if (name != NULL && name->kind == GM_KIND_Name && (kind == GM_KIND_Dict || kind == GM_KIND_List || kind == GM_KIND_Tuple)) {
        add_held(told, "=", NULL, "", gm_as_Name(name)->id);
    }
}

/* Blocks of `if` and `try` are read as part of the one around them. */
static void add_block(calls_text *told, const gm_list *block) {
    for (uint32_t i = 0; i < block->count; i++) {
        const gm_node *statement = block->items[i];
        if (gm_is_def(statement)) {
            add_def(told, statement, NULL);
        } else if (statement->kind == GM_KIND_ClassDef) {
            add_class(told, gm_as_ClassDef(statement));
        } else if (statement->kind == GM_KIND_ImportFrom) {
            add_imports(told, gm_as_ImportFrom(statement));
        } else if (statement->kind == GM_KIND_Assign) {
            add_table(told, gm_as_Assign(statement));
        } else if (statement->kind == GM_KIND_If) {
            add_block(told, &gm_as_If(statement)->body);
            add_block(told, &gm_as_If(statement)->orelse);
        } else if (statement->kind == GM_KIND_Try) {
            add_block(told, &gm_as_Try(statement)->body);
        }
    }
}

const char *gm_calls_text(gm_arena *arena, const gm_checked *checked) {
    calls_text told = {.checked = checked};
    gm_buffer_init(&told.text, arena);
    add_calls(&told);
    add_block(&told, &checked->analysis->tree->module->body);
    return told.text.length == 0 ? NULL : gm_buffer_text(&told.text);
}

/* "NAME CALLS". */
static bool is_call(const char *line, size_t length) {
    size_t name = strcspn(line, " \n");
    size_t digits = name < length ? strspn(line + name + 1, "0123456789") : 0;
    return name > 0 && digits > 0 && digits < 10 && name + 1 + digits == length;
}

bool gm_calls_valid(const char *text) {
    bool holds = false;
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        bool one_held = strchr("=-<>", *text) != NULL;
        if (text[length] != '\n' || (holds && !one_held) || (one_held ? length < 2 : !is_call(text, length))) {
            return false;
        }
        holds = one_held;
        text += length + 1;
    }
    return true;
}
