#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Every algorithm of every collective once more, with UCX for the messages (PML ucx), which matches, buffers and
# progresses them by itself. The placement suits all algorithms. See harness.sh.
set -u

# shellcheck source=tests/mpi/harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

if ! ompi_info --parsable 2>/dev/null | grep -q '^mca:pml:ucx:'; then
    echo '1..0 # SKIP this Open MPI has no PML ucx'
    exit 0
fi

# ucx: `launch` then uses UCX over what every machine has; by itself Open MPI takes it for some adapters only.
ucx() {
    launch=("${launch[@]/#^cm,ucx/ucx}")
    launch+=(--mca opal_common_ucx_tls any --mca opal_common_ucx_devices any --mca osc ^ucx)
    export UCX_TLS=tcp,self,sm UCX_WARN_UNUSED_ENV_VARS=n UCX_LOG_LEVEL=error
}

# algorithms COLLECTIVE...: lines for each(): all algorithms that these have.
algorithms() {
    local coll
    for coll in "$@"; do
        ompi_info --parsable --level 9 --param coll napcoll |
            sed -nE "s/^mca:coll:napcoll:param:coll_napcoll_(${coll})_algorithm:enumerator:value:[0-9]+:/\1 /p" |
            grep -v -e ' auto$' -e ' previous$' | sed 's/$/ runs any/'
    done
}

fake 8 2 block exchange
ucx
if at_length; then
    each 8_block 5000 < <(algorithms allreduce reduce barrier bcast scan exscan)
    each 8_block 5000 < <(algorithms allgather allgatherv reduce_scatter reduce_scatter_block gather gatherv scatter scatterv)
    each 8_block 5000 < <(algorithms alltoall alltoallv alltoallw)
else
    each 8_block 5000 <<'END_OF_CASES'
allreduce nap runs any
bcast lane runs any
allgather smp runs any
alltoallv tuna runs any
gatherv linear runs any
scatterv two_level runs any
END_OF_CASES
fi

end_suite
