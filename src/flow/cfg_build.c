/* Statements to blocks and edges. */
#include "flow/cfg_private.h"

#include <string.h>

typedef enum frame_kind { FRAME_LOOP, FRAME_HANDLERS, FRAME_FINALLY, FRAME_WITH } frame_kind;

/* Ways to leave a statement early. */
typedef enum jump_kind { JUMP_BREAK, JUMP_CONTINUE, JUMP_RETURN, JUMP_RAISE, JUMP_COUNT } jump_kind;

/* A compound statement around the point that is being built. */
typedef struct enclosure {
    struct enclosure *outer;
    frame_kind kind;
    const gm_node *node;
    uint32_t blocks[JUMP_COUNT]; /* loop: where break and continue go */
    int32_t handler;    /* handlers, finally, with: where exceptions of the body go */
    uint8_t jumped;     /* finally: bits of the jump_kinds that enter it early */
    uint32_t depth;     /* of nested finally bodies */
} enclosure;

typedef struct builder {
    gm_arena *arena;
    gm_cfg *cfg;
    enclosure *top;
    uint32_t block; /* the block that is being filled */
    bool open;      /* control can come to its end; false after a jump */
    uint32_t loop_depth;
    uint32_t final_depth; /* of `finally` bodies around: what stands in them is built as often as they are */
} builder;

static void build_list(builder *build, const gm_list *list);

/* ---- Blocks and edges ---- */

/* The handler for exceptions raised where the builder stands. */
static int32_t current_handler(const builder *build) {
    for (const enclosure *frame = build->top; frame != NULL; frame = frame->outer) {
        if (frame->kind != FRAME_LOOP) {
            return frame->handler;
        }
    }
    return GM_CFG_NONE;
}

static uint32_t new_block(builder *build) {
    gm_block block = {.handler = current_handler(build), .loop_depth = build->loop_depth};
    gm_vec_push(build->arena, &build->cfg->blocks, block);
    return build->cfg->blocks.count - 1;
}

static void add_edge(builder *build, uint32_t from, uint32_t to, gm_edge_kind kind) {
    gm_vec_push(build->arena, &build->cfg->edges, ((gm_edge){from, to, (uint8_t)kind}));
}

/* Continue in `block`, coming from the current block when that is open. */
static void flow_into(builder *build, uint32_t block, gm_edge_kind kind) {
    if (build->open) {
        add_edge(build, build->block, block, kind);
    }
}

static void start(builder *build, uint32_t block, bool open) {
    build->block = block;
    build->open = open;
    build->cfg->blocks.items[block].first_step = build->cfg->steps.count;
}

/* A fresh block behind the current one. */
static void split(builder *build) {
    uint32_t next = new_block(build);
    flow_into(build, next, GM_EDGE_NEXT);
    start(build, next, build->open);
}

/* Blocks own consecutive steps: when others were filled in between, the current one goes on in a new block. */
static void make_current(builder *build) {
    const gm_block *block = &build->cfg->blocks.items[build->block];
    if (block->first_step + block->step_count != build->cfg->steps.count) {
        split(build);
    }
}

static access_sink begin_step(builder *build, gm_step_kind kind, const gm_node *node) {
    make_current(build);
    gm_step step = {.node = node, .kind = (uint8_t)kind, .first_access = build->cfg->accesses.count};
    gm_vec_push(build->arena, &build->cfg->steps, step);
    build->cfg->blocks.items[build->block].step_count++;
    return (access_sink){.arena = build->arena, .cfg = build->cfg};
}

static void end_step(builder *build) {
    gm_step *step = &build->cfg->steps.items[build->cfg->steps.count - 1];
    step->access_count = build->cfg->accesses.count - step->first_access;
}

static void add_step(builder *build, gm_step_kind kind, const gm_node *node) {
    begin_step(build, kind, node);
    end_step(build);
}

static void add_expression(builder *build, gm_step_kind kind, const gm_node *node, const gm_node *expression) {
    access_sink sink = begin_step(build, kind, node);
    gm_accesses_of_expression(&sink, expression);
    end_step(build);
}

