#include "driver/notebook_lines.h"

#include <stdbool.h>
#include <string.h>

/* Cell magics whose cell is Python all the same. */
static const char *const python_magics[] = {"time", "timeit", "capture", "prun", "python", "python3", "debug", "memit", "mprun", "lprun"};

typedef struct scanner {
    char *at;
    char *end;
    unsigned depth;   /* of brackets */
    char quote;       /* of the string that is open; 0: none */
    bool triple;
} scanner;

static bool is_blank(char byte) {
    return byte == ' ' || byte == '\t';
}

static char *line_end(char *at, const char *end) {
    while (at < end && *at != '\n') {
        at++;
    }
    return at;
}

/* The end of a line without white space and `\r`. */
static char *stripped(char *start, char *end) {
    while (end > start && (is_blank(end[-1]) || end[-1] == '\r')) {
        end--;
    }
    return end;
}

/* A name nobody has, and a comment behind it. */
static void mask(char *start, char *end) {
    end = stripped(start, end);
    if (start < end) {
        memset(start, '#', (size_t)(end - start));
        *start = '_';
    }
}

static void comment_out(char *start, char *end) {
    end = stripped(start, end);
    if (start < end) {
        memset(start, '#', (size_t)(end - start));
    }
}

/* IPython joins no line with white space behind the backslash; `\r` is gone before it sees a line. */
static bool is_joined(const char *start, const char *end) {
    end -= end > start && end[-1] == '\r';
    return end > start && end[-1] == '\\';
}

/* A magic or command goes on behind a backslash at the end of its line. */
static char *mask_command(char *start, char *end, char *text_end) {
    bool joined = is_joined(start, end);
    mask(start, end);
    while (joined && end < text_end) {
        start = end + 1;
        end = line_end(start, text_end);
        joined = is_joined(start, end);
        comment_out(start, end);
    }
    return end;
}

static bool asks_for_help(char *start, char *end) {
    end = stripped(start, end);
    if (end == start || (end[-1] != '?' && *start != '?')) {
        return false;
    }
    for (const char *at = start; at < end; at++) {
        if (*at == '#' || *at == '"' || *at == '\'') {
            return false;
        }
    }
    return true;
}

/* Over a character of a string. */
static void scan_string(scanner *state, const char *end) {
    char byte = *state->at;
    if (byte == '\\' && state->at + 1 < end) {
        state->at++;
    } else if (byte == state->quote) {
        bool three = state->at + 2 < state->end && state->at[1] == byte && state->at[2] == byte;
        if (!state->triple || three) {
            state->at += state->triple ? 2 : 0;
            state->quote = '\0';
        }
    }
    state->at++;
}

static void open_string(scanner *state) {
    char byte = *state->at;
    state->triple = state->at + 2 < state->end && state->at[1] == byte && state->at[2] == byte;
    state->quote = byte;
    state->at += state->triple ? 3 : 1;
}

/* `name = %magic` and `name = !command`: no Python has such an operator behind `=`. */
static char *assigned_command(const scanner *state, const char *end) {
    char *at = state->at + 1;
    while (at < end && is_blank(*at)) {
        at++;
    }
    bool found = state->depth == 0 && at < end && (*at == '%' || (*at == '!' && !(at + 1 < end && at[1] == '=')));
    return found ? at : NULL;
}

/* Over the code of a physical line. Returns true when the logical line goes on behind it. */
static bool scan_line(scanner *state, char *end) {
    const char *start = state->at;
    while (state->at < end) {
        char byte = *state->at;
        if (state->quote != '\0') {
            scan_string(state, end);
            continue;
        }
        if (byte == '#') {
            state->at = end;
            return state->depth > 0;
        }
        if (byte == '"' || byte == '\'') {
            open_string(state);
            continue;
        }
        char *command = byte == '=' ? assigned_command(state, end) : NULL;
        if (command != NULL) {
            state->at = mask_command(command, end, state->end);
            return false;
        }
        state->depth += byte == '(' || byte == '[' || byte == '{';
        state->depth -= state->depth > 0 && (byte == ')' || byte == ']' || byte == '}');
        state->at++;
    }
    bool joined = is_joined(start, end);
    if (state->quote != '\0' && !state->triple && !joined) {
        state->quote = '\0'; /* a string that is never closed: the parser will say so */
    }
    return joined || state->depth > 0 || state->quote != '\0';
}

/* `%%magic` in the first line that is not blank. Returns the end of that line, or NULL; `*python` tells whether the rest is Python. */
static char *cell_magic(char *text, char *end, bool *python) {
    while (text < end && (is_blank(*text) || *text == '\n' || *text == '\r')) {
        text++;
    }
    if (end - text < 2 || text[0] != '%' || text[1] != '%') {
        return NULL;
    }
    *python = false;
    for (size_t i = 0; i < sizeof python_magics / sizeof python_magics[0]; i++) {
        size_t length = strlen(python_magics[i]);
        bool same = (size_t)(end - text) > 2 + length && memcmp(text + 2, python_magics[i], length) == 0;
        *python = *python || (same && strchr(" \t\r\n", text[2 + length]) != NULL);
    }
    char *stop = line_end(text, end);
    comment_out(text, stop);
    return stop;
}

void gm_notebook_mask_cell(char *text, size_t size) {
    scanner state = {.at = text, .end = text + size};
    bool python = true;
    char *behind = cell_magic(text, state.end, &python);
    state.at = behind != NULL ? behind : text;
    bool goes_on = false;
    while (state.at < state.end) {
        char *end = line_end(state.at, state.end);
        char *start = state.at;
        while (start < end && is_blank(*start)) {
            start++;
        }
        if (!python) {
            comment_out(state.at, end);
            state.at = end;
        } else if (!goes_on && start < end && (*start == '%' || *start == '!' || asks_for_help(start, end))) {
            state.at = mask_command(start, end, state.end);
        } else {
            goes_on = scan_line(&state, end);
            end = state.at > end ? state.at : end;
            state.at = end;
        }
        state.at += state.at < state.end;
    }
}
