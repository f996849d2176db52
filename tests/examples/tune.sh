#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# napcoll-tune writes parameter files that Open MPI takes, ends when it should, and says what is wrong with its
# arguments. tune-network.sh tests what it finds; tests/unit/test_calibrate.c, test_incast.c, test_judge.c and
# test_tune_*.c what it makes of its samples.

set -euo pipefail

# shellcheck source=tests/build/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../build/tap.sh"
# shellcheck source=config/setup.sh
. "$src/config/setup.sh"

usage() {
    echo "Usage: tests/examples/tune.sh"
    echo
    echo "Runs napcoll-tune of the build folder (NAPCOLL_BUILD, else build/) on this machine and on netlab; prints TAP."
    echo "NAPCOLL_BRIEF=yes leaves out what is said of arguments (run.sh --brief)."
}
only_help "$@"

# shellcheck source=tests/examples/tuning.sh
. "$src/tests/examples/tuning.sh"

# job PROCESSES WORD...: on this machine.
job() {
    timeout 60 mpirun --mca btl ^ofi,uct,openib --mca btl_tcp_if_include lo -np "$1" "${@:2}"
}

# tune ARGUMENT...: a short scan by 3 processes.
tune() {
    job 3 napcoll-tune gather-scatter --min 64 --max 2K --repetitions 5 "$@"
}

# no_parts: nothing is left of files that were written or given up.
no_parts() {
    [ -z "$(find "$work" -name '.napcoll-*')" ]
}

# Through a symbolic link, too; a link whose name could be guessed is not followed.
files_are_written() {
    echo precious >"$work/victim"
    ln -s victim "$work/samples.csv.part"
    ln -s target "$work/samples.csv"
    touch "$work/target"
    tune -o "$work/parameters" --samples "$work/samples.csv" >"$work/report"
    cat "$work/report"
    has_parameters "$work/parameters"
    grep -E '^# napcoll .*, Open MPI .*, 3 processes on 1 node, host ' "$work/parameters"
    grep -E '^# +napcoll-tune gather-scatter --min 64 ' "$work/parameters"
    grep -E '^gather \(many-to-one\), n = 2 ' "$work/report"
    grep -E '^scatter \(one-to-many\), n = 2 ' "$work/report"
    sed -n 3p "$work/target" | grep -x 'what,active,bytes,messages,turn,seconds'
    # 64 bytes to 2 KB, three to an octave, are 16 sizes
    for what in gather scatter message; do
        [ "$(grep -cE "^$what,1,[0-9]+,1,[0-9]+,[0-9]+\.[0-9]{9}\$" "$work/target")" -ge 80 ]
    done
    [ -L "$work/samples.csv" ] && [ "$(cat "$work/victim")" = precious ]
    no_parts
}

# Without a file parameters go to standard output, and Open MPI reads them. A device stays a device, also for root.
parameters_are_printed_without_a_file() {
    if ! mknod "$work/null" c 1 3; then
        ln -s /dev/null "$work/null"
    fi
    tune --samples "$work/null" >"$work/printed"
    [ -c "$work/null" ]
    sed -n '/^# napcoll/,$p' "$work/printed" >"$work/parameters"
    has_parameters "$work/parameters"
    OMPI_MCA_mca_base_param_files=$work/parameters ompi_info --parsable --level 9 --param coll napcoll |
        grep 'mca:coll:napcoll:'
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
    says 'tune: bogus: no such command; expected machine or gather-scatter' timeout 60 napcoll-tune bogus
    says '--min: not an option of machine; it belongs to gather-scatter' timeout 60 napcoll-tune machine --min 8
    says '--all-nodes: not an option of gather-scatter; it belongs to machine' timeout 60 napcoll-tune gather-scatter --all-nodes
    says '--bogus: not an option of machine; expected --output, ' timeout 60 napcoll-tune --bogus
    says '--max 4T: expected a size from 1 to 1073741824 bytes' timeout 60 napcoll-tune gather-scatter --max 4T
    says 'times --min, which is 2048' timeout 60 napcoll-tune gather-scatter --min 2K --max 8K
    says '--repetitions 4: expected a number from 5' timeout 60 napcoll-tune gather-scatter --repetitions 4
    says '--only bcast,,scan: expected collectives that napcoll has' timeout 60 napcoll-tune --only bcast,,scan
    says '--only: expected --output with a parameter file' job 2 napcoll-tune --only bcast
}

