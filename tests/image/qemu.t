#!/usr/bin/perl
# The kernel, the ISO and the files for network boot in QEMU, whose processor has no NetBurst PMU: the kernel
# boots in every way that QEMU offers, says what processor it found, passes the points of the harness, reports
# a skip and no failure, and ends by itself.
use lib 'tests/image';
use ImageTest;
use CheckedLog qw(log_faults);
use Machine qw(boot_all cd stick pentium4 press_enter);

# What the debug-exit values 11H to 13H make QEMU end with (README, "What you see").
my ($STATUS_FAIL, $STATUS_BROKEN, $STATUS_SKIP) = (35, 37, 39);

my $NETWORK = 'build/netboot';
my $TRIES = 5;    # for machines that boot from a stick
# seconds for a machine beside another one; how soon one ends is for `make bench` to say
my $USUAL = 20;

# The points that need a second processor, and those that an emulator does not let through.
my $SECOND = qr/harness\.(?:second\.\w+|sibling)/;
# logfile.t has a machine with a log file
my $NOT_ALL = qr/harness\.(?:exception\.ac|exception\.xm|refused\.\w+|logfile)/;

# The kernel, started by way of instructions outside of it that set x2APIC mode (QEMU 9 has one), CR4.SMEP and
# CR4.SMAP, as a firmware may leave them.
sub left_on() {
    my $elf = slurp($ELF);
    my ($at, $cr4) = (0x600000, 0x300000);
    my $entry = unpack 'x24V', $elf;
    substr($elf, 24, 4) = pack 'V', $at;
    # mov ebp, eax; IA32_APIC_BASE[11:10] = 11B; mov eax, ebp
    my $stub = "\x89\xC5\xB9\x1B\0\0\0\x0F\x32\x80\xCC\x0C\x0F\x30\x89\xE8";
    $stub .= pack('CV', 0xB9, $cr4) . "\x0F\x22\xE1";                              # mov ecx; mov cr4, ecx
    $stub .= pack('CV', 0xE9, ($entry - $at - length($stub) - 5) & 0xFFFFFFFF);    # jmp
    return (file('left-on.elf', $elf),
        '-device', 'loader,force-raw=on,addr=' . $at . ',file=' . file('left-on.stub', $stub));
}

# Title, what the reason of the skip must mention, QEMU's arguments, whether the machine has a second
# processor.
my @machines = map { {
    title     => $_->[0],
    found     => $_->[1],
    firmware  => $_->[4] // 'bios',
    arguments => $_->[2],
    second    => $_->[3]
} } (
    [ 'the ELF on qemu32' => qr/family 06H/, [ qw(-cpu qemu32 -kernel), $ELF ] ],
    in_test_all([
        'the ELF on a pentium3, 2 threads' => qr/family 06H/,
        [ qw(-cpu pentium3 -smp), '2,threads=2', '-kernel', $ELF ], 1
    ]),
    [
        'the ELF on a Nehalem, q35, 16 cores' => qr/family 06H/,
        [ qw(-cpu Nehalem -machine q35 -smp 16 -kernel), $ELF ], 1, 'bios64'
    ],
    in_test_all([
        'the ELF on an EPYC, 2 cores' => qr/vendor AuthenticAMD/,
        [ qw(-cpu EPYC -smp), '2,cores=2', '-kernel', $ELF ], 1, 'bios64'
    ]),
    [
        'the ELF with much left on' => qr/vendor AuthenticAMD/,
        [ qw(-cpu max -machine q35 -smp 2 -kernel), left_on() ], 1, 'bios64'
    ],
    # Processors that cannot run the kernel: a Pentium has no CMOV, a 486 no MSRs either (boot/processor.asm).
    (
        map { [ "the ELF on '@$_'" => qr/it lacks CPUID, the TSC, MSRs or CMOV/, [ @$_, '-kernel', $ELF ] ] }
            [qw(-cpu pentium)],
        in_test_all([qw(-cpu 486)]),
        [qw(-machine isapc -cpu 486)]
    ),
);
# screen.t boots it under UEFI, logfile.t both media as drives that can be written.
push @machines,
    map { { %$_, firmware => 'bios', found => qr/family 06H/, dialogue => [ press_enter() ] } } (
    { title => 'the BIOS-only ISO as a CD', arguments => [ cd($BIOS_ISO) ] },
    { title => 'the ISO as a stick', arguments        => [ stick($ISO) ], tries => $TRIES },
    );
