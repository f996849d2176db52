#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Where the ranks are: every collective at once, algorithms on placements that they must not care about, what `auto`
# takes there, the order of switches, and the same bits on any nodes. See harness.sh.
set -u

# shellcheck source=tests/mpi/harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

# --- every collective, under the list of components that the README gives, and under Open MPI's own ---
for np in 1 6; do
    fake "$np" 3,2,1 block exchange
    case_of "all_collectives_$np" 60 "${launch[@]}" "$programs/all_collectives"
done
fake 13 5,5,1,4 cyclic delegate
case_of all_collectives_13_cyclic 60 "${launch[@]}" "$programs/all_collectives"
case_of all_collectives_default_list 60 "${one_node[@]}" -np 6 --mca coll_napcoll_fake_ppn 3,2,1 \
    "$programs/all_collectives"
emulated 3 2 cyclic 6 tree
case_of all_collectives_netlab 60 "${launch[@]}" "$programs/all_collectives"

# --- nodes of many sizes; the tests of plans have many more ---
fake 15 5,5,1,4 random:7 delegate
each 15_random_delegate 20000 results <<'END'
allreduce nap runs fallback:noncommutative
allreduce smp runs fallback:noncommutative
END
emulated 4 5,5,1,4 cyclic 15 delegate
each netlab_15_cyclic_delegate 20000 results <<<'allreduce nap runs any'

# --- and whatever auto takes ---
fake 1 1 block tree
each 1 5000 results <<<'allreduce auto none none'
fake 3 1 block exchange
each_auto 3x1 10000 fallback:ppn results
fake 7 3,2,1 block exchange
! at_length || each_auto 7_block 20000 runs results
fake 9 5,1,4 cyclic delegate
each_auto 9_cyclic 20000 runs
# One node is served where its processes share memory.
fake 3 3 block exchange
each one_node 1000 results <<<'allreduce auto runs runs'
launch+=(--mca coll_napcoll_node_memory false)
each one_node_without_node_memory 5000 results <<<'allreduce auto none none'
# A gather gains nothing on one node, even where napcoll serves that for the same bits.
launch+=(--mca coll_napcoll_reproducible true)
each one_node_reproducible 5000 results <<<'gather auto fallback:one_node'

# --- the order of the switches ---
cat >"$scratch/switches" <<'END'
# made-up nodes are called n0, n1, ...
SwitchName=s0 Nodes=n[0,2,4]
SwitchName=s1 Nodes=n[1,3,5]
SwitchName=top Switches=s[0-1]
END
fake 11 2,1 random:3 exchange
launch+=(--mca coll_napcoll_topology_file "$scratch/switches" --mca coll_napcoll_verify on)
each switches 20000 results <<'END'
bcast chain runs
bcast auto runs
END

# --- the same bits wherever the ranks are, where that is asked for ---
# same_bits NAME: under `launch`, the sums of all collectives have the same bits as in the first such
# case had.
same_bits() {
    wanted "$1" || return 0
    case_of "$1" 60 "${launch[@]}" --mca coll_napcoll_reproducible true "$programs/reproducible" \
        --expect runs
    grep '^# digest ' "$scratch/out" >"$scratch/digests" || return 0
    [ -e "$scratch/first_digests" ] || cp "$scratch/digests" "$scratch/first_digests"
    if diff "$scratch/first_digests" "$scratch/digests" >"$scratch/out"; then
        verdict 0 "$1: the same bits"
    else
        verdict 1 "$1: the same bits"
        show_output
    fi
}
fake 12 12 block exchange
same_bits reproducible_12_on_one_node
fake 12 3,2,1 cyclic tree
! at_length || same_bits reproducible_12_cyclic
fake 12 4,3,5 random:7 delegate
same_bits reproducible_12_random

end_suite
