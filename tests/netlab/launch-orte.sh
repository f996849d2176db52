# shellcheck shell=bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# How a plain mpirun of Open MPI 4.x (its runtime is called ORTE) is led onto the emulated nodes.
# Read by netlab-inside.  Another launcher is another file with a function netlab_launcher.
#
#   $1  the program that runs a command on a node
#   $2  a folder for files of ours and for session directories
#   $3  block: give nodes and slots; otherwise: give the node of every rank
#   standard input: the node of every rank, one per line
#
# Exports parameters as environment variables.  What the user has set on the command line or in a
# variable of the same name wins.
netlab_launcher()
{
    local agent=$1 dir=$2 map=$3

    if [ "$map" = block ]; then
        uniq -c | while read -r slots node; do
            echo "$node slots=$slots"
        done >"$dir/hostfile"
        netlab_default rmaps_base_mapping_policy slot
    else
        # The "seq" mapper reads one line per rank, in order, and ignores those left over.
        cat >"$dir/hostfile"
        netlab_default rmaps seq
    fi
    netlab_default orte_default_hostfile "$dir/hostfile"
    netlab_default orte_tmpdir_base "$dir/tmp"
    netlab_default plm rsh
    netlab_default plm_rsh_agent "$agent"
    netlab_default plm_rsh_no_tree_spawn 1
    netlab_default oob_tcp_if_include eth0
    netlab_default btl_tcp_if_include eth0
    netlab_default pml ob1
    netlab_default btl self,vader,tcp
    # Many ranks share few cores: they give them away while they wait, and ask the kernel for news
    # of all their connections in one call, whatever their number.
    netlab_default mpi_yield_when_idle 1
    netlab_default opal_event_include epoll
    netlab_default hwloc_base_binding_policy none
    if [ "$(id -u)" = 0 ]; then
        export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    fi
}

# Sets an MCA parameter unless the user's environment does.
netlab_default()
{
    local name=OMPI_MCA_$1

    if [ -z "${!name+set}" ]; then
        export "$name=$2"
    fi
}
