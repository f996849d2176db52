#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Every algorithm of every collective, and the parameters that shape it. See harness.sh.
set -u

# shellcheck source=tests/mpi/harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

# --- every algorithm, on nodes that are intervals of ranks and on such that are not ---
# One algorithm of each collective has all checks: the same engine runs all plans, and the plan tests prove
# these. The others have their results checked, and with other versions of Open MPI are left out.
one_of_each() {
    cat <<'END'
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
}
others() {
    cat <<'END'
allreduce ring runs fallback:noncommutative
allreduce lane runs fallback:noncommutative
reduce nap runs runs
reduce lane runs fallback:noncommutative
reduce gathered runs runs
allgather recursive_doubling fallback:power_of_two
allgather bruck runs
allgather locality_bruck runs
allgatherv ring runs
reduce_scatter recursive_halving fallback:power_of_two fallback:noncommutative
reduce_scatter_block smp runs fallback:noncommutative
reduce_scatter_block lane_ring runs fallback:noncommutative
scan gathered runs runs
exscan recursive_doubling runs runs
bcast two_level runs
bcast scatter_allgather runs
bcast nap runs
gather credit runs
scatter two_level runs
scatterv linear runs
END
}
fake 6 3,2,1 block exchange
each 6_block 100000 < <(one_of_each)
each_at_length 6_block_others 100000 results < <(others)
fake 10 5,1,4 cyclic tree
each_at_length 10_cyclic 20000 results <<'END'
allreduce tree runs runs
allreduce lane runs fallback:noncommutative
allreduce gathered runs runs
reduce binomial runs runs
reduce smp runs fallback:noncommutative
reduce rabenseifner runs runs
barrier dissemination runs
allgather ring runs
allgather lane_ring runs
allgatherv bruck runs
allgatherv smp runs
allgatherv locality_bruck runs
reduce_scatter lane_ring runs fallback:noncommutative
reduce_scatter pairwise runs runs
reduce_scatter_block locality runs fallback:noncommutative
scan recursive_doubling runs runs
scan nap fallback:placement fallback:placement
exscan gathered runs runs
bcast flat runs
bcast binary runs
bcast binomial runs
alltoall pairwise runs
alltoallv linear runs
alltoallv tuna_coalesced fallback:unequal_nodes
alltoallw tuna runs
gather linear runs
gather binomial runs
gather two_level runs
gather segmented runs
gatherv linear runs
gatherv two_level runs
scatter linear runs
scatter two_level runs
scatter segmented runs
scatterv binomial runs
scatterv two_level runs
END
fake 8 3,1,4 random:5 delegate
each_at_length 8_random 20000 results <<'END'
allreduce tree runs runs
allreduce gathered runs runs
reduce nap runs fallback:noncommutative
reduce gathered runs runs
barrier smp runs
allgather recursive_doubling runs
allgatherv recursive_doubling runs
reduce_scatter recursive_halving runs fallback:noncommutative
reduce_scatter locality runs fallback:noncommutative
reduce_scatter_block recursive_halving runs fallback:noncommutative
scan gathered runs runs
exscan nap fallback:placement fallback:placement
bcast scatter_allgather runs
bcast two_level runs
gatherv two_level runs
END
fake 3 1 block exchange
each_at_length 3x1 10000 results <<'END'
bcast chain runs
alltoallv tuna runs
alltoallv tuna_staggered fallback:ppn
bcast nap fallback:ppn
bcast lane fallback:ppn
reduce lane fallback:ppn fallback:ppn
allgather lane_ring fallback:ppn
reduce_scatter_block locality fallback:ppn fallback:ppn
scan nap fallback:ppn fallback:ppn
gather credit runs
gather two_level fallback:ppn
scatter auto runs
scatterv two_level fallback:ppn
END
emulated 4 3,3,1,2 cyclic 9 exchange
each netlab_9_cyclic 5000 <<'END'
reduce nap runs fallback:noncommutative
barrier nap runs
allgather locality_bruck runs
reduce_scatter_block lane_ring runs fallback:noncommutative
bcast nap runs
gather two_level runs
gatherv credit runs
END
emulated 4 2 block 8 tree
each_at_length netlab_8_block 5000 results <<'END'
alltoallv tuna_coalesced runs
alltoallw tuna_staggered runs
bcast lane runs
allgatherv lane_ring runs
reduce_scatter auto runs runs
scan nap runs runs
exscan auto runs runs
gather auto runs
scatterv two_level runs
END

