#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# One buffer for both sides of a call, by every algorithm, where Open MPI does not refuse it. See
# harness.sh.
set -u

# shellcheck source=tests/mpi/harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

for how in exchange delegate; do
    fake 4 2 block "$how"
    launch+=(--mca mpi_param_check 0)
    case_of "same_buffer_$how" "$program_seconds" "${launch[@]}" "$programs/buffers" same
done

end_suite
