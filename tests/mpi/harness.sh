# shellcheck shell=bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# What the suites in this folder share. Each runs MPI test programs under `mpirun --mca coll
# napcoll,tuned`: on one node that napcoll takes for several (its parameters fake_ppn and fake_map), and on
# the emulated cluster of tests/netlab. It prints TAP: each line of a program's becomes a line of the
# suite's. To be sourced; end_suite is the last line of a suite.
#
#     tests/mpi/SUITE.sh [PATTERN]      only the cases whose name matches the shell pattern
#
# NAPCOLL_BRIEF=yes leaves out cases that test no more of Open MPI than others do (run.sh --brief).
#
# The environment is set by build/env.sh. NAPCOLL_MPI_TESTS names the folder of the programs, if it
# is not tests/mpi in the build folder.

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
# What auto chooses must not depend on the adapters of this machine.
export OMPI_MCA_coll_napcoll_network=${OMPI_MCA_coll_napcoll_network:-fabric}
# Messages inside nodes go through node memory from the first call on; between the nodes that one machine stands for, by
# the PML.
export OMPI_MCA_coll_napcoll_node_memory_calls=${OMPI_MCA_coll_napcoll_node_memory_calls:-0}
# The tests take and give back memory of many sizes. That glibc keeps it in its heap, and of large pages, saves most of
# the page faults, which are dear on some virtual machines.
export GLIBC_TUNABLES=glibc.malloc.mmap_threshold=33554432:glibc.malloc.trim_threshold=1073741824:glibc.malloc.hugetlb=1
# An mpirun on this node alone: without what looks for networks, and says so when it finds none.
# shellcheck disable=SC2054 # the commas are in the value
one_node=(mpirun --mca pml ^cm,ucx --mca btl ^ofi,uct,openib --mca btl_tcp_if_include lo)

number=0
failed=0
scratch=$(mktemp -d "${TMPDIR:-/tmp}/napcoll-suite.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
running=

# stop STATUS: ends the case that is running, and the suite.
stop() {
    trap '' HUP INT TERM
    [ -z "$running" ] || { kill "$running" && wait "$running"; }
    exit "$1"
}
trap 'stop 129' HUP
trap 'stop 130' INT
trap 'stop 143' TERM

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
    grep -v -e '^ok ' -e '^1\.\.' "$scratch/out" | head -n 120 | sed -e 's/^#* *//' -e 's/^/#   /'
}

# check NAME COMMAND...: a verdict on the present case's output, which is shown where the command fails.
check() {
    local name=$1
    shift
    if "$@"; then
        verdict 0 "$name"
    else
        verdict 1 "$name"
        show_output
    fi
}

# lines COUNT PATTERN: that many lines of the present case's output have the pattern (an extended regular expression).
lines() {
    local seen
    seen=$(grep -c -E -e "$2" "$scratch/out")
    [ "$seen" = "$1" ] || { printf '# %s lines, not %s: %s\n' "$seen" "$1" "$2" && return 1; }
}

# limited SECONDS COMMAND...: output goes to $scratch/out; returns 124 or 137 if it did not end. SECONDS are for an idle
# machine of today; a slow or busy one gets three times as long.
limited() {
    local seconds=$(($1 * 3)) rc=0
    shift
    # In the background, for `stop` to end it at once; what runs there ignores SIGINT, unless told. The
    # outputs are apart, because mpirun prints a line of the one in the midst of a long message of the other.
    env --default-signal=INT,QUIT timeout --kill-after=10 "$seconds" "$@" \
        >"$scratch/stdout" 2>"$scratch/stderr" </dev/null &
    running=$!
    wait "$running" || rc=$?
    running=
    # Open MPI 5.0's mpirun ends its messages with a null byte.
    cat "$scratch/stdout" "$scratch/stderr" | tr -d '\000' >"$scratch/out"
    return "$rc"
}

# launched SECONDS COMMAND...: as limited, but once more where the launcher was lost.
launched() {
    local rc try
    for try in {1..10}; do
        rc=0
        limited "$@" || rc=$?
        lost_launcher "$rc" || { never_started "$rc" && [ "$try" -lt 3 ]; } || break
        printf '# the launcher failed; once more\n'
    done
    return "$rc"
}

# never_started STATUS: the time limit ended a job that has printed nothing, not even that it started (tap_open). Open MPI
# 5.0's launcher hangs so now and then, before it starts a process; or, once in many hundred jobs, before the first
# check.
never_started() {
    local begun=()
    case $(mpicc --showme:version | napcoll_openmpi_version) in
        5.*) begun=(-e '# started') ;;
    esac
    case $1 in
        124 | 137) ! grep -v -x -e Killed -e Terminated "${begun[@]}" "$scratch/out" >"$scratch/printed" ;;
        *) return 1 ;;
    esac
}

# case_of NAME SECONDS COMMAND...: a program that speaks TAP.
case_of() {
    ! wanted "$1" || run_case "$@"
}

