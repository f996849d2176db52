#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# What the user sets, and what napcoll says: which component serves a communicator, plans that are verified, the log,
# values that are wrong, files of switches and of rules. See harness.sh.
set -u

# shellcheck source=tests/mpi/harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

# --- which component serves a communicator: priorities (tuned 30, han 35 from 5.0 on, napcoll 40) and info keys ---
# On netlab, because han wants real nodes, and with Open MPI's own list of components, in which han is. All other suites
# set the list that the README gives.
selection() {
    local name=$1 expect=$2
    shift 2
    case_of "$name" 60 "$netlab" --nodes 2 --ppn 2 --latency 0 --rate unlimited --gap 0 -- \
        mpirun -np 4 "$@" "$programs/selection" --expect "$expect"
}
selection selection_above_han runs --mca coll_han_priority 35
selection selection_priority_0_disables none --mca coll_napcoll_priority 0

# --- plans are proven before they are used, where that is asked for ---
fake 6 3,2,1 block exchange
launch+=(--mca coll_napcoll_verify on --mca coll_napcoll_verbose 1)
each 6_verified 5000 results < <(
    echo 'allreduce nap runs runs'
    ! at_length || cat <<'END_OF_CASES'
reduce lane runs fallback:noncommutative
barrier smp runs
allgather lane_ring runs
allgatherv locality_bruck runs
reduce_scatter lane_ring runs fallback:noncommutative
reduce_scatter_block locality runs fallback:noncommutative
scan nap runs runs
exscan gathered runs runs
alltoallv tuna runs
gather two_level runs
scatterv binomial runs
END_OF_CASES
)
! wanted log_says_what_was_verified ||
    check log_says_what_was_verified said 'allreduce by nap verified: 6 plans, 20 messages'
! wanted log_says_where_napcoll_is ||
    check log_says_where_napcoll_is said 'on all 3 nodes (made up by fake_ppn); MPI_COMM_WORLD: 6 processes, 1 to 3 on each node'
fake 6 3,2,1 block delegate
launch+=(--mca coll_napcoll_verify on)
each verify_delegate 20000 results <<<'allreduce nap runs runs'
broken=(--mca coll_napcoll_verify broken)
fake 6 3,2,1 cyclic exchange
launch+=("${broken[@]}")
each 6_broken 5000 results <<'END_OF_CASES'
allreduce smp fallback:wrong_plan fallback:noncommutative
reduce nap fallback:wrong_plan fallback:noncommutative
allgather lane_ring fallback:wrong_plan
scan gathered fallback:wrong_plan fallback:wrong_plan
alltoallv tuna fallback:wrong_plan
gather two_level fallback:wrong_plan
END_OF_CASES
fake 6 3,2,1 block delegate
launch+=("${broken[@]}")
says wrong_plan_is_reported 30 'allreduce by algorithm nap to be wrong' 'rank 0, stage 0, step' \
    'The broken property is "contribution"' 'ok 3' -- \
    "${launch[@]}" "$programs/threads" --threads 1 --rounds 3 --algorithm nap --expect fallback:wrong_plan

# --- without node memory the fallback component serves one node, and the log says why. Other reasons: see watch.sh ---
fake 4 4 block exchange
says one_node_is_not_served 30 'on 1 node' 'not used on communicator 0 (MPI_COMM_WORLD): all 4 processes share one node' \
    'summary of process 0: no calls, because on MPI_COMM_WORLD all 4 processes share one node' 'ok 1' -- \
    "${launch[@]}" --mca coll_napcoll_node_memory false --mca coll_napcoll_verbose 1 --mca coll_napcoll_summary rank0 \
    "$programs/threads" --threads 1 --rounds 2

# --- with it the first calls do, and then napcoll; also where its choice is checked in production ---
says one_node_is_served_from_its_third_call_on 30 'allreduce any fallback:one_node calls=2' 'allreduce 2049-4096' 'ok 1' -- \
    "${launch[@]}" --mca coll_napcoll_node_memory_calls 2 --mca coll_napcoll_summary rank0 --mca coll_napcoll_online 1 \
    "$programs/threads" --threads 1 --rounds 5

# --- on a machine that nobody has measured auto tries no algorithm with more messages than recursive doubling ---
fake 6 3 block exchange
says log_says_what_structure_excludes 30 'allreduce of 1025 to 2048 bytes: lane: not tried: it has more messages' 'ok 1' -- \
    "${launch[@]}" --mca coll_napcoll_verbose 5 "$programs/threads" --threads 1 --rounds 2
