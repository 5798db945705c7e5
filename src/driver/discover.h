/* Which files a command is about: files that are named, and all Python files and notebooks below folders that are named; and the settings
 * that hold for each. */
#ifndef GM_DRIVER_DISCOVER_H
#define GM_DRIVER_DISCOVER_H

#include "base/vec.h"
#include "driver/settings.h"

/* A path that could not be used, and why, in words that follow "`PATH`: ". */
typedef struct gm_problem {
    const char *path;
    const char *words;
    bool warning; /* it is told, and no error */
} gm_problem;

typedef struct gm_target {
    const char *path;     /* as typed, or below the folder as typed */
    const char *absolute;
    const gm_settings *settings; /* NULL: none */
    const char *entrances; /* what other files call in it (links.h); NULL: nothing is known */
} gm_target;

typedef struct gm_found {
    GM_VEC(gm_target) targets; /* sorted by path, none twice */
    GM_VEC(gm_problem) problems;
    bool settings_failed; /* one of the problems is a pyproject.toml that cannot be used */
} gm_found;

typedef struct gm_discover_options {
    bool isolated;      /* look at no settings */
    bool force_exclude; /* settings leave out files that are named, too */
    const char *exclude; /* patterns between commas, in the folder where the command was given; NULL: none */
    const char *config;  /* the file whose settings hold for all, in place of pyproject.toml; NULL: none */
} gm_discover_options;

/* Look at `count` paths. A named file is taken when it is Python by its suffix or first line, or a notebook. Folders are searched for *.py and
 * *.ipynb; left out below them are hidden and generated folders (.git, .venv, build, node_modules, __pycache__, ...), virtual
 * environments, folders behind symbolic links, files behind links that lead out of the folder that was named, what .gitignore files leave out, those of the repository around the folder included, and
 * what the settings exclude. */
gm_found *gm_discover(gm_arena *arena, const char *const *roots, int count, const gm_discover_options *options);

/* The target for text that comes from elsewhere and is called `name`: the settings are those of a file of that name. */
gm_found *gm_discover_named(gm_arena *arena, const char *name, const gm_discover_options *options);

#endif
