#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# examples/regret.sh writes what it promises, and says what is wrong with its arguments. What it measures is not
# judged here.

set -euo pipefail

# shellcheck source=tests/build/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../build/tap.sh"

usage() {
    echo "Usage: tests/examples/regret.sh"
    echo
    echo "Runs examples/regret.sh with short measurements on few nodes, with the build in build/; prints TAP."
}
only_help "$@"

[ "$build" -ef "$src/build" ] || tap_skip_all "examples/regret.sh uses $src/build only"
[ -x "$build/bin/collbench" ] || tap_skip_all "no build in $build"
NAPCOLL_BUILD=$build "$src/tests/netlab/netlab" --nodes 1 --ppn 1 -- true || tap_skip_all "netlab cannot run here"

regret() {
    timeout 300 "$src/examples/regret.sh" --time-limit 1 --shapes 3x2 --output "$work/results" "$@"
}

# Figures of another setting, which regret.md has, too; figures_are_judged_rightly looks at them.
made_up_figures() {
    cat >"$work/results/regret-near-2x2.csv" <<'END'
coll,nodes,ppn,bytes,contestant,samples,median_us,p05_us,p95_us,ratio,ran
bcast,2,2,8,napcoll,9,10.0,9.0,11.0,1.0000,"flat"
bcast,2,2,8,napcoll:flat,9,9.0,9.0,11.0,0.9000,"flat"
bcast,2,2,8,napcoll:nap,9,5.0,4.0,6.0,0.5000,"fallback: ppn"
bcast,2,2,8,tuned,9,8.0,7.0,9.0,0.8000,"tuned"
bcast,2,2,8,han,9,20.0,19.0,21.0,2.0000,"han; napcoll inside: linear"
bcast,2,2,64,napcoll,9,10.0,9.0,11.0,1.0000,"fallback: sizes"
bcast,2,2,64,tuned,9,12.5,12.0,13.0,1.2500,"tuned"
bcast,2,2,512,napcoll,9,10.0,9.0,11.0,1.0000,"flat"
bcast,2,2,512,napcoll:flat,9,7.0,6.0,8.0,0.7000,"flat"
bcast,2,2,512,tuned,9,7.0,6.0,8.0,0.7000,"tuned"
bcast,2,2,512,han,1,5.0,5.0,5.0,0.5000,"han"
bcast,2,2,4096,napcoll,9,10.0,9.0,11.0,1.0000,"flat (3 of 9), binomial (6 of 9)"
bcast,2,2,4096,tuned,9,9.0,8.0,10.0,0.9000,"tuned"
END
}

every_cell_is_judged() {
    local conf=$src/ompi/tools/napcoll/machines/netlab.conf file=$work/results/regret-far-3x2
    regret --part far --coll barrier,gather --bytes 8,512 --machine "$conf"
    cat "$work/results/regret.md"
    cmp "$conf" "$file.conf"
    for bytes in 8 512; do
        for contestant in napcoll napcoll:linear napcoll:two_level tuned han; do
            grep "^gather,3,2,$bytes,$contestant," "$file.csv"
        done
        grep -E "^\\| gather \\| $bytes \\| [0-9]+ \\| [0-9.]+( \\*\\*)? \\| [a-z:_]+ \\| [0-9.]+( \\*\\*)? \\| (tuned|han) \\| ([0-9.]+|-) \\| " "$work/results/regret.md"
    done
    grep '^| barrier | 0 | ' "$work/results/regret.md"
    [ "$(grep -c '^netlab .* --coll \(barrier\|gather\) ' "$file.txt")" = 2 ]
    grep -E '^3 cells: median [0-9.]+, worst [0-9.]+, [0-3] above 1.25; [0-3] of 3 take' "$work/results/regret.md"
    # What is measured again takes the place of the old; the rest stays.
    made_up_figures
    cp "$file.csv" "$work/before.csv"
    regret --part far --coll barrier --turns 12 --machine "$conf"
    grep -E '^\| barrier \| 0 \| (1[2-9]|[2-9][0-9]|1[0-9][0-9]) \| ' "$work/results/regret.md"
    diff <(grep '^gather' "$work/before.csv") <(grep '^gather' "$file.csv")
    (! diff <(grep '^barrier' "$work/before.csv") <(grep '^barrier' "$file.csv"))
    [ "$(grep -c '^barrier,3,2,0,napcoll,' "$file.csv")" = 1 ]
    [ "$(grep -c '^coll,' "$file.csv")" = 1 ]
    [ "$(grep -c '^netlab .* --coll barrier ' "$file.txt")" = 1 ]
    [ "$(wc -l <"$file.txt")" = 2 ]
    grep '^3 cells: ' "$work/results/regret.md"
}

