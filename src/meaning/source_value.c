/* Constants: values of literals and members, defaults, bounds and notes of annotations. */
#include <string.h>

#include "base/work.h"
#include "meaning/numbers.h"
#include "meaning/source_private.h"
#include "syntax/literal.h"

enum { PYTHON = 313 }; /* whose `repr` defaults are written in */

static gm_text text_of(gm_buffer *out) {
    gm_buffer_text(out);
    return (gm_text){out->bytes, (uint32_t)out->length};
}

static bool is_number(const gm_node *node) {
    return node->kind == GM_KIND_Constant &&
           (gm_as_Constant(node)->value.literal == GM_LITERAL_int || gm_as_Constant(node)->value.literal == GM_LITERAL_float);
}

/* `-1` is a minus in front of a number. */
static const gm_node *unsigned_number(const gm_node *node, bool *negative) {
    *negative = node->kind == GM_KIND_UnaryOp && gm_as_UnaryOp(node)->op == GM_OP_USub && is_number(gm_as_UnaryOp(node)->operand);
    return *negative ? gm_as_UnaryOp(node)->operand : node;
}

static void add_base64(gm_buffer *out, const gm_buffer *bytes) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < bytes->length; i += 3) {
        size_t left = bytes->length - i;
        uint32_t group = (uint32_t)(unsigned char)bytes->bytes[i] << 16;
        group |= left > 1 ? (uint32_t)(unsigned char)bytes->bytes[i + 1] << 8 : 0;
        group |= left > 2 ? (uint32_t)(unsigned char)bytes->bytes[i + 2] : 0;
        const char quad[4] = {letters[group >> 18], letters[group >> 12 & 63], left > 1 ? letters[group >> 6 & 63] : '=',
                              left > 2 ? letters[group & 63] : '='};
        gm_buffer_add(out, quad, 4);
    }
}

static bool constant_value(gm_builder *in, const gm_source_place *place, const gm_node *node, bool negative, gm_meaning_value *value) {
    static const uint8_t kinds[] = {
        [GM_LITERAL_None] = GM_VALUE_null,   [GM_LITERAL_True] = GM_VALUE_true,      [GM_LITERAL_False] = GM_VALUE_false,
        [GM_LITERAL_int] = GM_VALUE_number,  [GM_LITERAL_float] = GM_VALUE_number,   [GM_LITERAL_str] = GM_VALUE_string,
        [GM_LITERAL_bytes] = GM_VALUE_bytes, [GM_LITERAL_Ellipsis] = GM_VALUE_other, [GM_LITERAL_complex] = GM_VALUE_other,
    };
    const gm_constant *constant = &gm_as_Constant(node)->value;
    gm_buffer out;
    gm_buffer_init(&out, in->arena);
    value->kind = kinds[constant->literal];
    if (value->kind == GM_VALUE_number) {
        gm_buffer_add_text(&out, negative ? "-" : "");
        gm_literal_repr(in->arena, place->text->source, constant, &out, PYTHON);
        value->text = text_of(&out);
        return gm_number_is_json(value->text);
    }
    if (value->kind == GM_VALUE_string || value->kind == GM_VALUE_bytes) {
        gm_literal_decode(place->text->source, constant, &out);
        gm_buffer coded;
        gm_buffer_init(&coded, in->arena);
        add_base64(&coded, &out);
        value->text = text_of(value->kind == GM_VALUE_bytes ? &coded : &out);
    }
    return value->kind != GM_VALUE_other;
}

static const gm_node *find_member(gm_arena *arena, const gm_ClassDef *class, const gm_name *name) {
    gm_work(arena, class->body.count);
    for (uint32_t i = 0; i < class->body.count; i++) {
        const gm_node *node = class->body.items[i];
        if (node->kind == GM_KIND_Assign && gm_as_Assign(node)->targets.items[0]->kind == GM_KIND_Name &&
            strcmp(gm_as_Name(gm_as_Assign(node)->targets.items[0])->id->text, name->text) == 0) {
            return gm_as_Assign(node)->value;
        }
    }
    return NULL;
}

