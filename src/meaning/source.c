#include "meaning/source.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/work.h"
#include "driver/check.h"
#include "meaning/source_private.h"

void gm_source_refuse(gm_builder *in, const gm_source_place *place, const gm_node *node, const char *format, ...) {
    if (in->problem.message != NULL) {
        return;
    }
    char words[300];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    in->problem.message = gm_arena_copy(in->arena, words, strlen(words));
    in->problem.path = place->code->path;
    bool quoted = place->text != place->code->tree;
    in->problem.line = quoted || node == NULL ? 0 : gm_source_position(place->code->tree->source, node->start).line;
}

static const gm_FunctionDef *as_function(const gm_node *node) {
    return (const gm_FunctionDef *)(const void *)node;
}

/* The last definition with a name in a body, branches included. */
static const gm_node *find_definition(const gm_list *body, const char *name, size_t length, unsigned depth) {
    enum { DEPTH_LIMIT = 50 };
    const gm_node *found = NULL;
    for (uint32_t i = 0; i < body->count && depth < DEPTH_LIMIT; i++) {
        const gm_node *node = body->items[i];
        const gm_node *inside = NULL;
        if (node->kind == GM_KIND_ClassDef || gm_is_def(node)) {
            const gm_name *own = node->kind == GM_KIND_ClassDef ? gm_as_ClassDef(node)->name : as_function(node)->name;
            inside = own->length == length && memcmp(own->text, name, length) == 0 ? node : NULL;
        } else if (node->kind == GM_KIND_If) {
            inside = find_definition(&gm_as_If(node)->orelse, name, length, depth + 1);
            inside = inside == NULL ? find_definition(&gm_as_If(node)->body, name, length, depth + 1) : inside;
        } else if (node->kind == GM_KIND_Try) {
            inside = find_definition(&gm_as_Try(node)->body, name, length, depth + 1);
        }
        found = inside != NULL ? inside : found;
    }
    return found;
}

/* The definition with a qualified name and the place where it stands. */
static gm_source_target find_target(gm_builder *in, const gm_source_place *top, const char *name) {
    static const char locals[] = "<locals>.";
    gm_source_target target = {0};
    const gm_source_place *place = top;
    while (*name != '\0') {
        if (strncmp(name, locals, sizeof locals - 1) == 0) {
            name += sizeof locals - 1;
        }
        size_t length = strcspn(name, ".");
        gm_work(in->arena, place->body->count);
        const gm_node *node = find_definition(place->body, name, length, 0);
        if (node == NULL) {
            return (gm_source_target){0};
        }
        target = (gm_source_target){.node = node, .place = place};
        place = gm_source_inside(in, place, node);
        name += length + (name[length] == '.');
    }
    return target;
}

static const gm_node *default_of(const gm_arguments *arguments, uint32_t number) {
    uint32_t positional = arguments->posonlyargs.count + arguments->args.count;
    if (number >= positional) {
        return arguments->kw_defaults.items[number - positional];
    }
    return number + arguments->defaults.count >= positional ? arguments->defaults.items[number + arguments->defaults.count - positional]
                                                            : NULL;
}

/* The type of a parameter only tells the reader of a meaning; one that is not known is `any`. */
static uint32_t parameter_type(gm_builder *in, const gm_source_place *place, const gm_node *annotation) {
    uint32_t types = in->meaning->types.count;
    uint32_t nominal = in->nominal.count;
    if (annotation != NULL) {
        uint32_t type = gm_source_type(in, place, annotation);
        if (in->problem.message == NULL) {
            return type;
        }
        in->problem = (gm_source_problem){NULL, NULL, 0};
        in->meaning->types.count = types;
        in->nominal.count = nominal;
    }
    return gm_source_structure(in, GM_MEANING_any, NULL);
}

static gm_meaning_parameter read_parameter(gm_builder *in, const gm_source_place *place, const gm_arguments *arguments,
                                           const gm_arg *parameter, uint32_t number) {
    const gm_node *value = default_of(arguments, number);
    const gm_tree *tree = place->code->tree;
    gm_meaning_parameter made = {
        .name = {parameter->arg->text, parameter->arg->length},
        .type = parameter_type(in, place, parameter->annotation),
        .note = gm_source_parameter_note(in->arena, tree, value != NULL ? value->end : parameter->base.end),
    };
    if (value != NULL) {
        made.value = gm_source_default(in, place, value);
    }
    return made;
}

static gm_source_place place_inside(const gm_source_target *target) {
    const gm_FunctionDef *function = as_function(target->node);
    gm_source_place here = *target->place;
    here.type_params = function->type_params.count > 0 ? &function->type_params : here.type_params;
    return here;
}