static void place(builder *build, const gm_node *statement) {
    make_current(build);
    gm_cfg_add_place(build->arena, build->cfg, statement, build->block);
}

static void end_place(builder *build, const gm_node *statement) {
    gm_cfg_end_place(build->cfg, statement, build->block, build->open);
}

/* ---- Jumps ---- */

static const gm_edge_kind jump_edges[JUMP_COUNT] = {
    [JUMP_BREAK] = GM_EDGE_BREAK,
    [JUMP_CONTINUE] = GM_EDGE_CONTINUE,
    [JUMP_RETURN] = GM_EDGE_RETURN,
    [JUMP_RAISE] = GM_EDGE_RAISE,
};

/* Leave by `jump` from the current point: through the exits of `with`, into the innermost `finally`, or to the target. */
static void jump(builder *build, jump_kind kind) {
    enclosure *saved = build->top;
    for (; build->top != NULL; build->top = build->top->outer) {
        enclosure *frame = build->top;
        if (frame->kind == FRAME_FINALLY) {
            frame->jumped |= (uint8_t)(1U << kind);
            flow_into(build, (uint32_t)frame->handler, jump_edges[kind]);
            break;
        }
        if (frame->kind == FRAME_LOOP && (kind == JUMP_BREAK || kind == JUMP_CONTINUE)) {
            flow_into(build, frame->blocks[kind], jump_edges[kind]);
            break;
        }
        if (frame->kind == FRAME_WITH && kind != JUMP_RAISE) {
            build->top = frame->outer;
            split(build);
            add_step(build, GM_STEP_EXIT, frame->node);
            build->top = frame;
        }
        if (kind == JUMP_RAISE && frame->kind != FRAME_LOOP) {
            flow_into(build, (uint32_t)frame->handler, GM_EDGE_RAISE);
            break;
        }
    }
    if (build->top == NULL && kind != JUMP_BREAK && kind != JUMP_CONTINUE) {
        flow_into(build, kind == JUMP_RETURN ? GM_CFG_RETURN : GM_CFG_RAISE, jump_edges[kind]);
    }
    build->top = saved;
    build->open = false;
}

/* What follows a jump is not reached; it gets a block of its own all the same. */
static void after_jump(builder *build) {
    start(build, new_block(build), false);
}

/* ---- Branches ---- */

/* Whether a test is always true (1), always false (0) or open (-1). */
static int constant_truth(const gm_cfg *cfg, const gm_node *test) {
    if (test->kind != GM_KIND_Constant) {
        return -1;
    }
    const gm_constant *value = &gm_as_Constant(test)->value;
    if (value->literal == GM_LITERAL_True) {
        return 1;
    }
    if (value->literal == GM_LITERAL_False || value->literal == GM_LITERAL_None) {
        return 0;
    }
    const char *text = cfg->scopes->tree->source->text + test->start;
    if (value->literal == GM_LITERAL_int && test->end - test->start == 1) {
        return text[0] == '0' ? 0 : 1;
    }
    return -1;
}

/* One `if` or `elif` of a chain, while the chain is built. */
typedef struct chain_link {
    const gm_node *node;
    uint32_t end; /* the block behind it */
    bool reached; /* its body can end normally */
} chain_link;

typedef GM_VEC(chain_link) if_chain;

/* The test and the body; control then stands where the test has failed. */
static void build_if_body(builder *build, chain_link *link) {
    const gm_If *branch = gm_as_If(link->node);
    int truth = constant_truth(build->cfg, branch->test);
    link->end = new_block(build);
    add_expression(build, GM_STEP_TEST, branch->test, branch->test);
    uint32_t test = build->block;
    bool open = build->open;
    uint32_t then = new_block(build);
    uint32_t otherwise = new_block(build);
    if (open && truth != 0) {
        add_edge(build, test, then, GM_EDGE_TRUE);
    }
    if (open && truth != 1) {
        add_edge(build, test, otherwise, GM_EDGE_FALSE);
    }
    start(build, then, open && truth != 0);
    build_list(build, &branch->body);
    flow_into(build, link->end, GM_EDGE_NEXT);
    link->reached = build->open;
    start(build, otherwise, open && truth != 1);
}

