/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The fallback component's decisions (see the header).
 *
 * Each list is read from its beginning: the first line whose numbers of ranks and bytes are both above those of the
 * call says what is done. Bytes are what tuned looks at: of the vector, of a rank's block, and of a reduce_scatter
 * those of all blocks together.
 */

#include "select/napcoll_previous.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "algo/previous/previous.h"

enum { ANY = INT_MAX, K = 1024, M = 1024 * 1024 };

/* Bytes of an element, where a decision counts elements. */
enum { ELEMENT = 8 };

/* What is done. Trees of a broadcast, reduce or barrier are called by their shapes (napcoll_previous_tree_t), to which
 * these are added. */
enum {
    NOT_KNOWN = NAPCOLL_PREVIOUS_TREES, /* there is no shadow of it */
    DOUBLING,
    RING,
    RABENSEIFNER,
    BRUCK,
    NEIGHBOR,
    HALVING,
    BUTTERFLY,
    PAIRWISE,
    AT_ONCE,
    STRAIGHT, /* linear */
    SCATTER_ALLGATHER,
    TWO /* two other collectives, one after the other */
};

typedef struct {
    int ranks;
    int bytes;
    int what;
} line_t;

/* Trees, as lists call them. */
enum {
    LINEAR = NAPCOLL_PREVIOUS_LINEAR,
    CHAIN = NAPCOLL_PREVIOUS_CHAIN,
    CHAINS = NAPCOLL_PREVIOUS_CHAINS,
    BINARY = NAPCOLL_PREVIOUS_BINARY,
    BINOMIAL = NAPCOLL_PREVIOUS_BINOMIAL,
    IN_ORDER_BINOMIAL = NAPCOLL_PREVIOUS_IN_ORDER_BINOMIAL,
    KNOMIAL = NAPCOLL_PREVIOUS_KNOMIAL,
    IN_ORDER_BINARY = NAPCOLL_PREVIOUS_IN_ORDER_BINARY
};

/* A segmented ring without segments is a ring. */
static const line_t allreduces[] = {{4, 8, RING},
                                    {4, 4 * K, DOUBLING},
                                    {4, 8 * K, RING},
                                    {4, 16 * K, DOUBLING},
                                    {4, 256 * K, RING},
                                    {4, ANY, RABENSEIFNER},
                                    {8, 16, RING},
                                    {8, 8 * K, DOUBLING},
                                    {8, ANY, RABENSEIFNER},
                                    {16, 8 * K, DOUBLING},
                                    {16, ANY, RABENSEIFNER},
                                    {32, 64, RING},
                                    {32, 4 * K, DOUBLING},
                                    {32, ANY, RABENSEIFNER},
                                    {64, 128, RING},
                                    {64, ANY, RABENSEIFNER},
                                    {128, 256 * K, DOUBLING},
                                    {128, ANY, RABENSEIFNER},
                                    {256, 128 * K, TWO},
                                    {256, 256 * K, DOUBLING},
                                    {256, ANY, RABENSEIFNER},
                                    {512, 4 * K, TWO},
                                    {512, ANY, RABENSEIFNER},
                                    {2048, 2 * K, TWO},
                                    {2048, 16 * K, DOUBLING},
                                    {2048, ANY, RABENSEIFNER},
                                    {4096, 2 * K, TWO},
                                    {4096, 4 * K, RING},
                                    {4096, 16 * K, DOUBLING},
                                    {4096, ANY, RABENSEIFNER},
                                    {ANY, 2 * K, TWO},
                                    {ANY, 16 * K, RING},
                                    {ANY, 32 * K, DOUBLING},
                                    {ANY, ANY, RABENSEIFNER}};

/* ... of ops that do not commute. */
static const line_t ordered_allreduces[] = {
    {4, 128 * K, DOUBLING}, {4, ANY, LINEAR},         {8, ANY, DOUBLING},
    {16, M, DOUBLING},      {16, ANY, TWO},           {128, ANY, DOUBLING},
    {256, 128 * K, TWO},    {256, 512 * K, DOUBLING}, {256, ANY, TWO},
    {512, 4 * K, TWO},      {512, 512 * K, DOUBLING}, {512, ANY, TWO},
    {ANY, 2 * K, TWO},      {ANY, ANY, DOUBLING}};

