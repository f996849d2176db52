#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# What napcoll's choice costs: the time of auto over the time of the best choice.

set -euo pipefail

NAPCOLL_SRC=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=config/setup.sh
. "$NAPCOLL_SRC/config/setup.sh"

usage() {
    cat <<'END'
Usage: examples/regret.sh [--part LIST] [--coll LIST] [--shapes LIST] [--bytes LIST] [--machine FILE]
                          [--turns N] [--tune-time SECONDS] [--time-limit SECONDS] [--output DIR]
       examples/regret.sh --again N [--correct SECONDS] [--part LIST] [--coll LIST] [--shapes LIST]
                          [--time-limit SECONDS] [--output DIR]

Measures on emulated clusters, in turns within one job, napcoll's auto, each of napcoll's algorithms, tuned
and han, and writes into DIR (default build/results)

  regret-SETTING-SHAPE.conf      the machine that napcoll-tune --all-nodes finds there, which auto uses, and its
                                 rules (.conf.rules); left as they are if DIR has them
  regret-SETTING-SHAPE.csv       the figures, as collbench writes them, as soon as a collective has been measured;
                                 figures of other collectives stay. So an interrupted run goes on with --coll
  regret-SETTING-SHAPE.txt       the command of each collective
  regret.md                      for each cell (collective and size) the time of auto over the time of the best
                                 contestant, and over the better of tuned and han; of all figures in DIR

With --again only those cells are measured for which DIR has figures of auto above 1.25 times the best, or 1.1 times
the better of the others: each in a job of its own, auto against the best, that component, and the algorithm that
auto took, by name. regret.md then has these figures, of regret-SETTING-SHAPE.again.csv, beside the first ones. With
--correct as well, napcoll-tune --only corrects the rules of these cells first.

Installs what is missing and builds napcoll first.

  --part LIST            of the settings near (100 us, 1 Gbit/s), far (2 ms, 100 Mbit/s) and gap (100 us, 1 Gbit/s,
                         20 us between a node's messages), with commas between (default: all)
  --coll LIST            of the collectives that collbench knows (default: all that napcoll serves)
  --shapes LIST          NODESxPROCESSES, with commas between (default 8x8,16x4)
  --bytes LIST           as in collbench(1) (default 8:1M:x8; blocks of 64 KB at most)
  --machine FILE         the machine that auto uses, instead of what napcoll-tune finds
  --again N              measure again, N turns at least
  --correct SECONDS      the time for each cell whose rules are corrected before
  --turns N              of each size at least, whatever the time (default 5)
  --tune-time SECONDS    of napcoll-tune (default 1300)
  --time-limit SECONDS   of a run, all sizes of a collective on a shape (default 120)
  --output DIR           default build/results
  --help                 this text

With all defaults that takes five and a half hours.
END
}

coll=all
document=regret
all_parts=near,far,gap
shapes=8x8,16x4
bytes=
machine_file=
turns=5
again=0
correct=0
tune_time=1300
colls=allreduce,reduce,bcast,barrier,allgather,allgatherv,reduce_scatter,reduce_scatter_block,scan,exscan
colls+=,alltoall,alltoallv,gather,gatherv,scatter,scatterv
# shellcheck source=examples/measuring.sh
. "$NAPCOLL_SRC/examples/measuring.sh"

# algorithms_of COLL: those that can be named, as the component says.
algorithms_of() {
    ompi_info --parsable --param coll napcoll --level 9 |
        sed -nE "s/.*:coll_napcoll_$1_algorithm:enumerator:value:[0-9]+:([a-z_]+)\$/\1/p" |
        grep -vx -e auto -e fallback -e previous
}

# contestants_of COLL: auto first. Who does not supply a collective is left out: another would run in its place.
contestants_of() {
    local name list=napcoll
    for name in $(algorithms_of "$1"); do
        list+=,napcoll:$name
    done
    case $1 in
        scan | exscan | alltoallw) list+=,basic ;;
        allgatherv | reduce_scatter* | alltoall* | gatherv | scatterv) list+=,tuned ;;
        *) list+=,tuned,han ;;
    esac
    echo "$list"
}

# sizes_of COLL: blocks of 64 KB are 4 MB in all where there are 64 processes.
sizes_of() {
    case $1 in
        *gather* | *scatter* | alltoall*) echo 8:64K:x8 ;;
        *) echo 8:1M:x8 ;;
    esac
}

