/* Values: what is a tensor, and why it is believed.
 *
 * Evidence is narrow and flow-sensitive: a value is what the statements on the way to it make of it. Shapes, sizes, `None` tests, flags
 * and configuration are no tensors. Every answer carries its reason, ready to be shown. */
#ifndef GM_VALUES_VALUES_H
#define GM_VALUES_VALUES_H

#include "flow/flow.h"
#include "flow/torch_facts.h"

/* How sure it is that a value is a tensor. */
typedef enum gm_value_class {
    GM_VALUE_UNKNOWN, /* no evidence */
    GM_VALUE_TENSOR,  /* a tensor on every path: a torch constructor or operation, an annotation `torch.Tensor`, a registered buffer */
    GM_VALUE_MAYBE,   /* evidence, but no proof: used like a tensor, `Optional[Tensor]`, a tensor on some paths */
    GM_VALUE_NOT,     /* a Python object */
} gm_value_class;

/* What kind of object it is, when known. */
typedef enum gm_value_form {
    GM_FORM_ANY,
    GM_FORM_TENSOR,
    GM_FORM_NONE,
    GM_FORM_BOOL,
    GM_FORM_INT,
    GM_FORM_FLOAT,
    GM_FORM_NUMBER,   /* int, float or complex */
    GM_FORM_STRING,
    GM_FORM_BYTES,    /* bytes or bytearray */
    GM_FORM_SIZE,     /* torch.Size, or a list or tuple of its numbers */
    GM_FORM_TUPLE,
    GM_FORM_LIST,
    GM_FORM_DICT,
    GM_FORM_SET,
    GM_FORM_TENSORS,  /* a tuple or list of tensors */
    GM_FORM_DTYPE,
    GM_FORM_DEVICE,
    GM_FORM_FUNCTION,
    GM_FORM_CLASS,
    GM_FORM_MODULE,   /* an nn.Module instance: calling it gives a tensor most of the time */
    GM_FORM_MODULES,  /* ModuleList, Sequential, ModuleDict, or a list or tuple of it: items are modules */
    GM_FORM_LOGGER,
    GM_FORM_ARRAY,    /* a numpy array or number */
    GM_FORM_OBJECT,   /* some other Python object */
    GM_FORM_PLAIN,    /* an object of Python's or torch's own without arithmetic, which equals no tensor: range, slice, iterator, type */
} gm_value_form;

typedef enum gm_value_dtype { GM_DTYPE_UNKNOWN, GM_DTYPE_BOOL, GM_DTYPE_INTEGER, GM_DTYPE_FLOATING, GM_DTYPE_COMPLEX } gm_value_dtype;

/* Tensor facts, each "certain when set": bits of gm_value.traits. */
enum {
    GM_VALUE_SCALAR = 1 << 0,      /* 0-d */
    GM_VALUE_OPTIONAL = 1 << 1,    /* may also be None */
    GM_VALUE_FROM_DATA = 1 << 2,   /* a Python value read out of a tensor: item(), bool(t), tolist() */
    GM_VALUE_FROM_SHAPE = 1 << 3,  /* a Python value read from a shape */
    GM_VALUE_BY_USE = 1 << 4,      /* the evidence is how the value is used */
    GM_VALUE_BY_ANNOTATION = 1 << 5,
    GM_VALUE_PARAMETER = 1 << 6,   /* an nn.Parameter */
    GM_VALUE_BUFFER = 1 << 7,      /* a registered buffer */
    GM_VALUE_DYNAMIC_SHAPE = 1 << 8, /* its shape depends on data: nonzero, x[mask] */
    GM_VALUE_FRESH = 1 << 9,       /* made by an operation that returns new storage: no alias of anything else */
    GM_VALUE_LEAF_INPUT = 1 << 10, /* the value of a parameter of the function, untouched so far */
    GM_VALUE_CONSTANT = 1 << 11,   /* a literal, or a name that is only ever bound to it */
};

typedef struct gm_value {
    uint8_t class_; /* gm_value_class */
    uint8_t form;   /* gm_value_form */
    uint8_t dtype;  /* gm_value_dtype, of a tensor */
    uint16_t traits;
    const char *reason;      /* why: "`sum` without dim of a tensor", lower case, no full stop; never NULL */
    const gm_node *evidence; /* the node that the reason speaks of; may be NULL */
} gm_value;

