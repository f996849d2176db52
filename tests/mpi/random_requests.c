/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Random operations: all collectives, blocking, nonblocking and persistent, and messages between
 * two ranks, up to 100 under way at once on communicators that overlap. Their buffers end as
 * Open MPI's basic leaves others, call by call.
 *
 *     random_requests [--operations N] [--seed N] [--most N]
 *
 * A round starts one operation per slot, at most N of --most: a new one, or the persistent one that
 * is in the slot since an earlier round, with new data. One sequence of random numbers is the same
 * on all ranks and says which operations these are; each rank has another one for the order of its
 * starts and completions, where MPI leaves it free.
 */
#include "calls.h"
#include "collective.h"

enum {
    SLOTS = 100,
    GROUPS = 4,
    COLLECTIVES = 17,
    SUBJECTS = COLLECTIVES + 1, /* the last one is a message */
    LARGEST = 300 * 1024,       /* bytes */
    STARTS = 4,                 /* of a persistent request, at most */
    PER_SLOT = 2,               /* requests: a message is sent and received */
    STEP = 101,                 /* a prime number above SLOTS */
    FUNCTIONS = SUBJECTS * NUM_MODES
};

/* A linear congruential generator; its upper bits are random enough. */
struct draws {
    unsigned long long state;
};

static int draw(struct draws *draws, int below)
{
    draws->state = draws->state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (int) ((draws->state >> 33) % (unsigned long long) below);
}

/* One operation as all ranks know it, with the buffers of this one. */
struct slot {
    /* COLLECTIVES: a message */
    int subject;
    enum mode mode;
    int group, elements, count, root;
    bool in_place, gaps;
    /* Of a message: to the rank that many further; the receiver gives no tag */
    int shift, tag;
    bool any_tag;
    /* Salt of the present data */
    int salt;
    /* Starts that are left */
    int starts;
    /* Persistent: has a request */
    bool initialized;
    /* Starts before all others of its round */
    bool early;
    struct calls call;
    size_t bytes;
    char *send, *recv;
};

struct run {
    struct tap tap;
    struct group group[GROUPS];
    /* Alike on all ranks; of this one */
    struct draws common, own;
    /* The functions, in the order in which they are called; how many of them are left */
    int deck[FUNCTIONS], cards;
    struct slot slot[SLOTS];
    MPI_Request request[PER_SLOT * SLOTS];
    bool active[PER_SLOT * SLOTS];
    /* Slots of this round; requests under way */
    int slots, under_way;
    int operations, wrong;
    /* Starts of this rank, and what napcoll counts of them */
    int started[SUBJECTS][MODES];
    struct napcoll_counters counters[COLLECTIVES][MODES];
};

static const char *subject_name(int subject)
{
    const char *name = calls_name(subject);

    if (NULL != name) {
        return name;
    }
    return COLLECTIVES == subject ? "message" : "barrier";
}

static struct problem problem_of(int elements)
{
    static const MPI_Op op[] = {MPI_SUM, MPI_BXOR, MPI_MAX};
    struct problem p;

    switch (elements) {
    case 0:
        return problem_matrices();
    case 1:
        return problem_shifted();
    case 2:
    case 3:
    case 4:
        p = problem_open("ints", one_int(), NULL, true);
        p.own = shifted_own;
        p.op = op[elements - 2];
        return p;
    default:
        return problem_layout(layout_at(FIRST_SPREAD + elements - 5));
    }
}

enum { ELEMENTS = 5 + NUM_LAYOUTS - FIRST_SPREAD };

/* Of a vector or a block, which is one of a number of blocks: mostly few. */
static int draw_count(struct draws *draws, int blocks, int extent)
{
    const int class = draw(draws, 20), number = draw(draws, LARGEST);

    if (class < 2) {
        return 0;
    }
    if (class < 13) {
        return 1 + number % 16;
    }
    return (class < 19 ? number / 64 : number) / extent / blocks;
}

