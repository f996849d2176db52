#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# root.sh says in one line why there is no root, with a status that tells the machine's fault from the
# archive's, and takes nothing unfinished for a root. Programs of our own stand for the programs of a machine that
# something is wrong with.

set -euo pipefail

# shellcheck source=tests/build/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

usage() {
    echo "Usage: tests/build/roots.sh"
    echo
    echo "Runs tests/roots/root.sh where it cannot succeed, without the network; prints TAP."
}
only_help "$@"

export NAPCOLL_ROOTS=$work/roots
root=$NAPCOLL_ROOTS/5.0

# A machine without most things: links to what root.sh calls before it gives up.
bin=$work/bin
mkdir "$bin"
for name in bash cat cp dirname env flock grep head id mkdir mv realpath rm sed sort tail; do
    ln -s "$(command -v "$name")" "$bin/"
done

# program NAME TEXT: a script of that name on that machine.
program() {
    rm -f "$bin/$1"
    printf '#!/bin/sh\n%s\n' "$2" >"$bin/$1"
    chmod +x "$bin/$1"
}

# ends STATUS TEXT: `root.sh make 5.0` on that machine ends so, and its last line has the text.
ends() {
    local rc=0
    env PATH="$bin" "$src/tests/roots/root.sh" make 5.0 >"$work/out" 2>&1 </dev/null || rc=$?
    cat "$work/out"
    [ "$rc" = "$1" ]
    tail -n 1 "$work/out" | grep -F -- "$2"
}

unknown_version_is_named() {
    refuses "no Debian release is known for Open MPI 3.1 (known: 4.1, 5.0, 6.0)" \
        "$src/tests/roots/root.sh" run 3.1 true
}

without_root_it_says_so() {
    program id 'echo 1000'
    ends 77 "needs to be root, or sudo"
}

missing_tools_are_named() {
    program id 'echo 0'
    ends 77 "util-linux"
    ends 77 "there is no apt-get to install it"
}

forbidden_mounts_are_named() {
    program unshare 'exit 1'
    program debootstrap 'exit 1'
    ends 77 "does not let us mount"
}

# From here on `unshare` works, except for what would happen in the root (enter.sh ROOT SOURCE BUILD
# COMMAND...): that is noted, and answered from a file.
forbidden_devices_are_named() {
    program mount 'exit 0'
    # shellcheck disable=SC2016
    program unshare 'shift 3
case $1 in
    */enter.sh)
        shift 4
        echo "$*" >>'"$work"'/commands
        . '"$work"'/answer ;;
    *) exec "$@" ;;
esac'
    program debootstrap 'echo "E: Cannot install into target mounted with noexec or nodev"; exit 1'
    ends 77 "no devices can be made"
    [ ! -e "$root" ]
}

unreachable_archive_is_named() {
    program debootstrap 'echo "E: Failed getting release file"; exit 1'
    ends 75 "Failed getting release file (see $root.log)"
    [ ! -e "$root" ]
}

missing_package_is_named() {
    # shellcheck disable=SC2016
    program debootstrap 'mkdir -p "$4/etc/apt/apt.conf.d" "$4/etc/dpkg/dpkg.cfg.d"'
    echo 'echo "E: Unable to locate package"; exit 100' >"$work/answer"
    ends 75 "Unable to locate package (see $root.log)"
    [ ! -e "$root" ]
}

other_open_mpi_is_refused() {
    echo 'echo "mpicc: Open MPI 5.1.0 (Language: C)"' >"$work/answer"
    ends 75 "Debian trixie has Open MPI 5.1.0, not 5.0"
    [ ! -e "$root" ]
}

finished_root_is_used_again() {
    echo 'echo "mpicc: Open MPI 5.0.7 (Language: C)"' >"$work/answer"
    ends 0 "installing packages"
    [ -f "$root/etc/napcoll-root" ]
    : >"$work/commands"
    program debootstrap 'exit 1'
    env PATH="$bin" "$src/tests/roots/root.sh" make 5.0
    [ ! -s "$work/commands" ]
}

root_with_more_is_used() {
    echo more >>"$root/etc/napcoll-root"
    : >"$work/commands"
    env PATH="$bin" "$src/tests/roots/root.sh" make 5.0
    [ ! -s "$work/commands" ]
}

changed_package_list_updates_the_root() {
    sed -i '/^libpmix-dev$/d' "$root/etc/napcoll-root"
    ends 0 "installing packages in $root"
    grep ' install .*libpmix-dev.* slurmd' "$work/commands"
    grep -x libpmix-dev "$root/etc/napcoll-root"
    grep -x more "$root/etc/napcoll-root"
}

bare_root_gets_no_packages() {
    # shellcheck disable=SC2016
    program debootstrap 'mkdir -p "$4/etc/apt/apt.conf.d" "$4/etc/dpkg/dpkg.cfg.d"'
    : >"$work/commands"
    env PATH="$bin" "$src/tests/roots/root.sh" bare 5.0 "$work/bare"
    [ -f "$work/bare/etc/apt/apt.conf.d/90napcoll" ]
    [ -f "$work/bare/etc/hosts" ]
    [ ! -s "$work/commands" ]
}

remove_leaves_nothing() {
    # From a copy, because the build folder goes, too.
    mkdir -p "$work/source/tests" "$work/source/config"
    cp -r "$src/tests/roots" "$work/source/tests"
    cp "$src/config/setup.sh" "$work/source/config"
    env PATH="$bin" "$work/source/tests/roots/root.sh" remove 5.0
    find "$NAPCOLL_ROOTS" -name '5.0*' >"$work/left"
    cat "$work/left"
    [ ! -s "$work/left" ]
}

tests=(unknown_version_is_named without_root_it_says_so missing_tools_are_named forbidden_mounts_are_named
    forbidden_devices_are_named unreachable_archive_is_named missing_package_is_named
    other_open_mpi_is_refused finished_root_is_used_again root_with_more_is_used changed_package_list_updates_the_root
    bare_root_gets_no_packages remove_leaves_nothing)
[ -f /usr/share/keyrings/debian-archive-keyring.gpg ] || tap_skip_all "no keys of Debian's archive"
tap_plan "${#tests[@]}"
for name in "${tests[@]}"; do
    tap "$name" "$name"
done
tap_end
