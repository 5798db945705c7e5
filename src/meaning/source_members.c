/* Members of enumerations: their names, values and notes. */
#include "base/work.h"
#include "meaning/source_private.h"

enum { MEMBER_WORK = 32 };

/* UINT64_MAX for what is none of 18 digits. */
static uint64_t small_integer(gm_text text) {
    enum { DIGITS = 18 };
    uint64_t value = text.length > DIGITS ? UINT64_MAX : 0;
    for (uint32_t i = 0; i < text.length && value != UINT64_MAX; i++) {
        if (text.bytes[i] < '0' || text.bytes[i] > '9') {
            return UINT64_MAX;
        }
        value = value * 10 + (uint64_t)(text.bytes[i] - '0');
    }
    return value;
}

/* What `auto()` gives: one more than the largest integer so far, or the next bit. */
static int64_t next_value(const gm_meaning_type *type, bool flag) {
    int64_t largest = 0;
    bool any = false;
    for (uint32_t i = 0; i < type->values.count; i++) {
        gm_text text = type->values.items[i].text;
        bool negative = text.length > 0 && text.bytes[0] == '-';
        uint64_t size = small_integer((gm_text){text.bytes + negative, text.length - negative});
        if (type->values.items[i].kind == GM_VALUE_number && size != UINT64_MAX) {
            int64_t value = negative ? -(int64_t)size : (int64_t)size;
            largest = !any || value > largest ? value : largest;
            any = true;
        }
    }
    int64_t bit = 1;
    while (flag && bit <= largest) {
        bit <<= 1;
    }
    return flag ? bit : largest + 1;
}

static gm_text number_text(gm_builder *in, int64_t number) {
    gm_buffer out;
    gm_buffer_init(&out, in->arena);
    gm_buffer_printf(&out, "%lld", (long long)number);
    gm_buffer_text(&out);
    return (gm_text){out.bytes, (uint32_t)out.length};
}

/* What lies beyond ASCII is lowered by nobody here, and said by nobody. */
static void lower_name(gm_builder *in, const gm_name *name, gm_meaning_value *value) {
    char *bytes = gm_arena_copy(in->arena, name->text, name->length);
    for (uint32_t i = 0; i < name->length; i++) {
        if ((unsigned char)bytes[i] >= 0x80) {
            return;
        }
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
    *value = (gm_meaning_value){.kind = GM_VALUE_number, .text = number_text(in, (int64_t)(number << bits))};
    return true;
}

static void read_value(gm_builder *in, const gm_source_target *class, const gm_source_place *place, const gm_node *node,
                       const gm_name *name, const gm_meaning_type *type, gm_meaning_value *value) {
    static const char *const automatic[] = {"enum.auto", NULL};
    static const char *const text_enums[] = {"enum.StrEnum", NULL};
    gm_source_target other = node->kind == GM_KIND_Name ? gm_source_resolve(in, place, node) : (gm_source_target){0};
    if (other.node != NULL && other.place->body == place->body && other.node->kind == GM_KIND_Assign) {
        node = gm_as_Assign(other.node)->value; /* another name for what is another name itself */
    }
    if (gm_source_value(in, place, node, value) || shifted(in, place, node, value)) {
        return;
    }
    *value = (gm_meaning_value){.kind = GM_VALUE_other};
    if (node->kind == GM_KIND_Call && gm_source_is(in, place, gm_as_Call(node)->func, automatic)) {
        if (gm_source_derives(in, class, text_enums, 0)) {
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

/* `_missing_`, `__doc__`, and `__private`, which no member is called. */
static bool is_reserved(const gm_name *name) {
    const char *text = name->text;
    bool both = name->length > 2 && text[0] == '_' && text[name->length - 1] == '_' && text[1] != '_' && text[name->length - 2] != '_';
    return both || (text[0] == '_' && text[1] == '_');
}

static uint64_t member_key(uint32_t index, const gm_meaning_value *value) {
    return gm_source_name_key(index, value->text) + ((uint64_t)value->kind << 32);
}

static bool has_member(const gm_builder *in, const gm_meaning_type *type, uint32_t index, const gm_meaning_value *value) {
    uint32_t at = gm_table_find(&in->members, member_key(index, value));
    return at < type->values.count && same_value(&type->values.items[at], value);
}

/* The other value that Python takes for the same: True is 1, False is 0. */
static gm_meaning_value twin_of(const gm_meaning_value *value) {
    if (value->kind == GM_VALUE_true || value->kind == GM_VALUE_false) {
        return (gm_meaning_value){.kind = GM_VALUE_number, .text = {value->kind == GM_VALUE_true ? "1" : "0", 1}};
    }
    bool number = value->kind == GM_VALUE_number && (gm_text_is(value->text, "1") || gm_text_is(value->text, "0"));
    uint8_t kind = number ? (value->text.bytes[0] == '1' ? GM_VALUE_true : GM_VALUE_false) : GM_VALUE_other;
    return (gm_meaning_value){.kind = kind};
}

/* Another name for a member is none; nor are names of several flags at once, or of none. */
static bool is_own_member(const gm_builder *in, const gm_meaning_type *type, uint32_t index, const gm_meaning_value *value) {
    const gm_meaning_value twin = twin_of(value);
    if (has_member(in, type, index, value) || has_member(in, type, index, &twin)) {
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
        if (is_reserved(name) || names_member(in, type, gm_as_Assign(node)->value)) {
            continue;
        }
        gm_meaning_value value = {0};
        read_value(in, target, inside, gm_as_Assign(node)->value, name, type, &value);
        gm_work(in->arena, MEMBER_WORK);
        if (is_own_member(in, type, index, &value)) {
            gm_table_put(&in->members, in->arena, member_key(index, &value), type->values.count);
            value.name = (gm_text){name->text, name->length};
            value.note = gm_source_field_note(in->arena, inside->code->tree, inside->body, i);
            gm_vec_push(in->arena, &type->values, value);
        }
    }
    if (in->meaning->types.items[index].values.count == 0) {
        gm_source_refuse(in, target->place, target->node, "`%s` has no members", gm_as_ClassDef(target->node)->name->text);
    }
}
