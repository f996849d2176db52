/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Where a file comes from; see napcoll_provenance.h.
 */

#define _POSIX_C_SOURCE 200809L

#include "common/napcoll_provenance.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/napcoll_version.h"

/* Print a word, without characters that would end the comment. */
static void print_word(const char *word, FILE *out)
{
    for (; '\0' != *word; word++) {
        fputc((unsigned char) *word < ' ' ? '?' : *word, out);
    }
}

void napcoll_provenance_print(FILE *out, int argc, char *const *argv, const char *origin)
{
    char host[256] = "", when[64] = "";
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const time_t now = time(NULL);
    struct tm parts;

    if (NULL != gmtime_r(&now, &parts)) {
        (void) strftime(when, sizeof(when), "%Y-%m-%d %H:%M UTC", &parts);
    }
    if (0 != gethostname(host, sizeof(host) - 1)) {
        host[0] = '\0';
    }
    fputs("#    ", out);
    for (int i = 0; i < argc; i++) {
        fputc(' ', out);
        print_word(0 == i && NULL != slash ? slash + 1 : argv[i], out);
    }
    fprintf(out, "\n# napcoll %s, ", napcoll_version());
    print_word(origin, out);
    fprintf(out, ", host %s, %s\n", host, when);
}
