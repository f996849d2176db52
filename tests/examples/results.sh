#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# examples/results.sh measures what it promises, goes on where it was interrupted, and says what is wrong with its
# arguments; the page follows from the figures. What it measures is not judged here.

set -euo pipefail

# shellcheck source=tests/build/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../build/tap.sh"

usage() {
    echo "Usage: tests/examples/results.sh"
    echo
    echo "Runs examples/results.sh with a few short measurements, with the build in build/; prints TAP."
}
only_help "$@"

[ "$build" -ef "$src/build" ] || tap_skip_all "examples/results.sh uses $src/build only"
[ -x "$build/bin/collbench" ] || tap_skip_all "no build in $build"
NAPCOLL_BUILD=$build "$src/tests/netlab/netlab" --nodes 1 --ppn 1 -- true || tap_skip_all "netlab cannot run here"

head_line=openmpi,date,coll,nodes,ppn,bytes,contestant,samples,median_us,p05_us,p95_us,ratio,run_us,ran

# results ARGUMENT...: of one small cluster.
results() {
    timeout 400 "$src/examples/results.sh" --clusters 2x2 --coll scan --bytes 64 --applications cg --minutes 1 \
        --output "$work/results" "$@"
}

# napcoll-tune would take most of the time: as if it had run.
run_measures_what_is_missing() {
    local file
    mkdir -p "$work/results/parts"
    : >"$work/results/parts/2x2.conf"
    : >"$work/results/parts/2x2-tune.done"
    results --no-root 2>"$work/err"
    cat "$work/err"
    refuses '' grep -F '2x2 tune' "$work/err"
    grep -E '^==> \[2 of 6\] 2x2 blocking first: about [0-9]+ s; about 1 minutes left$' "$work/err"
    cat "$work/results/README.md" "$work/results/results.csv" "$work/results/applications.csv"
    for file in blocking requests; do
        head -n 1 "$work/results/parts/2x2-$file-first.txt" | grep -E '^netlab --nodes 2 --ppn 2 .* collbench --runs '
        grep -E '^--coll scan --contestants .* --csv 2x2-scan-' "$work/results/parts/2x2-$file-first.runs"
    done
    grep -E '^[0-9.a-z]+,20[-0-9]+,scan,2,2,64,napcoll,' "$work/results/results.csv"
    grep -E '^[0-9.a-z]+,20[-0-9]+,scan,2,2,64,basic,' "$work/results/results.csv"
    grep -E '^[0-9.a-z]+,20[-0-9]+,scan,2,2,64,napcoll:[a-z_]+@persistent,' "$work/results/results.csv"
    grep -E '^[0-9.a-z]+,20[-0-9]+,scan,2,2,64,libnbc@nonblocking,' "$work/results/results.csv"
    grep -E '^cg,2x2,tuned,[0-9.]+,[0-9.]+$' "$work/results/applications.csv"
    grep -E '^### 2x2, blocking calls, Open MPI ' "$work/results/README.md"
    ! command -v gnuplot || grep '<svg' "$work/results"/heat-*-2x2-blocking.svg
}

what_is_there_is_not_repeated() {
    results --no-root 2>"$work/err"
    cat "$work/err"
    refuses '' grep '^==> \[' "$work/err"
    refuses '' grep -F 'parts have not been measured' "$work/results/README.md"
}

# Of nonblocking calls of 64 bytes libnbc is faster by a fifth: that cell is measured again, with the components and the
# algorithms that are not much slower than auto, and its new figures count. The others' stay.
doubtful_cells_are_measured_again() {
    local parts=$work/results/parts csv=$work/results/results.csv
    rm -f "$parts/2x2-scan-requests-again.csv"
    printf '%s\n' '# napcoll 0.2.0, Open MPI v4.1.4, 4 processes on 2 nodes, 2026-11-30' "${head_line#openmpi,date,}" \
        scan,2,2,64,napcoll@nonblocking,1,1,1,1,1,1,x scan,2,2,64,napcoll:nap@nonblocking,1,1,1,1,1.2,1,x \
        scan,2,2,64,napcoll:gathered@nonblocking,1,1,1,1,1.4,1,x scan,2,2,64,libnbc@nonblocking,1,1,1,1,0.8,1,x \
        scan,2,2,64,napcoll@persistent,1,1,1,1,3,1,x scan,2,2,64,libnbc@persistent,1,1,1,1,7,1,x \
        >"$parts/2x2-scan-requests.csv"
    results --no-root 2>"$work/err"
    cat "$work/err" "$csv"
    grep -F -e '--contestants napcoll@nonblocking,napcoll:nap@nonblocking,libnbc@nonblocking --bytes 64 ' \
        "$parts/2x2-requests-again.runs"
    [ "$(grep -c '@nonblocking,' "$csv")" = 3 ]
    refuses '' grep '@nonblocking,1,' "$csv"
    [ "$(grep -c '@persistent,1,' "$csv")" = 2 ]
}

