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

# Before anything is measured.
bad_switches_are_named() {
    printf 'SwitchName=s0 Nodes=n[0-1]\nSwitchName=s1 Nodes=n1\n' >"$work/twice"
    says "coll_napcoll_topology_file: $work/twice:2:" job 2 --mca coll_napcoll_topology_file "$work/twice" napcoll-tune
    says "coll_napcoll_topology_file: $work/none: cannot be read (No such file" \
        job 2 --mca coll_napcoll_topology_file "$work/none" napcoll-tune
}

# A file that was there stays as it was.
machine_needs_time() {
    echo kept >"$work/kept"
    says '--time-limit 0.01: it takes 2 turns' timeout 60 "$netlab" --nodes 2 --ppn 1 --latency 100us -- \
        mpirun -np 2 napcoll-tune --time-limit 0.01 -o "$work/kept"
    [ "$(cat "$work/kept")" = kept ] && [ ! -e "$work/kept.part" ]
}

# With other versions of Open MPI (run.sh --brief) only what meets it: what is said of arguments is napcoll-tune's own.
if [ "${NAPCOLL_BRIEF:-no}" = yes ]; then
    tests=(files_are_written parameters_are_printed_without_a_file time_limit_holds too_little_time_is_said)
else
    tests=(files_are_written parameters_are_printed_without_a_file samples_are_drawn bad_arguments_are_named
        help_is_printed_once files_that_cannot_be_written_are_named time_limit_holds too_little_time_is_said
        bad_switches_are_named machine_needs_time)
fi
tap_plan "${#tests[@]}"
for name in "${tests[@]}"; do
    if [ "$name" = machine_needs_time ] && ! "$netlab" --nodes 1 --ppn 1 -- true; then
        echo "ok ${#tests[@]} - $name # SKIP netlab cannot run here"
    else
        tap "$name" "$name"
    fi
done
tap_end
