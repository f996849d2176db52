#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Vectors of 2 GiB. They take most of a machine's memory; where there is too little of it, they are skipped.
# See harness.sh.
set -u

# shellcheck source=tests/mpi/harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

have_mib=$(awk '$1 == "MemAvailable:" { print int($2 / 1024) }' /proc/meminfo 2>/dev/null)
# large_in MIB NAME COLL ALGORITHM [OPTION...]: a case that takes so much memory, under `launch`.
large_in() {
    local need_mib=$1 name=$2
    if [ "${have_mib:-0}" -ge "$need_mib" ]; then
        case_of "$name" 240 "${launch[@]}" "$programs/large" --coll "$3" --algorithm "$4" --expect "runs:$4" \
            "${@:5}"
    elif wanted "$name"; then
        skip "$name" "needs $need_mib MiB of free memory"
    fi
}
# large_of NP COLL ALGORITHM: 2 GiB in place, which take the vector and up to two temporaries of its size on
# each process.
large_of() {
    large_in $(($1 * 3 * 2048 + 1024)) "large_$2_$3" "$2" "$3"
}
fake 3 2 block delegate
! at_length || large_of 3 allreduce nap
fake 2 1 block tree
large_of 2 allreduce rabenseifner
! at_length || large_of 2 allgather ring
! at_length || large_of 2 bcast chain
! at_length || large_of 2 alltoall tuna
# The root has 2 GiB, in blocks that are shorter; the others have a third of it each, and temporaries.
fake 3 2 cyclic tree
! at_length || large_in 9216 large_gather_two_level gather two_level
# One block has 2 GiB.
fake 2 1 block tree
! at_length || large_in 13312 large_scatter_long_blocks scatter segmented --count 536870922

end_suite
