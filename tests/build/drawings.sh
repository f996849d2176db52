#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# The drawings of `napcoll-plan simulate --svg`.

set -euo pipefail

# shellcheck source=tests/build/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

usage() {
    cat <<'END_USAGE'
Usage: tests/build/drawings.sh

Runs napcoll-plan simulate --svg of the build folder (NAPCOLL_BUILD, else build/); prints TAP. What needs
gnuplot is skipped where there is none.
END_USAGE
}
only_help "$@"

need_plan

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

tests=(drawings_need_ranges data_of_drawings_are_the_times missing_gnuplot_is_said
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
