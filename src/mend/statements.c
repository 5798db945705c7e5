/* Blocks of statements: every statement on lines of its own, those without a plan as the user wrote them. */
#include <string.h>

#include "mend/runtime_private.h"
#include "syntax/lexer.h"

void gm_emit_line(gm_emitter *emitter, uint32_t depth, const char *text) {
    gm_write_line_end(&emitter->out);
    gm_write_indent(&emitter->out, depth);
    gm_write(&emitter->out, text);
}

static const gm_list *decorators_of(const gm_node *statement) {
    switch ((gm_kind)statement->kind) {
    case GM_KIND_FunctionDef: return &gm_as_FunctionDef(statement)->decorator_list;
    case GM_KIND_AsyncFunctionDef: return &gm_as_AsyncFunctionDef(statement)->decorator_list;
    case GM_KIND_ClassDef: return &gm_as_ClassDef(statement)->decorator_list;
    default: return NULL;
    }
}

uint32_t gm_emit_start(const gm_tree *tree, const gm_node *statement) {
    const gm_list *decorators = decorators_of(statement);
    if (decorators == NULL || decorators->count == 0) {
        return statement->start;
    }
    uint32_t token = gm_token_at(tree, decorators->items[0]->start);
    while (token > 0 && tree->source->text[tree->tokens[token].start] != '@') {
        token--;
    }
    return tree->tokens[token].start;
}

static bool is_elif(const gm_tree *tree, const gm_node *statement) {
    return statement->kind == GM_KIND_If && tree->source->text[statement->start] == 'e';
}

void gm_emit_original(gm_emitter *emitter, const gm_node *statement, uint32_t depth) {
    const gm_tree *tree = emitter->analysis->tree;
    uint32_t start = gm_emit_start(tree, statement);
    gm_write_line_end(&emitter->out);
    gm_write_source_at(&emitter->out, start + (is_elif(tree, statement) ? 2 : 0), statement->end, depth);
}

/* ---- Compound statements with plans inside ---- */

/* The end of the `:` in front of a block. */
static uint32_t colon_end(const gm_tree *tree, const gm_list *block) {
    uint32_t token = gm_token_at(tree, gm_emit_start(tree, block->items[0]));
    do {
        token--;
    } while (token > 0 && tree->source->text[tree->tokens[token].start] != ':');
    return tree->tokens[token].end;
}

static void emit_part(gm_emitter *emitter, uint32_t start, const gm_list *block, uint32_t depth) {
    const gm_tree *tree = emitter->analysis->tree;
    gm_emit_line(emitter, depth, "");
    emitter->out.statement = gm_source_position(tree->source, start).line;
    gm_emit_source(emitter, start, colon_end(tree, block));
    gm_emit_block(emitter, block, depth + 1);
}

static void emit_named_part(gm_emitter *emitter, const char *head, const gm_list *block, uint32_t depth) {
    if (block->count > 0) {
        const gm_tree *tree = emitter->analysis->tree;
        gm_write_line_end(&emitter->out);
        emitter->out.statement = gm_source_position(tree->source, colon_end(tree, block) - 1).line;
        gm_emit_line(emitter, depth, head);
        gm_emit_block(emitter, block, depth + 1);
    }
}

static void emit_definition(gm_emitter *emitter, const gm_node *statement, const gm_list *body, uint32_t depth) {
    const gm_tree *tree = emitter->analysis->tree;
    uint32_t start = gm_emit_start(tree, statement);
    if (start < statement->start) {
        uint32_t token = gm_token_at(tree, statement->start);
        while (tree->tokens[token - 1].kind == GM_TOKEN_NEWLINE || tree->tokens[token - 1].kind == GM_TOKEN_DEDENT) {
            token--;
        }
        gm_write_line_end(&emitter->out);
        gm_write_source_at(&emitter->out, start, tree->tokens[token].start, depth);
    }
    emit_part(emitter, statement->start, body, depth);
}

static void emit_if(gm_emitter *emitter, const gm_node *statement, uint32_t depth) {
    const gm_tree *tree = emitter->analysis->tree;
    const gm_If *branch = gm_as_If(statement);
    emit_part(emitter, statement->start + (is_elif(tree, statement) ? 2 : 0), &branch->body, depth);
    while (branch->orelse.count == 1 && is_elif(tree, branch->orelse.items[0]) &&
           gm_analysis_plan(emitter->analysis, branch->orelse.items[0]) == NULL) {
        branch = gm_as_If(branch->orelse.items[0]);
        emit_part(emitter, branch->base.start, &branch->body, depth);
    }
    if (branch->orelse.count == 1 && is_elif(tree, branch->orelse.items[0])) {
        gm_emit_line(emitter, depth, "else:");
        gm_emit_block(emitter, &branch->orelse, depth + 1);
    } else {
        emit_named_part(emitter, "else:", &branch->orelse, depth);
    }
}

