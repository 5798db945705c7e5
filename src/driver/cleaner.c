#define _GNU_SOURCE     /* MAP_ANONYMOUS */
#define _DARWIN_C_SOURCE /* the same */
#include "driver/cleaner.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SLOTS = 128 };

enum { FREE, FILLING, ANNOUNCED };

typedef struct announcement {
    atomic_int state;
    ino_t inode;
    char path[PATH_MAX];
} announcement;

/* In memory that both processes see. */
typedef struct board {
    announcement slots[SLOTS];
} board;

struct gm_cleaner {
    board *shared;
    pid_t child;
    int alive; /* the end of a pipe that closes when this process ends, however it does */
};

static void remove_announced(const board *shared) {
    for (int i = 0; i < SLOTS; i++) {
        const announcement *one = &shared->slots[i];
        struct stat status;
        if (atomic_load(&one->state) == ANNOUNCED && lstat(one->path, &status) == 0 && S_ISREG(status.st_mode) &&
            (one->inode == 0 || status.st_ino == one->inode)) {
            (void)unlink(one->path);
        }
    }
}

/* Signals to the terminal's or the caller's group are not meant for the child; when it has left the group, it closes `ready`. */
static _Noreturn void wait_and_remove(const board *shared, int descriptor, int ready) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        (void)signal(signals[i], SIG_IGN);
    }
    (void)setsid();
    close(ready);
    char byte;
    ssize_t got = 0;
    do {
        got = read(descriptor, &byte, 1);
    } while (got > 0 || (got < 0 && errno == EINTR));
    remove_announced(shared);
    _exit(0);
}

static void wait_for_end(int descriptor) {
    char byte;
    while (read(descriptor, &byte, 1) < 0 && errno == EINTR) {
    }
}

static bool start(gm_cleaner *cleaner, board *shared) {
    int alive[2];
    int ready[2];
    if (pipe(alive) != 0) {
        return false;
    }
    if (pipe(ready) != 0) {
        close(alive[0]);
        close(alive[1]);
        return false;
    }
    pid_t child = fork();
    if (child == 0) {
        close(alive[1]);
        close(ready[0]);
        wait_and_remove(shared, alive[0], ready[1]);
    }
    close(alive[0]);
    close(ready[1]);
    wait_for_end(ready[0]);
    close(ready[0]);
    if (child < 0) {
        close(alive[1]);
        return false;
    }
    *cleaner = (gm_cleaner){shared, child, alive[1]};
    return true;
}

gm_cleaner *gm_cleaner_start(void) {
    gm_cleaner *cleaner = malloc(sizeof *cleaner);
    board *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (cleaner == NULL || shared == MAP_FAILED || !start(cleaner, shared)) {
        if (shared != MAP_FAILED) {
            munmap(shared, sizeof *shared);
        }
        free(cleaner);
        return NULL;
    }
    return cleaner;
}

int gm_cleaner_announce(gm_cleaner *cleaner, const char *path, ino_t inode) {
    for (int i = 0; cleaner != NULL && strlen(path) < PATH_MAX && i < SLOTS; i++) {
        announcement *one = &cleaner->shared->slots[i];
        int expected = FREE;
        if (atomic_compare_exchange_strong(&one->state, &expected, FILLING)) {
            one->inode = inode;
            memcpy(one->path, path, strlen(path) + 1);
            atomic_store(&one->state, ANNOUNCED);
            return i;
        }
    }
    return -1;
}

void gm_cleaner_release(gm_cleaner *cleaner, int announced) {
    if (cleaner != NULL && announced >= 0) {
        atomic_store(&cleaner->shared->slots[announced].state, FREE);
    }
}

void gm_cleaner_stop(gm_cleaner *cleaner) {
    if (cleaner == NULL) {
        return;
    }
    close(cleaner->alive);
    while (waitpid(cleaner->child, NULL, 0) < 0 && errno == EINTR) {
    }
    munmap(cleaner->shared, sizeof *cleaner->shared);
    free(cleaner);
}