static const line_t bcasts[] = {{4, 32, CHAIN},
                                {4, 256, BINARY},
                                {4, 512, CHAIN},
                                {4, K, KNOMIAL},
                                {4, 32 * K, LINEAR},
                                {4, 128 * K, BINARY},
                                {4, 256 * K, CHAIN},
                                {4, 512 * K, LINEAR},
                                {4, M, BINOMIAL},
                                {4, ANY, BINARY},
                                {8, 64, BINARY},
                                {8, 128, BINOMIAL},
                                {8, 2 * K, BINARY},
                                {8, 8 * K, BINOMIAL},
                                {8, M, LINEAR},
                                {8, ANY, CHAIN},
                                {16, 8, KNOMIAL},
                                {16, 64, BINARY},
                                {16, 4 * K, KNOMIAL},
                                {16, 16 * K, BINARY},
                                {16, 32 * K, BINOMIAL},
                                {16, ANY, LINEAR},
                                {32, 4 * K, KNOMIAL},
                                {32, M, BINOMIAL},
                                {32, ANY, SCATTER_ALLGATHER},
                                {64, 2 * K, BINOMIAL},
                                {128, ANY, KNOMIAL},
                                {256, 2, BINOMIAL},
                                {256, 16 * K, BINARY},
                                {256, 32 * K, LINEAR},
                                {256, 64 * K, BINARY},
                                {256, ANY, KNOMIAL},
                                {1024, 16 * K, KNOMIAL},
                                {1024, 32 * K, NOT_KNOWN}, /* a binary tree for either half */
                                {1024, ANY, KNOMIAL},
                                {2048, 512 * K, KNOMIAL},
                                {2048, ANY, SCATTER_ALLGATHER},
                                {4096, 256 * K, KNOMIAL},
                                {4096, ANY, SCATTER_ALLGATHER},
                                {ANY, 8 * K, KNOMIAL},
                                {ANY, 16 * K, BINARY},
                                {ANY, 256 * K, KNOMIAL},
                                {ANY, ANY, SCATTER_ALLGATHER}};

/* A chain is two of them from 6.0 on. */
static const line_t reduces[] = {{4, 8, NOT_KNOWN}, /* Rabenseifner's, of less than an element */
                                 {4, 16, BINARY},
                                 {4, 32, CHAIN},
                                 {4, 256 * K, LINEAR},
                                 {4, 512 * K, CHAIN},
                                 {4, M, CHAINS},
                                 {4, ANY, CHAIN},
                                 {8, 4 * K, BINARY},
                                 {8, 64 * K, CHAINS},
                                 {8, 256 * K, IN_ORDER_BINOMIAL},
                                 {8, 512 * K, LINEAR},
                                 {8, M, IN_ORDER_BINOMIAL},
                                 {8, ANY, LINEAR},
                                 {16, 8 * K, BINARY},
                                 {16, ANY, IN_ORDER_BINOMIAL},
                                 {32, 4 * K, BINARY},
                                 {256, ANY, IN_ORDER_BINOMIAL},
                                 {512, 8 * K, IN_ORDER_BINOMIAL},
                                 {512, 16 * K, IN_ORDER_BINARY},
                                 {2048, ANY, IN_ORDER_BINOMIAL},
                                 {4096, 512, IN_ORDER_BINOMIAL},
                                 {4096, K, IN_ORDER_BINARY},
                                 {ANY, 16, IN_ORDER_BINOMIAL},
                                 {4096, 8 * K, IN_ORDER_BINOMIAL},
                                 {ANY, 32, IN_ORDER_BINARY},
                                 {ANY, K, IN_ORDER_BINOMIAL},
                                 {ANY, 2 * K, IN_ORDER_BINARY},
                                 {ANY, 8 * K, IN_ORDER_BINOMIAL},
                                 {ANY, 16 * K, IN_ORDER_BINARY},
                                 {ANY, ANY, IN_ORDER_BINOMIAL}};

static const line_t ordered_reduces[] = {{4, 8, IN_ORDER_BINARY},
                                         {8, ANY, LINEAR},
                                         {16, K, IN_ORDER_BINARY},
                                         {16, 8 * K, LINEAR},
                                         {16, 16 * K, IN_ORDER_BINARY},
                                         {16, 256 * K, LINEAR},
                                         {128, ANY, IN_ORDER_BINARY},
                                         {256, 512, IN_ORDER_BINARY},
                                         {256, K, LINEAR},
                                         {ANY, ANY, IN_ORDER_BINARY}};

