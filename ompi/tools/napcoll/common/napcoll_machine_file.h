/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Machine files. A machine file is a parameter file of Open MPI with the keys of napcoll_machine.h:
 * lines `key = value`, comments after #.
 *
 *     # between nodes, messages of 500 to 7999 bytes
 *     coll_napcoll_machine_network_eager_latency_us = 6.951053
 *     coll_napcoll_machine_network_eager_ns_per_byte = 1.330323
 *
 * It contains every key once, except that files of earlier versions lack the optional ones
 * (napcoll_machine_is_optional). It may also contain other parameters of the component,
 * coll_napcoll_..., which are skipped. Anything else is an error.
 */

#ifndef NAPCOLL_MACHINE_FILE_H
#define NAPCOLL_MACHINE_FILE_H

#include <stdio.h>

#include "model/napcoll_machine.h"

/**
 * Read a machine from text.
 *
 * @param[in]  text     [length] the file's contents; may contain any bytes
 * @param[in]  length   bytes
 * @param[out] machine  the machine; undefined after an error
 * @param[out] error    what is wrong
 *
 * @return 0, or -1 with *error set
 */
int napcoll_machine_parse(const char *text, size_t length, napcoll_machine_t *machine,
                          napcoll_machine_error_t *error);

/** Read a machine from an open file of 1 MiB at most; as napcoll_machine_parse. */
int napcoll_machine_read(FILE *in, napcoll_machine_t *machine, napcoll_machine_error_t *error);

/** Print a machine as a file that reads back the same. Returns 0, or -1 when out failed. */
int napcoll_machine_print(const napcoll_machine_t *machine, FILE *out);

/**
 * Open a machine file by its name: as a path, then, if it has no slash, in each folder of a list.
 * In each place, ".conf" is added where the name alone is no file.
 *
 * @param[in]  name     path or name ("bluewaters", "bluewaters.conf")
 * @param[in]  folders  folders with colons between them; may be empty or NULL
 * @param[out] path     [size] the path that was opened
 * @param[in]  size     bytes of path
 *
 * @return the file, which the caller closes; NULL when no such file exists, or its path is too long
 */
FILE *napcoll_machine_open(const char *name, const char *folders, char *path, size_t size);

/**
 * The names that napcoll_machine_open knows: of all .conf files in the folders, without ".conf".
 *
 * @return an array that ends with NULL, sorted, each name once; it stays for the program's life
 */
const char *const *napcoll_machine_names(const char *folders);

#endif /* NAPCOLL_MACHINE_FILE_H */
