/* Searches among the base classes of a file. Each looks at a class again only where it comes nearer to it than before, and at no more bases
 * than a program that people write has: a class that names one base many times, a lattice of mixins, a circle all end soon. */
#ifndef GM_FLOW_BASES_H
#define GM_FLOW_BASES_H

#include "flow/flow.h"

typedef struct gm_base_search {
    gm_flow *flow;
    uint32_t number;
    uint32_t left; /* bases that may still be looked at */
} gm_base_search;

gm_base_search gm_bases_search(gm_flow *flow);

/* Whether there is a next base to look at: `at` of `count`, of a class that was met `depth` steps away. */
bool gm_bases_go_on(gm_base_search *search, uint32_t at, uint32_t count, uint32_t depth);

/* Whether a class is to be looked at. It is not when this search has been there on a way that was as short: nothing else is found. */
bool gm_bases_enter(gm_base_search *search, const gm_node *class_def, uint32_t depth);

#endif
