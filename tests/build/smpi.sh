#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# `napcoll-plan smpi`: the traces fit together, and SimGrid's smpirun replays them. On a cluster that napcoll's model
# and SMPI describe alike, their times agree.

set -euo pipefail

# shellcheck source=tests/build/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

usage() {
    cat <<'END_USAGE'
Usage: tests/build/smpi.sh [--all [COLLECTIVES]]

Runs napcoll-plan smpi of the build folder (NAPCOLL_BUILD, else build/), and smpirun where SimGrid is installed;
prints TAP. --all: all algorithms of all collectives, or of those that the extended regular expression COLLECTIVES
matches as a whole, on 8 x 8 and 64 x 16 processes, which takes an hour or two (SMPI_LIMIT: seconds for one replay,
default 900); otherwise the algorithms of a few collectives on 8 x 8.
END_USAGE
}
all=no
everything='[a-z_]+'
if [ "${1:-}" = --all ]; then
    all=yes
    shift
    case ${1:--} in
    -*) ;;
    *)
        everything=$1
        shift
        ;;
    esac
fi
only_help "$@"

plan=$build/bin/napcoll-plan
[ -x "$plan" ] || tap_skip_all "no napcoll-plan in $build"
unset NAPCOLL_MACHINES
limit=${SMPI_LIMIT:-900}

# The agreement that is asked for: SMPI's time over napcoll's.
least=0.85
most=1.15

# One latency and rate inside nodes and one between them; neither overhead nor gap.
{
    grep -v '_\(latency_us\|ns_per_byte\|injection_[a-z_]*\|overhead_us\|gap_us\) =' \
        "$src/ompi/tools/napcoll/machines/bluewaters.conf"
    for protocol in short eager rendezvous; do
        for level in socket node; do
            echo "coll_napcoll_machine_${level}_${protocol}_latency_us = 1"
            echo "coll_napcoll_machine_${level}_${protocol}_ns_per_byte = 0.2"
        done
        echo "coll_napcoll_machine_network_${protocol}_latency_us = 4"
        [ "$protocol" = rendezvous ] || echo "coll_napcoll_machine_network_${protocol}_ns_per_byte = 0.25"
    done
    echo 'coll_napcoll_machine_process_injection_mbyte_per_s = 4000'
    echo 'coll_napcoll_machine_node_injection_mbyte_per_s = 12000'
    echo 'coll_napcoll_machine_node_injection_from_processes = 1'
    echo 'coll_napcoll_machine_node_injection_from_bytes = 0'
    echo 'coll_napcoll_machine_reduce_ns_per_byte = 0.5'
    for key in process_overhead_us process_gap_us node_gap_us node_local_gap_us node_local_ns_per_byte; do
        echo "coll_napcoll_machine_$key = 0"
    done
} >"$work/even.conf"

# ---- the trace ----

# smpi ARGUMENT...: writes the folder $work/smpi, and the command into $work/command.
smpi() {
    "$plan" smpi --machine "$work/even.conf" --output "$work/smpi" "$@" >"$work/command"
}

# Each rank's actions from init to finalize; a receive for each send, of the same tag and size, no tag twice, and what
# a stage has posted is waited for.
checked() {
    awk 'function wrong(what) { print "line " NR ": " what ": " $0; bad = 1; exit }
        /^#/ { next }
        $2 == "init" { if (NF != 2 || $1 != ranks++ || open) wrong("order"); open = 1; rank = $1; posted = 0; next }
        !open || $1 != rank { wrong("another rank") }
        $2 == "finalize" { if (posted) wrong("not waited for"); open = 0; next }
        $2 == "isend" { if (NF != 5 || $5 < 1 || ++seen["s", rank, $3, $4] > 1) wrong("send")
            balance[rank, $3, $4, $5]++; posted++; next }
        $2 == "irecv" { if (NF != 5 || $5 < 1 || ++seen["r", $3, rank, $4] > 1) wrong("receive")
            balance[$3, rank, $4, $5]--; posted++; next }
        $2 == "waitall" { if (NF != 2 || !posted) wrong("nothing posted"); posted = 0; next }
        $2 == "compute" || $2 == "sleep" { if (NF != 3 || $3 <= 0 || posted) wrong("time"); next }
        { wrong("no such action") }
        END { for (m in balance) if (!bad && balance[m] != 0) { gsub(SUBSEP, " ", m); print "one-sided: " m; bad = 1 }
            exit bad || open || ranks != total }' total="$1" "$2"
}

traces_fit_together() {
    local collective damage
    for collective in allreduce bcast barrier alltoallv scan; do
        smpi --coll "$collective" --nodes 3 --ppn 3
        checked 9 "$work/smpi/trace"
        "$plan" show --coll "$collective" --nodes 3 --ppn 3 >"$work/show"
        [ "$(grep -c ' isend ' "$work/smpi/trace")" = "$(grep -c '^    send ' "$work/show")" ]
    done
    smpi --nodes 2
    for damage in '0,/ isend /s// irecv /' '0,/ isend /s/\( isend .*\) 8$/\1 9/' \
        '0,/waitall/s//nothing/' '0,/^1 init/s//2 init/' \
        '0,/compute 8/s//compute 0/' '/^3 finalize/d'; do
        sed "$damage" "$work/smpi/trace" >"$work/damaged"
        echo "$damage"
        if cmp -s "$work/smpi/trace" "$work/damaged" || checked 8 "$work/damaged"; then
            return 1
        fi
    done
}

