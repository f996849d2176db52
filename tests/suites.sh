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
failures=()
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

# suites: their names, in the order in which they start; each name says which program it is (see
# suite_command). Those that take long come first, so that none runs by itself in the end.
suites() {
    local source
    for source in tests/build/*.sh tests/plan/test_*.c tests/unit/test_*.c tests/netlab/test-*.sh tests/mpi/*.sh \
        tests/examples/*.sh tests/spin/*.sh tests/netlab/selftest.sh; do
        case $source in
            # What is sourced by the others is not executable.
            *.sh) [ -x "$source" ] || continue ;;
            *) [ -f "$source" ] || continue ;;
        esac
        source=${source#tests/}
        printf '%s\n' "${source%.*}"
    done
}

# kind_of NAME: what else may run while the suite does.
#   pure    it starts no MPI job: others of its kind, as many as there are jobs to be used
#   shared  its MPI jobs wait for launches most of the time: one other of its kind
#   alone   nothing: it takes most of the memory, or judges how long something takes
# build/dist, build/install and build/readme run make in the build folder, which only one may do at a time: they are
# of different kinds.
kind_of() {
    case $1 in
        build/readme | examples/tune-network | mpi/large | netlab/selftest) echo alone ;;
        mpi/* | netlab/* | examples/* | build/bad_inputs | build/install) echo shared ;;
        *) echo pure ;;
    esac
}

# is_brief NAME: whether the suite belongs to a brief run too. Such a run has what meets Open MPI: the rooms without MPI,
# napcoll-plan, what is packed and netlab's network are the same with every version.
is_brief() {
    case $1 in
        build/bad_inputs | build/install | build/readme) ;;
        unit/* | plan/* | build/* | spin/*) return 1 ;;
        netlab/selftest) return 1 ;;
        examples/applications | examples/collbench | examples/tune) ;;
        examples/*) return 1 ;;
    esac
}

# wanted KIND: the names of the suites of that kind that --only asks for, and that a brief run has where it is one.
wanted() {
    local name
    while read -r name; do
        [ "$(kind_of "$name")" = "$1" ] || continue
        # shellcheck disable=SC2154
        [ "$brief" = no ] || is_brief "$name" || continue
        # shellcheck disable=SC2154,SC2254
        case $name in
            *$only*) printf '%s\n' "$name" ;;
        esac
    done < <(suites)
}

# suite_command NAME: sets the array `command` to what runs that suite.
suite_command() {
    case $1 in
        unit/* | plan/*) command=("$build/tests/$1") ;;
        *) command=("$NAPCOLL_SRC/tests/$1.sh") ;;
    esac
}

# suite_limit NAME: how many seconds it may take. MPI jobs on emulated nodes wait a lot, the more so on a busy machine;
# where processes start slowly, so do configure and make.
suite_limit() {
    # shellcheck disable=SC2154
    case $limit:$1 in
        :mpi/* | :netlab/* | :examples/* | :build/*) echo 1200 ;;
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

# fail TEXT...: names what failed, for the lines before the last.
fail() {
    failures+=("${@/#/failed: }")
}

# show_total: what failed, the last line, and the exit status.
show_total() {
    [ "${#failures[@]}" = 0 ] || printf '%s\n' "${failures[@]}"
    printf '%d passed, %d failed, %d skipped\n' "$total_passed" "$total_failed" "$total_skipped"
    [ "$total_failed" = 0 ]
}

# report NAME: counts and shows one finished suite.
report() {
    local name=$1 log rc counts complaint passed failed skipped lines
    log=$logs/${name//\//-}
    rc=$(cat "$log.rc")
    counts=$(napcoll_count_tap "$log.log" "$rc" "$(suite_limit "$name")")
    complaint=$(sed -n 2p <<<"$counts")
    read -r passed failed skipped <<<"$(head -n 1 <<<"$counts")"
    count "$passed" "$failed" "$skipped"
    show_counts "$name" "$passed" "$failed" "$skipped" "$(cat "$log.time")"
    # shellcheck disable=SC2154
    if [ "$failed" -gt 0 ]; then
        mapfile -t lines < <(sed -nE 's/^[ \t]*not ok[ \t]*[0-9]*[ \t-]*//p' "$log.log")
        [ -z "$complaint" ] || lines+=("$complaint")
        fail "${lines[@]/#/$name: }"
        printf '    its output (%s), except for what passed:\n' "${log#"$NAPCOLL_SRC"/}.log"
        grep -v '^[[:space:]]*ok ' "$log.log" | tail -n 200 | sed 's/^/    | /' || true
    elif [ "$verbose" = yes ]; then
        sed 's/^/    | /' "$log.log"
    elif [ "$skipped" -gt 0 ]; then
        grep -i '# *skip' "$log.log" | sed 's/^/    | /'
    fi
}

mapfile -t pure < <(wanted pure)
mapfile -t shared < <(wanted shared)
mapfile -t alone < <(wanted alone)

build_all() {
    local arguments=()
    # Where the run is brief, it is so that what compiles takes no longer than what it is for.
    [ "$brief" = no ] || arguments=(CFLAGS=-O1)
    # shellcheck disable=SC2154
    napcoll_build "$build" "$jobs" "${arguments[@]}" || return
    napcoll_say "make test-programs"
    if [ "$brief" = yes ]; then
        napcoll_quietly make -C "$build/tests/netlab" -j "$jobs" test-programs || return
        napcoll_quietly make -C "$build/tests/mpi" -j "$jobs" test-programs
    else
        napcoll_quietly make -C "$build" -j "$jobs" test-programs
    fi
}

# has_ended NAME: whether its last trace is there (see run_suite); if nothing runs, it will never be.
has_ended() {
    [ -s "$logs/${1//\//-}.time" ] || [ -z "$(jobs -rp)" ]
}

# side_by_side COUNT NAME...: runs these suites, COUNT at a time, and reports each when it and those before
# it have ended.
side_by_side() {
    local count=$1 names=("${@:2}") started=0 reported=0
    while [ "$reported" -lt "${#names[@]}" ]; do
        while [ "$started" -lt "${#names[@]}" ] && [ "$(jobs -rp | wc -l)" -lt "$count" ]; do
            run_suite "${names[started]}" &
            started=$((started + 1))
        done
        wait -n || true
        while [ "$reported" -lt "$started" ] && has_ended "${names[reported]}"; do
            report "${names[reported]}"
            reported=$((reported + 1))
        done
    done
}

# run_suites: builds, runs all wanted suites and shows the counts; fails when one of them does.
run_suites() {
    if ! build_all; then
        fail "napcoll does not build; no test was run"
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

    side_by_side "$jobs" "${pure[@]}"
    side_by_side "$((jobs > 2 ? 2 : jobs))" "${shared[@]}"
    side_by_side 1 "${alone[@]}"
    show_total
}
