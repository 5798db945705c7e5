/* What names stand for: definitions of the file, of other files of the package, or something outside. */
#include <string.h>

#include "base/hash.h"
#include "base/work.h"
#include "driver/files.h"
#include "meaning/source_private.h"

enum { DEPTH_LIMIT = 32, FILE_LIMIT = 500, BIND_WORK = 8, LOOK_WORK = 64, LOAD_WORK = 64 };

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
    gm_work(in->arena, LOAD_WORK + in->codes.count * 2U);
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
        gm_work_add(in->arena, file.size);
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

static gm_source_place *new_place(gm_builder *in, const gm_code *code, const gm_source_place *outer, const gm_list *body,
                                  const gm_list *type_params) {
    gm_source_place *place = GM_NEW(in->arena, gm_source_place);
    *place = (gm_source_place){code, outer, body, code->tree, type_params};
    return place;
}

gm_source_place *gm_source_top(gm_builder *in, const gm_code *code) {
    return new_place(in, code, NULL, &code->tree->module->body, NULL);
}

gm_source_place *gm_source_inside(gm_builder *in, const gm_source_place *outer, const gm_node *definition) {
    if (definition->kind == GM_KIND_ClassDef) {
        const gm_ClassDef *class = gm_as_ClassDef(definition);
        return new_place(in, outer->code, outer, &class->body, &class->type_params);
    }
    const gm_FunctionDef *function = (const gm_FunctionDef *)(const void *)definition;
    return new_place(in, outer->code, outer, &function->body, &function->type_params);
}

/* Names that a body binds are kept in a table when the first of them is asked for: many names in many places take time in proportion. */

static uint64_t name_key(const gm_source_body *body, const char *name, size_t length) {
    return gm_hash_of(name, length).words[0] + gm_table_pointer(body);
}

/* The entry of a name in a body, or where it would be. */
static uint32_t find_bound(const gm_builder *in, const gm_source_body *body, const char *name, size_t length, uint64_t *key) {
    for (*key = name_key(body, name, length);; ++*key) {
        uint32_t at = gm_table_find(&in->bound_by_name, *key);
        const gm_source_binding *bound = at == GM_TABLE_NONE ? NULL : &in->bound.items[at];
        if (bound == NULL || (bound->body == body && bound->length == length && memcmp(bound->name, name, length) == 0)) {
            return at;
        }
    }
}

/* The last one counts. */
static void bind(gm_builder *in, const gm_source_body *body, const char *name, size_t length, const gm_node *node, const gm_alias *alias) {
    uint64_t key;
    uint32_t at = find_bound(in, body, name, length, &key);
    const gm_source_binding bound = {body, name, length, node, alias};
    gm_work(in->arena, BIND_WORK + length / 8);
    if (at != GM_TABLE_NONE) {
        in->bound.items[at] = bound;
        return;
    }
    gm_table_put(&in->bound_by_name, in->arena, key, in->bound.count);
    gm_vec_push(in->arena, &in->bound, bound);
}

/* `Name = Name` leaves a name what it was. */
static bool keeps(const gm_node *target, const gm_node *node) {
    const gm_node *value = node->kind == GM_KIND_Assign ? gm_as_Assign(node)->value : NULL;
    return value != NULL && value->kind == GM_KIND_Name && strcmp(gm_as_Name(value)->id->text, gm_as_Name(target)->id->text) == 0;
}

static void bind_name(gm_builder *in, const gm_source_body *body, const gm_node *target, const gm_node *node) {
    if (target->kind == GM_KIND_Name && !keeps(target, node)) {
        const gm_name *name = gm_as_Name(target)->id;
        bind(in, body, name->text, name->length, node, NULL);
    }
}

static void bind_aliases(gm_builder *in, const gm_source_body *body, const gm_node *node, const gm_list *aliases) {
    for (uint32_t i = 0; i < aliases->count; i++) {
        const gm_alias *alias = gm_as_alias(aliases->items[i]);
        const char *name = alias->asname != NULL ? alias->asname->text : alias->name->text;
        size_t length = node->kind == GM_KIND_Import && alias->asname == NULL ? strcspn(name, ".") : strlen(name);
        bind(in, body, name, length, node, alias);
    }
}

static void bind_list(gm_builder *in, const gm_source_body *body, const gm_list *list, unsigned depth);