/* Whether it certainly is a Python number, a truth value included. */
static inline bool gm_value_is_number(gm_value value) {
    return value.class_ == GM_VALUE_NOT && value.form >= GM_FORM_BOOL && value.form <= GM_FORM_NUMBER;
}

/* The value of an expression of the function (comprehension bodies and lambda bodies inside it included), where it stands. */
gm_value gm_value_of(gm_function *function, const gm_node *expression);

/* The value of a local just before a statement. */
gm_value gm_value_before(gm_function *function, const gm_node *statement, const gm_symbol *symbol);

/* Whether evaluating `test` as a condition reads tensor data: TENSOR when its truth is that of a tensor on every run, MAYBE,
 * NOT. Looks through `not`, `and`, `or`, parentheses and comparisons; the reason names the part that decides. */
gm_value gm_value_of_test(gm_function *function, const gm_node *test);

/* The torch operator that a Call calls, as function or as method of a (possible) tensor, or NULL. `method` may be NULL; it is set when the
 * receiver is the tensor. */
const gm_torch_op *gm_called_torch_op(gm_function *function, const gm_node *call, bool *method);

/* Whether an expression is a logger: bound by logging.getLogger(...), transformers' logging.get_logger(...), loguru's logger, or an attribute
 * of self that is. */
bool gm_is_logger(gm_function *function, const gm_node *expression);

/* ---- Classes ---- */

/* What `self.NAME` holds in the methods of a class, from its body and its `__init__` (and other methods that set it). */
typedef struct gm_attribute {
    const gm_name *name;
    gm_value value;          /* joined over all places in the class that set it */
    const gm_name *type;     /* qualified class when it is a constructor call: "torch.nn.Dropout"; or NULL */
    const gm_name *item_type; /* that of its items when it is a ModuleList or the like of modules of one class; or NULL */
    const gm_node *binder;   /* the first Assign, AnnAssign or register_buffer call */
    bool outside_init;       /* set in another method than __init__ as well */
    uint32_t places;         /* of the class that set it */
} gm_attribute;

typedef struct gm_attribute_slot {
    const gm_name *name;
    uint32_t number; /* of the attribute, plus one */
} gm_attribute_slot;
typedef GM_MAP(gm_attribute_slot) gm_attribute_map;

typedef struct gm_class {
    const gm_node *node;
    bool is_module;    /* a base is torch.nn.Module, a class of torch.nn, or a class of this file that is one; or the name says so */
    GM_VEC(gm_attribute) attributes; /* in order of first appearance */
    gm_attribute_map by_name; /* private */
    bool looked_at;    /* private: its attributes are known, or being looked for */
    bool complete;     /* private: they are known */
} gm_class;

/* The ClassDef whose method a function is; NULL for other functions. */
const gm_node *gm_class_definition_around(gm_function *function);

/* `is_module` of a ClassDef alone, without the values of its attributes: these take an evaluation of all of its methods. */
bool gm_class_is_module(gm_flow *flow, const gm_node *class_def);

/* Whether a ClassDef is a class of `torch.autograd.Function`. */
bool gm_class_is_autograd_function(gm_flow *flow, const gm_node *class_def);

/* Whether a ClassDef is a logger or an adapter of one. */
bool gm_class_is_logger(gm_flow *flow, const gm_node *class_def);

/* The facts of a ClassDef; of the class whose method a function is, NULL for other functions. */
const gm_class *gm_class_of(gm_flow *flow, const gm_node *class_def);
const gm_class *gm_class_around(gm_function *function);
const gm_attribute *gm_class_attribute(const gm_class *class_, const gm_name *name);

/* The attribute of a class, or of the first of its bases in the file that has one of the name; NULL for none. */
const gm_attribute *gm_class_attribute_of(gm_flow *flow, const gm_node *class_def, const gm_name *name);

/* The keyword argument of a call, or NULL; positional argument `index`, or NULL when it or one before it is `*args`. */
const gm_node *gm_call_keyword(const gm_Call *call, const char *name);
const gm_node *gm_call_argument(const gm_Call *call, uint32_t index);

/* "tensor", "maybe", "not", "unknown"; "bool", "size", ... */
const char *gm_value_class_text(uint8_t class_);
const char *gm_value_form_text(uint8_t form);

#endif
