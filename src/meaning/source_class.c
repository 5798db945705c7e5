/* Classes: records with their fields, and which classes are enumerations. */
#include <string.h>

#include "base/hash.h"
#include "base/work.h"
#include "meaning/numbers.h"
#include "meaning/source_private.h"

typedef enum record_kind { NOT_A_RECORD, DATACLASS, TYPED_DICT, NAMED_TUPLE, ATTRS, PYDANTIC } record_kind;

static const char *const kind_names[] = {"", "dataclass", "typeddict", "namedtuple", "attrs", "pydantic"};

static const char *const typed_dict_names[] = {"typing.TypedDict", NULL};
static const char *const named_tuple_names[] = {"typing.NamedTuple", NULL};
static const char *const pydantic_names[] = {"pydantic.BaseModel", "pydantic.main.BaseModel", NULL};
static const char *const dataclass_names[] = {"dataclasses.dataclass", "pydantic.dataclasses.dataclass", NULL};
static const char *const attrs_names[] = {"attr.define", "attr.frozen", "attr.mutable", "attr.s", "attr.attrs", "attr.dataclass", NULL};
static const char *const enum_names[] = {"enum.Enum", "enum.IntEnum", "enum.StrEnum", NULL};
static const char *const flag_names[] = {"enum.Flag", "enum.IntFlag", NULL};
static const char *const class_var_names[] = {"typing.ClassVar", NULL};
static const char *const kw_only_names[] = {"dataclasses.KW_ONLY", NULL};
static const char *const field_names[] = {"dataclasses.field",     "attr.field", "attr.ib", "attr.attrib", "pydantic.Field",
                                          "pydantic.fields.Field", NULL};
static const char *const annotated_names[] = {"typing.Annotated", NULL};
static const char *const required_names[] = {"typing.Required", NULL};
static const char *const not_required_names[] = {"typing.NotRequired", NULL};

enum { FIELD_WORK = 32, BASE_LIMIT = 20, BASES_LIMIT = 10000 /* that are looked at for one meaning */ };

/* Whether there is a next base to look at. A program that names bases without end is refused. */
static bool go_on(gm_builder *in, const gm_source_target *class, uint32_t at, uint32_t count, unsigned depth) {
    if (at >= count) {
        return false;
    }
    if (depth >= BASE_LIMIT || in->bases == BASES_LIMIT) {
        const char *why = depth >= BASE_LIMIT ? "base classes that nest too deep" : "too many base classes";
        gm_source_refuse(in, class->place, class->node, "%s", why);
        return false;
    }
    in->bases++;
    return true;
}

static const gm_node *without_brackets(const gm_node *node) {
    return node->kind == GM_KIND_Subscript ? gm_as_Subscript(node)->value : node;
}

static const gm_node *without_call(const gm_node *node) {
    return node->kind == GM_KIND_Call ? gm_as_Call(node)->func : node;
}

static bool is_class(const gm_source_target *target) {
    return target->node != NULL && target->node->kind == GM_KIND_ClassDef;
}

static record_kind decorated_kind(gm_builder *in, const gm_source_target *class) {
    const gm_ClassDef *definition = gm_as_ClassDef(class->node);
    for (uint32_t i = 0; i < definition->decorator_list.count; i++) {
        const gm_node *decorator = without_call(definition->decorator_list.items[i]);
        if (gm_source_is(in, class->place, decorator, dataclass_names)) {
            return DATACLASS;
        }
        if (gm_source_is(in, class->place, decorator, attrs_names)) {
            return ATTRS;
        }
    }
    return NOT_A_RECORD;
}

static record_kind kind_of(gm_builder *in, const gm_source_target *class, unsigned depth) {
    const gm_ClassDef *definition = gm_as_ClassDef(class->node);
    record_kind decorated = decorated_kind(in, class);
    if (decorated != NOT_A_RECORD) {
        return decorated;
    }
    for (uint32_t i = 0; go_on(in, class, i, definition->bases.count, depth); i++) {
        const gm_node *base = without_brackets(definition->bases.items[i]);
        gm_source_target target = gm_source_resolve(in, class->place, base);
        const char *name = target.external != NULL ? target.external : "";
        record_kind kind = gm_text_in(name, typed_dict_names)    ? TYPED_DICT
                           : gm_text_in(name, named_tuple_names) ? NAMED_TUPLE
                           : gm_text_in(name, pydantic_names)    ? PYDANTIC
                           : is_class(&target)                   ? kind_of(in, &target, depth + 1)
                                                                 : NOT_A_RECORD;
        if (kind != NOT_A_RECORD) {
            return kind;
        }
    }
    return NOT_A_RECORD;
}

