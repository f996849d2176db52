/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A model of node memory (ompi/mca/coll/napcoll/exec/napcoll_mailbox.h) in Promela, for spin, which
 * runs it in every possible order. The words are those of the code.
 *
 * How to read Promela: a proctype is a program; several run at once, one statement of one of them
 * at a time. `if` and `do` take any of the branches (::) whose first statement can run, or wait for
 * one. A condition that stands alone waits until it is true. What is in d_step or atomic is one
 * statement. An inline is text with parameters. spin complains of an assertion that fails, and of
 * a state where nothing can run although a program is not at its end: somebody waits for ever.
 *
 * Memory is weakly ordered: a lane's stores go to a buffer first. They reach memory later, in any
 * order, but a release store after all before it. A sequentially consistent fence waits until the
 * buffer is empty. Loads see memory and are in order, since those that matter are acquire loads.
 * Where the model has a MUTATION, a mistake can be made on purpose; node_memory.sh shows that
 * spin finds it.
 *
 * What is small here: 2 or 3 lanes, numbers wrap around at 8 and begin shortly before, a ring has
 * room for 2 publications or 1, a payload is one value. A process sleeps without a time limit.
 */

/* ---- what happens: each run has one of these ---- */

#define NOTHING 0

/* The lanes (bits) to which a lane sends in a stage are SENDS, the sizes that its messages may have
 * are SIZES: for a line, for the ring (if there is room; else by the PML), for neither. */
#define SMALL     1
#define LARGE     2
#define TOO_LARGE 4

#if defined(STREAM)
/* One operation: lane 0 sends to the others, and runs ahead of them. It waits for room. */
#define LANES      3
#define CHANNELS   1
#define OPERATIONS 1
#define STAGES     (SLEEPS -> 4 : 5)
#define RING_ROOM  2
#define SENDS(me, o, s) ((me) != 0 -> NOTHING : ((s) == 0 || (s) == 4 -> 6 : ((s) == 1 -> 4 : 2)))
#define SIZES(o, s)  ((s) == 3 -> SMALL : LARGE)

#elif defined(TREE)
/* An allreduce: 1 and 2 send to 0, which waits for both and answers. */
#define LANES      3
#define CHANNELS   1
#define OPERATIONS 1
#define STAGES     2
#define RING_ROOM  1
#define SENDS(me, o, s) ((me) == 0 -> ((s) == 1 -> 6 : NOTHING) : ((s) == 0 -> 1 : NOTHING))
#define SIZES(o, s)  ((s) == 0 -> SMALL + TOO_LARGE : LARGE + SMALL)

#elif defined(TURNS)
/* Three nonblocking operations in two channels, all started at once and carried on in any order. */
#define LANES      2
#define CHANNELS   2
#define OPERATIONS 3
#define STAGES     1
#define RING_ROOM  1
#define SENDS(me, o, s) ((me) == 0 -> 2 : ((o) == 1 -> 1 : NOTHING))
#define SIZES(o, s)  LARGE

#elif defined(SHARING)
/* Two nonblocking operations: the first sends the same to both other lanes, the second to one. */
#define LANES      3
#define CHANNELS   2
#define OPERATIONS 2
#define STAGES     1
#define RING_ROOM  1
#define SENDS(me, o, s) ((me) != 0 -> NOTHING : ((o) == 0 -> 6 : 2))
#define SIZES(o, s)  LARGE

#elif defined(EARLY)
/* Lane 0 sends to 1. Where a message must go by the PML its receive may be posted before its note
 * has come. */
#define LANES      2
#define CHANNELS   1
#define OPERATIONS 1
#define STAGES     4
#define RING_ROOM  1
#define SENDS(me, o, s) ((me) == 0 -> 2 : NOTHING)
#define SIZES(o, s)  ((s) % 2 == 1 -> TOO_LARGE : SMALL + LARGE + TOO_LARGE)

#elif defined(THREADS)
/* Two operations in two channels; in lane 1 two threads run them. They answer. */
#define LANES      2
#define CHANNELS   2
#define OPERATIONS 2
#define STAGES     2
#define RING_ROOM  1
#define SENDS(me, o, s) ((me) == (s) -> 2 >> (s) : NOTHING)
#define SIZES(o, s)  (SMALL + LARGE + TOO_LARGE)
#endif

/* Whether a message may be read where it has arrived. */
#if defined(STREAM) || defined(EARLY)
#define MAY_STAY true
#else
#define MAY_STAY false
#endif

