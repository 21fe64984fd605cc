#!/usr/bin/perl
# The promises of the build: the kernel is small, and nothing is rebuilt in an unchanged tree. The contents of
# the two media: the partition that old BIOSes, UEFI and Windows look for, the file for the log, the kernel,
# and (on the hybrid only) GRUB for UEFI.
use lib 'tests/image';
use ImageTest;
use POSIX qw(ceil);

# Sizes in bytes. An ISO ends with a cylinder (iso/build-iso): its limit is what it holds besides the kernel
# and the largest kernel, compressed, up to the end of a cylinder.
my $ELF_LIMIT = 320 * 1000;
my $GZIPPED = 0.6;
my $CYLINDER = 256 * 1024;
my %BESIDES = ($ISO => 1800 * 1000, $BIOS_ISO => 415 * 1000);    # with GRUB of Debian 13, the larger one
my %ISO_LIMIT =
    map { $_ => $CYLINDER * ceil(($BESIDES{$_} + $GZIPPED * $ELF_LIMIT) / $CYLINDER) } keys %BESIDES;

# prove may run under make, whose flags must not reach the makes below.
delete @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES)};

is run(1, 'strip', '-o', "$dir/stripped.elf", 'build/kernel.elf')->{status}, 0,
    'the kernel with symbols can be stripped';
ok slurp("$dir/stripped.elf") eq slurp($ELF), 'and is then what boots: a debugger can take its symbols';
cmp_ok -s $ELF, '<', $ELF_LIMIT, 'size of the stripped kernel';
cmp_ok -s $_, '<=', $ISO_LIMIT{$_}, "size of $_" for sort keys %ISO_LIMIT;
is run(1, 'grub-file', '--is-x86-multiboot', $ELF)->{status}, 0, 'the kernel has a multiboot header';
is run(1, 'grub-file', '--is-x86-multiboot2', $ELF)->{status}, 0, 'and a multiboot 2 header';

is run(2, qw(make -q), $ELF, $ISO, $BIOS_ISO, $P4SIM, 'netboot')->{status}, 0,
    'nothing to rebuild on an unchanged tree';
is run(2, qw(make -q -W pmc/netburst/regs.h), $ELF)->{status}, 1, 'but a changed header asks for a build';

# ---- Media ----

my $USUAL = 2;                 # seconds for one command
my $SECTOR = 512;
my $LOG_BYTES_MIN = 65536;
my $ONE_CYLINDER = 16 * 63;    # sectors; SeaBIOS reads no stick that is smaller
$ENV{MTOOLSRC} = '/dev/null';

sub output {
    my $run = run($USUAL, @_);
    is $run->{status}, 0, $_[0] or diag $run->{err};
    return $run->{out};
}

# Partition type EFH is UEFI's; 01H is FAT12, which every BIOS and Windows know.
my %medium = (
    $ISO      => { type => 0xEF, files => [qw(/EFI/BOOT/BOOTIA32.EFI /EFI/BOOT/BOOTX64.EFI /PMULOG.TXT)] },
    $BIOS_ISO => { type => 0x01, files => [qw(/PMULOG.TXT)] },
);
for my $image (sort keys %medium) {
    subtest $image => sub {
        my $size = -s $image;
        my $boot_sector = substr slurp($image), 0, $SECTOR;
        is unpack('v', substr $boot_sector, 510), 0xAA55, 'the boot sector has its mark';
        my @partitions = map { substr $boot_sector, 446 + 16 * $_, 16 } 0 .. 3;
        my ($active, @first, $type, @last, $start, $sectors);
        ($active, @first[ 0 .. 2 ], $type, @last[ 0 .. 2 ], $start, $sectors) = unpack 'C C3 C C3 V V',
            $partitions[0];
        is $active, 0x80, 'the partition is active';
        is $type, $medium{$image}{type}, 'of the right type';
        is_deeply [ @partitions[ 1 .. 3 ] ], [ ("\0" x 16) x 3 ], 'and the only one';
        cmp_ok $start, '>', 0, 'it starts after the boot sector';
        cmp_ok $start + $sectors, '<=', $size / $SECTOR, 'and lies on the medium';
        cmp_ok $size, '>', $ONE_CYLINDER * $SECTOR, 'which is larger than a cylinder';
        is $size % $SECTOR, 0, 'and whole sectors long';

        my $fat_at = $start * $SECTOR;
        is unpack('V', substr slurp($image), $fat_at + 28, 4), $start, 'the FAT knows its place';

        # The geometry that an old BIOS may assume: from the end of the partition, or from the FAT.
        my ($heads, $track) = ($last[0] + 1, $last[1] & 63);
        my $sector_of = sub ($head, $sector, $cylinder) {
            return (($cylinder | ($sector & 0xC0) << 2) * $heads + $head) * $track + ($sector & 63) - 1;
        };
        is $sector_of->(@first), $start, 'the first sector is the same by cylinder, head and sector';
        is $sector_of->(@last), $start + $sectors - 1, 'and the last one';
        is_deeply [ unpack 'vv', substr slurp($image), $fat_at + 24, 4 ], [ $track, $heads ],
            'the FAT has this geometry';
        is + ($start + $sectors) % ($heads * $track), 0, 'the partition ends with a cylinder';
        is $size / $SECTOR, $start + $sectors, 'and the medium with it';
        my $fat = "$image\@\@$fat_at";
        my @files = sort grep { !m{/\z} } map { s{^::}{}r } split /\n/,
            output('mdir', '-/', '-b', '-i', $fat, '::');
        is_deeply \@files, $medium{$image}{files}, 'the files in the FAT';

        my $log = output('mtype', '-i', $fat, '::PMULOG.TXT');
        my $bytes = length $log;
        cmp_ok $bytes, '>=', $LOG_BYTES_MIN, 'room for a log';
        like $log, qr/\Apmuproof log file, $bytes bytes reserved\nnothing was written yet\n +\n\z/,
            'which says what it is';
        like output('mshowfat', '-i', $fat, '::PMULOG.TXT'), qr/\A\S+ <\d+-\d+>\s*\z/, 'in one piece';

        output('xorriso', '-osirrox', 'on', '-indev', $image, '-extract', '/boot/pmuproof.elf',
            "$dir/kernel.gz");
        ok output('gzip', '-dc', "$dir/kernel.gz") eq slurp($ELF), 'the kernel, decompressed, is the kernel';
        unlink "$dir/kernel.gz";
    };
}

done_testing;
