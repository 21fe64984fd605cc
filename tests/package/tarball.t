#!/usr/bin/perl
# The source tarball holds what git tracks, and gives the same bytes as this tree, which `make test` has
# built, in another folder without git, under the settings of another user. fresh.t runs this in the fresh
# Debian.
use lib 'tests/image';
use ImageTest;

# prove may run under make, whose flags must not reach the makes below.
delete @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES)};

# A file that was not added to git yet is not in the tarball, which then may not build.
my ($id, $version) = split ' ', run(2, 'tools/identity')->{out};
my $name = "pmuproof-$version";
my $copy = "$dir/$name";
my $packed = run(2, 'tools/source-tarball', "$dir/sources.tar.gz");
is $packed->{status}, 0, 'the source tarball is made' or diag $packed->{err};
my @tracked = split /\n/, run(2, qw(git ls-files))->{out};
SKIP: {
    skip 'this tree is in no repository', 1 if !@tracked;
    my @inside = map { m{\A\Q$name\E/(.*[^/])\z} ? $1 : () } split /\n/,
        run(2, 'tar', '-tzf', "$dir/sources.tar.gz")->{out};
    is_deeply [ sort @inside ], [ sort @tracked ], 'it holds what git tracks';
}
is run(2, 'tar', '-xzf', "$dir/sources.tar.gz", '-C', "$dir")->{status}, 0, 'it unpacks';
like run(2, "$copy/tools/identity")->{out}, qr/\A\Q$id $version\E /,
    'and knows build and version without git';
is run(2, "$copy/tools/source-tarball", "$dir/again.tar.gz")->{status}, 0, 'another tarball is made of it';
ok slurp("$dir/again.tar.gz") eq slurp("$dir/sources.tar.gz"), 'with the same bytes';
# Besides another folder, the settings of another user: umask, time zone, settings of tar and mtools.
my $mask = umask 0077;
local @ENV{qw(TZ LANG TAR_OPTIONS MTOOLS_NAME_NUMERIC_TAIL)} =
    ('Pacific/Auckland', 'de_DE.UTF-8', '--xattrs', '0');
my $made = run(30, 'make', '-C', $copy, '-j2', $ELF, $ISO, $BIOS_ISO, 'netboot');
umask $mask;
is $made->{status}, 0, 'the tarball builds' or diag $made->{err};
is $made->{err}, '', 'without a warning';
ok -s "$copy/$_" && slurp("$copy/$_") eq slurp($_), "$_ is the same from another folder"
    for $ELF, $ISO, $BIOS_ISO, glob 'build/netboot/*';

done_testing;
