/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * How napcoll-tune writes a file, whatever is in it (napcoll_output.h), and the lines that say where it comes from.
 */

#define _XOPEN_SOURCE 700

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/napcoll_output.h"
#include "napcoll_tune.h"

/* ---- names ---- */

bool tune_file_check(const char *what, const char *name, char message[TUNE_TEXT])
{
    const int error = NULL == name ? 0 : napcoll_output_check(name);

    if (0 != error) {
        snprintf(message, TUNE_TEXT, "%s %.256s cannot be written: %s", what, name,
                 strerror(error));
    }
    return 0 == error;
}

bool tune_file_refuse(const char *before, const char *name, int line, int column, const char *text,
                      char message[TUNE_TEXT])
{
    char place[64] = "";

    if (line > 0 && column > 0) {
        (void) snprintf(place, sizeof(place), "%d:%d:", line, column);
    } else if (line > 0) {
        (void) snprintf(place, sizeof(place), "%d:", line);
    }
    (void) snprintf(message, TUNE_TEXT, "%s%.256s:%s %.500s", before, name, place, text);
    return false;
}

char *tune_file_of_rules(const char *output)
{
    static const char suffix[] = ".rules";
    const char *slash = strrchr(output, '/');
    char *name = NULL, *folder = NULL, *place = strdup(NULL == slash ? "." : output);
    size_t size;

    if (NULL == place) {
        tune_out_of_memory();
    }
    if (NULL != slash) {
        place[slash == output ? 1 : slash - output] = '\0';
    }
    folder = realpath(place, NULL);
    free(place);
    size = (NULL == folder ? 0 : strlen(folder)) + strlen(output) + sizeof(suffix) + 1;
    name = malloc(size);
    if (NULL == name) {
        tune_out_of_memory();
    }
    if (NULL == folder) { /* it was there when the file was tried */
        (void) snprintf(name, size, "%s%s", output, suffix);
    } else {
        (void) snprintf(name, size, "%s/%s%s", folder, NULL == slash ? output : slash + 1, suffix);
    }
    free(folder);
    return name;
}

/* ---- where it comes from ---- */

static void print_now(FILE *out)
{
    const time_t now = time(NULL);
    struct tm parts;
    char text[64];

    if (NULL != gmtime_r(&now, &parts)
        && 0 != strftime(text, sizeof(text), "%Y-%m-%d %H:%M UTC", &parts)) {
        fputs(text, out);
    }
}

/* The words of the command line, on one line: nothing in them may end the comment. */
static void print_command(const tune_t *t, FILE *out)
{
    for (int i = 0; i < t->argc; i++) {
        const char *word = t->argv[i];

        if (0 == i && NULL != strrchr(word, '/')) {
            word = strrchr(word, '/') + 1;
        }
        if (i > 0) {
            fputc(' ', out);
        }
        for (; '\0' != *word; word++) {
            fputc((unsigned char) *word < ' ' ? '?' : *word, out);
        }
    }
}

static void print_platform(const tune_t *t, FILE *out)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;

    tune_check(MPI_Get_library_version(library, &length), "MPI_Get_library_version");
    library[strcspn(library, ",\n")] = '\0';
    fprintf(out, "%d processes on %d node%s, root %d, %s", t->ranks, t->nodes,
            1 == t->nodes ? "" : "s", t->options.root, library);
}

void tune_file_origin(const tune_t *t, const char *title, FILE *out)
{
    fprintf(out, "# %s\n#     ", title);
    print_command(t, out);
    fputs("\n# on ", out);
    print_now(out);
    fputs(", ", out);
    print_platform(t, out);
    fputs(".\n", out);
}

/* ---- writing ---- */

int tune_file_write(const tune_t *t, const char *what, const char *name, tune_content_t content)
{
    FILE *out = NULL;
    int error;

    if (NULL == name) {
        return TUNE_GOOD;
    }
    error = napcoll_output_open(name, NAPCOLL_OUTPUT_WHOLE, &out);
    if (0 == error) {
        error = napcoll_output_close(out, content(t, out));
    }
    if (0 != error) {
        fprintf(stderr, "napcoll-tune: %s %s cannot be written: %s\n", what, name,
                error > 0 ? strerror(error) : "gnuplot failed");
    }
    return 0 == error ? TUNE_GOOD : TUNE_FAILED;
}
