#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# What can be checked of the sources without running them.

set -euo pipefail

usage() {
    cat <<'END'
Usage: .ci/checks.sh [--fix]

Checks the sources: their format, sizes and words, the shell scripts, which room includes what, where
versions of Open MPI are told apart, that the build knows every source, the links of the documents, and the
manual pages.
Prints TAP.

  --fix     let clang-format rewrite the C sources first
  --help    this text
END
}

fix=no
case ${1:-} in
    '') ;;
    --fix) fix=yes ;;
    --help | -h)
        usage
        exit 0
        ;;
    *)
        usage >&2
        exit 2
        ;;
esac

cd "$(dirname "${BASH_SOURCE[0]}")/.."
component=ompi/mca/coll/napcoll

# The files that belong to the project: what git has, or would have (.gitignore names the rest). In an
# unpacked source package, a repository made for the question answers it.
scratch=
trap '[ -z "$scratch" ] || rm -rf "$scratch"' EXIT
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'
if ! [ "$(git rev-parse --show-toplevel 2>/dev/null)" -ef . ]; then
    scratch=$(mktemp -d)
    git init -q --bare "$scratch/git"
    export GIT_DIR=$scratch/git GIT_WORK_TREE=$PWD
    git config core.bare false
fi
project_files() {
    git ls-files --cached --others --exclude-standard -- "$@" | while read -r file; do
        [ ! -f "$file" ] || printf '%s\n' "$file"
    done
}

mapfile -t c_files < <(project_files '*.c' '*.h')
mapfile -t scripts < <(project_files '*' | while read -r file; do
    case $file in
        *.sh) printf '%s\n' "$file" ;;
        *.c | *.h | *.md | *.am | *.m4 | *.in | *.txt | *.[1-8]) ;;
        *)
            if head -c 64 "$file" | head -n 1 | grep -aqE '^#!.*(/|env )(ba|da)?sh( |$)'; then
                printf '%s\n' "$file"
            fi
            ;;
    esac
done)

# Each check prints what is wrong, one finding a line, and nothing when all is well.

check_format() {
    clang-format --style=file --dry-run -Werror "${c_files[@]}" 2>&1 | grep 'error:'
}

check_shell_scripts() {
    shellcheck --external-sources --source-path=SCRIPTDIR --format=gcc "${scripts[@]}" 2>&1
    sed 's/@[A-Za-z_]*@/value/g' config/env.sh.in | shellcheck --format=gcc - 2>&1
}

# Rooms include the C library and one another, and only downwards; all but exec without MPI. Each line: a
# room, and the folders whose headers it may include.
check_rooms() {
    local room allowed file line name
    while read -r room allowed; do
        for file in "${c_files[@]}"; do
            case $file in
                "$component/$room"/*) ;;
                *) continue ;;
            esac
            [ "$room" != topo ] || [[ $file == */napcoll_node_map.[ch] || $file == */napcoll_map_cache.[ch] || $file == */napcoll_switch_*.[ch] || $file == */napcoll_dfs_order.[ch] ]] || continue
            while IFS=: read -r line name; do
                case $name in
                    '<mpi'* | '<pmix'* | '<hwloc'* | '<ompi'* | '<opal'* | '<event'*)
                        echo "$file:$line: $name in a room without MPI"
                        ;;
                    '<'*) ;;
                    '"topo/napcoll_map_cache.h"' | '"topo/napcoll_node_map.h"' | '"topo/napcoll_switch_tree.h"' | '"topo/napcoll_dfs_order.h"') ;;
                    *)
                        case " $allowed " in
                            *" $(tr -d '"' <<<"${name%%/*}") "*) ;;
                            *) echo "$file:$line: $name is not for $room/ (it may use: $allowed)" ;;
                        esac
                        ;;
                esac
            done < <(sed -n 's/^[ \t]*#[ \t]*include[ \t]*\([<"][^>"]*[>"]\).*/\1/;T;=;p' "$file" |
                paste -d: - -)
        done
    done <<'END'
util    util
topo    topo util
plan    plan util
verify  verify plan util
algo    algo plan util
model   model algo plan util
select  select model algo plan util
exec    exec plan compat util ompi opal ompi_config.h
END
}

