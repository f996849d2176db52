/* Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * netlab-init: creates the namespaces of an emulated cluster, runs one command in their midst,
 * and takes everything down again when that command, or netlab itself, ends.
 *
 *     netlab (this program)                          waits, passes signals on
 *       `- PID 1 of a new PID namespace ("hub")      reaps, passes signals on
 *            |- node0   own network, host name, IPC, /dev/shm      (sleeps, holds them open)
 *            |- node1   ...
 *            `- COMMAND (netlab-inside)              in the hub's namespaces
 *
 * PID 1 asks to be killed when its parent dies, and the kernel kills all that is left in a PID
 * namespace when its PID 1 ends.  So no way of ending netlab, SIGKILL included, leaves a process
 * behind; interfaces, mounts and the files on private tmpfs mounts go with the last process.
 *
 * The run directory is /dev/shm/netlab.  The hub covers /dev/shm with a tmpfs of its own, so the
 * path is short, the same for every run, and never shared between two runs.  Each node covers
 * /dev/shm once more and binds the run directory into it.
 *
 * The file /dev/shm/netlab/nodes tells the other programs who is who, one node per line:
 *     NAME PID IPV4 MAC PORT          e.g.  node0 2 10.77.0.1 02:6e:6c:00:00:01 port0
 *
 * Usage: netlab-init NODES SHM_BYTES COMMAND [ARG...]
 * Exit status: COMMAND's, 128 + the signal that ended it, 77 if the kernel or the
 * administrator does not allow what is needed, or 70 if the switch ended before COMMAND.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUN_DIR "/dev/shm/netlab"

enum {
    EXIT_CANNOT_RUN = 77, /* what Automake's test driver counts as "skipped" */
    EXIT_NO_SWITCH = 70,
    MAX_NODES = 1024,
    HUB_NAMESPACES = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC,
    NODE_NAMESPACES = CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC
};

/* Signals that are passed on to the command. */
static const int forwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH};

/* Prints one message and ends this process with "cannot run here". */
static void __attribute__((noreturn, format(printf, 1, 2))) cannot_run(const char *format, ...)
{
    int saved = errno;
    va_list args;

    fprintf(stderr, "netlab: cannot run here: ");
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, ": %s%s\n", strerror(saved),
            ENOSPC == saved ? " (a limit in /proc/sys/user?)" : "");
    _exit(EXIT_CANNOT_RUN);
}

/* Writes text to an existing file (or a new one with create). Returns 0 or -1 with errno. */
static int write_file(const char *path, const char *text, bool create)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | (create ? O_CREAT | O_TRUNC : 0), 0644);
    size_t length = strlen(text);
    ssize_t written;
    int saved;

    if (fd < 0) {
        return -1;
    }
    written = write(fd, text, length);
    saved = errno;
    if (0 != close(fd)) {
        return -1;
    }
    if (written != (ssize_t) length) {
        errno = written < 0 ? saved : ENOSPC;
        return -1;
    }
    return 0;
}

/* Sets a kernel parameter that only makes the emulation nicer: older kernels may lack it. */
static void set_if_there(const char *path, const char *text)
{
    if (0 != write_file(path, text, false) && ENOENT != errno && EACCES != errno && EPERM != errno
        && EROFS != errno) {
        fprintf(stderr, "netlab: warning: %s: %s\n", path, strerror(errno));
    }
}

/* Enters the hub's namespaces, through a user namespace of our own where privileges lack. */
static void enter_hub_namespaces(void)
{
    uid_t uid = geteuid();
    gid_t gid = getegid();
    char map[64];

    if (0 == uid && 0 == unshare(HUB_NAMESPACES)) {
        return;
    }
    if (0 != unshare(CLONE_NEWUSER)) {
        cannot_run("this user may not create user namespaces (see user_namespaces(7); "
                   "sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone)");
    }
    if (0 != write_file("/proc/self/setgroups", "deny", false) && ENOENT != errno) {
        cannot_run("/proc/self/setgroups");
    }
    snprintf(map, sizeof(map), "0 %lu 1\n", (unsigned long) uid);
    if (0 != write_file("/proc/self/uid_map", map, false)) {
        cannot_run("/proc/self/uid_map");
    }
    snprintf(map, sizeof(map), "0 %lu 1\n", (unsigned long) gid);
    if (0 != write_file("/proc/self/gid_map", map, false)) {
        cannot_run("/proc/self/gid_map");
    }
    if (0 != unshare(HUB_NAMESPACES)) {
        cannot_run("creating mount, PID, network, host name and IPC namespaces");
    }
}

