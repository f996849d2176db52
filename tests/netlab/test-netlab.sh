#!/bin/bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Tests of netlab itself: options, placement of ranks, exit status and signals, and that nothing is
# left behind.  (Whether delays and rates are right is the business of selftest.sh.)
# Prints TAP; exit status 1 if a check fails, 77 if netlab cannot run here.
#
# Ranks are shells here: mpirun tells each its number, so no MPI program is needed.
# shellcheck disable=SC2016 # what stands in single quotes is expanded by those shells
set -u

here=$(dirname "$(readlink -f "$0")")
netlab=$here/netlab
number=0
failures=0
work=$(mktemp -d "${TMPDIR:-/tmp}/netlab-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
# Parameters of the caller's would win over netlab's.
unset -v "${!OMPI_MCA_@}" "${!PRTE_MCA_@}" "${!PMIX_MCA_@}"

# report STATUS NAME [DETAIL]: STATUS 0 is success.
report()
{
    number=$((number + 1))
    if [ "$1" = 0 ]; then
        echo "ok $number - $2"
    else
        echo "not ok $number - $2"
        [ -z "${3:-}" ] || printf '#   %s\n' "${3//$'\n'/$'\n#   '}"
        failures=$((failures + 1))
    fi
}

skip()
{
    number=$((number + 1))
    echo "ok $number - $1 # SKIP $2"
}

# same NAME EXPECTED FOUND
same()
{
    local status=0

    [ "$2" = "$3" ] || status=1
    report $status "$1" "expected: $2
found:    $3"
}

# rejects TEXT OPTION...: netlab must end with status 2 and one line that has all words of TEXT.
rejects()
{
    local words=$1 out status word missing=''

    shift
    out=$("$netlab" "$@" 2>&1)
    status=$?
    for word in $words; do
        [[ $out == *"$word"* ]] || missing="$missing $word"
    done
    [ $status = 2 ] && [ -z "$missing" ] && [ "$(wc -l <<<"$out")" = 1 ]
    report $? "rejects $*" "status $status, output: $out${missing:+; missing:$missing}"
}

# where NP OPTION...: prints the node numbers of ranks 0, 1, ... under these options, and those for
# mpirun in $mpirun_options.
where()
{
    local np=$1

    shift
    # shellcheck disable=SC2086 # several options
    "$netlab" --latency 100us "$@" -- mpirun ${mpirun_options:-} -np "$np" \
        sh -c 'echo "$OMPI_COMM_WORLD_RANK $(hostname)"' 2>"$work/where.err" \
        | sort -n | sed 's/.* node//' | paste -s -d ' '
}

# Numbers of the processes that have a variable NETLAB_TEST=$1 in their environment.
marked()
{
    local environ

    for environ in /proc/[0-9]*/environ; do
        if tr '\0' '\n' 2>/dev/null <"$environ" | grep -q "^NETLAB_TEST=$1\$"; then
            basename "$(dirname "$environ")"
        fi
    done
}

# Waits up to 10 s until COMMAND... prints something (or nothing, with "until_empty").
until_some()
{
    local i

    for ((i = 0; i < 100; i++)); do
        [ -z "$("$@")" ] || return 0
        sleep 0.1
    done
    return 1
}

until_empty()
{
    local i

    for ((i = 0; i < 100; i++)); do
        [ -n "$("$@")" ] || return 0
        sleep 0.1
    done
    return 1
}

test_bad_options()
{
    rejects "--nodes 'x' 1" --nodes x -- true
    rejects "--nodes '0' 1" --nodes 0 -- true
    rejects "--nodes '100000'" --nodes 100000 -- true
    rejects "--ppn '3,,1' 3,2,1" --ppn 3,,1 -- true
    rejects "--ppn '0' 1" --ppn 2,0 -- true
    rejects "--ppn '1,2,3' entries" --nodes 2 --ppn 1,2,3 -- true
    rejects "--map 'diagonal' block cyclic random:SEED" --map diagonal -- true
    rejects "--map 'random:' random:SEED" --map random: -- true
    rejects "--latency '5' ns us ms s" --latency 5 -- true
    rejects "--latency '-1ms' ms" --latency -1ms -- true
    rejects "--latency '61s' 60s" --latency 61s -- true
    rejects "--overhead '60' ns us ms s auto" --overhead 60 -- true
    rejects "--overhead '-1us' auto" --overhead=-1us -- true
    rejects "--overhead '61s' 60s auto" --overhead 61s -- true
    rejects "--overhead '' auto" --overhead= -- true
    rejects "--overhead 'Auto' auto" --overhead Auto -- true
    rejects "--overhead missing" --overhead
    rejects "--rate '10' Mbit Gbit unlimited" --rate 10 -- true
    rejects "--rate '0Mbit' 1Kbit" --rate 0Mbit -- true
    rejects "--gap 'fast' us" --gap=fast -- true
    rejects "--shm '1' 64K" --shm 1 -- true
    rejects "--queue '64' 2K 1G unlimited" --queue 64 -- true
    rejects "--queue '1K' 2K 1G" --queue 1K -- true
    rejects "--queue '2G' 2K 1G" --queue=2G -- true
    rejects "--queue missing" --queue
    rejects "--queue --rate unlimited" --rate unlimited --queue 64K -- true
    rejects "--latency missing" --latency
    rejects "--wibble unknown --nodes" --wibble -- true
    rejects "--nodse unknown (did you mean --nodes?)" --nodse=3 -- true
    rejects "--map 'cylic' block, (did you mean cyclic?)" --map cylic -- true
    rejects "no command" --nodes 2
    rejects "--trunk --topology" --trunk 1Gbit -- true
    rejects "--trunk '10' Mbit" --trunk 10 -- true
    "$netlab" --help | grep -q -e --latency
    report $? "--help describes the options"
}

# A file of switches is refused before anything starts, with the line and column.
test_bad_topology()
{
    local file=$work/tree

    rejects "--topology '$work/none' file" --topology "$work/none" -- true
    rejects "--topology '$work' file" --topology "$work" -- true
    rejects "--topology '' file" --topology= -- true
    mkfifo "$work/pipe"
    rejects "--topology '$work/pipe' no pipe" --topology "$work/pipe" -- true
    : >"$file"
    rejects "netlab: $file: no switch; SwitchName=" --topology "$file" -- true
    printf 'SwitchName=a Nodes=node[0-1\n' >"$file"
    rejects "netlab: $file:1:24: no ]" --topology "$file" -- true
    printf '# nodes\nSwitchName=a Nodes=node0,node0\n' >"$file"
    rejects "netlab: $file:2:26: node 'node0': named before line 2 'a'" --topology "$file" -- true
    printf 'SwitchName=a Nodes=node0\nSwitchName=b Switches=c\n' >"$file"
    rejects "netlab: $file:2:23: switch 'c': no line describes it" --topology "$file" -- true
    printf 'BlockName=a Nodes=node[0-1]\n' >"$file"
    rejects "netlab: $file:1:1: tree form" --topology "$file" -- true
    head -c 100 /dev/zero >"$file"
    rejects "netlab: $file:1:1: byte 0x00" --topology "$file" -- true
    printf 'SwitchName=a Nodes=node[0-2]\n' >"$file"
    rejects "netlab: $file: node3 node0" --nodes 4 --topology "$file" -- true
}

test_topology()
{
    local file=$work/tree out

    printf '%s\n' 'SwitchName=a Nodes=node[0-1],other[1-9]' 'SwitchName=b Nodes=node2' \
        'SwitchName=top Switches=a,b' >"$file"
    out=$(cd "$work" && "$netlab" --nodes 3 --ppn 1 --topology tree --trunk 2Gbit --verbose -- \
        sh -c 'echo "<${NETLAB_TOPOLOGY-}${OMPI_MCA_coll_napcoll_topology_file-}>"' 2>&1 \
        | sed -n '/^netlab: rate/p; /^netlab: tree:/,/^netlab: *b:/p; /^</p')
    same "--verbose shows the switches and their nodes" \
        "netlab: rate between switches 2000000000 bit/s
netlab: tree: 3 switches, 12 nodes
netlab:   top:
netlab:     a: node0 node1
netlab:     b: node2
<>" "$out"
    same "ranks run on nodes behind several switches" "0 0 1 1 2 2" \
        "$(where 6 --nodes 3 --ppn 2 --topology "$file")"
}

# Streams of 300000 bytes from five nodes to one; netlab-probe looks at what arrives. Prints how many have
# arrived, and sets dropped to how many packets were dropped on the way.
many_to_one()
{
    "$netlab" --nodes 6 --ppn 1 --latency 100us --rate 20Mbit --verbose "$@" -- sh -c '
        "$NETLAB_LIBEXEC/netlab-probe" listen &
        for node in 1 2 3 4 5; do
            "$1" node$node "exec \"\$NETLAB_LIBEXEC/netlab-probe\" rate node0 300000" &
            senders="${senders:-} $!"
        done
        for sender in $senders; do
            wait $sender && echo whole
        done' - "$here/netlab-agent" >"$work/out" 2>"$work/err"
    dropped=$(sed -n 's/^netlab: \([0-9]*\) packets dropped by full queues$/\1/p' "$work/err")
    arrived=$(grep -c whole "$work/out")
}

test_queue()
{
    local dropped arrived

    many_to_one --queue 16K
    [ "$arrived" = 5 ] && [ "${dropped:-0}" -gt 0 ] \
        && grep -q "^netlab: queue to node0: $dropped of [0-9]* packets dropped$" "$work/err"
    report $? "a small queue drops packets of many to one, and TCP brings all bytes nevertheless" \
        "$arrived streams of 5 arrived, output: $(cat "$work/err")"
    many_to_one --queue 4M
    same "a queue with room for all drops none" "5 0" "$arrived $dropped"
    many_to_one
    same "without --queue nothing is said of queues" "5 0" "$arrived $(grep -c queue "$work/err")"
    printf 'SwitchName=a Nodes=node[0-1]\nSwitchName=b Nodes=node[2-5]\nSwitchName=c Switches=a,b\n' \
        >"$work/tree"
    many_to_one --queue 16K --topology "$work/tree"
    [ "$arrived" = 5 ] && grep -q "^netlab: queue up from switch b: [1-9]" "$work/err"
    report $? "queues between switches drop packets, too" \
        "$arrived streams of 5 arrived, output: $(cat "$work/err")"
    same "ranks run behind bounded queues" "0 0 1 1 2 2" "$(where 6 --nodes 3 --ppn 2 --queue 8K)"
    same "packets are as small as Ethernet's with --queue, and only then" "1500 65000 65000" \
        "$(for option in --queue=64K --queue=unlimited --verbose; do
            "$netlab" $option -- ip -oneline link show dev eth0 2>/dev/null
        done | sed 's/.* mtu \([0-9]*\) .*/\1/' | paste -s -d ' ')"
}

