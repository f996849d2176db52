#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# The commands of README.md, the user's guide and the tuning guide do what a reader expects: pasted as they stand, one
# after the other into one shell, each ends with status 0.
#
# A command is a line of a block that begins with ```sh. Indented lines are output, or lines of files.

set -euo pipefail

# shellcheck source=tests/build/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

usage() {
    cat <<'END_USAGE'
Usage: tests/build/readme.sh [--all]

Runs the commands of README.md and of the guides with the build folder (NAPCOLL_BUILD, else build/), in a scratch
folder and with a scratch home; prints TAP.

NAPCOLL_BRIEF=yes leaves out the guides and quickstart.sh (run.sh --brief).

  --all    in the source folder and the home as they are, also the commands that install packages or napcoll, and
           those that measure for more than a few seconds; for a fresh Debian. Shows what each command prints.
END_USAGE
}
all=no
if [ "${1:-}" = --all ]; then
    all=yes
    shift
fi
only_help "$@"

brief=${NAPCOLL_BRIEF:-no}
documents=(README.md docs/user-guide.md docs/tuning-guide.md)
[ "$brief" = no ] || documents=(README.md)

# commands DOCUMENT: those in its blocks.
commands() {
    awk '/^```sh$/ { inside = 1; next }
        /^```/ { inside = 0 }
        inside && NF' "$src/$1"
}

# indented DOCUMENT: what stands as output.
indented() {
    sed -n 's/^    //p' "$src/$1"
}

# Otherwise a command that stands as output would not be run.
output_has_no_command() {
    local document
    for document in "${documents[@]}"; do
        [ "$(commands "$document" | wc -l)" -gt 2 ]
        (! indented "$document" |
            grep -E '^([A-Za-z_]+=[^ ]* )*(mpirun|srun|netlab|napcoll-[a-z]+|collbench|make|cat|cd|\.|[a-z./]*/[a-z./-]+)( |$)')
    done
}

# reason COMMAND: why it is not run, if it is not.
reason() {
    case $all:$1 in
        *' srun '*) echo 'it needs Slurm; tests/mpi/slurm.sh runs it' ;;
        no:*quickstart.sh* | no:*autogen.pl* | no:mkdir*build | no:*configure* | no:make*)
            echo 'it builds or installs'
            ;;
        no:*napcoll-tune*) echo 'it takes a minute' ;;
    esac
}

# provide COMMAND: the files that a reader has and the command names, or that a command which is not run leaves.
provide() {
    case $1 in
        *./app*) [ -x app ] || mpicc -o app "$work/app.c" ;;
        *measured.csv*) [ -f measured.csv ] || cp "$work/measured.csv" . ;;
        *napcoll-tune*) ;;
        *napcoll.conf*) [ -f napcoll.conf ] || cp "$src/ompi/tools/napcoll/machines/netlab.conf" napcoll.conf ;;
    esac
}

cat >"$work/app.c" <<'END_APP'
#include <mpi.h>

int main(int argc, char **argv)
{
    double sum = 1;

    MPI_Init(&argc, &argv);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(&sum, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
END_APP
cat >"$work/measured.csv" <<'END_CSV'
coll,nodes,ppn,bytes,contestant,samples,median_us,p05_us,p95_us,ratio,ran
allreduce,8,8,8,napcoll:nap,21,400.0,390.0,420.0,1.0000,"nap"
allreduce,8,8,8,tuned,21,900.0,880.0,930.0,2.2500,"tuned"
END_CSV

# become_reader: in a shell that has set nothing for Open MPI, in a folder from which the paths of README lead to the
# source and the build folder.
become_reader() {
    local name
    for name in "${!OMPI_@}" "${!PRTE_@}" "${!PMIX_@}" "${!NAPCOLL_@}"; do
        unset "$name"
    done
    if [ "$all" = yes ]; then
        cd "$src"
        return
    fi
    mkdir "$work/home" "$work/tree"
    export HOME=$work/home
    ln -s "$src"/{config,examples,ompi,tests} "$work/tree"
    ln -s "$build" "$work/tree/build"
    cd "$work/tree"
    # Where quickstart.sh is not run.
    PATH=$(tr : '\n' <<<"$PATH" | grep -vxF "$build/bin" | paste -s -d :)
}

# paste_line COMMAND: runs it in this shell, as a reader does.
paste_line() {
    local start=$SECONDS
    set +eu
    eval "$1" >"$work/tap.out" 2>&1 </dev/null
    rc=$?
    set -eu
    took=$((SECONDS - start))
}

# walk DOCUMENT: one test for each command.
walk() {
    local command why rc took
    while IFS= read -r command <&3; do
        why=$(reason "$command")
        if [ -n "$why" ]; then
            echo "# not run: $command: $why"
            continue
        fi
        provide "$command"
        paste_line "$command"
        tap_report "$1: ${command%% #*}" '' "$command"
        [ "$all" = no ] || { echo "# $took s" && sed 's/^/#   /' "$work/tap.out"; }
    done 3< <(commands "$1")
}

# tune_lines_are_understood: a single process is too few for what is to be measured, and takes no time to say so.
tune_lines_are_understood() {
    local document line seen=0
    for document in "${documents[@]}"; do
        while IFS= read -r line; do
            echo "$line"
            eval "refuses 'all processes are on one node' napcoll-tune ${line#*napcoll-tune }"
            seen=$((seen + 1))
        done < <(commands "$document" | sed 's, #.*,,' | grep napcoll-tune)
    done
    [ "$seen" -gt 0 ]
}

# The build folder is made already.
quickstart_ends_with_the_ratio() {
    examples/quickstart.sh --time-limit $((4 * patience)) >"$work/quickstart"
    cat "$work/quickstart"
    grep -E '^ +8  tuned .* tuned$' "$work/quickstart"
    grep -E '^ +8  napcoll .* nap$' "$work/quickstart" ||
        grep -E '^napcoll took ([a-z_]+), not nap: .* expects [0-9.]+ ms with \1 and [0-9.]+ ms with nap\.$' \
            "$work/quickstart"
    tail -n 1 "$work/quickstart" | grep -E ' takes [0-9.]+ of the time of tuned and [0-9.]+ of the time of han\.$'
}

[ -f "$build/env.sh" ] || [ "$all" = yes ] || tap_skip_all "no build in $build"
tests=1
for document in "${documents[@]}"; do
    while IFS= read -r line; do
        [ -n "$(reason "$line")" ] || tests=$((tests + 1))
    done < <(commands "$document")
done
[ "$all" = yes ] || tests=$((tests + 1))
[ "$all$brief" != nono ] || tests=$((tests + 1))
tap_plan "$tests"
tap output_has_no_command output_has_no_command
become_reader
for document in "${documents[@]}"; do
    walk "$document"
done
[ "$all" = yes ] || tap tune_lines_are_understood tune_lines_are_understood
[ "$all$brief" != nono ] || tap_timed quickstart_ends_with_the_ratio quickstart_ends_with_the_ratio
tap_end
