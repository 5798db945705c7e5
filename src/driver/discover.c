#define _DEFAULT_SOURCE /* d_type */
#define _DARWIN_C_SOURCE /* the same */
#include "driver/discover.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/table.h"
#include "driver/files.h"
#include "driver/ignore.h"

/* Folders that hold no source of the project that is looked at, besides the hidden ones. */
static const char *const skipped_folders[] = {"__pycache__", "build", "dist", "node_modules", "site-packages"};
static const char *const named_suffixes[] = {".py", ".pyi", ".pyw", ".ipynb"};
static const char *const searched_suffixes[] = {".py", ".ipynb"};

/* For patterns in one search: a few seconds. A pattern whose end is not the path's takes one step. */
static const uint64_t most_steps = 1ULL << 30;

/* For all .gitignore and pyproject.toml files of a search: links make many of one. */
enum { MOST_BYTES_TOGETHER = 64 << 20 };

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

/* What a listed folder tells of a name in it. */
typedef enum entry_kind { ENTRY_FILE, ENTRY_FOLDER, ENTRY_UNKNOWN } entry_kind;

typedef struct entry {
    const char *name;
    entry_kind kind;
} entry;

/* What is in a folder, as far as it matters. */
typedef struct listing {
    GM_VEC(entry) entries; /* sorted by name */
    bool has_ignore;       /* a .gitignore */
    bool has_settings;     /* a pyproject.toml */
    bool is_environment;   /* there is a pyvenv.cfg */
} listing;

/* The settings of a folder that have been looked up. */
typedef struct known_folder {
    const char *folder;
    const gm_settings *settings;
} known_folder;

typedef struct search {
    gm_arena *arena;
    gm_found *found;
    const gm_discover_options *options;
    const gm_ignore *ignore;     /* of the folder that is being read */
    const gm_settings *settings; /* the same */
    const gm_ignore *exclude;    /* of the command line */
    const gm_settings *config;   /* the same: they hold for all files */
    uint64_t steps;              /* that are left for patterns */
    const char *root;            /* the folder that was named, absolute; links out of it are not followed */
    uint64_t bytes;              /* of settings and lists that were read */
    GM_VEC(known_folder) known;
    gm_table places;             /* of the folders among them, by their names */
    gm_table linked;             /* files that a link has led to, by what tells them apart */
} search;

/* A path as it is shown, and as it is matched. */
typedef struct place {
    const char *path;
    const char *absolute;
} place;

static bool ends_with(const char *text, const char *suffix) {
    size_t length = strlen(text);
    size_t suffix_length = strlen(suffix);
    return length > suffix_length && memcmp(text + length - suffix_length, suffix, suffix_length) == 0;
}

static bool has_suffix(const char *path, const char *const *suffixes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (ends_with(path, suffixes[i])) {
            return true;
        }
    }
    return false;
}

static void add_problem(search *state, const char *path, const char *words) {
    gm_problem problem = {.path = path, .words = words};
    gm_vec_push(state->arena, &state->found->problems, problem);
}

/* "FOLDER/NAME"; the folder may be empty or end with a slash. */
static const char *join(gm_arena *arena, const char *folder, const char *name) {
    size_t folder_length = strlen(folder);
    size_t name_size = strlen(name) + 1;
    bool slash = folder_length > 0 && folder[folder_length - 1] != '/';
    char *path = gm_arena_alloc(arena, folder_length + slash + name_size);
    memcpy(path, folder, folder_length);
    if (slash) {
        path[folder_length] = '/';
    }
    memcpy(path + folder_length + slash, name, name_size);
    return path;
}

static place join_place(gm_arena *arena, place folder, const char *name) {
    place made = {strcmp(folder.path, ".") == 0 ? name : join(arena, folder.path, name), join(arena, folder.absolute, name)};
    return made;
}

static int compare_entries(const void *a, const void *b) {
    return strcmp(((const entry *)a)->name, ((const entry *)b)->name);
}

