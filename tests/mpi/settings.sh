#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# What the user sets, and what napcoll says: who serves a communicator, plans that are verified, the log,
# values that are wrong, files of switches and of rules. See harness.sh.
set -u

# shellcheck source=tests/mpi/harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

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

# --- plans are proven before they are used, where that is asked for ---
verified=(--mca coll_napcoll_verify on --mca coll_napcoll_verbose 1)
broken=(--mca coll_napcoll_verify broken)
for how in exchange tree delegate; do
    at_length || [ "$how" = delegate ] || continue
    fake 6 3,2,1 block "$how"
    case_of "verify_$how" 60 "${launch[@]}" --mca coll_napcoll_verify on "$programs/collectives" --coll allreduce \
        --algorithm nap --expect runs:nap --large 20000 --checks results
    fake 6 3,2,1 cyclic "$how"
    case_of "verify_broken_$how" 60 "${launch[@]}" "${broken[@]}" "$programs/collectives" --coll allreduce \
        --algorithm smp --expect fallback:wrong_plan --expect-noncommutative fallback --large 20000 --checks results
done
fake 6 3,2,1 block exchange
launch+=(--mca coll_napcoll_verify on)
each_at_length 6_verified 5000 results <<'END'
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
END
fake 6 3,2,1 cyclic exchange
launch+=("${broken[@]}")
each 6_broken 5000 results <<'END'
reduce nap fallback:wrong_plan fallback:noncommutative
allgather lane_ring fallback:wrong_plan
scan gathered fallback:wrong_plan fallback:wrong_plan
alltoallv tuna fallback:wrong_plan
gather two_level fallback:wrong_plan
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
    "${launch[@]}" --mca coll_napcoll_verbose 10 "$programs/threads" --threads 1 --rounds 2
fake 8 4 block exchange
says log_says_what_auto_chose 30 'allreduce of 0 to 8 bytes by' ', chosen by auto' 'lane 3 of node 1' 'ok 1' -- \
    "${launch[@]}" --mca coll_napcoll_verbose 20 "$programs/threads" --threads 1 --rounds 2
fake 4 1 block exchange
says_at_length log_says_why_a_call_was_left 30 'allreduce of 0 to 8 bytes left to the previous component' \
    'no node has more than one process' 'ok 1' -- \
    "${launch[@]}" --mca coll_napcoll_verbose 1 "$programs/threads" --threads 1 --rounds 2

# --- on a machine that nobody has measured auto tries no algorithm with more messages than recursive doubling ---
fake 6 3 block exchange
says log_says_what_structure_excludes 30 'allreduce of 0 to 8 bytes: ring: not tried: it has more messages' 'ok 1' -- \
    "${launch[@]}" --mca coll_napcoll_verbose 5 "$programs/threads" --threads 1 --rounds 2
says measured_machines_try_all_structures 30 'allreduce of 0 to 8 bytes: ring: at least' 'ok 1' -- \
    "${launch[@]}" --mca coll_napcoll_machine_reduce_ns_per_byte 0.5 --mca coll_napcoll_verbose 5 \
    "$programs/threads" --threads 1 --rounds 2

# log_says_what_explain_says: the decision in the log is the one of napcoll-plan explain.
log_says_what_explain_says() {
    local machine=("$source_dir/ompi/tools/napcoll/machines/bluewaters.conf") decision
    decision=$(napcoll-plan explain --machine "${machine[0]}" --coll allreduce --nodes 2 --ppn 3 |
        sed -n 's/^Logged (coll_napcoll_verbose 1) as: //p')
    mapfile -t machine < <(napcoll_machine_settings "${machine[0]}" && env | grep '^OMPI_MCA_coll_napcoll_machine_')
    says log_says_what_explain_says 30 "${decision:-no decision}" 'ok 1' -- \
        env "${machine[@]}" "${launch[@]}" --mca coll_napcoll_verbose 1 "$programs/threads" --threads 1 --rounds 2
}
log_says_what_explain_says