/* Name, docstring and parameters. */
static void read_signature(gm_builder *in, const gm_source_target *target, gm_meaning_function *made) {
    const gm_FunctionDef *function = as_function(target->node);
    const gm_arguments *arguments = gm_as_arguments(function->args);
    const gm_source_place here = place_inside(target);
    made->is_async = target->node->kind == GM_KIND_AsyncFunctionDef;
    made->name = (gm_text){function->name->text, function->name->length};
    made->doc = gm_source_docstring(in->arena, target->place->code->tree, &function->body);
    const gm_list *lists[] = {&arguments->posonlyargs, &arguments->args, &arguments->kwonlyargs};
    bool method = target->place->outer != NULL;
    uint32_t number = 0;
    for (size_t l = 0; l < 3 && in->problem.message == NULL; l++) {
        for (uint32_t i = 0; i < lists[l]->count; i++, number++) {
            const gm_arg *parameter = gm_as_arg(lists[l]->items[i]);
            bool self = method && number == 0 && (gm_name_is(parameter->arg, "self") || gm_name_is(parameter->arg, "cls"));
            if (!self) {
                gm_vec_push(in->arena, &made->parameters, read_parameter(in, &here, arguments, parameter, number));
            }
        }
    }
}

static void add_tools(gm_builder *in, const gm_source_place *place, const gm_list *tools) {
    for (uint32_t i = 0; i < tools->count && in->problem.message == NULL; i++) {
        gm_source_target tool = gm_source_resolve(in, place, tools->items[i]);
        if (tool.node == NULL || (tool.node->kind != GM_KIND_FunctionDef && tool.node->kind != GM_KIND_AsyncFunctionDef)) {
            gm_source_refuse(in, place, tools->items[i], "a tool whose definition is not known");
            return;
        }
        gm_meaning_function made = {0};
        read_signature(in, &tool, &made);
        gm_vec_push(in->arena, &in->meaning->tools, made);
    }
}

static bool is_by(gm_builder *in, const gm_source_place *place, const gm_node *callee) {
    static const char *const names[] = {"graphmend.meaning.by", NULL};
    return (callee->kind == GM_KIND_Name && gm_name_is(gm_as_Name(callee)->id, "by")) || gm_source_is(in, place, callee, names);
}

/* `@by(model, tools=[search])` */
static void find_tools(gm_builder *in, const gm_source_target *target) {
    const gm_list *decorators = &as_function(target->node)->decorator_list;
    for (uint32_t i = 0; i < decorators->count; i++) {
        const gm_node *node = decorators->items[i];
        if (node->kind != GM_KIND_Call || !is_by(in, target->place, gm_as_Call(node)->func)) {
            continue;
        }
        const gm_list *keywords = &gm_as_Call(node)->keywords;
        for (uint32_t k = 0; k < keywords->count; k++) {
            const gm_keyword *keyword = gm_as_keyword(keywords->items[k]);
            const gm_node *value = keyword->value;
            if (keyword->arg != NULL && gm_name_is(keyword->arg, "tools") &&
                (value->kind == GM_KIND_List || value->kind == GM_KIND_Tuple)) {
                add_tools(in, target->place, value->kind == GM_KIND_List ? &gm_as_List(value)->elts : &gm_as_Tuple(value)->elts);
            }
        }
    }
}

static void add_function(gm_builder *in, const gm_source_target *target) {
    const gm_FunctionDef *function = as_function(target->node);
    gm_meaning *meaning = in->meaning;
    meaning->is_function = true;
    if (function->returns == NULL) {
        gm_source_refuse(in, target->place, target->node, "`%s` says nothing about what it returns", function->name->text);
        return;
    }
    const gm_source_place here = place_inside(target);
    meaning->root = gm_source_type(in, &here, function->returns);
    read_signature(in, target, &meaning->function);
    find_tools(in, target);
}

typedef struct meaning_of {
    gm_builder in;
    const char *path;
    const char *bytes;
    size_t size;
    const char *name;
} meaning_of;

static void read_meaning(void *context) {
    meaning_of *state = context;
    gm_builder *in = &state->in;
    gm_code *code = GM_NEW(in->arena, gm_code);
    *code = (gm_code){.path = state->path, .tree = gm_parse(in->arena, state->path, state->bytes, state->size, NULL)};
    if (code->tree->diagnostics.count > 0) {
        const gm_diagnostic *first = &code->tree->diagnostics.items[0];
        in->problem = (gm_source_problem){first->message, state->path, gm_source_position(code->tree->source, first->start).line};
        return;
    }
    gm_vec_push(in->arena, &in->codes, code);
    gm_source_target target = find_target(in, gm_source_top(in, code), state->name);
    if (target.node == NULL) {
        in->problem = (gm_source_problem){"there is no function or class with this name", state->path, 0};
    } else if (target.node->kind == GM_KIND_ClassDef) {
        in->meaning->root = gm_source_class(in, &target, NULL);
    } else {
        add_function(in, &target);
    }
}

gm_source_problem gm_source_meaning(gm_arena *arena, const char *path, const char *bytes, size_t size, const char *name,
                                    gm_meaning *meaning) {
    meaning_of state = {.in = {.arena = arena, .meaning = meaning}, .path = path, .bytes = bytes, .size = size, .name = name};
    *meaning = (gm_meaning){0};
    if (!gm_work_within(arena, size, read_meaning, &state)) {
        return (gm_source_problem){GM_TOO_LARGE_WORDS ": " GM_TOO_LARGE_WORK, path, 0};
    }
    return state.in.problem;
}
