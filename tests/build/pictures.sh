#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# `napcoll-plan draw` and `goal` as users call them: the picture and the text have all messages of `show`, are
# consistent, and are written to the right file; mistakes.

set -euo pipefail

# shellcheck source=tests/build/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

usage() {
    cat <<'END_USAGE'
Usage: tests/build/pictures.sh

Runs napcoll-plan draw and goal of the build folder (NAPCOLL_BUILD, else build/); prints TAP.
END_USAGE
}
only_help "$@"

plan=$build/bin/napcoll-plan
[ -x "$plan" ] || tap_skip_all "no napcoll-plan in $build"
unset NAPCOLL_MACHINES

# The placements and algorithms of all tests, one a line.
shapes() {
    cat <<'END_SHAPES'
--algorithm nap --nodes 10 --ppn 4
--algorithm smp --nodes 10 --ppn 4
--algorithm recursive_doubling --nodes 5 --ppn 3
--algorithm nap --nodes 6 --ppn 3,2,1
--algorithm nap --nodes 6 --ppn 3,2,1 --map cyclic
--algorithm smp --ranks 23 --ppn 5,1 --map random:7
--algorithm nap --nodes 4 --ppn 12 --in-place
--algorithm recursive_doubling --nodes 64 --ppn 1
--algorithm nap --nodes 1 --ppn 64 --local-radix 64
--algorithm recursive_doubling --nodes 1 --ppn 1
--algorithm recursive_doubling --nodes 1 --ppn 1 --in-place
--algorithm lane --nodes 4 --ppn 4 --segments 3
--algorithm ring --nodes 3 --ppn 4 --segments 2
--coll reduce --algorithm nap --nodes 3 --ppn 4 --root 7
--coll reduce --algorithm lane --ranks 5 --ppn 2,1 --in-place
--coll barrier --nodes 3 --ppn 4
--coll barrier --algorithm smp --ranks 5 --ppn 2,1
--coll allgather --nodes 3 --ppn 4 --map cyclic
--coll allgather --algorithm recursive_doubling --nodes 2 --ppn 4
--coll allgatherv --algorithm lane_ring --ranks 5 --ppn 2,1
--coll reduce_scatter --algorithm pairwise --nodes 3 --ppn 4
--coll reduce_scatter_block --ranks 5 --ppn 2,1
--coll scan --nodes 3 --ppn 4
--coll exscan --algorithm gathered --ranks 5 --ppn 2,1
END_SHAPES
}

# on_shapes COMMAND...: runs the command for each of them.
on_shapes() {
    local shape seen=0
    while read -r shape; do
        echo "$shape"
        # shellcheck disable=SC2086 # they are words
        "$@" $shape
        seen=$((seen + 1))
    done < <(shapes)
    [ "$seen" = 24 ]
}

# count PATTERN FILE: the number of matches.
count() {
    { grep -oE -e "$1" "$2" || true; } | wc -l
}

# noticed COMMAND...: the command, a check, fails.
noticed() {
    local rc
    # Not in an `if`: there the shell ignores failures inside the check.
    set +e
    (
        set -e
        "$@"
    )
    rc=$?
    set -e
    [ "$rc" != 0 ] || {
        echo "not noticed: $*"
        return 1
    }
}

# same WHAT A B: complains unless both are equal.
same() {
    [ "$2" = "$3" ] || {
        echo "$1: $2 instead of $3"
        return 1
    }
}

# ---- draw ----

