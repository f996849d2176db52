#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# `napcoll-plan simulate` as users call it: tables, CSV files, machine files by name, mistakes.

set -euo pipefail

# shellcheck source=tests/build/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

usage() {
    cat <<'END_USAGE'
Usage: tests/build/simulate.sh

Runs napcoll-plan simulate of the build folder (NAPCOLL_BUILD, else build/); prints TAP.
END_USAGE
}
only_help "$@"

need_plan

# The times of the paper's figures, through the CSV file.
csv_holds_the_figures() {
    simulate --closed-form --nodes 8:4096 --ppn 16 --csv "$work/a.csv" >"$work/table"
    sed -n 1p "$work/a.csv" | grep -xF "#     napcoll-plan simulate --machine bluewaters.conf --closed-form --nodes 8:4096 --ppn 16 --csv $work/a.csv"
    sed -n 2p "$work/a.csv" |
        grep -xE "# $("$plan" --version | sed 's/^napcoll-plan/napcoll/; s/[()]/\\&/g'), machine bluewaters.conf, times of closed forms, host $(hostname), 20[0-9-]{8} [0-9:]{5} UTC"
    sed -n 3p "$work/a.csv" | grep -x 'coll,algorithm,nodes,ppn,bytes,time_us'
    awk -F, 'FNR == 1 { file++ }
        file == 1 && /^[0-9]/ { expected[$1 / $3 ",recursive_doubling"] = $4
            expected[$1 / $3 ",smp"] = $5; expected[$1 / $3 ",nap"] = $6 }
        file == 2 && ($3 "," $2 in expected) { seen++; e = expected[$3 "," $2]
            if ($6 < e * 0.999 || $6 > e * 1.001) { print $0 " instead of " e; bad = 1 } }
        END { print seen " times"; exit bad || seen != 27 }' \
        "$src/tests/unit/figures/fig10.csv" "$work/a.csv"
    # and the table shows the same rows
    [ "$(grep -c 'nap\|smp\|recursive_doubling' "$work/table")" = "$(grep -c '^allreduce' "$work/a.csv")" ]
}

ranges_step_as_asked() {
    [ "$(simulate --closed-form --algorithm smp --ppn 2 --nodes 1:9 --csv - | tail -n +4 | cut -d, -f3 |
        tr '\n' ' ')" = '1 2 4 8 ' ]
    [ "$(simulate --closed-form --algorithm smp --ppn 2 --nodes 3:9:+3 --csv - | tail -n +4 | cut -d, -f3 |
        tr '\n' ' ')" = '3 6 9 ' ]
    [ "$(simulate --closed-form --algorithm smp --ppn 2 --bytes 1K:1M:x32 --csv - | tail -n +4 |
        cut -d, -f5 | tr '\n' ' ')" = '1024 32768 1048576 ' ]
    [ "$(simulate --closed-form --algorithm smp --ppn 2 --bytes 8,1K:4K,1m --csv - | tail -n +4 |
        cut -d, -f5 | tr '\n' ' ')" = '8 1024 2048 4096 1048576 ' ]
}

# progress ARGUMENT...: the forced progress line of a command, a step a line.
progress() {
    NAPCOLL_PROGRESS=1 "$plan" "$@" 2>&1 >/dev/null | tr '\r' '\n'
}

progress_tells_plans_and_sizes() {
    progress simulate --machine netlab.conf --nodes 2:4 --bytes 8:16 >"$work/steps"
    cat "$work/steps"
    grep -E '^\[ +\] 2 nodes, recursive_doubling, plan 1 of 8, 0 s so far' "$work/steps"
    grep -E '^\[#{12} *\] 4 nodes, gathered, plan 1 of 16, 0 s left' "$work/steps"
    grep -E '^\[#{16}\] 4 nodes, circulant, 2 of 2 sizes, 0 s so far' "$work/steps"
    progress links --nodes 4 | grep -E '^\[#{16}\] 4 nodes, nap, plan 16 of 16'
    progress explain --machine netlab.conf --nodes 4 | grep -E '^\[#{16}\] 4 nodes, circulant, plan 16 of 16'
    progress goal --nodes 4 --output "$work/a.goal" | grep -E '^\[#{16}\] rank 16 of 16'
}

# The table is flushed row by row; the reason is told at the end.
full_disks_are_noticed() {
    local rc=0
    simulate --nodes 2 >/dev/full 2>"$work/err" || rc=$?
    cat "$work/err"
    [ "$rc" = 1 ] && [ "$(wc -l <"$work/err")" = 1 ]
    grep 'napcoll-plan: standard output: cannot be written (No space left on device); free some space' "$work/err"
}

