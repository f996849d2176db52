#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Debian installations in folders, one for each version of Open MPI, and commands run in them.

set -euo pipefail

NAPCOLL_SRC=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
# shellcheck source=config/setup.sh
. "$NAPCOLL_SRC/config/setup.sh"

usage() {
    cat <<'END'
Usage: tests/roots/root.sh make VERSION
       tests/roots/root.sh run VERSION COMMAND [ARG...]
       tests/roots/root.sh remove VERSION...
       tests/roots/root.sh bare VERSION FOLDER

A root is a folder with the Debian release that has a version of Open MPI, and the packages that napcoll
needs: 4.1 (bookworm), 5.0 (trixie) or 6.0 (sid). It takes about 1 GB in build/roots/VERSION.

  make      makes the root with debootstrap, or brings one that is there up to date with the list of
            packages
  run       makes the root if need be and runs COMMAND in it, as root in the source folder. In there the
            source folder is where it is outside, but read-only, and its build/ is the folder
            build/openmpi-VERSION. What is mounted for that vanishes with the command.
  remove    removes root and build folder
  bare      makes the minimum of that Debian release in FOLDER, for a test that installs packages

Needs to be root, or sudo. Environment:
  NAPCOLL_DEBIAN_MIRROR   where the packages come from (default http://deb.debian.org/debian)
  NAPCOLL_ROOTS           the folder of the roots (default build/roots)

Exit status: COMMAND's; 75 when the archive does not have what is wanted or cannot be reached, 77
when this machine cannot make or enter roots. Either way one line says why.
END
}

wrong_usage() {
    usage >&2
    exit 2
}

# give_up STATUS REASON: one line, for tests/run.sh to repeat.
give_up() {
    printf '%s: %s\n' "${0##*/}" "$2" >&2
    exit "$1"
}

machine_cannot() {
    give_up 77 "$*"
}

archive_fails() {
    give_up 75 "$*"
}

# suite_of VERSION: the Debian release that has it.
suite_of() {
    case $1 in
        4.1) echo bookworm ;;
        5.0) echo trixie ;;
        6.0) echo sid ;;
        *) return 1 ;;
    esac
}

# packages: what to install beyond debootstrap's minimum. Slurm's suite runs with 5.0 only.
packages() {
    local need package needs=("${napcoll_needs[@]}" "${napcoll_test_needs[@]}")
    [ "$version" != 5.0 ] || needs+=("${napcoll_slurm_needs[@]}")
    for need in "${needs[@]}"; do
        read -r package _ <<<"$need"
        printf '%s\n' "$package"
    done
}

# become_root: starts over as root, unless that is what we are.
become_root() {
    local name settings=()
    [ "$(id -u)" != 0 ] || return 0
    if ! command -v sudo >/dev/null || ! sudo true; then
        machine_cannot "making and entering roots needs to be root, or sudo"
    fi
    for name in CI TERM http_proxy https_proxy no_proxy NAPCOLL_DEBIAN_MIRROR NAPCOLL_ROOTS; do
        [ -z "${!name:-}" ] || settings+=("$name=${!name}")
    done
    exec sudo env "${settings[@]}" "$NAPCOLL_SRC/tests/roots/root.sh" "$@"
}

# check_machine: whether it lets us do what roots take, and has the tools (it gets them where it can).
check_machine() {
    local needs=(
        "util-linux               program:unshare"
        "debootstrap              program:debootstrap"
        "debian-archive-keyring   file:/usr/share/keyrings/debian-archive-keyring.gpg"
    ) need package probe missing=()
    for need in "${needs[@]}"; do
        read -r package probe <<<"$need"
        napcoll_have "$probe" || missing+=("$package")
    done
    if [ "${#missing[@]}" -gt 0 ]; then
        command -v apt-get >/dev/null ||
            machine_cannot "making roots needs ${missing[*]}, and there is no apt-get to install it"
        (napcoll_packages "${needs[@]}") || archive_fails "apt-get could not install: ${missing[*]}"
    fi
    mkdir -p "$roots"
    unshare --mount --propagation private mount --bind "$roots" "$roots" 2>/dev/null ||
        machine_cannot "this machine does not let us mount in a namespace of our own (unshare --mount)"
}

# copy_network FOLDER: the root knows the names that this machine knows.
copy_network() {
    local file
    for file in /etc/hosts /etc/resolv.conf; do
        [ ! -e "$file" ] || cp -L "$file" "$1$file"
    done
}

# enter FOLDER COMMAND...: becomes the command, in that root.
enter() {
    local dir=$1
    shift
    mkdir -p "$NAPCOLL_SRC/build" "$build" "$dir$NAPCOLL_SRC"
    copy_network "$dir"
    exec unshare --mount --propagation private \
        "$NAPCOLL_SRC/tests/roots/enter.sh" "$dir" "$NAPCOLL_SRC" "$build" "$@" 9>&-
}

# logged COMMAND...: its output goes to the log.
logged() {
    ("$@") >>"$log" 2>&1 </dev/null
}

# why: what the log ends with, if possible the line of the error.
why() {
    { grep '^E: ' "$log" || grep . "$log"; } | tail -n 1 | sed 's/^E: //'
}

