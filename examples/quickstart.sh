#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# From a fresh checkout to a table that compares napcoll with Open MPI's own components.

set -euo pipefail

NAPCOLL_SRC=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=config/setup.sh
. "$NAPCOLL_SRC/config/setup.sh"

usage() {
    cat <<'END'
Usage: examples/quickstart.sh [--build-only] [--time-limit SECONDS]

Installs what is missing (with apt-get; elsewhere it names what to install), builds napcoll in build/,
and compares its allreduce with tuned's and han's on 8 emulated nodes of 8 processes each.

  --build-only            stop after the build; then `. build/env.sh` makes mpirun find napcoll, and
                          puts netlab, collbench and napcoll-plan in PATH
  --time-limit SECONDS    how long to measure (default 90)
  --help                  this text
END
}

build_only=no
time_limit=90
while [ $# -gt 0 ]; do
    case $1 in
        --build-only) build_only=yes ;;
        --time-limit)
            [ $# -ge 2 ] || { usage >&2; exit 2; }
            time_limit=$2
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
case $time_limit in
    '' | *[!0-9]*) napcoll_fail "--time-limit wants a number of seconds, not '$time_limit'" ;;
esac

cd "$NAPCOLL_SRC"
napcoll_packages "${napcoll_needs[@]}"
napcoll_build "$NAPCOLL_SRC/build" "$(nproc)" || exit 1
if [ "$build_only" = yes ]; then
    napcoll_say "built. Next:"
    cat <<'END'
    . build/env.sh
    mpirun --mca coll napcoll,tuned ./app
END
    exit 0
fi

# shellcheck source=/dev/null
. build/env.sh
napcoll_mpirun_settings
napcoll_machine_settings ompi/tools/napcoll/machines/netlab-oversubscribed.conf

napcoll_say "allreduce on 8 emulated nodes of 8 processes, 2 ms between nodes"
csv=$NAPCOLL_SRC/build/quickstart.csv
netlab --nodes 8 --ppn 8 --latency 2ms -- \
    mpirun -np 64 collbench --coll allreduce --bytes 8:64K --contestants napcoll,napcoll:nap,tuned,han \
    --time-limit "$time_limit" --csv "$csv"

# The medians of 8 bytes, and what napcoll's auto ran.
awk -F, '$1 == "allreduce" && $4 == 8 { us[$5] = $7; ran[$5] = $NF }
    END {
        gsub(/"/, "", ran["napcoll"])
        printf "\nOn this emulated cluster an 8-byte allreduce by napcoll takes %.2f of the time of tuned and " \
            "%.2f of the time of han.\n", us["napcoll"] / us["tuned"], us["napcoll"] / us["han"]
        if (ran["napcoll"] != "nap")
            printf "napcoll chose %s, not nap: 64 processes share the cores of one machine, where fewer messages " \
                "gain more than fewer steps.\n", ran["napcoll"]
    }' "$csv"
napcoll_say "next: . build/env.sh; the guides are in docs/README.md"
