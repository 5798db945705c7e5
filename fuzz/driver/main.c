/* What libFuzzer does, for compilers without it: runs a fuzz entry with inputs that change, keeps those that take new ways.
 *
 *   PROGRAM [-max_total_time=SECONDS] [-max_len=BYTES] [-seed=N] [-artifact_prefix=PREFIX] CORPUS [SEEDS...]   fuzz; CORPUS is written
 *   PROGRAM FILE...                                                                                          run these inputs once
 *
 * The options are those of libFuzzer. An input that ends the program, or takes 20 seconds of the processor, is written to PREFIX crash-HASH. The
 * last line says how many inputs ran and how much time of the processor they took. */
#include <sanitizer/common_interface_defs.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "corpus.h"
#include "coverage.h"
#include "mutate.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

typedef struct options {
    double seconds;
    size_t most;
    uint64_t seed;
    const char *crash_prefix;
} options;

/* The input that runs, for those who look when the program ends. */
static struct {
    unsigned char *bytes;
    size_t size;
    const char *prefix;
} running;
static volatile sig_atomic_t stopped;

static void write_running(void) {
    if (running.bytes != NULL) {
        char prefix[4096];
        snprintf(prefix, sizeof prefix, "%scrash-", running.prefix);
        fprintf(stderr, "the input is in %s*\n", prefix);
        corpus_write(prefix, running.bytes, running.size);
    }
}

static void on_abort(int number) {
    static const char *const slow = "an input takes longer than 20 seconds of the processor\n";
    if (number == SIGPROF) {
        fputs(slow, stderr);
    }
    write_running();
    _exit(1);
}

static void on_stop(int number) {
    (void)number;
    stopped = 1;
}

static const struct itimerval limit = {.it_value = {.tv_sec = 20}};

/* The entry gets a block of exactly the size, so that the sanitizer sees the first byte beyond it. */
static bool run(const unsigned char *bytes, size_t size) {
    running.bytes = malloc(size > 0 ? size : 1);
    if (running.bytes == NULL) {
        exit(2);
    }
    memcpy(running.bytes, bytes, size);
    running.size = size;
    setitimer(ITIMER_PROF, &limit, NULL); /* not of the clock: other programs may have the machine */
    coverage_reset();
    LLVMFuzzerTestOneInput(running.bytes, size);
    bool found = coverage_is_new();
    free(running.bytes);
    running.bytes = NULL;
    return found;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double processor_time(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void report(unsigned long long count, const corpus *all) {
    printf("%llu executions, %.0f s of the processor, %zu inputs, %zu edges\n", count, processor_time(), all->count, coverage_edges());
    fflush(stdout);
}

/* Half of the time one of the latest, which have been changed least. */
static const corpus_entry *choose(uint64_t *state, const corpus *all) {
    size_t latest = all->count < 64 ? all->count : 64;
    size_t back = random_below(state, random_below(state, 2) == 0 ? latest : all->count);
    return &all->entries[all->count - 1 - back];
}

static unsigned long long fuzz(corpus *all, const char *folder, const options *how) {
    uint64_t state = how->seed * 2 + 1;
    unsigned char *bytes = malloc(how->most);
    char prefix[4096];
    double end = now() + how->seconds, told = now();
    unsigned long long count = 0;
    snprintf(prefix, sizeof prefix, "%s/", folder);
    while (bytes != NULL && !stopped && now() < end) {
        const corpus_entry *one = choose(&state, all), *other = choose(&state, all);
        memcpy(bytes, one->bytes, one->size);
        size_t size = mutate(&state, bytes, one->size, how->most, other->bytes, other->size);
        count++;
        if (run(bytes, size)) {
            corpus_add(all, bytes, size);
            corpus_write(prefix, bytes, size);
        }
        if (now() > told + 30) {
            told = now();
            report(count, all);
        }
    }
    free(bytes);
    return count;
}

static bool take(const char *argument, const char *name, const char **value) {
    size_t length = strlen(name);
    bool found = strncmp(argument, name, length) == 0;
    *value = found ? argument + length : *value;
    return found;
}

/* Returns the number of the first argument that is no option. */
static int read_options(int count, char **arguments, options *how) {
    int at = 1;
    for (; at < count && arguments[at][0] == '-'; at++) {
        const char *value = NULL;
        if (take(arguments[at], "-max_total_time=", &value)) {
            how->seconds = strtod(value, NULL);
        } else if (take(arguments[at], "-max_len=", &value)) {
            how->most = (size_t)strtoull(value, NULL, 10);
        } else if (take(arguments[at], "-seed=", &value)) {
            how->seed = strtoull(value, NULL, 10);
        } else if (!take(arguments[at], "-artifact_prefix=", &how->crash_prefix)) {
            fprintf(stderr, "no such option: %s\n", arguments[at]);
            exit(2);
        }
    }
    return at;
}

int main(int count, char **arguments) {
    options how = {1e9, 4096, (uint64_t)time(NULL), ""};
    corpus seeds = {NULL, 0, 0}, all = {NULL, 0, 0};
    struct stat state;
    int first = read_options(count, arguments, &how);
    bool fuzzes = first < count && stat(arguments[first], &state) == 0 && S_ISDIR(state.st_mode);
    running.prefix = how.crash_prefix;
    __sanitizer_set_death_callback(write_running);
    signal(SIGABRT, on_abort);
    signal(SIGPROF, on_abort);
    signal(SIGINT, on_stop);
    signal(SIGTERM, on_stop);
    for (int i = first; i < count; i++) {
        corpus_read(&seeds, arguments[i], fuzzes ? how.most : SIZE_MAX);
    }
    corpus_add(&all, (const unsigned char *)"", 0);
    for (size_t i = 0; i < seeds.count; i++) {
        if (run(seeds.entries[i].bytes, seeds.entries[i].size)) {
            corpus_add(&all, seeds.entries[i].bytes, seeds.entries[i].size);
        }
    }
    unsigned long long ran = seeds.count + (fuzzes ? fuzz(&all, arguments[first], &how) : 0);
    report(ran, &all);
    corpus_free(&all);
    corpus_free(&seeds);
    return 0;
}