# What --verbose says of the overhead under these options.
overhead_line()
{
    "$netlab" --verbose "$@" -- true 2>&1 | sed -n 's/^netlab: overhead //p'
}

# with_switch SCRIPT OPTION...: what netlab prints where netlab-switch reads a table of nodes that SCRIPT, one of
# sed, has changed.
with_switch()
{
    local libexec script=$1

    shift
    libexec=$("$netlab" --latency 0 -- sh -c 'echo "$NETLAB_LIBEXEC"')
    mkdir -p "$work/libexec"
    ln -sf "$libexec/netlab-init" "$work/libexec"
    cat >"$work/libexec/netlab-switch" <<END
#!/bin/sh
sed '$script' "\$1" >/dev/shm/netlab/changed
shift
exec '$libexec/netlab-switch' /dev/shm/netlab/changed "\$@"
END
    chmod +x "$work/libexec/netlab-switch"
    NETLAB_LIBEXEC=$work/libexec "$netlab" "$@" -- echo ran 2>&1
}

test_overhead()
{
    local line found failed="netlab: the overhead could not be measured"

    line=$(overhead_line --latency 10ms)
    found=${line%% *}
    [[ $found =~ ^[1-9][0-9]*$ ]] \
        && [ "$line" = "$found ns (measured): packets are held for $((10000000 - found)) ns" ]
    report $? "the overhead is measured, and taken off the latency" "output: $line"
    line=$(overhead_line --latency 10ms --rate 1Kbit --gap 1s --queue 2K)
    found=${line%% *}
    [[ $found =~ ^[1-9][0-9]*$ ]] && [ "$found" -lt 10000000 ]
    report $? "neither the rate nor the gap is part of it" "output: $line"
    same "an overhead that is given is not measured" \
        "30000 ns (as given): packets are held for 70000 ns" \
        "$(overhead_line --latency 100us --overhead 30us)"
    same "packets are not held for less than no time" \
        "1000000 ns (as given): packets are held for 0 ns, and take longer than the latency" \
        "$(overhead_line --latency 100us --overhead=1ms)"
    same "an overhead of 0 leaves the latency as it is" \
        "0 ns (as given): packets are held for 100000 ns" \
        "$(overhead_line --latency 100us --overhead 0)"
    same "nothing is measured without a latency, or another node" "" \
        "$(overhead_line --latency 0)$(overhead_line --nodes 1)"
    same "without --verbose nothing is said of it" "" "$("$netlab" -- true 2>&1)"

    line=$(with_switch '/^node1 /s/ [0-9]* / 999999999 /' --latency 10ms)
    [[ $line == "$failed ("*"): "*--overhead*$'\n'ran ]]
    report $? "an overhead that cannot be measured is taken for none" "output: $line"
    line=$(with_switch '/^node1 /s/02:6e:6c/02:6e:6d/' --latency 10ms)
    [[ $line == "$failed ("*"timed out): "*--overhead*$'\n'ran ]]
    report $? "so is one of packets that do not arrive" "output: $line"
}

