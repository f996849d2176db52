/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What no_memory.so offers to the program into which it is preloaded. The program finds it by its
 * name: dlsym(RTLD_DEFAULT, "no_memory_at").
 */
#ifndef TEST_NO_MEMORY_H
#define TEST_NO_MEMORY_H

/** From now on the plugin's allocation of this number, from 1 on, fails; 0: none
 * does. */
void no_memory_at(long which);

/** How many the plugin has asked for since then, where one was to fail. */
long no_memory_counted(void);

#endif