says_at_length measured_machines_try_all_structures 30 'allreduce of 1025 to 2048 bytes by lane, chosen by auto' 'ok 1' -- \
    "${launch[@]}" --mca coll_napcoll_machine_reduce_ns_per_byte 0.5 --mca coll_napcoll_verbose 5 \
    "$programs/threads" --threads 1 --rounds 2

# --- values that are wrong are named, with those that are right, and the job goes on ---
# By parameters: all in one job.
gap=coll_napcoll_machine_node_gap_us
home=$scratch/home
mkdir -p "$home/.openmpi"
printf 'coll_napcoll_machine_process_gap_us = -2\n' >"$home/.openmpi/mca-params.conf"
printf 'SwitchName=a Switches=b\nSwitchName=b Switches=a\n' >"$scratch/switches"
printf 'allreduce -> smp\nallreduce bytes=9..8 -> nap\n' >"$scratch/rules"
says_each bad_values 30 env HOME="$home" "${one_node[@]}" -np 4 --mca coll napcoll,tuned \
    --mca coll_napcoll_fake_ppn 2 --mca coll_napcoll_fake_map sideways \
    --mca coll_napcoll_local_provider bogus --mca coll_napcoll_barrier_algorithm bogus \
    --mca coll_napcoll_local_radix 1 --mca coll_napcoll_segment_bytes -1 \
    --mca coll_napcoll_bcast_lane_segments 10000000 --mca coll_napcoll_alltoall_tuna_radix 1 \
    --mca coll_napcoll_online_calls 1001 --mca coll_napcoll_gather_m1 99999 --mca "$gap" nan \
    --mca coll_napcoll_topology_file "$scratch/switches" --mca coll_napcoll_rules_file "$scratch/rules" \
    --mca coll_napcoll_summary_file "$scratch/%h.%x" \
    "$programs/threads" --threads 1 --rounds 2 <<END_OF_CHECKS
