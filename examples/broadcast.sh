#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# What broadcasts gain from the walk through the switches, and whether the model puts the algorithms in the
# order in which they are measured.

set -euo pipefail

NAPCOLL_SRC=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=config/setup.sh
. "$NAPCOLL_SRC/config/setup.sh"

output=$NAPCOLL_SRC/docs/results
time_limit=120
list=napcoll,tuned,han,basic,libnbc,self,inter

usage() {
    cat <<'END'
Usage: examples/broadcast.sh [--time-limit SECONDS] [--output DIR]

Measures MPI_Bcast on emulated nodes and writes into DIR (default docs/results) broadcast.md, with the
commands, and the figures as CSV:

  broadcast-walk.csv, broadcast-plain.csv
                 4 MB on two switches of four nodes with one link between them, cyclic ranks, 200 Mbit/s:
                 with coll_napcoll_topology_file, and without
  broadcast-far.csv
                 8 bytes on 8x8 with 2 ms between nodes
  broadcast-model.csv
                 flat, binomial, scatter_allgather and chain on 8 nodes over sizes, beside which
                 broadcast.md has the closed forms with netlab.conf

Installs what is missing and builds napcoll first.

  --time-limit SECONDS   of each of the four runs (default 120)
END
}

# run NAME WORD... -- ARGUMENT...: collbench under netlab and mpirun; the words are netlab's, then mpirun's
# behind ":".
run() {
    local name=$1 netlab=() mpirun=()
    shift
    while [ "$1" != : ]; do netlab+=("$1") && shift; done
    shift
    while [ "$1" != -- ]; do mpirun+=("$1") && shift; done
    shift
    command=(netlab "${netlab[@]}" -- mpirun --mca coll "$list" "${mpirun[@]}" collbench --coll bcast "$@"
        --time-limit "$time_limit" --csv "$name.csv")
    napcoll_say "$name, up to $time_limit s and the start"
    (cd "$scratch" && timeout --kill-after=20 $((2 * time_limit + 300)) "${command[@]}" >"$name.txt" 2>&1) || {
        tail -n 40 "$scratch/$name.txt" >&2
        napcoll_fail "$name failed"
    }
    {
        printf '\n## %s\n\n    %s\n\n' "$title" "${command[*]}"
        sed -n '/^ *bytes  *contestant/,/^start skew/p' "$scratch/$name.txt" | sed -e 's/  *$//' -e 's/^./    &/'
    } >>"$scratch/broadcast.md"
}

# The medians of broadcast-model.csv beside the closed forms, which napcoll-plan knows.
model_table() {
    local bytes
    for bytes in 8:4M:x8 4M; do # the range ends at 2 MB
        napcoll-plan simulate --coll bcast --nodes 8 --ppn 1 --bytes "$bytes" --machine netlab.conf --closed-form \
            --csv - >>"$scratch/forms.csv"
    done
    # shellcheck disable=SC2016 # it is awk's
    awk -F, '
        FNR == 1 { file++; next }
        file == 1 && $1 != "coll" { form[$2, $5] = $6; next }
        file == 2 { who = $5; sub(/^napcoll:/, "", who); took[who, $4] = $7; size[$4] = $4 + 0 }
        END {
            split("flat binomial scatter_allgather chain", name, " ")
            printf "\n| bytes |"
            for (a = 1; a <= 4; a++) printf " %s us | model |", name[a]
            printf "\n|---:|"
            for (a = 1; a <= 4; a++) printf "---:|---:|"
            print ""
            count = 0
            for (s in size) order[++count] = size[s]
            for (i = 1; i <= count; i++) for (j = i + 1; j <= count; j++) if (order[j] < order[i]) {
                t = order[i]; order[i] = order[j]; order[j] = t
            }
            for (i = 1; i <= count; i++) {
                printf "| %d |", order[i]
                for (a = 1; a <= 4; a++) printf " %.0f | %.0f |", took[name[a], order[i]], form[name[a], order[i]]
                print ""
            }
        }' "$scratch/forms.csv" "$scratch/broadcast-model.csv" >>"$scratch/broadcast.md"
}

measure_all() {
    local one_link=(--nodes 8 --ppn 2 --map cyclic --topology "$scratch/switches.conf" --latency 1ms --rate 200Mbit)
    local contestants=napcoll,napcoll:chain,napcoll:two_level,tuned,han title
    printf '%s\n' 'SwitchName=s0 Nodes=node[0,2,4,6]' 'SwitchName=s1 Nodes=node[1,3,5,7]' \
        'SwitchName=top Switches=s[0-1]' >"$scratch/switches.conf"
    cat >"$scratch/broadcast.md" <<END
# Broadcasts

Made by \`examples/broadcast.sh\` with Open MPI $openmpi_version. Times are medians over turns in which all
contestants ran, on nodes that share the processors of one machine: ratios from one run say something. The
commands are those after \`. build/env.sh\`, with the parameters of netlab.conf in the environment; switches.conf is

$(sed 's/^/    /' "$scratch/switches.conf")
END
    title="4 MB along the walk through two switches"
    run broadcast-walk "${one_link[@]}" : -np 16 --mca coll_napcoll_topology_file "$scratch/switches.conf" -- \
        --bytes 4M --contestants "$contestants" --iterations 30
    title="The same without the file: in the order of the nodes' numbers"
    run broadcast-plain "${one_link[@]}" : -np 16 -- --bytes 4M --contestants "$contestants" --iterations 30
    title="8 bytes between nodes that are far from each other"
    run broadcast-far --nodes 8 --ppn 8 --latency 2ms --rate 1Gbit : -np 64 -- --bytes 8 \
        --contestants napcoll,napcoll:nap,napcoll:two_level,tuned,han --iterations 200
    title="Model against measurement: four algorithms on 8 nodes"
    run broadcast-model --nodes 8 --ppn 1 --latency 1ms --rate 1Gbit : -np 8 -- --bytes 8:4M:x8 \
        --contestants napcoll:flat,napcoll:binomial,napcoll:scatter_allgather,napcoll:chain --iterations 50
    model_table
    sed -i "s#$scratch/##g" "$scratch/broadcast.md"
    mkdir -p "$output"
    mv "$scratch"/broadcast*.csv "$scratch/broadcast.md" "$output"
    napcoll_say "${output#"$NAPCOLL_SRC"/}/broadcast.md is written"
}

while [ $# -gt 0 ]; do
    case $1 in
        --time-limit)
            [[ ${2:-} =~ ^[1-9][0-9]{0,4}$ ]] ||
                napcoll_fail "--time-limit wants a number of seconds from 1 to 99999, not '${2:-}'"
            time_limit=$2
            shift
            ;;
        --output)
            [ $# -ge 2 ] || { usage >&2 && exit 2; }
            output=$(realpath -m -- "$2")
            shift
            ;;
        --help | -h)
            usage
            exit 0
            ;;
        *)
            usage >&2
            exit 2
            ;;
    esac
    shift
done

cd "$NAPCOLL_SRC"
napcoll_packages "${napcoll_needs[@]}"
napcoll_build "$NAPCOLL_SRC/build" "$(nproc)" || exit 1
# shellcheck source=/dev/null
. build/env.sh
napcoll_mpirun_settings
napcoll_machine_settings "$NAPCOLL_SRC/ompi/tools/napcoll/machines/netlab.conf"
openmpi_version=$(mpicc --showme:version | napcoll_openmpi_version)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
measure_all
