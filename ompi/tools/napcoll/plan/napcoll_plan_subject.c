/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What a command of napcoll-plan studies: machines and algorithms. Placements are in
 * napcoll_plan_topology.c.
 */

#define _GNU_SOURCE

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/napcoll_closed_form.h"
#include "napcoll_plan_tool.h"
#include "util/napcoll_file.h"
#include "common/napcoll_machine_file.h"

/* ---- machines ---- */

/* The folders of machine files: the user's, the one beside the program's, and the installed one.
 * The caller frees the list. */
static char *machine_folders(const char *program)
{
    const char *user = getenv("NAPCOLL_MACHINES"), *slash = strrchr(program, '/');
    const char *beside = NULL == slash ? "" : "/../share/napcoll/machines:";
    const int length = NULL == slash ? 0 : (int) (slash - program);
    char *list;

    if (asprintf(&list, "%s:%.*s%s" NAPCOLL_MACHINES_FOLDER, NULL == user ? "" : user, length,
                 program, beside)
        < 0) {
        napcoll_out_of_memory();
    }
    return list;
}

napcoll_names_t machine_names(const void *options)
{
    static const char *const *names;

    if (NULL == names) {
        char *folders = machine_folders(((const options_t *) options)->argv[0]);

        names = napcoll_machine_names(folders);
        free(folders);
    }
    return (napcoll_names_t){.at = napcoll_name_in_array, .context = names};
}

/* Say which machines there are. */
__attribute__((noreturn)) static void refuse_machine(const options_t *o, const char *folders)
{
    const napcoll_names_t names = machine_names(o);
    const char *name = NULL == o->machine ? "" : o->machine, *end = strstr(name, ".conf");
    char expected[NAPCOLL_MESSAGE];

    napcoll_name_expected(expected, sizeof(expected), &names, name,
                          NULL == end ? strlen(name) : (size_t) (end - name));
    if ('\0' == expected[0]) {
        (void) snprintf(expected, sizeof(expected), "expected the path of a machine file");
    }
    if (NULL == o->machine) {
        complain("--machine: missing; %s", expected);
    }
    complain("--machine %s: no such file that can be read, neither here nor in %s "
             "(NAPCOLL_MACHINES names folders); %s",
             name, folders + (':' == *folders ? 1 : 0), expected);
}

/* Open the machine file and get its path. */
static FILE *open_machine(const options_t *o, char path[PATH_MAX])
{
    const char *name = o->machine;
    char *folders = machine_folders(o->argv[0]);
    FILE *in = NULL == name ? NULL : napcoll_machine_open(name, folders, path, PATH_MAX);

    if (NULL == in && NULL != name && 0 == access(name, F_OK)) {
        napcoll_file_error_t why;

        in = napcoll_file_open(name, NAPCOLL_MOST_FILE_BYTES, &why);
        if (NULL == in) {
            complain("--machine %s: %s", name, why.text);
        }
    }
    if (NULL == in) {
        refuse_machine(o, folders);
    }
    free(folders);
    return in;
}

void name_origin(const options_t *o, char origin[ORIGIN])
{
    const char *slash = strrchr(o->machine, '/');

    (void) snprintf(origin, ORIGIN, "machine %.120s, %s", NULL == slash ? o->machine : slash + 1,
                    o->closed_form ? "times of closed forms" : "simulated times");
}

void read_machine(const options_t *o, napcoll_machine_t *machine)
{
    napcoll_machine_error_t error;
    char path[PATH_MAX];
    FILE *in = open_machine(o, path);
    const int rc = napcoll_machine_read(in, machine, &error);

    (void) fclose(in);
    if (0 != rc && 0 == error.line) {
        complain("--machine %s: %s", path, error.text);
    }
    if (0 != rc) {
        complain("--machine %s:%d:%d: %s", path, error.line, error.column, error.text);
    }
}

void read_parameters(const options_t *o, napcoll_parameters_t *parameters)
{
    napcoll_parameters_error_t error;
    char path[PATH_MAX];
    FILE *in = open_machine(o, path);
    const int rc = napcoll_parameters_read(in, path, parameters, &error);
    const char *rules = parameters->rules_file;

    (void) fclose(in);
    if (0 != rc) {
        complain("--machine %s:%d: %s", path, error.line, error.text);
    }
    if (NULL != rules && '\0' != *rules && NULL == o->rules && 0 != access(rules, R_OK)) {
        const int error_number = errno;
        char *places = ENOENT == error_number ? napcoll_file_places(rules, path) : NULL;

        complain("--machine %s: coll_napcoll_rules_file = %s: cannot be opened (%s); expected "
                 "--rules FILE, or --rules \"\" for none",
                 path, NULL == places ? rules : places, strerror(error_number));
    }
}

/* ---- sizes ---- */

int default_bytes(const options_t *o)
{
    return NAPCOLL_GOAL_BARRIER == o->collective->goal ? 0 : 8;
}

int read_bytes(const options_t *o)
{
    values_t values;

    if (NULL != o->byte_range && NULL != strpbrk(o->byte_range, ":,")) {
        complain("--bytes %s: expected a number from 0 to %d; " NAPCOLL_SUFFIXES, o->byte_range,
                 MOST_BYTES);
    }
    read_range("bytes", o->byte_range, default_bytes(o), RANGE_DOUBLES, 0, MOST_BYTES, &values);
    return values.value[0];
}

