/* Lines of notebook cells that are no Python. */
#ifndef GM_DRIVER_NOTEBOOK_LINES_H
#define GM_DRIVER_NOTEBOOK_LINES_H

#include <stddef.h>

/* Write a name over magics, shell commands and questions for help, and comments over cells of another language. The text keeps its length and
 * its lines. */
void gm_notebook_mask_cell(char *text, size_t size);

#endif
