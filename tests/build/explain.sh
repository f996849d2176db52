#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# `napcoll-plan explain` and the drawings of `napcoll-plan simulate --svg`.

set -euo pipefail

# shellcheck source=tests/build/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

usage() {
    cat <<'END_USAGE'
Usage: tests/build/explain.sh

Runs napcoll-plan explain and simulate --svg of the build folder (NAPCOLL_BUILD, else build/); prints
TAP. What needs gnuplot is skipped where there is none.
END_USAGE
}
only_help "$@"

plan=$build/bin/napcoll-plan
[ -x "$plan" ] || tap_skip_all "no napcoll-plan in $build"
unset NAPCOLL_MACHINES

explain() {
    "$plan" explain --machine bluewaters.conf "$@"
}

simulate() {
    "$plan" simulate --machine bluewaters.conf "$@"
}

# has TEXT FILE: some line of the file has the text.
has() {
    grep -qF -e "$1" "$2" || {
        echo "no '$1' in:"
        cat "$2"
        return 1
    }
}

# lacks TEXT FILE: no line of the file has the text.
lacks() {
    if grep -F -e "$1" "$2"; then
        return 1
    fi
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

# refused TEXT COMMAND ARGUMENT...: exit status 2, TEXT on standard error, no output.
refused() {
    local text=$1 rc=0
    shift
    "$plan" "$@" >"$work/out" 2>"$work/err" || rc=$?
    cat "$work/err"
    [ "$rc" = 2 ] && grep -qF -e "$text" "$work/err" && [ ! -s "$work/out" ]
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

# ---- drawings ----

# drawings PREFIX: the files with this prefix, without it.
drawings() {
    local file
    for file in "$1"*; do
        [ ! -e "$file" ] || printf '%s ' "${file#"$1"}"
    done
}

# fake_gnuplot SCRIPT: a script in place of gnuplot.
fake_gnuplot() {
    mkdir -p "$work/fake"
    printf '#!/bin/sh\n%s\n' "$1" >"$work/fake/gnuplot"
    chmod +x "$work/fake/gnuplot"
}

# unwritable MESSAGE ARGUMENT...: simulate ends with this one message, status 1 and an empty standard output: nothing was
# simulated.
unwritable() {
    local message=$1 rc=0
    shift
    PATH=$work/fake:$PATH "$plan" simulate "$@" >"$work/out" 2>"$work/err" || rc=$?
    cat "$work/err"
    [ "$rc" = 1 ] && [ "$(wc -l <"$work/err")" = 1 ] && [ ! -s "$work/out" ]
    has "napcoll-plan: $message" "$work/err"
}

drawings_need_ranges() {
    refused '--svg '"$work/none"': expected a range' simulate --machine netlab.conf --nodes 4 --bytes 8 \
        --svg "$work/none"
    fake_gnuplot 'cat; echo "</svg>"'
    unwritable "--svg /nowhere/a-processes.svg: cannot be written (No such file or directory); make its folder" \
        --machine netlab.conf --nodes 1:4 --svg /nowhere/a
    [ -z "$(drawings "$work/none")" ]
}

# The scripts have the data of the CSV file.
data_of_drawings_are_the_times() {
    fake_gnuplot 'cat; echo "</svg>"'
    PATH=$work/fake:$PATH simulate --nodes 1:64 --ppn 8 --bytes 8:64K --csv "$work/a.csv" \
        --svg "$work/data" >/dev/null
    [ "$(drawings "$work/data")" = '-crossover.svg -processes.svg -size.svg ' ]
    awk -F, '$3 == 64 { printf "%d %s\n", $5, $6 }' "$work/a.csv" |
        diff - <(grep '^[0-9]' "$work/data-size.svg" | cut -d ' ' -f 1,2)
    awk -F, '$5 == 8 { print $3 * $4, $6, $2 }' "$work/a.csv" | sort -k 3 | cut -d ' ' -f 1,2 | sort |
        diff - <(grep '^[0-9]' "$work/data-processes.svg" | cut -d ' ' -f 1,2 | sort)
    # Each point is in one cell, of the fastest algorithm.
    awk 'FNR == 1 { file++ }
        file == 1 { split($0, f, ","); if (f[3] + 0 == 0) next; point = f[3] " " f[5]
            if (!(f[2] in row)) row[f[2]] = rows++
            if (!(point in least) || f[6] < least[point]) { least[point] = f[6]; best[point] = row[f[2]] } }
        file == 2 && /^\$data/ { block = substr($1, 6) }
        file == 2 && /^[0-9]/ { for (point in best) { split(point, at, " ")
            if ($3 < at[1] && at[1] < $4 && $5 < at[2] && at[2] < $6) {
                found[point]++; used[block] = 1
                if (block != best[point]) { print point " in a cell of " block; bad = 1 } } } }
        END { for (point in best) if (found[point] != 1) { print point ": " found[point] + 0 " cells"; bad = 1 }
            print length(best) " points, " length(used) " algorithms"
            exit bad || length(best) != 98 || length(used) < 2 }' "$work/a.csv" "$work/data-crossover.svg"
}

missing_gnuplot_is_said() {
    local rc=0
    mkdir -p "$work/empty"
    PATH=$work/empty "$plan" simulate --machine netlab.conf --nodes 1:4 --svg "$work/missing" \
        >"$work/out" 2>"$work/err" || rc=$?
    cat "$work/err"
    [ "$rc" = 1 ]
    has "--svg $work/missing-processes.svg: gnuplot is missing; install it (Debian: gnuplot-nox), or use --csv" "$work/err"
    [ ! -s "$work/out" ]
    [ -z "$(drawings "$work/missing")" ]
}

failing_gnuplot_leaves_nothing() {
    local rc what
    # It ends with an error, and says why below the place; or it forgets the end of the picture.
    for what in 'printf "  ^\\n line 3: no terminal\\n" >&2; exit 3' 'exit 0'; do
        fake_gnuplot "[ \"\$1\" != --version ] || exit 0; echo '<svg>'; $what"
        rc=0
        PATH=$work/fake:$PATH "$plan" simulate --machine netlab.conf --nodes 1:4 --svg "$work/half" \
            >"$work/out" 2>"$work/err" || rc=$?
        cat "$work/err"
        [ "$rc" = 1 ] && [ "$(wc -l <"$work/err")" = 1 ]
        case $what in
            *3) has "--svg $work/half-processes.svg: gnuplot failed: line 3: no terminal" "$work/err" ;;
            *) has "--svg $work/half-processes.svg: gnuplot failed: no whole picture" "$work/err" ;;
        esac
        [ -z "$(drawings "$work/half")" ]
    done
}

