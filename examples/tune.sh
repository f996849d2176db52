#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Whether napcoll-tune finds the network that netlab was told to make: latency, rate and gap of three settings.

set -euo pipefail

NAPCOLL_SRC=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=config/setup.sh
. "$NAPCOLL_SRC/config/setup.sh"

usage() {
    cat <<'END'
Usage: examples/tune.sh [--part LIST] [--time-limit SECONDS] [--output DIR]

Measures emulated networks of 4 nodes with 4 processes each by napcoll-tune, and writes into DIR (default build/results)

  tune.md           what was configured beside what was found
  tune-SETTING.conf the parameter file of each setting

  --part LIST       some of near (100us, 1Gbit), far (2ms, 100Mbit) and gap (100us, 1Gbit, 20us between packets),
                    with commas between; default: all
  --time-limit SECONDS
                    for the measurements of one setting; default 120
  --output DIR      where to write
  --help            this text
END
}

coll=none
document=tune
all_parts=near,far,gap
# shellcheck source=examples/measuring.sh
. "$NAPCOLL_SRC/examples/measuring.sh"

# Inside of netlab: half round trips of netlab's own probe, least and median, in us, three times.
if [ "${1:-}" = --probe ]; then
    "$NAPCOLL_SRC/tests/netlab/netlab-agent" node1 "exec '$NETLAB_LIBEXEC/netlab-probe' listen" &
    for _ in 1 2 3; do
        "$NETLAB_LIBEXEC/netlab-probe" rtt node1 200
    done
    exit
fi

options "$@"
begin

# configured SETTING: latency in us, rate in 10^6 bytes per second, gap in us; netlab's default gap is 5.
configured() {
    case $1 in
        near) echo 100 125 5 ;;
        far) echo 2000 12.5 5 ;;
        gap) echo 100 125 20 ;;
    esac
}

# found SETTING KEY
found() {
    sed -n "s/^coll_napcoll_machine_$2 = //p" "$scratch/tune-$1.conf"
}

# row SETTING WHAT CONFIGURED FOUND [PROBE]: a line of the table, with how far it is off what was configured and, of a
# latency, off what netlab's own probe took.
row() {
    awk -v setting="$1" -v what="$2" -v configured="$3" -v found="$4" -v probe="${5:-}" '
        function off(a, b) { return sprintf("%+.1f %%", 100 * (a / b - 1)) }
        BEGIN {
            printf "| %s | %s | %g | %g | %s | %s | %s |\n", setting, what, configured, found, off(found, configured),
                probe == "" ? "" : probe, probe == "" ? "" : off(found, probe)
        }'
}

# measure SETTING
measure() {
    local setting=$1 words latency rate gap probed command load report=$scratch/$1.txt
    read -ra words < <(network_of "$setting")
    read -r latency rate gap < <(configured "$setting")
    load=$(cut -d ' ' -f 1 /proc/loadavg)
    napcoll_say "$setting, up to $time_limit s and the start"
    # the least of three medians, halved
    probed=$(netlab --nodes 2 --ppn 1 "${words[@]}" -- "$NAPCOLL_SRC/examples/tune.sh" --probe |
        awk 'NR == 1 || $2 < least { least = $2 } END { print least / 2 }')
    command=(netlab --nodes 4 --ppn 4 "${words[@]}" -- mpirun -np 16 napcoll-tune --no-thresholds --no-verify
        --time-limit "$time_limit" -o "tune-$setting.conf")
    (cd "$scratch" && timeout --kill-after=20 $((time_limit + 120)) "${command[@]}" >"$report" 2>"$report.errors") || {
        tail -n 20 "$report.errors" >&2
        napcoll_fail "$setting: napcoll-tune failed"
    }
    {
        row "$setting" "latency, us" "$latency" "$(found "$setting" network_eager_latency_us)" "$probed"
        row "$setting" "R_b, 10^6 B/s" "$rate" "$(found "$setting" process_injection_mbyte_per_s)"
        row "$setting" "R_N, 10^6 B/s" "$rate" "$(found "$setting" node_injection_mbyte_per_s)"
        row "$setting" "gap of a node, us" "$gap" "$(found "$setting" node_gap_us)"
    } >>"$scratch/table"
    printf '\n## %s\n\nThe load average of the machine was %s before.\n\n    %s\n\n' \
        "$setting" "$load" "${command[*]}" >>"$scratch/reports"
    sed 's/^/    /' "$report" >>"$scratch/reports"
}

for setting in ${parts//,/ }; do
    measure "$setting"
done
# What netlab does not take off the latency, such as the share of MPI, is in both.
if wants near && wants far; then
    row "far less near" "latency, us" 1900 "$(awk -v far="$(found far network_eager_latency_us)" \
        -v near="$(found near network_eager_latency_us)" 'BEGIN { print far - near }')" >>"$scratch/table"
fi
{
    cat <<END
# What napcoll-tune finds

Made by \`examples/tune.sh\` with Open MPI $openmpi_version: three networks that netlab
was told to make, on one machine of $(nproc) cores, and what napcoll-tune found by round trips and bursts of messages. TCP
and the switch run on the processors of the same machine, and netlab holds packets so much shorter than the latency as
it finds that they take anyway. MPI's own share comes on top. So netlab's probe, which knows no MPI, is beside it: the
least of three medians of 200 round trips of a byte, halved. The gap is that between packets, of which several small
messages may share one; and messages are no faster than the processors can make them.

| setting | number | configured | found | off | netlab-probe | off the probe |
|---|---|---:|---:|---:|---:|---:|
END
    cat "$scratch/table" "$scratch/reports"
} | sed 's/  *$//' >"$scratch/tune.md"
finish
