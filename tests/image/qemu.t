#!/usr/bin/perl
# The kernel and the ISO in QEMU, whose processor has no NetBurst PMU: it boots by every way QEMU has, says
# what it found instead (design decision 9), and ends by itself.
use strict;
use warnings;
use Test::More;
use FindBin;
use lib $FindBin::Bin;
use Image qw(run run_qemu document results end_line $ELF $ISO);


# What the debug-exit values 12H and 13H make QEMU end with (README, "What you see").
my ($STATUS_BROKEN, $STATUS_SKIP) = (37, 39);

# A processor that says it is a Pentium 4 with two threads and does not admit to being a virtual one: what
# gives it away is that QEMU's MISC_ENABLE has no performance-monitoring bit.
my @pentium4 = (
    '-cpu', 'pentium3,vendor=GenuineIntel,family=15,model=4,stepping=1,level=5,-hypervisor',
    '-smp', '2,sockets=1,cores=1,threads=2',
);

my @usb_stick = (
    '-drive', "if=none,id=stick,format=raw,file=$ISO,snapshot=on",
    '-device', 'qemu-xhci', '-device', 'usb-storage,drive=stick',
);

# The way => what the reason must mention, and QEMU's arguments.
my @boots = (
    [ 'the ELF by -kernel'                  => qr/family 06H/,               '-kernel', $ELF ],
    [ 'the ELF on a CPU that says NetBurst' => qr/IA32_MISC_ENABLE\[7\] = 0/, @pentium4, '-kernel', $ELF ],
    [ 'the ISO as a CD'                     => qr/family 06H/,               '-cdrom', $ISO ],
    [ 'the ISO as a hard disk'              => qr/family 06H/,               '-drive', "format=raw,file=$ISO,snapshot=on" ],
    [ 'the ISO as a stick'                  => qr/family 06H/,               @usb_stick ],
);
for my $boot (@boots) {
    my ($title, $found, @arguments) = @$boot;
    subtest $title => sub {
        my $run = run_qemu(@arguments);
        is $run->{status}, $STATUS_SKIP, 'the status of a skip' or diag $run->{err};
        ok !$run->{late}, 'it ends by itself';    # how soon is for `make bench` to say
        my $log = document($run->{out});
        like $log, qr/\ATAP version 13\r\n1\.\.0 # SKIP \S/, 'the plan is a SKIP';
        like $log, qr/^1\.\.0 # SKIP [^\r\n]*$found/m, 'with what was found';
        like $log, end_line('skip'), 'and the END line agrees';
        my ($parser, @tests) = results($log);
        is_deeply [ $parser->parse_errors ], [], 'TAP::Parser has no complaint';
        is scalar @tests, 0, 'no results';
    };
}

# The boot line arrives: QEMU puts the kernel's name before it, and an unknown word is refused on any machine.
is run_qemu('-kernel', $ELF, '-append', 'only=cascade quiet')->{status}, $STATUS_SKIP, 'a good boot line';
my $refused = run_qemu('-kernel', $ELF, '-append', 'only=cascade bogus');
is $refused->{status}, $STATUS_BROKEN, 'an unknown boot word';
like $refused->{out}, qr/^Bail out! [^\r\n]*'bogus'/m, 'is named';

subtest 'tools/qemu-run' => sub {
    my $run = run(20, 'tools/qemu-run', $ISO);
    is $run->{status}, 77, 'the status of a skip';
    like $run->{out}, end_line('skip'), 'the log on standard output';
    like $run->{err}, qr/\A[^\n]*skip[^\n]*\n\z/i, 'one line of verdict on standard error';
    for my $bad ([], ['nowhere.iso'], ['Makefile']) {
        my $refused = run(20, 'tools/qemu-run', @$bad);
        is $refused->{status}, 2, "refused: '@$bad'";
        like $refused->{err}, qr/\A[^\n]+\n\z/, 'in one line';
    }
};

# An active entry in the partition table, or old BIOSes do not start the stick (a BIOS of QEMU's does not ask).
my $entry = do {
    open my $iso, '<:raw', $ISO or die "cannot read $ISO: $!";
    read $iso, my $sector, 512;
    substr $sector, 446, 16;
};
my ($active, $start, $sectors) = (unpack('C', $entry), unpack 'VV', substr $entry, 8);
is $active, 0x80, 'the partition is active';
cmp_ok $start, '>', 0, 'it starts behind the boot sector';
is 512 * ($start + $sectors), -s $ISO, 'and ends with the image';

done_testing;
