#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# The results book: what collbench measures of every collective, and the applications, as one CSV file and one page.

set -euo pipefail

NAPCOLL_SRC=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=config/setup.sh
. "$NAPCOLL_SRC/config/setup.sh"
# shellcheck source=examples/supervised.sh
. "$NAPCOLL_SRC/examples/supervised.sh"

collectives=(allreduce bcast reduce barrier allgather alltoall reduce_scatter_block reduce_scatter allgatherv alltoallv
    alltoallw gather scatter gatherv scatterv scan exscan)
applications=(cg fft2d transitive_closure spmv 'spmv --matrix power' halo3d 'halo3d --call alltoallw' pipeline)

usage() {
    cat <<'END'
Usage: examples/results.sh [--minutes N] [--clusters LIST] [--coll LIST] [--applications LIST] [--bytes LIST]
                           [--output DIR] [--page] [--no-root]

Measures napcoll's auto, after napcoll-tune, against its algorithms by name and Open MPI's other components, in
turns, all collectives of a cluster in one job: blocking calls first, then nonblocking and persistent ones with
the two algorithms that were best, and the applications. In the end the cells in which a component was faster than
auto by a tenth, or an algorithm by a quarter, are measured again, in more turns. Writes into DIR

  README.md, results.csv, applications.csv, heat-*.svg   the page and its figures
  parts/                                                 what was run, each with its command and all it printed

Installs what is missing and builds napcoll first. A table that DIR has is not repeated: when the time is over, or
after an interruption, run it again for the rest. To publish: cp DIR/*.* docs/results.

  --minutes N          stop beginning new parts after that time (default 60)
  --clusters LIST      NODESxPROCESSES, with commas between; nodes are emulated 1 ms apart (default 8x8,1x4,16x4)
  --coll LIST          collectives, with commas between (default: all)
  --applications LIST  with commas between (default: all)
  --bytes LIST         as in collbench(1) (default 8:1M:x8; blocks of 64 KB at most)
  --output DIR         default build/results
  --page               measure nothing: write the page of what DIR has
  --no-root            without xhc and acoll, which need a root of Open MPI 6.0 (tests/roots/root.sh make 6.0)
  --help               this text
END
}

wrong_usage() {
    usage >&2
    exit 2
}

# ---- what is measured ----

# peers_of COLL CLUSTER: the components that supply it. With another one Open MPI would take the next by priority.
peers_of() {
    local peers
    case $1 in
        scan | exscan | alltoallw) peers=basic ;;
        allgatherv | reduce_scatter* | alltoall* | gatherv | scatterv) peers=tuned ;;
        *) peers=tuned,han ;;
    esac
    [ "${2%x*}" -gt 1 ] || peers=${peers%,han}
    case $in_root:$1 in
        yes:allreduce | yes:bcast | yes:barrier | yes:reduce) peers+=,xhc,acoll ;;
        yes:allgather | yes:gather | yes:alltoall) peers+=,acoll ;;
    esac
    echo "$peers"
}

# sizes_of COLL: blocks of 64 KB are 4 MB in all where there are 64 processes. Open MPI 6.0.0rc2's xhc crashes in reductions
# of 8 KB and more, also without napcoll, where it cannot copy from one process to another.
sizes_of() {
    if [ -n "$bytes" ]; then
        echo "$bytes"
        return
    fi
    case $in_root:$1 in
        yes:allreduce | yes:reduce) echo 8:4K:x8 ;;
        *gather* | *scatter* | *:alltoall*) echo 8:64K:x8 ;;
        *) echo 8:1M:x8 ;;
    esac
}

# algorithms_of COLL: those that can be named, as the component says.
algorithms_of() {
    ompi_info --parsable --param coll napcoll --level 9 |
        sed -nE "s/.*:coll_napcoll_$1_algorithm:enumerator:value:[0-9]+:([a-z_0-9]+)\$/\1/p" |
        grep -vx -e auto -e fallback -e previous
}

# best_of FILE: the two algorithms with the least geometric mean of their ratios.
best_of() {
    awk -F, '$5 ~ /^napcoll:/ && $10 > 0 { sum[$5] += log($10); sizes[$5]++ }
        END { for (who in sum) print sum[who] / sizes[who], who }' "$1" | sort -n | head -n 2 | cut -d' ' -f2-
}

# doubtful_of FILE: "BYTES CONTESTANT" of the cells in which a component was faster than auto by a tenth, or an algorithm by a
# quarter: auto, all components, and the algorithms that were not much slower than auto.
doubtful_of() {
    awk -F, '
        /^#/ || /^coll,/ { next }
        {
            kind = $5
            sub(/^[^@]*/, "", kind)
            cell[++rows] = $4 kind
            bytes[rows] = $4
            who[rows] = $5
            ratio[rows] = $10
            if ($5 == "napcoll" kind) own[$4 kind] = $10
        }
        END {
            for (i = 1; i <= rows; i++) {
                named[i] = who[i] ~ /^napcoll:/
                if (ratio[i] > 0 && own[cell[i]] > (named[i] ? 1.25 : 1.1) * ratio[i]) doubtful[cell[i]] = 1
            }
            for (i = 1; i <= rows; i++)
                if (doubtful[cell[i]] && (!named[i] || ratio[i] < 1.3 * own[cell[i]])) print bytes[i], who[i]
        }' "$1"
}

