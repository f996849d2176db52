#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# `napcoll-plan links`, and --topology and --hosts of all its commands.

set -euo pipefail

# shellcheck source=tests/build/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

usage() {
    cat <<'END_USAGE'
Usage: tests/build/links.sh

Runs napcoll-plan links of the build folder (NAPCOLL_BUILD, else build/); prints TAP.
END_USAGE
}
only_help "$@"

plan=$build/bin/napcoll-plan
[ -x "$plan" ] || tap_skip_all "no napcoll-plan in $build"
unset NAPCOLL_MACHINES

# Even nodes on one switch, odd ones on another.
cat >"$work/parity.conf" <<'END_PARITY'
SwitchName=s0 Nodes=n[0,2,4,6]
SwitchName=s1 Nodes=n[1,3,5,7]
SwitchName=s2 Switches=s[0-1]
END_PARITY

# Switches at three depths, and nodes at all of them.
cat >"$work/deep.conf" <<'END_DEEP'
SwitchName=low Nodes=c[1-2]
SwitchName=middle Nodes=b1 Switches=low
SwitchName=other Nodes=d1,d2
SwitchName=top Nodes=a1 Switches=middle,other
END_DEEP

links() {
    "$plan" links "$@"
}

ring() {
    links --coll allgather --algorithm ring --ppn 1 --nodes 8 --topology "$work/parity.conf" "$@"
}

# has_line LINE FILE: the file has that line; blanks count as one.
has_line() {
    tr -s ' ' <"$2" | grep -xF -e "$1" >"$work/found" || {
        echo "no line '$1' in:"
        cat "$2"
        return 1
    }
}

# same WHAT A B: fails unless both are equal.
same() {
    [ "$2" = "$3" ] || {
        echo "$1: $2 instead of $3"
        return 1
    }
}

# Each of the 7 steps takes a block from each node to the next, which is on the other switch.
ring_between_switches_meets_itself() {
    ring >"$work/out"
    has_line 'allgather ring, 8 ranks on 8 nodes: 7 steps, 56 messages, 56 of them between nodes' "$work/out"
    has_line 'n0 -> s0 7 7 1 0 1' "$work/out"
    has_line 's1 -> n7 7 7 1 0 1' "$work/out"
    has_line 's0 -> s2 28 28 4 0 4' "$work/out"
    has_line 's2 -> s1 28 28 4 0 4' "$work/out"
    has_line 's1 -> s2 28 28 4 0 4' "$work/out"
    has_line 'worst: s0 -> s2 in step 0: 4 messages, 4 blocks' "$work/out"
    has_line 'contention-free: no (7 steps, up to 4 messages at a time on a link)' "$work/out"
    same 'lines of links' "$(grep -c -e '->' "$work/out")" 21
}

ring_in_the_order_of_switches_is_contention_free() {
    ring --hosts 'n[0,2,4,6,1,3,5,7]' >"$work/out"
    has_line 's0 -> s2 7 7 1 0 1' "$work/out"
    has_line 's2 -> s0 7 7 1 0 1' "$work/out"
    has_line 'contention-free: yes (7 steps, 1 message at a time on each link)' "$work/out"
}

one_switch_without_a_topology() {
    links --coll allgather --algorithm ring --ppn 2 --nodes 3 >"$work/out"
    has_line 'node 0 -> switch 5 5 1 0 1' "$work/out"
    has_line 'switch -> node 2 5 5 1 0 1' "$work/out"
    has_line 'contention-free: yes (5 steps, 1 message at a time on each link)' "$work/out"
    links --nodes 1 --ppn 4 >"$work/out"
    (! grep -e '->' "$work/out")
    grep '^contention-free: yes ([0-9]* steps*, no message between nodes)$' "$work/out"
    links --coll barrier --nodes 2 --ppn 1 --algorithm dissemination >"$work/out"
    has_line 'node 0 -> switch 1 0 1 0 0' "$work/out"
}

