#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Phases that other components carry out, inside nodes and among leaders: by tuned, and by xhc where Open MPI has that.
# The log says which component does them, and how many messages the plans have left: none where both scopes are
# delegated, so all data came through the other component. See harness.sh.
set -u

# shellcheck source=tests/mpi/harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

verified=(--mca coll_napcoll_verify on --mca coll_napcoll_verbose 1)

# through COMPONENT WHERE COLL...: the log of the cases says that the component does both scopes' phases, and that no
# plan of the rows smp and two_level of these collectives has a message.
through() {
    local component=$1 where=$2 coll
    shift 2
    for coll in "phases inside nodes are delegated: allreduce to $component, reduce to $component, bcast to $component" \
        "phases among leaders are delegated: allreduce to $component, reduce to $component, bcast to $component" \
        "${@/%/ verified: [0-9]* plans, 0 messages}"; do
        grep -q -e "$coll" "$scratch/out" || { printf '# not said on %s: %s\n' "$where" "$coll" && return 1; }
    done
}

# delegated COMPONENT WHERE: every row that has both scopes, and those that have local phases only.
delegated() {
    launch+=("${verified[@]}")
    each "$2" 20000 results <<'END'
allreduce smp runs runs
allreduce nap runs runs
reduce smp runs runs
reduce nap runs runs
barrier smp runs
barrier nap runs
bcast two_level runs
bcast nap runs
allgather smp runs
allgatherv smp runs
reduce_scatter smp runs any
reduce_scatter_block smp runs any
END
    ! wanted "through_$1_$2" ||
        check "through_$1_$2" through "$1" "$2" 'allreduce by smp' 'reduce by smp' 'barrier by smp' 'bcast by two_level' \
            'allgather by smp' 'allgatherv by smp' 'reduce_scatter by smp' 'reduce_scatter_block by smp'
}
fake 7 3,2,1 block delegate
delegated tuned 7_block
# Roots that are no leaders, nodes whose ranks are not contiguous, and all that can be in a buffer.
fake 8 3,1,4 random:5 delegate
each 8_random 5000 <<'END'
bcast two_level runs
reduce nap runs fallback:noncommutative
allgatherv smp runs
reduce_scatter smp runs fallback:noncommutative
END
if ompi_info --param coll xhc --level 9 | grep -q coll_xhc_priority; then
    fake 7 3,2,1 block delegate
    # Without XPMEM, reductions by xhc crash above the size up to which it copies.
    launch=("${launch[@]/%napcoll,tuned/napcoll,xhc,tuned}" --mca coll_xhc_priority 60 --mca coll_xhc_cico_max 1048576)
    delegated xhc 7_block_xhc
fi

# --- a scope of its own, and calls that leave no phase to others ---
# phases_of INSIDE AMONG COLL: the scopes whose subcommunicator was made, yes or no.
phases_of() {
    local scope want
    for scope in "$1 inside nodes" "$2 among leaders"; do
        want=${scope%% *}
        if grep -q -e "phases ${scope#* } are delegated" "$scratch/out"; then
            [ "$want" = yes ] || return 1
        else
            [ "$want" = no ] || return 1
        fi
    done
}
# one_scope NAME INSIDE AMONG PARAMETERS...: allreduce smp by threads, one of the modes.
one_scope() {
    local name=$1 inside=$2 among=$3
    shift 3
    launch=("${one_node[@]}" -np 6 --mca coll "napcoll,tuned" --mca coll_napcoll_fake_ppn "3,2,1" "${verified[@]}"
        --mca coll_napcoll_allreduce_algorithm smp)
    says "$name" 60 'ok 1' -- "${launch[@]}" "$@" --expect runs:smp
    ! wanted "scopes_of_$name" || check "scopes_of_$name" phases_of "$inside" "$among"
}
leaders=(--mca coll_napcoll_leader_provider delegate)
inside=(--mca coll_napcoll_local_provider delegate)
one_scope leaders_only no yes "${leaders[@]}" "$programs/threads" --threads 1 --rounds 4
one_scope inside_only yes no "${inside[@]}" "$programs/threads" --threads 1 --rounds 4
# A persistent call must not wait inside a phase: on all ranks alike its plan has messages instead.
one_scope persistent no no "${leaders[@]}" "${inside[@]}" "$programs/threads" --threads 1 --rounds 4 --mode persistent
# An algorithm without leaders or local phases leaves nothing to others.
fake 6 3,2,1 block delegate
launch+=("${verified[@]}")
each without_phases 5000 results <<<'allreduce rabenseifner runs runs'
! wanted without_phases_no_subcommunicator ||
    check without_phases_no_subcommunicator phases_of no no

end_suite