/* All functions take their turn before one is called again, for short runs to have all. */
static int draw_function(struct run *run)
{
    for (int i = 0; 0 == run->cards && i < FUNCTIONS; ++i) {
        const int k = draw(&run->common, i + 1);

        run->deck[i] = run->deck[k];
        run->deck[k] = i;
    }
    run->cards = 0 == run->cards ? FUNCTIONS : run->cards;
    return run->deck[--run->cards];
}

/* What the next operation of a slot is. */
static void draw_operation(struct run *run, struct slot *s)
{
    struct draws *draws = &run->common;
    const int function = draw_function(run);
    const struct group *g;
    struct problem p;

    memset(s, 0, sizeof(*s));
    s->subject = function % SUBJECTS;
    s->mode = (enum mode)(function / SUBJECTS);
    s->mode = COLLECTIVES == s->subject ? NONBLOCKING : s->mode;
    s->group = draw(draws, GROUPS);
    s->elements = draw(draws, ELEMENTS);
    g = &run->group[s->group];
    p = problem_of(s->elements);
    s->count = draw_count(draws, calls_has_vectors(subject_name(s->subject)) ? 1 : run->tap.size,
                          (int) p.layout->extent);
    problem_close(&p);
    s->root = draw(draws, run->tap.size) % g->size;
    s->in_place = 0 == draw(draws, 3);
    s->gaps = 0 == draw(draws, 2);
    s->shift = draw(draws, run->tap.size) % g->size;
    s->tag = draw(draws, 3);
    s->any_tag = 0 == draw(draws, 2);
    s->starts = 1 + draw(draws, STARTS);
    s->starts = PERSISTENT == s->mode ? s->starts : 1;
}

/* The call of a slot on problem *p; both are the caller's to close. */
static void open_call(const struct run *run, const struct slot *s, struct calls *c,
                      struct problem *p)
{
    *p = problem_of(s->elements);
    calls_open_problem(c, run->group[s->group].comm, p);
    calls_choose(c, subject_name(s->subject), s->count, s->in_place, s->gaps);
    c->root = s->root;
}

static void fill(const struct slot *s, const struct calls *c, char *send, char *recv)
{
    memset(send, GAP, s->bytes);
    memset(recv, GAP, s->bytes);
    calls_fill(c, s->salt, send + MARGIN);
    calls_fill(c, s->salt + 1, recv + MARGIN);
}

/* Everything before the start of slot i that is local. */
static void prepare(struct run *run, int i)
{
    struct slot *s = &run->slot[i];
    struct problem p;
    struct calls c;

    if (!s->initialized) {
        draw_operation(run, s);
    }
    s->early = s->initialized && 0 == draw(&run->common, 2);
    s->salt = ++run->operations;
    open_call(run, s, &c, &p);
    if (NULL == s->send) {
        s->bytes = calls_room(&c) * c.extent + 2 * MARGIN;
        s->send = tap_alloc(s->bytes);
        s->recv = tap_alloc(s->bytes);
    }
    fill(s, &c, s->send, s->recv);
    calls_close(&c);
    problem_close(&p);
    ++run->started[s->subject][s->mode];
}

static void start_message(struct run *run, const struct slot *s, MPI_Request *request)
{
    const struct calls *c = &s->call;
    MPI_Comm comm = run->group[s->group].comm;

    mpi_check(MPI_Irecv(s->recv + MARGIN, c->count, c->type,
                        (c->rank - s->shift + c->size) % c->size, s->any_tag ? MPI_ANY_TAG : s->tag,
                        comm, &request[1]),
              "MPI_Irecv");
    mpi_check(MPI_Isend(s->send + MARGIN, c->count, c->type, (c->rank + s->shift) % c->size, s->tag,
                        comm, &request[0]),
              "MPI_Isend");
}

/* Makes the call; what it was made with, except for buffers and arrays, is freed at once. */
static void make(struct run *run, int i)
{
    struct slot *s = &run->slot[i];
    MPI_Request *request = &run->request[PER_SLOT * i];
    struct problem p;

    open_call(run, s, &s->call, &p);
    s->call.mode = s->mode;
    s->call.request = request;
    if (COLLECTIVES == s->subject) {
        start_message(run, s, request);
    } else {
        mpi_check(
            calls_make(&s->call, run->group[s->group].comm, s->send + MARGIN, s->recv + MARGIN),
            s->call.coll);
    }
    problem_close(&p);
    s->initialized = PERSISTENT == s->mode;
}

