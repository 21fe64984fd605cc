#!/usr/bin/perl
# The log file on the boot medium: mtools reads the same log from PMULOG.TXT that the serial line had, nothing
# else on the medium changes, and the kernel writes nothing to a medium whose file is not its own.
use lib 'tests/image';
use ImageTest;
use Fcntl qw(SEEK_SET);
use Machine qw(boot_all cd pentium4 choose_inventory);

my $USUAL = 20;    # seconds for a boot through the menu, beside another one
my $TRIES = 5;
my $SECTOR = 512;
$ENV{MTOOLSRC} = '/dev/null';

sub mtool {
    my $run = run(1, @_);
    die "$run->{command}: $run->{out}$run->{err}" if !defined $run->{status} || $run->{status} != 0;
    return $run->{out};
}

# The first partition of a disk image, in the notation of mtools.
sub fat_of ($disk) {
    open my $file, '<:raw', $disk or die "cannot read $disk: $!";
    seek $file, 454, SEEK_SET;
    read $file, my $start, 4;
    return "$disk\@\@" . $SECTOR * unpack 'V', $start;
}

sub read_log ($disk) { return mtool('mtype', '-i', fat_of($disk), '::PMULOG.TXT') }

# The file as iso/build-iso makes it.
sub unwritten ($bytes) {
    my $text = "pmuproof log file, $bytes bytes reserved\nnothing was written yet\n";
    return $text . ' ' x ($bytes - length($text) - 1) . "\n";
}

# Checks that the file holds this log of a run that has ended, and that the rest of the disk is unchanged.
sub holds ($disk, $original, $log, $title) {
    my ($file, $unwritten) = (read_log($disk), read_log($original));
    my $text = sprintf "%s\nstate: %-56s\n%s", $unwritten =~ /\A([^\n]*)/, 'the run has ended', $log;
    ok $file eq $text . ' ' x (length($unwritten) - length($text) - 1) . "\n",
        "$title: the file is the serial log"
        or diag substr($file, 0, 2000) =~ s/ +$//r;
    my ($was, $is) = (slurp($original), slurp($disk));
    my $at = index $was, $unwritten;
    substr $_, $at, length $unwritten, '' for $was, $is;
    ok $is eq $was, "$title: and nothing else has changed";
}

# Boot through the menu. A stick may be tried again: on a busy host the BIOS loses sticks.
my ($stick, $disk) = map { file("$_->[0].img", slurp($_->[1])) } [ 'stick', $BIOS_ISO ], [ 'hybrid', $ISO ];
my @machines = (
    {
        title     => 'a stick',
        tries     => $TRIES,
        disk      => $stick,
        original  => $BIOS_ISO,
        file      => 'PMULOG\.TXT on drive 80H, partition 1',
        arguments => [
            '-drive', "if=none,id=stick,format=raw,file=$stick",
            '-device', 'qemu-xhci',
            '-device', 'usb-storage,drive=stick'
        ],
    },
    {
        title     => 'a hard disk',
        disk      => $disk,
        original  => $ISO,
        file      => 'PMULOG\.TXT on drive 80H, partition 1',
        arguments => [ '-drive', "format=raw,file=$disk", pentium4(32) ],
    },
    {
        title     => 'a CD',
        arguments => [ cd($BIOS_ISO) ],
        file      => 'none: drive [0-9A-F]+H: it has no sectors of 512 bytes: a CD'
    },
);
@$_{qw(firmware dialogue)} = ('bios', [ choose_inventory() ]) for @machines;
boot_all($USUAL, @machines);
for my $machine (@machines) {
    note "$machine->{title}: booted $machine->{tried} times" if $machine->{tried} > 1;
    my $log = document($machine->{out});
    like $log, qr/^# log file: $machine->{file}/m, "$machine->{title}: the log says where the file is"
        or diag $machine->{out}, $machine->{err};
    holds($machine->{disk}, $machine->{original}, $log, $machine->{title}) if $machine->{disk};
}
my $judged = run(1, 'tools/pmulog', 'check', file('read-back', read_log($stick)));
is $judged->{status}, 77, 'tools/pmulog takes the file that was read back'
    or diag $judged->{out}, $judged->{err};

# Makes a disk with one partition of this type, formatted by mtools with these arguments, with these files; a
# file without bytes is deleted.
my $HEADS_SECTORS = 63;    # sectors of a track; the partition begins after the first track

sub disk ($name, $type, $sectors, $format, @files) {
    my $start = $HEADS_SECTORS;
    my $mbr =
          "\0" x 446
        . pack('CC3CC3VV', 0x80, 0, 0, 0, $type, 0, 0, 0, $start, $sectors)
        . "\0" x 48
        . "\x55\xAA";
    my $disk = file("$name.img", $mbr . "\0" x ($SECTOR * ($start + $sectors - 1)));
    mtool('mformat', '-i', fat_of($disk), '-T', $sectors, '-h', 16, '-s', 63, '-H', $start, @$format, '::');
    for my $file (@files) {
        my ($as, $bytes) = @$file;
        if   (defined $bytes) { mtool('mcopy', '-i', fat_of($disk), file($as, $bytes), "::$as") }
        else                  { mtool('mdel', '-i', fat_of($disk), "::$as") }
    }
    return $disk;
}

