#!/usr/bin/perl
# The hybrid ISO under UEFI, of 64 bits from a CD, of 32 bits from a stick: the kernel is started by multiboot 2, copes with the
# state that this firmware leaves, says what it found, and ends.
use lib 'tests/image';
use ImageTest;
use Machine qw(boot_all cd stick choose_inventory);

my $USUAL       = 30;     # seconds for all together
my $STATUS_SKIP = 39;     # QEMU's (README, "What you see")

my @machines = (
    { title => 'uefi64, CD',    firmware => 'uefi64', arguments => [ cd($ISO) ] },
    { title => 'uefi32, stick', firmware => 'uefi32', arguments => [ stick($ISO) ] },
);
$_->{dialogue} = [ choose_inventory() ] for @machines;
boot_all($USUAL, @machines);

for my $machine (@machines) {
    subtest $machine->{title} => sub {
        ok !$machine->{late}, 'it ends by itself';
        is $machine->{status}, $STATUS_SKIP, 'the status of a skip' or diag $machine->{err};
        like $machine->{out}, qr/Boot\d{4} "UEFI [^\r\n]*(DVD|USB)/, 'UEFI started it';
        my $log = document($machine->{out});
        like $log, qr/\ATAP version 13\r\n1\.\.0 # SKIP \S/, 'the plan is a SKIP';
        like $log, qr/^# loader: GRUB [^\r\n]*, multiboot 2\r$/m, 'by multiboot 2';
        like $log, qr/^# apic ids: 0 \(ACPI MADT\)\r$/m, "which brings the firmware's tables";
        like $log, qr/^# board: QEMU, Standard PC [^\r\n]*\r\n# bios: \w/m, 'and names the board';
        like $log, qr/^# log file: none: UEFI /m, 'the log can be written to no file';
        like $log, end_line('skip'), 'and the END line agrees';
        my ($parser) = results($log);
        is_deeply [ $parser->parse_errors ], [], 'TAP::Parser has no complaint';
    };
}

done_testing;
