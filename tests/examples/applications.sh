#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# The applications among the examples: right results by both components for sizes that can and cannot be divided, and
# what they say of components that are missing and of bad arguments. They check their results themselves. What they
# measure is not judged here.

set -euo pipefail

# shellcheck source=tests/build/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../build/tap.sh"
# shellcheck source=config/setup.sh
. "$src/config/setup.sh"

usage() {
    echo "Usage: tests/examples/applications.sh"
    echo
    echo "Runs the applications of the build folder (NAPCOLL_BUILD, else build/); prints TAP."
}
only_help "$@"

[ -x "$build/examples/transitive_closure" ] || tap_skip_all "no build in $build"
# shellcheck source=/dev/null
. "$build/env.sh"
napcoll_mpirun_settings
netlab=$src/tests/netlab/netlab

# job COMPONENTS NP PROGRAM ARGUMENT...: on this node alone, without what looks for networks.
job() {
    timeout 60 mpirun --mca btl ^ofi,uct,openib --mca btl_tcp_if_include lo --mca coll "$1" -np "$2" \
        "${fake[@]}" "$build/examples/$3" "${@:4}"
}
fake=()

# [peer=COMPONENT calls=WORDS] both NP PPN PROGRAM ARGUMENT...: on this node taken for several; both components are measured,
# and napcoll has carried out all of its share. The output is left in $work/out.
both() {
    local np=$1
    fake=(--mca coll_napcoll_fake_ppn "$2")
    job napcoll,tuned,basic,libnbc,self,inter "$np" "${@:3}" --turns 2 >"$work/out"
    fake=()
    cat "$work/out"
    measured "${peer:-tuned}" "${calls:-all-to-alls}"
}

# measured [PEER [CALLS]]
measured() {
    grep -E '^ +napcoll +[0-9.]+ +[0-9.]+ +1\.000$' "$work/out"
    grep -E "^ +${1:-tuned} +[0-9.]+ +[0-9.]+ +[0-9.]+\$" "$work/out"
    grep -E "^napcoll carried out ([0-9]+) of the \1 ${2:-all-to-alls}" "$work/out"
}

# The sums of several turns are as many as napcoll has counted.
cg_solves_its_equations() {
    peer=tuned calls=allreduces both 8 4 cg --cells 5
    grep -x 'cg: 5 x 5 x 5 cells on each of 8 processes' "$work/out"
    peer=tuned calls=allreduces both 7 3,2,2 cg --cells 1
}

pipeline_sums_all_layers() {
    peer=libnbc calls='nonblocking allreduces' both 8 4 pipeline --layers 5 --count 700 --work 3
    peer=libnbc calls='nonblocking allreduces' both 7 3,2,2 pipeline --layers 1 --count 1 --work 0
}

halo_keeps_its_form() {
    local call
    for call in alltoall alltoallv alltoallw; do
        peer=basic calls='neighbourhood all-to-alls' both 8 4 halo3d --cells 3 --steps 5 --call "$call"
        grep -F " processes, MPI_Neighbor_$call" "$work/out"
    done
    # a row of processes: two neighbours, the others are missing
    peer=basic calls='neighbourhood all-to-alls' both 7 3,2,2 halo3d --cells 2 --steps 3
    grep -F 'of 7 x 1 x 1 processes' "$work/out"
}

products_are_right() {
    local matrix
    for matrix in stencil power; do
        peer=basic calls='neighbourhood all-to-alls' both 8 4 spmv --cells 4 --steps 3 --matrix "$matrix"
        grep -x "spmv: $matrix, 64 rows on each of 8 processes, which have up to [1-7] neighbours" "$work/out"
    done
    grep 'which have up to 7 neighbours' "$work/out"
    # a row has more neighbours than columns
    peer=basic calls='neighbourhood all-to-alls' both 7 3,2,2 spmv --cells 1 --steps 3
}

# Nothing is sent by one process alone.
new_applications_run_on_one() {
    local program
    for program in cg halo3d pipeline spmv; do
        job napcoll,tuned,basic,libnbc,self,inter 1 "$program" --turns 1 >"$work/out"
        cat "$work/out"
        grep '^all results are right; medians of 1 turns' "$work/out"
    done
}

new_applications_refuse_bad_options() {
    local program
    for program in cg halo3d pipeline spmv; do
        timeout 20 "$build/examples/$program" --help | grep -F "mpirun ... $program"
        refuses "$program: --bogus" timeout 20 "$build/examples/$program" --bogus
        refuses "$program: --turns 0" timeout 20 "$build/examples/$program" --turns 0
    done
    refuses 'spmv: --matrix bogus: expected stencil or power' timeout 20 "$build/examples/spmv" --matrix bogus
    refuses 'halo3d: --call bogus: expected alltoall, alltoallv or alltoallw' timeout 20 "$build/examples/halo3d" --call bogus
}

fft_takes_alltoall_where_it_can() {
    both 8 4 fft2d --rows 32 --columns 48
    grep -x 'fft2d: 32 x 48 complex numbers on 8 processes, MPI_Alltoall' "$work/out"
    both 8 4 fft2d --rows 32 --columns 48 --alltoallv
    grep -x 'fft2d: 32 x 48 complex numbers on 8 processes, MPI_Alltoallv' "$work/out"
}

fft_divides_what_cannot_be_divided() {
    both 7 3,2,2 fft2d --rows 30 --columns 45
    grep MPI_Alltoallv "$work/out"
    # The rows alone can be.
    both 8 3,5 fft2d --rows 16 --columns 27
    grep MPI_Alltoallv "$work/out"
}

fft_has_processes_without_rows() {
    both 7 4,3 fft2d --rows 5 --columns 40
}

