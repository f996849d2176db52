#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# configure says plainly what is wrong with the MPI or the compiler that it finds, and what to do.
# Wrapper compilers that only answer --showme stand for the installations that this machine lacks.

set -euo pipefail

# shellcheck source=tests/build/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

usage() {
    echo "Usage: tests/build/configure-errors.sh"
    echo
    echo "Runs configure against installations that something is wrong with; prints TAP."
}
only_help "$@"

unset MPICC CC CFLAGS CPPFLAGS LDFLAGS LIBS

[ -x "$src/configure" ] || tap_skip_all "no configure: run ./autogen.pl first"
tap_plan 11

# The checks of the compiler and of libtool are the same each time; a cache keeps them.
cache=$work/cache
mkdir "$work/warm"
real_mpicc=$(command -v mpicc)
(cd "$work/warm" && "$src/configure" -q --cache-file="$cache" >configure.out 2>&1 </dev/null) || {
    sed 's/^/# /' "$work/warm/configure.out"
    echo "Bail out! configure fails with the installed Open MPI"
    exit 1
}
# What depends on the installation must not come from the cache.
grep -v -e MPICC -e OMPI_INFO -e napcoll_cv_c11 -e PKG_CONFIG -e pkg_cv "$cache" >"$work/cache.base"

# says STATUS TEXT... -- ARGUMENT...: runs configure with the arguments (VAR=value among them) and
# checks its exit status (ok, fail) and that its output has every text.
says() {
    local want=$1 texts=() rc=0 dir text
    shift
    while [ "$1" != -- ]; do
        texts+=("$1")
        shift
    done
    shift
    dir=$(mktemp -d "$work/run.XXXXXX")
    cp "$work/cache.base" "$dir/cache"
    (cd "$dir" && PATH=${use_path:-$PATH} "$src/configure" --cache-file=cache "$@" \
        >configure.out 2>&1) || rc=$?
    tail -n 25 "$dir/configure.out"
    if [ "$want" = ok ]; then
        [ "$rc" = 0 ] || return 1
    else
        [ "$rc" != 0 ] || return 1
    fi
    for text in "${texts[@]}"; do
        grep -qF -- "$text" "$dir/configure.out" || {
            echo "does not say: $text"
            return 1
        }
    done
}

# configure_says NAME STATUS TEXT... -- ARGUMENT...: `says` as one test.
configure_says() {
    local name=$1
    shift
    tap "$name" says "$@"
}

# A wrapper that differs from the real one in one answer: fake_mpicc FILE QUESTION ANSWER [QUESTION ANSWER]...
fake_mpicc() {
    local file=$1
    shift
    {
        echo '#!/bin/sh'
        # shellcheck disable=SC2016
        echo 'case $1 in'
        while [ $# -gt 0 ]; do
            printf '    %s) echo "%s" ;;\n' "$1" "$2"
            shift 2
        done
        printf '    *) exec %s "$@" ;;\n' "$real_mpicc"
        echo 'esac'
    } >"$file"
    chmod +x "$file"
}

# A PATH without any mpicc: links to all programs except MPI's.
mkdir "$work/nompi"
for dir in /usr/bin /bin; do
    find -H "$dir" -mindepth 1 -maxdepth 1 -not -name 'mpi*' -not -name 'ompi*' -not -name 'orte*' -not -name 'prte*' \
        -exec ln -sf -t "$work/nompi" {} +
done
use_path=$work/nompi configure_says no_mpicc_names_the_package fail \
    "no mpicc in PATH" "apt-get install openmpi-bin libopenmpi-dev" "--with-openmpi=PREFIX" --

cat >"$work/mpich" <<'END'
#!/bin/sh
case $1 in
    --showme*) echo "gcc: error: unrecognized command-line option '$1'" >&2; exit 1 ;;
esac
exec gcc "$@"
END
chmod +x "$work/mpich"
configure_says mpicc_of_another_mpi_is_named fail \
    "is not Open MPI's" "MPICC=mpicc.openmpi" -- MPICC="$work/mpich"

