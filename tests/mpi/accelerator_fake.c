/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A component of Open MPI's accelerator framework without an accelerator. Its device memory is a
 * window on memory that the host may not touch; its copies reach the same memory by a second
 * mapping, the shadow. So code that takes a device buffer for one of the host's ends with a
 * segmentation fault, as on a GPU.
 *
 *     accelerator_fake_window    address of the window
 *     accelerator_fake_shadow    address of the shadow, for tests to write and read device memory
 *     accelerator_fake_bytes     of each
 *     accelerator_fake_copies    copies so far of which a side was in the window
 *
 * are control variables of MPI's tool interface. Tests use the first half of the window; the
 * second is for what Open MPI allocates.
 */
#define _GNU_SOURCE /* memfd_create */
#include "opal_config.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "opal/constants.h"
#include "opal/mca/accelerator/accelerator.h"
#include "opal/mca/base/mca_base_var.h"

/* The framework of 6.0 knows handles that go from process to process, and has more functions. */
#if defined(IPC_MAX_HANDLE_SIZE)
#    define SINCE_6_0 1
#else
#    define SINCE_6_0 0
#endif

enum { ALIGNMENT = 4096 };

static struct {
    unsigned long long window, shadow, bytes, copies;
    /* By Open MPI, in the second half */
    unsigned long long allocated, live;
} fake = {.bytes = 256 << 20};

static bool is_device(const void *address)
{
    const unsigned long long at = (uintptr_t) address;

    return 0 != fake.window && at >= fake.window && at < fake.window + fake.bytes;
}

/* Where the host reaches an address. */
static void *reach(const void *address)
{
    return (void *) (is_device(address) ? (uintptr_t) address - fake.window + fake.shadow
                                        : (uintptr_t) address);
}

static int check_addr(const void *address, int *device, uint64_t *flags)
{
    *flags = 0;
    *device = is_device(address) ? 0 : MCA_ACCELERATOR_NO_DEVICE_ID;
    return is_device(address) ? 1 : 0;
}

static int mem_move(int to_device, int from_device, void *to, const void *from, size_t bytes,
                    opal_accelerator_transfer_type_t type)
{
    (void) to_device;
    (void) from_device;
    (void) type;
    fake.copies += is_device(to) || is_device(from) ? 1 : 0;
    memmove(reach(to), reach(from), bytes);
    return OPAL_SUCCESS;
}

/* Has ended when it returns, as everything in a stream has. */
static int mem_move_async(int to_device, int from_device, void *to, const void *from, size_t bytes,
                          opal_accelerator_stream_t *stream, opal_accelerator_transfer_type_t type)
{
    (void) stream;
    return mem_move(to_device, from_device, to, from, bytes, type);
}

static int create_stream(int device, opal_accelerator_stream_t **stream)
{
    (void) device;
    *stream = OBJ_NEW(opal_accelerator_stream_t);
    return NULL == *stream ? OPAL_ERR_OUT_OF_RESOURCE : OPAL_SUCCESS;
}

static int new_event(opal_accelerator_event_t **event)
{
    *event = OBJ_NEW(opal_accelerator_event_t);
    return NULL == *event ? OPAL_ERR_OUT_OF_RESOURCE : OPAL_SUCCESS;
}

#if SINCE_6_0
static int create_event(int device, opal_accelerator_event_t **event, bool between_processes)
{
    (void) device;
    (void) between_processes;
    return new_event(event);
}
#else
static int create_event(int device, opal_accelerator_event_t **event)
{
    (void) device;
    return new_event(event);
}
#endif

static int record_event(int device, opal_accelerator_event_t *event,
                        opal_accelerator_stream_t *stream)
{
    (void) device;
    (void) event;
    (void) stream;
    return OPAL_SUCCESS;
}

static int query_event(int device, opal_accelerator_event_t *event)
{
    (void) device;
    (void) event;
    return OPAL_SUCCESS;
}

static int mem_alloc(int device, void **memory, size_t bytes)
{
    const unsigned long long at = fake.bytes / 2 + fake.allocated;

    (void) device;
    *memory = NULL;
    if (bytes > fake.bytes - at) {
        return OPAL_ERR_OUT_OF_RESOURCE;
    }
    *memory = (void *) (uintptr_t) (fake.window + at);
    fake.allocated += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    fake.live++;
    return OPAL_SUCCESS;
}

static int mem_release(int device, void *memory)
{
    (void) device;
    if (NULL != memory && 0 == --fake.live) {
        fake.allocated = 0;
    }
    return OPAL_SUCCESS;
}

static int get_address_range(int device, const void *address, void **base, size_t *bytes)
{
    (void) device;
    if (!is_device(address)) {
        return OPAL_ERR_NOT_FOUND;
    }
    *base = (void *) (uintptr_t) fake.window;
    *bytes = fake.bytes;
    return OPAL_SUCCESS;
}

static int host_register(int device, void *memory, size_t bytes)
{
    (void) device;
    (void) memory;
    (void) bytes;
    return OPAL_SUCCESS;
}

static int host_unregister(int device, void *memory)
{
    (void) device;
    (void) memory;
    return OPAL_SUCCESS;
}

static int get_device(int *device)
{
    *device = 0;
    return OPAL_SUCCESS;
}

