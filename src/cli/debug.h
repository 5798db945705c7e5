/* `graphmend debug STAGE`: one function a stage, listed in stages.def, each in a file debug_STAGE.c. */
#ifndef GM_CLI_DEBUG_H
#define GM_CLI_DEBUG_H

#define GM_STAGE(name, function, summary) int function(int count, char **arguments);
#include "cli/stages.def"

#endif