/* Whether lanes may sleep: -DSLEEPS=1. Without, they poll. */
#ifndef SLEEPS
#define SLEEPS 0
#endif

#define DEPTH 2
#define WRAP  8
#define FIRST 6 /* the number before the first note */

#define MAY_BE(size, o, s)    ((SIZES(o, s) & (size)) != 0)
#define NO_ONE                LANES
#define HAS(lanes, lane)      (((lanes) >> (lane)) & 1)
#define WITHOUT(lanes, lane)  ((lanes) & ~(1 << (lane)))
/* What lane `from` sends in a stage: each time something else. */
#define VALUE(from, o, s)     (((o) * STAGES + (s)) * LANES + (from) + 1)
/* Whether a is b or later. */
#define IS_FROM(a, b)         (((a) + 2 * WRAP - (b)) % WRAP < WRAP / 2)

#ifdef MUTATION_PLAIN_LINE
#define IS_LINE_FREE(taken, k) (((k) + WRAP - DEPTH) % WRAP <= (taken))
#elif defined(MUTATION_DEPTH)
#define IS_LINE_FREE(taken, k) IS_FROM((taken) + DEPTH + 1, k)
#else
#define IS_LINE_FREE(taken, k) IS_FROM((taken) + DEPTH, k)
#endif
#ifdef MUTATION_PLAIN_RING
#define IS_TAKEN(taken, k) ((taken) >= (k))
#else
#define IS_TAKEN(taken, k) IS_FROM(taken, k)
#endif

/* ---- shared memory ---- */

#define PAIRS              (CHANNELS * LANES * LANES)
#define PAIR(c, to, from)  (((c) * LANES + (to)) * LANES + (from))
/* Addresses. A line is its number and what else the note says, in one value: way and place, or way
 * and payload. */
#define NUMBER(c, to, from, k)  (PAIR(c, to, from) * DEPTH + (k) % DEPTH)
#define CONTENT(c, to, from, k) (PAIRS * DEPTH + NUMBER(c, to, from, k))
#define TAKEN(c, to, from)      (2 * PAIRS * DEPTH + PAIR(c, to, from))
#define SLEEPING(lane)          ((2 * DEPTH + 1) * PAIRS + (lane))
#define RING(lane, place)       ((2 * DEPTH + 1) * PAIRS + LANES + (lane) * RING_ROOM + (place))
#define BYTES                   RING(LANES, 0)
byte memory[BYTES];

#define INLINE         0
#define IN_RING        64
#define BY_PML         128
#define WAY(content)   ((content) & 192)
#define REST(content)  ((content) & 63)

/* The stores of a lane that have not reached memory. */
#ifndef STORES
#define STORES 4
#endif
typedef buffer_t {
    byte count;
    byte at[STORES];
    byte value[STORES];
    bool release[STORES];
};
buffer_t buffer[LANES];

inline store(lane, address, what, is_release)
{
    d_step {
        buffer[lane].count < STORES;
        buffer[lane].at[buffer[lane].count] = address;
        buffer[lane].value[buffer[lane].count] = what;
        buffer[lane].release[buffer[lane].count] = is_release;
        buffer[lane].count++
    }
}

inline fence(lane)
{
    buffer[lane].count == 0
}

#define MAY_PASS(i, j) (buffer[lane].at[i] != buffer[lane].at[j] && !buffer[lane].release[j])

/* Store `from` reaches memory. */
inline reach(from)
{
    i = from;
    memory[buffer[lane].at[i]] = buffer[lane].value[i];
    do
    :: i + 1 < buffer[lane].count ->
        buffer[lane].at[i] = buffer[lane].at[i + 1];
        buffer[lane].value[i] = buffer[lane].value[i + 1];
        buffer[lane].release[i] = buffer[lane].release[i + 1];
        i++
    :: else -> break
    od;
    buffer[lane].at[i] = 0;
    buffer[lane].value[i] = 0;
    buffer[lane].release[i] = false;
    buffer[lane].count--;
    i = 0
}

proctype processor(byte lane)
{
    byte i;

end:
    do
    :: d_step { buffer[lane].count > 0 -> reach(0) }
    :: d_step { buffer[lane].count > 1 && MAY_PASS(0, 1) -> reach(1) }
    :: d_step { buffer[lane].count > 2 && MAY_PASS(0, 2) && MAY_PASS(1, 2) -> reach(2) }
    :: d_step {
           buffer[lane].count > 3 && MAY_PASS(0, 3) && MAY_PASS(1, 3) && MAY_PASS(2, 3) -> reach(3)
       }
    od
}