# --- all-to-all on nodes of one size, with every radix, and a few messages at once ---
fake 9 3 random:5 exchange
each_at_length 9_random 20000 results <<'END'
alltoall tuna_coalesced runs
alltoallw tuna_two_level runs
alltoallv tuna_coalesced runs
alltoallw tuna_staggered runs
END
# Sizes of few blocks go along with them, and ahead where that is not allowed or users name the mean.
for radix in 2 3; do
    fake 9 3 cyclic exchange
    launch+=(--mca coll_napcoll_alltoallv_bounded_bytes $((radix == 2 ? 1000 : 10000000)))
    for coll in alltoall alltoallv; do
        launch+=(--mca "coll_napcoll_${coll}_tuna_radix" "$radix" --mca "coll_napcoll_${coll}_tuna_burst" 1
            --mca "coll_napcoll_${coll}_tuna_coalesced_radix" "$radix"
            --mca "coll_napcoll_${coll}_tuna_coalesced_block_count" 1
            --mca "coll_napcoll_${coll}_tuna_staggered_radix" "$radix"
            --mca "coll_napcoll_${coll}_tuna_staggered_block_count" 3
            --mca "coll_napcoll_${coll}_tuna_two_level_burst" 1)
    done
    each_at_length "9_radix_$radix" 20000 results <<'END'
alltoall tuna runs
alltoall tuna_staggered runs
alltoallv tuna runs
alltoallv tuna_coalesced runs
alltoallv tuna_staggered runs
END
    # On nodes enough for blocks that pass through others.
    fake 12 2 random:6 exchange
    launch+=(--mca coll_napcoll_alltoallv_bounded_bytes $((radix == 2 ? 1000 : 10000000)) --mca coll_napcoll_local_radix 3
        --mca coll_napcoll_alltoallv_tuna_two_level_radix 2 --mca coll_napcoll_alltoall_tuna_two_level_radix "$radix")
    each_at_length "12_radix_$radix" 20000 results <<'END'
alltoall tuna_two_level runs
alltoallv tuna_two_level runs
END
done
# How long they are relied on once they are agreed upon.
fake 9 3 random:4 exchange
launch+=(--mca coll_napcoll_alltoallv_tuna_radix 2)
case_of trust_in_sizes 60 "${launch[@]}" "$programs/collectives" \
    --case trust_alltoallv_tuna --coll alltoallv --algorithm tuna --expect runs:tuna --trust kept \
    --case trust_alltoallw_tuna_coalesced --coll alltoallw --algorithm tuna_coalesced --expect runs:tuna_coalesced \
    --trust kept \
    --case trust_alltoallv_tuna_two_level --coll alltoallv --algorithm tuna_two_level --expect runs:tuna_two_level \
    --trust kept \
    --case trust_alltoallv_tuna_staggered --coll alltoallv --algorithm tuna_staggered --expect runs:tuna_staggered \
    --trust none \
    --case trust_scatterv_two_level --coll scatterv --algorithm two_level --expect runs:two_level --trust kept \
    --case trust_scatterv_binomial --coll scatterv --algorithm binomial --expect runs:binomial --trust kept \
    --case trust_gatherv_two_level --coll gatherv --algorithm two_level --expect runs:two_level --trust kept \
    --case trust_gatherv_binomial --coll gatherv --algorithm binomial --expect runs:binomial --trust kept
launch+=(--mca coll_napcoll_alltoallv_trust 0)
case_of no_trust_in_sizes 60 "${launch[@]}" "$programs/collectives" \
    --case no_trust_alltoallv_tuna --coll alltoallv --algorithm tuna --expect runs:tuna --trust none \
    --case no_trust_scatterv_two_level --coll scatterv --algorithm two_level --expect runs:two_level --trust none \
    --case no_trust_gatherv_two_level --coll gatherv --algorithm two_level --expect runs:two_level --trust none
