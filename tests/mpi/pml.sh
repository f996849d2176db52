#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Algorithms where another PML than ob1 matches, buffers and progresses their messages: one of
# each collective with UCX (PML ucx), a few with libfabric (PML cm, MTL ofi). The placement suits all. See harness.sh.
set -u

# shellcheck source=tests/mpi/harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

# has FRAMEWORK COMPONENT: whether this Open MPI has it; where not, a test is skipped for it.
has() {
    ! ompi_info --parsable 2>/dev/null | grep -q "^mca:$1:$2:" || return 0
    ! wanted "$2" || skip "$2" "this Open MPI has no $1 $2"
    return 1
}

one_of_each() {
    cat <<'END'
allreduce nap runs any
reduce smp runs any
barrier nap runs any
bcast lane runs any
scan nap runs any
exscan recursive_doubling runs any
allgather smp runs any
allgatherv lane_ring runs any
reduce_scatter locality runs any
reduce_scatter_block pairwise runs any
alltoall tuna runs any
alltoallv tuna_two_level runs any
alltoallw pairwise runs any
gather two_level runs any
gatherv linear runs any
scatter binomial runs any
scatterv two_level runs any
END
}

if has pml ucx; then
    fake 8 2 block exchange
    # By itself Open MPI takes UCX for some adapters only.
    launch=("${launch[@]/#^cm,ucx/ucx}")
    launch+=(--mca opal_common_ucx_tls any --mca opal_common_ucx_devices any --mca osc ^ucx)
    export UCX_TLS=tcp,self,sm
    each ucx 5000 < <(one_of_each)
fi

if has mtl ofi; then
    fake 8 2 block exchange
    launch=("${launch[@]/#^cm,ucx/cm}")
    launch=("${launch[@]/#^ofi,uct,openib/self}")
    launch+=(--mca mtl ofi --mca mtl_ofi_provider_include tcp --mca osc ^ucx)
    each ofi 5000 < <(one_of_each | grep -e nap -e lane -e tuna -e linear)
fi

end_suite
