/* Shared among source*.c. */
#ifndef GM_MEANING_SOURCE_PRIVATE_H
#define GM_MEANING_SOURCE_PRIVATE_H

#include "base/table.h"
#include "meaning/source.h"
#include "syntax/parse.h"

typedef struct gm_code {
    const char *path;
    const gm_tree *tree; /* NULL: the file is not there or has errors */
} gm_code;

/* Where a name is looked up: a body, and the bodies around it. */
typedef struct gm_source_place {
    const gm_code *code;
    const struct gm_source_place *outer;
    const gm_list *body;
    const gm_tree *text; /* what nodes refer to: the file, or an annotation in a string */
    const gm_list *type_params; /* of PEP 695, or NULL */
} gm_source_place;

/* What a name stands for. */
typedef struct gm_source_target {
    const char *external;   /* a dotted name outside of the package: "typing.Optional", "int"; or NULL */
    const gm_code *module;  /* a file of the package; or NULL */
    const gm_node *node;    /* a definition: ClassDef, FunctionDef, Assign, AnnAssign, TypeAlias */
    const gm_source_place *place;  /* where the definition stands */
} gm_source_target;

/* Values of type variables. */
typedef struct gm_variable {
    const struct gm_variable *next;
    const char *name;
    const gm_source_place *place; /* where the value stands */
    const gm_node *node;
    const struct gm_variable *scope; /* the variables there */
    const char *words;               /* the type in words, for names such as Box[int] */
} gm_variable;

typedef struct gm_nominal {
    const gm_node *node;
    const char *words; /* the name with its arguments */
    uint32_t type;
    uint32_t number; /* among those with the same words */
} gm_nominal;

/* A body whose names were asked for, and its `from x import *`. */
typedef struct gm_source_body {
    GM_VEC(const gm_node *) stars;
} gm_source_body;

/* What a name of a body is bound to. */
typedef struct gm_source_binding {
    const gm_source_body *body;
    const char *name;
    size_t length;
    const gm_node *node;   /* a definition or an import */
    const gm_alias *alias; /* of an import */
} gm_source_binding;

/* An annotation in a string of a file. */
typedef struct gm_source_quoted {
    const gm_code *code;
    gm_text text;
    const gm_tree *tree; /* NULL: it is no expression */
} gm_source_quoted;

typedef struct gm_builder {
    gm_arena *arena;
    gm_meaning *meaning;
    GM_VEC(gm_code *) codes;
    GM_VEC(gm_nominal) nominal;
    GM_VEC(gm_source_body *) bodies;
    gm_table body_by_list;
    GM_VEC(gm_source_binding) bound;
    gm_table bound_by_name;
    GM_VEC(gm_code *) imports; /* the file of an import, NULL where the package has none */
    gm_table import_by_node;
    /* Types, fields, members and named types by what they are. Entries may be about what a refused parameter took back: what is found is
       compared. */
    gm_table structures;
    gm_table fields;
    gm_table members;
    gm_table named;
    gm_table named_last;
    GM_VEC(gm_source_quoted) quoted;
    gm_table quoted_by_text;
    const gm_variable *variables;
    gm_text *described; /* where the next annotation puts the description of its `Field(...)`; NULL: into its own note */
    uint32_t depth;
    uint32_t bases; /* that were looked at */
    gm_source_problem problem;
} gm_builder;

/* The tree of an annotation in a string of a file; NULL where it is no expression. Each text is parsed once. */
const gm_tree *gm_source_quoted_tree(gm_builder *in, const gm_code *code, gm_text text);