fake 4 2 block exchange
says bogus_algorithm_names_the_valid_ones 30 bogus recursive_doubling smp nap 'ok 1' -- \
    "${launch[@]}" --mca coll_napcoll_allreduce_algorithm bogus "$programs/threads" --threads 1 --rounds 5
says_at_length bogus_provider_names_the_valid_ones 30 bogus p2p delegate 'ok 1' -- \
    "${one_node[@]}" -np 4 --mca coll napcoll,tuned --mca coll_napcoll_local_provider bogus \
    "$programs/threads" --threads 1 --rounds 5
by_threads
says bogus_info_key_is_named_by_any_thread 30 bogus napcoll_allreduce_algorithm 'ok 1' -- \
    "${launch[@]}" "$programs/threads" --rounds 5 --algorithm bogus
fake 4 2 block exchange
says info_key_has_tunables 30 'by nap, forced; local_radix=3' 'ok 1' 'ok 3' -- "${launch[@]}" --mca coll_napcoll_verbose 1 \
    "$programs/threads" --threads 1 --rounds 5 --algorithm 'nap local_radix=3' --expect runs:nap
says_at_length bogus_tunable_of_an_info_key_is_named 30 'a tunable of nap' 'found "depth=3"' 'ok 1' -- \
    "${launch[@]}" "$programs/threads" --threads 1 --rounds 5 --algorithm 'nap depth=3'
! at_length || case_of info_key_previous 30 "${launch[@]}" "$programs/threads" --threads 1 --rounds 5 \
    --algorithm previous --expect fallback:fallback
fake 8 4 block exchange
for mean in bogus -1 99999999999999999999999 64k; do
    at_length || [ "$mean" = bogus ] || continue
    says "bogus_mean_of_blocks_is_named_$mean" 30 'napcoll_alltoallv_mean_bytes' 'a number of bytes' 'ok 1' -- \
        "${launch[@]}" "$programs/collectives" --coll alltoallv --mean "$mean" --expect fallback:sizes
done
case_of mean_of_blocks 30 "${launch[@]}" "$programs/collectives" \
    --case mean_of_blocks_by_info_key --coll alltoallw --mean 64 --expect runs \
    --case mean_of_blocks_of_zero --coll alltoallv --mean 0 --expect fallback:sizes
says_at_length log_says_that_agreeing_does_not_pay 30 'to agree on the sizes of alltoallv takes' 'it does not pay' 'ok 1' -- \
    "${launch[@]}" --mca coll_napcoll_verbose 1 "$programs/collectives" --coll alltoallv --mean 0 --expect fallback:sizes
fake 4 2 block exchange
refuses different_settings_end_the_job 30 'different settings' local_radix=7 local_radix=8 -- \
    "${one_node[@]}" --mca coll napcoll,tuned -np 2 "$programs/threads" --threads 1 --rounds 5 : \
    -np 2 env OMPI_MCA_coll_napcoll_local_radix=7 "$programs/threads" --threads 1 --rounds 5
# Every number has a range: one message, of process 0, and the default.
bad_number() {
    says "bad_number_is_named_$1" 30 "coll_napcoll_$1 is set to $2" "$3" 'ok 1' -- \
        "${one_node[@]}" -np 4 --mca coll napcoll,tuned --mca "coll_napcoll_$1" "$2" \
        "$programs/threads" --threads 1 --rounds 5
    ! wanted "bad_number_is_named_once_$1" ||
        verdict "$(($(grep -c "coll_napcoll_$1 is set to" "$scratch/out") != 1))" "bad_number_is_named_once_$1"
}
bad_number local_radix 1 'range is 2 to 65536. The job goes on with the default, 8'
if at_length; then
    bad_number segment_bytes -1 'range is 0 to 1099511627776'
    bad_number bcast_lane_segments 10000000 'range is 0 to 65536'
    bad_number alltoall_tuna_radix 1 'range is 2 to 65536, or 0'
    bad_number online_calls 1001 'range is 1 to 1000'
    bad_number gather_m1 99999 'above coll_napcoll_gather_m2, 65536'