/* ---- what a process knows ---- */

typedef pair_t {
    byte queued, sent, acknowledged;
    byte expected, taken
};
/* [lane's own PAIR(channel, lane, peer)] */
pair_t pair[PAIRS];

/* A publication, and its readers: notes. */
typedef publication_t {
    byte readers;
    byte channel[LANES];
    byte lane[LANES];
    byte number[LANES]
};
typedef ring_t {
    publication_t publication[RING_ROOM];
    byte oldest, next
};
ring_t ring[LANES];

/* Operations under way, and whose turn each channel is. */
byte running[LANES];
typedef turns_t {
    byte turn[CHANNELS]
};
turns_t turns[LANES];

/* Threads that are in futex_wait: up to 2 of a lane. */
bool waits[2 * LANES];

/* Messages by the PML to a lane: from, tag (the operation), value. Nonblocking operations have each
 * a tag. */
chan pml[LANES] = [4] of { byte, byte, byte };

/* ---- bells ---- */

inline wake_all(lane)
{
    d_step {
        waits[2 * (lane)] = false;
        waits[2 * (lane) + 1] = false
    }
}

/* Something was written for a lane, which may sleep. */
inline tell(lane)
{
    if
    :: SLEEPS -> to_wake = to_wake | (1 << (lane))
    :: else
    fi
}

/* Wake all for whom something was written: with one fence. That a bell which does not sleep is only
 * looked at makes no difference to an exchange. */
inline ring_bells()
{
#ifndef MUTATION_NO_FENCE_BEFORE_BELL
    fence(me);
#endif
    do
    :: to_wake != NOTHING ->
        d_step {
            do
            :: HAS(to_wake, bell) -> break
            :: else -> bell = (bell + 1) % LANES
            od;
            to_wake = WITHOUT(to_wake, bell);
            was_sleeping = memory[SLEEPING(bell)];
#ifdef MUTATION_WAKE_FIRST
        };
        if
        :: was_sleeping -> wake_all(bell)
        :: else
        fi;
        d_step {
#endif
            memory[SLEEPING(bell)] = 0
        };
#ifndef MUTATION_WAKE_FIRST
        if
        :: was_sleeping -> wake_all(bell)
        :: else
        fi;
#endif
        was_sleeping = false
    :: else -> break
    od;
    bell = 0
}

/* ---- send ---- */

#define MINE(p) pair[PAIR(c, me, p)]
#define CAN_SEND(p) \
    (HAS(sends, p) && MINE(p).sent == (number_to[p] + WRAP - 1) % WRAP \
     && (IS_LINE_FREE(MINE(p).acknowledged, number_to[p]) \
         || IS_LINE_FREE(memory[TAKEN(c, p, me)], number_to[p])))

/* The own copy of an acknowledgement, when it is too old. */
inline see_taken(p)
{
    if
    :: !IS_LINE_FREE(MINE(p).acknowledged, number_to[p]) ->
        MINE(p).acknowledged = memory[TAKEN(c, p, me)]
    :: else
    fi
}

#define LATEST       ring[me].publication[(stamp + RING_ROOM - 1) % RING_ROOM]
#define OLDEST       ring[me].publication[ring[me].oldest % RING_ROOM]
#define READER_TAKEN memory[TAKEN(OLDEST.channel[i], OLDEST.lane[i], me)]

inline add_reader(p)
{
    LATEST.channel[LATEST.readers] = c;
    LATEST.lane[LATEST.readers] = p;
    LATEST.number[LATEST.readers] = number_to[p];
    LATEST.readers++
}

/* Free the publications that all readers have taken, the oldest first. */
inline free_publications()
{
    do
    :: ring[me].oldest != ring[me].next ->
#ifdef MUTATION_RING_ORDER
        /* the latest says whether the oldest is free */
        i = ring[me].oldest;
        ring[me].oldest = ring[me].next - 1;
        is_read = IS_TAKEN(memory[TAKEN(OLDEST.channel[0], OLDEST.lane[0], me)], OLDEST.number[0]);
        ring[me].oldest = i;
#else
        i = 0;
        is_read = true;
        do
        :: i < OLDEST.readers ->
            is_read = is_read && IS_TAKEN(READER_TAKEN, OLDEST.number[i]);
#ifdef MUTATION_ONE_READER
            break;
#endif
            i++
        :: else -> break
        od;
#endif
        if
        :: is_read -> ring[me].oldest++
        :: else -> break
        fi
    :: else -> break
    od;
    i = 0;
    is_read = false
}