# A plan of several pieces is run for each, and a node receives all blocks of the other one.
every_piece_counts() {
    links --coll gather --algorithm segmented --segments 4 --ppn 2 --nodes 2 >"$work/out"
    has_line 'gather segmented, 4 ranks on 2 nodes: 16 steps, 36 messages, 16 of them between nodes' "$work/out"
    has_line 'switch -> node 0 12 2 2 3 0.5' "$work/out"
    has_line 'node 1 -> switch 12 2 2 3 0.5' "$work/out"
    has_line 'switch -> node 1 4 0 1 1 0' "$work/out"
    links --coll scatter --algorithm segmented --segments 1 --ppn 2 --nodes 2 >"$work/out"
    has_line 'node 0 -> switch 2 2 2 0 2' "$work/out"
    links --coll scatter --algorithm segmented --segments 3 --ppn 2 --nodes 2 >"$work/out"
    has_line 'scatter segmented, 4 ranks on 2 nodes: 3 steps, 9 messages, 6 of them between nodes' "$work/out"
    has_line 'node 0 -> switch 6 2 2 0 0.666667' "$work/out"
}

# Placements and algorithms, one a line.
shapes() {
    cat <<'END_SHAPES'
--nodes 6 --ppn 4
--nodes 6 --ppn 3,2,1 --map cyclic
--nodes 5 --ppn 2 --algorithm ring --segments 2 --map random:3
--coll reduce --algorithm lane --nodes 4 --ppn 3 --root 5
--coll allgather --algorithm bruck --nodes 6 --ppn 1
--coll reduce_scatter --algorithm pairwise --nodes 3 --ppn 2
--coll scan --nodes 6 --ppn 2
END_SHAPES
}

# The links of the nodes carry the messages of show.
loads_are_those_of_show() {
    local shape seen=0
    while read -r shape; do
        echo "$shape"
        # shellcheck disable=SC2086 # they are words
        links $shape --topology "$work/deep.conf" --csv "$work/csv" >"$work/out"
        # shellcheck disable=SC2086
        "$plan" show $shape | awk '/^node / { node = $2 + 0; rank = $0; sub(/.*, rank /, "", rank); on[rank + 0] = node }
            /^    send / { from[++sends] = node; to[sends] = $NF }
            END { for (i = 1; i <= sends; i++) if (from[i] != on[to[i]]) { up[from[i]]++; down[on[to[i]]]++; all++ }
                for (n in up) print "up", n, up[n]; for (n in down) print "down", n, down[n]; print "all", all }' |
            sort >"$work/want"
        awk -F, 'BEGIN { split("a1 b1 c1 c2 d1 d2", name, " ")
                for (i in name) node[name[i]] = i - 1 }
            NR <= 3 { next }
            { sub(/"[^"]*"/, "list"); $0 = $0 }
            $5 in node { print "up", node[$5], $7; all += $7 }
            $6 in node { print "down", node[$6], $7 }
            END { print "all", all }' "$work/csv" | sort | diff "$work/want" -
        grep -F " $(sed -n 's/^all //p' "$work/want") of them between nodes" "$work/out"
        seen=$((seen + 1))
    done < <(shapes)
    same shapes "$seen" 7
}

messages_stay_below_the_lowest_switch() {
    links --coll allgather --algorithm ring --ppn 1 --nodes 2 --topology "$work/deep.conf" --hosts c1,b1 >"$work/out"
    has_line 'c1 -> low 1 1 1 0 1' "$work/out"
    has_line 'low -> middle 1 1 1 0 1' "$work/out"
    has_line 'middle -> b1 1 1 1 0 1' "$work/out"
    (! grep -E 'top|other' "$work/out")
}