fi
refuses bad_number_on_one_process_ends_the_job 30 'different settings' refused:local_radix=1 -- \
    "${one_node[@]}" --mca coll napcoll,tuned -np 2 "$programs/threads" --threads 1 --rounds 5 : \
    -np 2 env OMPI_MCA_coll_napcoll_local_radix=1 "$programs/threads" --threads 1 --rounds 5
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
# What is not set is as the adapters of process 0's node say.
network=coll_napcoll_network
latency=machine_network_short_latency_us
mkdir -p "$scratch/fast/infiniband/mlx5_0" "$scratch/slow/net/eth0"
threads=("$programs/threads" --threads 1 --rounds 5)
# classes FOLDER: the environment of processes whose node has the adapters of a folder
classes() {
    class=(env "OMPI_MCA_$network=auto" "OMPI_MCA_${network}_classes=$scratch/$1")
}
classes fast
says fabric_has_the_latencies_of_one 30 "$latency:value:2.265647" -- "${class[@]}" "${info[@]}"
says fabric_is_logged 30 'are typical of a fabric' 'ok 1' -- "${class[@]}" "${one_node[@]}" -np 4 \
    --mca coll napcoll,tuned --mca coll_napcoll_verbose 1 "${threads[@]}"
classes slow
says ethernet_has_the_latencies_of_one 30 "$latency:value:25.000000" "$network:value:auto" -- "${class[@]}" "${info[@]}"
says set_numbers_stay_on_an_ethernet 30 "$latency:value:3.500000" 'network_eager_latency_us:value:32.000000' -- \
    "${class[@]}" OMPI_MCA_coll_napcoll_$latency=3.5 "${info[@]}"
says ethernet_can_be_said_to_be_a_fabric 30 "$latency:value:2.265647" -- \
    "${class[@]}" OMPI_MCA_$network=fabric "${info[@]}"
# mixed NAME FOLDER OTHER WORDS: the node of processes 0 and 1 has the adapters of one folder, that of 2 and 3 those of
# another. Process 0 decides for all: else they had different settings, and the job ended.
mixed() {
    classes "$2"
    local first=("${class[@]}" "${threads[@]}")
    classes "$3"
    says "$1" 30 "$4" 'ok 1' -- "${one_node[@]}" --mca coll napcoll,tuned --mca coll_napcoll_fake_ppn 2 \
        --mca coll_napcoll_verbose 1 -np 2 "${first[@]}" : -np 2 "${class[@]}" "${threads[@]}"
}
mixed process_0_says_that_it_is_an_ethernet slow fast 'are typical of Ethernet'
! at_length || mixed process_0_says_that_it_is_a_fabric fast slow 'are typical of a fabric'
for bad in -2 nan twelve 1us; do
    at_length || [ "$bad" = -2 ] || continue
    says "bad_machine_number_is_named:$bad" 30 "$gap is set to \"$bad\"" 'from 0 to 1e+07' 'ok 1' -- \
        "${one_node[@]}" -np 4 --mca coll napcoll,tuned --mca $gap "$bad" "$programs/threads" --threads 1 --rounds 5
done
printf '%s = -2\n' $gap >"$home/.openmpi/mca-params.conf"
says bad_machine_number_in_a_file_is_named 30 "$gap is set to \"-2\"" 'from 0 to 1e+07' 'ok 1' -- \
    env HOME="$home" "${one_node[@]}" -np 4 --mca coll napcoll,tuned "$programs/threads" --threads 1 --rounds 5
says_at_length machine_that_contradicts_itself_is_named 30 'eager_below_bytes: expected at least' \
    'defaults of all of them' 'ok 1' -- "${one_node[@]}" -np 4 --mca coll napcoll,tuned \
    --mca coll_napcoll_machine_short_below_bytes 9000 "$programs/threads" --threads 1 --rounds 5
refuses different_machines_end_the_job 30 'different settings' machine_node_gap_us=7.5 \
    machine_node_gap_us=0 -- \
    "${one_node[@]}" --mca coll napcoll,tuned -np 2 "$programs/threads" --threads 1 --rounds 5 : \
    -np 2 env OMPI_MCA_$gap=7.5 "$programs/threads" --threads 1 --rounds 5
