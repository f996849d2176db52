#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# What valgrind says of napcoll. See harness.sh.
set -u

# shellcheck source=tests/mpi/harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

# valgrind_of NAME COLL ALGORITHM: everything that a collective's program does, under valgrind.
valgrind_of() {
    local program
    if ! command -v valgrind >/dev/null; then
        wanted "$1" && skip "$1" "no valgrind"
        return 0
    fi
    program_of "$2"
    case_of "$1" 120 "${launch[@]}" valgrind --quiet --error-exitcode=9 --num-callers=40 --keep-debuginfo=yes \
        --leak-check=full --suppressions=/usr/share/openmpi/openmpi-valgrind.supp \
        --suppressions="$here/openmpi.supp" "$programs/${program[0]}" "${program[@]:1}" \
        --algorithm "$3" --expect "runs:$3" --large 1001
}
fake 4 3,1 block tree
! at_length || valgrind_of valgrind_nap_tree allreduce nap
fake 4 2 cyclic delegate
valgrind_of valgrind_nap_delegate allreduce nap
fake 4 2 block delegate
! at_length || valgrind_of valgrind_smp_delegate allreduce smp
# The others have plans of the same kinds, and run them alike.
fake 3 2 block exchange
for row in reduce:lane allgatherv:locality_bruck reduce_scatter:lane_ring scan:nap bcast:scatter_allgather; do
    at_length || break
    valgrind_of "valgrind_${row/:/_}" "${row%:*}" "${row#*:}"
done
fake 4 2 cyclic exchange
for row in alltoallv:tuna alltoallw:tuna_coalesced; do
    at_length || break
    valgrind_of "valgrind_${row/:/_}" "${row%:*}" "${row#*:}"
done
fake 3 2 block exchange
launch+=(--mca coll_napcoll_bcast_chain_segments 3)
! at_length || valgrind_of valgrind_bcast_chain_segments bcast chain

end_suite
