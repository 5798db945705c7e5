/* The syntax tree: CPython's abstract grammar with byte ranges.
 *
 * Kinds and fields come from nodes.def and carry CPython's names in CPython's order, so that one generic walker or
 * dumper serves all. A node of kind `If` is a `gm_If`, whose first member is the `gm_node` header:
 *
 *     const gm_If *branch = gm_as_If(node);
 *
 * All nodes live in the arena of the parse and are immutable after it. Ranges are byte offsets into `gm_source.text`, without enclosing
 * parentheses (a parenthesised tuple includes its own), decorators excluded, as in CPython 3.8 and later. */
#ifndef GM_SYNTAX_TREE_H
#define GM_SYNTAX_TREE_H

#include <assert.h>

#include "base/diagnostic.h"
#include "base/names.h"
#include "base/source.h"
#include "syntax/tokens.h"

typedef enum gm_kind {
#define GM_BEGIN(kind, group) GM_KIND_##kind,
#define GM_END(kind)
#include "syntax/nodes.def"
    GM_KIND_COUNT
} gm_kind;

typedef enum gm_group {
    GM_GROUP_mod,
    GM_GROUP_stmt,
    GM_GROUP_expr,
    GM_GROUP_pattern,
    GM_GROUP_type_param,
    GM_GROUP_part /* arguments, keyword, alias, ...: nodes that are neither statement nor expression */
} gm_group;

/* Node flags. */
enum {
    GM_FLAG_PARENTHESIZED = 1, /* an expression inside at least one pair of redundant parentheses */
    GM_FLAG_ERROR = 2          /* recovered from a syntax error; the file has a diagnostic here */
};

typedef struct gm_node {
    uint8_t kind; /* gm_kind */
    uint8_t flags;
    uint32_t start;
    uint32_t end;    /* first byte behind the node */
    uint32_t number; /* 1, 2, ... up to gm_tree.node_count, in the order in which the nodes were made; 0: in no tree. Facts about nodes
                        are kept in arrays by it. */
} gm_node;

typedef struct gm_list {
    gm_node **items; /* entries are NULL only in Dict.keys (`**x`) and arguments.kw_defaults */
    uint32_t count;
} gm_list;

typedef struct gm_name_list {
    const gm_name **items;
    uint32_t count;
} gm_name_list;

typedef enum gm_context { GM_LOAD, GM_STORE, GM_DEL } gm_context;

/* clang-format off */
typedef enum gm_operator {
    GM_OP_NONE,
    GM_OP_And, GM_OP_Or,
    GM_OP_Add, GM_OP_Sub, GM_OP_Mult, GM_OP_MatMult, GM_OP_Div, GM_OP_Mod, GM_OP_Pow, GM_OP_LShift, GM_OP_RShift,
    GM_OP_BitOr, GM_OP_BitXor, GM_OP_BitAnd, GM_OP_FloorDiv,
    GM_OP_Invert, GM_OP_Not, GM_OP_UAdd, GM_OP_USub,
    GM_OP_Eq, GM_OP_NotEq, GM_OP_Lt, GM_OP_LtE, GM_OP_Gt, GM_OP_GtE, GM_OP_Is, GM_OP_IsNot, GM_OP_In, GM_OP_NotIn,
    GM_OP_COUNT
} gm_operator;
/* clang-format on */

typedef struct gm_operator_list {
    uint8_t *items; /* gm_operator */
    uint32_t count;
} gm_operator_list;

typedef enum gm_literal {
    GM_LITERAL_None,
    GM_LITERAL_True,
    GM_LITERAL_False,
    GM_LITERAL_Ellipsis,
    GM_LITERAL_int,     /* parts[0] is the digits as written, also for float and complex */
    GM_LITERAL_float,
    GM_LITERAL_complex,
    GM_LITERAL_str,     /* the value is the concatenation of the decoded parts */
    GM_LITERAL_bytes
} gm_literal;

