#!/bin/bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# netlab's self-test: measures the emulated network with netlab-probe and compares what is measured
# with what was asked for.  Prints TAP; exit status 1 if a check fails, 77 if netlab cannot run
# here.
#
# A busy machine can only add time, and not always: so a check takes the best of a few tries, and starts a few
# other networks if none of the first tries is within the bounds: each network measures its overhead anew.  The
# bounds still tell a working emulation from one without a delay, with the delay in one direction
# only, or without a limit.
set -u

here=$(dirname "$(readlink -f "$0")")
# Used inside a netlab, which says where its programs are.
probe=${NETLAB_LIBEXEC:-}/netlab-probe
tries=2
networks=5
number=0
failures=0

# Inside a netlab: streams AMOUNT bytes from node to node for each FROM-TO, all at once; sets us to the
# microseconds until all have arrived.
stream()
{
    local amount=$1 pair start=${EPOCHREALTIME/./}
    local -a jobs=()

    shift
    for pair in "$@"; do
        "$here/netlab-agent" "node${pair%-*}" "exec '$probe' rate node${pair#*-} $amount" >/dev/null &
        jobs+=($!)
    done
    for pair in "${jobs[@]}"; do
        wait "$pair" || exit 1
    done
    us=$((${EPOCHREALTIME/./} - start))
}

# Inside a netlab: prints how many times as long two streams at once take as one of them alone: the least
# of each of some tries.
compare_streams()
{
    local one=$1 other=$2 amount=$3 i least=0 least_both=0

    stream 1 "$one" "$other" # all listeners are there
    for ((i = 0; i < tries; i++)); do
        stream "$amount" "$one"
        ((least > 0 && least <= us)) || least=$us
        stream "$amount" "$one" "$other"
        ((least_both > 0 && least_both <= us)) || least_both=$us
    done
    awk -v one="$least" -v both="$least_both" 'BEGIN { printf "%.2f\n", both / one }'
}

# Inside a netlab: sends a burst of COUNT datagrams from node to node for each FROM-TO, all at once; prints
# how many of a hundred have arrived, for each of some tries.
send_bursts()
{
    local count=$1 pair i

    shift
    stream 1 "$@" # all listeners are there
    for ((i = 0; i < tries / 2; i++)); do # they wait for more a while, each time
        for pair in "$@"; do
            "$here/netlab-agent" "node${pair%-*}" "exec '$probe' burst node${pair#*-} $count" &
        done | awk -v count="$count" -v bursts=$# '
            { arrived += $1 }
            END {
                if (NR != bursts) exit 1
                printf "%.1f\n", 100 * arrived / (bursts * count)
            }' || exit 1
    done
}

# Inside a netlab: prints the results of one probe, tries times.
if [ "${1:-}" = inside ]; then
    shift
    for ((i = 1; i < NETLAB_NODES; i++)); do
        "$here/netlab-agent" "node$i" "exec '$probe' listen" &
    done
    if [ "$1" = streams ]; then
        compare_streams "${2%,*}" "${2#*,}" "$3"
        exit
    elif [ "$1" = bursts ]; then
        IFS=, read -r -a pairs <<<"$2"
        send_bursts "$3" "${pairs[@]}"
        exit
    fi
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

# try_network LOW HIGH KIND NODE AMOUNT OPTION...: one network; sets out to what is measured, and status to 0 if any
# try lies from LOW to HIGH, 1 if none does, 2 if there is none.
try_network()
{
    local low=$1 high=$2 kind=$3 node=$4 amount=$5

    shift 5
    out=$("$here/netlab" --nodes 2 --ppn 1 "$@" \
        "$here/selftest.sh" inside "$kind" "$node" "$amount")
    status=$?
    if [ $status = 77 ]; then
        echo "1..0 # SKIP netlab cannot run here"
        exit 77
    elif [ $status != 0 ]; then
        out="the probe failed with status $status"
        status=2
        return
    fi
    out=$(awk -v kind="$kind" '{ print kind == "rtt" ? $1 "-" $3 : $1 }' <<<"$out" | paste -s -d ' ')
    awk -v low="$low" -v high="$high" -v all="$out" 'BEGIN {
        n = split(all, tries, " ")
        for (i = 1; i <= n; i++) {
            parts = split(tries[i], v, "-")
            if (v[parts] >= low && v[1] <= high) exit 0
        }
        exit 1
    }'
    status=$?
}