static const line_t barriers[] = {{4, ANY, DOUBLING},
                                  {8, ANY, LINEAR},
                                  {64, ANY, DOUBLING},
                                  {256, ANY, BRUCK},
                                  {512, ANY, IN_ORDER_BINOMIAL},
                                  {1024, ANY, BRUCK},
                                  {4096, ANY, IN_ORDER_BINOMIAL},
                                  {ANY, ANY, BRUCK}};

/* Of two ranks, which exchange their blocks, any will do. */
static const line_t allgathers[] = {
    {32, ANY, DOUBLING},   {64, K, DOUBLING},        {64, 64 * K, NEIGHBOR},
    {64, ANY, RING},       {256, 512, DOUBLING},     {128, 64 * K, NEIGHBOR},
    {128, ANY, RING},      {256, 128 * K, NEIGHBOR}, {256, 512 * K, RING},
    {256, M, NEIGHBOR},    {256, ANY, RING},         {512, 32, DOUBLING},
    {512, 128, BRUCK},     {512, K, DOUBLING},       {512, 128 * K, NEIGHBOR},
    {512, 512 * K, RING},  {512, M, NEIGHBOR},       {512, ANY, RING},
    {1024, 64, DOUBLING},  {1024, 256, BRUCK},       {1024, 2 * K, DOUBLING},
    {1024, ANY, NEIGHBOR}, {2048, 4, DOUBLING},      {2048, 8, BRUCK},
    {2048, 16, DOUBLING},  {2048, 32, BRUCK},        {2048, 256, DOUBLING},
    {2048, 512, BRUCK},    {2048, 4 * K, DOUBLING},  {2048, ANY, NEIGHBOR},
    {4096, 32, BRUCK},     {4096, 128, DOUBLING},    {4096, 512, BRUCK},
    {ANY, 2, DOUBLING},    {ANY, 8, BRUCK},          {ANY, 16, DOUBLING},
    {ANY, 512, BRUCK},     {ANY, 4 * K, DOUBLING},   {ANY, ANY, NEIGHBOR}};

static const line_t allgathervs[] = {
    {3, ANY, RING},        {8, 256, TWO},       {8, 4 * K, NEIGHBOR},    {8, 8 * K, RING},
    {8, 16 * K, NEIGHBOR}, {8, 256 * K, BRUCK}, {8, ANY, NEIGHBOR},      {16, K, TWO},
    {16, ANY, BRUCK},      {32, 128, TWO},      {32, 256 * K, BRUCK},    {32, ANY, RING},
    {128, 256, TWO},       {64, 8 * K, BRUCK},  {64, ANY, RING},         {128, 4 * K, BRUCK},
    {128, ANY, RING},      {256, K, BRUCK},     {256, 64 * K, NEIGHBOR}, {256, ANY, RING},
    {512, K, BRUCK},       {512, ANY, RING},    {1024, 512, BRUCK},      {1024, K, TWO},
    {1024, 4 * K, BRUCK},  {1024, M, NEIGHBOR}, {1024, ANY, RING},       {ANY, 4 * K, BRUCK},
    {ANY, ANY, NEIGHBOR}};

static const line_t reduce_scatters[] = {{4, 64 * K, RING},
                                         {4, 128 * K, BUTTERFLY},
                                         {4, ANY, RING},
                                         {8, 8, TWO},
                                         {32, 256 * K, HALVING},
                                         {32, ANY, RING},
                                         {64, 64, TWO},
                                         {64, 2 * K, HALVING},
                                         {64, 512 * K, BUTTERFLY},
                                         {64, ANY, RING},
                                         {512, 256, TWO},
                                         {256, 512, HALVING},
                                         {128, 2 * K, BUTTERFLY},
                                         {128, 4 * K, HALVING},
                                         {256, ANY, BUTTERFLY},
                                         {512, K, HALVING},
                                         {512, ANY, BUTTERFLY},
                                         {4096, 512, TWO},
                                         {1024, 2 * K, HALVING},
                                         {1024, 8 * K, BUTTERFLY},
                                         {1024, 16 * K, HALVING},
                                         {1024, ANY, BUTTERFLY},
                                         {4096, 4 * K, HALVING},
                                         {2048, 16 * K, BUTTERFLY},
                                         {2048, 32 * K, HALVING},
                                         {4096, ANY, BUTTERFLY},
                                         {ANY, K, TWO},
                                         {ANY, 8 * K, HALVING},
                                         {ANY, ANY, BUTTERFLY}};

