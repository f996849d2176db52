#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Two judges of the same plans: the verifier, and tests/plan/judge.py, which shares no code with it.

set -euo pipefail

here=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=tests/build/tap.sh
. "$here/tap.sh"

usage() {
    cat <<'END_USAGE'
Usage: tests/build/judges.sh [--count N] [--seed N]

Lets the verifier and a second judge decide on plan sets with random errors, and on plans that
napcoll-plan exports; prints TAP. Both must agree.

  --count N  plan sets with errors; default 1000
  --seed N   of their random numbers; default 1
  --help     this text
END_USAGE
}

count=1000 seed=1
while [ $# -gt 0 ] && [ "$1" != --help ]; do
    case $1 in
        --count) count=${2:?} ;;
        --seed) seed=${2:?} ;;
        *) break ;;
    esac
    shift 2
done
only_help "$@"

plan=$build/bin/napcoll-plan mutants=$build/tests/plan/mutants judge=$here/../plan/judge.py
if [ ! -x "$plan" ] || [ ! -x "$mutants" ]; then
    tap_skip_all "no napcoll-plan or tests/plan/mutants in $build"
fi
command -v python3 >/dev/null || tap_skip_all "no python3"

both_judges_agree_on_errors() {
    "$mutants" "$count" "$seed" | python3 "$judge" --compare - | tee "$work/table"
    grep -qx "$count plan sets, 0 on which the two differ" "$work/table"
    # each of them finds errors, and plans without
    grep -qE '^ok +ok ' "$work/table"
    grep -qE '^contribution +contribution ' "$work/table"
}

# exported COLLECTIVE ALGORITHM ARGUMENT...: the judge finds that the plans are right.
exported() {
    "$plan" export --coll "$1" --algorithm "$2" "${@:3}" | python3 "$judge" -
}

exported_plans_are_right() {
    exported allreduce nap --nodes 4 --ppn 3
    exported allreduce lane --nodes 3 --ppn 2 --segments 2
    exported reduce nap --nodes 3 --ppn 4 --root 5
    exported allgather bruck --nodes 5 --ppn 2
    exported bcast two_level --nodes 3 --ppn 3 --root 4
    exported alltoall tuna_two_level --nodes 4 --ppn 3
    exported gather two_level --nodes 3 --ppn 2
    exported scan nap --nodes 3 --ppn 2 --noncommutative
    exported barrier nap --nodes 4 --ppn 2
}

# The verifier agrees on a plan set; the judge names the kind of error and the place.
errors_have_a_place() {
    "$plan" export --nodes 2 --ppn 1 --coll allreduce --algorithm recursive_doubling >"$work/plans"
    python3 "$judge" "$work/plans"
    sed 's/^send sendbuf\[0\] to 1/send sendbuf[1] to 1/' "$work/plans" >"$work/broken"
    if python3 "$judge" "$work/broken" >"$work/out"; then
        return 1
    fi
    grep -qF 'span: rank 0: sendbuf[1+1]' "$work/out"
}

tests=(both_judges_agree_on_errors exported_plans_are_right errors_have_a_place)
tap_plan ${#tests[@]}
for test in "${tests[@]}"; do
    tap "$test" "$test"
done
tap_end
