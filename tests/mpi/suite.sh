#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Runs the MPI test programs under `mpirun --mca coll napcoll,tuned`: on one node that napcoll takes
# for several (its parameters fake_ppn and fake_map), and on the emulated cluster of tests/netlab.
# Prints TAP: each line of a program's becomes a line of the suite's.
#
#     tests/mpi/suite.sh [PATTERN]      only the cases whose name matches the shell pattern
#
# NAPCOLL_BRIEF=yes leaves out cases that test no more of Open MPI than others do (run.sh --brief).
#
# The environment is that of build/env.sh. NAPCOLL_MPI_TESTS names the folder of the programs, if it
# is not tests/mpi in the build folder.

set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
source_dir=$(cd "$here/../.." && pwd -P)
pattern=${1:-*}
if [ -z "${NAPCOLL_BUILD:-}" ] && [ -r "$source_dir/build/env.sh" ]; then
    # shellcheck source=/dev/null
    . "$source_dir/build/env.sh"
fi
programs=${NAPCOLL_MPI_TESTS:-${NAPCOLL_BUILD:-$source_dir/build}/tests/mpi}
netlab=$source_dir/tests/netlab/netlab

# shellcheck source=config/setup.sh
. "$source_dir/config/setup.sh"
napcoll_mpirun_settings
# An mpirun on this node alone: without what looks for networks, and says so when it finds none.
# shellcheck disable=SC2054 # the commas are in the value
one_node=(mpirun --mca btl ^ofi,uct,openib --mca btl_tcp_if_include lo)

number=0
failed=0
scratch=$(mktemp -d "${TMPDIR:-/tmp}/napcoll-suite.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# verdict GOOD(0 or not) NAME
verdict() {
    number=$((number + 1))
    if [ "$1" = 0 ]; then
        printf 'ok %d - %s\n' "$number" "$2"
    else
        failed=$((failed + 1))
        printf 'not ok %d - %s\n' "$number" "$2"
    fi
}

skip() {
    number=$((number + 1))
    printf 'ok %d - %s # SKIP %s\n' "$number" "$1" "$2"
}

wanted() {
    # shellcheck disable=SC2254 # the pattern is one
    case $1 in
        $pattern) return 0 ;;
    esac
    return 1
}

# The output of the present case, as TAP comments.
show_output() {
    grep -v -e '^ok ' -e '^1\.\.' "$scratch/out" | head -n 60 | sed -e 's/^#* *//' -e 's/^/#   /'
}

# limited SECONDS COMMAND...: output goes to $scratch/out; returns 124 or 137 if it did not end.
limited() {
    local seconds=$1 rc=0
    shift
    # Apart, because mpirun prints a line of the one in the midst of a long message of the other.
    timeout --kill-after=10 "$seconds" "$@" >"$scratch/stdout" 2>"$scratch/stderr" </dev/null || rc=$?
    # Open MPI 5.0's mpirun ends its messages with a null byte.
    cat "$scratch/stdout" "$scratch/stderr" | tr -d '\000' >"$scratch/out"
    return "$rc"
}

# case_of NAME SECONDS COMMAND...: a program that speaks TAP.
case_of() {
    local name=$1 seconds=$2 rc try bad=0 seen=0 planned='' line
    shift 2
    wanted "$name" || return 0
    for try in 1 2 3 4 5; do
        rc=0
        limited "$seconds" "$@" || rc=$?
        lost_launcher "$rc" || break
    done
    if [ "$rc" = 77 ]; then
        skip "$name" "$(tail -n 1 "$scratch/out")"
        return 0
    fi
    while IFS= read -r line; do
        case $line in
            'ok '*'# SKIP '*)
                skip "$name: $(sed -e 's/^ok [0-9]* - //' -e 's/ # SKIP .*//' <<<"$line")" \
                    "${line##*# SKIP }"
                seen=$((seen + 1))
                ;;
            'ok '*)
                verdict 0 "$name: ${line#ok * - }"
                seen=$((seen + 1))
                ;;
            'not ok '*)
                verdict 1 "$name: ${line#not ok * - }"
                seen=$((seen + 1))
                bad=$((bad + 1))
                ;;
            '1..'*) planned=${line#1..} ;;
        esac
    done <"$scratch/out"
    if [ "$rc" = 124 ] || [ "$rc" = 137 ]; then
        verdict 1 "$name: ends within $seconds s"
    elif [ "$seen" != "$planned" ] || { [ "$rc" != 0 ] && [ "$bad" = 0 ]; }; then
        verdict 1 "$name: runs to its end (exit $rc, $seen of ${planned:-unknown} checks)"
    elif [ "$bad" = 0 ]; then
        return 0
    fi
    show_output
}

# says NAME SECONDS WORD... -- COMMAND...: the output has all the words, and the status is 0.
says() {
    speaks 0 "$@"
}

