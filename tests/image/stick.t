#!/usr/bin/perl
# tools/write-stick on a loop device with an artificial /sys: it leaves a refused device unchanged, it writes
# the image, and it detects a stick that stores something else.
use lib 'tests/image';
use ImageTest;
use Fcntl;
use File::Path qw(make_path remove_tree);

my $USUAL = 1;    # seconds for one run
my $DISK_BYTES = 1 << 20;
my ($disk, $image) = ("$dir/disk", "$dir/image");

my $BLANK = "\xA5" x $DISK_BYTES;
my $CONTENT = join '', map { pack 'N', $_ * 2654435761 % 2**32 } 1 .. 100_000 / 4;
substr $CONTENT, 510, 2, "\x55\xAA";    # the signature of a boot sector
spew($disk, $BLANK);
spew($image, $CONTENT);

my $loop = run($USUAL, 'losetup', '--find', '--show', $disk);
plan skip_all => 'no loop device to be had: ' . ($loop->{err} =~ s/\s+/ /gr)
    unless ($loop->{status} // 1) == 0;
my ($device) = $loop->{out} =~ m{^(/dev/loop\d+)$}m or die "losetup said: $loop->{out}";
END { my $kept = $?; system 'losetup', '--detach', $device if $device; $? = $kept }
my $name = $device =~ s{.*/}{}r;

# Makes a /sys in which the device is a stick with one partition. %change replaces files: path below the
# device => contents.
my $sys = "$dir/sys";

sub stick (%change) {
    remove_tree($sys);
    my $at = delete $change{at} // "devices/pci0000:00/usb1/1-1/block/$name";
    make_path("$sys/block", "$sys/$at/holders", "$sys/$at/device", "$sys/$at/${name}p1/holders");
    symlink "../$at", "$sys/block/$name" or die "symlink: $!";
    my %file = (
        removable       => 1,
        ro              => 0,
        dev             => '7:0',
        size            => $DISK_BYTES / 512,
        'device/vendor' => 'Make    ',
        'device/model'  => 'Test Stick      ',
        "${name}p1/dev" => '7:1',
        %change,
    );
    spew("$sys/$at/$_", "$file{$_}\n") for keys %file;
    file('mounts', "21 1 8:1 / / rw - ext4 /dev/sda1 rw\n");
    file('swaps', "Filename Type Size Used Priority\n");
}

# Runs tools/write-stick with this text on standard input.
sub write_stick ($typed, @arguments) {
    local @ENV{qw(SYS_ROOT MOUNT_INFO SWAPS)} = ($sys, "$dir/mounts", "$dir/swaps");
    file('typed', $typed);
    return run($USUAL, 'sh', '-c', 'typed=$1; shift; exec tools/write-stick "$@" <"$typed"',
        'sh', "$dir/typed", @arguments);
}

# Checks that write-stick refuses for this reason and leaves the disk unchanged.
sub refused ($title, $reason, $typed, @arguments) {
    subtest "refused: $title" => sub {
        my $run = write_stick($typed, @arguments);
        ends($run, 2, 'the reason is said', err => $reason);
        ok one_line($run->{err} =~ s/^usage: .*//msr), 'in one line, but for the usage' or diag $run->{err};
        ok slurp($disk) eq $BLANK, 'nothing is written';
    };
}

# Checks that write-stick writes and verifies; then wipes the disk.
sub written ($title, $typed, @arguments) {
    subtest "written: $title" => sub {
        my $run = write_stick($typed, @arguments);
        ends($run, 0, 'it says so', out => qr/$device: ${\ length $CONTENT} bytes written and read back/m);
        ok slurp($disk) eq $CONTENT . substr($BLANK, length $CONTENT), 'the image, and the rest untouched';
    };
    wipe();
}

# Makes the disk blank again by way of the device, which stays attached: another program may still look at it
# when it is to be detached, or take it then.
sub wipe {
    spew($device, $BLANK);
    my $flushed = run($USUAL, 'blockdev', '--flushbufs', $device);
    BAIL_OUT("blockdev: $flushed->{err}") if $flushed->{status} // 1;
}

stick();
refused('no arguments', qr/usage/, '');
refused('no device', qr/usage/, '', $image);
refused('an unknown option', qr/'--quick'/, '', '--quick', $image, $device);
refused('no such image', qr/'nowhere' is not a file/, '', '--yes', 'nowhere', $device);
refused('no such device', qr/'\/dev\/nowhere' does not exist/, '', '--yes', $image, '/dev/nowhere');
refused('a file as device', qr/is not a disk/, '', '--yes', $image, $disk);
refused('a terminal', qr/'\/dev\/null' is not a disk/, '', '--yes', $image, '/dev/null');
file('empty', '');
refused('an empty image', qr/empty/, '', '--yes', "$dir/empty", $device);
file('short', 'x' x 100);
refused(
    'an image shorter than a boot sector',
    qr/'\S+short' has no boot sector/,
    '', '--yes', "$dir/short", $device
);
refused('the kernel itself', qr/'build\/pmuproof\.elf' has no boot sector/, '', '--yes', $ELF, $device);
refused('no answer', qr/'' is not '$name'/, '', $image, $device);
refused('a wrong answer', qr/'yes' is not '$name'/, "yes\n", $image, $device);

stick(ro => 1);
refused('a write-protected stick', qr/write-protected/, '', '--yes', $image, $device);
stick(size => int(length($CONTENT) / 512));
refused('a stick that is too small', qr/too small/, '', '--yes', $image, $device);
stick('device/type' => 5);
refused('a CD drive', qr/is a CD drive/, '', '--yes', '--force-fixed', $image, $device);
is write_stick('', '--list')->{out}, "no stick is plugged in\n", '--list leaves it out';
stick(removable => 0, at => "devices/pci0000:00/ata1/block/$name");
refused('a fixed disk', qr/neither removable nor on USB/, '', '--yes', $image, $device);
stick();
remove_tree("$sys/block/$name");
unlink "$sys/block/$name";
refused('a partition', qr/not a whole disk/, '', '--yes', $image, $device);

for my $node ([ 'the whole stick', '7:0', $name ], [ 'a partition', '7:1', "${name}p1" ]) {
    my ($what, $number, $part) = @$node;
    stick();
    file('mounts', "21 1 8:1 / / rw - ext4 /dev/sda1 rw\n30 21 $number / /media/x rw - vfat /dev/$part rw\n");
    refused(
        "$what mounted",
        qr/$part is mounted on \/media\/x/,
        '', '--yes', '--force-fixed', $image, $device
    );
    stick();
    file('swaps', "Filename Type Size Used Priority\n/dev/$part partition 1 0 -2\n");
    refused("$what swapped to", qr/$part is swapped to/, '', '--yes', '--force-fixed', $image, $device);
    stick();
    make_path($part eq $name ? "$sys/block/$name/holders/md0" : "$sys/block/$name/$part/holders/md0");
    refused("$what in a RAID", qr/$part is part of md0/, '', '--yes', '--force-fixed', $image, $device);
}
stick();
{
    sysopen my $held, $device, O_RDWR | O_EXCL or die "cannot hold $device: $!";
    my $run = write_stick('', '--yes', $image, $device);
    ends(
        $run, 2,
        'refused: held by somebody out of sight, the reason is said',
        err => qr/in use, says the kernel/
    );
    ok slurp($disk) eq $BLANK, 'nothing is written';
}

stick(removable => 0);
written('on USB, not marked removable', '', '--yes', $image, $device);
stick(at => "devices/pci0000:00/mmc0/block/$name");
written('removable, not on USB', "$name\n", $image, $device);
stick(removable => 0, at => "devices/pci0000:00/ata1/block/$name");
written('a fixed disk, as --force-fixed allows', '', '--yes', '--force-fixed', $image, $device);

subtest 'what is shown' => sub {
    stick();
    my $run = write_stick('', $image, $device);
    like $run->{out}, qr/^$device: 1\.0 MB, Make Test Stick$/m, 'size and model';
    like write_stick('', '--list')->{out}, qr/\A$device: 1\.0 MB, Make Test Stick\n\z/, '--list';
    file('swaps', "Filename Type Size Used Priority\n$device partition 1 0 -2\n");
    like write_stick('', '--list')->{out}, qr/not now: $name is swapped to/,
        '--list names what is in the way';
    stick(removable => 0, at => "devices/pci0000:00/ata1/block/$name");
    is write_stick('', '--list')->{out}, "no stick is plugged in\n", '--list without a stick';
};

# Commands that misbehave, found in PATH before the real ones.
mkdir "$dir/$_" or die "mkdir: $!" for qw(bad-stick stale);
# This dd changes a byte after writing.
file("bad-stick/dd",
          "#!/bin/sh\n/bin/dd \"\$@\" && printf x | /bin/dd of=$device bs=1 seek=70000 "
        . "conv=notrunc,fsync status=none\n");
file("stale/blockdev", "#!/bin/sh\nexit 1\n");
chmod 0755, "$dir/bad-stick/dd", "$dir/stale/blockdev";

for my $case ([ 'stale', qr/could not be dropped/ ], [ 'bad-stick', qr/does not hold what was written/ ]) {
    my ($folder, $why) = @$case;
    stick();
    my $run = do {
        local $ENV{PATH} = "$dir/$folder:$ENV{PATH}";
        write_stick('', '--yes', $image, $device);
    };
    ends($run, 1, "$folder: the reason is said", err => $why);
    unlike $run->{out}, qr/read back/, 'and no verdict';
    wipe();
}

done_testing;
