/* Annotations as types. */
#include <string.h>

#include "base/work.h"
#include "meaning/source_private.h"

enum { TYPE_WORK = 16 };

typedef struct named_form {
    const char *name;
    gm_form form;
    uint32_t arity; /* of the arguments in brackets; without them they are `any` */
} named_form;

static const named_form forms[] = {
    {"object", GM_MEANING_any, 0},
    {"typing.Any", GM_MEANING_any, 0},
    {"bool", GM_MEANING_bool, 0},
    {"int", GM_MEANING_int, 0},
    {"float", GM_MEANING_float, 0},
    {"str", GM_MEANING_str, 0},
    {"bytes", GM_MEANING_bytes, 0},
    {"types.NoneType", GM_MEANING_none, 0},
    {"decimal.Decimal", GM_MEANING_decimal, 0},
    {"datetime.datetime", GM_MEANING_datetime, 0},
    {"datetime.date", GM_MEANING_date, 0},
    {"datetime.time", GM_MEANING_time, 0},
    {"datetime.timedelta", GM_MEANING_timedelta, 0},
    {"uuid.UUID", GM_MEANING_uuid, 0},
    {"pathlib.Path", GM_MEANING_path, 0},
    {"pathlib.PurePath", GM_MEANING_path, 0},
    {"pathlib.PosixPath", GM_MEANING_path, 0},
    {"pathlib.PurePosixPath", GM_MEANING_path, 0},
    {"list", GM_MEANING_list, 1},
    {"typing.List", GM_MEANING_list, 1},
    {"typing.Sequence", GM_MEANING_list, 1},
    {"typing.MutableSequence", GM_MEANING_list, 1},
    {"typing.Iterable", GM_MEANING_list, 1},
    {"typing.Collection", GM_MEANING_list, 1},
    {"collections.abc.Sequence", GM_MEANING_list, 1},
    {"collections.abc.MutableSequence", GM_MEANING_list, 1},
    {"collections.abc.Iterable", GM_MEANING_list, 1},
    {"collections.abc.Collection", GM_MEANING_list, 1},
    {"set", GM_MEANING_set, 1},
    {"typing.Set", GM_MEANING_set, 1},
    {"typing.AbstractSet", GM_MEANING_set, 1},
    {"typing.MutableSet", GM_MEANING_set, 1},
    {"collections.abc.Set", GM_MEANING_set, 1},
    {"collections.abc.MutableSet", GM_MEANING_set, 1},
    {"frozenset", GM_MEANING_frozenset, 1},
    {"typing.FrozenSet", GM_MEANING_frozenset, 1},
    {"dict", GM_MEANING_dict, 2},
    {"typing.Dict", GM_MEANING_dict, 2},
    {"typing.Mapping", GM_MEANING_dict, 2},
    {"typing.MutableMapping", GM_MEANING_dict, 2},
    {"collections.abc.Mapping", GM_MEANING_dict, 2},
    {"collections.abc.MutableMapping", GM_MEANING_dict, 2},
};

static const char *const tuple_names[] = {"tuple", "typing.Tuple", NULL};
static const char *const literal_names[] = {"typing.Literal", NULL};
static const char *const annotated_names[] = {"typing.Annotated", NULL};
static const char *const transparent_names[] = {
    "typing.Required", "typing.NotRequired", "typing.ReadOnly", "typing.Final", "typing.ClassVar", "dataclasses.InitVar", NULL};
static const char *const variable_names[] = {"typing.TypeVar", NULL};
static const char *const new_type_names[] = {"typing.NewType", NULL};

static const named_form *find_form(const char *name) {
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (strcmp(forms[i].name, name) == 0) {
            return &forms[i];
        }
    }
    return NULL;
}

static uint32_t any_type(gm_builder *in) {
    return gm_source_structure(in, GM_MEANING_any, NULL);
}

static uint32_t unknown(gm_builder *in, const gm_source_place *place, const gm_node *node, const char *words) {
    gm_source_refuse(in, place, node, "%s", words);
    return 0;
}

static uint32_t literal_type(gm_builder *in, const gm_source_place *place, const gm_node *slice) {
    gm_meaning_type type = {.form = GM_MEANING_literal};
    const gm_list *arguments = gm_source_arguments(in, slice);
    for (uint32_t i = 0; i < arguments->count; i++) {
        gm_meaning_value value = {0};
        if (!gm_source_value(in, place, arguments->items[i], &value)) {
            return unknown(in, place, arguments->items[i], "a literal that is no constant");
        }
        gm_vec_push(in->arena, &type.values, value);
    }
    return gm_source_intern(in, &type);
}

