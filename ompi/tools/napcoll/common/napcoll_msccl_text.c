/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Writing what the ranks of a program do as text of napcoll-plans(5). Blocks of ranks have no
 * parts: where a program cuts them, the same is done with each part, and the plans have one.
 */

#include <stdlib.h>
#include <string.h>

#include "algo/file/napcoll_plan_words.h"
#include "common/napcoll_memory.h"
#include "common/napcoll_msccl_moves.h"
#include "util/napcoll_order.h"

typedef struct {
    const napcoll_msccl_t *program;
    const moves_t *moves;
    FILE *out;
    /* of each block, in chunks: the part that is written */
    int part;
    /* [memories] of the rank: the temporary, -1: none; its first and last block */
    int *temp, *low, *high;
    int temps;
    /* [moves->slots] the slots of personalized blocks, in the order of their use */
    int *slot;
    int slots;
} writer_t;

/* Blocks that follow each other in all operands. */
typedef struct {
    const block_t *block;
    int count;
} run_t;

/* ---- runs ---- */

/* The operands of a step, as bits. */
static unsigned operands_of(napcoll_step_kind_t kind)
{
    return 1U << LEFT | 1U << DST | (NAPCOLL_STEP_REDUCE == kind ? 1U << RIGHT : 0);
}

static bool follows(const block_t *block, const block_t *before, unsigned operands)
{
    for (int o = 0; o < OPERANDS; o++) {
        if (0 != (operands & 1U << o)
            && (block->in[o] != before->in[o] || block->at[o] != before->at[o] + 1)) {
            return false;
        }
    }
    return true;
}

/* The next run of a step from block *k on; false: there is none. A copy takes one personalized
 * block at a time. */
static bool next_run(const writer_t *w, const move_t *move, unsigned operands, int *k, run_t *run)
{
    const bool alone = NAPCOLL_STEP_COPY == move->kind
                       && NAPCOLL_MSCCL_ALLTOALL == w->program->coll;
    const block_t *before = NULL;

    run->count = 0;
    for (; *k < move->count; (*k)++) {
        const block_t *block = &w->moves->block[move->first + (size_t) *k];

        if (block->id % w->program->parts != w->part) {
            continue;
        }
        if (NULL != before && (alone || !follows(block, before, operands))) {
            break;
        }
        run->block = NULL == before ? block : run->block;
        before = block;
        run->count++;
    }
    return run->count > 0;
}

/* ---- temporaries ---- */

/* The slot of a personalized block: scratch and temporaries for messages have slots together. */
static void use_slot(writer_t *w, int rank, int *in, int *at)
{
    int *slot = &w->slot[*at + (IN_SCRATCH == *in ? 0 : w->program->gpu[rank].s_chunks)];

    *slot = *slot < 0 ? w->slots++ : *slot;
    *in = IN_SCRATCH;
    *at = *slot;
}

static void note_operand(writer_t *w, int rank, block_t *block, int operand)
{
    int *in = &block->in[operand], *at = &block->at[operand];

    if (*in < IN_INPUT) {
        return;
    }
    if (NAPCOLL_MSCCL_ALLTOALL == w->program->coll) {
        use_slot(w, rank, in, at);
    }
    if (w->temp[*in] < 0) {
        w->temp[*in] = w->temps++;
        w->low[*in] = w->high[*in] = *at;
    }
    w->low[*in] = *at < w->low[*in] ? *at : w->low[*in];
    w->high[*in] = *at > w->high[*in] ? *at : w->high[*in];
}

/* Find the temporaries of a rank. */
static void find_temps(writer_t *w, const entry_t *entry, size_t entries)
{
    w->temps = w->slots = 0;
    memset(w->temp, -1, (size_t) w->moves->memories * sizeof(*w->temp));
    memset(w->slot, -1, (size_t) w->moves->slots * sizeof(*w->slot));
    for (size_t i = 0; i < entries; i++) {
        const move_t *move = &w->moves->move[entry[i].move];
        unsigned operands = operands_of(entry[i].kind);

        if (entry[i].kind <= NAPCOLL_STEP_SEND) {
            operands = NAPCOLL_STEP_SEND == entry[i].kind ? 1U << LEFT : 1U << DST;
        }
        for (int k = 0; k < move->count; k++) {
            block_t *block = &w->moves->block[move->first + (size_t) k];

            for (int o = 0; o < OPERANDS && block->id % w->program->parts == w->part; o++) {
                if (0 != (operands & 1U << o)) {
                    note_operand(w, entry->rank, block, o);
                }
            }
        }
    }
}