/* An `elif` is an `if` in the `else` of another one; long chains must not nest calls of this function. */
static void build_if(builder *build, const gm_node *node) {
    if_chain chain = {0};
    const gm_If *branch = gm_as_If(node);
    for (;;) {
        chain_link link = {.node = &branch->base};
        build_if_body(build, &link);
        gm_vec_push(build->arena, &chain, link);
        if (branch->orelse.count != 1 || branch->orelse.items[0]->kind != GM_KIND_If) {
            build_list(build, &branch->orelse);
            break;
        }
        branch = gm_as_If(branch->orelse.items[0]);
        place(build, &branch->base);
    }
    for (uint32_t i = chain.count; i-- > 0;) {
        flow_into(build, chain.items[i].end, GM_EDGE_NEXT);
        start(build, chain.items[i].end, chain.items[i].reached || build->open);
        if (i > 0) {
            end_place(build, chain.items[i].node);
        }
    }
}

/* ---- Loops ---- */

static void build_loop_body(builder *build, enclosure *loop, const gm_node *node, const gm_list *body) {
    *loop = (enclosure){.outer = build->top, .kind = FRAME_LOOP, .node = node, .blocks = {loop->blocks[0], loop->blocks[1], 0, 0}};
    build->top = loop;
    build_list(build, body);
    build->top = loop->outer;
    flow_into(build, loop->blocks[JUMP_CONTINUE], GM_EDGE_BACK);
}

static bool has_predecessor(const builder *build, uint32_t block) {
    for (uint32_t i = build->cfg->edges.count; i > 0; i--) {
        if (build->cfg->edges.items[i - 1].to == block) {
            return true;
        }
    }
    return false;
}

static void build_while(builder *build, const gm_node *node) {
    const gm_While *loop = gm_as_While(node);
    int truth = constant_truth(build->cfg, loop->test);
    uint32_t end = new_block(build);
    build->loop_depth++;
    split(build);
    uint32_t head = build->block;
    bool open = build->open;
    add_expression(build, GM_STEP_TEST, loop->test, loop->test);
    uint32_t body = new_block(build);
    if (open && truth != 0) {
        add_edge(build, head, body, GM_EDGE_TRUE);
    }
    enclosure frame = {.blocks = {[JUMP_BREAK] = end, [JUMP_CONTINUE] = head}};
    start(build, body, open && truth != 0);
    build_loop_body(build, &frame, node, &loop->body);
    build->loop_depth--;
    uint32_t otherwise = new_block(build);
    if (open && truth != 1) {
        add_edge(build, head, otherwise, GM_EDGE_FALSE);
    }
    start(build, otherwise, open && truth != 1);
    build_list(build, &loop->orelse);
    flow_into(build, end, GM_EDGE_NEXT);
    start(build, end, has_predecessor(build, end));
}

/* For and AsyncFor have the same fields. */
static void build_for(builder *build, const gm_node *node) {
    const gm_For *loop = (const gm_For *)(const void *)node;
    uint32_t end = new_block(build);
    add_expression(build, GM_STEP_ITERATE, node, loop->iter);
    build->loop_depth++;
    split(build);
    uint32_t head = build->block;
    bool open = build->open;
    uint32_t body = new_block(build);
    if (open) {
        add_edge(build, head, body, GM_EDGE_TRUE);
    }
    start(build, body, open);
    access_sink sink = begin_step(build, GM_STEP_NEXT, node);
    gm_accesses_of_target(&sink, loop->target);
    end_step(build);
    enclosure frame = {.blocks = {[JUMP_BREAK] = end, [JUMP_CONTINUE] = head}};
    build_loop_body(build, &frame, node, &loop->body);
    build->loop_depth--;
    uint32_t otherwise = new_block(build);
    if (open) {
        add_edge(build, head, otherwise, GM_EDGE_FALSE);
    }
    start(build, otherwise, open);
    build_list(build, &loop->orelse);
    flow_into(build, end, GM_EDGE_NEXT);
    start(build, end, has_predecessor(build, end));
}

