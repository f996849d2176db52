/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * transitive_closure: which vertex of a graph can be reached from which, as a parallel database or
 * Datalog engine finds it (semi-naive evaluation with a distributed hash join), with the time of
 * its all-to-alls by napcoll and by Open MPI's tuned.
 *
 *     mpirun -np 8 --mca coll napcoll,tuned build/examples/transitive_closure --vertices 1000
 *
 *     path(x, y) <- edge(x, y).
 *     path(x, z) <- path(x, y), edge(y, z).
 *
 * A vertex is hashed to its owner, which has the edges that leave it. The owner also has the pairs
 * (x, y) of `path` that end in the vertex: their next join is with those edges. Each round joins
 * only the new pairs of the round before, the delta:
 *
 *     delta (x, y) --+
 *                    +--> join --> (x, z) ==> to the owner of z ==> seen before? --> dropped
 *     edges (y, z) --+                        by MPI_Alltoall             |
 *                                             (counts) and                +--> new: the next delta
 *                                             MPI_Alltoallv (pairs)
 *
 * until MPI_Allreduce says that no process has found anything new. The blocks of MPI_Alltoallv are
 * small, uneven and other ones in each round, and there are many rounds: latency counts.
 *
 * Checked in every turn of every component: rank 0 searches the whole graph and finds the same
 * number of pairs and the same checksum. Any MPI will do; napcoll and tuned are compared if it has
 * them. Exit status: 0 right, 1 wrong result, 2 bad command line.
 */
#include <getopt.h>
#include <limits.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/napcoll_numbers.h"
#include "contest.h"

enum { MESSAGE = 256 };

const char napcoll_tool_name[] = "transitive_closure";

static const struct subject subject = {"alltoall", "all-to-alls", "tuned"};

static const char usage[] =
    "usage: mpirun ... transitive_closure [options]\n"
    "Finds which vertex of a random graph can be reached from which, checks the result, and\n"
    "compares the time of the all-to-alls by napcoll and by Open MPI's tuned.\n"
    "  --vertices N  of the graph (default 1000)\n"
    "  --edges N     of the graph (default 1500)\n"
    "  --seed N      of the graph (default 1)\n"
    "  --turns N     measured turns (default 5)\n"
    "  -h, --help    this text\n"
    "For napcoll, mpirun needs --mca coll napcoll,tuned or no list at all.\n";

struct options {
    long long vertices, edges, seed, turns;
    bool help;
};

/* Returns whether all is well; if not, the message says what is not. */
static bool parse_options(int argc, char **argv, struct options *opt, char message[MESSAGE])
{
    static const struct option known[] = {
        {"vertices", required_argument, NULL, 'n'}, {"edges", required_argument, NULL, 'e'},
        {"seed", required_argument, NULL, 's'},     {"turns", required_argument, NULL, 't'},
        {"help", no_argument, NULL, 'h'},           {NULL, 0, NULL, 0},
    };
    int letter, index = 0;

    *opt = (struct options){.vertices = 1000, .edges = 1500, .seed = 1, .turns = 5};
    opterr = 0;
    while (-1 != (letter = getopt_long(argc, argv, ":h", known, &index))) {
        int low = 0, high = INT_MAX, number;
        long long *value = &opt->edges;

        switch (letter) {
        case 'h':
            opt->help = true;
            return true;
        case 'n':
            value = &opt->vertices;
            low = 1;
            break;
        case 's':
            value = &opt->seed;
            break;
        case 't':
            value = &opt->turns;
            low = 1;
            high = TURNS_MAX;
            break;
        case ':':
            snprintf(message, MESSAGE, "%.64s needs a value; see --help", argv[optind - 1]);
            return false;
        case '?':
            snprintf(message, MESSAGE, "%.64s is not an option; see --help", argv[optind - 1]);
            return false;
        default:
            break;
        }
        if (!napcoll_read_int(optarg, low, high, &number)) {
            snprintf(message, MESSAGE, "--%s %.64s: expected a whole number from %d to %d",
                     known[index].name, optarg, low, high);
            return false;
        }
        *value = number;
    }
    if (optind < argc) {
        snprintf(message, MESSAGE, "%.64s is not an option; see --help", argv[optind]);
        return false;
    }
    return true;
}

