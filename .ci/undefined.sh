#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Builds the component with the checker of undefined behaviour, and runs every algorithm of every collective on one
# placement, and some by delegate. Each error that the checker finds is printed once.

set -euo pipefail

usage() {
    cat <<'USAGE'
Usage: .ci/undefined.sh DIR

Builds the component in DIR, which is emptied, and runs it with the test programs of build/. Prints TAP.
USAGE
}
case ${1:-} in
    '' | --help | -h)
        usage
        [ -n "${1:-}" ] || exit 2
        exit 0
        ;;
esac

src=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
"$src/.ci/build.sh" "$1" component CFLAGS="-g -O1 -fsanitize=undefined" LDFLAGS=-fsanitize=undefined >&2
dir=$(cd "$1" && pwd -P)
shift
# shellcheck source=/dev/null
. "$dir/env.sh"
export NAPCOLL_MPI_TESTS=$src/build/tests/mpi
set +eu
if ! nm -D "$dir/components/mca_coll_napcoll.so" | grep __ubsan_handle >/dev/null; then
    echo "Bail out! the component was built without the checker"
    exit 1
fi
# shellcheck source=tests/mpi/harness.sh
. "$src/tests/mpi/harness.sh"
# A file for each process that finds something.
export UBSAN_OPTIONS=print_stacktrace=1:log_path=$scratch/found

# The results of every algorithm in one job, and in another some with all checks.
fake 8 2 block exchange
each undefined 5000 results < <(all_algorithms allreduce reduce barrier bcast scan exscan allgather allgatherv \
    reduce_scatter reduce_scatter_block gather gatherv scatter scatterv alltoall alltoallv alltoallw)
fake 6 3,2,1 cyclic delegate
each undefined_delegate 5000 <<'END_OF_CASES'
allreduce nap runs any
reduce smp runs any
bcast two_level runs
allgather smp runs
reduce_scatter locality runs any
alltoallw tuna runs
gatherv two_level runs
scatterv binomial runs
END_OF_CASES

found=$(cat "$scratch"/found.* 2>/dev/null | sed -n 's/.*runtime error:.*/# &/p' | sort -u)
[ -z "$found" ]
verdict $? 'no undefined behaviour is found'
[ -z "$found" ] || printf '%s\n' "$found"
end_suite
