#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# The published results: what collbench measures of every collective on two emulated clusters, as figures,
# pictures and a table of ratios.

set -euo pipefail

NAPCOLL_SRC=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=config/setup.sh
. "$NAPCOLL_SRC/config/setup.sh"
# shellcheck source=examples/supervised.sh
. "$NAPCOLL_SRC/examples/supervised.sh"

collectives=(allreduce reduce bcast barrier allgather allgatherv reduce_scatter reduce_scatter_block scan exscan)

usage() {
    cat <<'END'
Usage: examples/results.sh [--coll LIST] [--shape LIST] [--time-limit SECONDS] [--output DIR]
                           [--machine FILE] [--openmpi VERSION] [--again]

Measures napcoll against Open MPI's own components on emulated nodes (latency 1 ms, 1 Gbit/s), one run
for each collective and shape, and writes into DIR

  COLL-NODESxPPN.csv, .svg, .txt   the figures, their picture, and the command with all it printed
  README.md                        for each collective, shape and size napcoll's time over the time
                                   of the better other component, what ran, and the commands

Installs what is missing and builds napcoll first. A run that DIR has already, with the same command and
the same Open MPI, is not repeated, so that one that was interrupted goes on.

  --coll LIST            of allreduce, reduce, bcast, barrier, allgather, allgatherv,
                         reduce_scatter, reduce_scatter_block, scan and exscan, with commas between
                         (default: all)
  --shape LIST           NODESxPPN, with commas between (default 8x8,16x4)
  --time-limit SECONDS   of a run, all sizes together (default 300)
  --output DIR           default build/results
  --machine FILE         the machine of napcoll's auto; default: an oversubscribed netlab's, in
                         ompi/tools/napcoll/machines: netlab-oversubscribed-NODES.conf where there is
                         one, else netlab-oversubscribed.conf
  --openmpi VERSION      4.1, 5.0 or 6.0, in a Debian root unless it is this machine's (see
                         tests/roots/root.sh --help), or here, the default: whatever this machine has
  --again                measure again what the output folder has
  --help                 this text

The others are tuned and han where both supply the collective; han has no allgatherv, reduce_scatter and
reduce_scatter_block, and neither has scan and exscan, which are compared with basic.
END
}

wrong_usage() {
    usage >&2
    exit 2
}

# peers_of COLL: whom napcoll is compared with: the components that supply it, up to Open MPI 6.0. With
# another one Open MPI would take the next by priority; collbench says who ran.
peers_of() {
    case $1 in
        allgatherv | reduce_scatter | reduce_scatter_block) echo tuned ;;
        scan | exscan) echo basic ;;
        *) echo tuned,han ;;
    esac
}

# sizes_of COLL: for collbench's --bytes. Blocks of 64K are 4 MiB in all where there are 64 processes.
sizes_of() {
    case $1 in
        allgather* | reduce_scatter*) echo 8:64K ;;
        *) echo 8:4M ;;
    esac
}