# page: of the figures in $work/page.csv, in the place of those that were measured.
page() {
    mkdir -p "$work/page"
    "$build/examples/results_page" "$work/page.csv" "$work/reasons.txt" "$work/none.csv" "$work/page" >"$work/page.md" &&
        cat "$work/page.md"
}

# tuned is the better peer: 1 / 0.8. The fastest by name fell back, so the next one counts: 1 / 0.5; han was dropped, and
# counts as no faster than auto.
better_one_counts() {
    echo '8x8 blocking bcast 32768: its segments are too small' >"$work/reasons.txt"
    printf '%s\n' '# a comment' "$head_line" '4.1.4,2026-11-30,bcast,8,8,32768,napcoll,20,1,1,1,1,1,"nap (3 of 4), smp (1 of 4)"' \
        '4.1.4,2026-11-30,bcast,8,8,32768,napcoll:tree,20,1,1,1,0.4,1,"fallback: shape"' \
        '4.1.4,2026-11-30,bcast,8,8,32768,napcoll:chain,20,1,1,1,0.5,1,"chain"' '4.1.4,2026-11-30,bcast,8,8,32768,tuned,20,1,1,1,0.8,1,"tuned"' \
        '4.1.4,2026-11-30,bcast,8,8,32768,han,1,1,1,1,0.3,,"han"' >"$work/page.csv"
    page
    grep -Fx 'Of 1 cells, napcoll is faster in 0, and above 1.1 in 1. Regret, auto over the best named algorithm: median 2.00, worst 2.00 (bcast of 32 KiB: chain is faster).' "$work/page.md"
    grep -Fx '| 4.1.4 | 8x8 | blocking | bcast | 32 KiB | 1.25 | tuned | nap (3 of 4), smp (1 of 4) | 20 | its segments are too small |' "$work/page.md"
}

# Ratios to another contestant than auto, of each kind of calls by itself.
kinds_are_compared_by_themselves() {
    printf '%s\n' '1x4 blocking * *: another' '1x4 * scan *: one of many' >"$work/reasons.txt"
    printf '%s\n' "$head_line" '5.0.7,2026-11-30,scan,1,4,8,napcoll@nonblocking,20,1,1,1,1,1,"nap"' \
        '5.0.7,2026-11-30,scan,1,4,8,libnbc@nonblocking,20,1,1,1,2,1,"libnbc"' '5.0.7,2026-11-30,scan,1,4,8,napcoll@persistent,20,1,1,1,3,1,"nap"' \
        '5.0.7,2026-11-30,scan,1,4,8,libnbc@persistent,20,1,1,1,2,1,"libnbc"' >"$work/page.csv"
    page
    grep -Fx 'Of 1 cells, napcoll is faster in 1, and above 1.1 in 0.' "$work/page.md"
    grep -Fx '| 5.0.7 | 1x4 | persistent | scan | 8 B | 1.50 | libnbc | nap | 20 | one of many |' "$work/page.md"
}

mistakes_in_figures_are_named() {
    printf '%s\n' "$head_line" '5.0.7,2026-11-30,scan,1,4,8' >"$work/page.csv"
    refuses "results_page: $work/page.csv: a line has another number of fields" page
}

tests=(run_measures_what_is_missing what_is_there_is_not_repeated doubtful_cells_are_measured_again better_one_counts
    kinds_are_compared_by_themselves mistakes_in_figures_are_named)
tap_plan $((${#tests[@]} + 4))
for name in "${tests[@]}"; do
    tap "$name" "$name"
done
tap unknown_collective_is_named refuses "not 'bogus'" results --coll scan,bogus
tap unknown_application_is_named refuses "not 'bogus'" results --applications bogus
tap bad_cluster_is_named refuses "not '8'" results --clusters 8x8,8
tap minutes_are_a_number refuses "not '0'" results --minutes 0
tap_end