/* Recursive doubling of few ranks' whole vectors is taken for the halving. */
static const line_t reduce_scatter_blocks[] = {
    {4, 4, HALVING},        {4, 8, BUTTERFLY},        {4, 16, HALVING},
    {4, 128, BUTTERFLY},    {4, 256, HALVING},        {4, 4 * K, BUTTERFLY},
    {4, 8 * K, HALVING},    {4, 128 * K, BUTTERFLY},  {4, ANY, TWO},
    {8, 32, HALVING},       {8, 256, BUTTERFLY},      {8, 8 * K, HALVING},
    {8, 16 * K, BUTTERFLY}, {8, M, HALVING},          {8, ANY, TWO},
    {16, 4, TWO},           {16, 32, HALVING},        {16, 128, BUTTERFLY},
    {16, 512 * K, HALVING}, {16, 4 * M, TWO},         {16, ANY, BUTTERFLY},
    {32, 32, TWO},          {32, 512 * K, HALVING},   {32, 2 * M, TWO},
    {32, 4 * M, HALVING},   {32, ANY, BUTTERFLY},     {ANY, 4, HALVING},
    {ANY, 16, TWO},         {ANY, 64 * K, BUTTERFLY}, {ANY, 256 * K, TWO},
    {ANY, ANY, BUTTERFLY}};

/* Of two ranks, which exchange their blocks, any will do; linear_sync without a limit to its requests is linear. */
static const line_t alltoalls[] = {
    {3, ANY, STRAIGHT},    {8, 512 * K, STRAIGHT},    {8, M, PAIRWISE},
    {16, ANY, STRAIGHT},   {32, 4, STRAIGHT},         {64, 512, BRUCK},
    {64, ANY, STRAIGHT},   {512, K, BRUCK},           {256, 256 * K, STRAIGHT},
    {256, ANY, PAIRWISE},  {512, 32 * K, STRAIGHT},   {512, ANY, PAIRWISE},
    {2048, 512, BRUCK},    {1024, 256 * K, STRAIGHT}, {1024, ANY, PAIRWISE},
    {2048, ANY, STRAIGHT}, {4096, K, BRUCK},          {4096, ANY, STRAIGHT},
    {ANY, 2 * K, BRUCK},   {ANY, ANY, STRAIGHT}};

static const line_t alltoallvs[] = {{4, ANY, PAIRWISE},    {64, ANY, STRAIGHT},
                                    {128, ANY, PAIRWISE},  {256, ANY, STRAIGHT},
                                    {1024, ANY, PAIRWISE}, {ANY, ANY, STRAIGHT}};

static const line_t gathers[] = {
    {4, 2, NOT_KNOWN}, /* linear_sync: the root asks for each block */
    {4, 4, LINEAR},       {4, 32 * K, BINOMIAL}, {4, 64 * K, LINEAR},    {4, 128 * K, BINOMIAL},
    {4, ANY, NOT_KNOWN},  {8, K, BINOMIAL},      {8, 8 * K, LINEAR},     {8, 32 * K, BINOMIAL},
    {8, 256 * K, LINEAR}, {8, ANY, NOT_KNOWN},   {512, 2 * K, BINOMIAL}, {256, ANY, BINOMIAL},
    {512, 8 * K, LINEAR}, {ANY, ANY, BINOMIAL}};

static const line_t scatters[] = {
    {4, 2, AT_ONCE},      {4, 128 * K, LINEAR},   {4, 256 * K, AT_ONCE},  {4, ANY, LINEAR},
    {8, 2 * K, BINOMIAL}, {8, 4 * K, LINEAR},     {8, 8 * K, BINOMIAL},   {8, 32 * K, LINEAR},
    {8, M, AT_ONCE},      {8, ANY, LINEAR},       {32, 16 * K, BINOMIAL}, {16, M, AT_ONCE},
    {16, ANY, LINEAR},    {32, 32 * K, LINEAR},   {32, ANY, AT_ONCE},     {ANY, 512, BINOMIAL},
    {64, 8 * K, AT_ONCE}, {64, 16 * K, BINOMIAL}, {ANY, ANY, AT_ONCE}};