# Before anything is measured.
bad_jobs_are_named() {
    says 'all processes are on one node' job 2 napcoll-tune
    says 'start at least 3 processes' job 2 napcoll-tune gather-scatter
    says "--output $work/none/file: cannot be written (No such file or directory)" \
        job 2 napcoll-tune gather-scatter -o "$work/none/file"
    says "--samples $work: cannot be written (Is a directory)" job 2 napcoll-tune gather-scatter --samples "$work"
    # a pipe is no file to read: nobody waits for it
    mkfifo "$work/fifo"
    says "coll_napcoll_topology_file: $work/fifo: is a FIFO or a pipe; expected a regular file" \
        job 2 --mca coll_napcoll_topology_file "$work/fifo" napcoll-tune
    printf 'SwitchName=s0 Nodes=n[0-1]\nSwitchName=s1 Nodes=n1\n' >"$work/twice"
    says "coll_napcoll_topology_file: $work/twice:2:" job 2 --mca coll_napcoll_topology_file "$work/twice" napcoll-tune
}

time_limit_holds() {
    local start=$SECONDS
    tune --repetitions 10000 --time-limit 2 -o "$work/limited" >"$work/report"
    [ $((SECONDS - start)) -lt 20 ]
    has_parameters "$work/limited"
    grep -F 'the time limit of 2 s ended it early' "$work/report"
}

# A file that was there stays as it was.
too_little_time_is_said() {
    echo kept >"$work/kept"
    says '--time-limit 0.001: it takes 5 turns through all sizes' tune --time-limit 0.001 -o "$work/kept"
    [ "$(cat "$work/kept")" = kept ] && no_parts
}

# Two turns, for which it may take all of the time, also what is meant for thresholds and algorithms.
machine_needs_time() {
    local start=$EPOCHSECONDS
    echo kept >"$work/kept"
    says '--time-limit 4: a machine takes 2 turns' timeout 60 "$netlab" --nodes 2 --ppn 2 --latency 100ms -- \
        mpirun -np 4 napcoll-tune --time-limit 4 -o "$work/kept"
    echo "after $((EPOCHSECONDS - start)) s"
    [ $((EPOCHSECONDS - start)) -ge 4 ]
    [ "$(cat "$work/kept")" = kept ] && no_parts
}

# only LIST ARGUMENT...: compares by 4 processes on two nodes, 1 ms apart.
only() {
    timeout 100 "$netlab" --nodes 2 --ppn 2 --latency 1ms -- timeout 90 mpirun -np 4 napcoll-tune --only "$@"
}

