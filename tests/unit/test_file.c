/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Opening and writing files: neither waits, and the writer replaces regular files only.
 */

#define _GNU_SOURCE

#include "cmocka_setup.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/napcoll_output.h"
#include "util/napcoll_file.h"

/* ---- a folder of the test's own, which is the working folder meanwhile ---- */

static int set_up(void **state)
{
    static char folder[] = "/tmp/napcoll-test-file.XXXXXX";

    (void) state;
    (void) umask(022);
    /* a program that waits for a FIFO fails */
    (void) alarm(60);
    memcpy(folder + sizeof(folder) - 7, "XXXXXX", 6);
    return NULL == mkdtemp(folder) ? -1 : chdir(folder);
}

static int tear_down(void **state)
{
    char *folder = get_current_dir_name();
    glob_t all;

    (void) state;
    if (0 == glob("*", GLOB_PERIOD, NULL, &all)) {
        for (size_t i = 0; i < all.gl_pathc; i++) {
            if (0 != unlink(all.gl_pathv[i])) {
                (void) rmdir(all.gl_pathv[i]);
            }
        }
        globfree(&all);
    }
    (void) chdir("/");
    (void) rmdir(folder);
    free(folder);
    return 0;
}

static void put(const char *name, const char *text)
{
    FILE *out = fopen(name, "w");

    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

static void assert_content(const char *name, const char *text)
{
    char content[64] = "";
    FILE *in = fopen(name, "r");

    assert_non_null(in);
    content[fread(content, 1, sizeof(content) - 1, in)] = '\0';
    (void) fclose(in);
    assert_string_equal(content, text);
}

static struct stat look(const char *name)
{
    struct stat about;

    assert_int_equal(lstat(name, &about), 0);
    return about;
}

/* How many unfinished files are here. */
static size_t parts(void)
{
    glob_t all = {.gl_pathc = 0};
    const size_t count = 0 == glob(".napcoll-*", 0, NULL, &all) ? all.gl_pathc : 0;

    globfree(&all);
    return count;
}

/* ---- reading ---- */

static void assert_refused(const char *path, int64_t most, const char *reason)
{
    napcoll_file_error_t error;

    assert_null(napcoll_file_open(path, most, &error));
    if (NULL == strstr(error.text, reason)) {
        fail_msg("%s: %s: expected: %s", path, error.text, reason);
    }
}

static void reads_regular_files_and_links_to_them(void **state)
{
    napcoll_file_error_t error;
    char line[16];

    (void) state;
    put("file", "text\n");
    assert_int_equal(symlink("file", "link"), 0);
    for (int i = 0; i < 2; i++) {
        FILE *in = napcoll_file_open(0 == i ? "file" : "link", 5, &error);

        assert_non_null(in);
        assert_string_equal(fgets(line, sizeof(line), in), "text\n");
        assert_int_equal(fclose(in), 0);
    }
}

static void refuses_what_would_wait_or_never_end(void **state)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
    int server = socket(AF_UNIX, SOCK_STREAM, 0);

    (void) state;
    assert_int_equal(mkfifo("fifo", 0644), 0);
    assert_int_equal(mkdir("folder", 0755), 0);
    assert_int_equal(bind(server, (struct sockaddr *) &address, sizeof(address)), 0);
    assert_refused("fifo", 100, "is a FIFO or a pipe; expected a regular file");
    assert_refused("folder", 100, "is a folder; expected a regular file");
    assert_refused("/dev/zero", 100, "is a device; expected a regular file");
    assert_refused("socket", 100, "expected a regular file");
    assert_refused("none", 100, "cannot be opened (No such file or directory)");
    (void) close(server);
}

static void refuses_more_than_its_bound(void **state)
{
    napcoll_file_error_t error;
    FILE *in;

    (void) state;
    put("file", "");
    assert_int_equal(truncate("file", (off_t) 1 << 40), 0);
    assert_refused("file", NAPCOLL_MOST_FILE_BYTES, "has 1099511627776 bytes; expected at most");
    assert_int_equal(truncate("file", 100), 0);
    assert_refused("file", 99, "has 100 bytes; expected at most 99");
    in = napcoll_file_open("file", 100, &error);
    assert_non_null(in);
    (void) fclose(in);
}

/* Files in /proc say that they have no bytes. */
static void loads_whole_files_up_to_its_bound(void **state)
{
    napcoll_file_error_t error;
    size_t length;
    char *text;

    (void) state;
    put("file", "text\n");
    text = napcoll_file_load("file", 5, &length, &error);
    assert_non_null(text);
    assert_int_equal(length, 5);
    assert_string_equal(text, "text\n");
    free(text);
    assert_null(napcoll_file_load("file", 4, &length, &error));
    assert_non_null(strstr(error.text, "has 5 bytes; expected at most 4"));
    assert_null(napcoll_file_load("/proc/self/status", 10, &length, &error));
    assert_string_equal(error.text, "cannot be read, or grows");
}