/* `Color.RED`: the member of an enumeration. */
static bool member_value(gm_builder *in, const gm_source_place *place, const gm_node *node, gm_meaning_value *value) {
    gm_source_target target = gm_source_resolve(in, place, gm_as_Attribute(node)->value);
    bool flag = false;
    if (target.node == NULL || target.node->kind != GM_KIND_ClassDef || !gm_source_is_enumeration(in, &target, &flag)) {
        return false;
    }
    const gm_name *name = gm_as_Attribute(node)->attr;
    const gm_node *member = find_member(in->arena, gm_as_ClassDef(target.node), name);
    if (member == NULL) {
        return false;
    }
    if (!gm_source_value(in, target.place, member, value)) {
        *value = (gm_meaning_value){.kind = GM_VALUE_other};
    }
    value->name = (gm_text){name->text, name->length};
    return true;
}

enum { NAMES_LIMIT = 8 };

/* Whether a name is one of a class that is no enumeration. */
static bool is_of_class(gm_builder *in, const gm_source_place *place, const gm_node *node) {
    gm_source_target class = node->kind == GM_KIND_Attribute ? gm_source_resolve(in, place, gm_as_Attribute(node)->value)
                                                             : (gm_source_target){0};
    bool flag = false;
    return class.node != NULL && class.node->kind == GM_KIND_ClassDef && !gm_source_is_enumeration(in, &class, &flag);
}

/* The constant of a module or class that a name stands for, and its place: `3` for `LIMIT` with `LIMIT = 3`. Anything else is itself. */
static const gm_node *named_constant(gm_builder *in, const gm_source_place **place, const gm_node *node) {
    for (int i = 0; i < NAMES_LIMIT && (node->kind == GM_KIND_Name || node->kind == GM_KIND_Attribute); i++) {
        gm_source_target target = gm_source_resolve(in, *place, node);
        if (target.node == NULL || (target.place->outer != NULL && !is_of_class(in, *place, node)) ||
            (target.node->kind != GM_KIND_Assign && target.node->kind != GM_KIND_AnnAssign)) {
            return node; /* a member of an enumeration, for one */
        }
        node = target.node->kind == GM_KIND_Assign ? gm_as_Assign(target.node)->value : gm_as_AnnAssign(target.node)->value;
        *place = target.place;
    }
    return node;
}

gm_text gm_source_words_of(gm_builder *in, const gm_source_place *place, const gm_node *node) {
    const gm_node *constant = node == NULL ? NULL : named_constant(in, &place, node);
    return gm_source_string(in->arena, place->text, constant);
}

bool gm_source_value(gm_builder *in, const gm_source_place *place, const gm_node *node, gm_meaning_value *value) {
    bool negative = false;
    const gm_node *number = unsigned_number(node, &negative);
    if (number->kind == GM_KIND_Constant) {
        return constant_value(in, place, number, negative, value);
    }
    return node->kind == GM_KIND_Attribute && member_value(in, place, node, value);
}

static bool is_empty(const gm_node *node) {
    return (node->kind == GM_KIND_List && gm_as_List(node)->elts.count == 0) ||
           (node->kind == GM_KIND_Dict && gm_as_Dict(node)->keys.count == 0) ||
           (node->kind == GM_KIND_Tuple && gm_as_Tuple(node)->elts.count == 0);
}

/* `UserId(1)` of a NewType is the value in the brackets. */
static const gm_node *without_new_type(gm_builder *in, const gm_source_place *place, const gm_node *node) {
    static const char *const names[] = {"typing.NewType", NULL};
    if (node->kind != GM_KIND_Call || gm_as_Call(node)->args.count != 1 || gm_as_Call(node)->keywords.count != 0) {
        return node;
    }
    gm_source_target target = gm_source_resolve(in, place, gm_as_Call(node)->func);
    const gm_node *made = target.node != NULL && target.node->kind == GM_KIND_Assign ? gm_as_Assign(target.node)->value : NULL;
    bool is = made != NULL && made->kind == GM_KIND_Call && gm_source_is(in, target.place, gm_as_Call(made)->func, names);
    return is ? gm_as_Call(node)->args.items[0] : node;
}

