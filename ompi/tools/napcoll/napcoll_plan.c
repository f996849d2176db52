/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * napcoll-plan: shows, verifies and times the plans of napcoll's algorithms, without MPI and without
 * starting a process.
 *
 *     napcoll-plan list
 *     napcoll-plan show   --algorithm nap --nodes 10 --ppn 4 --rank 5
 *     napcoll-plan verify --algorithm nap --ranks 14 --ppn 5,5,1,4 --map cyclic
 *     napcoll-plan simulate --nodes 1:4096 --ppn 16 --bytes 8:64K --machine bluewaters.conf
 *
 * Exit status: 0; 1 where a plan is wrong or cannot be made; 2 for a mistake in the arguments.
 */

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algo/napcoll_algo.h"
#include "napcoll_plan.h"
#include "plan/napcoll_plan_verify.h"

static const napcoll_collective_t *const collectives[] = {&napcoll_allreduce};

static void usage(FILE *out)
{
    fputs(
        "usage: napcoll-plan list\n"
        "       napcoll-plan show   [OPTIONS]   print the plans of all ranks, or of one\n"
        "       napcoll-plan verify [OPTIONS]   prove the plans of all ranks\n"
        "       napcoll-plan simulate --machine FILE [OPTIONS]   predict times\n"
        "\n"
        "  --coll NAME          collective (allreduce)\n"
        "  --algorithm NAME     algorithm; \"napcoll-plan list\" names them (nap)\n"
        "  --ppn LIST           processes per node, as in 4 or 3,2,1; the list repeats (4)\n"
        "  --nodes N            nodes (the length of the --ppn list)\n"
        "  --ranks N            processes, instead of --nodes\n"
        "  --map ORDER          block, cyclic or random:SEED (block)\n"
        "  --rank R             show the plan of rank R only\n"
        "  --provider NAME      local phases: p2p or delegate (p2p)\n"
        "  --local-radix N      fan-out of local phases with p2p, 2 or more (8)\n"
        "  --tunable N          value of the algorithm's own tunable (its default)\n"
        "  --in-place           MPI_IN_PLACE\n"
        "  --ordered            an operation that does not commute\n"
        "  --help               this text\n"
        "\n"
        "simulate runs the plans on a model of a machine; it takes the options above, with\n"
        "all algorithms where --algorithm names none, but not --ranks and --rank, and\n"
        "  --machine FILE       machine file: a path, or a name such as bluewaters.conf\n"
        "  --nodes RANGE        nodes: N, FROM:TO (doubling), FROM:TO:xK or FROM:TO:+K (1)\n"
        "  --bytes RANGE        sizes of the vector, alike; K, M and G are 2^10, 2^20, 2^30 (8)\n"
        "  --closed-form        the papers' formulas instead of the plans\n"
        "  --csv FILE           write the times to FILE as well, \"-\": to standard output only\n",
        out);
}

void complain(const char *format, ...)
{
    va_list args;

    fputs("napcoll-plan: ", stderr);
    va_start(args, format);
    (void) vfprintf(stderr, format, args);
    va_end(args);
    fputs("; see napcoll-plan --help\n", stderr);
    exit(EXIT_USAGE);
}

static int number(const char *option, const char *text, int least, int most)
{
    char *end;
    long value;

    errno = 0;
    value = strtol(text, &end, 10);
    if (end == text || '\0' != *end || 0 != errno || value < least || value > most) {
        complain("--%s %s: expected a number from %d to %d", option, text, least, most);
    }
    return (int) value;
}

static void list(void)
{
    for (size_t c = 0; c < sizeof(collectives) / sizeof(*collectives); c++) {
        printf("%s\n", collectives[c]->name);
        for (int a = 0; a < collectives[c]->algorithms; a++) {
            const napcoll_algorithm_t *algorithm = &collectives[c]->algorithm[a];

            printf("  %-20s %s\n", algorithm->name, algorithm->help);
            for (int t = 0; NULL != algorithm->tunable[t].name; t++) {
                printf("  %-20s   tunable %s (%d): %s\n", "", algorithm->tunable[t].name,
                       algorithm->tunable[t].initial, algorithm->tunable[t].help);
            }
        }
    }
}

static const napcoll_collective_t *find_collective(const char *name)
{
    for (size_t c = 0; c < sizeof(collectives) / sizeof(*collectives); c++) {
        if (0 == strcmp(name, collectives[c]->name)) {
            return collectives[c];
        }
    }
    complain("--coll %s: no such collective", name);
}

static napcoll_provider_t find_provider(const char *name)
{
    if (0 == strcmp(name, "p2p")) {
        return NAPCOLL_PROVIDER_P2P;
    }
    if (0 == strcmp(name, "delegate")) {
        return NAPCOLL_PROVIDER_DELEGATE;
    }
    complain("--provider %s: expected p2p or delegate", name);
}

