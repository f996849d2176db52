#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# What broadcasts gain from the depth-first order of the switches, and whether simulation and closed forms put the
# algorithms in the order in which they are measured.

set -euo pipefail

NAPCOLL_SRC=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=config/setup.sh
. "$NAPCOLL_SRC/config/setup.sh"

usage() {
    cat <<'END'
Usage: examples/broadcast.sh [--part LIST] [--time-limit SECONDS] [--output DIR]

Measures MPI_Bcast on emulated nodes and writes into DIR (default build/results) broadcast.md, with the
commands, and the figures as CSV:

  broadcast-order.csv, broadcast-plain.csv
                 4 MB on two switches of four nodes with one link between them, cyclic ranks, 200 Mbit/s:
                 with coll_napcoll_topology_file, and without
  broadcast-far.csv
                 8 bytes on 8x8 with 2 ms between nodes
  broadcast-model.csv, broadcast-large.csv, broadcast-buffers.csv
                 flat, binomial, scatter_allgather and chain on 8 nodes from 8 bytes to 2 MB, with 4 MB,
                 and with 4 MB where the system's buffers may grow to take in whole messages. The rate is
                 200 Mbit/s: the processors of one machine could not carry what 8 nodes send at once at more.
                 Beside the first two broadcast.md has what napcoll-plan explain says with netlab.conf at that
                 rate: simulated times and closed forms, and the order in which each puts the algorithms

Installs what is missing and builds napcoll first.

  --part LIST            of order, far and model, with commas between (default: all)
  --time-limit SECONDS   of each of the six runs (default 120)
  --output DIR           default build/results
  --help                 this text
END
}

coll=bcast
document=broadcast
all_parts=order,far,model
# shellcheck source=examples/measuring.sh
. "$NAPCOLL_SRC/examples/measuring.sh"

# explained MACHINE BYTES...: what napcoll-plan says of each size: "BYTES ALGORITHM SIMULATED CLOSED_FORM CHOSEN", where
# CHOSEN is what the model takes of the algorithm's tunables, or "-".
explained() {
    local machine=$1 bytes
    shift
    for bytes; do
        napcoll-plan explain --coll bcast --nodes 8 --ppn 1 --bytes "$bytes" --machine "$machine" |
            awk -v bytes="$bytes" '
                / [0-9.]+ +([0-9.]+|-)  / {
                    chosen = $0
                    sub(/^[^ ]+ +[^ ]+ +[^ ]+ +/, "", chosen)
                    sub(/;?[^;]*$/, "", chosen)
                    gsub(/, /, ",", chosen)
                    print bytes, $1, $2, $3, chosen ~ /=/ ? chosen : "-"
                }'
    done
}

