/* Folders of the workspace, settings that change, and what the server says besides answers. */
#include <stdlib.h>
#include <string.h>

#include "base/visible.h"
#include "server/session.h"
#include "server/uri.h"

/* ---- Folders ---- */

void gm_add_folder(gm_call *call, uint32_t uri) {
    gm_folders *folders = &call->server->folders;
    const char *text = gm_input_text(call->in, uri, NULL);
    const char *path = text == NULL ? NULL : gm_uri_path(call->arena, text);
    char *copy = path == NULL ? NULL : gm_bytes_copy(path, strlen(path));
    char **paths = copy == NULL ? NULL : realloc(folders->paths, (folders->count + 1) * sizeof *paths);
    if (paths == NULL) {
        free(copy);
        return;
    }
    folders->paths = paths;
    paths[folders->count++] = copy;
}

void gm_add_folders(gm_call *call, uint32_t list) {
    for (uint32_t item = GM_INPUT_NONE; (item = gm_input_next(call->in, list, item)) != GM_INPUT_NONE;) {
        gm_add_folder(call, gm_input_member(call->in, item, "uri"));
    }
}

static void remove_folder(gm_call *call, uint32_t uri) {
    gm_folders *folders = &call->server->folders;
    const char *text = gm_input_text(call->in, uri, NULL);
    const char *path = text == NULL ? NULL : gm_uri_path(call->arena, text);
    for (uint32_t i = 0; path != NULL && i < folders->count; i++) {
        if (strcmp(folders->paths[i], path) == 0) {
            free(folders->paths[i]);
            folders->paths[i] = folders->paths[--folders->count];
            return;
        }
    }
}

void gm_serve_workspace_folders(gm_call *call) {
    uint32_t removed = gm_input_path(call->in, call->params, "event.removed");
    for (uint32_t item = GM_INPUT_NONE; (item = gm_input_next(call->in, removed, item)) != GM_INPUT_NONE;) {
        remove_folder(call, gm_input_member(call->in, item, "uri"));
    }
    gm_add_folders(call, gm_input_path(call->in, call->params, "event.added"));
}

bool gm_server_may_change(const gm_server *server, const gm_unit *unit) {
    if (unit->path == NULL || server->folders.count == 0) {
        return true;
    }
    for (uint32_t i = 0; i < server->folders.count; i++) {
        if (gm_path_is_below(unit->path, server->folders.paths[i])) {
            return true;
        }
    }
    return false;
}

/* ---- Settings ---- */

void gm_read_choices(gm_call *call, uint32_t options) {
    gm_choices *choices = &call->server->choices;
    uint32_t lenses = gm_input_member(call->in, options, "codeLens");
    uint32_t hints = gm_input_member(call->in, options, "inlayHints");
    choices->lenses = gm_input_is(call->in, lenses, GM_TAPE_FALSE) ? false : gm_input_true(call->in, lenses) || choices->lenses;
    choices->hints = gm_input_is(call->in, hints, GM_TAPE_FALSE) ? false : gm_input_true(call->in, hints) || choices->hints;
}

void gm_server_touch_all(gm_call *call) {
    gm_server *server = call->server;
    for (uint32_t i = 0; i < server->documents.count; i++) {
        gm_unit_touch(server->documents.units[i]);
    }
    if (server->client.refreshes) {
        gm_buffer params;
        gm_buffer_init(&params, call->arena);
        gm_buffer_add_text(&params, "null");
        gm_server_ask(call, "workspace/diagnostic/refresh", &params);
    }
}

void gm_serve_configuration(gm_call *call) {
    gm_read_choices(call, gm_input_path(call->in, call->params, "settings.graphmend"));
    gm_server_touch_all(call);
}

void gm_serve_watched_files(gm_call *call) {
    gm_server_touch_all(call);
}

/* ---- Words ---- */

void gm_server_tell(gm_call *call, bool shown, const char *words, const char *name, const char *more) {
    gm_buffer text;
    gm_buffer params;
    gm_buffer_init(&text, call->arena);
    gm_buffer_init(&params, call->arena);
    gm_buffer_printf(&text, "graphmend: %s", words);
    if (name != NULL) {
        gm_buffer_add_text(&text, " `");
        gm_visible_add(&text, name, strlen(name), 0);
        gm_buffer_add_text(&text, more != NULL ? "`: " : "`");
    }
    if (more != NULL) {
        gm_visible_add(&text, more, strlen(more), 0);
    }
    gm_buffer_add_text(&params, "{\"type\": 2, \"message\": ");
    gm_buffer_add_json(&params, text.bytes, text.length);
    gm_buffer_add_char(&params, '}');
    gm_server_notify(call, shown ? "window/showMessage" : "window/logMessage", &params);
}
