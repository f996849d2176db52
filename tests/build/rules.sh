#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# `napcoll-plan rules` and `napcoll-plan explain --rules` as users call them: right, odd and wrong files, and rules made
# from measurements.

set -euo pipefail

# shellcheck source=tests/build/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

usage() {
    cat <<'END_USAGE'
Usage: tests/build/rules.sh

Runs napcoll-plan rules of the build folder (NAPCOLL_BUILD, else build/); prints TAP.
END_USAGE
}
only_help "$@"

plan=$build/bin/napcoll-plan
[ -x "$plan" ] || tap_skip_all "no napcoll-plan in $build"
unset NAPCOLL_MACHINES

# check TEXT: checks a file of these lines; the findings are in $work/found.
check() {
    printf '%b' "$1" >"$work/a.rules"
    "$plan" rules check "$work/a.rules" >"$work/found"
}

has() {
    grep -qF -- "$1" "$work/found" || {
        cat "$work/found"
        return 1
    }
}

a_file_that_is_right_passes() {
    check '# all\nallreduce nodes=2..8 ppn=8 bytes=..4K op=commutative -> nap local_radix=8\nbarrier -> fallback\n'
    has 'a.rules: 0 errors, 0 warnings, 0 remarks'
    echo 'barrier -> fallback' | "$plan" rules check - "$work/a.rules"
}

the_example_of_the_manual_passes() {
    sed -n '/^\.Bd -literal -offset indent$/,/^\.Ed$/p' "$src/docs/napcoll-rules.5" |
        grep -e '->' >"$work/manual.rules"
    [ "$(wc -l <"$work/manual.rules")" -ge 4 ]
    "$plan" rules check "$work/manual.rules"
}

mistakes_have_line_and_column() {
    (! check 'allreduce -> nap\nallreduce bytes=4K.. -> bogus\nfoo -> nap\n')
    has 'a.rules:2:25: error: expected fallback, auto, file:NAME of plans in the plans file or an algorithm of allreduce'
    has 'a.rules:3:1: error: expected a collective'
    has '2 errors, 0 warnings'
}

rules_that_never_decide_give_warnings() {
    (! check 'allreduce -> tree\nallreduce nodes=4 -> smp\nallreduce op=noncommutative -> ring\nreduce ppn=1 -> nap\n')
    has 'a.rules:2: warning: this rule is never reached: the rule of line 1'
    has 'a.rules:3: warning: this rule never decides: ring cannot'
    has 'a.rules:4: warning: this rule never decides: nap cannot'
}

gaps_are_remarked_on() {
    check 'bcast nodes=4 bytes=..1K -> nap\nbcast nodes=4 bytes=4K.. -> lane\n'
    has 'a.rules:1: remark: bcast of 1025 to 4095 bytes'
}

binary_files_and_folders_are_refused() {
    head -c 100000 /dev/urandom >"$work/junk"
    refuses 'error: expected' "$plan" rules check "$work/junk"
    head -c 3000000 /dev/zero | tr '\0' '#' >"$work/long"
    refuses 'has 3000000 bytes; expected at most 1048576' "$plan" rules check "$work/long"
    refuses 'is a folder; expected a regular file' "$plan" rules check "$work"
    refuses 'cannot be opened' "$plan" rules check "$work/none"
    mkfifo "$work/fifo"
    refuses 'is a FIFO or a pipe; expected a regular file' timeout 10 "$plan" rules check "$work/fifo"
    refuses 'is a FIFO or a pipe; expected a regular file' timeout 10 "$plan" rules from-csv "$work/fifo"
}

# made FILE LINE...: the CSV file gives these rules, and they pass.
made() {
    local csv=$1
    shift
    "$plan" rules from-csv --output "$work/made.rules" "$csv"
    printf '%s\n' "$@" | diff - <(grep -v -e '^#' -e '^$' "$work/made.rules")
    "$plan" rules check "$work/made.rules"
}

head_line=coll,nodes,ppn,bytes,contestant,samples,median_us,p05_us,p95_us,ratio,ran

