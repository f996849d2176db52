#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Nonblocking and persistent collectives: what MPI promises of their requests, and random operations of all kinds
# under way at once. By hand, for long: tests/mpi/requests.sh with NAPCOLL_OPERATIONS=10000. See harness.sh.
set -u

# shellcheck source=tests/mpi/harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

export "${measured?}"

# --- one property after the other ---
fake 6 3,2,1 block exchange
case_of requests 120 "${launch[@]}" "$programs/requests"
case_of requests_forced 60 "${launch[@]}" --mca coll_napcoll_exscan_algorithm fallback "$programs/requests" --forced exscan

# --- random operations, on nodes of many sizes ---
operations=600
! at_length || operations=2000
operations=${NAPCOLL_OPERATIONS:-$operations}
# random_on PLACEMENT SEED: under `launch`.
random_on() {
    case_of "random_$1" $((program_seconds + operations / 20)) "${launch[@]}" "$programs/random_requests" \
        --operations "$operations" --seed "$2"
}
fake 8 4 block exchange
random_on block 1
fake 8 2 cyclic tree
random_on cyclic 2
fake 9 3,2 random:5 exchange
random_on random 3
fake 9 5,1,3 block tree
random_on uneven 4

end_suite
