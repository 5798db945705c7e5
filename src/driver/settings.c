#include "driver/settings.h"

#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "driver/files.h"
#include "driver/toml.h"
#include "flow/torch_facts.h"
#include "rules/suppress.h"

typedef struct reading {
    gm_arena *arena;
    gm_settings *settings;
    const char *folder;
    const char **problem;
} reading;

static const char *text_of(gm_arena *arena, uint32_t line, const char *words, const char *what) {
    gm_buffer text;
    gm_buffer_init(&text, arena);
    gm_buffer_printf(&text, "line %u: %s", line, words);
    if (what != NULL) {
        gm_buffer_printf(&text, " `%s`", what);
    }
    return gm_buffer_text(&text);
}

/* Returns false, after saying what is wrong in a line. */
static bool fail(const reading *state, uint32_t line, const char *words, const char *what) {
    if (*state->problem == NULL) {
        *state->problem = text_of(state->arena, line, words, what);
    }
    return false;
}

/* The rule whose code starts with a word, or whose name it is; `*named` says which of the two. */
static const gm_rule *rule_of(const char *word, size_t length, bool *named) {
    for (size_t i = 0; length > 0 && i < gm_rule_count; i++) {
        const gm_rule *rule = gm_rules[i];
        *named = strlen(rule->name) == length && strncasecmp(rule->name, word, length) == 0;
        if (*named || strncasecmp(rule->code, word, length) == 0) {
            return rule;
        }
    }
    return NULL;
}

bool gm_settings_knows(const char *word, size_t length) {
    bool named = false;
    return rule_of(word, length, &named) != NULL;
}

void gm_settings_add_code(gm_buffer *list, const char *word, size_t length) {
    bool named = false;
    const gm_rule *rule = rule_of(word, length, &named);
    if (rule != NULL) {
        gm_buffer_add(list, rule->code, named ? strlen(rule->code) : length);
        gm_buffer_add_char(list, ',');
    }
}

static bool is_list_of_strings(const reading *state, const gm_toml *value) {
    if (value->kind != GM_TOML_ARRAY) {
        return fail(state, value->line, "must be a list of strings:", value->key);
    }
    for (uint32_t i = 0; i < value->items.count; i++) {
        if (value->items.items[i]->kind != GM_TOML_STRING) {
            return fail(state, value->items.items[i]->line, "must be a list of strings:", value->key);
        }
    }
    return true;
}

/* The list with a character behind each of its items. */
static const char *joined(const reading *state, const gm_toml *list, char behind) {
    gm_buffer text;
    gm_buffer_init(&text, state->arena);
    for (uint32_t i = 0; i < list->items.count; i++) {
        gm_buffer_add_text(&text, list->items.items[i]->text);
        gm_buffer_add_char(&text, behind);
    }
    return gm_buffer_text(&text);
}

/* The codes of the rules that a list names; NULL where one of them is none, and the problem says so. */
static const char *read_codes(const reading *state, const gm_toml *value) {
    if (!is_list_of_strings(state, value)) {
        return NULL;
    }
    for (uint32_t i = 0; i < value->items.count; i++) {
        const gm_toml *code = value->items.items[i];
        if (!gm_settings_knows(code->text, strlen(code->text))) {
            fail(state, code->line, "no rule", code->text);
            return NULL;
        }
    }
    gm_buffer list;
    gm_buffer_init(&list, state->arena);
    for (uint32_t i = 0; i < value->items.count; i++) {
        gm_settings_add_code(&list, value->items.items[i]->text, strlen(value->items.items[i]->text));
    }
    return gm_buffer_text(&list);
}

/* ---- One function a setting; the problem says whether it could be set ---- */

static void set_select(const reading *state, const gm_toml *value) {
    state->settings->select = read_codes(state, value);
}

static void set_ignore(const reading *state, const gm_toml *value) {
    state->settings->ignore = read_codes(state, value);
}

static void set_all(const reading *state, const gm_toml *value) {
    state->settings->all = value->integer != 0;
    if (value->kind != GM_TOML_BOOLEAN) {
        fail(state, value->line, "must be true or false:", value->key);
    }
}

static void set_threads(const reading *state, const gm_toml *value) {
    if (value->kind != GM_TOML_INTEGER || value->integer < 0 || value->integer > GM_SETTINGS_MOST_THREADS) {
        fail(state, value->line, "must be a number from 0 to 1024:", value->key);
        return;
    }
    state->settings->threads = (uint32_t)value->integer;
}

static void set_max_file_size(const reading *state, const gm_toml *value) {
    if (value->kind != GM_TOML_INTEGER || value->integer < 1 || value->integer > GM_SETTINGS_MOST_MEGABYTES) {
        fail(state, value->line, "must be a number of megabytes from 1 to 4095:", value->key);
        return;
    }
    state->settings->max_file_size = (uint32_t)value->integer;
}

