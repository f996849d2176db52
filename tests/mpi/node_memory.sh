#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Messages inside nodes through memory that their processes share: when they go there, that all arrive, and where
# there is none or not enough. See harness.sh.
set -u

# shellcheck source=tests/mpi/harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

memory() { # NAME PARAMETERS... -- OPTIONS...: the program node_memory under `launch`
    local name=$1 parameters=()
    shift
    while [ "$1" != -- ]; do
        parameters+=(--mca "coll_napcoll_$1" "$2")
        shift 2
    done
    shift
    case_of "$name" "$program_seconds" "${launch[@]}" "${parameters[@]}" "$programs/node_memory" "$@"
}

fake 8 4 block tree
memory nodes_of_4 -- --expect used
memory after_5_calls node_memory_calls 5 -- --expect used --calls 5
memory switched_off node_memory false -- --expect unused
fake 7 3,2,1 cyclic exchange
memory a_node_of_one -- --expect some
fake 3 3 block exchange
memory one_node -- --expect used

fake 5 4,1 block exchange
memory sizes_that_differ_beside_another_node bcast_algorithm flat -- --mismatch 4

# --- too little ---
fake 6 3 block exchange
memory many_communicators node_memory_bytes 4000000 -- --expect used --communicators 100 --limit 4000000
memory limit_is_too_small_for_large_rings node_memory_bytes 2000000 -- --expect used --large none --limit 2000000
memory limit_is_too_small node_memory_bytes 1000 -- --expect unused --limit 1000
# Each node decides alone.
cat >"$scratch/little_on_node_0" <<'END'
#!/bin/sh
[ "$OMPI_COMM_WORLD_RANK" -ge 3 ] || export OMPI_MCA_coll_napcoll_node_memory_bytes=1000
exec "$@"
END
chmod +x "$scratch/little_on_node_0"
fake 6 3 block exchange
case_of another_node_has_it "$program_seconds" "${launch[@]}" "$scratch/little_on_node_0" "$programs/node_memory" \
    --expect some
# netlab's nodes have folders of their own for it.
emulated 2 3 block 6 tree
case_of netlab_nodes "$program_seconds" "${launch[@]}" "$programs/node_memory" --expect used

end_suite
