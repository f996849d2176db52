#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# `napcoll-plan verify` as users call it: one placement, ranges, samples, mistakes.

set -euo pipefail

# shellcheck source=tests/build/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

usage() {
    cat <<'END_USAGE'
Usage: tests/build/verify.sh [--wide [PATTERN]]

Runs napcoll-plan verify of the build folder (NAPCOLL_BUILD, else build/); prints TAP.

  --wide   instead, prove every algorithm of every collective on 1 to 64 nodes with 1 to 16 processes
           each, on uneven nodes and on random placements, and TuNA with every radix on up to 128
           processes and on up to 8 nodes of up to 8; takes long. PATTERN: only those whose
           "COLLECTIVE ALGORITHM" contains it (a shell pattern). Each sweep prints placements, plans
           and messages to standard error; a comment after each algorithm has the sums
  --help   this text
END_USAGE
}

wide=no
if [ "${1:-}" = --wide ]; then
    wide=yes
    pattern=${2:-}
    shift $(($# > 1 ? 2 : 1))
fi
only_help "$@"

plan=$build/bin/napcoll-plan
[ -x "$plan" ] || tap_skip_all "no napcoll-plan in $build"

verify() {
    "$plan" verify "$@"
}

# proved COLLECTIVE ALGORITHM PLANS ARGUMENT...: verify proves this number of plans, with the messages that
# show lists.
proved() {
    local name=(--coll "$1" --algorithm "$2") right="$1 $2: ok; $3 plans" messages
    shift 3
    messages=$("$plan" show "${name[@]}" "$@" | grep -c '^ *send ')
    verify "${name[@]}" "$@" >"$work/out"
    cat "$work/out"
    grep -qxF -e "$right, $messages messages" "$work/out"
}

# algorithms: "COLLECTIVE ALGORITHM" of all, one a line.
algorithms() {
    "$plan" list | awk '/^[a-z]/ { collective = $1 } /^  [a-z]/ { print collective, $1 }'
}

# sum_up ARGUMENT...: sets `sums` to the "PLACEMENTS PLANS MESSAGES" that verify proved; fails where any is broken.
# There are hundreds of calls, so that it starts no other process.
sum_up() {
    local text
    text=$(verify "$@") || {
        echo "$text" >&2
        return 1
    }
    if [[ $text =~ ': '([0-9]+)' placements proved, 0 broken, '.*'; '([0-9]+)' plans, '([0-9]+)' messages'$ ]]; then
        sums=${BASH_REMATCH[*]:1}
    elif [[ $text =~ ': ok; '([0-9]+)' plans, '([0-9]+)' messages'$ ]]; then
        sums="1 ${BASH_REMATCH[*]:1}"
    else
        echo "$text" >&2
        return 1
    fi
}

# each_of PATTERN ARGUMENT...: every algorithm whose "COLLECTIVE ALGORITHM" matches the regular expression is proved
# on at least one placement of a range, and broken on none.
each_of() {
    local which=$1 collective algorithm seen=0
    shift
    while read -r collective algorithm; do
        sum_up --coll "$collective" --algorithm "$algorithm" --jobs 2 "$@" || {
            echo "$collective $algorithm: broken"
            return 1
        }
        echo "$collective $algorithm $*: $sums"
        [[ $sums != 0\ * ]]
        seen=$((seen + 1))
    done < <(algorithms | grep -xE -e "$which")
    [ "$seen" -gt 0 ]
}

every_collective_is_proved() {
    local map
    [ "$(algorithms | cut -d ' ' -f 1 | sort -u | wc -l)" = 22 ]
    for map in block cyclic random:1; do
        each_of '.*' --nodes 1:6 --ppn 1:4 --map "$map"
    done
    each_of '.*' --nodes 1:6 --ppn 3,1,2
    each_of '(all|reduce|scan|exscan).*' --nodes 1:6 --ppn 1:4 --in-place
}

roots_other_than_the_first_are_proved() {
    local map
    for map in block cyclic; do
        each_of '(reduce|bcast|gatherv?|scatterv?) .*' --nodes 2:6 --ppn 1:4 --map "$map" --root 1
        each_of '(reduce|bcast|gatherv?|scatterv?) .*' --nodes 6 --ppn 1:4 --map "$map" --root 5
        each_of '(gatherv?|scatterv?) .*' --nodes 4:6 --ppn 3,1,2 --map "$map" --root 6
        each_of 'reduce .*' --nodes 4:6 --ppn 3,1,2 --map "$map" --root 6 --in-place
        each_of 'bcast .*' --nodes 4:6 --ppn 3,1,2 --map "$map" --root 6
    done
}

orders_and_brackets_are_proved() {
    local any='allreduce|reduce|scan|exscan'
    each_of "(allreduce|reduce) (nap|smp|tree|binomial|rabenseifner|gathered|recursive_doubling)" \
        --nodes 1:6 --ppn 1:4 --noncommutative
    each_of "(exscan|scan) .*|reduce_scatter(_block)? pairwise" --nodes 1:6 --ppn 1:4 --noncommutative
    each_of "($any)[a-z_]* (tree|binomial|rabenseifner|gathered|pairwise)" --nodes 1:6 --ppn 1:4 --map cyclic \
        --noncommutative --reproducible
    each_of 'allreduce recursive_doubling' --nodes 1:6 --ppn 1:4 --map cyclic --noncommutative --reproducible
}

parameters_are_proved() {
    local radix segments between
    for segments in 2 3 8; do
        each_of '(allreduce|reduce) (ring|lane|.*circulant)' --nodes 1:6 --ppn 1:4 --segments "$segments"
        each_of 'bcast (binary|bine|binomial|chain|two_level|lane|.*circulant)' --nodes 1:6 --ppn 1:4 --root 0 --segments "$segments"
    done
    for between in flat binomial chain binary scatter_allgather knomial; do
        each_of 'bcast two_level' --nodes 2:7 --ppn 3,2 --root 2 --segments 3 --tunable "between=$between"
    done
    for between in chain knomial; do
        each_of 'bcast lane' --nodes 2:7 --ppn 3,2 --root 2 --segments 3 --tunable "$between"
    done
    each_of 'bcast scatter_allgather' --nodes 2:17 --ppn 1,2 --root 2 --tunable doubling
    each_of '(gatherv?|scatterv?) (segmented|credit)' --nodes 2:9 --ppn 1,2 --segments 5 --tunable 3
    each_of 'alltoall.? linear' --nodes 2:9 --ppn 1,2 --tunable 3
    each_of 'bcast nap' --nodes 2:17 --ppn 1,2 --root 2 --tunable lanes=1,k_ports=3
    for radix in 2 3; do
        each_of '.* (nap|smp|locality|locality_bruck)' --nodes 1:6 --ppn 1:4 --local-radix "$radix"
        each_of 'alltoall.? tuna' --nodes 1:6 --ppn 4,2,3 --map cyclic --tunable "radix=$radix,burst=1"
        each_of 'alltoall.? tuna_(coalesced|staggered)' --nodes 1:5 --ppn 4:6 --tunable "radix=$radix,block_count=$radix"
        each_of 'alltoall.? tuna_two_level' --nodes 5:9 --ppn 2:4 --local-radix 3 --tunable "radix=$radix,burst=1"
        each_of '.* (nap|bruck|locality|locality_bruck)|reduce_.* pairwise|(allreduce|reduce) lane' --nodes 1:6 --ppn 1:4 --tunable "$radix"
    done
}

plans_are_those_of_show() {
    proved allreduce nap 40 --nodes 10 --local-radix 4
    proved allreduce smp 14 --ranks 14 --ppn 5,5,1,4 --map cyclic
    proved allreduce recursive_doubling 64 --nodes 8 --ppn 8
    proved allreduce nap 15 --ranks 15 --ppn 3,2,1 --provider delegate --map random:3
    proved reduce smp 15 --ranks 15 --ppn 3,2,1 --leader-provider delegate --root 4 --map random:3
    proved allreduce lane 18 --nodes 6 --ppn 3 --segments 4
    proved reduce nap 12 --nodes 3 --root 7
    proved barrier nap 12 --nodes 3
    proved allgather locality_bruck 12 --nodes 3
    proved allgatherv lane_ring 5 --ranks 5 --ppn 2,1
    proved reduce_scatter pairwise 5 --ranks 5 --ppn 2,1
    proved reduce_scatter_block locality 12 --nodes 3 --map cyclic
    proved bcast nap 12 --nodes 3 --root 7
    proved bcast chain 12 --nodes 3 --root 7 --segments 5
    proved alltoall tuna_coalesced 12 --nodes 3
    proved alltoallv tuna 5 --ranks 5 --ppn 2,1 --tunable radix=3
    proved alltoallw tuna_staggered 12 --nodes 3 --map random:3
    proved alltoallv tuna_coalesced 12 --nodes 3
    proved alltoallv tuna_two_level 27 --nodes 9 --ppn 3 --map random:2 --tunable radix=3
    proved gather two_level 12 --nodes 3 --map cyclic --root 5
    proved gatherv binomial 5 --ranks 5 --ppn 2,1
    proved scatter credit 12 --nodes 3 --segments 3
    proved scatterv two_level 12 --nodes 3 --root 7
    proved scan nap 5 --ranks 5 --ppn 2,1
    proved exscan gathered 12 --nodes 3 --noncommutative --reproducible
    proved neighbor_alltoall coalesced 12 --nodes 3
    proved neighbor_allgatherv coalesced 15 --ranks 15 --ppn 3,2,1 --map random:3 --graph stencil
    proved neighbor_alltoallw direct 12 --nodes 3 --graph random --degree 3 --seed 2 --tunable requests=2
}

# As a sparse matrix has: few ranks have many neighbours.
graphs_are_proved() {
    local graph
    verify --coll neighbor_alltoall --graph power-law --nodes 64 --ppn 16 >"$work/out"
    cat "$work/out"
    grep -xE 'neighbor_alltoall coalesced: ok; 1024 plans, [0-9]+ messages' "$work/out"
    proved neighbor_alltoall direct 1024 --nodes 64 --ppn 16 --graph power-law
    for graph in torus stencil 'random --degree 5 --seed 3' 'power-law --degree 4'; do
        # shellcheck disable=SC2086 # a graph with its options
        each_of 'neighbor.*' --nodes 2:7 --ppn 1:4 --map random:2 --graph $graph
    done
    # in a file an edge may be there twice, or lead from a rank to itself
    printf '0 1\n0 1 # again\n5 0\n2 2\n' >"$work/a.edges"
    each_of 'neighbor.*' --nodes 3:6 --ppn 2:3 --graph "$work/a.edges"
    proved neighbor_alltoall direct 6 --nodes 3 --ppn 2 --graph "$work/a.edges"
    proved neighbor_alltoall coalesced 6 --nodes 3 --ppn 2 --graph "$work/a.edges"
}

# messages between the nodes of a file's edges: direct one for each edge, coalesced one for each pair of nodes
every_command_takes_a_graph() {
    local file=(--coll neighbor_alltoall --nodes 3 --ppn 2 --graph "$work/a.edges")
    printf '0 2\n0 3\n1 2\n4 1\n' >"$work/a.edges"
    "$plan" links "${file[@]}" --algorithm direct | grep -F '4 messages, 4 of them between nodes'
    "$plan" links "${file[@]}" | tee "$work/out"
    grep -F 'neighbor_alltoall coalesced --graph' "$work/out" | grep -F ' 2 of them between nodes'
    "$plan" show "${file[@]}" --rank 0 --algorithm direct | grep -F 'blocks to 2 and from 0 neighbours'
    [ "$("$plan" show "${file[@]}" --algorithm direct | grep -c '^ *send ')" = 4 ]
    "$plan" draw "${file[@]}" --algorithm direct >"$work/a.svg"
    [ "$(grep -c 'class="message inter"' "$work/a.svg")" = 4 ]
    grep -F -- "--graph $work/a.edges" "$work/a.svg"
    "$plan" goal "${file[@]}" --algorithm direct --bytes 16 >"$work/a.goal"
    [ "$(grep -c ': send 16b to ' "$work/a.goal")" = 4 ]
    grep -F -- "--graph $work/a.edges" "$work/a.goal"
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

# on_terminal COMMAND: its output on a terminal, a step of the progress line a line.
on_terminal() {
    script -qec "$1" /dev/null </dev/null | tr '\r' '\n' || true
}

# The progress line appears on terminals only, after two seconds, unless it is forced or forbidden. One placement has a
# line, too. Nothing of the line stays.
progress_is_for_terminals() {
    local long="timeout 4 $plan verify --nodes 2:600 --ppn 2:40"
    verify --nodes 1:4 --ppn 1:4 >"$work/out" 2>"$work/err"
    [ ! -s "$work/err" ] && [ "$(wc -l <"$work/out")" = 1 ]
    on_terminal "$plan verify --nodes 1:4 --ppn 1:4" >"$work/short"
    (! grep 'of 16 placements' "$work/short")
    on_terminal "$long" >"$work/long"
    cat "$work/long"
    grep -E '^\[#* *\] [0-9]+ of 23361 placements, [0-9:]+ (s|min) (left|so far)' "$work/long"
    on_terminal "NAPCOLL_PROGRESS=0 $long" >"$work/none"
    (! grep 'of 23361 placements' "$work/none")
    NAPCOLL_PROGRESS=1 verify --nodes 1:4 --ppn 4 2>&1 | tr '\r' '\n' >"$work/forced"
    grep -E '^\[#{16}\] 4 of 4 placements, 0 s so far' "$work/forced"
    tail -n 2 "$work/forced" | head -n 1 | grep -E '^ +$'
    NAPCOLL_PROGRESS=1 verify --nodes 3 --ppn 4 2>&1 >/dev/null | tr '\r' '\n' | grep -E '^[0-9]+ plans, 0 s so far'
}

thirty_two_thousand_ranks_take_little_memory() {
    (
        ulimit -v 2097152
        timeout 120 "$plan" verify --coll scan --algorithm nap --nodes 2048 --ppn 16 >"$work/out"
    )
    cat "$work/out"
    grep '^scan nap: ok; 32768 plans, ' "$work/out"
}

# More ranks than are proved one by one; what would take too much memory is refused.
many_ranks_are_proved_in_rounds() {
    (
        ulimit -v 2097152
        timeout 120 "$plan" verify --nodes 24576 --ppn 12 --jobs 2
        timeout 120 "$plan" verify --algorithm circulant --nodes 24576 --ppn 12 --jobs 2
        timeout 120 "$plan" verify --coll bcast --algorithm lane_circulant --nodes 24576 --ppn 12 --jobs 2
        timeout 120 "$plan" verify --coll reduce --algorithm circulant --nodes 24576 --ppn 12 --segments 2 --jobs 2
    ) >"$work/out"
    cat "$work/out"
    grep -x 'allreduce nap: ok; 294912 plans, [0-9]* messages' "$work/out"
    grep -x 'allreduce circulant: ok; 294912 plans, [0-9]* messages' "$work/out"
    grep -x "bcast lane_circulant: ok; 294912 plans, $((294911 * 12)) messages" "$work/out"
    grep -x "reduce circulant: ok; 294912 plans, $((294911 * 2)) messages" "$work/out"
    refused 2 'expected at most 262144 ranks in all, for plans like these' --algorithm smp --provider delegate --nodes 24576 \
        --ppn 12 --jobs 2
}

# What a symmetry proves: 131072 ranks, of which each gets 131072 blocks, and TuNA's lists.
like_plans_are_proved_by_a_few() {
    (
        ulimit -v 2097152
        timeout 120 "$plan" verify --coll allgather --algorithm bruck --nodes 8192 --ppn 16
        timeout 120 "$plan" verify --coll alltoall --algorithm tuna_two_level --nodes 512 --ppn 16
    ) >"$work/out"
    cat "$work/out"
    grep -qx 'allgather bruck: ok; 131072 plans, 2228224 messages' "$work/out"
    grep -qx 'alltoall tuna_two_level: ok; 8192 plans, [0-9]* messages' "$work/out"
    refused 2 'expected at most 262144 ranks in all, for plans like these' \
        --coll allgather --algorithm smp --nodes 32768 --ppn 16
}

samples_depend_on_all_contributions() {
    (
        ulimit -v 2097152
        timeout 120 "$plan" verify --nodes 8192 --ppn 16 --sample 2 >"$work/out"
    )
    cat "$work/out"
    grep '^allreduce nap: ok; results of 2 ranks, which depend on 131072 plans, ' "$work/out"
}

# refused STATUS TEXT ARGUMENT...: exit status, TEXT on standard error, no output.
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
    refused 2 'expected at most 262144 ranks in all (--sample takes more)' --coll scan --nodes 32768 --ppn 16
    refused 2 'expected at most 1048576 ranks in all' --nodes 131072 --ppn 16 --sample 1
    refused 2 '--sample 0: expected a number from 1' --sample 0
    refused 2 '--jobs 0: expected a number from 1' --jobs 0
    refused 2 '--machine: not an option of verify' --machine bluewaters.conf
    refused 2 '--coll allwork: expected allreduce, reduce, ' --coll allwork
    refused 2 '--algorithm ring: reduce has no such algorithm' --coll reduce --algorithm ring
    refused 2 '--root -1: expected a number from 0' --coll reduce --root -1
    refused 2 '--root 3: scan has no root' --coll scan --root 3
    refused 2 '--root 8: there are 8 ranks' --coll reduce --nodes 2 --root 8
    refused 2 '--root 1: there is 1 rank' --coll reduce --nodes 1:4 --ppn 1:4 --root 1
    refused 2 '--segments 0: expected a number from 1 to 1024' --algorithm ring --segments 0
    refused 2 '--segments 1025: expected a number from 1 to 1024' --algorithm ring --segments 1025
    refused 2 '--segments 2: allreduce nap cuts nothing into segments' --segments 2
    refused 2 '--noncommutative: barrier reduces nothing' --coll barrier --noncommutative
    refused 2 '--reproducible: allgather reduces nothing' --coll allgather --reproducible
    refused 2 '--in-place: barrier has no data' --coll barrier --in-place
    refused 1 "nap cannot do this: the algorithm's bits depend on which ranks share a node" --reproducible
    refused 1 'recursive_halving cannot do this: the algorithm needs a number of ranks that is a power of two' \
        --coll reduce_scatter --algorithm recursive_halving --nodes 3
    refused 1 'nap cannot do this: the ranks of some node are not contiguous' --coll scan --nodes 3 --map cyclic
    refused 2 '--map spiral: expected block, cyclic or random:SEED' --map spiral
    refused 1 'nap cannot do this: no node has more than one process' --nodes 4 --ppn 1
    refused 1 'smp cannot do this: the operation does not commute' --algorithm smp --nodes 3 --map cyclic --noncommutative
}

# ---- --wide ----

# widest ALGORITHM PPN: the most nodes of PPN processes; algorithms with O(P^2) messages are proved on up to 128 ranks.
widest() {
    case $1 in
        ring | gathered | pairwise | scatter_allgather | linear | tuna_staggered) echo $((128 / $2 < 64 ? 128 / $2 : 64)) ;;
        *) echo 64 ;;
    esac
}