bool gm_source_derives(gm_builder *in, const gm_source_target *class, const char *const *names, unsigned depth) {
    const gm_ClassDef *definition = gm_as_ClassDef(class->node);
    for (uint32_t i = 0; go_on(in, class, i, definition->bases.count, depth); i++) {
        gm_source_target target = gm_source_resolve(in, class->place, definition->bases.items[i]);
        if ((target.external != NULL && gm_text_in(target.external, names)) ||
            (is_class(&target) && gm_source_derives(in, &target, names, depth + 1))) {
            return true;
        }
    }
    return false;
}

bool gm_source_is_enumeration(gm_builder *in, const gm_source_target *target, bool *flag) {
    *flag = gm_source_derives(in, target, flag_names, 0);
    return *flag || gm_source_derives(in, target, enum_names, 0);
}

static const gm_node *keyword_of(const gm_list *keywords, const char *name) {
    for (uint32_t i = 0; i < keywords->count; i++) {
        if (gm_name_is(gm_as_keyword(keywords->items[i])->arg, name)) {
            return gm_as_keyword(keywords->items[i])->value;
        }
    }
    return NULL;
}

static bool is_constant(const gm_node *node, gm_literal literal) {
    return node != NULL && node->kind == GM_KIND_Constant && gm_as_Constant(node)->value.literal == literal;
}

/* Fields */

/* A field whose type is not asked yet: that of one which another class hides is none of the meaning. */
typedef struct asked_field {
    gm_meaning_field said;
    const gm_meaning_type *bounds; /* NULL: none */
    const gm_source_place *place;
    const gm_node *annotation;
    const gm_variable *variables;
    bool hidden;       /* the constructor does not take it */
    bool is_described; /* its value has a description */
    bool has_default;  /* the class has an attribute of its name */
    gm_text attribute; /* its value */
    uint32_t number;   /* how many were put before it */
} asked_field;

typedef struct field_list {
    GM_VEC(asked_field) all;
    uint32_t puts;
} field_list;

typedef struct record {
    record_kind kind;
    bool total;     /* of a TypedDict */
    bool inherited; /* the fields are those of a base class */
    uint32_t index;
    uint32_t first; /* the number of the first field of the base classes */
    field_list *fields;
} record;

static gm_text factory_text(gm_builder *in, const gm_source_place *place, const gm_node *factory) {
    static const char *const pairs[][2] = {{"list", "[]"}, {"dict", "{}"}, {"set", "set()"}};
    gm_source_target target = gm_source_resolve(in, place, factory);
    for (size_t i = 0; target.external != NULL && i < 3; i++) {
        if (strcmp(target.external, pairs[i][0]) == 0) {
            return (gm_text){pairs[i][1], (uint32_t)strlen(pairs[i][1])};
        }
    }
    return (gm_text){NULL, 0};
}

/* `field(...)`, `Field(...)`: default, other keys, bounds, description. False when the field is none of the constructor's. */
static bool read_field_call(gm_builder *in, const gm_source_place *place, const gm_node *call, asked_field *made, gm_buffer *note) {
    gm_meaning_field *field = &made->said;
    const gm_list *keywords = &gm_as_Call(call)->keywords;
    const gm_node *value = keyword_of(keywords, "default");
    const gm_node *factory = keyword_of(keywords, "default_factory");
    factory = factory == NULL ? keyword_of(keywords, "factory") : factory;
    if (value == NULL && gm_as_Call(call)->args.count > 0) {
        value = gm_as_Call(call)->args.items[0];
    }
    field->required = factory == NULL && (value == NULL || is_constant(value, GM_LITERAL_Ellipsis));
    if (factory != NULL) {
        field->value = factory_text(in, place, factory);
    } else if (!field->required) {
        field->value = gm_source_default(in, place, value);
        made->has_default = true;
    }
    const gm_node *alias = keyword_of(keywords, "validation_alias");
    alias = alias == NULL ? keyword_of(keywords, "alias") : alias;
    gm_text key = gm_source_words_of(in, place, alias);
    if (key.bytes != NULL) {
        gm_vec_push(in->arena, &field->aliases, key);
    }
    gm_meaning_type bounds = {0};
    gm_source_take_metadata(in, place, call, &bounds, note);
    made->is_described = note->length > 0;
    if (bounds.bounds.count > 0) {
        gm_meaning_type *kept = GM_NEW(in->arena, gm_meaning_type);
        *kept = bounds;
        made->bounds = kept;
    }
    return !is_constant(keyword_of(keywords, "init"), GM_LITERAL_False);
}

bool gm_source_is_field(gm_builder *in, const gm_source_place *place, const gm_node *node) {
    return node != NULL && node->kind == GM_KIND_Call && gm_source_is(in, place, gm_as_Call(node)->func, field_names);
}

uint64_t gm_source_name_key(uint32_t index, gm_text name) {
    return gm_hash_of(name.bytes, name.length).words[0] + index;
}

