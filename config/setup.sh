# shellcheck shell=bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# What examples/quickstart.sh, tests/run.sh and .ci/run have in common: the packages napcoll needs,
# and the build. To be sourced, with NAPCOLL_SRC naming the source folder.

# What it takes to build and test napcoll on Debian: package, and how to see that it is there (a
# program, a header for the C compiler, a pkg-config module, or a file).
# shellcheck disable=SC2034 # used where this is sourced
napcoll_needs=(
    "gcc               program:gcc"
    "libc6-dev         header:stdlib.h"
    "make              program:make"
    "autoconf          program:autoconf"
    "automake          program:automake"
    "libtool           program:libtoolize"
    "perl              program:perl"
    "pkg-config        program:pkg-config"
    "openmpi-bin       program:mpirun"
    "libopenmpi-dev    program:mpicc"
    "libpmix-dev       module:pmix"
    "libevent-dev      module:libevent_core"
    "libexpat1-dev     module:expat"
    "iproute2          program:ip"
    "util-linux        program:unshare"
    "gnuplot-nox       program:gnuplot"
)
# shellcheck disable=SC2034
napcoll_test_needs=(
    "jq                program:jq"
    "libcmocka-dev     module:cmocka"
    "libfftw3-dev      module:fftw3"
    "valgrind          program:valgrind"
    "xz-utils          program:xz"
)
# What tests/mpi/slurm.sh starts; it skips where that is missing.
# shellcheck disable=SC2034
napcoll_slurm_needs=(
    "slurmctld                program:slurmctld"
    "slurmd                   program:slurmd"
    "slurm-client             program:srun"
    "slurm-wlm-basic-plugins  file:/usr/lib/*/slurm-wlm/mpi_pmix.so"
)

napcoll_say() {
    printf '==> %s\n' "$*" >&2
}

napcoll_fail() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# napcoll_have PROBE: whether what the probe names (see napcoll_needs) is on this machine.
napcoll_have() {
    case $1 in
        program:*) command -v "${1#*:}" >/dev/null ;;
        header:*)
            command -v gcc >/dev/null || return 1
            printf '#include <%s>\n' "${1#*:}" | gcc -E - >/dev/null 2>&1
            ;;
        module:*)
            command -v pkg-config >/dev/null || return 1
            pkg-config --exists "${1#*:}"
            ;;
        # The name may be a shell pattern.
        file:*) compgen -G "${1#*:}" >/dev/null ;;
    esac
}

# napcoll_as_root COMMAND...: runs it as root, through sudo where we are not.
napcoll_as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        napcoll_fail "needs root for: $*
    Run it as root, or install sudo."
    fi
}

# napcoll_packages "PACKAGE PROBE"...: installs those that are missing where there is apt-get; elsewhere
# names them and ends the script.
napcoll_packages() {
    local need package probe missing=()
    for need in "$@"; do
        read -r package probe <<<"$need"
        napcoll_have "$probe" || missing+=("$package")
    done
    [ "${#missing[@]}" -gt 0 ] || return 0
    if ! command -v apt-get >/dev/null; then
        napcoll_fail "these are missing (by their Debian names): ${missing[*]}
    Install them with this system's package manager, then run ${0##*/} again."
    fi
    napcoll_say "installing packages: ${missing[*]}"
    if ! { napcoll_as_root apt-get -qq update &&
        napcoll_as_root env DEBIAN_FRONTEND=noninteractive \
            apt-get -qq -y --no-install-recommends install "${missing[@]}" >/dev/null; }; then
        napcoll_fail "apt-get could not install: ${missing[*]}"
    fi
    hash -r
}

# napcoll_openmpi_version: reads what mpicc --showme:version prints, and prints the version alone.
napcoll_openmpi_version() {
    sed -nE 's/.*Open MPI v?([0-9][^ ]*).*/\1/p'
}

# napcoll_configure_is_stale: whether it is not there, or older than what it is made from.
napcoll_configure_is_stale() {
    [ -x "$NAPCOLL_SRC/configure" ] && [ -f "$NAPCOLL_SRC/Makefile.in" ] || return 0
    [ -n "$(cd "$NAPCOLL_SRC" && find configure.ac Makefile.am config/*.m4 ompi tests examples docs \
        \( -name '*.ac' -o -name '*.m4' -o -name Makefile.am \) -newer configure -print -quit)" ]
}

# napcoll_autogen: makes configure when that is stale. A source folder that may not be written has what
# it needs.
napcoll_autogen() {
    [ -w "$NAPCOLL_SRC" ] && napcoll_configure_is_stale || return 0
    napcoll_say "autogen.pl"
    napcoll_quietly "$NAPCOLL_SRC/autogen.pl" --force
}

