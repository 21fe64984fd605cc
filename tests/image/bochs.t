#!/usr/bin/perl
# The ISO in Bochs, an emulator that shares nothing with p4sim or QEMU: its Pentium 4 has a local APIC, INIT and start-up IPI
# of its own, with one and two threads. It has no PMU. With the registers of one as plain storage, which the option msrs= of
# Bochs gives, it is a PMU that stores and never counts; without them, one that is promised and dead.
use lib 'tests/image';
use ImageTest;
use CheckedLog qw(log_faults);

my $USUAL = 120;        # seconds; each run takes some two of an idle core, the whole test four
my $IPS = 4_000_000;    # instructions per second of the simulated time: BIOS and boot loader spend most of theirs waiting

# The ISO with another menu: it starts the kernel at once, with these words.
sub medium ($name, @words) {
    my $iso = slurp($BIOS_ISO);
    my $begin = index $iso, '# The menu, on the screen';
    my $bytes = index($iso, "\0", $begin) - $begin;
    my $menu = "multiboot /boot/pmuproof.elf @words\nboot\n";
    substr $iso, $begin, $bytes, $menu . "\n" x ($bytes - length $menu);
    return file("$name.iso", $iso);
}

# An MSR as Bochs's file has it: reset value, reserved bits (a write of them is #GP), ignored bits; each of 64 bits.
sub msr ($number, $reset = 0, $reserved = 0, $ignored = 0) {
    return sprintf "%#x 0 %s\n", $number,
        join ' ', map { sprintf '%08x %08x', $_ >> 32, $_ & 0xFFFFFFFF } $reset, $reserved, $ignored;
}

# IA32_MISC_ENABLE with the PMU and no debug store; what else the kernel reads of a Pentium 4; and the registers of the PMU
# (pmu-rules 2): counters of 40 bits, CCCRs, ESCRs, PEBS_ENABLE and PEBS_MATRIX_VERT.
my @PROMISE = (msr(0x1A0, 0x1880), map { msr($_) } 0x17, 0x2C, 0x8B, 0x1D9, 0x600);
my $HIGH = 0xFFFFFFFF << 32;
my @REGISTERS = (
    map({ msr($_, 0, 0, 0xFFFFFF << 40) } 0x300 .. 0x311),
    map({ msr($_, 0, $HIGH, 0x7FF) } 0x360 .. 0x371),    # bit 11 is the extended cascade's
    map({ msr($_, 0, $HIGH | 1 << 31) } 0x3A0 .. 0x3BE, 0x3C0 .. 0x3C5, 0x3C8 .. 0x3CD, 0x3E0, 0x3E1),
    map({ msr($_) } 0x3F1, 0x3F2),
);

my ($BIOS, $VGA_BIOS) = ('/usr/share/bochs/BIOS-bochs-latest', '/usr/share/vgabios/vgabios.bin');
my ($BOCHS) = grep { -x } map { "$_/bochs" } split /:/, $ENV{PATH};

# Runs Bochs with this processor and further lines of its configuration, unless it has run so before: by its clock, which
# counts instructions, each run is the same (clock: sync=none). Its screen is a terminal that nobody reads, whose
# buffer must not fill up, so it is drawn once in a second of the simulated time, however long that takes. Debian
# builds it with its debugger, which waits for "c" (continue), and asks again at the end. Returns the log, what Bochs says,
# and how it ended.
sub bochs ($name, $cpu, $words, @lines) {
    my $iso = medium($name, @$words);
    my $rc = file(
        "$name.rc", join "\n",
        "cpu: model=p4_prescott_celeron_336, ips=$IPS, $cpu",
        split(/\n/, <<"RC"), @lines, '');
megs: 32
romimage: file=$BIOS
vgaromimage: file=$VGA_BIOS
display_library: term
vga: extension=vbe, update_freq=1, realtime=0
ata0-master: type=cdrom, path=$iso, status=inserted
boot: cdrom
clock: sync=none, time0=0
com1: enabled=1, mode=file, dev=$dir/$name.out
log: $dir/$name.log
panic: action=fatal
error: action=ignore
sound: waveoutdrv=dummy, waveindrv=dummy, midioutdrv=dummy
speaker: enabled=0
RC
    my @files = ($BOCHS, $BIOS, $VGA_BIOS, $iso, $cpu =~ /msrs=(\S+)/);
    return kept(
        'bochs',
        (map { sum_of($_) } @files),
        slurp($rc) =~ s/\Q$dir\E//gr,
        sub {
            local $ENV{TERM} = 'vt100';
            my $run = run($USUAL, 'sh', '-c', 'echo c | bochs -q -f "$1"', 'sh', $rc);
            my ($out, $said) = map { -e "$dir/$name.$_" ? slurp("$dir/$name.$_") : '' } qw(out log);
            return { %$run, log => document($out), said => $said };
        }
    );
}

