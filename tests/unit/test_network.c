/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The kind of a network, by the devices in a folder like /sys/class.
 */

#include "cmocka_setup.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/napcoll_network.h"

static char folder[] = "/tmp/napcoll-network.XXXXXX";

static const char *in(const char *name)
{
    static char path[128];

    (void) snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state)
{
    (void) state;
    return NULL == mkdtemp(folder) ? -1 : 0;
}

static int remove_folder(void **state)
{
    (void) state;
    return rmdir(folder);
}

/* The kind of a node with devices of this class only. */
static napcoll_network_t with(const char *class, const char *device)
{
    napcoll_network_t network;

    assert_int_equal(mkdir(in(class), 0700), 0);
    assert_int_equal(mkdir(in(device), 0700), 0);
    network = napcoll_network_find(folder);
    assert_int_equal(rmdir(in(device)), 0);
    assert_int_equal(rmdir(in(class)), 0);
    return network;
}

static void adapters_of_fabrics_make_a_fabric(void **state)
{
    (void) state;
    assert_int_equal(with("infiniband", "infiniband/mlx5_0"), NAPCOLL_NETWORK_FABRIC);
    assert_int_equal(with("cxi", "cxi/cxi0"), NAPCOLL_NETWORK_FABRIC);
    assert_int_equal(with("bxi", "bxi/bxi0"), NAPCOLL_NETWORK_FABRIC);
}

static void all_else_is_an_ethernet(void **state)
{
    (void) state;
    assert_int_equal(with("net", "net/eth0"), NAPCOLL_NETWORK_ETHERNET);
    assert_int_equal(napcoll_network_find(folder), NAPCOLL_NETWORK_ETHERNET);
    assert_int_equal(napcoll_network_find(in("nowhere")), NAPCOLL_NETWORK_ETHERNET);
    /* a driver without a device */
    assert_int_equal(mkdir(in("infiniband"), 0700), 0);
    assert_int_equal(napcoll_network_find(folder), NAPCOLL_NETWORK_ETHERNET);
    assert_int_equal(rmdir(in("infiniband")), 0);
}

static void a_path_that_is_too_long_is_no_fabric(void **state)
{
    char longest[5000];

    (void) state;
    memset(longest, '/', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    assert_int_equal(napcoll_network_find(longest), NAPCOLL_NETWORK_ETHERNET);
}

static void machines_are_those_of_the_kinds(void **state)
{
    (void) state;
    assert_ptr_equal(napcoll_network_machine(NAPCOLL_NETWORK_FABRIC), &napcoll_machine_default);
    assert_ptr_equal(napcoll_network_machine(NAPCOLL_NETWORK_ETHERNET), &napcoll_machine_ethernet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adapters_of_fabrics_make_a_fabric),
        cmocka_unit_test(all_else_is_an_ethernet),
        cmocka_unit_test(a_path_that_is_too_long_is_no_fabric),
        cmocka_unit_test(machines_are_those_of_the_kinds),
    };

    return cmocka_run_group_tests_name("network", tests, make_folder, remove_folder);
}
