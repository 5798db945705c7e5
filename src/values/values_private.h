/* Shared by the files behind values.h.
 *
 * Values form a lattice: GM_VALUE_NO_PATH (nothing has come here yet) lies below all; above it TENSOR, below MAYBE, and NOT, below
 * UNKNOWN, below MAYBE. The definitions of a function's variables are evaluated in rounds until none changes; the values of expressions
 * are kept for the round in which they were found. Variables of modules and classes are evaluated where they are bound, whatever the order. */
#ifndef GM_VALUES_VALUES_PRIVATE_H
#define GM_VALUES_VALUES_PRIVATE_H

#include "flow/flow_private.h"
#include "flow/reaching.h"
#include "values/values.h"

/* A class of gm_value.class_ that never leaves these files: code that no path has reached yet. */
enum { GM_VALUE_NO_PATH = 0xFF };

/* Traits that never leave these files. Of Python values: by evidence it may come from tensor data; nothing is known of where it comes from. */
enum {
    GM_VALUE_OWN_OPERATORS = 1 << 13, /* its class may answer operators, and is none of Python's or torch's own */
    GM_VALUE_UNSURE_DATA = 1 << 14,
    GM_VALUE_MAYBE_DATA = 1 << 15,
};

/* How a variable of a function is used, anywhere in it. */
typedef struct gm_value_usage {
    const char *reason; /* it is used like a tensor; NULL: no sign of that */
    const gm_node *evidence;
    bool escapes; /* others may hold the same storage: it is assigned, stored, handed to an unknown call, viewed, captured */
    bool counts;  /* used like a number: an argument of range() or a size */
    bool measured; /* its `len` is compared with a number */
    bool opened;   /* used in another way than by its `len`, one of its items, or a test for None */
    GM_VEC(const gm_node *) questions; /* calls `isinstance(x, ...)` and `torch.is_tensor(x)` */
} gm_value_usage;

typedef struct gm_memo_slot {
    const gm_node *node;
    uint32_t number; /* of the memo, plus one */
} gm_memo_slot;
typedef GM_MAP(gm_memo_slot) gm_memo_map;

typedef struct gm_value_memo {
    uint32_t round;
    gm_value value;
} gm_value_memo;

/* The values of one function: function->environments. */
struct gm_environments {
    bool busy;               /* its definitions are being evaluated */
    bool known;              /* all values are final */
    uint32_t round;
    gm_reaching *reaching;
    gm_value *values;        /* of each definition of `reaching` */
    uint32_t *read_round;    /* of each definition: the last round in which its value was asked for */
    gm_value *all;           /* of each symbol: the join over its definitions */
    uint32_t *all_round;     /* of each symbol: the round of that, plus one */
    gm_value_usage *usages;        /* of each symbol of the scope; NULL until asked for */
    GM_VEC(gm_value_memo) memos;
    gm_memo_map places; /* of the memos */
    bool has_result; /* what the function returns is known */
    gm_value result;
};

typedef struct gm_class_slot {
    const gm_node *node;
    gm_class *facts; /* being filled while the class is looked at */
} gm_class_slot;
typedef GM_MAP(gm_class_slot) gm_class_map;

/* What the functions of a file share. */
struct gm_values_shared {
    bool tensors; /* the file imports torch, and neither numpy nor pandas: what `x.sum()` is called on is a tensor */
    bool torch;   /* the file imports torch */
    uint32_t depth;   /* of evaluations that nest */
    uint32_t results; /* functions whose results are being looked into */
    uint32_t put_off; /* how often something was unknown only because it nests too far, or is being looked at */
    gm_class_map classes;
};

/* ---- values.c ---- */

struct gm_values_shared *gm_values_shared_of(gm_flow *flow);

/* The environments of a function, evaluated as far as that has come. */
struct gm_environments *gm_values_environments(gm_function *function);

/* The value of an expression in the present round; may be GM_VALUE_NO_PATH. */
gm_value gm_evaluate(gm_function *function, const gm_node *expression);

