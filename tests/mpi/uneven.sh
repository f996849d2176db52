#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Few blocks, and sizes that leap, see uneven.c and harness.sh.
set -u

# shellcheck source=tests/mpi/harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

# Messages are dear, so that it pays to agree on sizes.
fake 8 4,2 block exchange
case_of uneven 60 "${launch[@]}" --mca coll_napcoll_machine_node_gap_us 2000 "$programs/uneven"

end_suite
