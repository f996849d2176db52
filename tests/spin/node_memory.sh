#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# The model of node memory: spin finds nothing in it in any order, and finds each of the mistakes that can be made in it.

set -euo pipefail

# shellcheck source=tests/build/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../build/tap.sh"

usage() {
    cat <<'END'
Usage: tests/spin/node_memory.sh

Checks tests/spin/node_memory.pml with spin: as it is, then with one mistake at a time. Prints TAP; lines that begin
with # have the number of states, and how a mistake was found. Needs spin and gcc.
END
}
only_help "$@"

for program in spin gcc; do
    command -v "$program" >/dev/null || tap_skip_all "no $program on this machine"
done

# check OPTION...: all orders of the model with these options; leaves spin's output in $work/out.
check() {
    cd "$work"
    spin -a "${@/#/-D}" "$src/tests/spin/node_memory.pml"
    gcc -w -O1 -DSAFETY -DCOLLAPSE -DMEMLIM=900 -o pan pan.c
    ./pan -m10000 >out
    cat out
    # The end of all orders, without an error: not so where depth or memory were too small.
    (! grep -E 'max search depth too small|out of memory|MEMLIM' out)
    sed -nE 's/^ *([0-9]+) states, stored.*/\1/p' out >states
}

model_holds() {
    check "$@"
    grep ' errors: 0$' "$work/out"
    [ "$(cat "$work/states")" -gt 1000 ]
}

# mistake_is_found HOW OPTION...: with that complaint.
mistake_is_found() {
    local how=$1
    shift
    check "$@"
    grep ' errors: 1$' "$work/out"
    grep "^pan:1: $how" "$work/out"
}

models=("STREAM SLEEPS=0" "STREAM SLEEPS=1" "TREE SLEEPS=1" "THREADS SLEEPS=1" TURNS SHARING "EARLY SLEEPS=1")

# The mistakes: what is wrong, spin's complaint (a wrong message, or a wait without end), and the model.
mistakes() {
    cat <<'END'
NO_RELEASE             invalid    STREAM
READ_FIRST             assertion  STREAM
TAKE_FIRST             assertion  STREAM
WRITE_FIRST            assertion  STREAM
DEPTH                  assertion  STREAM
PLAIN_LINE             invalid    STREAM
PLAIN_RING             assertion  STREAM
RING_ORDER             assertion  STREAM
ONE_READER             assertion  STREAM
SHARE_OVER_STAGES      assertion  STREAM
NO_FENCE_BEFORE_BELL   invalid    STREAM SLEEPS=1
NO_FENCE_BEFORE_LOOK   invalid    STREAM SLEEPS=1
NO_SECOND_LOOK         invalid    STREAM SLEEPS=1
WAKE_FIRST             invalid    STREAM SLEEPS=1
NO_BELL_WHEN_TAKEN     invalid    STREAM SLEEPS=1
NO_BELL_WHEN_SENT      invalid    STREAM SLEEPS=1
TAKE_WHAT_STAYS        assertion  STREAM
TWO_SLEEPERS           invalid    THREADS SLEEPS=1
NO_TURN                assertion  TURNS
JOIN_ANY               assertion  SHARING
EARLY_IF_MAYBE         assertion  EARLY
END
}

tap_plan $((${#models[@]} + $(mistakes | wc -l)))
for model in "${models[@]}"; do
    read -ra options <<<"$model"
    tap "holds: $model" model_holds "${options[@]}"
    echo "# $model: $(cat "$work/states") states"
done
while read -r mistake how model; do
    read -ra options <<<"$model"
    tap "found: $mistake" mistake_is_found "$how" "${options[@]}" "MUTATION_$mistake"
    echo "# $mistake: $(sed -nE 's/^pan:1: ([a-z ]*[a-z]).*/\1/p' "$work/out") after $(cat "$work/states") states"
done < <(mistakes)
tap_end