csv_has_what_the_table_has() {
    ring --csv "$work/csv" >"$work/out"
    grep -xE "# napcoll [0-9.]+( \(git [^)]*\))?, plans of 8 ranks on 8 nodes, host $(hostname), 20.* UTC" "$work/csv"
    sed -n 3p "$work/csv" >"$work/head"
    has_line 'coll,algorithm,nodes,ppn,from,to,messages,share,most,step,most_share' "$work/head"
    has_line 'allgather,ring,8,1,s0,s2,28,28,4,0,4' "$work/csv"
    awk -F, 'NR > 3 { print $5 " -> " $6, $7, $8, $9, $10, $11 }' "$work/csv" |
        diff - <(tr -s ' ' <"$work/out" | grep -e '^[^:]* -> ')
    ring --csv - | grep -v '^#' | diff - <(grep -v '^#' "$work/csv")
    links --nodes 3 --ppn 2,1 --csv - | grep '^allreduce,[a-z_]*,3,"2,1",node 0,switch,'
}

# Nodes are in the order of the numbers in their names, not in the order of the file.
names_are_sorted_as_schedulers_do() {
    cat >"$work/names.conf" <<'END_NAMES'
SwitchName=b Nodes=n10,n9,r2n1
SwitchName=a Nodes=n1,r10n1,n01,m7
END_NAMES
    links --coll allgather --algorithm ring --ppn 1 --nodes 7 --topology "$work/names.conf" >"$work/out"
    sed -nE 's/^([mnr][0-9n]*) -> .*/\1/p' "$work/out" | paste -s -d ' ' >"$work/order"
    same order "$(cat "$work/order")" 'm7 n01 n1 n9 n10 r2n1 r10n1'
    grep '^a -> (root) ' "$work/out" # two switches that nothing joins
}

hosts_are_taken_in_their_order() {
    ring --nodes 3 --hosts 'n[5-6],n1.cluster.org,n2' >"$work/out"
    sed -nE 's/^(n[0-9]) -> .*/\1/p' "$work/out" | paste -s -d ' ' >"$work/order"
    same order "$(cat "$work/order")" 'n5 n6 n1'
}

many_messages_take_seconds() {
    timeout 60 "$plan" links --coll allgather --algorithm ring --nodes 1024 --ppn 1 >"$work/out"
    has_line 'allgather ring, 1024 ranks on 1024 nodes: 1023 steps, 1047552 messages, 1047552 of them between nodes' \
        "$work/out"
    has_line 'contention-free: yes (1023 steps, 1 message at a time on each link)' "$work/out"
}

# each_command COMMAND...: runs the command with the name and the required options of each of napcoll-plan's.
each_command() {
    local command seen=0
    while read -r command; do
        echo "$command"
        # shellcheck disable=SC2086 # they are words
        "$@" $command
        seen=$((seen + 1))
    done <<'END_COMMANDS'
show
verify
explain --machine bluewaters.conf
simulate --machine bluewaters.conf
draw
goal
links
END_COMMANDS
    same commands "$seen" 7
}

# Plans of scan do not depend on the network.
accepted() {
    "$plan" "$@" --coll scan --nodes 6 --ppn 2 --topology "$work/deep.conf" >"$work/with"
    "$plan" "$@" --coll scan --nodes 6 --ppn 2 >"$work/without"
    case $1 in
        draw | links) (! cmp "$work/with" "$work/without") ;;
        *) cmp "$work/with" "$work/without" ;;
    esac
}

every_command_takes_a_topology() {
    each_command accepted
    "$plan" verify --nodes 1:6 --ppn 1:3 --topology "$work/deep.conf" | grep ' 0 broken'
}

refused_with_file() {
    refused "napcoll-plan: $work/bad.conf:2:21: " "$@" --nodes 4 --topology "$work/bad.conf"
    (! grep -e --help "$work/err")
}

files_errors_name_line_and_column() {
    printf 'SwitchName=s0 Nodes=n[0-3]\nSwitchName=s1 Nodes=]\n' >"$work/bad.conf"
    each_command refused_with_file
    : >"$work/empty.conf"
    refused "napcoll-plan: $work/empty.conf: " links --topology "$work/empty.conf"
    refused "--topology /nowhere/a: cannot be opened" links --topology /nowhere/a
    mkfifo "$work/fifo"
    refused "--topology $work/fifo: is a FIFO or a pipe; expected a regular file" links --topology "$work/fifo"
}

