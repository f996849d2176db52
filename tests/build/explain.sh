#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# `napcoll-plan explain`, whose times must be those of `napcoll-plan simulate`.

set -euo pipefail

# shellcheck source=tests/build/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

usage() {
    cat <<'END_USAGE'
Usage: tests/build/explain.sh

Runs napcoll-plan explain and simulate of the build folder (NAPCOLL_BUILD, else build/); prints TAP.
END_USAGE
}
only_help "$@"

need_plan

explain() {
    "$plan" explain --machine bluewaters.conf "$@"
}

# rows FILE: explain's table as "ALGORITHM SIMULATED CLOSED-FORM VERDICT...".
rows() {
    sed -n '/^algorithm /,/^$/p' "$1" | tail -n +2 | grep .
}

# column NUMBER FILE: the times of that column, by algorithm.
column() {
    rows "$2" | awk -v at="$1" '$at != "-" { print $1, $at }' | sort
}

# times ARGUMENT...: the times of simulate, in the same form.
times() {
    simulated "$@" | awk -F, '{ printf "%s %.3f\n", $2, $6 }' | sort
}

# simulated ARGUMENT...: the CSV lines of simulate, with no comma in a field.
simulated() {
    simulate --csv - "$@" | sed 1,3d | sed 's/"[^"]*"/list/'
}

# least: reads simulate's CSV lines, and prints the algorithm with the least time, the first of equal ones.
least() {
    awk -F, 'NR == 1 || $6 < least { least = $6; name = $2 } END { print name }'
}

# agrees ARGUMENT...: explain and simulate agree in times and choice.
agrees() {
    local name form=()
    explain "$@" >"$work/explained"
    cat "$work/explained"
    case " $* " in
        *' --closed-form '*) form=(3) ;;
        *) form=(2) ;;
    esac
    simulated "$@" >"$work/simulated"
    [ -s "$work/simulated" ]
    column "${form[0]}" "$work/explained" |
        diff - <(awk -F, '{ printf "%s %.3f\n", $2, $6 }' "$work/simulated" | sort)
    name=$(least <"$work/simulated")
    rows "$work/explained" | head -n 1 | grep "^$name .*  chosen: "
    [ "$(grep -c chosen: "$work/explained")" = 1 ]
    # fastest first
    rows "$work/explained" | awk -v at="${form[0]}" '$at == "-" { next } $at < last { exit 1 } { last = $at + 0 }'
    printf '%s\n' "$name" >>"$work/chosen"
}

choice_is_the_least_of_simulate() {
    local shape bytes
    : >"$work/chosen"
    for shape in '--nodes 16 --ppn 16' '--nodes 20 --ppn 16 --local-radix 2' '--nodes 1 --ppn 6' \
        '--nodes 7 --ppn 3,2 --map cyclic' '--nodes 9 --ppn 4 --map random:3 --in-place' \
        '--nodes 5 --ppn 1' '--nodes 6 --ppn 2 --map cyclic --noncommutative'; do
        for bytes in 0 8 2K 64K; do
            # shellcheck disable=SC2086
            agrees $shape --bytes "$bytes"
        done
    done
    # or the cases are all alike
    [ "$(sort -u "$work/chosen" | wc -l)" -ge 3 ]
}

choice_of_closed_forms_is_the_least_of_simulate() {
    local bytes
    for bytes in 8 4K 64K; do
        agrees --closed-form --nodes 64 --ppn 16 --bytes "$bytes"
        column 2 "$work/explained" | (! grep .)
    done
}

both_times_are_shown_where_there_are_both() {
    explain --nodes 32 --ppn 8 --bytes 512 >"$work/both"
    times --nodes 32 --ppn 8 --bytes 512 --closed-form | diff <(column 3 "$work/both") -
    times --nodes 32 --ppn 8 --bytes 512 | diff <(column 2 "$work/both") -
    local other
    for other in '--nodes 4 --ppn 3,2' '--nodes 4 --ppn 4 --map cyclic' '--ranks 15 --ppn 4'; do
        # shellcheck disable=SC2086
        explain $other >"$work/one"
        [ "$(column 2 "$work/one" | wc -l)" = "$(rows "$work/one" | grep -vc 'cannot do this')" ]
        column 3 "$work/one" | (! grep .)
    done
}

