/* Blocks that only say something to people: `print`, `warnings.warn`, methods of loggers. */
#ifndef GM_ANALYSIS_MESSAGES_H
#define GM_ANALYSIS_MESSAGES_H

#include "flow/flow.h"

/* Whether a block does nothing but say something; loops and tests around that are looked through. */
bool gm_are_messages(gm_function *function, const gm_list *block);

/* Whether it does, and then gives the call up: `return`, without a value. */
bool gm_are_messages_and_end(gm_function *function, const gm_list *block);

#endif
