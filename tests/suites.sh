# shellcheck shell=bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# The suites of one build, for run.sh: their names, how each is run, and the counts. To be sourced after
# config/setup.sh, in the source folder, with run.sh's options in only, brief, jobs, limit and verbose.

build=$NAPCOLL_SRC/build
logs=$build/test-logs
total_passed=0
total_failed=0
total_skipped=0
child=

# stop STATUS: ends what is running, and the script.
stop() {
    local pid
    trap '' INT TERM HUP
    for pid in $(jobs -p) $child; do
        kill "$pid" 2>/dev/null || true
    done
    # What is running gets the time to clean up.
    for pid in $(jobs -p) $child; do
        wait "$pid" || true
    done
    exit "$1"
}
trap 'stop 129' HUP
trap 'stop 130' INT
trap 'stop 143' TERM

# The suites, as NAME; each name says which program it is (see suite_command). Those of the first kind
# start no MPI job and run side by side; the others have the machine to themselves.
pure_suites() {
    local source
    for source in tests/unit/test_*.c tests/plan/test_*.c; do
        [ -f "$source" ] || continue
        source=${source#tests/}
        printf '%s\n' "${source%.c}"
    done
}

job_suites() {
    local script
    for script in tests/build/*.sh tests/mpi/suite.sh tests/netlab/test-*.sh tests/examples/*.sh; do
        # What is sourced by the others is not executable.
        [ -x "$script" ] || continue
        script=${script#tests/}
        printf '%s\n' "${script%.sh}"
    done
    [ ! -x tests/netlab/selftest.sh ] || echo netlab/selftest
}

# wanted: keeps of the names on its input those that --only asks for, and where the run is to be brief
# those that meet Open MPI: plans, napcoll-plan and what is packed are the same with every version.
wanted() {
    local name
    while read -r name; do
        # shellcheck disable=SC2154
        case $brief:$name in
            yes:plan/* | yes:build/explain | yes:build/links | yes:build/pictures | yes:build/simulate | yes:build/verify)
                continue
                ;;
            yes:build/dist | yes:build/graft | yes:build/roots | yes:examples/broadcast | yes:examples/results) continue ;;
        esac
        # shellcheck disable=SC2154,SC2254
        case $name in
            *$only*) printf '%s\n' "$name" ;;
        esac
    done
}

# suite_command NAME: sets the array `command` to what runs that suite.
suite_command() {
    case $1 in
        unit/* | plan/*) command=("$build/tests/$1") ;;
        netlab/selftest) command=("$NAPCOLL_SRC/tests/netlab/netlab" --self-test) ;;
        *) command=("$NAPCOLL_SRC/tests/$1.sh") ;;
    esac
}

# suite_limit NAME: how many seconds it may take. MPI jobs on emulated nodes wait a lot.
suite_limit() {
    # shellcheck disable=SC2154
    case $limit:$1 in
        :mpi/* | :netlab/*) echo 1200 ;;
        :*) echo 300 ;;
        *) echo "$limit" ;;
    esac
}

# run_suite NAME: runs it under the time limit; leaves LOG and LOG's .rc and .time in $logs. To be run in
# the background, so that `stop` need not wait for it. `timeout` makes a process group of its own and
# ends all of that, by itself or when it is told to end.
run_suite() {
    local name=$1 log rc=0 start=$SECONDS command suite
    log=$logs/${name//\//-}
    suite_command "$name"
    # What runs in the background ignores SIGINT; the tests are not to inherit that.
    CMOCKA_MESSAGE_OUTPUT=TAP env --default-signal=INT,QUIT \
        timeout --kill-after=20 "$(suite_limit "$name")" "${command[@]}" >"$log.log" 2>&1 </dev/null &
    suite=$!
    trap 'kill "$suite"; wait "$suite"; exit 143' HUP INT TERM
    wait "$suite" || rc=$?
    printf '%s\n' "$rc" >"$log.rc"
    printf '%s\n' "$((SECONDS - start))" >"$log.time"
}

# show_counts NAME PASSED FAILED SKIPPED SECONDS
show_counts() {
    printf '%-44s %4d passed %3d failed %3d skipped %4d s\n' "$@"
}

# count PASSED FAILED SKIPPED: adds to the totals.
count() {
    total_passed=$((total_passed + $1))
    total_failed=$((total_failed + $2))
    total_skipped=$((total_skipped + $3))
}

# show_total: the last line, and the exit status.
show_total() {
    printf '%d passed, %d failed, %d skipped\n' "$total_passed" "$total_failed" "$total_skipped"
    [ "$total_failed" = 0 ]
}

# report NAME: counts and shows one finished suite.
report() {
    local name=$1 log rc counts complaint passed failed skipped
    log=$logs/${name//\//-}
    rc=$(cat "$log.rc")
    counts=$(napcoll_count_tap "$log.log" "$rc" "$(suite_limit "$name")")
    complaint=$(sed -n 2p <<<"$counts")
    read -r passed failed skipped <<<"$(head -n 1 <<<"$counts")"
    count "$passed" "$failed" "$skipped"
    show_counts "$name" "$passed" "$failed" "$skipped" "$(cat "$log.time")"
    # shellcheck disable=SC2154
    if [ "$failed" -gt 0 ]; then
        [ -z "$complaint" ] || printf '    %s %s\n' "$name" "$complaint"
        printf '    its output (%s):\n' "${log#"$NAPCOLL_SRC"/}.log"
        tail -n 200 "$log.log" | sed 's/^/    | /'
    elif [ "$verbose" = yes ]; then
        sed 's/^/    | /' "$log.log"
    elif [ "$skipped" -gt 0 ]; then
        grep -i '# *skip' "$log.log" | sed 's/^/    | /'
    fi
}

mapfile -t pure < <(pure_suites | wanted)
mapfile -t job < <(job_suites | wanted)

build_all() {
    # shellcheck disable=SC2154
    napcoll_build "$build" "$jobs" || return
    napcoll_say "make test-programs"
    napcoll_quietly make -C "$build" -j "$jobs" test-programs
}

# run_suites: builds, runs all wanted suites and shows the counts; fails when one of them does.
run_suites() {
    local name
    if ! build_all; then
        echo "napcoll does not build; no test was run"
        count 0 1 0
        show_total
        return
    fi

    # shellcheck source=/dev/null
    . "$build/env.sh"
    napcoll_mpirun_settings
    export NAPCOLL_SRC
    mkdir -p "$logs"
    rm -f "$logs"/*

    for name in "${pure[@]}"; do
        while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
            wait -n || true
        done
        run_suite "$name" &
    done
    wait
    for name in "${pure[@]}"; do
        report "$name"
    done
    for name in "${job[@]}"; do
        run_suite "$name" &
        wait
        report "$name"
    done
    show_total
}
