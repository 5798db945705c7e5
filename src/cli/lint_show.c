/* `--show-files`, `--show-settings`, `--output-file` and `--watch`: what is around the report. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/lint.h"
#include "cli/say.h"
#include "driver/files.h"

bool gm_lint_open_output(const gm_lint *asked) {
    if (asked->output_file != NULL && freopen(asked->output_file, "wb", stdout) == NULL) {
        gm_cli_say(stderr, "graphmend: `%s`: %s\n", asked->output_file, gm_file_error(errno));
        return false;
    }
    return true;
}

static const gm_found *find_targets(gm_arena *arena, const gm_lint *asked) {
    return gm_discover(arena, (const char *const *)asked->run.paths, asked->run.count, &asked->run.discover);
}

/* Codes with their commas, or words for none. */
static void show_codes(const char *name, const char *codes, const char *none) {
    size_t length = codes == NULL ? 0 : strlen(codes);
    gm_cli_say(stdout, "  %s = %.*s\n", name, (int)(length > 0 ? length - 1 : strlen(none)), length > 0 ? codes : none);
}

static void show_lines(const char *lines) {
    while (lines != NULL && *lines != '\0') {
        size_t length = strcspn(lines, "\n");
        gm_cli_say(stdout, "  exclude = %.*s\n", (int)length, lines);
        lines += length + (lines[length] == '\n');
    }
}

static void show_settings(gm_arena *arena, const gm_lint *asked, const gm_target *target) {
    const gm_settings *settings = target->settings;
    gm_check_options check = gm_lint_options_for(arena, asked, target);
    gm_cli_say(stdout, "settings of %s: %s\n", target->path, settings == NULL ? "none" : settings->path);
    show_codes("select", check.rules.select, "all rules");
    show_codes("extend-select", check.rules.more, "none");
    show_codes("ignore", check.rules.ignore, "none");
    show_codes("per-file-ignores", check.rules.file_ignore, "none");
    gm_cli_say(stdout, "  all = %s\n", check.all ? "true" : "false");
    gm_cli_say(stdout, "  torch-version = %s\n", gm_release_names[check.asked.release]);
    gm_cli_say(stdout, "  max-file-size = %u\n", (unsigned)(gm_settings_most(settings) >> 20));
    show_lines(settings == NULL ? NULL : settings->exclude_lines);
}

/* Settings are shown once for all files behind one another that have the same. */
int gm_lint_show(gm_arena *arena, void *context) {
    gm_lint *asked = context;
    const gm_settings *shown = NULL;
    if (!gm_cli_read_codes(arena, &asked->run)) {
        return GM_EXIT_USAGE;
    }
    const gm_found *found = find_targets(arena, asked);
    for (uint32_t i = 0; i < found->problems.count; i++) {
        gm_cli_say(stderr, "graphmend: `%s`: %s\n", found->problems.items[i].path, found->problems.items[i].words);
    }
    for (uint32_t i = 0; i < found->targets.count; i++) {
        const gm_target *target = &found->targets.items[i];
        if (asked->show_files) {
            gm_cli_say(stdout, "%s\n", target->path);
        } else if (i == 0 || target->settings != shown) {
            show_settings(arena, asked, target);
            shown = target->settings;
        }
    }
    return found->settings_failed ? GM_EXIT_USAGE : GM_EXIT_CLEAN;
}

/* ---- --watch ---- */

typedef struct looking {
    const gm_lint *asked;
    gm_hash seen; /* what the files were like */
} looking;

static int look(gm_arena *arena, void *context) {
    looking *state = context;
    gm_hasher hasher;
    gm_hasher_init(&hasher);
    const gm_found *found = find_targets(arena, state->asked);
    for (uint32_t i = 0; i < found->targets.count; i++) {
        struct stat status;
        const char *path = found->targets.items[i].path;
        gm_hasher_add_text(&hasher, path);
        if (stat(path, &status) == 0) {
            gm_hasher_add(&hasher, &status.st_mtime, sizeof status.st_mtime);
            gm_hasher_add(&hasher, &status.st_size, sizeof status.st_size);
            gm_hasher_add(&hasher, &status.st_ino, sizeof status.st_ino);
        }
    }
    state->seen = gm_hasher_end(&hasher);
    return GM_EXIT_CLEAN;
}

static bool is_same(const gm_hash *left, const gm_hash *right) {
    return memcmp(left, right, sizeof *left) == 0;
}

int gm_lint_watch(gm_lint *asked, int (*once)(gm_arena *arena, void *context)) {
    const struct timespec pause = {.tv_sec = 0, .tv_nsec = 300000000};
    looking now = {.asked = asked};
    gm_hash told = {0};
    for (bool first = true;; first = false) {
        int status = gm_cli_with_arena(look, &now);
        if (status == GM_EXIT_CLEAN && (first || !is_same(&now.seen, &told))) {
            told = now.seen;
            (void)gm_cli_with_arena(once, asked);
            gm_cli_print_text(stdout, "graphmend: waiting for changes, Ctrl-C ends\n");
            fflush(stdout);
        }
        nanosleep(&pause, NULL);
    }
}