static uint32_t annotated_type(gm_builder *in, const gm_source_place *place, const gm_node *slice) {
    const gm_list *arguments = gm_source_arguments(in, slice);
    gm_text *described = in->described;
    uint32_t before = in->meaning->types.count;
    in->described = NULL;
    uint32_t inner = gm_source_type(in, place, arguments->items[0]);
    const gm_meaning_type said = gm_source_metadata(in, place, arguments, described);
    return in->problem.message == NULL ? gm_source_annotated(in, inner, before, &said) : 0;
}

static bool is_ellipsis(const gm_node *node) {
    return node->kind == GM_KIND_Constant && gm_as_Constant(node)->value.literal == GM_LITERAL_Ellipsis;
}

static uint32_t tuple_type(gm_builder *in, const gm_source_place *place, const gm_node *slice) {
    gm_type_indexes items = {0};
    const gm_list *arguments = gm_source_arguments(in, slice);
    bool variadic = arguments->count == 2 && is_ellipsis(arguments->items[1]);
    for (uint32_t i = 0; i < arguments->count - variadic; i++) {
        gm_vec_push(in->arena, &items, gm_source_type(in, place, arguments->items[i]));
    }
    return gm_source_structure(in, variadic ? GM_MEANING_tuple_of : GM_MEANING_tuple, &items);
}

static uint32_t form_type(gm_builder *in, const gm_source_place *place, const named_form *form, const gm_node *slice) {
    gm_type_indexes items = {0};
    const gm_list *arguments = slice != NULL ? gm_source_arguments(in, slice) : NULL;
    if (arguments != NULL && arguments->count != form->arity) {
        return unknown(in, place, slice, "a type with too few or too many arguments");
    }
    for (uint32_t i = 0; i < form->arity; i++) {
        uint32_t item = arguments != NULL ? gm_source_type(in, place, arguments->items[i]) : any_type(in);
        gm_vec_push(in->arena, &items, item);
    }
    return gm_source_structure(in, form->form, &items);
}

static uint32_t external_type(gm_builder *in, const gm_source_place *place, const gm_node *node, const char *name, const gm_node *slice) {
    const named_form *form = find_form(name);
    if (form != NULL) {
        return form_type(in, place, form, slice);
    }
    if (gm_text_in(name, tuple_names)) {
        gm_type_indexes items = {0};
        if (slice != NULL) {
            return tuple_type(in, place, slice);
        }
        gm_vec_push(in->arena, &items, any_type(in));
        return gm_source_structure(in, GM_MEANING_tuple_of, &items);
    }
    if (slice != NULL && gm_text_in(name, literal_names)) {
        return literal_type(in, place, slice);
    }
    if (slice != NULL && gm_text_in(name, annotated_names)) {
        return annotated_type(in, place, slice);
    }
    if (slice != NULL && gm_text_in(name, transparent_names)) {
        return gm_source_type(in, place, slice);
    }
    gm_source_refuse(in, place, node, "`%s` cannot be read from text", name);
    return 0;
}

static const gm_node *call_argument(const gm_node *call, uint32_t index) {
    return index < gm_as_Call(call)->args.count ? gm_as_Call(call)->args.items[index] : NULL;
}

static const gm_node *keyword_value(const gm_node *call, const char *name) {
    const gm_list *keywords = &gm_as_Call(call)->keywords;
    for (uint32_t i = 0; i < keywords->count; i++) {
        const gm_keyword *keyword = gm_as_keyword(keywords->items[i]);
        if (gm_name_is(keyword->arg, name)) {
            return keyword->value;
        }
    }
    return NULL;
}

static uint32_t alias_type(gm_builder *in, const gm_source_place *place, const gm_node *definition, const char *name,
                           const gm_node *value) {
    uint32_t index = gm_source_find(in, definition, name);
    if (index != GM_NO_TYPE) {
        return index;
    }
    index = gm_source_reserve(in, definition, name);
    in->meaning->types.items[index].form = GM_MEANING_alias;
    uint32_t target = gm_source_type(in, place, value);
    gm_type_indexes items = {0};
    gm_vec_push(in->arena, &items, target);
    in->meaning->types.items[index].items = items;
    return index;
}

/* `T = TypeVar("T")`, `UserId = NewType("UserId", int)`, or a type under another name. */
static uint32_t assigned_type(gm_builder *in, const gm_source_target *target, const gm_node *value) {
    if (value->kind != GM_KIND_Call) {
        return gm_source_type(in, target->place, value);
    }
    if (gm_source_is(in, target->place, gm_as_Call(value)->func, variable_names)) {
        const gm_node *bound = keyword_value(value, "bound");
        return bound != NULL ? gm_source_type(in, target->place, bound) : any_type(in);
    }
    gm_text name = gm_source_string(in->arena, target->place->text, call_argument(value, 0));
    const gm_node *base = call_argument(value, 1);
    if (gm_source_is(in, target->place, gm_as_Call(value)->func, new_type_names) && name.bytes != NULL && base != NULL) {
        return alias_type(in, target->place, target->node, name.bytes, base);
    }
    return unknown(in, target->place, value, "a type that is made by a call");
}

