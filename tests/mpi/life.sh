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
emulated 3 4 block 6 exchange
case_of netlab_two_jobs 60 "${launch[@]}" "$programs/spawn"
says netlab_two_jobs_of_different_settings 60 'joins jobs that have different settings' 'ok 4' -- \
    "${launch[@]}" "$programs/spawn" OMPI_MCA_coll_napcoll_segment_bytes=70
emulated 3 4 block 6 delegate
! at_length || case_of netlab_two_jobs_delegate 60 "${launch[@]}" "$programs/spawn"

# --- without MPI_Init ---
fake 6 3,2,1 block exchange
case_of sessions 60 "${launch[@]}" "$programs/session"

# --- many threads, long lives ---
fake 6 3,2,1 block tree
by_threads
! at_length || case_of threads_tree 60 "${launch[@]}" "$programs/threads" --algorithm nap --expect runs:nap
fake 6 3,2,1 block exchange
by_threads
case_of threads_all 60 "${launch[@]}" "$programs/threads" --coll all --rounds 100 --expect runs
fake 6 3,2,1 cyclic delegate
by_threads
case_of threads_delegate 60 "${launch[@]}" "$programs/threads" --algorithm smp --expect runs:smp
fake 4 2 block exchange
! at_length || case_of dup_free_exchange 60 "${launch[@]}" "$programs/dup_free" --expect runs
fake 4 2 cyclic delegate
case_of dup_free_delegate 60 "${launch[@]}" "$programs/dup_free" --cycles 3000 --expect runs

# --- errors reach the caller ---
fake 2 1 block tree
case_of errors_recursive_doubling 30 "${launch[@]}" "$programs/errors" \
    --algorithm recursive_doubling
! at_length || case_of errors_smp 30 "${launch[@]}" "$programs/errors" --algorithm smp
# Those who have no part in it wait for messages of the one that is told: in a chain, and from those where blocks stop.
fake 6 3 block tree
case_of errors_bcast_chain 30 "${launch[@]}" "$programs/errors" --coll bcast --algorithm chain
for algorithm in linear tuna tuna_coalesced tuna_two_level; do
    at_length || [ "$algorithm" = tuna ] || continue
    case_of "errors_alltoallv_$algorithm" 30 "${launch[@]}" "$programs/errors" --coll alltoallv --algorithm "$algorithm"
done

# --- what goes wrong is said, and nothing hangs ---
for how in exit kill; do
    at_length || [ "$how" = kill ] || continue
    fake 6 3,2,1 block exchange
    dies "die_by_${how}_ends_the_job" 30 "${launch[@]}" "$programs/die" --how "$how" --algorithm nap
done
emulated 3 2 block 6 tree
dies die_netlab_ends_the_job 30 "${launch[@]}" "$programs/die" --how kill --algorithm nap
fake 4 2 block delegate
! at_length || dies die_delegate_ends_the_job 30 "${launch[@]}" "$programs/die" --how kill --algorithm smp

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
