/* Relations: what is proved of the value of an expression in a side of a branch, measured by the tensors that come into the branch.
 *
 * A side may be computed although Python would not have run it when its value relates to such tensors: then the expression has no effect,
 * draws no random number and cannot raise unless the other side, which relates to the same tensors, raises as well. Two sides may be
 * selected from when their relations agree: same shape, dtype, device, and the same gradients whichever is selected. */
#ifndef GM_MEND_RELATION_H
#define GM_MEND_RELATION_H

#include "analysis/analysis.h"

enum { GM_RELATION_BASES = 4 };

/* The dtype, as the outcome of promotion from those of the bases. */
typedef enum gm_relation_level {
    GM_PROMOTED_SAME,  /* that of the bases */
    GM_PROMOTED_INT,   /* promoted by an int: differs from SAME for bool */
    GM_PROMOTED_FLOAT, /* promoted by a float or a true division: differs from SAME for bool and integers */
    GM_PROMOTED_BOOL,
} gm_relation_level;

/* What a derivative does with a gradient of zero, which is what the side that is not selected receives. */
typedef enum gm_relation_gradient {
    GM_GRADIENT_ZERO, /* gives zero, whatever the values are */
    GM_GRADIENT_NAN,  /* gives NaN exactly where the base is NaN, otherwise zero */
    GM_GRADIENT_ANY,  /* may give NaN: zero times infinity */
} gm_relation_gradient;

/* The order of elements in memory, which results of pointwise operations take from their operands. */
typedef enum gm_relation_layout { GM_LAYOUT_BASES, GM_LAYOUT_CONTIGUOUS, GM_LAYOUT_UNKNOWN } gm_relation_layout;

typedef struct gm_symbols4 {
    const gm_symbol *items[GM_RELATION_BASES];
    uint8_t count;
} gm_symbols4;

typedef enum gm_relation_kind { GM_RELATION_NONE, GM_RELATION_TENSOR, GM_RELATION_NUMBER } gm_relation_kind;

typedef struct gm_relation {
    uint8_t kind;     /* gm_relation_kind; NONE: nothing is proved */
    uint8_t level;    /* gm_relation_level; of a number: INT or FLOAT */
    uint8_t gradient; /* gm_relation_gradient */
    bool alias;       /* may share memory with a base, or be it */
    uint8_t layout;   /* gm_relation_layout */
    bool chain;       /* made from one reading of one base: it is NaN exactly where that is */
    gm_symbols4 bases;
    gm_symbols4 inputs; /* the bases that a gradient flows to */
    gm_symbols4 saved;  /* the bases that are kept for the backward pass, and must not be changed in place before it */
    bool literal;       /* a number whose value is known */
    double value;
    int8_t limit;       /* a number within the range of the floating dtype of `bases`; its sign */
    const char *reason; /* NONE: why, lower case, no full stop */
} gm_relation;

/* A variable that a side has bound. */
typedef struct gm_related {
    const gm_symbol *symbol;
    gm_relation relation;
} gm_related;

typedef GM_VEC(const gm_symbol *) gm_variables;

/* What a proof takes for granted when it may. */
typedef struct gm_assumptions {
    gm_variables tensors; /* they hold floating point tensors */
    gm_variables kept;    /* nobody changes them in place before the backward pass */
    gm_variables placed;  /* they are on the device of the values that are selected */
} gm_assumptions;

/* The place of a branch and what is known there. */
typedef struct gm_proof {
    gm_analysis *analysis;
    gm_assumptions *assumptions; /* NULL: nothing is taken for granted */
    gm_function *function;
    const gm_node *statement; /* the branch */
    const gm_place *place;
    const gm_node *test;
    bool grad_free; /* gradients are off */
    bool early;     /* the question is about code that is to run in front of the test */
    uint32_t depth; /* of the expressions within one another that are being looked at */
    GM_VEC(gm_related) bound; /* by the side that is being looked at */
} gm_proof;

gm_proof gm_proof_at(gm_analysis *analysis, gm_function *function, const gm_node *statement, const gm_place *place, const gm_node *test);

/* Whether a value is a tensor, or is used like one and may be taken for one. Note what is taken for granted of `symbol`. */
bool gm_proof_tensor(const gm_proof *proof, gm_value value, const gm_symbol *symbol);

/* Whether everything that a condition is computed from is on the device of these variables. */
bool gm_proof_same_device(const gm_proof *proof, const gm_node *condition, const gm_symbols4 *values);

/* Whether it may be taken for granted that a tensor stays as it is until the backward pass. */
bool gm_proof_kept(const gm_proof *proof, const gm_symbol *symbol);

/* The relation of an expression, where it stands. */
gm_relation gm_relation_of(gm_proof *proof, const gm_node *expression);

/* The relation of a variable, as it comes into the branch. */
gm_relation gm_relation_of_variable(const gm_proof *proof, const gm_symbol *symbol);

/* Note that the side has bound a local. */
void gm_relation_bind(gm_proof *proof, const gm_symbol *symbol, gm_relation relation);

/* Why the two values cannot be selected from; NULL when they can. Aliases are not looked at. `target` is the variable that the selection is
 * assigned to, or NULL. */
const char *gm_relation_disagree(const gm_proof *proof, const gm_relation *left, const gm_relation *right, const gm_symbol *target);

/* The dtype of a tensor variable at the branch, by its value, by conditions around and by the test. */
gm_value_dtype gm_proof_dtype(const gm_proof *proof, const gm_symbol *symbol);

/* Whether a variable holds, at the branch, a tensor that was made in this function by an operation, and that nothing else refers to: then
 * nobody can tell whether it or a copy is used from there on. */
bool gm_proof_private(const gm_proof *proof, const gm_symbol *symbol);

/* The assignment that gives a variable the value that it has at the branch; NULL when it is not the only one. */
const gm_node *gm_proof_definition(const gm_proof *proof, const gm_symbol *symbol);

/* Whether an expression is the call of a layer of torch that always returns a new floating point tensor: `self.norm(x)`. */
bool gm_proof_is_layer(const gm_proof *proof, const gm_node *expression);

/* Whether a variable is floating point by the way it was computed. */
bool gm_proof_floating(const gm_proof *proof, const gm_symbol *symbol);

/* Whether nothing has kept a private variable for the backward pass so far: changing it in place does no harm. */
bool gm_proof_unsaved(const gm_proof *proof, const gm_symbol *symbol);

/* ---- Shared by relation*.c ---- */

gm_relation gm_relation_none(const char *reason);
gm_relation gm_relation_number(gm_proof *proof, const gm_node *expression);
gm_relation gm_relation_call(gm_proof *proof, const gm_node *call);
gm_relation gm_relation_of_number(uint8_t level, bool literal, double value);

/* Whether a tensor is certainly floating point; certainly no bool. */
bool gm_relation_floating(const gm_proof *proof, const gm_relation *relation);
bool gm_relation_arithmetic(const gm_proof *proof, const gm_relation *relation);

/* Whether all bases are. */
bool gm_relation_floating_bases(const gm_proof *proof, const gm_relation *relation);

/* Note that an operation keeps `operand` for the backward pass. */
void gm_relation_save(gm_relation *result, const gm_relation *operand);

void gm_relation_save_both(gm_relation *result, const gm_relation *left, const gm_relation *right);

/* Two tensors in one operation: bases joined; NONE when shapes or dtypes are not settled by that. */
gm_relation gm_relation_merge(const gm_proof *proof, const gm_relation *left, const gm_relation *right);

bool gm_symbols4_have(const gm_symbols4 *list, const gm_symbol *symbol);

#endif