# Plans and closed form agree within 10 %.
plans_agree_with_closed_form() {
    simulate --algorithm recursive_doubling --nodes 256 --ppn 16 --bytes 8:64K --csv "$work/plans.csv"
    simulate --algorithm recursive_doubling --nodes 256 --ppn 16 --bytes 8:64K --csv "$work/forms.csv" \
        --closed-form
    paste -d, "$work/plans.csv" "$work/forms.csv" | awk -F, '/^allreduce,/ {
        seen++; if ($6 < 0.9 * $12 || $6 > 1.1 * $12) { print; bad = 1 } } END { exit bad || seen != 14 }'
}

thirty_two_thousand_ranks_take_seconds() {
    local algorithm
    for algorithm in nap smp recursive_doubling; do
        timeout 60 "$plan" simulate --machine bluewaters.conf --nodes 2048 --ppn 16 --algorithm "$algorithm" \
            --csv - >"$work/large"
        cat "$work/large"
        grep "^allreduce,$algorithm,2048,16,8,[0-9]" "$work/large"
    done
    # not so algorithms with a step for every rank
    simulate --nodes 2048 --ppn 16 --algorithm ring | grep 'ring  *-  its plans have too many steps'
}

unequal_nodes_are_simulated() {
    simulate --algorithm nap --nodes 3 --ppn 3,2 --map cyclic --csv - | grep '^allreduce,nap,3,"3,2",8,[0-9]'
}

what_an_algorithm_cannot_do_is_said() {
    simulate --algorithm nap --nodes 4 --ppn 1 | grep 'nap  *-  .*process'
    simulate --closed-form --algorithm nap --nodes 4 --ppn 1 | grep 'nap  *-  .*process'
}

every_collective_is_simulated() {
    local collective
    for collective in $("$plan" list | grep '^[a-z]'); do
        simulate --coll "$collective" --nodes 3 --ppn 4,1 --csv "$work/each.csv" | tee "$work/table"
        [ "$(grep -c "^$collective,.*,[0-9.]*\$" "$work/each.csv")" = "$("$plan" list |
            awk -v name="$collective" '/^[a-z]/ { in_it = $1 == name } in_it && /^  [a-z]/' | wc -l)" ] ||
            grep -E 'any  .* needs (a number of ranks that is a power of two|nodes with equal numbers of processes)' \
                "$work/table"
        grep "^$collective,.*,[0-9.]*\$" "$work/each.csv"
    done
    simulate --coll barrier --nodes 4 --csv - | grep '^barrier,nap,4,4,0,[0-9]'
    # a root, segments and order change the plans
    simulate --coll reduce --root 5 --nodes 3 --algorithm nap --csv - | grep '^reduce,nap,3,4,8,'
    simulate --algorithm lane --nodes 8 --bytes 16M --segments 4 --csv - | tail -n 1 >"$work/segments"
    [ "$(simulate --algorithm lane --nodes 8 --bytes 16M --csv - | tail -n 1)" != "$(cat "$work/segments")" ]
    simulate --noncommutative --reproducible --nodes 3 | grep 'ring  *-  the operation does not commute'
}

# A seed is a graph, and its times; more neighbours take longer.
graphs_are_simulated() {
    local seed
    for seed in 1 1 2; do
        simulate --coll neighbor_alltoall --graph random --seed "$seed" --nodes 8 --ppn 8 --csv - | tail -n 2
    done >"$work/seeds"
    cat "$work/seeds"
    diff <(head -n 2 "$work/seeds") <(sed -n 3,4p "$work/seeds")
    (! diff <(head -n 2 "$work/seeds") <(tail -n 2 "$work/seeds") >/dev/null)
    simulate --coll neighbor_alltoall --graph power-law --degree 4 --nodes 4:16 --ppn 4 --csv "$work/graph.csv" >"$work/table"
    grep -F 'neighbor_alltoall --graph power-law --degree 4, 4 ranks per node' "$work/table"
    [ "$(grep -cE '^neighbor_alltoall,(direct|coalesced),(4|8|16),4,8,[0-9.]+$' "$work/graph.csv")" = 6 ]
    for degree in 2 16; do
        "$plan" simulate --machine netlab-near --coll neighbor_alltoall --graph random --degree "$degree" --nodes 16 --ppn 4 \
            --algorithm direct --csv - | tail -n 1
    done | awk -F, '{ time[NR] = $6 } END { exit !(time[2] > 2 * time[1]) }'
    # every rank knows its own edges only
    timeout 100 "$plan" simulate --machine bluewaters --coll neighbor_alltoall --nodes 2048 --ppn 16 --csv - |
        grep -c '^neighbor_alltoall,[a-z]*,2048,16,8,[0-9]' | grep -x 2
}