# contestants_of CLUSTER COLL CALLS: auto comes first.
contestants_of() {
    local name list=napcoll kind
    if [ "$3" = blocking ]; then
        for name in $(algorithms_of "$2"); do list+=,napcoll:$name; done
        echo "$list,$(peers_of "$2" "$1")"
        return
    fi
    list=
    for kind in nonblocking persistent; do
        list+=,napcoll@$kind
        while read -r name; do list+=,$name@$kind; done < <(best_of "$parts/$1-$2-blocking.csv")
        list+=,libnbc@$kind
    done
    echo "${list#,}"
}

# ---- the parts, with their shares of the time ----

# list_parts: "KIND CLUSTER WORD..." of all, in the order in which they are measured.
list_parts() {
    local cluster calls application
    for calls in blocking requests; do
        for cluster in "${clusters[@]}"; do
            # what napcoll-tune measures is between nodes
            [ "$calls" = requests ] || [ "${cluster%x*}" = 1 ] || echo "tune $cluster tune"
            echo "tables $cluster $calls first"
        done
        [ "$calls" = blocking ] || continue
        for application in "${apps[@]}"; do echo "application ${clusters[0]} $application"; done
        [ "$root" = no ] || echo "root 1x4 6.0"
    done
    for calls in blocking requests; do
        for cluster in "${clusters[@]}"; do echo "tables $cluster $calls again"; done
    done
}

# file_of KIND CLUSTER WORD...: without its end, where a part is kept; words of an application are joined.
file_of() {
    local kind=$1
    shift
    case $kind in
        application) echo "$parts/$(tr ' ' _ <<<"application-$*")" ;;
        root) echo "$parts/root-6.0" ;;
        *) echo "$parts/$(tr ' ' - <<<"$*")" ;;
    esac
}

# table_of CLUSTER COLL CALLS PASS: the file with one table, without its end.
table_of() {
    echo "$parts/$1-$2-$3$([ "$4" = first ] || echo -again)"
}

# missing_tables CLUSTER CALLS PASS: the collectives of tables that are not there. Nothing is measured again without doubt.
missing_tables() {
    local coll
    for coll in "${colls[@]}"; do
        [ ! -f "$(table_of "$1" "$coll" "$2" "$3").csv" ] || continue
        [ "$3" = first ] || [ ! -f "$parts/$1-$coll-$2.csv" ] || [ -n "$(doubtful_of "$parts/$1-$coll-$2.csv")" ] || continue
        echo "$coll"
    done
}

