#!/usr/bin/perl
# The image on defective boards (p4sim --board): every run ends by itself with the verdict that is right for that board. The
# log says what was wrong; if the serial line is unusable, the screen does. Arguments: the boards to run, instead of all
# (prove tests/image/defects.t :: io-apic-open).
use lib 'tests/image';
use ImageTest;
use Parallel qw(cores in_parallel);

my %WORD = (0 => 'pass', 1 => 'fail', 77 => 'skip');    # README, "What you see"
# What shows as much as all vectors: these; where any vector may suffer, one member of each family.
# Two vectors and the courses take more than half of the time of these, so only make test-all has them here. noise.t has a drawn part
# of the courses beside NMIs and SMIs.
my @QUICK = ('quick', $ENV{TEST_ALL} ? () : 'skip=access.drawn,count.several,course');
my @SHORT =
    ('only=state,cascade.18-1,pmi.next-count,pmi.samples,pmi.software-disabled,harness', 'skip=state.hlt');
# What needs the board as little as that: its serial line, or its watchdog.
my @LINE = ('only=state.cccr,cascade.18-1,harness.serial');
# Where a vector may wait for the other logical processor.
my @SIBLING = $ENV{TEST_ALL} ? 'quick' : ('quick', 'only=harness,qualify,pmi,cascade');

# Events of branches, of clocks and of the bus.
my @EVENTS =
    map { "event.$_" }
    qw(branch_retired retired_branch_type mispred_branch_retired global_power_events ioq_active_entries);

# The courses of all counters; in make test those of counter 5, and of counter 12, which has CASCNT4INTO0.
my $COURSES = join ',', $ENV{TEST_ALL} ? qw(course.lives course.due) : qw(course.lives.5 course.due.12);