ratios_are_those_of_the_times() {
    explain --nodes 16 --ppn 16 >"$work/ratios"
    rows "$work/ratios" | awk 'NR == 1 { best = $2; name = $1; next }
        { seen++; if ($4 < $2 / best - 0.006 || $4 > $2 / best + 0.006 || $NF != name) { print; bad = 1 } }
        END { exit bad || seen != 9 }'
    # One node of two: both do the same.
    explain --nodes 1 --ppn 1 >"$work/ratios"
    has 'as fast as recursive_doubling' "$work/ratios"
}

too_many_ranks_have_closed_forms_only() {
    explain --nodes 16385 --ppn 16 >"$work/many"
    has '262160 ranks are more than can be simulated (262144): the closed forms decide.' "$work/many"
    column 2 "$work/many" | (! grep .)
    times --closed-form --nodes 16385 --ppn 16 | diff <(column 3 "$work/many") -
}

what_an_algorithm_cannot_do_is_said() {
    explain --nodes 4 --ppn 1 >"$work/cannot"
    grep '^nap  *-  *-  cannot do this: no node has more than one process$' "$work/cannot"
    explain --nodes 4 --ppn 3 --map cyclic --noncommutative >"$work/cannot"
    [ "$(grep -c '^\(nap\|smp\)  *-  *-  cannot do this: the operation does not commute' "$work/cannot")" = 2 ]
    # their plans are not counted
    [ "$(grep -c ' between nodes, in which ' "$work/cannot")" = "$(rows "$work/cannot" | grep -vc 'cannot do')" ]
}

# 16 nodes of 16: nap sends to 15 other nodes at once, and reduces 16 values of the node and 16 of nodes.
plans_are_counted() {
    explain --nodes 16 --ppn 16 >"$work/counts"
    grep -A 1 -x nap "$work/counts" |
        grep -x '    1 step between nodes, in which a rank sends 1 message and a node 120 bytes'
    grep -A 1 -x smp "$work/counts" |
        grep -x '    4 steps between nodes, in which a rank sends 4 messages and a node 32 bytes'
    grep -A 1 -x recursive_doubling "$work/counts" |
        grep -x '    4 steps between nodes, in which a rank sends 4 messages and a node 512 bytes'
    grep -A 4 -x smp "$work/counts" | grep -F 'more than nap: 3 steps between nodes, 3 messages sent'
    explain --nodes 16 --ppn 16 --local-radix 2 >"$work/counts"
    grep -A 2 -x smp "$work/counts" | grep -x '    8 steps inside a node; a rank receives 4 messages from its own node'
    grep -A 3 -x nap "$work/counts" | grep -x '    8 reductions of the vector'
}

rank_is_shown_as_by_show() {
    local bytes name
    for bytes in 8 64K; do
        explain --nodes 16 --ppn 16 --map cyclic --rank 7 --bytes "$bytes" >"$work/explained"
        name=$(rows "$work/explained" | awk '/chosen:/ { print $1 }')
        sed -n '/^node /,$p' "$work/explained" >"$work/plan"
        [ -s "$work/plan" ]
        "$plan" show --algorithm "$name" --nodes 16 --ppn 16 --map cyclic --rank 7 | diff "$work/plan" -
        printf '%s\n' "$name"
    done | sort -u >"$work/names"
    cat "$work/names"
    [ "$(wc -l <"$work/names")" = 2 ]
}

# auto FILE: the algorithm that the component's auto takes, and its estimated time.
auto() {
    sed -nE 's/^On this machine the component.s auto takes ([a-z_]*).*, estimated at ([0-9.]*) us.*/\1 \2/p' "$1" |
        grep .
}