# refuses NAME SECONDS WORD... -- COMMAND...: the same, but the command ends with an error.
refuses() {
    speaks 1 "$@"
}

# speaks STATUS NAME SECONDS WORD... -- COMMAND...: the output has all the words; STATUS is 0 or,
# for any error, 1.
speaks() {
    local status=$1 name=$2 seconds=$3 rc good try missing word words=()
    shift 3
    wanted "$name" || return 0
    while [ "$1" != -- ]; do
        words+=("$1")
        shift
    done
    shift
    for try in 1 2 3 4 5; do
        rc=0
        limited "$seconds" "$@" || rc=$?
        case $rc in
            0 | 124 | 137) ;;
            *) rc=1 ;;
        esac
        missing=
        for word in "${words[@]}"; do
            grep -q -F -e "$word" "$scratch/out" || missing="$missing $word"
        done
        if [ "$rc" != "$status" ] || [ -z "$missing" ] || ! lost_message; then
            break
        fi
    done
    [ "$rc" = "$status" ] && [ -z "$missing" ]
    good=$?
    verdict "$good" "$name"
    [ "$good" = 0 ] || { printf '# try %d, exit %d, missing:%s\n' "$try" "$rc" "$missing" \
        && show_output; }
}

# Open MPI 4.1's mpirun reads help messages of the ranks from memory that it has already given back
# and so loses one now and then, mostly with a complaint of its own.
lost_message() {
    grep -q -e 'ORTE_ERROR_LOG.*show_help.c' -e 'sent help message' "$scratch/out" \
        || ! grep -q -e '^-----' "$scratch/out"
}

# lost_launcher STATUS: a daemon of Open MPI 5.0's launcher, or mpirun itself, crashes now and then when
# jobs connect. (Where a process of the job crashes, mpirun lives and says so.)
lost_launcher() {
    grep -q -e 'lost communication with a remote daemon' "$scratch/out" \
        || { { [ "$1" = 134 ] || [ "$1" = 139 ]; } \
            && grep -q -e 'PMIX ERROR.*pmix_server_dyn.c' "$scratch/out" \
            && ! grep -q -e 'noticed that process' "$scratch/out"; }
}

# dies NAME SECONDS COMMAND...: one process dies, as the program `die` does and marks, and the job
# ends by itself, with a status that is not 0, in that time.
dies() {
    local name=$1 seconds=$2 rc=0 good=0
    shift 2
    wanted "$name" || return 0
    rm -f "$scratch/died"
    limited "$seconds" "$@" --mark "$scratch/died" || rc=$?
    if [ "$rc" = 77 ]; then
        skip "$name" "$(tail -n 1 "$scratch/out")"
        return 0
    fi
    case $rc in
        0 | 124) good=1 ;;
    esac
    [ -e "$scratch/died" ] || good=1
    verdict "$good" "$name"
    [ "$good" = 0 ] || { printf '# exit %d, %s\n' "$rc" \
        "$([ -e "$scratch/died" ] && echo 'one died' || echo 'none died')" && show_output; }
}

# local_phases HOW: sets the array `phases` to parameters for delegate, or for p2p in the shape
# exchange or tree.
local_phases() {
    case $1 in
        delegate) phases=(--mca coll_napcoll_local_provider delegate) ;;
        *) phases=(--mca coll_napcoll_local_provider p2p --mca coll_napcoll_local_shape "$1") ;;
    esac
}

# fake NP PPN MAP PHASES: sets the array `launch` to an mpirun on one node taken for several.
fake() {
    local_phases "$4"
    # shellcheck disable=SC2054 # the comma is in the value
    launch=("${one_node[@]}" -np "$1" --mca coll napcoll,tuned --mca coll_napcoll_fake_ppn "$2"
        --mca coll_napcoll_fake_map "$3" "${phases[@]}")
}

# emulated NODES PPN MAP NP PHASES: the same on netlab.
emulated() {
    local_phases "$5"
    # shellcheck disable=SC2054 # as above
    launch=("$netlab" --nodes "$1" --ppn "$2" --map "$3" --latency 0 --rate unlimited --gap 0 --
        mpirun -np "$4" --mca coll napcoll,tuned "${phases[@]}")
}

# program_of COLL: sets the array `program` to the name of the program that tests a collective, and which
# of those that it knows.
program_of() {
    case $1 in
        allgather | allgatherv) program=(gathers --coll "$1") ;;
        reduce_scatter | reduce_scatter_block) program=(reduce_scatter --coll "$1") ;;
        scan | exscan) program=(scans --coll "$1") ;;
        *) program=("$1") ;;
    esac
}

# collective NAME COLL ALGORITHM EXPECT NONCOMMUTATIVE [LARGE]: the whole program of a collective, under
# `launch`.
collective() {
    local program
    program_of "$2"
    case_of "$1" 60 "${launch[@]}" "$programs/${program[0]}" "${program[@]:1}" --algorithm "$3" \
        --expect "$4" --expect-large "$4" --expect-noncommutative "$5" --large "${6:-100000}"
}