fake 7 1 block exchange
launch+=(--mca coll_napcoll_alltoall_linear_requests 2 --mca coll_napcoll_alltoall_tuna_radix 64)
each_at_length 7x1 20000 results <<'END'
alltoall auto runs
alltoall linear runs
alltoall tuna runs
END
fake 8 4 block exchange
each_at_length 8_block 20000 results <<'END'
alltoall auto runs
alltoallv auto fallback:sizes
alltoallw auto fallback:sizes
gather auto runs
gatherv auto fallback:sizes
scatter auto runs
scatterv auto fallback:sizes
END
# Nor to do so where blocks of any size had better go straight than to basic, which asks for large ones in turn.
fake 9 2 random:7 exchange
launch+=(--mca coll_napcoll_gather_m1 0 --mca coll_napcoll_gather_m2 0
    --mca coll_napcoll_machine_network_rendezvous_latency_us 100)
each_at_length 9_unsized 20000 results <<'END'
gatherv auto runs:linear
scatterv auto fallback:sizes
END
# Where messages are dear it pays to agree; few blocks, and those after, go straight: see uneven.c.
fake 12 4 block exchange
launch+=(--mca coll_napcoll_machine_node_gap_us 50)
each_at_length 12_block 5000 results <<'END'
alltoallv auto runs_or:sizes
END
fake 12 6 cyclic exchange
launch+=(--mca coll_napcoll_machine_node_gap_us 2000)
each_at_length 12_announced 5000 results <<'END'
gatherv auto runs_or:sizes
scatterv auto runs_or:sizes
END
# What users say of sizes need not be agreed on, and what could need too much memory is left.
fake 8 4 block exchange
launch+=(--mca coll_napcoll_alltoallv_mean_bytes 64 --mca coll_napcoll_alltoall_memory_bytes 1
    --mca coll_napcoll_alltoall_tuna_radix 2)
each_at_length 8_memory 20000 results <<'END'
alltoall tuna fallback:memory
gather two_level fallback:memory
scatter binomial fallback:memory
alltoallv tuna runs
alltoallw auto runs
END
fake 8 4 block exchange
launch+=(--mca coll_napcoll_alltoall_memory_bytes 1)
each_at_length 8_little_memory 20000 results <<'END'
alltoallv tuna_coalesced fallback:memory
alltoallv linear runs
gatherv binomial fallback:memory
scatterv two_level fallback:memory
gatherv linear runs
END
# Memory of more than a MiB comes from what calls before have left, of other communicators as well, and of another size.
fake 6 3 block exchange
launch+=(--mca coll_napcoll_kept_bytes 8388608 --mca coll_napcoll_alltoallv_tuna_radix 2)
each_at_length 6_kept 700000 results <<'END'
alltoallv tuna runs
alltoall tuna_coalesced runs
gather two_level runs
allreduce nap runs runs
END

# --- gathers and scatters whose ways change, and which come in pieces, at a few bytes ---
fake 7 3,2 cyclic exchange
launch+=(--mca coll_napcoll_gather_m1 64 --mca coll_napcoll_gather_m2 1024 --mca coll_napcoll_scatter_s 4096)
each_at_length 7_pieces 20000 <<'END'
gather auto runs
gatherv segmented runs
scatter auto runs
scatterv segmented runs
END

# --- long vectors go in several segments ---
fake 6 3,2,1 cyclic exchange
launch+=(--mca coll_napcoll_segment_bytes 4096)
each_at_length 6_segments 100000 <<'END'
allreduce lane runs fallback:noncommutative
allreduce ring runs fallback:noncommutative
reduce lane runs fallback:noncommutative
END

# As many as is said, and every way between nodes.
for between in flat binomial chain binary scatter_allgather; do
    fake 7 2,1 cyclic tree
    launch+=(--mca coll_napcoll_bcast_two_level_between "$between" --mca coll_napcoll_bcast_two_level_segments 7)
    each_at_length "7_segments_$between" 20000 results <<<'bcast two_level runs'
done
fake 10 5,1,4 cyclic tree
launch+=(--mca coll_napcoll_bcast_lane_between chain --mca coll_napcoll_bcast_lane_segments 3
    --mca coll_napcoll_bcast_chain_segments 1000 --mca coll_napcoll_bcast_nap_k_ports 2
    --mca coll_napcoll_bcast_scatter_allgather_allgather doubling)
each_at_length 10_segments 20000 results <<'END'
bcast lane runs
bcast chain runs
bcast nap runs
bcast scatter_allgather runs
END

end_suite
