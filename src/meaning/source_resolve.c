/* What names stand for: definitions of the file, of other files of the package, or something outside. */
#include <string.h>

#include "driver/files.h"
#include "meaning/source_private.h"

enum { DEPTH_LIMIT = 32, FILE_LIMIT = 500 };

static const char *join(gm_arena *arena, const char *left, const char *separator, const char *right) {
    gm_buffer text;
    gm_buffer_init(&text, arena);
    gm_buffer_printf(&text, "%s%s%s", left, separator, right);
    return gm_buffer_text(&text);
}

static const char *folder_of(gm_arena *arena, const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? "." : gm_arena_copy(arena, path, slash == path ? 1 : (size_t)(slash - path));
}

static gm_code *find_code(const gm_builder *in, const char *path) {
    for (uint32_t i = 0; i < in->codes.count; i++) {
        if (strcmp(in->codes.items[i]->path, path) == 0) {
            return in->codes.items[i];
        }
    }
    return NULL;
}

/* A file that is not there is remembered too. */
static gm_code *load(gm_builder *in, const char *path) {
    gm_code *code = find_code(in, path);
    if (code != NULL || in->codes.count == FILE_LIMIT) {
        return code;
    }
    code = GM_NEW(in->arena, gm_code);
    code->path = path;
    gm_file file;
    if (gm_file_read_most(in->arena, path, GM_FILE_MOST, &file) == NULL) {
        const gm_tree *tree = gm_parse(in->arena, path, file.bytes, file.size, NULL);
        code->tree = tree->diagnostics.count == 0 ? tree : NULL;
    }
    gm_vec_push(in->arena, &in->codes, code);
    return code;
}

static gm_code *module_in(gm_builder *in, const char *folder, const char *dotted) {
    gm_buffer path;
    gm_buffer_init(&path, in->arena);
    gm_buffer_printf(&path, "%s%s", folder, dotted[0] != '\0' ? "/" : "");
    for (const char *c = dotted; *c != '\0'; c++) {
        gm_buffer_add_char(&path, *c == '.' ? '/' : *c);
    }
    const char *base = gm_buffer_text(&path);
    gm_code *code = dotted[0] != '\0' ? load(in, join(in->arena, base, "", ".py")) : NULL;
    if (code == NULL || code->tree == NULL) {
        code = load(in, join(in->arena, base, "", "/__init__.py"));
    }
    return code != NULL && code->tree != NULL ? code : NULL;
}

gm_code *gm_source_module(gm_builder *in, const gm_code *from, const char *dotted, int level) {
    const char *folder = folder_of(in->arena, from->path);
    if (level > 0) {
        for (int i = 1; i < level; i++) {
            folder = folder_of(in->arena, folder);
        }
        return module_in(in, folder, dotted);
    }
    /* The folder that holds the package, or the file where it belongs to none. */
    for (int i = 0; i < DEPTH_LIMIT; i++) {
        gm_code *package = load(in, join(in->arena, folder, "", "/__init__.py"));
        if (package == NULL || package->tree == NULL || strcmp(folder, ".") == 0) {
            break;
        }
        folder = folder_of(in->arena, folder);
    }
    return module_in(in, folder, dotted);
}

static gm_place *new_place(gm_builder *in, const gm_code *code, const gm_place *outer, const gm_list *body, const gm_list *type_params) {
    gm_place *place = GM_NEW(in->arena, gm_place);
    *place = (gm_place){code, outer, body, code->tree, type_params};
    return place;
}

gm_place *gm_source_top(gm_builder *in, const gm_code *code) {
    return new_place(in, code, NULL, &code->tree->module->body, NULL);
}

gm_place *gm_source_inside(gm_builder *in, const gm_place *outer, const gm_node *definition) {
    if (definition->kind == GM_KIND_ClassDef) {
        const gm_ClassDef *class = gm_as_ClassDef(definition);
        return new_place(in, outer->code, outer, &class->body, &class->type_params);
    }
    const gm_FunctionDef *function = (const gm_FunctionDef *)(const void *)definition;
    return new_place(in, outer->code, outer, &function->body, &function->type_params);
}

typedef struct binding {
    const gm_node *node;   /* a definition or an import */
    const gm_alias *alias; /* of an import */
} binding;

static bool names_target(const gm_node *target, const char *name) {
    return target->kind == GM_KIND_Name && strcmp(gm_as_Name(target)->id->text, name) == 0;
}