machines_are_found_by_folder() {
    mkdir "$work/machines"
    sed 's/\(reduce_ns_per_byte\).*/\1 = 1000/' "$src/ompi/tools/napcoll/machines/netlab.conf" \
        >"$work/machines/mine.conf"
    NAPCOLL_MACHINES=/nowhere:$work/machines "$plan" simulate --machine mine.conf --ppn 2 --nodes 2 \
        --csv - --closed-form --algorithm smp --bytes 1000 | grep ',1000,3012.2'
    "$plan" simulate --machine "$work/machines/mine.conf" --ppn 2 | grep mine.conf
    "$plan" simulate --machine netlab.conf --ppn 2 | grep netlab.conf
    # without the ending, and in the current folder before all others
    "$plan" simulate --machine bluewaters --ppn 2 | grep bluewaters
    (cd "$work/machines" && mv mine.conf netlab.conf && "$plan" simulate --machine netlab --ppn 2 --nodes 2 --csv - \
        --closed-form --algorithm smp --bytes 1000 | grep ',1000,3012.2')
}

mistakes_name_option_and_range() {
    local machine=(--machine bluewaters.conf)
    refused '--machine: missing' simulate
    refused '--machine nothing.conf: no such file' simulate --machine nothing.conf
    refused '--nodes 0: expected a number from 1 to 1048576' simulate "${machine[@]}" --nodes 0
    refused '--nodes 4:2: expected' simulate "${machine[@]}" --nodes 4:2
    refused '--nodes 1:4:x1: expected' simulate "${machine[@]}" --nodes 1:4:x1
    refused '--nodes 1:1000000:+1: expected at most 1000 values' simulate "${machine[@]}" --nodes 1:1000000:+1
    refused '--bytes 0:8: expected' simulate "${machine[@]}" --bytes 0:8
    refused '--bytes 2G: expected a number from 0 to 1073741824' simulate "${machine[@]}" --bytes 2G
    refused 'expected at most 262144 ranks' simulate "${machine[@]}" --nodes 1:65536 --ppn 16
    refused 'expected at most 1048576 ranks' simulate "${machine[@]}" --nodes 65537 --ppn 16 --closed-form
    refused '--ppn 3x: character 2' simulate "${machine[@]}" --ppn 3x
    refused '--closed-form: expected one number as --ppn' simulate "${machine[@]}" --closed-form --ppn 3,2
    refused '--provider delegate: expected own' simulate "${machine[@]}" --provider delegate
    refused '--leader-provider delegate: expected own' simulate "${machine[@]}" --leader-provider delegate
    refused '--tunable 2: expected --algorithm' simulate "${machine[@]}" --tunable 2
    refused '--bytes: barrier has no data' simulate "${machine[@]}" --coll barrier --bytes 8:64
    refused '--root 4: there are 4 ranks' simulate "${machine[@]}" --coll reduce --root 4
    refused '--segments 2: scan cuts nothing into segments' simulate "${machine[@]}" --coll scan --segments 2
    refused '--ranks: not an option of simulate' simulate "${machine[@]}" --ranks 4
    refused '--csv /nowhere/a.csv: cannot be written' simulate "${machine[@]}" --csv /nowhere/a.csv
}

mistakes_in_machine_files_are_placed() {
    local file=$work/bad.conf
    sed 's/\(network_eager_latency_us = \).*/\1-3/' \
        "$src/ompi/tools/napcoll/machines/bluewaters.conf" >"$file"
    refused "$file:$(grep -n network_eager_latency_us "$file" | cut -d: -f1):49: coll_napcoll_machine_network_eager_latency_us: expected a number from 0" simulate \
        --machine "$file"
}

tap_plan 13
tap csv_holds_the_figures csv_holds_the_figures
tap ranges_step_as_asked ranges_step_as_asked
tap progress_tells_plans_and_sizes progress_tells_plans_and_sizes
tap full_disks_are_noticed full_disks_are_noticed
tap plans_agree_with_closed_form plans_agree_with_closed_form
tap thirty_two_thousand_ranks_take_seconds thirty_two_thousand_ranks_take_seconds
tap unequal_nodes_are_simulated unequal_nodes_are_simulated
tap what_an_algorithm_cannot_do_is_said what_an_algorithm_cannot_do_is_said
tap every_collective_is_simulated every_collective_is_simulated
tap graphs_are_simulated graphs_are_simulated
tap machines_are_found_by_folder machines_are_found_by_folder
tap mistakes_name_option_and_range mistakes_name_option_and_range
tap mistakes_in_machine_files_are_placed mistakes_in_machine_files_are_placed
tap_end
