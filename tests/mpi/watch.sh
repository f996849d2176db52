#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# What users see of calls while a job runs: decisions in the log, the same as napcoll-plan explain gives; the summary;
# control variables; and the online check, of which all ranks must be of one mind. See harness.sh.
set -u

# shellcheck source=tests/mpi/harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"
plan=${NAPCOLL_BUILD:-$source_dir/build}/bin/napcoll-plan

# watched_case NAME ARGUMENT...: a case of `watched` under `launch`, with parameters and words. Every process writes its
# log to a file of its own, all of which are in the case's output in the end: mpirun cuts what it forwards anywhere.
watched_case() {
    local name=$1
    shift
    rm -f "$scratch"/log.*
    # shellcheck disable=SC2016 # for the shell of each process
    run_case "$name" 60 "${launch[@]}" "${parameters[@]}" sh -c \
        'exec env -u OPAL_OUTPUT_STDERR_FD "$@" 2>"$0.$OMPI_COMM_WORLD_RANK"' "$scratch/log" "$programs/watched" "$@"
    cat "$scratch"/log.* >>"$scratch/out"
}

# --- control variables ---
fake 4 2 block exchange
case_of cvars 60 "${launch[@]}" --mca coll_napcoll_allreduce_algorithm nap "$programs/cvars"

# --- what was decided, and why not otherwise ---
fake 3 2 block exchange
says_at_length log_says_what_every_algorithm_costs 60 'allreduce of 0 to 8 bytes by ' ' us, the least' \
    'allreduce of 0 to 8 bytes: recursive_doubling: ' 'gathered: not tried: ' \
    'allgather of 9 to 16 bytes: recursive_doubling: not eligible: ' 'linear: not tried: it has messages under way' -- \
    "${launch[@]}" --mca coll_napcoll_verbose 5 "$programs/watched" allreduce:8:1 allgather:16:1 gather:8192:1
! at_length || ! wanted log_says_what_every_algorithm_costs ||
    check log_says_it_once lines 1 ' allgather of 9 to 16 bytes by '

# --- the summary: what napcoll forced and what it left, counted on one process and on all ---
# calls_of WORD...: "PROCESS COLL SIZES WHAT CALLS BYTES" of each line of the summary that begins so behind the process.
calls_of() {
    sed -nE "s/.*coll:napcoll: summary of process ([0-9]+): ($*[^=]*) calls=([0-9]+) bytes=([0-9]+) total_us=[0-9]+\.[0-9] mean_us=[0-9]+\.[0-9] setup_us=[0-9]+\.[0-9]$/\1 \2 \3 \4/p" \
        "$scratch/out" | sort -n
}
# Open MPI's own calls: MPI_Comm_dup, for the number of the new communicator.
internal='iallreduce 0-8 nap 6 24'
summary_of_all() {
    local p
    diff <(calls_of) <(for p in 0 1 2 3; do
        printf "$p %s\n" 'allreduce 9-16 nap 5 80' 'allreduce 513-1024 nap 2 2000' "$internal" \
            'bcast 0-8 fallback:forced 3 24'
    done | sort -n | sort -s -n -k 1,1)
}
fake 4 2 block exchange
launch+=(--mca coll_napcoll_allreduce_algorithm nap --mca coll_napcoll_bcast_algorithm fallback)
calls=(allreduce:16:5 bcast:8:3 allreduce:1000:2)
# The lines of each process are together, behind one that tells of the job.
lines_of_all() {
    jq -e -s '([.[] | .process] | [range(0; 20; 5) as $i | .[$i:$i + 5] | unique | length] == [1, 1, 1, 1])
        and ([.[range(0; 20; 5)] | [.kind, .job, .processes, .nodes, .min_ppn, .max_ppn, .lost_calls]] | unique
            == [["summary", "a_b", 4, 2, 2, 2, 0]])
        and all(.[] | select(.kind == "calls"); .min_us <= .mean_us and .mean_us <= .max_us and .max_us <= .total_us)' \
        "$scratch/calls" >/dev/null || { cat "$scratch/calls" && return 1; }
}
rows_of_all() {
    diff <(calls_of) <(jq -c 'select(.kind == "calls")' "$scratch/calls" | jq -r \
        '"\(.process) \(.collective) \(.from_bytes)-\(.to_bytes) \(.algorithm // "fallback:" + .fallback) \(.calls) \(.bytes)"' |
        sort -n)
}
# One table: what process 0 asks for holds for all processes.
job_of_all() {
    jq -e -s '[.[] | [.process, .collective, .calls, .bytes, .processes]] == [[null, null, null, null, 4],
            [null, "allreduce", 20, 320, 4], [null, "allreduce", 8, 8000, 4], [null, "iallreduce", 24, 96, 4],
            [null, "bcast", 12, 96, 4]]
        and .[0].counted == 4
        and all(.[1:][]; .min_us <= .mean_us and .mean_us <= .max_us and .min_total_us <= .median_total_us
            and .median_total_us <= .max_total_us and .max_total_us <= .total_us and .max_setup_us > 0)' \
        "$scratch/calls" >/dev/null || { cat "$scratch/calls" && return 1; }
}
if wanted summary; then
    parameters=(--mca coll_napcoll_summary all --mca coll_napcoll_summary_file "$scratch/%%%j")
    JOB_ID=a/b watched_case summary "${calls[@]}"
    check summary_counts_the_calls_of_all_processes summary_of_all
    mv "$scratch/%a_b" "$scratch/calls"
    check summary_file_has_a_block_of_each_process lines_of_all
    check summary_file_has_the_rows_of_the_log rows_of_all
    rm -f "$scratch/calls"
