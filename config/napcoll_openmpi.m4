dnl -*- autoconf -*-
dnl Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
dnl
dnl Finds the installed Open MPI that the component is built for.

dnl NAPCOLL_OPENMPI
dnl
dnl Input:  --with-openmpi=PREFIX, or MPICC, or the mpicc in PATH; --with-plugindir, --with-helpdir,
dnl         --enable-user-install.
dnl Output (substituted):
dnl   MPICC                     the wrapper compiler all else is asked from
dnl   OPENMPI_VERSION           such as 4.1.4
dnl   OPENMPI_COLL_INTERFACE    such as 2.0.0
dnl   OPENMPI_CPPFLAGS, _LIBS   what an MPI program needs
dnl   coll_napcoll_CPPFLAGS, _LIBS, _LDFLAGS   what the component needs
dnl   OPENMPI_PLUGINDIR, _HELPDIR   where that Open MPI keeps its plugins and help files
dnl   ompilibdir, ompidatadir   where `make install` puts ours
AC_DEFUN([NAPCOLL_OPENMPI],[
    AC_REQUIRE([AC_PROG_CC])
    AC_REQUIRE([AC_PROG_SED])
    AC_ARG_WITH([openmpi],
        [AS_HELP_STRING([--with-openmpi=PREFIX],
            [build for the Open MPI under PREFIX (PREFIX/bin/mpicc) @<:@the mpicc in PATH@:>@])])
    AC_ARG_WITH([plugindir],
        [AS_HELP_STRING([--with-plugindir=DIR],
            [install the component in DIR @<:@where that Open MPI keeps its plugins@:>@])])
    AC_ARG_WITH([helpdir],
        [AS_HELP_STRING([--with-helpdir=DIR],
            [install the component's help file in DIR @<:@that Open MPI's, or DIR of
             --with-plugindir@:>@])])
    AC_ARG_ENABLE([user-install],
        [AS_HELP_STRING([--enable-user-install],
            [install for this user alone: the component in ~/.openmpi/components, the tools under
             ~/.local unless --prefix says otherwise])])
    AC_ARG_VAR([MPICC], [Open MPI's wrapper compiler for C])

    _NAPCOLL_FIND_MPICC
    _NAPCOLL_ASK_MPICC
    _NAPCOLL_FIND_HEADERS
    _NAPCOLL_COLL_INTERFACE
    _NAPCOLL_FIND_LIBRARIES
    _NAPCOLL_INSTALL_DIRS
])

AC_DEFUN([_NAPCOLL_FIND_MPICC],[
    AS_CASE([$with_openmpi],
        [yes|no],
            [AC_MSG_ERROR([--with-openmpi needs the folder that Open MPI is installed under,
    as in --with-openmpi=/opt/openmpi; leave the option out to use the mpicc in PATH.])],
        [?*],
            [MPICC=$with_openmpi/bin/mpicc
             AS_IF([test ! -x "$MPICC"],
                 [AC_MSG_ERROR([there is no $MPICC.
    --with-openmpi wants the folder whose bin/ holds Open MPI's mpicc. For an mpicc in PATH it is
        ompi_info --path prefix])])],
        [AS_IF([test -z "$MPICC"], [AC_PATH_PROG([MPICC], [mpicc])])
         AS_IF([test -z "$MPICC"],
             [AC_MSG_ERROR([no mpicc in PATH: napcoll is built for an installed Open MPI.
    Debian, Ubuntu:  apt-get install openmpi-bin libopenmpi-dev
    On a cluster:    load Open MPI's module, so that mpicc is in PATH
    Elsewhere:       ./configure --with-openmpi=PREFIX, where PREFIX/bin/mpicc is Open MPI's])])])
])

AC_DEFUN([_NAPCOLL_ASK_MPICC],[
    AC_MSG_CHECKING([whether $MPICC is Open MPI's])
    napcoll_showme=`$MPICC --showme:version 2>/dev/null </dev/null`
    AS_CASE([$napcoll_showme],
        [*"Open MPI"*], [AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no])
         AC_MSG_ERROR([$MPICC is not Open MPI's: '$MPICC --showme:version' does not say "Open MPI".
    napcoll is a component of Open MPI; it cannot serve another MPI (MPICH, Intel MPI, ...).
    Name Open MPI's wrapper, which often has a name of its own beside another MPI's:
        ./configure MPICC=mpicc.openmpi     or     ./configure --with-openmpi=PREFIX])])
    napcoll_incdirs=`$MPICC --showme:incdirs 2>/dev/null </dev/null`
    napcoll_libdirs=`$MPICC --showme:libdirs 2>/dev/null </dev/null`
    OPENMPI_LIBS=`$MPICC --showme:link 2>/dev/null </dev/null`
    # The rest of the compile flags, such as -pthread; the folders go in as -isystem, so that warnings
    # are about our own code.
    OPENMPI_CPPFLAGS=
    for napcoll_flag in `$MPICC --showme:compile 2>/dev/null </dev/null`; do
        AS_CASE([$napcoll_flag],
            [-I*], [napcoll_dir=`AS_ECHO(["$napcoll_flag"]) | $SED 's/^-I//'`
                    OPENMPI_CPPFLAGS="$OPENMPI_CPPFLAGS -isystem $napcoll_dir"
                    AS_CASE([" $napcoll_incdirs "], [*" $napcoll_dir "*], [],
                        [napcoll_incdirs="$napcoll_incdirs $napcoll_dir"])],
            [OPENMPI_CPPFLAGS="$OPENMPI_CPPFLAGS $napcoll_flag"])
    done

    # ompi_info of the same installation: beside mpicc first.
    napcoll_mpicc_dir=`AS_DIRNAME(["$MPICC"])`
    AS_CASE([$MPICC], [*/*], [], [napcoll_mpicc_dir=])
    AC_PATH_PROG([OMPI_INFO], [ompi_info], [], [$napcoll_mpicc_dir$PATH_SEPARATOR$PATH])
    AC_SUBST([OPENMPI_CPPFLAGS])
    AC_SUBST([OPENMPI_LIBS])
])

AC_DEFUN([_NAPCOLL_FIND_HEADERS],[
    AC_MSG_CHECKING([for Open MPI's mpi.h])
    napcoll_mpi_h=
    for napcoll_dir in $napcoll_incdirs; do
        AS_IF([test -z "$napcoll_mpi_h" && test -f "$napcoll_dir/mpi.h"],
            [napcoll_mpi_h=$napcoll_dir/mpi.h])
    done
    AS_IF([test -z "$napcoll_mpi_h"],
        [AC_MSG_RESULT([none])
         AC_MSG_ERROR([no mpi.h in the folders that $MPICC names: $napcoll_incdirs
    Install Open MPI's development files (Debian, Ubuntu: apt-get install libopenmpi-dev).])])
    AC_MSG_RESULT([$napcoll_mpi_h])

    AC_MSG_CHECKING([for Open MPI's version])
    napcoll_define='s/^@<:@ 	@:>@*#@<:@ 	@:>@*define@<:@ 	@:>@*'
    napcoll_major=`$SED -n "${napcoll_define}OMPI_MAJOR_VERSION@<:@ 	@:>@*\(@<:@0-9@:>@*\).*/\1/p" "$napcoll_mpi_h"`
    napcoll_minor=`$SED -n "${napcoll_define}OMPI_MINOR_VERSION@<:@ 	@:>@*\(@<:@0-9@:>@*\).*/\1/p" "$napcoll_mpi_h"`
    napcoll_release=`$SED -n "${napcoll_define}OMPI_RELEASE_VERSION@<:@ 	@:>@*\(@<:@0-9@:>@*\).*/\1/p" "$napcoll_mpi_h"`
    OPENMPI_VERSION=$napcoll_major.$napcoll_minor.$napcoll_release
    OPENMPI_MAJOR=$napcoll_major
    AC_MSG_RESULT([$OPENMPI_VERSION])
    AS_CASE([$OPENMPI_VERSION],
        [4.1.*|5.*|6.*], [],
        [AC_MSG_ERROR([napcoll does not know Open MPI $OPENMPI_VERSION (of $MPICC).
    It knows 4.1, 5.x and 6.x, whose interfaces for collective components it has been written for.
    Name an Open MPI of one of these: ./configure --with-openmpi=PREFIX])])

    AC_MSG_CHECKING([for Open MPI's internal headers])
    napcoll_internal=
    for napcoll_dir in $napcoll_incdirs; do
        for napcoll_sub in "$napcoll_dir/openmpi" "$napcoll_dir"; do
            AS_IF([test -z "$napcoll_internal" && test -f "$napcoll_sub/ompi/mca/coll/coll.h"],
                [napcoll_internal=$napcoll_sub])
        done
    done
    AS_IF([test -z "$napcoll_internal"],
        [AC_MSG_RESULT([none])
         AC_MSG_ERROR([Open MPI $OPENMPI_VERSION is there, but not its internal headers
    (ompi/mca/coll/coll.h in the folders: $napcoll_incdirs),
    which a component is compiled with.
    Debian, Ubuntu:             apt-get install libopenmpi-dev
    Open MPI built from source: configure it with --with-devel-headers and install again
    Otherwise:                  build napcoll inside Open MPI's source: ./autogen.pl --graft SOURCE])])
    AC_MSG_RESULT([$napcoll_internal])

    # The shims for forgotten headers stand last: a complete installation's own headers win.
    coll_napcoll_CPPFLAGS="-isystem $napcoll_internal $OPENMPI_CPPFLAGS"
    coll_napcoll_CPPFLAGS="$coll_napcoll_CPPFLAGS -DNAPCOLL_OUT_OF_TREE"
    coll_napcoll_CPPFLAGS="$coll_napcoll_CPPFLAGS -idirafter \$(top_srcdir)/ompi/mca/coll/napcoll/compat"
    AS_IF([test "$OPENMPI_MAJOR" -ge 5], [_NAPCOLL_FIND_PMIX])
    AC_SUBST([OPENMPI_VERSION])
    AC_SUBST([OPENMPI_MAJOR])
    AC_SUBST([coll_napcoll_CPPFLAGS])
])

# From 5.x on components call PMIx: that which came with Open MPI, if there is one, or the system's.
AC_DEFUN([_NAPCOLL_FIND_PMIX],[
    napcoll_pmix_h=
    for napcoll_dir in $napcoll_incdirs; do
        AS_IF([test -z "$napcoll_pmix_h" && test -f "$napcoll_dir/pmix.h"],
            [napcoll_pmix_h=$napcoll_dir/pmix.h])
    done
    AS_IF([test -n "$napcoll_pmix_h"],
        [PMIX_CFLAGS=
         PMIX_LIBS=-lpmix
         napcoll_pmix_libdirs=$napcoll_libdirs
         napcoll_pmix_prefix=`AS_DIRNAME(["$napcoll_pmix_h"])`
         napcoll_pmix_prefix=`AS_DIRNAME(["$napcoll_pmix_prefix"])`],
        [PKG_CHECK_MODULES([PMIX], [pmix], [],
            [AC_MSG_ERROR([Open MPI $OPENMPI_VERSION was built with a PMIx that is not found here: there is
    no pmix.h in the folders that $MPICC names, and pkg-config knows no pmix.
    Debian, Ubuntu:  apt-get install libpmix-dev
    Otherwise:       name the folder of its pmix.pc: ./configure PKG_CONFIG_PATH=DIR])])
         napcoll_pmix_libdirs=`$PKG_CONFIG --variable=libdir pmix`
         napcoll_pmix_prefix=`$PKG_CONFIG --variable=prefix pmix`])
    coll_napcoll_CPPFLAGS="$coll_napcoll_CPPFLAGS $PMIX_CFLAGS"

    # mpirun hands Open MPI's plugin path on to PMIx, unless PMIx's own is set.
    PMIX_PLUGINDIR=
    for napcoll_dir in $napcoll_pmix_libdirs; do
        AS_IF([test -z "$PMIX_PLUGINDIR" && test -d "$napcoll_dir/pmix"],
            [PMIX_PLUGINDIR=$napcoll_dir/pmix])
    done
    # PMIx's file of settings: mpirun of 5.x hands a plugin path in it on to Open MPI, whose ranks then
    # find no plugin of their own. (Debian 13 has one.)
    PMIX_SETTINGS=
    for napcoll_dir in "$napcoll_pmix_prefix/etc" "$napcoll_pmix_prefix/share" /etc /etc/pmix; do
        AS_IF([test "$OPENMPI_MAJOR" = 5 && test -z "$PMIX_SETTINGS" && test -f "$napcoll_dir/pmix-mca-params.conf"],
            [PMIX_SETTINGS=$napcoll_dir/pmix-mca-params.conf])
    done
    napcoll_hiding=
    AS_IF([test -n "$PMIX_SETTINGS"],
        [napcoll_hiding=`$SED -n '/^@<:@ 	@:>@*mca_base_component_path/p' "$PMIX_SETTINGS"`])
    AC_SUBST([PMIX_PLUGINDIR])
    AC_SUBST([PMIX_SETTINGS])
])

AC_DEFUN([_NAPCOLL_COLL_INTERFACE],[
    napcoll_save_CPPFLAGS=$CPPFLAGS
    # The shims are named relative to make's top_srcdir; here configure knows the folder.
    CPPFLAGS="$CPPFLAGS -isystem $napcoll_internal $OPENMPI_CPPFLAGS $PMIX_CFLAGS"
    CPPFLAGS="$CPPFLAGS -idirafter $srcdir/ompi/mca/coll/napcoll/compat"
    AC_MSG_CHECKING([whether Open MPI's internal headers compile])
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
#include "ompi_config.h"
#include "ompi/mca/coll/coll.h"
]], [])],
        [AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no])
         AC_MSG_ERROR([the internal headers of Open MPI $OPENMPI_VERSION in $napcoll_internal
    do not compile; config.log has the compiler's words. A header that is missing there belongs to
    the installation of Open MPI: configure it with --with-devel-headers, or install the development
    package of exactly this version (Debian, Ubuntu: libopenmpi-dev; for 5.x and 6.x also
    libpmix-dev).])])
    AC_MSG_CHECKING([for the interface of collective components])
    OPENMPI_COLL_INTERFACE=
    for napcoll_version in 3_0_0 2_4_0 2_0_0; do
        AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
#include "ompi_config.h"
#include "ompi/mca/coll/coll.h"
#ifndef MCA_COLL_BASE_VERSION_]]$napcoll_version[[
#error another interface
#endif
]], [])],
            [OPENMPI_COLL_INTERFACE=`AS_ECHO(["$napcoll_version"]) | $SED 's/_/./g'`])
        test -z "$OPENMPI_COLL_INTERFACE" || break
    done
    AS_IF([test -z "$OPENMPI_COLL_INTERFACE"],
        [AC_MSG_RESULT([unknown])
         AC_MSG_ERROR([Open MPI $OPENMPI_VERSION has an interface for collective components that
    napcoll does not know: ompi/mca/coll/coll.h defines none of MCA_COLL_BASE_VERSION_2_0_0,
    _2_4_0 and _3_0_0 (Open MPI 4.1, 5.0 and 6.0).
    Name an Open MPI of one of these: ./configure --with-openmpi=PREFIX])])
    AC_MSG_RESULT([$OPENMPI_COLL_INTERFACE])
    CPPFLAGS=$napcoll_save_CPPFLAGS
    AC_MSG_NOTICE([building for Open MPI $OPENMPI_VERSION, coll interface $OPENMPI_COLL_INTERFACE])
    AC_SUBST([OPENMPI_COLL_INTERFACE])
])

AC_DEFUN([_NAPCOLL_FIND_LIBRARIES],[
    napcoll_save_LIBS=$LIBS
    napcoll_save_LDFLAGS=$LDFLAGS
    napcoll_ldflags=
    for napcoll_dir in $napcoll_libdirs; do
        napcoll_ldflags="$napcoll_ldflags -L$napcoll_dir"
    done
    LDFLAGS="$LDFLAGS $napcoll_ldflags"
    AC_MSG_CHECKING([for Open MPI's libraries])
    coll_napcoll_LIBS=
    # 6.x keeps what components use in libopen_mpi; before that it is in libmpi.
    for napcoll_libs in "-lopen_mpi -lopen-pal" "-lmpi -lopen-pal"; do
        LIBS="$napcoll_libs $napcoll_save_LIBS"
        AC_LINK_IFELSE([AC_LANG_PROGRAM([[
extern char ompi_mpi_comm_world;
extern int opal_output_open(void *);
]], [[return ompi_mpi_comm_world + opal_output_open(0);]])],
            [coll_napcoll_LIBS=$napcoll_libs])
        test -z "$coll_napcoll_LIBS" || break
    done
    AS_IF([test -z "$coll_napcoll_LIBS"],
        [AC_MSG_RESULT([none])
         AC_MSG_ERROR([cannot link with Open MPI's libraries (neither -lopen_mpi nor -lmpi, with
    -lopen-pal) in: $napcoll_libdirs
    Install Open MPI's development files (Debian, Ubuntu: apt-get install libopenmpi-dev), or use an
    Open MPI that was built with shared libraries.])])
    AC_MSG_RESULT([$coll_napcoll_LIBS])
    coll_napcoll_LIBS="$coll_napcoll_LIBS $PMIX_LIBS"
    # A component with a symbol that nothing defines fails when it is loaded; better when it is linked.
    AC_MSG_CHECKING([whether the linker refuses undefined symbols when asked])
    LDFLAGS="$napcoll_save_LDFLAGS -Wl,-z,defs"
    LIBS=$napcoll_save_LIBS
    AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
        [AC_MSG_RESULT([yes])
         napcoll_ldflags="$napcoll_ldflags -Wl,-z,defs"],
        [AC_MSG_RESULT([no])])
    LIBS=$napcoll_save_LIBS
    LDFLAGS=$napcoll_save_LDFLAGS
    coll_napcoll_LDFLAGS=$napcoll_ldflags
    AC_SUBST([coll_napcoll_LIBS])
    AC_SUBST([coll_napcoll_LDFLAGS])
])

AC_DEFUN([_NAPCOLL_INSTALL_DIRS],[
    OPENMPI_PLUGINDIR=
    OPENMPI_HELPDIR=
    AS_IF([test -n "$OMPI_INFO"],
        [OPENMPI_PLUGINDIR=`$OMPI_INFO --parsable --path pkglibdir 2>/dev/null </dev/null |
             $SED -n 's/^path:pkglibdir://p'`
         OPENMPI_HELPDIR=`$OMPI_INFO --parsable --path pkgdatadir 2>/dev/null </dev/null |
             $SED -n 's/^path:pkgdatadir://p'`])
    AS_IF([test "$enable_user_install" = yes],
        [AS_IF([test -z "$HOME"],
             [AC_MSG_ERROR([--enable-user-install: HOME is not set, so there is no user's folder.])])
         ompilibdir=$HOME/.openmpi/components
         ompidatadir=$ompilibdir
         AS_IF([test "$prefix" = NONE], [prefix=$HOME/.local])],
        [ompilibdir=$OPENMPI_PLUGINDIR
         ompidatadir=$OPENMPI_HELPDIR])
    AS_CASE([$with_plugindir],
        [yes|no], [AC_MSG_ERROR([--with-plugindir needs a folder.])],
        [?*], [ompilibdir=$with_plugindir
               ompidatadir=$with_plugindir])
    AS_CASE([$with_helpdir],
        [yes|no], [AC_MSG_ERROR([--with-helpdir needs a folder.])],
        [?*], [ompidatadir=$with_helpdir])
    AS_IF([test -z "$ompilibdir" || test -z "$ompidatadir"],
        [AC_MSG_ERROR([cannot tell where this Open MPI keeps its plugins: there is no ompi_info beside
    $MPICC or in PATH that says so.
    Debian, Ubuntu:  apt-get install openmpi-bin
    Otherwise name the folders: ./configure --with-plugindir=DIR --with-helpdir=DIR
    or install for yourself alone: ./configure --enable-user-install])])
    AC_SUBST([OPENMPI_PLUGINDIR])
    AC_SUBST([OPENMPI_HELPDIR])
    AC_SUBST([ompilibdir])
    AC_SUBST([ompidatadir])
])
