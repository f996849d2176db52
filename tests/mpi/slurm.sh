#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# The nodes that napcoll sees under Slurm: a cluster of three slurmds on this machine, each with a host
# name and a /dev/shm of its own. srun --mpi=pmix starts the processes, or mpirun in an allocation. For
# Open MPI 5.0, in whose Debian release Slurm 24.11 has a plugin for PMIx. See harness.sh.
#
#     tests/mpi/slurm.sh [PATTERN]
#
# All runs in namespaces of mounts, processes and network: no process and no mount outlives the suite, also
# when that is killed.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
source_dir=$(cd "$here/../.." && pwd -P)
spaces=(unshare --mount --propagation private --net --pid --fork --kill-child --mount-proc)

# why_not: what this machine lacks, if anything.
why_not() {
    local need probe
    # shellcheck source=config/setup.sh
    . "$source_dir/config/setup.sh"
    case $(mpicc --showme:version 2>/dev/null | napcoll_openmpi_version) in
        5.0.*) ;;
        *) echo "Slurm is tried with Open MPI 5.0" && return ;;
    esac
    PATH=$PATH:/usr/sbin:/sbin
    for need in "${napcoll_slurm_needs[@]}"; do
        read -r need probe <<<"$need"
        napcoll_have "$probe" || { echo "Debian's package $need is not installed" && return; }
    done
    if [ "$(id -u)" != 0 ]; then
        echo "Slurm's daemons run as root here"
    elif ! "${spaces[@]}" unshare --uts mount -t tmpfs tmpfs /dev/shm 2>/dev/null; then
        echo "this machine does not let us mount in a namespace of our own"
    fi
}

# run_inside PATTERN: the suite, in namespaces that end with this process.
run_inside() {
    local rc=0
    trap '[ -z "$child" ] || kill -KILL "$child"; exit 143' HUP INT TERM
    trap 'rm -rf "$TMPDIR"' EXIT
    TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/napcoll-slurm.XXXXXX") || exit 1
    export TMPDIR
    env --default-signal=INT,QUIT setpriv --pdeathsig KILL "${spaces[@]}" "$here/slurm.sh" --inside "$1" &
    child=$!
    wait "$child" || rc=$?
    return "$rc"
}

child=
if [ "${1:-}" != --inside ]; then
    reason=$(why_not)
    if [ -n "$reason" ]; then
        printf '1..0 # SKIP %s\n' "$reason"
        exit 0
    fi
    run_inside "${1:-*}"
    exit
fi

shift
# shellcheck source=tests/mpi/harness.sh
. "$here/harness.sh"
PATH=$PATH:/usr/sbin:/sbin
address=10.77.0.1
nodes=(n1 n2 n3)

# Slurm looks for an address that is not the loopback's.
make_network() {
    ip link set lo up
    ip link add slurm0 type veth peer name slurm1
    ip addr add "$address/24" dev slurm0
    ip link set slurm0 up
    ip link set slurm1 up
    printf '%s\n' '127.0.0.1 localhost' "$address $(hostname) ${nodes[*]}" >"$scratch/hosts"
    mount --bind "$scratch/hosts" /etc/hosts
}

# write_settings: Slurm's, in $scratch/etc.
write_settings() {
    local port=17020 node
    mkdir -p "$scratch/etc" "$scratch/state" "$scratch/tmp"
    (umask 077 && head -c 1024 /dev/urandom >"$scratch/etc/slurm.key")
    echo CgroupPlugin=disabled >"$scratch/etc/cgroup.conf"
    {
        cat <<END
ClusterName=napcoll
SlurmctldHost=$(hostname)($address)
SlurmctldPort=17010
SlurmUser=root
AuthType=auth/slurm
CredType=cred/slurm
MailProg=/bin/true
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/%n
TmpFS=$scratch/tmp
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmdPidFile=$scratch/%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
PartitionName=all Nodes=ALL Default=YES State=UP
END
        for node in "${nodes[@]}"; do
            mkdir -p "$scratch/$node"
            port=$((port + 1))
            echo "NodeName=$node NodeAddr=$address Port=$port CPUs=8"
        done
    } >"$scratch/etc/slurm.conf"
    export SLURM_CONF=$scratch/etc/slurm.conf
}