/* A field takes the place of one with its name in a base class. One of a dataclass without a default takes that of the class. */
static void put_field(gm_builder *in, const record *to, asked_field *made, bool plain) {
    uint64_t key = gm_source_name_key(to->index, made->said.name);
    uint32_t at = gm_table_find(&in->fields, key);
    gm_work(in->arena, FIELD_WORK);
    made->attribute = made->said.value;
    made->number = to->fields->puts++;
    if (at >= to->fields->all.count || !gm_text_equal(to->fields->all.items[at].said.name, made->said.name)) {
        gm_table_put(&in->fields, in->arena, key, to->fields->all.count);
        gm_vec_push(in->arena, &to->fields->all, *made);
        return;
    }
    asked_field *old = &to->fields->all.items[at];
    made->said.note = made->said.note.bytes != NULL ? made->said.note : old->said.note;
    if (!made->has_default && old->has_default) {
        made->has_default = true;
        made->attribute = old->attribute;
        if (plain && to->kind == DATACLASS && old->number >= to->first) {
            made->said.required = false;
            made->said.value = old->attribute;
        }
    }
    *old = *made;
}

static bool is_skipped(gm_builder *in, const gm_source_place *place, const gm_node *annotation, const gm_name *name, record_kind kind) {
    const gm_node *head = without_brackets(annotation);
    return (kind != DATACLASS && gm_source_is(in, place, head, class_var_names)) || gm_source_is(in, place, head, kw_only_names) ||
           (kind == PYDANTIC && (name->text[0] == '_' || strcmp(name->text, "model_config") == 0));
}

static bool presence(gm_builder *in, const gm_source_place *place, const gm_node *annotation, bool total) {
    const gm_node *head = without_brackets(annotation);
    return gm_source_is(in, place, head, required_names) || (total && !gm_source_is(in, place, head, not_required_names));
}

static void add_field(gm_builder *in, const gm_source_place *place, const record *to, uint32_t index) {
    const gm_AnnAssign *statement = gm_as_AnnAssign(place->body->items[index]);
    if (statement->target->kind != GM_KIND_Name) {
        return;
    }
    const gm_name *name = gm_as_Name(statement->target)->id;
    if (is_skipped(in, place, statement->annotation, name, to->kind)) {
        return;
    }
    gm_buffer note;
    gm_buffer_init(&note, in->arena);
    asked_field made = {.place = place, .annotation = statement->annotation, .variables = in->variables};
    made.said = (gm_meaning_field){.name = {name->text, name->length}, .required = statement->value == NULL};
    /* One of the class hides a field of a base class. */
    made.hidden = to->kind == DATACLASS && gm_source_is(in, place, without_brackets(statement->annotation), class_var_names);
    if (to->kind == TYPED_DICT) {
        made.said.required = presence(in, place, statement->annotation, to->total);
    } else if (gm_source_is_field(in, place, statement->value)) {
        made.hidden = !read_field_call(in, place, statement->value, &made, &note) || made.hidden;
    } else if (statement->value != NULL) {
        made.said.value = gm_source_default(in, place, statement->value);
        made.has_default = true;
    }
    gm_text written = gm_source_field_note(in->arena, place->code->tree, place->body, index);
    bool foreign = to->inherited && to->kind == TYPED_DICT; /* which has forgotten its bases at run time */
    if (written.bytes != NULL && !foreign) {
        gm_buffer_add_text(&note, note.length > 0 ? " " : "");
        gm_buffer_add(&note, written.bytes, written.length);
    }
    if (note.length > 0) {
        gm_buffer_text(&note);
        made.said.note = (gm_text){note.bytes, (uint32_t)note.length};
    }
    put_field(in, to, &made, statement->value == NULL);
}

static void add_fields(gm_builder *in, const gm_source_target *class, const record *to, unsigned depth);

/* Fields of base classes come first; of several bases those of the last one. */
static void add_inherited(gm_builder *in, const gm_source_target *class, const record *to, unsigned depth) {
    const gm_list *bases = &gm_as_ClassDef(class->node)->bases;
    for (uint32_t i = bases->count; go_on(in, class, bases->count - i, bases->count, depth); i--) {
        uint32_t at = to->kind == TYPED_DICT ? bases->count - i : i - 1;
        const gm_node *base = bases->items[at];
        gm_source_target target = gm_source_resolve(in, class->place, without_brackets(base));
        if (!is_class(&target)) {
            continue;
        }
        const gm_variable *before = in->variables;
        if (base->kind == GM_KIND_Subscript) {
            gm_source_bind(in, &target, class->place, gm_as_Subscript(base)->slice);
        }
        add_fields(in, &target, to, depth + 1);
        in->variables = before;
    }
}