gm_text gm_source_default(gm_builder *in, const gm_source_place *place, const gm_node *node) {
    gm_buffer out;
    gm_buffer_init(&out, in->arena);
    bool negative = false;
    node = named_constant(in, &place, without_new_type(in, place, node));
    const gm_node *number = unsigned_number(node, &negative);
    gm_meaning_value value = {0};
    if (number->kind == GM_KIND_Constant) {
        uint8_t literal = gm_as_Constant(number)->value.literal;
        if (literal == GM_LITERAL_bytes || literal == GM_LITERAL_Ellipsis || literal == GM_LITERAL_complex) {
            return (gm_text){NULL, 0};
        }
        gm_buffer_add_text(&out, negative ? "-" : "");
        gm_literal_repr(in->arena, place->text->source, &gm_as_Constant(number)->value, &out, PYTHON);
        return text_of(&out);
    }
    if (is_empty(node)) {
        gm_buffer_add_text(&out, node->kind == GM_KIND_List ? "[]" : node->kind == GM_KIND_Dict ? "{}" : "()");
        return text_of(&out);
    }
    if (node->kind == GM_KIND_Attribute && member_value(in, place, node, &value)) {
        gm_source_target target = gm_source_resolve(in, place, gm_as_Attribute(node)->value);
        gm_buffer_printf(&out, "%s.%s", gm_as_ClassDef(target.node)->name->text, gm_as_Attribute(node)->attr->text);
        return text_of(&out);
    }
    return (gm_text){NULL, 0};
}

static const char *const bound_names[] = {"ge", "gt", "le", "lt", "multiple_of", "min_length", "max_length", "pattern"};
enum { BOUND_COUNT = sizeof bound_names / sizeof bound_names[0] };

/* Bounds stand in a fixed order, and of several with one name the last one counts. */
/* In the order of the names; of two with one name the later one counts. */
static void put_bound(gm_builder *in, gm_meaning_type *type, gm_meaning_bound bound) {
    uint32_t at = 0;
    for (size_t i = 0; i < BOUND_COUNT && !gm_text_is(bound.name, bound_names[i]); i++) {
        at += at < type->bounds.count && gm_text_is(type->bounds.items[at].name, bound_names[i]);
    }
    if (at < type->bounds.count && gm_text_equal(type->bounds.items[at].name, bound.name)) {
        type->bounds.items[at] = bound;
        return;
    }
    gm_vec_push(in->arena, &type->bounds, bound);
    for (uint32_t i = type->bounds.count - 1; i > at; i--) {
        type->bounds.items[i] = type->bounds.items[i - 1];
    }
    type->bounds.items[at] = bound;
}

static void add_bound(gm_builder *in, const gm_source_place *place, gm_meaning_type *type, const char *name, const gm_node *node) {
    gm_meaning_value value = {0};
    node = named_constant(in, &place, node);
    if (!gm_source_value(in, place, node, &value) || value.name.bytes != NULL ||
        (value.kind != GM_VALUE_number && value.kind != GM_VALUE_string)) {
        return;
    }
    put_bound(in, type, (gm_meaning_bound){{name, (uint32_t)strlen(name)}, value.kind == GM_VALUE_number, value.text});
}

static void add_note(gm_buffer *note, gm_text text) {
    gm_buffer_add_text(note, note->length > 0 ? " " : "");
    gm_buffer_add(note, text.bytes, text.length);
}