# Up to 64 processes auto simulates all of them, and a power of two is the largest size of its class. auto may take
# other radixes, but never slower ones.
component_is_asked() {
    local shape bytes name time radix tunable
    for shape in '--coll allreduce' '--coll reduce --root 5' '--coll barrier' '--coll allgather' \
        '--coll allgatherv --in-place' '--coll reduce_scatter' '--coll reduce_scatter_block' '--coll scan' \
        '--coll exscan --noncommutative' '--coll allreduce --reproducible'; do
        for bytes in 8 1K 64K; do
            case $shape in
                *barrier*) shape="--nodes 8 --ppn 8 $shape" ;;
                *) shape="--nodes 8 --ppn 8 ${shape% --bytes*} --bytes $bytes" ;;
            esac
            # shellcheck disable=SC2086 # they are words
            explain $shape >"$work/auto"
            tail -n 3 "$work/auto"
            read -r name time < <(auto "$work/auto")
            radix=$(sed -nE 's/^It takes a local radix of ([0-9]+) there.*/\1/p' "$work/auto")
            tunable=$(sed -nE 's/^It takes a [a-z]+ of [0-9]+ there.* (--tunable [0-9]+)\.$/\1/p' "$work/auto")
            # shellcheck disable=SC2086
            [ "$(times $shape --algorithm "$name" $tunable --local-radix "${radix:-8}")" = "$name $time" ]
            rows "$work/auto" | awk -v time="$time" '$2 != "-" && $2 < time { print; bad = 1 } END { exit bad }'
            shape=${shape#--nodes 8 --ppn 8 }
        done
    done
}

# The line on segments has the command that shows their time.
segments_are_named() {
    explain --nodes 16 --ppn 16 --bytes 32M >"$work/auto"
    local options
    options=$(sed -nE 's/^It cuts the vector into segments there: see napcoll-plan simulate (.*)\.$/\1/p' \
        "$work/auto" | grep .)
    # shellcheck disable=SC2086 # they are words
    simulate --nodes 16 --ppn 16 --bytes 32M $options --csv - | grep "^allreduce,$(auto "$work/auto" | cut -d ' ' -f 1),"
}

sizes_and_reasons_are_said() {
    explain --nodes 16 --ppn 16 --bytes 2049 >"$work/auto"
    has ' (vectors of 2049 to 4096 bytes), estimated at ' "$work/auto"
    explain --coll allgather --nodes 16 --ppn 16 >"$work/auto"
    has 'allgather of 8 bytes of each rank, 256 ranks on 16 nodes, ' "$work/auto"
    has ' (blocks of up to 8 bytes), estimated at ' "$work/auto"
    (! grep 'reduction\|vector' "$work/auto")
    explain --coll barrier --nodes 4 >"$work/auto"
    has 'barrier, 16 ranks on 4 nodes, ' "$work/auto"
    (! grep -v '^Logged ' "$work/auto" | grep 'reduction\|vector\|bytes')
    has 'Logged (coll_napcoll_verbose 1) as: barrier of 0 to 8 bytes by ' "$work/auto"
    explain --nodes 3 --ppn 1 >"$work/auto"
    has 'auto falls back: no node has more than one process' "$work/auto"
    explain --nodes 1 --ppn 4 >"$work/auto"
    has "the component's auto takes" "$work/auto"
    explain --nodes 1 --ppn 4 --bytes 32K >"$work/auto"
    has "the component's auto takes" "$work/auto"
    explain --coll allgather --nodes 1 --ppn 4 --bytes 32K >"$work/auto"
    has 'auto falls back: all processes share one node' "$work/auto"
}

# auto knows of the plans of all ranks only the most that any sends or receives.
neighbours_are_explained() {
    local estimate
    explain --coll neighbor_alltoall --graph stencil --nodes 8 --ppn 8 --bytes 64 >"$work/auto"
    cat "$work/auto"
    has 'neighbor_alltoall of 64 bytes for each neighbour, 64 ranks on 8 nodes, ' "$work/auto"
    has '--graph stencil: 936 edges, up to 26 to or from a rank, between 32 pairs of nodes' "$work/auto"
    rows "$work/auto" | awk '{ print $1, $2 }' | sort | diff - <(times --coll neighbor_alltoall --graph stencil --nodes 8 --ppn 8 --bytes 64)
    grep -xE '    direct: [0-9.]+ us(, the least)?; messages \(blocks\): 21 \(21\) between nodes, 5 \(5\) inside' "$work/auto"
    grep -E '^    coalesced: [0-9.]+ us(, the least)?; messages \(blocks\): 1 \(40\) between nodes, ' "$work/auto"
    # the least one is taken
    estimate=$(sed -nE 's/^    ([a-z]+): ([0-9.]+) us, the least.*/\1 \2/p' "$work/auto")
    [ "$(auto "$work/auto")" = "$estimate" ]
    explain --coll neighbor_alltoallv --graph power-law --nodes 8 --ppn 8 >"$work/auto"
    has 'Logged (coll_napcoll_verbose 1) as: neighbor_alltoallv of 0 to 8 bytes by ' "$work/auto"
    explain --coll neighbor_allgather --nodes 8 --ppn 8 --rank 3 >"$work/auto"
    has 'neighbor_allgather of 8 bytes of each rank, 64 ranks' "$work/auto"
    has 'rank 3: blocks to 6 and from 6 neighbours' "$work/auto"
    # nothing can be coalesced
    explain --coll neighbor_alltoall --nodes 8 --ppn 1 >"$work/auto"
    rows "$work/auto" | grep '^coalesced .* cannot do this: no node has more than one process$'
    has 'auto takes direct' "$work/auto"
    echo 'neighbor_alltoall nodes=8 bytes=..64 -> direct' >"$work/a.rules"
    explain --coll neighbor_alltoall --nodes 8 --ppn 8 --rules "$work/a.rules" >"$work/auto"
    has "Line 1 of $work/a.rules decides: the component takes direct" "$work/auto"
}