# napcoll leaves one process alone.
on_few() {
    job napcoll,tuned 1 "$@" --turns 2 >"$work/out"
    cat "$work/out"
    grep '^napcoll carried out 0 of the ' "$work/out"
    job napcoll,tuned 2 "$@" --turns 2
}

closure_is_that_of_a_search() {
    local text
    both 8 4 transitive_closure --vertices 200 --edges 300
    text=$(grep ' pairs after ' "$work/out")
    # The graph and its closure depend on the options and on nothing else.
    both 7 3,2,2 transitive_closure --vertices 200 --edges 300
    grep -xF "$text" "$work/out"
    "$build/examples/transitive_closure" --vertices 200 --edges 300 --seed 2 >"$work/out"
    refuses '' grep -xF "$text" "$work/out"
}

closure_has_processes_without_edges() {
    both 8 3,5 transitive_closure --vertices 3 --edges 2
    both 7 4,3 transitive_closure --vertices 50 --edges 0
    grep '^0 pairs after 0 rounds' "$work/out"
}

# on_netlab PROGRAM ARGUMENT...: 6 processes on 3 nodes.
on_netlab() {
    "$netlab" --nodes 3 --ppn 2 --latency 100us -- timeout 60 \
        mpirun -np 6 --mca coll napcoll,tuned "$build/examples/$1" "${@:2}" --turns 2 >"$work/out"
    cat "$work/out"
    measured
}

missing_components_are_named() {
    job tuned,basic,libnbc,self,inter 2 "$@" --turns 1 >"$work/out"
    cat "$work/out"
    grep '^napcoll is not there' "$work/out"
    grep -E '^ +tuned ' "$work/out"
    job basic,libnbc,self,inter 2 "$@" --turns 1 >"$work/out"
    cat "$work/out"
    grep '^tuned is not there' "$work/out"
    grep -E '^ +this MPI ' "$work/out"
}

# bad_options_are_refused PROGRAM OPTION VALUE. Without mpirun it is one process.
bad_options_are_refused() {
    timeout 20 "$build/examples/$1" --help | grep "^usage: mpirun ... $1 "
    timeout 20 "$build/examples/$1" -h | grep "^usage: mpirun ... $1 "
    refuses "$1: --bogus is not an option; see --help" job napcoll,tuned 2 "$1" --bogus
    refuses "$1: --turns needs a value" timeout 20 "$build/examples/$1" --turns
    refuses "$1: $2 $3: expected a whole number" timeout 20 "$build/examples/$1" "$2" "$3"
}

too_large_slabs_are_refused() {
    refuses 'a slab would have more than' timeout 20 "$build/examples/fft2d" --rows 100000 --columns 100000
}

# if_built PROGRAM NAME COMMAND...: one test, where the build has the program.
if_built() {
    if [ -x "$build/examples/$1" ]; then
        tap "${@:2}"
    else
        tap_number=$((tap_number + 1))
        echo "ok $tap_number - $2 # SKIP $1 is not built (no FFTW)"
    fi
}

# if_netlab PROGRAM NAME COMMAND...: the same, where netlab can run.
if_netlab() {
    if [ "$have_netlab" = yes ]; then
        if_built "$@"
    else
        tap_number=$((tap_number + 1))
        echo "ok $tap_number - $2 # SKIP netlab cannot run here"
    fi
}

have_netlab=no
"$netlab" --nodes 1 --ppn 1 -- true >/dev/null 2>&1 && have_netlab=yes
# With other versions of Open MPI (run.sh --brief) only what meets it: how slabs and edges are dealt out, and what is
# said of options, is the programs' own.
if [ "${NAPCOLL_BRIEF:-no}" = yes ]; then
    tap_plan 9
    if_built fft2d fft_takes_alltoall_where_it_can fft_takes_alltoall_where_it_can
    if_built fft2d fft_names_missing_components missing_components_are_named fft2d --rows 8 --columns 8
    if_netlab fft2d fft_runs_on_netlab on_netlab fft2d --rows 24 --columns 20
    tap closure_is_that_of_a_search closure_is_that_of_a_search
    tap closure_runs_on_few on_few transitive_closure --vertices 100 --edges 150
    if_netlab transitive_closure closure_runs_on_netlab on_netlab transitive_closure --vertices 60 --edges 90
    for name in cg_solves_its_equations pipeline_sums_all_layers new_applications_run_on_one; do
        tap "$name" "$name"
    done
    tap_end
    exit
fi
tap_plan 20
for name in cg_solves_its_equations pipeline_sums_all_layers halo_keeps_its_form products_are_right \
    new_applications_run_on_one new_applications_refuse_bad_options; do
    tap "$name" "$name"
done
for name in fft_takes_alltoall_where_it_can fft_divides_what_cannot_be_divided \
    fft_has_processes_without_rows too_large_slabs_are_refused; do
    if_built fft2d "$name" "$name"
done
if_built fft2d fft_runs_on_few on_few fft2d --rows 12 --columns 35
if_built fft2d fft_names_missing_components missing_components_are_named fft2d --rows 8 --columns 8
if_built fft2d fft_refuses_bad_options bad_options_are_refused fft2d --rows 7x
if_netlab fft2d fft_runs_on_netlab on_netlab fft2d --rows 24 --columns 20
tap closure_is_that_of_a_search closure_is_that_of_a_search
tap closure_has_processes_without_edges closure_has_processes_without_edges
tap closure_runs_on_few on_few transitive_closure --vertices 100 --edges 150
tap closure_names_missing_components missing_components_are_named transitive_closure --vertices 50 --edges 60
tap closure_refuses_bad_options bad_options_are_refused transitive_closure --vertices 0
if_netlab transitive_closure closure_runs_on_netlab on_netlab transitive_closure --vertices 60 --edges 90
tap_end