# well_formed FILE: tags are balanced, one element contains all others, attributes are quoted. Uses xmllint as well
# if it is installed.
well_formed() {
    ! command -v xmllint >/dev/null || xmllint --noout "$1"
    awk 'BEGIN { RS = "<" }
        function wrong(what) { print "record " NR ": " what ": <" $0; bad = 1; exit }
        NR == 1 { if ($0 != "") wrong("text before the first tag"); next }
        {
            if (gsub(/>/, "&") != 1) wrong("a > too many or too few")
            gsub(/&(amp|lt|gt|quot|apos);/, "")
            tag = $0; sub(/>.*/, "", tag); text = $0; sub(/[^>]*>/, "", text)
            if (text ~ /&/) wrong("&")
            if (depth == 0 && text !~ /^[ \n]*$/) wrong("text outside of all")
            if (tag ~ /^\?xml .*\?$/) { if (NR > 2) wrong("declaration"); next }
            if (tag ~ /^\//) {
                if (depth == 0 || "/" stack[depth] != tag) wrong("ends nothing")
                depth--; next
            }
            if (tag !~ /^[a-zA-Z]+( [a-zA-Z:-]+="[^"&]*")*\/?$/) wrong("attributes")
            if (depth == 0 && roots++) wrong("a second root")
            if (tag !~ /\/$/) { name = tag; sub(/ .*/, "", name); stack[++depth] = name }
        }
        END { if (!bad && (depth != 0 || roots != 1)) { print depth " tags open, " roots " roots"; bad = 1 }
            exit bad }' "$1"
}

draw_well_formed() {
    "$plan" draw "$@" >"$work/a.svg"
    well_formed "$work/a.svg"
}

pictures_are_well_formed() {
    on_shapes draw_well_formed
    on_shapes draw_well_formed --provider delegate --leader-provider delegate
    # and the check itself finds mistakes
    "$plan" draw --nodes 2 >"$work/a.svg"
    sed '0,/<\/g>/s///' "$work/a.svg" >"$work/b.svg"
    noticed well_formed "$work/b.svg"
    sed '0,/data-rank="0"/s//data-rank="0/' "$work/a.svg" >"$work/b.svg"
    noticed well_formed "$work/b.svg"
}

# An exchange is two messages.
drawn_as_shown() {
    local svg=$work/a.svg list=$work/show
    "$plan" draw "$@" >"$svg"
    "$plan" show "$@" >"$list"
    same lanes "$(count '<g class="lane" data-rank=' "$svg")" "$(count '^node ' "$list")"
    same nodes "$(count '<g class="node" data-node=' "$svg")" \
        "$(sed -n 's/^node \([0-9]*\),.*/\1/p' "$list" | sort -u | wc -l)"
    same messages "$(($(count 'class="message ' "$svg") + $(count 'class="message [a-z]* exchange"' "$svg")))" \
        "$(count '^    send ' "$list")"
    same reductions "$(count 'class="reduce"' "$svg")" "$(count '^    reduce ' "$list")"
    same copies "$(count 'class="copy"' "$svg")" "$(count '^    copy ' "$list")"
    same phases "$(count 'class="phase"' "$svg")" "$(count '^    phase ' "$list")"
}

pictures_have_what_show_lists() {
    on_shapes drawn_as_shown
    on_shapes drawn_as_shown --provider delegate --leader-provider delegate
    "$plan" draw --provider delegate --nodes 2 >"$work/a.svg"
    [ "$(count 'class="phase"' "$work/a.svg")" -ge 16 ]
}

# sends_drawn FILE, sends_shown FILE: the messages of a picture or a listing as "FROM TO STAGE", sorted; the stage is the sender's.
sends_drawn() {
    sed -nE 's/.*class="message [a-z]*( exchange)?" data-from="([0-9]*)" data-to="([0-9]*)" data-stage="([0-9]*)".*<title>([^<]*)<.*/\1 \2 \3 \4 (\5/p' \
        "$1" | awk '{ back = "exchange" == $1; if (back) { $1 = ""; $0 = $0 }
            print $1, $2, $3
            if (back) { stage = $3; if ($0 ~ /\(stage/) { stage = $0; sub(/.*\(stage /, "", stage) }
                print $2, $1, stage + 0 } }' | sort
}

sends_shown() {
    awk '/^node / { rank = $0; sub(/.*, rank /, "", rank); rank += 0 }
        /^  stage / { stage = $2 }
        /^    send / { print rank, $NF, stage }' "$1" | sort
}

same_sends() {
    "$plan" draw "$@" >"$work/a.svg"
    "$plan" show "$@" >"$work/show"
    diff <(sends_drawn "$work/a.svg") <(sends_shown "$work/show")
}

pictures_have_the_messages_of_the_plans() {
    on_shapes same_sends
    # at the outermost level of 10 x 4, node 0 and node 4 exchange between ranks 1 and 16
    "$plan" draw --nodes 10 --ppn 4 >"$work/a.svg"
    grep 'class="message inter exchange" data-from="1" data-to="16" data-stage="3".*<title>rank 1 to rank 16 and back, stage 3 (stage 2 of rank 16)</title>' \
        "$work/a.svg"
    grep 'class="message inter exchange" data-from="5" data-to="20"' "$work/a.svg"
    same 'messages from 1 to 20' "$(count 'data-from="1" data-to="20"' "$work/a.svg")" 0
}

nodes_tell_the_two_kinds_of_messages() {
    "$plan" draw --nodes 10 --ppn 4 >"$work/a.svg"
    sed -nE 's/.*class="message ([a-z]*)[^"]*" data-from="([0-9]*)" data-to="([0-9]*)".*/\1 \2 \3/p' \
        "$work/a.svg" | awk '{ seen[$1]++
            if ($1 != (int($2 / 4) == int($3 / 4) ? "intra" : "inter")) { print; bad = 1 } }
        END { exit bad || seen["inter"] < 20 || seen["intra"] < 120 }'
}

# Both ends of a message are in one column; messages on one track do not overlap; those that meet a stage have
# different heights.
lines_apart() {
    sed -nE 's/.*class="message .* d="M([0-9]+),([0-9]+) H[0-9]+ Q([0-9]+),.* V-?[0-9]+ Q[0-9]+,([0-9]+) .* H([0-9]+)".*/\1 \2 \3 \4 \5/p' \
        "$1" >"$work/lines"
    same lines "$(wc -l <"$work/lines")" "$(count 'class="message ' "$1")"
    awk '{ if ($1 != $5 || $3 <= $1) { print "leaves its column: " $0; bad = 1 }
            if (used[$1, $2]++ || used[$5, $4]++) { print "meets another one: " $0; bad = 1 } }
        END { exit bad }' "$work/lines"
    awk '{ print $3, ($2 < $4 ? $2 " " $4 : $4 " " $2) }' "$work/lines" | sort -n -k 1,1 -k 2,2 |
        awk '$1 == track && $2 <= high { print "on another one: " $0; bad = 1 }
            { track = $1; high = $3 } END { exit bad }'
}