/* How the text of a literal part is to be read. */
enum {
    GM_PART_RAW = 1,    /* escapes are not escapes */
    GM_PART_BYTES = 2,
    GM_PART_FORMAT = 4, /* literal text of an f-string or t-string: `{{` and `}}` stand for one brace */
    GM_PART_UNICODE = 8, /* prefix u: Constant.kind is 'u' when the first part has it */
    GM_PART_SPEC = 16,  /* inside a format spec */
    GM_PART_DEBUG = 32  /* source text of `{expr=}`, between its comments */
};

/* A run of source text without quotes and prefix; NULL-free, may be empty. */
typedef struct gm_part {
    uint32_t start;
    uint32_t end;
    uint32_t flags;
} gm_part;

typedef struct gm_constant {
    uint8_t literal; /* gm_literal */
    uint32_t part_count;
    gm_part *parts;
} gm_constant;

/* Struct of every kind. */
/* clang-format off */
#define GM_BEGIN(kind, group)  typedef struct gm_##kind { gm_node base;
#define GM_NODE(kind, name)        gm_node *name;
#define GM_OPTIONAL(kind, name)    gm_node *name; /* may be NULL */
#define GM_LIST(kind, name)        gm_list name;
#define GM_NAME(kind, name)        const gm_name *name; /* may be NULL where the grammar says identifier? */
#define GM_NAMES(kind, name)       gm_name_list name;
#define GM_OPERATOR(kind, name)    uint8_t name;
#define GM_OPERATORS(kind, name)   gm_operator_list name;
#define GM_CONTEXT(kind, name)     uint8_t name;
#define GM_INTEGER(kind, name)     int32_t name;
#define GM_CONSTANT(kind, name)    gm_constant name;
#define GM_END(kind)           } gm_##kind;
/* clang-format on */
#include "syntax/nodes.def"

