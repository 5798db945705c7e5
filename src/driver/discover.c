#include "driver/discover.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/files.h"
#include "driver/ignore.h"

/* Folders that hold no source of the project that is looked at, besides the hidden ones. */
static const char *const skipped_folders[] = {"__pycache__", "build", "dist", "node_modules", "site-packages"};
static const char *const python_suffixes[] = {".py", ".pyi", ".pyw"};

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

typedef GM_VEC(const char *) path_list;

typedef struct search {
    gm_arena *arena;
    gm_found *found;
    const gm_ignore *ignore; /* of the folder that is being read */
} search;

static bool ends_with(const char *text, const char *suffix) {
    size_t length = strlen(text);
    size_t suffix_length = strlen(suffix);
    return length > suffix_length && memcmp(text + length - suffix_length, suffix, suffix_length) == 0;
}

static void add_problem(search *state, const char *path, const char *words) {
    gm_problem problem = {path, words};
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

static int compare_paths(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool list_folder(search *state, const char *folder, path_list *names) {
    DIR *stream = opendir(folder);
    if (stream == NULL) {
        add_problem(state, folder, gm_file_error(errno));
        return false;
    }
    for (const struct dirent *entry = readdir(stream); entry != NULL; entry = readdir(stream)) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            const char *name = gm_arena_copy(state->arena, entry->d_name, strlen(entry->d_name));
            gm_vec_push(state->arena, names, name);
        }
    }
    closedir(stream);
    if (names->count > 0) {
        qsort(names->items, names->count, sizeof *names->items, compare_paths);
    }
    return true;
}

/* The list of the folder's own .gitignore, in front of those around it. */
static const gm_ignore *read_ignore(gm_arena *arena, const gm_ignore *outer, const char *folder) {
    gm_file file;
    if (gm_file_read(arena, join(arena, folder, ".gitignore"), &file) != NULL) {
        return outer;
    }
    const char *below = *folder == '\0' || ends_with(folder, "/") ? folder : join(arena, folder, "");
    return gm_ignore_parse(arena, outer, below, file.bytes, file.size);
}

static bool exists_in(gm_arena *arena, const char *folder, const char *name) {
    return access(join(arena, folder, name), F_OK) == 0;
}

static bool is_skipped(search *state, const char *path, const char *name) {
    for (size_t i = 0; i < LENGTH(skipped_folders); i++) {
        if (strcmp(name, skipped_folders[i]) == 0) {
            return true;
        }
    }
    return name[0] == '.' || exists_in(state->arena, path, "pyvenv.cfg");
}

static void search_folder(search *state, const char *folder);

static void search_entry(search *state, const char *folder, const char *name) {
    const char *path = strcmp(folder, ".") == 0 ? name : join(state->arena, folder, name);
    struct stat status;
    if (lstat(path, &status) != 0) {
        return; /* gone since the folder was listed */
    }
    bool link = S_ISLNK(status.st_mode);
    if (link && stat(path, &status) != 0) {
        return;
    }
    bool is_folder = S_ISDIR(status.st_mode);
    if (is_folder ? link || is_skipped(state, path, name) : !S_ISREG(status.st_mode) || !ends_with(name, ".py")) {
        return;
    }
    if (gm_ignore_matches(state->ignore, path, is_folder)) {
        return;
    }
    if (is_folder) {
        search_folder(state, path);
    } else {
        gm_vec_push(state->arena, &state->found->paths, path);
    }
}

static void search_folder(search *state, const char *folder) {
    path_list names = {0};
    if (!list_folder(state, folder, &names)) {
        return;
    }
    const gm_ignore *outer = state->ignore;
    state->ignore = read_ignore(state->arena, outer, strcmp(folder, ".") == 0 ? "" : folder);
    for (uint32_t i = 0; i < names.count; i++) {
        search_entry(state, folder, names.items[i]);
    }
    state->ignore = outer;
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
    for (size_t i = 0; i < LENGTH(python_suffixes); i++) {
        if (ends_with(path, python_suffixes[i])) {
            return true;
        }
    }
    return has_python_shebang(path);
}

static void search_root(search *state, const char *root) {
    struct stat status;
    uint32_t before = state->found->paths.count;
    uint32_t problems = state->found->problems.count;
    if (stat(root, &status) != 0) {
        add_problem(state, root, gm_file_error(errno));
    } else if (S_ISDIR(status.st_mode)) {
        search_folder(state, root);
        if (state->found->paths.count == before && state->found->problems.count == problems) {
            add_problem(state, root, "holds no Python files");
        }
    } else if (!S_ISREG(status.st_mode)) {
        add_problem(state, root, "is not a regular file");
    } else if (!is_python(root)) {
        add_problem(state, root, "is not a Python file");
    } else {
        gm_vec_push(state->arena, &state->found->paths, root);
    }
}

static void sort_unique(gm_found *found) {
    if (found->paths.count == 0) {
        return;
    }
    const char **paths = found->paths.items;
    qsort(paths, found->paths.count, sizeof *paths, compare_paths);
    uint32_t kept = 1;
    for (uint32_t i = 1; i < found->paths.count; i++) {
        if (strcmp(paths[i], paths[kept - 1]) != 0) {
            paths[kept++] = paths[i];
        }
    }
    found->paths.count = kept;
}

gm_found *gm_discover(gm_arena *arena, const char *const *roots, int count) {
    search state = {arena, GM_NEW(arena, gm_found), NULL};
    for (int i = 0; i < count; i++) {
        search_root(&state, roots[i]);
    }
    sort_unique(state.found);
    return state.found;
}
