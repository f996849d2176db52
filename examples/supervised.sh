# shellcheck shell=bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# What results.sh and measuring.sh share: who ends one of the scripts ends what it is measuring. To be sourced.

child=

# stop STATUS: ends what is running, and the script.
stop() {
    trap '' HUP INT TERM
    if [ -n "$child" ]; then
        kill "$child" 2>/dev/null || true
        wait "$child" || true
    fi
    exit "$1"
}
trap 'stop 129' HUP
trap 'stop 130' INT
trap 'stop 143' TERM

# supervised WORD...: runs a command, behind options of env such as --chdir=DIR, in the background, so that `stop` need not
# wait for it.
supervised() {
    local rc=0
    # What runs in the background ignores SIGINT unless it is told not to.
    env --default-signal=INT,QUIT "$@" </dev/null &
    child=$!
    wait "$child" || rc=$?
    child=
    return "$rc"
}
