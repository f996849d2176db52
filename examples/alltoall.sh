#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# What uneven all-to-alls gain from TuNA, which radix suits which size, and what memory it takes.

set -euo pipefail

NAPCOLL_SRC=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=config/setup.sh
. "$NAPCOLL_SRC/config/setup.sh"

usage() {
    cat <<'END'
Usage: examples/alltoall.sh [--part LIST] [--shapes LIST] [--time-limit SECONDS] [--output DIR]

Measures MPI_Alltoallv on emulated nodes (latency 100 us, gap 10 us, 1 Gbit/s) and writes into DIR (default
build/results) alltoall.md, with the commands, and the figures as CSV:

  alltoall-8x8.csv, alltoall-16x4.csv
                 blocks of 8 bytes to 16 KB on average, of random sizes: auto and TuNA's algorithms, tuned and basic
  alltoall-DEAL-8x8.csv, alltoall-DEAL-16x4.csv
                 sizes by a power law, one hot rank, nine of ten blocks empty
  alltoall-radix.csv, .svg
                 tuna with each radix on 8x8, beside basic; alltoall.md tells the radix that the model takes
  memory         what blocks in transit, and plans, take on many processes

Installs what is missing and builds napcoll first.

  --part LIST            of sizes, deals, radix and memory, with commas between (default: all)
  --shapes LIST          nodes and processes on each, with commas between (default: 8x8,16x4, and of memory 256x16,2048x16);
                         radix takes the first
  --time-limit SECONDS   of each of the nine runs (default 120), thrice in the first two and the last
  --output DIR           default build/results
  --help                 this text
END
}

coll=alltoallv
document=alltoall
all_parts=sizes,deals,radix,memory
default_shapes=8x8,16x4
shapes=$default_shapes
# shellcheck source=examples/measuring.sh
. "$NAPCOLL_SRC/examples/measuring.sh"

radixes=(2 4 8 16 32 64)
radix_sizes=(8 512 4096)

# on NODES PPN: sets the array `nodes` to netlab's words and mpirun's, and the machine of auto.
on() {
    nodes=(--nodes "$1" --ppn "$2" --latency 100us --gap 10us --rate 1Gbit : -np $(($1 * $2)))
    case $1 in
        16) machine netlab-near-16 ;;
        *) machine netlab-near ;;
    esac
}

measure_sizes() {
    local shape title time_limit=$((3 * time_limit))
    for shape in ${shapes//,/ }; do
        on "${shape%x*}" "${shape#*x}"
        title="Random sizes, $shape"
        run "alltoall-$shape" "${nodes[@]}" -- --bytes 8,64,512,4K,16K --batch 3 --iterations 50 --contestants \
            napcoll,napcoll:tuna,napcoll:tuna_two_level,napcoll:tuna_coalesced,napcoll:tuna_staggered,tuned,basic
    done
}

measure_deals() {
    local shape deal title
    for deal in power hot zeros; do
        for shape in ${shapes//,/ }; do
            on "${shape%x*}" "${shape#*x}"
            title="Sizes by the deal \`$deal\`, $shape"
            run "alltoall-$deal-$shape" "${nodes[@]}" -- --deal "$deal" --bytes 64,1K --batch 3 --iterations 50 \
                --contestants napcoll,napcoll:tuna,napcoll:tuna_two_level,napcoll:tuna_coalesced,tuned,basic
        done
    done
}

# chosen_radix NODES PPN BYTES: the radix of tuna, by the model of netlab-near.conf.
chosen_radix() {
    napcoll-plan explain --coll "$coll" --nodes "$1" --ppn "$2" --bytes "$3" --machine netlab-near.conf |
        sed -nE 's/^tuna .*radix=([0-9]+).*/\1/p'
}

# The sweep over radixes: each is a contestant, and basic's time the reference. Radixes above the number of processes
# act as that.
measure_radix() {
    local radix bytes chosen=() title shape=${shapes%%,*} contestants=basic sizes time_limit=$((3 * time_limit))
    sizes=$(IFS=, && echo "${radix_sizes[*]}")
    on "${shape%x*}" "${shape#*x}"
    for radix in "${radixes[@]}"; do
        [ "$radix" -gt 2 ] && [ "$radix" -gt $((${shape/x/*})) ] || contestants+=",napcoll:tuna radix=$radix"
    done
    title="tuna by radix, $shape"
    run alltoall-radix "${nodes[@]}" -- --batch 3 --bytes "$sizes" --iterations 50 --contestants "$contestants" \
        --svg alltoall-radix.svg
    for bytes in "${radix_sizes[@]}"; do
        chosen+=(" radix $(chosen_radix "${shape%x*}" "${shape#*x}" "$bytes") for $bytes bytes")
    done
    printf '\nThe model of netlab-near.conf takes%s.\n' "$(IFS=, && echo "${chosen[*]}")" >>"$scratch/$document.md"
}

show_memory() {
    local shape bytes large=$shapes
    [ "$shapes" != "$default_shapes" ] || large=256x16,2048x16
    {
        # shellcheck disable=SC2016 # these are no commands
        printf '\n## Memory\n\nOf each process, by `napcoll-plan explain`, with blocks of 64 bytes and of 4 KB on average:\n'
        for shape in ${large//,/ }; do
            for bytes in 64 4K; do
                printf '\n    napcoll-plan explain --coll %s --nodes %s --ppn %s --bytes %s --machine netlab.conf\n\n' \
                    "$coll" "${shape%x*}" "${shape#*x}" "$bytes"
                napcoll-plan explain --coll "$coll" --nodes "${shape%x*}" --ppn "${shape#*x}" --bytes "$bytes" \
                    --machine netlab.conf | sed -n '/^Memory/,/^$/s/^./    &/p'
            done
        done
    } >>"$scratch/$document.md"
}

measure_all() {
    cat >"$scratch/$document.md" <<END
# All-to-alls whose blocks differ

Made by \`examples/alltoall.sh\` with Open MPI $openmpi_version. Times are medians over turns in which all
contestants ran, on nodes that share the processors of one machine: ratios from one run say something. The
commands are those after \`. build/env.sh\`, with the parameters of netlab-near.conf, on 16 nodes of
netlab-near-16.conf, in the environment: these were tried by hand on such times. tuned is pairwise here, and basic
linear. Blocks keep their sizes from call to call: napcoll's processes agree on them in the first, and rely on that.
END
    ! wants sizes || measure_sizes
    ! wants deals || measure_deals
    ! wants radix || measure_radix
    ! wants memory || show_memory
    finish
}

options "$@"
begin
measure_all