# start_cluster: the daemons; they end with the namespace of processes.
start_cluster() {
    local node try
    make_network >"$scratch/cluster" 2>&1 && write_settings || return
    slurmctld -D >"$scratch/slurmctld.log" 2>&1 &
    for node in "${nodes[@]}"; do
        # Those that start at the same time wait for each other's registration for long.
        sleep 1.5
        unshare --mount --uts --propagation private "$BASH" -c \
            "hostname $node && mount -t tmpfs tmpfs /dev/shm && exec slurmd -D -N $node" \
            >"$scratch/$node.log" 2>&1 &
    done
    for ((try = 0; try < 150; try++)); do
        [ "$(sinfo --noheader --format '%T%D' 2>/dev/null)" != "idle${#nodes[@]}" ] || return 0
        sleep 0.2
    done
    return 1
}

# Between the nodes TCP; what looks for networks stays out.
export OMPI_MCA_pml=^cm,ucx OMPI_MCA_btl=^ofi,uct,openib OMPI_MCA_btl_tcp_if_include=slurm0
export OMPI_MCA_coll=napcoll,tuned OMPI_MCA_coll_napcoll_verbose=20
# In Open MPI 5.0 a process may get a message before MPI_Init has set MPI_COMM_WORLD up, and crash, with or without
# napcoll: the job is then started again.
cat >"$scratch/init_again" <<'END'
#!/bin/sh
for try in 1 2 3; do
    rc=0
    "$@" >"$0.out.$$" 2>&1 || rc=$?
    grep -q mca_pml_ob1_recv_frag_callback_match "$0.out.$$" && grep -q 'libmpi.*ompi_mpi_init' "$0.out.$$" || break
done
cat "$0.out.$$"
rm -f "$0.out.$$"
exit "$rc"
END
chmod +x "$scratch/init_again"
srun=("$scratch/init_again" srun --mpi=pmix --quiet)
threads=("$programs/threads" --threads 1 --rounds 2)
by_nap=("${threads[@]}" --algorithm nap --expect runs:nap)

# seen: the nodes that the processes of the present case see in the communicators that they call on, each
# distinct line once: "RANKS ranks on NODES: RANK is LANE of NODE, ...; source".
seen() {
    local ranks='.*: ([0-9]+ ranks on [0-9]+) nodes, .*'
    local place='rank ([0-9]+) is lane ([0-9]+) of node ([0-9]+)'
    sed -nE "s/$ranks; $place; nodes (.*)/\1 \2 \3@\4 \5/p" "$scratch/out" |
        sort -u | sort -k5n | awk '{
            of = $1 " " $2 " " $3 " " $4
            places[of] = places[of] " " $6
            source = $0
            sub(/^([^ ]+ ){6}/, "", source)
            sources[source]
        }
        END {
            for (of in places) printf "%s:%s\n", of, places[of]
            for (source in sources) printf "%s\n", source
        }' | sort
}

# sees NAME SECONDS EXPECTED COMMAND...: a program that speaks TAP, under which napcoll sees these nodes in
# communicators of as many ranks.
sees() {
    local name=$1 expected=$3 found
    wanted "$name" || return 0
    run_case "$name" "$2" "${@:4}"
    found=$(seen | grep -e "^${expected%% *} ranks" -e '^told')
    if [ "$found" = "$expected" ]; then
        verdict 0 "$name: ${found%%$'\n'*}"
    else
        verdict 1 "$name: ${expected%%$'\n'*}"
        printf '# found:\n%s\n' "${found:-nothing}" | sed 's/^[^#]/#   &/'
        show_output
    fi
}
from_records="told by each node's first process"
from_all="told by all processes"

