# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Programs for 8 ranks as MSCCL XML, in the forms that synthesizers write: fused steps and single ones, several thread
# blocks, channels and parts, dependencies, nops, scratch. To be run as
#
#     awk -v program=ring_allreduce [-v mutant=deadlock] -f msccl.awk
#
# Mutants: wrong: the result is; deadlock: the steps of a thread block are in an order in which all wait; race: two thread blocks use one
# place; nodep: a dependency is missing; nohasdep: a step that others wait for does not say so.

function line(text) {
    print text
}

function algo(coll, chunks, inplace, channels) {
    printf "<?xml version=\"1.0\"?>\n<!-- %s -->\n", program
    printf "<algo name=\"%s\" proto=\"Simple\" nchannels=\"%d\" nchunksperloop=\"%d\" ngpus=\"8\" ", program, channels, chunks
    printf "coll=\"%s\" inplace=\"%d\" outofplace=\"%d\" minBytes=\"0\" maxBytes=\"1099511627776\">\n", coll, inplace, !inplace
}

function gpu(input, output, scratch) {
    printf "  <gpu id=\"%d\" i_chunks=\"%d\" o_chunks=\"%d\" s_chunks=\"%d\">\n", rank, input, output, scratch
    tbs = 0
}

function tb(send, recv, chan) {
    printf "    <tb id=\"%d\" send=\"%d\" recv=\"%d\" chan=\"%d\">\n", tbs++, send, recv, chan
    steps = 0
}

# from and to: a buffer and an offset, such as i3.
function step(type, from, to, cnt, depid, deps, hasdep) {
    if (depid >= 0 && mutant == "nodep" && type != "nop") {
        depid = deps = -1
    }
    printf "      <step s=\"%d\" type=\"%s\" srcbuf=\"%s\" srcoff=\"%d\" dstbuf=\"%s\" dstoff=\"%d\" ", steps++, type,
        substr(from, 1, 1), substr(from, 2), substr(to, 1, 1), substr(to, 2)
    printf "cnt=\"%d\" depid=\"%d\" deps=\"%d\" hasdep=\"%d\"/>\n", cnt, depid, deps, mutant != "nohasdep" && hasdep
}

function end_tb() {
    line("    </tb>")
}

function end_gpu() {
    line("  </gpu>")
}

function around(number) {
    return (number + 64) % 8
}

# The vector in 16 chunks, of which each of two channels takes every other one round the ring, twice.
function ring_allreduce(channel, k, at) {
    algo("allreduce", 16, 1, 2)
    for (rank = 0; rank < 8; rank++) {
        gpu(16, 16, 0)
        for (channel = 0; channel < 2; channel++) {
            tb(around(rank + 1), around(rank - 1), channel)
            for (k = mutant == "deadlock" ? 1 : 0; k < 16; k++) {
                at = "i" (2 * around(rank - k) + (mutant == "race" ? 0 : channel))
                if (k < 15) {
                    step(k == 0 ? "s" : k < 8 && (mutant != "wrong" || k != 3) ? "rrcs" : "rcs", at, at, 1, -1, -1, 0)
                } else {
                    step("r", at, at, 1, -1, -1, 0)
                }
                if (mutant == "deadlock" && k == 14) {
                    step("s", "i" (2 * rank + channel), "i" (2 * rank + channel), 1, -1, -1, 0)
                }
            }
            end_tb()
        }
        end_gpu()
    }
}

# One thread block copies, one sends and one receives; what is received is sent on.
function ring_allgather(k, at, last) {
    algo("allgather", 8, 0, 1)
    last = mutant == "wrong" ? 6 : 7
    for (rank = 0; rank < 8; rank++) {
        gpu(1, 8, 0)
        tb(-1, -1, 0)
        step("cpy", "i0", "o" rank, 1, -1, -1, 1)
        end_tb()
        tb(around(rank + 1), -1, 0)
        for (k = 0; k < last; k++) {
            at = "o" around(rank - k)
            step("s", at, at, 1, k == 0 && mutant != "deadlock" ? 0 : 2,
                mutant == "deadlock" ? k : k == 0 ? 0 : k - 1, mutant == "race" && k == 6)
        }
        end_tb()
        tb(-1, around(rank - 1), 0)
        for (k = 1; k <= last; k++) {
            at = "o" around(mutant == "race" && k == 7 ? rank : rank - k)
            step("r", at, at, 1, -1, -1, 1)
        }
        end_tb()
        end_gpu()
    }
}