/* basic knows one way of each. */
static const line_t ones_straight[] = {{ANY, ANY, STRAIGHT}};
static const line_t ones_linear[] = {{ANY, ANY, LINEAR}};

/* ---- what is done ---- */

#define LINES(list) (list), sizeof(list) / sizeof((list)[0])

static const struct {
    const napcoll_collective_t *collective;
    napcoll_component_t component;
    const napcoll_collective_t *shadow;
    const line_t *line;
    size_t lines;
    const line_t *noncommutative; /* or NULL: as the others, if at all */
    size_t ordereds;
    bool all_blocks; /* the bytes of all ranks' blocks count */
} decisions[] = {
    {&napcoll_allreduce, NAPCOLL_COMPONENT_TUNED, &napcoll_previous_allreduce, LINES(allreduces),
     LINES(ordered_allreduces), false},
    {&napcoll_reduce, NAPCOLL_COMPONENT_TUNED, &napcoll_previous_reduce, LINES(reduces),
     LINES(ordered_reduces), false},
    {&napcoll_bcast, NAPCOLL_COMPONENT_TUNED, &napcoll_previous_bcast, LINES(bcasts), NULL, 0,
     false},
    {&napcoll_barrier, NAPCOLL_COMPONENT_TUNED, &napcoll_previous_barrier, LINES(barriers), NULL, 0,
     false},
    {&napcoll_allgather, NAPCOLL_COMPONENT_TUNED, &napcoll_previous_allgather, LINES(allgathers),
     NULL, 0, false},
    {&napcoll_allgatherv, NAPCOLL_COMPONENT_TUNED, &napcoll_previous_allgather, LINES(allgathervs),
     NULL, 0, false},
    {&napcoll_reduce_scatter, NAPCOLL_COMPONENT_TUNED, &napcoll_previous_reduce_scatter,
     LINES(reduce_scatters), NULL, 0, true},
    {&napcoll_reduce_scatter_block, NAPCOLL_COMPONENT_TUNED, &napcoll_previous_reduce_scatter,
     LINES(reduce_scatter_blocks), NULL, 0, false},
    {&napcoll_alltoall, NAPCOLL_COMPONENT_TUNED, &napcoll_previous_alltoall, LINES(alltoalls), NULL,
     0, false},
    {&napcoll_alltoallv, NAPCOLL_COMPONENT_TUNED, &napcoll_previous_alltoall, LINES(alltoallvs),
     NULL, 0, false},
    {&napcoll_gather, NAPCOLL_COMPONENT_TUNED, &napcoll_previous_gather, LINES(gathers), NULL, 0,
     false},
    {&napcoll_scatter, NAPCOLL_COMPONENT_TUNED, &napcoll_previous_scatter, LINES(scatters), NULL, 0,
     false},
    {&napcoll_alltoall, NAPCOLL_COMPONENT_BASIC, &napcoll_previous_alltoall, LINES(ones_straight),
     NULL, 0, false},
    {&napcoll_alltoallv, NAPCOLL_COMPONENT_BASIC, &napcoll_previous_alltoall, LINES(ones_straight),
     NULL, 0, false},
    {&napcoll_alltoallw, NAPCOLL_COMPONENT_BASIC, &napcoll_previous_alltoall, LINES(ones_straight),
     NULL, 0, false},
    {&napcoll_gatherv, NAPCOLL_COMPONENT_BASIC, &napcoll_previous_gather, LINES(ones_linear), NULL,
     0, false},
    {&napcoll_scatterv, NAPCOLL_COMPONENT_BASIC, &napcoll_previous_scatter, LINES(ones_linear),
     NULL, 0, false},
    {&napcoll_scan, NAPCOLL_COMPONENT_BASIC, &napcoll_previous_scan, LINES(ones_linear),
     LINES(ones_linear), false},
    {&napcoll_exscan, NAPCOLL_COMPONENT_BASIC, &napcoll_previous_exscan, LINES(ones_linear),
     LINES(ones_linear), false},
};

enum { DECISIONS = sizeof(decisions) / sizeof(decisions[0]) };

static const char *const series_names[NAPCOLL_SERIES] = {
    [NAPCOLL_SERIES_4_1] = "4.1", [NAPCOLL_SERIES_5_0] = "5.0", [NAPCOLL_SERIES_6_0] = "6.0"};

