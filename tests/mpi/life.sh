#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# How jobs live and end: processes that are bound, jobs that join, sessions, threads, communicators that
# come and go, errors, and processes that die. See harness.sh.
set -u

# shellcheck source=tests/mpi/harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

# dies NAME SECONDS COMMAND...: one process dies, as the program `die` does and marks, and the job
# ends by itself, with a status that is not 0, in that time.
dies() {
    local name=$1 seconds=$2 rc=0 good=0
    shift 2
    wanted "$name" || return 0
    rm -f "$scratch/died"
    limited "$seconds" "$@" --mark "$scratch/died" || rc=$?
    if [ "$rc" = 77 ]; then
        skip "$name" "$(tail -n 1 "$scratch/out")"
        return 0
    fi
    case $rc in
        0 | 124) good=1 ;;
    esac
    [ -e "$scratch/died" ] || good=1
    verdict "$good" "$name"
    [ "$good" = 0 ] || { printf '# exit %d, %s\n' "$rc" \
        "$([ -e "$scratch/died" ] && echo 'one died' || echo 'none died')" && show_output; }
}

# --- processes that are bound, and jobs that join ---
# Bound processes have a place in the hardware, which orders the steps inside their node. They cannot leave a
# core that others use, and wait for it.
bound=(env OMPI_MCA_hwloc_base_binding_policy=core PRTE_MCA_bindto=core:overload-allowed
    PRTE_MCA_hwloc_default_binding_policy=core:overload-allowed)
emulated 2 2 block 4 tree
case_of netlab_nap_bound 120 "${bound[@]}" "${launch[@]}" \
    "$programs/collectives" --coll allreduce --algorithm nap --expect runs:nap --expect-noncommutative runs:nap
says netlab_bound_processes_are_ordered_by_the_hardware 60 'place 1 in the hardware: lane 1' 'ok 1' \
    -- "${bound[@]}" "${launch[@]}" --mca coll_napcoll_verbose 20 \
    "$programs/threads" --threads 1 --rounds 2
# Half of the slots for the parents, half for the children.
emulated 3 4 block 6 delegate
case_of netlab_two_jobs 60 "${launch[@]}" "$programs/spawn"
emulated 3 4 block 6 exchange
says netlab_two_jobs_of_different_settings 60 'joins jobs that have different settings' 'ok 4' -- \
    "${launch[@]}" "$programs/spawn" OMPI_MCA_coll_napcoll_segment_bytes=70

says netlab_job_that_joins_one_without_napcoll 60 'Not all 12 processes of the communicator' 'without napcoll: 6' 'ok 4' -- \
    "${launch[@]}" "$programs/spawn" OMPI_MCA_coll=self,basic,libnbc,inter,tuned

# --- without MPI_Init ---
fake 6 3,2,1 block exchange
case_of sessions 60 "${launch[@]}" "$programs/session"

# --- many threads, long lives ---
# all_threads NAME ROUNDS MODE: every collective by each thread.
all_threads() {
    fake 6 3,2,1 block exchange
    by_threads
    case_of "$1" 60 env "$measured" "${launch[@]}" "$programs/threads" --coll all --rounds "$2" --mode "$3" --expect runs
}
all_threads threads_all 100 blocking
all_threads threads_nonblocking 50 nonblocking
all_threads threads_persistent 50 persistent
fake 6 3,2,1 cyclic delegate
by_threads
case_of threads_delegate 60 "${launch[@]}" "$programs/threads" --algorithm smp --expect runs:smp
fake 4 2 cyclic delegate
case_of dup_free_delegate 60 "${launch[@]}" "$programs/dup_free" --cycles 3000 --expect runs

# --- errors reach the caller ---
# Ranks whose counts are right wait for messages of the rank that is told: in a chain, and where blocks pass through it.
fake 6 3 block tree
cases=(allreduce:recursive_doubling bcast:chain alltoallv:tuna)
! at_length || cases+=(allreduce:smp gatherv:binomial gatherv:linear scatterv:binomial scatterv:linear alltoallv:linear alltoallv:tuna_coalesced alltoallv:tuna_two_level)
case_of errors 60 "${launch[@]}" "$programs/errors" "${cases[@]}"
# The two ends of a block do not agree on which way it goes, or it goes straight by what both know.
for inline in 100 1; do
    case_of "errors_above_$inline" 60 "${launch[@]}" --mca coll_napcoll_inline_bytes $inline "$programs/errors" \
        alltoallv:tuna alltoallv:tuna_two_level gatherv:two_level scatterv:two_level
done

# --- what goes wrong is said, and nothing hangs ---
fake 6 3,2,1 block exchange
dies die_ends_the_job 30 "${launch[@]}" "$programs/die" --how exit --algorithm nap
for mode in nonblocking persistent; do
    dies "die_ends_the_job_$mode" 30 "${launch[@]}" "$programs/die" --how kill --algorithm nap --mode "$mode"
done
emulated 3 2 block 6 tree
dies die_netlab_ends_the_job 30 "${launch[@]}" "$programs/die" --how kill --algorithm nap

# A node without shared memory: Open MPI may give up or go on, but it ends and says something.
full_shm() {
    local name=full_shm_ends_with_a_message rc=0 good=0
    wanted "$name" || return 0
    limited 60 "$netlab" --nodes 2 --ppn 2 --shm 64K --latency 0 -- mpirun -np 4 \
        --mca coll napcoll,tuned "$programs/threads" --rounds 5 --threads 1
    rc=$?
    if [ "$rc" = 77 ]; then
        skip "$name" "$(tail -n 1 "$scratch/out")"
        return 0
    fi
    case $rc in
        124 | 137) good=1 ;;
    esac
    grep -q -v '^ok\|^1\.\.' "$scratch/out" || [ "$rc" = 0 ] || good=1
    verdict "$good" "$name"
    [ "$good" = 0 ] || { printf '# exit %d\n' "$rc" && show_output; }
}
full_shm

end_suite