bad_fake_map_is_named|coll_napcoll_fake_map is set to "sideways"|block, cyclic or random:SEED
bad_algorithm_is_named|coll_napcoll_barrier_algorithm|is set to "bogus"|dissemination smp nap
bad_provider_is_named|coll_napcoll_local_provider|own delegate p2p
bad_radix_is_named|coll_napcoll_local_radix is set to 1|range is 2 to 65536. The job goes on with the default, 8
bad_segment_bytes_are_named|coll_napcoll_segment_bytes is set to -1|range is 0 to 1099511627776
bad_segments_are_named|coll_napcoll_bcast_lane_segments is set to 10000000|range is 0 to 65536
bad_radix_that_may_be_0_is_named|coll_napcoll_alltoall_tuna_radix is set to 1|range is 2 to 65536, or 0
bad_number_of_calls_is_named|coll_napcoll_online_calls is set to 1001|range is 1 to 1000
bad_thresholds_are_named|coll_napcoll_gather_m1 is set to 99999|above coll_napcoll_gather_m2, 65536
bad_machine_number_is_named|$gap is set to "nan"|from 0 to 1e+07
bad_machine_number_in_a_file_is_named|coll_napcoll_machine_process_gap_us is set to "-2"|from 0 to 1e+07
bad_pattern_of_a_file_is_named|summary_file is set to "$scratch/%h.%x"|character $((${#scratch} + 5)) is|%h stands for
bad_topology_file_is_named|$scratch/switches, line 2, column 23|below itself, by way of switch|connected to one switch
bad_rules_file_is_named|$scratch/rules, line 2, column 11|expected a range|found "bytes=9..8"|goes on without rules
END_OF_CHECKS
# One of the four processes says so; the first messages of a job Open MPI 5.0 may print twice.
fewer_than_processes() {
    [ "$(grep -c 'coll_napcoll_local_radix is set to 1' "$scratch/out")" -lt 3 ]
}
! wanted bad_values_are_named_by_one_process ||
    check bad_values_are_named_by_one_process fewer_than_processes
# Files that cannot be read at once; none is waited for.
mkfifo "$scratch/fifo"
truncate -s 1T "$scratch/huge"
fake 4 2 block exchange
says files_that_are_fifos 30 "$scratch/fifo (on host" 'It is a FIFO or a pipe; expected a regular file' \
    'it is a FIFO or a pipe; expected a regular file' 'connected to one switch' 'goes on without rules' 'ok 1' -- \
    "${launch[@]}" --mca coll_napcoll_topology_file "$scratch/fifo" --mca coll_napcoll_rules_file "$scratch/fifo" \
    "$programs/collectives" --coll bcast --expect runs --checks results
says_at_length files_that_are_no_text 30 'It has 1099511627776 bytes; expected at most' \
    'it cannot be opened' 'goes on without rules' 'ok 1' -- \
    "${launch[@]}" --mca coll_napcoll_topology_file "$scratch/huge" --mca coll_napcoll_rules_file "$scratch/none" \
    --mca coll_napcoll_machine_short_below_bytes 9000 "$programs/collectives" --coll bcast --expect runs --checks results
! at_length || ! wanted machine_that_contradicts_itself_is_named ||
    check machine_that_contradicts_itself_is_named said 'eager_below_bytes: expected at least'
# Relative names: in the folder of the parameter file that has them, else in the current folder.
params=$scratch/params
mkdir -p "$params" "$home/here"
printf 'bcast -> binomial\n' >"$params/own.rules"
printf 'coll_napcoll_rules_file = own.rules\ncoll_napcoll_topology_file = none.conf\n' >"$params/napcoll.conf"
cp "$params/own.rules" "$params/napcoll.conf" "$home/.openmpi"
mv "$home/.openmpi/napcoll.conf" "$home/.openmpi/mca-params.conf"
ruled=("${launch[@]}" --mca coll_napcoll_verbose 1 "$programs/collectives" --coll bcast --expect runs:binomial --checks results)
says files_beside_the_users_parameters 30 'by line 1 of the rules file' "$home/.openmpi/none.conf or $home/here/none.conf (on" \
    'ok 1' -- env -C "$home/here" HOME="$home" "${ruled[@]}"
says files_beside_a_named_parameter_file 30 'by line 1 of the rules file' "$params/none.conf or $home/here/none.conf (on" \
    'ok 1' -- env -C "$home/here" OMPI_MCA_mca_base_param_files="$params/napcoll.conf" "${ruled[@]}"
mv "$params/own.rules" "$home/here"
says files_in_the_current_folder 30 'by line 1 of the rules file' 'ok 1' -- \
    env -C "$home/here" OMPI_MCA_mca_base_param_files="$params/napcoll.conf" "${ruled[@]}"
fake 8 2 block exchange
printf '%s\n' 'SwitchName=s0 Nodes=n[0,2]' 'SwitchName=s1 Nodes=n1' 'SwitchName=top Switches=s[0-1]' \
    >"$scratch/switches"
says node_that_no_switch_has_is_named 60 'host' 'does not list this host, or lists it for another node' 'ok 1' -- \
    "${launch[@]}" --mca coll_napcoll_topology_file "$scratch/switches" "$programs/collectives" --coll bcast \
    --expect runs --checks results

# --- info keys: an algorithm and its tunables ---
fake 8 4 block exchange
says_each info_keys 60 "${launch[@]}" --mca coll_napcoll_verbose 1 "$programs/collectives" --checks results --large 5000 \
    --case info_key_has_tunables --coll allreduce --algorithm 'nap local_radix=3' --expect runs:nap \
    --case info_key_fallback --coll allreduce --algorithm fallback --expect fallback:forced \
    --case bad_tunable --coll allreduce --algorithm 'nap depth=3' --expect runs <<'END_OF_CHECKS'
info_key_has_tunables|by nap, forced; local_radix=3
bad_tunable_of_an_info_key_is_named|a tunable of nap|found "depth=3"
END_OF_CHECKS
by_threads
says bad_info_key_is_named_by_any_thread 30 bogus napcoll_allreduce_algorithm 'ok 1' -- \
    "${launch[@]}" "$programs/threads" --rounds 5 --algorithm bogus

# --- processes of different settings: each kind of parameter, and one value that is refused ---
refuses different_settings_end_the_job 30 'different settings' refused:local_radix=1 machine_node_gap_us=7.5 \
    verify=1 -- "${one_node[@]}" --mca coll napcoll,tuned -np 2 "$programs/threads" --threads 1 --rounds 5 : \
    -np 2 env OMPI_MCA_coll_napcoll_local_radix=1 OMPI_MCA_$gap=7.5 OMPI_MCA_coll_napcoll_verify=on \
    "$programs/threads" --threads 1 --rounds 5

# --- processes without napcoll, or with another version of it: nothing hangs, and one message names their nodes ---
# With Open MPI's own list of components, as on a node where nobody has installed the plugin.
cat >"$scratch/unlike" <<'END'
#!/bin/sh
# unlike RANKS NAME=VALUE COMMAND...: the command, with another environment on some ranks.
ranks=$1 setting=$2
shift 2
case " $ranks " in
    *" $OMPI_COMM_WORLD_RANK "*) exec env "$setting" "$@" ;;
esac
exec "$@"
END
chmod +x "$scratch/unlike"
# unlike STATUS NAME WORD... -- RANKS NAME=VALUE MPIRUN...: the output has the words and one message.
unlike() {
    local status=$1 name=$2 words=() ranks setting
    shift 2
    wanted "$name" || return 0
    while [ "$1" != -- ]; do
        words+=("$1")
        shift
    done
    ranks=$2 setting=$3
    shift 3
    speaks "$status" "$name" 60 "${words[@]}" -- "$@" --mca coll_napcoll_verbose 1 "$scratch/unlike" "$ranks" "$setting" \
        "$programs/collectives" --coll allreduce --expect any --expect-large any --expect-noncommutative any --checks results
    check "${name}_says_it_once" lines 1 '^Not all [0-9]+ processes of this job have the same version'
}
# shellcheck disable=SC2054 # the commas are in the values
several=("${one_node[@]}" --mca coll_napcoll_fake_ppn 3,2,1)
unlike 0 node_without_napcoll ': 4 processes on node0 node2' 'without napcoll: 2 processes on node1' \
    'not used on communicator 0 (MPI_COMM_WORLD): not all' 'ok 1' -- '2 3' OMPI_MCA_coll=^napcoll \
    "$netlab" --nodes 3 --ppn 2 --latency 0 --rate unlimited --gap 0 -- mpirun -np 6
unlike 0 process_0_without_napcoll 'without napcoll: 1 process on' 'go to the fallback components' 'ok 1' -- 0 \
    OMPI_MCA_coll=^napcoll "${several[@]}" -np 6
unlike 0 many_without_napcoll 'without napcoll: 4 processes on' ': 8 processes on' 'ok 1' -- '1 3 4 11' \
    OMPI_MCA_coll_napcoll_priority=-1 "${several[@]}" -np 12
unlike 0 two_versions 'plan revision 99: 2 processes on' ': 4 processes on' 'ok 1' -- '1 5' \
    'OMPI_MCA_coll_napcoll_fake_version=9.8.7, plan revision 99' "${several[@]}" -np 6
unlike 1 mismatch_ends_the_job '9.8.7: 1 process on' 'The job ends here (coll_napcoll_mismatch)' -- 5 \
    OMPI_MCA_coll_napcoll_fake_version=9.8.7 "${several[@]}" -np 6 --mca coll_napcoll_mismatch abort

# --- what communication costs: the keys of machine files are parameters ---
info=(ompi_info --param coll napcoll --level 9 --parsable)
says machine_number_is_a_parameter 30 "$gap:value:1.500000" "$gap:help:LogGP's g" -- \
    env OMPI_MCA_$gap=1.5 "${info[@]}"
cp "$source_dir/ompi/tools/napcoll/machines/netlab.conf" "$home/.openmpi/mca-params.conf"
says machine_file_is_a_parameter_file 30 "$gap:value:5.000000" 'network_short_latency_us:value:1000' \
    -- env HOME="$home" "${one_node[@]}" -np 1 "${info[@]}"
# What is not set is as the adapters of process 0's node say.
network=coll_napcoll_network
latency=machine_network_short_latency_us
mkdir -p "$scratch/fast/infiniband/mlx5_0" "$scratch/slow/net/eth0"
threads=("$programs/threads" --threads 1 --rounds 5)
# classes FOLDER: sets `class` to the environment of processes whose node has the adapters of a folder.
classes() {
    class=(env "OMPI_MCA_$network=auto" "OMPI_MCA_${network}_classes=$scratch/$1")
}
classes fast
says fabric_has_the_latencies_of_one 30 "$latency:value:2.265647" -- "${class[@]}" "${info[@]}"
classes slow
says ethernet_has_the_latencies_of_one 30 "$latency:value:25.000000" "$network:value:auto" -- "${class[@]}" "${info[@]}"
says set_numbers_stay_on_an_ethernet 30 "$latency:value:3.500000" 'network_eager_latency_us:value:32.000000' -- \
    "${class[@]}" OMPI_MCA_coll_napcoll_$latency=3.5 "${info[@]}"
says ethernet_can_be_said_to_be_a_fabric 30 "$latency:value:2.265647" -- \
    "${class[@]}" OMPI_MCA_$network=fabric "${info[@]}"
# mixed NAME FOLDER OTHER WORDS: the node of processes 0 and 1 has the adapters of one folder, the node of 2 and 3 has
# the adapters of another. Process 0 decides for all, or they had different settings and the job ended.
mixed() {
    classes "$2"
    local first=("${class[@]}" "${threads[@]}")
    classes "$3"
    says "$1" 30 "$4" 'ok 1' -- "${one_node[@]}" --mca coll napcoll,tuned --mca coll_napcoll_fake_ppn 2 \
        --mca coll_napcoll_verbose 1 -np 2 "${first[@]}" : -np 2 "${class[@]}" "${threads[@]}"
}
mixed process_0_says_that_it_is_an_ethernet slow fast 'are typical of Ethernet'
! at_length || mixed process_0_says_that_it_is_a_fabric fast slow 'are typical of a fabric'

# --- rules: byte bounds within one power of two, and sizes that calls before had ---
fake 8 2 block exchange
cat >"$scratch/rules" <<'END'
allreduce bytes=20..24 op=commutative -> tree
allreduce bytes=25..27 -> fallback
allreduce bytes=28 nodes=5.. -> smp
allreduce bytes=28..30 nodes=4 ppn=2 placement=contiguous -> recursive_doubling
alltoallv bytes=..16 -> tuna radix=2
alltoallv bytes=17..64 -> tuna_coalesced
alltoallv bytes=65.. -> fallback
gatherv bytes=33..64 -> binomial
gatherv -> linear
scatterv bytes=..16 -> two_level
scatterv bytes=17..64 -> binomial
scatterv -> linear
END
# Of an alltoallv and a scatterv the mean of the call before counts, rounded up to a power of two; in the first one, and
# always in a gatherv, 64 bytes. Where ranks did not hear of it, 17 calls are alike, and then 64 bytes are tried.
away=()
for _ in {1..17}; do
    away+=("alltoallv,8,fallback:rules" "scatterv,8,runs:linear")
done
case_of rules_decide 60 "${launch[@]}" --mca coll_napcoll_rules_file "$scratch/rules" "$programs/rules" \
    allreduce,24,runs:tree allreduce,20,runs:tree allreduce,25,fallback:rules allreduce,28,runs:recursive_doubling \
    allreduce,27,fallback:rules allreduce,23,runs:tree \
    alltoallv,16,runs:tuna_coalesced alltoallv,16,runs:tuna alltoallv,33,runs:tuna alltoallv,16,runs:tuna_coalesced \
    alltoallv,100,runs:tuna gatherv,65536,runs:binomial gatherv,1,runs:binomial \
    scatterv,10,runs:binomial scatterv,10,runs:two_level scatterv,100,runs:two_level \
    "${away[@]}" \
    alltoallv,8,runs:tuna_coalesced alltoallv,8,runs:tuna scatterv,8,runs:binomial scatterv,8,runs:two_level
printf '%s\n' 'allreduce calls=blocking -> fallback' 'allreduce calls=requests -> smp' >"$scratch/rules"
case_of rules_tell_requests 30 "${launch[@]}" --mca coll_napcoll_rules_file "$scratch/rules" "$programs/rules" \
    allreduce,8,fallback:rules iallreduce,8,runs:smp allreduce,8,fallback:rules iallreduce,8,runs:smp
fake 4 2 cyclic exchange
printf '%s\n' 'allreduce placement=contiguous -> tree' 'allreduce -> smp # any' >"$scratch/rules"
launch+=(--mca coll_napcoll_rules_file "$scratch/rules" --mca coll_napcoll_verbose 1)
! at_length || {
    case_of rules_are_in_the_log 30 "${launch[@]}" "$programs/rules" allreduce,8,runs:smp
    ! wanted rules_are_in_the_log || check log_says_which_rule_decided said 'by smp, by line 2 of the rules file'
}
each_at_length forced_before_rules 5000 results <<<'allreduce recursive_doubling runs runs'

end_suite