static const char *const component_names[NAPCOLL_COMPONENTS] = {
    [NAPCOLL_COMPONENT_UNKNOWN] = "unknown",
    [NAPCOLL_COMPONENT_TUNED] = "tuned",
    [NAPCOLL_COMPONENT_BASIC] = "basic"};

const char *napcoll_series_name(napcoll_series_t series)
{
    return series_names[series];
}

bool napcoll_series_find(const char *version, napcoll_series_t *series)
{
    for (int s = 0; s < NAPCOLL_SERIES; s++) {
        const char *name = napcoll_series_name((napcoll_series_t) s);
        const size_t length = strlen(name);

        if (0 == strncmp(version, name, length)
            && ('\0' == version[length] || '.' == version[length])) {
            *series = (napcoll_series_t) s;
            return true;
        }
    }
    return false;
}

const char *napcoll_component_name(napcoll_component_t component)
{
    return component_names[component];
}

napcoll_component_t napcoll_component_find(const char *name)
{
    for (int c = NAPCOLL_COMPONENT_UNKNOWN + 1; NULL != name && c < NAPCOLL_COMPONENTS; c++) {
        if (0 == strcmp(name, component_names[c])) {
            return (napcoll_component_t) c;
        }
    }
    return NAPCOLL_COMPONENT_UNKNOWN;
}

/* The decisions of a component on a collective, or -1. */
static int find_decisions(napcoll_component_t component, const napcoll_collective_t *collective)
{
    for (int d = 0; d < DECISIONS; d++) {
        if (component == decisions[d].component && collective == decisions[d].collective) {
            return d;
        }
    }
    return -1;
}

napcoll_component_t napcoll_component_usual(const napcoll_collective_t *collective)
{
    return find_decisions(NAPCOLL_COMPONENT_TUNED, collective) >= 0   ? NAPCOLL_COMPONENT_TUNED
           : find_decisions(NAPCOLL_COMPONENT_BASIC, collective) >= 0 ? NAPCOLL_COMPONENT_BASIC
                                                                      : NAPCOLL_COMPONENT_UNKNOWN;
}

static int look_up(const line_t *line, size_t lines, int ranks, size_t bytes)
{
    for (size_t i = 0; i < lines; i++) {
        if (ranks < line[i].ranks && (ANY == line[i].bytes || bytes < (size_t) line[i].bytes)) {
            return line[i].what;
        }
    }
    return NOT_KNOWN;
}

/* What is done instead where an algorithm cannot do a call of so few elements, or on so many ranks. */
static int stand_in(napcoll_goal_t goal, int what, int ranks, size_t bytes)
{
    const size_t elements = bytes / ELEMENT;
    int rest;
    const int power = napcoll_previous_power(ranks, &rest);

    switch (goal) {
    case NAPCOLL_GOAL_ALLREDUCE:
        return RING == what && elements < (size_t) ranks           ? DOUBLING
               : RABENSEIFNER == what && elements < (size_t) power ? LINEAR
                                                                   : what;
    case NAPCOLL_GOAL_BCAST:
        return SCATTER_ALLGATHER == what && elements < (size_t) ranks ? LINEAR : what;
    case NAPCOLL_GOAL_ALLGATHER:
        return DOUBLING == what && rest > 0         ? BRUCK
               : NEIGHBOR == what && 0 != ranks % 2 ? RING
                                                    : what;
    default:
        return what;
    }
}

/* The shape of a tree that is one of these, or -1. */
static int tree_of(const line_t *line, size_t lines, const napcoll_previous_t *previous, int ranks,
                   size_t bytes)
{
    const int what = look_up(line, lines, ranks, bytes);

    if (what >= NAPCOLL_PREVIOUS_TREES) {
        return -1;
    }
    return CHAINS == what && NAPCOLL_SERIES_6_0 != previous->series ? CHAIN : what;
}

static const char *tree_name(int tree)
{
    return napcoll_previous_tree_name((napcoll_previous_tree_t) tree);
}

