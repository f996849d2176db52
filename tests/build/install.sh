#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# What `make install` leaves where, that Open MPI finds it there, and that `make uninstall` takes all of
# it away again; and that the build folder works as it is (env.sh).

set -euo pipefail

# shellcheck source=tests/build/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

usage() {
    cat <<'END'
Usage: tests/build/install.sh

Installs from the build folder (NAPCOLL_BUILD, else build/) into a scratch folder and for a user whose
home is a scratch folder; prints TAP.
END
}
only_help "$@"

# shellcheck source=config/setup.sh
. "$src/config/setup.sh"
napcoll_mpirun_settings

[ -f "$build/config.status" ] || tap_skip_all "no build in $build"

unset OMPI_MCA_mca_base_component_path NAPCOLL_BUILD DESTDIR
plugins=$(ompi_info --parsable --path pkglibdir | sed -n 's/^path:pkglibdir://p')
helps=$(ompi_info --parsable --path pkgdatadir | sed -n 's/^path:pkgdatadir://p')

finds_napcoll() {
    "$@" ompi_info --parsable --level 9 --param coll napcoll | grep 'mca:coll:napcoll:'
}

nothing_in() {
    cat "$1"
    [ ! -s "$1" ]
}

staged_install_goes_to_open_mpi() {
    make -s -C "$build" install DESTDIR="$work/stage"
    ls -l "$work/stage$plugins/mca_coll_napcoll.so" "$work/stage$helps/help-coll-napcoll.txt"
    find "$work/stage" -path '*/bin/napcoll-plan' | grep .
    find "$work/stage" -path '*/bin/collbench' | grep .
    find "$work/stage" -path '*/bin/napcoll-tune' | grep .
    find "$work/stage" -path '*/man1/napcoll-tune.1' | grep .
    find "$work/stage" -path '*/share/napcoll/machines/netlab.conf' | grep .
    find "$work/stage" -name '*.la' -o -name '*test*' >"$work/extra"
    nothing_in "$work/extra"
    for tool in collbench napcoll-plan napcoll-tune netlab; do
        grep -q _napcoll "$(find "$work/stage" -path "*/share/bash-completion/completions/$tool" | grep .)"
    done
}

# An installation that was moved finds its machine files beside it.
installed_napcoll_plan_finds_machines() {
    (
        unset NAPCOLL_MACHINES
        "$(find "$work/stage" -path '*/bin/napcoll-plan')" simulate --machine bluewaters.conf \
            --nodes 8 --ppn 16 --closed-form --csv -
    ) | grep '^allreduce,nap,8,16,8,8.31'
}

staged_component_loads() {
    finds_napcoll env OMPI_MCA_mca_base_component_path="$work/stage$plugins:$plugins"
}

uninstall_leaves_nothing() {
    make -s -C "$build" uninstall DESTDIR="$work/stage"
    find "$work/stage" -not -type d -o -name '*napcoll*' -o -name machines >"$work/left"
    nothing_in "$work/left"
}

# A home folder of its own stands for a user; Open MPI looks into ~/.openmpi/components by itself. No object of the
# component depends on where it is to be installed: the build folder's need not be compiled again.
user_install_is_found_without_settings() {
    mkdir -p "$work/home" "$work/user"
    cd "$work/user"
    HOME=$work/home "$src/configure" CFLAGS=-O0 --enable-user-install >configure.out
    (cd "$build" && find ompi/mca -name '*.lo' -o -name '*.o' -o -name .dirstamp) >objects
    tar -C "$build" -cf - -T objects | tar -xf -
    HOME=$work/home make -s -j 2 install >install.out 2>&1 || { cat install.out && return 1; }
    # libtool's notice on linking would mislead.
    grep -F 'Libraries have been installed' install.out >"$work/extra" || true
    nothing_in "$work/extra"
    ls -l "$work/home/.openmpi/components/mca_coll_napcoll.so" \
        "$work/home/.openmpi/components/help-coll-napcoll.txt" "$work/home/.local/bin/napcoll-plan"
    finds_napcoll env HOME="$work/home"
}