/* Say what is wrong; the first problem counts. printf-style. */
void gm_source_refuse(gm_builder *in, const gm_source_place *place, const gm_node *node, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;

/* The file of a module as seen from another file; NULL when the package has none. */
gm_code *gm_source_module(gm_builder *in, const gm_code *from, const char *dotted, int level);
gm_source_place *gm_source_top(gm_builder *in, const gm_code *code);
gm_source_place *gm_source_inside(gm_builder *in, const gm_source_place *outer, const gm_node *definition);

/* What a name or dotted name stands for; all members NULL when it is nothing that is known. */
gm_source_target gm_source_resolve(gm_builder *in, const gm_source_place *place, const gm_node *expression);
bool gm_source_is(gm_builder *in, const gm_source_place *place, const gm_node *expression, const char *const *names);

/* Types */
enum { GM_SOURCE_DEPTH = 100 }; /* of types in one another */
uint32_t gm_source_type(gm_builder *in, const gm_source_place *place, const gm_node *annotation);
uint32_t gm_source_structure(gm_builder *in, gm_form form, const gm_type_indexes *items);
/* Unions: an annotation whose sides may be unions themselves; whether it is `A | B`; whether a name is that of one in brackets. */
uint32_t gm_source_union(gm_builder *in, const gm_source_place *place, const gm_node *annotation);
bool gm_source_is_bar(const gm_node *annotation);
bool gm_source_names_union(const char *name);
/* What stands in brackets: several are a tuple. */
const gm_list *gm_source_arguments(gm_builder *in, const gm_node *slice);
/* The annotation in a text, with its place in `inner`; NULL for others. */
const gm_node *gm_source_quoted_type(gm_builder *in, const gm_source_place *place, const gm_node *node, gm_source_place *inner);
uint32_t gm_source_intern(gm_builder *in, const gm_meaning_type *type);
uint32_t gm_source_reserve(gm_builder *in, const gm_node *node, const char *words);
uint32_t gm_source_find(const gm_builder *in, const gm_node *node, const char *words); /* UINT32_MAX: none */
/* Gives the type variables of a class what stands in brackets; false when there are too few or too many. */
bool gm_source_bind(gm_builder *in, const gm_source_target *class, const gm_source_place *place, const gm_node *slice);
uint32_t gm_source_class(gm_builder *in, const gm_source_target *target, const char *words);
/* The key of a text within a type, for tables of fields and of members. */
uint64_t gm_source_name_key(uint32_t index, gm_text name);

/* Whether a class derives from one of the classes with these names; `depth` is 0. */
bool gm_source_derives(gm_builder *in, const gm_source_target *class, const char *const *names, unsigned depth);
bool gm_source_is_enumeration(gm_builder *in, const gm_source_target *target, bool *flag);
void gm_source_enumeration(gm_builder *in, const gm_source_target *target, uint32_t index);
const char *gm_source_words(gm_builder *in, const gm_source_place *place, const gm_node *annotation);

/* The value of a constant expression; false when it is none. */
bool gm_source_value(gm_builder *in, const gm_source_place *place, const gm_node *node, gm_meaning_value *value);

/* Whether a call is one of `pydantic.Field` or of what is like it. */
bool gm_source_is_field(gm_builder *in, const gm_source_place *place, const gm_node *node);

/* A string, written as such or as the name of a constant; no text: not a string. */
gm_text gm_source_words_of(gm_builder *in, const gm_source_place *place, const gm_node *node);

/* The source of a default as the IR has it; no text when it is not short and certain. */
gm_text gm_source_default(gm_builder *in, const gm_source_place *place, const gm_node *node);

/* A bound or a note of an annotation, or of Field(...). */
void gm_source_take_metadata(gm_builder *in, const gm_source_place *place, const gm_node *node, gm_meaning_type *type, gm_buffer *note);

/* The note and the bounds of an annotation, of which the first argument is the type. With `described`, what a field of pydantic says of itself
 * goes there. */
gm_meaning_type gm_source_metadata(gm_builder *in, const gm_source_place *place, const gm_list *arguments, gm_text *described);

/* A type with the note and the bounds of another; types from `before` on were made for it. Annotations of what is annotated are one, as in Python. */
uint32_t gm_source_annotated(gm_builder *in, uint32_t inner, uint32_t before, const gm_meaning_type *said);

/* Notes */
gm_text gm_source_string(gm_arena *arena, const gm_tree *text, const gm_node *node); /* no text: not a string */
gm_text gm_source_docstring(gm_arena *arena, const gm_tree *tree, const gm_list *body); /* cleaned; no text: none */
gm_text gm_source_field_note(gm_arena *arena, const gm_tree *tree, const gm_list *body, uint32_t index);
gm_text gm_source_parameter_note(gm_arena *arena, const gm_tree *tree, uint32_t end);

#define GM_NO_TYPE UINT32_MAX

#endif