draw_lines_apart() {
    "$plan" draw "$@" >"$work/a.svg"
    lines_apart "$work/a.svg"
}

messages_hide_no_others() {
    on_shapes draw_lines_apart
    # and the check itself finds mistakes: all tracks in one place
    "$plan" draw --nodes 10 >"$work/a.svg"
    sed -E 's/ Q[0-9]+,/ Q999,/' "$work/a.svg" >"$work/b.svg"
    noticed lines_apart "$work/b.svg"
}

# Nodes of five switches with special XML characters, in another order than the placement.
network() {
    cat <<'END_NETWORK'
SwitchName=rack<1> Nodes=n0,n3
SwitchName=rack&2 Nodes=n1,a-node-whose-name-is-far-too-long-for-a-picture
SwitchName=core Nodes=n2 Switches=rack<1>,rack&2
SwitchName=unused Nodes=x[0-3]
SwitchName=all Switches=core,unused
END_NETWORK
}

# boxes FILE: "NAME TOP BOTTOM" of each switch.
boxes() {
    sed -nE 's/.*<g class="switch" .* y="([0-9]+)" width="[0-9]+" height="([0-9]+)" .*<title>(.*)<\/title>.*/\3 \1 \2/p' "$1" |
        awk '{ print $1, $2, $2 + $3 }'
}

pictures_have_switches() {
    network >"$work/network.conf"
    "$plan" draw --coll allgather --algorithm ring --nodes 5 --ppn 2 --topology "$work/network.conf" \
        --hosts 'n[0-3],a-node-whose-name-is-far-too-long-for-a-picture' >"$work/a.svg"
    well_formed "$work/a.svg"
    local nodes
    nodes=$(sed -nE 's/.*class="node-title"[^>]*>([^<]*)<.*/\1/p' "$work/a.svg" | paste -s -d ' ')
    same nodes "$nodes" 'n2 n0 n3 n1 a-node-whose-name-..'
    same 'data of nodes' "$(grep -oE 'class="node" data-node="[0-9]+"' "$work/a.svg" | tr -dc '0-9\n' | paste -s -d ' ')" '2 0 3 1 4'
    boxes "$work/a.svg" >"$work/boxes"
    cat "$work/boxes"
    # the unused switch is absent, boxes of one depth do not overlap, and upper ones contain lower ones
    awk '{ top[$1] = $2; bottom[$1] = $3 }
        END { exit NR != 4 || "unused" in top || top["all"] != top["core"] || bottom["all"] != bottom["core"] ||
            !(top["core"] < top["rack&lt;1&gt;"] && bottom["rack&lt;1&gt;"] < top["rack&amp;2"] &&
                bottom["rack&amp;2"] == bottom["core"]) }' "$work/boxes"
    lines_apart "$work/a.svg"
    draw_in_bounds "$work/a.svg"
    "$plan" draw --coll allgather --algorithm ring --nodes 5 --ppn 2 >"$work/b.svg"
    same switches "$(count 'class="switch"' "$work/b.svg")" 0
    diff <(sends_drawn "$work/a.svg") <(sends_drawn "$work/b.svg")
}

