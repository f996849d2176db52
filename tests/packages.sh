#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# The Debian packages, the RPM and the modules: built from the source package that `make dist` writes, and tried where
# nothing else of napcoll's is.

set -euo pipefail

# shellcheck source=tests/build/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/build/tap.sh"
NAPCOLL_SRC=$src
# shellcheck source=config/setup.sh
. "$NAPCOLL_SRC/config/setup.sh"

usage() {
    cat <<'END'
Usage: tests/packages.sh --run

Builds the Debian packages from the source package, checks them with lintian, installs them in a new Debian root
without any development package, and runs an allreduce on emulated nodes there. Builds the RPM as well, and loads the
modules in the root. Prints TAP; lines that begin with # have lintian's findings and the sizes.
It is not part of tests/run.sh, because it takes some minutes and installs packages (with apt-get). Needs Debian, a
build in NAPCOLL_BUILD (else build/), and root or sudo. NAPCOLL_DEBIAN_MIRROR is used as in tests/roots/root.sh.
END
}
[ "${1:-}" = --run ] || only_help "${1:---}" "$@"
[ $# = 1 ] || only_help --

[ -f "$build/config.status" ] || tap_skip_all "no build in $build"
command -v dpkg-query >/dev/null || tap_skip_all "this is not Debian"
unset "${!OMPI_MCA_@}" NAPCOLL_BUILD NAPCOLL_MACHINES DESTDIR MAKEFLAGS

napcoll_packages \
    "build-essential    program:dpkg-buildpackage" \
    "debhelper          program:dh" \
    "fakeroot           program:fakeroot" \
    "libcmocka-dev      module:cmocka" \
    "lintian            program:lintian" \
    "rpm                program:rpmbuild" \
    "rpmlint            program:rpmlint" \
    "xz-utils           program:xz"
series=$(mpicc --showme:version | napcoll_openmpi_version | cut -d. -f1-2)
version=$(sed -n 's/^PACKAGE_VERSION = *//p' "$build/Makefile")
packages=$work/packages
root=$work/root
mkdir -p "$packages/build"

source_package_is_made() {
    make -s -C "$build" dist
    mv "$build/napcoll-$version.tar.xz" "$packages"
}

# unpack FOLDER: the source package.
unpack() {
    mkdir -p "$1"
    tar -C "$1" --strip-components=1 -xJf "$packages/napcoll-$version.tar.xz"
}

# The unit tests, which dpkg-buildpackage would run, are in tests/run.sh.
debian_packages_build() {
    unpack "$work/debian/napcoll-$version"
    cd "$work/debian/napcoll-$version"
    DEB_BUILD_OPTIONS="nocheck parallel=$(nproc)" dpkg-buildpackage -us -uc
    mv ../*.deb ../*.dsc ../*.changes ../*.buildinfo ../napcoll_"$version".tar.* "$packages"
    ls "$packages/openmpi-napcoll_${version}_"*.deb "$packages/napcoll-tools_${version}_"*.deb
}

lintian_finds_nothing() {
    lintian --allow-root -I --tag-display-limit 0 --fail-on error,warning,info \
        "$packages/napcoll_${version}_"*.changes >"$work/lintian" || {
        cat "$work/lintian"
        return 1
    }
}

rpm_builds() {
    rpmbuild -tb --nodeps --nocheck -D "_topdir $work/rpm" -D "debug_package %{nil}" "$packages/napcoll-$version.tar.xz"
    find "$work/rpm/RPMS" -name '*.rpm' -exec cp {} "$packages" \;
    rpm -qlp "$packages"/napcoll-"$version"-*.rpm >"$work/rpm.plugin"
    rpm -qlp "$packages"/napcoll-tools-"$version"-*.rpm >"$work/rpm.tools"
    grep '/mca_coll_napcoll.so$' "$work/rpm.plugin"
    grep '/help-coll-napcoll.txt$' "$work/rpm.plugin"
    for name in bin/collbench bin/napcoll-plan bin/napcoll-tune bin/netlab machines/netlab.conf; do
        grep "/$name\$" "$work/rpm.tools"
    done
    grep -hE '\.la$|test' "$work/rpm.plugin" "$work/rpm.tools" >"$work/extra" || true
    nothing_in "$work/extra"
    [ "$(rpmspec -q --srpm --qf '%{version}' "$src/contrib/napcoll.spec")" = "$version" ]
    rpmlint "$src/contrib/napcoll.spec" | tee "$work/rpmlint"
    grep ' 0 errors' "$work/rpmlint"
}

nothing_in() {
    cat "$1"
    [ ! -s "$1" ]
}

# Fails where the root has files of napcoll's, other than settings for apt and this test.
ours_in_root() {
    find "$root" -xdev -name '*napcoll*' ! -path "$root/etc/apt/*" ! -path "$root/etc/dpkg/*" \
        ! -path "$root/etc/napcoll-test.sh" ! -path "$root/tmp/*" >"$work/ours"
    nothing_in "$work/ours"
}

root_is_made() {
    "$src/tests/roots/root.sh" bare "$series" "$root"
    ours_in_root
    napcoll_as_root mkdir -p "$root$packages"
}

# in_root COMMAND...: in there, with the packages where they are here. As root of this machine.
in_root() {
    napcoll_as_root unshare --mount --propagation private \
        "$src/tests/roots/enter.sh" "$root" "$packages" "$packages/build" "$@"
}

apt_in_root() {
    in_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends "$@"
}

# What runs in the root: an allreduce as quickstart's, on fewer nodes. Fails unless napcoll's nap ran.
cat >"$packages/allreduce.sh" <<'END'
set -e
. /etc/napcoll-test.sh
netlab --nodes 4 --ppn 2 --latency 1ms -- mpirun -np 8 collbench --coll allreduce --bytes 8 \
    --contestants napcoll:nap,tuned --iterations 10 --time-limit 20 --csv /tmp/allreduce.csv
grep '^allreduce,.*napcoll:nap,.*"nap"$' /tmp/allreduce.csv
grep '^allreduce,.*,tuned,.*"tuned"$' /tmp/allreduce.csv
END

packages_install() {
    apt_in_root update
    apt_in_root install openmpi-bin iproute2 \
        "$packages/openmpi-napcoll_${version}_"*.deb "$packages/napcoll-tools_${version}_"*.deb
    (napcoll_mpirun_settings && export -p) >"$work/settings"
    grep -E ' (OMPI|PRTE)_' "$work/settings" | napcoll_as_root tee "$root/etc/napcoll-test.sh"
    in_root ompi_info --parsable --level 9 --param coll napcoll | grep "mca:coll:napcoll:version:.*$version"
    in_root napcoll-plan --version | grep -F "$version"
    in_root napcoll-plan simulate --machine bluewaters --nodes 8 --ppn 16 --closed-form --csv - |
        grep '^allreduce,nap,8,16,8,8.31'
}

allreduce_runs_from_the_packages() {
    in_root bash "$packages/allreduce.sh"
}

packages_are_removed() {
    apt_in_root purge openmpi-napcoll napcoll-tools
    ours_in_root
}

# Whether ompi_info in the root does not show napcoll.
unknown_in_root() {
    in_root ompi_info --parsable --level 9 --param coll napcoll >"$work/known"
    ! grep mca:coll:napcoll: "$work/known"
}

# Elsewhere than Open MPI's plugins: only the module leads there.
installation_for_modules() {
    unpack "$work/opt"
    cd "$work/opt"
    ./configure -q CFLAGS=-O0 --prefix=/opt/napcoll --with-plugindir=/opt/napcoll/lib/openmpi
    make -s -j "$(nproc)"
    napcoll_as_root make -s install DESTDIR="$root"
    napcoll_as_root install -D -m 644 contrib/modulefile "$root/opt/modules/tcl/napcoll/$version"
    napcoll_as_root install -D -m 644 contrib/napcoll.lua "$root/opt/modules/lua/napcoll/$version.lua"
    unknown_in_root
}

cat >"$packages/module.sh" <<'END'
set -e
. "$1"
module use "$2"
paths=$PATH
module load napcoll
[ "$(command -v napcoll-plan)" = /opt/napcoll/bin/napcoll-plan ]
case $MANPATH in /opt/napcoll/share/man:*) ;; *) echo "MANPATH=$MANPATH" && exit 1 ;; esac
ompi_info --parsable --level 9 --param coll napcoll | grep mca:coll:napcoll:
ompi_info --parsable --level 9 --param coll tuned | grep mca:coll:tuned:
bash "${0%/*}/allreduce.sh"
module unload napcoll
[ "$PATH" = "$paths" ]
[ -z "${OMPI_MCA_mca_base_component_path:-}${PMIX_MCA_mca_base_component_path:-}" ]
if ompi_info --parsable --level 9 --param coll napcoll | grep mca:coll:napcoll:; then
    exit 1
fi
END

# module_works PACKAGE INIT LANGUAGE: Debian has one of the packages at a time.
module_works() {
    apt_in_root install "$1"
    in_root bash "$packages/module.sh" "$2" "/opt/modules/$3"
}

# The sizes of all packages, as comments of TAP.
sizes() {
    (cd "$packages" && find . -maxdepth 1 -name '*napcoll*' \( -name '*.deb' -o -name '*.rpm' -o -name '*.tar.xz' \) \
        -printf '# %f: %k KiB\n' | sort)
}

tap_plan 11
tap source_package_is_made source_package_is_made
tap debian_packages_build debian_packages_build
tap lintian_finds_nothing lintian_finds_nothing
sed 's/^/# lintian: /' "$work/lintian" 2>/dev/null || true
tap rpm_builds rpm_builds
sizes
tap clean_root_is_made root_is_made
tap packages_install packages_install
tap allreduce_runs_from_the_packages allreduce_runs_from_the_packages
sed 's/^/# /' "$work/tap.out"
tap packages_are_removed packages_are_removed
tap installation_for_modules installation_for_modules
tap environment_module_works module_works environment-modules /usr/share/modules/init/bash tcl
tap lmod_module_works module_works lmod /usr/share/lmod/lmod/init/bash lua
napcoll_as_root rm -rf --one-file-system "$root"
tap_end
