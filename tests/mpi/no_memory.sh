#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Memory runs out on one rank: in MPI_Init, when a communicator is made, or in the first call on it (see failing.c). There
# is an error or the job ends with a message; no process waits for ever, and no result is wrong. See harness.sh.
set -u

# shellcheck source=tests/mpi/harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

module=$programs/.libs/no_memory.so
if [ ! -r "$module" ]; then
    printf 'Bail out! no %s\n' "$module"
    exit 1
fi

# fails_well NAME WORD COMMAND...: the job ends in time: well, or with an error after it has said WORD. Open MPI 4.1's
# mpirun loses a message now and then, or waits for ever after it: then once more.
fails_well() {
    local name=$1 word=$2 rc try
    shift 2
    wanted "$name" || return 0
    for try in 1 2 3; do
        rc=0
        launched 20 "$@" || rc=$?
        ended=no
        case $rc in
            0) ended=well ;;
            124 | 137) ! grep -q -e "$word" "$scratch/out" || continue ;;
            *) ! grep -q -e "$word" "$scratch/out" || ended=reported ;;
        esac
        if [ "$ended" != no ] || [ "$rc" -ge 124 ] || ! lost_message; then
            break
        fi
    done
    [ "$ended" != no ]
    verdict $? "$name"
    [ "$ended" != no ] || { printf '# exit %d\n' "$rc" && show_output; }
}

step=3
at_length || step=7

# --- from the start of a process on ---
fake 4 2 block exchange
# Two of the first are in a macro of Open MPI 4.1, which takes what it gets and crashes.
met=0
case $(mpicc --showme:version | napcoll_openmpi_version) in
    4.*) n=4 ;;
    *) n=1 ;;
esac
for (( ; n <= 12; n += step)); do
    for rank in 0 1; do
        fails_well "start_of_${rank}_$n" 'no memory left\|MPI_ERR\|[Oo]ut of resource' env NAPCOLL_NO_MEMORY="$rank:$n" \
            "${launch[@]}" -x NAPCOLL_NO_MEMORY -x LD_PRELOAD="$module" "$programs/threads" --threads 1 --rounds 2 \
            --algorithm nap --expect runs:nap
        ! grep -qs 'no memory left' "$scratch/out" || met=$((met + 1))
    done
done
! wanted start_says_no_memory || {
    [ "$met" -gt 0 ]
    verdict $? start_says_no_memory
}

# --- in a first call ---
if "$programs/ulfm" --probe >/dev/null; then
    # All in one job, where a rank that has an error can tell the others.
    for setting in allreduce:smp reduce:smp barrier:smp allgather:smp allgatherv:lane_ring reduce_scatter:smp \
        reduce_scatter_block:pairwise scan:nap exscan:nap bcast:scatter_allgather alltoall:tuna alltoallv:tuna \
        alltoallw:tuna_two_level gather:two_level gatherv:credit scatter:binomial scatterv:two_level; do
        export "OMPI_MCA_coll_napcoll_${setting%:*}_algorithm=${setting#*:}"
    done
    for how in exchange delegate; do
        for rank in 3 4; do # the first process of a node, and one that is not
            name=all_calls_${how}_$((rank % 4))
            wanted "$name" || continue
            fake 4 2 block "$how"
            run_case "$name" 120 "${launch[@]}" --with-ft ulfm -x LD_PRELOAD="$module" "$programs/failing" --rank "$rank" \
                --revoke yes
            grep '^# .* cases with' "$scratch/out"
        done
    done
else
    # By auto, a job for each; the first ones, of set-up, in all-to-alls, gathers and scatters.
    fake 4 2 block exchange
    reported=0
    for ((n = 1; n <= 40; n += step)); do
        fails_well "first_call_$n" '^reported: ' "${launch[@]}" -x LD_PRELOAD="$module" "$programs/failing" \
            --rank "$((n % 4 + 4))" --first "$n" --last "$n" --from "$((n + 9))"
        [ "${ended:-}" != reported ] || reported=$((reported + 1))
    done
    ! wanted first_calls_report || {
        [ "$reported" -gt $((20 / step)) ]
        verdict $? "first_calls_report"
    }
fi

end_suite
