#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# examples/alltoall.sh writes what it promises, and says what is wrong with its arguments. What it measures is
# not judged here.

set -euo pipefail

# shellcheck source=tests/build/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../build/tap.sh"

usage() {
    echo "Usage: tests/examples/alltoall.sh"
    echo
    echo "Runs examples/alltoall.sh with short measurements on few nodes, with the build in build/; prints TAP."
}
only_help "$@"

[ "$build" -ef "$src/build" ] || tap_skip_all "examples/alltoall.sh uses $src/build only"
[ -x "$build/bin/collbench" ] || tap_skip_all "no build in $build"
NAPCOLL_BUILD=$build "$src/tests/netlab/netlab" --nodes 1 --ppn 1 -- true || tap_skip_all "netlab cannot run here"

alltoall() {
    timeout 120 "$src/examples/alltoall.sh" --time-limit 1 --shapes 3x2 --output "$work/results" "$@"
}

# measured NAME BYTES CONTESTANT...: the figures have a row of each, and the document the command, not where the
# script had its files.
measured() {
    local name=$1 bytes=$2 contestant
    shift 2
    for contestant; do
        grep "^alltoallv,3,2,$bytes,$contestant," "$work/results/$name.csv"
    done
    grep "^    netlab --nodes 3 --ppn 2 .* --csv $name.csv\$" "$work/results/alltoall.md"
}

all_contestants_are_measured() {
    local bytes
    alltoall --part sizes
    cat "$work/results/alltoall.md"
    for bytes in 8 64 512 4096 16384; do
        measured alltoall-3x2 "$bytes" napcoll napcoll:tuna napcoll:tuna_two_level napcoll:tuna_coalesced \
            napcoll:tuna_staggered tuned basic
    done
    [ "$(grep -c '^## ' "$work/results/alltoall.md")" = 1 ]
}

all_deals_are_measured() {
    local deal bytes
    alltoall --part deals
    cat "$work/results/alltoall.md"
    for deal in power hot zeros; do
        grep -xF "## Sizes by the deal \`$deal\`, 3x2" "$work/results/alltoall.md"
        for bytes in 64 1024; do
            measured "alltoall-$deal-3x2" "$bytes" napcoll napcoll:tuna napcoll:tuna_two_level napcoll:tuna_coalesced tuned basic
        done
    done
}

# Radix 8 and above act as radix 6.
radixes_stand_beside_that_of_the_model() {
    local bytes radix
    alltoall --part radix
    cat "$work/results/alltoall.md"
    for bytes in 8 512 4096; do
        measured alltoall-radix "$bytes" basic 'napcoll:tuna radix=2' 'napcoll:tuna radix=4'
    done
    [ "$(grep -vc '^#' "$work/results/alltoall-radix.csv")" = 10 ]
    # The command can be pasted.
    grep -F " --contestants 'basic,napcoll:tuna radix=2,napcoll:tuna radix=4' " "$work/results/alltoall.md"
    grep -E '^The model of netlab-near.conf takes radix [0-9]+ for 8 bytes, radix [0-9]+ for 512 bytes, radix [0-9]+ for 4096 bytes\.$' \
        "$work/results/alltoall.md"
    for radix in 2 4; do
        grep ">napcoll:tuna radix=$radix<" "$work/results/alltoall-radix.svg"
    done
    grep -F '](alltoall-radix.svg)' "$work/results/alltoall.md"
}

memory_is_told() {
    alltoall --part memory
    cat "$work/results/alltoall.md"
    [ "$(grep -c '^    napcoll-plan explain .* --nodes 3 --ppn 2 .* --machine netlab.conf$' "$work/results/alltoall.md")" = 2 ]
    [ "$(grep -c '^    Memory' "$work/results/alltoall.md")" = 2 ]
}

tap_plan 9
tap all_contestants_are_measured all_contestants_are_measured
tap all_deals_are_measured all_deals_are_measured
tap radixes_stand_beside_that_of_the_model radixes_stand_beside_that_of_the_model
tap memory_is_told memory_is_told
tap unknown_part_is_named refuses "not 'sizes,near'" alltoall --part sizes,near
tap bad_shape_is_named refuses "not '8x'" alltoall --shapes 8x
tap bad_time_limit_is_named refuses "not '0'" alltoall --time-limit 0
tap missing_folder_is_asked_for refuses "Usage: examples/alltoall.sh" alltoall --output
tap unknown_option_is_refused refuses "Usage: examples/alltoall.sh" alltoall --bytes 8
tap_end