/* ---- writing ---- */

static void write_as(const char *name, const char *text)
{
    FILE *out;

    assert_int_equal(napcoll_output_check(name), 0);
    assert_int_equal(napcoll_output_open(name, &out), 0);
    fputs(text, out);
    assert_int_equal(napcoll_output_close(out, 0), 0);
    assert_int_equal(parts(), 0);
}

static void new_file_has_the_mode_of_the_umask(void **state)
{
    (void) state;
    (void) umask(027);
    write_as("whole", "a");
    assert_int_equal(look("whole").st_mode, S_IFREG | 0640);
    assert_content("whole", "a");
}

static void old_file_keeps_mode_and_content_until_the_end(void **state)
{
    ino_t inode;
    FILE *out;

    (void) state;
    put("file", "old content");
    assert_int_equal(chmod("file", 0664), 0);
    inode = look("file").st_ino;
    assert_int_equal(napcoll_output_open("file", &out), 0);
    fputs("new", out);
    assert_int_equal(fflush(out), 0);
    assert_content("file", "old content");
    assert_int_equal(napcoll_output_close(out, 0), 0);
    assert_content("file", "new");
    assert_int_equal(look("file").st_mode, S_IFREG | 0664);
    assert_int_not_equal(look("file").st_ino, inode);
}

static void old_file_stays_where_the_content_fails(void **state)
{
    FILE *out;

    (void) state;
    put("file", "old");
    assert_int_equal(napcoll_output_open("file", &out), 0);
    fputs("half", out);
    assert_int_equal(napcoll_output_close(out, EIO), EIO);
    assert_content("file", "old");
    assert_int_equal(parts(), 0);
}

static void owner_stays(void **state)
{
    (void) state;
    if (0 != geteuid()) {
        skip();
    }
    put("file", "old");
    assert_int_equal(chown("file", 1234, 2345), 0);
    assert_int_equal(chmod("file", 0640), 0);
    write_as("file", "new");
    assert_int_equal(look("file").st_uid, 1234);
    assert_int_equal(look("file").st_gid, 2345);
    assert_int_equal(look("file").st_mode, S_IFREG | 0640);
}

static void links_stay(void **state)
{
    FILE *out;

    (void) state;
    assert_int_equal(mkdir("folder", 0755), 0);
    put("folder/file", "old");
    assert_int_equal(symlink("folder/file", "symbolic"), 0);
    write_as("symbolic", "new");
    assert_true(S_ISLNK(look("symbolic").st_mode));
    assert_content("folder/file", "new");

    assert_int_equal(link("folder/file", "hard"), 0);
    write_as("hard", "newer");
    assert_int_equal(look("folder/file").st_nlink, 2);
    assert_content("folder/file", "newer");

    assert_int_equal(symlink("none", "dangling"), 0);
    assert_int_equal(napcoll_output_check("dangling"), ENOENT);
    assert_int_equal(napcoll_output_open("dangling", &out), ENOENT);
    assert_int_equal(access("none", F_OK), -1);
    (void) unlink("folder/file");
}

/* The writer does not follow a link with the name of its unfinished file. */
static void parts_of_foreseen_names_are_not_touched(void **state)
{
    (void) state;
    put("victim", "precious");
    assert_int_equal(symlink("victim", "file.part"), 0);
    write_as("file", "new");
    assert_content("victim", "precious");
    assert_content("file", "new");
}

static void devices_and_fifos_are_written_through(void **state)
{
    char text[8] = "";
    int fd;

    (void) state;
    assert_int_equal(mkfifo("fifo", 0644), 0);
    fd = open("fifo", O_RDONLY | O_NONBLOCK);
    assert_true(fd >= 0);
    write_as("fifo", "through");
    assert_int_equal(read(fd, text, sizeof(text)), 7);
    assert_string_equal(text, "through");
    assert_true(S_ISFIFO(look("fifo").st_mode));
    (void) close(fd);
    if (0 == mknod("null", S_IFCHR | 0666, makedev(1, 3))) {
        write_as("null", "through");
        assert_true(S_ISCHR(look("null").st_mode));
    }
}

