#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Whether gathers in pieces are spared the escalations of a flat gather behind a switch with little memory, what the
# same does to scatters, and what two levels gain where many processes share a node.

set -euo pipefail

NAPCOLL_SRC=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=config/setup.sh
. "$NAPCOLL_SRC/config/setup.sh"

usage() {
    cat <<'END'
Usage: examples/gather.sh [--part LIST] [--bytes LIST] [--time-limit SECONDS] [--output DIR]

Measures MPI_Gather and MPI_Scatter on emulated nodes and writes into DIR (default build/results) gather.md, with
the commands, and the figures as CSV:

  gather-thresholds.conf
                 M1, M2 and S of 16 nodes behind a switch whose ports hold 32 KiB, as napcoll-tune finds them:
                 from M1 to M2 gathers escalate, and from S on scatters take longer
  gather-sizes.csv, gather-sizes.svg, gather-samples.csv
                 blocks of 1 KB to 256 KB on these nodes: flat (napcoll's linear), segmented and credit, tuned and
                 han; the picture has medians with their 5th and 95th percentiles, and the last file every sample
  gather-worst.csv
                 the size at which flat's 95th percentile is the largest multiple of its 5th, in more turns
  gather-scatter.csv, gather-scatter.svg, gather-scatter-samples.csv
                 the same of scatters, with blocks of 8 KB to 512 KB
  gather-near.csv, gather-scatter-near.csv
                 blocks of 8 bytes to 64 KB on 8x8 without such a switch: two_level, tuned and han

Installs what is missing and builds napcoll first.

  --part LIST            of thresholds, gather, scatter and near, with commas between (default: all). Without
                         thresholds, gather and scatter take the gather-thresholds.conf that DIR has
  --bytes LIST           other sizes for all parts but thresholds, as in collbench(1)
  --time-limit SECONDS   a third of the time of each of the six runs (default 120); of thresholds at least 300 in all
  --output DIR           default build/results
  --help                 this text
END
}

coll=gather
document=gather
all_parts=thresholds,gather,scatter,near
bytes=
# shellcheck source=examples/measuring.sh
. "$NAPCOLL_SRC/examples/measuring.sh"

flat=napcoll:linear
pieces=(napcoll:segmented napcoll:credit)
others=(tuned han)
# Packets are small where ports hold little: a higher rate would be more of them than the processors of one machine
# can carry.
behind_switch=(--nodes 16 --ppn 1 --latency 100us --rate 100Mbit --queue 32K --verbose)
# The sizes of HeteroMPI's two clusters.
m1=5120
m2=65536
s=65536

# listed WORD...: with commas between.
listed() {
    local IFS=,
    echo "$*"
}

# kilo BYTES: as in tables.
kilo() {
    if [ $(($1 % 1024)) = 0 ]; then
        echo "$(($1 / 1024)) KB"
    else
        echo "$1 bytes"
    fi
}

# threshold NAME DEFAULT: a number of gather-thresholds.conf; the default where that has none, or 0.
threshold() {
    local found
    found=$(sed -nE "s/^coll_napcoll_$1 *= *([1-9][0-9]*) *\$/\\1/p" "$scratch/gather-thresholds.conf")
    echo "${found:-$2}"
}

# find_thresholds: napcoll-tune needs a few turns through many sizes, whatever the limit of the others.
find_thresholds() {
    local command time_limit=$((3 * time_limit))
    [ "$time_limit" -ge 300 ] || time_limit=300
    command=(netlab "${behind_switch[@]}" -- mpirun --mca coll "$list" -np 16
        napcoll-tune gather-scatter --time-limit "$time_limit" -o gather-thresholds.conf)
    measured gather-thresholds "${command[@]}"
    {
        printf '    %s\n\nwrote into [gather-thresholds.conf](gather-thresholds.conf)\n\n' "${command[*]}"
        sed -e 's/  *$//' -e 's/^./    &/' "$scratch/gather-thresholds.conf"
        echo
    } >>"$scratch/$document.md"
}

# take_thresholds: sets the thresholds that were measured, for the runs that follow.
take_thresholds() {
    local file=$scratch/gather-thresholds.conf
    printf '\n## M1, M2 and S\n\n' >>"$scratch/$document.md"
    if wants thresholds; then
        find_thresholds
    elif [ -f "$output/${file##*/}" ]; then
        cp "$output/${file##*/}" "$file"
    fi
    if [ -f "$file" ]; then
        m1=$(threshold gather_m1 "$m1")
        m2=$(threshold gather_m2 "$m2")
        s=$(threshold scatter_s "$s")
    fi
    export OMPI_MCA_coll_napcoll_gather_m1=$m1 OMPI_MCA_coll_napcoll_gather_m2=$m2 OMPI_MCA_coll_napcoll_scatter_s=$s
    cat >>"$scratch/$document.md" <<END
In the environment of all runs are OMPI_MCA_coll_napcoll_gather_m1=$m1,
OMPI_MCA_coll_napcoll_gather_m2=$m2 and OMPI_MCA_coll_napcoll_scatter_s=$s. What was not found is as on HeteroMPI's
clusters, 5 KB, 64 KB and 64 KB.
END
}

# times_table NAME: median and 95th percentile of each contestant by size.
times_table() {
    # shellcheck disable=SC2016 # it is awk's
    awk -F, '
        /^(#|coll,)/ { next }
        !($4 in turns) { size[++sizes] = $4; turns[$4] = $6 }
        !($5 in known) { known[$5]; name[++names] = $5 }
        { cell[$4, $5] = sprintf("%.1f / %.1f", $7 / 1000, $9 / 1000) }
        END {
            print "\nMedian and 95th percentile in milliseconds:\n"
            printf "| bytes | turns |"
            for (n = 1; n <= names; n++) printf " %s |", name[n]
            printf "\n|---:|---:|"
            for (n = 1; n <= names; n++) printf "---:|"
            print ""
            for (i = 1; i <= sizes; i++) {
                printf "| %d | %d |", size[i], turns[size[i]]
                for (n = 1; n <= names; n++) printf " %s |", (size[i], name[n]) in cell ? cell[size[i], name[n]] : "-"
                print ""
            }
        }' "$scratch/$1.csv" >>"$scratch/$document.md"
}

# drops_of NAME: what the switch has lost in that run.
drops_of() {
    sed -nE 's/^netlab: ([0-9]+) packets dropped by full queues$/\nThe switch dropped \1 packets in this run./p' \
        "$scratch/$1.txt" >>"$scratch/$document.md"
}

# worst_size NAME: the size at which flat's 95th percentile is the largest multiple of its 5th, of what calls take that
# lose nothing; of sizes with 20 turns or more, where any has as many.
worst_size() {
    awk -F, -v flat="$flat" '
        $5 != flat { next }
        { many = $6 >= 20; worse = $9 / $8 > most }
        many > enough || many == enough && worse { enough = many; most = $9 / $8; size = $4 }
        END { print size }' "$scratch/$1.csv"
}

# ratio_table NAME CONDITION HEADING...: the pieces' medians and 95th percentiles over flat's, of the sizes for which
# the condition on `bytes` holds. Says so where there is no such size.
ratio_table() {
    local name=$1 condition=$2 heading=$3
    {
        printf '\n%s\n\n' "$heading"
        # shellcheck disable=SC2016 # it is awk's
        awk -F, -v flat="$flat" -v pieces="${pieces[*]}" '
            function over(of, bytes, who) { return sprintf("%.2f", of[bytes, who] / of[bytes, flat]) }
            /^(#|coll,)/ { next }
            { bytes = $4 + 0 }
            !('"$condition"') { next }
            !($4 in turns) { size[++sizes] = $4; turns[$4] = $6 }
            { median[$4, $5] = $7; high[$4, $5] = $9 }
            END {
                if (sizes == 0) { print "No such size was measured."; exit }
                number = split(pieces, piece, " ")
                line = "| bytes | turns |"
                rule = "|---:|---:|"
                for (p = 1; p <= number; p++) {
                    line = line " " piece[p] ", median | " piece[p] ", 95th percentile |"
                    rule = rule "---:|---:|"
                }
                print line "\n" rule
                for (i = 1; i <= sizes; i++) {
                    line = "| " size[i] " | " turns[size[i]] " |"
                    for (p = 1; p <= number; p++)
                        line = line " " over(median, size[i], piece[p]) " | " over(high, size[i], piece[p]) " |"
                    print line
                }
            }' "$scratch/$name.csv"
    } >>"$scratch/$document.md"
}

measure_gather() {
    local contestants worst title time_limit=$((3 * time_limit))
    contestants=$(listed "$flat" "${pieces[@]}" "${others[@]}")
    title="Gathers on 16 nodes behind a switch whose ports hold 32 KiB"
    run gather-sizes "${behind_switch[@]}" : -np 16 -- --bytes "${bytes:-1K:256K:x2}" \
        --contestants "$contestants" --iterations 200 --svg gather-sizes.svg --samples gather-samples.csv
    drops_of gather-sizes
    times_table gather-sizes
    ratio_table gather-sizes "bytes < $m1 || bytes > $m2" "Outside of M1 to M2, $(kilo "$m1") to $(kilo "$m2"), \
times over $flat (of medians at most 1.1 is wanted):"
    worst=$(worst_size gather-sizes)
    title="The worst size of $flat, $(kilo "$worst")"
    run gather-worst "${behind_switch[@]}" : -np 16 -- --bytes "$worst" --contestants "$contestants" --iterations 100
    drops_of gather-worst
    times_table gather-worst
    ratio_table gather-worst 1 "Times over $flat (of 95th percentiles at most 0.5 is wanted):"
}

measure_scatter() {
    local coll=scatter title time_limit=$((3 * time_limit))
    title="Scatters on the same nodes"
    run gather-scatter "${behind_switch[@]}" : -np 16 -- --bytes "${bytes:-8K:512K:x2}" \
        --contestants "$(listed "$flat" "${pieces[@]}" "${others[@]}")" --iterations 50 \
        --svg gather-scatter.svg --samples gather-scatter-samples.csv
    drops_of gather-scatter
    times_table gather-scatter
    ratio_table gather-scatter "bytes >= $s" "From S, $(kilo "$s"), on, times over $flat:"
    ratio_table gather-scatter "bytes < $s" "Below S, times over $flat:"
}

# better_table NAME: two_level over the better of the others, by the medians over turns of collbench's ratios, of
# which two_level is the reference.
better_table() {
    # shellcheck disable=SC2016 # it is awk's
    awk -F, '
        /^(#|coll,)/ { next }
        !($4 in turns) { size[++sizes] = $4; turns[$4] = $6 }
        $10 > 0 && $5 !~ /^napcoll/ && (!($4 in least) || $10 < least[$4]) { least[$4] = $10; better[$4] = $5 }
        END {
            print "\ntwo_level over the better of the others (up to 512 bytes at most 0.8 is wanted):\n"
            print "| bytes | turns | ratio | against |\n|---:|---:|---:|---|"
            for (i = 1; i <= sizes; i++)
                printf "| %d | %d | %s | %s |\n", size[i], turns[size[i]], \
                    size[i] in least ? sprintf("%.2f", 1 / least[size[i]]) : "-", better[size[i]]
        }' "$scratch/$1.csv" >>"$scratch/$document.md"
}

measure_near() {
    # han's leaders are to have what they have without napcoll.
    export OMPI_MCA_coll_napcoll_gather_algorithm=fallback OMPI_MCA_coll_napcoll_scatter_algorithm=fallback
    local near=(--nodes 8 --ppn 8 --latency 100us --gap 10us --rate 1Gbit : -np 64) coll name title
    # Which of 64 processes share a processor changes every few seconds, and with it the times: a run must outlast that.
    local time_limit=$((3 * time_limit))
    machine netlab-near
    for coll in gather scatter; do
        name=gather-near
        [ "$coll" = gather ] || name=gather-scatter-near
        title="MPI_${coll^}, 8x8"
        run "$name" "${near[@]}" -- --bytes "${bytes:-8:64K:x8}" \
            --contestants "$(listed napcoll:two_level "${others[@]}")" --iterations 1000
        better_table "$name"
    done
}

measure_all() {
    cat >"$scratch/$document.md" <<END
# Gathers and scatters

Made by \`examples/gather.sh\` with Open MPI $openmpi_version. Times are the slowest process's, as in all of
collbench, over turns in which all contestants ran, on nodes that share the processors of one machine: ratios from
one run say something. The commands are those after \`. build/env.sh\`; on 8x8 the parameters of netlab-near.conf are
in the environment, and OMPI_MCA_coll_napcoll_gather_algorithm=fallback, and the same for scatter, so that han's leaders do
not gather by napcoll. Contestants share TCP's connections: what one loses may make those after it begin more slowly.
END
    [ "$parts" = near ] || take_thresholds
    ! wants gather || measure_gather
    ! wants scatter || measure_scatter
    ! wants near || measure_near
    finish
}

options "$@"
begin
measure_all