static void start(struct run *run, int i)
{
    struct slot *s = &run->slot[i];

    if (!s->initialized) {
        make(run, i);
    }
    if (PERSISTENT == s->mode) {
        mpi_check(MPI_Start(&run->request[PER_SLOT * i]), "MPI_Start");
    }
    if (BLOCKING != s->mode) {
        run->active[PER_SLOT * i] = true;
        run->active[PER_SLOT * i + 1] = COLLECTIVES == s->subject;
        run->under_way += COLLECTIVES == s->subject ? 2 : 1;
    }
}

/* MPI says that a request is complete; without sense in that nothing can go on. */
static void completed(struct run *run, int which)
{
    const bool known = which >= 0 && which < PER_SLOT * run->slots && run->active[which];
    const struct slot *s = &run->slot[known ? which / PER_SLOT : 0];

    if (!known || (PERSISTENT != s->mode) != (MPI_REQUEST_NULL == run->request[which])) {
        fprintf(stderr, "# rank %d: request %d, %s %s, is said to be complete and is %s\n",
                run->tap.rank, which, mode_name(s->mode), subject_name(s->subject),
                known ? "in the wrong state" : "not under way");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    run->active[which] = false;
    --run->under_way;
}

static int draw_active(struct run *run)
{
    int which = draw(&run->own, PER_SLOT * run->slots);

    while (!run->active[which]) {
        which = (which + 1) % (PER_SLOT * run->slots);
    }
    return which;
}

static void complete_several(struct run *run, bool waits)
{
    const int num = PER_SLOT * run->slots;
    int which[PER_SLOT * SLOTS], done;

    if (waits) {
        mpi_check(MPI_Waitsome(num, run->request, &done, which, MPI_STATUSES_IGNORE),
                  "MPI_Waitsome");
    } else {
        mpi_check(MPI_Testsome(num, run->request, &done, which, MPI_STATUSES_IGNORE),
                  "MPI_Testsome");
    }
    for (int i = 0; i < done && MPI_UNDEFINED != done; ++i) {
        completed(run, which[i]);
    }
}

static void complete_one(struct run *run, bool waits)
{
    int which = draw_active(run), flag = 1;

    if (waits) {
        mpi_check(MPI_Wait(&run->request[which], MPI_STATUS_IGNORE), "MPI_Wait");
    } else {
        mpi_check(MPI_Test(&run->request[which], &flag, MPI_STATUS_IGNORE), "MPI_Test");
    }
    if (flag) {
        completed(run, which);
    }
}

/* Has some of what is under way complete, in a way of this rank's own. */
static void complete_some(struct run *run)
{
    const int how = draw(&run->own, 8), num = PER_SLOT * run->slots;
    int which = draw_active(run), flag = 1;

    switch (how) {
    case 0:
    case 1:
        complete_several(run, 0 == how);
        break;
    case 2:
        mpi_check(MPI_Waitany(num, run->request, &which, MPI_STATUS_IGNORE), "MPI_Waitany");
        completed(run, which);
        break;
    case 3:
        mpi_check(MPI_Testany(num, run->request, &which, &flag, MPI_STATUS_IGNORE), "MPI_Testany");
        if (flag) {
            completed(run, which);
        }
        break;
    case 4:
        mpi_check(MPI_Request_get_status(run->request[which], &flag, MPI_STATUS_IGNORE),
                  "MPI_Request_get_status");
        break;
    default:
        complete_one(run, 0 == how % 2);
    }
}

static void complete_all(struct run *run)
{
    const int num = PER_SLOT * run->slots;

    /* Some ranks wait for all at once */
    while (run->under_way > 0 && 0 != draw(&run->own, 4 * run->slots)) {
        complete_some(run);
    }
    if (run->under_way > 0) {
        mpi_check(MPI_Waitall(num, run->request, MPI_STATUSES_IGNORE), "MPI_Waitall");
        for (int which = 0; which < num; ++which) {
            if (run->active[which]) {
                completed(run, which);
            }
        }
    }
}

/* Persistent requests that are started before the others, in any order; half of them at once. */
static void start_early(struct run *run)
{
    MPI_Request several[SLOTS];
    int slot[SLOTS], num = 0, first = draw(&run->own, run->slots), at_once;

    for (int k = 0; k < run->slots; ++k) {
        const int i = (first + k * STEP) % run->slots;

        if (run->slot[i].early) {
            slot[num++] = i;
        }
    }
    at_once = num / 2;
    for (int k = 0; k < at_once; ++k) {
        several[k] = run->request[PER_SLOT * slot[k]];
    }
    mpi_check(MPI_Startall(at_once, several), "MPI_Startall");
    for (int k = 0; k < num; ++k) {
        if (k < at_once) {
            run->request[PER_SLOT * slot[k]] = several[k];
            run->active[PER_SLOT * slot[k]] = true;
            ++run->under_way;
        } else {
            start(run, slot[k]);
        }
    }
}

/* Whether this rank may start slot i + 1 before slot i: MPI orders the calls on a communicator, and
 * a blocking one or an init may wait for others. */
static bool may_swap(const struct run *run, int i)
{
    const struct slot *a = &run->slot[i], *b = &run->slot[i + 1];

    return i + 1 < run->slots && NONBLOCKING == a->mode && NONBLOCKING == b->mode
           && a->group != b->group;
}

static void start_all(struct run *run)
{
    start_early(run);
    for (int i = 0; i < run->slots; ++i) {
        const bool pair = may_swap(run, i), swap = pair && 0 == draw(&run->own, 2);

        if (run->slot[i].early) {
            continue;
        }
        start(run, swap ? i + 1 : i);
        if (pair) {
            start(run, swap ? i : i + 1);
            ++i;
        }
        while (run->under_way > 0 && 0 == draw(&run->own, 4)) {
            complete_some(run);
        }
    }
}

/* The same by basic, with the same data. */
static void make_reference(struct run *run, const struct slot *s, const struct calls *c, char *send,
                           char *recv)
{
    MPI_Comm basic = run->group[s->group].reference;

    fill(s, c, send, recv);
    if (COLLECTIVES != s->subject) {
        calls_make_reference(c, basic, send + MARGIN, recv + MARGIN);
        return;
    }
    mpi_check(MPI_Sendrecv(send + MARGIN, c->count, c->type, (c->rank + s->shift) % c->size, 0,
                           recv + MARGIN, c->count, c->type,
                           (c->rank - s->shift + c->size) % c->size, 0, basic, MPI_STATUS_IGNORE),
              "MPI_Sendrecv");
}

static void verify(struct run *run, const struct slot *s)
{
    struct problem p;
    struct calls c;
    char *send = tap_alloc(s->bytes), *recv = tap_alloc(s->bytes);
    size_t at = 0;

    open_call(run, s, &c, &p);
    make_reference(run, s, &c, send, recv);
    while (at < s->bytes && send[at] == s->send[at] && recv[at] == s->recv[at]) {
        ++at;
    }
    if (at < s->bytes) {
        ++run->wrong;
        tap_note(&run->tap,
                 "operation %d, %s %s of %d x %s%s, root %d, communicator %d of %d ranks: differs "
                 "from byte %td of the %s buffer on",
                 s->salt, mode_name(s->mode), c.coll, s->count, p.name,
                 s->in_place ? " in place" : "", s->root, s->group, c.size, (ptrdiff_t) at - MARGIN,
                 send[at] != s->send[at] ? "send" : "receive");
    }
    free(send);
    free(recv);
    calls_close(&c);
    problem_close(&p);
}

/* After a start and its verification; a persistent request may have starts left. */
static void close_slot(struct run *run, int i)
{
    struct slot *s = &run->slot[i];

    if (s->initialized) {
        mpi_check(MPI_Request_free(&run->request[PER_SLOT * i]), "MPI_Request_free");
    }
    calls_close(&s->call);
    free(s->send);
    free(s->recv);
    memset(s, 0, sizeof(*s));
}

static void run_round(struct run *run, int most, int operations)
{
    const int left = operations - run->operations;

    run->slots = 1 + draw(&run->common, most);
    run->slots = run->slots < left ? run->slots : left;
    for (int i = 0; i < run->slots; ++i) {
        prepare(run, i);
    }
    start_all(run);
    complete_all(run);
    for (int i = 0; i < run->slots; ++i) {
        verify(run, &run->slot[i]);
        if (0 == --run->slot[i].starts) {
            close_slot(run, i);
        }
    }
}

/* Opens the counters of every function, or says what they count and closes them. */
static void for_counters(struct run *run, bool opens)
{
    for (int subject = 0; subject < COLLECTIVES; ++subject) {
        for (int mode = 0; mode < NUM_MODES; ++mode) {
            struct napcoll_counters *counters = &run->counters[subject][mode];
            const unsigned long long made = (unsigned long long) run->started[subject][mode];
            unsigned long long ran;
            char name[FUNCTION_NAME];

            function_name(subject_name(subject), (enum mode) mode, name);
            if (opens) {
                mpi_check(napcoll_counters_open(counters, name), "MPI_T_pvar_handle_alloc");
                continue;
            }
            ran = counted_runs(counters);
            if (0 == run->tap.rank) {
                printf("# %s: %llu calls, %llu run by napcoll, %llu by its fallback\n", name, made,
                       ran, counted(counters) - ran);
            }
            tap_ok(&run->tap, ran > 0 && counted(counters) == ran, "random_napcoll_ran_%s", name);
            mpi_check(napcoll_counters_close(counters), "MPI_T_pvar_handle_free");
        }
    }
}

static void open_groups(struct run *run)
{
    const struct test any_algorithm = {.coll = "any"};
    const int rank = run->tap.rank;
    MPI_Comm part;

    group_open(&any_algorithm, &run->group[0], MPI_COMM_WORLD);
    group_open(&any_algorithm, &run->group[1], MPI_COMM_WORLD);
    for (int i = 2; i < GROUPS; ++i) {
        mpi_check(
            MPI_Comm_split(MPI_COMM_WORLD, 2 == i ? rank % 2 : 0, 2 == i ? rank : -rank, &part),
            "MPI_Comm_split");
        group_open(&any_algorithm, &run->group[i], part);
        mpi_check(MPI_Comm_free(&part), "MPI_Comm_free");
    }
}

int main(int argc, char **argv)
{
    static struct run run;
    long long operations, seed;
    int most, status;

    mpi_check(MPI_Init(&argc, &argv), "MPI_Init");
    tap_open(&run.tap);
    operations = tap_option_number(argc, argv, "--operations", 300);
    seed = tap_option_number(argc, argv, "--seed", 1);
    most = (int) tap_option_number(argc, argv, "--most", SLOTS);
    most = most < SLOTS ? most : SLOTS;
    run.common.state = (unsigned long long) seed;
    run.own.state = (unsigned long long) (seed + 1000003 * (run.tap.rank + 1));
    for (int i = 0; i < PER_SLOT * SLOTS; ++i) {
        run.request[i] = MPI_REQUEST_NULL;
    }
    open_groups(&run);
    for_counters(&run, true);
    while (run.operations < operations) {
        run_round(&run, most, (int) operations);
    }
    for (int i = 0; i < SLOTS; ++i) {
        if (run.slot[i].initialized) {
            close_slot(&run, i);
        }
    }
    tap_ok(&run.tap, 0 == run.wrong, "random_%lld_operations_give_what_basic_gives", operations);
    for_counters(&run, false);
    for (int i = 0; i < GROUPS; ++i) {
        group_close(&run.group[i]);
    }
    status = tap_close(&run.tap);
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return status;
}
