#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# napcoll-tune finds the network that netlab makes, and the escalation of a switch with small queues. That is judged by
# times, so nothing may run beside it. tune.sh tests the rest.

set -euo pipefail

# shellcheck source=tests/build/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../build/tap.sh"
# shellcheck source=config/setup.sh
. "$src/config/setup.sh"

usage() {
    echo "Usage: tests/examples/tune-network.sh"
    echo
    echo "Runs napcoll-tune of the build folder (NAPCOLL_BUILD, else build/) on netlab; prints TAP. NAPCOLL_BRIEF=yes"
    echo "leaves out the search for an escalation (run.sh --brief)."
}
only_help "$@"

# shellcheck source=tests/examples/tuning.sh
. "$src/tests/examples/tuning.sh"
"$netlab" --nodes 1 --ppn 1 -- true || tap_skip_all "netlab cannot run here"

# 8 nodes behind a switch whose ports hold 16 KB: blocks of 7 nodes that are larger together may be dropped, and come a
# timeout of 200 ms later. Which size that happens to first is decided by how well the nodes' messages meet. The port
# is slow, so that its queue takes 13 ms to empty: longer than the nodes of a busy machine miss each other by.
escalation_is_found() {
    local m1 m2
    timeout 160 "$netlab" --nodes 8 --ppn 1 --latency 100us --rate 10Mbit --queue 16K -- timeout 150 mpirun -np 8 napcoll-tune \
        gather-scatter --min 512 --max 16K --repetitions 8 --time-limit $((15 + 15 * patience)) -o "$work/escalating" >"$work/report"
    cat "$work/report"
    has_parameters "$work/escalating"
    m1=$(value "$work/escalating" gather_m1)
    m2=$(value "$work/escalating" gather_m2)
    [ "$m1" -gt 1024 ] && [ "$m1" -le 16384 ]
    [ "$m2" -ge "$m1" ]
    grep -E '^ +\+ 0\.[12][0-9]* s with probability' "$work/report"
}

# within LOW HIGH NUMBER
within() {
    awk -v low="$1" -v high="$2" -v number="$3" 'BEGIN { exit !(number >= low && number <= high) }'
}

# 2 nodes of 2 processes, 1 ms apart, with 200 Mbit/s, which is 25 MB/s. A busy machine makes a latency longer and a
# rate lower, so the bounds are wide; but a latency of nothing, or a rate in bits, are out of them. The time is for the
# machine and the first sizes of some collectives.
machine_is_found() {
    local file=$work/machine key keys
    local rule='^[a-z_]+ nodes=2(\.\.4)? ppn=(2|1\.\.4)( bytes=([0-9]*\.\.)?[0-9]+[KM]?)?( calls=blocking -> fallback| -> [a-z_]+)$'
    timeout 230 "$netlab" --nodes 2 --ppn 2 --latency 1ms --overhead 0 --rate 200Mbit -- timeout 220 mpirun -np 4 \
        napcoll-tune -o "$file" --samples "$work/trips.csv" --no-thresholds --time-limit $((25 * patience)) >"$work/report"
    cat "$work/report" "$file"
    grep -F '4 processes on 2 nodes' "$file"
    grep -F 'R_b = ' "$work/report"
    grep -E '^  (barrier of 0|allreduce of 8) bytes, [0-9]+ turns' "$work/report"
    grep -E "^ +fallback .* us" "$work/report"
    # slower is never called faster: what is, took less in the median than auto's choice above it
    awk '/auto.s choice/ && !/faster than/ { auto = $0; sub(/ us.*/, "", auto); sub(/.* /, "", auto) }
        /: faster than auto.s choice$/ { sub(/ us.*/, ""); sub(/.* /, ""); if ($0 + 0 >= auto + 0) exit 1 }' "$work/report"
    # rules, if there are any, are where the file says
    if grep -F 'coll_napcoll_rules_file' "$file"; then
        grep -Fx "coll_napcoll_rules_file = $(basename "$file.rules")" "$file"
        grep -Fx "    cp $file.rules ~/.openmpi" "$work/report"
        grep -E "$rule" "$file.rules"
        (! grep -vE "^#|^\$|$rule" "$file.rules")
        napcoll-plan rules check "$file.rules"
    else
        [ ! -e "$file.rules" ]
    fi
    within 950 4000 "$(value "$file" machine_network_eager_latency_us)"
    within 5 30 "$(value "$file" machine_process_injection_mbyte_per_s)"
    within 5 30 "$(value "$file" machine_node_injection_mbyte_per_s)"
    within 0 1000 "$(value "$file" machine_node_eager_latency_us)"
    # every key once, as the component has them
    mapfile -t keys < <(sed -n 's/^\(coll_napcoll_machine_[a-z_]*\) = .*/\1/p' \
        "$src/ompi/tools/napcoll/machines/bluewaters.conf")
    [ "${#keys[@]}" -gt 20 ]
    for key in "${keys[@]}"; do
        [ "$(grep -cE "^$key = [0-9.e+-]+\$" "$file")" = 1 ]
    done
    # without coll_napcoll_topology_file
    (! grep -F 'by distance' "$work/report")
    # the names of uncertain keys may take a few lines
    [ "$(wc -l <"$file")" -le 75 ]
    grep -Fx "    mkdir -p ~/.openmpi && cat $file >> ~/.openmpi/mca-params.conf" "$work/report"
    sed -n 3p "$work/trips.csv" | grep -x 'what,active,bytes,messages,turn,seconds'
    [ "$(grep -cE '^half_trip_network,1,[0-9]+,1,[0-9]+,[0-9.]+$' "$work/trips.csv")" -gt 100 ]
}

