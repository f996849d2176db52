/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Gives a fuzz target inputs without libFuzzer: files, changed at random, the same for one
 * seed on all machines.
 *
 *     fuzz_TARGET [--seed N] [--first N] [--inputs N | --seconds N] FILE...
 *
 * Input number i depends on the seed, the files and i alone. A target that does not hold ends the
 * program, which says the number: --first N --inputs 1 gives that input alone, and writes it to
 * fuzz-input.
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "util/napcoll_mix.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Of the sanitizers, where the program has them. */
extern void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

enum { MOST_FILES = 64, MOST_BYTES = 32 * 1024, MOST_CHANGES = 12, HANGS_AFTER_SECONDS = 10 };

typedef struct {
    uint8_t *data;
    size_t size;
} file_t;

static struct {
    file_t file[MOST_FILES];
    size_t files;
    uint8_t input[MOST_BYTES];
    size_t size;
    uint64_t random;
} fuzz;

/* What the signal handler tells. */
static char doing[128];
static volatile sig_atomic_t told;

static void tell(void)
{
    if (!told) {
        told = 1;
        (void) !write(STDERR_FILENO, doing, strlen(doing));
    }
}

static void die(int signal_number)
{
    tell();
    signal(signal_number, SIG_DFL);
    (void) raise(signal_number);
}

static uint64_t next_random(void)
{
    return napcoll_mix_next(&fuzz.random);
}

/* A number below `limit`, 0 where that is 0. */
static size_t below(size_t limit)
{
    return 0 == limit ? 0 : (size_t) (next_random() % limit);
}

/* Put bytes, that are elsewhere, into the input. */
static void insert(size_t at, const uint8_t *bytes, size_t count)
{
    count = count > MOST_BYTES - fuzz.size ? MOST_BYTES - fuzz.size : count;
    memmove(fuzz.input + at + count, fuzz.input + at, fuzz.size - at);
    memcpy(fuzz.input + at, bytes, count);
    fuzz.size += count;
}

static void drop(size_t at, size_t count)
{
    memmove(fuzz.input + at, fuzz.input + at + count, fuzz.size - at - count);
    fuzz.size -= count;
}

/* Words on which readers may stumble. */
static void insert_word(void)
{
    static const char *const words[] = {"->",
                                        "=",
                                        "..",
                                        "#",
                                        "\n",
                                        "\r\n",
                                        " ",
                                        "\t",
                                        "[",
                                        "]",
                                        ",",
                                        "-",
                                        "\\\n",
                                        "0",
                                        "1",
                                        "-1",
                                        "2147483647",
                                        "2147483648",
                                        "4294967296",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "99999999999999999999999999999999999999",
                                        "1e308",
                                        "1e-320",
                                        "nan",
                                        "inf",
                                        "0x10",
                                        "K",
                                        "M",
                                        "G",
                                        "1G",
                                        "..4K",
                                        "bytes=",
                                        "nodes=",
                                        "op=noncommutative",
                                        "%s%n",
                                        "\xc3\xa4",
                                        "\xff",
                                        "\"",
                                        "'"};
    const char *word = words[below(sizeof(words) / sizeof(words[0]))];

    insert(below(fuzz.size + 1), (const uint8_t *) word, strlen(word));
}

/* Some bytes of a file, or of the input itself, here or many times. */
static void insert_piece(bool many)
{
    const file_t *from = &fuzz.file[below(fuzz.files)];
    const size_t begin = below(from->size);
    const size_t count = below(from->size - begin) % 64 + 1;
    const size_t at = below(fuzz.size + 1);

    for (size_t times = many ? 1 + below(300) : 1; from->size > begin && times > 0; times--) {
        insert(at, from->data + begin, count < from->size - begin ? count : from->size - begin);
    }
}

static void change(void)
{
    const size_t at = below(fuzz.size);
    uint8_t byte = (uint8_t) next_random();

    switch (below(8)) {
    case 0:
        insert(below(fuzz.size + 1), &byte, 1);
        break;
    case 1:
        drop(at, fuzz.size > 0);
        break;
    case 2:
        drop(at, below(fuzz.size - at + 1) % 80);
        break;
    case 3:
        if (fuzz.size > 0) {
            fuzz.input[at] ^= (uint8_t) (1U << (byte % 8));
        }
        break;
    case 4:
    case 5:
        insert_word();
        break;
    case 6:
        insert_piece(0 == byte % 8);
        break;
    default:
        if (0 == byte % 16) {
            fuzz.size = at;
        } else if (fuzz.size > 0) {
            fuzz.input[at] = "0123456789 =.\n#\0"[byte % 16];
        }
    }
}

