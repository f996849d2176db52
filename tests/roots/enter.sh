#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Second half of root.sh: runs, as root, inside the mount namespace that root.sh has made, turns ROOT
# into the root of the file system there and becomes COMMAND.
#
#     enter.sh ROOT SOURCE BUILD COMMAND [ARG...]
#
# The namespace and all that is mounted here vanish with its last process.

set -euo pipefail

root=$1
source=$2
build=$3
shift 3

mount --bind "$root" "$root"
cd "$root"
for dir in dev proc sys; do
    mount --rbind "/$dir" "$dir"
done
# Open MPI's segments, which jobs that are killed leave behind, vanish as well.
mount -t tmpfs -o mode=1777 tmpfs dev/shm
# configure and the Makefile.in were made outside, by another release's autotools: nothing in here may
# make them anew.
mount --bind -o ro "$source" ".$source"
mount --bind "$build" ".$source/build"

# Not chroot: in a chroot the kernel refuses the user namespaces that netlab makes.
pivot_root . mnt
umount --lazy /mnt
cd "$source"

settings=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8)
for name in CI TERM http_proxy https_proxy no_proxy; do
    [ -z "${!name:-}" ] || settings+=("$name=${!name}")
done
exec env -i "${settings[@]}" "$@"