# ended PATTERN ARGUMENT...: regret.sh is ended a second after it has such a file, and long before it would end by
# itself; then where it measured is gone, and nobody is there.
ended() {
    local pattern=$1 run rc=0 left
    shift
    TMPDIR=$work/tmp "$src/examples/regret.sh" --part far --shapes 3x2 --output "$work/kept" "$@" &
    run=$!
    for _ in {1..1200}; do
        ! compgen -G "$pattern" || break
        sleep 0.1
    done
    sleep 1
    kill "$run"
    for _ in {1..300}; do
        [ -n "$(jobs -rp)" ] || break
        sleep 0.1
    done
    [ -z "$(jobs -rp)" ]
    wait "$run" || rc=$?
    echo "ended with $rc"
    [ "$rc" = 143 ]
    [ -z "$(find "$work/tmp" -maxdepth 1 -name 'tmp.*')" ]
    for _ in {1..100}; do
        left=$(readlink /proc/[0-9]*/cwd | grep -F "$work/tmp/") || true
        [ -n "$left" ] || break
        sleep 0.1
    done
    [ -z "$left" ]
}

# What has been measured need not be measured again.
ended_run_keeps_what_it_has() {
    local machine=$src/ompi/tools/napcoll/machines/netlab.conf file=$work/kept/regret-far-3x2
    mkdir "$work/tmp"
    ended "$file.csv" --time-limit 1 --coll barrier,gather --bytes 8 --machine "$machine"
    ended "$work/tmp/tmp.*/regret-far-3x2-gather.txt" --time-limit 120 --coll gather --bytes 8:64K --machine "$machine"
    cmp "$machine" "$file.conf"
    grep '^barrier,3,2,0,napcoll,' "$file.csv"
    [ "$(grep -c '^gather,' "$file.csv")" = 0 ]
    regret --part far --coll gather --bytes 8 --output "$work/kept" --machine "$machine"
    grep '^| barrier | 0 | ' "$work/kept/regret.md"
    grep '^| gather | 8 | ' "$work/kept/regret.md"
}

# Judged by figures that are made up: a forced algorithm that left the call is none, and auto is one of those that can
# be best.
figures_are_judged_rightly() {
    cat "$work/results/regret.md"
    grep -xF '4 cells: median 1.18, worst 1.43, 1 above 1.25; 3 of 4 take more than 1.1 times the better of the other components.' \
        "$work/results/regret.md"
    grep -xF 'Where it was asked for by name, what auto took is above 1.25 in 0 of the first, and above 1.1 in 2 of the latter.' \
        "$work/results/regret.md"
    grep -xF '| bcast | 8 | 9 | 1.25 | tuned | 1.25 ** | tuned | 1.11 | flat |  |' "$work/results/regret.md"
    grep -xF '| bcast | 64 | 9 | 1.00 | auto | 0.80 | tuned | 0.80 | fallback: sizes |  |' "$work/results/regret.md"
}

