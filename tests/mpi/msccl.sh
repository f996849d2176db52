#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Programs of MSCCL become plans that run; wrong ones are refused by name, with the place. See harness.sh.
set -u

# shellcheck source=tests/mpi/harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

plan=${NAPCOLL_BUILD:-$source_dir/build}/bin/napcoll-plan
folder=$scratch/plans
mkdir "$folder"
fake 8 4 block exchange
by_file=(--mca coll_napcoll_plans_file "$folder")

# write PROGRAM [MUTANT]: the program's file.
write() {
    awk -v program="$1" -v mutant="${2:-}" -f "$here/msccl.awk" >"$scratch/$1${2:+.$2}.xml"
}

# program PROGRAM PLANS MESSAGES COLLECTIVE...: it is proved, run, and written and read again.
program() {
    local name=$1 plans=$2 messages=$3 coll
    shift 3
    write "$name"
    says "proved_$name" 20 "file:$name, line 3: ok; $plans plans, $messages messages" \
        "line 3, in place: ok" -- "$plan" verify "$scratch/$name.xml"
    "$plan" export "$scratch/$name.xml" --output "$folder/$name.plans"
    for coll in "$@"; do
        case_of "${name}_$coll" "$program_seconds" "${launch[@]}" "${by_file[@]}" "$programs/collectives" \
            --coll "$coll" --algorithm "file:$name" --expect runs:file --expect-noncommutative any
    done
    "$plan" export --msccl "$folder/$name.plans" --output "$scratch/again.xml"
    says "again_$name" 20 "file:$name, line 3: ok; $plans plans, $messages messages" -- "$plan" verify "$scratch/again.xml"
}

if ! write ring_allgather || "$plan" verify "$scratch/ring_allgather.xml" 2>&1 | grep -q 'built without'; then
    skip msccl "napcoll-plan was built without expat"
    end_suite
    exit
fi

program ring_allreduce 8 240 allreduce
program ring_allgather 8 56 allgather
program halving_reduce_scatter 8 24 reduce_scatter reduce_scatter_block
program two_step_alltoall 8 32 alltoall
program allpairs_allreduce 8 112 allreduce
says counted 60 'allreduce 0-8 file:allpairs_allreduce calls=' -- "${launch[@]}" "${by_file[@]}" \
    --mca coll_napcoll_allreduce_algorithm file:allpairs_allreduce --mca coll_napcoll_summary rank0 \
    "$programs/collectives" --coll allreduce --checks results

# --- wrong programs ---
# mutant PROGRAM MUTANT WORD...: verify refuses it with the words.
mutant() {
    local name=$1 mutant=$2
    shift 2
    write "$name" "$mutant"
    refuses "refused_${name}_$mutant" 20 "$@" -- "$plan" verify "$scratch/$name.$mutant.xml"
}
# changed PROGRAM NAME SED WORD...: the same of a change of its text.
changed() {
    local name=$1 mutant=$2
    write "$name"
    sed "$3" "$scratch/$name.xml" >"$scratch/$name.$mutant.xml"
    shift 3
    refuses "refused_${name}_$mutant" 20 "$name.$mutant.xml:" "$@" -- "$plan" verify "$scratch/$name.$mutant.xml"
}

mutant ring_allreduce wrong 'broken: contribution' 'of the result with 7 contributions of 8'
mutant ring_allgather wrong 'broken: contribution' 'block 1 of the result'
mutant halving_reduce_scatter wrong 'broken: contribution'
mutant two_step_alltoall wrong 'broken: contribution'
mutant allpairs_allreduce wrong 'broken: contribution' 'with 7 contributions of 8'
mutant ring_allreduce deadlock ':6: gpu 0, tb 0, step 0 (rrcs): deadlock: waits for gpu 7, tb 0, step 0'
mutant ring_allgather deadlock ':9: gpu 0, tb 1, step 0 (s): deadlock: waits for gpu 0, tb 2, step 0'
mutant halving_reduce_scatter deadlock ':6: gpu 0, tb 0, step 0 (rrc): deadlock: waits for gpu 4, tb 0, step 1'
mutant two_step_alltoall deadlock ':10: gpu 0, tb 1, step 0 (r): deadlock: waits for gpu 1, tb 3, step 1'
mutant allpairs_allreduce deadlock ':6: gpu 0, tb 0, step 0 (r): deadlock: waits for gpu 1, tb 6, step 1' \
    'expected another order of steps, or other deps'