#ifdef MUTATION_JOIN_ANY
#define CAN_JOIN (stamp != 0 && LATEST.readers < LANES)
#else
#define CAN_JOIN (stamp == ring[me].next && stamp != 0 && LATEST.readers < LANES)
#endif

/* Under the ring's lock: find room for a note's payload; place is RING_ROOM when there is none. */
inline find_room(p)
{
    d_step {
        joined = CAN_JOIN;
        if
        :: joined -> add_reader(p)
        :: else ->
            free_publications();
            if
            :: ring[me].next - ring[me].oldest < RING_ROOM ->
                place = ring[me].next % RING_ROOM;
                ring[me].next++;
                stamp = ring[me].next;
                LATEST.readers = 0;
                add_reader(p)
            :: else ->
                place = RING_ROOM;
                stamp = 0
            fi
        fi
    }
}

inline write_note(p)
{
    if
    :: MAY_BE(SMALL, o, s) -> content = INLINE + VALUE(me, o, s)
    :: MAY_BE(LARGE, o, s) ->
        find_room(p);
        if
        :: joined
        :: !joined && place < RING_ROOM -> store(me, RING(me, place), VALUE(me, o, s), false)
        :: else
        fi;
        content = (place < RING_ROOM -> IN_RING + place : BY_PML)
    :: MAY_BE(TOO_LARGE, o, s) -> content = BY_PML
    fi;
    joined = false;
    if
    :: content == BY_PML ->
        pml[p]!me, o, VALUE(me, o, s);
        by_pml = by_pml | (1 << p)
    :: else
    fi;
#ifdef MUTATION_NO_RELEASE
    store(me, CONTENT(c, p, me, number_to[p]), content, false);
    store(me, NUMBER(c, p, me, number_to[p]), number_to[p], false);
#else
    store(me, CONTENT(c, p, me, number_to[p]), content, false);
    store(me, NUMBER(c, p, me, number_to[p]), number_to[p], true);
#endif
    content = 0;
    MINE(p).sent = number_to[p];
    sends = WITHOUT(sends, p)
}

/* ---- receive ---- */

#define CAN_RECEIVE(p) \
    (HAS(receives, p) && MINE(p).taken == (number_from[p] + WRAP - 1) % WRAP \
     && memory[NUMBER(c, me, p, number_from[p])] == number_from[p])

inline take(p)
{
    atomic {
        MINE(p).taken = number_from[p];
        receives = WITHOUT(receives, p);
        store(me, TAKEN(c, me, p), number_from[p], true)
    }
}

inline read_note(p)
{
    d_step {
#ifdef MUTATION_READ_FIRST
        content = content_early[p];
#else
        content = memory[CONTENT(c, me, p, number_from[p])];
#endif
        if
        :: WAY(content) == INLINE ->
            assert(REST(content) == VALUE(p, o, s));
            cancel(p)
        :: WAY(content) == IN_RING ->
            assert(memory[RING(p, REST(content))] == VALUE(p, o, s));
            cancel(p)
        :: else -> awaited = awaited | ((1 << p) & ~came)
        fi;
        content = 0
    }
}

inline tell_taken(p)
{
#ifdef MUTATION_NO_BELL_WHEN_TAKEN
    skip
#else
    tell(p)
#endif
}

inline receive(p)
{
#ifdef MUTATION_TAKE_FIRST
    take(p);
    read_note(p);
    tell_taken(p)
#else
    atomic {
        if
        :: MAY_STAY && WAY(memory[CONTENT(c, me, p, number_from[p])]) == IN_RING ->
            /* a reduction will read it there */
            staying = staying | (1 << p);
            cancel(p);
#ifdef MUTATION_TAKE_WHAT_STAYS
            take(p)
#else
            receives = WITHOUT(receives, p)
#endif
        :: true ->
            read_note(p);
            take(p);
            tell_taken(p)
        fi
    }
#endif
}

/* The work of a stage, when its messages have ended. */
inline read_what_stays()
{
    do
    :: HAS(staying, peer) ->
        read_note(peer);
        take(peer);
        tell_taken(peer);
        staying = WITHOUT(staying, peer)
    :: !HAS(staying, peer) && staying != NOTHING -> peer = (peer + 1) % LANES
    :: staying == NOTHING -> break
    od;
    peer = 0
}

