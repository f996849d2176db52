#!/bin/bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# netlab --self-test: measures the emulated network with netlab-probe and compares what is measured
# with what was asked for.  Prints TAP; exit status 1 if a check fails, 77 if netlab cannot run
# here.
#
# A busy machine can only add time, and not always: so a check takes the best of a few tries.  The
# bounds still tell a working emulation from one without a delay, with the delay in one direction
# only, or without a limit.
set -u

here=$(dirname "$(readlink -f "$0")")
probe=$NETLAB_LIBEXEC/netlab-probe
tries=4
number=0
failures=0

# Inside a netlab: prints the results of one probe, tries times.
if [ "${1:-}" = inside ]; then
    shift
    "$here/netlab-agent" node1 "exec '$probe' listen" &
    if [ "$2" = self ]; then
        "$probe" listen &
        set -- "$1" node0 "$3"
    fi
    for ((i = 0; i < tries; i++)); do
        "$probe" "$@" || exit 1
    done
    exit 0
fi

# report CONDITION NAME DETAIL
report()
{
    number=$((number + 1))
    if [ "$1" = 0 ]; then
        echo "ok $number - $2 # $3"
    else
        echo "not ok $number - $2"
        echo "# $3"
        failures=$((failures + 1))
    fi
}

# check NAME LOW HIGH UNIT PROBE NODE AMOUNT OPTION...: passes if any try lies from LOW to HIGH.
check()
{
    local name=$1 low=$2 high=$3 unit=$4 kind=$5 node=$6 amount=$7 out status

    shift 7
    out=$("$here/netlab" --nodes 2 --ppn 1 "$@" \
        "$here/selftest.sh" inside "$kind" "$node" "$amount")
    status=$?
    if [ $status = 77 ]; then
        echo "1..0 # SKIP netlab cannot run here"
        exit 77
    elif [ $status != 0 ]; then
        report 1 "$name" "the probe failed with status $status"
        return
    fi
    out=$(cut -d ' ' -f 1 <<<"$out" | paste -s -d ' ')
    awk -v low="$low" -v high="$high" -v all="$out" 'BEGIN {
        n = split(all, v, " ")
        for (i = 1; i <= n; i++) if (v[i] >= low && v[i] <= high) exit 0
        exit 1
    }'
    report $? "$name" "measured $out $unit, expected $low to $high"
}

# A probe of round trips prints the least of 60 first, and that is what counts here.
check "round trip is twice a latency of 2ms" 4000 4500 us \
    rtt node1 60 --latency 2ms
check "round trip is twice a latency of 300us" 600 900 us \
    rtt node1 60 --latency 300us
check "no latency inside a node" 1 600 us \
    rtt self 60 --latency 2ms
check "stream runs at a rate of 100Mbit" 85 115 Mbit/s \
    rate node1 3000000 --latency 100us --rate 100Mbit
check "stream runs at a rate of 20Mbit" 17 23 Mbit/s \
    rate node1 600000 --latency 100us --rate 20Mbit
check "a gap of 1ms lets 1000 packets through per second" 850 1050 packets/s \
    packets node1 200 --latency 100us --gap 1ms
check "a gap of 100us lets 10000 packets through per second" 8500 10500 packets/s \
    packets node1 400 --latency 100us --gap 100us
check "without limits, neither rate nor gap is felt" 1000 1000000 Mbit/s \
    rate node1 20000000 --latency 0 --rate unlimited --gap 0
echo "1..$number"
[ $failures = 0 ]
