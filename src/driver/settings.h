/* `[tool.graphmend]` of pyproject.toml. The closest file with that section holds for a folder; files further up do not add to it.
 *
 *     [tool.graphmend]
 *     select = ["GM1", "GM301"]        # only these rules
 *     ignore = ["GM303"]               # all rules but these
 *     exclude = ["third_party", "*_pb2.py"]
 *     threads = 4
 *     max-file-size = 4                # megabytes, at most 16; larger files are not read
 *     all = false
 *     torch-version = "2.13"
 *
 *     [tool.graphmend.per-file-ignores]
 *     "tests/" = ["GM3"]
 *
 * Patterns are those of .gitignore, below the folder of the file. Options of the command line stand in place of the settings of the same
 * name. */
#ifndef GM_DRIVER_SETTINGS_H
#define GM_DRIVER_SETTINGS_H

#include "base/buffer.h"
#include "driver/check.h"
#include "driver/ignore.h"
#include "rules/versions.h"

typedef struct gm_file_ignore {
    const gm_ignore *pattern;
    const char *codes; /* each followed by a comma */
} gm_file_ignore;

typedef struct gm_settings {
    const char *path;    /* of the pyproject.toml */
    const char *select;  /* codes or prefixes, each followed by a comma; NULL: not set */
    const char *ignore;
    bool all;
    uint32_t threads;    /* 0: not set */
    uint32_t max_file_size; /* in megabytes; 0: not set */
    gm_release release;  /* of torch; the first one when not set */
    const gm_ignore *exclude;  /* NULL: not set */
    const char *exclude_lines; /* its patterns as they are written, in lines */
    GM_VEC(gm_file_ignore) file_ignores;
} gm_settings;

enum { GM_SETTINGS_MOST_THREADS = 1024, GM_SETTINGS_MOST_MEGABYTES = 4095 };

/* How many bytes a file may have that is read: settings may lower the number, as those of a repository that is only checked must not make work.
 * More is for the command line. */
size_t gm_settings_most(const gm_settings *settings);

/* The settings in the text of a pyproject.toml at `path` in `folder` (absolute, with a slash behind it). NULL when it has no section of ours, and
 * with `*problem` set when something is wrong: words that follow "`PATH`: ", in the arena. */
const gm_settings *gm_settings_read(gm_arena *arena, const char *path, const char *folder, const char *text, size_t length,
                                    const char **problem);

/* Whether the settings leave out a file that is named on the command line, or a folder around it. `absolute` is its path. */
bool gm_settings_exclude(const gm_settings *settings, const char *absolute);

/* The options for one file: those of the command line where they are given, otherwise the settings, which may be NULL. */
gm_check_options gm_settings_apply(gm_arena *arena, const gm_settings *settings, const char *absolute, const gm_check_options *typed);

/* Whether a word is a rule's code, the beginning of one, or a rule's name, in capitals or not. */
bool gm_settings_knows(const char *word, size_t length);

/* Add the code, or the beginning of one, that such a word stands for, and a comma. */
void gm_settings_add_code(gm_buffer *list, const char *word, size_t length);

#endif
