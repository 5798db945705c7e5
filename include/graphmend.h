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

enum {
    GM_FIX_ASSUMED = 1,    /* also apply mends that rest on a stated assumption */
    GM_FIX_DROP_OUTPUT = 2 /* with GM_FIX_ASSUMED: also those that leave prints, log records and warnings out of compiled code */
};

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

/* Meaning types (docs/meaning.md)

 * A *meaning* is a type, or a function to be answered by a language model, as JSON: what it is called, what it is made of, what its author
 * wrote about it. A *reader* takes a model's text and gives the value of that type, or says why there is none. */

/* The meaning of a function or class of a file of Python source: `name` is its qualified name, such as "Person" or "Office.hire". Names that other
 * files of the package define are looked up there; `path` is where the file is, or would be. The result is the meaning, or {"problem": str, "path": str,
 * "line": int}, with line 0 where the problem is on no line. */
GM_API gm_status gm_meaning_source(const char *path, const char *bytes, size_t size, const char *name, gm_output *output);

/* What is written about the functions and classes of a file: {"definitions": [{"name": qualified name, "kind": "class"|"function", "line", "doc",
 * "members": [{"name", "note"}, ...]}, ...]}; members are fields, members of enumerations and parameters that have notes. */
GM_API gm_status gm_meaning_notes(const char *path, const char *bytes, size_t size, gm_output *output);

/* A reader does not change: any number of threads may use it at the same time. */
typedef struct gm_reader gm_reader;

/* Make a reader from a meaning in JSON. When that is no meaning, `*reader` is NULL, the status GM_BAD_ARGUMENT and `problem` (which may be NULL) says why;
 * release it in any case. */
GM_API gm_status gm_reader_new(const char *meaning, size_t size, gm_reader **reader, gm_output *problem);
GM_API void gm_reader_free(gm_reader *reader);

/* The meaning of a reader, in its canonical form with its hash. */
GM_API gm_status gm_reader_meaning(const gm_reader *reader, gm_output *output);

enum {
    GM_READ_STRICT = 1,  /* accept exactly the JSON that the schema describes */
    GM_READ_PARTIAL = 2, /* give what there is of a text that ends too soon: fields may be missing */
    GM_READ_PLAIN = 4,   /* the value as the JSON that the schema describes; without it, the form for builders (docs/meaning.md) */
    GM_READ_BRIEF = 8    /* "repairs" is empty; "cost" still tells what they cost together */
};

/* Read a text. The result is {"ok": true, "cost": int, "repairs": [[name, offset], ...], "value": ...}, or {"ok": false, "problem":
 * "empty"|"syntax"|"type"|"ambiguous"|"truncated", "message": str, "path": str, "at": offset}. */
GM_API gm_status gm_reader_read(const gm_reader *reader, const char *text, size_t size, unsigned flags, gm_output *output);

/* A text that comes in pieces; every byte is looked at once. The reader must live as long as the stream. One thread at a time. */
typedef struct gm_stream gm_stream;
GM_API gm_status gm_stream_new(const gm_reader *reader, unsigned flags, gm_stream **stream);
GM_API gm_status gm_stream_feed(gm_stream *stream, const char *bytes, size_t size);

/* What has been read so far, as with GM_READ_PARTIAL; more may be fed afterwards. */
GM_API gm_status gm_stream_partial(gm_stream *stream, gm_output *output);

/* The value of the whole text: nothing may be fed afterwards. */
GM_API gm_status gm_stream_finish(gm_stream *stream, gm_output *output);
GM_API void gm_stream_free(gm_stream *stream);

#ifdef __cplusplus
}
#endif

#endif