static void bind_statement(gm_builder *in, const gm_source_body *body, const gm_node *node, unsigned depth) {
    switch (node->kind) {
    case GM_KIND_ClassDef: bind(in, body, gm_as_ClassDef(node)->name->text, gm_as_ClassDef(node)->name->length, node, NULL); return;
    case GM_KIND_FunctionDef:
    case GM_KIND_AsyncFunctionDef: {
        const gm_name *name = ((const gm_FunctionDef *)(const void *)node)->name;
        bind(in, body, name->text, name->length, node, NULL);
        return;
    }
    case GM_KIND_Assign:
        for (uint32_t i = 0; i < gm_as_Assign(node)->targets.count; i++) {
            bind_name(in, body, gm_as_Assign(node)->targets.items[i], node);
        }
        return;
    case GM_KIND_AnnAssign:
        if (gm_as_AnnAssign(node)->value != NULL) {
            bind_name(in, body, gm_as_AnnAssign(node)->target, node);
        }
        return;
    case GM_KIND_TypeAlias: bind_name(in, body, gm_as_TypeAlias(node)->name, node); return;
    case GM_KIND_Import: bind_aliases(in, body, node, &gm_as_Import(node)->names); return;
    case GM_KIND_ImportFrom: bind_aliases(in, body, node, &gm_as_ImportFrom(node)->names); return;
    case GM_KIND_If:
        bind_list(in, body, &gm_as_If(node)->body, depth + 1);
        bind_list(in, body, &gm_as_If(node)->orelse, depth + 1);
        return;
    case GM_KIND_Try:
        bind_list(in, body, &gm_as_Try(node)->body, depth + 1);
        bind_list(in, body, &gm_as_Try(node)->orelse, depth + 1);
        return;
    default: return;
    }
}

static void bind_list(gm_builder *in, const gm_source_body *body, const gm_list *list, unsigned depth) {
    for (uint32_t i = 0; i < list->count && depth < DEPTH_LIMIT; i++) {
        bind_statement(in, body, list->items[i], depth);
    }
}

static bool is_star_import(const gm_node *node) {
    return node->kind == GM_KIND_ImportFrom && strcmp(gm_as_alias(gm_as_ImportFrom(node)->names.items[0])->name->text, "*") == 0;
}

static const gm_source_body *body_of(gm_builder *in, const gm_list *list) {
    uint32_t at = gm_table_find(&in->body_by_list, gm_table_pointer(list));
    if (at != GM_TABLE_NONE) {
        return in->bodies.items[at];
    }
    gm_source_body *body = GM_NEW(in->arena, gm_source_body);
    gm_table_put(&in->body_by_list, in->arena, gm_table_pointer(list), in->bodies.count);
    gm_vec_push(in->arena, &in->bodies, body);
    gm_work(in->arena, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        if (is_star_import(list->items[i])) {
            gm_vec_push(in->arena, &body->stars, list->items[i]);
        }
    }
    bind_list(in, body, list, 0);
    return body;
}

static gm_source_target resolve_in(gm_builder *in, const gm_source_place *place, const char *name);
static gm_source_target follow(gm_builder *in, const gm_source_place *place, const gm_source_binding *found);