# on SETTING SHAPE COMMAND...: an array `command` that runs it on that cluster.
on() {
    local nodes=${2%x*} ppn=${2#*x} network
    read -r -a network <<<"$(network_of "$1")"
    shift 2
    command=(netlab --nodes "$nodes" --ppn "$ppn" "${network[@]}" -- mpirun -np $((nodes * ppn)) --mca coll "$list" "$@")
}

# keep_parameters NAME: copies them, and their rules beside them, into the results.
keep_parameters() {
    mkdir -p "$output"
    cp "$scratch/$1"* "$output"
}

# tune SETTING SHAPE: has regret-SETTING-SHAPE.conf, and its rules, in the folder of what is being measured, where jobs run.
tune() {
    local name=regret-$1-$2.conf command time_limit=$tune_time
    if [ -n "$machine_file" ]; then
        cp "$machine_file" "$scratch/$name"
    elif [ -f "$output/$name" ]; then
        cp "$output/$name"* "$scratch"
    else
        on "$1" "$2" napcoll-tune --all-nodes --time-limit "$time_limit" -o "$name"
        measured "tune-$1-$2" "${command[@]}"
    fi
    keep_parameters "$name"
}

# others COLL FILE: its heading and the figures of other collectives.
others() {
    [ ! -f "$2" ] || awk -F, -v coll="$1" '!/^#/ && (/^coll,/ || $1 != coll)' "$2"
}

# put_away COLL NAME COMMAND...: the figures of a collective, in one.csv, and the command, in the place of older ones, also
# of those that were measured again.
put_away() {
    local one=$1 name=$2
    shift 2
    others "$one" "$output/$name.csv" >"$scratch/$name.csv"
    # One heading for all.
    [ -s "$scratch/$name.csv" ] || grep "^coll," "$scratch/one.csv" >"$scratch/$name.csv"
    grep -vE "^(#|coll,)" "$scratch/one.csv" >>"$scratch/$name.csv"
    {
        [ ! -f "$output/$name.txt" ] || grep -v -e "--coll $one " "$output/$name.txt" || true
        printf '%s\n' "${*//$scratch\//}"
    } >"$scratch/$name.txt"
    mv "$scratch/$name.csv" "$scratch/$name.txt" "$output"
    if [ -f "$output/$name.again.csv" ]; then
        others "$one" "$output/$name.again.csv" >"$scratch/again.csv"
        mv "$scratch/again.csv" "$output/$name.again.csv"
    fi
}

# run_job SETTING SHAPE COLL CONTESTANTS BYTES TURNS: has the figures in one.csv, and what was run in `command`. A job reads the
# parameters as users have them.
run_job() {
    local setting=$1 shape=$2 one=$3 contestants=$4 sizes=$5 least=$6
    on "$setting" "$shape" --mca mca_base_param_files "$scratch/regret-$setting-$shape.conf" \
        collbench --coll "$one" --contestants "$contestants" --iterations $((least > 100 ? least : 100)) --min-iterations "$least" --rounds 5 \
        --drop $((again > 0 ? 10 : 2)) --sample-time 0.02 --time-limit "$time_limit" --csv one.csv
    [ "$one" = barrier ] || command+=(--bytes "$sizes")
    measured "regret-$setting-$shape-$one" "${command[@]}"
}

# measure SETTING SHAPE: the collectives one after the other. What has been measured is put away at once: it takes hours.
measure() {
    local setting=$1 shape=$2 command one
    tune "$setting" "$shape"
    for one in ${colls//,/ }; do
        run_job "$setting" "$shape" "$one" "$(contestants_of "$one")" "${bytes:-$(sizes_of "$one")}" "$turns"
        put_away "$one" "regret-$setting-$shape" "${command[@]}"
    done
    rm "$scratch/regret-$setting-$shape.conf"*
}

# put_again COLL BYTES NAME COMMAND...: the figures of a cell, in one.csv, and the command, in the place of those that were
# measured again before.
put_again() {
    local one=$1 size=$2 file=$output/$3.again.csv commands=$output/$3.txt
    shift 3
    {
        grep "^coll," "$scratch/one.csv"
        [ ! -f "$file" ] || awk -F, -v coll="$one" -v bytes="$size" '!/^(#|coll,)/ && ($1 != coll || $4 != bytes)' "$file"
        grep -vE "^(#|coll,)" "$scratch/one.csv"
    } >"$scratch/again.csv"
    mv "$scratch/again.csv" "$file"
    if [ ! -f "$commands" ] || ! grep -qxF -- "${*//$scratch\//}" "$commands"; then
        printf '%s\n' "${*//$scratch\//}" >>"$commands"
    fi
}

# algorithms_in RAN: the algorithms of napcoll that a contestant's calls ran, as collbench says ("flat", or with "~" for blanks
# "flat~(3~of~20),~nap~(17~of~20)").
algorithms_in() {
    awk -v RS='[,;\n]' '{ sub(/^~/, ""); sub(/~\(.*/, "") } /^[a-z0-9_]+$/ { print "napcoll:" $0 }' <<<"$1"
}

# correct_rules SETTING SHAPE: of the cells that are above a bound.
correct_rules() {
    local name=regret-$1-$2.conf command only time_limit
    only=$(while read -r one size _; do
        [[ ,$colls, != *,$one,* ]] || echo "$one$([ "$one" = barrier ] || echo ":$size")"
    done <"$scratch/above" | paste -sd ,)
    [ -n "$only" ] || return 0
    time_limit=$((correct * $(tr , '\n' <<<"$only" | wc -l)))
    on "$1" "$2" napcoll-tune --only "$only" --time-limit "$time_limit" -o "$name"
    measured "correct-$1-$2" "${command[@]}"
    keep_parameters "$name"
    printf '%s\n' "${command[*]//$scratch\//}" >>"$output/${name%.conf}.txt"
}

# measure_again SETTING SHAPE: the cells above a bound.
measure_again() {
    local setting=$1 shape=$2 name=regret-$1-$2 command contestants one size best peer same
    if [ ! -f "$output/$name.csv" ] || [ ! -f "$output/$name.conf" ]; then
        napcoll_fail "--again: there are no figures of $setting $shape in $output"
    fi
    tune "$setting" "$shape"
    { if [ "$correct" -gt 0 ]; then cells_of "$name"; else cells "$output/$name.csv"; fi; } |
        awk '$3 > 1.25 || $5 > 1.1' >"$scratch/above"
    [ "$correct" = 0 ] || correct_rules "$setting" "$shape"
    while read -r -u 3 one size _ best _ peer _ same _; do
        [[ ,$colls, = *,$one,* ]] || continue
        contestants=$({ printf '%s\n' "$best" "$peer" && algorithms_in "$same"; } | grep -vx -e auto -e - | sort -u | paste -sd ,)
        run_job "$setting" "$shape" "$one" "napcoll,$contestants" "$size" "$again"
        put_again "$one" "$size" "$name" "${command[@]}"
    done 3<"$scratch/above"
    rm "$scratch/$name.conf"*
}

# cells FILE: "COLL BYTES REGRET BEST PEERS PEER SAME RAN TURNS" (with "~" for blanks) of each cell, where REGRET is the
# time of auto over the best time, PEERS its time over the better other component's, and SAME its time over the time of the
# algorithm that auto took when it is forced, 0 where it was not measured. A forced algorithm that fell back does not count.
# A contestant that was dropped before the first turn, for being slow, does not count as faster than auto.
cells() {
    awk -F, '
        /^(#|coll,)/ { next }
        {
            ran = $0
            sub(/^([^,]*,)*"/, "", ran)
            sub(/"$/, "", ran)
            key = $1 " " $4
            if (!(key in known)) { known[key]; cell[++cells] = key }
            if ($5 == "napcoll") {
                who[key] = ran
                turns[key] = $6
                least[key] = 1
                best[key] = "auto"
                next
            }
            if ($5 ~ /^napcoll:/ && ran != substr($5, 9)) next
            if ($6 < turns[key] && $10 < 1) $10 = 1
            if ($5 == "napcoll:" who[key] || ($5 == "tuned" && who[key] ~ /^fallback/)) same[key] = $10
            if ($10 < least[key]) { least[key] = $10; best[key] = $5 }
            if ($5 !~ /^napcoll/ && (!(key in peer) || $10 < peer[key])) { peer[key] = $10; name[key] = $5 }
        }
        END {
            for (c = 1; c <= cells; c++) {
                key = cell[c]
                gsub(/ /, "~", who[key])
                printf "%s %.3f %s %.3f %s %.3f %s %d\n", key, 1 / least[key], best[key], \
                    (key in peer) ? 1 / peer[key] : 0, (key in name) ? name[key] : "-", \
                    (key in same) ? 1 / same[key] : 0, who[key], turns[key]
            }
        }' "$1"
}

# cells_of NAME: as cells, those that were measured again by that, with REGRET and PEERS of before at the end; else 0 and 0.
cells_of() {
    : >"$scratch/second"
    [ ! -f "$output/$1.again.csv" ] || cells "$output/$1.again.csv" >"$scratch/second"
    cells "$output/$1.csv" |
        awk -v second="$scratch/second" '
            BEGIN { while ((getline line <second) > 0) { split(line, part); again[part[1], part[2]] = line } }
            ($1, $2) in again { print again[$1, $2], $3, $5; next }
            { print $0, 0, 0 }'
}

# table NAME: of one file of figures.
table() {
    cells_of "$1" >"$scratch/cells"
    printf '\n## %s\n\n' "$1"
    awk '
        {
            regret[++n] = $3
            again += $10 > 0
            # what its algorithm took by name, over the best and over the better component
            named = $7 > 0 ? $3 / $7 : $3
            named_against = $7 > 0 ? $5 / $7 : $5
            if ($5 > 0) {
                m++
                over += $5 > 1.1
                over_alone += $5 > 1.1 && named_against <= 1.1
            }
            worst = $3 > worst ? $3 : worst
            above += $3 > 1.25
            above_alone += $3 > 1.25 && named <= 1.25
        }
        END {
            for (i = 2; i <= n; i++) for (j = i; j > 1 && regret[j] < regret[j - 1]; j--) {
                t = regret[j]; regret[j] = regret[j - 1]; regret[j - 1] = t
            }
            printf "%d cells: median %.2f, worst %.2f, %d above 1.25; %d of %d take more than 1.1 times the better of " \
                "the other components.\n", n, n % 2 ? regret[(n + 1) / 2] : (regret[n / 2] + regret[n / 2 + 1]) / 2, \
                worst, above, over, m
            printf "Where it was asked for by name, what auto took is above 1.25 in %d of the first, and above 1.1 in " \
                "%d of the latter.\n", above - above_alone, over - over_alone
            if (again > 0)
                printf "%d cells were measured again, for being above one of these.\n", again
            printf "\n"
        }' "$scratch/cells"
    echo "| collective | bytes | turns | auto over the best | the best | auto over the better component | that | auto over the same by name | auto took | before |"
    echo "|---|---:|---:|---:|---|---:|---|---:|---|---|"
    awk '
        # marked VALUE LIMIT
        function marked(value, limit) { return sprintf("%.2f", value) (value > limit ? " **" : "") }
        {
            gsub(/~/, " ", $8)
            print "| " $1 " | " $2 " | " $9 " | " marked($3, 1.25) " | " $4 " | " ($5 > 0 ? marked($5, 1.1) : "-") " | " $6 " | " ($7 > 0 ? sprintf("%.2f", $7) : "-") " | " $8 " | " ($10 > 0 ? marked($10, 1.25) ", " marked($11, 1.1) : "") " |"
        }' "$scratch/cells"
}

# tables: of all figures that there are.
tables() {
    local setting file
    cat <<END
# What napcoll's choice costs

Made by \`examples/regret.sh\` with Open MPI $openmpi_version: medians of the ratios of turns in which all contestants
ran, on nodes that share the processors of one machine; who took more than twice as long as the fastest in the calls
before the first turn has these for its time, and no turns. "The best" is the fastest of auto, of each algorithm of
napcoll, and of the other components that supply the collective; 1.00: auto was the best. \`**\`: above 1.25, or 1.1. auto
uses the machine that napcoll-tune found on the same cluster (the .conf files), and its rules. "The same by name": the
algorithm that auto took ran as a contestant of its own as well, or tuned if auto took the fallback; the two differ by
noise, unless auto takes another local_radix than the parameter's. Cells above a bound may have been measured again, with
few contestants and more turns (--again): then these figures are shown and counted, and the first ones are in the last
column. The commands are in regret-*.txt, for an environment after build/env.sh, in the folder of regret-*.conf.
END
    for setting in ${all_parts//,/ }; do
        for file in "$output/regret-$setting"-*x*.csv; do
            if [ -f "$file" ] && [[ $file != *.again.csv ]]; then
                table "$(basename "$file" .csv)"
            fi
        done
    done
}

options "$@"
turns=$((again > turns ? again : turns))
[ "$correct" = 0 ] || [ "$again" -gt 0 ] || napcoll_fail "--correct wants --again as well: what is corrected is measured again"
[ -z "$machine_file" ] || machine_file=$(realpath -- "$machine_file")
begin
for setting in ${parts//,/ }; do
    for shape in ${shapes//,/ }; do
        if [ "$again" -gt 0 ]; then measure_again "$setting" "$shape"; else measure "$setting" "$shape"; fi
    done
done
tables >"$scratch/$document.md"
finish