static void put_temps(const writer_t *w)
{
    for (int t = 0; t < w->temps; t++) {
        int in = IN_INPUT;

        while (w->temp[in] != t) {
            in++;
        }
        fprintf(w->out, "temps %d+%d\n", w->low[in], w->high[in] - w->low[in] + 1);
    }
}

/* ---- steps ---- */

static void put_span(const writer_t *w, const block_t *block, int operand, int count)
{
    const int in = block->in[operand], at = block->at[operand];

    if (in < IN_INPUT) {
        fputs(IN_SENDBUF == in ? " sendbuf" : " recvbuf", w->out);
    } else {
        fprintf(w->out, " temp%d", w->temp[in]);
    }
    fprintf(w->out, 1 == count ? "[%d]" : "[%d+%d]", at, count);
}

static void put_peer(const writer_t *w, const entry_t *entry)
{
    fprintf(w->out, " %s %d\n", NAPCOLL_STEP_SEND == entry->kind ? "to" : "from", entry->peer);
}

/* A message of whole blocks, or of parts of the vector: both ends have the same runs. */
static void put_message(const writer_t *w, const entry_t *entry)
{
    const bool sends = NAPCOLL_STEP_SEND == entry->kind;
    run_t run;

    for (int k = 0;
         next_run(w, &w->moves->move[entry->move], operands_of(entry->kind), &k, &run);) {
        fputs(napcoll_step_words[entry->kind], w->out);
        put_span(w, run.block, sends ? LEFT : DST, run.count);
        put_peer(w, entry);
    }
}

/* Messages of personalized blocks to one rank in one stage become one, which takes a list: write
 * the list, or the message. *listed runs were written before. */
static void put_messages(const writer_t *w, const entry_t *entry, size_t entries, bool lists,
                         int *listed)
{
    const int operand = NAPCOLL_STEP_SEND == entry->kind ? LEFT : DST;
    int runs = 0, blocks = 0;
    run_t run, one = {NULL, 0};

    for (size_t i = 0; i < entries; i++) {
        for (int k = 0; next_run(w, &w->moves->move[entry[i].move], 1U << operand, &k, &run);) {
            one = run;
            blocks += run.count;
            runs++;
        }
    }
    for (size_t i = 0; i < entries && runs > 1 && lists; i++) {
        for (int k = 0; next_run(w, &w->moves->move[entry[i].move], 1U << operand, &k, &run);) {
            fputs("list", w->out);
            put_span(w, run.block, operand, run.count);
            fputc('\n', w->out);
        }
    }
    if (runs > 0 && !lists) {
        fputs(napcoll_step_words[entry->kind], w->out);
        if (runs > 1) {
            fprintf(w->out, " list[%d+%d]", *listed, blocks);
        } else {
            put_span(w, one.block, operand, one.count);
        }
        put_peer(w, entry);
    }
    *listed += runs > 1 ? runs : 0;
}

static void put_work(const writer_t *w, const entry_t *entry)
{
    const bool copies = NAPCOLL_STEP_COPY == entry->kind;
    run_t run;

    for (int k = 0;
         next_run(w, &w->moves->move[entry->move], operands_of(entry->kind), &k, &run);) {
        const block_t *block = run.block;

        if (copies && block->in[LEFT] == block->in[DST] && block->at[LEFT] == block->at[DST]) {
            continue;
        }
        fputs(napcoll_step_words[entry->kind], w->out);
        put_span(w, block, DST, run.count);
        fputs(" =", w->out);
        put_span(w, block, LEFT, run.count);
        if (!copies) {
            fputs(" op", w->out);
            put_span(w, block, RIGHT, run.count);
        }
        fputc('\n', w->out);
    }
}

/* The lists of a rank, or its stages. */
static void put_steps(const writer_t *w, const entry_t *entry, size_t entries, bool lists)
{
    int listed = 0;
    size_t next;

    for (size_t i = 0; i < entries; i = next) {
        const bool message = entry[i].kind <= NAPCOLL_STEP_SEND;
        const bool merged = message && NAPCOLL_MSCCL_ALLTOALL == w->program->coll;

        next = i + 1;
        while (merged && next < entries && entry[next].stage == entry[i].stage
               && entry[next].kind == entry[i].kind && entry[next].peer == entry[i].peer) {
            next++;
        }
        if (!lists && (0 == i || entry[i].stage != entry[i - 1].stage)) {
            fputs("stage\n", w->out);
        }
        if (merged) {
            put_messages(w, &entry[i], next - i, lists, &listed);
        } else if (!lists && message) {
            put_message(w, &entry[i]);
        } else if (!lists) {
            put_work(w, &entry[i]);
        }
    }
}

