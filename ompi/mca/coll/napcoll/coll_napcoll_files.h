/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Files that process 0 of the job reads, and publishes for all with the settings.
 */

#ifndef MCA_COLL_NAPCOLL_FILES_H
#define MCA_COLL_NAPCOLL_FILES_H

#include "coll_napcoll.h"

/* ---- coll_napcoll_topology.c ---- */

/** Read the topology file, if one is named; reports errors in it. Returns the tree as a text for
 * the other processes, "" without a tree, owned by the caller; NULL where memory ran out. */
char *mca_coll_napcoll_read_topology(void);

/** Set the job's tree from the text of process 0. */
int mca_coll_napcoll_set_topology(const char *text);

/* ---- coll_napcoll_rules.c ---- */

/** Read the rules file, if one is named; reports errors in it. Returns its text for the other
 * processes, "" without rules, owned by the caller; NULL where memory ran out. */
char *mca_coll_napcoll_read_rules(void);

/** Set the job's rules from the text of process 0, of `length` bytes. */
int mca_coll_napcoll_set_rules(const char *text, size_t length);

/** Free the rules, and the decisions that depend on them: when the component closes. */
void mca_coll_napcoll_free_rules(void);

/** What rules say on calls like this one, of any size; the nodes are known. The same on all ranks.
 * For collectives without an op. SILENT where users force an algorithm. */
napcoll_rules_scope_t mca_coll_napcoll_rules_scope(mca_coll_napcoll_module_t *module,
                                                   const napcoll_call_t *call);

/* ---- coll_napcoll_plans.c ---- */

/** Read the plans that plans_file names, if it does, and prove them; reports those that are wrong.
 * Returns the others as a text for all processes, "" without plans, owned by the caller; NULL where
 * memory ran out. */
char *mca_coll_napcoll_read_plans(void);

/** Set the job's plans from the text of process 0, of `length` bytes, before the rules. */
int mca_coll_napcoll_set_plans(const char *text, size_t length);

#endif /* MCA_COLL_NAPCOLL_FILES_H */