static int make_dir(const char *path, mode_t mode)
{
    if (0 != mkdir(path, mode)) {
        return -1;
    }
    return chmod(path, mode);
}

/* The address plan, in one place. */
static void node_address(int node, char ip[static 16])
{
    int host = node + 1;

    snprintf(ip, 16, "10.77.%u.%u", ((unsigned) host >> 8) & 255U, (unsigned) host & 255U);
}

/* Covers /etc/hosts, so that the nodes' names resolve without any name server. */
static void cover_hosts(int nodes)
{
    FILE *out = fopen(RUN_DIR "/hosts", "we");
    FILE *in = fopen("/etc/hosts", "re");
    char ip[16];
    int c;

    if (NULL == out) {
        cannot_run(RUN_DIR "/hosts");
    }
    if (NULL == in) {
        cannot_run("/etc/hosts");
    }
    fprintf(out, "127.0.0.1 localhost\n");
    for (int node = 0; node < nodes; ++node) {
        node_address(node, ip);
        fprintf(out, "%s node%d\n", ip, node);
    }
    while (EOF != (c = getc(in))) {
        putc(c, out);
    }
    fclose(in);
    if (0 != fclose(out)) {
        cannot_run(RUN_DIR "/hosts");
    }
    if (0 != mount(RUN_DIR "/hosts", "/etc/hosts", NULL, MS_BIND, NULL)) {
        cannot_run("mounting over /etc/hosts");
    }
}

/* Mounts of the hub; the nodes' mount namespaces start as copies of it. */
static void set_up_hub(int nodes)
{
    umask(022);
    if (0 != mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL)) {
        cannot_run("making the mounts private");
    }
    if (0 != mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL)) {
        cannot_run("mounting /proc for a new PID namespace (inside a container?)");
    }
    if (0 != mount("netlab", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777")) {
        cannot_run("mounting a tmpfs on /dev/shm");
    }
    if (0 != make_dir(RUN_DIR, 0755) || 0 != make_dir(RUN_DIR "/tmp", 01777)
        || 0 != make_dir(RUN_DIR "/pid", 0755) || 0 != make_dir(RUN_DIR "/shm", 0755)) {
        cannot_run(RUN_DIR);
    }
    cover_hosts(nodes);
    set_if_there("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1");
    set_if_there("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1");
    if (0 != sethostname("netlab", strlen("netlab"))) {
        cannot_run("setting the host name");
    }
}

static void bring_up_loopback(void)
{
    struct ifreq request;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (fd < 0) {
        cannot_run("socket");
    }
    memset(&request, 0, sizeof(request));
    memcpy(request.ifr_name, "lo", sizeof("lo"));
    request.ifr_flags = IFF_UP;
    if (0 != ioctl(fd, SIOCSIFFLAGS, &request)) {
        cannot_run("bringing up the loopback interface");
    }
    close(fd);
}