configure_says prefix_without_mpicc_is_named fail \
    "there is no $work/nowhere/bin/mpicc" -- --with-openmpi="$work/nowhere"

mkdir "$work/empty"
fake_mpicc "$work/noheader" --showme:incdirs "$work/empty" --showme:compile "-I$work/empty"
configure_says missing_mpi_h_is_named fail \
    "no mpi.h" "libopenmpi-dev" -- MPICC="$work/noheader"

# mpi.h alone, as an installation without --with-devel-headers has it.
mkdir "$work/public"
incdir=$("$real_mpicc" --showme:incdirs | tr ' ' '\n' | while read -r dir; do
    [ ! -f "$dir/mpi.h" ] || { echo "$dir"; break; }
done)
cp "$incdir"/mpi*.h "$work/public"
fake_mpicc "$work/nointernal" --showme:incdirs "$work/public" --showme:compile "-I$work/public"
configure_says missing_internal_headers_name_the_remedy fail \
    "not its internal headers" "apt-get install libopenmpi-dev" "--with-devel-headers" "--graft" \
    -- MPICC="$work/nointernal"

# An old and a future version: mpi.h says so.
for version in 3.1 7.0; do
    mkdir "$work/v$version"
    sed -e "s/^\(#define OMPI_MAJOR_VERSION\).*/\1 ${version%.*}/" \
        -e "s/^\(#define OMPI_MINOR_VERSION\).*/\1 ${version#*.}/" \
        "$incdir/mpi.h" >"$work/v$version/mpi.h"
    fake_mpicc "$work/mpicc-$version" --showme:incdirs "$work/v$version" \
        --showme:compile "-I$work/v$version"
    configure_says "version_${version%.*}_is_refused_by_name" fail \
        "does not know Open MPI $version" "It knows 4.1, 5.x and 6.x" -- MPICC="$work/mpicc-$version"
done

# A known version whose interface for collective components is another one.
mkdir -p "$work/iface/openmpi/ompi/mca/coll"
cp "$incdir"/mpi*.h "$work/iface"
: >"$work/iface/openmpi/ompi_config.h"
echo '#define MCA_COLL_BASE_VERSION_9_0_0 1' >"$work/iface/openmpi/ompi/mca/coll/coll.h"
fake_mpicc "$work/interface" --showme:incdirs "$work/iface" --showme:compile "-I$work/iface"
configure_says unknown_coll_interface_is_named fail \
    "an interface for collective components that" "MCA_COLL_BASE_VERSION_2_0_0" \
    -- MPICC="$work/interface"

# A compiler that stops at C99.
cat >"$work/c99" <<'END'
#!/bin/sh
for word in "$@"; do
    case $word in
        -std=*11 | -std=*17 | -c11) echo "c99: $word is unknown" >&2; exit 1 ;;
    esac
done
exec gcc -std=gnu99 "$@"
END
chmod +x "$work/c99"
sed -i -e '/ac_cv_prog_CC=/d' -e '/ac_cv_prog_ac_ct_CC=/d' -e '/ac_cv_env_CC/d' \
    -e '/ac_cv_prog_cc_/d' "$work/cache.base"
configure_says compiler_without_c11_is_named fail \
    "does not compile C11" "./configure CC=gcc" -- CC="$work/c99"

# No ompi_info to say where the plugins are: a message, and two ways out.
mkdir "$work/noinfo"
fake_mpicc "$work/noinfo/mpicc" --no-such-question none
use_path=$work/noinfo:$work/nompi configure_says missing_ompi_info_names_the_remedy fail \
    "cannot tell where this Open MPI keeps its plugins" "--with-plugindir=DIR" "--enable-user-install" --

version=$("$real_mpicc" --showme:version | sed 's/.*Open MPI \([0-9.]*\).*/\1/')
configure_says good_installation_is_reported ok \
    "for Open MPI $version, coll interface" --
tap_end
