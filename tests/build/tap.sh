# shellcheck shell=bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# What the scripts in this folder share: where things are, a scratch folder, and TAP. To be sourced.

src=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
# shellcheck disable=SC2034
build=${NAPCOLL_BUILD:-$src/build}
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT

tap_number=0
tap_failed=0

# tap_plan COUNT
tap_plan() {
    echo "1..$1"
}

# tap_skip_all REASON: this machine cannot run these tests.
tap_skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}

# tap_run COMMAND...: runs it, with its output in tap.out; sets rc.
tap_run() {
    # Not behind || or in an `if`: the shell would ignore what fails inside the command.
    set +e
    (
        set -e
        "$@"
    ) >"$work/tap.out" 2>&1 </dev/null
    rc=$?
    set -e
}

# tap_report NAME DETAIL COMMAND...: says how the last tap_run of COMMAND went.
tap_report() {
    local name=$1 detail=$2
    shift 2
    tap_number=$((tap_number + 1))
    if [ "$rc" = 0 ]; then
        echo "ok $tap_number - $name$detail"
    else
        tap_failed=$((tap_failed + 1))
        echo "not ok $tap_number - $name"
        echo "# exit $rc: $*"
        tail -n 60 "$work/tap.out" | sed 's/^/# /'
    fi
}

# tap NAME COMMAND...: one test; the command's output is shown when it fails.
tap() {
    local name=$1 rc
    shift
    tap_run "$@"
    tap_report "$name" '' "$@"
}

# tap_timed NAME COMMAND...: one test that is judged by times, which a busy machine spoils: it is run up to three
# times. `patience` says how many times as long as usual it should measure: 1, 2 and 4. What went wrong before the
# last time is shown, too.
tap_timed() {
    local name=$1 rc patience=1 detail=''
    shift
    tap_run "$@"
    while [ "$rc" != 0 ] && [ "$patience" -lt 4 ]; do
        patience=$((2 * patience))
        tail -n 20 "$work/tap.out" | sed "s/^/# $name, before it is run again: /"
        detail=" # measured $patience times as long"
        tap_run "$@"
    done
    tap_report "$name" "$detail" "$@"
}

# refuses TEXT COMMAND...: the command fails, and its output has the text.
refuses() {
    local text=$1 out
    shift
    if out=$("$@" 2>&1); then
        echo "succeeded: $*"
        return 1
    fi
    printf '%s\n' "$out"
    grep -qF -- "$text" <<<"$out"
}

# has TEXT FILE: some line of the file has the text.
has() {
    grep -qF -e "$1" "$2" || {
        echo "no '$1' in:"
        cat "$2"
        return 1
    }
}

# lacks TEXT FILE: no line of the file has the text.
lacks() {
    if grep -F -e "$1" "$2"; then
        return 1
    fi
}

# need_plan: sets `plan` to napcoll-plan, or skips all tests; with its own machine files.
need_plan() {
    plan=$build/bin/napcoll-plan
    [ -x "$plan" ] || tap_skip_all "no napcoll-plan in $build"
    unset NAPCOLL_MACHINES
}

# simulate ARGUMENT...: on the machine of the papers.
simulate() {
    "$plan" simulate --machine bluewaters.conf "$@"
}

# refused TEXT COMMAND ARGUMENT...: napcoll-plan, which is $plan, ends with status 2, TEXT on standard error and no
# output.
refused() {
    local text=$1 rc=0
    shift
    "$plan" "$@" >"$work/out" 2>"$work/err" || rc=$?
    cat "$work/err"
    [ "$rc" = 2 ] && grep -qF -e "$text" "$work/err" && [ ! -s "$work/out" ]
}

# tap_end: the script's exit status.
tap_end() {
    [ "$tap_failed" = 0 ]
}

# only_help ARGUMENT...: ends the script with its usage text (function usage) unless there are none.
only_help() {
    case ${1:-} in
        '') ;;
        --help | -h)
            usage
            exit 0
            ;;
        *)
            usage >&2
            exit 2
            ;;
    esac
}
