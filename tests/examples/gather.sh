#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# examples/gather.sh writes what it promises, and says what is wrong with its arguments. What it measures is not
# judged here.

set -euo pipefail

# shellcheck source=tests/build/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../build/tap.sh"

usage() {
    echo "Usage: tests/examples/gather.sh"
    echo
    echo "Runs examples/gather.sh with short measurements, with the build in build/; prints TAP."
}
only_help "$@"

[ "$build" -ef "$src/build" ] || tap_skip_all "examples/gather.sh uses $src/build only"
[ -x "$build/bin/collbench" ] || tap_skip_all "no build in $build"
NAPCOLL_BUILD=$build "$src/tests/netlab/netlab" --nodes 1 --ppn 1 -- true || tap_skip_all "netlab cannot run here"

gather() {
    timeout 120 "$src/examples/gather.sh" --time-limit 1 --output "$work/results" "$@"
}

results=$work/results
table=$results/gather.md
ratio='[0-9]+\.[0-9]{2}'
times='[0-9]+\.[0-9] / [0-9]+\.[0-9]'

# Thresholds that were found are napcoll's parameters; one that is 0 is the paper's.
gather_is_drawn_and_compared() {
    local name who bytes worst
    mkdir -p "$results"
    printf 'coll_napcoll_gather_m1 = 2048\ncoll_napcoll_gather_m2 = 0\n' >"$results/gather-thresholds.conf"
    gather --part gather --bytes 1K,16K
    cat "$table"
    grep -F 'coll_napcoll_gather_m1=2048,' "$table"
    grep -F 'coll_napcoll_gather_m2=65536 and OMPI_MCA_coll_napcoll_scatter_s=65536.' "$table"
    for who in napcoll:linear tuned han napcoll:segmented napcoll:credit; do
        for bytes in 1024 16384; do
            grep -E "^gather,$who,$bytes,1,[0-9.]+\$" "$results/gather-samples.csv"
        done
        grep -F ">$who<" "$results/gather-sizes.svg"
    done
    grep -F 'measured on nodes that are emulated by netlab' "$results/gather-sizes.svg"
    grep -F '](gather-sizes.svg)' "$table"
    # The commands, and not where the script had its files.
    for name in sizes worst; do
        grep "^    netlab --nodes 16 .* --queue 32K .* --csv gather-$name.csv\$" "$table"
    done
    grep -E '^The switch dropped [0-9]+ packets in this run\.$' "$table"
    grep -E "^\\| 16384 \\| [1-9][0-9]* \\|( $times \\|){5}\$" "$table"
    # Outside of M1 to M2, and the size at which percentiles are farthest apart: of those with 20 turns, if there are any.
    grep -E "^\\| 1024 \\| [1-9][0-9]* \\|( $ratio \\|){4}\$" "$table"
    worst=$(awk -F, '$5 == "napcoll:linear" { print ($6 >= 20), $9 / $8, $4 }' "$results/gather-sizes.csv" |
        sort -s -k 1,1nr -k 2,2gr | awk 'NR == 1 { print $3 }')
    grep -E "^gather,16,1,$worst,napcoll:credit," "$results/gather-worst.csv"
    grep -E "^## The worst size of napcoll:linear, $((worst / 1024)) KB\$" "$table"
}

scatter_is_compared_from_s_on() {
    gather --part scatter --bytes 64K
    cat "$table"
    [ "$(sed -n '/^From S, 64 KB, on/,/^Below S/p' "$table" | grep -cE "^\\| 65536 \\|.*\\|( $ratio \\|){4}\$")" = 1 ]
    sed -n '/^Below S/,$p' "$table" | grep -x 'No such size was measured.'
    grep '^scatter,napcoll:credit,65536,1,' "$results/gather-scatter-samples.csv"
    grep '<svg' "$results/gather-scatter.svg"
}

two_levels_are_compared_with_the_better() {
    local coll
    gather --part near --bytes 8
    cat "$table"
    for coll in Gather Scatter; do
        grep -x "## MPI_$coll, 8x8" "$table"
    done
    [ "$(grep -cE "^\\| 8 \\| [1-9][0-9]* \\| $ratio \\| (tuned|han) \\|\$" "$table")" = 2 ]
    # Other parts are left out.
    [ "$(grep -c '^## ' "$table")" = 2 ]
}

tap_plan 6
tap gather_is_drawn_and_compared gather_is_drawn_and_compared
tap scatter_is_compared_from_s_on scatter_is_compared_from_s_on
tap two_levels_are_compared_with_the_better two_levels_are_compared_with_the_better
tap unknown_part_is_named refuses "not 'gather,far'" gather --part gather,far
tap missing_sizes_are_asked_for refuses "Usage: examples/gather.sh" gather --bytes
tap unknown_option_is_refused refuses "Usage: examples/gather.sh" gather --queue 8K
tap_end
