/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Where a file of measurements comes from; see napcoll_origin.h.
 */

#include "measure/napcoll_origin.h"

#include <mpi.h>
#include <string.h>

#include "common/napcoll_numbers.h"
#include "common/napcoll_provenance.h"
#include "measure/napcoll_check.h"

void napcoll_origin_print(FILE *out, int argc, char *const *argv, int ranks, int nodes)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING], origin[MPI_MAX_LIBRARY_VERSION_STRING + 64];
    int length;

    napcoll_check(MPI_Get_library_version(library, &length), "MPI_Get_library_version");
    library[strcspn(library, ",\n")] = '\0';
    (void) snprintf(origin, sizeof(origin), "%s, %d process%s on %d node%s", library, ranks,
                    1 == ranks ? "" : "es", nodes, plural(nodes));
    napcoll_provenance_print(out, argc, argv, origin);
}
