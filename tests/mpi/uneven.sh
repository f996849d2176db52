#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Uneven calls of few blocks, and of sizes that leap, see uneven.c and harness.sh.
set -u

# shellcheck source=tests/mpi/harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

# Messages are dear, so that rounds pay.
fake 8 4,2 block exchange
case_of uneven 60 "${launch[@]}" --mca coll_napcoll_machine_node_gap_us 2000 --mca coll_napcoll_inline_bytes 10000 "$programs/uneven"

fake 4 4 block exchange
case_of uneven_one_node 60 "${launch[@]}" "$programs/uneven" --nodes 1

end_suite