# napcoll-plan runs without MPI, and so does what it shares with the other tools: all sources of napcoll-plan and
# libnapcoll_tools, with the headers of their folders that these include.
check_pure_tools() {
    local tools=ompi/tools/napcoll source header files=()
    while read -r source; do
        [ ! -f "$tools/$source" ] || files+=("$tools/$source")
    done < <(sed -nE '/^(napcoll_plan|libnapcoll_tools_la)_SOURCES/,/[^\\]$/p' "$tools/Makefile.am" |
        tr -cs '[:alnum:]_/.' '\n' | grep -E '\.[ch]$' | sort -u)
    [ ${#files[@]} -gt 20 ] || echo "$tools/Makefile.am: the sources of napcoll-plan were not found"
    for source in "${files[@]}"; do
        grep -nE '#[ \t]*include[ \t]*<(mpi|pmix|hwloc|ompi|opal|event)' "$source" |
            sed "s|^|$source:|; s|\$| (in a tool without MPI)|" || true
        while read -r header; do
            [ ! -f "$tools/$header" ] || [[ " ${files[*]} " == *" $tools/$header "* ]] ||
                echo "$source: $header is not a source of napcoll-plan or libnapcoll_tools"
        done < <(sed -nE 's/^[ \t]*#[ \t]*include[ \t]*"([^"]*)".*/\1/p' "$source")
    done
}

check_version_tests() {
    local file
    for file in "${c_files[@]}"; do
        case $file in
            "$component"/compat/*) ;;
            ompi/*)
                grep -nE 'MCA_COLL_BASE_VERSION_[0-9]|^[ \t]*#[ \t]*(el)?if.*(OMPI|OPAL|ORTE|MCA)_[A-Z_]*VERSION' \
                    "$file" | sed "s|^|$file:|; s|\$| (belongs into compat/)|" || true
                ;;
        esac
    done
}

# Every source of the component stands in its Makefile.am, which has no wildcards; and the other way.
check_sources_listed() {
    local file
    for file in "${c_files[@]}"; do
        case $file in
            "$component"/*)
                grep -qE "(^|[ \t])${file#"$component"/}([ \t]|\$)" "$component/Makefile.am" ||
                    echo "$component/Makefile.am does not list ${file#"$component"/}"
                ;;
            */*)
                grep -qF "${file##*/}" "${file%/*}/Makefile.am" "${file%/*/*}/Makefile.am" 2>/dev/null ||
                    echo "no Makefile.am lists $file"
                ;;
        esac
    done
    sed -nE 's/^[ \t]+([a-zA-Z0-9_\/]+\.[ch])([ \t].*)?$/\1/p' "$component/Makefile.am" | sort |
        uniq -d | sed "s|^|$component/Makefile.am lists twice: |"
    sed -nE 's/^[ \t]+([a-zA-Z0-9_\/]+\.[ch])([ \t].*)?$/\1/p' "$component/Makefile.am" |
        while read -r file; do
            [ -f "$component/$file" ] || echo "$component/Makefile.am lists $file, which is not there"
        done
}

check_licence_lines() {
    local file
    for file in "${c_files[@]}" "${scripts[@]}"; do
        head -n 12 "$file" | grep -q 'SPDX-License-Identifier: BSD-3-Clause' ||
            echo "$file: no line with the copyright and SPDX-License-Identifier: BSD-3-Clause"
    done
}

# Sizes of files and functions, and the words.
check_style() {
    python3 .ci/style.py
}

# Each relative link of a document leads to a file, and behind # to a heading of it. docs/README.md, the index, leads to
# every document.
check_links() {
    local file line target path document
    for file in $(project_files '*.md'); do
        grep -noE '\]\([^): ]+\)' "$file" | while IFS=: read -r line target; do
            target=${target#](}
            target=${target%)}
            path=$(dirname "$file")/${target%%#*}
            [[ $target != '#'* ]] || path=$file
            if ! [ -e "$path" ]; then
                echo "$file:$line: $target is not there"
            elif [[ $target == *'#'* ]] && ! grep -qxF "${target#*#}" <(headings "$path"); then
                echo "$file:$line: $target: ${path##*/} has no such heading"
            fi
        done
    done
    for document in docs/*.md docs/results/*.md; do
        [ "$document" = docs/README.md ] || grep -qF "](${document#docs/})" docs/README.md ||
            echo "docs/README.md has no link to ${document#docs/}"
    done
}

# headings DOCUMENT: as links name them.
headings() {
    sed -nE 's/^#+ +//p' "$1" | tr '[:upper:] ' '[:lower:]-' | tr -cd '[:alnum:]_\n-'
}

check_manual_pages() {
    local page
    for page in $(project_files 'docs/*.[1-8]'); do
        mandoc -T lint -W warning "$page" 2>&1
    done
}

if [ "$fix" = yes ]; then
    clang-format --style=file -i "${c_files[@]}"
fi

checks=(format style shell_scripts rooms pure_tools version_tests sources_listed licence_lines links manual_pages)
echo "1..${#checks[@]}"
number=0
failures=0
for check in "${checks[@]}"; do
    number=$((number + 1))
    findings=$("check_$check" || true)
    if [ -z "$findings" ]; then
        echo "ok $number - $check"
    else
        failures=$((failures + 1))
        echo "not ok $number - $check"
        head -n 60 <<<"$findings" | sed 's/^/# /'
    fi
done
[ "$failures" = 0 ]
