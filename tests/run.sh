#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Builds napcoll and runs every test. All tests speak TAP (https://testanything.org); this script
# counts their lines.

set -euo pipefail

NAPCOLL_SRC=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=config/setup.sh
. "$NAPCOLL_SRC/config/setup.sh"

usage() {
    cat <<'END'
Usage: tests/run.sh [--only PATTERN] [--list] [--jobs N] [--timeout SECONDS] [--verbose]

Installs what is missing (with apt-get; elsewhere it names what to install), builds napcoll in build/
and runs the tests. The last line counts them: N passed, N failed, N skipped.

  --only PATTERN      only the suites whose name contains PATTERN (a shell pattern: unit/*, mpi)
  --list              print the names of the suites and stop
  --jobs N            compile and run N at a time the suites that start no MPI job (default: the cores)
  --timeout SECONDS   how long one suite may take (default 300; 1200 for mpi/ and netlab/)
  --verbose           show the output of the suites that pass, too
  --help              this text

The output of each suite is kept in build/test-logs/.
END
}

only=
list=no
verbose=no
jobs=$(nproc)
limit=
while [ $# -gt 0 ]; do
    case $1 in
        --only | --jobs | --timeout)
            [ $# -ge 2 ] || { usage >&2; exit 2; }
            case $1 in
                --only) only=$2 ;;
                --jobs) jobs=$2 ;;
                --timeout) limit=$2 ;;
            esac
            shift
            ;;
        --list) list=yes ;;
        --verbose) verbose=yes ;;
        --help | -h)
            usage
            exit 0
            ;;
        *)
            usage >&2
            exit 2
            ;;
    esac
    shift
done
case ${jobs:-none}$limit in
    *[!0-9]*) napcoll_fail "--jobs and --timeout want numbers" ;;
esac
[ "$jobs" -gt 0 ] || jobs=1

cd "$NAPCOLL_SRC"
build=$NAPCOLL_SRC/build
logs=$build/test-logs

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

# wanted: keeps of the names on its input those that --only asks for.
wanted() {
    local name
    while read -r name; do
        # shellcheck disable=SC2254
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
    case $limit:$1 in
        :mpi/* | :netlab/*) echo 1200 ;;
        :*) echo 300 ;;
        *) echo "$limit" ;;
    esac
}

# run_suite NAME: runs it under the time limit; leaves LOG and LOG's .rc and .time in $logs. `timeout`
# makes a process group of its own and ends all of that.
run_suite() {
    local name=$1 log rc=0 start=$SECONDS command
    log=$logs/${name//\//-}
    suite_command "$name"
    CMOCKA_MESSAGE_OUTPUT=TAP timeout --kill-after=20 "$(suite_limit "$name")" "${command[@]}" \
        >"$log.log" 2>&1 </dev/null || rc=$?
    printf '%s\n' "$rc" >"$log.rc"
    printf '%s\n' "$((SECONDS - start))" >"$log.time"
}

total_passed=0
total_failed=0
total_skipped=0

# report NAME: counts and shows one finished suite.
report() {
    local name=$1 log rc counts complaint passed failed skipped
    log=$logs/${name//\//-}
    rc=$(cat "$log.rc")
    counts=$(napcoll_count_tap "$log.log" "$rc" "$(suite_limit "$name")")
    complaint=$(sed -n 2p <<<"$counts")
    read -r passed failed skipped <<<"$(head -n 1 <<<"$counts")"
    total_passed=$((total_passed + passed))
    total_failed=$((total_failed + failed))
    total_skipped=$((total_skipped + skipped))
    printf '%-44s %4d passed %3d failed %3d skipped %4d s\n' "$name" "$passed" "$failed" "$skipped" \
        "$(cat "$log.time")"
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
if [ "$list" = yes ]; then
    for name in "${pure[@]}" "${job[@]}"; do
        printf '%s\n' "$name"
    done
    exit 0
fi
if [ $((${#pure[@]} + ${#job[@]})) = 0 ]; then
    napcoll_fail "no suite's name contains '$only'; tests/run.sh --list names them"
fi

napcoll_packages "${napcoll_needs[@]}" "${napcoll_test_needs[@]}"
build_all() {
    napcoll_build "$build" "$jobs" || return
    napcoll_say "make test-programs"
    napcoll_quietly make -C "$build" -j "$jobs" test-programs
}
if ! build_all; then
    echo "napcoll does not build; no test was run"
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
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
    run_suite "$name"
    report "$name"
done

printf '%d passed, %d failed, %d skipped\n' "$total_passed" "$total_failed" "$total_skipped"
[ "$total_failed" = 0 ]