/* ---- with ---- */

/* Whether `__exit__` may swallow an exception. */
static bool may_swallow(const builder *build, const gm_node *manager) {
    static const char *const safe[] = {
        "torch.",    "builtins.open",           "contextlib.nullcontext", "contextlib.closing", "threading.Lock", "threading.RLock",
        "tempfile.", "warnings.catch_warnings", "numpy.errstate",         "numpy.printoptions", "os.scandir",     "contextlib.redirect_std",
        "io."};
    const gm_node *callee = manager->kind == GM_KIND_Call ? gm_as_Call(manager)->func : manager;
    const gm_name *name = gm_scopes_qualified(build->cfg->scopes, callee);
    for (size_t i = 0; name != NULL && i < sizeof safe / sizeof safe[0]; i++) {
        if (strncmp(name->text, safe[i], strlen(safe[i])) == 0) {
            return false;
        }
    }
    return true;
}

static bool any_may_swallow(const builder *build, const gm_list *items) {
    for (uint32_t i = 0; i < items->count; i++) {
        if (may_swallow(build, gm_as_withitem(items->items[i])->context_expr)) {
            return true;
        }
    }
    return false;
}

/* With and AsyncWith have the same fields. Items count as one: the exit stands for all of them. */
static void build_with(builder *build, const gm_node *node) {
    const gm_With *with = (const gm_With *)(const void *)node;
    uint32_t end = new_block(build);
    uint32_t failed = new_block(build);
    enclosure frame = {.outer = build->top, .kind = FRAME_WITH, .node = node, .handler = (int32_t)failed};
    for (uint32_t i = 0; i < with->items.count; i++) {
        const gm_withitem *item = gm_as_withitem(with->items.items[i]);
        access_sink sink = begin_step(build, GM_STEP_ENTER, with->items.items[i]);
        gm_accesses_of_expression(&sink, item->context_expr);
        if (item->optional_vars != NULL) {
            gm_accesses_of_target(&sink, item->optional_vars);
        }
        end_step(build);
        build->top = &frame;
        split(build);
    }
    build_list(build, &with->body);
    build->top = frame.outer;
    bool finished = build->open;
    if (finished) {
        split(build);
        add_step(build, GM_STEP_EXIT, node);
        flow_into(build, end, GM_EDGE_NEXT);
    }
    bool swallows = any_may_swallow(build, &with->items);
    start(build, failed, true);
    add_step(build, GM_STEP_EXIT, node);
    if (swallows) {
        add_edge(build, build->block, end, GM_EDGE_NEXT);
    }
    jump(build, JUMP_RAISE);
    start(build, end, finished || swallows);
}

/* ---- try ---- */

static void build_handler(builder *build, const gm_node *node, uint32_t end, bool *reached) {
    const gm_ExceptHandler *handler = gm_as_ExceptHandler(node);
    uint32_t body = new_block(build);
    uint32_t next = new_block(build);
    add_expression(build, GM_STEP_HANDLER, node, handler->type);
    flow_into(build, body, GM_EDGE_TRUE);
    if (handler->type != NULL) {
        flow_into(build, next, GM_EDGE_FALSE);
    }
    start(build, body, build->open);
    if (handler->name != NULL) {
        access_sink sink = begin_step(build, GM_STEP_BIND, node);
        gm_access_add(&sink, node, GM_ACCESS_WRITE);
        end_step(build);
    }
    build_list(build, &handler->body);
    if (handler->name != NULL && build->open) {
        access_sink sink = begin_step(build, GM_STEP_UNBIND, node);
        gm_access_add(&sink, node, GM_ACCESS_WRITE);
        gm_access_add(&sink, node, GM_ACCESS_DELETE);
        end_step(build);
    }
    flow_into(build, end, GM_EDGE_NEXT);
    *reached |= build->open;
    start(build, next, handler->type != NULL);
}

