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

# tap NAME COMMAND...: one test; the command's output is shown when it fails.
tap() {
    local name=$1 rc
    shift
    tap_number=$((tap_number + 1))
    # Not behind || or in an `if`: the shell would ignore what fails inside the command.
    set +e
    (
        set -e
        "$@"
    ) >"$work/tap.out" 2>&1 </dev/null
    rc=$?
    set -e
    if [ "$rc" = 0 ]; then
        echo "ok $tap_number - $name"
    else
        tap_failed=$((tap_failed + 1))
        echo "not ok $tap_number - $name"
        echo "# exit $rc: $*"
        tail -n 40 "$work/tap.out" | sed 's/^/# /'
    fi
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