# Everything is inside the picture.
pictures_hold_their_lanes() {
    "$plan" draw --nodes 4 --ppn 12 >"$work/a.svg"
    draw_in_bounds "$work/a.svg"
}

draw_in_bounds() {
    local width height
    read -r width height < <(sed -nE 's/^<svg .* width="([0-9]+)" height="([0-9]+)" viewBox="0 0 \1 \2">$/\1 \2/p' \
        "$1")
    awk -v width="$width" -v height="$height" 'BEGIN { RS = "<" }
        match($0, / (x|cx)="[0-9]+"/) { x = substr($0, RSTART, RLENGTH); gsub(/[^0-9]/, "", x); seen++
            if (x + 0 > width) { print; bad = 1 } }
        match($0, / (y|cy)="[0-9]+"/) { y = substr($0, RSTART, RLENGTH); gsub(/[^0-9]/, "", y)
            if (y + 0 > height) { print; bad = 1 } }
        END { exit bad || seen < 100 || width == "" }' "$1"
}

# ---- goal ----

# What LogGOPSim's reader needs, and what lets it terminate: ranks in order; labels before their uses; each stage
# behind the one before; a receive for each send, of the same size and tag, and no tag twice.
goal_checked() {
    "$plan" goal "$@" >"$work/a.goal"
    checked "$work/a.goal"
    "$plan" show "$@" >"$work/show"
    same sends "$(count ': send ' "$work/a.goal")" "$(count '^    send ' "$work/show")"
    same stages "$(count '^s[0-9]+: calc ' "$work/a.goal")" "$(awk '/^node / { ranks++; if (/ 0 stages$/) empty++ }
        /^  stage / { stages++ } END { print stages + empty }' "$work/show")"
}

checked() {
    awk 'function wrong(what) { print "line " NR ": " what ": " $0; bad = 1; exit }
        /^\/\// || /^$/ { next }
        /^num_ranks [0-9]+$/ { if (total) wrong("twice"); total = $2; next }
        /^rank [0-9]+ \{$/ { if (inside || $2 != ranks++) wrong("order"); inside = 1; rank = $2; count = 0; next }
        /^\}$/ { if (!inside || !count) wrong("nothing in it"); inside = 0
            for (label in defined) if (label ~ /_/) {
                stage = substr(label, 1, index(label, "_") - 1)
                if (!((stage, label) in requires)) wrong(stage " without " label)
                if (stage != "s0" && !((label, "s" (substr(stage, 2) - 1)) in requires)) wrong(label " too early")
            } else if (label != "s0" && !(label in behind)) wrong(label " requires nothing")
            split("", defined); split("", requires); split("", behind); next }
        !inside { wrong("outside of ranks") }
        $2 == "requires" { if (NF != 3 || !($1 in defined) || !($3 in defined)) wrong("no such label")
            requires[$1, $3] = 1; behind[$1] = 1; next }
        /^s[0-9]+(_[0-9]+)?: / { label = $1; sub(/:/, "", label)
            if (label in defined) wrong("label twice"); defined[label] = 1; count++ }
        /: send [0-9]+b to [0-9]+ tag [0-9]+$/ { if (++seen["s", rank, $5, $7] > 1) wrong("tag twice")
            balance[rank, $5, $7, $3]++; next }
        /: recv [0-9]+b from [0-9]+ tag [0-9]+$/ { if (++seen["r", $5, rank, $7] > 1) wrong("tag twice")
            balance[$5, rank, $7, $3]--; next }
        /: calc [0-9]+$/ { next }
        { wrong("not GOAL") }
        END { for (m in balance) if (!bad && balance[m] != 0) { gsub(SUBSEP, " ", m); print "one-sided: " m; bad = 1 }
            exit bad || inside || !total || ranks != total }' "$1"
}

