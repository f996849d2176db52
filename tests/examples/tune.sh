#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# napcoll-tune writes parameter files that Open MPI takes, ends when it should, and says what is wrong with its arguments.
# It finds the network that netlab makes, and the escalation of a switch with small queues. tests/unit/test_calibrate.c
# and test_incast.c test what it makes of its samples.

set -euo pipefail

# shellcheck source=tests/build/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../build/tap.sh"
# shellcheck source=config/setup.sh
. "$src/config/setup.sh"

usage() {
    echo "Usage: tests/examples/tune.sh"
    echo
    echo "Runs napcoll-tune of the build folder (NAPCOLL_BUILD, else build/) on this machine and on netlab; prints TAP."
}
only_help "$@"

[ -x "$build/bin/napcoll-tune" ] || tap_skip_all "no build in $build"
# shellcheck source=/dev/null
. "$build/env.sh"
napcoll_mpirun_settings
netlab=$src/tests/netlab/netlab

# job PROCESSES WORD...: on this machine.
job() {
    timeout 60 mpirun --mca btl ^ofi,uct,openib --mca btl_tcp_if_include lo -np "$1" "${@:2}"
}

# tune ARGUMENT...: a short scan by 4 processes.
tune() {
    job 4 napcoll-tune gather-scatter --min 64 --max 2K --repetitions 5 "$@"
}

# has_parameters FILE: each of the three once, with a number, and nothing else that is no comment.
has_parameters() {
    local key
    cat "$1"
    for key in gather_m1 gather_m2 scatter_s; do
        [ "$(grep -cE "^coll_napcoll_$key = [0-9]+\$" "$1")" = 1 ]
    done
    [ "$(grep -cvE '^(#.*)?$' "$1")" = 3 ]
}

# value FILE KEY
value() {
    sed -n "s/^coll_napcoll_$2 = //p" "$1"
}

files_are_written() {
    tune -o "$work/parameters" --samples "$work/samples.csv" >"$work/report"
    cat "$work/report"
    has_parameters "$work/parameters"
    grep -E '^# .*4 processes on 1 node, root 0, Open MPI' "$work/parameters"
    grep -E '^# +napcoll-tune gather-scatter --min 64 ' "$work/parameters"
    grep -E '^gather \(many-to-one\), n = 3 ' "$work/report"
    grep -E '^scatter \(one-to-many\), n = 3 ' "$work/report"
    head -n 1 "$work/samples.csv" | grep -x 'collective,bytes,seconds'
    # 64 bytes to 2 KB, three to an octave, are 16 sizes
    for collective in gather scatter message; do
        [ "$(grep -cE "^$collective,[0-9]+,[0-9]+\.[0-9]{9}\$" "$work/samples.csv")" -ge 80 ]
    done
    [ ! -e "$work/parameters.part" ] && [ ! -e "$work/samples.csv.part" ]
}

# What nobody asked a file for goes to standard output; and Open MPI reads it.
parameters_are_printed_without_a_file() {
    tune --root 3 >"$work/printed"
    sed -n '/^# napcoll/,$p' "$work/printed" >"$work/parameters"
    has_parameters "$work/parameters"
    grep -F 'root 3' "$work/parameters"
    OMPI_MCA_mca_base_param_files=$work/parameters ompi_info --parsable --level 9 --param coll napcoll |
        grep 'mca:coll:napcoll:'
}

samples_are_drawn() {
    command -v gnuplot || return 0
    tune --svg "$work/samples.svg"
    grep -F 'gather, 4 processes on 1 node' "$work/samples.svg"
    grep -F '</svg>' "$work/samples.svg"
}

# says TEXT COMMAND...: the command fails, and says so once for all processes.
says() {
    refuses "$@" >"$work/said" || {
        cat "$work/said"
        return 1
    }
    cat "$work/said"
    [ "$(grep -c '^napcoll-tune: ' "$work/said")" = 1 ]
}