says_at_length bad_fake_ppn_is_named 30 3,x fake_ppn 'ok 1' -- \
    "${one_node[@]}" -np 4 --mca coll napcoll,tuned --mca coll_napcoll_fake_ppn 3,x \
    "$programs/threads" --threads 1 --rounds 5
says_at_length bad_fake_map_is_named 30 sideways fake_map 'ok 1' -- \
    "${one_node[@]}" -np 4 --mca coll napcoll,tuned --mca coll_napcoll_fake_ppn 2 \
    --mca coll_napcoll_fake_map sideways "$programs/threads" --threads 1 --rounds 5

# --- files of switches ---
fake 8 2 block exchange
printf '%s\n' 'SwitchName=s0 Nodes=n[0,2]' 'SwitchName=s1 Nodes=n1' \
    'SwitchName=top Switches=s[0-1]' >"$scratch/switches"
launch+=(--mca coll_napcoll_topology_file "$scratch/switches")
says node_that_no_switch_has_is_named 60 'host' 'does not list this host, or lists it for another node' 'ok 1' -- \
    "${launch[@]}" "$programs/collectives" --coll bcast --expect runs
fake 4 2 block exchange
# refused_topology NAME TEXT WORD...: a file of that text is complained of, and the job goes on without.
refused_topology() {
    local name=$1
    printf '%b' "$2" >"$scratch/$name"
    says "topology_file_$name" 60 "${@:3}" 'connected to one switch' 'ok 1' -- "${launch[@]}" \
        --mca coll_napcoll_topology_file "$scratch/$name" "$programs/collectives" --coll bcast --expect runs
}
! at_length || refused_topology empty '' 'empty (on host'
! at_length || refused_topology node_twice 'SwitchName=a Nodes=n[0-1]\nSwitchName=b Nodes=n1\n' 'twice, line 2'
refused_topology cycle 'SwitchName=a Switches=b\nSwitchName=b Switches=a\n' 'cycle'
! at_length || refused_topology junk 'SwitchName=a\001\002\377Nodes=n0\n' 'junk, line 1, column'
says topology_file_missing 60 'It cannot be opened' 'ok 1' -- "${launch[@]}" \
    --mca coll_napcoll_topology_file "$scratch/none" "$programs/collectives" --coll bcast --expect runs
# Neither is waited for; each is named once, and the job goes on.
mkfifo "$scratch/fifo"
says files_that_are_fifos 30 "$scratch/fifo (on host" 'It is a FIFO or a pipe; expected a regular file' \
    'it is a FIFO or a pipe; expected a regular file' 'connected to one switch' 'goes on without rules' 'ok 1' -- \
    "${launch[@]}" --mca coll_napcoll_topology_file "$scratch/fifo" --mca coll_napcoll_rules_file "$scratch/fifo" \
    "$programs/collectives" --coll bcast --expect runs
truncate -s 1T "$scratch/huge"
says files_that_are_no_text 30 'It has 1099511627776 bytes; expected at most' \
    'it is a folder; expected a regular file' 'ok 1' -- \
    "${launch[@]}" --mca coll_napcoll_topology_file "$scratch/huge" --mca coll_napcoll_rules_file "$scratch" \
    "$programs/collectives" --coll bcast --expect runs
! at_length || refused_topology long_line "$(head -c 10485760 /dev/zero | tr '\0' 'x')" 'long_line, line 1'

