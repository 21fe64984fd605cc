#!/usr/bin/perl
# The promises of the build: the kernel is small, the source tarball holds what git tracks and gives the same bytes in another
# folder without git, and nothing is rebuilt in an unchanged tree. The test changes nothing in this tree.
use lib 'tests/image';
use ImageTest;
use POSIX qw(ceil);

# Sizes in bytes. An ISO ends with a cylinder (iso/build-iso): its limit is what it holds besides the kernel and the
# largest kernel, compressed, up to the end of a cylinder.
my $ELF_LIMIT = 225 * 1000;
my $GZIPPED   = 0.6;
my $CYLINDER  = 256 * 1024;
my %BESIDES   = ($ISO => 1700 * 1000, $BIOS_ISO => 415 * 1000);
my %ISO_LIMIT = map { $_ => $CYLINDER * ceil(($BESIDES{$_} + $GZIPPED * $ELF_LIMIT) / $CYLINDER) } keys %BESIDES;

# prove may run under make, whose flags must not reach the makes below.
delete @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES)};

is run(1, 'strip', '-o', "$dir/stripped.elf", 'build/kernel.elf')->{status}, 0, 'the kernel with symbols can be stripped';
ok slurp("$dir/stripped.elf") eq slurp($ELF), 'and is then what boots: a debugger can take its symbols';
cmp_ok -s $ELF, '<', $ELF_LIMIT, 'size of the stripped kernel';
cmp_ok -s $_, '<=', $ISO_LIMIT{$_}, "size of $_" for sort keys %ISO_LIMIT;
is run(1, 'grub-file', '--is-x86-multiboot', $ELF)->{status}, 0, 'the kernel has a multiboot header';
is run(1, 'grub-file', '--is-x86-multiboot2', $ELF)->{status}, 0, 'and a multiboot 2 header';

is run(2, qw(make -q), $ELF, $ISO, $BIOS_ISO, $P4SIM, 'netboot')->{status}, 0, 'nothing to rebuild on an unchanged tree';

# A file that was not added to git yet is not in the tarball, which then may not build.
my ($id, $version) = split ' ', run(2, 'tools/identity')->{out};
my $name = "pmuproof-$version";
my $copy = "$dir/$name";
my $packed = run(2, 'tools/source-tarball', "$dir/sources.tar.gz");
is $packed->{status}, 0, 'the source tarball is made' or diag $packed->{err};
my @tracked = split /\n/, run(2, qw(git ls-files))->{out};
SKIP: {
    skip 'this tree is in no repository', 1 if !@tracked;
    my @inside = map { m{\A\Q$name\E/(.*[^/])\z} ? $1 : () } split /\n/, run(2, 'tar', '-tzf', "$dir/sources.tar.gz")->{out};
    is_deeply [ sort @inside ], [ sort @tracked ], 'it holds what git tracks';
}
is run(2, 'tar', '-xzf', "$dir/sources.tar.gz", '-C', "$dir")->{status}, 0, 'it unpacks';
like run(2, "$copy/tools/identity")->{out}, qr/\A\Q$id $version\E /, 'and knows build and version without git';
is run(2, "$copy/tools/source-tarball", "$dir/again.tar.gz")->{status}, 0, 'another tarball is made of it';
ok slurp("$dir/again.tar.gz") eq slurp("$dir/sources.tar.gz"), 'with the same bytes';
# Besides another folder, the settings of another user: umask, time zone, settings of tar and mtools.
my $mask = umask 0077;
local @ENV{qw(TZ LANG TAR_OPTIONS MTOOLS_NAME_NUMERIC_TAIL)} = ('Pacific/Auckland', 'de_DE.UTF-8', '--xattrs', '0');
my $made = run(30, 'make', '-C', $copy, '-j2', $ELF, $ISO, $BIOS_ISO, 'netboot');
umask $mask;
is $made->{status}, 0, 'the tarball builds' or diag $made->{err};
is $made->{err}, '', 'without a warning';
ok -s "$copy/$_" && slurp("$copy/$_") eq slurp($_), "$_ is the same from another folder"
    for $ELF, $ISO, $BIOS_ISO, glob 'build/netboot/*';

is run(2, 'make', '-C', $copy, '-q', $ELF)->{status}, 0, 'nothing to rebuild there either';
my $newer = time + 10;
utime $newer, $newer, "$copy/pmc/netburst/regs.h" or die "cannot touch $copy/pmc/regs.h: $!";
is run(2, 'make', '-C', $copy, '-q', $ELF)->{status}, 1, 'but a changed header asks for a build';

done_testing;