test_placement()
{
    local first second

    same "block fills node after node" "0 0 1 1 2 2" "$(where 6 --nodes 3 --ppn 2)"
    same "block with unequal nodes" "0 0 0 1 1 2" "$(where 6 --ppn 3,2,1)"
    same "a short list of ppn is repeated" "0 0 1 2 2 3" "$(where 6 --nodes 4 --ppn 2,1)"
    same "cyclic passes over full nodes" "0 1 2 0 1 0" "$(where 6 --ppn 3,2,1 --map cyclic)"
    same "cyclic with fewer ranks than slots" "0 1 2 0" "$(where 4 --ppn 3,2,1 --map cyclic)"
    first=$(where 8 --nodes 4 --ppn 2 --map random:42)
    same "random fills the slots of every node" "0 0 1 1 2 2 3 3" \
        "$(tr ' ' '\n' <<<"$first" | sort | paste -s -d ' ')"
    same "random is alike for the same seed" "$first" "$(where 8 --nodes 4 --ppn 2 --map random:42)"
    second=$(where 8 --nodes 4 --ppn 2 --map random:43)
    [ "$first" != "$second" ]
    report $? "random differs for another seed" "both: $first"
}

# Not asked about eth0 alone, which makes newer kernels see to it at once.
test_carrier()
{
    same "every node's network has its carrier from the start" "UP UP UP UP" \
        "$("$netlab" --nodes 4 --ppn 1 -- sh -c 'for node in 0 1 2 3; do
            "$1" node$node "ip -oneline link" | sed -n "s/.* eth0.* state \([A-Z]*\) .*/\1/p"
        done' - "$here/netlab-agent" | paste -s -d ' ')"
}