uint32_t gm_source_annotated(gm_builder *in, uint32_t inner, uint32_t before, const gm_meaning_type *said) {
    gm_meaning_type type = {.form = GM_MEANING_annotated, .note = said->note};
    const gm_meaning_type *within = &in->meaning->types.items[inner];
    if (within->form == GM_MEANING_annotated) {
        for (uint32_t i = 0; i < within->bounds.count; i++) {
            put_bound(in, &type, within->bounds.items[i]);
        }
        gm_buffer note;
        gm_buffer_init(&note, in->arena);
        if (within->note.length > 0 && said->note.length > 0) {
            add_note(&note, within->note);
            add_note(&note, said->note);
            gm_buffer_text(&note);
        }
        type.note = note.length > 0 ? (gm_text){note.bytes, (uint32_t)note.length} : said->note.length > 0 ? said->note : within->note;
        bool own = inner >= before; /* made for this one, and the last that was made */
        inner = within->items.items[0];
        in->meaning->types.count -= own;
    }
    for (uint32_t i = 0; i < said->bounds.count; i++) {
        put_bound(in, &type, said->bounds.items[i]);
    }
    if (type.note.length == 0 && type.bounds.count == 0) {
        return inner;
    }
    gm_vec_push(in->arena, &type.items, inner);
    return gm_source_intern(in, &type);
}

/* The bound that a constructor with one argument stands for: `Ge(0)`. */
static const char *bound_of(const char *class) {
    static const char *const pairs[][2] = {{"annotated_types.Ge", "ge"},
                                           {"annotated_types.Gt", "gt"},
                                           {"annotated_types.Le", "le"},
                                           {"annotated_types.Lt", "lt"},
                                           {"annotated_types.MinLen", "min_length"},
                                           {"annotated_types.MaxLen", "max_length"},
                                           {"annotated_types.MultipleOf", "multiple_of"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (strcmp(pairs[i][0], class) == 0) {
            return pairs[i][1];
        }
    }
    return NULL;
}

void gm_source_take_metadata(gm_builder *in, const gm_source_place *place, const gm_node *node, gm_meaning_type *type, gm_buffer *note) {
    gm_text text = gm_source_string(in->arena, place->text, node);
    if (text.bytes != NULL) {
        add_note(note, text);
        return;
    }
    if (node->kind != GM_KIND_Call) {
        return;
    }
    const gm_Call *call = gm_as_Call(node);
    gm_source_target target = gm_source_resolve(in, place, call->func);
    const char *single = target.external != NULL ? bound_of(target.external) : NULL;
    if (single != NULL && call->args.count == 1) {
        add_bound(in, place, type, single, call->args.items[0]);
    }
    bool doc = target.external != NULL && strcmp(target.external, "typing.Doc") == 0;
    if (doc && call->args.count == 1) {
        text = gm_source_words_of(in, place, call->args.items[0]);
        add_note(note, text);
    }
    for (uint32_t i = 0; i < call->keywords.count; i++) {
        const gm_keyword *keyword = gm_as_keyword(call->keywords.items[i]);
        text = gm_name_is(keyword->arg, "description") ? gm_source_words_of(in, place, keyword->value) : (gm_text){NULL, 0};
        if (text.bytes != NULL) {
            add_note(note, text);
        }
        if (keyword->arg != NULL) {
            for (size_t b = 0; b < BOUND_COUNT; b++) {
                if (strcmp(bound_names[b], keyword->arg->text) == 0) {
                    add_bound(in, place, type, bound_names[b], keyword->value);
                }
            }
        }
    }
}

gm_meaning_type gm_source_metadata(gm_builder *in, const gm_source_place *place, const gm_list *arguments, gm_text *described) {
    gm_meaning_type said = {0};
    gm_buffer note;
    gm_buffer_init(&note, in->arena);
    for (uint32_t i = 1; i < arguments->count; i++) {
        bool apart = described != NULL && gm_source_is_field(in, place, arguments->items[i]);
        gm_buffer own;
        gm_buffer_init(&own, in->arena);
        gm_source_take_metadata(in, place, arguments->items[i], &said, apart ? &own : &note);
        if (own.length > 0) {
            *described = text_of(&own);
        }
    }
    if (note.length > 0) {
        said.note = text_of(&note);
    }
    return said;
}