# run_case NAME SECONDS COMMAND...: the same whether the name is wanted or not. Where the program has several
# cases, it says their names.
run_case() {
    local name=$1 seconds=$2 rc=0 bad=0 seen=0 planned='' line
    shift 2
    launched "$seconds" "$@" || rc=$?
    if [ "$rc" = 77 ]; then
        skip "$name" "$(tail -n 1 "$scratch/out")"
        return 0
    fi
    while IFS= read -r line; do
        case $line in
            '# case '*) name=${line#\# case } ;;
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
        verdict 1 "$name: ends within $((seconds * 3)) s"
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

# says_at_length: the same, but not in the brief suite.
says_at_length() {
    ! at_length || says "$@"
}

# refuses NAME SECONDS WORD... -- COMMAND...: as says, but the command ends with an error.
refuses() {
    speaks 1 "$@"
}

# speaks STATUS NAME SECONDS WORD... -- COMMAND...: the output has all the words; STATUS is 0 or,
# for any error, 1.
speaks() {
    local status=$1 name=$2 seconds=$3 rc try missing words=() good
    shift 3
    wanted "$name" || return 0
    while [ "$1" != -- ]; do
        words+=("$1")
        shift
    done
    shift
    until_said "$status" "$seconds" "$@"
    [ "$rc" = "$status" ] && [ -z "$missing" ]
    good=$?
    verdict "$good" "$name"
    [ "$good" = 0 ] || { printf '# try %d, exit %d, missing:%s\n' "$try" "$rc" "$missing" \
        && show_output; }
}

# says_each NAME SECONDS COMMAND...: one job, whose status is 0, and a check for each line "CHECK|WORD|WORD..." of
# standard input: the output has its words. No message is kept back for being like another one.
says_each() {
    local name=$1 seconds=$2 rc try missing words=() word check checks=() fields good=0
    shift 2
    while IFS='|' read -r -a fields; do
        wanted "${fields[0]}" || continue
        words+=("${fields[@]:1}")
        checks+=("$(IFS='|' && printf '%s' "${fields[*]}")")
    done
    [ "${#checks[@]}" -gt 0 ] || return 0
    # The names that Open MPI 4 and 5, and PMIx, which prints for 5, have for it.
    until_said 0 "$seconds" env OMPI_MCA_orte_base_help_aggregate=0 OMPI_MCA_opal_base_help_aggregate=0 \
        PMIX_MCA_base_help_aggregate=0 PMIX_MCA_pmix_base_help_aggregate=0 "$@"
    verdict "$rc" "$name: the job ends well"
    for check in "${checks[@]}"; do
        IFS='|' read -r -a fields <<<"$check"
        missing=
        for word in "${fields[@]:1}"; do
            said "$word" || missing="$missing $word"
        done
        [ -z "$missing" ]
        verdict $? "${fields[0]}"
        [ -z "$missing" ] || printf '# missing:%s\n' "$missing"
        good=$good${missing:+1}
    done
    [ "$rc$good" = 00 ] || show_output
}

# until_said STATUS SECONDS COMMAND...: runs it, up to five times where messages get lost. Sets `try`, `rc` (0, 1 for an
# error, or the time limit's status) and `missing`, the elements of the array `words` that the output lacks.
until_said() {
    local status=$1 seconds=$2 word
    shift 2
    for try in 1 2 3 4 5; do
        rc=0
        launched "$seconds" "$@" || rc=$?
        case $rc in
            0 | 124 | 137) ;;
            *) rc=1 ;;
        esac
        missing=
        for word in "${words[@]}"; do
            said "$word" || missing="$missing $word"
        done
        if [ "$rc" != "$status" ] || [ -z "$missing" ] || ! lost_message; then
            break
        fi
    done
}

# said WORD: the output has it.
said() {
    grep -q -F -e "$1" "$scratch/out"
}

# Open MPI 4.1's mpirun reads help messages of the ranks from memory that it has already given back
# and so loses one now and then, mostly with a complaint of its own.
lost_message() {
    grep -q -e 'ORTE_ERROR_LOG.*show_help.c' -e 'sent help message' "$scratch/out" \
        || ! grep -q -e '^-----' "$scratch/out"
}

# lost_launcher STATUS: a daemon of Open MPI 5.0's launcher, or mpirun itself, crashes when jobs connect, in
# one of four runs or so; and on a busy machine srun fails to start a task now and then. What a process of the job
# does, which is said, is no such thing: that it crashes, gives up or finds something wrong.
lost_launcher() {
    ! grep -q -e 'noticed that process' -e 'Process received signal' -e 'Caught signal' \
        -e 'MPI_ABORT was invoked' -e '^not ok ' "$scratch/out" || return 1
    case $1 in
        134 | 139) grep -q -e 'PMIX ERROR.*pmix_server_dyn.c' "$scratch/out" && return ;;
    esac
    grep -q -e 'lost communication with a remote daemon' -e 'srun: error: .* launch failed: Unspecified error' "$scratch/out"
}