/* Checked downcasts: gm_as_If(node). Who makes trees changes nodes by gm_edit_If(node). */
#define GM_BEGIN(K, group)                                       \
    static inline const gm_##K *gm_as_##K(const gm_node *node) { \
        assert(node->kind == GM_KIND_##K);                       \
        return (const gm_##K *)(const void *)node;               \
    }                                                            \
    static inline gm_##K *gm_edit_##K(gm_node *node) {           \
        assert(node->kind == GM_KIND_##K);                       \
        return (gm_##K *)(void *)node;                           \
    }
#define GM_END(kind)
#include "syntax/nodes.def"

typedef struct gm_tree {
    gm_source *source;
    gm_Module *module;
    gm_names *names;
    gm_token *tokens; /* in order; together with the gaps they are the whole text */
    uint32_t token_count;
    uint32_t node_count; /* every node's number is at most this */
    bool has_lambda;
    gm_diagnostics diagnostics; /* empty exactly when the target accepts the file; in order of position */
} gm_tree;

/* The index of the first token that starts at `offset` or behind. */
uint32_t gm_token_at(const gm_tree *tree, uint32_t offset);

/* Reflection, for walkers and dumps. */
typedef enum gm_field_type {
    GM_FIELD_NODE,
    GM_FIELD_OPTIONAL,
    GM_FIELD_LIST,
    GM_FIELD_NAME,
    GM_FIELD_NAMES,
    GM_FIELD_OPERATOR,
    GM_FIELD_OPERATORS,
    GM_FIELD_CONTEXT,
    GM_FIELD_INTEGER,
    GM_FIELD_CONSTANT
} gm_field_type;

typedef struct gm_field {
    const char *name;
    uint16_t offset; /* within the node's struct */
    uint8_t type;    /* gm_field_type */
} gm_field;

typedef struct gm_kind_info {
    const char *name;
    const gm_field *fields;
    uint16_t field_count;
    uint16_t size; /* of the struct */
    uint8_t group; /* gm_group */
} gm_kind_info;

/* The fields of each kind that hold children, in source order, as twice the offset, plus one for a list; 0 ends them. */
enum { GM_CHILD_FIELDS = 8 };
extern const uint16_t gm_child_fields[GM_KIND_COUNT][GM_CHILD_FIELDS];

extern const gm_kind_info gm_kinds[GM_KIND_COUNT];
extern const char *const gm_operator_names[GM_OP_COUNT]; /* CPython's: "Add", "NotIn", ... */

static inline const gm_kind_info *gm_kind_of(const gm_node *node) {
    return &gm_kinds[node->kind];
}
static inline bool gm_is_stmt(const gm_node *node) {
    return gm_kinds[node->kind].group == GM_GROUP_stmt;
}
static inline bool gm_is_def(const gm_node *node) {
    return node->kind == GM_KIND_FunctionDef || node->kind == GM_KIND_AsyncFunctionDef;
}

static inline bool gm_is_definition(const gm_node *node) {
    return gm_is_def(node) || node->kind == GM_KIND_ClassDef || node->kind == GM_KIND_Lambda;
}

/* Whether statements may stand below a node, other than in expressions: compound statements and their parts. */
extern const bool gm_block_kinds[GM_KIND_COUNT];
static inline bool gm_holds_statements(const gm_node *node) {
    return gm_block_kinds[node->kind];
}

static inline bool gm_is_comprehension(const gm_node *node) {
    return node->kind == GM_KIND_ListComp || node->kind == GM_KIND_SetComp || node->kind == GM_KIND_DictComp ||
           node->kind == GM_KIND_GeneratorExp;
}

/* Whether parts of an expression are not evaluated, or more than once. */
static inline bool gm_is_conditional(const gm_node *node) {
    return node->kind == GM_KIND_IfExp || node->kind == GM_KIND_BoolOp || gm_is_comprehension(node) ||
           (node->kind == GM_KIND_Compare && gm_as_Compare(node)->ops.count > 1);
}

static inline bool gm_is_loop(const gm_node *node) {
    return node->kind == GM_KIND_For || node->kind == GM_KIND_While || node->kind == GM_KIND_AsyncFor;
}

/* Name and decorators of a FunctionDef or AsyncFunctionDef. */
static inline const gm_name *gm_def_name(const gm_node *def) {
    return def->kind == GM_KIND_FunctionDef ? gm_as_FunctionDef(def)->name : gm_as_AsyncFunctionDef(def)->name;
}

/* Python itself calls `__del__`, often when the interpreter ends and the runtime is gone; no graph has such a call. */
static inline bool gm_is_finalizer(const gm_node *node) {
    return gm_is_def(node) && gm_name_is(gm_def_name(node), "__del__");
}

static inline const gm_list *gm_def_decorators(const gm_node *def) {
    return def->kind == GM_KIND_FunctionDef ? &gm_as_FunctionDef(def)->decorator_list : &gm_as_AsyncFunctionDef(def)->decorator_list;
}

/* A constant of type `str`. */
static inline bool gm_is_text(const gm_node *node) {
    return node->kind == GM_KIND_Constant && gm_as_Constant(node)->value.literal == GM_LITERAL_str;
}

static inline bool gm_is_expr(const gm_node *node) {
    return gm_kinds[node->kind].group == GM_GROUP_expr;
}

static inline bool gm_list_children(const gm_list *list, bool (*visit)(const gm_node *child, void *context), void *context) {
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i] != NULL && !visit(list->items[i], context)) {
            return false;
        }
    }
    return true;
}

/* Calls `visit` for every direct child in source-field order until it returns false; NULL entries are skipped.
 * Returns false when stopped. */
static inline bool gm_node_children(const gm_node *node, bool (*visit)(const gm_node *child, void *context), void *context) {
    for (const uint16_t *at = gm_child_fields[node->kind]; *at != 0; at++) {
        const void *field = (const char *)node + (*at >> 1);
        if ((*at & 1) != 0) {
            if (!gm_list_children(field, visit, context)) {
                return false;
            }
        } else {
            gm_node *child = *(gm_node *const *)field;
            if (child != NULL && !visit(child, context)) {
                return false;
            }
        }
    }
    return true;
}

#endif