# weight_of KIND CLUSTER WORD...: its share of the time; 0: the part is there.
weight_of() {
    local weight=8
    if [ "$1" = tables ]; then
        [ "${2%x*}" -gt 1 ] || weight=2
        [ "$4" = first ] || weight=$((weight / 2))
        echo $((weight * $(missing_tables "${@:2}" | wc -l)))
    elif [ -f "$(file_of "$@").done" ]; then
        echo 0
    else
        case $1 in
            tune) echo 80 ;;
            root) echo 40 ;;
            *) echo 4 ;;
        esac
    fi
}

# ---- measuring ----

# on CLUSTER COMMAND...: an array `command` that runs it on that cluster.
on() {
    local nodes=${1%x*} ppn=${1#*x}
    shift
    command=(mpirun -np $((nodes * ppn)) --mca coll "$list" "$@")
    [ "$nodes" = 1 ] || command=(netlab --nodes "$nodes" --ppn "$ppn" --latency 1ms --rate 1Gbit -- "${command[@]}")
}

# attempt FILE SECONDS: runs `command` in the folder of parts; what it printed is in FILE.txt.
attempt() {
    local rc=0
    printf '%s\n\n' "${command[*]}" >"$1.txt"
    supervised --chdir="$parts" timeout --kill-after=20 $((2 * $2 + 600)) "${command[@]}" >>"$1.txt" 2>&1 || rc=$?
    if [ "$rc" != 0 ]; then
        tail -n 5 "$1.txt" >&2
        napcoll_say "${1##*/} failed (exit $rc); all it printed is in ${1#"$NAPCOLL_SRC"/}.txt"
    fi
    return "$rc"
}

# tune CLUSTER tune SECONDS: CLUSTER.conf. Without it auto uses what the repository has for such a cluster, and the next run
# tries it again.
tune() {
    local file=$parts/$1 shipped
    shipped=$NAPCOLL_SRC/ompi/tools/napcoll/machines/netlab-oversubscribed
    [ ! -f "$shipped-${1%x*}.conf" ] || shipped+=-${1%x*}
    on "$1" napcoll-tune --all-nodes --time-limit "$3" -o "$1.conf"
    if attempt "$file-tune" "$3"; then
        return
    fi
    [ -f "$file.conf" ] || cp "$shipped.conf" "$file.conf"
    napcoll_say "auto on $1 uses ${shipped##*/}.conf"
    return 1
}

# line_of CLUSTER COLL CALLS PASS: the options of its table, for collbench's --runs. The doubtful cells have some turns in any case.
line_of() {
    local contestants sizes=() more='--drop 3 --finalists 2' doubtful file
    if [ "$4" = again ]; then
        doubtful=$(doubtful_of "$parts/$1-$2-$3.csv")
        contestants=$(cut -d' ' -f2 <<<"$doubtful" | awk '!seen[$0]++' | paste -sd,)
        sizes=(--bytes "$(cut -d' ' -f1 <<<"$doubtful" | sort -nu | paste -sd,)")
        more='--min-iterations 12 --drop 2'
    else
        contestants=$(contestants_of "$1" "$2" "$3")
        sizes=(--bytes "$(sizes_of "$2")")
    fi
    [ "$2" != barrier ] || sizes=()
    file=$(table_of "$@")
    echo "--coll $2 --contestants $contestants ${sizes[*]} $more --csv ${file##*/}.csv"
}

# tables CLUSTER CALLS PASS SECONDS: those that are missing, in one job. If it fails, the rest goes on without the first table
# that is not there.
tables() {
    local coll name=$1-$2-$3 all rc=0 needed=() left
    while read -r coll; do
        if [ "$2-$3" = blocking-first ] || [ -f "$parts/$1-$coll-$([ "$3" = first ] && echo blocking || echo "$2").csv" ]; then
            needed+=("$coll")
        else
            napcoll_say "$name: $coll is not there from the pass before"
            rc=1
        fi
    done < <(missing_tables "$1" "$2" "$3")
    all=${#needed[@]}
    while [ "${#needed[@]}" -gt 0 ]; do
        for coll in "${needed[@]}"; do line_of "$1" "$coll" "$2" "$3"; done >"$parts/$name.runs"
        on "$1" --mca mca_base_param_files "$parts/$1.conf" collbench --runs "$name.runs" --iterations 50 \
            --sample-time 0.02 --time-limit $(($4 * ${#needed[@]} / all + 1))
        ! attempt "$parts/$name" "$4" || break
        rc=1
        left=()
        for coll in "${needed[@]}"; do
            [ -f "$(table_of "$1" "$coll" "$2" "$3").csv" ] || left+=("$coll")
        done
        [ "${#left[@]}" = 0 ] || napcoll_say "without $name of ${left[0]}"
        needed=("${left[@]:1}")
    done
    return "$rc"
}

# application CLUSTER NAME WORD... SECONDS: times of napcoll over times of the peer, which is on the line below.
application() {
    local cluster=$1 file words
    file=$(file_of application "${@:1:$#-1}")
    words=("${@:2:$#-2}")
    if [ ! -x "$NAPCOLL_SRC/build/examples/${words[0]}" ]; then
        napcoll_say "${words[0]} is not built"
        return 1
    fi
    on "$cluster" "$NAPCOLL_SRC/build/examples/${words[0]}" "${words[@]:1}" --turns 9
    attempt "$file" "${*: -1}" || return 1
    awk -v name="${words[*]}" -v cluster="$cluster" '
        $1 == "napcoll" && NF == 4 && $4 == "1.000" { exchange = $2; whole = $3; next }
        exchange > 0 && NF == 4 && $2 > 0 { printf "%s,%s,%s,%.4f,%.4f\n", name, cluster, $1, exchange / $2, whole / $3; exit }
        ' "$file.txt" >"$file.csv"
    [ -s "$file.csv" ]
}

# root CLUSTER VERSION SECONDS: the part of one node with xhc and acoll, where Open MPI is 6.0. What it has is kept in the build folder of the root.
root() {
    local rc=0
    napcoll_say "in a root of Open MPI 6.0, after its build"
    supervised "$NAPCOLL_SRC/tests/roots/root.sh" run 6.0 examples/results.sh --in-root --minutes $((1 + $3 / 60)) \
        --clusters 1x4 --coll "$(IFS=,; echo "${colls[*]}")" --output build/results >"$parts/root-6.0.txt" 2>&1 || rc=$?
    find "$NAPCOLL_SRC/build/openmpi-6.0/results/parts" -name '1x4-*.csv' 2>/dev/null | while read -r file; do
        cp "$file" "$parts/6.0-${file##*/}"
    done
    [ "$rc" = 0 ] || napcoll_say "the root failed (exit $rc); all it printed is in ${parts#"$NAPCOLL_SRC"/}/root-6.0.txt"
    return "$rc"
}

# left_of LIST: the weights of all its parts.
left_of() {
    local part sum=0
    while read -r -a part; do
        sum=$((sum + $(weight_of "${part[@]}")))
    done <<<"$1"
    echo "$sum"
}

# measure_all: the parts that are missing, each with its share of the remaining time.
measure_all() {
    local plan part number=0 all end now share weight lost=0
    plan=$(list_parts)
    all=$(wc -l <<<"$plan")
    end=$((SECONDS + 60 * minutes))
    while read -r -u 3 -a part; do
        number=$((number + 1))
        weight=$(weight_of "${part[@]}")
        [ "$weight" != 0 ] || continue
        now=$SECONDS
        if [ "$now" -ge "$end" ]; then
            lost=$((lost + 1))
            continue
        fi
        share=$(((end - now) * weight / $(left_of "$plan")))
        napcoll_say "[$number of $all] ${part[*]:1}: about $share s; about $(((end - now + 59) / 60)) minutes left"
        # starting a job takes some of it
        share=$((share > 30 ? share - 15 : share / 2 + 1))
        if ! "${part[@]}" "$share"; then
            failed+=("${part[*]:1}")
        elif [ "${part[0]}" != tables ]; then
            : >"$(file_of "${part[@]}").done"
        fi
    done 3<<<"$plan"
    [ "$lost" = 0 ] || napcoll_say "the time is over, $lost of $all parts are missing: run this again for them"
}

# ---- the page ----

# one_csv: all figures, with the version of Open MPI and the date before them; of a cell that was measured again, the later ones.
one_csv() {
    local file files
    find "$parts" -name '*-blocking.csv' -o -name '*-requests.csv' | sort -V |
        while read -r file; do
            files=("$file")
            [ ! -f "${file%.csv}-again.csv" ] || files=("${file%.csv}-again.csv" "$file")
            awk -F, '
                /^#/ {
                    if (match($0, /Open MPI v[0-9.a-z]+/)) version = substr($0, RSTART + 10, RLENGTH - 10)
                    if (match($0, /20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]/)) date = substr($0, RSTART, RLENGTH)
                    next
                }
                /^coll,/ { next }
                {
                    kind = $5
                    sub(/^[^@]*/, "", kind)
                    if (FILENAME ~ /-again[.]csv$/) later[$4 kind] = 1
                    else if (later[$4 kind]) next
                    print version "," date "," $0
                }' "${files[@]}"
        done
}

# machine_text: what was measured on.
machine_text() {
    printf '%s, %s processors, %s of memory, Linux %s' "$(sed -n 's/^model name[ \t]*: //p' /proc/cpuinfo | head -n 1)" \
        "$(nproc)" "$(awk '/^MemTotal/ { printf "%.0f GiB", $2 / 1048576 }' /proc/meminfo)" "$(uname -r)"
}

# missing_text: how much of the plan is not there.
missing_text() {
    local part absent=0 parts_in_all=0
    while read -r -a part; do
        parts_in_all=$((parts_in_all + 1))
        [ "$(weight_of "${part[@]}")" = 0 ] || absent=$((absent + 1))
    done < <(list_parts)
    [ "$absent" = 0 ] || printf '**%s of %s parts have not been measured yet.** ' "$absent" "$parts_in_all"
}

page() {
    local origin
    origin=$(grep -hE '^# napcoll ' "$parts"/*-blocking.csv 2>/dev/null | sort -u -t, -k2,2 |
        sed -nE 's/^# (napcoll [^,]*), (Open MPI [^,]*),.*, (20[0-9-]+).*/- \1, \2, \3/p' | sort -u)
    cat <<END
# Results

Nodes are emulated by netlab on one machine with $(nproc) processors, which all processes share: absolute times say
nothing, and each number is a ratio of times from turns of the same job. Below 1, napcoll is faster. $(missing_text)

$origin
- $(machine_text)

Made by \`examples/results.sh\`. Clusters are NODESxPROCESSES; between emulated nodes are 1 ms and 1 Gbit/s. Sizes are of
the vector, or of the block of a process. napcoll chooses by itself (auto), after one run of napcoll-tune on that cluster;
on one node, where there is nothing to tune, out of the box.
The better component is the faster one of those that supply the collective: tuned, han or basic; of nonblocking and
persistent calls libnbc; on one node with Open MPI 6.0 also xhc and acoll. A contestant whose first calls took over 3 times
as long as the fastest had no turns, and of the algorithms by name only the two with the fastest first calls had some. Where
a component was faster by a tenth, or an algorithm by a quarter, the cell was measured again. [results.csv](results.csv) has all figures, [reasons.txt](reasons.txt) the reasons.

## Ratios
END
    "$NAPCOLL_SRC/build/examples/results_page" "$output/results.csv" "$output/reasons.txt" "$output/applications.csv" "$output"
}

write_page() {
    {
        echo "openmpi,date,coll,nodes,ppn,bytes,contestant,samples,median_us,p05_us,p95_us,ratio,run_us,ran"
        one_csv
    } >"$output/results.csv"
    {
        echo "application,cluster,against,exchange,whole"
        find "$parts" -name 'application-*.csv' | sort | while read -r file; do cat "$file"; done
    } >"$output/applications.csv"
    [ -f "$output/reasons.txt" ] || cp "$NAPCOLL_SRC/docs/results/reasons.txt" "$output"
    page >"$output/README.new"
    mv "$output/README.new" "$output/README.md"
    napcoll_say "${output#"$NAPCOLL_SRC"/}/README.md is written"
}

# ---- the command line ----

minutes=60
cluster_list=8x8,1x4,16x4
coll_list=$(IFS=,; echo "${collectives[*]}")
app_list=$(IFS=,; echo "${applications[*]}")
bytes=
output=$NAPCOLL_SRC/build/results
only_page=no
in_root=no
root=yes
failed=()
while [ $# -gt 0 ]; do
    case $1 in
        --minutes | --clusters | --coll | --applications | --bytes | --output)
            [ $# -ge 2 ] || wrong_usage
            case $1 in
                --minutes) minutes=$2 ;;
                --clusters) cluster_list=$2 ;;
                --coll) coll_list=$2 ;;
                --applications) app_list=$2 ;;
                --bytes) bytes=$2 ;;
                --output) output=$(realpath -m -- "$2") ;;
            esac
            shift
            ;;
        --page) only_page=yes ;;
        --no-root) root=no ;;
        # by this script, in a root
        --in-root) in_root=yes root=no app_list='' ;;
        --help | -h)
            usage
            exit 0
            ;;
        *) wrong_usage ;;
    esac
    shift
done
IFS=, read -r -a colls <<<"$coll_list"
IFS=, read -r -a clusters <<<"$cluster_list"
IFS=, read -r -a apps <<<"$app_list"
if [ "${#colls[@]}" = 0 ] || [ "${#clusters[@]}" = 0 ]; then
    wrong_usage
fi
for coll in "${colls[@]}"; do
    [[ " ${collectives[*]} " = *" $coll "* ]] ||
        napcoll_fail "--coll wants some of ${collectives[*]}, with commas between, not '$coll'"
done
for app in "${apps[@]}"; do
    [[ ",$(IFS=,; echo "${applications[*]}")," = *",$app,"* ]] ||
        napcoll_fail "--applications wants some of '$(IFS=,; echo "${applications[*]}")', not '$app'"
done
for cluster in "${clusters[@]}"; do
    [[ $cluster =~ ^[1-9][0-9]{0,2}x[1-9][0-9]{0,2}$ ]] ||
        napcoll_fail "--clusters wants NODESxPROCESSES such as 8x8, with commas between, not '$cluster'"
done
[[ $minutes =~ ^[1-9][0-9]{0,3}$ ]] || napcoll_fail "--minutes wants a number from 1 to 9999, not '$minutes'"
if [ "$root" = yes ] && { [[ ,$cluster_list, != *,1x4,* ]] || [ ! -d "${NAPCOLL_ROOTS:-$NAPCOLL_SRC/build/roots}/6.0" ]; }; then
    napcoll_say "without xhc and acoll: there is no root of Open MPI 6.0, or no cluster 1x4"
    root=no
fi

cd "$NAPCOLL_SRC"
# shellcheck disable=SC2154 # setup.sh has it
napcoll_packages "${napcoll_needs[@]}"
napcoll_build "$NAPCOLL_SRC/build" "$(nproc)" || exit 1
# shellcheck source=/dev/null
. build/env.sh
napcoll_mpirun_settings
list=napcoll,tuned,han,basic,libnbc,inter,self
[ "$in_root" = no ] || list+=,xhc,acoll
parts=$output/parts
mkdir -p "$parts"
for cluster in "${clusters[@]}"; do
    [ "${cluster%x*}" -gt 1 ] || : >>"$parts/$cluster.conf"
done
[ "$only_page" = yes ] || measure_all
write_page
[ "${#failed[@]}" = 0 ] || napcoll_fail "these failed: $(printf '%s; ' "${failed[@]}")run this again for them"