/* A pair of vertices, of which there are fewer than 2^31, is one number. */
static uint64_t pair_of(uint64_t from, uint64_t to)
{
    return from << 32 | to;
}

static uint64_t from_of(uint64_t pair)
{
    return pair >> 32;
}

static uint64_t to_of(uint64_t pair)
{
    return pair & 0xffffffffu;
}

/* splitmix64: scatters neighbours. */
static uint64_t scatter(uint64_t value)
{
    uint64_t z = value + 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* The graph: each edge follows from the seed and its number. Loops and repeated edges do no
 * harm. */
static uint64_t edge_of(const struct options *opt, long long number)
{
    uint64_t random = scatter(scatter((uint64_t) opt->seed) + (uint64_t) number);
    uint64_t vertices = (uint64_t) opt->vertices;

    return pair_of((random >> 32) % vertices, (random & 0xffffffffu) % vertices);
}

/* A list of pairs that grows. */
struct list {
    size_t num, space;
    uint64_t *pair;
};

static void list_reserve(struct list *l, size_t space)
{
    uint64_t *more;

    if (space <= l->space) {
        return;
    }
    more = realloc(l->pair, space * sizeof(*more));
    if (NULL == more) {
        fprintf(stderr, "transitive_closure: no memory for %zu pairs\n", space);
        MPI_Abort(MPI_COMM_WORLD, 1);
        return;
    }
    l->pair = more;
    l->space = space;
}

static void list_add(struct list *l, uint64_t pair)
{
    if (l->num == l->space) {
        list_reserve(l, l->space < 512 ? 1024 : 2 * l->space);
    }
    l->pair[l->num++] = pair;
}

static void list_free(struct list *l)
{
    free(l->pair);
    *l = (struct list){0};
}

/* A set of pairs: a table with open addressing, at most half full. No pair is all ones. */
#define NO_PAIR UINT64_MAX

struct set {
    /* space is a power of two, or 0 */
    size_t num, space;
    uint64_t *slot;
};

/* Where the pair is, or would be. */
static uint64_t *set_slot(const struct set *s, uint64_t pair)
{
    size_t at = (size_t) scatter(pair) & (s->space - 1);

    while (NO_PAIR != s->slot[at] && pair != s->slot[at]) {
        at = (at + 1) & (s->space - 1);
    }
    return &s->slot[at];
}

static void set_grow(struct set *s)
{
    struct set old = *s;

    s->space = old.space > 0 ? 2 * old.space : 1024;
    s->slot = room(s->space, sizeof(*s->slot));
    memset(s->slot, 0xff, s->space * sizeof(*s->slot));
    for (size_t i = 0; i < old.space; ++i) {
        if (NO_PAIR != old.slot[i]) {
            *set_slot(s, old.slot[i]) = old.slot[i];
        }
    }
    free(old.slot);
}

/* Whether the pair is new. */
static bool set_add(struct set *s, uint64_t pair)
{
    uint64_t *slot;

    if (2 * s->num >= s->space) {
        set_grow(s);
    }
    slot = set_slot(s, pair);
    if (NO_PAIR != *slot) {
        return false;
    }
    *slot = pair;
    ++s->num;
    return true;
}

/* Edges hashed by the vertex that they leave, for the join: chains of those with the same hash. */
struct edges {
    struct list list;
    /* head and next: indices plus 1; 0 ends a chain */
    size_t space, *head, *next;
};

static void edges_hash(struct edges *e)
{
    for (e->space = 16; e->space < 2 * e->list.num;) {
        e->space *= 2;
    }
    e->head = room(e->space, sizeof(*e->head));
    e->next = room(e->list.num, sizeof(*e->next));
    for (size_t i = 0; i < e->list.num; ++i) {
        size_t at = (size_t) scatter(from_of(e->list.pair[i])) & (e->space - 1);

        e->next[i] = e->head[at];
        e->head[at] = i + 1;
    }
}

static void edges_free(struct edges *e)
{
    list_free(&e->list);
    free(e->head);
    free(e->next);
}

/* found(x, z) <- delta(x, y), edge(y, z) */
static void join(const struct list *delta, const struct edges *e, struct list *found)
{
    found->num = 0;
    for (size_t d = 0; d < delta->num; ++d) {
        uint64_t x = from_of(delta->pair[d]), y = to_of(delta->pair[d]);

        for (size_t i = e->head[(size_t) scatter(y) & (e->space - 1)]; i > 0; i = e->next[i - 1]) {
            if (y == from_of(e->list.pair[i - 1])) {
                list_add(found, pair_of(x, to_of(e->list.pair[i - 1])));
            }
        }
    }
}

/* The processes of a component's communicator, and what an exchange needs. */
struct exchange {
    MPI_Comm comm;
    int size;
    int *send_counts, *send_displs, *recv_counts, *recv_displs;
    struct list sorted;
    /* in MPI_Alltoall and MPI_Alltoallv so far */
    double seconds;
    /* calls of both so far */
    int asked;
};

static void exchange_open(struct exchange *x, MPI_Comm comm)
{
    memset(x, 0, sizeof(*x));
    x->comm = comm;
    check(MPI_Comm_size(comm, &x->size), "MPI_Comm_size");
    x->send_counts = room((size_t) x->size, sizeof(int));
    x->send_displs = room((size_t) x->size, sizeof(int));
    x->recv_counts = room((size_t) x->size, sizeof(int));
    x->recv_displs = room((size_t) x->size, sizeof(int));
}

static void exchange_close(struct exchange *x)
{
    free(x->send_counts);
    free(x->send_displs);
    free(x->recv_counts);
    free(x->recv_displs);
    list_free(&x->sorted);
}

/* Other bits of the hash than the tables use, whose slots would else be shared by few. */
static int owner_of(uint64_t vertex, int size)
{
    return (int) ((scatter(vertex) >> 32) % (uint64_t) size);
}

/* Where each block begins; returns the sum, which MPI can count. */
static int displs_of(const int *counts, int *displs, int size)
{
    long long sum = 0;

    for (int rank = 0; rank < size; ++rank) {
        displs[rank] = (int) sum;
        sum += counts[rank];
        if (sum > INT_MAX) {
            fprintf(stderr,
                    "transitive_closure: a process has more than %d pairs at once; "
                    "use more processes or a smaller graph\n",
                    INT_MAX);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    return (int) sum;
}

/* Sends each pair to the owner of one of its ends. */
static void exchange_pairs(struct exchange *x, uint64_t (*end)(uint64_t), const struct list *send,
                           struct list *recv)
{
    double start;

    if (send->num > INT_MAX) {
        fprintf(stderr, "transitive_closure: %zu pairs to send are more than MPI counts\n",
                send->num);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    memset(x->send_counts, 0, (size_t) x->size * sizeof(int));
    for (size_t i = 0; i < send->num; ++i) {
        ++x->send_counts[owner_of(end(send->pair[i]), x->size)];
    }
    (void) displs_of(x->send_counts, x->send_displs, x->size);
    list_reserve(&x->sorted, send->num + 1);
    for (size_t i = 0; i < send->num; ++i) {
        x->sorted.pair[x->send_displs[owner_of(end(send->pair[i]), x->size)]++] = send->pair[i];
    }
    (void) displs_of(x->send_counts, x->send_displs, x->size);

    /* Who waits for the slowest join does not wait in the exchange. */
    check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
    start = MPI_Wtime();
    check(MPI_Alltoall(x->send_counts, 1, MPI_INT, x->recv_counts, 1, MPI_INT, x->comm),
          "MPI_Alltoall");
    recv->num = (size_t) displs_of(x->recv_counts, x->recv_displs, x->size);
    list_reserve(recv, recv->num + 1);
    check(MPI_Alltoallv(x->sorted.pair, x->send_counts, x->send_displs, MPI_UINT64_T, recv->pair,
                        x->recv_counts, x->recv_displs, MPI_UINT64_T, x->comm),
          "MPI_Alltoallv");
    x->seconds += MPI_Wtime() - start;
    x->asked += 2;
}

/* What comes out: how many pairs, the sum of their hashes, and after how many rounds. */
struct closure {
    uint64_t personalized, checksum;
    int rounds;
};

/* Adds the new pairs to the set and makes them the delta; returns whether any process has one. */
static bool keep_new(const struct list *found, struct set *path, struct list *delta)
{
    int mine, any;

    delta->num = 0;
    for (size_t i = 0; i < found->num; ++i) {
        if (set_add(path, found->pair[i])) {
            list_add(delta, found->pair[i]);
        }
    }
    mine = delta->num > 0;
    check(MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD), "MPI_Allreduce");
    return any;
}

/* Each process makes its share of the edges; they go to where they begin, and as the first pairs to
 * where they end. */
static void deal_edges(struct exchange *x, const struct options *opt, struct edges *edges,
                       struct list *paths)
{
    struct list made = {0};
    int rank;

    check(MPI_Comm_rank(x->comm, &rank), "MPI_Comm_rank");
    for (long long i = rank; i < opt->edges; i += x->size) {
        list_add(&made, edge_of(opt, i));
    }
    exchange_pairs(x, from_of, &made, &edges->list);
    edges_hash(edges);
    exchange_pairs(x, to_of, &made, paths);
    list_free(&made);
}

/* The whole evaluation. */
static void evaluate(struct exchange *x, const struct options *opt, struct closure *closure)
{
    struct edges edges = {0};
    struct list delta = {0}, found = {0}, received = {0};
    struct set path = {0};
    uint64_t mine[2] = {0, 0}, all[2];

    deal_edges(x, opt, &edges, &received);
    for (closure->rounds = 0; keep_new(&received, &path, &delta); ++closure->rounds) {
        join(&delta, &edges, &found);
        exchange_pairs(x, to_of, &found, &received);
    }
    mine[0] = path.num;
    for (size_t i = 0; i < path.space; ++i) {
        mine[1] += NO_PAIR == path.slot[i] ? 0 : scatter(path.slot[i]);
    }
    check(MPI_Allreduce(mine, all, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD), "MPI_Allreduce");
    closure->personalized = all[0];
    closure->checksum = all[1];
    edges_free(&edges);
    list_free(&delta);
    list_free(&found);
    list_free(&received);
    free(path.slot);
}

/* The same by one process: a search from each vertex through the whole graph. */
static void search(const struct options *opt, struct closure *closure)
{
    size_t vertices = (size_t) opt->vertices, num = (size_t) opt->edges;
    size_t *first = room(vertices + 2, sizeof(*first));
    uint32_t *to = room(num, sizeof(*to)), *queue = room(vertices, sizeof(*queue));
    /* plus 1 */
    uint32_t *reached_from = room(vertices, sizeof(*reached_from));

    *closure = (struct closure){0};
    /* The ends of each vertex's edges, one behind the other: count, add up, put. */
    for (size_t i = 0; i < num; ++i) {
        ++first[from_of(edge_of(opt, (long long) i)) + 2];
    }
    for (size_t v = 2; v < vertices + 2; ++v) {
        first[v] += first[v - 1];
    }
    for (size_t i = 0; i < num; ++i) {
        uint64_t edge = edge_of(opt, (long long) i);

        to[first[from_of(edge) + 1]++] = (uint32_t) to_of(edge);
    }
    for (size_t start = 0; start < vertices; ++start) {
        size_t known = 0, next = 0, at = start;

        for (;;) {
            for (size_t i = first[at]; i < first[at + 1]; ++i) {
                if (start + 1 != reached_from[to[i]]) {
                    reached_from[to[i]] = (uint32_t) start + 1;
                    queue[known++] = to[i];
                    closure->checksum += scatter(pair_of(start, to[i]));
                }
            }
            if (next == known) {
                break;
            }
            at = queue[next++];
        }
        closure->personalized += known;
    }
    free(first);
    free(to);
    free(queue);
    free(reached_from);
}

/* One turn of one contestant; turn 0 is not counted. */
static bool take_turn(struct contest *c, struct contestant *one, const struct options *opt,
                      int turn, const struct closure *expected, struct closure *closure)
{
    struct exchange exchange;
    double start;

    exchange_open(&exchange, one->comm);
    check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
    start = MPI_Wtime();
    evaluate(&exchange, opt, closure);
    contest_took(c, one, turn, exchange.seconds, MPI_Wtime() - start, exchange.asked);
    exchange_close(&exchange);
    return expected->personalized == closure->personalized
           && expected->checksum == closure->checksum;
}

/* Checks and measures; returns the exit status. */
static int run_transitive_closure(struct contest *c, const struct options *opt, int rank)
{
    struct closure expected = {0}, closure = {0};
    uint64_t words[2];

    if (0 == rank) {
        search(opt, &expected);
    }
    words[0] = expected.personalized;
    words[1] = expected.checksum;
    check(MPI_Bcast(words, 2, MPI_UINT64_T, 0, MPI_COMM_WORLD), "MPI_Bcast");
    expected.personalized = words[0];
    expected.checksum = words[1];
    for (int turn = 0; turn <= c->turns; ++turn) {
        for (int i = 0; i < c->num; ++i) {
            /* Who is first changes from turn to turn. */
            struct contestant *one = &c->contestant[(i + turn) % c->num];

            if (take_turn(c, one, opt, turn, &expected, &closure)) {
                continue;
            }
            if (0 == rank) {
                fprintf(stderr,
                        "transitive_closure: wrong result with %s: %llu pairs (checksum %016llx) "
                        "instead of %llu (%016llx)\n",
                        one->label, (unsigned long long) closure.personalized,
                        (unsigned long long) closure.checksum,
                        (unsigned long long) expected.personalized,
                        (unsigned long long) expected.checksum);
            }
            return 1;
        }
    }
    if (0 == rank) {
        printf(
            "%llu pairs after %d rounds (checksum %016llx), as a search on one process has them\n",
            (unsigned long long) closure.personalized, closure.rounds,
            (unsigned long long) closure.checksum);
        printf("medians of %d turns, all rounds together, of the slowest rank; ratio: of the "
               "exchanges, to %s in the same turn\n",
               c->turns, c->contestant[0].label);
        contest_report(c);
    }
    return 0;
}

int main(int argc, char **argv)
{
    char message[MESSAGE] = "";
    struct options opt;
    struct contest contest;
    int rank, size, status = 0;

    check(MPI_Init(&argc, &argv), "MPI_Init");
    check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
    check(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
    if (!parse_options(argc, argv, &opt, message)) {
        status = 2;
        if (0 == rank) {
            fprintf(stderr, "transitive_closure: %s\n", message);
        }
    } else if (opt.help) {
        if (0 == rank) {
            fputs(usage, stdout);
        }
    } else {
        contest_open(&contest, &subject, MPI_COMM_WORLD, (int) opt.turns);
        if (0 == rank) {
            printf("transitive_closure: %lld vertices, %lld edges, seed %lld, %d process%s\n",
                   opt.vertices, opt.edges, opt.seed, size, 1 == size ? "" : "es");
        }
        status = run_transitive_closure(&contest, &opt, rank);
        contest_close(&contest);
    }
    check(MPI_Finalize(), "MPI_Finalize");
    return status;
}
