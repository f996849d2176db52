# shellcheck shell=bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# The launcher of Open MPI 5 and 6, called PRRTE.  See launch.sh, which is read before.
netlab_launcher()
{
    local agent=$1 dir=$2 map=$3 policy=seq name

    netlab_hostfile "$dir" "$map"
    [ "$map" != block ] || policy=slot
    # A user's policy of qualifiers only, such as ":oversubscribe", leaves the policy to us.
    for name in PRTE_MCA_mapby PRTE_MCA_map_by PRTE_MCA_rmaps_default_mapping_policy; do
        case ${!name:-} in
        :*) policy=${policy%%:*}${!name} && unset "$name" ;;
        esac
    done
    # Two names: Open MPI 6's, which would warn of the older one alone, and 5's.
    netlab_prrte "$policy" mapby rmaps_default_mapping_policy map_by
    netlab_prrte none bindto hwloc_default_binding_policy
    netlab_prrte "$dir/hostfile" prte_default_hostfile
    netlab_prrte "$dir/tmp" prte_tmpdir_base
    netlab_prrte ssh plm
    netlab_prrte "$agent" plm_ssh_agent
    netlab_prrte 1 plm_ssh_no_tree_spawn
    netlab_prrte "$NETLAB_NODES" plm_ssh_num_concurrent # the agents stay
    netlab_prrte eth0 prte_if_include
    # Open MPI 5: a daemon that starts its ranks from several threads can miss the end of one that
    # is short-lived, and then mpirun never ends.
    netlab_prrte 0 odls_base_max_threads
    netlab_library sm
}

# netlab_prrte VALUE PARAMETER...: netlab_default for a parameter of PRRTE.  Where PRTE_MCA_x is not
# set, mpirun takes it from OMPI_MCA_x, so the user may have set either.
netlab_prrte()
{
    local value=$1 name

    shift
    for name in "$@"; do
        name=OMPI_MCA_$name
        [ -z "${!name+set}" ] || return 0
    done
    netlab_default "$value" "${@/#/PRTE_MCA_}"
}