# What gnuplot says of a good picture reaches nobody; a disk that fills up leaves the old picture.
full_disks_leave_no_picture() {
    local rc=0
    # shellcheck disable=SC2016 # for the script
    fake_gnuplot 'echo "warning: odd" >&2; [ "$1" = --version ] || { head -c 100000 /dev/zero | tr "\0" "\n"; cat; echo "</svg>"; }'
    mkdir "$work/disk"
    mount -t tmpfs -o size=16k tmpfs "$work/disk" 2>/dev/null || {
        echo "tmpfs cannot be mounted here: not tested"
        return 0
    }
    echo old >"$work/disk/a-processes.svg"
    PATH=$work/fake:$PATH "$plan" simulate --machine netlab.conf --nodes 1:4 --svg "$work/disk/a" >"$work/out" \
        2>"$work/err" || rc=$?
    cat "$work/err"
    ls -A "$work/disk" >"$work/left"
    grep -x old "$work/disk/a-processes.svg"
    umount "$work/disk"
    [ "$rc" = 1 ] && [ "$(cat "$work/left")" = a-processes.svg ] && [ "$(wc -l <"$work/err")" = 1 ]
    has "--svg $work/disk/a-processes.svg: cannot be written (No space left on device); free some space" "$work/err"
}

# Where an algorithm takes too long to be simulated, none is called the fastest; the line of the algorithm is
# without points.
unknown_cells_are_marked() {
    fake_gnuplot 'cat; echo "</svg>"'
    PATH=$work/fake:$PATH simulate --coll alltoall --nodes 16:4608:x288 --ppn 1 --bytes 8:16 --svg "$work/large" >"$work/out"
    cat "$work/out" "$work/large-crossover.svg" "$work/large-size.svg"
    grep '^ *4608 .* pairwise .* its plans have too many steps to be simulated' "$work/out"
    # the last line is of the cells: those of 4608 nodes, and no others
    has "title 'not simulated'" "$work/large-crossover.svg"
    awk '/^\$data/ { block = $1 } /^[0-9]/ { in_block[$1] = in_block[$1] " " block }
        END { exit in_block[4608] != " " block " " block || in_block[16] ~ "\\" block }' "$work/large-crossover.svg"
    has "fs pattern 4 border lc rgb '#8c8c8c' lc rgb '#8c8c8c' title 'not simulated'" "$work/large-crossover.svg"
    has "title 'pairwise (not simulated)'" "$work/large-size.svg"
    # Where no algorithm was simulated on the most nodes, the picture is of fewer.
    PATH=$work/fake:$PATH simulate --coll allgather --algorithm ring --nodes 64:8192:x128 --ppn 1 --bytes 8:16 \
        --svg "$work/none" >"$work/out"
    cat "$work/out"
    grep '^ *8192 .* ring .* its plans have too many steps to be simulated' "$work/out"
    has "'allgather on 64 nodes, 1 process per node'" "$work/none-size.svg"
    # and where all are simulated there are none
    PATH=$work/fake:$PATH simulate --nodes 2:4 --bytes 8:16 --svg "$work/small" >/dev/null
    lacks 'not simulated' "$work/small-crossover.svg"
}

