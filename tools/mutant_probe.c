/* Linked into a core that is built with -fsanitize-coverage=trace-pc: a byte for each place of the program that has
   run, in a file that has the name of the program and lies in GM_HITS. All processes of a test share that file, and
   what they have marked outlives them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HITS_SIZE = 8 << 20 }; /* above the size of every program */

static unsigned char *hits;
static uintptr_t base;

__attribute__((visibility("hidden"))) void __sanitizer_cov_trace_pc(void);

__attribute__((constructor)) static void open_hits(void) {
  Dl_info info;
  char path[4096];
  if (dladdr(&hits, &info) == 0) return;
  const char *slash = strrchr(info.dli_fname, '/');
  snprintf(path, sizeof path, "%s/%s", GM_HITS, slash != NULL ? slash + 1 : info.dli_fname);
  int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0 || ftruncate(file, HITS_SIZE) != 0) return;
  void *mapped = mmap(NULL, HITS_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  base = (uintptr_t)info.dli_fbase;
  if (mapped != MAP_FAILED) hits = mapped;
}

void __sanitizer_cov_trace_pc(void) {
  uintptr_t at = (uintptr_t)__builtin_return_address(0) - base;
  if (hits != NULL && at < HITS_SIZE) hits[at] = 1;
}
