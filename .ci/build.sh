#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Configures a build folder anew and makes something in it.

set -euo pipefail

usage() {
    cat <<'END'
Usage: .ci/build.sh DIR "TARGET|VARIABLE=VALUE..." [CONFIGURE_ARGUMENT...]

Empties DIR, runs configure in it with the arguments, and makes the targets there, one after
the other. What no build makes stays where DIR is build/: the folders ci, roots and openmpi-VERSION.
END
}
case ${1:-} in
    --help | -h)
        usage
        exit 0
        ;;
esac
if [ $# -lt 2 ]; then
    usage >&2
    exit 2
fi

src=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
dir=$1
read -r -a targets <<<"$2"
shift 2
settings=()
for target in "${targets[@]}"; do
    case $target in
        *=*) settings+=("$target") ;;
    esac
done
empty() {
    find "$dir" -mindepth 1 -maxdepth 1 -not -name ci -not -name roots -not -name 'openmpi-*' "$@"
}
if [ -e "$dir" ] && [ ! -f "$dir/config.log" ] && { [ ! -d "$dir" ] || [ -n "$(empty -print -quit)" ]; }; then
    echo ".ci/build.sh: $dir exists and is no build folder" >&2
    exit 1
fi
mkdir -p "$dir"
empty -exec rm -rf {} +
cd "$dir"
"$src/configure" -q "$@"
# "all check" together would make the same things twice at once.
for target in "${targets[@]}"; do
    case $target in
        *=*) ;;
        *) make -s -j "$(nproc)" "$target" "${settings[@]}" ;;
    esac
done
