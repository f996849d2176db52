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
list=napcoll,tuned,han,basic,libnbc,inter,self

# bench ARGUMENT...: 6 processes on 3 nodes. It takes seconds; on a machine that has little time for it, minutes.
bench() {
    "$netlab" --nodes 3 --ppn 2 --latency 100us -- timeout 240 \
        mpirun -np 6 --mca coll "$list" "$build/bin/collbench" --time-limit 4 --iterations 5 "$@"
}

# argue ARGUMENT...: two processes, which are to say what is wrong with these.
argue() {
    timeout 60 mpirun -np 2 --mca coll "$list" "$build/bin/collbench" "$@"
}

# alone ARGUMENT...: the same of one process, which starts sooner.
alone() {
    OMPI_MCA_coll=$list timeout 60 "$build/bin/collbench" "$@"
}

every_contestant_has_its_row() {
    local own
    bench --coll allreduce --bytes 8:1K:x128 --csv "$work/table.csv" --contestants \
        'napcoll:nap,tuned,han,napcoll:nap local_radix=3,napcoll:nap@nonblocking,napcoll:nap@persistent' >"$work/table"
    cat "$work/table" "$work/table.csv"
    grep -E 'allreduce.* 6 processes on 3 nodes x 2' "$work/table"
    grep -E '^clocks: offset error up to [0-9.]+ us .*, [0-9]+ of [0-9]+ start windows missed$' "$work/table"
    # The last rank's exit is no earlier than the slowest rank's own time after the first entry.
    awk -F, '/^allreduce,/ { rows++; if ($11 + 0.02 < $7 * 0.5) exit 1 } END { exit rows != 12 }' "$work/table.csv"
    for bytes in 8 1024; do
        # What ran is read from napcoll's counters, or from the communicator.
        grep -E "^ +$bytes  han .* han\$" "$work/table"
        for own in napcoll:nap 'napcoll:nap local_radix=3' napcoll:nap@nonblocking napcoll:nap@persistent; do
            grep -E "^ +$bytes  $own .* nap\$" "$work/table"
            grep "^allreduce,3,2,$bytes,$own,.*,\"nap\"\$" "$work/table.csv"
        done
        grep "^allreduce,3,2,$bytes,tuned," "$work/table.csv"
    done
}

