#include "syntax/tree.h"

#include "base/search.h"

#define GM_BEGIN(kind, group) static const gm_field fields_##kind[] = {
#define GM_ENTRY(kind, name, type) {#name, (uint16_t)offsetof(gm_##kind, name), type},
#define GM_NODE(kind, name) GM_ENTRY(kind, name, GM_FIELD_NODE)
#define GM_OPTIONAL(kind, name) GM_ENTRY(kind, name, GM_FIELD_OPTIONAL)
#define GM_LIST(kind, name) GM_ENTRY(kind, name, GM_FIELD_LIST)
#define GM_NAME(kind, name) GM_ENTRY(kind, name, GM_FIELD_NAME)
#define GM_NAMES(kind, name) GM_ENTRY(kind, name, GM_FIELD_NAMES)
#define GM_OPERATOR(kind, name) GM_ENTRY(kind, name, GM_FIELD_OPERATOR)
#define GM_OPERATORS(kind, name) GM_ENTRY(kind, name, GM_FIELD_OPERATORS)
#define GM_CONTEXT(kind, name) GM_ENTRY(kind, name, GM_FIELD_CONTEXT)
#define GM_INTEGER(kind, name) GM_ENTRY(kind, name, GM_FIELD_INTEGER)
#define GM_CONSTANT(kind, name) GM_ENTRY(kind, name, GM_FIELD_CONSTANT)
#define GM_END(kind) {NULL, 0, 0}} \
    ;
#include "syntax/nodes.def"

const gm_kind_info gm_kinds[GM_KIND_COUNT] = {
#define GM_BEGIN(kind, group) \
    {#kind, fields_##kind, (uint16_t)(sizeof fields_##kind / sizeof fields_##kind[0] - 1), (uint16_t)sizeof(gm_##kind), GM_GROUP_##group},
#define GM_END(kind)
#include "syntax/nodes.def"
};

const uint16_t gm_child_fields[GM_KIND_COUNT][GM_CHILD_FIELDS] = {
#define GM_BEGIN(kind, group) {
#define GM_NODE(kind, name) (uint16_t)(offsetof(gm_##kind, name) << 1),
#define GM_OPTIONAL(kind, name) GM_NODE(kind, name)
#define GM_LIST(kind, name) (uint16_t)(offsetof(gm_##kind, name) << 1 | 1),
#define GM_END(kind) \
    0                \
    }                \
    ,
#include "syntax/nodes.def"
};

const bool gm_block_kinds[GM_KIND_COUNT] = {
    [GM_KIND_Module] = true,    [GM_KIND_FunctionDef] = true, [GM_KIND_AsyncFunctionDef] = true,
    [GM_KIND_ClassDef] = true,  [GM_KIND_For] = true,         [GM_KIND_AsyncFor] = true,
    [GM_KIND_While] = true,     [GM_KIND_If] = true,          [GM_KIND_With] = true,
    [GM_KIND_AsyncWith] = true, [GM_KIND_Match] = true,       [GM_KIND_match_case] = true,
    [GM_KIND_Try] = true,       [GM_KIND_TryStar] = true,     [GM_KIND_ExceptHandler] = true,
};

const char *const gm_operator_names[GM_OP_COUNT] = {
    "",         "And",    "Or",  "Add",  "Sub",  "Mult", "MatMult", "Div", "Mod", "Pow", "LShift", "RShift", "BitOr", "BitXor", "BitAnd",
    "FloorDiv", "Invert", "Not", "UAdd", "USub", "Eq",   "NotEq",   "Lt",  "LtE", "Gt",  "GtE",    "Is",     "IsNot", "In",     "NotIn",
};

uint32_t gm_token_at(const gm_tree *tree, uint32_t offset) {
    uint32_t low = 0;
    uint32_t high = tree->token_count;
    while (low < high) {
        uint32_t middle = gm_middle(low, high);
        if (tree->tokens[middle].start < offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}
