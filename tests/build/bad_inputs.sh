#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# What users may do wrong on the command lines of all tools, and in their files: each mistake has one message, which names the
# thing, the place and the remedy, and its exit status. Parameters that Open MPI hands to the component: tests/mpi/settings.sh.

set -euo pipefail

# shellcheck source=tests/build/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=config/setup.sh
. "$src/config/setup.sh"

usage() {
    cat <<'END_USAGE'
Usage: tests/build/bad_inputs.sh

Gives the tools of the build folder (NAPCOLL_BUILD, else build/) wrong arguments and files; prints TAP.
END_USAGE
}
only_help "$@"

[ -x "$build/bin/napcoll-plan" ] || tap_skip_all "no napcoll-plan in $build"
# shellcheck source=/dev/null
. "$build/env.sh"
napcoll_mpirun_settings
cd "$work"

# The files of the table.
printf 'allreduce -> nap\nallreduce bytes=9..8 -> smp\n' >wrong.rules
printf 'allreduce -> npa\n' >unknown.rules
printf 'SwitchName=a Nodes=n[0-1\n' >wrong.switches
printf 'SwitchName=a Nodes=node[0-1]\n' >two.switches
printf 'coll,nodes\n' >short.csv
printf 'coll,nodes,ppn,bytes,contestant,median_us\nallreduce,8,4,8K8,tuned,1\n' >wrong.csv
sed 's/^\(coll_napcoll_machine_reduce_ns_per_byte\).*/\1 = fast/' "$NAPCOLL_BUILD/share/napcoll/machines/netlab.conf" \
    >wrong.conf
{
    cat "$NAPCOLL_BUILD/share/napcoll/machines/netlab.conf"
    echo 'coll_napcoll_gather_m1 = 4T'
} >threshold.conf
echo 'coll_napcoll_machine_speed = 3' >unknown.conf
printf '# right\n0 1\n1 2 3\n' >wrong.edges
printf '0 1\n1 9\n' >large.edges
echo '# none' >empty.edges
printf '<algo name="a" ngpus="1" nchunksperloop="1" coll="allreduce" inplace="0">\n<gpu name="0"/>\n</algo>\n' >wrong.xml
mkfifo fifo

export OMPI_MCA_coll=napcoll,tuned,basic,self
job=(mpirun -np 2)

# wrong STATUS MESSAGE COMMAND: a command line ends with this status and says this once; of a job, one process does.
wrong() {
    local status=$1 message=$2 command rc=0 tool
    read -ra command <<<"$3"
    tool=${command[0]}
    [ "$tool" = napcoll-plan ] || [ "$tool" = netlab ] || command=("${job[@]}" "${command[@]}")
    timeout 60 "${command[@]}" >"$work/out" 2>"$work/err" || rc=$?
    cat "$work/out" "$work/err"
    [ "$rc" = "$status" ]
    [ "$(cat "$work/out" "$work/err" | grep -cF -- "$message")" = 1 ]
    [ "$(cat "$work/out" "$work/err" | grep -cE "^$tool: |error: ")" = 1 ]
}