# placements ALGORITHM: the arguments of verify for each sweep, one a line; sweeps are short to show progress.
placements() {
    local ppn list
    for ppn in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
        printf -- '--nodes 1:%s --ppn %s:%s\n' "$(widest "$1" $ppn)" $ppn $ppn
    done
    # uneven nodes, of up to 8 processes on average
    for list in 3,2,7 1,9,1,5 4,1,16,3,12; do
        printf -- '--nodes 1:%s --ppn %s --map block\n' "$(widest "$1" 8)" "$list"
        printf -- '--nodes 1:%s --ppn %s --map cyclic\n' "$(widest "$1" 8)" "$list"
        printf -- '--nodes 1:%s --ppn %s --map random:7\n' "$(widest "$1" 8)" "$list"
    done
    for ppn in 2 5 8; do
        printf -- '--nodes 1:%s --ppn %s --map random:11\n' "$(widest "$1" $ppn)" $ppn
    done
}

# radixes COLLECTIVE ALGORITHM: the arguments of verify for the sweeps over every radix of TuNA, one a line: on up to
# 128 ranks, and on up to 8 nodes of up to 8 processes.
radixes() {
    local radix
    case $2 in
        tuna) for radix in {2..128}; do echo "--nodes $radix:128 --ppn 1 --tunable radix=$radix"; done ;;
        tuna_*) for radix in {2..8}; do echo "--nodes 1:8 --ppn $radix:8 --tunable radix=$radix"; done ;;
    esac
}