/* One collective after the other, each along a tree; false where one of the trees is not known. */
static bool choose_two(const napcoll_previous_t *previous, const napcoll_previous_call_t *call,
                       const napcoll_collective_t *collective, napcoll_previous_choice_t *choice)
{
    const bool noncommutative = call->noncommutative;
    const size_t all = call->bytes * (size_t) call->ranks;
    int *tree = choice->params.tunable;
    const char *second = "broadcast";

    choice->row = 0;
    choice->sparse = true;
    switch (collective->goal) {
    case NAPCOLL_GOAL_ALLREDUCE:
        tree[0] = noncommutative
                      ? tree_of(LINES(ordered_reduces), previous, call->ranks, call->bytes)
                      : tree_of(LINES(reduces), previous, call->ranks, call->bytes);
        tree[1] = tree_of(LINES(bcasts), previous, call->ranks, call->bytes);
        break;
    case NAPCOLL_GOAL_REDUCE_SCATTER:
        tree[0] = noncommutative ? tree_of(LINES(ordered_reduces), previous, call->ranks, all)
                                 : tree_of(LINES(reduces), previous, call->ranks, all);
        tree[1] = !collective->uneven
                          && BINOMIAL == look_up(LINES(scatters), call->ranks, call->bytes)
                      ? IN_ORDER_BINOMIAL
                      : LINEAR;
        second = "scatter";
        break;
    default:
        tree[0] = tree_of(LINES(bcasts), previous, call->ranks, all);
        (void) snprintf(choice->name, sizeof(choice->name), "linear gather, then broadcast (%s)",
                        tree[0] < 0 ? "" : tree_name(tree[0]));
        return tree[0] >= 0;
    }
    if (tree[0] < 0 || tree[1] < 0) {
        return false;
    }
    (void) snprintf(choice->name, sizeof(choice->name), "reduce (%s), then %s (%s)",
                    tree_name(tree[0]), second, tree_name(tree[1]));
    return true;
}

/* The row of a shadow that does something, or -1. */
static int row_of(const napcoll_collective_t *shadow, int what)
{
    static const struct {
        napcoll_goal_t goal;
        int what;
        int row;
    } rows[] = {
        {NAPCOLL_GOAL_ALLREDUCE, DOUBLING, NAPCOLL_PREVIOUS_ALLREDUCE_RECURSIVE_DOUBLING},
        {NAPCOLL_GOAL_ALLREDUCE, RING, NAPCOLL_PREVIOUS_ALLREDUCE_RING},
        {NAPCOLL_GOAL_ALLREDUCE, RABENSEIFNER, NAPCOLL_PREVIOUS_ALLREDUCE_RABENSEIFNER},
        {NAPCOLL_GOAL_BCAST, SCATTER_ALLGATHER, NAPCOLL_PREVIOUS_BCAST_SCATTER_ALLGATHER},
        {NAPCOLL_GOAL_BARRIER, DOUBLING, NAPCOLL_PREVIOUS_BARRIER_RECURSIVE_DOUBLING},
        {NAPCOLL_GOAL_BARRIER, BRUCK, NAPCOLL_PREVIOUS_BARRIER_BRUCK},
        {NAPCOLL_GOAL_ALLGATHER, BRUCK, NAPCOLL_PREVIOUS_ALLGATHER_BRUCK},
        {NAPCOLL_GOAL_ALLGATHER, DOUBLING, NAPCOLL_PREVIOUS_ALLGATHER_RECURSIVE_DOUBLING},
        {NAPCOLL_GOAL_ALLGATHER, RING, NAPCOLL_PREVIOUS_ALLGATHER_RING},
        {NAPCOLL_GOAL_ALLGATHER, NEIGHBOR, NAPCOLL_PREVIOUS_ALLGATHER_NEIGHBOR},
        {NAPCOLL_GOAL_REDUCE_SCATTER, HALVING, NAPCOLL_PREVIOUS_REDUCE_SCATTER_HALVING},
        {NAPCOLL_GOAL_REDUCE_SCATTER, RING, NAPCOLL_PREVIOUS_REDUCE_SCATTER_RING},
        {NAPCOLL_GOAL_REDUCE_SCATTER, BUTTERFLY, NAPCOLL_PREVIOUS_REDUCE_SCATTER_BUTTERFLY},
        {NAPCOLL_GOAL_ALLTOALL, STRAIGHT, NAPCOLL_PREVIOUS_ALLTOALL_LINEAR},
        {NAPCOLL_GOAL_ALLTOALL, PAIRWISE, NAPCOLL_PREVIOUS_ALLTOALL_PAIRWISE},
        {NAPCOLL_GOAL_ALLTOALL, BRUCK, NAPCOLL_PREVIOUS_ALLTOALL_BRUCK},
        {NAPCOLL_GOAL_GATHER, LINEAR, NAPCOLL_PREVIOUS_ROOTED_LINEAR},
        {NAPCOLL_GOAL_GATHER, BINOMIAL, NAPCOLL_PREVIOUS_ROOTED_BINOMIAL},
        {NAPCOLL_GOAL_SCATTER, LINEAR, NAPCOLL_PREVIOUS_ROOTED_LINEAR},
        {NAPCOLL_GOAL_SCATTER, AT_ONCE, NAPCOLL_PREVIOUS_ROOTED_AT_ONCE},
        {NAPCOLL_GOAL_SCATTER, BINOMIAL, NAPCOLL_PREVIOUS_ROOTED_BINOMIAL},
        {NAPCOLL_GOAL_SCAN, LINEAR, NAPCOLL_PREVIOUS_SCAN_LINEAR},
        {NAPCOLL_GOAL_EXSCAN, LINEAR, NAPCOLL_PREVIOUS_SCAN_LINEAR},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (shadow->goal == rows[i].goal && what == rows[i].what) {
            return rows[i].row;
        }
    }
    return -1;
}

