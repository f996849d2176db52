#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# examples/results.sh writes what it promises, goes on where it was interrupted, and says what is wrong with
# its arguments. What it measures is not judged here.

set -euo pipefail

# shellcheck source=tests/build/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../build/tap.sh"

usage() {
    echo "Usage: tests/examples/results.sh"
    echo
    echo "Runs examples/results.sh with two short measurements, with the build in build/; prints TAP."
}
only_help "$@"

[ "$build" -ef "$src/build" ] || tap_skip_all "examples/results.sh uses $src/build only"
[ -x "$build/bin/collbench" ] || tap_skip_all "no build in $build"
NAPCOLL_BUILD=$build "$src/tests/netlab/netlab" --nodes 1 --ppn 1 -- true || tap_skip_all "netlab cannot run here"

results() {
    timeout 120 "$src/examples/results.sh" --time-limit 1 --output "$work/results" "$@"
}

run_writes_figures_picture_and_table() {
    local file
    results --coll scan,barrier --shape 2x2
    cat "$work/results/README.md"
    for file in scan-2x2 barrier-2x2; do
        grep . "$work/results/$file.csv"
        grep '<svg' "$work/results/$file.svg"
        head -n 1 "$work/results/$file.txt" | grep '^netlab --nodes 2 --ppn 2 .* collbench --coll '
        # The command is in the table as well.
        grep -xF "    $(head -n 1 "$work/results/$file.txt")" "$work/results/README.md"
    done
    grep -x '| bytes | 2x2 | napcoll ran | against |' "$work/results/README.md"
    for size in 0 8 2K 4M; do
        grep -E "^\\| $size \\| [0-9.]+\\*? \\| [^|]+ \\| [a-z]+ \\|\$" "$work/results/README.md"
    done
}

# A ratio compares napcoll with the better of the others: 1 / 0.8.
better_one_counts() {
    local file=$work/results/barrier-2x2.csv
    {
        grep '^coll,' "$file"
        echo 'barrier,2,2,0,napcoll,30,10.00,1.00,1.00,1.0000,"nap (3 of 4), smp (1 of 4)"'
        echo 'barrier,2,2,0,tuned,30,9.00,1.00,1.00,0.9000,"tuned"'
        echo 'barrier,2,2,0,han,30,8.00,1.00,1.00,0.8000,"tuned (not han)"'
    } >"$work/new.csv"
    mv "$work/new.csv" "$file"
    results --coll barrier --shape 2x2
    grep -xF '| 0 | 1.25 | nap (3 of 4), smp (1 of 4) | tuned |' "$work/results/README.md"
}

what_is_there_is_not_repeated() {
    results --coll scan,barrier --shape 2x2 2>"$work/err"
    cat "$work/err"
    grep 'scan-2x2 is there already' "$work/err"
    results --coll barrier --shape 2x2 --again 2>"$work/err"
    grep 'barrier-2x2, up to 1 s' "$work/err"
}

tap_plan 6
tap run_writes_figures_picture_and_table run_writes_figures_picture_and_table
tap better_one_counts better_one_counts
tap what_is_there_is_not_repeated what_is_there_is_not_repeated
tap unknown_collective_is_named refuses "not 'gather'" results --coll scan,gather
tap bad_shape_is_named refuses "not '8'" results --shape 8x8,8
tap bad_version_is_named refuses "not '3.0'" results --openmpi 3.0
tap_end