fi
if wanted summary_of_job; then
    # shellcheck disable=SC2016 # for the shell of each process
    parameters=(sh -c '[ "$OMPI_COMM_WORLD_RANK" != 0 ] || export OMPI_MCA_coll_napcoll_summary=job; exec "$@"' sh
        env OMPI_MCA_coll_napcoll_summary_file="$scratch/calls")
    watched_case summary_of_job "${calls[@]}"
    check summary_of_the_job_is_logged lines 4 \
        'coll:napcoll: summary of the job, 4 processes: (i?allreduce|bcast) .* processes=4 min_total_us='
    check summary_of_the_job_is_logged_alone lines 4 'coll:napcoll: summary of'
    check summary_file_has_the_table_of_the_job job_of_all
    rm -f "$scratch/calls"
fi
if at_length && wanted summary_of_one; then
    parameters=(--mca coll_napcoll_summary rank0)
    watched_case summary_of_one "${calls[@]}"
    check summary_is_that_of_process_0 lines 4 'coll:napcoll: summary of process 0: '
    check summary_is_that_of_no_other lines 4 'coll:napcoll: summary of process'
fi
says summary_that_is_not_written_is_named 60 'ok 1' '/dev/full (on host' 'No space left on device' -- \
    "${launch[@]}" --mca coll_napcoll_summary all --mca coll_napcoll_verbose -1 --mca coll_napcoll_summary_file /dev/full \
    "$programs/watched" allreduce:16:5
! wanted summary_that_is_not_written_is_named || check summary_is_named_once_and_not_logged lines 1 \
    '(was not appended to the file|coll:napcoll: summary)'
# A fallback function that calls other collectives, as tuned's allreduce of reduce and broadcast does, gets the fallback
# functions of those, too.
nothing_but_allreduces() {
    diff <(calls_of) <(for p in 0 1 2 3; do
        printf "$p %s\n" 'allreduce 0-8 fallback:forced 5 40' 'iallreduce 0-8 fallback:forced 6 24'
    done)
}
fake 4 2 block exchange
if wanted fallback_goes_by_itself; then
    parameters=(--mca coll_napcoll_summary all --mca coll_napcoll_allreduce_algorithm fallback
        --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_allreduce_algorithm 2)
    watched_case fallback_goes_by_itself allreduce:8:5
    check what_the_fallback_calls_is_not_napcolls nothing_but_allreduces