start=$SECONDS
if ! start_cluster; then
    verdict 1 cluster_starts
    tail -n 5 "$scratch/cluster" "$scratch"/*.log | sed 's/^/#   /'
    end_suite
    exit
fi
printf '# Slurm is up after %d s\n' $((SECONDS - start))

# mentions NAME WORDS: the output of the present case has these words.
mentions() {
    local good
    wanted "$1" || return 0
    grep -q -F -e "$2" "$scratch/out"
    good=$?
    verdict "$good" "$1: $2"
    [ "$good" = 0 ] || show_output
}

# --- srun: placements ---
two_each=(-N 3 -n 6 --ntasks-per-node 2)
block="6 ranks on 3: 0@0 1@0 0@1 1@1 0@2 1@2"
sees block 60 "$block"$'\n'"$from_records" "${srun[@]}" "${two_each[@]}" -m block "${by_nap[@]}"
sees cyclic 60 "6 ranks on 3: 0@0 0@1 0@2 1@0 1@1 1@2"$'\n'"$from_records" \
    "${srun[@]}" "${two_each[@]}" -m cyclic "${by_nap[@]}"
printf '%s\n' n2 n1 n1 n3 n1 n2 n1 >"$scratch/places"
sees uneven 60 "7 ranks on 3: 0@0 0@1 1@1 0@2 2@1 1@0 3@1"$'\n'"$from_records" \
    env SLURM_HOSTFILE="$scratch/places" "${srun[@]}" -n 7 -m arbitrary "${by_nap[@]}"
# Rank 0 is on n2; in the network the nodes stand in the order of Slurm's numbers.
mentions uneven 'place 0 in the network: node 1'
cp "$programs/threads" "$scratch/other"
printf '%s\n' "0,4-5 ${by_nap[*]}" "1-3 $scratch/other ${by_nap[*]:1}" >"$scratch/programs"
sees two_programs 60 "$block"$'\n'"$from_records" \
    "${srun[@]}" "${two_each[@]}" -m block --multi-prog "$scratch/programs"
case_of auto 60 env OMPI_MCA_coll_napcoll_verbose=0 "${srun[@]}" "${two_each[@]}" -m cyclic \
    "$programs/collectives" --coll allreduce --expect runs --expect-large runs --expect-noncommutative runs
case_of one_node 60 "${srun[@]}" -N 1 -n 3 "${threads[@]}" --expect runs
case_of collectives 60 env OMPI_MCA_coll_napcoll_verbose=0 "${srun[@]}" "${two_each[@]}" -m cyclic \
    "$programs/all_collectives"

# --- what differs between nodes, or does not ---
# on_each FILE: a script of that name that runs the rest of its command line behind standard input.
on_each() {
    { echo '#!/bin/sh' && cat && echo 'exec "$@"'; } >"$scratch/$1"
    chmod +x "$scratch/$1"
}
on_each differ <<'END'
[ "$SLURM_NODEID" != 1 ] || export OMPI_MCA_coll_napcoll_local_radix=7
END
# one_message NAME WORDS: the output of the present case has these words once.
one_message() {
    local count
    wanted "$1" || return 0
    count=$(grep -c -F -e "$2" "$scratch/out")
    [ "$count" = 1 ]
    verdict $? "$1: one message, found $count"
    [ "$count" = 1 ] || show_output
}
refuses setting_differs_on_one_node 60 'different settings' 'on host n2' local_radix=7 local_radix=8 -- \
    "${srun[@]}" "${two_each[@]}" -m block "$scratch/differ" "${threads[@]}"
one_message setting_differs_on_one_node 'have different settings of the napcoll'
says bad_number_is_named 60 coll_napcoll_local_radix 'range is 2 to 65536' 'ok 1' -- \
    env OMPI_MCA_coll_napcoll_local_radix=1 "${srun[@]}" "${two_each[@]}" "${threads[@]}"
one_message bad_number_is_named 'coll_napcoll_local_radix is set to 1'
# As in containers.
on_each same_name <<'END'
[ "$1" = --inside ] || exec unshare --uts "$0" --inside "$@"
shift
hostname same
END
sees equal_host_names 60 "$block"$'\n'"$from_records" \
    "${srun[@]}" "${two_each[@]}" -m block "$scratch/same_name" "${by_nap[@]}"
sees no_hwloc 60 "$block"$'\n'"$from_records" \
    env HWLOC_COMPONENTS=no_os,stop "${srun[@]}" "${two_each[@]}" -m block "${by_nap[@]}"

# --- the lines of README and the guides ---
cat >"$scratch/app.c" <<'END'
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
END
mpicc -o "$scratch/app" "$scratch/app.c"
# pasted LINE: a case of its own, in a folder with ./app.
pasted() {
    local rc=0
    wanted documents || return 0
    launched 60 "$scratch/init_again" env -u OMPI_MCA_coll -u OMPI_MCA_coll_napcoll_verbose \
        "$BASH" -c "cd '$scratch' && $1" || rc=$?
    check "documents: $1" [ "$rc" = 0 ]
}
mapfile -t documented < <(cat "$source_dir/README.md" "$source_dir"/docs/*.md | sed -nE 's/^ *(([A-Z][^ ]*=[^ ]* )*srun [^#]*[^ #]).*/\1/p')
! wanted documents || check "documents: some lines have srun" [ "${#documented[@]}" -gt 2 ]
for line in "${documented[@]}"; do
    pasted "$line"