# On a machine that was not measured auto tries nothing with more messages than a binomial tree has.
structures_are_told() {
    explain --coll reduce --nodes 16 --ppn 4 --bytes 32K --processors 2 >"$work/auto"
    grep '^lane: not tried: it has more messages or bytes than auto takes on a machine that was not measured$' "$work/auto"
    (! grep "component's auto takes lane" "$work/auto")
    explain --coll reduce --nodes 16 --ppn 4 --bytes 32K >"$work/auto"
    (! grep 'not tried: it has more' "$work/auto")
}

long_plans_are_left_out() {
    explain --coll allgather --nodes 256 --ppn 16 >"$work/long"
    rows "$work/long" | grep '^ring  *-  *-  its plans have too many steps to be simulated$'
    rows "$work/long" | grep '^locality_bruck  *[0-9]'
    (! grep -x ring "$work/long")
    simulate --coll allgather --nodes 256 --ppn 16 --algorithm ring |
        grep 'any  ring  *-  its plans have too many steps to be simulated$'
}

mistakes_are_refused() {
    local machine=(--machine bluewaters.conf)
    refused '--machine: missing' explain
    refused '--bytes 8:64: expected a number' explain "${machine[@]}" --bytes 8:64
    refused '--nodes 1:4: expected a number' explain "${machine[@]}" --nodes 1:4
    refused '--rank 8: there are 8 ranks' explain "${machine[@]}" --nodes 2 --rank 8
    refused '--algorithm: not an option of explain' explain "${machine[@]}" --algorithm nap
    refused '--segments: not an option of explain' explain "${machine[@]}" --segments 2
    refused '--bytes: barrier has no data' explain "${machine[@]}" --coll barrier --bytes 8
    refused '--root 12: there are 12 ranks' explain "${machine[@]}" --coll reduce --nodes 3 --root 12
    refused '--provider delegate: expected own' explain "${machine[@]}" --provider delegate
    refused '--provider delegate: expected own' explain "${machine[@]}" --provider delegate --closed-form
    refused '--closed-form: expected one number as --ppn' explain "${machine[@]}" --closed-form --ppn 3,2
    refused '--closed-form: expected one number as --ppn' explain "${machine[@]}" --closed-form --map cyclic
    refused '--closed-form: expected one number as --ppn' explain "${machine[@]}" --closed-form --ranks 7
    refused 'expected at most 262144' explain "${machine[@]}" --nodes 16385 --ppn 16 --map cyclic
}