/* ---- receives by the PML that are posted early; from lane 0 ---- */

#ifdef MUTATION_EARLY_IF_MAYBE
#define IS_LARGE MAY_BE(TOO_LARGE, o, s)
#else
#define IS_LARGE (SIZES(o, s) == TOO_LARGE)
#endif
#define CAN_POST_EARLY \
    (HAS(receives, 0) && !HAS(early | came, 0) && IS_LARGE \
     && MINE(0).taken == (number_from[0] + WRAP - 1) % WRAP)

/* A message by the PML goes to the first receive that was posted: no receive before its own one may
 * be left. */
inline match(p)
{
    pml[me]??eval(p), eval(o), content;
    assert(!HAS(left, p));
    assert(content == VALUE(p, o, s));
    early = WITHOUT(early, p);
    content = 0
}

/* The note of a message says that it did not go by the PML: its receive is cancelled, which the PML
 * does late. */
inline cancel(p)
{
    left = left | (early & (1 << p));
    early = WITHOUT(early, p)
}

/* ---- sleep ---- */

#ifdef MUTATION_TWO_SLEEPERS
#define IS_ALONE ((by_pml | early) == NOTHING)
#else
#define IS_ALONE ((by_pml | early) == NOTHING && running[me] == 1)
#endif

/* After the announcement: look at each message again, and sleep. */
inline idle()
{
#ifndef MUTATION_NO_FENCE_BEFORE_LOOK
    fence(me);
#endif
#ifndef MUTATION_NO_SECOND_LOOK
    peer = 0;
    do
    :: peer < LANES && !CAN_SEND(peer) && !CAN_RECEIVE(peer) -> peer++
    :: else -> break
    od;
#else
    peer = LANES;
#endif
    if
    :: peer == LANES ->
        /* the system call sees the lane's own store */
        fence(me);
        waits[2 * me + thread] = memory[SLEEPING(me)] == 1;
        !waits[2 * me + thread]
    :: else
    fi;
    peer = 0
}

/* ---- an operation ---- */

/* Numbers for the messages of a stage. */
inline post_messages()
{
    d_step {
        i = 0;
        do
        :: i < LANES ->
            if
            :: HAS(SENDS(me, o, s), i) ->
                MINE(i).queued = (MINE(i).queued + 1) % WRAP;
                number_to[i] = MINE(i).queued;
                sends = sends | (1 << i)
            :: else
            fi;
            if
            :: HAS(SENDS(i, o, s), me) ->
                MINE(i).expected = (MINE(i).expected + 1) % WRAP;
                number_from[i] = MINE(i).expected;
                receives = receives | (1 << i)
            :: else
            fi;
            i++
        :: else -> break
        od;
        i = 0;
#ifndef MUTATION_SHARE_OVER_STAGES
        stamp = 0;
        place = 0
#endif
    }
}

/* The messages by the PML end: those from others have come, those to others have been received. */
inline end_messages()
{
    do
    :: HAS(awaited, peer) ->
        match(peer);
        awaited = WITHOUT(awaited, peer)
    :: !HAS(awaited, peer) && HAS(by_pml, peer) ->
        !(pml[peer]??[eval(me), eval(o), _]);
        by_pml = WITHOUT(by_pml, peer)
    :: !HAS(awaited | by_pml, peer) && (awaited | by_pml) != NOTHING -> peer = (peer + 1) % LANES
    :: (awaited | by_pml) == NOTHING -> break
    od;
    peer = 0
}

#if LANES == 3
#define CAN_ADVANCE \
    (CAN_SEND(0) || CAN_SEND(1) || CAN_SEND(2) || CAN_RECEIVE(0) || CAN_RECEIVE(1) \
     || CAN_RECEIVE(2))
#else
#define CAN_ADVANCE (CAN_SEND(0) || CAN_SEND(1) || CAN_RECEIVE(0) || CAN_RECEIVE(1))
#endif