# Sessions are what the kernel's scheduler makes groups of, which would be the nodes.
test_one_session()
{
    local name="the processes of all nodes belong to one session"

    same "no daemon is asked to leave the session" "as it was" \
        "$("$netlab" --nodes 2 --ppn 1 -- "$here/netlab-agent" node1 echo as --daemonize it was)"
    if [[ "$(mpirun --version)" == *"(Open MPI) 5."* ]]; then
        skip "$name" "the daemon of this Open MPI leaves it unasked"
        return
    fi
    # shellcheck disable=SC2016 # expanded by the ranks
    same "$name" 1 "$("$netlab" --nodes 3 --ppn 2 -- mpirun -np 6 \
        sh -c 'cut -d " " -f 6 /proc/$$/stat' 2>"$work/where.err" | sort -u | wc -l)"
}

# A job of two programs.  The first variable keeps Open MPI 5.0.7 of Debian 13 from a crash that it has
# without netlab, too, whenever there are two; it must reach the daemons of all nodes.
test_two_programs()
{
    same "the ranks of two programs are placed in order" "0 1 2 0 1 0" \
        "$(PMIX_MCA_mca_base_param_files=none "$netlab" --ppn 3,2,1 --map cyclic -- \
            mpirun -np 2 sh -c 'echo "$OMPI_COMM_WORLD_RANK $(hostname)"' : \
            -np 4 sh -c 'echo "$OMPI_COMM_WORLD_RANK $(hostname)"' 2>"$work/where.err" \
            | sort -n | sed 's/.* node//' | paste -s -d ' ')"
}

