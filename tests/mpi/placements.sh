#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Whatever sits where: every collective at once, allreduce on placements that a node-aware algorithm must
# not care about, what `auto` takes there, the walk through switches, and the same bits on any nodes. See
# harness.sh.
set -u

# shellcheck source=tests/mpi/harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

# --- every collective, under the literal list ---
for np in 1 2 6; do
    fake "$np" 3,2,1 block exchange
    case_of "all_collectives_$np" 60 "${launch[@]}" "$programs/all_collectives"
done
fake 13 5,5,1,4 cyclic delegate
case_of all_collectives_13_cyclic 60 "${launch[@]}" "$programs/all_collectives"
case_of all_collectives_default_list 60 "${one_node[@]}" -np 6 --mca coll_napcoll_fake_ppn 3,2,1 \
    "$programs/all_collectives"
emulated 3 2 cyclic 6 tree
case_of all_collectives_netlab 60 "${launch[@]}" "$programs/all_collectives"

# --- placements that a node-aware algorithm must not care about ---
fake 6 3,2,1 block exchange
allreduce_at_length nap_6_block nap runs:nap runs:nap 100000 results
fake 15 5,5,1,4 random:7 delegate
allreduce nap_15_random_delegate nap runs:nap fallback:noncommutative
fake 15 5,5,1,4 block delegate
allreduce_at_length nap_15_block_delegate nap runs:nap runs:nap 100000 results
fake 5 1 block tree
allreduce_at_length nap_5x1_falls_back nap fallback:ppn fallback:ppn 100000 results

fake 6 3,2,1 cyclic exchange
allreduce_at_length smp_6_cyclic smp runs:smp fallback:noncommutative 100000 results
fake 15 5,5,1,4 block delegate
allreduce smp_15_block_delegate smp runs:smp runs:smp
fake 15 5,5,1,4 random:11 delegate
allreduce_at_length smp_15_random_delegate smp runs:smp fallback:noncommutative 100000 results

fake 7 3,2,1 cyclic tree
allreduce_at_length recursive_doubling_7_cyclic recursive_doubling runs:recursive_doubling \
    runs:recursive_doubling 100000 results
fake 13 5,5,1,4 block exchange
allreduce_at_length recursive_doubling_13_block recursive_doubling runs:recursive_doubling \
    runs:recursive_doubling 100000 results

fake 1 1 block tree
allreduce_auto auto_1 none
fake 2 1 block exchange
allreduce_auto auto_2x1 fallback:ppn
fake 3 3 block tree
allreduce_auto auto_3_on_one_node none
for np in 3 9; do
    fake "$np" 2,1 block exchange
    allreduce_auto_at_length "auto_${np}_block" runs 5000 results
done

# --- the same on nodes with a network between them ---
emulated 4 5,5,1,4 cyclic 15 delegate
allreduce netlab_nap_15_cyclic_delegate nap runs:nap any
emulated 10 2 block 20 exchange
allreduce_at_length netlab_nap_10x2_block nap runs:nap runs:nap 10000 results

# --- and whatever auto takes ---
fake 3 1 block exchange
each_auto 3x1 10000 fallback:ppn results
fake 7 3,2,1 block exchange
! at_length || each_auto 7_block 20000 runs results
fake 9 5,1,4 cyclic delegate
allreduce_auto auto_9_cyclic runs 20000
each_auto 9_cyclic 20000 runs

each 9_cyclic 20000 <<'END'
gather auto runs
scatter auto runs
END
# Nothing is added up: on one node there is nothing to gain, even where napcoll serves it for its bits.
fake 3 3 block exchange
launch+=(--mca coll_napcoll_reproducible true)
each 3_on_one_node 5000 <<'END'
gather auto fallback:one_node
END

# --- the walk through the switches ---
cat >"$scratch/switches" <<'END'
# made-up nodes are called n0, n1, ...
SwitchName=s0 Nodes=n[0,2,4]
SwitchName=s1 Nodes=n[1,3,5]
SwitchName=top Switches=s[0-1]
END
fake 11 2,1 random:3 exchange
launch+=(--mca coll_napcoll_topology_file "$scratch/switches" --mca coll_napcoll_verify on)
each switches 20000 <<'END'
bcast chain runs
bcast auto runs
END

# --- the same bits wherever the ranks are, where that is asked for ---
# same_bits NAME: under `launch`, the sums of all collectives have the bits that those of the first such
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
fake 12 1 block exchange
! at_length || same_bits reproducible_12x1
fake 12 5,5,1,4 block exchange
! at_length || same_bits reproducible_12_block
fake 12 3,2,1 cyclic tree
! at_length || same_bits reproducible_12_cyclic
fake 12 4,3,5 random:7 delegate
same_bits reproducible_12_random

end_suite