# Without a serial line only the value on the debug-exit port can be seen.
my $deaf = {
    title     => 'a board without a serial port',
    firmware  => 'bios',
    arguments => [ '-kernel', $ELF ],
    lines     => []
};
boot_all($USUAL, @machines, $deaf);

# Boot from the network, with the DHCP and TFTP servers of QEMU: PXE and iPXE on a BIOS (the boot ROM of
# QEMU's network card is iPXE, which does both), and PXE on UEFI; with a network card that the firmware
# supports. The menu of iPXE is on the screen only; after five seconds it starts the first entry.
my @network = map {
    my ($title, $firmware, $file, $card, @dialogue) = @$_;
    {
        title     => $title,
        firmware  => $firmware,
        found     => qr/\w/,
        tries     => 2,           # of the firmware, to find its network
        arguments => [
            # UEFI of 2024 and later starts its network only if the machine has a source of random numbers.
            $firmware =~ /uefi/ ? ('-device', 'virtio-rng-pci') : (),
            '-netdev', "user,id=net,tftp=$NETWORK,bootfile=$file", '-device', "$card,netdev=net,bootindex=0",
        ],
        dialogue => \@dialogue,
    }
} (
    [ 'PXE', 'bios', 'pmuproof.pxe', 'e1000', press_enter() ],
    [ 'iPXE', 'bios', 'pmuproof.ipxe', 'e1000' ],
    # screen.t starts GRUB by both firmwares from the media.
    in_test_all(
        [ 'PXE, UEFI x86-64', 'uefi64', 'pmuproof-x64.efi', 'virtio-net-pci', press_enter() ],
        [ 'PXE, UEFI IA-32', 'uefi32', 'pmuproof-ia32.efi', 'virtio-net-pci', press_enter() ]
    ),
);
boot_all(30, @network);
ok slurp("$NETWORK/pmuproof.elf") eq slurp($ELF), 'the kernel beside the iPXE script is the kernel';