# roots COLLECTIVE: one a line.
roots() {
    echo 0
    case $1 in reduce | bcast) printf '%s\n' 1 5 37 ;; esac
}

# rooted ROOT --nodes 1:MOST --ppn LIST ARGUMENT...: the same for the numbers of nodes that include the root, or
# nothing.
rooted() {
    local root=$1 most=${3#1:} list=$5 least=$(($1 + 1))
    case $list in
        *:*) least=$((root / ${list#*:} + 1)) ;;
    esac
    shift 3
    [ "$least" -gt "$most" ] || echo "--nodes $least:$most $*$([ "$root" = 0 ] || echo " --root $root")"
}

# wide_sweep COLLECTIVE ALGORITHM: proves it on all placements, and writes the numbers of placements, plans and
# messages to $work/wide.
wide_sweep() {
    local root line words
    : >"$work/sums"
    while read -r root; do
        while read -r line; do
            # shellcheck disable=SC2086 # they are words
            read -ra words < <(rooted "$root" $line) || continue
            sum_up --coll "$1" --algorithm "$2" "${words[@]}"
            echo "$1 $2 ${words[*]}: $sums" >&3
            echo "$sums" >>"$work/sums"
        done < <(placements "$2")
    done < <(roots "$1")
    while read -ra words; do
        sum_up --coll "$1" --algorithm "$2" "${words[@]}"
        echo "$1 $2 ${words[*]}: $sums" >&3
        echo "$sums" >>"$work/sums"
    done < <(radixes "$1" "$2")
    awk '{ placements += $1; plans += $2; messages += $3 }
        END { printf "%d placements, %d plans, %d messages\n", placements, plans, messages }' \
        "$work/sums" >"$work/wide"
    (! grep '^0 ' "$work/wide")
}

if [ "$wide" = yes ]; then
    # shellcheck disable=SC2254 # a pattern
    mapfile -t swept < <(algorithms | while read -r name; do
        case $name in *$pattern*) echo "$name" ;; esac
    done)
    [ ${#swept[@]} -gt 0 ] || tap_skip_all "no algorithm is called $pattern"
    exec 3>&2
    tap_plan ${#swept[@]}
    for name in "${swept[@]}"; do
        # shellcheck disable=SC2086 # two words
        tap "plans_of_${name/ /_}" wide_sweep $name
        echo "# $name: $(cat "$work/wide" 2>/dev/null || echo nothing)"
        rm -f "$work/wide"
    done
    tap_end
    exit
fi

tests=(plans_are_those_of_show graphs_are_proved every_command_takes_a_graph every_collective_is_proved roots_other_than_the_first_are_proved
    orders_and_brackets_are_proved parameters_are_proved ranges_sweep_over_placements threads_change_nothing
    progress_is_for_terminals thirty_two_thousand_ranks_take_little_memory many_ranks_are_proved_in_rounds samples_depend_on_all_contributions
    like_plans_are_proved_by_a_few mistakes_name_option_and_range)
tap_plan ${#tests[@]}
for test in "${tests[@]}"; do
    tap "$test" "$test"
done
tap_end