/* Whether it is one tree, the first row of the shadow. */
static bool is_tree(napcoll_goal_t goal, int what)
{
    return what < NAPCOLL_PREVIOUS_TREES
           && (NAPCOLL_GOAL_ALLREDUCE == goal || NAPCOLL_GOAL_REDUCE == goal
               || NAPCOLL_GOAL_BCAST == goal || NAPCOLL_GOAL_BARRIER == goal);
}

/* Whether few messages are sent, which wait for each other. */
static bool is_sparse(napcoll_goal_t goal)
{
    return NAPCOLL_GOAL_GATHER == goal || NAPCOLL_GOAL_SCATTER == goal || NAPCOLL_GOAL_SCAN == goal
           || NAPCOLL_GOAL_EXSCAN == goal;
}

bool napcoll_previous_choose(const napcoll_previous_t *previous,
                             const napcoll_collective_t *collective,
                             const napcoll_previous_call_t *call, napcoll_previous_choice_t *choice)
{
    const int d = find_decisions(previous->component, collective);
    size_t bytes = call->bytes;
    int what;

    *choice = (napcoll_previous_choice_t){.params = {.noncommutative = call->noncommutative,
                                                     .root = call->root,
                                                     .segments = 1,
                                                     .local_radix = 2}};
    if (d < 0 || call->ranks < 2 || call->ranks > NAPCOLL_PREVIOUS_MOST_RANKS
        || call->bytes > SIZE_MAX / NAPCOLL_PREVIOUS_MOST_RANKS
        || (call->in_place && NAPCOLL_GOAL_ALLTOALL == collective->goal)) {
        return false;
    }
    choice->shadow = decisions[d].shadow;
    if (decisions[d].all_blocks) {
        bytes *= (size_t) call->ranks;
    }
    if (!call->noncommutative) {
        what = look_up(decisions[d].line, decisions[d].lines, call->ranks, bytes);
    } else if (NULL != decisions[d].noncommutative) {
        what = look_up(decisions[d].noncommutative, decisions[d].ordereds, call->ranks, bytes);
    } else {
        what = NAPCOLL_GOAL_REDUCE_SCATTER == collective->goal ? TWO : NOT_KNOWN;
    }
    what = stand_in(collective->goal, what, call->ranks, call->bytes);
    if (TWO == what) {
        return choose_two(previous, call, collective, choice);
    }
    if (is_tree(collective->goal, what)) {
        what = CHAINS == what && NAPCOLL_SERIES_6_0 != previous->series ? CHAIN : what;
        choice->sparse = true;
        choice->params.tunable[0] = choice->params.tunable[1] = what;
        (void) snprintf(choice->name, sizeof(choice->name), "%s%s", tree_name(what),
                        NAPCOLL_GOAL_ALLREDUCE == collective->goal ? " reduce and broadcast" : "");
        return true;
    }
    choice->row = row_of(choice->shadow, what);
    if (choice->row < 0) {
        return false;
    }
    if (SCATTER_ALLGATHER == what) {
        choice->params.tunable[0] = 1; /* by recursive doubling */
    }
    choice->sparse = is_sparse(collective->goal);
    (void) snprintf(choice->name, sizeof(choice->name), "%s",
                    choice->shadow->algorithm[choice->row].help);
    return true;
}
