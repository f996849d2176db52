/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Events of MPI_T (see napcoll_compat.h): from Open MPI 6.0 on.
 */

#include "compat/napcoll_compat.h"

#if defined(__has_include)
#    if __has_include("opal/mca/base/mca_base_event.h")
#        define HAVE_EVENTS 1
#    endif
#endif

#ifdef HAVE_EVENTS

#    include "opal/mca/base/mca_base_event.h"
#    include "opal/mca/base/mca_base_pvar.h"

struct napcoll_event *napcoll_compat_event(const mca_base_component_t *component, const char *name,
                                           const char *description, mca_base_var_enum_t *enumerator,
                                           int elements)
{
    static const opal_count_t nanoseconds = 1000000000;
    mca_base_var_type_t type[NAPCOLL_EVENT_ELEMENTS];
    ptrdiff_t offset[NAPCOLL_EVENT_ELEMENTS];
    mca_base_event_source_t *source = NULL;
    mca_base_event_t *event = NULL;
    int index;

    for (int i = 0; i < elements; i++) {
        type[i] = MCA_BASE_VAR_TYPE_INT;
        offset[i] = i * (ptrdiff_t) sizeof(int);
    }
    index = mca_base_event_source_register("ompi.coll_napcoll", "Reports of the component napcoll",
                                           MCA_BASE_EVENT_SOURCE_ORDERED, nanoseconds,
                                           OPAL_COUNT_MAX, NULL, true, NULL);
    if (index >= 0 && OPAL_SUCCESS == mca_base_event_source_get_by_index(index, &source)) {
        index = mca_base_component_event_register(component, name, description, OPAL_INFO_LVL_4,
                                                  elements, type, offset, enumerator,
                                                  MCA_BASE_VAR_BIND_NO_OBJECT, 0, source, NULL);
        if (index >= 0) {
            (void) mca_base_event_get_by_index(index, &event);
        }
    }
    return (struct napcoll_event *) event;
}

void napcoll_compat_event_raise(struct napcoll_event *event, const int *data)
{
    if (NULL != event) {
        mca_base_event_raise((mca_base_event_t *) event, NULL, data);
    }
}

#else

struct napcoll_event *napcoll_compat_event(const mca_base_component_t *component, const char *name,
                                           const char *description, mca_base_var_enum_t *enumerator,
                                           int elements)
{
    (void) component;
    (void) name;
    (void) description;
    (void) enumerator;
    (void) elements;
    return NULL;
}

void napcoll_compat_event_raise(struct napcoll_event *event, const int *data)
{
    (void) event;
    (void) data;
}

#endif
