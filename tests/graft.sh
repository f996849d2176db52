#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# napcoll in Open MPI's own source tree: puts it there, builds that Open MPI with it and tests the result,
# once with napcoll inside libmpi and once as a plugin.

set -euo pipefail

# shellcheck source=tests/build/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/build/tap.sh"
NAPCOLL_SRC=$src
# shellcheck source=config/setup.sh
. "$NAPCOLL_SRC/config/setup.sh"

usage() {
    cat <<'END'
Usage: tests/graft.sh --run [--source TARBALL|FOLDER] [--only static|dso] [--jobs N] [--fresh]

Grafts napcoll into Open MPI's source, runs the autogen.pl, configure, make and make install that come
with it, and runs the MPI test programs under that Open MPI: with napcoll inside libmpi (static, from
links to the files here) and as a plugin (dso, from copies). Prints TAP; the last line counts the tests.
It is not part of tests/run.sh, because the first time takes long: about half an hour on two cores. What
it makes stays in build/graft/ (1 GB), and another time goes on from there; the output of each step is
in build/graft/logs/. Installs what it needs (with apt-get; elsewhere it names what to install).

  --run             do it
  --source SOURCE   Open MPI's full source: a tarball, or a folder in which nothing has been configured
                    yet. Default: the source package of Debian 13, which is Open MPI 5.0
  --only WHICH      only one of the two builds
  --jobs N          compile N files at a time (default: the cores)
  --fresh           start over from the tarball
  --help            this text

Environment:
  NAPCOLL_DEBIAN_MIRROR   where Debian's source package comes from (default http://deb.debian.org/debian)
END
}

wrong_usage() {
    usage >&2
    exit 2
}

run=no
source=
modes=(static dso)
jobs=$(nproc)
fresh=no
while [ $# -gt 0 ]; do
    case $1 in
        --source | --only | --jobs)
            [ $# -ge 2 ] || wrong_usage
            case $1 in
                --source) source=$2 ;;
                --only) modes=("$2") ;;
                --jobs) jobs=$2 ;;
            esac
            shift
            ;;
        --run) run=yes ;;
        --fresh) fresh=yes ;;
        --help | -h)
            usage
            exit 0
            ;;
        *) wrong_usage ;;
    esac
    shift
done
[ "$run" = yes ] || wrong_usage
[[ "${modes[*]}" =~ ^(static dso|static|dso)$ ]] || napcoll_fail "--only wants static or dso"
[[ "$jobs" =~ ^[1-9][0-9]*$ ]] || napcoll_fail "--jobs wants a number"
[ -z "$source" ] || [ -e "$source" ] || napcoll_fail "there is no $source"

component=ompi/mca/coll/napcoll
# Not $NAPCOLL_BUILD: that may be where the tests of another Open MPI are built.
graft=$src/build/graft
tree=$graft/source
logs=$graft/logs

# What is the same in both builds: what they share is compiled once (ccache). Left out is what takes long
# or what this machine may have, so that the build is the same everywhere.
configure_options=(
    --with-pmix=internal --with-prrte=internal --with-devel-headers
    --enable-mpi-fortran=no --disable-oshmem --disable-io-romio --disable-sphinx
    --without-cuda --without-ofi --without-ucx
    CC=gcc CXX=g++ CFLAGS=-O1
)

# clean [NAME=VALUE...] COMMAND...: runs it without this user's settings, plugins and other Open MPI's,
# and with ccache for gcc.
clean() {
    local name settings=()
    for name in TERM TMPDIR http_proxy https_proxy no_proxy; do
        [ -z "${!name:-}" ] || settings+=("$name=${!name}")
    done
    env -i PATH="$graft/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin" HOME="$graft/home" \
        LANG=C.UTF-8 CCACHE_DIR="$graft/ccache" CCACHE_BASEDIR="$graft" CCACHE_NOHASHDIR=1 \
        "${settings[@]}" "$@"
}

