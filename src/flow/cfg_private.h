/* Shared by the files behind cfg.h: statements (cfg_build.c), accesses of variables (cfg_access.c), questions (cfg.c). */
#ifndef GM_FLOW_CFG_PRIVATE_H
#define GM_FLOW_CFG_PRIVATE_H

#include "flow/cfg.h"

typedef struct gm_cfg_slot {
    const gm_node *node;
    uint32_t block;
    uint32_t step;
    uint32_t first_new_block; /* blocks made for the statement: this one to just before `last_new_block` */
    uint32_t last_new_block;
    uint32_t end_block; /* where control stands when the statement has ended normally */
    uint32_t end_step;  /* its steps are `step` to just before this one */
    bool ends;          /* it can end normally */
    int32_t next; /* slot of another place of the same statement, or -1 */
} gm_cfg_slot;

/* Where accesses of an expression go: everything may be under a short circuit (`maybe`) or in code that runs later (`nested`). */
typedef struct access_sink {
    gm_arena *arena;
    gm_cfg *cfg;
    bool maybe;
    bool nested;
} access_sink;

/* Record what evaluating an expression reads and binds, in order of evaluation. NULL is allowed. */
void gm_accesses_of_expression(access_sink *sink, const gm_node *node);

/* Record what storing into (or deleting) a target does: names are bound, the parts of `a[b].c` read. */
void gm_accesses_of_target(access_sink *sink, const gm_node *target);

/* Record what a simple statement, def or class does. */
void gm_accesses_of_statement(access_sink *sink, const gm_node *node);

/* The parameters of the function of the graph. */
void gm_accesses_of_parameters(access_sink *sink);

/* The names that a pattern reads, and those that it binds. */
void gm_accesses_of_pattern(access_sink *sink, const gm_node *pattern);
void gm_accesses_of_captures(access_sink *sink, const gm_node *pattern);

/* One access of the variable that `node` names, when it is one of this function. */
void gm_access_add(access_sink *sink, const gm_node *node, gm_access_kind kind);

/* Remember where a statement begins. */
void gm_cfg_add_place(gm_arena *arena, gm_cfg *cfg, const gm_node *statement, uint32_t block);

/* Remember where control stands behind the statement that was placed last under this node. */
void gm_cfg_end_place(gm_cfg *cfg, const gm_node *statement, uint32_t block, bool ends);

/* The first slot of a statement, or NULL; others follow by `next`. */
const gm_cfg_slot *gm_cfg_find_slot(const gm_cfg *cfg, const gm_node *statement);
const gm_cfg_slot *gm_cfg_next_slot(const gm_cfg *cfg, const gm_cfg_slot *slot);

/* Edges and orders once all blocks are there. */
void gm_cfg_finish(gm_arena *arena, gm_cfg *cfg);

#endif