/* ---- the text ---- */

static int compare_entries(const void *a, const void *b)
{
    const entry_t *x = a, *y = b;
    const bool works = x->kind > NAPCOLL_STEP_SEND, other_works = y->kind > NAPCOLL_STEP_SEND;
    const int stages = napcoll_order_pairs(x->rank, x->stage, y->rank, y->stage);

    if (0 != stages) {
        return stages;
    }
    if ((works && other_works) || x->kind == y->kind) {
        return napcoll_order_pairs(x->peer, (int64_t) x->move, y->peer, (int64_t) y->move);
    }
    return works || other_works ? napcoll_order(works, other_works)
                                : napcoll_order(x->kind, y->kind);
}

/* The plans of all ranks for one part of each block; the caller frees the text. */
static char *plans_of(writer_t *w, int part)
{
    const entry_t *entry = w->moves->entry;
    char *text = NULL;
    size_t length, i = 0;

    w->out = open_memstream(&text, &length);
    w->part = part;
    if (NULL == w->out) {
        napcoll_out_of_memory();
    }
    for (int rank = 0; rank < w->program->ngpus; rank++) {
        const size_t first = i;

        while (i < w->moves->entries && entry[i].rank == rank) {
            i++;
        }
        fprintf(w->out, "\nrank %d\n", rank);
        if (i > first) {
            find_temps(w, &entry[first], i - first);
            put_temps(w);
            put_steps(w, &entry[first], i - first, true);
            put_steps(w, &entry[first], i - first, false);
        }
    }
    if (0 != fclose(w->out)) {
        napcoll_out_of_memory();
    }
    return text;
}

static void put_sets(const napcoll_msccl_t *program, const char *name, bool in_place,
                     const char *plans, FILE *out)
{
    static const char *const collectives[][2] = {
        [NAPCOLL_MSCCL_ALLREDUCE] = {"allreduce"},
        [NAPCOLL_MSCCL_ALLGATHER] = {"allgather"},
        [NAPCOLL_MSCCL_REDUCE_SCATTER] = {"reduce_scatter_block", "reduce_scatter"},
        [NAPCOLL_MSCCL_ALLTOALL] = {"alltoall"}};

    napcoll_plan_text_begin(out);
    for (int i = 0; i < 2 && NULL != collectives[program->coll][i]; i++) {
        fprintf(out, "\nplan %s %s\nranks %d\nin_place %s\n", name, collectives[program->coll][i],
                program->ngpus,
                napcoll_in_place_words[in_place ? NAPCOLL_IN_PLACE_BOTH : NAPCOLL_IN_PLACE_NO]);
        if (NAPCOLL_MSCCL_ALLREDUCE == program->coll) {
            fprintf(out, "layout vector %d\n", program->nchunksperloop);
        } else {
            fprintf(out, "layout %s\n",
                    NAPCOLL_MSCCL_ALLTOALL == program->coll ? "personalized" : "ranks");
        }
        fputs(plans, out);
    }
}

bool napcoll_msccl_text(const napcoll_msccl_t *program, moves_t *moves, const char *name,
                        bool in_place, FILE *out, napcoll_plan_text_error_t *error)
{
    const size_t memories = (size_t) moves->memories;
    int *numbers = napcoll_allocate(3 * memories + (size_t) moves->slots, sizeof(*numbers));
    writer_t w = {.program = program, .moves = moves};
    char *plans, *others;
    bool same = true;

    w.temp = numbers;
    w.low = numbers + memories;
    w.high = numbers + 2 * memories;
    w.slot = numbers + 3 * memories;
    qsort(moves->entry, moves->entries, sizeof(*moves->entry), compare_entries);
    plans = plans_of(&w, 0);
    for (int part = 1; part < program->parts && same; part++) {
        others = plans_of(&w, part);
        same = 0 == strcmp(plans, others);
        if (!same) {
            (void) napcoll_msccl_fail_at(
                error, 0, 0,
                "parts 0 and %d of the ranks' blocks take different ways, and plans of %s know no "
                "parts; expected nchunksperloop=\"%d\", or the same steps for each part",
                part, napcoll_msccl_colls[program->coll], program->ngpus);
        }
        free(others);
    }
    if (same) {
        put_sets(program, name, in_place, plans, out);
    }
    free(plans);
    free(numbers);
    return same;
}