/* Gives the calling process the namespaces of one node. */
static void enter_new_node(int node, const char *shm_bytes)
{
    char name[32];
    char options[64];

    if (0 != unshare(NODE_NAMESPACES)) {
        cannot_run("creating the namespaces of node%d", node);
    }
    snprintf(name, sizeof(name), "node%d", node);
    snprintf(options, sizeof(options), "mode=1777,size=%s", shm_bytes);
    if (0 != sethostname(name, strlen(name))) {
        cannot_run("setting the host name of %s", name);
    }
    if (0 != mount(name, RUN_DIR "/shm", "tmpfs", MS_NOSUID | MS_NODEV, options)
        || 0 != make_dir(RUN_DIR "/shm/netlab", 0755)
        || 0 != mount(RUN_DIR, RUN_DIR "/shm/netlab", NULL, MS_BIND, NULL)
        || 0 != mount(RUN_DIR "/shm", "/dev/shm", NULL, MS_MOVE, NULL)) {
        cannot_run("mounting /dev/shm of %s", name);
    }
    set_if_there("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1");
    set_if_there("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1");
    /* Behave like a network that is always warm: windows open, no restart after a pause. */
    set_if_there("/proc/sys/net/ipv4/tcp_slow_start_after_idle", "0");
    set_if_there("/proc/sys/net/ipv4/tcp_no_metrics_save", "1");
    set_if_there("/proc/sys/net/ipv4/tcp_rmem", "4096 2097152 6291456");
    bring_up_loopback();
}

/* Starts the process that holds a node's namespaces open. Returns its PID once it is set up. */
static pid_t start_node(int node, const char *shm_bytes)
{
    int ready[2];
    pid_t pid;
    char byte;
    int status;

    if (0 != pipe2(ready, O_CLOEXEC)) {
        cannot_run("pipe");
    }
    pid = fork();
    if (pid < 0) {
        cannot_run("starting node%d", node);
    }
    if (0 == pid) {
        close(ready[0]);
        enter_new_node(node, shm_bytes);
        if (1 != write(ready[1], "r", 1)) {
            exit(1);
        }
        close(ready[1]);
        for (;;) {
            pause();
        }
    }
    close(ready[1]);
    if (1 != read(ready[0], &byte, 1)) {
        exit(pid == waitpid(pid, &status, 0) && WIFEXITED(status) ? WEXITSTATUS(status) : 1);
    }
    close(ready[0]);
    return pid;
}

static void start_nodes(int nodes, const char *shm_bytes)
{
    FILE *table = fopen(RUN_DIR "/nodes", "we");
    char path[64];
    char text[32];
    char ip[16];

    if (NULL == table) {
        cannot_run(RUN_DIR "/nodes");
    }
    for (int node = 0; node < nodes; ++node) {
        pid_t pid = start_node(node, shm_bytes);

        snprintf(path, sizeof(path), RUN_DIR "/pid/node%d", node);
        snprintf(text, sizeof(text), "%d\n", (int) pid);
        if (0 != write_file(path, text, true)) {
            cannot_run("%s", path);
        }
        node_address(node, ip);
        fprintf(table, "node%d %d %s 02:6e:6c:00:%02x:%02x port%d\n", node, (int) pid, ip,
                ((unsigned) node + 1) >> 8 & 255U, ((unsigned) node + 1) & 255U, node);
    }
    if (0 != fclose(table)) {
        cannot_run(RUN_DIR "/nodes");
    }
}

static void handled_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    for (size_t i = 0; i < sizeof(forwarded) / sizeof(forwarded[0]); ++i) {
        sigaddset(set, forwarded[i]);
    }
}

