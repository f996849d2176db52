/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Where a file of measurements comes from; see napcoll_origin.h.
 */

#define _POSIX_C_SOURCE 200809L

#include "measure/napcoll_origin.h"

#include <mpi.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/napcoll_numbers.h"
#include "common/napcoll_version.h"
#include "measure/napcoll_check.h"

/* Print a word, without characters that would end the comment. */
static void print_word(const char *word, FILE *out)
{
    for (; '\0' != *word; word++) {
        fputc((unsigned char) *word < ' ' ? '?' : *word, out);
    }
}

void napcoll_origin_print(FILE *out, int argc, char *const *argv, int ranks, int nodes)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING], host[256] = "", when[64] = "";
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const time_t now = time(NULL);
    struct tm parts;
    int length;

    napcoll_check(MPI_Get_library_version(library, &length), "MPI_Get_library_version");
    library[strcspn(library, ",\n")] = '\0';
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
    fprintf(out, "\n# napcoll %s, %s, %d process%s on %d node%s, host %s, %s\n", napcoll_version(),
            library, ranks, 1 == ranks ? "" : "es", nodes, plural(nodes), host, when);
}
