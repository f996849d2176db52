# shellcheck shell=bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# What broadcast.sh, alltoall.sh, gather.sh and tune.sh have in common: options, and runs of collbench on emulated nodes that
# end up in one document. To be sourced after config/setup.sh, with
#
#   coll        the collective, as collbench calls it
#   document    the file to write, and the beginning of the names of others
#   all_parts   what can be measured, with commas between
#   shapes      nodes and processes on each, as 8x8,16x4, where --shapes may name others
#   usage       a function that prints the usage
#   bytes       empty, where --bytes is to be understood, which sets it

: "${coll:?}" "${document:?}" "${all_parts:?}"
# shellcheck source=examples/supervised.sh
. "$NAPCOLL_SRC/examples/supervised.sh"
output=$NAPCOLL_SRC/build/results
time_limit=120
parts=$all_parts
list=napcoll,tuned,han,basic,libnbc,self,inter

# number OPTION WHAT VALUE: the value, which has to be one from 1 to 99999.
number() {
    [[ $3 =~ ^[1-9][0-9]{0,4}$ ]] || napcoll_fail "$1 wants a number of $2 from 1 to 99999, not '$3'"
    echo "$3"
}

# options ARGUMENT...: reads --part, --shapes, --bytes, --time-limit, --output and --help.
options() {
    while [ $# -gt 0 ]; do
        case $1 in
            --part)
                parts=${2:-}
                [[ ,$parts, =~ ^(,(${all_parts//,/|}))+,$ ]] ||
                    napcoll_fail "--part wants some of $all_parts, with commas between, not '$parts'"
                shift
                ;;
            --shapes)
                [ -n "${shapes:-}" ] || { usage >&2 && exit 2; }
                [[ ,${2:-} =~ ^(,[1-9][0-9]{0,2}x[1-9][0-9]{0,2})+$ ]] ||
                    napcoll_fail "--shapes wants NODESxPROCESSES, with commas between, not '${2:-}'"
                shapes=$2
                shift
                ;;
            --bytes)
                if [ -z "${bytes+known}" ] || [ $# -lt 2 ]; then
                    usage >&2
                    exit 2
                fi
                bytes=$2
                shift
                ;;
            --time-limit)
                time_limit=$(number "$1" seconds "${2:-}")
                shift
                ;;
            --output)
                [ $# -ge 2 ] || { usage >&2 && exit 2; }
                output=$(realpath -m -- "$2")
                shift
                ;;
            --help | -h)
                usage
                exit 0
                ;;
            *)
                usage >&2
                exit 2
                ;;
        esac
        shift
    done
}

# wants PART
wants() {
    case ,$parts, in
        *",$1,"*) ;;
        *) return 1 ;;
    esac
}

# network_of SETTING: netlab's options of three networks.
network_of() {
    case $1 in
        near) echo --latency 100us --rate 1Gbit ;;
        far) echo --latency 2ms --rate 100Mbit ;;
        gap) echo --latency 100us --rate 1Gbit --gap 20us ;;
    esac
}

# begin: installs, builds and sets the environment; makes the folder of what is being measured.
begin() {
    cd "$NAPCOLL_SRC" || exit 1
    # shellcheck disable=SC2154
    napcoll_packages "${napcoll_needs[@]}"
    napcoll_build "$NAPCOLL_SRC/build" "$(nproc)" || exit 1
    # shellcheck source=/dev/null
    . build/env.sh
    napcoll_mpirun_settings
    # shellcheck disable=SC2034 # for the documents
    openmpi_version=$(mpicc --showme:version | napcoll_openmpi_version)
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
}

# machine NAME: sets the machine file for the runs that follow.
machine() {
    napcoll_machine_settings "$NAPCOLL_SRC/ompi/tools/napcoll/machines/$1.conf"
}

# measured NAME COMMAND...: runs what ends after about the time limit, in the folder of what is being measured. What it
# printed is in NAME.txt.
measured() {
    local name=$1
    shift
    napcoll_say "$name, up to $time_limit s and the start"
    supervised --chdir="$scratch" timeout --kill-after=20 $((2 * time_limit + 900)) "$@" >"$scratch/$name.txt" 2>&1 || {
        tail -n 40 "$scratch/$name.txt" >&2
        napcoll_fail "$name failed"
    }
}

# as_typed WORD...: a command as one types it, with words that have blanks in single quotes.
as_typed() {
    local word typed=()
    for word; do
        [[ $word != *' '* ]] || word="'$word'"
        typed+=("$word")
    done
    echo "${typed[*]}"
}

# run NAME WORD... -- ARGUMENT...: collbench under netlab and mpirun; the words are netlab's, then mpirun's
# behind ":". What it printed goes into the document, under the heading $title, and the picture that it drew as NAME.svg.
run() {
    local name=$1 netlab=() mpirun=() command
    shift
    while [ "$1" != : ]; do netlab+=("$1") && shift; done
    shift
    while [ "$1" != -- ]; do mpirun+=("$1") && shift; done
    shift
    command=(netlab "${netlab[@]}" -- mpirun --mca coll "$list" "${mpirun[@]}" collbench --coll "$coll" "$@"
        --time-limit "$time_limit" --csv "$name.csv")
    measured "$name" "${command[@]}"
    {
        # shellcheck disable=SC2154
        printf '\n## %s\n\n    %s\n\n' "$title" "$(as_typed "${command[@]}")"
        sed -n '/^ *bytes  *contestant/,/^start skew/p' "$scratch/$name.txt" | sed -e 's/  *$//' -e 's/^./    &/'
        [ ! -f "$scratch/$name.svg" ] || printf '\n![%s](%s.svg)\n' "$title" "$name"
    } >>"$scratch/$document.md"
}

# finish: moves the document and what belongs to it to where they shall be.
finish() {
    sed -i "s#$scratch/##g" "$scratch/$document.md"
    mkdir -p "$output"
    find "$scratch" -maxdepth 1 -name "$document*" ! -name '*.txt' -exec mv {} "$output" \;
    napcoll_say "${output#"$NAPCOLL_SRC"/}/$document.md is written"
}