static void emit_try(gm_emitter *emitter, const gm_list *body, const gm_list *handlers, const gm_list *orelse, const gm_list *finally,
                     uint32_t depth) {
    emit_named_part(emitter, "try:", body, depth);
    for (uint32_t i = 0; i < handlers->count; i++) {
        emit_part(emitter, handlers->items[i]->start, &gm_as_ExceptHandler(handlers->items[i])->body, depth);
    }
    emit_named_part(emitter, "else:", orelse, depth);
    emit_named_part(emitter, "finally:", finally, depth);
}

static void emit_match(gm_emitter *emitter, const gm_Match *match, uint32_t depth) {
    gm_emit_line(emitter, depth, "match (");
    gm_emit_source(emitter, match->subject->start, match->subject->end);
    gm_write(&emitter->out, match->subject->kind == GM_KIND_Tuple || match->subject->kind == GM_KIND_Starred ? ",):" : "):");
    for (uint32_t i = 0; i < match->cases.count; i++) {
        const gm_match_case *alternative = gm_as_match_case(match->cases.items[i]);
        emit_part(emitter, alternative->base.start, &alternative->body, depth + 1);
    }
}

static void emit_loop(gm_emitter *emitter, const gm_node *statement, const gm_list *body, const gm_list *orelse, uint32_t depth) {
    emit_part(emitter, statement->start, body, depth);
    emit_named_part(emitter, "else:", orelse, depth);
}

void gm_emit_compound(gm_emitter *emitter, const gm_node *statement, uint32_t depth) {
    switch ((gm_kind)statement->kind) {
    case GM_KIND_FunctionDef: emit_definition(emitter, statement, &gm_as_FunctionDef(statement)->body, depth); break;
    case GM_KIND_AsyncFunctionDef: emit_definition(emitter, statement, &gm_as_AsyncFunctionDef(statement)->body, depth); break;
    case GM_KIND_ClassDef: emit_definition(emitter, statement, &gm_as_ClassDef(statement)->body, depth); break;
    case GM_KIND_If: emit_if(emitter, statement, depth); break;
    case GM_KIND_For: emit_loop(emitter, statement, &gm_as_For(statement)->body, &gm_as_For(statement)->orelse, depth); break;
    case GM_KIND_AsyncFor:
        emit_loop(emitter, statement, &gm_as_AsyncFor(statement)->body, &gm_as_AsyncFor(statement)->orelse, depth);
        break;
    case GM_KIND_While: emit_loop(emitter, statement, &gm_as_While(statement)->body, &gm_as_While(statement)->orelse, depth); break;
    case GM_KIND_With: emit_part(emitter, statement->start, &gm_as_With(statement)->body, depth); break;
    case GM_KIND_AsyncWith: emit_part(emitter, statement->start, &gm_as_AsyncWith(statement)->body, depth); break;
    case GM_KIND_Match: emit_match(emitter, gm_as_Match(statement), depth); break;
    case GM_KIND_Try: {
        const gm_Try *whole = gm_as_Try(statement);
        emit_try(emitter, &whole->body, &whole->handlers, &whole->orelse, &whole->finalbody, depth);
        break;
    }
    case GM_KIND_TryStar: {
        const gm_TryStar *whole = gm_as_TryStar(statement);
        emit_try(emitter, &whole->body, &whole->handlers, &whole->orelse, &whole->finalbody, depth);
        break;
    }
    default: gm_emit_line(emitter, depth, ""); gm_emit_source(emitter, statement->start, statement->end);
    }
}

/* ---- Blocks ---- */

static void emit_statement(gm_emitter *emitter, const gm_node *statement, uint32_t depth) {
    const gm_plan *plan = gm_analysis_plan(emitter->analysis, statement);
    uint32_t bare = emitter->out.bare;
    emitter->out.bare = 0;
    gm_write_line_end(&emitter->out);
    emitter->out.statement = gm_source_position(emitter->analysis->tree->source, statement->start).line;
    if (plan != NULL) {
        gm_emit_plan(emitter, plan, depth);
    } else if (gm_emit_has_plan(emitter, statement->start, statement->end)) {
        gm_emit_compound(emitter, statement, depth);
    } else {
        gm_emit_original(emitter, statement, depth);
    }
    gm_write_line_end(&emitter->out);
    emitter->out.bare = bare;
}

bool gm_emit_statements(gm_emitter *emitter, const gm_list *block, uint32_t first, uint32_t depth) {
    for (uint32_t i = first; i < block->count; i++) {
        emit_statement(emitter, block->items[i], depth);
    }
    return first < block->count;
}

void gm_emit_block(gm_emitter *emitter, const gm_list *block, uint32_t depth) {
    gm_write_line_end(&emitter->out);
    if (!gm_emit_statements(emitter, block, 0, depth)) {
        gm_emit_line(emitter, depth, "pass");
        gm_write_line_end(&emitter->out);
    }
}
