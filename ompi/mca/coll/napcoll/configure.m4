# -*- shell-script -*-
#
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Read by Open MPI's configure when this folder stands in its source tree, and by napcoll's own
# configure (which defines NAPCOLL_OPENMPI) when the component is built for an installed Open MPI.

# MCA_ompi_coll_napcoll_CONFIG([action-if-can-compile],
#                              [action-if-cant-compile])
# --------------------------------------------------------
AC_DEFUN([MCA_ompi_coll_napcoll_CONFIG],[
    AC_CONFIG_FILES([ompi/mca/coll/napcoll/Makefile])

    m4_ifdef([NAPCOLL_OPENMPI], [],
        [# From 6.0 on, libopen_mpi holds what components use; before, libmpi does.
         AS_IF([grep "^libopen_mpi_la_SOURCES" "$srcdir/ompi/Makefile.am" >/dev/null 2>&1],
             [coll_napcoll_LIBS='$(top_builddir)/ompi/libopen_mpi.la'],
             [coll_napcoll_LIBS='$(top_builddir)/ompi/lib$(OMPI_LIBMPI_NAME).la'])
         coll_napcoll_CPPFLAGS=
         coll_napcoll_LDFLAGS=
         NAPCOLL_CFLAGS=
         NAPCOLL_PURE_CFLAGS=
         AC_SUBST([coll_napcoll_CPPFLAGS])
         AC_SUBST([coll_napcoll_LDFLAGS])
         AC_SUBST([coll_napcoll_LIBS])
         AC_SUBST([NAPCOLL_CFLAGS])
         AC_SUBST([NAPCOLL_PURE_CFLAGS])])

    $1
])dnl