# step NAME COMMAND...: a test that takes long. Its output is kept; sets `good` to whether it passed.
step() {
    local name=$1 start=$SECONDS before=$tap_failed
    shift
    napcoll_say "${name//_/ }"
    tap "$name" kept "$logs/$name.log" "$@"
    echo "# $((SECONDS - start)) s"
    good=no
    [ "$tap_failed" != "$before" ] || good=yes
}

kept() {
    local log=$1
    shift
    "$@" 2>&1 | tee "$log"
}

# --- the source ---

# With apt's check of the archive's signature, and apart from this machine's own lists.
fetch_source() {
    local apt=$graft/apt keyring=/usr/share/keyrings/debian-archive-keyring.gpg options
    rm -rf "$apt"
    mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial"
    touch "$apt/status"
    printf 'deb-src [signed-by=%s] %s trixie main\n' "$keyring" \
        "${NAPCOLL_DEBIAN_MIRROR:-http://deb.debian.org/debian}" >"$apt/sources.list"
    options=(
        -o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts=-
        -o Dir::State="$apt/state" -o Dir::State::Status="$apt/status" -o Dir::Cache="$apt/cache"
        -o APT::Sandbox::User="$(id -un)" -o APT::Update::Error-Mode=any -o Acquire::Retries=3
    )
    apt-get -q "${options[@]}" update
    cd "$apt"
    apt-get -q "${options[@]}" source --download-only openmpi
    mv openmpi_*.orig.tar.* "$graft"
    rm -rf "$apt"
}

# fetched: the name of what it has fetched, if it has.
fetched() {
    find "$graft" -maxdepth 1 -name 'openmpi_*.orig.tar.*'
}

unpack_source() {
    rm -rf "$tree" "$graft/static" "$graft/dso"
    mkdir "$tree"
    if [ -d "$source" ]; then
        cp -a "$source/." "$tree/"
    else
        tar -xf "$source" -C "$tree" --strip-components=1 --no-same-owner
    fi
    source_identity >"$graft/source.stamp"
}

source_identity() {
    stat -c '%n %s %Y' "$source"
}

# --- the graft ---

# Through the links Open MPI's autogen.pl must not write into our folder, which has a Makefile.in, too.
run_autogen() {
    rm -rf "$graft/static" "$graft/dso"
    "$src/autogen.pl" --graft "$tree" --link
    cd "$tree"
    clean AUTOMAKE_JOBS="$jobs" ./autogen.pl --force
    cp "$src/$component/configure.m4" "$graft/autogen.stamp"
}

# What builds have made in our own folder.
made_here() {
    (cd "$src/$component" &&
        find . -type f ! -name '*.[ch]' ! -name '*.m4' ! -name '*.txt' ! -name Makefile.am) | sort
}

# The Makefile.in knows the variables of our own configure.
nothing_is_made_here() {
    made_here | diff "$work/made-before" -
    grep -q '^napcoll_abs_srcdir = ' "$src/$component/Makefile.in"
}

# --- one build; MODE is static or dso ---

# The links have served configure; now the files.
put_component() {
    local options=()
    [ "$1" = dso ] || options=(--link)
    "$src/autogen.pl" --graft "$tree" "${options[@]}"
}

configure_build() {
    local mode=$1 dir=$graft/$1
    rm -rf "$dir"
    mkdir -p "$dir/build"
    cd "$dir/build"
    clean ../../source/configure --prefix="$dir/install" "${configure_options[@]}" \
        "--enable-mca-$mode=coll-napcoll"
    printf '%s\n' "${configure_options[@]}" >"$dir/configure.stamp"
}

is_configured() {
    printf '%s\n' "${configure_options[@]}" | cmp -s - "$graft/$1/configure.stamp"
}

# All of napcoll anew, for the compiler's words on it.
make_build() {
    clean make -C "$graft/$1/build/$component" clean
    clean make -C "$graft/$1/build" -j "$jobs"
}

install_build() {
    clean make -C "$graft/$1/build" -j "$jobs" install
}

