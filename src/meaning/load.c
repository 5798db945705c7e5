/* The IR from JSON: read by the strict half of the reader itself, then checked. */
#include <string.h>

#include "meaning/meaning.h"
#include "meaning/tape.h"

typedef struct loader {
    gm_arena *arena;
    const gm_tape *tape;
    gm_meaning *meaning;
    const char *problem;
} loader;

/* Types in a chain of unions, aliases and annotations, all of which look at the same value. */
enum { CHAIN_LIMIT = 16, TYPE_LIMIT = 100000 };

static const gm_tape_node *node_at(const loader *in, uint32_t index) {
    return &in->tape->nodes.items[index];
}

static void refuse(loader *in, const char *message) {
    if (in->problem == NULL) {
        in->problem = message;
    }
}

static gm_text text_of(const loader *in, uint32_t index) {
    const gm_tape_node *node = node_at(in, index);
    if ((node->flags & GM_TAPE_ESCAPES) == 0) {
        uint32_t length = node->end - node->start;
        return (gm_text){gm_arena_copy(in->arena, in->tape->text + node->start, length), length};
    }
    gm_buffer text;
    gm_buffer_init(&text, in->arena);
    gm_tape_add_text(in->tape, node, &text);
    gm_buffer_text(&text);
    return (gm_text){text.bytes, (uint32_t)text.length};
}

/* The value of a member of an object; 0 (the root, which is no member) when there is none. */
static uint32_t member(loader *in, uint32_t object, const char *name) {
    const gm_tape_node *node = node_at(in, object);
    if (node->kind != GM_TAPE_OBJECT) {
        refuse(in, "an object is expected");
        return 0;
    }
    size_t length = strlen(name);
    for (uint32_t key = object + 1; key < node->next; key = node_at(in, key + 1)->next) {
        const gm_tape_node *found = node_at(in, key);
        if (found->end - found->start == length && memcmp(in->tape->text + found->start, name, length) == 0) {
            return key + 1;
        }
    }
    return 0;
}

static gm_text text_member(loader *in, uint32_t object, const char *name) {
    uint32_t at = member(in, object, name);
    if (at == 0) {
        return (gm_text){NULL, 0};
    }
    if (node_at(in, at)->kind != GM_TAPE_STRING) {
        refuse(in, "a string is expected");
        return (gm_text){NULL, 0};
    }
    return text_of(in, at);
}

static gm_text name_member(loader *in, uint32_t object) {
    gm_text name = text_member(in, object, "name");
    if (name.bytes == NULL) {
        refuse(in, "a name is missing");
        name = (gm_text){"", 0};
    }
    return name;
}

static uint32_t index_of(loader *in, uint32_t at) {
    const gm_tape_node *node = node_at(in, at);
    uint64_t value = 0;
    bool digits = at != 0 && node->kind == GM_TAPE_NUMBER && node->end - node->start < 10;
    for (uint32_t i = node->start; digits && i < node->end; i++) {
        digits = gm_utf8_is_digit(in->tape->text[i]);
        value = value * 10 + (uint64_t)(in->tape->text[i] - '0');
    }
    if (!digits) {
        refuse(in, "the number of a type is missing");
        return 0;
    }
    return (uint32_t)value;
}

/* The items of a list in turn: 0 starts, and 0 ends. */
static uint32_t next_item(loader *in, uint32_t list, uint32_t item) {
    if (list == 0) {
        return 0;
    }
    if (node_at(in, list)->kind != GM_TAPE_LIST) {
        refuse(in, "a list is expected");
        return 0;
    }
    uint32_t next = item == 0 ? list + 1 : node_at(in, item)->next;
    return next < node_at(in, list)->next ? next : 0;
}

static void load_value(loader *in, uint32_t at, gm_meaning_type *type) {
    static const uint8_t kinds[] = {
        [GM_TAPE_NULL] = GM_VALUE_null,     [GM_TAPE_TRUE] = GM_VALUE_true,     [GM_TAPE_FALSE] = GM_VALUE_false,
        [GM_TAPE_NUMBER] = GM_VALUE_number, [GM_TAPE_STRING] = GM_VALUE_string,
    };
    gm_meaning_value value = {.name = text_member(in, at, "name"), .kind = GM_VALUE_other, .note = text_member(in, at, "note")};
    uint32_t given = member(in, at, "value");
    if (given != 0 && node_at(in, given)->kind <= GM_TAPE_STRING) {
        value.kind = kinds[node_at(in, given)->kind];
        value.text = text_of(in, given);
    } else if (given != 0) {
        refuse(in, "a value that is no string, number or constant");
    } else {
        value.text = text_member(in, at, "bytes");
        value.kind = value.text.bytes != NULL ? GM_VALUE_bytes : GM_VALUE_other;
    }
    if (value.kind == GM_VALUE_other && value.name.bytes == NULL) {
        refuse(in, "a member without a name");
        value.name = (gm_text){"", 0};
    }
    gm_vec_push(in->arena, &type->values, value);
}

