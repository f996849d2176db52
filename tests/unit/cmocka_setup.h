/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * cmocka with the headers that it wants included before it.
 */

#ifndef NAPCOLL_TESTS_CMOCKA_SETUP_H
#define NAPCOLL_TESTS_CMOCKA_SETUP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#endif /* NAPCOLL_TESTS_CMOCKA_SETUP_H */