bool sized_by_rank(const napcoll_collective_t *collective)
{
    return NAPCOLL_GOAL_ALLGATHER == collective->goal
           || NAPCOLL_GOAL_REDUCE_SCATTER == collective->goal
           || napcoll_goal_is_personalized(collective->goal);
}

/* ---- algorithms ---- */

void initial_tunables(const napcoll_algorithm_t *algorithm, napcoll_params_t *params)
{
    for (int t = 0; NULL != algorithm->tunable[t].name; t++) {
        params->tunable[t] = algorithm->tunable[t].initial;
    }
}

int choose_algorithms(const options_t *o, const napcoll_algorithm_t *chosen[MOST_ALGORITHMS])
{
    const napcoll_collective_t *collective = o->collective;
    int count = 0;

    if (NULL != o->set && !o->closed_form) {
        chosen[count++] = o->algorithm;
    }
    for (int row = 0; row < collective->algorithms && row < MOST_ALGORITHMS; row++) {
        const napcoll_algorithm_t *algorithm = &collective->algorithm[row];

        if ((NULL == o->algorithm || algorithm == o->algorithm)
            && (!o->closed_form
                || NULL != napcoll_model_closed_form(collective->name, algorithm->name))) {
            chosen[count++] = algorithm;
        }
    }
    if (0 == count) {
        complain("--closed-form: there is none of %s",
                 NULL == o->algorithm ? collective->name : o->algorithm->name);
    }
    return count;
}

napcoll_generator_t generator_of(const options_t *o, const napcoll_algorithm_t *algorithm,
                                 const napcoll_node_map_t *map)
{
    napcoll_generator_t generator = {.args = {.collective = o->collective,
                                              .algorithm = algorithm,
                                              .map = map,
                                              .neighborhood = o->neighborhoods.of,
                                              .params = o->params},
                                     .neighborhoods = o->neighborhoods.of};

    if (NULL == o->algorithm) {
        initial_tunables(algorithm, &generator.args.params);
    }
    return generator;
}

napcoll_plan_t *make_plan(napcoll_generator_t *generator, int rank)
{
    napcoll_plan_t *plan = napcoll_generator_plan(generator, rank);

    if (NULL == plan) {
        napcoll_out_of_memory();
    }
    return plan;
}

napcoll_plan_t *make_watched_plan(void *context, int rank)
{
    watched_t *watched = context;
    const napcoll_plan_args_t *args = &watched->generator->args;
    const int ranks = args->map->size;

    watched->made++;
    napcoll_progress_tell(watched->progress,
                          watched->before
                              + (watched->after - watched->before) * watched->made / ranks,
                          "%d nodes, %s, plan %d of %d", args->map->nodes, args->algorithm->name,
                          watched->made, ranks);
    return napcoll_generator_plan(watched->generator, rank);
}

bool has_too_many_steps(napcoll_generator_t *generator, bool of_all_pieces)
{
    /* Making this many blocks of a plan takes as long as simulating a step. */
    enum { BLOCKS_OF_STEP = 128 };
    const int ranks = generator->args.map->size;
    napcoll_plan_t *plan = make_plan(generator, ranks / 2);
    const long long steps = plan->steps + (plan->blocks + plan->listed) / BLOCKS_OF_STEP;
    const int pieces = of_all_pieces ? plan->pieces : 1;

    napcoll_plan_free(plan);
    return steps * ranks * pieces > MOST_STEPS;
}

/* ---- requirements ---- */

void require_root(const options_t *o, int ranks)
{
    if (o->params.root >= ranks) {
        complain("--root %d: there %s %d rank%s", o->params.root, 1 == ranks ? "is" : "are", ranks,
                 plural(ranks));
    }
}

void require_eligible(const options_t *o, const napcoll_node_map_t *map)
{
    const napcoll_reason_t reason = napcoll_algorithm_eligible(o->algorithm, map, &o->params);

    if (NAPCOLL_REASON_NONE != reason) {
        fprintf(stderr, "napcoll-plan: %s cannot do this: %s\n", o->algorithm->name,
                napcoll_reason_help(reason));
        exit(EXIT_FAILURE);
    }
}

bool is_uniform(const options_t *o, const napcoll_node_map_t *map)
{
    return strspn(o->ppn, "0123456789") == strlen(o->ppn) && 0 == strcmp(o->order, "block")
           && map->min_ppn == map->max_ppn;
}

void require_uniform(const options_t *o, const napcoll_node_map_t *map)
{
    if (o->closed_form && !is_uniform(o, map)) {
        complain("--closed-form: expected one number as --ppn, of which --ranks is a multiple, and "
                 "--map block; the formulas know no other placement");
    }
}

void require_own_phases(const options_t *o)
{
    static const char *const option[NAPCOLL_SCOPES] = {"provider", "leader-provider"};

    for (int scope = 0; scope < NAPCOLL_SCOPES; scope++) {
        if (NAPCOLL_PROVIDER_OWN != o->params.provider[scope]) {
            complain("--%s delegate: expected own; the messages of a delegate are not in the plans",
                     option[scope]);
        }
    }
}