# Slots and memory of blocks in transit; and which blocks go straight, where each has a size of its own.
all_to_alls_say_memory_and_limits() {
    local dear=$work/dear.conf coll
    sed 's/process_gap_us = 0$/process_gap_us = 20/' "$src/ompi/tools/napcoll/machines/bluewaters.conf" >"$dear"
    for coll in alltoall alltoallv alltoallw; do
        "$plan" explain --machine "$dear" --coll $coll --nodes 16 --ppn 8 --bytes 64 >"$work/many"
        explain --coll $coll --nodes 2 --ppn 4 --bytes 64 >"$work/few"
        has "$coll of 64 bytes for each rank, 128 ranks" "$work/many"
        has 'Memory of a process:' "$work/many"
        grep -qE '^tuna_coalesced +[0-9]+ slots, [0-9]+ bytes for blocks in transit; plan of [0-9]+ bytes$' "$work/many"
        has "the component's auto takes" "$work/many"
        case $coll in
            alltoall) lacks ' straight to their ranks.' "$work/many" ;;
            alltoallv | alltoallw)
                grep -qE '^Blocks of up to [0-9]+ bytes go through its rounds, larger ones straight to their ranks.$' "$work/many"
                grep -qE '^While no rank sends more than [0-9]+ blocks through the rounds, later calls send all straight.$' \
                    "$work/many"
                ;;
        esac
    done
    "$plan" explain --machine "$dear" --coll gatherv --nodes 16 --ppn 8 --bytes 64 >"$work/many"
    has ' go through its rounds, larger ones straight' "$work/many"
    lacks 'later calls send all' "$work/many"
}

# Pieces by the thresholds, and what auto does not try because of them.
gathers_and_scatters_say_pieces_and_thresholds() {
    explain() {
        "$plan" explain --machine bluewaters.conf --nodes 16 "$@" >"$work/out"
    }
    explain --coll gather --ppn 4 --bytes 8192 --root 9
    has 'gather of 8192 bytes of each rank, 64 ranks' "$work/out"
    grep -qE '^segmented .* 2 pieces; ' "$work/out"
    grep -qE '^two_level +[0-9]+ slots, [0-9]+ bytes for blocks in transit' "$work/out"
    grep -qE "component's auto takes (two_level|binomial|segmented|credit) " "$work/out"
    has 'Because of gather_m1 and gather_m2 it tries no algorithm' "$work/out"
    explain --coll gather --ppn 1 --bytes 64K
    grep -qE '^segmented .* 13 pieces; ' "$work/out"
    grep -qE '^credit .* window=2; ' "$work/out"
    explain --coll gather --ppn 1 --bytes 128K
    lacks ' pieces; ' "$work/out"
    lacks 'Because of' "$work/out"
    explain --coll scatter --ppn 1 --bytes 256K
    has 'scatter of 262144 bytes for each rank, 16 ranks' "$work/out"
    grep -qE '^segmented .* 5 pieces; ' "$work/out"
    has 'Because of scatter_s it tries no algorithm' "$work/out"
}

# explain takes thresholds and rules from the parameter file.
other_parameters_of_the_machine_count() {
    local conf=$work/own.conf
    own() {
        "$plan" explain --machine "$conf" --nodes 8 --ppn 4 --bytes 64 "$@" >"$work/out"
    }
    {
        cat "$src/ompi/tools/napcoll/machines/bluewaters.conf"
        printf '%s\n' 'coll_napcoll_gather_m1 = 0' '  coll_napcoll_gather_m2=0 '
    } >"$conf"
    own --coll gatherv
    has "the component's auto takes" "$work/out"
    echo 'coll_napcoll_gather_m1 = 48' >>"$conf"
    echo 'coll_napcoll_gather_m2 = 4096' >>"$conf"
    own --coll gather
    has 'Because of gather_m1 and gather_m2 it tries no algorithm' "$work/out"
    echo 'gather -> linear' >"$work/own.rules"
    echo "coll_napcoll_rules_file = $work/own.rules" >>"$conf"
    own --coll gather
    has "Line 1 of $work/own.rules decides: the component takes linear" "$work/out"
    own --coll gather --rules ''
    lacks 'Line 1' "$work/out"
    mv "$work/own.rules" "$work/other.rules"
    own --coll gather --rules "$work/other.rules"
    has "Line 1 of $work/other.rules decides" "$work/out"
    refuses "coll_napcoll_rules_file = $work/own.rules: cannot be opened" own --coll gather
    # a relative name is one of the parameter file's folder, else of the current one
    sed -i "s|^coll_napcoll_rules_file = .*|coll_napcoll_rules_file = own.rules|" "$conf"
    refuses "coll_napcoll_rules_file = $work/own.rules or $PWD/own.rules: cannot be opened" own --coll gather
    mv "$work/other.rules" "$work/own.rules"
    own --coll gather
    has "Line 1 of $work/own.rules decides: the component takes linear" "$work/out"
    # through node memory, where the file does not rule it out
    sed -i 's/^\(coll_napcoll_machine_node_memory_latency_us\) = .*/\1 = 0.25/' "$conf"
    own --coll allreduce
    column 2 "$work/out" >"$work/through_memory"
    echo 'coll_napcoll_node_memory = no' >>"$conf"
    own --coll allreduce
    (! column 2 "$work/out" | diff -q - "$work/through_memory")
    own --coll allreduce --nodes 1
    has 'auto falls back: all processes share one node' "$work/out"
    echo 'coll_napcoll_node_memory = maybe' >>"$conf"
    refuses 'coll_napcoll_node_memory = maybe: expected true or false' own --coll allreduce
    sed -i '/^coll_napcoll_node_memory/d' "$conf"
    echo 'coll_napcoll_scatter_s = 1x' >>"$conf"
    refuses 'coll_napcoll_scatter_s = 1x: expected a number of bytes' own --coll scatter
}