bad_arguments_are_named() {
    says 'all processes are on one node' job 3 napcoll-tune
    says 'tune: bogus: expected machine, gather-scatter or an option' job 3 napcoll-tune bogus
    says '--svg is an option of gather-scatter' job 3 napcoll-tune machine --svg a.svg
    says '--all-nodes is an option of machine' tune --all-nodes
    says '--bogus is not an option' tune --bogus
    says '--max 4T: expected a number of bytes' tune --max 4T
    says 'times --min, which is 2048' tune --min 2K
    says '--repetitions 4: expected a whole number from 5' tune --repetitions 4
    says '--time-limit -1: expected a number of seconds above 0' tune --time-limit -1
    says '--root 4: there are 4 processes' tune --root 4
    says 'start at least 3 processes' job 2 napcoll-tune gather-scatter
}

help_is_printed_once() {
    [ "$(job 3 napcoll-tune --help | grep -c '^usage: ')" = 2 ]
    [ "$(job 3 napcoll-tune gather-scatter -h | grep -c -- '--time-limit')" = 2 ]
}

# Before anything is measured.
files_that_cannot_be_written_are_named() {
    says "--output $work/none/file cannot be written: No such file or directory" tune -o "$work/none/file"
    says "--samples $work cannot be written: Is a directory" tune --samples "$work"
}

time_limit_holds() {
    local start=$SECONDS
    tune --repetitions 10000 --time-limit 3 -o "$work/limited"
    [ $((SECONDS - start)) -lt 20 ]
    has_parameters "$work/limited"
    grep -F 'the time limit of 3 s ended it early' "$work/limited"
}

# A file that was there stays as it was.
too_little_time_is_said() {
    echo kept >"$work/kept"
    says '--time-limit 0.001: it takes 5 turns through all sizes' tune --time-limit 0.001 -o "$work/kept"
    [ "$(cat "$work/kept")" = kept ] && [ ! -e "$work/kept.part" ]
}

