#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# The completion of bash: what it offers at the end of a line, for each tool.

set -euo pipefail

# shellcheck source=tests/build/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

usage() {
    cat <<'END_USAGE'
Usage: tests/build/completion.sh

Completes lines as bash does, with the tools of the build folder (NAPCOLL_BUILD, else build/); prints TAP.
END_USAGE
}
only_help "$@"

[ -x "$build/bin/napcoll-plan" ] || tap_skip_all "no napcoll-plan in $build"
PATH=$build/bin:$PATH
export NAPCOLL_MACHINES=$build/share/napcoll/machines
# shellcheck source=ompi/tools/napcoll/napcoll.bash
. "$src/ompi/tools/napcoll/napcoll.bash"

# offers LINE WORD...: at the end of the line these words are offered, and no others.
offers() {
    COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
    shift
    _napcoll
    diff <(printf '%s\n' "$@") <(printf '%s\n' "${COMPREPLY[@]}")
}

commands_are_offered() {
    offers 'napcoll-plan ' list show verify explain simulate draw goal smpi export links rules
    offers 'napcoll-plan s' show simulate smpi
    offers "$build/bin/napcoll-plan rules " check from-csv
    offers 'napcoll-plan --' --help --version
}

options_belong_to_their_command() {
    offers 'napcoll-plan verify --s' --seed --segments --sample
    offers 'napcoll-plan simulate --s' --seed --segments --svg
    offers 'napcoll-plan export --s' --segments
    offers 'napcoll-plan rules from-csv --' --output --margin --fallback --help --version
    # a file is expected
    offers 'napcoll-plan rules check ' ''
}

names_follow_options() {
    offers 'napcoll-plan show --coll all' allreduce allgather allgatherv alltoall alltoallv alltoallw
    offers 'napcoll-plan show --coll=red' reduce reduce_scatter reduce_scatter_block
    # each algorithm belongs to a collective
    offers 'napcoll-plan show --coll barrier --algorithm ' dissemination smp nap
    offers 'napcoll-plan show --ppn 2 --algorithm r' recursive_doubling rabenseifner ring
    offers 'napcoll-plan show --coll neighbor_allto' neighbor_alltoall neighbor_alltoallv neighbor_alltoallw
    offers 'napcoll-plan show --coll neighbor_allgather --algorithm ' direct coalesced
    offers 'napcoll-plan show --coll neighbor_allgather --graph ' torus stencil random power-law
    offers 'napcoll-plan show --map ' block cyclic random:SEED
    offers 'napcoll-plan simulate --machine b' bluewaters
    offers 'napcoll-plan show --provider d' delegate
}

files_and_wrong_lines_have_no_names() {
    offers 'napcoll-plan simulate --csv ' ''
    offers 'napcoll-plan show --bogus --coll ' ''
    offers 'napcoll-plan bogus ' ''
    offers 'napcoll-plan rules bogus ' ''
    offers 'napcoll-plan verify --machine ' ''
    offers 'ls ' ''
}

netlab_is_completed_up_to_its_command() {
    offers 'netlab --nodes 2 --t' --topology --trunk
    offers 'netlab --map c' cyclic
    offers 'netlab --nodes 2 -- ' ''
    offers 'netlab --nodes 2 -- napcoll-plan dr' draw
}

mpi_tools_are_completed_behind_mpirun() {
    offers 'mpirun -np 4 collbench --co' --coll --contestants
    offers 'collbench --deal ' uniform power hot zeros
    offers 'collbench --coll barrier --contestants tuned,napcoll:d' dissemination
    offers 'collbench --contestants tuned,b' tuned,basic
    offers 'collbench --coll neighbor_alltoall --contestants basic,napcoll:' direct coalesced
    offers 'collbench --coll neighbor_alltoall --graph p' power-law
    offers 'collbench --kind blocking,' blocking,blocking blocking,nonblocking blocking,persistent
    offers 'netlab --nodes 2 -- mpirun napcoll-tune ' machine gather-scatter
    offers 'napcoll-tune gather-scatter --m' --min --max
    offers 'mpirun napcoll-tune --only bcast,scan,gat' bcast,scan,gather bcast,scan,gatherv
}

# What env.sh loads in interactive shells.
env_loads_it() {
    # shellcheck disable=SC2016
    bash --norc -i -c '. "$1/env.sh" && complete -p collbench napcoll-plan napcoll-tune netlab' - "$build"
    sh -c '. "$1/env.sh"' - "$build"
}

tests=(commands_are_offered options_belong_to_their_command names_follow_options files_and_wrong_lines_have_no_names
    netlab_is_completed_up_to_its_command env_loads_it)
[ ! -x "$build/bin/collbench" ] || tests+=(mpi_tools_are_completed_behind_mpirun)
tap_plan "${#tests[@]}"
for test in "${tests[@]}"; do
    tap "$test" "$test"
done
tap_end
