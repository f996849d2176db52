# shellcheck shell=bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# How a plain mpirun is led onto the emulated nodes: what the launchers of all versions of Open MPI
# have in common, and which of them is at hand.  Read by netlab-inside.
#
# A launcher is a file launch-NAME.sh with a function
#
#     netlab_launcher AGENT DIR MAP      (standard input: the node of every rank, one per line)
#
#   AGENT  the program that runs a command on a node
#   DIR    a folder for files of ours, and for session directories (DIR/tmp)
#   MAP    block: give nodes and slots; otherwise: give the node of every rank
#
# It exports parameters as environment variables, with netlab_default: what the user has set in a
# variable wins, and what stands on mpirun's command line wins over both.

# netlab_default VALUE VARIABLE...: sets all of the variables, which are names of one thing, unless
# the user has set any of them.
netlab_default()
{
    local value=$1 name

    shift
    for name in "$@"; do
        [ -z "${!name+set}" ] || return 0
    done
    for name in "$@"; do
        export "$name=$value"
    done
}

# Writes the host file (see netlab_launcher) from standard input.
netlab_hostfile()
{
    local dir=$1 map=$2 slots node

    if [ "$map" = block ]; then
        uniq -c | while read -r slots node; do
            echo "$node slots=$slots"
        done
    else
        # The "seq" mapper reads one line per rank, in order, and ignores those left over.
        cat
    fi >"$dir/hostfile"
}

# Parameters of the MPI library, which are the launcher's business only in that it passes them on.
#   $1  the transport inside a node
netlab_library()
{
    netlab_default ob1 OMPI_MCA_pml
    netlab_default "self,$1,tcp" OMPI_MCA_btl
    netlab_default eth0 OMPI_MCA_btl_tcp_if_include
    # Many ranks share few cores: they give them away while they wait, and ask the kernel for news
    # of all their connections in one call, whatever their number.
    netlab_default 1 OMPI_MCA_mpi_yield_when_idle
    netlab_default epoll OMPI_MCA_opal_event_include
    if [ "$(id -u)" = 0 ]; then
        export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    fi
}

# netlab_find_launcher COMMAND: sets mpirun to what mpirun says it is (empty if there is none), and
# launcher to "orte" (Open MPI up to 4), "prrte" (from 5), or nothing for another MPI or none at all.
#
# The program itself is asked: its neighbours in the folder may belong to another version, and its
# name may be a link.  Where COMMAND is an mpirun, that is the one that counts; else, that in PATH.
# shellcheck disable=SC2034 # netlab-inside uses the variable
netlab_find_launcher()
{
    local program=mpirun

    case ${1##*/} in
    mpirun* | mpiexec* | orterun) program=$1 ;;
    esac
    mpirun='' launcher=''
    # The first line is e.g. "mpirun (Open MPI) 5.0.7".
    if command -v "$program" >/dev/null; then
        read -r mpirun < <("$program" --version 2>/dev/null </dev/null)
    fi
    case $mpirun in
    *"(Open MPI) "[1-4].*) launcher=orte ;;
    *"(Open MPI) "[1-9]*) launcher=prrte ;;
    esac
}