/* Carry on one of the messages: `peer`. NO_ONE: there is none, and the process may sleep. */
inline advance()
{
#ifdef MUTATION_READ_FIRST
    d_step {
        i = 0;
        do
        :: i < LANES ->
            content_early[i] = memory[CONTENT(c, me, i, number_from[i])];
            i++
        :: else -> break
        od;
        i = 0
    };
#endif
#ifdef MUTATION_WRITE_FIRST
    if
    :: HAS(sends, 1) -> store(me, CONTENT(c, 1, me, number_to[1]), INLINE + VALUE(me, o, s), false)
    :: else
    fi;
#endif
    atomic {
        if
        :: CAN_SEND(0) -> peer = 0; is_send = true
        :: CAN_SEND(1) -> peer = 1; is_send = true
        :: CAN_RECEIVE(0) -> peer = 0
        :: CAN_RECEIVE(1) -> peer = 1
#if LANES == 3
        :: CAN_SEND(2) -> peer = 2; is_send = true
        :: CAN_RECEIVE(2) -> peer = 2
#endif
        :: !CAN_ADVANCE && SLEEPS && IS_ALONE && to_wake == NOTHING -> peer = NO_ONE
        fi;
        if
        :: is_send ->
            see_taken(peer);
            write_note(peer);
#ifndef MUTATION_NO_BELL_WHEN_SENT
            tell(peer)
#endif
        :: peer == NO_ONE -> store(me, SLEEPING(me), 1, false)
        :: else
        fi
    };
    if
    :: is_send -> is_send = false
    :: peer == NO_ONE -> idle()
    :: else -> receive(peer)
    fi;
    peer = 0
}

/* A thread of a lane: runs the operations from o to `last`, one after the other. */
proctype process(byte me, thread, o, last)
{
    byte c, s, i, peer, place, stamp, content;
    byte sends, receives, by_pml, awaited;
    /* receives that are posted early, have their message, and are left behind */
    byte early, came, left;
    /* whose messages are read where they have arrived; who has to be woken */
    byte staying, to_wake, bell;
    byte number_to[LANES], number_from[LANES];
#ifdef MUTATION_READ_FIRST
    byte content_early[LANES];
#endif
    bool was_sleeping, is_read, joined, is_send;

    do
    :: o <= last ->
        atomic {
            c = o % CHANNELS;
            running[me]++;
#ifndef MUTATION_NO_TURN
            turns[me].turn[c] == o / CHANNELS;
#endif
            s = 0
        };
        do
        :: s < STAGES ->
            post_messages();
            do
            :: (sends | receives) != NOTHING && (CAN_ADVANCE || to_wake == NOTHING) -> advance()
            :: !CAN_ADVANCE && to_wake != NOTHING -> ring_bells()
#ifdef EARLY
            :: CAN_POST_EARLY -> early = early | 1
            :: atomic {
                   HAS(early, 0) && HAS(receives, 0) && pml[me]??[0, eval(o), _];
                   match(0);
                   came = came | 1
               }
#endif
            :: (sends | receives | to_wake) == NOTHING -> break
            od;
            atomic {
                end_messages();
                came = NOTHING;
                read_what_stays();
                s++;
                if
                :: to_wake != NOTHING -> ring_bells()
                :: else
                fi
            }
        :: else -> break
        od;
        atomic {
            turns[me].turn[c]++;
            running[me]--;
            o++
        }
    :: else -> break
    od
}

/* Fill memory as if FIRST notes of each pair had been taken, and start all programs. */
init {
    byte i;

    atomic {
        do
        :: i < PAIRS ->
            memory[i * DEPTH + FIRST % DEPTH] = FIRST;
            memory[i * DEPTH + (FIRST - 1) % DEPTH] = FIRST - 1;
            memory[2 * PAIRS * DEPTH + i] = FIRST;
            pair[i].queued = FIRST;
            pair[i].sent = FIRST;
            pair[i].acknowledged = FIRST;
            pair[i].expected = FIRST;
            pair[i].taken = FIRST;
            i++
        :: else -> break
        od;
        i = 0;
        do
        :: i < LANES ->
            run processor(i);
#if defined(TURNS) || defined(SHARING)
            run process(i, 0, 0, 0);
            if
            :: i < 2 ->
                run process(i, 0, 1, 1);
                if
                :: OPERATIONS > 2 -> run process(i, 0, 2, 2)
                :: else
                fi
            :: else
            fi;
#elif defined(THREADS)
            if
            :: i == 1 ->
                run process(1, 0, 0, 0);
                run process(1, 1, 1, 1)
            :: else -> run process(i, 0, 0, OPERATIONS - 1)
            fi;
#else
            run process(i, 0, 0, OPERATIONS - 1);
#endif
            i++
        :: else -> break
        od
    }
}