# napcoll_quietly COMMAND...: shows its output only when it fails.
napcoll_quietly() {
    local log rc=0
    log=$(mktemp)
    "$@" >"$log" 2>&1 </dev/null || rc=$?
    if [ "$rc" != 0 ]; then
        cat "$log" >&2
        printf '%s: failed (exit %s): %s\n' "${0##*/}" "$rc" "$*" >&2
    fi
    rm -f "$log"
    return "$rc"
}

# napcoll_build DIR JOBS [CONFIGURE_ARGUMENT...]: configures DIR when that has not been done, and makes.
napcoll_build() {
    local dir=$1 jobs=$2
    shift 2
    mkdir -p "$dir"
    # Once configured, make itself sees to what has changed.
    if [ ! -f "$dir/config.status" ] || [ ! -f "$dir/Makefile" ]; then
        napcoll_autogen || return
        [ -w "$NAPCOLL_SRC" ] || set -- --disable-maintainer-mode "$@"
        napcoll_say "configure in ${dir#"$PWD"/}"
        (cd "$dir" && napcoll_quietly "$NAPCOLL_SRC/configure" "$@") || return
    elif grep -q "^HAVE_[A-Z]*_TRUE='#'" "$dir/config.log" &&
        napcoll_have module:cmocka && napcoll_have module:libevent_core && napcoll_have module:expat &&
        napcoll_have module:fftw3; then
        napcoll_say "configure in ${dir#"$PWD"/} once more, for what has been installed since"
        (cd "$dir" && napcoll_quietly ./config.status --recheck && napcoll_quietly ./config.status) ||
            return
    fi
    napcoll_say "make in ${dir#"$PWD"/}"
    napcoll_quietly make -C "$dir" -j "$jobs"
}

# napcoll_mpirun_settings: what mpirun needs on a small or shared machine, and as root.
napcoll_mpirun_settings() {
    if [ "$(id -u)" = 0 ]; then
        export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    fi
    # More processes than cores: they give the core away while they wait. From Open MPI 5 on mpirun is
    # PRRTE's, with names of its own, of which 5 and 6 each know some; what one does not know it ignores.
    export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_rmaps_base_oversubscribe=1
    export OMPI_MCA_hwloc_base_binding_policy=none
    export PRTE_MCA_prte_set_default_slots=1024
    export PRTE_MCA_hwloc_default_binding_policy=none PRTE_MCA_bindto=none
}

# napcoll_count_tap LOG RC [LIMIT]: prints "passed failed skipped" and, on further lines, what went wrong besides "not
# ok" lines: a suite that ends early, crashes or says nothing is one failure.
napcoll_count_tap() {
    awk -v rc="$2" -v limit="${3:-0}" '
        /^[ \t]*1\.\.[0-9]+/ {
            line = $0
            sub(/^[ \t]*1\.\./, "", line)
            planned += line + 0
            plans++
            if (line ~ /^0+[ \t]*#[ \t]*[Ss][Kk][Ii][Pp]/) skipped++
            next
        }
        /^[ \t]*(not )?ok([ \t]|$)/ {
            seen++
            if ($0 ~ /#[ \t]*[Ss][Kk][Ii][Pp]/) skipped++
            else if ($0 ~ /^[ \t]*not ok/) failed++
            else passed++
        }
        /^Bail out!/ { bailed = 1 }
        END {
            complaint = ""
            if (rc == 124 || rc == 137) complaint = "did not end within " limit " seconds"
            else if (rc > 128) complaint = "was ended by signal " rc - 128
            else if (rc == 77 && skipped && !failed) complaint = ""
            else if (bailed) complaint = "bailed out"
            else if (!plans) complaint = "printed no test plan (exit " rc ")"
            else if (seen < planned) complaint = "ran " seen + 0 " of " planned " tests (exit " rc ")"
            else if (seen > planned) complaint = "ran " seen " tests but planned " planned
            else if (rc != 0 && !failed) complaint = "exited with " rc
            if (complaint != "") failed++
            print passed + 0, failed + 0, skipped + 0
            if (complaint != "") print complaint
        }' "$1"
}

# napcoll_machine_settings FILE: makes the lines of a machine file napcoll's parameters, for all that follows.
napcoll_machine_settings() {
    local line
    while read -r line; do
        export "OMPI_MCA_${line%% *}=${line##* }"
    done < <(sed -nE 's/^(coll_napcoll_(machine_[a-z_]+|gather_m1|scatter_s))[ \t]*=[ \t]*([^ \t#]+).*/\1 \3/p' "$1")
}
