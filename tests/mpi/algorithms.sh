#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Every algorithm of every collective, and the parameters that shape it. See harness.sh.
set -u

# shellcheck source=tests/mpi/harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

# --- every algorithm ---
# One algorithm of each collective has all checks: the same engine runs all plans, and the plan tests prove these for
# all placements. With other versions of Open MPI the other algorithms are left out.
fake 6 3,2,1 block exchange
each 6_block 20000 <<'END'
allreduce rabenseifner runs runs
reduce smp runs runs
barrier nap runs
allgather smp runs
allgatherv lane_ring runs
reduce_scatter locality runs fallback:noncommutative
reduce_scatter_block pairwise runs runs
scan nap runs runs
exscan nap runs runs
bcast lane runs
alltoall tuna runs
alltoallv tuna runs
alltoallw pairwise runs
gather two_level runs
gatherv binomial runs
scatter binomial runs
scatterv two_level runs
END
# The others have their results checked, on nodes that suit all of them.
fake 8 2 block exchange
each_at_length 8_block 20000 results < <(all_algorithms allreduce reduce barrier bcast scan exscan allgather allgatherv \
    reduce_scatter reduce_scatter_block gather gatherv scatter scatterv alltoall alltoallv alltoallw)
# Where the blocks of a node do not lie side by side: what packs them, and what falls back.
fake 10 5,1,4 cyclic tree
each_at_length 10_cyclic 20000 results <<'END'
allreduce lane runs fallback:noncommutative
allreduce bine runs fallback:noncommutative
reduce rabenseifner runs runs
reduce bine runs fallback:noncommutative
allgather lane_ring runs
allgather recursive_doubling fallback:power_of_two
allgather bine fallback:power_of_two
allgatherv locality_bruck runs
reduce_scatter recursive_halving fallback:power_of_two fallback:noncommutative
reduce_scatter_block locality runs fallback:noncommutative
scan nap fallback:placement fallback:placement
exscan gathered runs runs
bcast two_level runs
bcast bine runs
alltoallv linear runs
alltoall tuna_two_level runs
alltoallv tuna_coalesced runs
alltoallv tuna_two_level runs
alltoallv multi_leader runs
alltoallw tuna_staggered runs
alltoallw tuna runs
gather two_level runs
gatherv two_level runs
gatherv bine runs
scatter bine runs
scatter segmented runs
scatterv two_level runs
END
fake 8 3,1,4 random:5 delegate
each_at_length 8_random 20000 results <<'END'
allreduce nap runs fallback:noncommutative
reduce nap runs fallback:noncommutative
barrier smp runs
allgather smp runs
bcast two_level runs
gatherv two_level runs
END
fake 3 1 block exchange
each_at_length 3x1 10000 results <<'END'
allreduce nap fallback:ppn fallback:ppn
alltoallv tuna runs
alltoallv tuna_staggered fallback:ppn
bcast nap fallback:ppn
reduce lane fallback:ppn fallback:ppn
allgather lane_ring fallback:ppn
reduce_scatter_block locality fallback:ppn fallback:ppn
scan nap fallback:ppn fallback:ppn
gather two_level fallback:ppn
scatterv two_level fallback:ppn
END
# With a network between the nodes: messages of other processes overtake the slow ones'.
emulated 4 3,3,1,2 cyclic 9 exchange
each netlab_9_cyclic 5000 results <<'END'
reduce nap runs fallback:noncommutative
barrier nap runs
allgather locality_bruck runs
reduce_scatter_block lane_ring runs fallback:noncommutative
bcast nap runs
alltoallw tuna runs
gather two_level runs
gatherv credit runs
scatterv binomial runs
END

# --- all-to-alls with other radixes, and a few messages at once ---
# Blocks of one number go through the rounds, larger ones straight; or all go through the rounds.
for radix in 2 3; do
    fake 9 3 random:5 exchange
    launch+=(--mca coll_napcoll_inline_bytes $((radix == 2 ? 8 : 10000000))
        --mca coll_napcoll_local_radix 3)
    for coll in alltoall alltoallv; do
        launch+=(--mca "coll_napcoll_${coll}_tuna_radix" "$radix" --mca "coll_napcoll_${coll}_tuna_burst" 1
            --mca "coll_napcoll_${coll}_tuna_coalesced_radix" "$radix"
            --mca "coll_napcoll_${coll}_tuna_coalesced_block_count" 1
            --mca "coll_napcoll_${coll}_tuna_staggered_radix" "$radix"
            --mca "coll_napcoll_${coll}_tuna_staggered_block_count" 3
            --mca "coll_napcoll_${coll}_tuna_two_level_radix" "$radix"
            --mca "coll_napcoll_${coll}_tuna_two_level_burst" 1
            --mca "coll_napcoll_${coll}_multi_leader_leaders" $((radix - 1))
            --mca "coll_napcoll_${coll}_multi_leader_block_count" 1)
    done
    each_at_length "9_radix_$radix" 20000 results <<'END'