goal_fits_together() {
    on_shapes goal_checked
    # and the check itself finds mistakes
    "$plan" goal --nodes 2 >"$work/a.goal"
    local damage
    for damage in '0,/send 8b/s//send 9b/' '0,/tag 0/s//tag 7/' '0,/requires s0_0/s//requires s0_9/' \
        '0,/^s0 requires s0_1$/s///' '0,/^s1_0 requires s0$/s///' '0,/^rank 1 /s//rank 2 /' '/^}/d'; do
        sed "$damage" "$work/a.goal" >"$work/b.goal"
        cmp -s "$work/a.goal" "$work/b.goal" && return 1
        echo "$damage"
        noticed checked "$work/b.goal"
    done
}

# bytes_of ARGUMENT...: the bytes of all sends.
bytes_of() {
    "$plan" goal "$@" | awk '/: send / { sub(/b$/, "", $3); sum += $3 } END { printf "%.0f\n", sum }'
}

goal_counts_bytes() {
    local sends
    sends=$("$plan" show --nodes 10 | grep -c '^    send ')
    # plans of nap send whole vectors
    same 'plans of one block' "$("$plan" show --nodes 10 | grep -c ': 1 block,')" 40
    same 'bytes by default' "$(bytes_of --nodes 10)" "$((8 * sends))"
    same 'bytes of 3K' "$(bytes_of --nodes 10 --bytes 3K)" "$((3072 * sends))"
    same 'bytes of 1G' "$(bytes_of --nodes 10 --bytes 1G)" "$((1073741824 * sends))"
    # in a ring of 12 each rank gets all other blocks
    same 'bytes of blocks' "$(bytes_of --coll allgather --algorithm ring --nodes 3 --bytes 5)" "$((12 * 11 * 5))"
    same 'bytes of blocks to reduce' "$(bytes_of --coll reduce_scatter --algorithm pairwise --nodes 3 --bytes 5)" \
        "$((12 * 11 * 5))"
    # blocks of a vector: eleven twelfths go round twice
    same 'bytes of pieces' "$(bytes_of --algorithm ring --nodes 3 --bytes 12K)" "$((12288 * 11 * 2))"
    # LogGOPSim knows no empty messages
    same 'bytes of a barrier' "$(bytes_of --coll barrier --nodes 3)" \
        "$("$plan" show --coll barrier --nodes 3 | grep -c '^    send ')"
    same 'bytes of nothing' "$(bytes_of --nodes 10 --bytes 0)" "$sends"
}

# calcs_of GAMMA ARGUMENT...: the calcs of all ranks, one a line.
calcs_of() {
    sed "s/\(reduce_ns_per_byte\).*/\1 = $1/" "$src/ompi/tools/napcoll/machines/netlab.conf" \
        >"$work/mine.conf"
    shift
    "$plan" goal --machine "$work/mine.conf" "$@" | awk '/: calc / { print $3 }'
}

goal_times_reductions() {
    local reductions
    reductions=$("$plan" show --nodes 10 | grep -c '^    reduce ')
    same 'time of reductions' "$(calcs_of 1000 --nodes 10 --bytes 5 | awk '{ sum += $1 } END { print sum }')" \
        "$((5000 * reductions))"
    # 2.4 ns are 3
    same 'one reduction' "$(calcs_of 0.3 --nodes 2 --ppn 1 --algorithm recursive_doubling | sort -rn | head -n 1)" 3
    same 'a whole one' "$(calcs_of 0.5 --nodes 2 --ppn 1 --algorithm recursive_doubling | sort -rn | head -n 1)" 4
    same 'without a machine' "$("$plan" goal --nodes 10 | grep ': calc ' | grep -vc 'calc 0$' || true)" 0
    "$plan" goal --nodes 10 --machine bluewaters.conf | grep ': calc [1-9]'
}

goal_takes_many_ranks() {
    timeout 60 "$plan" goal --nodes 512 --ppn 16 --output "$work/large.goal"
    same ranks "$(grep -c '^rank ' "$work/large.goal")" 8192
    checked "$work/large.goal"
    rm "$work/large.goal"
}

# ---- output and mistakes ----