# A size stands for those around it; scatterv is measured as a whole. Older rules for nothing but what is measured again go,
# those for other calls or for more stay. The turns take time.
rules_are_merged() {
    local conf=$work/merged.conf rules=$work/own.rules action='( calls=blocking -> fallback| -> [a-z_]+)$'
    cp "$src/ompi/tools/napcoll/machines/netlab-near.conf" "$conf"
    echo "coll_napcoll_rules_file = $rules" >>"$conf"
    cp "$conf" "$work/before"
    printf '%s\n' '# 8 bytes: 1.0 us by lane' 'bcast nodes=2 ppn=2 bytes=0..1 calls=blocking -> lane' '# mine' 'bcast bytes=..1M -> flat' \
        'scatterv nodes=2 ppn=2 bytes=9 calls=blocking -> binomial' >"$rules"
    only bcast:9,reduce:600,scatterv:512 --time-limit $((7 * patience)) -o "$conf" >"$work/report"
    cat "$work/report" "$rules"
    cmp "$work/before" "$conf"
    grep -E '^  bcast of 8 bytes, [0-9]+ turns$' "$work/report"
    grep -E '^  reduce of 512 bytes, [0-9]+ turns$' "$work/report"
    # of scatterv all sizes: netlab's thresholds are off
    [ "$(grep -cE '^  scatterv of [0-9]+ bytes, [0-9]+ turns$' "$work/report")" = 5 ]
    [ "$(grep -cE '^  [a-z_]+ of [0-9]+ bytes, ' "$work/report")" = 7 ]
    # each comparison ends with a verdict
    [ "$(grep -cE "auto's choice, kept\$|: faster than auto's choice\$" "$work/report")" = 7 ]
    grep -E "^bcast nodes=2 ppn=2 bytes=\.\.64$action" "$rules"
    grep -E "^reduce nodes=2 ppn=2 bytes=65\.\.1448$action" "$rules"
    grep -E "^scatterv nodes=2(\.\.4)? ppn=(2|1\.\.4)$action" "$rules"
    (! grep -e ' -> lane' -e 'by lane' -e 'scatterv .*bytes=9 ' "$rules")
    (! grep -v -e '^#' -e 'calls=blocking' "$rules" | grep -e '-> fallback$')
    tail -n 2 "$rules" | diff - <(printf '%s\n' '# mine' 'bcast bytes=..1M -> flat')
    napcoll-plan rules check "$rules"
    napcoll-plan explain --nodes 2 --ppn 2 --bytes 8 --coll bcast --machine "$conf" | grep -F "of $rules "
}

# Before anything is measured, and the files stay as they were.
bad_files_are_not_merged() {
    local conf=$work/bad.conf good=$src/ompi/tools/napcoll/machines/netlab-near.conf
    says "$work/none: cannot be opened" job 2 napcoll-tune --only bcast -o "$work/none"
    cp "$good" "$conf"
    echo "coll_napcoll_rules_file = $work/none" >>"$conf"
    echo 'bcast -> bogus' >"$work/none"
    says "$work/none:1:10: " job 2 napcoll-tune --only bcast -o "$conf"
    sed -i '/node_gap_us/d' "$conf"
    says "$conf: coll_napcoll_machine_node_gap_us: missing" job 2 napcoll-tune --only bcast -o "$conf"
    cp "$good" "$conf"
    says 'different numbers of processes' timeout 60 "$netlab" --nodes 2 --ppn 2 -- \
        mpirun -np 3 napcoll-tune --only bcast -o "$conf"
    OMPI_MCA_coll=^napcoll says 'component napcoll is not loaded' only scan:8 --time-limit 5 -o "$conf"
    cmp "$good" "$conf"
    [ ! -e "$conf.rules" ]
}

# With other versions of Open MPI (run.sh --brief) only what depends on it: what is said of arguments does not.
if [ "${NAPCOLL_BRIEF:-no}" = yes ]; then
    tests=(files_are_written parameters_are_printed_without_a_file time_limit_holds)
    on_netlab=(rules_are_merged)
else
    tests=(files_are_written parameters_are_printed_without_a_file bad_arguments_are_named bad_jobs_are_named
        time_limit_holds too_little_time_is_said)
    on_netlab=(machine_needs_time rules_are_merged bad_files_are_not_merged)
fi
tests+=("${on_netlab[@]}")
tap_plan "${#tests[@]}"
for name in "${tests[@]}"; do
    if [[ " ${on_netlab[*]} " = *" $name "* ]] && ! "$netlab" --nodes 1 --ppn 1 -- true; then
        tap_number=$((tap_number + 1))
        echo "ok $tap_number - $name # SKIP netlab cannot run here"
    elif [ "$name" = rules_are_merged ]; then
        tap_timed "$name" "$name"
    else
        tap "$name" "$name"
    fi
done
tap_end
