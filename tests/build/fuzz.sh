#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# The readers of files take whatever is in them: a moment of tests/fuzz, with the same inputs every time.

set -euo pipefail

# shellcheck source=tests/build/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

usage() {
    cat <<'END_USAGE'
Usage: tests/build/fuzz.sh [SECONDS [SEED]]

Runs the fuzz targets of the build folder (NAPCOLL_BUILD, else build/); prints TAP. With SECONDS each target takes so
long, with inputs of that seed, else of the time.
END_USAGE
}
case ${1:-} in
    '' | [0-9]*) ;;
    *) only_help "$@" ;;
esac

programs=$build/tests/fuzz
[ -x "$programs/fuzz_rules" ] || tap_skip_all "no fuzz targets in $build"
how=(--seed 1 --inputs 15000)
[ -z "${1:-}" ] || how=(--seed "${2:-$(date +%s)}" --seconds "$1")

# target NAME FILE...: no input makes it fail.
target() {
    "$programs/fuzz_$1" "${how[@]}" "${@:2}"
}

seeds=$src/tests/fuzz/seeds
# Without expat there is none of it.
msccl=0
[ ! -x "$programs/fuzz_msccl" ] || msccl=1
tap_plan $((4 + msccl))
tap machine_files_and_parameters target machine "$src"/ompi/tools/napcoll/machines/*.conf
tap rules_files target rules "$seeds/napcoll.rules"
tap switch_files target switch_tree "$seeds/switches.conf"
tap plans_files target plans "$seeds/four.plans"
[ "$msccl" = 0 ] || tap msccl_files target msccl "$seeds/allreduce.xml" "$seeds/alltoall.xml"
tap_end