refused_with_many() {
    refused "--topology $work/deep.conf: has 6 nodes, the placement has 7" "$@" --nodes 7 \
        --topology "$work/deep.conf"
}

placements_beyond_the_network_are_refused() {
    each_command refused_with_many
    refused 'has 6 nodes, the placement has 7' verify --nodes 1:10 --topology "$work/deep.conf"
    refused 'has 6 nodes, the placement has 7' show --ranks 13 --ppn 2 --topology "$work/deep.conf"
    refused '--hosts a1,b1: has 2 nodes, the placement has 3' links --nodes 3 \
        --topology "$work/deep.conf" --hosts a1,b1
}

mistakes_are_refused() {
    local deep=(--nodes 2 --topology "$work/deep.conf")
    refused '--hosts n1: expected --topology as well' links --nodes 2 --hosts n1
    refused "--hosts a1,n[3-4]: $work/deep.conf has no node 'n3'" links "${deep[@]}" --hosts 'a1,n[3-4]'
    refused "--hosts a1,b1,a1.cluster.org: node 'a1' twice" links "${deep[@]}" --hosts a1,b1,a1.cluster.org
    refused "--hosts a1,b1,a1: character 7: " links "${deep[@]}" --hosts a1,b1,a1
    refused '--hosts a1 b1: character 3: expected names' links "${deep[@]}" --hosts 'a1 b1'
    refused '--hosts a1#: character 3: expected names' links "${deep[@]}" --hosts 'a1#'
    refused '--hosts a1,: character 4: ' links "${deep[@]}" --hosts 'a1,'
    refused '--hosts : character 1: ' links "${deep[@]}" --hosts ''
    refused '--hosts c[2-1]: character ' links "${deep[@]}" --hosts 'c[2-1]'
    refused '--provider delegate: expected own' links --provider delegate
    refused '--csv: not an option of show' show --csv a
    refused '--csv /nowhere/a: cannot be written' links --csv /nowhere/a
    refused '--bytes: not an option of links' links --bytes 8
    refused 'expected from 1 to 262144' links --ranks 262145
    refused 'the plans of ring have too many steps' links --coll allgather --algorithm ring --nodes 8192
    refused '--root 8: there are 8 ranks' links --coll reduce --nodes 2 --root 8
}

what_an_algorithm_cannot_do_is_said() {
    local rc=0
    links --nodes 4 --ppn 1 --algorithm nap >"$work/out" 2>"$work/err" || rc=$?
    same status "$rc" 1
    grep 'nap cannot do this' "$work/err"
    [ ! -s "$work/out" ]
}

full_disks_are_noticed() {
    local rc=0
    ring >/dev/full 2>"$work/err" || rc=$?
    same 'status of standard output' "$rc" 1
    rc=0
    ring --csv /dev/full >"$work/out" 2>"$work/err" || rc=$?
    same 'status of --csv' "$rc" 1
    grep -F -e '--csv /dev/full: cannot be written (No space left on device)' "$work/err"
}

tests=(ring_between_switches_meets_itself ring_in_the_order_of_switches_is_contention_free
    one_switch_without_a_topology
    every_piece_counts loads_are_those_of_show messages_stay_below_the_lowest_switch
    csv_has_what_the_table_has names_are_sorted_as_schedulers_do hosts_are_taken_in_their_order
    many_messages_take_seconds every_command_takes_a_topology files_errors_name_line_and_column
    placements_beyond_the_network_are_refused mistakes_are_refused what_an_algorithm_cannot_do_is_said
    full_disks_are_noticed)
tap_plan ${#tests[@]}
for test in "${tests[@]}"; do
    tap "$test" "$test"
done
tap_end