# Boots the kernel by -kernel with a copy of this disk. Returns the document and the path of the copy.
sub beside ($disk, @words) {
    @words = 'inventory' if !@words;
    my $copy = spew("$disk.copy", slurp($disk));
    my $run =
        run_qemu('-kernel', $ELF, '-drive', "format=raw,file=$copy", @words ? ('-append', "@words") : ());
    my ($log) = $run->{out} =~ /(TAP version 13.*)\z/s;
    return ($log // '', $copy);
}

my $BYTES = 65536;
my @log = ('PMULOG.TXT', unwritten($BYTES));
my %kind = (
    'FAT12' => disk('fat12', 0x01, 4000, [ '-c', 4 ], [ 'first', 'x' ], [@log]),
    'FAT16' => disk('fat16', 0x06, 40000, [ '-c', 4 ], [ 'first', 'x' ], [@log]),
    'FAT32' => disk('fat32', 0x0C, 140000, [ '-F', '-c', 2 ], [ 'first', 'x' ], [@log]),
);
for my $title (sort keys %kind) {
    like mtool('minfo', '-i', fat_of($kind{$title}), '::'), qr/\Q$title\E/i, "mtools made a $title";
    my ($log, $copy) = beside($kind{$title});
    holds($copy, $kind{$title}, $log, $title);
}

# A run that ends early, and the boot word that switches the log file off.
my ($bailed, $copy) = beside($kind{FAT12}, 'bogus');
like $bailed, qr/^Bail out! /m, 'a run breaks off at the boot line';
holds($copy, $kind{FAT12}, $bailed, 'its log is in the file');
my ($off, $left) = beside($kind{FAT12}, 'inventory', 'logfile=off');
like $off, qr/^# log file: none: logfile=off\r$/m, 'logfile=off';
ok slurp($left) eq slurp($kind{FAT12}), 'leaves the medium alone';

# QEMU has no PMU to test, and rehearses the log file, too.
my ($rehearsed, $written) = beside($kind{FAT12}, 'quiet');
like $rehearsed, qr/^ok \d+ - pmu # SKIP not a NetBurst processor.*^# END OF TAP: skip/ms, 'a rehearsal';
holds($written, $kind{FAT12}, $rehearsed, 'its log is in the file');
like $rehearsed, qr/^ok \d+ - harness\.logfile #/m, 'which keeps what is written';

# A medium that cannot be written still holds the log of an earlier run: the kernel says so after its log too.
# QEMU has no IDE disk that is write-protected.
subtest 'a disk that is write-protected' => sub {
    my $run = run_qemu('-kernel', $ELF, '-append', 'inventory',
        '-drive', "if=virtio,readonly=on,format=raw,file=$kind{FAT12}");
    like $run->{out},
        qr/^# log file: PMULOG\.TXT on drive 80H.*^# log file: PMULOG\.TXT cannot be written\r$/ms,
        'in the log';
    like $run->{out},
        qr/^# END OF TAP: .*\n# The log is not on the boot medium: PMULOG\.TXT cannot be written\.\r?$/ms,
        'and after it';
};

# The kernel leaves a file alone that is not its own. tests/host/kernel/logfile_test.c has every reason to
# refuse one; what a formatter makes of a file is seen here.
my @others = (
    [ 'no such file', qr/no PMULOG\.TXT/, disk('none', 0x01, 4000, [], [ 'OTHER.TXT', $log[1] ]) ],
    [
        'a file in two pieces',
        qr/one piece/,
        disk('pieces', 0x01, 4000, [ '-c', 4 ], [ 'GAP', 'x' x 10000 ], [ 'WALL', 'x' ], ['GAP'], [@log])
    ],
);
for my $other (@others) {
    my ($title, $why, $disk) = @$other;
    my ($log, $copy) = beside($disk);
    like $log, qr/^# log file: none: drive 80H: [^\r\n]*$why/m, "$title: the log says so";
    ok slurp($copy) eq slurp($disk), "$title: nothing is written";
}
my ($early, $same) = beside($others[0][2], 'bogus');
like $early,
    qr/^Bail out! [^\n]*\n# The log is not on the boot medium: drive 80H: [^\r\n]*no PMULOG\.TXT[^\r\n]*\.\r$/m,
    'a run that breaks off early says behind its log that it is not in a file';
ok slurp($same) eq slurp($others[0][2]), 'and writes nothing';

like p4sim($ELF, 'inventory')->{out},
    qr/^# log file: none: the loader does not tell the drive it came from\r$/m, 'on p4sim there is no drive';

done_testing;