test_environment()
{
    local out

    out=$(cd "$work" && OMPI_MCA_coll_napcoll_netlab_test=seen NETLAB_TEST=also \
        PATH=$PATH:/nowhere "$netlab" --nodes 2 --ppn 1 -- mpirun -np 2 sh -c \
        'echo "$(hostname) $OMPI_MCA_coll_napcoll_netlab_test $NETLAB_TEST $PWD ${PATH##*:}"' \
        2>/dev/null | sort)
    same "parameters, variables, folder and path reach remote ranks" \
        "node0 seen also $work /nowhere
node1 seen also $work /nowhere" "$out"
    out=$("$netlab" --nodes 2 --ppn 1 --shm 1M -- sh -c \
        "touch /dev/shm/mine; df -k --output=size /dev/shm; '$here/netlab-agent' node1 ls /dev/shm")
    same "each node has its own /dev/shm of the size asked for" "1024 netlab" \
        "$(tail -n +2 <<<"$out" | paste -s -d ' ' | tr -s ' ' | sed 's/^ //')"
    same "sleeps may take 5 ms longer" 5000000 "$("$netlab" -- cat /proc/self/timerslack_ns)"
    out=$(echo text | "$netlab" -- cat)
    same "standard input and output pass through" text "$out"
}

# A program that only says what it is: mpirun of some version.
fake_mpirun()
{
    mkdir -p "$work/$1"
    printf '#!/bin/sh\necho "%s"\n' "$2" >"$work/$1/mpirun"
    chmod +x "$work/$1/mpirun"
}

# set_for DIR VARIABLE...: what these are set to where the mpirun in PATH is that in DIR.
set_for()
{
    local dir=$1 name

    shift
    for name in "$@"; do
        PATH=$work/$dir:$PATH "$netlab" -- sh -c 'eval "echo $1=\${$1-}"' - "$name"
    done | paste -s -d ' '
}