# Cells above a bound, and no others, are measured again, and shown instead; not longer than the first figures are there.
cells_above_are_measured_again() {
    local file=$work/results/regret-near-2x2
    cp "$src/ompi/tools/napcoll/machines/netlab.conf" "$file.conf"
    regret --again 7 --part near --shapes 2x2
    cat "$work/results/regret.md" "$file.again.csv"
    for contestant in napcoll napcoll:flat tuned; do
        [ "$(grep -cE "^bcast,2,2,(8|512),$contestant," "$file.again.csv")" = 2 ]
    done
    for contestant in napcoll:flat napcoll:binomial tuned; do
        grep "^bcast,2,2,4096,$contestant," "$file.again.csv"
    done
    awk -F, '$5 == "napcoll" && $6 < 6 { exit 1 }' "$file.again.csv"
    [ "$(grep -c '^bcast,2,2,64,' "$file.again.csv")" = 0 ]
    [ "$(grep -c '^coll,' "$file.again.csv")" = 1 ]
    grep '^3 cells were measured again' "$work/results/regret.md"
    grep '^| bcast | 8 |.*| 1.25, 1.25 \*\* |$' "$work/results/regret.md"
    grep '^| bcast | 512 |.*| 1.43 \*\*, 1.43 \*\* |$' "$work/results/regret.md"
    grep '^| bcast | 64 | 9 |.*|  |$' "$work/results/regret.md"
    [ "$(grep -c '^netlab .* --coll bcast .*--bytes 512$' "$file.txt")" = 1 ]
    regret --part near --shapes 2x2 --coll bcast --bytes 8
    [ "$(wc -l <"$file.again.csv")" = 1 ]
    (! grep 'measured again, for' "$work/results/regret.md")
}

# Of the cells that are above by all figures: of those that were measured again, by the later ones.
rules_of_cells_above_are_corrected() {
    local file=$work/corrected/regret-near-2x2
    mkdir -p "$work/corrected"
    cp "$src/ompi/tools/napcoll/machines/netlab.conf" "$file.conf"
    cat >"$file.csv" <<'END'
coll,nodes,ppn,bytes,contestant,samples,median_us,p05_us,p95_us,ratio,ran
bcast,2,2,8,napcoll,9,10.0,9.0,11.0,1.0000,"flat"
bcast,2,2,8,tuned,9,8.0,7.0,9.0,0.8000,"tuned"
scan,2,2,8,napcoll,9,10.0,9.0,11.0,1.0000,"nap"
scan,2,2,8,basic,9,8.0,7.0,9.0,0.8000,"basic"
barrier,2,2,0,napcoll,9,10.0,9.0,11.0,1.0000,"nap"
barrier,2,2,0,tuned,9,10.0,7.0,9.0,1.0000,"tuned"
END
    head -n 1 "$file.csv" >"$file.again.csv"
    sed -n '/^scan/{s/0.8000/1.0000/;p}' "$file.csv" >>"$file.again.csv"
    regret --output "$work/corrected" --again 7 --correct 3 --part near --shapes 2x2
    cat "$file.conf.rules" "$file.txt" "$work/corrected/regret.md"
    grep -E '^bcast nodes=2 ppn=2 bytes=0\.\.64 -> ' "$file.conf.rules"
    [ "$(grep -cvE '^(#.*)?$' "$file.conf.rules")" = 1 ]
    grep -Fx 'coll_napcoll_rules_file = regret-near-2x2.conf.rules' "$file.conf"
    grep -E '^netlab .* napcoll-tune --only bcast:8 --time-limit 3 -o regret-near-2x2.conf$' "$file.txt"
    grep -E '^bcast,2,2,8,napcoll,([7-9]|[1-9][0-9]+),' "$file.again.csv"
    grep -F 'scan,2,2,8,napcoll,9,' "$file.again.csv"
}

tap_plan 11
tap every_cell_is_judged every_cell_is_judged
tap ended_run_keeps_what_it_has ended_run_keeps_what_it_has
tap figures_are_judged_rightly figures_are_judged_rightly
tap cells_above_are_measured_again cells_above_are_measured_again
tap rules_of_cells_above_are_corrected rules_of_cells_above_are_corrected
tap only_what_is_measured_again_is_corrected refuses '--correct wants --again' regret --correct 5
tap nothing_to_measure_again_is_said refuses 'there are no figures of gap 3x2' regret --again 5 --part gap
tap turns_are_a_number refuses '--turns wants a number of turns' regret --turns 0
tap unknown_collective_is_named refuses "not 'bcast,bogus'" regret --coll bcast,bogus
tap unknown_setting_is_named refuses "not 'near,middle'" regret --part near,middle
tap missing_machine_is_named refuses "there is no file '/no/such.conf'" regret --machine /no/such.conf
tap_end
