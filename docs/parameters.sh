#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Writes what ompi_info knows of napcoll's parameters, which comes from the tables in the source, as
# documents. With the environment of build/env.sh.

set -euo pipefail

usage() {
    cat <<'END'
Usage: docs/parameters.sh [--check]

Writes docs/parameters.md, and the list between the lines "begin parameters" and "end parameters" of
docs/napcoll.7, from `ompi_info --param coll napcoll --level 9`.

  --check   write nothing; say what differs, and fail if something does
  --help    this text
END
}

case ${1:-} in
    '' | --check) ;;
    --help | -h)
        usage
        exit 0
        ;;
    *)
        usage >&2
        exit 2
        ;;
esac

docs=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# name<TAB>default<TAB>type<TAB>help, a line for each parameter, in the order of registration. The defaults are
# a fabric's, which auto takes only where there is one.
OMPI_MCA_coll_napcoll_network=fabric ompi_info --param coll napcoll --level 9 --parsable |
    sed -nE 's/^mca:coll:napcoll:param:(coll_napcoll_[a-z0-9_]+):(value|help|type|deprecated):(.*)$/\1\t\2\t\3/p' |
    awk -F'\t' '{ gsub(/^"|"$/, "", $3) }
        $2 == "value" { name = $1; value = $3 }
        $2 == "help" { help = $3 }
        $2 == "deprecated" { old = $3 }
        $2 == "type" && old != "yes" { print name "\t" (name == "coll_napcoll_network" ? "auto" : value) "\t" $3 "\t" help }' \
        >"$work/parameters"
[ -s "$work/parameters" ] || { echo "parameters.sh: ompi_info does not know napcoll" >&2 && exit 1; }

# Each collective's part begins with its parameter COLLECTIVE_algorithm.
markdown() {
    cat <<'END'
# Parameters

Made by `docs/parameters.sh` from the tables in the source, as `ompi_info --param coll napcoll --level 9` shows
them. Set them on mpirun's command line (`--mca NAME VALUE`), in the environment (`OMPI_MCA_NAME`) or in an MCA
parameter file. A value outside of its range is reported once for the job, and the default is taken. Except for
`verbose`, `summary`, `kept_bytes` and the names of files, all processes of a job must have the same values.
END
    awk -F'\t' '
        BEGIN { title = "General" }
        function section(title) {
            if (title != last) print "\n## " title "\n\n| parameter | default | meaning |\n|---|---|---|"
            last = title
        }
        {
            if ($1 ~ /_machine_/) title = "The machine (napcoll-tune measures it)"
            if ($1 ~ /_algorithm$/) {
                title = $1
                gsub(/^coll_napcoll_|_algorithm$/, "", title)
            }
            section(title)
            value = $2 == "" ? "" : "`" $2 "`"
            text = $4
            gsub(/\|/, "\\|", text)
            gsub(/</, "\\&lt;", text)
            print "| `" $1 "` | " value " | " text " |"
        }' "$work/parameters"
}

# Lines of text end at 80 columns; a word that begins with . or an apostrophe would begin a macro.
mdoc() {
    awk -F'\t' '
        function put(sentence,    word, words, line, i) {
            words = split(sentence, word, " ")
            line = word[1]
            for (i = 2; i <= words; i++) {
                if (length(line " " word[i]) > 80 && word[i] !~ /^[.\047]/) {
                    print line
                    line = word[i]
                } else {
                    line = line " " word[i]
                }
            }
            print line
        }
        $1 !~ /_machine_/ && !done {
            if ($1 ~ /_algorithm$/) { done = 1; next }
            print ".It Li " $1 ($2 == "" ? "" : " Pq default " $2)
            text = $4
            gsub(/\\/, "\\e", text)
            gsub(/-/, "\\-", text)
            sentences = split(text ".", sentence, /\. /)
            for (i = 1; i <= sentences; i++) put(sentence[i] (i < sentences ? "." : ""))
        }' "$work/parameters"
}

markdown >"$work/parameters.md"
mdoc >"$work/list"
awk -v list="$work/list" '
    /^\.\\" end parameters/ { inside = 0 }
    !inside { print }
    /^\.\\" begin parameters/ { inside = 1; while ((getline line < list) > 0) print line }' \
    "$docs/napcoll.7" >"$work/napcoll.7"

rc=0
for name in parameters.md napcoll.7; do
    if [ "${1:-}" = --check ]; then
        diff -u "$docs/$name" "$work/$name" || rc=1
    else
        cp "$work/$name" "$docs/$name"
    fi
done
exit "$rc"
