#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Counts that differ on one rank, see counts.c and harness.sh.
set -u

# shellcheck source=tests/mpi/harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

# Two algorithms of each collective, by size.
cat >"$scratch/rules" <<'END'
bcast bytes=0..1000 -> binomial
bcast -> chain
reduce bytes=0..1000 -> nap
reduce -> binomial
allreduce bytes=0..1000 -> recursive_doubling
allreduce -> ring
gather bytes=0..1000 -> two_level
gather -> linear
allgather bytes=0..1000 -> bruck
allgather -> ring
END

# counts: the cases, in as many jobs as it takes where some of them do not come back.
counts() {
    local name=counts_that_differ try
    wanted "$name" || return 0
    fake 6 3,2,1 block exchange
    "$programs/counts" --begin --report "$scratch/report"
    for try in 1 2 3 4 5 6 7 8 9 10; do
        ! limited 60 "${launch[@]}" --mca coll_napcoll_rules_file "$scratch/rules" \
            "$programs/counts" --report "$scratch/report" || break
    done
    printf '# %d jobs\n' "$try"
    cp "$scratch/out" "$scratch/last"
    run_case "$name" 60 "$programs/counts" --judge --report "$scratch/report"
    [ "$failed" = 0 ] || sed 's/^/#   /' "$scratch/last"
}
counts

end_suite
