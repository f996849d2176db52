# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
"""The Spack package of napcoll: the file packages/napcoll/package.py of a site's repository."""

from spack.package import *

try:
    # From Spack 1.0 on, build systems belong to the repository of packages.
    from spack_repo.builtin.build_systems.autotools import AutotoolsPackage
except ImportError:
    pass


class Napcoll(AutotoolsPackage):
    """Node-aware collectives for Open MPI: a plugin whose algorithms let all processes of a node share the messages
    between nodes, and tools that measure a cluster and show, verify and simulate communication plans."""

    homepage = "https://napcoll.example/"
    url = "https://napcoll.example/napcoll-0.2.0.tar.xz"
    git = "https://napcoll.example/napcoll.git"

    license("BSD-3-Clause")

    version("main", branch="main")
    version("0.2.0", tag="v0.2.0")

    variant("netlab", default=True, description="Build netlab, which emulates a cluster on one machine")
    variant("pictures", default=False, description="Use gnuplot for the pictures of the tools")

    depends_on("c", type="build")
    depends_on("autoconf", type="build")
    depends_on("automake", type="build")
    depends_on("libtool", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("cmocka", type="test")
    # Open MPI must have its internal headers. Spack's own recipe does not configure it with --with-devel-headers, so
    # name an installation that has them as an external package, or add this option to the recipe.
    depends_on("openmpi@4.1:6")
    depends_on("pmix", when="^openmpi@5:~internal-pmix")
    depends_on("libevent@2.0:", when="+netlab")
    depends_on("expat@2.1:")
    depends_on("gnuplot", when="+pictures", type="run")

    def autoreconf(self, spec, prefix):
        Executable("./autogen.pl")()

    def configure_args(self):
        return [
            f"--with-openmpi={self.spec['openmpi'].prefix}",
            f"--with-plugindir={self.prefix.lib.openmpi}",
            *self.enable_or_disable("netlab"),
        ]

    def check(self):
        make("unit-check")

    def setup_run_environment(self, env):
        # This path replaces Open MPI's own plugin folder, which therefore stands in it.
        env.prepend_path("OMPI_MCA_mca_base_component_path", self.spec["openmpi"].prefix.lib.openmpi)
        env.prepend_path("OMPI_MCA_mca_base_component_path", self.prefix.lib.openmpi)
        # mpirun takes that path for PMIx's, too, unless PMIx has its own.
        if self.spec.satisfies("^openmpi@5:"):
            supplier = "openmpi" if self.spec.satisfies("^openmpi+internal-pmix") else "pmix"
            env.prepend_path("PMIX_MCA_mca_base_component_path", self.spec[supplier].prefix.lib.pmix)
