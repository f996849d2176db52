# shellcheck shell=bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# The launcher of Open MPI 4, called ORTE.  See launch.sh, which is read before.
netlab_launcher()
{
    local agent=$1 dir=$2 map=$3

    netlab_hostfile "$dir" "$map"
    if [ "$map" = block ]; then
        netlab_default slot OMPI_MCA_rmaps_base_mapping_policy
    else
        netlab_default seq OMPI_MCA_rmaps
    fi
    netlab_default "$dir/hostfile" OMPI_MCA_orte_default_hostfile
    netlab_default "$dir/tmp" OMPI_MCA_orte_tmpdir_base
    netlab_default rsh OMPI_MCA_plm
    netlab_default "$agent" OMPI_MCA_plm_rsh_agent
    netlab_default 1 OMPI_MCA_plm_rsh_no_tree_spawn
    netlab_default "$NETLAB_NODES" OMPI_MCA_plm_rsh_num_concurrent # the agents stay
    netlab_default eth0 OMPI_MCA_oob_tcp_if_include
    netlab_default none OMPI_MCA_hwloc_base_binding_policy
    netlab_library vader
}
