#!/usr/bin/env bash
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# The documents of the parameters say what ompi_info says. Prints TAP.

set -u

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
if [ -z "${NAPCOLL_BUILD:-}" ] && [ -r "$source_dir/build/env.sh" ]; then
    # shellcheck source=/dev/null
    . "$source_dir/build/env.sh"
fi

echo 1..1
if "$source_dir/docs/parameters.sh" --check; then
    echo 'ok 1 - documents_of_the_parameters_are_those_of_the_tables'
else
    echo '# run docs/parameters.sh'
    echo 'not ok 1 - documents_of_the_parameters_are_those_of_the_tables'
    exit 1
fi
