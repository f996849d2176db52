#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# napcoll-tune writes parameter files that Open MPI takes, ends when it should, and says what is wrong with its arguments.
# tune-network.sh tests what it finds; tests/unit/test_calibrate.c and test_incast.c what it makes of its samples.

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

# tune ARGUMENT...: a short scan by 4 processes.
tune() {
    job 4 napcoll-tune gather-scatter --min 64 --max 2K --repetitions 5 "$@"
}

# no_parts: nothing is left of files that were written or given up.
no_parts() {
    [ -z "$(find "$work" -name '.napcoll-*')" ]
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
    no_parts
}

# A device stays one, also for root; a link of a name that could be foreseen leads nowhere.
only_what_was_named_is_written() {
    echo precious >"$work/victim"
    ln -s victim "$work/samples.csv.part"
    ln -s target "$work/link"
    touch "$work/target"
    if ! mknod "$work/null" c 1 3; then
        ln -s /dev/null "$work/null"
    fi
    tune -o "$work/null" --samples "$work/link" >"$work/report"
    ls -l "$work"
    [ -c "$work/null" ] && [ -L "$work/link" ]
    head -n 1 "$work/target" | grep -x 'collective,bytes,seconds'
    [ "$(cat "$work/victim")" = precious ]
    no_parts
}

# A pipe is no file to read, and nobody waits for it.
pipes_are_not_read() {
    mkfifo "$work/fifo"
    says "coll_napcoll_topology_file: $work/fifo: is a FIFO or a pipe; expected a regular file" \
        job 2 --mca coll_napcoll_topology_file "$work/fifo" napcoll-tune
    says "$work/fifo: is a FIFO or a pipe; expected a regular file" job 2 napcoll-tune correct "$work/fifo"
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
    local only conf=$src/ompi/tools/napcoll/machines/netlab-near.conf
    says 'all processes are on one node' job 3 napcoll-tune
    says 'tune: bogus: expected machine, gather-scatter, correct or an option' job 3 napcoll-tune bogus
    says '--svg is not an option of machine' job 3 napcoll-tune machine --svg a.svg
    says '--all-nodes is not an option of gather-scatter' tune --all-nodes
    says '--bogus is not an option' tune --bogus
    says '--max 4T: expected a number of bytes' tune --max 4T
    says 'times --min, which is 2048' tune --min 2K
    says '--repetitions 4: expected a whole number from 5' tune --repetitions 4
    says '--time-limit -1: expected a number of seconds above 0' tune --time-limit -1
    says '--root 4: there are 4 processes' tune --root 4
    says 'start at least 3 processes' job 2 napcoll-tune gather-scatter
    says 'correct: expected a parameter file' job 2 napcoll-tune correct
    says '--output is not an option of correct' job 2 napcoll-tune correct -o a "$conf"
    says 'b.conf is not an option' job 2 napcoll-tune correct "$conf" b.conf
    for only in bogus bcast:x bcast: bcast,,scan; do
        says "--only $only: expected collectives that napcoll has" job 2 napcoll-tune correct --only $only "$conf"
    done
}

help_is_printed_once() {
    [ "$(job 3 napcoll-tune --help | grep -c '^usage: ')" = 3 ]
    [ "$(job 3 napcoll-tune gather-scatter -h | grep -c -- '--time-limit')" = 3 ]
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
    [ "$(cat "$work/kept")" = kept ] && no_parts
}

# Before anything is measured.
bad_switches_are_named() {
    printf 'SwitchName=s0 Nodes=n[0-1]\nSwitchName=s1 Nodes=n1\n' >"$work/twice"
    says "coll_napcoll_topology_file: $work/twice:2:" job 2 --mca coll_napcoll_topology_file "$work/twice" napcoll-tune
    says "coll_napcoll_topology_file: $work/none: cannot be opened (No such file" \
        job 2 --mca coll_napcoll_topology_file "$work/none" napcoll-tune
}

# A file that was there stays as it was.
machine_needs_time() {
    echo kept >"$work/kept"
    says '--time-limit 0.01: it takes 2 turns' timeout 60 "$netlab" --nodes 2 --ppn 1 --latency 100us -- \
        mpirun -np 2 napcoll-tune --time-limit 0.01 -o "$work/kept"
    [ "$(cat "$work/kept")" = kept ] && no_parts
}

# correct ARGUMENT...: by 4 processes on two nodes, 1 ms apart.
correct() {
    timeout 100 "$netlab" --nodes 2 --ppn 2 --latency 1ms -- timeout 90 mpirun -np 4 napcoll-tune correct "$@"
}