static int get_device_pci_attr(int device, opal_accelerator_pci_attr_t *attributes)
{
    (void) device;
    (void) attributes;
    return OPAL_ERR_NOT_IMPLEMENTED;
}

static int device_can_access_peer(int *access, int device, int other)
{
    (void) device;
    (void) other;
    *access = 0;
    return OPAL_SUCCESS;
}

static int get_buffer_id(int device, const void *address, opal_accelerator_buffer_id_t *id)
{
    (void) device;
    (void) address;
    *id = 1;
    return OPAL_SUCCESS;
}

#if SINCE_6_0
static int sync_stream(opal_accelerator_stream_t *stream)
{
    (void) stream;
    return OPAL_SUCCESS;
}

static int mem_alloc_stream(int device, void **memory, size_t bytes,
                            opal_accelerator_stream_t *stream)
{
    (void) stream;
    return mem_alloc(device, memory, bytes);
}

static int mem_release_stream(int device, void *memory, opal_accelerator_stream_t *stream)
{
    (void) stream;
    return mem_release(device, memory);
}

static bool is_ipc_enabled(void)
{
    return false;
}

static int num_devices(int *devices)
{
    *devices = 1;
    return OPAL_SUCCESS;
}

static int get_mem_bw(int device, float *bandwidth)
{
    (void) device;
    *bandwidth = 100;
    return OPAL_SUCCESS;
}

static void get_memkind(ompi_memkind_t *kind)
{
    memset(kind, 0, sizeof(*kind));
    kind->im_name = "fake";
    kind->im_no_restrictors = true;
}
#endif

static opal_accelerator_base_module_t module = {
    .check_addr = check_addr,
    .create_stream = create_stream,
    .create_event = create_event,
    .record_event = record_event,
    .query_event = query_event,
    .mem_copy_async = mem_move_async,
    .mem_copy = mem_move,
    .mem_move = mem_move,
    .mem_alloc = mem_alloc,
    .mem_release = mem_release,
    .get_address_range = get_address_range,
    .host_register = host_register,
    .host_unregister = host_unregister,
    .get_device = get_device,
    .get_device_pci_attr = get_device_pci_attr,
    .device_can_access_peer = device_can_access_peer,
    .get_buffer_id = get_buffer_id,
#if SINCE_6_0
    .sync_stream = sync_stream,
    .wait_event = record_event,
    .mem_move_async = mem_move_async,
    .mem_alloc_stream = mem_alloc_stream,
    .mem_release_stream = mem_release_stream,
    .is_ipc_enabled = is_ipc_enabled,
    .num_devices = num_devices,
    .get_mem_bw = get_mem_bw,
    .get_memkind = get_memkind,
#endif
};

/* The window and the shadow; without them there is no accelerator. */
static opal_accelerator_base_module_t *fake_init(void)
{
    const int file = memfd_create("napcoll-fake-device", MFD_CLOEXEC);
    void *window, *shadow;

    if (file < 0 || 0 != ftruncate(file, (off_t) fake.bytes)) {
        return NULL;
    }
    window = mmap(NULL, fake.bytes, PROT_NONE, MAP_SHARED, file, 0);
    shadow = mmap(NULL, fake.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    (void) close(file);
    if (MAP_FAILED == window || MAP_FAILED == shadow) {
        return NULL;
    }
    fake.window = (uintptr_t) window;
    fake.shadow = (uintptr_t) shadow;
    return &module;
}

static void fake_finalize(opal_accelerator_base_module_t *ours)
{
    (void) ours;
    (void) munmap((void *) (uintptr_t) fake.window, fake.bytes);
    (void) munmap((void *) (uintptr_t) fake.shadow, fake.bytes);
    fake.window = fake.shadow = 0;
}

static int fake_register(void);

OPAL_DECLSPEC extern opal_accelerator_base_component_t mca_accelerator_fake_component;

opal_accelerator_base_component_t mca_accelerator_fake_component = {
    .base_version = {OPAL_ACCELERATOR_BASE_VERSION_1_0_0, .mca_component_name = "fake",
                     MCA_BASE_MAKE_VERSION(component, OPAL_MAJOR_VERSION, OPAL_MINOR_VERSION,
                                           OPAL_RELEASE_VERSION),
                     .mca_register_component_params = fake_register},
    .base_data = {MCA_BASE_METADATA_PARAM_CHECKPOINT},
    .accelerator_init = fake_init,
    .accelerator_finalize = fake_finalize,
};
#if SINCE_6_0
MCA_BASE_COMPONENT_INIT(opal, accelerator, fake)
#endif

static int fake_register(void)
{
    static const struct {
        const char *name;
        unsigned long long *number;
    } variable[] = {{"window", &fake.window},
                    {"shadow", &fake.shadow},
                    {"bytes", &fake.bytes},
                    {"copies", &fake.copies}};

    for (size_t i = 0; i < sizeof(variable) / sizeof(variable[0]); ++i) {
        (void) mca_base_component_var_register(
            &mca_accelerator_fake_component.base_version, variable[i].name, "see the source",
            MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG, NULL, 0, 0, OPAL_INFO_LVL_9,
            MCA_BASE_VAR_SCOPE_LOCAL, variable[i].number);
    }
    return OPAL_SUCCESS;
}
