/* How many columns of a terminal a character takes. */
#ifndef GM_BASE_WIDTH_H
#define GM_BASE_WIDTH_H

#include <stdint.h>

/* 0 for marks that stand on the character in front of them, 2 for characters of East Asian width, 1 for others (Unicode 14). */
unsigned gm_width(uint32_t code);

#endif