static uint32_t definition_type(gm_builder *in, const gm_source_place *place, const gm_node *node, const gm_source_target *target,
                                const char *words) {
    switch (target->node->kind) {
    case GM_KIND_ClassDef: return gm_source_class(in, target, words);
    case GM_KIND_Assign: return assigned_type(in, target, gm_as_Assign(target->node)->value);
    case GM_KIND_AnnAssign: return assigned_type(in, target, gm_as_AnnAssign(target->node)->value);
    case GM_KIND_TypeAlias:
        return alias_type(in, target->place, target->node, gm_as_Name(gm_as_TypeAlias(target->node)->name)->id->text,
                          gm_as_TypeAlias(target->node)->value);
    default: return unknown(in, place, node, "a function is no type");
    }
}

static const gm_variable *find_variable(const gm_builder *in, const gm_node *node) {
    for (const gm_variable *variable = in->variables; variable != NULL && node->kind == GM_KIND_Name; variable = variable->next) {
        if (strcmp(variable->name, gm_as_Name(node)->id->text) == 0) {
            return variable;
        }
    }
    return NULL;
}

/* A type variable of PEP 695 that has no value: its bound, or anything. */
static uint32_t type_param(gm_builder *in, const gm_source_place *place, const gm_node *node) {
    for (const gm_source_place *at = place; at != NULL && node->kind == GM_KIND_Name; at = at->outer) {
        for (uint32_t i = 0; at->type_params != NULL && i < at->type_params->count; i++) {
            const gm_node *param = at->type_params->items[i];
            if (param->kind == GM_KIND_TypeVar && gm_as_TypeVar(param)->name == gm_as_Name(node)->id) {
                const gm_node *bound = gm_as_TypeVar(param)->bound;
                return bound != NULL ? gm_source_type(in, place, bound) : any_type(in);
            }
        }
    }
    return GM_NO_TYPE;
}

static const char *node_words(gm_builder *in, const gm_source_place *place, const gm_node *node) {
    const char *text = place->text->source->text;
    return gm_arena_copy(in->arena, text + node->start, node->end - node->start);
}

static uint32_t named_type(gm_builder *in, const gm_source_place *place, const gm_node *node) {
    const gm_variable *variable = find_variable(in, node);
    if (variable != NULL) {
        const gm_variable *before = in->variables;
        in->variables = variable->scope;
        uint32_t type = gm_source_type(in, variable->place, variable->node);
        in->variables = before;
        return type;
    }
    uint32_t param = type_param(in, place, node);
    if (param != GM_NO_TYPE) {
        return param;
    }
    gm_source_target target = gm_source_resolve(in, place, node);
    if (target.node != NULL) {
        return definition_type(in, place, node, &target, NULL);
    }
    if (target.external != NULL) {
        return external_type(in, place, node, target.external, NULL);
    }
    gm_source_refuse(in, place, node, "the type `%s` is not known", node_words(in, place, node));
    return 0;
}

/* The names of a class's type variables, in order. */
static void type_variables(gm_builder *in, const gm_source_target *class, const gm_node *const **names, uint32_t *count) {
    static const char *const generic[] = {"typing.Generic", "typing.Protocol", NULL};
    const gm_ClassDef *definition = gm_as_ClassDef(class->node);
    *names = (const gm_node *const *)definition->type_params.items;
    *count = definition->type_params.count;
    for (uint32_t i = 0; *count == 0 && i < definition->bases.count; i++) {
        const gm_node *base = definition->bases.items[i];
        if (base->kind == GM_KIND_Subscript && gm_source_is(in, class->place, gm_as_Subscript(base)->value, generic)) {
            const gm_list *arguments = gm_source_arguments(in, gm_as_Subscript(base)->slice);
            *names = (const gm_node *const *)arguments->items;
            *count = arguments->count;
        }
    }
}

static const char *variable_name(const gm_node *node) {
    return node->kind == GM_KIND_TypeVar ? gm_as_TypeVar(node)->name->text : node->kind == GM_KIND_Name ? gm_as_Name(node)->id->text : "";
}

bool gm_source_bind(gm_builder *in, const gm_source_target *class, const gm_source_place *place, const gm_node *slice) {
    const gm_node *const *names = NULL;
    uint32_t count = 0;
    type_variables(in, class, &names, &count);
    const gm_list *arguments = gm_source_arguments(in, slice);
    const gm_variable *scope = in->variables;
    const gm_variable *bound = NULL;
    for (uint32_t i = 0; i < count && i < arguments->count; i++) {
        gm_variable *variable = GM_NEW(in->arena, gm_variable);
        const char *words = gm_source_words(in, place, arguments->items[i]);
        *variable = (gm_variable){bound, variable_name(names[i]), place, arguments->items[i], scope, words};
        bound = variable;
    }
    in->variables = bound;
    return count == arguments->count;
}

