#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Neighbourhood collectives, see neighbors.c and harness.sh. libnbc mixes up several edges between two processes: calls
# that may fall back are tested on graphs without these.
set -u

# shellcheck source=tests/mpi/harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

# by ALGORITHM: `launch` asks for it, for all five.
by() {
    local coll
    for coll in allgather allgatherv alltoall alltoallv alltoallw; do
        launch+=(--mca "coll_napcoll_neighbor_${coll}_algorithm" "$1")
    done
}

fake 4 2 block exchange
by coalesced
case_of coalesced 180 "${launch[@]}" "$programs/neighbors" --expect runs:coalesced --graph 3

fake 5 2,1 random:3 exchange
by coalesced
case_of unequal_nodes 180 "${launch[@]}" --mca coll_napcoll_inline_bytes 256 "$programs/neighbors" --expect runs:coalesced --graph 6

fake 4 2 cyclic exchange
by direct
case_of direct 180 "${launch[@]}" "$programs/neighbors" --expect runs:direct --graph 5

fake 4 3,1 block exchange
case_of auto 180 "${launch[@]}" --mca coll_napcoll_verify on "$programs/neighbors" --expect any --graph 4

# Without words auto learns; rank 1 of a random graph has no edges.
fake 12 4 block exchange
case_of learns_sizes 180 "${launch[@]}" "$programs/neighbors" --expect runs:direct --learn runs:coalesced --graph 6

# What users name stays.
fake 4 2 block exchange
by coalesced
case_of learns_nothing 180 "${launch[@]}" "$programs/neighbors" --expect runs:coalesced --learn runs:coalesced --graph 4

end_suite
