/* What else a file has besides its bytes and its mode: access lists and what users have attached to it. */
#ifndef GM_DRIVER_ATTRIBUTES_H
#define GM_DRIVER_ATTRIBUTES_H

/* Give an open new file the access list and the attributes of the file at `path`, and take those away that it has from its folder. NULL, or what is
 * wrong: static words that follow "`PATH`: ". Takes no memory. Where the system has no such attributes, there is nothing to do. */
const char *gm_attributes_copy(const char *path, int descriptor);

#endif