# measured FILE: makes a CSV file from lines "BYTES CONTESTANT MEDIAN [RAN]" on standard input, for 8 nodes of 4.
measured() {
    local bytes contestant median ran
    echo "$head_line" >"$1"
    while read -r bytes contestant median ran; do
        echo "${coll:-allreduce},8,4,$bytes,$contestant,20,$median,1,2,1.0,\"${ran:-${contestant#napcoll:}}\""
    done >>"$1"
}

the_fastest_becomes_the_rule_and_neighbours_join() {
    measured "$work/a.csv" <<'END'
8 napcoll:nap 10
8 napcoll:smp 20
8 tuned 30
8 han 40
64 napcoll:nap 10
64 tuned 20
1024 napcoll:nap 50
1024 napcoll:lane 20
1024 tuned 30
16384 napcoll:lane 90
16384 han 50
16384 tuned 80
END
    made "$work/a.csv" 'allreduce nodes=8 ppn=4 bytes=..256 op=commutative -> nap' \
        'allreduce nodes=8 ppn=4 bytes=257..4K op=commutative -> lane' \
        'allreduce nodes=8 ppn=4 bytes=4097..16K op=commutative calls=blocking -> fallback'
}

collectives_among_neighbours_have_rules() {
    coll=neighbor_alltoallv measured "$work/a.csv" <<'END'
8 napcoll:coalesced 10
8 napcoll:direct 30
8 basic 40
8192 napcoll:coalesced 90
8192 napcoll:direct 50
8192 basic 60
END
    made "$work/a.csv" 'neighbor_alltoallv nodes=8 ppn=4 bytes=..256 -> coalesced' \
        'neighbor_alltoallv nodes=8 ppn=4 bytes=257..8K -> direct'
    "$plan" rules from-csv "$work/a.csv" | "$plan" rules check -
}

a_margin_keeps_the_neighbours_choice() {
    measured "$work/a.csv" <<'END'
8 napcoll:nap 103
8 napcoll:smp 100
64 napcoll:nap 100
64 napcoll:smp 150
512 napcoll:nap 104
512 napcoll:smp 100
4096 napcoll:nap 100
4096 napcoll:smp 120
END
    made "$work/a.csv" 'allreduce nodes=8 ppn=4 bytes=..4K op=commutative -> nap'
    "$plan" rules from-csv --margin 0 "$work/a.csv" | grep -c -e '->' | grep -x 4
}

the_fallback_component_can_be_named() {
    measured "$work/a.csv" <<'END'
8 napcoll:nap 20
8 tuned 30
8 han 10
END
    made "$work/a.csv" 'allreduce nodes=8 ppn=4 bytes=..8 op=commutative calls=blocking -> fallback'
    "$plan" rules from-csv --fallback tuned "$work/a.csv" | grep -e '-> nap'
}

what_did_not_run_is_ignored() {
    coll=barrier measured "$work/a.csv" <<'END'
0 napcoll:nap 1 fallback: ppn
0 napcoll:smp 20
0 napcoll:nonesuch 2
0 tuned 30
0 napcoll:nap@nonblocking 1
END
    made "$work/a.csv" 'barrier nodes=8 ppn=4 -> smp' 2>"$work/noted"
    grep -F 'a.csv:2: ignored: napcoll:nap did not run (fallback: ppn)' "$work/noted"
    grep -F 'a.csv:4: ignored: napcoll:nonesuch' "$work/noted"
    grep -F 'a.csv:6: ignored: napcoll:nap@nonblocking: rules come from blocking calls' "$work/noted"
}

# Of "3-5" processes on a node 5 count: rules are for the fullest node. Auto is a choice, too; of two measurements the
# mean counts.
unequal_nodes_and_auto_are_understood() {
    printf '%s\n' 'ran,median_us,coll,nodes,ppn,bytes,contestant' 'nap,9,bcast,2,3-5,64,napcoll' \
        'tuned,10,bcast,2,3-5,64,tuned' '"a, ""b""",4,bcast,2,5,128,napcoll:nap' '"x",6,bcast,2,5,128,napcoll:nap' \
        'x,7,bcast,2,5,128,napcoll:lane' >"$work/a.csv"
    made "$work/a.csv" 'bcast nodes=2 ppn=5 bytes=..90 -> auto' 'bcast nodes=2 ppn=5 bytes=91..128 -> nap'
}