# STATUS|MESSAGE|COMMAND
table_without_mpi() {
    cat <<'END_OF_TABLE'
2|a command is missing; expected list, show, |napcoll-plan
2|verfy: no such command; expected list, show, verify, explain, simulate, draw, goal, smpi, export, links, rules check or rules from-csv (did you mean verify?)|napcoll-plan verfy
2|rules chek: no such command; expected rules check or rules from-csv (did you mean rules check?)|napcoll-plan rules chek a.rules
2|--nodse: not an option of verify; expected --coll, |napcoll-plan verify --nodse 3
2|-x: not an option of show; expected --coll, |napcoll-plan show -x
2|--csv: not an option of draw; it belongs to simulate, links|napcoll-plan draw --csv a.csv
2|--machine: not an option of verify; it belongs to explain, simulate, goal, smpi|napcoll-plan verify --machine
2|--coll: a value is missing|napcoll-plan show --coll
2|--in-place=yes: expected no value|napcoll-plan show --in-place=yes
2|4: cannot be opened (No such file or directory)|napcoll-plan show 4
2|--coll allredcue: expected allreduce, reduce, barrier, |napcoll-plan show --coll allredcue
2|(did you mean reduce_scatter?)|napcoll-plan show --coll reduce_scater
2|--algorithm smpp: barrier has no such algorithm; expected dissemination, smp or nap (did you mean smp?)|napcoll-plan show --coll barrier --algorithm smpp
2|--tunable depth=3: nap has none of that name; expected lanes|napcoll-plan show --algorithm nap --tunable depth=3
2|--tunable between=chan: expected flat, binomial, chain, binary, scatter_allgather or knomial (did you mean chain?)|napcoll-plan show --coll bcast --algorithm two_level --tunable between=chan
2|--provider ow: expected own or delegate (did you mean own?)|napcoll-plan show --provider ow
2|--map cylic: expected block, cyclic or random:SEED (did you mean cyclic?)|napcoll-plan show --map cylic
2|--graph stensil: cannot be opened (No such file or directory); a graph is torus, stencil, random, power-law or a file of edges (did you mean stencil?)|napcoll-plan show --coll neighbor_alltoall --graph stensil
2|--graph wrong.edges:3: expected two ranks with a blank between, FROM TO, as in "3 7"|napcoll-plan verify --coll neighbor_alltoall --graph wrong.edges
2|--graph large.edges:2: rank 9: there are 4 ranks, numbered from 0; take more processes, or a graph of fewer ranks|napcoll-plan links --coll neighbor_alltoall --graph large.edges
2|--graph empty.edges: has no edges; expected lines of two ranks, FROM TO|napcoll-plan show --coll neighbor_alltoall --graph empty.edges
2|--graph: allgather has no neighbours; expected it with a neighbourhood collective, such as --coll neighbor_alltoall|napcoll-plan show --coll allgather --graph torus
2|--degree: the edges of the graph torus are fixed; expected --graph random or power-law|napcoll-plan show --coll neighbor_allgather --degree 3
2|--degree 0: expected a number from 1 to 1024|napcoll-plan show --coll neighbor_allgather --graph random --degree 0
2|--graph random: 262144 ranks with 1024 neighbours each have more than 16777216 edges; take fewer ranks, or a smaller --degree|napcoll-plan show --coll neighbor_allgather --graph random --degree 1024 --ranks 262144
2|--coll neighbor_alltoall: plans for a graph have no text form; show prints them|napcoll-plan export --coll neighbor_alltoall
2|--in-place: MPI has none of neighbor_alltoall|napcoll-plan show --coll neighbor_alltoall --in-place
2|--machine bluewater: no such file that can be read|napcoll-plan simulate --machine bluewater
2|(did you mean bluewaters?)|napcoll-plan explain --machine bluewatres.conf
2|--machine: missing; expected bluewaters, ethernet, netlab, |napcoll-plan simulate --nodes 4
2|--machine wrong.conf:|napcoll-plan simulate --machine wrong.conf
2|coll_napcoll_gather_m1 = 4T: expected a number of bytes; K, M and G are allowed|napcoll-plan explain --machine threshold.conf
2|--machine unknown.conf:1:1: coll_napcoll_machine_speed: no such key|napcoll-plan simulate --machine unknown.conf
2|is a FIFO or a pipe; expected a regular file|napcoll-plan simulate --machine ./fifo
2|--nodes 4..8: expected a number from 1 to 1048576, a range FROM:TO (which doubles)|napcoll-plan simulate --machine netlab --nodes 4..8
2|--bytes 1,8X: expected a number from 0 to 1073741824, |napcoll-plan simulate --machine netlab --bytes 1,8X
2|--bytes 64,8: expected values in rising order|napcoll-plan simulate --machine netlab --bytes 64,8
2|--ranks 4K: expected a number from 1 to 1048576|napcoll-plan verify --ranks 4K
2|--ppn 3x: character 2: expected numbers like 3,2,1|napcoll-plan show --ppn 3x
2|--root 9: there are 8 ranks|napcoll-plan show --coll bcast --nodes 2 --root 9
1|nap cannot do this: |napcoll-plan show --ppn 1 --nodes 4
1|--msccl: bcast binomial: MSCCL XML is for allreduce, allgather, reduce_scatter and alltoall|napcoll-plan export --msccl --coll bcast --algorithm binomial
2|--msccl: not an option of verify; it belongs to export|napcoll-plan verify --msccl
2|wrong.xml:2:1: <gpu> has no attribute name that is known here|napcoll-plan verify wrong.xml
2|--name a/b: expected at most 63 letters, digits and _ - . inside|napcoll-plan verify wrong.xml --name a/b
2|wrong.switches:1:|napcoll-plan links --topology wrong.switches
2|has 2 nodes, the placement has 4; expected as many or more|napcoll-plan links --topology two.switches --nodes 4
2|--stuck nowhere.log: No such file|napcoll-plan explain --stuck nowhere.log
2|--stuck reads a log|napcoll-plan explain --stuck wrong.rules --machine netlab
1|--stuck wrong.rules: it has no report|napcoll-plan explain --stuck wrong.rules
2|--rules wrong.rules:2:11: expected a range|napcoll-plan explain --machine netlab --rules wrong.rules
1|unknown.rules:1:14: error: expected fallback, auto, file:NAME of plans in the plans file or an algorithm of allreduce|napcoll-plan rules check unknown.rules
2|rules check: expected a rules file, or - for standard input|napcoll-plan rules check
2|--margin 1.5: expected a number from 0 to 1|napcoll-plan rules from-csv --margin 1.5 short.csv
2|short.csv:1: expected a column |napcoll-plan rules from-csv short.csv
2|wrong.csv:2:15: bytes: expected a number from 0 |napcoll-plan rules from-csv wrong.csv
2|--csv nowhere/a.csv: cannot be written (No such file or directory)|napcoll-plan simulate --machine netlab --csv nowhere/a.csv
2|unknown option '--nodse'; expected --nodes, --ppn, |netlab --nodse 3 -- true
2|--map: 'cylic' is not valid: expected block, cyclic or random:SEED (did you mean cyclic?)|netlab --map cylic -- true
2|--queue: '1K' is not valid: expected a size from 2K to 1G bytes, such as 64K, or unlimited; K, M and G are allowed|netlab --queue 1K -- true
2|--latency: '5' is not valid: expected a number followed by ns, us, ms or s|netlab --latency 5 -- true
2|no command to run|netlab --nodes 2
END_OF_TABLE
}

