#!/usr/bin/perl
# The inventory at the start of the log: every key once and in order, with the values of the machine that
# p4sim simulates. If a machine does not report a value, the line says `unknown` and the reason.
use lib 'tests/image';
use ImageTest;

my @KEYS = (
    'build', 'version', 'image', 'boot line',
    'loader', 'console', 'processor', 'brand',
    'microcode', 'platform', 'misc enable', 'ds area',
    'cache counters', 'threads', 'apic ids', 'clocks',
    'memory', 'board', 'bios', 'cpuid',
    'apic at boot', 'io apic at boot', 'machine checks at boot', 'pmu at boot',
    'errata', 'log file',
);

# Processor => what its lines say. The values are in sim/cpu/models.c; the manual says what they mean.
my %SAYS = (
    '0F12' => {
        processor     => qr/^GenuineIntel 0F12H, Willamette, Foster D0$/,
        brand         => qr/^Intel\(R\) Pentium\(R\) 4 CPU 1\.80GHz$/,
        microcode     => qr/^revision 2EH$/,
        platform      => qr/^ID 2$/,
        'misc enable' => qr/^00000089H: fast strings, TM1, PMU$/,
        threads       => qr/^1 per core, 1 core; boot processor is LP0; sibling absent$/,
        'apic ids'    => qr/^0 \(ACPI MADT\)$/,
        clocks        =>
            qr/^TSC 1(?:79|80)\d{4} kHz, APIC timer (?:99|100)\d{3} kHz; EBC_FREQUENCY_ID 00000000H: bus 100 MHz$/,
    },
    '0F43' => {
        processor     => qr/^GenuineIntel 0F43H, Prescott 2M/,
        brand         => qr/CPU 3\.00GHz$/,
        microcode     => qr/^revision 5H$/,
        'misc enable' => qr/^22850089H: fast strings, TM1, PMU, SpeedStep, MONITOR$/,
        threads       => qr/^2 per core, 1 core; boot processor is LP0; sibling runs$/,
        'apic ids'    => qr/^0 1 \(ACPI MADT\)$/,
        clocks        => qr/EBC_FREQUENCY_ID 0F020000H: bus 200 MHz, ratio 15$/,
        memory        => qr/^6\d{4} KB$/,
        board         => qr/^pmuproof, p4sim board$/,
        bios          => qr{^pmuproof, p4sim BIOS 1\.0, 01/01/2006$},
        image         => qr/^CRC-32 [0-9A-F]{8}, [1-9]\d{4,5} bytes, as built$/,
        loader        => qr/^p4sim, multiboot 1$/,
        console       => qr/^ttyS0 at 3F8H \(BIOS data area\), 115200 baud$/,
        'boot line'   => qr/^\S+ only=state\.cccr$/,
        'pmu at boot' => qr/^none set$/,
        errata        => qr/^E1 E2 E4 E9$/,
        # The vendor's letters as CPUID has them, and the part's own leaves; the brand string is not said
        # twice.
        cpuid =>
            qr/^0: 5 756E6547 6C65746E 49656E69; 1: F43 [^;]*; .*4\.0: [^;]*; 4\.1: [^;]*; 4\.2: 0 [^;]*; 5: .*; 80000001: [^;]*; 80000005: [^;]*;.*80000008: [^;]*$/,
        'apic at boot' =>
            qr/^version 50014H, SVR FFH, LVT timer 10000H LINT0 10000H LINT1 10000H error 10000H performance 10000H thermal 10000H$/,
    },
    '0F47' => { threads => qr/^1 per core, 2 cores; / },
    '0F48' => {
        threads    => qr/^2 per core, 2 cores; boot processor is LP0; sibling runs$/,
        'apic ids' => qr/^0 1 2 3 \(ACPI MADT\)$/
    },
    '0F68' => { 'cache counters' => qr/^107CCH to 107D3H, 0 set$/, 'ds area' => qr/^00000000H$/ },
);

for my $cpu (sort keys %SAYS) {
    subtest $cpu => sub {
        my $log = document(p4sim('--cpu', $cpu, $ELF, 'only=state.cccr')->{out});
        my %value = inventory($log, grep { $cpu eq '0F68' || !/^cache/ } @KEYS);
        like $value{$_}, $SAYS{$cpu}{$_}, $_ for sort keys %{ $SAYS{$cpu} };
    };
}

# Two cores with two threads each: the sibling is the other thread of the core that the board starts on. INIT and start-up IPIs go to it
# alone, whichever core that is.
for my $case ([1], [ 2, qw(--board boot-on-lp1) ], [ 10, qw(--board boot-on-lp1 --board apic-renumbered) ]) {
    my ($sibling, @board) = @$case;
    my $run = p4sim(qw(--cpu 0F48 --stats), @board, $ELF, 'only=harness.second');
    ends(
        $run, 0,
        "0F48 @board: local APIC $sibling",
        err => qr/^p4sim: INIT or a start-up IPI reached local APIC $sibling$/m
    );
}

subtest 'the local APIC as firmware left it' => sub {
    my %says = (
        'lvt-left' => qr/ error D6H /,
        'apic-off' => qr/^unknown: local APIC disabled by firmware/,
    );
    for my $board (sort keys %says) {
        my %value = inventory(document(p4sim('--board', $board, $ELF, 'only=state.cccr')->{out}),
            grep { !/^cache/ } @KEYS);
        like $value{'apic at boot'}, $says{$board}, $board;
    }
};

subtest 'registers that fault' => sub {
    my %value = inventory(document(p4sim('--board', 'msr-all-fault', $ELF)->{out}),
        grep { !/pmu|errata|^cache/ } @KEYS);
    like $value{$_}, qr/^unknown: \w+ of \w+H faults: #GP/, $_
        for 'microcode', 'platform', 'misc enable', 'ds area';
};

subtest 'a machine without the PMU' => sub {
    my $run = run_qemu('-cpu', 'athlon,xlevel=0x80000003', '-kernel', $ELF, '-append', 'inventory');
    my %value =
        inventory(document($run->{out}), grep { !/pmu|errata|microcode|platform|misc|^ds|^cache/ } @KEYS);
    like $value{processor}, qr/^AuthenticAMD \w+H, not NetBurst$/, 'its processor';
    like $value{brand}, qr/^unknown: CPUID has no brand string$/,
        'a brand string that ends too early is none';
    like $value{board}, qr/^QEMU, /, 'its board, by the SMBIOS tables of SeaBIOS';
    like $value{bios}, qr/^SeaBIOS, \S+, [\d\/]+$/, 'and its BIOS';
};

done_testing;

# Checks the keys of the inventory; returns it as a hash.
sub inventory ($log, @keys) {
    my ($head) =
        $log =~ /\ATAP version 13\r\n1\.\.[^\n]*\n((?:# pmuproof is about to [^\n]*\n|# [a-z ]+: [^\n]*\n)*)/;
    my @told = map { /^# ([a-z ]+): (.*)\r$/ } split /\n/, $head // '';
    my %value = @told;
    is_deeply [ @told[ grep { $_ % 2 == 0 } 0 .. $#told ] ], \@keys, 'keys in their order, each once';
    return map { $_ => $value{$_} // '' } @keys;
}
