#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# autogen.pl: puts the component into an Open MPI source tree, and names what it misses.

set -euo pipefail

# shellcheck source=tests/build/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

usage() {
    echo "Usage: tests/build/graft.sh"
    echo
    echo "Tries autogen.pl --graft on the outline of an Open MPI source tree; prints TAP."
}
only_help "$@"

ompi=$work/openmpi
folder=$ompi/ompi/mca/coll/napcoll
mkdir -p "$ompi/ompi/mca/coll"
touch "$ompi/ompi/mca/coll/coll.h" "$ompi/VERSION" "$ompi/autogen.pl"

component_arrives() {
    "$src/autogen.pl" --graft "$ompi"
    (cd "$src/ompi/mca/coll/napcoll" &&
        find . -type f \( -name '*.[ch]' -o -name '*.m4' -o -name Makefile.am -o -name '*.txt' \)) |
        sort >"$work/want"
    (cd "$folder" && find . -type f) | sort >"$work/got"
    diff "$work/want" "$work/got"
}

second_graft_replaces_the_first() {
    mkdir "$folder/old"
    touch "$folder/stale.c" "$folder/old/stale.h"
    "$src/autogen.pl" --graft "$ompi"
    [ ! -e "$folder/stale.c" ] && [ ! -e "$folder/old" ] && [ -f "$folder/configure.m4" ]
}

# For make to go on with: files that it made, and sources that look as old as they are.
second_graft_keeps_the_build() {
    mkdir "$folder/algo/.libs"
    touch "$folder/Makefile.in" "$folder/algo/.libs/napcoll_algo.o"
    "$src/autogen.pl" --graft "$ompi"
    [ -f "$folder/Makefile.in" ]
    [ -f "$folder/algo/.libs/napcoll_algo.o" ]
    [ ! "$folder/Makefile.am" -nt "$src/ompi/mca/coll/napcoll/Makefile.am" ]
}

# Files are links, folders are not: a build there must not write into this tree.
link_replaces_the_copy() {
    "$src/autogen.pl" --graft "$ompi" --link
    [ -z "$(find "$folder" -type f \( -name '*.[ch]' -o -name '*.m4' -o -name Makefile.am \))" ]
    [ "$folder/algo/napcoll_algo.c" -ef "$src/ompi/mca/coll/napcoll/algo/napcoll_algo.c" ]
    [ ! "$folder/algo" -ef "$src/ompi/mca/coll/napcoll/algo" ]
}

copy_replaces_the_link() {
    "$src/autogen.pl" --graft "$ompi"
    [ -z "$(find "$folder" -type l)" ]
    [ -f "$folder/configure.m4" ] && [ -f "$src/ompi/mca/coll/napcoll/configure.m4" ]
}

copy_replaces_a_linked_folder() {
    rm -rf "$folder"
    ln -s "$src/ompi/mca/coll/napcoll" "$folder"
    "$src/autogen.pl" --graft "$ompi"
    [ ! -L "$folder" ]
    [ -f "$folder/configure.m4" ] && [ -f "$src/ompi/mca/coll/napcoll/configure.m4" ]
}

foreign_folder_is_left_alone() {
    rm -rf "$folder"
    mkdir "$folder"
    touch "$folder/precious"
    refuses "does not look like napcoll's folder" "$src/autogen.pl" --graft "$ompi"
    [ -f "$folder/precious" ]
}

other_tree_is_refused() {
    mkdir -p "$work/other"
    refuses "is not an Open MPI source tree" "$src/autogen.pl" --graft "$work/other"
}

missing_tools_are_named() {
    local perl
    perl=$(command -v perl)
    mkdir -p "$work/bin"
    refuses "apt-get install autoconf automake libtool" \
        env PATH="$work/bin" "$perl" "$src/autogen.pl"
}

tap_plan 9
tap graft_copies_every_source component_arrives
tap graft_again_replaces second_graft_replaces_the_first
tap graft_again_keeps_the_build second_graft_keeps_the_build
tap graft_link_replaces_copy link_replaces_the_copy
tap graft_copy_replaces_link copy_replaces_the_link
tap graft_replaces_a_linked_folder copy_replaces_a_linked_folder
tap graft_leaves_foreign_folder_alone foreign_folder_is_left_alone
tap graft_refuses_other_tree other_tree_is_refused
tap autogen_names_missing_tools missing_tools_are_named
tap_end