static int compare_targets(const void *a, const void *b) {
    return strcmp(((const gm_target *)a)->path, ((const gm_target *)b)->path);
}

static entry_kind kind_of(const struct dirent *found) {
#ifdef DT_REG
    return found->d_type == DT_REG ? ENTRY_FILE : found->d_type == DT_DIR ? ENTRY_FOLDER : ENTRY_UNKNOWN;
#else
    (void)found;
    return ENTRY_UNKNOWN;
#endif
}

/* Most entries of many folders are files of other kinds: they are passed by here. */
static void list_entry(search *state, listing *list, const struct dirent *found) {
    const char *name = found->d_name;
    entry_kind kind = kind_of(found);
    list->has_ignore = list->has_ignore || strcmp(name, ".gitignore") == 0;
    list->has_settings = list->has_settings || strcmp(name, "pyproject.toml") == 0;
    list->is_environment = list->is_environment || strcmp(name, "pyvenv.cfg") == 0;
    bool dots = strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
    bool other = kind == ENTRY_FILE && !has_suffix(name, searched_suffixes, LENGTH(searched_suffixes));
    if (!dots && !other) {
        entry kept = {gm_arena_copy(state->arena, name, strlen(name)), kind};
        gm_vec_push(state->arena, &list->entries, kept);
    }
}

static bool list_folder(search *state, const char *folder, listing *list) {
    DIR *stream = opendir(folder);
    if (stream == NULL) {
        add_problem(state, folder, gm_file_error(errno));
        return false;
    }
    for (const struct dirent *found = readdir(stream); found != NULL; found = readdir(stream)) {
        list_entry(state, list, found);
    }
    closedir(stream);
    if (list->entries.count > 0) {
        qsort(list->entries.items, list->entries.count, sizeof *list->entries.items, compare_entries);
    }
    return true;
}

/* A file that says what to look at. One that is too large, or one too many, is told: without it, the search would be another one. */
static bool read_small(search *state, const char *path, gm_file *file) {
    const char *problem = gm_file_read_most(state->arena, path, GM_FILE_MOST, file);
    state->bytes += problem == NULL ? file->size : 0;
    if (problem == gm_file_too_large) {
        problem = "is too large, it may have 16 MB";
    } else if (problem == NULL && state->bytes > MOST_BYTES_TOGETHER) {
        problem = "is one too many, all pyproject.toml and .gitignore files of a search may have 64 MB";
    } else if (problem != NULL) {
        return false; /* none is there, or none that may be read */
    }
    if (problem != NULL && !state->found->settings_failed) {
        add_problem(state, path, problem);
        state->found->settings_failed = true;
    }
    return problem == NULL;
}

static bool is_link(const char *path) {
    struct stat status;
    return lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
}

/* The list of the folder's own .gitignore, in front of those around it. A link is none, as for git. */
static const gm_ignore *read_ignore(search *state, const gm_ignore *outer, const char *folder) {
    gm_arena *arena = state->arena;
    gm_file file;
    const char *path = join(arena, folder, ".gitignore");
    if (state->found->settings_failed || is_link(path) || !read_small(state, path, &file)) {
        return outer;
    }
    const char *below = ends_with(folder, "/") ? folder : join(arena, folder, "");
    return gm_ignore_parse(arena, outer, below, file.bytes, file.size);
}

/* The folder around an absolute path, in the arena; "" behind the root. */
static const char *folder_of(gm_arena *arena, const char *absolute) {
    const char *slash = strrchr(absolute, '/');
    bool top = slash == absolute && absolute[1] != '\0';
    return gm_arena_copy(arena, absolute, top ? 1 : slash == NULL ? 0 : (size_t)(slash - absolute));
}

/* ---- Settings ---- */

