/* The meaning IR: what a type or a function says to a reader of its source, as data.
 *
 * A graph of types, numbered in the order in which they are first reached; types refer to one another by number, so recursion is nothing
 * special. The JSON form is the public one (docs/meaning.md): members stand in a fixed order and members without content are left out,
 * so that equal meanings have equal text, and the content hash is one of that text.
 *
 * All that a meaning holds lives in one arena and does not change once it is made. */
#ifndef GM_MEANING_MEANING_H
#define GM_MEANING_MEANING_H

#include "base/buffer.h"
#include "base/vec.h"

typedef enum gm_form {
#define GM_FORM(name, arity) GM_MEANING_##name,
#include "meaning/forms.def"
    GM_MEANING_COUNT
} gm_form;

typedef struct gm_form_info {
    const char *name;
    int arity; /* of `items`; -1: one or more, -2: any number */
} gm_form_info;

extern const gm_form_info gm_forms[GM_MEANING_COUNT];

/* UTF-8, not NUL-terminated; `bytes` is NULL where there is no text. */
typedef struct gm_text {
    const char *bytes;
    uint32_t length;
} gm_text;

bool gm_text_equal(gm_text a, gm_text b);
bool gm_text_is(gm_text text, const char *word);

typedef GM_VEC(uint32_t) gm_type_indexes;
typedef GM_VEC(gm_text) gm_texts;

typedef struct gm_meaning_field {
    gm_text name;
    gm_texts aliases; /* other keys; the first one is the key that is shown and written when there is any */
    uint32_t type;
    bool required;
    gm_text value; /* of a field that is not required: its default as source text; may be missing */
    gm_text note;
} gm_meaning_field;

typedef enum gm_value_kind {
    GM_VALUE_null,
    GM_VALUE_true,
    GM_VALUE_false,
    GM_VALUE_number, /* text as JSON writes it */
    GM_VALUE_string,
    GM_VALUE_bytes,  /* text in base64 */
    GM_VALUE_other   /* nothing that JSON could say: a member that is known by its name alone */
} gm_value_kind;

/* A value of a Literal or a member of an enumeration. */
typedef struct gm_meaning_value {
    gm_text name; /* of the member; for a Literal only where the value is a member */
    uint8_t kind; /* gm_value_kind */
    gm_text text;
    gm_text note;
} gm_meaning_value;

/* A constraint: `ge`, `gt`, `le`, `lt`, `multiple_of` with a number, `min_length`, `max_length` with a size, `pattern` with a string. */
typedef struct gm_meaning_bound {
    gm_text name;
    bool is_number;
    gm_text value; /* the text of the number or the string */
} gm_meaning_bound;

typedef struct gm_meaning_type {
    uint8_t form;     /* gm_form */
    bool by_value;    /* an enumeration that is spelled by its values; the others by names */
    gm_text name;     /* record, enum, flag, alias */
    gm_text kind;     /* record: dataclass, typeddict, namedtuple, attrs, pydantic, class */
    gm_text doc;
    gm_text note;     /* annotated */
    gm_type_indexes items;
    GM_VEC(gm_meaning_field) fields;
    GM_VEC(gm_meaning_value) values;
    GM_VEC(gm_meaning_bound) bounds; /* annotated */
} gm_meaning_type;

typedef struct gm_meaning_parameter {
    gm_text name;
    uint32_t type;
    gm_text value; /* its default as source text */
    gm_text note;
} gm_meaning_parameter;

typedef struct gm_meaning_function {
    gm_text name;
    gm_text doc;
    bool is_async;
    GM_VEC(gm_meaning_parameter) parameters;
} gm_meaning_function;

typedef struct gm_meaning {
    GM_VEC(gm_meaning_type) types;
    uint32_t root; /* what is to be read: a type, or what the function returns */
    bool is_function;
    gm_meaning_function function;
    GM_VEC(gm_meaning_function) tools; /* that the model may have called */
} gm_meaning;

/* Append the JSON form; with `hash` its first member is the content hash. */
void gm_meaning_write(const gm_meaning *meaning, bool hash, gm_buffer *out);

/* What is wrong with a JSON form; `message` is NULL when nothing is. */
typedef struct gm_meaning_error {
    const char *message; /* lower case, no full stop; in the arena or static */
} gm_meaning_error;

/* Read a JSON form and check that it is sound: types exist, forms have their items, and no type is made of nothing but itself. A member
 * `hash` is not looked at. */
gm_meaning_error gm_meaning_load(gm_arena *arena, const char *json, size_t size, gm_meaning *meaning);

/* The type behind aliases and annotations. */
const gm_meaning_type *gm_meaning_resolve(const gm_meaning *meaning, uint32_t type);

#endif