# Sizes stand for those around them, and scatterv is tried as a whole; what stood there of these calls goes, what is of others
# or more stays. The turns take time. tests/examples/regret.sh corrects a file that names no rules.
rules_are_corrected() {
    local conf=$work/corrected.conf rules=$work/own.rules
    cp "$src/ompi/tools/napcoll/machines/netlab-near.conf" "$conf"
    echo "coll_napcoll_rules_file = $rules" >>"$conf"
    cp "$conf" "$work/before"
    printf '%s\n' '# mine' 'bcast nodes=2 ppn=2 bytes=0..1 -> lane' 'bcast bytes=..1M -> flat' \
        'scatterv nodes=2 ppn=2 bytes=9 -> binomial' >"$rules"
    correct --only bcast:9,reduce:600,scatterv:512 --time-limit $((7 * patience)) "$conf" >"$work/report"
    cat "$work/report" "$rules"
    cmp "$work/before" "$conf"
    grep -E '^  bcast of 8 bytes, [0-9]+ turns' "$work/report"
    grep -E '^  reduce of 512 bytes, [0-9]+ turns' "$work/report"
    grep -E "^rules that go into $rules: [3-6]\$" "$work/report"
    # of scatterv all but the largest, on which the thresholds have a say
    [ "$(grep -c '^  scatterv of ' "$work/report")" = 4 ]
    [ "$(grep -cE '^  [a-z_]+ of [0-9]+ bytes, ' "$work/report")" = 6 ]
    grep -E '^bcast nodes=2 ppn=2 bytes=0\.\.6[34] -> ' "$rules"
    grep -E '^reduce nodes=2 ppn=2 bytes=65\.\.1448 -> ' "$rules"
    grep -E '^scatterv nodes=2 ppn=2 ' "$rules"
    (! grep -e ' -> lane' -e '^# mine' -e 'scatterv .*bytes=9 ' "$rules")
    tail -n 1 "$rules" | grep -Fx 'bcast bytes=..1M -> flat'
    napcoll-plan rules check "$rules"
    napcoll-plan explain --nodes 2 --ppn 2 --bytes 8 --coll bcast --machine "$conf" | grep -F "of $rules "
}

# Before anything is measured, and the files stay as they were.
bad_files_are_not_corrected() {
    local conf=$work/bad.conf good=$src/ompi/tools/napcoll/machines/netlab-near.conf
    says "$work/none: cannot be opened" job 2 napcoll-tune correct "$work/none"
    cp "$good" "$conf"
    echo "coll_napcoll_rules_file = $work/none" >>"$conf"
    says "$work/none: cannot be opened" job 2 napcoll-tune correct "$conf"
    echo 'bcast -> bogus' >"$work/none"
    says "$work/none:1:10: " job 2 napcoll-tune correct "$conf"
    sed -i '/node_gap_us/d' "$conf"
    says "$conf: coll_napcoll_machine_node_gap_us: missing" job 2 napcoll-tune correct "$conf"
    cp "$good" "$conf"
    says 'different numbers of processes' timeout 60 "$netlab" --nodes 2 --ppn 2 -- mpirun -np 3 napcoll-tune correct "$conf"
    OMPI_MCA_coll=^napcoll says 'component napcoll is not there' correct --only scan:8 --time-limit 5 "$conf"
    cmp "$good" "$conf"
    [ ! -e "$conf.rules" ]
}

# With other versions of Open MPI (run.sh --brief) only what meets it: what is said of arguments is napcoll-tune's own.
if [ "${NAPCOLL_BRIEF:-no}" = yes ]; then
    tests=(files_are_written parameters_are_printed_without_a_file time_limit_holds too_little_time_is_said)
else
    tests=(files_are_written only_what_was_named_is_written pipes_are_not_read
        parameters_are_printed_without_a_file samples_are_drawn bad_arguments_are_named
        help_is_printed_once files_that_cannot_be_written_are_named time_limit_holds too_little_time_is_said
        bad_switches_are_named)
fi
on_netlab=(machine_needs_time rules_are_corrected bad_files_are_not_corrected)
[ "${NAPCOLL_BRIEF:-no}" = no ] || on_netlab=()
tests+=("${on_netlab[@]}")
tap_plan "${#tests[@]}"
for name in "${tests[@]}"; do
    if [[ " ${on_netlab[*]} " = *" $name "* ]] && ! "$netlab" --nodes 1 --ppn 1 -- true; then
        tap_number=$((tap_number + 1))
        echo "ok $tap_number - $name # SKIP netlab cannot run here"
    elif [ "$name" = rules_are_corrected ]; then
        tap_timed "$name" "$name"
    else
        tap "$name" "$name"
    fi
done
tap_end