# measured COLL...: collbench itself checks the results, of all kinds of calls. With 8 bytes, some of the uneven blocks are
# empty. In the brief suite (run.sh --brief) the first stands for all.
measured() {
    local coll
    [ "$brief" = no ] || set -- "$1"
    for coll; do echo "--coll $coll --csv $work/$coll.csv"; done >"$work/measured.runs"
    "$netlab" --nodes 2 --ppn 2 --latency 100us -- timeout 240 mpirun -np 4 --mca coll "$list" "$build/bin/collbench" \
        --runs "$work/measured.runs" --time-limit $((2 * $#)) --bytes 0,8,8K --contestants napcoll,basic \
        --kind blocking,nonblocking,persistent --batch 2 --iterations 2
    for coll; do
        [ "$(grep -c "^$coll,2,2," "$work/$coll.csv")" = "$([ "$coll" = barrier ] && echo 6 || echo 18)" ]
    done
}

# Between nodes napcoll's own algorithms run, in all kinds of calls. Each size has an edge that leads to another node.
graphs_are_measured() {
    local kind
    bench --coll neighbor_alltoallv --graph random --degree 3 --seed 2 --bytes 8,4K --contestants \
        napcoll:direct,napcoll:coalesced,basic --kind blocking,nonblocking,persistent --iterations 2 --csv "$work/graph.csv" \
        >"$work/table"
    cat "$work/table" "$work/graph.csv"
    grep -E '^graph: random, [0-9]+ edges, up to 3 to or from a process$' "$work/table"
    grep -E '^lower bound: a message between nodes, alpha = [0-9.]+ us$' "$work/table"
    for kind in '' @nonblocking @persistent; do
        for bytes in 8 4096; do
            grep -E "^ +$bytes  napcoll:direct$kind .* direct\$" "$work/table"
            grep -E "^ +$bytes  napcoll:coalesced$kind .* coalesced\$" "$work/table"
        done
    done
    grep -E '^ +8  basic@nonblocking .* libnbc \(not basic\)$' "$work/table"
    # edges inside the node, from a rank to itself, and twice; rank 5 has none
    printf '0 1\n0 1\n2 3\n4 4\n' >"$work/a.edges"
    bench --coll neighbor_allgather --graph "$work/a.edges" --bytes 8 --contestants napcoll:coalesced,basic --iterations 1 \
        >"$work/table"
    cat "$work/table"
    grep -F "graph: $work/a.edges, 4 edges, up to 2 to or from a process" "$work/table"
    grep -x 'lower bound: none, no edge leads to another node' "$work/table"
}

# tuned and han have no scan: Open MPI takes basic, and the table says so; and libnbc for calls that do not block.
who_ran_is_named() {
    bench --coll scan --bytes 8 --contestants basic,tuned,han,tuned@nonblocking,libnbc@persistent --iterations 1 \
        --csv "$work/ran.csv" >"$work/table"
    cat "$work/table" "$work/ran.csv"
    grep -E '^ +8  basic .* basic$' "$work/table"
    for contestant in tuned han; do
        grep -E "^ +8  $contestant .* basic \(not $contestant\)\$" "$work/table"
        grep -E "^scan,3,2,8,$contestant,.*,\"basic \(not $contestant\)\"\$" "$work/ran.csv"
    done
    grep -E '^ +8  tuned@nonblocking .* libnbc \(not tuned\)$' "$work/table"
    grep -E '^scan,3,2,8,libnbc@persistent,.*,"libnbc"$' "$work/ran.csv"
    grep -Fx '@nonblocking: MPI_Iscan and MPI_Wait' "$work/table"
    grep -Fx '@persistent: MPI_Start and MPI_Wait, after one MPI_Scan_init' "$work/table"
}

# `measured` takes the first deal.
other_deals_are_measured() {
    bench --coll gatherv --deal hot --bytes 8,8K --contestants tuned --iterations 1
    bench --coll scatterv --deal zeros --bytes 8,8K --contestants tuned --iterations 1
    bench --coll alltoallv --deal power --bytes 8,8K --contestants tuned --iterations 1
}

# Every sample has its line. In a millisecond no contestant takes three turns, unless it has to.
every_sample_is_written() {
    local contestant turn
    bench --coll gather --bytes 8,1K --contestants tuned,basic --iterations 3 --min-iterations 3 --time-limit 0.001 \
        --samples "$work/samples.csv" --svg "$work/table.svg" --csv "$work/medians.csv"
    cat "$work/samples.csv" "$work/medians.csv"
    # where it comes from, then the columns
    for name in samples medians; do
        sed -n 1p "$work/$name.csv" | grep -E '^#     collbench --time-limit 4 .* --csv .*medians\.csv$'
        sed -n 2p "$work/$name.csv" |
            grep -E '^# napcoll [0-9]+\.[0-9]+\.[0-9]+.*, Open MPI v.*, 6 processes on 3 nodes, host .+, 20[0-9-]+ [0-9:]+ UTC$'
    done
    [ "$(sed -n 3p "$work/samples.csv")" = coll,contestant,bytes,turn,us ]
    napcoll-plan rules from-csv "$work/medians.csv" | grep -E '^gather nodes=3 ppn=2 bytes=.* -> fallback$'
    [ "$(grep -cE '^gather,(tuned|basic),(8|1024),[123],[0-9]+\.[0-9]{2}$' "$work/samples.csv")" = 12 ]
    for contestant in tuned basic; do
        for turn in 1 2 3; do
            grep "^gather,$contestant,1024,$turn," "$work/samples.csv"
        done
        # The median of three is one of them.
        grep -F "$(awk -F, -v who="$contestant" '$4 == 8 && $5 == who { print $7 }' "$work/medians.csv")" \
            <(grep "^gather,$contestant,8," "$work/samples.csv")
        ! command -v gnuplot || grep -F ">$contestant<" "$work/table.svg"
    done
    ! command -v gnuplot || grep -F 'measured on nodes that are emulated by netlab' "$work/table.svg"
}

# The mean of the samples, in two columns; the other contestant is in the CSV file only.
osu_columns_are_printed() {
    bench --osu --coll reduce_scatter_block --bytes 8,1K --contestants basic,tuned --samples "$work/osu.csv" >"$work/osu"
    cat "$work/osu"
    sed -n 1p "$work/osu" | grep -E '^# MPI_Reduce_scatter_block Latency Test by collbench .*: basic$'
    # samples are written with two digits, so that a mean of them may differ in the last one
    for bytes in 8 1024; do
        awk -v bytes="$bytes" 'FNR == NR { if ($1 == bytes) mean = $2; next }
            $2 == "basic" && $3 == bytes { sum += $5; count++ }
            END { exit !(count > 0 && sum / count - mean < 0.02 && mean - sum / count < 0.02) }' "$work/osu" FS=, "$work/osu.csv"
    done
    [ "$(sed -n 4p "$work/osu")" = '# Size       Avg Latency(us)' ]
    [ "$(grep -cE '^(8   |1024) +[0-9]+\.[0-9]{2}$' "$work/osu")" = 2 ]
    [ "$(wc -l <"$work/osu")" = 6 ]
}

# The computation lasts as long as the call without it, or longer; what three slow MPI_Test take is no computation. Blocking
# calls have none.
computation_overlaps() {
    local names=libnbc@nonblocking,libnbc@persistent,tuned
    "$netlab" --nodes 1 --ppn 2 -- timeout 240 \
        mpirun -np 2 -x LD_PRELOAD="$build/tests/mpi/.libs/stall.so" --mca coll tuned,basic,libnbc,inter,self \
        "$build/bin/collbench" --bytes 8,1K --contestants "$names" --overlap --tests 3 --batch 2 --iterations 3 --osu \
        --csv "$work/overlap.csv" --samples "$work/overlaps.csv" >"$work/osu"
    cat "$work/osu" "$work/overlap.csv" "$work/overlaps.csv"
    sed -n 1p "$work/osu" | grep -E '^# MPI_Iallreduce Latency Test by collbench .*: libnbc@nonblocking$'
    [ "$(sed -n 4p "$work/osu" | tr -s ' ')" = '# Size Overall(us) Compute(us) Pure Comm.(us) Overlap(%)' ]
    [ "$(grep -cE '^(8   |1024)( +[0-9]+\.[0-9]{2}){4}$' "$work/osu")" = 2 ]
    awk -F, '/^allreduce,libnbc/ { rows++; if ($7 < $5 - 0.02 || $6 < $7 + 30000) exit 1 } END { exit rows != 12 }' \
        "$work/overlaps.csv"
    [ "$(grep -cE '^allreduce,tuned,.*,,$' "$work/overlaps.csv")" = 6 ]
    [ "$(sed -n 3p "$work/overlap.csv")" = \
        coll,nodes,ppn,bytes,contestant,samples,median_us,p05_us,p95_us,ratio,run_us,overall_us,compute_us,overlap,ran ]
    [ "$(grep -cE '^allreduce,1,2,8,libnbc@(nonblocking|persistent),.*,[0-9]+\.[0-9]{2},"libnbc"$' "$work/overlap.csv")" = 2 ]
    grep -E '^allreduce,1,2,8,tuned,.*,,,,"tuned"$' "$work/overlap.csv"
}

# far OPTION...: a ring takes six times 20 ms, whatever else runs; smp takes 20 ms once, of which a sample of 90 ms has five,
# or less where a call takes longer.
far() {
    "$netlab" --nodes 3 --ppn 2 --latency 20ms -- timeout 240 mpirun -np 6 --mca coll "$list" "$build/bin/collbench" \
        --coll allreduce --bytes 8 --contestants napcoll:smp,napcoll:ring --sample-time 0.09 "$@" >"$work/far"
    cat "$work/far"
}

# The ring is looked at in one call.
slow_contestants_are_dropped() {
    far --drop 2 --iterations 4
    grep -E '^ +8  napcoll:smp +4 +[1-5] .* smp$' "$work/far"
    grep -E '^ +8  napcoll:ring +1 +1 .* ring$' "$work/far"
    awk '/^ +8  napcoll:smp/ { first = $5 } /^ +8  napcoll:ring/ { exit !($8 > 0.99 * $5 / first && $8 < 1.01 * $5 / first) }' \
        "$work/far"
}

# tuned names no algorithm. In the first turn of two all three would have their samples.
algorithms_that_are_not_the_best_are_dropped() {
    far --contestants tuned,napcoll:ring,napcoll:smp --finalists 1 --iterations 2
    grep -E '^ +8  tuned +2 +[0-9]+ .* tuned$' "$work/far"
    grep -E '^ +8  napcoll:ring +1 +1 .* ring$' "$work/far"
    grep -E '^ +8  napcoll:smp +2 +[1-5] .* smp$' "$work/far"
}

slow_contestants_make_fewer_calls() {
    far --iterations 2
    grep -E '^ +8  napcoll:smp +2 +[2-5] .* smp$' "$work/far"
    grep -E '^ +8  napcoll:ring +2 +1 .* ring$' "$work/far"
}

# Two turns of each size, then the third; all of them are in the table. A turn that was begun too late does not count, and
# leaves the number as it was. Some versions of mpirun have standard error in the standard output.
sizes_take_turns_in_rounds() {
    bench --bytes 8,64 --contestants napcoll,tuned --iterations 3 --min-iterations 3 --rounds 2 --progress 2>&1 |
        tr '\r' '\n' >"$work/rounds"
    cat "$work/rounds"
    [ "$(grep -cE '^ +(8|64)  (napcoll|tuned) +3 ' "$work/rounds")" = 4 ]
    sed -nE 's/^\[[# ]{16}\] ([0-9]+) bytes: turn ([0-9]+) of 3,.*/\1 \2/p' "$work/rounds" |
        awk '$2 > turn[$1] { turn[$1] = $2; print }' >"$work/order"
    diff - "$work/order" <<<$'8 1\n8 2\n64 1\n64 2\n8 3\n64 3'
}

# One after another in one job, each with its own graph, blocks and files; a table that cannot be does not keep the next from
# being measured. In a millisecond each has one turn.
tables_of_a_file_are_measured() {
    local rc=0
    printf '%s\n' '# three tables, one of them with a mistake' '--coll neighbor_alltoallv --graph random --degree 3' '' \
        "--coll allreduce --contestants 'napcoll:nap local_radix=3,tuned' --csv $work/second.csv" \
        '--coll scan --contestants napcoll,nosuch' '--coll gatherv --deal hot' >"$work/three.runs"
    bench --bytes 8 --iterations 3 --contestants napcoll,basic --time-limit 0.001 --runs "$work/three.runs" >"$work/three" 2>&1 || rc=$?
    cat "$work/three" "$work/second.csv"
    [ "$rc" = 2 ]
    [ "$(grep -c '^all results verified$' "$work/three")" = 3 ]
    grep -E '^neighbor_alltoallv .* 6 processes on 3 nodes x 2' "$work/three"
    grep -E '^ +8  napcoll:nap local_radix=3 +1 .* nap$' "$work/three"
    grep -E '^gatherv .* 6 processes on 3 nodes x 2' "$work/three"
    [ "$(grep -c "^collbench: $work/three.runs:5: --contestants: component nosuch is not loaded" "$work/three")" = 1 ]
    sed -n 1p "$work/second.csv" | grep -E '^#     collbench .* --iterations 3 .* --coll allreduce .*second[.]csv$'
    refuses '' grep -e --runs "$work/second.csv"
    grep -E '^allreduce,3,2,8,napcoll:nap local_radix=3,1,' "$work/second.csv"
}

# mistaken TEXT MESSAGE: a file of tables with a mistake. It is named once, and nothing is measured.
mistaken() {
    printf '%s\n' '--coll bcast' "$1" >"$work/wrong.runs"
    refuses "$2" argue --contestants tuned --bytes 8 --runs "$work/wrong.runs" >"$work/wrong"
    cat "$work/wrong"
    [ "$(grep -c '^collbench: ' "$work/wrong")" = 1 ]
    refuses '' grep '^bcast' "$work/wrong"
}

mistakes_in_files_of_tables_are_named() {
    mistaken '--coll bogus' "$work/wrong.runs:2: --coll bogus: expected allreduce, "
    mistaken '--time-limit 3' "$work/wrong.runs:2: --time-limit is of all tables together"
    mistaken '--runs x' "$work/wrong.runs:2: --runs is of all tables together"
    mistaken '--help' "$work/wrong.runs:2: --help and --version have no table"
    mistaken "--csv 'x" "$work/wrong.runs:2: a quote or bracket that does not end"
    mistaken '--csv x; rm y' "$work/wrong.runs:2: a character that a shell takes for a command's"
    # shellcheck disable=SC2016 # not for this shell
    mistaken '--csv $(pwd)' "$work/wrong.runs:2: commands in words are not carried out"
    echo '# none' >"$work/empty.runs"
    refuses "--runs: $work/empty.runs has no line with options" argue --runs "$work/empty.runs"
    refuses "--runs: $work/none.runs: " argue --runs "$work/none.runs"
}

# Each mock-up has the result of its collective, which collbench checks. 80 bytes are no multiple of 6 doubles. Verdicts agree
# with the figures.
guidelines_are_checked() {
    "$netlab" --nodes 3 --ppn 2 --latency 100us -- timeout 240 \
        mpirun -np 6 --mca coll "$list" "$build/bin/collbench" --guidelines --bytes 8,80 --contestants napcoll,tuned \
        --batch 1 --iterations 6 --min-iterations 6 --time-limit 1 --csv "$work/guidelines.csv" >"$work/guidelines"
    cat "$work/guidelines" "$work/guidelines.csv"
    sed -n 3p "$work/guidelines.csv" |
        grep -x coll,nodes,ppn,bytes,contestant,mockup,samples,median_us,mockup_us,factor,p05,p95,verdict
    for mockup in 'allreduce,.*,reduce [+] bcast' 'allgather,.*,allreduce' 'gather,.*,allgather' 'bcast,.*,scatter [+] allgather' \
        'scatter,.*,bcast' 'reduce,.*,allreduce' 'reduce_scatter_block,.*,reduce [+] scatter' 'scan,.*,exscan [+] reduce_local' \
        'exscan,.*,exscan of twice the size' 'alltoall,.*,alltoallv'; do
        [ "$(grep -cE "^$mockup,6,.*,(holds|violated|undecided)\$" "$work/guidelines.csv")" = 4 ]
    done
    # six turns: a verdict is one of all of them
    awk -F, '/^(#|coll,)/ { next } { count[$13]++; rows++ }
        $13 == "violated" && $11 <= 1.1 || $13 == "holds" && $12 >= 1.1 { print "wrong: " $0; exit 1 }
        END { printf "%d hold, %d violated, %d undecided\n", count["holds"], count["violated"], count["undecided"]
            exit rows != 128 }' "$work/guidelines.csv" >"$work/counts" || { cat "$work/counts" && false; }
    grep -F "$(cat "$work/counts")" "$work/guidelines"
    grep -E '^clocks: offset error up to [0-9.]+ us .*, [0-9]+ of [0-9]+ start windows missed$' "$work/guidelines"
}

guidelines_are_of_one_collective() {
    bench --guidelines --coll gather --bytes 16 --contestants napcoll:two_level --batch 1 --iterations 6 --csv "$work/one.csv"
    [ "$(grep -c '^gather,3,2,16,napcoll:two_level,' "$work/one.csv")" = 4 ]
    refuses 'algorithms are of one collective; add --coll' alone --guidelines --contestants napcoll:nap
    refuses '--guidelines: there is none on barrier' alone --guidelines --coll barrier --contestants tuned
    refuses '--guidelines: blocking calls only' alone --guidelines --contestants libnbc@nonblocking
    refuses '--guidelines does not take --osu; leave it out' alone --guidelines --osu
    refuses '--bytes: 33554432: with --guidelines blocks of ' argue --guidelines --bytes 32M --contestants tuned
}

# Calls of which one takes a second are followed by a sample of 1000 that take none: nobody sleeps for 1000 seconds.
stalls_are_not_slept_again() {
    "$netlab" --nodes 1 --ppn 2 -- timeout 240 \
        mpirun -np 2 -x LD_PRELOAD="$build/tests/mpi/.libs/stall.so" --mca coll tuned,basic,libnbc,inter,self \
        "$build/bin/collbench" --coll barrier --contestants tuned --batch 1000 --iterations 3 >"$work/stalls"
    cat "$work/stalls"
    grep -E '^ +0  tuned +3 +1000 ' "$work/stalls"
}

unknown_contestants_are_named() {
    refuses nosuch argue --bytes 8 --contestants napcoll,nosuch
    refuses 'napcoll has no algorithm bogus for allreduce; expected auto, fallback, ' argue --contestants napcoll:bogus
}

bad_arguments_are_named() {
    refuses '--drop 1: expected a number from 1.01' alone --drop 1
    refuses '--rounds 0: expected a number from 1' alone --rounds 0
    refuses '--coll bogus: expected allreduce, ' alone --coll bogus
    refuses '--bytes 12: expected up to 64 sizes' alone --bytes 12
    refuses '--overlap: blocking calls hide nothing; add --kind nonblocking' alone --overlap
    refuses '--tests: MPI_Test is called in the computation of --overlap only' alone --kind nonblocking --tests 3
    refuses '--contestants: tuned@persistent would be measured twice' \
        alone --contestants tuned,tuned@persistent --kind blocking,persistent
    refuses '--kind: the contestants, each of every kind, are more than 24' \
        alone --kind blocking,nonblocking,persistent --contestants "$(printf 'napcoll:nap lanes=%d,' 1 2 3 4 5 6 7 8)tuned"
    refuses "--samples $work/none/s.csv: cannot be written (No such file or directory); make its folder" \
        argue --contestants tuned --samples "$work/none/s.csv"
    refuses '--bytes: blocks of 41943040 bytes from 2 processes are more than the 64 MiB that allgather' \
        argue --coll allgather --bytes 8,40M --contestants tuned
    refuses '--bytes: blocks of 83886080 bytes from 1 neighbours are more than the 64 MiB that neighbor_allgather' \
        argue --coll neighbor_allgather --bytes 8,80M --contestants basic
    refuses '--guidelines: there is none on neighbor_alltoall' \
        alone --guidelines --coll neighbor_alltoall --contestants basic
}

# Before anything is measured; and a full disk after it. The old picture stays, and the CSV file is complete.
pictures_that_cannot_be_drawn_are_noticed() {
    local rc=0
    echo old >"$work/old.svg"
    mkdir -p "$work/tools"
    printf '#!/bin/sh\nexit 3\n' >"$work/tools/gnuplot"
    chmod +x "$work/tools/gnuplot"
    PATH=$work/tools:$PATH argue --contestants tuned --svg "$work/old.svg" >"$work/out" 2>"$work/err" || rc=$?
    cat "$work/out" "$work/err"
    [ "$rc" = 2 ] && (! grep alpha "$work/out")
    [ "$(cat "$work/out" "$work/err" | grep -c "^collbench: --svg $work/old.svg: gnuplot failed\$")" = 1 ]
    rc=0
    argue --bytes 8 --contestants tuned --iterations 2 --svg /dev/full --csv "$work/full.csv" >"$work/out" 2>&1 || rc=$?
    cat "$work/out"
    [ "$rc" = 1 ]
    grep '^collbench: --svg /dev/full: cannot be written (No space left on device); free some space' "$work/out"
    grep '^allreduce,.*,8,tuned,' "$work/full.csv"
    grep -x old "$work/old.svg"
}

# In the brief suite what Open MPI has no part in is left out: the tables, the order of turns, what is refused.
tests=(every_contestant_has_its_row reductions_are_measured blocks_are_measured neighbours_are_measured graphs_are_measured who_ran_is_named
    unknown_contestants_are_named)
reductions_are_measured() { measured reduce reduce_scatter reduce_scatter_block scan exscan bcast barrier; }
blocks_are_measured() { measured allgather allgatherv gather gatherv scatter scatterv alltoall alltoallv alltoallw; }
neighbours_are_measured() {
    measured neighbor_alltoallw neighbor_alltoallv neighbor_alltoall neighbor_allgatherv neighbor_allgather
}
if [ "$brief" = no ]; then
    tests+=(other_deals_are_measured every_sample_is_written osu_columns_are_printed computation_overlaps
        slow_contestants_are_dropped algorithms_that_are_not_the_best_are_dropped slow_contestants_make_fewer_calls
        guidelines_are_checked guidelines_are_of_one_collective sizes_take_turns_in_rounds stalls_are_not_slept_again bad_arguments_are_named
        tables_of_a_file_are_measured mistakes_in_files_of_tables_are_named pictures_that_cannot_be_drawn_are_noticed)
fi
tap_plan "${#tests[@]}"
for name in "${tests[@]}"; do
    tap "$name" "$name"
done
tap_end