mutant ring_allreduce race ':25: gpu 0, tb 1, step 1 (rrcs): race for i[14] with tb 0, step 1 (rrcs)'
mutant ring_allgather race ':24: gpu 0, tb 2, step 6 (r): race for o[0] with tb 0, step 0 (cpy)'
mutant halving_reduce_scatter race 'race for i[0] with' 'expected deps that say which is first'
mutant two_step_alltoall race ':13: gpu 0, tb 1, step 3 (r): race for s[0] with tb 0, step 1 (cpy)'
mutant allpairs_allreduce race ':13: gpu 0, tb 1, step 1 (r): race for s[0] with tb 0, step 1 (r)'
mutant ring_allgather nodep ':9: gpu 0, tb 1, step 0 (s): race for o[0] with tb 0, step 0 (cpy)'
mutant halving_reduce_scatter nodep 'race for i[1] with tb 2, step 0 (s)'
mutant two_step_alltoall nodep ':31: gpu 0, tb 4, step 3 (s): race for s[3] with tb 3, step 3 (r)'
mutant allpairs_allreduce nodep 'race for i[0] with'
mutant ring_allgather nohasdep 'waits for ever for tb 0, step 0, which has hasdep="0"; expected hasdep="1" there'

# shellcheck disable=SC2016 # a command of sed
# Each program, cut off, with an unknown attribute, an offset beyond its buffer, and one that is another chunk's.
for name in ring_allreduce ring_allgather halving_reduce_scatter two_step_alltoall allpairs_allreduce; do
    changed "$name" cut '20,$ d' '20:1: not XML: no element found; is the file complete?'
    changed "$name" attribute '6s/ cnt=/ count=/' ':6:7: <step> has no attribute count'
    changed "$name" offset '6s/off="[0-9]*"/off="16"/' ':6:7: srcoff="16" cnt="' 'buffer i of gpu 0 has'
done
changed ring_allreduce other_chunk '7s/dstoff="14"/dstoff="12"/' \
    ':7: gpu 0, tb 0, step 1 (rrcs): writes chunk 14 to i[12], the place of chunk 12; expected another offset, or scratch'
changed ring_allgather other_chunk '6s/dstoff="0"/dstoff="1"/' 'writes chunk 0 to o[1], the place of chunk 1'
changed halving_reduce_scatter other_chunk '7s/off="0"/off="4"/g' 'reduces chunk 4 with chunk 0; expected other offsets'
changed allpairs_allreduce unread '49s/srcoff="1"/srcoff="0"/' 'reads s[0], to which no step before has written'
changed two_step_alltoall unmatched '11s/type="s"/type="nop"/' 'no step of gpu 0 sends this message on channel 0'
changed ring_allgather count '18s/cnt="1"/cnt="2"/;18s/off="7"/off="6"/g' 'receives cnt="2" chunks, but gpu 7, tb 1, step 0 sends 1'
changed ring_allreduce owner 's/chan="1"/chan="0"/' 'tb 0, too, has messages from gpu 0 to 1 on channel 0'
changed ring_allreduce collective '3s/allreduce" in/broadcast" in/' 'coll="broadcast": expected one of allreduce, allgather'
changed two_step_alltoall in_place '3s/inplace="0"/inplace="1"/' 'an alltoall in place is not supported'
changed ring_allgather doctype '2s/.*/<!DOCTYPE algo [<!ENTITY a "b">]>/' 'expected no <!DOCTYPE>'
changed ring_allreduce gpus '3s/ngpus="8"/ngpus="9"/' 'expected 9 gpus, by ngpus; found 8'
changed ring_allgather element '5s/<tb /<block /' ':5:5: <block>: expected <tb>'

# In a job, too: export proves nothing.
"$plan" export "$scratch/ring_allreduce.wrong.xml" --output "$scratch/wrong.plans"
says wrong_never_runs 60 'plan ring_allreduce of allreduce is wrong (contribution)' 'ok 1' -- "${launch[@]}" \
    --mca coll_napcoll_plans_file "$scratch/wrong.plans" "$programs/collectives" --coll allreduce \
    --algorithm file:ring_allreduce --expect any --checks results

end_suite
