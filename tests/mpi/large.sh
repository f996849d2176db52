#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Vectors of 2 GiB. They take most of a machine's memory; where there is too little of it, they are skipped.
# See large.c and harness.sh.
set -u

# shellcheck source=tests/mpi/harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

have_mib=$(awk '$1 == "MemAvailable:" { print int($2 / 1024) }' /proc/meminfo 2>/dev/null)
# large_in MIB NAME CASE...: a job that takes that much memory, under `launch`.
large_in() {
    local need_mib=$1 name=$2
    if [ "${have_mib:-0}" -ge "$need_mib" ]; then
        case_of "$name" 240 "${launch[@]}" "$programs/large" "${@:3}"
    elif wanted "$name"; then
        skip "$name" "needs $need_mib MiB of free memory"
    fi
}
# Each process takes the vector, and up to two temporaries of its size. In the scatter one block has 2 GiB.
fake 2 1 block tree
cases=(allreduce:rabenseifner)
! at_length || cases+=(alltoall:tuna scatter:segmented:536870922)
large_in 13312 large "${cases[@]}"
fake 3 2 block delegate
! at_length || large_in 19456 large_delegate allreduce:nap

end_suite