# ranks_have_napcoll COMMAND...: those that mpirun starts, and not only ompi_info. The program sees by
# napcoll's counters who reduced.
ranks_have_napcoll() {
    "$@" mpirun --mca btl ^ofi,uct,openib --mca btl_tcp_if_include lo -np 4 --mca coll napcoll,tuned \
        --mca coll_napcoll_fake_ppn 2 "$build/tests/mpi/selection" --expect runs
}

user_install_reaches_the_ranks() {
    ranks_have_napcoll env HOME="$work/home" PMIX_MCA_mca_base_param_files=none
}

# Where they find it only with that variable, configure has said so.
hidden_plugins_are_reported() {
    local found=yes said=no
    (unset PMIX_MCA_mca_base_param_files && ranks_have_napcoll env HOME="$work/home") || found=no
    grep PMIX_MCA_mca_base_param_files=none "$work/user/configure.out" && said=yes
    echo "found without: $found, said: $said"
    [ "$found" != "$said" ]
}

env_reaches_the_ranks() {
    (
        unset "${!PMIX_MCA_@}"
        # shellcheck source=/dev/null
        . "$build/env.sh"
        ranks_have_napcoll env
    )
}

user_uninstall_leaves_nothing() {
    HOME=$work/home make -s -C "$work/user" uninstall
    find "$work/home" -not -type d -o -name '*napcoll*' -o -name components >"$work/left"
    nothing_in "$work/left"
}

# Sourced twice in the shell $1: the variables are set once, and Open MPI finds the component.
env_works_in() {
    # shellcheck disable=SC2016
    "$1" -c '
        set -eu
        . "$1/env.sh"
        first=$PATH:$OMPI_MCA_mca_base_component_path:$MANPATH
        . "$1/env.sh"
        [ "$first" = "$PATH:$OMPI_MCA_mca_base_component_path:$MANPATH" ]
        [ "$NAPCOLL_BUILD" = "$(cd "$1" && pwd -P)" ]
        command -v napcoll-plan napcoll-tune collbench netlab
        ompi_info --parsable --level 9 --param coll napcoll | grep mca:coll:napcoll:
    ' "$1" "$build"
}

# Open MPI finds this user's plugin by itself. tests/packages.sh loads modules that must lead to theirs.
modules_name_the_installation() {
    cd "$work/user/contrib"
    grep -xF "prepend-path PATH {$work/home/.local/bin}" modulefile
    grep -xF "prepend-path MANPATH {$work/home/.local/share/man}" modulefile
    grep -xF "prepend_path(\"PATH\", \"$work/home/.local/bin\")" napcoll.lua
    grep -xF "prepend_path(\"MANPATH\", \"$work/home/.local/share/man\")" napcoll.lua
    grep -B 1 OMPI_MCA_mca_base_component_path modulefile | grep -xF 'foreach folder {} {'
    grep -B 1 OMPI_MCA_mca_base_component_path napcoll.lua | grep -F 'in ("")'
}

# Emulated nodes run them directly: a script of libtool's would relink or look for its folder.
tools_are_programs() {
    local tool
    for tool in napcoll-plan napcoll-tune collbench; do
        [ "$(head -c 4 "$build/bin/$tool" | od -An -c | tr -d ' ')" = '177ELF' ]
    done
}

tap_plan 13
tap install_goes_to_the_plugin_folder staged_install_goes_to_open_mpi
tap installed_component_is_found staged_component_loads
tap installed_napcoll_plan_finds_machines installed_napcoll_plan_finds_machines
tap uninstall_leaves_nothing uninstall_leaves_nothing
tap user_install_is_found_without_settings user_install_is_found_without_settings
tap modules_name_the_installation modules_name_the_installation
tap user_install_reaches_the_ranks user_install_reaches_the_ranks
tap plugins_hidden_by_pmix_are_reported hidden_plugins_are_reported
tap user_uninstall_leaves_nothing user_uninstall_leaves_nothing
tap env_works_in_sh env_works_in sh
tap env_works_in_bash env_works_in bash
tap env_reaches_the_ranks env_reaches_the_ranks
tap tools_are_programs tools_are_programs
tap_end
