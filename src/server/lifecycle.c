/* initialize, initialized, shutdown, exit: what client and server say of themselves. */
#include <stdlib.h>
#include <string.h>

#include "server/session.h"

/* The first of the client's units that is known; without any, UTF-16, which every client has. */
static gm_encoding_units choose_units(const gm_call *call, uint32_t capabilities) {
    uint32_t offered = gm_input_path(call->in, capabilities, "general.positionEncodings");
    for (uint32_t item = GM_INPUT_NONE; (item = gm_input_next(call->in, offered, item)) != GM_INPUT_NONE;) {
        for (int units = 0; units < GM_UNITS_COUNT; units++) {
            if (gm_input_says(call->in, item, gm_units_names[units])) {
                return (gm_encoding_units)units;
            }
        }
    }
    return GM_UNITS_UTF16;
}

static bool offers(const gm_call *call, uint32_t capabilities, const char *names) {
    return gm_input_true(call->in, gm_input_path(call->in, capabilities, names));
}

static bool takes_markdown(const gm_call *call, uint32_t capabilities) {
    uint32_t formats = gm_input_path(call->in, capabilities, "textDocument.hover.contentFormat");
    for (uint32_t item = GM_INPUT_NONE; (item = gm_input_next(call->in, formats, item)) != GM_INPUT_NONE;) {
        if (gm_input_says(call->in, item, "markdown")) {
            return true;
        }
    }
    return false;
}

static gm_client read_client(const gm_call *call) {
    uint32_t capabilities = gm_input_member(call->in, call->params, "capabilities");
    return (gm_client){
        .units = choose_units(call, capabilities),
        .pulls = gm_input_is(call->in, gm_input_path(call->in, capabilities, "textDocument.diagnostic"), GM_TAPE_OBJECT),
        .refreshes = offers(call, capabilities, "workspace.diagnostics.refreshSupport"),
        .shows_documents = offers(call, capabilities, "window.showDocument.support"),
        .literal_actions = gm_input_is(call->in, gm_input_path(call->in, capabilities, "textDocument.codeAction.codeActionLiteralSupport"),
                                       GM_TAPE_OBJECT),
        .versioned_edits = offers(call, capabilities, "workspace.workspaceEdit.documentChanges"),
        .markdown = takes_markdown(call, capabilities),
        .watches = offers(call, capabilities, "workspace.didChangeWatchedFiles.dynamicRegistration"),
    };
}

static void add_capabilities(gm_call *call) {
    const gm_client *client = &call->server->client;
    gm_buffer_printf(
        &call->out,
        "{\"capabilities\": {\"positionEncoding\": \"%s\", "
        "\"textDocumentSync\": {\"openClose\": true, \"change\": 2, \"save\": {\"includeText\": false}}, "
        "\"diagnosticProvider\": {\"identifier\": \"graphmend\", \"interFileDependencies\": false, \"workspaceDiagnostics\": false}, "
        "\"codeActionProvider\": {\"codeActionKinds\": [\"quickfix\", \"source.fixAll.graphmend\", \"source.graphmend.fixUnsafe\"]}, "
        "\"hoverProvider\": true, \"codeLensProvider\": {}, \"inlayHintProvider\": true, "
        "\"notebookDocumentSync\": {\"notebookSelector\": [{\"notebook\": {\"notebookType\": \"jupyter-notebook\"}}]}, ",
        gm_units_names[client->units]);
    if (client->shows_documents) {
        gm_buffer_add_text(&call->out, "\"executeCommandProvider\": {\"commands\": [\"graphmend.openRule\"]}, ");
    }
    gm_buffer_add_text(&call->out, "\"workspace\": {\"workspaceFolders\": {\"supported\": true, \"changeNotifications\": true}}}, "
                                   "\"serverInfo\": {\"name\": \"graphmend\", \"version\": \"" GM_VERSION_TEXT "\"}}");
}

void gm_serve_initialize(gm_call *call) {
    gm_server *server = call->server;
    if (!gm_input_is(call->in, call->params, GM_TAPE_OBJECT)) {
        gm_call_fail(call, GM_ERROR_PARAMS, "initialize has an object of parameters");
        return;
    }
    server->client = read_client(call);
    gm_read_choices(call, gm_input_member(call->in, call->params, "initializationOptions"));
    uint32_t folders = gm_input_member(call->in, call->params, "workspaceFolders");
    uint32_t root = gm_input_member(call->in, call->params, "rootUri");
    if (gm_input_is(call->in, folders, GM_TAPE_LIST)) {
        gm_add_folders(call, folders);
    } else if (gm_input_is(call->in, root, GM_TAPE_STRING)) {
        gm_add_folder(call, root);
    }
    add_capabilities(call);
    server->phase = GM_PHASE_OPEN;
}

/* Settings are files of the workspace. */
void gm_serve_initialized(gm_call *call) {
    if (!call->server->client.watches) {
        return;
    }
    gm_buffer params;
    gm_buffer_init(&params, call->arena);
    gm_buffer_add_text(&params, "{\"registrations\": [{\"id\": \"graphmend-settings\", \"method\": \"workspace/didChangeWatchedFiles\", "
                                "\"registerOptions\": {\"watchers\": [{\"globPattern\": \"**/pyproject.toml\"}]}}]}");
    gm_server_ask(call, "client/registerCapability", &params);
}

void gm_serve_shutdown(gm_call *call) {
    call->server->phase = GM_PHASE_SHUT;
}

void gm_serve_exit(gm_call *call) {
    gm_server *server = call->server;
    server->status = server->phase == GM_PHASE_SHUT ? 0 : 1;
    server->phase = GM_PHASE_ENDED;
}
