/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The version of the tools.
 */

#ifndef NAPCOLL_VERSION_H
#define NAPCOLL_VERSION_H

/** The version and, where it was built in a git repository, the revision: "0.2.0 (git 1a2b3c4)".
 * Static. */
const char *napcoll_version(void);

#endif /* NAPCOLL_VERSION_H */
