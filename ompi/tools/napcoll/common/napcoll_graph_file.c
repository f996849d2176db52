/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Files of edges (see napcoll_graph_make.h).
 */

#define _POSIX_C_SOURCE 200809L

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/napcoll_graph_make.h"
#include "common/napcoll_memory.h"
#include "util/napcoll_file.h"
#include "util/napcoll_grow.h"

/* A file that is being read. */
typedef struct {
    const char *path;
    int line;
    int ranks;
    napcoll_edge_pair_t *edge;
    size_t edges, room;
    char *message;
} reader_t;

static bool is_end(const char *at)
{
    return '\0' == *at || '#' == *at;
}

/* Read a rank of the line, which *number is then. Returns what stands behind it and behind blanks;
 * NULL where there is none. */
static const char *read_rank(const char *at, size_t *number)
{
    static const char blanks[] = " \t\r\n";
    size_t length;

    if (!napcoll_take_number(&at, SIZE_MAX, number)) {
        return NULL;
    }
    length = strspn(at, blanks);
    return length > 0 || is_end(at) ? at + length : NULL;
}

static bool add_edge(reader_t *reader, const size_t rank[2])
{
    for (int i = 0; i < 2; i++) {
        if (rank[i] >= (size_t) reader->ranks) {
            (void) snprintf(reader->message, NAPCOLL_MESSAGE,
                            "%s:%d: rank %zu: there %s %d rank%s, numbered from 0; take more "
                            "processes, or a graph of fewer ranks",
                            reader->path, reader->line, rank[i], 1 == reader->ranks ? "is" : "are",
                            reader->ranks, plural(reader->ranks));
            return false;
        }
    }
    if (reader->edges >= NAPCOLL_GRAPH_MOST_EDGES) {
        (void) snprintf(reader->message, NAPCOLL_MESSAGE, "%s:%d: expected at most %d edges",
                        reader->path, reader->line, NAPCOLL_GRAPH_MOST_EDGES);
        return false;
    }
    if (!napcoll_grow(&reader->edge, &reader->room, reader->edges + 1, sizeof(*reader->edge))) {
        napcoll_out_of_memory();
    }
    reader->edge[reader->edges++] = (napcoll_edge_pair_t){(int) rank[0], (int) rank[1]};
    return true;
}

static bool read_line(reader_t *reader, const char *at)
{
    size_t rank[2];

    at += strspn(at, " \t\r\n");
    if (is_end(at)) {
        return true;
    }
    for (int i = 0; i < 2 && NULL != at; i++) {
        at = read_rank(at, &rank[i]);
    }
    if (NULL == at || !is_end(at)) {
        (void) snprintf(reader->message, NAPCOLL_MESSAGE,
                        "%s:%d: expected two ranks with a blank between, FROM TO, as in \"3 7\"; "
                        "comments begin with #",
                        reader->path, reader->line);
        return false;
    }
    return add_edge(reader, rank);
}

static bool read_lines(reader_t *reader, FILE *in)
{
    char *text = NULL;
    size_t room = 0;
    ssize_t length;
    long long all = 0;
    bool good = true;

    while (good && (length = getline(&text, &room, in)) >= 0) {
        reader->line++;
        all += length;
        if (strlen(text) != (size_t) length || all > NAPCOLL_MOST_FILE_BYTES) {
            (void) snprintf(reader->message, NAPCOLL_MESSAGE,
                            "%s:%d: expected a text of at most %d bytes", reader->path,
                            reader->line, NAPCOLL_MOST_FILE_BYTES);
            good = false;
        } else {
            good = read_line(reader, text);
        }
    }
    free(text);
    if (good && ferror(in)) {
        (void) snprintf(reader->message, NAPCOLL_MESSAGE,
                        "%s: cannot be read; expected a file of edges", reader->path);
        good = false;
    }
    if (good && 0 == reader->edges) {
        (void) snprintf(reader->message, NAPCOLL_MESSAGE,
                        "%s: has no edges; expected lines of two ranks, FROM TO", reader->path);
        good = false;
    }
    return good;
}

napcoll_edge_pair_t *napcoll_graph_read(const char *path, int ranks, int *edges,
                                        char message[NAPCOLL_MESSAGE])
{
    reader_t reader = {.path = path, .ranks = ranks, .message = message};
    const napcoll_names_t names = {.at = napcoll_graph_name_at};
    const char *nearest = napcoll_name_nearest(&names, path, strlen(path));
    napcoll_file_error_t why;
    FILE *in = napcoll_file_open(path, NAPCOLL_MOST_FILE_BYTES, &why);
    bool good;

    *edges = 0;
    if (NULL == in) {
        (void) snprintf(message, NAPCOLL_MESSAGE,
                        "%.500s: %s; a graph is torus, stencil, random, power-law or a file of "
                        "edges%s%s%s",
                        path, why.text, NULL == nearest ? "" : " (did you mean ",
                        NULL == nearest ? "" : nearest, NULL == nearest ? "" : "?)");
        return NULL;
    }
    good = read_lines(&reader, in);
    (void) fclose(in);
    if (!good) {
        free(reader.edge);
        return NULL;
    }
    *edges = (int) reader.edges;
    return reader.edge;
}