static uint32_t generic_type(gm_builder *in, const gm_source_place *place, const gm_node *node, const gm_source_target *target) {
    const char *words = gm_source_words(in, place, node);
    const gm_variable *before = in->variables;
    bool bound = gm_source_bind(in, target, place, gm_as_Subscript(node)->slice);
    uint32_t index = bound ? gm_source_class(in, target, words) : unknown(in, place, node, "a class with too few or too many arguments");
    in->variables = before;
    return index;
}

static uint32_t subscript_type(gm_builder *in, const gm_source_place *place, const gm_node *node) {
    gm_source_target target = gm_source_resolve(in, place, gm_as_Subscript(node)->value);
    if (target.external != NULL) {
        if (gm_source_names_union(target.external)) {
            return gm_source_union(in, place, node);
        }
        return external_type(in, place, node, target.external, gm_as_Subscript(node)->slice);
    }
    if (target.node != NULL && target.node->kind == GM_KIND_ClassDef) {
        return generic_type(in, place, node, &target);
    }
    return unknown(in, place, node, "a type in brackets that is not known");
}

static uint32_t type_of(gm_builder *in, const gm_source_place *place, const gm_node *node) {
    gm_source_place inner;
    const gm_node *quoted = gm_source_quoted_type(in, place, node, &inner);
    if (quoted != NULL) {
        return gm_source_type(in, &inner, quoted);
    }
    switch (node->kind) {
    case GM_KIND_Constant:
        if (gm_as_Constant(node)->value.literal == GM_LITERAL_None) {
            return gm_source_structure(in, GM_MEANING_none, NULL);
        }
        break;
    case GM_KIND_Name:
    case GM_KIND_Attribute: return named_type(in, place, node);
    case GM_KIND_Subscript: return subscript_type(in, place, node);
    case GM_KIND_BinOp:
        if (gm_source_is_bar(node)) {
            return gm_source_union(in, place, node);
        }
        break;
    default: break;
    }
    return unknown(in, place, node, "an annotation that is no type");
}

uint32_t gm_source_type(gm_builder *in, const gm_source_place *place, const gm_node *annotation) {
    if (in->problem.message != NULL) {
        return 0;
    }
    if (in->depth >= GM_SOURCE_DEPTH) {
        return unknown(in, place, annotation, "types that nest too deep");
    }
    gm_work(in->arena, TYPE_WORK);
    in->depth++;
    uint32_t type = type_of(in, place, annotation);
    in->depth--;
    return type;
}

static void add_words(gm_builder *in, const gm_source_place *place, const gm_node *node, gm_buffer *out);

static void add_argument_words(gm_builder *in, const gm_source_place *place, const gm_node *slice, gm_buffer *out) {
    const gm_list *arguments = gm_source_arguments(in, slice);
    for (uint32_t i = 0; i < arguments->count; i++) {
        gm_buffer_add_text(out, i > 0 ? ", " : "");
        add_words(in, place, arguments->items[i], out);
    }
}

static void add_words(gm_builder *in, const gm_source_place *place, const gm_node *node, gm_buffer *out) {
    const gm_variable *variable = find_variable(in, node);
    gm_source_place inner;
    const gm_node *quoted = gm_source_quoted_type(in, place, node, &inner);
    if (variable != NULL) {
        gm_buffer_add_text(out, variable->words);
    } else if (quoted != NULL) {
        add_words(in, &inner, quoted, out);
    } else if (node->kind == GM_KIND_Name || node->kind == GM_KIND_Attribute) {
        gm_buffer_add_text(out, node->kind == GM_KIND_Name ? gm_as_Name(node)->id->text : gm_as_Attribute(node)->attr->text);
    } else if (node->kind == GM_KIND_Subscript) {
        add_words(in, place, gm_as_Subscript(node)->value, out);
        gm_buffer_add_char(out, '[');
        add_argument_words(in, place, gm_as_Subscript(node)->slice, out);
        gm_buffer_add_char(out, ']');
    } else if (node->kind == GM_KIND_BinOp) {
        add_words(in, place, gm_as_BinOp(node)->left, out);
        gm_buffer_add_text(out, " | ");
        add_words(in, place, gm_as_BinOp(node)->right, out);
    } else {
        gm_buffer_add_text(out, node_words(in, place, node));
    }
}

const char *gm_source_words(gm_builder *in, const gm_source_place *place, const gm_node *annotation) {
    gm_buffer out;
    gm_buffer_init(&out, in->arena);
    add_words(in, place, annotation, &out);
    return gm_buffer_text(&out);
}