static void set_torch_version(const reading *state, const gm_toml *value) {
    if (value->kind != GM_TOML_STRING) {
        fail(state, value->line, "must be a string:", value->key);
        return;
    }
    state->settings->release = gm_release_find(value->text);
    if (state->settings->release == GM_RELEASES) {
        fail(state, value->line, "there are no facts about torch", value->text);
    }
}

static void set_exclude(const reading *state, const gm_toml *value) {
    if (is_list_of_strings(state, value)) {
        const char *lines = state->settings->exclude_lines = joined(state, value, '\n');
        state->settings->exclude = gm_ignore_parse(state->arena, NULL, state->folder, lines, strlen(lines));
    }
}

static void set_file_ignores(const reading *state, const gm_toml *value) {
    if (value->kind != GM_TOML_TABLE) {
        fail(state, value->line, "must be a table of patterns and codes:", value->key);
        return;
    }
    for (uint32_t i = 0; i < value->items.count; i++) {
        const gm_toml *codes = value->items.items[i];
        const char *listed = read_codes(state, codes);
        if (listed == NULL) {
            return;
        }
        gm_file_ignore one = {
            .codes = listed,
            .pattern = gm_ignore_parse(state->arena, NULL, state->folder, codes->key, strlen(codes->key)),
        };
        gm_vec_push(state->arena, &state->settings->file_ignores, one);
    }
}

static const struct {
    const char *name;
    void (*set)(const reading *state, const gm_toml *value);
} known[] = {
    {"select", set_select},
    {"ignore", set_ignore},
    {"all", set_all},
    {"exclude", set_exclude},
    {"max-file-size", set_max_file_size},
    {"threads", set_threads},
    {"torch-version", set_torch_version},
    {"per-file-ignores", set_file_ignores},
};

enum { KNOWN_COUNT = sizeof known / sizeof known[0] };

static void read_setting(const reading *state, const gm_toml *value) {
    for (size_t i = 0; i < KNOWN_COUNT; i++) {
        if (strcmp(known[i].name, value->key) == 0) {
            known[i].set(state, value);
            return;
        }
    }
    fail(state, value->line, "unknown setting", value->key);
}

const gm_settings *gm_settings_read(gm_arena *arena, const char *path, const char *folder, const char *text, size_t length,
                                    const char **problem) {
    gm_toml_error error;
    *problem = NULL;
    const gm_toml *root = gm_toml_parse(arena, text, length, &error);
    if (error.words != NULL) {
        *problem = text_of(arena, error.line, error.words, NULL);
        return NULL;
    }
    const gm_toml *section = gm_toml_get(gm_toml_get(root, "tool"), "graphmend");
    if (section == NULL) {
        return NULL;
    }
    gm_settings *settings = GM_NEW(arena, gm_settings);
    settings->path = path;
    reading state = {arena, settings, folder, problem};
    if (section->kind != GM_TOML_TABLE) {
        fail(&state, section->line, "must be a table:", "tool.graphmend");
    }
    for (uint32_t i = 0; *problem == NULL && i < section->items.count; i++) {
        read_setting(&state, section->items.items[i]);
    }
    return *problem == NULL ? settings : NULL;
}

/* ---- What they say of a file ---- */

size_t gm_settings_most(const gm_settings *settings) {
    size_t most = (size_t)GM_FILE_MOST;
    size_t asked = settings == NULL || settings->max_file_size == 0 ? most : (size_t)settings->max_file_size << 20;
    return asked < most ? asked : most;
}

bool gm_settings_exclude(const gm_settings *settings, const char *absolute) {
    return settings != NULL && gm_ignore_covers(settings->exclude, absolute);
}

gm_check_options gm_settings_apply(gm_arena *arena, const gm_settings *settings, const char *absolute, const gm_check_options *typed) {
    gm_check_options options = *typed;
    if (settings == NULL) {
        return options;
    }
    options.all = typed->all || settings->all;
    options.asked.release = typed->release_named ? typed->asked.release : (uint8_t)settings->release;
    options.rules.select = typed->rules.select != NULL ? typed->rules.select : settings->select;
    options.rules.ignore = typed->rules.ignore != NULL ? typed->rules.ignore : settings->ignore;
    gm_buffer codes;
    gm_buffer_init(&codes, arena);
    for (uint32_t i = 0; i < settings->file_ignores.count; i++) {
        const gm_file_ignore *one = &settings->file_ignores.items[i];
        if (gm_ignore_covers(one->pattern, absolute)) {
            gm_buffer_add_text(&codes, one->codes);
        }
    }
    options.rules.file_ignore = codes.length > 0 ? gm_buffer_text(&codes) : NULL;
    return options;
}