output_goes_to_files() {
    local command rc
    for command in draw goal; do
        "$plan" "$command" --nodes 3 >"$work/stdout"
        "$plan" "$command" --nodes 3 --output "$work/file" >"$work/nothing"
        cmp "$work/stdout" "$work/file"
        [ ! -s "$work/nothing" ]
        [ "$(wc -l <"$work/file")" -gt 50 ]
        rc=0
        "$plan" "$command" --nodes 3 --output /dev/full 2>"$work/err" || rc=$?
        same 'status where the disk is full' "$rc" 1
        grep -e '--output /dev/full: cannot be written (No space left on device); free some space' "$work/err"
        rc=0
        "$plan" "$command" --nodes 3 >/dev/full 2>"$work/err" || rc=$?
        same 'status where the disk is full' "$rc" 1
        grep 'standard output: cannot be written (No space left on device); free some space' "$work/err"
    done
}

# failed STATUS TEXT COMMAND ARGUMENT...: exit status, TEXT on standard error, no output and no file.
failed() {
    local status=$1 text=$2 command=$3 rc=0
    shift 3
    rm -f "$work/file"
    "$plan" "$command" "$@" >"$work/out" 2>"$work/err" || rc=$?
    cat "$work/err"
    same status "$rc" "$status"
    grep -qF -e "$text" "$work/err"
    [ ! -s "$work/out" ]
    rc=0
    "$plan" "$command" --output "$work/file" "$@" >"$work/out" 2>"$work/err" || rc=$?
    same 'status with --output' "$rc" "$status"
    [ ! -s "$work/out" ]
    [ ! -e "$work/file" ]
}

mistakes_name_option_and_range() {
    failed 2 '65 ranks: expected from 1 to 64' draw --nodes 13 --ppn 5
    failed 2 '65 ranks: expected from 1 to 64' draw --ranks 65
    "$plan" draw --ranks 64 >"$work/out"
    failed 2 '262145 ranks: expected from 1 to 262144' goal --ranks 262145
    failed 2 '--provider delegate: expected own' goal --provider delegate
    failed 2 '--bytes 2G: expected a number from 0 to 1073741824' goal --bytes 2G
    failed 2 '--bytes 8:16: expected a number' goal --bytes 8:16
    failed 2 '--machine nothing.conf: no such file' goal --machine nothing.conf
    failed 2 '--bytes: not an option of draw' draw --bytes 8
    failed 2 '--bytes: barrier has no data' goal --coll barrier --bytes 8
    failed 2 '--root 12: there are 12 ranks' draw --coll reduce --nodes 3 --root 12
    failed 2 '--segments 2: scan nap cuts nothing' goal --coll scan --segments 2
    failed 2 '--ppn 3x: character 2' draw --ppn 3x
    failed 2 '--output /nowhere/a: cannot be written' draw --output /nowhere/a
    failed 2 '--output /nowhere/a: cannot be written' goal --output /nowhere/a
}

what_an_algorithm_cannot_do_is_said() {
    failed 1 'nap cannot do this' draw --nodes 4 --ppn 1
    failed 1 'nap cannot do this' goal --nodes 4 --ppn 1
}

# messages_of FILE: senders, receivers and stages.
messages_of() {
    grep -oE 'data-from="[0-9]+" data-to="[0-9]+" data-stage="[0-9]+"' "$1" | sort
}

# The picture of the README shows the current plans.
picture_of_the_readme_is_true() {
    "$plan" draw --nodes 3 --ppn 3 >"$work/a.svg"
    messages_of "$work/a.svg" >"$work/is"
    messages_of "$src/docs/nap-3x3.svg" >"$work/was"
    [ -s "$work/is" ]
    diff "$work/was" "$work/is"
}

tap_plan 15
tap pictures_are_well_formed pictures_are_well_formed
tap pictures_have_what_show_lists pictures_have_what_show_lists
tap pictures_have_the_messages_of_the_plans pictures_have_the_messages_of_the_plans
tap nodes_tell_the_two_kinds_of_messages nodes_tell_the_two_kinds_of_messages
tap messages_hide_no_others messages_hide_no_others
tap pictures_have_switches pictures_have_switches
tap pictures_hold_their_lanes pictures_hold_their_lanes
tap goal_fits_together goal_fits_together
tap goal_counts_bytes goal_counts_bytes
tap goal_times_reductions goal_times_reductions
tap goal_takes_many_ranks goal_takes_many_ranks
tap picture_of_the_readme_is_true picture_of_the_readme_is_true
tap output_goes_to_files output_goes_to_files
tap mistakes_name_option_and_range mistakes_name_option_and_range
tap what_an_algorithm_cannot_do_is_said what_an_algorithm_cannot_do_is_said
tap_end