static void add_fields(gm_builder *in, const gm_source_target *class, const record *to, unsigned depth) {
    if (in->problem.message != NULL) {
        return;
    }
    record here = *to;
    here.first = to->fields->puts;
    add_inherited(in, class, to, depth);
    here.inherited = depth > 0;
    here.total = !is_constant(keyword_of(&gm_as_ClassDef(class->node)->keywords, "total"), GM_LITERAL_False);
    if ((to->kind == DATACLASS || to->kind == ATTRS) && decorated_kind(in, class) != to->kind) {
        return; /* annotations of a class without the decorator are no fields */
    }
    const gm_source_place *inside = gm_source_inside(in, class->place, class->node);
    for (uint32_t i = 0; i < inside->body->count; i++) {
        if (inside->body->items[i]->kind == GM_KIND_AnnAssign) {
            add_field(in, inside, &here, i);
        }
    }
}

static bool is_annotated(gm_builder *in, const gm_source_place *place, const gm_node *annotation) {
    gm_source_target target = gm_source_resolve(in, place, annotation);
    if (target.node != NULL && target.node->kind == GM_KIND_Assign) {
        annotation = gm_as_Assign(target.node)->value;
        place = target.place;
    }
    return annotation->kind == GM_KIND_Subscript && gm_source_is(in, place, gm_as_Subscript(annotation)->value, annotated_names);
}

/* The type of a field. To pydantic, a description in the field's own annotation is the field's, and one behind `=` counts more. */
static uint32_t field_type(gm_builder *in, const record *to, asked_field *made) {
    if (to->kind != PYDANTIC || !is_annotated(in, made->place, made->annotation)) {
        return gm_source_type(in, made->place, made->annotation);
    }
    gm_text described = {NULL, 0};
    in->described = &described;
    uint32_t type = gm_source_type(in, made->place, made->annotation);
    in->described = NULL;
    if (described.length > 0 && !made->is_described) {
        gm_buffer note;
        gm_buffer_init(&note, in->arena);
        gm_buffer_add(&note, described.bytes, described.length);
        gm_buffer_add_text(&note, made->said.note.length > 0 ? " " : "");
        gm_buffer_add(&note, made->said.note.bytes, made->said.note.length);
        gm_buffer_text(&note);
        made->said.note = (gm_text){note.bytes, (uint32_t)note.length};
    }
    return type;
}

/* The types of the fields that are left, in their order: as at run time, where types of hidden fields are not seen. */
static void add_types(gm_builder *in, const record *to) {
    const gm_variable *variables = in->variables;
    for (uint32_t i = 0; i < to->fields->all.count && in->problem.message == NULL; i++) {
        asked_field *made = &to->fields->all.items[i];
        if (made->hidden) {
            continue;
        }
        in->variables = made->variables;
        uint32_t before = in->meaning->types.count;
        uint32_t type = field_type(in, to, made);
        if (in->problem.message == NULL) {
            made->said.type = made->bounds != NULL ? gm_source_annotated(in, type, before, made->bounds) : type;
            gm_vec_push(in->arena, &in->meaning->types.items[to->index].fields, made->said);
        }
    }
    in->variables = variables;
}

static void add_record(gm_builder *in, const gm_source_target *class, record_kind kind, uint32_t index) {
    gm_meaning_type *type = &in->meaning->types.items[index];
    type->form = GM_MEANING_record;
    type->kind = (gm_text){kind_names[kind], (uint32_t)strlen(kind_names[kind])};
    type->doc = gm_source_docstring(in->arena, class->place->code->tree, &gm_as_ClassDef(class->node)->body);
    field_list fields = {0};
    const record to = {.kind = kind, .total = true, .index = index, .fields = &fields};
    add_fields(in, class, &to, 0);
    add_types(in, &to);
}

uint32_t gm_source_class(gm_builder *in, const gm_source_target *target, const char *words) {
    const gm_ClassDef *definition = gm_as_ClassDef(target->node);
    const char *name = words != NULL ? words : definition->name->text;
    uint32_t index = gm_source_find(in, target->node, name);
    if (index != GM_NO_TYPE) {
        return index;
    }
    bool flag = false;
    if (gm_source_is_enumeration(in, target, &flag)) {
        index = gm_source_reserve(in, target->node, name);
        in->meaning->types.items[index].form = flag ? GM_MEANING_flag : GM_MEANING_enum;
        gm_source_enumeration(in, target, index);
        return index;
    }
    record_kind kind = kind_of(in, target, 0);
    if (kind == NOT_A_RECORD) {
        gm_source_refuse(in, target->place, target->node, "`%s` cannot be read from text: it has no declared fields",
                         definition->name->text);
        return 0;
    }
    index = gm_source_reserve(in, target->node, name);
    const gm_variable *before = in->variables;
    in->variables = words != NULL ? before : NULL;
    add_record(in, target, kind, index);
    in->variables = before;
    return index;
}