# each WHERE LARGE: cases of collective() from lines "COLL ALGORITHM EXPECT NONCOMMUTATIVE" of standard
# input, named COLL_ALGORITHM_WHERE. `runs` means that this algorithm does; what cannot depend on the
# operation has no NONCOMMUTATIVE.
each() {
    local where=$1 large=$2 coll algorithm expect noncommutative
    while read -r coll algorithm expect noncommutative; do
        if [ "$algorithm" != auto ]; then
            expect=${expect/#%runs/runs:$algorithm}
            noncommutative=${noncommutative/#%runs/runs:$algorithm}
        fi
        collective "${coll}_${algorithm}_$where" "$coll" "$algorithm" "$expect" \
            "${noncommutative:-any}" "$large"
    done
}

# at_length: whether the suite is to run all it has. In the brief one, for another version of Open MPI, the
# cases are left out that test napcoll's own algorithms once more.
at_length() {
    [ "${NAPCOLL_BRIEF:-no}" = no ]
}

# each_at_length WHERE LARGE: as each, but not in the brief suite.
each_at_length() {
    if at_length; then
        each "$@"
    else
        cat >/dev/null
    fi
}

# each_auto WHERE LARGE EXPECT: every collective but allreduce, which has cases of its own, by `auto`.
each_auto() {
    local coll
    for coll in reduce barrier allgather allgatherv reduce_scatter reduce_scatter_block scan exscan bcast; do
        collective "${coll}_auto_$1" "$coll" auto "$3" "$3" "$2"
    done
}

# allreduce NAME ALGORITHM EXPECT NONCOMMUTATIVE [LARGE], and allreduce_auto NAME EXPECT [LARGE]
allreduce() {
    collective "$1" allreduce "${@:2}"
}

allreduce_auto() {
    collective "$1" allreduce auto "$2" "$2" "${3:-100000}"
}

if ! ompi_info --param coll napcoll --level 9 2>/dev/null | grep -q coll_napcoll_priority; then
    printf 'Bail out! Open MPI does not find napcoll: build it and source build/env.sh\n'
    exit 1
fi
if [ ! -x "$programs/allreduce" ]; then
    printf 'Bail out! no programs in %s: run make check there\n' "$programs"
    exit 1
fi

# --- every collective, under the literal list ---
for np in 1 2 6; do
    fake "$np" 3,2,1 block exchange
    case_of "all_collectives_$np" 60 "${launch[@]}" "$programs/all_collectives"
done
fake 13 5,5,1,4 cyclic delegate
case_of all_collectives_13_cyclic 60 "${launch[@]}" "$programs/all_collectives"
case_of all_collectives_default_list 60 "${one_node[@]}" -np 6 --mca coll_napcoll_fake_ppn 3,2,1 \
    "$programs/all_collectives"
emulated 3 2 cyclic 6 tree
case_of all_collectives_netlab 60 "${launch[@]}" "$programs/all_collectives"

# --- who serves a communicator: priorities (tuned 30, han 35 from 5.0 on, napcoll 40) and info keys ---
# netlab: han wants real nodes. The list is the default one, in which han is, but for the last.
selection() {
    local name=$1 expect=$2
    shift 2
    case_of "$name" 60 "$netlab" --nodes 2 --ppn 2 --latency 0 --rate unlimited --gap 0 -- \
        mpirun -np 4 "$@" "$programs/selection" --expect "$expect"
}
selection selection_default_priority runs
selection selection_above_han runs --mca coll_han_priority 35
selection selection_priority_0_gives_way none --mca coll_napcoll_priority 0
selection selection_literal_list runs --mca coll napcoll,tuned

# --- placements that a node-aware algorithm must not care about ---
fake 6 3,2,1 block exchange
allreduce nap_6_block nap runs:nap runs:nap
fake 15 5,5,1,4 cyclic tree
allreduce nap_15_cyclic nap runs:nap fallback:noncommutative
fake 15 5,5,1,4 random:7 delegate
allreduce nap_15_random_delegate nap runs:nap fallback:noncommutative
fake 15 5,5,1,4 block delegate
allreduce nap_15_block_delegate nap runs:nap runs:nap
fake 40 4 block exchange
allreduce nap_10x4_block nap runs:nap runs:nap 10000
fake 44 4 cyclic tree
allreduce nap_11x4_cyclic nap runs:nap fallback:noncommutative 10000
fake 64 8 random:3 exchange
allreduce nap_8x8_random nap runs:nap fallback:noncommutative 1001
fake 5 1 block tree
allreduce nap_5x1_falls_back nap fallback:ppn fallback:ppn

fake 6 3,2,1 cyclic exchange
allreduce smp_6_cyclic smp runs:smp fallback:noncommutative
fake 15 5,5,1,4 block delegate
allreduce smp_15_block_delegate smp runs:smp runs:smp
fake 15 5,5,1,4 random:11 delegate
allreduce smp_15_random_delegate smp runs:smp fallback:noncommutative

fake 7 3,2,1 cyclic tree
allreduce recursive_doubling_7_cyclic recursive_doubling runs:recursive_doubling \
    runs:recursive_doubling
fake 13 5,5,1,4 block exchange
allreduce recursive_doubling_13_block recursive_doubling runs:recursive_doubling \
    runs:recursive_doubling

fake 1 1 block tree
allreduce_auto auto_1 none
fake 2 1 block exchange
allreduce_auto auto_2x1 fallback:ppn
fake 3 3 block tree
allreduce_auto auto_3_on_one_node none
for np in 3 9 17; do
    fake "$np" 2,1 block exchange
    allreduce_auto "auto_${np}_block" runs 5000
done
fake 31 5,5,1,4 block tree
allreduce_auto auto_31_block runs 1001

# --- the same on nodes with a network between them ---
emulated 3 3,2,1 block 6 exchange
allreduce netlab_nap_6_block nap runs:nap runs:nap
emulated 4 5,5,1,4 cyclic 15 delegate
allreduce netlab_nap_15_cyclic_delegate nap runs:nap any
emulated 4 5,5,1,4 random:5 15 tree
allreduce netlab_smp_15_random smp runs:smp any
emulated 10 4 block 40 exchange
allreduce netlab_nap_10x4_block nap runs:nap runs:nap 10000

# --- every algorithm, on nodes that are intervals of ranks and on such that are not ---
fake 6 3,2,1 block exchange
each 6_block 100000 <<'END'
allreduce rabenseifner runs runs
allreduce ring runs fallback:noncommutative
allreduce lane runs fallback:noncommutative
reduce smp runs runs
reduce nap runs runs
reduce lane runs fallback:noncommutative
reduce gathered runs runs
barrier nap runs
allgather recursive_doubling fallback:power_of_two
allgather bruck runs
allgather smp runs
allgather locality_bruck runs
allgatherv ring runs
allgatherv lane_ring runs
reduce_scatter recursive_halving fallback:power_of_two fallback:noncommutative
reduce_scatter locality runs fallback:noncommutative
reduce_scatter_block smp runs fallback:noncommutative
reduce_scatter_block lane_ring runs fallback:noncommutative
reduce_scatter_block pairwise runs runs
scan nap runs runs
scan gathered runs runs
exscan nap runs runs
exscan recursive_doubling runs runs
bcast two_level runs
bcast scatter_allgather runs
bcast nap runs
bcast lane runs
END
fake 10 5,1,4 cyclic tree
each_at_length 10_cyclic 20000 <<'END'
allreduce tree runs runs
allreduce rabenseifner runs runs
allreduce lane runs fallback:noncommutative
allreduce gathered runs runs
reduce binomial runs runs
reduce smp runs fallback:noncommutative
reduce lane runs fallback:noncommutative
reduce rabenseifner runs runs
barrier dissemination runs
barrier nap runs
allgather ring runs
allgather lane_ring runs
allgatherv bruck runs
allgatherv smp runs
allgatherv locality_bruck runs
reduce_scatter lane_ring runs fallback:noncommutative
reduce_scatter pairwise runs runs
reduce_scatter_block locality runs fallback:noncommutative
scan recursive_doubling runs runs
scan nap fallback:placement fallback:placement
exscan gathered runs runs
bcast flat runs
bcast binary runs
bcast binomial runs
bcast chain runs
bcast nap runs
END
fake 8 3,1,4 random:5 delegate
each_at_length 8_random 20000 <<'END'
allreduce tree runs runs
allreduce ring runs fallback:noncommutative
allreduce gathered runs runs
reduce binomial runs runs
reduce nap runs fallback:noncommutative
reduce rabenseifner runs runs
reduce gathered runs runs
barrier smp runs
allgather recursive_doubling runs
allgather ring runs
allgather locality_bruck runs
allgatherv recursive_doubling runs
allgatherv lane_ring runs
reduce_scatter recursive_halving runs fallback:noncommutative
reduce_scatter smp runs fallback:noncommutative
reduce_scatter locality runs fallback:noncommutative
reduce_scatter_block recursive_halving runs fallback:noncommutative
reduce_scatter_block lane_ring runs fallback:noncommutative
scan gathered runs runs
exscan nap fallback:placement fallback:placement
bcast scatter_allgather runs
bcast two_level runs
bcast lane runs
END
fake 3 1 block exchange
each_at_length 3x1 10000 <<'END'
bcast chain runs
bcast nap fallback:ppn
bcast lane fallback:ppn
reduce lane fallback:ppn fallback:ppn
allgather lane_ring fallback:ppn
reduce_scatter_block locality fallback:ppn fallback:ppn
scan nap fallback:ppn fallback:ppn
END
emulated 4 5,5,1,4 cyclic 12 exchange
each netlab_12_cyclic 5000 <<'END'
reduce nap runs fallback:noncommutative
barrier nap runs
allgather locality_bruck runs
reduce_scatter_block lane_ring runs fallback:noncommutative
bcast nap runs
END
emulated 3 4 block 12 tree
each netlab_12_block 5000 <<'END'
bcast lane runs
allgatherv lane_ring runs
reduce_scatter auto runs runs
scan nap runs runs
exscan auto runs runs
END

# --- and whatever auto takes ---
fake 3 1 block exchange
each_auto 3x1 10000 fallback:ppn
fake 7 3,2,1 block exchange
each_auto 7_block 20000 runs
fake 9 5,1,4 cyclic delegate
allreduce_auto auto_9_cyclic runs 20000
each_auto 9_cyclic 20000 runs

# --- long vectors go in several segments ---
fake 6 3,2,1 cyclic exchange
launch+=(--mca coll_napcoll_segment_bytes 4096)
each_at_length 6_segments 100000 <<'END'
allreduce lane runs fallback:noncommutative
allreduce ring runs fallback:noncommutative
reduce lane runs fallback:noncommutative
END

# As many as is said, and every way between nodes.
for between in flat binomial chain binary scatter_allgather; do
    fake 10 5,1,4 cyclic tree
    launch+=(--mca coll_napcoll_bcast_two_level_between "$between" --mca coll_napcoll_bcast_two_level_segments 7)
    each_at_length "10_segments_$between" 20000 <<<'bcast two_level runs'
done
fake 10 5,1,4 cyclic tree
launch+=(--mca coll_napcoll_bcast_lane_between chain --mca coll_napcoll_bcast_lane_segments 3
    --mca coll_napcoll_bcast_chain_segments 1000 --mca coll_napcoll_bcast_nap_k_ports 2
    --mca coll_napcoll_bcast_scatter_allgather_allgather doubling)
each_at_length 10_segments 20000 <<'END'
bcast lane runs
bcast chain runs
bcast nap runs
bcast scatter_allgather runs
END

# --- the walk through the switches ---
cat >"$scratch/switches" <<'END'
# made-up nodes are called n0, n1, ...
SwitchName=s0 Nodes=n[0,2,4]
SwitchName=s1 Nodes=n[1,3,5]
SwitchName=top Switches=s[0-1]
END
fake 11 2,1 random:3 exchange
launch+=(--mca coll_napcoll_topology_file "$scratch/switches" --mca coll_napcoll_verify on)
each switches 20000 <<'END'
bcast chain runs
bcast auto runs
END
fake 16 2 block exchange
launch+=(--mca coll_napcoll_topology_file "$scratch/switches")
says node_that_no_switch_has_is_named 60 'host' 'does not have, or has for another node' 'ok 1' -- \
    "${launch[@]}" "$programs/bcast" --expect runs
fake 4 2 block exchange
# refused_topology NAME TEXT WORD...: a file of that text is complained of, and the job goes on without.
refused_topology() {
    local name=$1
    printf '%b' "$2" >"$scratch/$name"
    says "topology_file_$name" 60 "${@:3}" 'hung on one switch' 'ok 1' -- "${launch[@]}" \
        --mca coll_napcoll_topology_file "$scratch/$name" "$programs/bcast" --expect runs
}
refused_topology empty '' 'empty (on host'
refused_topology node_twice 'SwitchName=a Nodes=n[0-1]\nSwitchName=b Nodes=n1\n' 'twice, line 2'
refused_topology cycle 'SwitchName=a Switches=b\nSwitchName=b Switches=a\n' 'cycle'
refused_topology junk 'SwitchName=a\001\002\377Nodes=n0\n' 'junk, line 1, column'
says topology_file_missing 60 'It cannot be opened' 'ok 1' -- "${launch[@]}" \
    --mca coll_napcoll_topology_file "$scratch/none" "$programs/bcast" --expect runs
refused_topology long_line "$(head -c 10485760 /dev/zero | tr '\0' 'x')" 'long_line, line 1'

# --- the same bits wherever the ranks are, where that is asked for ---
# same_bits NAME: under `launch`, the sums of all collectives have the bits that those of the first such
# case had.
same_bits() {
    wanted "$1" || return 0
    case_of "$1" 60 "${launch[@]}" --mca coll_napcoll_reproducible true "$programs/reproducible" \
        --expect runs
    grep '^# digest ' "$scratch/out" >"$scratch/digests" || return 0
    [ -e "$scratch/first_digests" ] || cp "$scratch/digests" "$scratch/first_digests"
    if diff "$scratch/first_digests" "$scratch/digests" >"$scratch/out"; then
        verdict 0 "$1: the same bits"
    else
        verdict 1 "$1: the same bits"
        show_output
    fi
}
fake 12 12 block exchange
same_bits reproducible_12_on_one_node
fake 12 1 block exchange
same_bits reproducible_12x1
fake 12 5,5,1,4 block exchange
same_bits reproducible_12_block
fake 12 3,2,1 cyclic tree
same_bits reproducible_12_cyclic
fake 12 4,3,5 random:7 delegate
same_bits reproducible_12_random

# --- processes that are bound, and jobs that join ---
# Bound processes have a place in the hardware, which orders the steps inside their node.
bound=(env OMPI_MCA_hwloc_base_binding_policy=core PRTE_MCA_bindto=core:overload-allowed
    PRTE_MCA_hwloc_default_binding_policy=core:overload-allowed)
emulated 2 2 block 4 tree
case_of netlab_nap_bound 60 "${bound[@]}" "${launch[@]}" \
    "$programs/allreduce" --algorithm nap --expect runs:nap --expect-noncommutative runs:nap
says netlab_bound_processes_are_ordered_by_the_hardware 60 'place 1 in the hardware: lane 1' 'ok 1' \
    -- "${bound[@]}" "${launch[@]}" --mca coll_napcoll_verbose 20 \
    "$programs/threads" --rounds 2
# Half of the slots for the parents, half for the children.
emulated 3 4 block 6 exchange
case_of netlab_two_jobs 60 "${launch[@]}" "$programs/spawn"
emulated 3 4 block 6 delegate
case_of netlab_two_jobs_delegate 60 "${launch[@]}" "$programs/spawn"

# --- without MPI_Init ---
fake 6 3,2,1 block exchange
case_of sessions 60 "${launch[@]}" "$programs/session"

# --- long lives, many threads, long vectors ---
# Where several threads send through the shared memory of Open MPI 6.0.0rc2, a message gets lost now and
# then, without napcoll as well; over TCP none does.
by_threads() {
    case $(mpicc --showme:version | napcoll_openmpi_version) in
        6.*) launch=("${launch[@]/#^ofi,uct,openib/self,tcp}") ;;
    esac
}
fake 6 3,2,1 block tree
by_threads
case_of threads_tree 60 "${launch[@]}" "$programs/threads" --algorithm nap --expect runs:nap
fake 6 3,2,1 block exchange
by_threads
case_of threads_all 60 "${launch[@]}" "$programs/threads" --coll all --rounds 100 --expect runs
fake 6 3,2,1 cyclic delegate
by_threads
case_of threads_delegate 60 "${launch[@]}" "$programs/threads" --algorithm smp --expect runs:smp
fake 4 2 block exchange
case_of dup_free_exchange 60 "${launch[@]}" "$programs/dup_free" --expect runs
fake 4 2 cyclic delegate
case_of dup_free_delegate 60 "${launch[@]}" "$programs/dup_free" --cycles 3000 --expect runs
have_mib=$(awk '$1 == "MemAvailable:" { print int($2 / 1024) }' /proc/meminfo 2>/dev/null)
# large_of NP COLL ALGORITHM: 2 GiB in place, which take the vector and up to two temporaries of its size on
# each process, under `launch`.
large_of() {
    local name="large_$2_$3" need_mib=$(($1 * 3 * 2048 + 1024))
    if [ "${have_mib:-0}" -ge "$need_mib" ]; then
        case_of "$name" 120 "${launch[@]}" "$programs/large" --coll "$2" --algorithm "$3" --expect "runs:$3"
    elif wanted "$name"; then
        skip "$name" "needs $need_mib MiB of free memory"
    fi
}
fake 3 2 block tree
large_of 3 allreduce nap
! at_length || large_of 3 allreduce lane
fake 3 2 block delegate
! at_length || large_of 3 allreduce smp
fake 2 1 block tree
! at_length || large_of 2 allreduce recursive_doubling
! at_length || large_of 2 allreduce rabenseifner
! at_length || large_of 2 reduce rabenseifner
! at_length || large_of 2 allgather ring
! at_length || large_of 2 bcast chain

# --- what valgrind says of napcoll ---
# valgrind_of NAME COLL ALGORITHM: everything that a collective's program does, under
# valgrind.
valgrind_of() {
    local program
    if ! command -v valgrind >/dev/null; then
        wanted "$1" && skip "$1" "no valgrind"
        return 0
    fi
    program_of "$2"
    case_of "$1" 120 "${launch[@]}" valgrind --quiet --error-exitcode=9 --num-callers=40 --keep-debuginfo=yes \
        --leak-check=full --suppressions=/usr/share/openmpi/openmpi-valgrind.supp \
        --suppressions="$here/openmpi.supp" "$programs/${program[0]}" "${program[@]:1}" \
        --algorithm "$3" --expect "runs:$3" --large 1001
}
fake 4 3,1 block exchange
! at_length || valgrind_of valgrind_nap_exchange allreduce nap
fake 4 3,1 block tree
! at_length || valgrind_of valgrind_nap_tree allreduce nap
fake 4 2 cyclic delegate
valgrind_of valgrind_nap_delegate allreduce nap
fake 4 2 block delegate
! at_length || valgrind_of valgrind_smp_delegate allreduce smp
# allgather, reduce_scatter_block and exscan have the same plans or, of scan, nearly so.
fake 3 2 block exchange
for row in reduce:lane barrier:nap allgatherv:locality_bruck reduce_scatter:lane_ring scan:nap; do
    at_length || break
    valgrind_of "valgrind_${row/:/_}" "${row%:*}" "${row#*:}"
done

# --- errors reach the caller ---
fake 2 1 block tree
case_of errors_recursive_doubling 30 "${launch[@]}" "$programs/errors" \
    --algorithm recursive_doubling
case_of errors_smp 30 "${launch[@]}" "$programs/errors" --algorithm smp

# --- what goes wrong is said, and nothing hangs ---
for how in exit kill; do
    fake 6 3,2,1 block exchange
    dies "die_by_${how}_ends_the_job" 30 "${launch[@]}" "$programs/die" --how "$how" --algorithm nap
done
emulated 3 2 block 6 tree
dies die_netlab_ends_the_job 30 "${launch[@]}" "$programs/die" --how kill --algorithm nap
fake 4 2 block delegate
dies die_delegate_ends_the_job 30 "${launch[@]}" "$programs/die" --how kill --algorithm smp

# --- plans are proven before they are used, where that is asked for ---
verified=(--mca coll_napcoll_verify on --mca coll_napcoll_verbose 1)
broken=(--mca coll_napcoll_verify broken)
for how in exchange tree delegate; do
    fake 6 3,2,1 block "$how"
    case_of "verify_$how" 60 "${launch[@]}" --mca coll_napcoll_verify on "$programs/allreduce" \
        --algorithm nap --expect runs:nap --large 20000
    fake 6 3,2,1 cyclic "$how"
    case_of "verify_broken_$how" 60 "${launch[@]}" "${broken[@]}" "$programs/allreduce" \
        --algorithm smp --expect fallback:wrong_plan --expect-noncommutative fallback --large 20000
done
fake 6 3,2,1 block exchange
launch+=(--mca coll_napcoll_verify on)
each_at_length 6_verified 5000 <<'END'
reduce lane runs fallback:noncommutative
barrier smp runs
allgather lane_ring runs
allgatherv locality_bruck runs
reduce_scatter lane_ring runs fallback:noncommutative
reduce_scatter_block locality runs fallback:noncommutative
scan nap runs runs
exscan gathered runs runs
END
fake 6 3,2,1 cyclic exchange
launch+=("${broken[@]}")
each 6_broken 5000 <<'END'
reduce nap fallback:wrong_plan fallback:noncommutative
allgather lane_ring fallback:wrong_plan
scan gathered fallback:wrong_plan fallback:wrong_plan
END
fake 6 3,2,1 block exchange
says log_says_what_was_verified 30 'allreduce by nap verified: 6 plans, 20 messages' 'ok 1' -- \
    "${launch[@]}" "${verified[@]}" "$programs/threads" --threads 1 --rounds 3 --algorithm nap
says wrong_plan_is_reported 30 'allreduce by algorithm nap to be wrong' 'rank 0, stage 1, step' \
    'The broken property is "contribution"' 'ok 2' -- \
    "${launch[@]}" "${broken[@]}" "$programs/threads" --threads 1 --rounds 3 --algorithm nap

# --- decisions and their reasons are in the log ---
fake 4 4 block exchange
says log_says_that_one_node_is_left_alone 30 'all its processes share one node' 'ok 1' -- \
    "${launch[@]}" --mca coll_napcoll_verbose 10 "$programs/threads" --rounds 2
fake 8 4 block exchange
says log_says_what_auto_chose 30 'allreduce of 0 to 8 bytes by' ', chosen by auto' 'lane 3 of node 1' 'ok 1' -- \
    "${launch[@]}" --mca coll_napcoll_verbose 20 "$programs/threads" --rounds 2
fake 4 1 block exchange
says log_says_why_a_call_was_left 30 'allreduce of 0 to 8 bytes left to the previous component' \
    'no node has more than one process' 'ok 1' -- \
    "${launch[@]}" --mca coll_napcoll_verbose 1 "$programs/threads" --rounds 2

fake 4 2 block exchange
says bogus_algorithm_names_the_valid_ones 30 bogus recursive_doubling smp nap 'ok 1' -- \
    "${launch[@]}" --mca coll_napcoll_allreduce_algorithm bogus "$programs/threads" --rounds 5
says bogus_provider_names_the_valid_ones 30 bogus p2p delegate 'ok 1' -- \
    "${one_node[@]}" -np 4 --mca coll napcoll,tuned --mca coll_napcoll_local_provider bogus \
    "$programs/threads" --rounds 5
says bogus_info_key_is_named_by_any_thread 30 bogus napcoll_allreduce_algorithm 'ok 1' -- \
    "${launch[@]}" "$programs/threads" --rounds 5 --algorithm bogus
refuses different_settings_end_the_job 30 'different settings' local_radix=7 local_radix=8 -- \
    "${one_node[@]}" --mca coll napcoll,tuned -np 2 "$programs/threads" --rounds 5 : \
    -np 2 env OMPI_MCA_coll_napcoll_local_radix=7 "$programs/threads" --rounds 5
says bad_number_is_named 30 coll_napcoll_local_radix 'at least 2' 'ok 1' -- \
    "${one_node[@]}" -np 4 --mca coll napcoll,tuned --mca coll_napcoll_local_radix 1 \
    "$programs/threads" --rounds 5
# What communication costs: the keys of machine files are parameters.
gap=coll_napcoll_machine_node_gap_us
info=(ompi_info --param coll napcoll --level 9 --parsable)
home=$scratch/home
mkdir -p "$home/.openmpi"
says machine_number_is_a_parameter 30 "$gap:value:1.500000" "$gap:help:LogGP's g" -- \
    env OMPI_MCA_$gap=1.5 "${info[@]}"
cp "$source_dir/ompi/tools/napcoll/machines/netlab.conf" "$home/.openmpi/mca-params.conf"
says machine_file_is_a_parameter_file 30 "$gap:value:5.000000" 'network_short_latency_us:value:1000' \
    -- env HOME="$home" "${one_node[@]}" -np 1 "${info[@]}"
for bad in -2 nan twelve 1us; do
    says "bad_machine_number_is_named:$bad" 30 "$gap is set to \"$bad\"" 'from 0 to 1e+07' 'ok 1' -- \
        "${one_node[@]}" -np 4 --mca coll napcoll,tuned --mca $gap "$bad" "$programs/threads" --rounds 5
done
printf '%s = -2\n' $gap >"$home/.openmpi/mca-params.conf"
says bad_machine_number_in_a_file_is_named 30 "$gap is set to \"-2\"" 'from 0 to 1e+07' 'ok 1' -- \
    env HOME="$home" "${one_node[@]}" -np 4 --mca coll napcoll,tuned "$programs/threads" --rounds 5
says machine_that_contradicts_itself_is_named 30 'eager_below_bytes: expected at least' \
    'default of all of them' 'ok 1' -- "${one_node[@]}" -np 4 --mca coll napcoll,tuned \
    --mca coll_napcoll_machine_short_below_bytes 9000 "$programs/threads" --rounds 5
refuses different_machines_end_the_job 30 'different settings' machine_node_gap_us=7.5 \
    machine_node_gap_us=0 -- \
    "${one_node[@]}" --mca coll napcoll,tuned -np 2 "$programs/threads" --rounds 5 : \
    -np 2 env OMPI_MCA_$gap=7.5 "$programs/threads" --rounds 5
says bad_fake_ppn_is_named 30 3,x fake_ppn 'ok 1' -- \
    "${one_node[@]}" -np 4 --mca coll napcoll,tuned --mca coll_napcoll_fake_ppn 3,x \
    "$programs/threads" --rounds 5
says bad_fake_map_is_named 30 sideways fake_map 'ok 1' -- \
    "${one_node[@]}" -np 4 --mca coll napcoll,tuned --mca coll_napcoll_fake_ppn 2 \
    --mca coll_napcoll_fake_map sideways "$programs/threads" --rounds 5

# A node without shared memory: Open MPI may give up or go on, but it ends and says something.
full_shm() {
    local name=full_shm_ends_with_a_message rc=0 good=0
    wanted "$name" || return 0
    limited 60 "$netlab" --nodes 2 --ppn 2 --shm 64K --latency 0 -- mpirun -np 4 \
        --mca coll napcoll,tuned "$programs/threads" --rounds 5 --threads 1
    rc=$?
    if [ "$rc" = 77 ]; then
        skip "$name" "$(tail -n 1 "$scratch/out")"
        return 0
    fi
    case $rc in
        124 | 137) good=1 ;;
    esac
    grep -q -v '^ok\|^1\.\.' "$scratch/out" || [ "$rc" = 0 ] || good=1
    verdict "$good" "$name"
    [ "$good" = 0 ] || { printf '# exit %d\n' "$rc" && show_output; }
}
full_shm

printf '1..%d\n' "$number"
[ "$failed" = 0 ]
