#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Processes that die, and communicators that are revoked, in the midst of every collective (see ulfm.c). Open MPI 4.1
# has nothing for it. See harness.sh.
set -u

# shellcheck source=tests/mpi/harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

reason=$("$programs/ulfm" --probe) || {
    printf '1..0 # SKIP %s\n' "$reason"
    exit 0
}
# Algorithms with phases inside nodes, and with several messages under way at a time.
for setting in allreduce:smp reduce:smp barrier:smp allgather:smp allgatherv:lane_ring reduce_scatter:smp \
    reduce_scatter_block:pairwise scan:nap exscan:nap bcast:two_level alltoall:linear alltoallv:tuna alltoallw:pairwise \
    gather:linear gatherv:two_level scatter:linear scatterv:two_level; do
    export "OMPI_MCA_coll_napcoll_${setting%:*}_algorithm=${setting#*:}"
done

# interrupted NAME NP PHASES OPTION...: the cases of one job, and their table.
interrupted() {
    local name=$1
    wanted "$name" || return 0
    fake "$2" 2 block "$3"
    [ "$transport" = any ] || launch=("${launch[@]/#^ofi,uct,openib/$transport}")
    run_case "$name" 90 "${launch[@]}" --with-ft ulfm "$programs/ulfm" "${@:4}"
    sed -n 's/^# |/#/p' "$scratch/out"
}

transport=any
interrupted revoke_small 6 tree --how revoke
interrupted revoke_small_delegate 6 delegate --how revoke --only allreduce --rounds 3
interrupted kill_small 20 tree --how kill
# MPI_Wait returns the errors.
interrupted revoke_small_nonblocking 6 tree --how revoke --mode nonblocking
interrupted revoke_small_persistent 6 tree --how revoke --mode persistent
interrupted kill_small_nonblocking 20 tree --how kill --mode nonblocking
interrupted kill_small_persistent 8 tree --how kill --mode persistent --only allreduce --rounds 4
interrupted kill_large 20 tree --how kill --count 8192
OMPI_MCA_coll_napcoll_allreduce_algorithm=nap \
    interrupted kill_small_delegate 8 delegate --how kill --only allreduce --rounds 4
interrupted kill_large_delegate 8 delegate --how kill --only allreduce --rounds 4 --count 32768
# Over TCP large messages take long enough to be under way.
transport=self,tcp
interrupted revoke_large 6 tree --how revoke --count 32768 --rounds 2
interrupted revoke_large_delegate 6 delegate --how revoke --only allreduce --rounds 4 --count 32768

# The summary of the job waits for no process that has died.
transport=any
OMPI_MCA_coll_napcoll_summary=job interrupted summary_of_the_living 7 tree --how finalize
! wanted summary_of_the_living ||
    check summary_says_how_many_are_in_it lines 1 'summary of the job, [1-6] of 7 processes: allreduce 0-8 '

end_suite
