/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The kind of a node's network, by its devices, and the machine to assume for it until somebody
 * measures. Pure: no MPI in here.
 */

#ifndef NAPCOLL_NETWORK_H
#define NAPCOLL_NETWORK_H

#include "model/napcoll_machine.h"

/** Kinds of networks, and the parameter that names one. */
typedef enum {
    /** by the devices */
    NAPCOLL_NETWORK_AUTO,
    /** processes drive the adapter: InfiniBand, RoCE, Omni-Path, Slingshot, BXI */
    NAPCOLL_NETWORK_FABRIC,
    /** TCP through the kernel */
    NAPCOLL_NETWORK_ETHERNET
} napcoll_network_t;

/** Where Linux lists devices by their classes. */
#define NAPCOLL_NETWORK_CLASSES "/sys/class"

/**
 * The kind of network of this node.
 *
 * @param[in] classes  folder with a folder for each class of devices, in which each device has an
 *                     entry
 *
 * @return NAPCOLL_NETWORK_FABRIC if a class of fabrics has a device, else NAPCOLL_NETWORK_ETHERNET
 */
napcoll_network_t napcoll_network_find(const char *classes);

/** The machine to assume for a kind of network (not AUTO). Static. */
const napcoll_machine_t *napcoll_network_machine(napcoll_network_t network);

#endif /* NAPCOLL_NETWORK_H */