/* The value of a Name that is read, and that of one that an augmented assignment reads. */
gm_value gm_evaluate_name(gm_function *function, const gm_node *name);

/* ---- lattice.c ---- */

gm_value gm_value_make(gm_value_class class_, gm_value_form form, const char *reason, const gm_node *evidence);
gm_value gm_value_python(gm_value_form form, const char *reason, const gm_node *evidence);
gm_value gm_value_unknown(const gm_node *node);
gm_value gm_value_no_path(void);
gm_value gm_value_join(gm_value left, gm_value right);
bool gm_value_same(gm_value left, gm_value right);

/* What a value is once an operation that `None` refuses has been done on it: an optional tensor is a tensor. */
gm_value gm_value_used(gm_value value);

/* A value as callers may see it. */
gm_value gm_value_finish(gm_value value, const gm_node *node);

/* FROM_DATA, FROM_SHAPE, MAYBE_DATA and UNSURE_DATA of a Python value made from another value. */
uint16_t gm_value_origin(gm_value value);
uint16_t gm_value_origins(uint16_t left, uint16_t right);

/* Text for reasons, kept with the names of the tree; of formats, `%s` alone. */
const char *gm_value_text(gm_flow *flow, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

static inline bool gm_value_is_tensor(gm_value value) {
    return value.class_ == GM_VALUE_TENSOR;
}
/* FROM_SHAPE, FROM_DATA or MAYBE_DATA of a size of a tensor; NULL: of none that is known. */
static inline uint16_t gm_value_size_traits(const gm_value *tensor) {
    if (tensor == NULL || (tensor->traits & GM_VALUE_DYNAMIC_SHAPE) == 0) {
        return GM_VALUE_FROM_SHAPE;
    }
    return tensor->class_ == GM_VALUE_TENSOR ? GM_VALUE_FROM_DATA : GM_VALUE_MAYBE_DATA;
}

/* A tensor, or perhaps one. */
static inline bool gm_value_has_tensor(gm_value value) {
    return value.class_ == GM_VALUE_TENSOR || value.class_ == GM_VALUE_MAYBE;
}
static inline bool gm_value_is(gm_value value, gm_value_form form) {
    return value.class_ == GM_VALUE_NOT && value.form == form;
}
/* A Python object of whose attributes, methods and items nothing is known. */
static inline bool gm_value_is_closed(gm_value value) {
    return value.form == GM_FORM_ANY || value.form == GM_FORM_OBJECT || value.form == GM_FORM_PLAIN;
}
static inline bool gm_value_is_scalar(gm_value value) {
    return gm_value_is_number(value) || (gm_value_has_tensor(value) && (value.traits & GM_VALUE_SCALAR) != 0);
}

/* ---- expression.c ---- */

/* The value of one node whose operands are evaluated through gm_evaluate. */
gm_value gm_evaluate_node(gm_function *function, const gm_node *node);

/* ---- operators.c ---- */

/* What the arithmetic operator, its augmented assignment, and the comparison makes of two values. */
gm_value gm_value_arithmetic(uint8_t operator_, gm_value left, gm_value right, const gm_node *node);
gm_value gm_value_augmented(uint8_t operator_, gm_value left, gm_value right, const gm_node *node);
gm_value gm_value_comparison(uint8_t operator_, gm_value left, gm_value right, const gm_node *node);

/* ---- access.c ---- */

gm_value gm_evaluate_subscript(gm_function *function, const gm_node *node);
gm_value gm_evaluate_attribute(gm_function *function, const gm_node *node);

/* What indexing a value by a number, or iterating over it, gives. */
gm_value gm_value_item(gm_value value, const gm_node *evidence);

/* Whether a name, attribute or chain of them holds configuration by universal custom: `self.config.x`, `cfg`, `args.x`. */
bool gm_is_setting(const gm_node *node);

/* ---- call.c, builtin.c ---- */

gm_value gm_evaluate_call(gm_function *function, const gm_node *node);
gm_value gm_evaluate_builtin(gm_function *function, const char *name, const gm_node *node);

/* What a def of this file returns. */
gm_value gm_value_of_result(gm_flow *flow, const gm_node *definition);

/* ---- torch.c ---- */

/* What a call of a torch operator gives. `receiver` is the tensor of a method, NULL of a function. */
gm_value gm_evaluate_torch_op(gm_function *function, const gm_torch_op *op, const gm_node *node, const gm_value *receiver);

/* The value of an attribute that Tensor has: `x.shape`. */
gm_value gm_value_torch_property(gm_flow *flow, const gm_torch_op *op, gm_value receiver, const gm_node *node);

/* The value of a qualified name below torch that is read, and of a call of one that is no operator. */
gm_value gm_value_of_torch_name(gm_flow *flow, const gm_name *name, const gm_node *node);
gm_value gm_evaluate_torch_call(gm_function *function, const gm_name *name, const gm_node *node);

/* What calling an instance of a class of torch.nn gives: `type` is "torch.nn.Linear" and the like. */
gm_value gm_value_of_layer(gm_function *function, const gm_name *type, const gm_node *call);

/* Whether an attribute of this name on an object that nothing is known of is a sign of a tensor. */
bool gm_torch_is_telling(gm_function *function, const gm_torch_op *op, bool called);

/* The dtype that an expression given as `dtype` stands for. */
gm_value_dtype gm_torch_dtype_of(gm_flow *flow, const gm_node *expression);

/* Whether an operator returns storage that nothing else has, whatever its arguments. */
bool gm_torch_is_fresh(const gm_torch_op *op);

/* ---- bind.c, annotation.c ---- */

/* The value that a binder (Name, arg, alias, FunctionDef, ...) gives to its variable. */
gm_value gm_evaluate_binder(gm_function *function, const gm_node *binder);

/* What iterating over an expression gives. */
gm_value gm_evaluate_iteration(gm_function *function, const gm_node *iterable);

/* The `self.NAME` over whose items the loop goes that alone binds a name, or that a subscript takes an item of; or NULL. */
const gm_node *gm_attribute_of_item(gm_function *function, const gm_node *item);

/* What an annotation promises; UNKNOWN when it says nothing. */
gm_value gm_value_of_annotation(gm_flow *flow, const gm_node *annotation);

/* ---- use.c ---- */

/* The usages of the variables of a function, by syntax alone. */
gm_value_usage *gm_values_usages(gm_function *function);

/* How a variable of the function is used; found out once for all of them. */
const gm_value_usage *gm_values_usage(gm_function *function, const gm_symbol *symbol);

/* ---- class.c ---- */

/* Whether a name is `self` of a method, here or in a function nested in it; gives the method's class. */
const gm_node *gm_class_of_self(gm_function *function, const gm_node *expression);

/* The value of `self.NAME`, for a class of this file. */
gm_value gm_evaluate_self(gm_function *function, const gm_node *class_def, const gm_node *attribute);

/* Whether a test of its type rules out that a variable of the function is a tensor where a Name reads it. */
bool gm_value_ruled_out(gm_function *function, const gm_value_usage *usage, const gm_node *use);

/* Whether a class, or a base of it in this file, has methods that answer operators. */
bool gm_class_has_operators(gm_flow *flow, const gm_node *class_def);

/* The def of a method of a class or its bases in this file, or NULL. */
const gm_node *gm_class_method(gm_flow *flow, const gm_node *class_def, const gm_name *name);

/* The ClassDef, FunctionDef or AsyncFunctionDef that a name certainly stands for, bound once in the module; or NULL. */
const gm_node *gm_flow_definition_of(gm_flow *flow, const gm_node *name);

/* The class of the file that a base names, or NULL. */
const gm_node *gm_class_base(gm_flow *flow, const gm_node *base);

#endif
