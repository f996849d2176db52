#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Builds napcoll and runs every test, for one version of Open MPI after the other. All tests speak TAP
# (https://testanything.org); suites.sh counts their lines.

set -euo pipefail

NAPCOLL_SRC=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=config/setup.sh
. "$NAPCOLL_SRC/config/setup.sh"

usage() {
    cat <<'END'
Usage: tests/run.sh [--openmpi VERSION] [--only PATTERN] [--list] [--jobs N] [--timeout SECONDS]
                    [--verbose]

Installs what is missing (with apt-get; elsewhere it names what to install), builds napcoll and runs the
tests. The last line counts them: N passed, N failed, N skipped.

  --openmpi VERSION   the Open MPI to test with: 4.1, 5.0, 6.0, all three one after the other (all, the
                      default), or the one of this machine (here). A version that this machine does
                      not have is tested in a Debian root (see tests/roots/root.sh --help)
  --brief             leave out what tests no more of Open MPI than the rest does: the rooms without MPI, the
                      plans, the model for spin, napcoll-plan, configure's messages, netlab's network, the examples' scripts,
                      most algorithms and placements. Of several versions the first has all, the others are brief
  --only PATTERN      only the suites whose name contains PATTERN (a shell pattern: unit/*, mpi)
  --list              print the names of the suites and stop
  --jobs N            compile, and run the suites that start no MPI job, N at a time; of the others at most
                      two at a time (default: the cores)
  --timeout SECONDS   how long one suite may take (default 1200; 300 for unit/ and plan/)
  --verbose           show the output of the suites that pass, too
  --help              this text

The output of each suite is kept in test-logs/ of its build folder: build/ with this machine's Open MPI,
build/openmpi-VERSION/ in a root.
END
}

openmpi=all
only=
list=no
verbose=no
brief=no
jobs=$(nproc)
limit=
while [ $# -gt 0 ]; do
    case $1 in
        --openmpi | --only | --jobs | --timeout)
            [ $# -ge 2 ] || { usage >&2; exit 2; }
            case $1 in
                --openmpi) openmpi=$2 ;;
                --only) only=$2 ;;
                --jobs) jobs=$2 ;;
                --timeout) limit=$2 ;;
            esac
            shift
            ;;
        --list) list=yes ;;
        --verbose) verbose=yes ;;
        --brief) brief=yes ;;
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
case $openmpi in
    all) versions=(4.1 5.0 6.0) ;;
    4.1 | 5.0 | 6.0) versions=("$openmpi") ;;
    here) versions=() ;;
    *) napcoll_fail "--openmpi wants 4.1, 5.0, 6.0, all or here" ;;
esac

cd "$NAPCOLL_SRC"
# shellcheck source=tests/suites.sh
. tests/suites.sh

if [ "$list" = yes ]; then
    for name in "${pure[@]}" "${shared[@]}" "${alone[@]}"; do
        printf '%s\n' "$name"
    done
    exit 0
fi
if [ $((${#pure[@]} + ${#shared[@]} + ${#alone[@]})) = 0 ]; then
    napcoll_fail "no suite's name contains '$only'; tests/run.sh --list names them"
fi

# follow COMMAND...: starts it, for its output to be read from the file descriptor `output`. Not a
# pipeline, for `stop` to know whom to end.
follow() {
    exec {output}< <(exec env --default-signal=INT,QUIT "$@" 2>&1)
    child=$!
}

# followed: the exit status of the command.
followed() {
    local rc=0
    exec {output}<&-
    wait "$child" || rc=$?
    child=
    return "$rc"
}

# make_roots VERSION...: to be run in the background, while another version is tested. It says nothing:
# have_root waits for what is being made, tries once more what has failed, and says why.
make_roots() {
    local version make
    # In the background nobody can be asked for a password.
    [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null || return 0
    for version; do
        [[ $native != "$version".* ]] || continue
        # `timeout` ends all that it has started, as in run_suite.
        timeout --kill-after=20 1800 tests/roots/root.sh make "$version" >/dev/null 2>&1 </dev/null &
        make=$!
        trap 'kill "$make"; wait "$make"; exit 143' HUP INT TERM
        wait "$make" || true
    done
}

# have_root VERSION: makes its root or finds it made; if it fails, `reason` has the last line of why.
have_root() {
    local line
    reason=
    follow tests/roots/root.sh make "$1"
    while IFS= read -r line <&"$output"; do
        case $line in
            '==> '*) printf '%s\n' "$line" >&2 ;;
            *) reason=${line#root.sh: } ;;
        esac
    done
    followed
}

# test_version VERSION: all suites with that Open MPI; adds a line to `table` and to the totals.
test_version() {
    local version=$1 name line counts=() rc=0 start=$SECONDS enter=()
    case $native in
        "$version".*)
            name="Open MPI $native"
            printf '\n%s, of this machine\n' "$name"
            ;;
        *)
            have_root "$version" || rc=$?
            if [ "$rc" != 0 ]; then
                no_root "$version" "$rc"
                return
            fi
            enter=(tests/roots/root.sh run "$version")
            name="Open MPI $("${enter[@]}" mpicc --showme:version | napcoll_openmpi_version)"
            printf '\n%s, in the root of %s; build/ is build/openmpi-%s/\n' "$name" "$version" "$version"
            ;;
    esac

    if [ "${#later[@]}" -gt 0 ]; then
        make_roots "${later[@]}" &
        later=()
    fi
    follow "${enter[@]}" tests/run.sh --openmpi here "${options[@]}"
    while IFS= read -r line <&"$output"; do
        if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped$ ]]; then
            counts=("${BASH_REMATCH[@]:1}")
            line="$name: $line"
        elif [[ $line == 'failed: '* ]]; then
            fail "$name: ${line#failed: }"
        fi
        printf '%s\n' "$line"
    done
    followed || rc=$?
    if [ "${#counts[@]}" = 0 ]; then
        fail "$name: tests/run.sh (exit $rc) did not reach its last line"
        counts=(0 1 0)
    fi
    count "${counts[@]}"
    table+=("$(show_counts "$name" "${counts[@]}" "$((SECONDS - start))")")
}

# no_root VERSION STATUS: what it means that root.sh ended so. A machine that cannot have roots tests what
# it has. An archive that fails is an error, except for 6.0: Debian has that in unstable only, which may
# change or break any day.
no_root() {
    local line
    case $2:$1 in
        77:* | 75:6.0)
            line="Open MPI $1: skipped, because $reason"
            count 0 0 1
            ;;
        *)
            line="Open MPI $1: failed, because ${reason:-root.sh ended with status $2}"
            fail "$line"
            count 0 1 0
            ;;
    esac
    printf '\n%s\n' "$line"
    table+=("$line")
}

napcoll_packages "${napcoll_needs[@]}" "${napcoll_test_needs[@]}"
# Not every system has it.
# shellcheck disable=SC2154
[[ " ${pure[*]} " != *" spin/"* ]] || (napcoll_packages "spin program:spin") ||
    napcoll_say "the suites that need spin are skipped"
export NAPCOLL_BRIEF=$brief
if [ "$openmpi" = here ]; then
    run_suites
    exit
fi

# The roots use this machine's configure.
napcoll_autogen
native=$(mpicc --showme:version | napcoll_openmpi_version)
options=(--only "$only" --jobs "$jobs" --timeout "$limit")
[ "$verbose" = no ] || options+=(--verbose)
[ "$brief" = no ] || options+=(--brief)
table=()
later=("${versions[@]:1}")
for version in "${versions[@]}"; do
    test_version "$version"
    [ "$brief" = yes ] || options+=(--brief)
    brief=yes
done
[ "${#table[@]}" = 1 ] || printf '%s\n' '' "${table[@]}"
show_total
