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
  --time-limit SECONDS    how long to measure (default 60)
  --help                  this text
END
}

build_only=no
time_limit=60
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
machine=ompi/tools/napcoll/machines/netlab-oversubscribed.conf
napcoll_machine_settings "$machine"

napcoll_say "allreduce on 8 emulated nodes of 8 processes, 2 ms between nodes"
csv=$NAPCOLL_SRC/build/quickstart.csv
# Open MPI's launcher warns of a race with its child, which has done what the launcher tries to do.
{
    netlab --nodes 8 --ppn 8 --latency 2ms -- \
        mpirun -np 64 collbench --coll allreduce --bytes 8:32K:x64 --contestants napcoll,napcoll:nap,tuned,han \
        --iterations 30 --time-limit "$time_limit" --csv "$csv" 2>&1 >&3 |
        sed '/plm:[rs]sh: Warning: setpgid/d' >&2
} 3>&1

# Of 8 bytes: why auto took what it took, by the model's times of the algorithms; then the ratios.
napcoll-plan explain --coll allreduce --nodes 8 --ppn 8 --bytes 8 --machine "$machine" >build/quickstart.txt
awk -F, '
    FNR == NR {
        if (split($0, word, " ") >= 2 && word[2] ~ /^[0-9.]+$/)
            ms[word[1]] = word[2] / 1000
        next
    }
    !/^#/ && $4 == 8 { ratio[$5] = $10; ran[$5] = $NF }
    END {
        algorithm = ran["napcoll"]
        gsub(/"/, "", algorithm)
        if (algorithm != "nap" && algorithm in ms)
            printf "\nnapcoll took %s, not nap: where 64 processes share few processors, its model expects %.1f ms " \
                "with %s and %.1f ms with nap.\n", algorithm, ms[algorithm], algorithm, ms["nap"]
        if (ratio["tuned"] <= 0 || ratio["han"] <= 0) {
            print "\nThis machine was too busy to compare them; try again with a longer --time-limit."
            exit 1
        }
        printf "\nOn this emulated cluster an 8-byte allreduce by napcoll takes %.2f of the time of tuned and " \
            "%.2f of the time of han.\n", 1 / ratio["tuned"], 1 / ratio["han"]
    }' build/quickstart.txt "$csv"