/* Those in the folder itself, or `outer`. */
static const gm_settings *own_settings(search *state, const gm_settings *outer, const char *folder) {
    gm_file file;
    const char *path = join(state->arena, folder, "pyproject.toml");
    if (state->options->config != NULL) {
        return state->config;
    }
    if (state->options->isolated || state->found->settings_failed || !read_small(state, path, &file)) {
        return outer;
    }
    const char *problem = NULL;
    const gm_settings *own = gm_settings_read(state->arena, path, join(state->arena, folder, ""), file.bytes, file.size, &problem);
    if (problem != NULL) {
        add_problem(state, path, problem);
        state->found->settings_failed = true;
    }
    return own != NULL ? own : outer;
}

static uint64_t key_of(const void *bytes, size_t size) {
    return gm_hash_of(bytes, size).words[0];
}

/* Those that hold in a folder, from the folders around it too. */
static const gm_settings *settings_of(search *state, const char *folder) {
    uint64_t key = key_of(folder, strlen(folder));
    uint32_t at = gm_table_find(&state->places, key);
    if (at != GM_TABLE_NONE && strcmp(state->known.items[at].folder, folder) == 0) {
        return state->known.items[at].settings;
    }
    const char *around = folder_of(state->arena, folder);
    const gm_settings *outer = *around == '\0' || strcmp(folder, "/") == 0 ? NULL : settings_of(state, around);
    known_folder one = {folder, own_settings(state, outer, folder)};
    gm_table_put(&state->places, state->arena, key, state->known.count);
    gm_vec_push(state->arena, &state->known, one);
    return one.settings;
}

/* ---- Folders ---- */

static bool exists_in(gm_arena *arena, const char *folder, const char *name) {
    return access(join(arena, folder, name), F_OK) == 0;
}

static bool is_skipped(const char *name) {
    for (size_t i = 0; i < LENGTH(skipped_folders); i++) {
        if (strcmp(name, skipped_folders[i]) == 0) {
            return true;
        }
    }
    return name[0] == '.';
}

/* The lists of the repository's folders around a folder. Without a repository there are none. */
static const gm_ignore *outer_ignore(search *state, const char *folder) {
    gm_arena *arena = state->arena;
    if (exists_in(arena, folder, ".git")) {
        return NULL;
    }
    GM_VEC(const char *) around = {0};
    for (const char *at = folder_of(arena, folder); *at != '\0'; at = folder_of(arena, at)) {
        gm_vec_push(arena, &around, at);
        if (exists_in(arena, at, ".git")) {
            const gm_ignore *list = NULL;
            for (uint32_t i = around.count; i-- > 0;) {
                list = read_ignore(state, list, around.items[i]);
            }
            return list;
        }
    }
    return NULL;
}

static void add_target(search *state, place file, const gm_settings *settings) {
    gm_target target = {file.path, file.absolute, settings, NULL};
    gm_vec_push(state->arena, &state->found->targets, target);
}

static bool is_left_out(search *state, const char *absolute, bool is_folder) {
    const gm_ignore *exclude = state->settings != NULL ? state->settings->exclude : NULL;
    return gm_ignore_matches(state->ignore, absolute, is_folder, &state->steps) ||
           gm_ignore_matches(state->exclude, absolute, is_folder, &state->steps) ||
           gm_ignore_matches(exclude, absolute, is_folder, &state->steps);
}

/* What is there when the listing does not tell: ENTRY_UNKNOWN when it is neither file nor folder, a link to a folder, or gone. */
static entry_kind look_at(const char *path) {
    struct stat status;
    if (lstat(path, &status) != 0) {
        return ENTRY_UNKNOWN;
    }
    bool link = S_ISLNK(status.st_mode);
    if (link && stat(path, &status) != 0) {
        return ENTRY_UNKNOWN;
    }
    return S_ISREG(status.st_mode) ? ENTRY_FILE : S_ISDIR(status.st_mode) && !link ? ENTRY_FOLDER : ENTRY_UNKNOWN;
}