fi
# A nonblocking call does not wait for the verification of its plans, which takes messages; a blocking one does.
setup_of_all() {
    diff <(calls_of iallreduce) <(for p in 0 1 2 3; do echo "$p iallreduce any fallback:setup 6 24"; done)
}
if wanted setup_takes_messages; then
    parameters=(--mca coll_napcoll_summary all --mca coll_napcoll_verify on)
    watched_case setup_takes_messages allreduce:8:5
    check nonblocking_calls_do_not_wait_for_set_up setup_of_all
    check blocking_calls_wait_for_set_up lines 4 ' allreduce 0-8 [a-z_]* calls=5 '
fi
# --- the online check ---
# Of the calls of a trial napcoll serves half, the same ones on each process. The winner serves all later calls; without
# a trial, napcoll.
# one_mind COLL NP CALLS TRIAL: on NP processes, of CALLS calls, of which TRIAL of either kind belong to the trial.
one_mind() {
    calls_of "$1 " | awk -v np="$2" -v calls="$3" -v trial="$4" '
        { fallback = $4 ~ /^fallback:online$/; kind = fallback ? "fallback" : "napcoll"; count[$1, kind] += $5
          if ($4 ~ /^fallback/ && !fallback) { print "left: " $0; bad = 1 } }
        END { for (p = 0; p < np; p++) {
                  n = count[p, "napcoll"]; o = count[p, "fallback"]
                  if (n + o != calls || (n != trial && o != trial) || n != count[0, "napcoll"] || n < trial || o < trial) {
                      print "process " p ": " n " of napcoll, " o " of the fallback component"; bad = 1
                  } }
              exit bad }'
}
# online NAME NP PPN TIMES WORD...: the online check of classes, each word COLL:BYTES, with two timed calls of each.
online() {
    local name=$1 np=$2 ppn=$3 times=$4 word words=() log=()
    shift 4
    wanted "$name" || return 0
    for word in "$@"; do
        words+=("$word:$times")
    done
    fake "$np" "$ppn" block exchange
    parameters=(--mca coll_napcoll_summary all --mca coll_napcoll_verbose 10 --mca coll_napcoll_online 1
        --mca coll_napcoll_online_calls 2)
    watched_case "$name" "${words[@]}"
    for word in "$@"; do
        check "${name}_of_${word%:*}_is_of_one_mind" one_mind "${word%:*}" "$np" "$times" 3
        mapfile -t log < <(sed -nE "s/.*(online check of ${word%:*} of )/\1/p" "$scratch/out" | sort -u)
        [ "${#log[@]}" = 1 ]
        verdict "$?" "${name}_of_${word%:*}_is_logged_alike"
        check "${name}_of_${word%:*}_is_logged_by_all" lines "$np" "online check of ${word%:*} of .* us: (napcoll|it) serves later calls$"
    done
}
online online_check 6 3 14 allreduce:8 bcast:2000 reduce:600 barrier:0 allgather:16 gather:100 alltoall:64 alltoallv:64 \
    scan:8 reduce_scatter_block:8
! at_length || online online_check_of_unequal_nodes 5 3,1 9 allreduce:65536 bcast:100000 scatter:8 reduce:8
fake 4 2 block exchange
launch+=(--mca coll_napcoll_summary all --mca coll_napcoll_online 1)
if at_length && wanted online_exceptions; then
    printf 'allgather bytes=8 -> ring\nallgather -> auto\n' >"$scratch/rules"
    parameters=(--mca coll_napcoll_reproducible 1 --mca coll_napcoll_bcast_algorithm binomial
        --mca coll_napcoll_rules_file "$scratch/rules")
    watched_case online_exceptions allreduce:8:20 bcast:8:20 allgather:8:16 allgather:16:16
    check online_leaves_reproducible_sums_alone one_mind allreduce 4 20 0
    check online_leaves_what_is_forced_alone one_mind bcast 4 20 0
    check online_leaves_what_rules_name_alone lines 4 'allgather 8-8 ring calls=16 '
    check online_checks_what_rules_leave_to_the_model lines 4 'allgather [0-9]+-16 [a-z]+:online calls='