static void look_at_import(const gm_node *node, const gm_list *aliases, const char *name, binding *found) {
    for (uint32_t i = 0; i < aliases->count; i++) {
        const gm_alias *alias = gm_as_alias(aliases->items[i]);
        const char *bound = alias->asname != NULL ? alias->asname->text : alias->name->text;
        size_t length = node->kind == GM_KIND_Import && alias->asname == NULL ? strcspn(bound, ".") : strlen(bound);
        if (strlen(name) == length && memcmp(bound, name, length) == 0) {
            *found = (binding){node, alias};
        }
    }
}

static void look_in(const gm_list *body, const char *name, binding *found, unsigned depth);

static void look_at(const gm_node *node, const char *name, binding *found, unsigned depth) {
    switch (node->kind) {
    case GM_KIND_ClassDef: *found = strcmp(gm_as_ClassDef(node)->name->text, name) == 0 ? (binding){node, NULL} : *found; return;
    case GM_KIND_FunctionDef:
    case GM_KIND_AsyncFunctionDef:
        *found = strcmp(((const gm_FunctionDef *)(const void *)node)->name->text, name) == 0 ? (binding){node, NULL} : *found;
        return;
    case GM_KIND_Assign:
        for (uint32_t i = 0; i < gm_as_Assign(node)->targets.count; i++) {
            *found = names_target(gm_as_Assign(node)->targets.items[i], name) ? (binding){node, NULL} : *found;
        }
        return;
    case GM_KIND_AnnAssign:
        *found = names_target(gm_as_AnnAssign(node)->target, name) && gm_as_AnnAssign(node)->value != NULL ? (binding){node, NULL} : *found;
        return;
    case GM_KIND_TypeAlias: *found = names_target(gm_as_TypeAlias(node)->name, name) ? (binding){node, NULL} : *found; return;
    case GM_KIND_Import: look_at_import(node, &gm_as_Import(node)->names, name, found); return;
    case GM_KIND_ImportFrom: look_at_import(node, &gm_as_ImportFrom(node)->names, name, found); return;
    case GM_KIND_If:
        look_in(&gm_as_If(node)->body, name, found, depth + 1);
        look_in(&gm_as_If(node)->orelse, name, found, depth + 1);
        return;
    case GM_KIND_Try:
        look_in(&gm_as_Try(node)->body, name, found, depth + 1);
        look_in(&gm_as_Try(node)->orelse, name, found, depth + 1);
        return;
    default: return;
    }
}

static void look_in(const gm_list *body, const char *name, binding *found, unsigned depth) {
    for (uint32_t i = 0; i < body->count && depth < DEPTH_LIMIT; i++) {
        look_at(body->items[i], name, found, depth);
    }
}

static gm_target resolve_in(gm_builder *in, const gm_place *place, const char *name);
static gm_target follow(gm_builder *in, const gm_place *place, const binding *found, const char *name);

static bool is_known(const gm_target *target) {
    return target->external != NULL || target->module != NULL || target->node != NULL;
}

/* Modules of two names that are the same. */
static const char *usual_name(gm_arena *arena, const char *dotted) {
    static const char *const pairs[][2] = {{"typing_extensions.", "typing."}, {"builtins.", ""}, {"attrs.", "attr."}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        size_t length = strlen(pairs[i][0]);
        if (strncmp(dotted, pairs[i][0], length) == 0) {
            return join(arena, pairs[i][1], "", dotted + length);
        }
    }
    return dotted;
}

static gm_target external(gm_builder *in, const char *dotted) {
    return (gm_target){.external = usual_name(in->arena, dotted)};
}

/* A name of a module: what it defines or imports, else one of its own modules. */
static gm_target member_of(gm_builder *in, const gm_code *module, const char *name) {
    gm_target target = resolve_in(in, gm_source_top(in, module), name);
    if (is_known(&target)) {
        return target;
    }
    const char *slash = strrchr(module->path, '/');
    bool package = strcmp(slash != NULL ? slash + 1 : module->path, "__init__.py") == 0;
    return (gm_target){.module = package ? gm_source_module(in, module, name, 1) : NULL};
}

