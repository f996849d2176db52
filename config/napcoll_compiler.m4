dnl -*- autoconf -*-
dnl Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
dnl
dnl What napcoll asks of the C compiler: C11, and the warnings it builds with.

dnl NAPCOLL_REQUIRE_C11
dnl Tries the compiler as configured, then with its C11 switches; stops configure when none will do.
AC_DEFUN([NAPCOLL_REQUIRE_C11],[
    AC_LANG_PUSH([C])
    AC_CACHE_CHECK([for the option that makes $CC accept C11], [napcoll_cv_c11_option],
        [napcoll_cv_c11_option=unsupported
         napcoll_c11_save_CC=$CC
         for napcoll_c11_option in "" -std=gnu11 -std=c11 -c11; do
             CC="$napcoll_c11_save_CC $napcoll_c11_option"
             AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
#if !defined(__STDC_VERSION__) || __STDC_VERSION__ < 201112L
#error this compiler does not say that it compiles C11
#endif
#include <stdatomic.h>
#include <stdalign.h>
#include <stddef.h>
_Static_assert(sizeof(char) == 1, "a char is one byte");
static _Atomic int flag;
]],[[
    alignas(64) char line[64] = {0};
    atomic_store_explicit(&flag, _Generic(line[0], char: 1, default: 0), memory_order_release);
]])],
                 [napcoll_cv_c11_option=$napcoll_c11_option
                  test -n "$napcoll_c11_option" || napcoll_cv_c11_option="none needed"])
             test "$napcoll_cv_c11_option" = unsupported || break
         done
         CC=$napcoll_c11_save_CC])
    AS_CASE([$napcoll_cv_c11_option],
        [unsupported],
            [AC_MSG_ERROR([the C compiler '$CC' does not compile C11 (with <stdatomic.h>).
    napcoll needs it. Name a newer compiler, gcc 4.9 or clang 3.6 at least:
        ./configure CC=gcc])],
        ["none needed"], [],
        [CC="$CC $napcoll_cv_c11_option"])
    AC_LANG_POP([C])
])

dnl NAPCOLL_ADD_CFLAG(VARIABLE, OPTION)
dnl Appends OPTION to VARIABLE when the compiler takes it without complaint.
AC_DEFUN([NAPCOLL_ADD_CFLAG],[
    AS_VAR_PUSHDEF([napcoll_cache], [napcoll_cv_cflag_$2])
    AC_CACHE_CHECK([whether $CC takes $2], [napcoll_cache],
        [napcoll_save_CFLAGS=$CFLAGS
         CFLAGS="$CFLAGS -Werror $2"
         AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])],
             [AS_VAR_SET([napcoll_cache], [yes])], [AS_VAR_SET([napcoll_cache], [no])])
         CFLAGS=$napcoll_save_CFLAGS])
    AS_VAR_IF([napcoll_cache], [yes], [$1="$$1 $2"])
    AS_VAR_POPDEF([napcoll_cache])
])

dnl NAPCOLL_WARNINGS
dnl Sets NAPCOLL_CFLAGS (everything) and NAPCOLL_PURE_CFLAGS (the rooms without MPI, in addition).
AC_DEFUN([NAPCOLL_WARNINGS],[
    NAPCOLL_CFLAGS=
    NAPCOLL_PURE_CFLAGS=
    NAPCOLL_ADD_CFLAG([NAPCOLL_CFLAGS], [-Wall])
    NAPCOLL_ADD_CFLAG([NAPCOLL_CFLAGS], [-Wextra])
    NAPCOLL_ADD_CFLAG([NAPCOLL_CFLAGS], [-Wshadow])
    NAPCOLL_ADD_CFLAG([NAPCOLL_CFLAGS], [-Wundef])
    NAPCOLL_ADD_CFLAG([NAPCOLL_CFLAGS], [-Wvla])
    NAPCOLL_ADD_CFLAG([NAPCOLL_CFLAGS], [-Wstrict-prototypes])
    NAPCOLL_ADD_CFLAG([NAPCOLL_CFLAGS], [-Wmissing-prototypes])
    NAPCOLL_ADD_CFLAG([NAPCOLL_CFLAGS], [-Wpointer-arith])
    NAPCOLL_ADD_CFLAG([NAPCOLL_CFLAGS], [-Wformat=2])
    NAPCOLL_ADD_CFLAG([NAPCOLL_CFLAGS], [-Wno-format-nonliteral])
    NAPCOLL_ADD_CFLAG([NAPCOLL_CFLAGS], [-Wno-unused-parameter])
    # Open MPI initializes its structures in part, and so do we: the rest is zero.
    NAPCOLL_ADD_CFLAG([NAPCOLL_CFLAGS], [-Wno-missing-field-initializers])
    NAPCOLL_ADD_CFLAG([NAPCOLL_PURE_CFLAGS], [-Wconversion])
    AC_ARG_ENABLE([werror],
        [AS_HELP_STRING([--enable-werror], [treat compiler warnings as errors (what CI does)])])
    AS_IF([test "$enable_werror" = yes], [NAPCOLL_CFLAGS="$NAPCOLL_CFLAGS -Werror"])
    AC_SUBST([NAPCOLL_CFLAGS])
    AC_SUBST([NAPCOLL_PURE_CFLAGS])
])

dnl NAPCOLL_SANITIZERS
dnl --enable-sanitizers builds what contains no MPI with the address and undefined-behaviour checkers.
dnl The component itself is left out: a DSO built so could not be loaded into an ordinary mpirun.
AC_DEFUN([NAPCOLL_SANITIZERS],[
    AC_ARG_ENABLE([sanitizers],
        [AS_HELP_STRING([--enable-sanitizers],
            [build the rooms without MPI, their tools and tests under the address and
             undefined-behaviour checkers; builds no component])])
    AS_IF([test "$enable_sanitizers" = yes],
        [napcoll_sanitizers="-fsanitize=address,undefined -fno-sanitize-recover=all"
         napcoll_sanitizers="$napcoll_sanitizers -fno-omit-frame-pointer"
         napcoll_save_CFLAGS=$CFLAGS
         CFLAGS="$CFLAGS $napcoll_sanitizers"
         AC_MSG_CHECKING([whether $CC links with $napcoll_sanitizers])
         AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
             [AC_MSG_RESULT([yes])],
             [AC_MSG_RESULT([no])
              AC_MSG_ERROR([--enable-sanitizers: '$CC' cannot link with
    $napcoll_sanitizers
    Install the compiler's run-time checkers (Debian: libasan8 and libubsan1 for gcc,
    libclang-rt-dev for clang) or leave the option out.])])
         CFLAGS=$napcoll_save_CFLAGS
         NAPCOLL_CFLAGS="$NAPCOLL_CFLAGS $napcoll_sanitizers"
         LDFLAGS="$LDFLAGS -fsanitize=address,undefined"],
        [enable_sanitizers=no])
    AM_CONDITIONAL([NAPCOLL_BUILD_COMPONENT], [test "$enable_sanitizers" = no])
])
