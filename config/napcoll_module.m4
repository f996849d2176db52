dnl -*- autoconf -*-
dnl Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
dnl
dnl What the environment module of an installation sets (contrib/modulefile.in, contrib/napcoll.lua.in).

dnl NAPCOLL_MODULE
dnl
dnl Input:  the folders of the installation; NAPCOLL_OPENMPI.
dnl Output (substituted):
dnl   module_bindir, _mandir   folders, with all variables replaced
dnl   module_plugindirs        Open MPI's plugin folder and ours; empty where Open MPI looks into ours by itself
dnl   module_pmix_plugindir    PMIx's own folder, for where Open MPI's path would become PMIx's as well; or empty
dnl   module_pmix_files        none, where PMIx's file of settings hides Open MPI's plugins; or empty
AC_DEFUN([NAPCOLL_MODULE],[
    _NAPCOLL_MODULE_FOLDER([module_bindir], [$bindir])
    _NAPCOLL_MODULE_FOLDER([module_mandir], [$mandir])
    AS_CASE([$ompilibdir],
        ["$OPENMPI_PLUGINDIR"|"$HOME/.openmpi/components"],
            [module_plugindirs=
             module_pmix_plugindir=],
        [module_plugindirs="$OPENMPI_PLUGINDIR $ompilibdir"
         module_pmix_plugindir=$PMIX_PLUGINDIR])
    module_pmix_files=
    AS_IF([test -n "$napcoll_hiding"], [module_pmix_files=none])
    AC_SUBST([module_bindir])
    AC_SUBST([module_mandir])
    AC_SUBST([module_plugindirs])
    AC_SUBST([module_pmix_plugindir])
    AC_SUBST([module_pmix_files])
])

dnl _NAPCOLL_MODULE_FOLDER(VARIABLE, FOLDER)
dnl configure leaves ${prefix} and the like in its folders, for make: mandir takes two steps.
AC_DEFUN([_NAPCOLL_MODULE_FOLDER],[
    napcoll_save_prefix=$prefix
    napcoll_save_exec_prefix=$exec_prefix
    test "$prefix" != NONE || prefix=$ac_default_prefix
    test "$exec_prefix" != NONE || exec_prefix=$prefix
    $1=$2
    for napcoll_step in 1 2 3; do
        eval "$1=\"$[]$1\""
    done
    prefix=$napcoll_save_prefix
    exec_prefix=$napcoll_save_exec_prefix
])
