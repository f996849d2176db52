#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# The source package: that it holds every script, and that configure and make need no autotools for it. That what it
# holds builds, is tested and installs is for make distcheck (.ci/run) to show.

set -euo pipefail

# shellcheck source=tests/build/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

usage() {
    cat <<'END'
Usage: tests/build/dist.sh

Makes the source package in the build folder (NAPCOLL_BUILD, else build/), and configures what it unpacks in
a scratch folder; prints TAP.
END
}
only_help "$@"

[ -f "$build/config.status" ] || tap_skip_all "no build in $build"

unset OMPI_MCA_mca_base_component_path NAPCOLL_BUILD NAPCOLL_SRC DESTDIR MAKEFLAGS

package_unpacks() {
    # What is made here is thrown away: it need not be small.
    XZ_OPT=-0 make -s -C "$build" dist
    mv "$build"/napcoll-*.tar.xz "$work"
    mkdir "$work/package"
    tar -C "$work/package" --strip-components=1 -xJf "$work"/napcoll-*.tar.xz
}

# Scripts are found by where they are, so that no Makefile misses one that EXTRA_DIST forgets.
every_script_is_packed() {
    (cd "$src" && find .ci config tests examples -type f -name '*.sh' | sort) >"$work/want"
    (cd "$work/package" && find .ci config tests examples -type f -name '*.sh' | sort) >"$work/got"
    diff "$work/want" "$work/got"
}

# Debian's and RPM's versions are those of napcoll.
packages_have_its_version() {
    local version
    version=$(sed -n 's/^PACKAGE_VERSION = *//p' "$build/Makefile")
    head -n 1 "$work/package/debian/changelog" | grep -F "napcoll ($version) "
    grep -E "^Version: +$version\$" "$work/package/contrib/napcoll.spec"
    grep -E "^## \[$version\]" "$work/package/CHANGELOG.md"
    grep "^version: $version\$" "$work/package/CITATION.cff"
}

# Measured data stay in the repository; the one picture is README's plan.
measurements_are_not_packed() {
    (cd "$work/package" && find docs examples -name '*.csv' -o -name '*.svg' -o -name '*.png') >"$work/data"
    [ "$(cat "$work/data")" = docs/nap-3x3.svg ]
    [ -f "$work/package/docs/results/README.md" ]
}

# Of all programs make sees these alone.
missing_xz_is_named() {
    mkdir "$work/bin"
    ln -s "$(command -v make)" "$(command -v sh)" "$work/bin"
    refuses 'apt-get install xz-utils' env PATH="$work/bin" make -s -C "$build" dist
    [ -z "$(find "$build" -maxdepth 1 -name 'napcoll-*')" ]
}

# With tools that fail in the place of autoconf and automake: no folder's Makefile asks for them.
package_configures() {
    local makefile
    mkdir "$work/build"
    cd "$work/build"
    ../package/configure ACLOCAL=false AUTOCONF=false AUTOHEADER=false AUTOMAKE=false >configure.out 2>&1 || {
        cat configure.out
        return 1
    }
    find . -name Makefile >makefiles
    [ "$(wc -l <makefiles)" -gt 5 ]
    while read -r makefile; do
        make -s -C "${makefile%/*}" Makefile
    done <makefiles
    make -s build-links
}

# What configure found in the build folder, or in the package.
revision_of() {
    sed -n 's/^NAPCOLL_GIT_REVISION = *//p' "$1/Makefile"
}

package_keeps_the_git_revision() {
    diff <(revision_of "$build") <(revision_of "$work/build")
    [ "$(revision_of "$work/build")" = "$(cat "$work/package/REVISION")" ]
}

# The interface version of a component, as this Open MPI reads it.
interface_of() {
    ompi_info --parsable --level 9 --param coll "$1" |
        sed -nE "s/^mca:coll:$1:version:\"?api:([0-9.]+)\"?$/\1/p" | head -n 1
}

component_has_the_interface_of_the_others() {
    local interface
    interface=$(interface_of basic)
    [ -n "$interface" ]
    grep -F "coll interface $interface" "$work/build/configure.out"
    # shellcheck source=/dev/null
    . "$build/env.sh"
    [ "$(interface_of napcoll)" = "$interface" ]
}

tap_plan 8
tap dist_makes_a_package package_unpacks
tap package_has_every_script every_script_is_packed
tap packages_have_its_version packages_have_its_version
tap measurements_are_not_packed measurements_are_not_packed
tap missing_xz_is_named missing_xz_is_named
tap package_needs_no_autotools package_configures
tap package_keeps_the_git_revision package_keeps_the_git_revision
tap component_has_the_interface_of_the_others component_has_the_interface_of_the_others
tap_end