mistakes_in_measurements_are_named() {
    printf '# what collbench says of itself, "as comments\n%s\n# or others\n' "$head_line" >"$work/a.csv"
    refuses 'expected measurements, found none' "$plan" rules from-csv "$work/a.csv"
    echo 'allreduce,8,4,x,tuned,20,1,1,1,1,"tuned"' >>"$work/a.csv"
    refuses 'a.csv:4:15: bytes: expected a number' "$plan" rules from-csv "$work/a.csv"
    echo 'coll,nodes' >"$work/b.csv"
    refuses 'b.csv:1: expected a column ppn' "$plan" rules from-csv "$work/b.csv"
    refuses '--margin 2: expected a number from 0 to 1' "$plan" rules from-csv --margin 2 "$work/a.csv"
    refuses 'rules: no such command; expected rules check or rules from-csv' "$plan" rules
}

explain_says_which_rule_decides() {
    local explain=("$plan" explain --machine bluewaters.conf --nodes 4 --ppn 4 --rules "$work/a.rules")
    printf '%s\n' 'allreduce op=noncommutative -> ring' 'allreduce bytes=5000..6000 -> smp radix=3' \
        'allreduce bytes=..16 -> fallback' 'allreduce bytes=17..32 -> auto' >"$work/a.rules"
    "${explain[@]}" --bytes 5500 >"$work/found"
    has "Line 2 of $work/a.rules decides: the component takes smp (vectors of 5000 to 6000 bytes)."
    "${explain[@]}" --bytes 8 >"$work/found"
    has "Line 3 of $work/a.rules decides: the component falls back"
    "${explain[@]}" --bytes 32 >"$work/found"
    has "Line 4 of $work/a.rules decides: by the model."
    has "the component's auto takes"
    "${explain[@]}" --bytes 64 --noncommutative >"$work/found"
    has "Line 1 of $work/a.rules matches, but is skipped: the operation does not commute"
    printf '%s\n' 'allreduce calls=requests -> tree' 'allreduce calls=blocking -> smp' >"$work/a.rules"
    "${explain[@]}" --request >"$work/found"
    has "Line 1 of $work/a.rules decides: the component takes tree"
    "${explain[@]}" >"$work/found"
    has "Line 2 of $work/a.rules decides: the component takes smp"
    printf '%s\n' 'alltoallv bytes=..16 -> tuna' >"$work/a.rules"
    "${explain[@]}" --coll alltoallv --bytes 8 >"$work/found"
    has 'Blocks of up to 65536 bytes go through its rounds'
    printf '%s\n' 'alltoallv bytes=..16 -> tuna inline_bytes=2000' >"$work/a.rules"
    "${explain[@]}" --coll alltoallv --bytes 8 >"$work/found"
    has 'Blocks of up to 2000 bytes go through its rounds'
    echo 'allreduce ->' >"$work/a.rules"
    refuses "a.rules:1:13: expected fallback" "${explain[@]}"
}

tap_plan 14
tap a_file_that_is_right_passes a_file_that_is_right_passes
tap the_example_of_the_manual_passes the_example_of_the_manual_passes
tap mistakes_have_line_and_column mistakes_have_line_and_column
tap rules_that_never_decide_give_warnings rules_that_never_decide_give_warnings
tap gaps_are_remarked_on gaps_are_remarked_on
tap binary_files_and_folders_are_refused binary_files_and_folders_are_refused
tap the_fastest_becomes_the_rule_and_neighbours_join the_fastest_becomes_the_rule_and_neighbours_join
tap collectives_among_neighbours_have_rules collectives_among_neighbours_have_rules
tap a_margin_keeps_the_neighbours_choice a_margin_keeps_the_neighbours_choice
tap the_fallback_component_can_be_named the_fallback_component_can_be_named
tap what_did_not_run_is_ignored what_did_not_run_is_ignored
tap unequal_nodes_and_auto_are_understood unequal_nodes_and_auto_are_understood
tap mistakes_in_measurements_are_named mistakes_in_measurements_are_named
tap explain_says_which_rule_decides explain_says_which_rule_decides
tap_end