# bootstrap FOLDER: the minimum of the Debian release. In a mount namespace, because debootstrap leaves its
# own mounts behind when it is killed.
bootstrap() {
    local dir=$1 file
    napcoll_say "debootstrap $suite in $dir"
    if ! logged unshare --mount --propagation private \
        debootstrap --variant=minbase --force-check-gpg "$suite" "$dir" "$mirror"; then
        ! grep -q 'noexec or nodev' "$log" ||
            machine_cannot "no devices can be made in $roots (debootstrap: $(why))"
        archive_fails "debootstrap $suite from $mirror: $(why) (see $log)"
    fi
    for file in /etc/apt/apt.conf.d/*proxy*; do
        [ ! -f "$file" ] || cp "$file" "$dir/etc/apt/apt.conf.d/"
    done
    {
        echo 'Acquire::Languages "none";'
        echo 'Acquire::Retries "3";'
        # A mirror that is a snapshot has a Release file of sid that has expired. It is signed all the same,
        # and apt checks that.
        [ "$suite" != sid ] || echo 'Acquire::Check-Valid-Until "false";'
    } >"$dir/etc/apt/apt.conf.d/90napcoll"
    # A machine that loses power during the installation starts over.
    echo force-unsafe-io >"$dir/etc/dpkg/dpkg.cfg.d/90napcoll"
}

# install_packages FOLDER: the stamp's packages that are missing; writes the stamp when Open MPI is there
# in the version wanted.
install_packages() {
    local dir=$1 wanted found
    mapfile -t wanted < <(packages)
    napcoll_say "installing packages in $dir"
    if ! { logged enter "$dir" apt-get -q -o APT::Update::Error-Mode=any update &&
        logged enter "$dir" env DEBIAN_FRONTEND=noninteractive \
            apt-get -q -y --no-install-recommends install "${wanted[@]}"; }; then
        archive_fails "apt-get in Debian $suite: $(why) (see $log)"
    fi
    logged enter "$dir" apt-get clean
    found=$(enter "$dir" mpicc --showme:version 2>>"$log" | napcoll_openmpi_version) || true
    case $found in
        "$version".*) found=$(stamp "$dir") && echo "$found" >"$dir/etc/napcoll-root" ;;
        *) archive_fails "Debian $suite has Open MPI ${found:-of an unknown version}, not $version (see $log)" ;;
    esac
}

# stamp FOLDER: what a finished root was made of. It keeps what an earlier stamp had.
stamp() {
    echo "$suite"
    { packages && installed "$1"; } | sort -u
}

# installed FOLDER: the packages of its stamp.
installed() {
    tail -n +2 "$1/etc/napcoll-root" 2>/dev/null || true
}

# is_made FOLDER: whether it is finished and has all packages. One with more than is wanted counts as well:
# several source folders may share a root.
is_made() {
    local missing
    [ "$(head -n 1 "$1/etc/napcoll-root" 2>/dev/null)" = "$suite" ] || return 1
    missing=$(packages | grep -vxF -f <(installed "$1")) || true
    [ -z "$missing" ]
}

# make_root: see usage.
make_root() {
    local made=$root/etc/napcoll-root
    check_machine
    # Two at a time would make the same root twice.
    exec 9>"$root.lock"
    flock 9
    ! is_made "$root" || return 0
    : >"$log"
    if [ "$(head -n 1 "$made" 2>/dev/null)" = "$suite" ]; then
        install_packages "$root"
    else
        # The name says when it is complete.
        rm -rf --one-file-system "$root" "$root.part"
        bootstrap "$root.part"
        install_packages "$root.part"
        mv "$root.part" "$root"
    fi
}

remove_root() {
    rm -rf --one-file-system "$root" "$root.part" "$root.lock" "$log" "$build"
}

# of_version VERSION: sets what the rest knows about it.
of_version() {
    version=$1
    suite=$(suite_of "$version") ||
        give_up 2 "no Debian release is known for Open MPI $version (known: 4.1, 5.0, 6.0)"
    root=$roots/$version
    log=$root.log
    build=$NAPCOLL_SRC/build/openmpi-$version
}

case ${1:-} in
    --help | -h)
        usage
        exit 0
        ;;
esac
[ $# -ge 2 ] || wrong_usage

umask 022
# Where the tools of root are, on the PATH of a user.
PATH=$PATH:/usr/sbin:/sbin
mirror=${NAPCOLL_DEBIAN_MIRROR:-http://deb.debian.org/debian}
roots=$(realpath -m "${NAPCOLL_ROOTS:-$NAPCOLL_SRC/build/roots}")
of_version "$2"
case $1 in
    make)
        [ $# = 2 ] || wrong_usage
        become_root "$@"
        make_root
        ;;
    run)
        [ $# -ge 3 ] || wrong_usage
        become_root "$@"
        make_root
        shift 2
        enter "$root" "$@"
        ;;
    bare)
        [ $# = 3 ] || wrong_usage
        become_root "$@"
        check_machine
        log=$3.log
        : >"$log"
        bootstrap "$3"
        copy_network "$3"
        ;;
    remove)
        become_root "$@"
        shift
        for name in "$@"; do
            of_version "$name"
            remove_root
        done
        ;;
    *) wrong_usage ;;
esac