/* Whether a path stays in the folder that was named, wherever links lead. */
static bool is_inside(search *state, const char *path) {
    char *room = gm_arena_alloc(state->arena, PATH_MAX);
    const char *target = realpath(path, room);
    size_t length = strlen(state->root);
    while (length > 0 && state->root[length - 1] == '/') {
        length--;
    }
    return target != NULL && strncmp(target, state->root, length) == 0 && target[length] == '/';
}

/* Whether a link leads to a file that another link has led to: a file is looked at once by its own name and once by a link, so that a folder of
 * links to one large file is no more work than the file. */
static bool is_linked_again(search *state, const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) {
        return false;
    }
    const uint64_t numbers[] = {(uint64_t)status.st_dev, (uint64_t)status.st_ino};
    uint64_t key = key_of(numbers, sizeof numbers);
    if (gm_table_find(&state->linked, key) != GM_TABLE_NONE) {
        return true;
    }
    gm_table_put(&state->linked, state->arena, key, 0);
    return false;
}

static void search_folder(search *state, place folder, bool root);

static void search_entry(search *state, place folder, const entry *found) {
    place here = join_place(state->arena, folder, found->name);
    entry_kind kind = found->kind != ENTRY_UNKNOWN ? found->kind : look_at(here.path);
    bool is_file = kind == ENTRY_FILE && has_suffix(found->name, searched_suffixes, LENGTH(searched_suffixes));
    bool is_folder = kind == ENTRY_FOLDER && !is_skipped(found->name);
    if ((!is_file && !is_folder) || is_left_out(state, here.absolute, is_folder)) {
        return;
    }
    bool link = is_file && found->kind == ENTRY_UNKNOWN && is_link(here.path);
    if (link && (!is_inside(state, here.path) || is_linked_again(state, here.path))) {
        return;
    }
    if (is_folder) {
        search_folder(state, here, false);
    } else {
        add_target(state, here, state->settings);
    }
}

static void search_folder(search *state, place folder, bool root) {
    listing list = {0};
    if (!list_folder(state, folder.path, &list) || (list.is_environment && !root)) {
        return;
    }
    const gm_ignore *outer = state->ignore;
    const gm_settings *outer_settings = state->settings;
    list.has_settings = list.has_settings && is_inside(state, join(state->arena, folder.path, "pyproject.toml"));
    state->ignore = list.has_ignore ? read_ignore(state, outer, folder.absolute) : outer;
    state->settings = list.has_settings ? own_settings(state, outer_settings, folder.absolute) : outer_settings;
    for (uint32_t i = 0; i < list.entries.count; i++) {
        search_entry(state, folder, &list.entries.items[i]);
    }
    state->ignore = outer;
    state->settings = outer_settings;
}

/* Whether the first line is `#!` with `python` in it. */
static bool has_python_shebang(const char *path) {
    char line[128] = "";
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        return true; /* reading it will say what is wrong */
    }
    bool read = fgets(line, (int)sizeof line, stream) != NULL;
    fclose(stream);
    return read && line[0] == '#' && line[1] == '!' && strstr(line, "python") != NULL;
}

static bool is_python(const char *path) {
    return has_suffix(path, named_suffixes, LENGTH(named_suffixes)) || has_python_shebang(path);
}

static place resolve(gm_arena *arena, const char *path) {
    char *room = gm_arena_alloc(arena, PATH_MAX);
    char *absolute = realpath(path, room);
    return (place){path, absolute != NULL ? absolute : path};
}

static void search_root_folder(search *state, place root) {
    uint32_t before = state->found->targets.count;
    uint32_t problems = state->found->problems.count;
    const char *around = folder_of(state->arena, root.absolute);
    state->root = root.absolute;
    state->ignore = outer_ignore(state, root.absolute);
    state->settings = *around == '\0' || strcmp(root.absolute, "/") == 0 ? NULL : settings_of(state, around);
    search_folder(state, root, true);
    if (state->found->targets.count == before && state->found->problems.count == problems) {
        gm_problem empty = {.path = root.path, .words = "holds no Python files", .warning = true};
        gm_vec_push(state->arena, &state->found->problems, empty);
    }
}