# Title, origin, axes and colors.
pictures_say_what_they_show() {
    local version
    version=$("$plan" --version)
    fake_gnuplot 'cat; echo "</svg>"'
    PATH=$work/fake:$PATH simulate --nodes 2:64 --ppn 4 --bytes 8:1M --svg "$work/facts" >/dev/null
    grep -h '^set' "$work"/facts-*.svg
    has "'allreduce on 64 nodes, 4 processes per node'" "$work/facts-size.svg"
    has "'allreduce of 8 bytes, 4 processes per node'" "$work/facts-processes.svg"
    has "'allreduce by the fastest algorithm, 4 processes per node'" "$work/facts-crossover.svg"
    for file in "$work"/facts-*.svg; do
        has "'napcoll ${version#* }, machine bluewaters.conf, simulated times'" "$file"
        has 'set logscale x' "$file"
        has 'set logscale y' "$file"
    done
    has "set xlabel 'size of the vector'" "$work/facts-size.svg"
    has "set ylabel 'time'" "$work/facts-size.svg"
    has "set xtics ('8 B' 8, " "$work/facts-size.svg"
    has "'32 KiB' 32768" "$work/facts-size.svg"
    has "'100 µs' 100, " "$work/facts-size.svg"
    has "'1 ms' 1000" "$work/facts-size.svg"
    has "set xtics ('8' 8, '16' 16, " "$work/facts-processes.svg"
    for file in "$work"/facts-*.svg; do
        grep "lc rgb '#0072b2' title 'nap\( (nowhere)\)\?'" "$file"
        grep "lc rgb '#e69f00' title 'smp\( (nowhere)\)\?'" "$file"
    done
    PATH=$work/fake:$PATH simulate --closed-form --nodes 2 --bytes 8:1M --svg "$work/forms" >/dev/null
    has 'machine bluewaters.conf, times of closed forms' "$work/forms-size.svg"
    # a narrow range has round numbers, too
    PATH=$work/fake:$PATH simulate --closed-form --algorithm smp --nodes 1024:4096 --ppn 16 --svg "$work/narrow" >/dev/null
    has "set ytics ('30 µs' 30, '31 µs' 31, '32 µs' 32, '33 µs' 33, '34 µs' 34)" "$work/narrow-processes.svg"
    PATH=$work/fake:$PATH simulate --coll allgather --nodes 2 --bytes 8:1K --svg "$work/blocks" >/dev/null
    has "set xlabel 'size of the block of a rank'" "$work/blocks-size.svg"
}