# check NAME LOW HIGH UNIT PROBE NODE AMOUNT OPTION...: passes if any try lies from LOW to HIGH. The probe
# "streams" has FROM-TO,FROM-TO for NODE, "bursts" as many of them as you like.
check()
{
    local name=$1 low=$2 high=$3 unit=$4 all='' out status i

    shift 4
    for ((i = 0; i < networks; i++)); do
        try_network "$low" "$high" "$@"
        all+="${all:+, then }$out"
        [ "$status" = 1 ] || break
    done
    if [ "$status" = 2 ]; then
        report 1 "$name" "$all"
    else
        report "$status" "$name" "measured $all $unit, expected $low to $high"
    fi
}

# Of 60 round trips the lower quartile is not too short: netlab takes the median for the overhead, which may have been
# another then, by some ten microseconds. And the least, which a busy machine prolongs less, is not too long.
check "round trip is twice a latency of 2ms" 3900 4240 us \
    rtt node1 60 --latency 2ms
check "round trip is twice a latency of 300us" 540 690 us \
    rtt node1 60 --latency 300us
check "round trip is twice a latency of 100us" 150 240 us \
    rtt node1 60 --latency 100us
check "it is more where the overhead counts as nothing" 600 900 us \
    rtt node1 60 --latency 300us --overhead 0
check "and less by twice an overhead that is given" 2000 2400 us \
    rtt node1 60 --latency 2ms --overhead 1ms
check "packets are sent on at once where the overhead is more than the latency" 1 300 us \
    rtt node1 60 --latency 300us --overhead 1ms
check "the links' time is not taken for overhead" 4000 4400 us \
    rtt node1 60 --latency 300us --rate 300Kbit
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

# Two switches under a third. Streams on the same links take about twice as long as one alone, others do
# not; the bounds are wide, for starting them takes time, too.
tree=$(mktemp "${TMPDIR:-/tmp}/netlab-selftest.XXXXXX") || exit 1
trap 'rm -f "$tree"' EXIT
cat >"$tree" <<'END'
SwitchName=left Nodes=node[0-1]
SwitchName=right Nodes=node[2-3]
SwitchName=top Switches=left,right
END
slow=(--nodes 4 --latency 100us --rate 100Mbit)
check "round trip is twice the latency, however many switches there are" 3900 4240 us \
    rtt node2 60 --nodes 4 --latency 2ms --topology "$tree"
check "stream runs at a rate of 100Mbit inside a switch" 85 115 Mbit/s \
    rate node1 3000000 "${slow[@]}" --trunk 20Mbit --topology "$tree"
check "stream runs at the rate of 20Mbit of the links between switches" 17 23 Mbit/s \
    rate node2 600000 "${slow[@]}" --trunk 20Mbit --topology "$tree"
check "streams that cross the same link share its rate" 1.6 2.5 "times as long" \
    streams 0-2,1-3 3000000 "${slow[@]}" --topology "$tree"
check "streams inside different switches do not slow each other down" 0.7 1.35 "times as long" \
    streams 0-1,2-3 3000000 "${slow[@]}" --topology "$tree"
check "nor do streams that cross a link in both directions" 0.7 1.35 "times as long" \
    streams 0-2,3-1 3000000 "${slow[@]}" --topology "$tree"
check "nor do streams over a link that is twice as fast" 0.7 1.35 "times as long" \
    streams 0-2,1-3 3000000 "${slow[@]}" --trunk 200Mbit --topology "$tree"
check "streams to one node share the rate of its link" 1.6 2.5 "times as long" \
    streams 0-2,3-2 3000000 "${slow[@]}" --trunk unlimited --topology "$tree"
check "without switches there is no such limit" 0.7 1.35 "times as long" \
    streams 0-2,3-2 3000000 "${slow[@]}"

check "stream runs at a rate of 100Mbit with bounded queues" 85 115 Mbit/s \
    rate node1 3000000 --latency 100us --rate 100Mbit --queue 64K
check "with them, streams to one node share the rate of its link" 1.6 2.5 "times as long" \
    streams 0-2,3-2 3000000 "${slow[@]}" --queue 1G

# Of three bursts of 400 packets to one node, which come in while its link carries 400 of the 1200, a queue
# of 64K keeps 62; more arrive, the less the bursts come at once.
slow=(--nodes 4 --latency 100us --rate 10Mbit)
check "a full queue drops packets" 37 65 "% of the packets" \
    bursts 0-3,1-3,2-3 400 "${slow[@]}" --queue 64K
check "one that has room for all drops none" 100 100 "% of the packets" \
    bursts 0-3,1-3,2-3 100 "${slow[@]}" --queue 400K
check "the queue of a node's own link drops none" 100 100 "% of the packets" \
    bursts 0-3,1-2 400 "${slow[@]}" --queue 4K
check "the full queue of a link between switches drops packets" 31 60 "% of the packets" \
    bursts 0-2,1-3 400 "${slow[@]}" --queue 64K --trunk 5Mbit --topology "$tree"
echo "1..$number"
[ $failures = 0 ]