# The points of a log with this outcome.
sub points ($log, $outcome) { return $log =~ /^$outcome \d+ - (\S+)(?: #[0-9A-F]{4})?\r$/mg }

# Checks that the log is whole, and that the machine was switched off in this way.
sub is_over ($run, $verdict, $off) {
    ok !$run->{late}, 'it ends by itself, by exit=off';
    like $run->{said}, $off, 'in this way';
    is_deeply [ log_faults($run->{log}, $verdict) ], [], 'after a log that is whole'
        or diag $run->{out}, $run->{err};
}

my @WORDS = qw(quiet logfile=off exit=off);
my $SOFT_OFF = qr/soft power off/;                       # of ACPI
my $PORT_OFF = qr/Shutdown port: shutdown requested/;    # 8900H

# What a machine lacks that has no second thread, or has no ACPI.
my @SECOND = map { "harness.$_" } qw(second.work second.wake second.init second.lvtpc second.crash sibling);
my @ACPI = map { "harness.$_" } qw(clock.acpi tables);

# The rate of the TSC is that of the instructions; a round of the PIT is read a few instructions late.
for my $machine (
    in_test_all([ 'one thread', 'count=1', $SOFT_OFF, \@SECOND ]),
    [ 'two threads', 'count=1:1:2', $SOFT_OFF, [] ],
    [ 'one thread, no PCI and so no ACPI', 'count=1', $PORT_OFF, [ @SECOND, @ACPI ], 'pci: enabled=0' ],
    )
{
    my ($title, $cpu, $off, $lacks, @lines) = @$machine;
    subtest $title => sub {
        my $run = bochs($title =~ s/\W+/-/gr, $cpu, [ @WORDS, 'only=harness' ], @lines);
        is_over($run, 'skip', $off);
        my $log = $run->{log};
        like $log, qr/^# processor: GenuineIntel 0F41H, Prescott/m, 'its processor is a Pentium 4';
        like $log, qr/^ok \d+ - pmu # SKIP IA32_MISC_ENABLE\[7\] = 0/m, 'which says that it has no PMU';
        my ($khz, $apic, $said) = $log =~ /^# clocks: TSC (\d+) kHz, APIC timer (\d+) kHz \(([^)]*)\)/m;
        is $said, 'no NetBurst part has this rate', 'its clock was measured, and is no such part\'s';
        cmp_ok abs($_ - $IPS / 1000), '<', $IPS / 1000 / 100, 'its rate' for $khz, $apic;
        is_deeply [ points($log, 'not ok') ], [], 'nothing fails';
        my @skipped =
            grep { !/\A(?:pmu|harness\.(?:logfile|refused\.\w+))\z/ } $log =~ /^ok \d+ - (\S+) # SKIP/mg;
        is_deeply [ sort @skipped ], [ sort @$lacks ], 'what it lacks is skipped, and nothing else';
        like $log, qr/^# unexpected interrupts: 0 PMIs, 0 NMIs, \d+ others: vectors? FFH\r$/m,
            'the local APIC\'s spurious interrupts are named'
            if $log =~ /^# unexpected/m;
    };
}

# It stores what is written, and never counts; nor does RDPMC read a counter. The whole test: what needs a counter is not run,
# and the log says so first, in less than the bytes of a pass.
subtest 'the registers of a PMU' => sub {
    my $msrs = file('registers.msrs', join '', @PROMISE, @REGISTERS);
    my $run = bochs('registers', "count=1, msrs=$msrs", [qw(logfile=off exit=off)]);
    is_over($run, 'fail', $SOFT_OFF);
    my $log = $run->{log};
    cmp_ok length $log, '<', $LOG_BUDGET, 'bytes of its log';
    my ($not_run) =
        $log =~
        /^# stage count is gone: no counter counts: \S+ failed, and so did 18 of 18 counters, .*; (\d+) vectors not run\r$/m;
    cmp_ok $not_run // 0, '>', 300, 'most vectors are not run, because no counter counts';
    is_deeply [ grep { !/\Aaccess\.(?:counter\.\d+|rdpmc\.effects|refused)\z/ } points($log, 'not ok') ], [],
        'what fails is RDPMC';
    is scalar(grep { /\Aaccess\.(?:cccr|escr)\./ } points($log, 'ok')), 18 + 45 - 2,
        'the registers hold what is written, without the ESCRs of models 0 to 2';
    like qx(tools/pmulog explain @{[ file('registers.tap', $log) ]}), qr/^Above all: no counter counts\. /m,
        'explain begins with it';

    return if !$ENV{TEST_ALL};    # bringup.t has many such PMUs
    my $bringup = bochs('bringup', "count=1, msrs=$msrs", [ @WORDS, 'bringup' ]);
    is_over($bringup, 'fail', $SOFT_OFF);
    like $bringup->{log},
        qr/^# bringup stops at stage registers \(R3 R4 R60\): right on no counter; wrong on 0-17: RDPMC\(0\) = 00000000H, not EDCBA98770H\r$/m,
        'bringup begins with RDPMC';
};

# It promises a PMU, and no register of it is there.
subtest 'a PMU that is promised' => sub {
    my $msrs = file('promise.msrs', join '', @PROMISE);
    my $run = bochs('promise', "count=1, msrs=$msrs", [ @WORDS, 'only=harness' ]);
    is_over($run, 'fail', $SOFT_OFF);
    my %failed = diagnoses($run->{log});
    is_deeply [ keys %failed ], ['boot.pmu'], 'that alone fails';
    like $failed{'boot.pmu'},
        qr/register: 'MSR_BPU_COUNTER0'\r\n  msr: '300H'\r\n  written: '5555555555H'\r\n  expected: '5555555555H'\r\n  observed: '0000000000H'/,
        'with what its first register does';
    my @harness = grep { /\Aharness\./ } points($run->{log}, 'ok');
    cmp_ok scalar @harness, '>', 30, 'and the harness is tested all the same';
};

done_testing;