table_of_collbench() {
    cat <<'END_OF_TABLE'
2|--coll allgahter: expected allreduce, reduce, bcast, |collbench --coll allgahter
2|--deal hott: expected uniform, power, hot or zeros (did you mean hot?)|collbench --deal hott
2|--graph wrong.edges:3: expected two ranks with a blank between|collbench --coll neighbor_alltoall --graph wrong.edges
2|--graph large.edges:2: rank 9: there are 2 ranks|collbench --coll neighbor_alltoall --graph large.edges
2|--seed: allreduce has no neighbours|collbench --seed 3
2|--seed: the edges of the graph stencil are fixed|collbench --coll neighbor_alltoallw --graph stencil --seed 3
2|--bytes 8:64Q: expected up to 64 sizes N, FROM:TO, |collbench --bytes 8:64Q
2|--time-limit 5min: expected a time above 0, up to 1e+06 s, such as 2, 0.5s or 300us|collbench --time-limit 5min
2|--contestants: component tunde is not loaded; expected |collbench --contestants tunde,napcoll
2|(did you mean nap?)|collbench --contestants napcoll:npa
2|--contestants napcoll,tuned@persistant: expected blocking, nonblocking or persistent (did you mean persistent?)|collbench --contestants napcoll,tuned@persistant
2|--kind blocking,bogus: expected blocking, nonblocking or persistent|collbench --kind blocking,bogus
2|--kind blocking,blocking: expected different kinds of calls, with commas between|collbench --kind blocking,blocking
2|--iteration: a value is missing|collbench --iteration
END_OF_TABLE
}