# Board, boot words, status, what the log must say; in groups by the reason for the status.
my @boards = (
    # The PMU works, so the run passes; the log says what is missing or wrong around it.
    [ 'pit-dead', \@SHORT, 0, qr/^# clocks: TSC .*\(assumed: the output of the PIT does not rise\)/m ],
    [
        'acpi-truncated',
        \@SHORT,
        1,
        qr/sibling not listed\r\n# apic ids: 0 \(ACPI MADT\).*^not ok \d+ - harness\.tables .*the MADT: its entries do not end where it ends/ms
    ],
    [
        'acpi-checksum',
        ['only=harness'],
        1,
        qr/sibling not listed\r\n# apic ids: 0 \(none\).*^not ok \d+ - harness\.tables .*the MADT: its checksum is wrong/ms
    ],
    [
        'acpi-loop',
        ['only=harness'],
        1,
        qr/sibling not listed\r\n# apic ids: 0 \(ACPI MADT\).*^not ok \d+ - harness\.tables .*the MADT: its entries do not end where it ends/ms
    ],
    # Without Hyper-Threading no processor is looked for in the MADT.
    [
        'acpi-truncated --cpu 0F12',
        ['only=harness'], 0,
        qr/^# no vector needs it: the MADT: it lists no processor\r\nok \d+ - harness\.tables #/m
    ],
    in_test_all([
        'acpi-checksum --ht off',
        ['only=harness'], 0,
        qr/^# no vector needs it: the MADT: its checksum is wrong\r\nok \d+ - harness\.tables #/m
    ]),
    # The tables of a real notebook, 0F29.
    [
        'no-madt --board apic-off --cpu 0F29',
        ['only=harness'],
        0,
        qr/^ok \d+ - harness\.clock\.acpi #\w{4}\r.*^ok \d+ - harness\.tables # SKIP the firmware has no MADT /ms
    ],
    [
        'no-madt',
        ['only=harness'],
        0,
        qr/sibling not listed\r\n# apic ids: 0 \(none\)\r.*^ok \d+ - harness\.tables # SKIP the firmware has no MADT /ms
    ],
    # Timers as they were seen, and what is left of one when the CMOS battery is empty: no vector needs them.
    [
        'acpi-timer:100', ['only=harness'],
        0, qr/\A(?!.*no vector needs it).*^ok \d+ - harness\.clock\.acpi #\w{4}\r/ms
    ],
    in_test_all([
        'acpi-timer:100 --board slow-ports',
        ['only=harness'], 0, qr/\A(?!.*no vector needs it).*^ok \d+ - harness\.clock\.acpi #\w{4}\r/ms
    ]),
    (
        map { [
            "acpi-timer:$_",
            ['only=harness'],
            0,
            qr/^# no vector needs it: the ACPI timer runs at (?:199|200|31[01]) % of its rate\r\nok \d+ - harness\.clock\.acpi #/m
        ] } 200,
        in_test_all(199, 310)
    ),
    [
        'acpi-timer-dead', ['only=harness'], 0,
        qr/^# no vector needs it: the ACPI timer does not count\r\nok \d+ - harness\.clock\.acpi #/m
    ],
    in_test_all([
        'acpi-timer-dead --board slow-ports',
        ['only=harness'], 0,
        qr/^# no vector needs it: the ACPI timer does not count\r\nok \d+ - harness\.clock\.acpi #/m
    ]),
    [
        'cmos-odd', ['only=harness'],
        0, qr/^# no vector needs it: the CMOS clock says 85 seconds\r\nok \d+ - harness\.cmos #/m
    ],
    [
        'cmos-stuck', ['only=harness'], 0,
        qr/^# no vector needs it: the update of the CMOS clock does not end\r\nok \d+ - harness\.cmos #/m
    ],
    [
        'no-tables', \@SHORT, 0,
        qr/sibling not listed\r\n# apic ids: 0 \(none\)\r\n.*^# board: unknown: no SMBIOS/ms
    ],
    [ 'pmi-left', \@SHORT, 0, qr/^# unexpected interrupts: 0 PMIs, 0 NMIs, 1 others/m ],
    [ 'nmi-anytime', \@QUICK, 0, qr/^# unexpected interrupts: \d+ PMIs, \d{3,} NMIs, \d{3,} others/m ],
    [
        'nmi-burst', [ 'only=state,access,cascade.18-1', 'skip=access.drawn' ],
        0, qr/^# unexpected interrupts: 0 PMIs, \d{4} NMIs, 0 others/m
    ],
    [ 'sipi-lost', ['only=harness'], 0, qr/sibling runs\r/ ],
    [ 'com-moved', \@LINE, 0, qr/^# console: ttyS3 at 2E8H \(BIOS data area\), 115200 baud\r/m ],
    [ 'com-spcr', \@LINE, 0, qr/^# console: ttyS3 at 2E8H \(ACPI SPCR\), 19200 baud\r/m ],
    [
        'uart-bytes',
        ['only=harness'],
        0,
        qr/^# console: UART at FE030000H \(ACPI SPCR\), baud rate as found\r.*^ok \d+ - harness\.serial #\w{4}\r/ms
    ],
    [
        'uart-words',
        ['only=harness'],
        0,
        qr/^# console: UART at FE030000H \(ACPI SPCR\), baud rate as found\r.*^ok \d+ - harness\.serial #\w{4}\r/ms
    ],
    [ 'tco-strapped', [ @LINE, 'watchdog' ], 0, qr/^# watchdog: ICH5, not used: NO_REBOOT does not clear/m ],
    [ 'no-pci', [ @LINE, 'watchdog' ], 0, qr/^# watchdog: none: /m ],
    (
        map { [ $_, [ @LINE, 'watchdog=once' ], 0, qr/^# watchdog: ICH5, resets after 60 s, once\r/m ] }
            qw(restarts tco-cleared)
    ),
    [ 'tco-smi', [ @LINE, 'watchdog' ], 0, qr/^# watchdog: ICH5, resets after 60 s\r/m ],
    [ 'uart-busy', \@LINE, 0, qr/^# console: ttyS0 at 3F8H \(BIOS data area\)/m ],
    [ 'line-hangs-up', ['only=state.cccr'], 0, qr/^# console: ttyS0 at 3F8H/m ],
    [ 'lvt-left', \@SHORT, 0, qr/\A(?!.*unexpected interrupts)/s ],
    # A local APIC that the firmware left disabled is enabled only by the word lapic=on (F39).
    [
        'apic-off', \@SHORT, 0,
        qr/\A(?!.*(?:set\ up|enable)\ the\ local\ APIC).*sibling\ out\ of\ reach:\ local\ APIC\ disabled\ by\ firmware\ \(lapic=on\)\r
        .*^\#\ local\ APIC\ disabled\ by\ firmware\ \(lapic=on\):\ nothing\ would\ end\ a\ vector\ that\ hangs\r
        .*^ok\ \d+\ -\ pmi\.\S+\ \#\ SKIP\ local\ APIC\ disabled\ by\ firmware\ \(lapic=on\)
        .*^\#\ not\ tested:\ \d+\ of\ \d+:\ local\ APIC\ disabled\ by\ firmware\ \(lapic=on\);\ BIOS:\ turn\ on\ the\ local\ APIC\r/msx
    ],
    [ 'apic-off', [ @SHORT, 'strict' ], 77, qr/^# END OF TAP: skip/m ],
    [
        'apic-off', [ @SHORT, 'lapic=on' ], 0,
        qr/^\#\ pmuproof\ is\ about\ to\ enable\ the\ local\ APIC,\ which\ the\ firmware\ left\ disabled\r
        .*sibling\ runs\r\n(?!.*SKIP\ local\ APIC)/msx
    ],
    [ 'apic-none', [ @SHORT, 'lapic=on' ], 0, qr/^# local APIC does not enable: nothing would end/m ],
    in_test_all([ 'apic-none --ht off', \@SHORT, 0, qr/sibling absent\r/ ]),
    [
        'apic-none',
        \@SHORT,
        0,
        qr/sibling out of reach: local APIC disabled by firmware \(lapic=on\)\r.*^# local APIC disabled by firmware \(lapic=on\): nothing would end/ms
    ],
    [
        'boot-on-lp1 --cpu 0F44',
        ['only=pmi'], 0, qr/SKIP no PMI comes to LP1 \(erratum E5\), which is the boot processor/
    ],
    [
        'boot-on-lp1', \@QUICK, 0,
        qr/boot processor is LP1; sibling runs\r\n.*SKIP the boot processor is logical processor 1/ms
    ],
    in_test_all([
        'boot-on-lp1 --cpu 0F48',
        \@QUICK, 0, qr/boot processor is LP1; sibling runs\r\n# apic ids: 0 1 2 3 /
    ]),
    in_test_all([
        'ht-off --cpu 0F48',
        \@QUICK, 0, qr/threads: 2 per core, 2 cores; .* sibling not listed\r\n# apic ids: 0 2 /
    ]),
    [
        'two-packages',
        \@SHORT,
        0,
        qr/sibling runs\r\n# apic ids: 0 1 6 7 \(ACPI MADT\)\r\n.*^# io apic at boot: 0 of 48 entries open\r/ms
    ],
    [ 'apic-renumbered', \@SHORT, 0, qr/sibling runs\r\n# apic ids: 8 9 \(ACPI MADT\)\r/ ],
    [ 'other-package', \@SIBLING, 0, qr{threads: 2 per core, 1 core; .* sibling not in this core\r} ],
    [ 'ht-off', ['only=qualify'], 0, qr{threads: 2 per core, 1 core; .* sibling not listed\r} ],
    [
        'cpuid-limited --cpu 0F47',
        \@SHORT,
        0,
        qr/CPUID limit lifted\r\n# ds area: 00000000H\r\n# threads: 1 per core, 2 cores; .* sibling absent\r/
    ],
    [
        'bts-left', ['only=state.cccr'],
        0, qr/^# debug store at boot: IA32_DEBUGCTL 1CH, now 00H; DS area 0009F000H\r/m
    ],
    [ 'smi-cools', ['only=state,pmi.software-disabled,harness,cascade.18-1'], 0, qr/thermal 200H\r/ ],
    [
        'io-apic-open', \@SHORT, 0,
        qr/\A(?!.*unexpected interrupts).*^# io apic at boot: 1 of 24 entries open\r/ms
    ],
    [
        'io-apic-open --board no-tables', ['only=state.cccr'],
        0, qr/^# io apic at boot: 1 of 24 entries open\r/m
    ],
    [
        'io-apic-forgets --board io-apic-open', ['only=state.cccr'],
        0, qr/^# io apic at boot: 1 of 24 entries open\r/m
    ],
    [ 'io-apic-firmware', ['only=state.cccr'], 0, qr/^# io apic at boot: 2 of 24 entries open\r/m ],
    [
        'smi-long', ['only=probe.board,harness'],
        0, qr/^# sheet 10\.16b [^:]*: (?:0\.99|1\.00)\d to (?:0\.99|1\.00)\d/m
    ],
    [ 'hot', ['only=probe.board,harness'], 0, qr/^# sheet 10\.16b [^:]*: 0\.(?:4[89]|50)\d to 0\.5[01]\d/m ],
# A slow processor, and SMIs in a third of the time: windows are short, a reference is not one run, and a storm is known by its PMIs.
    [
        'tm1:12 --board smi-each:1000:300 --cpu 0F12 --timing 2',
        [ 'only=count.long,harness.ends,' . join ',', $ENV{TEST_ALL} ? 'event' : @EVENTS ],
        0, qr/^ok \d+ - harness\.ends\.storm /m
    ],
# SMIs at a rate of their own do not meet the end of each round; an SMI among starts or stops of counters has a witness,
# in one of a few loops: `# disturbed:` is about the first loop alone, which perhaps meets no SMI.
    [ 'smi-each:700:400', ['only=harness.clock'], 0, qr/^ok \d+ - harness\.clock\.pit /m ],
    [
        'tm1:12 --board smi-each:500:50 --timing 8',
        [ 'only=qualify.active.sibling-wakes', 'loop=' . ($ENV{TEST_ALL} ? 20 : 4) ],
        0,
        qr/^# soak loop \d+: [^\r]* in all [^\r]*, [1-9]\d* disturbed;/m
    ],
    [ 'slow-ports', \@SHORT, 0, qr/^# END OF TAP: pass/m ],
    [
        'bios-hangs', ['only=state.cccr'], 2,
        qr/^# pmuproof is about to look for PMULOG\.TXT on drive 80H, through the BIOS\r\n\z/m
    ],
    [ 'bios-hangs', [ 'only=state.cccr', 'logfile=off' ], 0, qr/^ok 1 - state\.cccr /m ],
    [
        'bios-calls --board apic-off --noise 1',
        ['only=harness.tables'], 0, qr/^# log file: none: drive 80H: the BIOS does not know it\r/m
    ],
    [
        'bios-calls', ['only=state.init,pmi.next-count,harness'],
        0, qr/^# log file: none: drive 80H: the BIOS does not know it\r/m
    ],
    [
        'lp1-halts-late', ["only=qualify.active.sibling-wakes,filter.values,$COURSES"],
        0, qr/\A(?!.*^# disturbed)/ms
    ],
    # Something that the vectors need is broken.
    [ 'counter-dead:12', \@SHORT, 1, qr/^not ok \d+ - cascade\.18-1\.iq\.12-14/m ],
    [ 'pmi-storm', \@SHORT, 1, qr/^not ok \d+ - pmi\.next-count.*^# stray PMIs: \d/ms ],
    [ 'lp1-silent', ['only=harness'], 1, qr/sibling does not answer.*^not ok \d+ - harness\.sibling/ms ],
    [ 'lp1-dies', \@SIBLING, 1, qr/^not ok \d+ - harness\.sibling/m ],
    [
        'mc-left', ['only=state.cccr'],
        0, qr/^# machine checks at boot: bank 1 B400000000000135H, bank 3 B000000000000175H\r/m
    ],
    [
        'machine-check --board bios-calls',
        \@SHORT,
        2,
        qr/^# machine checks at boot: none\r.*^not ok \d+ - kernel\.machine-check .*^  bank_1: 'B400000000000135H, address 01234560H'\r.*^Bail out! machine check: the hardware failed, see its banks\r/ms
    ],
    # Without the timer nothing would end a vector that hangs, so no vector is started.
    [
        'apic-dead',
        ['only=state.cccr'],
        2,
        qr/^not ok 1 - harness\.deadline #[0-9A-F]{4}\r\nBail out! the local APIC timer does not interrupt/m
    ],
# A register that faults at its first access is left out: what needs it is skipped, what does not runs. It is a failure of
# its own vector, unless it is an ESCR without an event (E19).
    [
        'msr-fault:3A1', ['only=access.escr,cascade.18-1'],
        1, qr/^# left out: MSR_BSU_ESCR1: access faults\r.*^not ok \d+ - access\.escr\.bsu_escr1 #/ms
    ],
    [
        'msr-fault:36C', ['only=access.cccr,cascade.18-1'],
        1, qr/^not ok \d+ - access\.cccr\.12 #.*SKIP MSR_IQ_CCCR0 is left out: its access faults/ms
    ],
    [
        'msr-fault:30C', ['only=access.counter,access.cccr'],
        1, qr/^not ok \d+ - access\.counter\.12 #.*^ok \d+ - access\.cccr\.13 #/ms
    ],
    [
        'msr-fault:3BE --cpu 0F29',
        ['only=state,access.escr,reach,qualify.escr'],
        0, qr/^# left out: MSR_SSU_ESCR0: access faults\r.*SKIP MSR_SSU_ESCR0 is left out/ms
    ],
    [ 'msr-fault:3F2', ['only=state,tag'], 0, qr/^# left out: MSR_PEBS_MATRIX_VERT: access faults\r/m ],
    in_test_all([
        'msr-fault:3A1 --board msr-fault:3F2',
        ['only=access.escr'], 1, qr/^# left out: MSR_BSU_ESCR1 MSR_PEBS_MATRIX_VERT: access faults\r/m
    ]),
    # A processor that announces its PMU and shows no hypervisor has one: it is broken, not absent.
    [
        'msr-fault',
        ['only=state.cccr'],
        1,
        qr/^not ok 1 - boot\.pmu #.*what: 'every access to the counter registers faults'.*^  observed: '#GP general protection of WRMSR'/ms
    ],
    [
        'msr-zero',
        ['only=state.cccr'],
        1,
        qr/^not ok 1 - boot\.pmu #.*what: 'the counter registers drop what is written to them'.*^  msr: '300H'\r\n  written: '5555555555H'\r\n  expected: '5555555555H'\r\n  observed: '0000000000H'\r/ms
    ],
    # There is no PMU, or the processor does not report whether it has one.
    [ 'hypervisor', \@SHORT, 0, qr/sibling runs\r/ ],
    [
        'msr-fault --board hypervisor',
        ['only=state.cccr'], 77, qr/SKIP every access to the counter registers faults(?!.*about to)/s
    ],
    in_test_all([
        'msr-zero --board hypervisor', ['only=state.cccr'],
        77, qr/SKIP the counter registers drop what is written/
    ]),
    [ 'msr-all-fault', ['only=state.cccr'], 77, qr/SKIP RDMSR of IA32_MISC_ENABLE faults(?!.*about to)/s ],
);

# Boards whose serial line is unusable: options, boot words, status, what the last row of the screen must say,
# and what the rest must say. The last one is the line that dies.
my @LINE_DIES = ('only=access,cascade.18-1', 'skip=access.drawn');    # bytes enough
my $ALONE = qr/^# no serial line answers: this log is on the screen alone, in pages at the end$/m;
my @mute = (
    [ 'no UART', ['--no-uart'], ['only=state.cccr'], 0, qr/PASS/, $ALONE ],
    in_test_all([ 'uart-stuck', [qw(--board uart-stuck)], ['only=state.cccr'], 0, qr/PASS/, $ALONE ]),
    [
        'no UART and counter-dead:12', [qw(--no-uart --board counter-dead:12)],
        ['only=cascade.18-1.iq'], 1,
        qr/FAIL/, qr/^ first failure: \S+\n what: /m
    ],
    in_test_all([ 'uart-mute', [qw(--board uart-mute)], ['only=state.cccr'], 0, qr/PASS/, $ALONE ]),
    [
        'uart-dies', [qw(--board uart-dies)],
        \@LINE_DIES, 2,
        qr/BROKEN/, qr/^Bail out! the serial line stopped taking bytes/m
    ],
);

# With arguments, only the boards that they name.
my %wanted = map { $_ => 1 } @ARGV;
if (@ARGV) {
    @boards = grep { $wanted{ $_->[0] =~ s/ .*//r } } @boards;
    @mute = ();
    @boards or BAIL_OUT("no board is called @ARGV");
}

my @listed = p4sim('--board', 'list')->{out} =~ /^(\S+)/mg;
my %tried = map { $_ => 1 } (map { $_->[0] =~ s/:[0-9A-F]+/:N/r =~ s/ .*//r } @boards),
    (map { $_->[0] } @mute), qw(smi-each:N:M),    # it has a subtest of its own
    $ENV{TEST_ALL} ? () : qw(uart-stuck uart-mute);
is_deeply [ grep { !$tried{$_} } @listed ], [], 'every board of the list is tried, here or in make test-all'
    if !@ARGV;

# What the table of docs/campaign.md says of the points of the harness, whatever the PMU does.
subtest 'points of the harness' => sub {
    my %board = map { $_ => 1 } @listed;
    for my $row (slurp('docs/campaign.md') =~ /^(\| `[^|]* \| `harness\.[^|]* \|)$/mg) {
        my (undef, $names, $what) = split / ?\| /, $row;
        my ($point, $verdict) = $what =~ /\A`(harness\.\S+)`(?: (fails)|: SKIP)/
            or die "what is this row: $row";
        my $id = quotemeta($point) =~ s/\\\*/\\w+/r;
        for my $name ($names =~ /`(.*?)`/g) {
            like p4sim(
                $board{$name}
                ? ('--stats', '--board', $name, $ELF, 'only=harness')
                : ('--fault', $name, $ELF, "only=$point")
                )->{out},
                $verdict ? qr/^not ok \d+ - $id /m : qr/^ok \d+ - $id # SKIP /m, $name;
        }
    }
    }
    if !@ARGV;

# The share of its clocks that the kernel measures is that of the name, an eighth each (SDM 14.7.3), and no window of 100 us is
# off by a whole stop of 3 us, which would be 0.03.
subtest 'the duty cycles of tm1' => sub {
    my %eighths = (12 => 1, 50 => 4, 87 => 7, in_test_all(25 => 2, 37 => 3, 62 => 5, 75 => 6));
    for my $percent (sort keys %eighths) {
        my $out = p4sim('--board', "tm1:$percent", $ELF, 'only=probe.board')->{out};
        my @share = $out =~ /^# sheet 10\.16b [^:]*: (0\.\d+) to (0\.\d+) /m;
        my $duty = $eighths{$percent} / 8;
        ok @share == 2 && !(grep { abs($_ - $duty) >= 0.03 } @share), "tm1:$percent"
            or diag "@share, not $duty";
    }
    }
    if !@ARGV;

# Of a loop of RDTSC only an SMI takes time, 3000 clocks for a microsecond on 0F43; a lap of the loop takes a hundred.
subtest 'the SMIs of smi-each' => sub {
    for my $case ([ '1000', 4, 100 ], [ '2000:5', 2, 5 ], [ '500:450', 8, 450 ]) {
        my ($name, $times, $us) = @$case;
        my $out = p4sim('--board', "smi-each:$name", $ELF, 'only=probe.board')->{out};
        my ($gaps, $longest) =
            $out =~ /^# sheet 10\.16a [^:]*: (\d+) in 4000 us, .* longest distance (\d+) clocks/m;
        cmp_ok abs($gaps - $times), '<=', 1, "smi-each:$name: how often in 4 ms";
        cmp_ok abs($longest - 3000 * $us), '<', 300, 'and how long';
    }
    }
    if !@ARGV;

subtest 'names that mean nothing are refused' => sub {
    for my $name (
        qw(no-such-board counter-dead:18 counter-dead msr-fault:0 msr-fault:XY acpi-timer: acpi-timer:x acpi-timer:1001 tm1: tm1:40 tm1:100 tm1:50x
        smi-each: smi-each:1000:4 smi-each:1000:996 smi-each:2000000 smi-each:1000:5:5)
        )
    {
        my $run = p4sim('--board', $name, $ELF);
        is $run->{status}, 2, "exit status of $name";
        ok one_line($run->{err}), 'one line says why' or diag $run->{err};
    }
    my $run = p4sim((map { ('--board', sprintf 'msr-fault:%X', $_) } 0x3A0 .. 0x3A8), $ELF);
    is $run->{status}, 2, 'exit status of nine registers that fault';
    is $run->{err}, "p4sim: --board msr-fault:3A8: too many registers fault already\n", 'one line says why';
    }
    if !@ARGV;

# The same runs without the defect: what p4sim is given, in a line.
sub sound ($board) {
    return join ' ', '--stats', (split / /, $board->[0])[ 1 .. $board->[0] =~ tr/ // ], $ELF,
        @{ $board->[1] };
}
my %sound = map { sound($_) => 1 } @boards;
my @sound = sort keys %sound;
$sound{ $sound[$_] } = @boards + @mute + $_ for 0 .. $#sound;

my @runs = in_parallel(
    cores(),
    @boards + @mute + @sound,
    'boards',
    sub ($number) {
        my ($name, $what, $words) = @{ (@boards, @mute)[$number] // [] };
        my $run =
              $number < @boards         ? p4sim('--stats', '--board', (split / /, $name), $ELF, @$what)
            : $number < @boards + @mute ? p4sim(@$what, '--screen', "$dir/$number.screen", $ELF, @$words)
            :                             p4sim(split / /, $sound[ $number - @boards - @mute ]);
        file("$number.$_", $run->{$_}) for qw(out err);
        return $run->{late} ? 'late' : $run->{status} // "signal $run->{signal}";
    }
);

sub seen ($number) {
    return slurp("$dir/$number.out") . join ' ',
        slurp("$dir/$number.err") =~ /(\d+) (?:instructions|clocks)/g;
}

for my $number (0 .. $#boards) {
    my ($name, $words, $status, $says) = @{ $boards[$number] };
    subtest $name => sub {
        my $out = slurp("$dir/$number.out");
        is $runs[$number][0], $status, 'status' or diag slurp("$dir/$number.err");
        my ($parser) = results(document($out));
        my @errors = $parser->parse_errors;
        @errors = grep { !/^Bad plan/ } @errors if $status == 2;    # what was planned is not run then
        is_deeply \@errors, [], 'the log is sound TAP';
        like $out, end_line($WORD{$status}), 'and ends as it should' if $WORD{$status};
        like $out, $says, 'it says what is wrong';
        isnt seen($number), seen($sound{ sound($boards[$number]) }),
            'the board has the defect: without it the log or the time is another'
            if $name !~ /^(?:tco-smi|io-apic-forgets|restarts|tco-cleared)/;    # the kernel avoids these; hostile.t and board.t show them
    };
}

for my $i (0 .. $#mute) {
    my ($title, undef, undef, $status, $banner, $says) = @{ $mute[$i] };
    my $number = @boards + $i;
    subtest $title => sub {
        my $screen = slurp("$dir/$number.screen");
        is $runs[$number][0], $status, 'status' or diag slurp("$dir/$number.err");
        like + (split /\n/, $screen)[-1], $banner, 'the verdict is on the screen';
        like $screen, $says, 'and what is wrong too';
    };
}

subtest 'what a serial line says before it dies' => sub {
    my $whole = p4sim($ELF, @LINE_DIES)->{out};
    my $beginning = slurp("$dir/" . (@boards + $#mute) . '.out');
    cmp_ok length $beginning, '>', 0, 'there is a log';
    ok index($whole, $beginning) == 0, 'it is the beginning of the whole one';
    }
    if !@ARGV;

done_testing;
