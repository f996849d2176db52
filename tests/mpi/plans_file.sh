#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Plans from files: they run where they are named, with the results of any algorithm; wrong ones are refused by name, and
# their calls are counted fallbacks. See harness.sh.
set -u

# shellcheck source=tests/mpi/harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

plan=${NAPCOLL_BUILD:-$source_dir/build}/bin/napcoll-plan
folder=$scratch/plans
mkdir "$folder"
fake 8 2 block exchange

# write COLL ALGORITHM OPTION...: the plans of an algorithm on this placement, for the folder, as file:copy.
write() {
    local coll=$1 algorithm=$2
    shift 2
    "$plan" export --coll "$coll" --algorithm "$algorithm" --nodes 4 --ppn 2 --name copy "$@" \
        --output "$folder/$coll${*// /}.plans"
}

write allreduce nap
write allreduce nap --in-place
write allreduce nap --noncommutative
write allreduce nap --noncommutative --in-place
write allgather locality_bruck
write allgather locality_bruck --in-place
write alltoall pairwise
write barrier nap
cp "$folder/barrier.plans" "$folder/.hidden.plans"

by_file=(--mca coll_napcoll_plans_file "$folder")
# --- plans of a folder, by info key: they really run ---
for coll in allreduce allgather barrier; do
    case_of "file_${coll}" "$program_seconds" "${launch[@]}" "${by_file[@]}" "$programs/collectives" \
        --coll "$coll" --algorithm file:copy --expect runs:file
done

# --- the plan of the tutorial, as it is printed there ---
sed -n '/^    napcoll-plans 1$/,/^[^ ]/p' "$source_dir/docs/plans-tutorial.md" | sed -n 's/^    //p' >"$scratch/ring4.plans"
fake 4 2 block exchange
by_file=(--mca coll_napcoll_plans_file "$scratch/ring4.plans")
case_of tutorial "$program_seconds" "${launch[@]}" "${by_file[@]}" "$programs/collectives" \
    --coll allreduce --algorithm file:ring4 --expect runs:file --expect-noncommutative fallback:noncommutative
says tutorial_is_counted 60 'allreduce 0-8 file:ring4 calls=' -- "${launch[@]}" "${by_file[@]}" \
    --mca coll_napcoll_allreduce_algorithm file:ring4 --mca coll_napcoll_summary rank0 \
    "$programs/collectives" --coll allreduce --checks results
printf 'allreduce nodes=2 -> file:ring4\n' >"$scratch/rules"
case_of tutorial_by_rule "$program_seconds" "${launch[@]}" "${by_file[@]}" --mca coll_napcoll_rules_file "$scratch/rules" \
    "$programs/collectives" --coll allreduce --expect runs:file --expect-noncommutative any

# --- wrong plans never run ---
# mutant NAME SED WORD...: a change of the tutorial's plan is refused with the words, and its calls fall back.
mutant() {
    local name=$1 change=$2
    shift 2
    sed "$change" "$scratch/ring4.plans" >"$scratch/$name.plans"
    says "refused_$name" 60 "$@" 'ok 1' -- "${launch[@]}" --mca coll_napcoll_plans_file "$scratch/$name.plans" \
        "$programs/collectives" --coll allreduce --algorithm file:ring4 --expect any --checks results
}
mutant wrong_result 's/^copy recvbuf\[1\].*/copy recvbuf[1] = sendbuf[1]/' \
    'plan ring4 of allreduce is wrong (contribution)' 'leaves block 1 of the result'
mutant missing_message '0,/^send/{/^send/d}' 'plan ring4 of allreduce is wrong (unmatched)'
mutant wrong_partner 's/^send sendbuf\[0\] to 1/send sendbuf[0] to 2/' 'plan ring4 of allreduce is wrong (unmatched)'
mutant race 's/^recv temp0\[3\] from 3/recv temp0[0] from 3/' 'plan ring4 of allreduce is wrong'
mutant syntax 's/^layout vector 4/layout victor 4/' 'line 5, column 8: expected vector, ranks, slots or personalized'

# pair NAME HEAD WORD...: plans of two processes, from standard input: HEAD, then for each rank "stage" lines in which
# OTHER is the other rank; they are refused with the words, and their calls fall back.
fake 2 1 block exchange
pair() {
    local name=$1 head=$2 body rank
    shift 2
    body=$(cat)
    {
        printf 'napcoll-plans 1\nplan pair allreduce\nranks 2\n%s' "$head"
        for rank in 0 1; do
            printf 'rank %d\n%s\n' "$rank" "${body//OTHER/$((1 - rank))}"
        done
    } >"$scratch/$name.plans"
    says "refused_$name" 60 "$@" 'ok 1' -- "${launch[@]}" --mca coll_napcoll_plans_file "$scratch/$name.plans" \
        "$programs/collectives" --coll allreduce --algorithm file:pair --expect any --checks results
}
pair deadlock $'layout vector 1\n' 'plan pair of allreduce is wrong (deadlock)' \
    'which waits in stage 0 for rank 1, directly or through others' <<'END'
temps 0+1
stage
recv temp0[0] from OTHER
reduce recvbuf[0] = sendbuf[0] op temp0[0]
stage
send sendbuf to OTHER
END
pair too_many_messages $'messages 1\nlayout vector 2\n' 'plan pair of allreduce is wrong (messages)' \
    '2 messages received and 2 sent, claimed 1' <<'END'
temps 0+2
stage
recv temp0[0] from OTHER
recv temp0[1] from OTHER
send sendbuf[0] to OTHER
send sendbuf[1] to OTHER
reduce recvbuf[0+2] = sendbuf[0+2] op temp0[0+2]
END

# --- plans for other nodes do not serve these ---
"$plan" export --coll allreduce --algorithm nap --nodes 2 --ppn 2 --map cyclic --name other --output "$scratch/other.plans"
fake 4 2 block exchange
case_of other_placement "$program_seconds" "${launch[@]}" --mca coll_napcoll_plans_file "$scratch/other.plans" \
    "$programs/collectives" --coll allreduce --algorithm file:other --expect fallback:file --expect-noncommutative any

# --- calls of refused or unknown plans are counted fallbacks ---
says unknown_plan_is_named 60 'coll_napcoll_allreduce_algorithm=file:none' 'Such calls go to the fallback component' \
    'allreduce 0-8 fallback:file calls=' -- "${launch[@]}" "${by_file[@]}" \
    --mca coll_napcoll_allreduce_algorithm file:none --mca coll_napcoll_summary rank0 \
    "$programs/collectives" --coll allreduce --checks results

end_suite
