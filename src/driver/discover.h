/* Which files a command is about: files that are named, and all Python files below folders that are named. */
#ifndef GM_DRIVER_DISCOVER_H
#define GM_DRIVER_DISCOVER_H

#include "base/vec.h"

/* A path that could not be used, and why, in words that follow "`PATH`: ". */
typedef struct gm_problem {
    const char *path;
    const char *words;
} gm_problem;

typedef struct gm_found {
    GM_VEC(const char *) paths; /* as typed, or below the folder as typed; sorted, none twice */
    GM_VEC(gm_problem) problems;
} gm_found;

/* Look at `count` paths. A named file is taken when it is Python by its suffix or first line. Folders are searched for *.py;
 * left out below them are hidden and generated folders (.git, .venv, build, node_modules, __pycache__, ...), virtual
 * environments, folders behind symbolic links, and what .gitignore files leave out. */
gm_found *gm_discover(gm_arena *arena, const char *const *roots, int count);

#endif
