#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# What communicators cost, and what those that are alike share. See harness.sh.
set -u

# shellcheck source=tests/mpi/harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

# The heap counts what is in use, whatever glibc keeps.
fake 6 3 block exchange
case_of many_comms 120 "${launch[@]}" "$programs/many_comms" --communicators 20 --cycles 15
fake 6 3,2,1 random:3 tree
case_of many_comms_uneven 90 "${launch[@]}" "$programs/many_comms" --communicators 0
fake 4 2 cyclic delegate
! at_length || case_of many_comms_delegate 90 "${launch[@]}" "$programs/many_comms" --communicators 0
# Plans that ranks verify together are not shared: all make theirs.
! at_length || case_of many_comms_verified 90 "${launch[@]}" --mca coll_napcoll_verify on \
    "$programs/many_comms" --communicators 0

end_suite