test_launcher()
{
    local version out

    version=$(mpirun --version | head -n 1)
    out=$("$netlab" --verbose -- true 2>&1)
    [[ $out == *"mpirun: $version; led"* ]]
    report $? "--verbose names the mpirun that is led" "output: $out"

    fake_mpirun four "mpirun (Open MPI) 4.1.4"
    fake_mpirun five "mpirun (Open MPI) 5.0.7"
    fake_mpirun ten "mpirun (Open MPI) 10.0.0a1"
    fake_mpirun other "HYDRA build details:"
    same "Open MPI 4 is led by parameters of ORTE" \
        "OMPI_MCA_plm=rsh PRTE_MCA_plm= OMPI_MCA_btl=self,vader,tcp" \
        "$(set_for four OMPI_MCA_plm PRTE_MCA_plm OMPI_MCA_btl)"
    same "Open MPI 5 is led by parameters of PRRTE" \
        "OMPI_MCA_plm= PRTE_MCA_plm=ssh OMPI_MCA_btl=self,sm,tcp" \
        "$(set_for five OMPI_MCA_plm PRTE_MCA_plm OMPI_MCA_btl)"
    same "so are later ones" "OMPI_MCA_plm= PRTE_MCA_plm=ssh" \
        "$(set_for ten OMPI_MCA_plm PRTE_MCA_plm)"
    same "an mpirun of another MPI is left alone" "OMPI_MCA_plm= PRTE_MCA_plm= OMPI_MCA_btl=" \
        "$(set_for other OMPI_MCA_plm PRTE_MCA_plm OMPI_MCA_btl)"
    out=$(PATH=$work/four:$PATH "$netlab" --verbose -- "$work/five/mpirun" 2>&1 | grep 'led')
    [[ $out == *"5.0.7; led onto the nodes by prrte"* ]]
    report $? "an mpirun that is the command comes before that in PATH" "output: $out"

    same "what the user has set is left as it is" "PRTE_MCA_plm=slurm OMPI_MCA_btl=self,tcp" \
        "$(PRTE_MCA_plm=slurm OMPI_MCA_btl=self,tcp set_for five PRTE_MCA_plm OMPI_MCA_btl)"
    same "under any of the names it has" "PRTE_MCA_mapby= PRTE_MCA_bindto= PRTE_MCA_plm=" \
        "$(PRTE_MCA_map_by=core PRTE_MCA_hwloc_default_binding_policy=core OMPI_MCA_plm=ssh \
            set_for five PRTE_MCA_mapby PRTE_MCA_bindto PRTE_MCA_plm)"
    same "a policy of qualifiers only qualifies ours" "PRTE_MCA_mapby=slot:oversubscribe" \
        "$(PRTE_MCA_mapby=:oversubscribe set_for five PRTE_MCA_mapby)"
    same "what stands on the command line wins" "0 1 0 1" \
        "$(mpirun_options='--map-by node' where 4 --nodes 2 --ppn 2)"
}

# Ends of jobs: the one rank that ends early sits on a remote node.
test_job_status()
{
    local status

    timeout 30 "$netlab" --nodes 2 --ppn 2 -- mpirun -np 4 \
        sh -c '[ "$OMPI_COMM_WORLD_RANK" != 3 ] || exit 7; sleep 60' >"$work/log" 2>&1
    status=$?
    [ $status = 7 ]
    report $? "a process that fails ends the job, with its status" \
        "status $status, output: $(cat "$work/log")"
    timeout 30 "$netlab" --nodes 2 --ppn 2 -- mpirun -np 4 \
        sh -c '[ "$OMPI_COMM_WORLD_RANK" != 3 ] || kill -KILL $$; sleep 60' >"$work/log" 2>&1
    status=$?
    [ $status = 137 ]
    report $? "so does one that is killed" "status $status, output: $(cat "$work/log")"
    # Processes this short-lived are those whose end a launcher can miss.
    timeout 60 "$netlab" --nodes 8 --ppn 8 -- mpirun -np 64 hostname >"$work/log" 2>&1
    status=$?
    [ $status = 0 ] && [ "$(grep -c '^node[0-7]$' "$work/log")" = 64 ]
    report $? "64 short processes on 8 nodes start and end" \
        "status $status, output: $(sort "$work/log" | uniq -c)"
}

test_session_folder()
{
    mkdir -p "$work/tmp"
    # Some launchers warn of a process group that a child was quicker to set.
    same "session folders are in the private folder" "" \
        "$(TMPDIR=$work/tmp "$netlab" --nodes 2 --ppn 2 -- mpirun -np 4 \
            sh -c 'ls -A "$1"' - "$work/tmp" 2>&1 | grep -v 'setpgid.* failed in parent')"
}