files_name_all_ranks() {
    smpi --nodes 3 --ppn 2 --map cyclic
    [ "$(cat "$work/smpi/traces")" = trace ]
    diff <(seq 0 5 | sed 's/^/rank/') "$work/smpi/hostfile"
    # rank 4 is the second process of node 1
    awk '/<zone / { zone = $2 } /<host id="rank4"/ { print zone }' "$work/smpi/platform.xml" | grep -x 'id="node1"'
    grep -F -- '-np 6 -platform platform.xml -hostfile hostfile' "$work/command"
}

# A byte that is reduced is a flop.
traces_count_reductions() {
    smpi --nodes 10 --bytes 5
    [ "$(awk '$2 == "compute" { sum += $3 } END { print sum }' "$work/smpi/trace")" = \
        "$((5 * $("$plan" show --nodes 10 | grep -c '^    reduce ')))" ]
    grep -F 'speed="2e+09f"' "$work/smpi/platform.xml"
}

# The machine's gap between messages to other nodes is in the trace, what it exceeds the overhead by.
gaps_are_slept() {
    sed 's/\(process_overhead_us\) = .*/\1 = 0.2/; s/\(process_gap_us\) = .*/\1 = 0.7/' "$work/even.conf" \
        >"$work/gap.conf"
    "$plan" smpi --machine "$work/gap.conf" --coll gather --algorithm linear --nodes 4 --ppn 1 --output "$work/smpi"
    grep -x '0 sleep 1e-06' "$work/smpi/trace"
    smpi --coll gather --algorithm linear --nodes 4 --ppn 1
    [ "$(grep -c sleep "$work/smpi/trace")" = 0 ]
}

mistakes_are_named() {
    refuses '--output: expected a folder' "$plan" smpi --machine bluewaters --nodes 2
    refuses '--output /dev/null: this is no folder' "$plan" smpi --machine bluewaters --nodes 2 --output /dev/null
    refuses '--output /nowhere/a: the folder cannot be made' \
        "$plan" smpi --machine bluewaters --nodes 2 --output /nowhere/a
    refuses '--machine' "$plan" smpi --nodes 2 --output "$work/none"
    [ ! -e "$work/none" ]
    refuses '--provider delegate: expected own' \
        "$plan" smpi --machine bluewaters --provider delegate --output "$work/none"
}

# ---- replays ----

# algorithms COLLECTIVES: lines of a collective and an algorithm.
algorithms() {
    "$plan" list | awk -v of="^($1)\$" '/^[a-z]/ { coll = $1 } /^  [a-z]/ && coll ~ of { print coll, $1 }'
}

# compare COLLECTIVE ALGORITHM SHAPE...: both times in microseconds and their ratio; fails where the replay does not
# end, or where the times differ. The same trace is replayed once: allgather and allgatherv have many alike.
compare() {
    local coll=$1 algorithm=$2 smpi model like
    shift 2
    smpi --coll "$coll" --algorithm "$algorithm" "$@"
    like=$work/like-$(cat "$work/smpi"/* | sha256sum | cut -d' ' -f1)
    if [ -e "$like" ]; then
        echo "$coll $algorithm $*: as $(cat "$like")"
        return 0
    fi
    timeout "$limit" sh -c "$(cat "$work/command")" >"$work/replay" 2>&1 </dev/null || true
    smpi=$(sed -n 's/.*Simulated time: \([^ ]*\) seconds.*/\1/p' "$work/replay")
    if [ -z "$smpi" ]; then
        echo "$coll $algorithm $*: no time"
        tail -n 5 "$work/replay"
        return 1
    fi
    model=$("$plan" simulate --machine "$work/even.conf" --coll "$coll" --algorithm "$algorithm" "$@" --csv - |
        tail -n 1 | cut -d, -f6)
    awk -v name="$coll $algorithm $*" -v a="$smpi" -v b="$model" -v least="$least" -v most="$most" '
        BEGIN { r = a * 1e6 / b; printf "%s: smpi %.3f napcoll %.3f ratio %.3f\n", name, a * 1e6, b, r
            exit r < least || r > most }' || return 1
    echo "$coll $algorithm" >"$like"
}

# replays COLLECTIVES SHAPE...
replays() {
    local of=$1 coll algorithm seen=0 wrong=0
    shift
    while read -r coll algorithm; do
        compare "$coll" "$algorithm" "$@" || wrong=$((wrong + 1))
        seen=$((seen + 1))
    done < <(algorithms "$of")
    echo "$seen algorithms, $wrong wrong"
    [ "$seen" -gt 0 ] && [ "$wrong" = 0 ]
}

small='allreduce|bcast|barrier|allgather|gather|scan'
if ! command -v smpirun >/dev/null; then
    small=none
    all=no
fi

tap_plan 6
tap traces_fit_together traces_fit_together
tap files_name_all_ranks files_name_all_ranks
tap traces_count_reductions traces_count_reductions
tap gaps_are_slept gaps_are_slept
tap mistakes_are_named mistakes_are_named
if [ "$small" = none ]; then
    echo 'ok 6 - replays_agree_with_the_model # SKIP no smpirun here; Debian has it in libsimgrid-dev'
elif [ "$all" = no ]; then
    tap replays_agree_with_the_model replays "$small" --nodes 8 --ppn 8
else
    replays_of_both_shapes() {
        local rc=0
        replays "$everything" --nodes 8 --ppn 8 || rc=1
        replays "$everything" --nodes 64 --ppn 16 || rc=1
        return "$rc"
    }
    tap replays_agree_with_the_model replays_of_both_shapes
    sed 's/^/# /' "$work/tap.out"
fi
tap_end