# Two nodes on one switch, the third on another. All packets of netlab take the same time, so which pair is faster is not
# asked here.
distances_are_measured() {
    local file=$work/distances row
    printf '%s\n' 'SwitchName=s0 Nodes=node[0,2]' 'SwitchName=s1 Nodes=node1' 'SwitchName=top Switches=s[0-1]' >"$work/switches"
    timeout 100 "$netlab" --nodes 3 --ppn 1 --latency 300us --rate 200Mbit --topology "$work/switches" -- timeout 90 mpirun \
        -np 3 --mca coll_napcoll_topology_file "$work/switches" napcoll-tune -o "$file" --samples "$work/pairs.csv" \
        --no-thresholds --no-verify --time-limit $((6 * patience)) >"$work/report"
    cat "$work/report"
    for row in '1 .*  node0 and node2' '3 .*  node0 and node1'; do
        grep -E "^ +$row\$" "$work/report"
    done
    [ "$(grep -cE '  node[0-9] and node[0-9]$' "$work/report")" = 2 ]
    grep -F "the machine's one latency is between node0 and others in turn, with 1 to 3 switches between" "$work/report"
    for row in 1 3; do
        within 200 4000 "$(sed -nE "s/^ +$row +([0-9.]+) \+- .* and node.*/\1/p" "$work/report")"
        within 5 30 "$(sed -nE "s/^ +$row .* +([0-9.]+) \+- [^ ]+ +node.* and node.*/\1/p" "$work/report")"
        [ "$(grep -c "^half_trip_switches_$row,1,8,1," "$work/pairs.csv")" -ge 16 ]
    done
}

# By Open MPI, and by napcoll-plan, also with other parameters of the component in between.
machine_is_read() {
    local file=$work/machine
    [ -s "$file" ]
    OMPI_MCA_mca_base_param_files=$file ompi_info --parsable --level 9 --param coll napcoll |
        grep -F "machine_network_eager_latency_us:value:$(value "$file" machine_network_eager_latency_us)"
    echo 'coll_napcoll_gather_m1 = 2048' >>"$file"
    napcoll-plan explain --nodes 2 --ppn 2 --bytes 8 --machine "$file" | tee "$work/explained"
    grep -F "$file" "$work/explained"
}

# What a switch drops is the same with every version of Open MPI.
if [ "${NAPCOLL_BRIEF:-no}" = yes ]; then
    tap_plan 3
else
    tap_plan 4
    tap_timed escalation_is_found escalation_is_found
fi
tap_timed machine_is_found machine_is_found
tap machine_is_read machine_is_read
tap_timed distances_are_measured distances_are_measured
tap_end