configure_takes_napcoll() {
    local log=$logs/$1_is_configured.log
    grep -F 'MCA component coll:napcoll' "$log"
    grep -qxF 'checking if MCA component coll:napcoll can compile... yes' "$log"
    grep -qxF "checking for MCA component coll:napcoll compile mode... $1" "$log"
}

# The compiler's words on our files: "warning: ..." after a file or "In file included from" one.
make_has_no_complaint() {
    if grep -E 'napcoll.*(warning|error):' "$logs/$1_is_made.log"; then
        return 1
    fi
    [ -n "$(find "$graft/$1/build/$component" -name '*.lo')" ]
}

# The names that shared libraries define for others.
shared_names() {
    nm -D --defined-only "$@" | awk 'NF == 3 { print $3 }'
}

# The plugin shows the component's name alone. In libmpi, of which 5.0 shows every name, each of ours is
# known by its beginning.
napcoll_is_where_it_belongs() {
    local build=$graft/$1/build lib=$graft/$1/install/lib plugin
    plugin=$lib/openmpi/mca_coll_napcoll.so
    shared_names "$lib"/lib*mpi.so >"$work/names"
    if [ "$1" = dso ]; then
        [ "$(shared_names "$plugin")" = mca_coll_napcoll_component ]
        [ "$(grep -c napcoll "$work/names" || true)" = 0 ]
    else
        [ ! -e "$plugin" ]
        [ "$(grep -cx mca_coll_napcoll_component "$work/names")" = 1 ]
        nm --extern-only --defined-only "$build/$component/.libs/libmca_coll_napcoll.a" |
            awk 'NF == 3 { print $3 }' >"$work/names"
        [ "$(grep -cvE '^(mca_coll_)?napcoll_' "$work/names" || true)" = 0 ]
    fi
}

# The interface's version comes from the tree's coll.h, the component's own from our header.
ompi_info_lists_napcoll() {
    local api own
    api=$(sed -nE 's/^#define MCA_COLL_BASE_VERSION_([0-9]+)_([0-9]+)_([0-9]+)( .*)?$/\1.\2.\3/p' \
        "$tree/ompi/mca/coll/coll.h")
    own=$(sed -nE 's/^#define NAPCOLL_(MAJOR|MINOR|RELEASE)_VERSION +([0-9]+)$/\2/p' \
        "$src/$component/coll_napcoll.h" | paste -sd .)
    clean "$graft/$1/install/bin/ompi_info" --param coll napcoll --level 9 >"$work/info"
    cat "$work/info"
    grep -qE "^ *MCA coll: napcoll \(MCA v[0-9.]+, API v$api, Component v$own\)" "$work/info"
    grep -q '"coll_napcoll_allreduce_algorithm" (current value: "auto"' "$work/info"
}

help_is_installed() {
    cmp "$src/$component/help-coll-napcoll.txt" \
        "$graft/$1/install/share/openmpi/help-coll-napcoll.txt"
}

# What `make dist` there would take: all our files, as files, and the Makefile.in.
dist_has_every_source() {
    rm -rf "$work/dist"
    mkdir "$work/dist"
    clean make -C "$graft/$1/build/$component" distdir distdir="$work/dist" top_distdir="$work/dist"
    {
        echo ./Makefile.in
        cd "$src/$component"
        find . -type f \( -name '*.[ch]' -o -name '*.m4' -o -name Makefile.am -o -name '*.txt' \)
    } | sort >"$work/want"
    (cd "$work/dist" && find . -type f | sort) | diff "$work/want" -
}

# Each source with a main is a program; the others are parts of collectives.
compile_programs() {
    local mode=$1 file name dir=$graft/$1/tests mains parts sources
    rm -rf "$dir"
    mkdir "$dir"
    mapfile -t mains < <(grep -l '^int main(' "$src"/tests/mpi/*.c)
    mapfile -t parts < <(grep -L '^int main(' "$src"/tests/mpi/*.c)
    for file in "${mains[@]}"; do
        name=${file##*/}
        sources=("$file")
        [ "$name" != collectives.c ] || sources+=("${parts[@]}")
        clean "$graft/$mode/install/bin/mpicc" -O1 -I "$src/tests/mpi" -o "$dir/${name%.c}" "${sources[@]}" \
            -pthread -lm
        # Another Open MPI of this machine has libraries of the same names.
        ldd "$dir/${name%.c}" | grep -F " => $graft/$mode/install/lib/libmpi.so"
    done
}