# model_table: the medians of the two runs beside simulation and closed forms, and the three orders.
model_table() {
    # shellcheck disable=SC2046 # they are numbers
    explained "$slow" $(cut -d , -f 4 "$scratch/broadcast-model.csv" "$scratch/broadcast-large.csv" | grep '^[0-9]' |
        sort -nu) >"$scratch/explained"
    # shellcheck disable=SC2016 # it is awk's
    awk '
        # order OF BYTES: the names by their times, "=" between those that are within a hundredth
        function order(of, bytes,    a, b, t, by, text) {
            for (a = 1; a <= names; a++) by[a] = name[a]
            for (a = 1; a <= names; a++) for (b = a + 1; b <= names; b++)
                if (time[of, by[b], bytes] < time[of, by[a], bytes]) { t = by[a]; by[a] = by[b]; by[b] = t }
            text = by[1]
            for (a = 2; a <= names; a++)
                text = text (time[of, by[a], bytes] > 1.01 * time[of, by[a - 1], bytes] ? " < " : " = ") by[a]
            return text
        }
        function us(time) { return sprintf("%.0f", time) }
        BEGIN { names = split("flat binomial scatter_allgather chain", name, " ") }
        FILENAME ~ /explained$/ {
            time["simulated", $2, $1] = $3
            time["closed form", $2, $1] = $4
            with[$2, $1] = $5
            next
        }
        FNR == 1 { FS = "," }
        /^(#|coll,)/ { next }
        {
            $0 = $0 # by the new separator
            who = $5
            sub(/^napcoll:/, "", who)
            if (!($4 in known)) { known[$4]; size[++sizes] = $4 + 0 }
            time["measured", who, $4] = $7
            turns[who, $4] = $6
        }
        END {
            print "\n| bytes | algorithm | the model takes | turns | measured us | simulated us | closed form us |"
            print "|---:|---|---|---:|---:|---:|---:|"
            for (i = 1; i <= sizes; i++) for (a = 1; a <= names; a++) {
                s = size[i]
                n = name[a]
                printf "| %d | %s | %s | %d | %s | %s | %s |\n", s, n, with[n, s], turns[n, s], \
                    us(time["measured", n, s]), us(time["simulated", n, s]), us(time["closed form", n, s])
            }
            print "\nThe order of the algorithms, \"=\" where two are within 1%:\n"
            print "| bytes | | |\n|---:|---|---|"
            for (i = 1; i <= sizes; i += sizes - 1) {
                printf "| %d | measured | %s |\n", size[i], order("measured", size[i])
                printf "| | simulated | %s |\n", order("simulated", size[i])
                printf "| | closed form | %s |\n", order("closed form", size[i])
                if (sizes < 2) break
            }
        }' "$scratch/explained" "$scratch/broadcast-model.csv" "$scratch/broadcast-large.csv" >>"$scratch/broadcast.md"
}

# median_ms NAME ALGORITHM: of a run with one size.
median_ms() {
    awk -F, -v who="napcoll:$2" '$5 == who { printf "%.0f", $7 / 1000 }' "$scratch/$1.csv"
}

what_the_model_lacks() {
    cat <<END

Both take a message for alpha + beta s at any size, and a process for sending one message after the other. What
that leaves out:

- The handshake: above 64 KiB Open MPI's TCP asks before it sends, two latencies more, which netlab.conf does not
  have.
- Sends that overlap. Where the system's buffers are small, as above, a send ends when most of its bytes have left.
  Linux lets them grow to megabytes: then a send ends at once, the root's halves of a scattered vector share its
  link, and the largest, which others wait for, arrives last. So 4 MB take $(median_ms broadcast-buffers scatter_allgather) ms in place of $(median_ms broadcast-large scatter_allgather) by
  scatter_allgather, $(median_ms broadcast-buffers binomial) in place of $(median_ms broadcast-large binomial) by the binomial tree, and $(median_ms broadcast-buffers chain) in place of $(median_ms broadcast-large chain) by the chain.
END
}

measure_order() {
    local one_link=(--nodes 8 --ppn 2 --map cyclic --topology "$scratch/switches.conf" --latency 1ms --rate 200Mbit)
    local contestants=napcoll,napcoll:chain,napcoll:two_level,tuned,han title
    printf '%s\n' 'SwitchName=s0 Nodes=node[0,2,4,6]' 'SwitchName=s1 Nodes=node[1,3,5,7]' \
        'SwitchName=top Switches=s[0-1]' >"$scratch/switches.conf"
    title="4 MB in depth-first order of two switches"
    run broadcast-order "${one_link[@]}" : -np 16 --mca coll_napcoll_topology_file "$scratch/switches.conf" -- \
        --bytes 4M --contestants "$contestants" --iterations 30
    title="The same without the file: in the order of the nodes' numbers"
    run broadcast-plain "${one_link[@]}" : -np 16 -- --bytes 4M --contestants "$contestants" --iterations 30
    printf '\nswitches.conf:\n\n' >>"$scratch/broadcast.md"
    sed 's/^/    /' "$scratch/switches.conf" >>"$scratch/broadcast.md"
}

measure_far() {
    local title="8 bytes between nodes that are far from each other"
    run broadcast-far --nodes 8 --ppn 8 --latency 2ms --rate 1Gbit : -np 64 -- --bytes 8 \
        --contestants napcoll,napcoll:nap,napcoll:two_level,tuned,han --iterations 200
}

measure_model() {
    local eight=(--nodes 8 --ppn 1 --latency 1ms --rate 200Mbit : -np 8) slow=$scratch/netlab-200.conf title
    local buffers=(--mca btl_tcp_sndbuf 131072 --mca btl_tcp_rcvbuf 262144)
    local four=(--contestants "napcoll:flat,napcoll:binomial,napcoll:scatter_allgather,napcoll:chain" --iterations 50)
    sed -E 's/^(coll_napcoll_machine_network_[a-z]+_ns_per_byte *=).*/\1 40/
        s/^(coll_napcoll_machine_(process|node)_injection_mbyte_per_s *=).*/\1 25/' \
        "$NAPCOLL_SRC/ompi/tools/napcoll/machines/netlab.conf" >"$slow"
    napcoll_machine_settings "$slow"
    title="Model against measurement: four algorithms on 8 nodes"
    run broadcast-model "${eight[@]}" "${buffers[@]}" -- --bytes 8:2M:x8 "${four[@]}"
    title="The same with 4 MB"
    run broadcast-large "${eight[@]}" "${buffers[@]}" -- --bytes 4M "${four[@]}"
    title="4 MB where the system's buffers grow"
    run broadcast-buffers "${eight[@]}" -- --bytes 4M "${four[@]}"
    printf '\n## Measured, simulated, and by closed forms\n' >>"$scratch/broadcast.md"
    model_table
    what_the_model_lacks >>"$scratch/broadcast.md"
}

measure_all() {
    cat >"$scratch/broadcast.md" <<END
# Broadcasts

Made by \`examples/broadcast.sh\` with Open MPI $openmpi_version. Times are medians over turns in which all
contestants ran, on nodes that share the processors of one machine: ratios from one run say something. The
commands follow \`. build/env.sh\`, with the parameters of netlab.conf in the environment, and the parameters of
200 Mbit/s (40 ns per byte, 25 MB/s) for the four algorithms.
END
    ! wants order || measure_order
    ! wants far || measure_far
    ! wants model || measure_model
    finish
}

options "$@"
begin
machine netlab
measure_all