fi
! at_length || case_of online_collectives 60 "${launch[@]}" "$programs/collectives" --large 20000 --checks results \
    --case online_allreduce --coll allreduce --case online_bcast --coll bcast --case online_gatherv --coll gatherv
! at_length || case_of online_threads 60 "${launch[@]}" --mca coll_napcoll_online_calls 1 "$programs/threads" \
    --coll all --threads 2 --rounds 12

# --- napcoll-plan explain says what the component decides ---
# explains NAME NP PPN MAP MACHINE WORD...: for the same processes, machine, rules (the file named by `rules`, where there
# is one) and calls COLL:BYTES. The component is told the machine, or what the array
# `told` has for mpirun.
explains() {
    local name=$1 np=$2 ppn=$3 map=$4 machine=$5 word words=() options line bad=0
    shift 5
    wanted "$name" || return 0
    [ "$ppn" = 1 ] || [ -n "$rules" ] || words=(run)
    for word in "$@"; do
        words+=("$word:1")
    done
    fake "$np" "$ppn" "$map" exchange
    [ "${#told[@]}" -gt 0 ] || local told=(--mca mca_base_param_files "$machines/$machine")
    parameters=("${told[@]}" --mca coll_napcoll_verbose 10
        ${rules:+--mca coll_napcoll_rules_file "$rules"})
    watched_case "$name" "${words[@]}"
    for word in "$@"; do
        options=(--coll "${word%:*}" --ranks "$np" --ppn "$ppn" --map "$map" ${rules:+--rules "$rules"} "${unmeasured[@]}")
        [ "${word%:*}" = barrier ] || options+=(--bytes "${word#*:}")
        line=$("$plan" explain --machine "$machines/$machine" "${options[@]}" |
            sed -nE 's/^Logged \(coll_napcoll_verbose 1\) as: //p')
        if [ -z "$line" ] || [ "$(grep -c -F -x -e "$line" <(sed -E 's/.*coll:napcoll: communicator [0-9]+: //' \
            "$scratch/out"))" -lt "$np" ]; then
            printf '# %s: explain says "%s", and not so all processes\n' "$word" "$line"
            bad=1
        fi
    done
    check "${name}_is_what_$#_calls_do" [ "$bad" = 0 ]
}
rules=
told=()
unmeasured=()
machines=$source_dir/ompi/tools/napcoll/machines
sizes=(allreduce:8 allreduce:500000 reduce:3000 barrier:0 allgather:8 bcast:5000 bcast:1000000 reduce_scatter_block:64
    scan:8 alltoall:2000 gather:8192 scatter:100000)
if at_length; then
    explains explain_block 8 4 block bluewaters.conf "${sizes[@]}"
    explains explain_unequal 7 3,1 cyclic netlab-oversubscribed.conf "${sizes[@]}"
    rules=$scratch/rules
    printf '%s\n' 'allreduce bytes=..16 -> smp radix=2' 'allreduce -> auto' 'bcast -> fallback' \
        'alltoall bytes=100..1500 -> tuna radix=3' 'gather placement=scattered -> linear' >"$rules"
    explains explain_rules 6 3 block bluewaters.conf allreduce:8 allreduce:64 bcast:5000 alltoall:64 alltoall:1200 gather:8 \
        alltoallv:64 scatterv:64
    rules=
    explains explain_alone 3 1 block bluewaters.conf allreduce:8 bcast:8 alltoall:8
    told=(--mca coll_napcoll_network ethernet)
    unmeasured=(--processors "$(getconf _NPROCESSORS_ONLN)")
    explains explain_not_measured 8 4 block ethernet.conf "${sizes[@]}"
    told=()
fi

end_suite