# The distance halves, and with it what is sent: a thread block for each peer.
function halving_reduce_scatter(distance, round, peer, mine, theirs, first) {
    algo("reduce_scatter", 8, 1, 1)
    for (rank = 0; rank < 8; rank++) {
        gpu(8, 1, 1)

        round = 0
        for (distance = 4; distance >= 1; distance /= 2) {
            first = int(rank / distance) % 2 == 0
            peer = first ? rank + distance : rank - distance
            mine = int(rank / distance) * distance
            theirs = int(peer / distance) * distance
            tb(peer, peer, 0)
            if (mutant == "deadlock") {
                step("rrc", "i" mine, "i" mine, distance, round > 0 ? round - 1 : -1, round > 0 ? 1 : -1, 1)
                step("s", "i" theirs, "i" theirs, distance, -1, -1, 1)
            } else {
                step("s", "i" theirs, "i" theirs, distance, round > 0 ? round - 1 : -1, round > 0 ? 1 : -1, 0)
                step(mutant == "wrong" && round == 2 ? "r" : "rrc", "i" mine, "i" mine, distance, -1, -1, 1)
            }
            end_tb()
            round++
        }
        if (mutant == "race") {
            tb(-1, -1, 0)
            step("cpy", "i" rank, "s0", 1, -1, -1, 0)
            end_tb()
        }
        end_gpu()
    }
}

# Two nodes of 4: inside a node each rank collects what is for the other node's rank of its number, sends it at
# once, and copies what comes.
function two_step_alltoall(node, lane, other, k, block, wait) {
    algo("alltoall", 8, 0, 1)
    for (rank = 0; rank < 8; rank++) {
        node = int(rank / 4)
        other = 1 - node
        lane = rank % 4
        gpu(8, 8, 8)
        tb(-1, -1, 0)
        step("cpy", "i" rank, "o" rank, 1, -1, -1, 0)
        step("cpy", "i" (4 * other + (mutant == "wrong" ? around(lane + 1) % 4 : lane)), "s" lane, 1, -1, -1, 1)
        end_tb()
        for (k = 1; k < 4; k++) {
            block = (lane + k) % 4
            tb(4 * node + block, 4 * node + block, 0)
            if (mutant == "deadlock") {
                step("r", "i" rank, "o" (4 * node + block), 1, -1, -1, 0)
            }
            step("s", "i" (4 * node + block), "o" rank, 1, -1, -1, 0)
            step("s", "i" (4 * other + block), "s" lane, 1, -1, -1, 0)
            if (mutant != "deadlock") {
                step("r", "i" rank, "o" (4 * node + block), 1, -1, -1, 0)
            }
            step("r", "i" rank, "s" (mutant == "race" ? lane : block), 1, -1, -1, 1)
            end_tb()
        }
        tb(4 * other + lane, 4 * other + lane, 0)
        for (k = 0; k < 3; k++) {
            step("nop", "i-1", "o-1", 0, k, k == 0 ? 1 : 3, 0)
        }
        step("s", "s0", "o" (4 * node), 4, 3, 3, 0)
        step("r", "s0", "s4", 4, -1, -1, 0)
        step("cpy", "s4", "o" (4 * other), 4, -1, -1, 0)
        end_tb()
        end_gpu()
    }
}

# Each rank gets its chunk of all, reduces them, and sends the result to all.
function allpairs_allreduce(k, peer) {
    algo("allreduce", 8, 1, 1)
    for (rank = 0; rank < 8; rank++) {
        gpu(8, 8, 8)
        for (k = 1; k < 8; k++) {
            peer = around(rank + k)
            tb(peer, peer, 0)
            if (mutant == "deadlock") {
                step("r", "i" rank, "s" peer, 1, -1, -1, 1)
            }
            step("s", "i" peer, "s" rank, 1, -1, -1, mutant == "deadlock")
            if (mutant != "deadlock") {
                step("r", "i" rank, "s" (mutant == "race" ? 0 : peer), 1, -1, -1, 1)
            }
            step("s", "i" rank, "i" rank, 1, 7, 7, 0)
            step("r", "i" peer, "i" peer, 1, -1, -1, 0)
            end_tb()
        }
        tb(-1, -1, 0)
        step("nop", "i-1", "o-1", 0, 0, 1, 0)
        for (k = 1; k < 8; k++) {
            step(mutant == "wrong" && k == 3 ? "nop" : "re", "s" around(rank + k), "i" rank, 1, k - 1, 1, k == 7)
        }
        end_tb()
        end_gpu()
    }
}

BEGIN {
    if (program == "ring_allreduce") {
        ring_allreduce()
    } else if (program == "ring_allgather") {
        ring_allgather()
    } else if (program == "halving_reduce_scatter") {
        halving_reduce_scatter()
    } else if (program == "two_step_alltoall") {
        two_step_alltoall()
    } else {
        allpairs_allreduce()
    }
    line("</algo>")
}