static void search_root_file(search *state, place root) {
    const gm_settings *settings = settings_of(state, folder_of(state->arena, root.absolute));
    bool excluded = gm_settings_exclude(settings, root.absolute) || gm_ignore_covers(state->exclude, root.absolute);
    if (!state->options->force_exclude || !excluded) {
        add_target(state, root, settings);
    }
}

static void search_root(search *state, const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) {
        add_problem(state, path, gm_file_error(errno));
    } else if (S_ISDIR(status.st_mode)) {
        search_root_folder(state, resolve(state->arena, path));
    } else if (!S_ISREG(status.st_mode)) {
        add_problem(state, path, "is not a regular file");
    } else if (!is_python(path)) {
        add_problem(state, path, "is not a Python file");
    } else {
        search_root_file(state, resolve(state->arena, path));
    }
}

static void sort_unique(gm_found *found) {
    if (found->targets.count == 0) {
        return;
    }
    gm_target *targets = found->targets.items;
    qsort(targets, found->targets.count, sizeof *targets, compare_targets);
    uint32_t kept = 1;
    for (uint32_t i = 1; i < found->targets.count; i++) {
        if (strcmp(targets[i].path, targets[kept - 1].path) != 0) {
            targets[kept++] = targets[i];
        }
    }
    found->targets.count = kept;
}

/* What the command line says in place of settings, or beside them. */
static void read_options(search *state) {
    const gm_discover_options *options = state->options;
    const char *here = join(state->arena, resolve(state->arena, ".").absolute, "");
    if (options->exclude != NULL) {
        size_t length = strlen(options->exclude);
        char *lines = gm_arena_copy(state->arena, options->exclude, length);
        for (char *at = lines; *at != '\0'; at++) {
            *at = *at == ',' ? '\n' : *at;
        }
        state->exclude = gm_ignore_parse(state->arena, NULL, here, lines, length);
    }
    if (options->config != NULL) {
        gm_file file;
        const char *problem = gm_file_read_most(state->arena, options->config, GM_FILE_MOST, &file);
        state->config = problem != NULL ? NULL : gm_settings_read(state->arena, options->config, here, file.bytes, file.size, &problem);
        if (problem == NULL && state->config == NULL) {
            problem = "has no [tool.graphmend]";
        }
        if (problem != NULL) {
            add_problem(state, options->config, problem);
            state->found->settings_failed = true;
        }
    }
}

gm_found *gm_discover(gm_arena *arena, const char *const *roots, int count, const gm_discover_options *options) {
    search state = {.arena = arena, .found = GM_NEW(arena, gm_found), .options = options, .steps = most_steps};
    read_options(&state);
    for (int i = 0; i < count; i++) {
        search_root(&state, roots[i]);
    }
    if (state.steps == 0) {
        add_problem(&state, roots[0], "the patterns of .gitignore and `exclude` take too long, files that they name are looked at");
    }
    sort_unique(state.found);
    return state.found;
}

gm_found *gm_discover_named(gm_arena *arena, const char *name, const gm_discover_options *options) {
    search state = {.arena = arena, .found = GM_NEW(arena, gm_found), .options = options};
    read_options(&state);
    const char *slash = strrchr(name, '/');
    const char *folder = slash == NULL ? "." : gm_arena_copy(arena, name, slash == name ? 1 : (size_t)(slash - name));
    place around = resolve(arena, folder);
    bool exists = around.absolute[0] == '/';
    place file = {name, exists ? join(arena, around.absolute, slash == NULL ? name : slash + 1) : name};
    add_target(&state, file, exists ? settings_of(&state, around.absolute) : settings_of(&state, resolve(arena, ".").absolute));
    return state.found;
}