static gm_target follow_import(gm_builder *in, const gm_place *place, const binding *found) {
    const char *module = found->alias->name->text;
    if (found->node->kind == GM_KIND_Import) {
        if (found->alias->asname == NULL) {
            module = gm_arena_copy(in->arena, module, strcspn(module, "."));
        }
        gm_code *code = gm_source_module(in, place->code, module, 0);
        return code != NULL ? (gm_target){.module = code} : external(in, module);
    }
    const gm_ImportFrom *import = gm_as_ImportFrom(found->node);
    const char *from = import->module != NULL ? import->module->text : "";
    gm_code *code = gm_source_module(in, place->code, from, import->level);
    if (code != NULL && code != place->code) {
        return member_of(in, code, module);
    }
    if (import->level > 0) {
        return (gm_target){
            .module = gm_source_module(in, place->code, from[0] != '\0' ? join(in->arena, from, ".", module) : module, import->level)};
    }
    return external(in, join(in->arena, from, ".", module));
}

static gm_target follow(gm_builder *in, const gm_place *place, const binding *found, const char *name) {
    if (found->alias != NULL) {
        return follow_import(in, place, found);
    }
    /* `Name = other.Name` is another name of the same thing. */
    if (found->node->kind == GM_KIND_Assign) {
        const gm_node *value = gm_as_Assign(found->node)->value;
        if ((value->kind == GM_KIND_Name && strcmp(gm_as_Name(value)->id->text, name) != 0) || value->kind == GM_KIND_Attribute) {
            gm_target target = gm_source_resolve(in, place, value);
            if (is_known(&target)) {
                return target;
            }
        }
    }
    return (gm_target){.node = found->node, .place = place};
}

static gm_target resolve_stars(gm_builder *in, const gm_place *place, const char *name) {
    for (uint32_t i = 0; i < place->body->count; i++) {
        const gm_node *node = place->body->items[i];
        if (node->kind != GM_KIND_ImportFrom || strcmp(gm_as_alias(gm_as_ImportFrom(node)->names.items[0])->name->text, "*") != 0) {
            continue;
        }
        const gm_ImportFrom *import = gm_as_ImportFrom(node);
        const char *from = import->module != NULL ? import->module->text : "";
        gm_code *code = gm_source_module(in, place->code, from, import->level);
        gm_target target = code != NULL && code != place->code ? resolve_in(in, gm_source_top(in, code), name) : (gm_target){0};
        if (is_known(&target)) {
            return target;
        }
        if (code == NULL && name[0] >= 'A' && name[0] <= 'Z' && (strcmp(from, "typing") == 0 || strcmp(from, "typing_extensions") == 0)) {
            return external(in, join(in->arena, "typing.", "", name));
        }
    }
    return (gm_target){0};
}

static gm_target resolve_in(gm_builder *in, const gm_place *place, const char *name) {
    gm_target target = {0};
    if (in->depth >= DEPTH_LIMIT) {
        return target;
    }
    in->depth++;
    binding found = {0};
    look_in(place->body, name, &found, 0);
    if (found.node != NULL) {
        target = follow(in, place, &found, name);
    } else {
        target = resolve_stars(in, place, name);
    }
    in->depth--;
    return target;
}

static gm_target resolve_name(gm_builder *in, const gm_place *place, const char *name) {
    static const char *const builtins[] = {"int",  "float", "str",       "bool",  "bytes", "object", "list",
                                           "dict", "set",   "frozenset", "tuple", "type",  NULL};
    for (const gm_place *at = place; at != NULL; at = at->outer) {
        gm_target target = resolve_in(in, at, name);
        if (is_known(&target)) {
            return target;
        }
    }
    return gm_text_in(name, builtins) ? (gm_target){.external = gm_arena_copy(in->arena, name, strlen(name))} : (gm_target){0};
}

gm_target gm_source_resolve(gm_builder *in, const gm_place *place, const gm_node *expression) {
    if (expression->kind == GM_KIND_Name) {
        return resolve_name(in, place, gm_as_Name(expression)->id->text);
    }
    if (expression->kind != GM_KIND_Attribute) {
        return (gm_target){0};
    }
    const char *name = gm_as_Attribute(expression)->attr->text;
    gm_target base = gm_source_resolve(in, place, gm_as_Attribute(expression)->value);
    if (base.external != NULL) {
        return external(in, join(in->arena, base.external, ".", name));
    }
    if (base.module != NULL) {
        return member_of(in, base.module, name);
    }
    if (base.node != NULL && base.node->kind == GM_KIND_ClassDef) {
        return resolve_in(in, gm_source_inside(in, base.place, base.node), name);
    }
    return (gm_target){0};
}

bool gm_source_is(gm_builder *in, const gm_place *place, const gm_node *expression, const char *const *names) {
    gm_target target = gm_source_resolve(in, place, expression);
    return target.external != NULL && gm_text_in(target.external, names);
}