table_of_tune() {
    cat <<'END_OF_TABLE'
2|scater: no such command; expected machine or gather-scatter|napcoll-tune scater
2|--only bcats:32K: expected allreduce, |napcoll-tune --only bcats:32K
2|--max 4T: expected a size from 1 to 1073741824 bytes, such as 256 or 4K; K, M and G are allowed|napcoll-tune gather-scatter --max 4T
2|--no-verify: not an option of gather-scatter; it belongs to machine|napcoll-tune gather-scatter --no-verify
END_OF_TABLE
}

# Without mpirun, too; of the processes of a job one answers.
answers_are_given_once() {
    local option tool
    for option in -h --help --version; do
        for tool in napcoll-plan netlab collbench napcoll-tune 'napcoll-plan verify' 'napcoll-plan rules check' \
            'napcoll-tune machine'; do
            [ -x "$build/bin/${tool%% *}" ] || continue
            # shellcheck disable=SC2086 # a command and its subcommand
            $tool $option >"$work/answer" 2>"$work/none"
            [ ! -s "$work/none" ]
            case $option in
                --version) grep -xE "${tool%% *} [0-9]+\.[0-9]+\.[0-9]+( \(git [^ ]+\))?" "$work/answer" ;;
                *) [ "$(grep -ciE '^usage: ' "$work/answer")" = 1 ] ;;
            esac
        done
    done
    [ ! -x "$build/bin/collbench" ] || [ "$(mpirun -np 3 collbench --version | grep -c '^collbench ')" = 1 ]
}

# Full, or closed: status 1 and one message.
unprinted_answers_are_reported() {
    local option tool where rc
    for option in --help --version; do
        for tool in napcoll-plan netlab collbench napcoll-tune; do
            [ -x "$build/bin/$tool" ] || continue
            for where in '>/dev/full' '>&-'; do
                rc=0
                timeout 10 bash -c "$tool $option $where" 2>"$work/err" || rc=$?
                echo "$tool $option $where: $rc, $(cat "$work/err")"
                [ "$rc" = 1 ] && [ "$(wc -l <"$work/err")" = 1 ]
                grep -E "^$tool: standard output: cannot be written" "$work/err"
            done
        done
    done
    [ ! -x "$build/bin/napcoll-tune" ] ||
        grep -xF 'napcoll-tune: standard output: cannot be written (Bad file descriptor); it is closed' "$work/err"
}

# Without env.sh nobody may know a machine.
unknown_machine_has_a_remedy_anywhere() {
    local rc=0
    (unset NAPCOLL_MACHINES && napcoll-plan simulate --machine atlantis) >"$work/out" 2>"$work/err" || rc=$?
    cat "$work/err"
    [ "$rc" = 2 ] && [ ! -s "$work/out" ]
    grep -E '^napcoll-plan: --machine atlantis: no such file .*folders\); expected [^;]+; see napcoll-plan' "$work/err"
}

# In a brief run only what differs between versions of mpirun.
mapfile -t rows < <(
    if [ "${NAPCOLL_BRIEF:-no}" = no ]; then
        table_without_mpi
        [ ! -x "$build/bin/collbench" ] || table_of_collbench
    fi
    [ ! -x "$build/bin/napcoll-tune" ] || table_of_tune
)
tap_plan "$((${#rows[@]} + 3))"
tap answers_are_given_once answers_are_given_once
tap unprinted_answers_are_reported unprinted_answers_are_reported
tap unknown_machine_has_a_remedy_anywhere unknown_machine_has_a_remedy_anywhere
for row in "${rows[@]}"; do
    IFS='|' read -r status message command <<<"$row"
    tap "${command// /_}" wrong "$status" "$message" "$command"
done
tap_end
