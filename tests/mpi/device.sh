#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Device memory: every collective by every algorithm on buffers that the host must not touch, of an
# accelerator that accelerator_fake.c makes up. See harness.sh.
set -u

# shellcheck source=tests/mpi/harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

case $(mpicc --showme:version | napcoll_openmpi_version) in
    4.*)
        echo "1..0 # SKIP Open MPI 4.1 has no framework for accelerators"
        exit 0
        ;;
esac
export OMPI_MCA_mca_base_component_path=$programs/.libs:$OMPI_MCA_mca_base_component_path

# napcoll alone, and below those components that copy device buffers to the host for some collectives,
# where there are any.
for above in napcoll others; do
    for how in exchange delegate; do
        name=${above}_first_$how
        wanted "$name" || continue
        fake 4 2 block "$how"
        program_seconds=120
        options=()
        if [ "$above" = others ]; then
            ompi_info 2>/dev/null | grep -q -E 'MCA coll: (accelerator|cuda) ' || continue
            options=(--others-first)
            # shellcheck disable=SC2054 # the comma is in the value
            launch+=(--mca coll ^ucc,hcoll)
        fi
        case_of "$name" "$program_seconds" "${launch[@]}" "$programs/device" "${options[@]}"
        [ ! -f "$scratch/stdout" ] || grep '^# table' "$scratch/stdout"
    done
done

# Blocks that do not lie in the order of the nodes. Scans by nodes need that.
if wanted cyclic; then
    fake 4 2 cyclic exchange
    case_of cyclic 120 "${launch[@]}" "$programs/device" --without scan
fi

end_suite
