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
brief=${NAPCOLL_BRIEF:-no}
"$netlab" --nodes 1 --ppn 1 -- true || tap_skip_all "netlab cannot run here"

# bench ARGUMENT...: 6 processes on 3 nodes. It takes seconds; on a machine that has little time for it, minutes.
bench() {
    "$netlab" --nodes 3 --ppn 2 --latency 100us -- timeout 240 \
        mpirun -np 6 --mca coll napcoll,tuned,han,basic,libnbc,inter,self \
        "$build/bin/collbench" --time-limit 4 --iterations 5 "$@"
}

# argue ARGUMENT...: two processes, which are to say what is wrong with these.
argue() {
    "$netlab" --nodes 1 --ppn 2 -- timeout 240 mpirun -np 2 --mca coll napcoll,tuned,han,basic,libnbc,inter,self \
        "$build/bin/collbench" "$@"
}

every_contestant_has_its_row() {
    bench --coll allreduce --bytes 8:1K:x128 \
        --contestants 'napcoll:nap,napcoll:smp,tuned,han,napcoll:nap local_radix=3' \
        --csv "$work/table.csv" >"$work/table"
    cat "$work/table" "$work/table.csv"
    grep -E 'allreduce.* 6 processes on 3 nodes x 2' "$work/table"
    for bytes in 8 1024; do
        # What ran is read off napcoll's counters.
        grep -E "^ +$bytes  napcoll:nap .* nap\$" "$work/table"
        grep -E "^ +$bytes  napcoll:smp .* smp\$" "$work/table"
        grep -E "^ +$bytes  napcoll:nap local_radix=3 .* nap\$" "$work/table"
        for contestant in napcoll:nap napcoll:smp tuned han 'napcoll:nap local_radix=3'; do
            grep "^allreduce,3,2,$bytes,$contestant," "$work/table.csv"
        done
    done
}

other_collectives_are_measured() {
    bench --coll bcast --bytes 8 --contestants tuned,han
    bench --coll barrier --contestants tuned,han
}

