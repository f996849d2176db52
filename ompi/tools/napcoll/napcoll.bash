# shellcheck shell=bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Completion of bash for napcoll-plan, napcoll-tune, collbench and netlab, also behind mpirun and the like:
#     mpirun -np 4 collbench --coll all<Tab>
# Bash loads it from share/bash-completion/completions, and build/env.sh from the build folder. All names come from the tools:
#     TOOL --complete WORD... TYPED
# prints what TYPED, the word at the cursor, may be; nothing for file names, which bash knows.

# Sets `words` to the words up to the cursor, from the last of the tools on; fails without one. --name=value is two words.
_napcoll_words() {
    local line=${COMP_LINE:0:COMP_POINT} last i start=-1

    read -ra words <<<"$line"
    [[ $line != *[[:space:]] ]] || words+=('')
    for ((i = 0; i < ${#words[@]} - 1; i++)); do
        case ${words[i]##*/} in
            napcoll-plan | napcoll-tune | collbench | netlab) start=$i ;;
        esac
    done
    [ "$start" -ge 0 ] || return
    last=${words[-1]}
    words=("${words[@]:start:${#words[@]}-1-start}")
    if [[ $last == --*=* ]]; then
        words+=("${last%%=*}")
        last=${last#*=}
    fi
    words+=("$last")
}

_napcoll() {
    local words typed before='' cut='' name

    COMPREPLY=()
    _napcoll_words || return 0
    typed=${words[-1]}
    # Of a list, bash completes the last name; and it replaces only what stands behind the last : or =.
    [[ $typed != *,* ]] || before=${typed%,*},
    [[ $typed != *:* || $COMP_WORDBREAKS != *:* ]] || cut=${typed%:*}:
    while read -r name; do
        name=$before$name
        [[ $name != "$typed"* ]] || COMPREPLY+=("${name#"$cut"}")
    done < <("${words[0]}" --complete "${words[@]:1}" 2>/dev/null)
}

complete -o default -F _napcoll napcoll-plan napcoll-tune collbench netlab
# What starts jobs may have a completion already.
for _napcoll_starter in mpirun mpiexec; do
    complete -p "$_napcoll_starter" >/dev/null 2>&1 || complete -o default -F _napcoll "$_napcoll_starter"
done
unset _napcoll_starter