/* The body, the handlers and the else part, inside whatever `finally` there is. Leaves the builder at the end of all. */
static void build_guarded(builder *build, const gm_Try *try) {
    if (try->handlers.count == 0) {
        build_list(build, &try->body);
        build_list(build, &try->orelse);
        return;
    }
    uint32_t end = new_block(build);
    uint32_t dispatch = new_block(build);
    enclosure frame = {.outer = build->top, .kind = FRAME_HANDLERS, .node = &try->base, .handler = (int32_t)dispatch};
    build->top = &frame;
    split(build);
    build_list(build, &try->body);
    build->top = frame.outer;
    split(build);
    build_list(build, &try->orelse);
    flow_into(build, end, GM_EDGE_NEXT);
    bool reached = build->open;
    start(build, dispatch, true);
    for (uint32_t i = 0; i < try->handlers.count; i++) {
        build_handler(build, try->handlers.items[i], end, &reached);
    }
    if (build->open) {
        jump(build, JUMP_RAISE);
    }
    start(build, end, reached);
}

/* A `finally` body is built for the normal way into it and for all others; deep inside others once is enough. */
static void build_finally(builder *build, const gm_Try *try, enclosure *frame, uint32_t abnormal) {
    enum { COPY_DEPTH = 3 };
    uint32_t end = new_block(build);
    bool normal = build->open;
    bool shared = frame->depth + build->final_depth >= COPY_DEPTH;
    build->final_depth++;
    if (shared) {
        flow_into(build, abnormal, GM_EDGE_NEXT);
    } else {
        split(build);
        build_list(build, &try->finalbody);
        flow_into(build, end, GM_EDGE_NEXT);
        normal = build->open;
    }
    start(build, abnormal, true);
    build_list(build, &try->finalbody);
    build->final_depth--;
    bool through = build->open;
    if (shared && normal && through) {
        add_edge(build, build->block, end, GM_EDGE_NEXT);
    }
    uint32_t last = build->block;
    for (unsigned kind = 0; kind < JUMP_COUNT && through; kind++) {
        if ((frame->jumped & (1U << kind)) != 0) {
            start(build, new_block(build), true);
            add_edge(build, last, build->block, GM_EDGE_NEXT);
            jump(build, (jump_kind)kind);
        }
    }
    start(build, end, normal && (!shared || through));
}

/* Try and TryStar have the same fields. */
static void build_try(builder *build, const gm_node *node) {
    const gm_Try *try = (const gm_Try *)(const void *)node;
    if (try->finalbody.count == 0) {
        build_guarded(build, try);
        return;
    }
    uint32_t abnormal = new_block(build);
    enclosure frame = {.outer = build->top, .kind = FRAME_FINALLY, .node = node, .handler = (int32_t)abnormal};
    frame.jumped = 1U << JUMP_RAISE;
    for (const enclosure *outer = build->top; outer != NULL; outer = outer->outer) {
        frame.depth += outer->kind == FRAME_FINALLY;
    }
    build->top = &frame;
    split(build);
    build_guarded(build, try);
    build->top = frame.outer;
    build_finally(build, try, &frame, abnormal);
}

/* ---- match ---- */

static bool is_irrefutable(const gm_match_case *part) {
    return part->guard == NULL && part->pattern->kind == GM_KIND_MatchAs && gm_as_MatchAs(part->pattern)->pattern == NULL;
}

static void build_case(builder *build, const gm_node *node, uint32_t end, bool *reached) {
    const gm_match_case *part = gm_as_match_case(node);
    access_sink sink = begin_step(build, GM_STEP_CASE, node);
    gm_accesses_of_pattern(&sink, part->pattern);
    sink.maybe = true;
    gm_accesses_of_captures(&sink, part->pattern);
    gm_accesses_of_expression(&sink, part->guard);
    end_step(build);
    bool open = build->open;
    uint32_t body = new_block(build);
    uint32_t next = new_block(build);
    flow_into(build, body, GM_EDGE_TRUE);
    if (!is_irrefutable(part)) {
        flow_into(build, next, GM_EDGE_FALSE);
    }
    start(build, body, open);
    sink = begin_step(build, GM_STEP_BIND, node);
    gm_accesses_of_captures(&sink, part->pattern);
    end_step(build);
    build_list(build, &part->body);
    flow_into(build, end, GM_EDGE_NEXT);
    *reached |= build->open;
    start(build, next, open && !is_irrefutable(part));
}

