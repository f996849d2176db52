#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Vectors of 2 GiB. They take most of a machine's memory; where there is too little of it, they are skipped.
# See harness.sh.
set -u

# shellcheck source=tests/mpi/harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

have_mib=$(awk '$1 == "MemAvailable:" { print int($2 / 1024) }' /proc/meminfo 2>/dev/null)
# large_of NP COLL ALGORITHM: 2 GiB in place, which take the vector and up to two temporaries of its size on
# each process, under `launch`.
large_of() {
    local name="large_$2_$3" need_mib=$(($1 * 3 * 2048 + 1024))
    if [ "${have_mib:-0}" -ge "$need_mib" ]; then
        case_of "$name" 120 "${launch[@]}" "$programs/large" --coll "$2" --algorithm "$3" --expect "runs:$3"
    elif wanted "$name"; then
        skip "$name" "needs $need_mib MiB of free memory"
    fi
}
fake 3 2 block tree
large_of 3 allreduce nap
! at_length || large_of 3 allreduce lane
fake 3 2 block delegate
! at_length || large_of 3 allreduce smp
fake 2 1 block tree
! at_length || large_of 2 allreduce rabenseifner
! at_length || large_of 2 allgather ring
! at_length || large_of 2 bcast chain
fake 3 2 block tree
! at_length || large_of 3 alltoall tuna

end_suite
