/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Messages to the user (see napcoll_compat.h).
 *
 * Before 6.0 Open MPI's help system reads texts from files, also from a folder that a component
 * names. From 6.0 on it has only the texts of its own source tree, compiled in. A component that is
 * built outside of that tree compiles its texts in as well (napcoll_help_text.h, made from
 * help-coll-napcoll.txt) and passes messages to the runtime by the same call of PMIx, which shows
 * equal messages of several processes once, with a count.
 *
 * That needs mpirun: under srun the process itself prints its messages.
 */

#include "compat/napcoll_compat.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "opal/util/proc.h"
#include "opal/util/show_help.h"

#define HELP_FILE "help-coll-napcoll.txt"

#if defined(MCA_COLL_BASE_VERSION_3_0_0) && defined(NAPCOLL_OUT_OF_TREE)

#    include "opal/mca/pmix/pmix-internal.h"
#    include "opal/util/output.h"
#    include "opal/util/printf.h"

typedef struct {
    const char *topic;
    const char *text;
} help_text_t;

static const help_text_t help_text[] = {
#    include "napcoll_help_text.h"
};

static const char line[] =
    "--------------------------------------------------------------------------\n";

/* Show a message. The launcher shows only one of several messages with the same name. */
static void deliver(const char *name, const char *message)
{
    pmix_info_t info, how[3];
    bool aggregate = true;
    pmix_status_t rc;

    PMIX_INFO_LOAD(&info, PMIX_LOG_STDERR, message, PMIX_STRING);
    PMIX_INFO_LOAD(&how[0], PMIX_LOG_AGG, &aggregate, PMIX_BOOL);
    PMIX_INFO_LOAD(&how[1], PMIX_LOG_KEY, HELP_FILE, PMIX_STRING);
    PMIX_INFO_LOAD(&how[2], PMIX_LOG_VAL, name, PMIX_STRING);
    rc = PMIx_Log(&info, 1, how, 3);
    if (PMIX_SUCCESS != rc && PMIX_OPERATION_SUCCEEDED != rc) {
        opal_output(0, "%s", message);
    }
    PMIX_INFO_DESTRUCT(&info);
    for (int i = 0; i < 3; i++) {
        PMIX_INFO_DESTRUCT(&how[i]);
    }
}

static char *render(const char *topic, va_list args)
{
    char *message = NULL, *framed = NULL;

    for (size_t i = 0; i < sizeof(help_text) / sizeof(*help_text) && NULL == message; i++) {
        if (0 == strcmp(topic, help_text[i].topic)) {
            (void) opal_vasprintf(&message, help_text[i].text, args);
        }
    }
    (void) opal_asprintf(&framed, "%s%s%s", line, NULL == message ? topic : message, line);
    free(message);
    return framed;
}

/* The name under which the launcher knows a message: a process's second message on a topic, as on
 * another parameter, has another name than its first one. */
static char *name_of(const char *topic)
{
    static _Atomic int messages[sizeof(help_text) / sizeof(*help_text)];
    char *name = NULL;
    int number = 1;

    for (size_t i = 0; i < sizeof(help_text) / sizeof(*help_text); i++) {
        if (0 == strcmp(topic, help_text[i].topic)) {
            number = ++messages[i];
        }
    }
    if (number > 1) {
        (void) opal_asprintf(&name, "%s (%d)", topic, number);
    } else {
        name = strdup(topic);
    }
    return name;
}

static void aggregate(const char *topic, va_list args)
{
    char *framed = render(topic, args), *name = name_of(topic);

    if (NULL != framed && NULL != name) {
        deliver(name, framed);
    }
    free(name);
    free(framed);
}

void napcoll_compat_help_folder(void)
{
}

#else

#    include <dlfcn.h>
#    include <libgen.h>

static char *render(const char *topic, va_list args)
{
    return opal_show_help_vstring(HELP_FILE, topic, true, args);
}

static void aggregate(const char *topic, va_list args)
{
    (void) opal_show_vhelp(HELP_FILE, topic, true, args);
}

void napcoll_compat_help_folder(void)
{
    Dl_info info;
    char *path;

    /* the file of any symbol of the plugin */
    if (0 != dladdr((void *) (uintptr_t) napcoll_compat_help_folder, &info)
        && NULL != info.dli_fname) {
        path = strdup(info.dli_fname);
        if (NULL != path) {
            (void) opal_show_help_add_dir(dirname(path));
            free(path);
        }
    }
}

#endif

/* Whether this process was started by mpirun, which shows messages of many processes once. */
static bool has_mpirun(void)
{
    return NULL != getenv("OMPI_COMM_WORLD_RANK");
}

/* Without mpirun the process prints messages: Slurm's plugin for PMIx accepts them but shows
 * none. */
static void show(const char *topic, va_list args)
{
    char *message;

    if (has_mpirun()) {
        aggregate(topic, args);
        return;
    }
    message = render(topic, args);
    if (NULL != message) {
        (void) fputs(message, stderr);
    }
    free(message);
}

void napcoll_compat_show_help(const char *topic, ...)
{
    va_list args;

    va_start(args, topic);
    show(topic, args);
    va_end(args);
}

bool napcoll_compat_is_first_on_node(void)
{
    return 0 == opal_process_info.my_local_rank;
}

void napcoll_compat_await_end(void)
{
    enum { SECONDS = 5 };

    if (!has_mpirun() && !napcoll_compat_is_first_on_node()) {
        (void) sleep(SECONDS);
    }
}
