#!/usr/bin/perl
# Boot from the network, with the DHCP and TFTP servers of QEMU: PXE and iPXE on a BIOS (the boot ROM of QEMU's network card is
# iPXE, which does both), and PXE on UEFI.
use lib 'tests/image';
use ImageTest;
use Machine qw(boot_all press_enter);

my $USUAL       = 30;                 # seconds for all together
my $STATUS_SKIP = 39;                 # QEMU's (README, "What you see")
my $FOLDER      = 'build/netboot';

ok slurp("$FOLDER/pmuproof.elf") eq slurp($ELF), 'the kernel beside the iPXE script is the kernel';

# A machine that boots this file of $FOLDER, with a network card that its firmware supports.
sub from_network {
    my ($title, $firmware, $file, $card, @dialogue) = @_;
    return {
        title     => $title,
        firmware  => $firmware,
        arguments => [
            # UEFI of 2024 and later starts its network only if the machine has a source of random numbers.
            $firmware =~ /uefi/ ? ('-device', 'virtio-rng-pci') : (),
            '-netdev', "user,id=net,tftp=$FOLDER,bootfile=$file", '-device', "$card,netdev=net,bootindex=0",
        ],
        dialogue => \@dialogue,
    };
}

# The menu of iPXE is on the screen only; after five seconds it starts the first entry.
my @machines = (
    from_network('PXE',              'bios',   'pmuproof.pxe',      'e1000',          press_enter()),
    from_network('iPXE',             'bios',   'pmuproof.ipxe',     'e1000'),
    from_network('PXE, UEFI x86-64', 'uefi64', 'pmuproof-x64.efi',  'virtio-net-pci', press_enter()),
    from_network('PXE, UEFI IA-32',  'uefi32', 'pmuproof-ia32.efi', 'virtio-net-pci', press_enter()),
);
boot_all($USUAL, @machines);

for my $machine (@machines) {
    subtest $machine->{title} => sub {
        ok !$machine->{late}, 'it ends by itself';
        is $machine->{status}, $STATUS_SKIP, 'the status of a skip' or diag $machine->{err}, substr $machine->{out}, -300;
        my $log = document($machine->{out});
        like $log, qr/\ATAP version 13\r\n1\.\.0 # SKIP \S/, 'the plan is a SKIP';
        like $log, qr/^# board: QEMU, /m, "the firmware's tables are found";
        like $log, end_line('skip'), 'and the END line agrees';
    };
}

done_testing;
