#include "analysis/blocks.h"

const gm_list *gm_blocks_of_function(const gm_node *definition) {
    return definition->kind == GM_KIND_FunctionDef ? &gm_as_FunctionDef(definition)->body : &gm_as_AsyncFunctionDef(definition)->body;
}

typedef bool (*block_visitor)(const gm_list *block, void *context);

static bool visit_handlers(const gm_list *handlers, block_visitor visit, void *context) {
    for (uint32_t i = 0; i < handlers->count; i++) {
        if (!visit(&gm_as_ExceptHandler(handlers->items[i])->body, context)) {
            return false;
        }
    }
    return true;
}

static bool visit_cases(const gm_list *cases, block_visitor visit, void *context) {
    for (uint32_t i = 0; i < cases->count; i++) {
        if (!visit(&gm_as_match_case(cases->items[i])->body, context)) {
            return false;
        }
    }
    return true;
}

static bool visit_two(const gm_list *first, const gm_list *second, block_visitor visit, void *context) {
    return visit(first, context) && visit(second, context);
}

/* Try and TryStar are one struct with two names. */
static bool visit_try(const gm_list *body, const gm_list *handlers, const gm_list *orelse, const gm_list *finally, block_visitor visit,
                      void *context) {
    return visit(body, context) && visit_handlers(handlers, visit, context) && visit_two(orelse, finally, visit, context);
}

bool gm_blocks_each(const gm_node *statement, block_visitor visit, void *context) {
    switch ((gm_kind)statement->kind) {
    case GM_KIND_If: return visit_two(&gm_as_If(statement)->body, &gm_as_If(statement)->orelse, visit, context);
    case GM_KIND_For: return visit_two(&gm_as_For(statement)->body, &gm_as_For(statement)->orelse, visit, context);
    case GM_KIND_AsyncFor: return visit_two(&gm_as_AsyncFor(statement)->body, &gm_as_AsyncFor(statement)->orelse, visit, context);
    case GM_KIND_While: return visit_two(&gm_as_While(statement)->body, &gm_as_While(statement)->orelse, visit, context);
    case GM_KIND_With: return visit(&gm_as_With(statement)->body, context);
    case GM_KIND_AsyncWith: return visit(&gm_as_AsyncWith(statement)->body, context);
    case GM_KIND_Match: return visit_cases(&gm_as_Match(statement)->cases, visit, context);
    case GM_KIND_Try: {
        const gm_Try *try_ = gm_as_Try(statement);
        return visit_try(&try_->body, &try_->handlers, &try_->orelse, &try_->finalbody, visit, context);
    }
    case GM_KIND_TryStar: {
        const gm_TryStar *try_ = gm_as_TryStar(statement);
        return visit_try(&try_->body, &try_->handlers, &try_->orelse, &try_->finalbody, visit, context);
    }
    default: return true;
    }
}

static bool statement_falls_through(const gm_node *statement) {
    switch ((gm_kind)statement->kind) {
    case GM_KIND_Return:
    case GM_KIND_Raise:
    case GM_KIND_Break:
    case GM_KIND_Continue: return false;
    case GM_KIND_If: {
        const gm_If *branch = gm_as_If(statement);
        return branch->orelse.count == 0 || gm_blocks_falls_through(&branch->body) || gm_blocks_falls_through(&branch->orelse);
    }
    case GM_KIND_With: /* may swallow an exception, but a return in it returns */ return true;
    default: return true;
    }
}

bool gm_blocks_falls_through(const gm_list *block) {
    for (uint32_t i = 0; i < block->count; i++) {
        if (!statement_falls_through(block->items[i])) {
            return false;
        }
    }
    return true;
}

static bool holds_exit(const gm_node *statement);

static bool block_holds_no_exit(const gm_list *block, void *context) {
    (void)context;
    for (uint32_t i = 0; i < block->count; i++) {
        if (holds_exit(block->items[i])) {
            return false;
        }
    }
    return true;
}

/* A way out of a block other than by an exception; loops are not looked into closely: their own break counts, too. */
static bool holds_exit(const gm_node *statement) {
    if (statement->kind == GM_KIND_Return || statement->kind == GM_KIND_Break || statement->kind == GM_KIND_Continue) {
        return true;
    }
    return !gm_blocks_each(statement, block_holds_no_exit, NULL);
}

bool gm_blocks_always_raises(const gm_list *block) {
    return block->count > 0 && !gm_blocks_falls_through(block) && block_holds_no_exit(block, NULL);
}