/* Keep an input. */
static void keep(void)
{
    FILE *out = fopen("fuzz-input", "wb");

    if (NULL != out) {
        (void) fwrite(fuzz.input, 1, fuzz.size, out);
        (void) fclose(out);
    }
}

/* Make input number i, perhaps keep it, and run the target on it. */
static void run_input(uint64_t seed, unsigned long long i, bool kept, const char *program)
{
    const file_t *file;
    uint8_t *exact;

    fuzz.random = seed * UINT64_C(0x2545f4914f6cdd1d) + i;
    file = &fuzz.file[below(fuzz.files)];
    fuzz.size = file->size;
    memcpy(fuzz.input, file->data, file->size);
    for (size_t changes = below(MOST_CHANGES); changes > 0; changes--) {
        change();
    }
    (void) snprintf(doing, sizeof(doing), "# %.40s does not hold: --seed %llu --first %llu\n",
                    program, (unsigned long long) seed, i);
    if (kept) {
        keep();
    }
    /* of its own size, so that sanitizers see what reads beyond it */
    exact = malloc(fuzz.size > 0 ? fuzz.size : 1);
    if (NULL == exact) {
        fprintf(stderr, "%s: out of memory\n", program);
        exit(EXIT_FAILURE);
    }
    memcpy(exact, fuzz.input, fuzz.size);
    (void) alarm(HANGS_AFTER_SECONDS);
    (void) LLVMFuzzerTestOneInput(exact, fuzz.size);
    (void) alarm(0);
    free(exact);
}

static void load(const char *path)
{
    file_t *file = &fuzz.file[fuzz.files];
    FILE *in = fopen(path, "rb");

    if (NULL == in || MOST_FILES == fuzz.files) {
        fprintf(stderr, "%s: %s\n", path, NULL == in ? strerror(errno) : "too many files");
        exit(2);
    }
    file->data = malloc(MOST_BYTES);
    file->size = NULL == file->data ? 0 : fread(file->data, 1, MOST_BYTES, in);
    (void) fclose(in);
    if (0 == file->size) {
        fprintf(stderr, "%s: expected a file that has something in it\n", path);
        exit(2);
    }
    fuzz.files++;
}

static unsigned long long number(const char *text)
{
    char *end = NULL;
    unsigned long long value = NULL == text ? 0 : strtoull(text, &end, 10);

    if (NULL == text || end == text || '\0' != *end) {
        fprintf(stderr, "expected a number, found %s\n", NULL == text ? "nothing" : text);
        exit(2);
    }
    return value;
}

static double seconds_since(const struct timespec *begin)
{
    struct timespec now;

    (void) clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) (now.tv_sec - begin->tv_sec) + 1e-9 * (double) (now.tv_nsec - begin->tv_nsec);
}

int main(int argc, char **argv)
{
    static const int signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM};
    unsigned long long seed = 1, first = 0, inputs = 10000, seconds = 0, done = 0;
    struct timespec begin;

    for (int i = 1; i < argc; i++) {
        if (0 == strcmp(argv[i], "--seed")) {
            seed = number(argv[++i]);
        } else if (0 == strcmp(argv[i], "--first")) {
            first = number(argv[++i]);
        } else if (0 == strcmp(argv[i], "--inputs")) {
            inputs = number(argv[++i]);
        } else if (0 == strcmp(argv[i], "--seconds")) {
            seconds = number(argv[++i]);
        } else {
            load(argv[i]);
        }
    }
    if (0 == fuzz.files) {
        fprintf(stderr, "%s: expected files to begin with\n", argv[0]);
        return 2;
    }
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        (void) signal(signals[i], die);
    }
    if (NULL != __sanitizer_set_death_callback) {
        __sanitizer_set_death_callback(tell);
    }
    (void) clock_gettime(CLOCK_MONOTONIC, &begin);
    while (seconds > 0 ? seconds_since(&begin) < (double) seconds : done < inputs) {
        run_input(seed, first + done++, 1 == inputs, argv[0]);
    }
    printf("%llu inputs in %.1f s, seed %llu\n", done, seconds_since(&begin), seed);
    for (size_t i = 0; i < fuzz.files; i++) {
        free(fuzz.file[i].data);
    }
    return EXIT_SUCCESS;
}