for my $machine (@machines, @network) {
    subtest $machine->{title} => sub {
        is $machine->{status}, $STATUS_SKIP, 'the status of a skip'
            or diag $machine->{err}, $machine->{out} =~ /^(not ok.*?\.\.\.)/ms;
        ok !$machine->{late}, 'it ends by itself';
        my $log = document($machine->{out});
        like $log, qr/^(?:1\.\.0|ok \d+ - pmu) # SKIP [^\r\n]*$machine->{found}/m, 'it says what was found';
        like $log, qr/^# board: QEMU, /m, "the firmware's tables are found"
            if $machine->{arguments}[0] !~ /kernel|cpu|machine/;
        like $log, qr/^# apic at boot: x2APIC, /m, 'its mode is found'
            if $machine->{title} =~ /left on/ && hex(($log =~ /^# cpuid: .* 1: \w+ \w+ (\w+)/m)[0]) >> 21 & 1;
        like $log, qr/^# loader: GRUB [^\r\n]*, multiboot 2\r\n.*^# apic ids: 0 \(ACPI MADT\)\r$/ms,
            'which multiboot 2 brings'
            if $machine->{firmware} =~ /uefi/;
        is_deeply [ log_faults($log, 'skip') ], [], 'the log is whole';
        my ($parser, @tests) = results($log);
        is_deeply [ $parser->parse_errors ], [], 'TAP::Parser has no complaint';
        # a host that stops QEMU for so long
        my $untrusted = $log =~ /^# clocks: .*assumed: the output of the PIT was high/m;
        my @skipped = grep { !/\A(?:pmu|$NOT_ALL)\z/ && !(!$machine->{second} && /\A$SECOND\z/) }
            $log =~ /^ok \d+ - (\S+) # SKIP/mg;
        is_deeply [ grep { !($untrusted && /\Aharness\.clock\./) } @skipped ], [], 'nothing else is skipped';
        cmp_ok scalar @tests, '>', 40, 'every point of the harness is there' if $log !~ /it lacks CPUID/;
    };
}
is $deaf->{status}, $STATUS_SKIP, "$deaf->{title}: the status of a skip" or diag $deaf->{err};

# The boot line reaches the kernel. QEMU puts the kernel's name before it. An unknown word is refused on every
# machine.
is run_qemu('-kernel', $ELF, '-append', 'only=cascade quiet')->{status}, $STATUS_SKIP, 'a good boot line';
my $refused = run_qemu('-kernel', $ELF, '-append', 'only=cascade bogus');
ends($refused, $STATUS_BROKEN, 'an unknown boot word is named', out => qr/^Bail out! [^\r\n]*'bogus'/m);

# An emulator that says what it is may lack two exceptions; one that hides fails them. Its MISC_ENABLE shows
# that it has no PMU all the same.
my $hides = run_qemu(pentium4(32), '-kernel', $ELF, '-append', 'only=harness.exception');
ends($hides, $STATUS_FAIL, 'an emulator that hides',
    out =>
        qr/^not ok \d+ - harness\.exception\.ac .*^not ok \d+ - harness\.exception\.xm .*^ok \d+ - pmu # SKIP [^\r\n]*IA32_MISC_ENABLE\[7\] = 0/ms
);

# A QEMU whose KVM says something and ends, or works: the image's exit value for a pass. Without KVM it is the
# real QEMU, or prints a log of its own.
subtest 'tools/qemu-run --kvm' => sub {
    chomp(my $qemu = `which qemu-system-i386`);
    local $ENV{PATH} = "$dir:$ENV{PATH}";
    for my $case (
        [
            "echo 'Could not access KVM kernel module' >&2; exit 1",
            qq(exec $qemu "\$@"),
            77,
            qr/there is no KVM here: QEMU emulates/,
            qr/\ATAP version 13.*^# END OF TAP: skip/ms
        ],
        [
            "echo 'failed to set MSR 0x10a' >&2; echo half a log; exit 1",
            "echo a log of '-accel tcg'; exit $STATUS_SKIP",
            77,
            qr/KVM starts here and dies \(failed to set MSR 0x10a\): QEMU emulates/,
            qr/\Aa log of -accel tcg\n\z/
        ],
        [
            'echo a log; exit 33',
            'exit 1', 0, qr/KVM works: the processor of this computer/, qr/\Aa log\n\z/
        ],
        )
    {
        my ($kvm, $tcg, $status, $said, $log) = @$case;
        spew("$dir/qemu-system-i386",
            qq{#!/bin/sh\ncase "\$*" in\n*'-accel kvm'*) $kvm ;;\n*'-accel tcg'*) $tcg ;;\nesac\n});
        chmod 0755, "$dir/qemu-system-i386";
        my $run = run($USUAL, 'tools/qemu-run', '--kvm', $ELF, 'inventory');
        is $run->{status}, $status, "status after: $kvm" or diag $run->{err};
        like $run->{err}, $said, 'it says who executes the image';
        like $run->{out}, $log, 'the log of that run alone';
    }
};

subtest 'tools/qemu-run' => sub {
    my $run = run($USUAL, 'tools/qemu-run', $ISO);
    ends($run, 77, 'the status of a skip, the log on standard output', out => end_line('skip'));
    like $run->{err}, qr/\A[^\n]*skip[^\n]*\n\z/i, 'one line of verdict on standard error';
    my $uefi = run($USUAL, qw(tools/qemu-run --uefi 64), $ELF);
    is $uefi->{status}, 2, 'no -kernel by UEFI';
};

done_testing;
