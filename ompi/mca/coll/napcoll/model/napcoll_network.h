/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What a network costs that nobody has measured: it depends on its kind, and that on the devices of a
 * node. Pure: no MPI in here.
 */

#ifndef NAPCOLL_NETWORK_H
#define NAPCOLL_NETWORK_H

#include "model/napcoll_machine.h"

/** Kinds of networks, and the parameter that names one. */
typedef enum {
    NAPCOLL_NETWORK_AUTO, /**< as the devices say */
    NAPCOLL_NETWORK_FABRIC, /**< processes drive the adapter by themselves: InfiniBand, RoCE, Omni-Path, Slingshot, BXI */
    NAPCOLL_NETWORK_ETHERNET /**< TCP through the kernel */
} napcoll_network_t;

/** Where Linux lists devices by their classes. */
#define NAPCOLL_NETWORK_CLASSES "/sys/class"

/**
 * The kind of network of this node.
 *
 * @param[in] classes  folder with one folder for each class of devices, in which each device has an entry
 *
 * @return NAPCOLL_NETWORK_FABRIC where one of the classes of fabrics has a device, else NAPCOLL_NETWORK_ETHERNET
 */
napcoll_network_t napcoll_network_find(const char *classes);

/** The machine that is taken where the network is of a kind (not AUTO) and nobody has measured it. Static. */
const napcoll_machine_t *napcoll_network_machine(napcoll_network_t network);

#endif /* NAPCOLL_NETWORK_H */
