# shellcheck shell=bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# What tune.sh and tune-network.sh share: the build, and what they read off the files that napcoll-tune writes. To be
# sourced after tap.sh and config/setup.sh.

# shellcheck disable=SC2154 # tap.sh sets build and src
[ -x "$build/bin/napcoll-tune" ] || tap_skip_all "no build in $build"
# shellcheck source=/dev/null
. "$build/env.sh"
napcoll_mpirun_settings
# shellcheck disable=SC2034,SC2154
netlab=$src/tests/netlab/netlab

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