# suite MODE NAME PATTERN: tests/mpi/NAME.sh with the Open MPI of that build alone.
suite_limit=1800
suite() {
    # The pattern may be one of bash's extended ones.
    clean PATH="$graft/$1/install/bin:/usr/bin:/bin" BASHOPTS=extglob \
        NAPCOLL_BUILD="$graft/$1" NAPCOLL_MPI_TESTS="$graft/$1/tests" \
        timeout --kill-after=20 "$suite_limit" "$src/tests/mpi/$2.sh" "$3" </dev/null
}

# The cases that need no emulated cluster, nor many GiB, nor this machine's valgrind; each is one test
# here. The programs see by napcoll's counters whether it is napcoll that they test.
run_suites() {
    local mode=$1 name rc=0 log=$logs/$1_suites.log start=$SECONDS
    : >"$log"
    for name in placements algorithms settings life; do
        napcoll_say "$mode: tests/mpi/$name.sh"
        suite "$mode" "$name" '!(*netlab*|selection*|full_shm*)' >>"$log" 2>&1 || rc=$?
    done
    awk -v mode="$mode" -v number="$tap_number" '
        /^(not )?ok / {
            line = $0
            sub(/^(not )?ok [0-9]+ - /, "", line)
            name = line
            sub(/(:| # SKIP) .*/, "", name)
            if (!(name in checks)) order[++cases] = name
            checks[name]++
            if (/ # SKIP /) skipped[name]++
            if (/^not /) bad[name] = bad[name] "#   not ok: " line "\n"
        }
        /^#/ && (name in bad) { bad[name] = bad[name] $0 "\n" }
        END {
            for (i = 1; i <= cases; i++) {
                name = order[i]
                printf "%sok %d - %s_%s", (name in bad) ? "not " : "", ++number, mode, name
                if (skipped[name] == checks[name]) printf " # SKIP on this machine"
                else if (checks[name] > 1) printf " (%d checks)", checks[name]
                printf "\n%s", bad[name]
            }
        }' "$log" | tee "$work/cases"
    tap_number=$((tap_number + $(grep -cE '^(not )?ok ' "$work/cases" || true)))
    tap_failed=$((tap_failed + $(grep -c '^not ok ' "$work/cases" || true)))
    skipped=$((skipped + $(grep -c ' # SKIP ' "$work/cases" || true)))
    tap "${mode}_suites_run_to_their_end" suites_ended "$log" "$rc"
    echo "# $((SECONDS - start)) s"
}

suites_ended() {
    local complaint
    complaint=$(napcoll_count_tap "$1" "$2" "$suite_limit" | sed -n 2p)
    if [ -n "$complaint" ]; then
        tail -n 20 "$1"
        echo "one of the suites $complaint (their output is in $1)"
        return 1
    fi
    grep -qE '^(not )?ok .* nap_6_block: ' "$1"
}

# The other way into the same Open MPI: built outside its tree, against what it has installed. It takes
# the place of the plugin until the next `make install` there.
build_outside() {
    local prefix=$graft/dso/install dir=$graft/dso/outside
    rm -rf "$dir"
    mkdir "$dir"
    cd "$dir"
    clean "$src/configure" --prefix="$dir/install" --with-openmpi="$prefix" CC=gcc
    clean make -j "$jobs"
    clean make install
    cmp "$component/.libs/mca_coll_napcoll.so" "$prefix/lib/openmpi/mca_coll_napcoll.so"
}

test_build() {
    local mode=$1
    put_component "$mode" >"$logs/${mode}_graft.log"
    if ! is_configured "$mode"; then
        step "${mode}_is_configured" configure_build "$mode"
        [ "$good" = yes ] || return 0
    fi
    tap "${mode}_configure_takes_napcoll" configure_takes_napcoll "$mode"
    step "${mode}_is_made" make_build "$mode"
    [ "$good" = yes ] || return 0
    tap "${mode}_make_has_no_complaint" make_has_no_complaint "$mode"
    step "${mode}_is_installed" install_build "$mode"
    [ "$good" = yes ] || return 0
    tap "${mode}_napcoll_is_where_it_belongs" napcoll_is_where_it_belongs "$mode"
    tap "${mode}_ompi_info_lists_napcoll" ompi_info_lists_napcoll "$mode"
    tap "${mode}_help_is_installed" help_is_installed "$mode"
    tap "${mode}_dist_has_every_source" dist_has_every_source "$mode"
    step "${mode}_programs_compile" compile_programs "$mode"
    [ "$good" = yes ] || return 0
    run_suites "$mode"
    if [ "$mode" = dso ]; then
        step dso_built_outside build_outside
        [ "$good" = no ] || tap dso_built_outside_runs suite dso placements nap_6_block
    fi
}

test_all() {
    local mode
    if [ -z "$source" ]; then
        if [ -z "$(fetched)" ]; then
            step source_is_fetched fetch_source
            [ "$good" = yes ] || return 0
        fi
        source=$(fetched)
    fi
    source=$(realpath "$source")
    if [ "$(cat "$graft/source.stamp" 2>/dev/null)" != "$(source_identity)" ]; then
        rm -f "$graft/source.stamp" "$graft/autogen.stamp"
        step source_is_unpacked unpack_source
        [ "$good" = yes ] || return 0
    fi

    made_here >"$work/made-before"
    # Of changes in a Makefile.am make itself takes care; configure.m4's change configure.
    if ! cmp -s "$src/$component/configure.m4" "$graft/autogen.stamp"; then
        rm -f "$graft/autogen.stamp"
        step autogen_runs run_autogen
        [ "$good" = yes ] || return 0
    fi
    for mode in "${modes[@]}"; do
        test_build "$mode"
    done
    tap nothing_is_made_through_the_links nothing_is_made_here
}

# The whole, with the counts that tests/run.sh would show.
run_tests() {
    good=yes
    skipped=0
    test_all
    tap_plan "$tap_number"
    echo "$((tap_number - tap_failed - skipped)) passed, $tap_failed failed, $skipped skipped"
    tap_end
}

needs=(
    "gcc            program:gcc"
    "g++            program:g++"
    "libc6-dev      header:stdlib.h"
    "binutils       program:nm"
    "make           program:make"
    "autoconf       program:autoconf"
    "automake       program:automake"
    "libtool        program:libtoolize"
    "flex           program:flex"
    "perl           program:perl"
    "patch          program:patch"
    "xz-utils       program:xz"
    "ccache         program:ccache"
    "libhwloc-dev   module:hwloc"
    "libevent-dev   module:libevent_pthreads"
    "zlib1g-dev     header:zlib.h"
)
if [ -z "$source" ]; then
    command -v apt-get >/dev/null ||
        napcoll_fail "there is no apt-get to get Debian's source package; name a tarball with --source"
    needs+=("debian-archive-keyring file:/usr/share/keyrings/debian-archive-keyring.gpg")
fi
napcoll_packages "pkg-config program:pkg-config"
napcoll_packages "${needs[@]}"

mkdir -p "$graft"
if [ "$fresh" = yes ]; then
    find "$graft" -mindepth 1 -maxdepth 1 ! -name ccache ! -name '*.tar.*' -exec rm -rf {} +
fi
mkdir -p "$graft/bin" "$graft/home" "$logs"
napcoll_autogen
for compiler in gcc g++; do
    ln -sf "$(command -v ccache)" "$graft/bin/$compiler"
done
# One pipeline, so that the log is complete when the script ends.
run_tests 2>&1 | tee "$logs/graft.log"