# command_of COLL SHAPE: sets the array `command`, whose files are in the present folder.
command_of() {
    local coll=$1 nodes=${2%x*} ppn=${2#*x} name=$1-$2
    command=(netlab --nodes "$nodes" --ppn "$ppn" --latency 1ms --rate 1Gbit --
        mpirun -np $((nodes * ppn)) --mca coll "napcoll,tuned,han,basic,libnbc,self,inter"
        collbench --coll "$coll" --contestants "napcoll,$(peers_of "$coll")")
    [ "$coll" = barrier ] || command+=(--bytes "$(sizes_of "$coll")")
    command+=(--iterations 50 --time-limit "$time_limit" --csv "$name.csv" --svg "$name.svg")
}

# machine_of SHAPE: the machine file.
machine_of() {
    local folder=$NAPCOLL_SRC/ompi/tools/napcoll/machines
    if [ -n "$machine" ]; then
        echo "$machine"
    elif [ -f "$folder/netlab-oversubscribed-${1%x*}.conf" ]; then
        echo "$folder/netlab-oversubscribed-${1%x*}.conf"
    else
        echo "$folder/netlab-oversubscribed.conf"
    fi
}

# uses_machine FILE: a line of a run's text.
uses_machine() {
    echo "machine: ${1##*/}"
}

# is_there NAME MACHINE COMMAND...: whether the output folder has that, of the present Open MPI.
is_there() {
    local text=$output/$1.txt file=$2
    shift 2
    [ "$again" = no ] && [ -f "$text" ] && [ "$(head -n 1 "$text")" = "$*" ] &&
        grep -qxF "$(uses_machine "$file")" "$text" && grep -qF "Open MPI v$openmpi_version" "$text"
}

# measure COLL SHAPE: one run. Its text comes last: who finds it has all.
measure() {
    local name=$1-$2 command file rc=0
    file=$(machine_of "$2")
    command_of "$@"
    if is_there "$name" "$file" "${command[@]}"; then
        napcoll_say "$name is there already"
        return 0
    fi
    napcoll_say "$name, up to $time_limit s and the start"
    napcoll_machine_settings "$file"
    printf '%s\n\n%s\n' "${command[*]}" "$(uses_machine "$file")" >"$scratch/$name.txt"
    # Every size takes a warm-up and at least a turn, whatever the limit.
    supervised --chdir="$scratch" timeout --kill-after=20 $((2 * time_limit + 600)) "${command[@]}" \
        >>"$scratch/$name.txt" 2>"$scratch/err" || rc=$?
    if [ "$rc" != 0 ]; then
        tail -n 40 "$scratch/err" >&2
        printf '%s: %s failed (exit %s)\n' "${0##*/}" "$name" "$rc" >&2
        [ "$rc" != 77 ] || exit 77
        return 1
    fi
    mv "$scratch/$name.csv" "$scratch/$name.svg" "$output" && mv "$scratch/$name.txt" "$output"
}

# shapes_of COLL: those that the output folder has, by their number of nodes.
shapes_of() {
    local text
    for text in "$output/$1"-*x*.txt; do
        [ ! -f "$text" ] || basename "$text" .txt
    done | sed "s/^$1-//" | sort -n
}

# table_of COLL SHAPE...: a row for each size, with three columns for each shape. The figures are the
# medians over the turns, which collbench gives as ratios to its first contestant, napcoll.
table_of() {
    local coll=$1 shape files=()
    shift
    for shape; do
        files+=("$output/$coll-$shape.csv")
    done
    awk -F, -v shapes="$*" '
        function size(bytes) {
            if (bytes >= 1048576 && bytes % 1048576 == 0) return bytes / 1048576 "M"
            if (bytes >= 1024 && bytes % 1024 == 0) return bytes / 1024 "K"
            return bytes
        }
        FNR == 1 { file++ }
        /^(#|coll,)/ { next }
        {
            who = $0
            sub(/^([^,]*,)*"/, "", who)
            sub(/"$/, "", who)
            key = file SUBSEP $4
            if (!($4 in known)) { known[$4]; bytes[++rows] = $4 }
            if ($5 == "napcoll") { ran[key] = who; few[key] = $6 < 10 ? "*" : ""; next }
            sub(/ \(not .*/, "", who)
            sub(/; napcoll inside.*/, "", who)
            if (!(key in least) || $10 < least[key]) { least[key] = $10; other[key] = who }
        }
        END {
            columns = split(shapes, shape, " ")
            head = "| bytes |"
            rule = "|---:|"
            for (c = 1; c <= columns; c++) {
                head = head " " shape[c] " | napcoll ran | against |"
                rule = rule "---:|---|---|"
            }
            print head "\n" rule
            for (r = 1; r <= rows; r++) {
                line = "| " size(bytes[r]) " |"
                for (c = 1; c <= columns; c++) {
                    key = c SUBSEP bytes[r]
                    line = line ((key in ran) && least[key] > 0 \
                        ? sprintf(" %.2f%s | %s | %s |", 1 / least[key], few[key], ran[key], other[key]) \
                        : " - | - | - |")
                }
                print line
            }
        }' "${files[@]}"
}

# section_of COLL SHAPE...: the part of README.md on a collective.
section_of() {
    local coll=$1 shape name text
    shift
    printf '\n## %s\n\n' "$coll"
    sed -nE 's/^bytes of ([^;]*);.*/Sizes are of \1.\n/p' "$output/$coll-$1.txt"
    table_of "$coll" "$@"
    for shape; do
        name=$coll-$shape
        text=$output/$name.txt
        printf '\n%s: [figures](%s.csv), [picture](%s.svg), [all that collbench printed](%s.txt); %s, %s:\n\n    %s\n' \
            "$shape" "$name" "$name" "$name" "$(sed -nE 's/.*, (Open MPI v.*)/\1/p' "$text" | head -n 1)" \
            "$(sed -n 's/^machine: //p' "$text")" "$(head -n 1 "$text")"
    done
}

# summary: README.md, on all that the output folder has.
summary() {
    local coll shapes
    cat <<END
# napcoll against Open MPI's own components

Made by \`examples/results.sh\`. Each number is the time of napcoll divided by the time of the better one of the
others, from the medians over turns in which all of them ran: below 1, napcoll takes less; \`*\`: fewer than
10 turns. Columns are NODESxPPN of an emulated cluster (1 ms between nodes, 1 Gbit/s from each) whose
processes share the processors of one machine: absolute times say little, ratios do. "napcoll ran" names
napcoll's algorithm, or why it left the call to another component, or which component Open MPI took in its
place; "against" is the component that the number compares with. The commands are those after
\`. build/env.sh\`, with coll_napcoll_segment_bytes = 0 (only broadcasts have pipelines, whose segments the
model chooses) and the parameters of the machine file in the environment.
END
    for coll in "${collectives[@]}"; do
        mapfile -t shapes < <(shapes_of "$coll")
        [ "${#shapes[@]}" = 0 ] || section_of "$coll" "${shapes[@]}"
    done
}

# measure_all: measures what is missing and writes the summary of all figures, also after a failure.
measure_all() {
    local coll shape failed=()
    napcoll_packages "${napcoll_needs[@]}"
    napcoll_build "$NAPCOLL_SRC/build" "$(nproc)" || exit 1
    # shellcheck source=/dev/null
    . build/env.sh
    napcoll_mpirun_settings
    # Processes that share a few cores cannot reduce and copy at the same time: no pipelines. Broadcasts do not
    # ask for this: theirs fill the wires, and the model says how many segments they have.
    export OMPI_MCA_coll_napcoll_segment_bytes=0
    openmpi_version=$(mpicc --showme:version | napcoll_openmpi_version)
    mkdir -p "$output"
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    for coll in "${colls[@]}"; do
        for shape in "${shapes[@]}"; do
            measure "$coll" "$shape" || failed+=("$coll-$shape")
        done
    done
    summary >"$scratch/README.md"
    mv "$scratch/README.md" "$output"
    napcoll_say "${output#"$NAPCOLL_SRC"/}/README.md is written"
    [ "${#failed[@]}" = 0 ] || napcoll_fail "these failed: ${failed[*]}"
}

# measure_in_root VERSION: the same in the root of that version, where build/ alone can be written. What
# it has is kept there, for an interrupted one to go on.
measure_in_root() {
    local rc=0 options
    options=(--coll "$(IFS=,; echo "${colls[*]}")" --shape "$(IFS=,; echo "${shapes[*]}")"
        --time-limit "$time_limit" --output build/results)
    mkdir -p "build/openmpi-$1"
    if [ -n "$machine" ]; then
        cp "$machine" "build/openmpi-$1/machine.conf" || exit 1
        options+=(--machine build/machine.conf)
    fi
    [ "$again" = no ] || options+=(--again)
    supervised tests/roots/root.sh run "$1" examples/results.sh --openmpi here "${options[@]}" || rc=$?
    if [ -f "build/openmpi-$1/results/README.md" ]; then
        mkdir -p "$output"
        cp "build/openmpi-$1/results"/* "$output"
        napcoll_say "copied to ${output#"$NAPCOLL_SRC"/}"
    fi
    exit "$rc"
}

coll_list=$(IFS=,; echo "${collectives[*]}")
shape_list=8x8,16x4
time_limit=300
output=$NAPCOLL_SRC/build/results
openmpi=here
machine=
again=no
while [ $# -gt 0 ]; do
    case $1 in
        --coll | --shape | --time-limit | --output | --machine | --openmpi)
            [ $# -ge 2 ] || wrong_usage
            case $1 in
                --coll) coll_list=$2 ;;
                --shape) shape_list=$2 ;;
                --time-limit) time_limit=$2 ;;
                --output) output=$(realpath -m -- "$2") ;;
                --machine) machine=$(realpath -m -- "$2") ;;
                --openmpi) openmpi=$2 ;;
            esac
            shift
            ;;
        --again) again=yes ;;
        --help | -h)
            usage
            exit 0
            ;;
        *) wrong_usage ;;
    esac
    shift
done

IFS=, read -r -a colls <<<"$coll_list"
IFS=, read -r -a shapes <<<"$shape_list"
if [ "${#colls[@]}" = 0 ] || [ "${#shapes[@]}" = 0 ]; then
    wrong_usage
fi
for coll in "${colls[@]}"; do
    case " ${collectives[*]} " in
        *" $coll "*) ;;
        *) napcoll_fail "--coll wants some of ${collectives[*]}, with commas between, not '$coll'" ;;
    esac
done
for shape in "${shapes[@]}"; do
    [[ $shape =~ ^[1-9][0-9]{0,2}x[1-9][0-9]{0,2}$ ]] ||
        napcoll_fail "--shape wants NODESxPPN such as 8x8, with commas between, not '$shape'"
done
[[ $time_limit =~ ^[1-9][0-9]{0,4}$ ]] ||
    napcoll_fail "--time-limit wants a number of seconds from 1 to 99999, not '$time_limit'"
[ -z "$machine" ] || [ -r "$machine" ] || napcoll_fail "--machine: there is no file '$machine' that can be read"
case $openmpi in
    here | 4.1 | 5.0 | 6.0) ;;
    *) napcoll_fail "--openmpi wants 4.1, 5.0, 6.0 or here, not '$openmpi'" ;;
esac

cd "$NAPCOLL_SRC"
case $openmpi:$(mpicc --showme:version 2>/dev/null | napcoll_openmpi_version) in
    here:* | "$openmpi:$openmpi".*) measure_all ;;
    *)
        # The root uses this machine's configure.
        napcoll_packages "${napcoll_needs[@]}"
        napcoll_autogen
        measure_in_root "$openmpi"
        ;;
esac
