#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Calls that wait for a process that is not in them: reports after coll_napcoll_stall_seconds or a signal name it, and
# napcoll-plan explain --stuck finds it in the log. See harness.sh.
#
#     tests/mpi/stall.sh [PATTERN]
#     tests/mpi/stall.sh --netlab N [SEED]    N random stalls on 8 emulated nodes of 8 processes
#
# No time is judged; the longest time in a report is printed. Where a process ends, the launchers end the job: a process
# that is stopped stands for one that has died.
set -u

many=0
seed=1
if [ "${1:-}" = --netlab ]; then
    many=${2:?--netlab N: expected a number of stalls}
    seed=${3:-1}
    set -- netlab_64
fi

# shellcheck source=tests/mpi/harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"
plan=${NAPCOLL_BUILD:-$source_dir/build}/bin/napcoll-plan

# found: explain --stuck finds the missing rank of each stall that the program tells of, by the communicator's name.
found() {
    local bad=0 number rank rest
    "$plan" explain --stuck "$scratch/stderr" >"$scratch/words" || return 1
    while read -r number rank rest; do
        sed -n "/^Communicator [0-9]* (stall $number,/,/^Communicator/{/^  Missing: rank $rank on /p}" "$scratch/words" |
            grep -q . || { printf '# stall %s: rank %s is not missing: %s\n' "$number" "$rank" "$rest" && bad=1; }
    done < <(sed -n 's/^# expect //p' "$scratch/stdout")
    [ "$bad" = 0 ]
}

# summary: how many stalls have other missing ranks beside the one, and the longest time in a report.
summary() {
    printf '# %s stalls, %s ranks missing, longest time in a report: %s s\n' \
        "$(grep -c '^# expect' "$scratch/stdout")" "$(grep -c '^  Missing: ' "$scratch/words")" \
        "$(sed -nE 's/.*coll:napcoll: stall: .*: ([0-9.]+) s in .*/\1/p' "$scratch/stderr" | sort -n | tail -n 1)"
}

# stalls NAME SECONDS PARAMETERS... -- OPTIONS...: the program `stalled` under `launch`.
stalls() {
    local name=$1 seconds=$2 parameters=()
    wanted "$name" || return 0
    shift 2
    while [ "$1" != -- ]; do
        parameters+=(--mca "coll_napcoll_$1" "$2")
        shift 2
    done
    shift
    run_case "$name" "$seconds" "${launch[@]}" "${parameters[@]}" "$programs/stalled" --log "$scratch/stderr" "$@"
    check "${name}_is_explained" found
    summary
}

if [ "$many" -gt 0 ]; then
    emulated 8 8 block 64 tree
    stalls netlab_64 $((300 + 20 * many)) stall_seconds 1 -- --stalls "$many" --seed "$seed"
    end_suite
fi

fake 9 4 block tree
stalls nodes_of_4 300 stall_seconds 1 -- --stalls 3
stalls by_a_signal 200 stall_signal SIGUSR2 -- --stalls 1 --signal --seed 2
if at_length; then
    fake 6 2 cyclic exchange
    stalls without_node_memory 200 stall_seconds 1 node_memory 0 -- --stalls 1 --seed 3
    emulated 3 2 block 6 tree
    stalls netlab_nodes 300 stall_seconds 1 -- --stalls 2 --seed 4
fi

end_suite
