#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# examples/broadcast.sh writes what it promises, and says what is wrong with its arguments. What it measures is
# not judged here.

set -euo pipefail

# shellcheck source=tests/build/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../build/tap.sh"

usage() {
    echo "Usage: tests/examples/broadcast.sh"
    echo
    echo "Runs examples/broadcast.sh with short measurements, with the build in build/; prints TAP."
}
only_help "$@"

[ "$build" -ef "$src/build" ] || tap_skip_all "examples/broadcast.sh uses $src/build only"
[ -x "$build/bin/collbench" ] || tap_skip_all "no build in $build"
NAPCOLL_BUILD=$build "$src/tests/netlab/netlab" --nodes 1 --ppn 1 -- true || tap_skip_all "netlab cannot run here"

broadcast() {
    timeout 300 "$src/examples/broadcast.sh" --time-limit 1 --output "$work/results" "$@"
}

model_stands_beside_measurement() {
    local table=$work/results/broadcast.md name bytes algorithm which
    broadcast --part model
    cat "$table"
    for name in model large buffers; do
        grep '^bcast,8,1,[0-9]*,napcoll:chain,' "$work/results/broadcast-$name.csv"
        # The command, and not where the script had its files.
        grep "^    netlab --nodes 8 .* --csv broadcast-$name.csv\$" "$table"
    done
    for bytes in 8 64 512 4096 32768 262144 2097152 4194304; do
        for algorithm in flat binomial scatter_allgather chain; do
            grep -E "^\\| $bytes \\| $algorithm \\| [^|]+ \\|( [1-9][0-9]* \\|){4}\$" "$table"
        done
    done
    for which in 'measured' 'simulated' 'closed form'; do
        [ "$(grep -cE "^\\| [0-9]* ?\\| $which \\| [a-z_]+( [<=] [a-z_]+){3} \\|\$" "$table")" = 2 ]
    done
    # what napcoll-plan says, and two of its orders
    grep -E '^\| 4194304 \| flat \| - \| [0-9]+ \| [0-9]+ \| 1175405 \| 1181405 \|$' "$table"
    grep -xF '| | simulated | chain < scatter_allgather < binomial < flat |' "$table"
    grep -xF '| | closed form | binomial < flat = chain < scatter_allgather |' "$table"
    grep -E '^  link, and the largest, .* So 4 MB take [0-9]+ ms in place of [0-9]+ by$' "$table"
}

parts_that_are_not_asked_for_are_left_out() {
    broadcast --part far
    cat "$work/results/broadcast.md"
    grep '^bcast,8,8,8,tuned,' "$work/results/broadcast-far.csv"
    grep '^## 8 bytes between nodes' "$work/results/broadcast.md"
    [ "$(grep -c '^## ' "$work/results/broadcast.md")" = 1 ]
}

tap_plan 6
tap model_stands_beside_measurement model_stands_beside_measurement
tap parts_that_are_not_asked_for_are_left_out parts_that_are_not_asked_for_are_left_out
tap unknown_part_is_named refuses "not 'order,near'" broadcast --part order,near
tap bad_time_limit_is_named refuses "not '0'" broadcast --time-limit 0
tap missing_folder_is_asked_for refuses "Usage: examples/broadcast.sh" broadcast --output
tap unknown_option_is_refused refuses "Usage: examples/broadcast.sh" broadcast --bytes 8
tap_end