static void build_match(builder *build, const gm_node *node) {
    const gm_Match *match = gm_as_Match(node);
    uint32_t end = new_block(build);
    bool reached = false;
    add_expression(build, GM_STEP_SUBJECT, node, match->subject);
    for (uint32_t i = 0; i < match->cases.count; i++) {
        build_case(build, match->cases.items[i], end, &reached);
    }
    flow_into(build, end, GM_EDGE_NEXT);
    start(build, end, reached || build->open);
}

/* ---- Simple statements ---- */

static void build_simple(builder *build, const gm_node *node) {
    access_sink sink = begin_step(build, GM_STEP_STATEMENT, node);
    gm_accesses_of_statement(&sink, node);
    end_step(build);
}

static void build_jump(builder *build, const gm_node *node) {
    static const jump_kind kinds[GM_KIND_COUNT] = {
        [GM_KIND_Break] = JUMP_BREAK,
        [GM_KIND_Continue] = JUMP_CONTINUE,
        [GM_KIND_Return] = JUMP_RETURN,
        [GM_KIND_Raise] = JUMP_RAISE,
    };
    build_simple(build, node);
    jump(build, kinds[node->kind]);
    after_jump(build);
}

static void (*const builders[GM_KIND_COUNT])(builder *, const gm_node *) = {
    [GM_KIND_If] = build_if,       [GM_KIND_While] = build_while,    [GM_KIND_For] = build_for,       [GM_KIND_AsyncFor] = build_for,
    [GM_KIND_With] = build_with,   [GM_KIND_AsyncWith] = build_with, [GM_KIND_Try] = build_try,       [GM_KIND_TryStar] = build_try,
    [GM_KIND_Match] = build_match, [GM_KIND_Break] = build_jump,     [GM_KIND_Continue] = build_jump, [GM_KIND_Return] = build_jump,
    [GM_KIND_Raise] = build_jump,
};

static void build_list(builder *build, const gm_list *list) {
    for (uint32_t i = 0; i < list->count; i++) {
        const gm_node *node = list->items[i];
        place(build, node);
        if (builders[node->kind] != NULL) {
            builders[node->kind](build, node);
        } else {
            build_simple(build, node);
        }
        end_place(build, node);
    }
}

/* ---- The whole ---- */

static const gm_list *body_of(const gm_node *node) {
    if (node->kind == GM_KIND_Module) {
        return &gm_as_Module(node)->body;
    }
    return &((const gm_FunctionDef *)(const void *)node)->body;
}

static void build_body(builder *build, const gm_node *node) {
    if (node->kind == GM_KIND_Lambda) {
        const gm_node *value = gm_as_Lambda(node)->body;
        place(build, value);
        add_expression(build, GM_STEP_STATEMENT, value, value);
        end_place(build, value);
    } else {
        build_list(build, body_of(node));
    }
    flow_into(build, GM_CFG_RETURN, GM_EDGE_NEXT);
}

gm_cfg *gm_cfg_build(gm_arena *arena, const gm_scopes *scopes, const gm_node *node) {
    gm_cfg *cfg = GM_NEW(arena, gm_cfg);
    cfg->scopes = scopes;
    cfg->scope = gm_scopes_of(scopes, node);
    cfg->node = node;
    builder build = {.arena = arena, .cfg = cfg};
    start(&build, new_block(&build), true);
    new_block(&build);
    new_block(&build);
    access_sink sink = begin_step(&build, GM_STEP_ENTRY, node);
    gm_accesses_of_parameters(&sink);
    end_step(&build);
    build_body(&build, node);
    gm_cfg_finish(arena, cfg);
    assert(gm_cfg_verify(cfg) == NULL);
    return cfg;
}