static void refuse_if(bool misplaced, const char *option, const char *command)
{
    if (misplaced) {
        complain("--%s: not an option of %s", option, command);
    }
}

/* The algorithm, if any is named, and its tunable. */
static void set_algorithm(options_t *o, const char *algorithm, const char *tunable)
{
    int row;

    if (NULL == algorithm) {
        if (NULL != tunable) {
            complain("--tunable %s: expected --algorithm as well, whose tunable it is", tunable);
        }
        return;
    }
    row = napcoll_algorithm_find(o->collective, algorithm);
    if (row < 0) {
        complain("--algorithm %s: %s has no such algorithm", algorithm, o->collective->name);
    }
    o->algorithm = &o->collective->algorithm[row];
    o->params.tunable[0] = o->algorithm->tunable[0].initial;
    if (NULL != tunable && NULL == o->algorithm->tunable[0].name) {
        complain("--tunable %s: %s has none", tunable, algorithm);
    }
    if (NULL != tunable) {
        o->params.tunable[0] = number("tunable", tunable, o->algorithm->tunable[0].least, INT_MAX);
    }
}

static options_t parse(int argc, char **argv)
{
    static const struct option known[] = {{"coll", required_argument, NULL, 'c'},
                                          {"algorithm", required_argument, NULL, 'a'},
                                          {"ppn", required_argument, NULL, 'p'},
                                          {"nodes", required_argument, NULL, 'n'},
                                          {"ranks", required_argument, NULL, 'N'},
                                          {"map", required_argument, NULL, 'm'},
                                          {"rank", required_argument, NULL, 'r'},
                                          {"provider", required_argument, NULL, 'P'},
                                          {"local-radix", required_argument, NULL, 'k'},
                                          {"tunable", required_argument, NULL, 't'},
                                          {"in-place", no_argument, NULL, 'i'},
                                          {"ordered", no_argument, NULL, 'o'},
                                          {"machine", required_argument, NULL, 'M'},
                                          {"bytes", required_argument, NULL, 'b'},
                                          {"closed-form", no_argument, NULL, 'f'},
                                          {"csv", required_argument, NULL, 'C'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    options_t o = {
        .command = argv[1], .program = argv[0], .ppn = "4", .order = "block", .rank = -1};
    const bool simulates = 0 == strcmp(o.command, "simulate");
    const char *collective = "allreduce", *algorithm = simulates ? NULL : "nap", *tunable = NULL;

    o.params.local_radix = 8;
    for (int c; - 1 != (c = getopt_long(argc - 1, argv + 1, "", known, NULL));) {
        switch (c) {
        case 'c':
            collective = optarg;
            break;
        case 'a':
            algorithm = optarg;
            break;
        case 'p':
            o.ppn = optarg;
            break;
        case 'n':
            o.node_range = optarg;
            o.nodes = simulates ? 0 : number("nodes", optarg, 1, MOST_RANKS);
            break;
        case 'N':
            refuse_if(simulates, "ranks", o.command);
            o.ranks = number("ranks", optarg, 1, MOST_RANKS);
            break;
        case 'm':
            o.order = optarg;
            break;
        case 'r':
            refuse_if(simulates, "rank", o.command);
            o.rank = number("rank", optarg, 0, MOST_RANKS);
            break;
        case 'P':
            o.params.provider = find_provider(optarg);
            break;
        case 'k':
            o.params.local_radix = number("local-radix", optarg, 2, INT_MAX);
            break;
        case 't':
            tunable = optarg;
            break;
        case 'i':
            o.params.in_place = true;
            break;
        case 'o':
            o.params.ordered = true;
            break;
        case 'M':
            refuse_if(!simulates, "machine", o.command);
            o.machine = optarg;
            break;
        case 'b':
            refuse_if(!simulates, "bytes", o.command);
            o.byte_range = optarg;
            break;
        case 'f':
            refuse_if(!simulates, "closed-form", o.command);
            o.closed_form = true;
            break;
        case 'C':
            refuse_if(!simulates, "csv", o.command);
            o.csv = optarg;
            break;
        case 'h':
            usage(stdout);
            exit(EXIT_SUCCESS);
        default:
            exit(EXIT_USAGE); /* getopt_long named the option */
        }
    }
    if (optind + 1 < argc) {
        complain("%s: unexpected argument", argv[optind + 1]);
    }
    o.collective = find_collective(collective);
    set_algorithm(&o, algorithm, tunable);
    return o;
}

int count_ranks(const char *list, int nodes)
{
    long long sum = 0;
    int node = 0;

    for (const char *at = list; 0 == nodes || node < nodes;) {
        char *end;
        long ppn = strtol(at, &end, 10);

        if (end == at || ppn < 1 || (sum += ppn) > MOST_RANKS) {
            /* of the former napcoll_placement_parse complains, of the latter our callers */
            return end == at || ppn < 1 ? 1 : MOST_RANKS + 1;
        }
        node++;
        if (',' != *end && 0 == nodes) {
            break;
        }
        at = ',' == *end ? end + 1 : list;
    }
    return (int) sum;
}

napcoll_node_map_t *make_map(options_t *o)
{
    napcoll_node_map_t *map = NULL;
    size_t where = 0;
    int *id, rc;

    if (o->nodes > 0 && o->ranks > 0) {
        complain("--nodes and --ranks exclude each other");
    }
    o->ranks = o->ranks > 0 ? o->ranks : count_ranks(o->ppn, o->nodes);
    if (o->ranks > MOST_RANKS) {
        complain("--nodes and --ppn: expected at most %d ranks in all", MOST_RANKS);
    }
    id = malloc((size_t) o->ranks * sizeof(*id));
    rc = NULL == id ? -1 : napcoll_placement_parse(o->ppn, o->order, o->ranks, id, &where);
    if (1 == rc) {
        complain("--ppn %s: character %zu: expected numbers like 3,2,1", o->ppn, where + 1);
    }
    if (2 == rc) {
        complain("--map %s: character %zu: expected block, cyclic or random:SEED", o->order,
                 where + 1);
    }
    if (0 != rc || 0 != napcoll_node_map_create(id, o->ranks, &map)) {
        fputs("napcoll-plan: out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    free(id);
    if (o->rank >= o->ranks) {
        complain("--rank %d: there are %d ranks", o->rank, o->ranks);
    }
    return map;
}

static napcoll_plan_t *make_plan(const options_t *o, const napcoll_node_map_t *map, int rank)
{
    napcoll_request_t request = {.map = map, .rank = rank, .params = o->params};
    napcoll_plan_t *plan = o->algorithm->generate(&request);

    if (NULL == plan) {
        fputs("napcoll-plan: out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return plan;
}

static int show(const options_t *o, const napcoll_node_map_t *map)
{
    int first = o->rank < 0 ? 0 : o->rank, last = o->rank < 0 ? map->size - 1 : o->rank, rc = 0;

    for (int rank = first; rank <= last && 0 == rc; rank++) {
        napcoll_plan_t *plan = make_plan(o, map, rank);
        printf("node %d, lane %d; ", napcoll_node_map_node(map, rank),
               napcoll_node_map_lane(map, rank));
        rc = napcoll_plan_print(plan, stdout);
        napcoll_plan_free(plan);
    }
    return 0 == rc && 0 == fflush(stdout) ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int verify(const options_t *o, const napcoll_node_map_t *map)
{
    napcoll_plan_t **plans = malloc((size_t) map->size * sizeof(napcoll_plan_t *));
    napcoll_claim_t claim = {.in_place = o->params.in_place, .ordered = o->params.ordered};
    napcoll_verdict_t verdict;

    if (NULL == plans) {
        fputs("napcoll-plan: out of memory\n", stderr);
        return EXIT_FAILURE;
    }
    for (int rank = 0; rank < map->size; rank++) {
        plans[rank] = make_plan(o, map, rank);
    }
    (void) napcoll_plan_verify_allreduce(plans, map, &claim, &verdict);
    printf("%s %s, %d ranks on %d nodes: %s%s%s\n", o->collective->name, o->algorithm->name,
           map->size, map->nodes, napcoll_verify_status_name(verdict.status),
           NAPCOLL_VERIFY_OK == verdict.status ? "" : ": ",
           NAPCOLL_VERIFY_OK == verdict.status ? "" : verdict.text);
    for (int rank = 0; rank < map->size; rank++) {
        napcoll_plan_free(plans[rank]);
    }
    free(plans);
    return NAPCOLL_VERIFY_OK == verdict.status ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    napcoll_node_map_t *map;
    napcoll_reason_t reason;
    options_t o;
    int rc;

    if (argc < 2 || 0 == strcmp(argv[1], "--help")) {
        usage(argc < 2 ? stderr : stdout);
        return argc < 2 ? EXIT_USAGE : EXIT_SUCCESS;
    }
    if (0 == strcmp(argv[1], "list")) {
        list();
        return EXIT_SUCCESS;
    }
    if (0 != strcmp(argv[1], "show") && 0 != strcmp(argv[1], "verify")
        && 0 != strcmp(argv[1], "simulate")) {
        complain("%s: no such command", argv[1]);
    }
    o = parse(argc, argv);
    if (0 == strcmp(o.command, "simulate")) {
        return simulate(&o);
    }
    map = make_map(&o);
    reason = napcoll_algorithm_eligible(o.algorithm, map, o.params.ordered);
    if (NAPCOLL_REASON_NONE != reason) {
        fprintf(stderr, "napcoll-plan: %s cannot do this: %s\n", o.algorithm->name,
                napcoll_reason_help(reason));
        rc = EXIT_FAILURE;
    } else {
        rc = 0 == strcmp(o.command, "show") ? show(&o, map) : verify(&o, map);
    }
    napcoll_node_map_free(map);
    return rc;
}
