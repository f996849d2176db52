#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Datatypes that the fallback component has faults with: by fallback, by delegate and by napcoll's own algorithms. See
# harness.sh and coll_napcoll_faults.h.
set -u

# shellcheck source=tests/mpi/harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

# all_fall_back: `launch` leaves every collective to the fallback component.
all_fall_back() {
    local coll
    for coll in allreduce reduce bcast allgather allgatherv reduce_scatter_block alltoall gather scatter; do
        launch+=(--mca "coll_napcoll_${coll}_algorithm" fallback)
    done
}

fake 16 4 block exchange
all_fall_back
# Blocks of up to 64 KB: of one size or the other tuned uses each of its algorithms for 16 ranks.
case_of fallback_16 120 "${launch[@]}" "$programs/odd_types" --expect fallback
# By 3 ranks its allreduce is a ring from 4 to 8 KB and from 16 KB on.
fake 3 2,1 block exchange
all_fall_back
case_of fallback_3 60 "${launch[@]}" "$programs/odd_types" --expect fallback allreduce
# From 32 ranks on its allgather has more algorithms than one, and chooses in place by a count that has no meaning.
fake 34 4 cyclic exchange
all_fall_back
case_of fallback_34 120 "${launch[@]}" "$programs/odd_types" --expect fallback --most 16 allgather_in_place
fake 6 3 block delegate
case_of delegate_nap 60 "${launch[@]}" --mca coll_napcoll_allreduce_algorithm nap "$programs/odd_types" \
    --expect runs:nap allreduce
fake 6 3,2,1 cyclic exchange
case_of auto_6 60 "${launch[@]}" "$programs/odd_types" --expect runs \
    allreduce bcast allgather allgatherv gather scatter

end_suite
