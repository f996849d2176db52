#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# collbench compares what it is told to, on emulated nodes, and says what is wrong with its arguments. What
# it measures is not judged here.

set -euo pipefail

# shellcheck source=tests/build/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../build/tap.sh"
# shellcheck source=config/setup.sh
. "$src/config/setup.sh"

usage() {
    echo "Usage: tests/examples/collbench.sh"
    echo
    echo "Runs collbench of the build folder (NAPCOLL_BUILD, else build/) on netlab; prints TAP."
}
only_help "$@"

[ -x "$build/bin/collbench" ] || tap_skip_all "no build in $build"
# shellcheck source=/dev/null
. "$build/env.sh"
napcoll_mpirun_settings
netlab=$src/tests/netlab/netlab
"$netlab" --nodes 1 --ppn 1 -- true || tap_skip_all "netlab cannot run here"

# bench ARGUMENT...: 6 processes on 3 nodes.
bench() {
    "$netlab" --nodes 3 --ppn 2 --latency 100us -- timeout 60 \
        mpirun -np 6 --mca coll napcoll,tuned,han,basic,libnbc,inter,self \
        "$build/bin/collbench" --time-limit 4 --iterations 5 "$@"
}

every_contestant_has_its_row() {
    bench --coll allreduce --bytes 8:1K:x128 --contestants napcoll:nap,napcoll:smp,tuned,han \
        --csv "$work/table.csv" >"$work/table"
    cat "$work/table" "$work/table.csv"
    grep -E 'allreduce.* 6 processes on 3 nodes x 2' "$work/table"
    for bytes in 8 1024; do
        # What ran is read off napcoll's counters.
        grep -E "^ +$bytes  napcoll:nap .* nap\$" "$work/table"
        grep -E "^ +$bytes  napcoll:smp .* smp\$" "$work/table"
        for contestant in napcoll:nap napcoll:smp tuned han; do
            grep "^allreduce,3,2,$bytes,$contestant," "$work/table.csv"
        done
    done
}

other_collectives_are_measured() {
    bench --coll bcast --bytes 8 --contestants tuned,han
    bench --coll barrier --contestants tuned,han
}

# measured COLL...: collbench itself checks the results. With 8 bytes, some of the uneven blocks are empty.
measured() {
    local coll
    for coll; do
        bench --coll "$coll" --bytes 0,8,24,8K --contestants napcoll,tuned,han,basic --batch 2 --iterations 2 \
            --csv "$work/$coll.csv"
        [ "$(grep -c "^$coll,3,2," "$work/$coll.csv")" = 16 ]
    done
}

# tuned and han have no scan: Open MPI takes basic, and the table says so.
who_ran_is_named() {
    bench --coll scan --bytes 8 --contestants basic,tuned,han --iterations 1 --csv "$work/ran.csv" >"$work/table"
    cat "$work/table" "$work/ran.csv"
    grep -E '^ +8  basic .* basic$' "$work/table"
    for contestant in tuned han; do
        grep -E "^ +8  $contestant .* basic \(not $contestant\)\$" "$work/table"
        grep -E "^scan,3,2,8,$contestant,.*,\"basic \(not $contestant\)\"\$" "$work/ran.csv"
    done
    bench --coll allreduce --bytes 8 --contestants tuned,han --batch 1 --iterations 1 >"$work/table"
    grep -E '^ +8  han .* han$' "$work/table"
}

large_blocks_are_refused() {
    refuses '--bytes: blocks of 16777216 bytes from 6 processes are more than the 64 MiB that allgather' \
        bench --coll allgather --bytes 8,16M --contestants tuned
    refuses 'take at most 11184808' bench --coll reduce_scatter --bytes 11184816 --contestants tuned
}

tap_plan 8
tap every_contestant_has_its_row every_contestant_has_its_row
tap other_collectives_are_measured other_collectives_are_measured
tap reductions_are_measured measured reduce reduce_scatter reduce_scatter_block scan exscan
tap gatherings_are_measured measured allgather allgatherv
tap who_ran_is_named who_ran_is_named
tap large_blocks_are_refused large_blocks_are_refused
tap unknown_component_is_named refuses nosuch bench --bytes 8 --contestants napcoll,nosuch
tap unknown_algorithm_is_named refuses bogus bench --bytes 8 --contestants napcoll:bogus,tuned
tap_end
