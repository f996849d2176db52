#!/usr/bin/env perl
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
#
# Makes configure and the Makefile.in files, or puts the component into an Open MPI source tree.

use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Copy qw(copy);
use File::Find qw(find finddepth);
use File::Path qw(make_path);
use Getopt::Long;

my $top = dirname(abs_path($0));
my $component = "ompi/mca/coll/napcoll";

my $usage = <<"END";
Usage: ./autogen.pl [--force]
       ./autogen.pl --graft OMPI_SOURCE [--link]

Without --graft, makes configure and its company with autoconf, automake and libtool:
  --force               make them all anew, also those that look up to date

With --graft, copies the component into OMPI_SOURCE/$component, where Open MPI's own
autogen.pl picks it up. A napcoll that already stands there is replaced (what a build has made of it
stays, so that make goes on from there); nothing else is touched.
  --graft OMPI_SOURCE   the top folder of Open MPI's source (4.1, 5.x or 6.x)
  --link                symbolic links to the files here instead of copies, for development; graft again
                        when a file is added

  --help                this text
END

# Ends with a message that says what to do.
sub fail
{
    print STDERR "autogen.pl: @_\n";
    exit 1;
}

sub in_path
{
    my ($program) = @_;
    return grep { -x "$_/$program" && !-d _ } split(/:/, $ENV{PATH} // "");
}

# The tools that autoreconf calls, with the package that brings each.
sub check_tools
{
    my %package = (
        autoconf => "autoconf", autoreconf => "autoconf", autoheader => "autoconf",
        automake => "automake", aclocal => "automake", libtoolize => "libtool",
        m4 => "m4",
    );
    my @missing = grep { !in_path($_) } sort keys %package;
    my %needed = map { $package{$_} => 1 } @missing;
    # aclocal knows pkg-config's macros by its file pkg.m4 alone.
    my @pkg_m4 = ();
    if (in_path("aclocal")) {
        chomp(my $dir = `aclocal --print-ac-dir`);
        my @dirs = ($dir, split(/:/, $ENV{ACLOCAL_PATH} // ""));
        if (open(my $list, "<", "$dir/dirlist")) {
            while (my $line = <$list>) {
                $line =~ s/\s*(#.*)?$//s;
                push(@dirs, glob($line)) if $line ne "";
            }
        }
        push(@dirs, "/usr/share/aclocal", "/usr/local/share/aclocal");
        @pkg_m4 = grep { -f "$_/pkg.m4" } @dirs;
        if (!@pkg_m4) {
            push(@missing, "pkg.m4");
            $needed{"pkg-config"} = 1;
        }
    }
    return if !@missing;
    fail("not found: @missing\n"
        . "    Install: " . join(" ", sort keys %needed) . "\n"
        . "    Debian, Ubuntu: apt-get install " . join(" ", sort keys %needed));
}

sub make_configure
{
    my ($force) = @_;
    check_tools();
    chdir($top) or fail("cannot enter $top: $!");
    my @command = ("autoreconf", "--install", "--warnings=all,no-obsolete,no-portability");
    push(@command, "--force") if $force;
    print "==> @command\n";
    system(@command) == 0 or fail("autoreconf failed; its messages are above.");
    print "==> done. Next: ./configure (or, to keep the source folder clean,\n"
        . "    mkdir -p build && cd build && ../configure), then make.\n";
}

# What the component consists of; a build inside its folder leaves other files behind, one of them a header.
sub is_source
{
    my ($name) = @_;
    return $name !~ m{/napcoll_help_text\.h$} && $name =~ m{(\.c|\.h|\.m4|\.txt|/Makefile\.am)$};
}

# Removes the sources below a folder, and the folders that this leaves empty.
sub remove_sources
{
    my ($dir) = @_;
    finddepth({
        no_chdir => 1,
        wanted => sub {
            my $name = $File::Find::name;
            if (-d $name && !-l $name) {
                rmdir($name);
            } elsif (is_source($name)) {
                unlink($name) or fail("cannot replace $name: $!");
            }
        },
    }, $dir);
}

# The folders are never links: both trees write Makefile.in, and Open MPI's build its objects, next to the
# sources.
sub put_component
{
    my ($from, $to, $link) = @_;
    my $count = 0;
    find({
        no_chdir => 1,
        wanted => sub {
            my $name = substr($File::Find::name, length($from));
            if (-d $File::Find::name) {
                if ($name =~ m{/\.(libs|deps)$}) {
                    $File::Find::prune = 1;
                    return;
                }
                make_path("$to$name");
                return;
            }
            return if !is_source($name);
            if ($link) {
                symlink($File::Find::name, "$to$name") or fail("cannot link $to$name: $!");
            } else {
                copy($File::Find::name, "$to$name") or fail("cannot write $to$name: $!");
                # So that make there, after another graft, makes anew what has changed, and no more.
                my $time = (stat($File::Find::name))[9];
                utime($time, $time, "$to$name");
            }
            $count++;
        },
    }, $from);
    return $count;
}

sub graft
{
    my ($source, $link) = @_;
    my $coll = "$source/ompi/mca/coll";
    if (!-f "$coll/coll.h" || !-f "$source/VERSION") {
        fail("$source is not an Open MPI source tree (no ompi/mca/coll/coll.h and VERSION).\n"
            . "    Name the top folder of an unpacked source package or a checkout.");
    }
    if (!-f "$source/autogen.pl") {
        fail("$source has no autogen.pl, which must run after the graft.\n"
            . "    Take the full source package.");
    }
    my $from = "$top/$component";
    my $to = "$source/$component";
    if (-e $to && abs_path($to) eq abs_path($from) && !-l $to) {
        fail("$source is this very tree.");
    }
    if (-l $to) {
        unlink($to) or fail("cannot replace $to: $!");
    } elsif (-e $to) {
        if (!-f "$to/configure.m4" || !-f "$to/owner.txt") {
            fail("$to exists and does not look like napcoll's folder; move it away first.");
        }
        remove_sources($to);
    }
    my $count = put_component($from, $to, $link);
    print "==> " . ($link ? "linked" : "copied") . " $count files to $to\n";
    print "==> Next, in $source:\n"
        . "    ./autogen.pl --force && ./configure --prefix=... --enable-mca-dso=coll-napcoll && make\n"
        . "    configure then lists: checking if MCA component coll:napcoll can compile... yes\n";
}

my ($help, $force, $graft, $link);
Getopt::Long::Configure("bundling");
GetOptions("help|h" => \$help, "force|f" => \$force, "graft=s" => \$graft, "link" => \$link)
    or do { print STDERR $usage; exit 2; };
if ($help) {
    print $usage;
    exit 0;
}
if (@ARGV || ($link && !defined($graft))) {
    print STDERR $usage;
    exit 2;
}
if (defined($graft)) {
    graft($graft, $link);
} else {
    make_configure($force);
}