static int exit_status(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* The process number of the switch, or 0 before it has started. */
static pid_t switch_pid(void)
{
    FILE *in = fopen(RUN_DIR "/pid/switch", "re");
    int number = 0;

    if (NULL == in) {
        return 0;
    }
    if (1 != fscanf(in, "%d", &number)) {
        number = 0;
    }
    fclose(in);
    return (pid_t) number;
}

/* Lets the switch say what it has dropped, for which it has a second. */
static void end_switch(void)
{
    const pid_t pid = switch_pid();

    if (pid <= 0 || 0 != kill(pid, SIGTERM)) {
        /* It has not started, or has ended */
        return;
    }
    for (int i = 0; i < 200 && 0 == waitpid(pid, NULL, WNOHANG); ++i) {
        (void) usleep(5000);
    }
}

/*
 * Waits for a child to end, reaping every other child and passing signals on to it.  Signals that
 * the terminal sends to the whole foreground group are not passed on when the child is in that
 * group too (same_group): it has got them already.
 * Returns the child's exit status, or 128 + the signal that ended it; EXIT_NO_SWITCH if this is
 * PID 1 and the switch has ended.
 */
static int supervise(pid_t child, bool same_group)
{
    sigset_t set;
    siginfo_t info;
    pid_t pid;
    int status;

    handled_signals(&set);
    for (;;) {
        int sig = sigwaitinfo(&set, &info);

        if (sig < 0) {
            /* Interrupted by being stopped and continued */
            continue;
        }
        if (SIGCHLD != sig) {
            if (!same_group || SI_KERNEL != info.si_code) {
                /* It may just have ended */
                (void) kill(child, sig);
            }
            continue;
        }
        while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
            if (pid == child) {
                return exit_status(status);
            }
            /* Without the switch, the command would wait for ever. */
            if (1 == getpid() && pid == switch_pid()) {
                fprintf(stderr, "netlab: the switch has ended (status %d), so must the command\n",
                        exit_status(status));
                return EXIT_NO_SWITCH;
            }
        }
    }
}

/* PID 1 of the new namespace. */
static void __attribute__((noreturn)) run_hub(int nodes, const char *shm_bytes, char **command,
                                              int alive_fd, bool same_group, const sigset_t *mask)
{
    struct pollfd alive = {.fd = alive_fd, .events = POLLIN};
    pid_t child;
    int status;

    /* Die with the parent; the pipe tells if it died before this request. */
    if (0 != prctl(PR_SET_PDEATHSIG, SIGKILL)) {
        cannot_run("prctl(PR_SET_PDEATHSIG)");
    }
    if (0 != poll(&alive, 1, 0)) {
        exit(EXIT_FAILURE);
    }
    if (!same_group && 0 != setpgid(0, 0)) {
        cannot_run("setpgid");
    }
    set_up_hub(nodes);
    start_nodes(nodes, shm_bytes);
    child = fork();
    if (child < 0) {
        cannot_run("fork");
    }
    if (0 == child) {
        if (0 != sigprocmask(SIG_SETMASK, mask, NULL)) {
            perror("netlab: sigprocmask");
            _exit(126);
        }
        execvp(command[0], command);
        fprintf(stderr, "netlab: %s: %s\n", command[0], strerror(errno));
        _exit(127);
    }
    /* The signals that come here come from the parent, or from the terminal. */
    status = supervise(child, true);
    if (NULL != getenv("NETLAB_VERBOSE")) {
        end_switch();
    }
    exit(status);
}

int main(int argc, char **argv)
{
    char *end = NULL;
    long nodes = argc > 1 ? strtol(argv[1], &end, 10) : 0;
    bool same_group = false;
    int alive[2];
    int tty;
    sigset_t set;
    sigset_t mask;
    pid_t hub;

    if (argc < 4 || '\0' != *end || nodes < 1 || nodes > MAX_NODES) {
        fprintf(stderr,
                "usage: netlab-init NODES SHM_BYTES COMMAND [ARG...]\n"
                "(started by netlab; NODES is 1 to %d)\n",
                MAX_NODES);
        return 2;
    }
    tty = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (tty >= 0) {
        /* Stay in the terminal's group: the command may read from it */
        same_group = true;
        close(tty);
    }
    handled_signals(&set);
    if (0 != pipe2(alive, O_CLOEXEC) || 0 != sigprocmask(SIG_BLOCK, &set, &mask)) {
        perror("netlab");
        return 1;
    }
    enter_hub_namespaces();
    hub = fork();
    if (hub < 0) {
        cannot_run("starting PID 1 of a PID namespace");
    }
    if (0 == hub) {
        close(alive[1]);
        run_hub((int) nodes, argv[2], argv + 3, alive[0], same_group, &mask);
    }
    close(alive[0]);
    /* Not exit: leak checkers would fork, and new processes would belong to the ended namespace. */
    _exit(supervise(hub, same_group));
}