# auto does not take pairwise exchange where it is only a little faster.
lockstep_that_gains_little_is_said() {
    local late=$work/late.conf
    sed 's/^\(coll_napcoll_machine_network_.*_latency_us\) = .*/\1 = 300/' \
        "$src/ompi/tools/napcoll/machines/bluewaters.conf" >"$late"
    "$plan" explain --machine "$late" --coll alltoall --nodes 8 --ppn 8 --bytes 1M >"$work/late"
    cat "$work/late"
    rows "$work/late" | head -n 1 | grep '^pairwise .*  chosen: '
    has "the component's auto takes linear" "$work/late"
    has 'It would take pairwise, whose steps wait for one another, if that gained a tenth.' "$work/late"
    explain --coll alltoall --nodes 8 --ppn 8 --bytes 1M >"$work/soon"
    has "the component's auto takes pairwise" "$work/soon"
    lacks 'It would take' "$work/soon"
}

# plans_of_a_file_are_compared: they are one algorithm more, which rules can name.
plans_of_a_file_are_compared() {
    local file=$work/mine.plans ring
    "$plan" export --algorithm ring --nodes 2 --ppn 2 --name mine --output "$file"
    explain --nodes 2 --ppn 2 --bytes 64K >"$work/without"
    explain --bytes 64K "$file" >"$work/with"
    cat "$work/with"
    lacks 'file:' "$work/without"
    ring=$(column 2 "$work/with" | sed -n 's/^ring //p')
    [ -n "$ring" ] && column 2 "$work/with" | grep -x "file:mine $ring"
    column 2 "$work/without" | diff - <(column 2 "$work/with" | grep -v '^file:')
    # auto never takes them by itself
    [ "$(tail -n 1 "$work/with")" = "$(tail -n 1 "$work/without")" ]
    printf 'allreduce bytes=1K.. -> file:mine\n' >"$work/mine.rules"
    explain --bytes 64K --rules "$work/mine.rules" "$file" >"$work/ruled"
    has "Line 1 of $work/mine.rules decides: the component takes file:mine" "$work/ruled"
    has 'bytes by file:mine, by line 1 of the rules file' "$work/ruled"
    explain --nodes 2 --ppn 2 --bytes 64K --rules "$work/mine.rules" >"$work/ruled"
    has "Line 1 of $work/mine.rules matches, but is skipped: the plans file has no plan of that name" "$work/ruled"
    refused 'has no plans of that name' explain --machine bluewaters.conf --name other "$file"
}

tests=(choice_is_the_least_of_simulate choice_of_closed_forms_is_the_least_of_simulate
    both_times_are_shown_where_there_are_both ratios_are_those_of_the_times
    too_many_ranks_have_closed_forms_only what_an_algorithm_cannot_do_is_said plans_are_counted
    rank_is_shown_as_by_show component_is_asked segments_are_named sizes_and_reasons_are_said
    structures_are_told neighbours_are_explained long_plans_are_left_out all_to_alls_say_memory_and_limits
    gathers_and_scatters_say_pieces_and_thresholds lockstep_that_gains_little_is_said other_parameters_of_the_machine_count
    mistakes_are_refused plans_of_a_file_are_compared)
tap_plan ${#tests[@]}
for test in "${tests[@]}"; do
    tap "$test" "$test"
done
tap_end