done

# --- mpirun in an allocation ---
salloc=(salloc --quiet "${two_each[@]}")
sees mpirun 60 "$block"$'\n'"$from_records" \
    "${salloc[@]}" mpirun -np 6 --map-by slot "${by_nap[@]}"
# Records that are not exchanged at the start are asked for.
sees records_on_request 60 "$block"$'\n'"$from_records" \
    env OMPI_MCA_pmix_base_collect_data=0 "${salloc[@]}" mpirun -np 6 --map-by slot "${by_nap[@]}"
# Open MPI 5.0's launcher does not end one of eight spawns or so, with or without napcoll. What is killed leaves its
# allocation, for which the next one would wait.
cat >"$scratch/again" <<'END'
#!/bin/sh
for try in 1 2 3 4 5; do
    rc=0
    timeout --kill-after=5 30 "$@" >"$0.out" 2>&1 || rc=$?
    [ "$rc" = 124 ] || [ "$rc" = 137 ] || break
    scancel --quiet --user "$(id -un)"
    until [ -z "$(squeue --noheader)" ]; do sleep 0.2; done
done
cat "$0.out"
exit "$rc"
END
chmod +x "$scratch/again"
merged="12 ranks on 3: 0@0 1@0 0@1 1@1 0@2 1@2 2@0 3@0 2@1 3@1 2@2 3@2"
sees mpirun_spawn 100 "$merged"$'\n'"$from_all"$'\n'"$from_records" \
    "$scratch/again" salloc --quiet -N 3 -n 12 --ntasks-per-node 4 mpirun -np 6 --map-by ppr:2:node "$programs/spawn"
# Slurm starts no processes for a job that runs, with or without napcoll: that is an error, not a hang.
refuses srun_spawn_is_an_error 60 '6 ranks on 3 nodes' 'Exited with exit code' -- \
    "${srun[@]}" "${two_each[@]}" -m block "$programs/spawn"
refuses srun_spawn_is_an_error_without_napcoll 60 'Exited with exit code' -- \
    env OMPI_MCA_coll=^napcoll "${srun[@]}" "${two_each[@]}" -m block "$programs/spawn"

end_suite