# local_phases HOW: sets the array `phases` to parameters for delegate, inside nodes and among leaders, or for own
# messages in the shape exchange or tree.
local_phases() {
    case $1 in
        delegate) phases=(--mca coll_napcoll_local_provider delegate --mca coll_napcoll_leader_provider delegate) ;;
        *) phases=(--mca coll_napcoll_local_provider own --mca coll_napcoll_local_shape "$1") ;;
    esac
}

# fake NP PPN MAP PHASES: sets the array `launch` to an mpirun on one node taken for several.
fake() {
    local_phases "$4"
    program_seconds=60
    # shellcheck disable=SC2054 # the comma is in the value
    launch=("${one_node[@]}" -np "$1" --mca coll napcoll,tuned --mca coll_napcoll_fake_ppn "$2"
        --mca coll_napcoll_fake_map "$3" "${phases[@]}")
}

# emulated NODES PPN MAP NP PHASES: the same on netlab, where twenty processes on ten nodes take several seconds, and
# several times that beside another suite.
emulated() {
    local_phases "$5"
    program_seconds=120
    # shellcheck disable=SC2054 # as above
    launch=("$netlab" --nodes "$1" --ppn "$2" --map "$3" --latency 0 --rate unlimited --gap 0 --
        mpirun -np "$4" --mca coll napcoll,tuned "${phases[@]}")
}

# by_threads: where several threads send through the shared memory of Open MPI 6.0.0rc2, a message gets lost now and
# then, without napcoll as well; over TCP none does. `launch` then takes that.
by_threads() {
    case $(mpicc --showme:version | napcoll_openmpi_version) in
        6.*) launch=("${launch[@]/#^ofi,uct,openib/self,tcp}") ;;
    esac
}

# A machine with a number that is set, to its default, counts as measured: auto tries every algorithm.
measured=OMPI_MCA_coll_napcoll_machine_reduce_ns_per_byte=1.4442875

# each WHERE LARGE [CHECKS]: cases of collectives, in one job under `launch`, from lines "COLL ALGORITHM EXPECT
# NONCOMMUTATIVE" of standard input, named COLL_ALGORITHM_WHERE. `runs` means that this algorithm does; what cannot
# depend on the operation has no NONCOMMUTATIVE. LARGE and CHECKS, all or results: see collective.h.
each() {
    local where=$1 seconds=$program_seconds cases=() name coll algorithm expect noncommutative
    while read -r coll algorithm expect noncommutative; do
        name=${coll}_${algorithm}_$where
        wanted "$name" || continue
        if [ "$algorithm" != auto ]; then
            expect=${expect/#%runs/runs:$algorithm}
            noncommutative=${noncommutative/#%runs/runs:$algorithm}
        fi
        cases+=(--case "$name" --coll "$coll" --algorithm "$algorithm" --expect "$expect" --expect-large "$expect"
            --expect-noncommutative "${noncommutative:-any}")
        seconds=$((seconds + 10))
    done
    [ "${#cases[@]}" = 0 ] ||
        run_case "$where" "$seconds" env "$measured" "${launch[@]}" "$programs/collectives" --large "$2" --checks "${3:-all}" \
            "${cases[@]}"
}

# all_algorithms COLLECTIVE...: lines for each(): every algorithm that these have, where all can do the call.
all_algorithms() {
    local coll
    for coll in "$@"; do
        ompi_info --parsable --level 9 --param coll napcoll |
            sed -nE "s/^mca:coll:napcoll:param:coll_napcoll_(${coll})_algorithm:enumerator:value:[0-9]+:/\1 /p" |
            grep -v -e ' auto$' -e ' fallback$' | sed 's/$/ runs any/'
    done
}

# at_length: whether the suite is to run all it has. In the brief one, for another version of Open MPI, the
# cases are left out that test napcoll's own algorithms once more.
at_length() {
    [ "${NAPCOLL_BRIEF:-no}" = no ]
}

# each_at_length WHERE LARGE [CHECKS]: as each, but not in the brief suite.
each_at_length() {
    if at_length; then
        each "$@"
    else
        cat >/dev/null
    fi
}

# each_auto WHERE LARGE EXPECT [CHECKS]: by `auto`, every collective that has no sizes to agree on but all-to-alls. A
# gather and a scatter run on any nodes.
each_auto() {
    local coll
    each "$1" "$2" "${4:-all}" < <(
        for coll in allreduce reduce barrier allgather allgatherv reduce_scatter reduce_scatter_block scan exscan bcast; do
            echo "$coll auto $3 $3"
        done
        printf '%s auto runs\n' gather scatter
    )
}

if ! ompi_info --param coll napcoll --level 9 2>/dev/null | grep -q coll_napcoll_priority; then
    printf 'Bail out! Open MPI does not find napcoll: build it and source build/env.sh\n'
    exit 1
fi
if [ ! -x "$programs/collectives" ]; then
    printf 'Bail out! no programs in %s: run make check there\n' "$programs"
    exit 1
fi

# end_suite: the plan, and the exit status.
end_suite() {
    printf '1..%d\n' "$number"
    [ "$failed" = 0 ]
}
