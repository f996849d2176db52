#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# `napcoll-plan verify` as its users meet it: one placement, ranges, samples, mistakes.

set -euo pipefail

# shellcheck source=tests/build/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

usage() {
    cat <<'END_USAGE'
Usage: tests/build/verify.sh [--wide]

Runs napcoll-plan verify of the build folder (NAPCOLL_BUILD, else build/); prints TAP.

  --wide   instead, prove all allreduces on 2 to 600 nodes with 2 to 40 processes each; takes long
  --help   this text
END_USAGE
}

wide=no
if [ "${1:-}" = --wide ]; then
    wide=yes
    shift
fi
only_help "$@"

plan=$build/bin/napcoll-plan
[ -x "$plan" ] || tap_skip_all "no napcoll-plan in $build"

verify() {
    "$plan" verify "$@"
}

# proved ALGORITHM PLANS ARGUMENT...: verify finds so many plans right, and as many messages as show lists.
proved() {
    local algorithm=$1 plans=$2 messages
    shift 2
    messages=$("$plan" show --algorithm "$algorithm" "$@" | grep -c '^ *send ')
    verify --algorithm "$algorithm" "$@" >"$work/out"
    cat "$work/out"
    grep -qxF -e "allreduce $algorithm: ok; $plans plans, $messages messages" "$work/out"
}

every_algorithm_is_proved() {
    proved nap 40 --nodes 10 --local-radix 4
    proved smp 14 --ranks 14 --ppn 5,5,1,4 --map cyclic
    proved recursive_doubling 64 --nodes 8 --ppn 8
    proved nap 15 --ranks 15 --ppn 3,2,1 --provider delegate --map random:3
}

ranges_sweep_over_placements() {
    # 1 + 2 + 3 + 4 nodes of 1 + 2 + 3 + 4 processes; nap needs two
    verify --algorithm smp --nodes 1:4 --ppn 1:4 |
        grep '^allreduce smp: 16 placements proved, 0 broken, 0 not for smp; 100 plans, '
    verify --nodes 1:4 --ppn 1:4 |
        grep '^allreduce nap: 12 placements proved, 0 broken, 4 not for nap; 90 plans, '
    verify --nodes 3:9:+3 --ppn 2:8:x2 | grep '^allreduce nap: 9 placements proved'
    verify --nodes 1:9 --ppn 3,2,1 --map random:5 | grep '^allreduce nap: 9 placements proved, 0 broken, 0 '
}

threads_change_nothing() {
    verify --nodes 1:20 --ppn 1:5 --jobs 1 >"$work/one"
    verify --nodes 1:20 --ppn 1:5 --jobs 3 >"$work/three"
    cmp "$work/one" "$work/three"
}

# That there is a bar is for eyes; that there is none in files is for scripts.
bars_are_for_terminals() {
    verify --nodes 1:4 --ppn 1:4 >"$work/out" 2>"$work/err"
    [ ! -s "$work/err" ] && [ "$(wc -l <"$work/out")" = 1 ]
    script -qec "$plan verify --nodes 1:20 --ppn 1:4" /dev/null </dev/null | grep -q '\[##* *\]'
}

thirty_two_thousand_ranks_take_little() {
    (
        ulimit -v 2097152
        timeout 120 "$plan" verify --nodes 2048 --ppn 16 >"$work/out"
    )
    cat "$work/out"
    grep '^allreduce nap: ok; 32768 plans, ' "$work/out"
}

samples_rest_on_all_contributions() {
    (
        ulimit -v 2097152
        timeout 120 "$plan" verify --nodes 8192 --ppn 16 --sample 2 >"$work/out"
    )
    cat "$work/out"
    grep '^allreduce nap: ok; results of 2 ranks, which rest on 131072 plans, ' "$work/out"
}

# refused STATUS TEXT ARGUMENT...: exit status, TEXT in what is printed to standard error, and nothing else.
refused() {
    local status=$1 text=$2 rc=0
    shift 2
    verify "$@" >"$work/out" 2>"$work/err" || rc=$?
    cat "$work/err"
    [ "$rc" = "$status" ] && grep -qF -e "$text" "$work/err" && [ ! -s "$work/out" ]
}

mistakes_name_option_and_range() {
    refused 2 '--nodes 0: expected a number from 1 to 1048576' --nodes 0
    refused 2 '--nodes 5:2: expected' --nodes 5:2
    refused 2 '--nodes 1:5000: expected at most 1000 values' --nodes 1:5000
    refused 2 '--ppn 4:x: expected' --ppn 4:x
    refused 2 '--ppn 3;4: character 2' --ppn '3;4'
    refused 2 '--nodes and --ranks exclude each other' --nodes 2 --ranks 4
    refused 2 '--ranks 4: expected no range of --ppn' --ranks 4 --ppn 1:2
    refused 2 'expected at most 262144 ranks in all (--sample takes more)' --nodes 32768 --ppn 16
    refused 2 'expected at most 1048576 ranks in all' --nodes 131072 --ppn 16 --sample 1
    refused 2 '--sample 0: expected a number from 1' --sample 0
    refused 2 '--jobs 0: expected a number from 1' --jobs 0
    refused 2 '--machine: not an option of verify' --machine bluewaters.conf
    refused 2 '--map spiral: character 1' --map spiral
    refused 1 'nap cannot do this: no node has more than one process' --nodes 4 --ppn 1
    refused 1 'smp cannot do this: the operation does not commute' --algorithm smp --nodes 3 --map cyclic --ordered
}

wide_sweep() {
    verify --algorithm "$1" --nodes 2:600 --ppn 2:40 >"$work/out"
    cat "$work/out" >&2
    grep ' 23361 placements proved, 0 broken, 0 not for ' "$work/out"
}

if [ "$wide" = yes ]; then
    tap_plan 3
    for algorithm in nap smp recursive_doubling; do
        tap "plans_of_${algorithm}_on_up_to_600_nodes" wide_sweep "$algorithm"
    done
    tap_end
    exit
fi

tap_plan 7
tap every_algorithm_is_proved every_algorithm_is_proved
tap ranges_sweep_over_placements ranges_sweep_over_placements
tap threads_change_nothing threads_change_nothing
tap bars_are_for_terminals bars_are_for_terminals
tap thirty_two_thousand_ranks_take_little thirty_two_thousand_ranks_take_little
tap samples_rest_on_all_contributions samples_rest_on_all_contributions
tap mistakes_name_option_and_range mistakes_name_option_and_range
tap_end
