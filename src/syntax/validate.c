#include <string.h>

#include "syntax/parser.h"

/* What messages call an expression that is no target. */
static const char *const descriptions[GM_KIND_COUNT] = {
    [GM_KIND_BoolOp] = "an expression",
    [GM_KIND_NamedExpr] = "an assignment expression",
    [GM_KIND_BinOp] = "an expression",
    [GM_KIND_UnaryOp] = "an expression",
    [GM_KIND_Lambda] = "a lambda",
    [GM_KIND_IfExp] = "a conditional expression",
    [GM_KIND_Dict] = "a dict display",
    [GM_KIND_Set] = "a set display",
    [GM_KIND_ListComp] = "a list comprehension",
    [GM_KIND_SetComp] = "a set comprehension",
    [GM_KIND_DictComp] = "a dict comprehension",
    [GM_KIND_GeneratorExp] = "a generator expression",
    [GM_KIND_Await] = "an await expression",
    [GM_KIND_Yield] = "a yield expression",
    [GM_KIND_YieldFrom] = "a yield expression",
    [GM_KIND_Compare] = "a comparison",
    [GM_KIND_Call] = "a function call",
    [GM_KIND_JoinedStr] = "an f-string",
    [GM_KIND_TemplateStr] = "a t-string",
    [GM_KIND_Constant] = "a literal",
    [GM_KIND_Starred] = "a starred expression",
    [GM_KIND_List] = "a list",
    [GM_KIND_Tuple] = "a tuple",
};

static const char *const verbs[] = {
    [GM_TARGET_ASSIGN] = "cannot assign to ",  [GM_TARGET_AUGMENT] = "cannot use augmented assignment on ",
    [GM_TARGET_ANNOTATE] = "cannot annotate ", [GM_TARGET_DELETE] = "cannot delete ",
    [GM_TARGET_FOR] = "cannot assign to ",     [GM_TARGET_WITH] = "cannot assign to ",
};

static void refuse(gm_parser *parser, const gm_node *node, gm_target_use use) {
    if (node->kind == GM_KIND_ErrorExpr || parser->panic) {
        return;
    }
    const char *what = descriptions[node->kind] != NULL ? descriptions[node->kind] : "an expression";
    size_t verb_length = strlen(verbs[use]);
    size_t length = strlen(what);
    char *message = gm_arena_alloc(parser->arena, verb_length + length + 1);
    memcpy(message, verbs[use], verb_length);
    memcpy(message + verb_length, what, length + 1);
    gm_parser_report(parser, node->start, node->end, message);
}

static bool takes_sequences(gm_target_use use) {
    return use != GM_TARGET_AUGMENT && use != GM_TARGET_ANNOTATE;
}

static void set_elements(gm_parser *parser, const gm_list *elements, gm_target_use use) {
    for (uint32_t i = 0; i < elements->count; i++) {
        gm_parser_set_target(parser, elements->items[i], use);
    }
}

void gm_parser_refuse_star(gm_parser *parser, const gm_node *node, const char *what) {
    if (!gm_parser_before(parser, 309) || (node->flags & GM_FLAG_PARENTHESIZED) != 0) {
        return;
    }
    bool found = node->kind == GM_KIND_Starred;
    if (node->kind == GM_KIND_Tuple && parser->text[node->start] != '(') {
        const gm_list *elements = &gm_as_Tuple(node)->elts;
        for (uint32_t i = 0; i < elements->count && !found; i++) {
            found = elements->items[i]->kind == GM_KIND_Starred && (elements->items[i]->flags & GM_FLAG_PARENTHESIZED) == 0;
        }
    }
    if (found) {
        gm_parser_need(parser, 309, node->start, what);
    }
}

void gm_parser_refuse_debug(gm_parser *parser, const gm_name *name, uint32_t start, uint32_t end) {
    if (gm_parser_before(parser, 309) && gm_name_is(name, "__debug__")) {
        gm_parser_report(parser, start, end, "cannot assign to `__debug__`");
    }
}

/* Later versions leave this to the compiler. Each name is looked for among those before it, so a long list is bounded. */
void gm_parser_refuse_repeated(gm_parser *parser, const gm_list *keywords) {
    if (!gm_parser_before(parser, 309)) {
        return;
    }
    for (uint32_t i = 0; i < keywords->count; i++) {
        const gm_name *name = gm_as_keyword(keywords->items[i])->arg;
        for (uint32_t k = 0; k < i && k < GM_CHAIN_LIMIT && name != NULL; k++) {
            if (gm_as_keyword(keywords->items[k])->arg == name) {
                gm_parser_report(parser, keywords->items[i]->start, keywords->items[i]->end, "keyword argument repeated");
                break;
            }
        }
    }
}

/* Recursion goes through brackets alone, which the lexer bounds. */
void gm_parser_set_target(gm_parser *parser, gm_node *node, gm_target_use use) {
    uint8_t context = use == GM_TARGET_DELETE ? GM_DEL : GM_STORE;
    switch (node->kind) {
    case GM_KIND_Name:
        gm_edit_Name(node)->ctx = context;
        if (context == GM_STORE) {
            gm_parser_refuse_debug(parser, gm_as_Name(node)->id, node->start, node->end);
        }
        return;
    case GM_KIND_Attribute:
        gm_edit_Attribute(node)->ctx = context;
        if (context == GM_STORE) {
            gm_parser_refuse_debug(parser, gm_as_Attribute(node)->attr, node->start, node->end);
        }
        return;
    case GM_KIND_Subscript: gm_edit_Subscript(node)->ctx = context; return;
    case GM_KIND_List:
        if (!takes_sequences(use)) {
            break;
        }
        gm_edit_List(node)->ctx = context;
        set_elements(parser, &gm_as_List(node)->elts, use);
        return;
    case GM_KIND_Tuple:
        if (!takes_sequences(use)) {
            break;
        }
        gm_edit_Tuple(node)->ctx = context;
        set_elements(parser, &gm_as_Tuple(node)->elts, use);
        return;
    case GM_KIND_Starred:
        if (takes_sequences(use) && (use != GM_TARGET_DELETE || parser->target < 309)) {
            gm_edit_Starred(node)->ctx = context;
            gm_parser_set_target(parser, gm_as_Starred(node)->value, use);
            return;
        }
        break;
    default: break;
    }
    refuse(parser, node, use);
}
