#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# The plugin has no code that only tools or tests call: every MPI process would load it for nothing.

set -euo pipefail

# shellcheck source=tests/build/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

usage() {
    cat <<'END'
Usage: tests/build/plugin.sh

Reads the objects of the component in the build folder (NAPCOLL_BUILD, else build/) with nm; prints TAP.
END
}
only_help "$@"

component=ompi/mca/coll/napcoll
plugin=$build/components/mca_coll_napcoll.so
[ -e "$plugin" ] || tap_skip_all "no plugin in $build"

# objects: "OBJECT SOURCE" of each that has a source; a build folder may have objects of sources that are gone.
objects() {
    local object source
    find "$build/$component" -name '*.o' -path '*/.libs/*' | sort | while read -r object; do
        source=./${object#"$build/$component"/}
        source=${source/.libs\//}
        source=${source%/*}/${source##*_la-}
        source=$src/$component/${source#./}
        source=${source%.o}.c
        [ ! -f "$source" ] || printf '%s %s\n' "$object" "$source"
    done
}

# symbols: "SOURCE KIND NAME", KIND as nm's: of what each object defines (T for functions) and needs (U).
symbols() {
    local object source
    while read -r object source; do
        nm -gP "$object" | awk -v source="$source" '{ print source, $2, $1 }'
    done <"$work/objects"
}

# words: "SOURCE NAME" of each name in the code of the sources, as often as it is there. Comments do not count.
words() {
    # shellcheck disable=SC2016 # the program is awk's
    cut -d ' ' -f 2 "$work/objects" | xargs awk '
        FNR == 1 { inside = 0 }
        {
            text = ""
            while ($0 != "") {
                at = index($0, inside ? "*/" : "/*")
                if (!inside) text = text " " (at ? substr($0, 1, at - 1) : $0)
                $0 = at ? substr($0, at + 2) : ""
                if (at) inside = !inside
            }
            gsub(/[^A-Za-z0-9_]+/, " ", text)
            n = split(text, word, " ")
            for (i = 1; i <= n; i++) print FILENAME, word[i]
        }'
}

# unused: the functions that neither another object needs nor their own source calls, with their sources. An object of
# which all is unused needs nothing.
unused() {
    awk '
        NR == FNR { count[$1, $2]++; next }
        $2 == "U" { needs[$1, $3]; next }
        { all[$3] = $1; kind[$3] = $2; source[$1] }
        END {
            for (pair in needs) { split(pair, part, SUBSEP); if (part[2] in all) by[part[2]] = by[part[2]] " " part[1] }
            do {
                changed = 0
                for (name in all) {
                    if (name in dead || name == "mca_coll_napcoll_component") continue
                    used = count[all[name], name] > 1
                    n = split(by[name], users, " ")
                    for (i = 1; i <= n && !used; i++) used = !(users[i] in gone) && users[i] != all[name]
                    if (!used) { dead[name]; changed = 1 }
                }
                for (file in source) {
                    alive = 0
                    for (name in all) if (all[name] == file && !(name in dead)) alive = 1
                    if (!alive && !(file in gone)) { gone[file]; changed = 1 }
                }
            } while (changed)
            for (name in dead) if (kind[name] == "T") print name, all[name]
        }' "$work/words" "$work/symbols" | sed "s|$src/$component/||" | sort -k 2,2 -k 1,1
}

every_function_is_used_by_the_component() {
    unused >"$work/unused"
    cat "$work/unused"
    [ ! -s "$work/unused" ]
}

# The reader sees the functions, and finds one that is not used.
unused_functions_are_found() {
    local some
    # A function that other objects need, as if none did.
    some=$(awk '$2 == "U" && $3 ~ /^napcoll_/ { print $3; exit }' "$work/symbols")
    grep -c ' T napcoll_' "$work/symbols"
    grep -v " U $some\$" "$work/symbols" >"$work/fewer"
    mv "$work/fewer" "$work/symbols"
    grep -v " $some\$" "$work/words" >"$work/fewer"
    mv "$work/fewer" "$work/words"
    unused | grep "^$some "
}

objects >"$work/objects"
symbols >"$work/symbols"
words >"$work/words"
tap_plan 2
tap every_function_is_used_by_the_component every_function_is_used_by_the_component
tap unused_functions_are_found unused_functions_are_found
tap_end
