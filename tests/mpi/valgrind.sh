#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# What valgrind says of napcoll. See harness.sh.
set -u

# shellcheck source=tests/mpi/harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

if ! command -v valgrind >/dev/null; then
    skip valgrind "no valgrind"
    end_suite
    exit
fi

# under_valgrind: the same in `launch` for each process; what takes long is the start of the job, not the cases.
under_valgrind() {
    program_seconds=240
    launch+=(valgrind --quiet --error-exitcode=9 --num-callers=40 --keep-debuginfo=yes
        --leak-check=full --suppressions=/usr/share/openmpi/openmpi-valgrind.supp
        --suppressions="$here/openmpi.supp")
}
# Every reduction by every algorithm. What an operation of the user's writes behind the data of the last element stays
# inside napcoll's memory.
fake 4 2 block exchange
under_valgrind
case_of valgrind_padding "$program_seconds" "${launch[@]}" "$programs/buffers" padding
fake 4 2 block delegate
launch+=(--mca coll_napcoll_bcast_chain_segments 3)
under_valgrind
each valgrind_delegate 1001 < <(
    echo 'allreduce nap runs'
    ! at_length || cat <<'END'
barrier nap runs
allgatherv locality_bruck runs
reduce_scatter lane_ring runs
scan nap runs
bcast scatter_allgather runs
bcast chain runs
alltoallv tuna runs
alltoallw tuna_coalesced runs
alltoallv tuna_two_level runs
gather two_level runs
gatherv credit runs
scatter segmented runs
scatterv binomial runs
END
)

# Requests, most of which outlive the op, the type and the round that they were made with.
fake 6 3 block exchange
under_valgrind
case_of valgrind_requests "$program_seconds" env "$measured" "${launch[@]}" "$programs/random_requests" \
    --operations 160 --most 40

end_suite