# lines FILE: the number of plots.
lines() {
    grep -qx '</svg>' "$1" && grep -c '<g id="gnuplot_plot_' "$1"
}

drawings_have_a_line_for_each_algorithm() {
    local file
    simulate --nodes 1:16 --ppn 4 --bytes 8:1K --svg "$work/all" >"$work/out"
    [ "$(drawings "$work/all")" = '-crossover.svg -processes.svg -size.svg ' ]
    for file in "$work"/all-*.svg; do
        case $file in
            *-crossover.svg) [ "$(lines "$file")" -ge 2 ] ;; # the fastest ones
            *) [ "$(lines "$file")" = 10 ] ;;
        esac
        has '>nap' "$file"
    done
    # the table is the same without --svg
    simulate --nodes 1:16 --ppn 4 --bytes 8:1K | diff - "$work/out"
    simulate --closed-form --nodes 2:16 --ppn 4 --bytes 8:1K --algorithm nap --svg "$work/single" >/dev/null
    [ "$(drawings "$work/single")" = '-processes.svg -size.svg ' ]
    [ "$(lines "$work/single-size.svg")" = 1 ]
    # nap and lane cannot do this
    simulate --nodes 2:16 --ppn 1 --svg "$work/two" >/dev/null
    [ "$(drawings "$work/two")" = '-processes.svg ' ]
    [ "$(lines "$work/two-processes.svg")" = 8 ]
    simulate --nodes 4 --bytes 8:64 --svg "$work/three" >/dev/null
    [ "$(drawings "$work/three")" = '-size.svg ' ]
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
        [ $coll = alltoallw ] || has "the component's auto takes" "$work/many"
        case $coll in
            alltoall) lacks ' straight to their ranks.' "$work/many" ;;
            alltoallw) has 'auto falls back: few blocks of such calls have any bytes' "$work/many" ;;
            alltoallv)
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

drawings_have_any_name() {
    local name="it's a \"drawing\"; \`touch x\` |%d"
    simulate --nodes 4 --bytes 8:64 --svg "$work/$name" >/dev/null
    [ "$(lines "$work/$name-size.svg")" = 10 ]
    mkdir "$work/names.d"
    cd "$work/names.d"
    simulate --nodes 4 --bytes 8:64 --svg '|cat' >/dev/null
    [ "$(ls)" = '|cat-size.svg' ]
    cp "$src/ompi/tools/napcoll/machines/netlab.conf" "it's.conf"
    "$plan" simulate --machine "it's.conf" --nodes 4 --bytes 8:64 --svg machine >/dev/null
    has "it's.conf" <(sed "s/&#39;/'/g" machine-size.svg)
}

# with_gnuplot NAME: runs the test, or skips it.
with_gnuplot() {
    if command -v gnuplot >/dev/null; then
        tap "$1" "$1"
    else
        tap_number=$((tap_number + 1))
        echo "ok $tap_number - $1 # SKIP gnuplot is not installed"
    fi
}

tests=(choice_is_the_least_of_simulate choice_of_closed_forms_is_the_least_of_simulate
    both_times_are_shown_where_there_are_both ratios_are_those_of_the_times
    too_many_ranks_have_closed_forms_only what_an_algorithm_cannot_do_is_said plans_are_counted
    rank_is_shown_as_by_show component_is_asked segments_are_named sizes_and_reasons_are_said
    structures_are_told neighbours_are_explained long_plans_are_left_out all_to_alls_say_memory_and_limits
    gathers_and_scatters_say_pieces_and_thresholds lockstep_that_gains_little_is_said other_parameters_of_the_machine_count
    mistakes_are_refused drawings_need_ranges data_of_drawings_are_the_times missing_gnuplot_is_said
    failing_gnuplot_leaves_nothing full_disks_leave_no_picture unknown_cells_are_marked pictures_say_what_they_show)
gnuplot_tests=(drawings_have_a_line_for_each_algorithm drawings_have_any_name)
tap_plan $((${#tests[@]} + ${#gnuplot_tests[@]}))
for test in "${tests[@]}"; do
    tap "$test" "$test"
done
for test in "${gnuplot_tests[@]}"; do
    with_gnuplot "$test"
done
tap_end
