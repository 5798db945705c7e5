/* Classes: records with their fields, enumerations with their members. */
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
static const char *const required_names[] = {"typing.Required", NULL};
static const char *const not_required_names[] = {"typing.NotRequired", NULL};

enum { FIELD_WORK = 32, BASE_LIMIT = 20, BASES_LIMIT = 10000 /* that are looked at for one meaning */ };

/* Whether there is a next base to look at. A program that names bases without end is refused. */
static bool go_on(gm_builder *in, const gm_source_target *class, uint32_t at, uint32_t count, unsigned depth) {
    if (at >= count || depth >= BASE_LIMIT) {
        return false;
    }
    if (in->bases == BASES_LIMIT) {
        gm_source_refuse(in, class->place, class->node, "too many base classes");
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

static record_kind kind_of(gm_builder *in, const gm_source_target *class, unsigned depth) {
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

static bool derives_from(gm_builder *in, const gm_source_target *class, const char *const *names, unsigned depth) {
    const gm_ClassDef *definition = gm_as_ClassDef(class->node);
    for (uint32_t i = 0; go_on(in, class, i, definition->bases.count, depth); i++) {
        gm_source_target target = gm_source_resolve(in, class->place, definition->bases.items[i]);
        if ((target.external != NULL && gm_text_in(target.external, names)) ||
            (is_class(&target) && derives_from(in, &target, names, depth + 1))) {
            return true;
        }
    }
    return false;
}

bool gm_source_is_enumeration(gm_builder *in, const gm_source_target *target, bool *flag) {
    *flag = derives_from(in, target, flag_names, 0);
    return *flag || derives_from(in, target, enum_names, 0);
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

typedef struct record {
    record_kind kind;
    bool total;     /* of a TypedDict */
    bool inherited; /* the fields are those of a base class */
    uint32_t index;
} record;

static uint32_t bounded(gm_builder *in, uint32_t type, const gm_meaning_type *bounds) {
    if (bounds->bounds.count == 0) {
        return type;
    }
    gm_meaning_type made = *bounds;
    made.form = GM_MEANING_annotated;
    gm_vec_push(in->arena, &made.items, type);
    return gm_source_intern(in, &made);
}

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
static bool read_field_call(gm_builder *in, const gm_source_place *place, const gm_node *call, gm_meaning_field *field,
                            gm_meaning_type *bounds, gm_buffer *note) {
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
    }
    const gm_node *alias = keyword_of(keywords, "validation_alias");
    alias = alias == NULL ? keyword_of(keywords, "alias") : alias;
    gm_text key = alias != NULL ? gm_source_string(in->arena, place->text, alias) : (gm_text){NULL, 0};
    if (key.bytes != NULL) {
        gm_vec_push(in->arena, &field->aliases, key);
    }
    gm_source_take_metadata(in, place, call, bounds, note);
    return !is_constant(keyword_of(keywords, "init"), GM_LITERAL_False);
}

static bool is_field_call(gm_builder *in, const gm_source_place *place, const gm_node *node) {
    return node != NULL && node->kind == GM_KIND_Call && gm_source_is(in, place, gm_as_Call(node)->func, field_names);
}

static uint64_t name_key(uint32_t index, gm_text name) {
    return gm_hash_of(name.bytes, name.length).words[0] + index;
}

/* A field takes the place of one with its name in a base class. */
static void put_field(gm_builder *in, uint32_t index, const gm_meaning_field *field) {
    gm_meaning_type *type = &in->meaning->types.items[index];
    uint64_t key = name_key(index, field->name);
    uint32_t at = gm_table_find(&in->fields, key);
    gm_work(in->arena, FIELD_WORK);
    if (at >= type->fields.count || !gm_text_equal(type->fields.items[at].name, field->name)) {
        gm_table_put(&in->fields, in->arena, key, type->fields.count);
        gm_vec_push(in->arena, &type->fields, *field);
        return;
    }
    gm_meaning_field *old = &type->fields.items[at];
    gm_text note = field->note.bytes != NULL ? field->note : old->note;
    *old = *field;
    old->note = note;
}

static bool is_skipped(gm_builder *in, const gm_source_place *place, const gm_node *annotation, const gm_name *name, record_kind kind) {
    const gm_node *head = without_brackets(annotation);
    return gm_source_is(in, place, head, class_var_names) || gm_source_is(in, place, head, kw_only_names) ||
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
    gm_meaning_type bounds = {0};
    gm_meaning_field field = {.name = {name->text, name->length}, .required = statement->value == NULL};
    bool taken = true;
    if (to->kind == TYPED_DICT) {
        field.required = presence(in, place, statement->annotation, to->total);
    } else if (is_field_call(in, place, statement->value)) {
        taken = read_field_call(in, place, statement->value, &field, &bounds, &note);
    } else if (statement->value != NULL) {
        field.value = gm_source_default(in, place, statement->value);
    }
    if (!taken) {
        return;
    }
    field.type = bounded(in, gm_source_type(in, place, statement->annotation), &bounds);
    gm_text written = gm_source_field_note(in->arena, place->code->tree, place->body, index);
    bool foreign = to->inherited && to->kind == TYPED_DICT; /* which has forgotten its bases at run time */
    if (written.bytes != NULL && !foreign) {
        gm_buffer_add_text(&note, note.length > 0 ? " " : "");
        gm_buffer_add(&note, written.bytes, written.length);
    }
    if (note.length > 0) {
        gm_buffer_text(&note);
        field.note = (gm_text){note.bytes, (uint32_t)note.length};
    }
    put_field(in, to->index, &field);
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
    if (depth >= BASE_LIMIT || in->problem.message != NULL) {
        return;
    }
    add_inherited(in, class, to, depth);
    record here = *to;
    here.inherited = depth > 0;
    here.total = !is_constant(keyword_of(&gm_as_ClassDef(class->node)->keywords, "total"), GM_LITERAL_False);
    if (to->kind == DATACLASS && kind_of(in, class, 0) != DATACLASS) {
        return; /* annotations of a base that is no dataclass are no fields */
    }
    const gm_source_place *inside = gm_source_inside(in, class->place, class->node);
    for (uint32_t i = 0; i < inside->body->count; i++) {
        if (inside->body->items[i]->kind == GM_KIND_AnnAssign) {
            add_field(in, inside, &here, i);
        }
    }
}

static void add_record(gm_builder *in, const gm_source_target *class, record_kind kind, uint32_t index) {
    gm_meaning_type *type = &in->meaning->types.items[index];
    type->form = GM_MEANING_record;
    type->kind = (gm_text){kind_names[kind], (uint32_t)strlen(kind_names[kind])};
    type->doc = gm_source_docstring(in->arena, class->place->code->tree, &gm_as_ClassDef(class->node)->body);
    const record to = {.kind = kind, .total = true, .index = index};
    add_fields(in, class, &to, 0);
}

/* Members */

static uint64_t small_integer(gm_text text) {
    uint64_t value = 0;
    for (uint32_t i = 0; i < text.length; i++) {
        if (text.bytes[i] < '0' || text.bytes[i] > '9' || value > UINT32_MAX) {
            return UINT64_MAX;
        }
        value = value * 10 + (uint64_t)(text.bytes[i] - '0');
    }
    return value;
}

/* What `auto()` gives: one more than the largest value so far, or the next bit. */
static uint64_t next_value(const gm_meaning_type *type, bool flag) {
    uint64_t largest = 0;
    for (uint32_t i = 0; i < type->values.count; i++) {
        uint64_t value = type->values.items[i].kind == GM_VALUE_number ? small_integer(type->values.items[i].text) : 0;
        largest = value != UINT64_MAX && value > largest ? value : largest;
    }
    uint64_t bit = 1;
    while (flag && bit <= largest) {
        bit <<= 1;
    }
    return flag ? bit : largest + 1;
}

static gm_text number_text(gm_builder *in, uint64_t number) {
    gm_buffer out;
    gm_buffer_init(&out, in->arena);
    gm_buffer_add_unsigned(&out, number);
    gm_buffer_text(&out);
    return (gm_text){out.bytes, (uint32_t)out.length};
}

static void lower_name(gm_builder *in, const gm_name *name, gm_meaning_value *value) {
    char *bytes = gm_arena_copy(in->arena, name->text, name->length);
    for (uint32_t i = 0; i < name->length; i++) {
        bytes[i] = bytes[i] >= 'A' && bytes[i] <= 'Z' ? (char)(bytes[i] | 0x20) : bytes[i];
    }
    value->kind = GM_VALUE_string;
    value->text = (gm_text){bytes, name->length};
}

/* `1 << 2`, as flags are written. */
static bool shifted(gm_builder *in, const gm_source_place *place, const gm_node *node, gm_meaning_value *value) {
    gm_meaning_value left = {0};
    gm_meaning_value right = {0};
    if (node->kind != GM_KIND_BinOp || gm_as_BinOp(node)->op != GM_OP_LShift ||
        !gm_source_value(in, place, gm_as_BinOp(node)->left, &left) || !gm_source_value(in, place, gm_as_BinOp(node)->right, &right)) {
        return false;
    }
    uint64_t number = small_integer(left.text);
    uint64_t bits = small_integer(right.text);
    if (number > 1024 || bits > 50) {
        return false;
    }
    *value = (gm_meaning_value){.kind = GM_VALUE_number, .text = number_text(in, number << bits)};
    return true;
}

static void read_value(gm_builder *in, const gm_source_target *class, const gm_source_place *place, const gm_node *node,
                       const gm_name *name, const gm_meaning_type *type, gm_meaning_value *value) {
    static const char *const automatic[] = {"enum.auto", NULL};
    static const char *const text_enums[] = {"enum.StrEnum", NULL};
    if (gm_source_value(in, place, node, value) || shifted(in, place, node, value)) {
        return;
    }
    *value = (gm_meaning_value){.kind = GM_VALUE_other};
    if (node->kind == GM_KIND_Call && gm_source_is(in, place, gm_as_Call(node)->func, automatic)) {
        if (derives_from(in, class, text_enums, 0)) {
            lower_name(in, name, value);
        } else {
            value->kind = GM_VALUE_number;
            value->text = number_text(in, next_value(type, type->form == GM_MEANING_flag));
        }
    }
}

static bool same_value(const gm_meaning_value *a, const gm_meaning_value *b) {
    return a->kind != GM_VALUE_other && a->kind == b->kind && gm_text_equal(a->text, b->text);
}

/* `OTHER = RED`: another name for a member. */
static bool names_member(const gm_builder *in, const gm_meaning_type *type, const gm_node *node) {
    const gm_name *name = node->kind == GM_KIND_Name ? gm_as_Name(node)->id : NULL;
    gm_work(in->arena, name == NULL ? 0 : type->values.count);
    for (uint32_t i = 0; name != NULL && i < type->values.count; i++) {
        if (gm_text_equal(type->values.items[i].name, (gm_text){name->text, name->length})) {
            return true;
        }
    }
    return false;
}

/* Another name for a member is none; nor are names of several flags at once, or of none. */
static bool is_own_member(const gm_builder *in, const gm_meaning_type *type, const gm_meaning_value *value, uint64_t key) {
    uint32_t at = gm_table_find(&in->members, key);
    if (at < type->values.count && same_value(&type->values.items[at], value)) {
        return false;
    }
    uint64_t number = value->kind == GM_VALUE_number ? small_integer(value->text) : UINT64_MAX;
    return type->form != GM_MEANING_flag || (number != UINT64_MAX && number != 0 && (number & (number - 1)) == 0);
}

void gm_source_enumeration(gm_builder *in, const gm_source_target *target, uint32_t index) {
    const gm_source_place *inside = gm_source_inside(in, target->place, target->node);
    in->meaning->types.items[index].doc = gm_source_docstring(in->arena, inside->code->tree, inside->body);
    for (uint32_t i = 0; i < inside->body->count; i++) {
        const gm_node *node = inside->body->items[i];
        if (node->kind != GM_KIND_Assign || gm_as_Assign(node)->targets.count != 1 ||
            gm_as_Assign(node)->targets.items[0]->kind != GM_KIND_Name) {
            continue;
        }
        const gm_name *name = gm_as_Name(gm_as_Assign(node)->targets.items[0])->id;
        gm_meaning_type *type = &in->meaning->types.items[index];
        if (name->text[0] == '_' || names_member(in, type, gm_as_Assign(node)->value)) {
            continue;
        }
        gm_meaning_value value = {0};
        read_value(in, target, inside, gm_as_Assign(node)->value, name, type, &value);
        uint64_t key = name_key(index, value.text) + ((uint64_t)value.kind << 32);
        gm_work(in->arena, FIELD_WORK);
        if (is_own_member(in, type, &value, key)) {
            gm_table_put(&in->members, in->arena, key, type->values.count);
            value.name = (gm_text){name->text, name->length};
            value.note = gm_source_field_note(in->arena, inside->code->tree, inside->body, i);
            gm_vec_push(in->arena, &type->values, value);
        }
    }
    if (in->meaning->types.items[index].values.count == 0) {
        gm_source_refuse(in, target->place, target->node, "`%s` has no members", gm_as_ClassDef(target->node)->name->text);
    }
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