static void load_field(loader *in, uint32_t at, gm_meaning_type *type) {
    uint32_t required = member(in, at, "required");
    gm_meaning_field field = {
        .name = name_member(in, at),
        .type = index_of(in, member(in, at, "type")),
        .required = required == 0 || node_at(in, required)->kind == GM_TAPE_TRUE,
        .value = text_member(in, at, "default"),
        .note = text_member(in, at, "note"),
    };
    uint32_t aliases = member(in, at, "aliases");
    for (uint32_t item = next_item(in, aliases, 0); item != 0; item = next_item(in, aliases, item)) {
        if (node_at(in, item)->kind != GM_TAPE_STRING) {
            refuse(in, "a string is expected");
            return;
        }
        gm_vec_push(in->arena, &field.aliases, text_of(in, item));
    }
    gm_vec_push(in->arena, &type->fields, field);
}

static void load_bounds(loader *in, uint32_t object, gm_meaning_type *type) {
    if (object == 0 || node_at(in, object)->kind != GM_TAPE_OBJECT) {
        return;
    }
    for (uint32_t key = object + 1; key < node_at(in, object)->next; key = node_at(in, key + 1)->next) {
        uint8_t kind = node_at(in, key + 1)->kind;
        if (kind != GM_TAPE_NUMBER && kind != GM_TAPE_STRING) {
            refuse(in, "a bound is a number or a string");
            return;
        }
        gm_meaning_bound bound = {text_of(in, key), kind == GM_TAPE_NUMBER, text_of(in, key + 1)};
        gm_vec_push(in->arena, &type->bounds, bound);
    }
}

static gm_form form_of(loader *in, gm_text name) {
    for (unsigned form = 0; form < GM_MEANING_COUNT; form++) {
        if (gm_text_is(name, gm_forms[form].name)) {
            return (gm_form)form;
        }
    }
    refuse(in, "a form of types that does not exist");
    return GM_MEANING_any;
}

/* Spelled by value when every value is a string: those are what the author chose to be read. */
static bool spelled_by_value(const gm_meaning_type *type) {
    for (uint32_t i = 0; i < type->values.count; i++) {
        if (type->values.items[i].kind != GM_VALUE_string) {
            return false;
        }
    }
    return type->form == GM_MEANING_enum;
}

static void load_type(loader *in, uint32_t at) {
    gm_meaning_type type = {
        .form = (uint8_t)form_of(in, text_member(in, at, "form")),
        .name = text_member(in, at, "name"),
        .kind = text_member(in, at, "kind"),
        .doc = text_member(in, at, "doc"),
        .note = text_member(in, at, "note"),
    };
    uint32_t list = member(in, at, "items");
    for (uint32_t item = next_item(in, list, 0); item != 0; item = next_item(in, list, item)) {
        gm_vec_push(in->arena, &type.items, index_of(in, item));
    }
    list = member(in, at, "fields");
    for (uint32_t item = next_item(in, list, 0); item != 0; item = next_item(in, list, item)) {
        load_field(in, item, &type);
    }
    list = member(in, at, type.form == GM_MEANING_literal ? "values" : "members");
    for (uint32_t item = next_item(in, list, 0); item != 0; item = next_item(in, list, item)) {
        load_value(in, item, &type);
    }
    load_bounds(in, member(in, at, "bounds"), &type);
    type.by_value = spelled_by_value(&type);
    gm_vec_push(in->arena, &in->meaning->types, type);
}

static gm_meaning_function load_signature(loader *in, uint32_t at) {
    gm_meaning_function function = {
        .name = name_member(in, at),
        .doc = text_member(in, at, "doc"),
        .is_async = node_at(in, member(in, at, "async"))->kind == GM_TAPE_TRUE, /* without one it is the root, which is an object */
    };
    uint32_t list = member(in, at, "parameters");
    for (uint32_t item = next_item(in, list, 0); item != 0; item = next_item(in, list, item)) {
        gm_meaning_parameter parameter = {
            .name = name_member(in, item),
            .type = index_of(in, member(in, item, "type")),
            .value = text_member(in, item, "default"),
            .note = text_member(in, item, "note"),
        };
        gm_vec_push(in->arena, &function.parameters, parameter);
    }
    return function;
}

static void load_function(loader *in, uint32_t at) {
    if (at == 0) {
        return;
    }
    in->meaning->is_function = true;
    in->meaning->function = load_signature(in, at);
    uint32_t list = member(in, at, "tools");
    for (uint32_t item = next_item(in, list, 0); item != 0; item = next_item(in, list, item)) {
        gm_vec_push(in->arena, &in->meaning->tools, load_signature(in, item));
    }
}

static void check_items(loader *in, const gm_meaning_type *type) {
    int arity = gm_forms[type->form].arity;
    uint32_t count = type->items.count;
    if ((arity >= 0 && count != (uint32_t)arity) || (arity == -1 && count == 0)) {
        refuse(in, "a form has too few or too many items");
    }
    for (uint32_t i = 0; i < count; i++) {
        if (type->items.items[i] >= in->meaning->types.count) {
            refuse(in, "the number of a type is too large");
        }
    }
    for (uint32_t i = 0; i < type->fields.count; i++) {
        if (type->fields.items[i].type >= in->meaning->types.count) {
            refuse(in, "the number of a type is too large");
        }
    }
}