/* The writer keeps what the program has already printed. */
static void own_output_is_appended_to(void **state)
{
    const int kept = dup(STDOUT_FILENO);
    const int fd = open("printed", O_WRONLY | O_CREAT, 0644);

    (void) state;
    (void) fflush(stdout);
    assert_int_equal(dup2(fd, STDOUT_FILENO), STDOUT_FILENO);
    assert_int_equal(write(STDOUT_FILENO, "before ", 7), 7);
    write_as("/dev/stdout", "through");
    assert_int_equal(dup2(kept, STDOUT_FILENO), STDOUT_FILENO);
    (void) close(kept);
    (void) close(fd);
    assert_content("printed", "before through");
}

static void what_cannot_be_written_is_said_before(void **state)
{
    FILE *out;

    (void) state;
    assert_int_equal(mkdir("folder", 0755), 0);
    assert_int_equal(napcoll_output_check("folder"), EISDIR);
    assert_int_equal(napcoll_output_open("folder", &out), EISDIR);
    assert_int_equal(napcoll_output_check("none/file"), ENOENT);
    assert_int_equal(napcoll_output_open("none/file", &out), ENOENT);
    put("file", "old");
    assert_int_equal(napcoll_output_check("file"), 0);
    assert_content("file", "old");
    assert_int_equal(napcoll_output_check("new"), 0);
    assert_int_equal(access("new", F_OK), -1);
    if (0 != geteuid()) {
        assert_int_equal(chmod("file", 0444), 0);
        assert_int_equal(napcoll_output_check("file"), EACCES);
        assert_int_equal(napcoll_output_open("file", &out), EACCES);
    }
}

static void full_device_is_an_error(void **state)
{
    FILE *out;

    (void) state;
    assert_int_equal(napcoll_output_open("/dev/full", &out), 0);
    fputs("text", out);
    assert_int_equal(napcoll_output_close(out, 0), ENOSPC);
}

/* The message names the option, the file, the reason and the remedy. */
static void messages_say_reason_and_remedy(void **state)
{
    char text[512];

    (void) state;
    napcoll_output_explain(text, sizeof(text), "--csv", "a/b.csv", ENOENT);
    assert_string_equal(text, "--csv a/b.csv: cannot be written (No such file or directory); make "
                              "its folder, or name a file in another one");
    napcoll_output_explain(text, sizeof(text), "standard output", NULL, ENOSPC);
    assert_string_equal(text, "standard output: cannot be written (No space left on device); free "
                              "some space, or write to another disk");
}

/* A child begins a file and is ended by a signal. */
static void signals_leave_nothing(void **state)
{
    static const int numbers[] = {SIGHUP, SIGINT, SIGPIPE, SIGTERM};

    (void) state;
    put("file", "old");
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        const pid_t child = fork();
        int status;

        assert_true(child >= 0);
        if (0 == child) {
            FILE *out;

            if (0 == napcoll_output_open("file", &out) && 1 == parts()) {
                (void) raise(numbers[i]);
            }
            _exit(1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), numbers[i]);
        assert_int_equal(parts(), 0);
        assert_content("file", "old");
    }
}

/* What is printed does not go into a file that is opened later than standard output was closed. */
static void closed_output_is_not_a_file(void **state)
{
    const int kept = dup(STDOUT_FILENO);
    ssize_t written;
    FILE *out;

    (void) state;
    (void) fflush(stdout);
    (void) close(STDOUT_FILENO);
    napcoll_output_begin();
    assert_int_equal(napcoll_output_open("file", &out), 0);
    written = write(STDOUT_FILENO, "printed", 7);
    assert_int_equal(dup2(kept, STDOUT_FILENO), STDOUT_FILENO);
    (void) close(kept);
    assert_int_equal(written, -1);
    assert_int_equal(napcoll_output_close(out, 0), 0);
    assert_content("file", "");
}

#define FILE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FILE_TEST(reads_regular_files_and_links_to_them),
        FILE_TEST(refuses_what_would_wait_or_never_end),
        FILE_TEST(refuses_more_than_its_bound),
        FILE_TEST(loads_whole_files_up_to_its_bound),
        FILE_TEST(new_file_has_the_mode_of_the_umask),
        FILE_TEST(old_file_keeps_mode_and_content_until_the_end),
        FILE_TEST(old_file_stays_where_the_content_fails),
        FILE_TEST(owner_stays),
        FILE_TEST(links_stay),
        FILE_TEST(parts_of_foreseen_names_are_not_touched),
        FILE_TEST(devices_and_fifos_are_written_through),
        FILE_TEST(own_output_is_appended_to),
        FILE_TEST(what_cannot_be_written_is_said_before),
        FILE_TEST(full_device_is_an_error),
        FILE_TEST(messages_say_reason_and_remedy),
        FILE_TEST(signals_leave_nothing),
        FILE_TEST(closed_output_is_not_a_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