# 8 nodes behind a switch whose ports hold 16 KB: blocks of 7 nodes that are larger together may be dropped, and come a
# timeout of 200 ms later. Which size that happens to first is decided by how well the nodes' messages meet. The port
# is slow, so that its queue takes 13 ms to empty: longer than the nodes of a busy machine miss each other by.
escalation_is_found() {
    local m1 m2
    timeout 100 "$netlab" --nodes 8 --ppn 1 --latency 100us --rate 10Mbit --queue 16K -- timeout 90 mpirun -np 8 napcoll-tune \
        gather-scatter --min 512 --max 16K --repetitions 8 --time-limit 60 -o "$work/escalating" >"$work/report"
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

# 2 nodes of 2 processes, 1 ms apart, with 200 Mbit/s, which is 25 MB/s. A busy machine makes a latency longer and a rate
# lower, so the bounds are wide; but a latency of nothing, or a rate in bits, are out of them.
machine_is_found() {
    local file=$work/machine key keys
    timeout 100 "$netlab" --nodes 2 --ppn 2 --latency 1ms --overhead 0 --rate 200Mbit -- timeout 90 mpirun -np 4 \
        napcoll-tune -o "$file" --samples "$work/trips.csv" --no-thresholds --time-limit 14 >"$work/report"
    cat "$work/report" "$file"
    grep -F '4 processes on 2 nodes' "$file"
    grep -F 'R_b = ' "$work/report"
    grep -E '^algorithms: median and quartiles' "$work/report"
    # rules, if there are any, are where the file says
    if grep -F 'coll_napcoll_rules_file' "$file"; then
        grep -Fx "coll_napcoll_rules_file = $file.rules" "$file"
        grep -E '^[a-z]+ nodes=2 ppn=2 bytes=[0-9]+\.\.[0-9]+ -> [a-z_]+$' "$file.rules"
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
    head -n 1 "$work/trips.csv" | grep -x 'what,active,bytes,messages,turn,seconds'
    [ "$(grep -cE '^half_trip_network,1,[0-9]+,1,[0-9]+,[0-9.]+$' "$work/trips.csv")" -gt 100 ]
}

# Two nodes on one switch, the third on another. All packets of netlab take the same time, so which pair is faster is not
# asked here.
distances_are_measured() {
    local file=$work/distances row
    printf '%s\n' 'SwitchName=s0 Nodes=node[0,2]' 'SwitchName=s1 Nodes=node1' 'SwitchName=top Switches=s[0-1]' >"$work/switches"
    timeout 100 "$netlab" --nodes 3 --ppn 1 --latency 300us --rate 200Mbit --topology "$work/switches" -- timeout 90 mpirun \
        -np 3 --mca coll_napcoll_topology_file "$work/switches" napcoll-tune -o "$file" --samples "$work/pairs.csv" \
        --no-thresholds --no-verify --time-limit 10 >"$work/report"
    cat "$work/report"
    for row in '1 .*  node0 and node2' '3 .*  node0 and node1'; do
        grep -E "^ +$row\$" "$work/report"
        grep -E "^# +$row\$" "$file"
    done
    [ "$(grep -cE '  node[0-9] and node[0-9]$' "$work/report")" = 2 ]
    grep -F "the machine's one latency is that of node0 and others in turn, 1 to 3 switches on the way" "$file"
    for row in 1 3; do
        within 200 4000 "$(sed -nE "s/^ +$row +([0-9.]+) \+- .* and node.*/\1/p" "$work/report")"
        within 5 30 "$(sed -nE "s/^ +$row .* +([0-9.]+) \+- [^ ]+ +node.* and node.*/\1/p" "$work/report")"
        [ "$(grep -c "^half_trip_switches_$row,1,8,1," "$work/pairs.csv")" -ge 16 ]
    done
    # without the parameter there is nothing of it
    (! grep -F 'by distance' "$work/machine")
}

# Before anything is measured.
bad_switches_are_named() {
    printf 'SwitchName=s0 Nodes=n[0-1]\nSwitchName=s1 Nodes=n1\n' >"$work/twice"
    says "coll_napcoll_topology_file: $work/twice:2:" job 2 --mca coll_napcoll_topology_file "$work/twice" napcoll-tune
    says "coll_napcoll_topology_file: $work/none: cannot be read (No such file" \
        job 2 --mca coll_napcoll_topology_file "$work/none" napcoll-tune
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

# A file that was there stays as it was.
machine_needs_time() {
    echo kept >"$work/kept"
    says '--time-limit 0.01: it takes 2 turns' timeout 60 "$netlab" --nodes 2 --ppn 1 --latency 100us -- \
        mpirun -np 2 napcoll-tune --time-limit 0.01 -o "$work/kept"
    [ "$(cat "$work/kept")" = kept ] && [ ! -e "$work/kept.part" ]
}

tap_plan 14
tap files_are_written files_are_written
tap parameters_are_printed_without_a_file parameters_are_printed_without_a_file
tap samples_are_drawn samples_are_drawn
tap bad_arguments_are_named bad_arguments_are_named
tap help_is_printed_once help_is_printed_once
tap files_that_cannot_be_written_are_named files_that_cannot_be_written_are_named
tap time_limit_holds time_limit_holds
tap too_little_time_is_said too_little_time_is_said
tap bad_switches_are_named bad_switches_are_named
if "$netlab" --nodes 1 --ppn 1 -- true; then
    tap escalation_is_found escalation_is_found
    tap machine_is_found machine_is_found
    tap machine_is_read machine_is_read
    tap machine_needs_time machine_needs_time
    tap distances_are_measured distances_are_measured
else
    echo "ok 10 - escalation_is_found # SKIP netlab cannot run here"
    echo "ok 11 - machine_is_found # SKIP netlab cannot run here"
    echo "ok 12 - machine_is_read # SKIP netlab cannot run here"
    echo "ok 13 - machine_needs_time # SKIP netlab cannot run here"
    echo "ok 14 - distances_are_measured # SKIP netlab cannot run here"
fi
tap_end