# measured COLL...: collbench itself checks the results. With 8 bytes, some of the uneven blocks are empty. In the brief
# suite (run.sh --brief) the first stands for all.
measured() {
    local coll
    [ "$brief" = no ] || set -- "$1"
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

# What `measured` leaves out: it takes the first deal.
uneven_gathers_are_dealt() {
    local case
    for case in 'gatherv power' 'gatherv hot' 'scatterv zeros'; do
        bench --coll "${case% *}" --deal "${case#* }" --bytes 8,8K --contestants tuned,basic --iterations 1
    done
}

# Every sample has its line and its dot.
every_sample_is_written() {
    local contestant turn
    bench --coll gather --bytes 8,1K --contestants tuned,basic --iterations 3 --time-limit 20 \
        --samples "$work/samples.csv" --dots "$work/dots.svg" --csv "$work/medians.csv"
    cat "$work/samples.csv" "$work/medians.csv"
    [ "$(head -n 1 "$work/samples.csv")" = coll,contestant,bytes,turn,us ]
    [ "$(grep -cE '^gather,(tuned|basic),(8|1024),[123],[0-9]+\.[0-9]{2}$' "$work/samples.csv")" = 12 ]
    for contestant in tuned basic; do
        for turn in 1 2 3; do
            grep "^gather,$contestant,1024,$turn," "$work/samples.csv"
        done
        # The median of three is one of them.
        grep -F "$(awk -F, -v who="$contestant" '$4 == 8 && $5 == who { print $7 }' "$work/medians.csv")" \
            <(grep "^gather,$contestant,8," "$work/samples.csv")
        grep -F ">$contestant<" "$work/dots.svg"
    done
    grep -F 'gather, 3 nodes x 2 processes, every sample' "$work/dots.svg"
    [ "$(grep -c "<use xlink:href='#gpPt[0-9]*' transform=" "$work/dots.svg")" = 12 ]
}

# A ring takes six times 20 ms, whatever else runs, and so is looked at in one call; smp takes 20 ms once, of which a sample
# of 90 ms has five, or less where a call takes longer.
slow_contestants_are_dropped() {
    "$netlab" --nodes 3 --ppn 2 --latency 20ms -- timeout 240 \
        mpirun -np 6 --mca coll napcoll,tuned,han,basic,libnbc,inter,self "$build/bin/collbench" --coll allreduce \
        --bytes 8 --contestants napcoll:smp,napcoll:ring --drop 2 --iterations 4 --sample-time 0.09 >"$work/dropped"
    cat "$work/dropped"
    grep -E '^ +8  napcoll:smp +4 +[1-5] .* smp$' "$work/dropped"
    grep -E '^ +8  napcoll:ring +1 +1 .* ring$' "$work/dropped"
    awk '/^ +8  napcoll:smp/ { first = $5 } /^ +8  napcoll:ring/ { exit !($8 > 0.99 * $5 / first && $8 < 1.01 * $5 / first) }' \
        "$work/dropped"
    refuses '--drop 1: expected a factor above 1' argue --bytes 8 --contestants tuned --drop 1
    refuses '--sample-time 0: expected seconds above 0' argue --bytes 8 --contestants tuned --sample-time 0
}

# In a millisecond nobody takes three turns.
turns_are_taken_whatever_the_time() {
    bench --bytes 8 --contestants napcoll,tuned --time-limit 0.001 --min-iterations 3 --iterations 9 >"$work/few"
    cat "$work/few"
    [ "$(grep -cE '^ +8  (napcoll|tuned) +3 ' "$work/few")" = 2 ]
    refuses '--min-iterations 0: expected a whole number from 1' argue --bytes 8 --contestants tuned --min-iterations 0
}

# Two turns of each size, then the third; all of them are in the table. A turn that was begun too late does not count, and
# leaves the number as it was. Some versions of mpirun have standard error in the standard output.
sizes_take_turns_in_rounds() {
    bench --bytes 8,64 --contestants napcoll,tuned --iterations 3 --min-iterations 3 --rounds 2 --progress 2>&1 |
        tr '\r' '\n' >"$work/rounds"
    cat "$work/rounds"
    [ "$(grep -cE '^ +(8|64)  (napcoll|tuned) +3 ' "$work/rounds")" = 4 ]
    sed -nE 's/^allreduce ([0-9]+) bytes: turn ([0-9]+) of 3,.*/\1 \2/p' "$work/rounds" |
        awk '$2 > turn[$1] { turn[$1] = $2; print }' >"$work/order"
    diff - "$work/order" <<<$'8 1\n8 2\n64 1\n64 2\n8 3\n64 3'
    refuses '--rounds 0: expected a whole number from 1' argue --bytes 8 --contestants tuned --rounds 0
}

# Calls of which one takes a second are followed by a sample of 1000 that take none: nobody sleeps for 1000 seconds.
stalls_are_not_slept_again() {
    "$netlab" --nodes 1 --ppn 2 -- timeout 240 \
        mpirun -np 2 -x LD_PRELOAD="$build/tests/mpi/.libs/stall.so" --mca coll tuned,basic,libnbc,inter,self \
        "$build/bin/collbench" --coll barrier --contestants tuned --batch 1000 --iterations 3 >"$work/stalls"
    cat "$work/stalls"
    grep -E '^ +0  tuned +3 +1000 ' "$work/stalls"
}

missing_folder_is_named() {
    refuses "--samples $work/none/s.csv: No such file" \
        argue --bytes 8 --contestants tuned --samples "$work/none/s.csv"
}

large_blocks_are_refused() {
    refuses '--bytes: blocks of 16777216 bytes from 6 processes are more than the 64 MiB that allgather' \
        bench --coll allgather --bytes 8,16M --contestants tuned
    refuses 'take at most 11184808' bench --coll reduce_scatter --bytes 11184816 --contestants tuned
}

# In the brief suite what Open MPI has no part in is left out: the tables, the order of turns, what is refused.
tap_plan "$([ "$brief" = no ] && echo 16 || echo 8)"
tap every_contestant_has_its_row every_contestant_has_its_row
tap other_collectives_are_measured other_collectives_are_measured
tap reductions_are_measured measured reduce reduce_scatter reduce_scatter_block scan exscan
tap gatherings_are_measured measured allgather allgatherv gather gatherv
tap scatterings_are_measured measured scatter scatterv
tap who_ran_is_named who_ran_is_named
tap unknown_component_is_named refuses nosuch argue --bytes 8 --contestants napcoll,nosuch
tap unknown_algorithm_is_named refuses bogus argue --bytes 8 --contestants napcoll:bogus,tuned
if [ "$brief" = no ]; then
    tap uneven_gathers_are_dealt uneven_gathers_are_dealt
    tap every_sample_is_written every_sample_is_written
    tap slow_contestants_are_dropped slow_contestants_are_dropped
    tap turns_are_taken_whatever_the_time turns_are_taken_whatever_the_time
    tap sizes_take_turns_in_rounds sizes_take_turns_in_rounds
    tap stalls_are_not_slept_again stalls_are_not_slept_again
    tap missing_folder_is_named missing_folder_is_named
    tap large_blocks_are_refused large_blocks_are_refused
fi
tap_end