static bool is_known(const gm_source_target *target) {
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

static gm_source_target external(gm_builder *in, const char *dotted) {
    return (gm_source_target){.external = usual_name(in->arena, dotted)};
}

/* A name of a module: what it defines or imports, else one of its own modules. */
static gm_source_target member_of(gm_builder *in, const gm_code *module, const char *name) {
    gm_source_target target = resolve_in(in, gm_source_top(in, module), name);
    if (is_known(&target)) {
        return target;
    }
    const char *slash = strrchr(module->path, '/');
    bool package = strcmp(slash != NULL ? slash + 1 : module->path, "__init__.py") == 0;
    return (gm_source_target){.module = package ? gm_source_module(in, module, name, 1) : NULL};
}

/* The file that `from x import y` names; looked for once. */
static gm_code *imported_module(gm_builder *in, const gm_code *from, const gm_ImportFrom *import) {
    uint32_t at = gm_table_find(&in->import_by_node, gm_table_pointer(import));
    if (at == GM_TABLE_NONE) {
        at = in->imports.count;
        gm_code *code = gm_source_module(in, from, import->module != NULL ? import->module->text : "", import->level);
        gm_table_put(&in->import_by_node, in->arena, gm_table_pointer(import), at);
        gm_vec_push(in->arena, &in->imports, code);
    }
    return in->imports.items[at];
}

static gm_source_target follow_import(gm_builder *in, const gm_source_place *place, const gm_source_binding *found) {
    const char *module = found->alias->name->text;
    if (found->node->kind == GM_KIND_Import) {
        if (found->alias->asname == NULL) {
            module = gm_arena_copy(in->arena, module, strcspn(module, "."));
        }
        gm_code *code = gm_source_module(in, place->code, module, 0);
        return code != NULL ? (gm_source_target){.module = code} : external(in, module);
    }
    const gm_ImportFrom *import = gm_as_ImportFrom(found->node);
    const char *from = import->module != NULL ? import->module->text : "";
    gm_code *code = imported_module(in, place->code, import);
    if (code != NULL && code != place->code) {
        return member_of(in, code, module);
    }
    if (import->level > 0) {
        return (gm_source_target){
            .module = gm_source_module(in, place->code, from[0] != '\0' ? join(in->arena, from, ".", module) : module, import->level)};
    }
    return external(in, join(in->arena, from, ".", module));
}

static gm_source_target follow(gm_builder *in, const gm_source_place *place, const gm_source_binding *found) {
    if (found->alias != NULL) {
        return follow_import(in, place, found);
    }
    /* `Name = other.Name` is another name of the same thing. */
    if (found->node->kind == GM_KIND_Assign) {
        gm_source_target target = gm_source_resolve(in, place, gm_as_Assign(found->node)->value);
        if (is_known(&target)) {
            return target;
        }
    }
    return (gm_source_target){.node = found->node, .place = place};
}

static gm_source_target resolve_stars(gm_builder *in, const gm_source_place *place, const gm_source_body *body, const char *name) {
    for (uint32_t i = 0; i < body->stars.count; i++) {
        gm_work(in->arena, LOOK_WORK);
        const gm_ImportFrom *import = gm_as_ImportFrom(body->stars.items[i]);
        const char *from = import->module != NULL ? import->module->text : "";
        gm_code *code = imported_module(in, place->code, import);
        gm_source_target target = code != NULL && code != place->code ? resolve_in(in, gm_source_top(in, code), name)
                                                                      : (gm_source_target){0};
        if (is_known(&target)) {
            return target;
        }
        if (code == NULL && name[0] >= 'A' && name[0] <= 'Z' && (strcmp(from, "typing") == 0 || strcmp(from, "typing_extensions") == 0)) {
            return external(in, join(in->arena, "typing.", "", name));
        }
    }
    return (gm_source_target){0};
}

static gm_source_target resolve_in(gm_builder *in, const gm_source_place *place, const char *name) {
    gm_source_target target = {0};
    if (in->depth >= DEPTH_LIMIT) {
        return target;
    }
    in->depth++;
    gm_work(in->arena, LOOK_WORK);
    const gm_source_body *body = body_of(in, place->body);
    uint64_t key;
    uint32_t at = find_bound(in, body, name, strlen(name), &key);
    if (at != GM_TABLE_NONE) {
        const gm_source_binding found = in->bound.items[at]; /* more may come while it is followed */
        target = follow(in, place, &found);
    } else {
        target = resolve_stars(in, place, body, name);
    }
    in->depth--;
    return target;
}

static gm_source_target resolve_name(gm_builder *in, const gm_source_place *place, const char *name) {
    static const char *const builtins[] = {"int",  "float", "str",       "bool",  "bytes", "object", "list",
                                           "dict", "set",   "frozenset", "tuple", "type",  NULL};
    for (const gm_source_place *at = place; at != NULL; at = at->outer) {
        gm_source_target target = resolve_in(in, at, name);
        if (is_known(&target)) {
            return target;
        }
    }
    return gm_text_in(name, builtins) ? (gm_source_target){.external = gm_arena_copy(in->arena, name, strlen(name))}
                                      : (gm_source_target){0};
}

gm_source_target gm_source_resolve(gm_builder *in, const gm_source_place *place, const gm_node *expression) {
    if (expression->kind == GM_KIND_Name) {
        return resolve_name(in, place, gm_as_Name(expression)->id->text);
    }
    if (expression->kind != GM_KIND_Attribute) {
        return (gm_source_target){0};
    }
    const char *name = gm_as_Attribute(expression)->attr->text;
    gm_source_target base = gm_source_resolve(in, place, gm_as_Attribute(expression)->value);
    if (base.external != NULL) {
        return external(in, join(in->arena, base.external, ".", name));
    }
    if (base.module != NULL) {
        return member_of(in, base.module, name);
    }
    if (base.node != NULL && base.node->kind == GM_KIND_ClassDef) {
        return resolve_in(in, gm_source_inside(in, base.place, base.node), name);
    }
    return (gm_source_target){0};
}

bool gm_source_is(gm_builder *in, const gm_source_place *place, const gm_node *expression, const char *const *names) {
    gm_source_target target = gm_source_resolve(in, place, expression);
    return target.external != NULL && gm_text_in(target.external, names);
}