static void check_names(loader *in, const gm_meaning_type *type) {
    bool named = type->form == GM_MEANING_record || type->form == GM_MEANING_enum || type->form == GM_MEANING_flag ||
                 type->form == GM_MEANING_alias;
    if (named && type->name.bytes == NULL) {
        refuse(in, "a name is missing");
    }
    bool members = type->form == GM_MEANING_enum || type->form == GM_MEANING_flag;
    for (uint32_t i = 0; members && i < type->values.count; i++) {
        if (type->values.items[i].name.bytes == NULL) {
            refuse(in, "a member without a name");
        }
    }
}

static bool is_link(const gm_meaning_type *type) {
    return type->form == GM_MEANING_union || type->form == GM_MEANING_annotated || type->form == GM_MEANING_alias;
}

/* The longest chain from a type; depths are those already known, 0 for none, UINT8_MAX for a type in the chain now. */
static uint8_t chain_length(loader *in, uint32_t index, uint8_t *depths, uint32_t above) {
    const gm_meaning_type *type = &in->meaning->types.items[index];
    if (depths[index] != 0 || above > CHAIN_LIMIT) {
        if (depths[index] == UINT8_MAX || above > CHAIN_LIMIT) {
            refuse(in, "a type that is made of nothing but itself, or of too many layers");
            return CHAIN_LIMIT;
        }
        return depths[index];
    }
    if (!is_link(type)) {
        return depths[index] = 1;
    }
    depths[index] = UINT8_MAX;
    uint8_t longest = 0;
    for (uint32_t i = 0; i < type->items.count && in->problem == NULL; i++) {
        uint8_t length = chain_length(in, type->items.items[i], depths, above + 1);
        longest = length > longest ? length : longest;
    }
    if (longest >= CHAIN_LIMIT) {
        refuse(in, "a type that is made of nothing but itself, or of too many layers");
    }
    return depths[index] = (uint8_t)(longest + 1);
}

static void check_parameters(loader *in, const gm_meaning_function *function) {
    for (uint32_t i = 0; i < function->parameters.count; i++) {
        if (function->parameters.items[i].type >= in->meaning->types.count) {
            refuse(in, "the number of a type is too large");
        }
    }
}

static void check(loader *in) {
    const gm_meaning *meaning = in->meaning;
    if (meaning->types.count == 0 || meaning->types.count > TYPE_LIMIT || meaning->root >= meaning->types.count) {
        refuse(in, "no types, too many, or a root that is none of them");
    }
    check_parameters(in, &meaning->function);
    for (uint32_t i = 0; i < meaning->tools.count; i++) {
        check_parameters(in, &meaning->tools.items[i]);
    }
    for (uint32_t i = 0; i < meaning->types.count && in->problem == NULL; i++) {
        check_items(in, &meaning->types.items[i]);
        check_names(in, &meaning->types.items[i]);
    }
    uint8_t *depths = GM_NEW_ARRAY(in->arena, uint8_t, meaning->types.count);
    for (uint32_t i = 0; i < meaning->types.count && in->problem == NULL; i++) {
        chain_length(in, i, depths, 1);
    }
}

static void load(loader *in) {
    load_function(in, member(in, 0, "function"));
    in->meaning->root = index_of(in, member(in, 0, "root"));
    uint32_t list = member(in, 0, "types");
    for (uint32_t item = next_item(in, list, 0); item != 0 && in->problem == NULL; item = next_item(in, list, item)) {
        load_type(in, item);
    }
    check(in);
}

gm_meaning_error gm_meaning_load(gm_arena *arena, const char *json, size_t size, gm_meaning *meaning) {
    gm_tape tape;
    *meaning = (gm_meaning){0};
    if (size >= GM_TAPE_LIMIT) {
        return (gm_meaning_error){"too large"};
    }
    gm_tape_init(&tape, arena, true);
    gm_tape_feed(&tape, json, size);
    gm_tape_finish(&tape);
    if (tape.trouble.message != NULL || tape.candidates.count != 1 || tape.candidates.items[0].broken || tape.candidates.items[0].open) {
        return (gm_meaning_error){tape.trouble.message != NULL ? tape.trouble.message : "no JSON"};
    }
    loader in = {.arena = arena, .tape = &tape, .meaning = meaning};
    load(&in);
    return (gm_meaning_error){in.problem};
}

const gm_meaning_type *gm_meaning_resolve(const gm_meaning *meaning, uint32_t type) {
    const gm_meaning_type *found = &meaning->types.items[type];
    while (found->form == GM_MEANING_alias || found->form == GM_MEANING_annotated) {
        found = &meaning->types.items[found->items.items[0]];
    }
    return found;
}