test_status()
{
    local pid

    "$netlab" -- sh -c 'exit 42'
    same "the command's exit status is netlab's" 42 $?
    "$netlab" -- sh -c 'kill -KILL $$'
    same "a command killed by signal 9 gives 137" 137 $?
    "$netlab" -- sh -c 'trap "exit 5" TERM; touch "$1"; while :; do sleep 0.1; done' - "$work/up" &
    pid=$!
    until_some ls -A "$work/up" 2>/dev/null
    kill -TERM $pid
    wait $pid
    same "SIGTERM is passed on to the command" 5 $?
}

# Mounts, files and interfaces outside of netlab that look like its own.
traces()
{
    grep netlab /proc/self/mountinfo
    find /dev/shm/netlab /sys/class/net/port* -maxdepth 0 2>/dev/null
}

# Starts a job, ends netlab by a signal, and looks for what is left.
leaves_nothing_after()
{
    local signal=$1 id="$$-$1" pid

    NETLAB_TEST=$id "$netlab" --nodes 3 --ppn 2 -- mpirun -np 6 \
        sh -c 'touch "$1.$OMPI_COMM_WORLD_RANK"; sleep 60' - "$work/rank-$id" >"$work/log" 2>&1 &
    pid=$!
    until_some find "$work" -name "rank-$id.5"
    report $? "a job starts (to be ended by $signal)" "$(cat "$work/log")"
    kill "-$signal" $pid
    wait $pid 2>/dev/null
    until_empty marked "$id"
    report $? "no process is left after $signal" "$(marked "$id" | paste -s -d ' ')"
}

test_nothing_left()
{
    leaves_nothing_after KILL
    leaves_nothing_after TERM
    same "no mount, file or interface is left" "$traces_before" "$(traces)"
}

test_switch_killed()
{
    local out status

    out=$("$netlab" -- sh -c 'kill -KILL "$(cat /dev/shm/netlab/pid/switch)"; sleep 60' 2>&1)
    status=$?
    [ $status = 70 ] && [[ $out == *"switch has ended"* ]]
    report $? "netlab ends when its switch does" "status $status, output: $out"
}

test_two_at_once()
{
    where 6 --ppn 3,2,1 >"$work/first" &
    same "two netlabs at once: one" "0 1 2 0 1 0" "$(where 6 --ppn 3,2,1 --map cyclic)"
    wait $!
    same "two netlabs at once: the other" "0 0 0 1 1 2" "$(cat "$work/first")"
}

test_ordinary_user()
{
    local name="an ordinary user can run a job" out libexec

    if [ "$(id -u)" != 0 ]; then
        skip "$name" "all tests ran as one"
        return
    fi
    libexec=$("$netlab" -- sh -c 'echo "$NETLAB_LIBEXEC"')
    if ! runuser -u nobody -- test -x "$netlab" -a -x "$libexec/netlab-init"; then
        skip "$name" "user nobody may not read $here or $libexec"
        return
    fi
    out=$(cd / && HOME=/ NETLAB_LIBEXEC=$libexec runuser -u nobody -- \
        "$netlab" --nodes 2 --ppn 2 -- mpirun -np 4 \
        sh -c 'echo "$OMPI_COMM_WORLD_RANK $(hostname)"' 2>"$work/user.err" | sort -n)
    if grep -q "cannot run here" "$work/user.err"; then
        skip "$name" "$(head -n 1 "$work/user.err")"
        return
    fi
    same "$name" "0 node0 1 node0 2 node1 3 node1" "$(paste -s -d ' ' <<<"$out")"
    cat "$work/user.err" >&2
}

traces_before=$(traces) # not ours: only what is new is left by netlab
test_bad_options
test_bad_topology
"$netlab" -- true
if [ $? = 77 ]; then
    echo "1..0 # SKIP netlab cannot run here"
    [ $failures = 0 ] || exit 1
    exit 77
fi
test_carrier
test_placement
test_topology
test_queue
test_overhead
test_one_session
test_two_programs
test_launcher
test_environment
test_status
test_job_status
test_session_folder
test_nothing_left
test_switch_killed
test_two_at_once
test_ordinary_user
echo "1..$number"
[ $failures = 0 ]