# --- files of rules: byte bounds within one power of two, sizes that ranks agree on, what is wrong ---
fake 8 2 block exchange
cat >"$scratch/rules" <<'END'
allreduce bytes=20..24 op=commutative -> tree
allreduce bytes=25..27 -> fallback
allreduce bytes=28 nodes=5.. -> smp
allreduce bytes=28..30 nodes=4 ppn=2 placement=contiguous -> recursive_doubling
alltoallv bytes=9..12 -> pairwise
alltoallv bytes=13..14 -> tuna radix=3
alltoallv bytes=15.. -> fallback
gatherv bytes=100..20000 -> binomial
gatherv -> linear
scatterv bytes=50 -> two_level
scatterv bytes=51..60 -> binomial
scatterv -> linear
END
# Where blocks went straight, and in a gatherv, the next calls are spared the question: one, then two, then four. Else messages
# tell of other sizes, for the next call, and of larger ones, for this.
case_of rules_decide 60 "${launch[@]}" --mca coll_napcoll_rules_file "$scratch/rules" \
    --mca coll_napcoll_alltoallv_bounded_bytes 262144 "$programs/rules" \
    allreduce,24,runs:tree allreduce,20,runs:tree allreduce,25,fallback:rules allreduce,28,runs:recursive_doubling \
    allreduce,27,fallback:rules allreduce,23,runs:tree \
    alltoallv,12,runs:pairwise alltoallv,13,runs:pairwise alltoallv,13,runs:tuna alltoallv,13,runs:tuna \
    alltoallv,14,runs:tuna alltoallv,16,fallback:rules alltoallv,9,fallback:rules alltoallv,9,runs:pairwise \
    alltoallv,14,runs:pairwise alltoallv,14,runs:pairwise alltoallv,14,runs:tuna alltoallv,65536,fallback:rules \
    alltoallv,13,fallback:rules alltoallv,13,runs:tuna \
    gatherv,100,runs:binomial gatherv,99,runs:binomial gatherv,99,runs:linear gatherv,100,runs:linear \
    gatherv,65536,runs:linear gatherv,100,runs:binomial gatherv,65536,runs:binomial gatherv,100,runs:binomial \
    gatherv,99,runs:binomial gatherv,65535,runs:binomial gatherv,65535,runs:linear \
    scatterv,50,runs:two_level scatterv,50,runs:two_level scatterv,51,runs:two_level scatterv,51,runs:binomial \
    scatterv,60,runs:binomial scatterv,50,runs:two_level scatterv,65,runs:linear scatterv,50,runs:linear \
    scatterv,50,runs:two_level
# Under auto 16 calls go to the fallback function after two leaps of the sizes.
straight=()
for _ in {1..16}; do
    straight+=("alltoallv,16,fallback:sizes")
done
case_of calls_go_straight_where_sizes_leap 60 "${launch[@]}" --mca coll_napcoll_machine_process_gap_us 60 \
    --mca coll_napcoll_machine_node_gap_us 20 "$programs/rules" alltoallv,16,runs:tuna_two_level \
    alltoallv,262144,runs:pairwise alltoallv,16,runs:pairwise alltoallv,16,runs:tuna_two_level "${straight[@]}" \
    alltoallv,16,runs:tuna_two_level
fake 4 2 cyclic exchange
printf '%s\n' 'allreduce placement=contiguous -> tree' 'allreduce -> smp # any' >"$scratch/rules"
says_at_length log_says_which_rule_decided 30 'by smp, by line 2 of the rules file' 'ok 1' -- "${launch[@]}" \
    --mca coll_napcoll_verbose 1 --mca coll_napcoll_rules_file "$scratch/rules" "$programs/threads" --threads 1 --rounds 2 \
    --expect runs:smp
! at_length || case_of forced_before_rules 30 "${launch[@]}" --mca coll_napcoll_rules_file "$scratch/rules" \
    --mca coll_napcoll_allreduce_algorithm recursive_doubling "$programs/rules" allreduce,8,runs:recursive_doubling
printf 'allreduce -> smp\nallreduce bytes=9..8 -> nap\n' >"$scratch/rules"
says bad_rules_file_is_named 30 "$scratch/rules, line 2, column 11" 'expected a range' 'found "bytes=9..8"' \
    'goes on without rules' 'ok 1' -- "${launch[@]}" --mca coll_napcoll_rules_file "$scratch/rules" \
    --mca coll_napcoll_allreduce_algorithm tree "$programs/threads" --threads 1 --rounds 2 --expect runs:tree
says_at_length missing_rules_file_is_named 30 'it cannot be opened' 'goes on without rules' 'ok 1' -- "${launch[@]}" \
    --mca coll_napcoll_rules_file "$scratch/none" "$programs/threads" --threads 1 --rounds 2

end_suite