alltoall tuna runs
alltoall tuna_staggered runs
alltoall tuna_two_level runs
alltoallv tuna runs
alltoallv tuna_coalesced runs
alltoallv tuna_staggered runs
alltoallv tuna_two_level runs
alltoallv multi_leader runs
END
done
# Sizes change from call to call; those above 100 bytes go straight.
fake 9 3 random:4 exchange
launch+=(--mca coll_napcoll_inline_bytes 100 --mca coll_napcoll_alltoallv_tuna_radix 2)
cases=()
for case in alltoallv.tuna alltoallw.tuna_coalesced alltoallv.tuna_two_level alltoallv.tuna_staggered \
    alltoallv.multi_leader \
    alltoallv.linear scatterv.two_level scatterv.binomial gatherv.two_level gatherv.binomial; do
    cases+=(--case "changes_$case" --coll "${case%.*}" --algorithm "${case#*.}" --expect "runs:${case#*.}" --changes yes)
done
case_of changes_of_sizes 60 "${launch[@]}" "$programs/collectives" "${cases[@]}"

# --- what auto does with blocks ---
fake 7 1 block exchange
launch+=(--mca coll_napcoll_alltoall_linear_requests 2 --mca coll_napcoll_alltoall_tuna_radix 64)
each_at_length 7x1 20000 results <<'END'
alltoall auto runs
alltoall linear runs
alltoall tuna runs
scatter auto runs
gather credit runs
END
fake 8 4 block exchange
each_at_length 8_auto 5000 results <<'END'
alltoall auto runs
alltoallv auto runs
alltoallw auto runs
gather auto runs
gatherv auto runs
scatter auto runs
scatterv auto runs
END
# What needs too much memory falls back; of blocks with sizes of their own, those that do go straight.
fake 8 4 block exchange
launch+=(--mca coll_napcoll_alltoall_memory_bytes 1 --mca coll_napcoll_alltoall_tuna_radix 2)
each_at_length 8_memory 5000 results <<'END'
alltoall tuna fallback:memory
gather two_level fallback:memory
scatter binomial fallback:memory
alltoallv tuna_coalesced runs
alltoallv linear runs
gatherv binomial runs
scatterv two_level runs
END
# Memory of more than a MiB comes from what earlier calls have left, of other communicators and other sizes as well.
fake 6 3 block exchange
launch+=(--mca coll_napcoll_kept_bytes 8388608 --mca coll_napcoll_alltoallv_tuna_radix 2)
each_at_length 6_kept 400000 results <<'END'
alltoallv tuna runs
gather two_level runs
allreduce nap runs runs
END

# --- gathers and scatters in pieces, and long vectors in several segments, at a few bytes ---
fake 7 3,2 cyclic exchange
launch+=(--mca coll_napcoll_gather_m1 64 --mca coll_napcoll_gather_m2 1024 --mca coll_napcoll_scatter_s 4096
    --mca coll_napcoll_segment_bytes 4096)
each_at_length 7_pieces 20000 results <<'END'
gather auto runs
gatherv segmented runs
scatter auto runs
scatterv segmented runs
allreduce lane runs fallback:noncommutative
allreduce ring runs fallback:noncommutative
reduce lane runs fallback:noncommutative
END
fake 10 5,1,4 cyclic tree
launch+=(--mca coll_napcoll_bcast_lane_between chain --mca coll_napcoll_bcast_lane_segments 3
    --mca coll_napcoll_bcast_two_level_between binary --mca coll_napcoll_bcast_two_level_segments 7
    --mca coll_napcoll_bcast_chain_segments 1000 --mca coll_napcoll_bcast_nap_k_ports 2
    --mca coll_napcoll_bcast_scatter_allgather_allgather doubling
    --mca coll_napcoll_bcast_circulant_segments 4 --mca coll_napcoll_bcast_lane_circulant_segments 3
    --mca coll_napcoll_reduce_circulant_segments 5 --mca coll_napcoll_reduce_lane_circulant_segments 6)
each_at_length 10_segments 20000 results <<'END'
bcast lane runs
bcast two_level runs
bcast chain runs
bcast nap runs
bcast scatter_allgather runs
bcast circulant runs
bcast lane_circulant runs
reduce circulant runs fallback:noncommutative
reduce lane_circulant runs fallback:noncommutative
allreduce circulant runs fallback:noncommutative
reduce_scatter circulant runs fallback:noncommutative
END

# --- k-nomial trees between nodes: two levels of them on five nodes ---
fake 10 2 cyclic exchange
launch+=(--mca coll_napcoll_bcast_lane_between knomial --mca coll_napcoll_bcast_two_level_between knomial)
each_at_length 10_knomial 20000 results <<'END'
bcast lane runs
bcast two_level runs
END

end_suite
