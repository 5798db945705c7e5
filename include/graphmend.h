/* graphmend: finds, explains and removes what makes torch.compile break its graph.
 *
 * Bytes in, bytes and JSON out. Nothing here prints, aborts or keeps global state; every function may be called from
 * any thread at any time. Input may be any bytes. Errors of the user's code are diagnostics inside the result; a status other than GM_OK
 * is a failure of the call itself, and `output` is then empty. */
#ifndef GRAPHMEND_H
#define GRAPHMEND_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define GM_API __declspec(dllexport)
#elif defined(__GNUC__)
#define GM_API __attribute__((visibility("default")))
#else
#define GM_API
#endif

typedef enum gm_status {
    GM_OK = 0,
    GM_OUT_OF_MEMORY = 1,
    GM_TOO_LARGE = 2,    /* 4 GiB and more */
    GM_BAD_ARGUMENT = 3, /* a NULL where bytes were announced, an unknown option */
} gm_status;

/* Text owned by the caller: `size` bytes of UTF-8 with a NUL behind them. Release with gm_output_free. */
typedef struct gm_output {
    char *bytes;
    size_t size;
} gm_output;

/* "0.1.0"; static. */
GM_API const char *gm_version_text(void);

GM_API void gm_output_free(gm_output *output);

/* Findings of one file as JSON: {"path", "diagnostics": [...], "findings": [...]}; docs/json.md describes the members. */
GM_API gm_status gm_check_source(const char *path, const char *bytes, size_t size, gm_output *output);

enum { GM_FIX_ASSUMED = 1 /* also apply mends that rest on a stated assumption */ };

/* The file in the source dialect: the same JSON with {"changed": bool, "text": str} added. */
GM_API gm_status gm_fix_source(const char *path, const char *bytes, size_t size, unsigned flags, gm_output *output);

/* The file in the runtime dialect (docs/runtime-dialect.md):
 * {"mended": bool, "text": str, "lines": [int], "sites": [...], "left": [...]}. */
GM_API gm_status gm_mend_source(const char *path, const char *bytes, size_t size, gm_output *output);

/* The page of a rule ("GM101") or of a kind of graph break ("GB0170"), by code or by name, as Markdown; with NULL, all pages one behind
 * the other. GM_BAD_ARGUMENT for a code that does not exist. */
GM_API gm_status gm_rule_page(const char *code, gm_output *output);

/* The same as JSON, an object or a list of all; docs/json.md describes the members. */
GM_API gm_status gm_rule_json(const char *code, gm_output *output);

#ifdef __cplusplus
}
#endif

#endif
