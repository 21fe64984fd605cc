#!/usr/bin/perl
# The characterisation sheet at the end of the log: it answers every question with what p4sim was configured
# to be. Each legal variant of the model changes the line of its question, or a comment of its probe, and no
# probe fails with any variant.
use lib 'tests/image';
use ImageTest;
use List::Util qw(pairmap);

my @QUESTIONS = (
    qw(10.1a 10.1b 10.1c 10.1d 10.1e 10.2 10.3a 10.3b 10.4 10.5a 10.5b 10.6a 10.6b 10.6c 10.7a 10.7b 10.7c),
    (map { "10.8$_" } 'a' .. 'j'),
    qw(10.9a 10.9b 10.10 10.11a 10.11b 10.11c 10.11d 10.11e 10.11f 10.11g 10.11h 10.12a 10.12b 10.12c
        10.13a 10.13b),
    (map { "10.14$_" } 'a' .. 'h'),
    qw(10.15a 10.15b 10.15c 10.16a 10.16b 10.16c 10.16d 10.17a 10.17b 10.18a 10.18b 10.18c 10.19 10.20),
    qw(11.1 11.2 11.3a 11.3b 11.4 11.5 11.6 11.7 11.8 11.9a 11.9b 11.12),
);

# Variant, processor that shows it, question or probe => what its line or comments say by default and with the
# variant.
my @VARIANTS = (
    [ 'cascade-latch', '0F43', '10.1a', qr/level/, qr/latch/ ],
    [ 'alt17-13', '0F43', '10.2', qr/^15 /, qr/^13 / ],
    [ 'reserved-faults', '0F43', '10.8f', qr/^kept, inert$/, qr/^faults$/ ],
    [ 'reserved-faults', '0F12', '10.13b', qr/^kept$/, qr/^faults$/ ],
    [ 'edge-true', '0F43', '10.7a', qr/\(starts false\)/, qr/\(starts true\)/ ],
    [ 'edge-kept', '0F43', '10.7a', qr/\(starts false\)/, qr/\(kept\)/ ],
    [ 'edge-restarts', '0F43', '10.7c', qr/^edges: 1; writes: 8$/, qr/^edges: 9; writes: 8$/ ],
    [ 'enable-reads-back', '0F43', '10.1c', qr/^0$/, qr/^1, and .* counts on$/ ],
    [ 'start-same-clock', '0F43', '10.1d', qr/^the one after/, qr/^the clock of/ ],
    [ 'written-ovf-no-cascade', '0F43', '10.3a', qr/^starts Y$/, qr/^starts nothing$/ ],
    [ 'written-ovf-pmi', '0F43', '10.3b', qr/^not raised$/, qr/^raised$/ ],
    [ 'ccr1-enable-dead', '0F43', '10.4', qr/^works$/, qr/^does not work/ ],
    [ 'force-ovf-breaks-cascade', '0F43', '10.6a', qr/^starts Y$/, qr/E14/ ],
    [ 'force-ovf-breaks-cascade', '0F43', '10.6b', qr/^starts Y$/, qr/E14/ ],
    [ 'force-ovf-first-pmi', '0F43', '10.6c', qr/^with count 2$/, qr/^with count 1$/ ],
    [
        'unmapped-counts-nothing', '0F43',
        '10.7b', qr/COMPLEMENT counts clocks/,
        qr/COMPLEMENT counts nothing/
    ],
    [ 'unmapped-counts-nothing', '0F43', '11.1', qr/^counts clocks$/, qr/^counts nothing$/ ],
    [ 'strict-power', '0F43', '11.2', qr/^Y counts on$/, qr/^Y stops$/ ],
    [ 'pmi-every-count', '0F43', '11.3a', qr/^no PMI/, qr/^PMI with the next count$/ ],
    [ 'pmi-same-clock-surplus', '0F43', '11.4', qr/^none,/, qr/^at once/ ],
    [ 'halted-clocks', '0F43', '11.5', qr/^counts 0 clocks/, qr/^counts [1-9]\d* clocks/ ],
    [ 'edge-runs-ungated', '0F43', '11.6', qr/^held$/, qr/^runs on$/ ],
    [ 'edge-follows', '0F43', '11.12', qr/is an edge$/, qr/is no edge$/ ],
    [ 'e3-when-started', '0F29', '11.8', qr/^not raised$/, qr/^raised$/ ],
    [ 'no-e3', '0F29', '10.5a', qr/^not raised$/, qr/^raised$/ ],
    [ 'no-e3', '0F29', '10.5b', qr/^not raised$/, qr/^raised$/ ],
    [ 'ti-halted-cpl-ignored', '0F43', '11.9b', qr/^counted$/, qr/^not counted$/ ],
    [
        'active-thread-ignored', '0F12',
        '10.13a', qr/00B does not, 01B counts, 10B does not/,
        qr/00B counts, 01B counts, 10B counts/
    ],
    [ 'split-twice', '0F43', '10.11d', qr/^LSC 1\.00, SSC 1\.00$/, qr/^LSC 2\.00, SSC 2\.00$/ ],
    [ 'core-below-tsc', '0F43', '10.12c', qr/^1\.00/, qr/^0\.(?:799|80)/ ],
    [
        'core-below-tsc', '0F43', '10.16b',
        qr/^(?:0\.99|1\.00)\d to (?:0\.99|1\.00)\d/,
        qr/^0\.(?:79|80)\d to 0\.(?:79|80)\d/
    ],
    [
        'start-same-clock', '0F43',
        '10.1e', qr/^BPU 1, MS 1, FLAME 1, IQ 1$/,
        qr/^BPU 0, MS 0, FLAME 0, IQ 0$/
    ],
    [ 'tc-ms-xfer-once', '0F43', '10.11e', qr/^tc_ms_xfer 2\.00,/, qr/^tc_ms_xfer 1\.00,/ ],
    [
        'doubled-on-6-only', '0F43', '10.11h',
        qr/^fldcw 2\.00, emms 2\.00, sfence 2\.00, mfence 2\.00$/,
        qr/^fldcw 1\.00, emms 1\.00, sfence 1\.00, mfence 1\.00$/
    ],
    [ 'smclear-repeats', '0F43', '10.11e', qr/SMCLEAR 1\.00$/, qr/SMCLEAR (?:1\.[1-9]|2\.)\d+$/ ],
    # The two instructions that are executed at CPL 3 do not reach any of these presets.
    [ 'early-counts', '0F43', '10.15b', qr/^none of -3 to -16$/, qr/^-3 to -8, 24 of 24 times$/ ],
    [
        'e1-write-adds', '0F43', '10.17a',
        qr/a WRMSR at most 0, no access 0$/,
        qr/64 RDMSR add 0, .* a WRMSR at most 1, no access 0$/
    ],
    [
        'e1-access-adds', '0F43', '10.17a',
        qr/^64 RDMSR add 0, 64 RDPMC 0,/,
        qr/^64 RDMSR add 64, 64 RDPMC 64, a WRMSR at most 1, no access 0$/
    ],
    [ 'iq-escr-faults', '0F43', '10.18a', qr/ 00000000H: 3BA-3BB;/, qr/ RDMSR faults: 3BA-3BB;/ ],
    [ 'reserved-faults', '0F12', '10.18b', qr/^FFFFF000H: 0-17$/, qr/ faults/ ],
    [ 'no-t1-storage', '0F12', '10.18a', qr/7FFFFFFFH: 3A0/, qr/7FFFFFFCH: 3A0/ ],
    [ 'no-t1-storage', '0F12', '10.13b', qr/^kept$/, qr/^ignored$/ ],
    # 64 occasions each. What is written twice holds (E1).
    [
        'e1-torn-write', '0F43',
        'probe.erratum.write-running', qr/ one write: 0 .* two writes: 0 /s,
        qr/ one write: [1-9]\d* .* two writes: 0 /s
    ],
    [
        'e2-lost-carry', '0F43',
        'probe.erratum.lost-carry', qr/ lost of 64 [^:]*: 0 /,
        qr/ lost of 64 [^:]*: [1-9]/
    ],
    [
        'e9-unflagged', '0F43',
        'probe.erratum.unflagged', qr/ overflows: 64 .* OVF: 0 /s,
        qr/ overflows: 64 .* OVF: [1-9]/s
    ],
);

# Variants that no probe can show, and the reason.
my %HIDDEN = (
    'ti-halted-not-counted' => 'no TI event of the model happens while all are halted',
    'smc-by-change'         => 'the image stores nothing near its code',
    'firm-replays'          => 'no workload loads what a counted uop needs',
    'ioq-retries'           => 'the counts of bus events are compared only with each other',
    'halt-glitches'         => 'no probe measures the way into HLT',
    'built-branches-again'  => 'no vector counts conditional branches in new code',
    'from-rom-incomplete'   => 'no line is about uops from the ROM',
    'no-resource-stall'     => 'no line is about it',
    'fetch-by-line'         => 'no line is about new code',
    'tags-linger'           => 'ESCRs that tag are cleared while a counter powers them',
);

my %default;    # by processor
for my $cpu (qw(0F43 0F12 0F29)) {
    $default{$cpu} = sheet('only=probe', '--cpu', $cpu);
    is_deeply [ grep { !/\Aprobe/ } map { $_->[0] } @{ $default{$cpu} } ], \@QUESTIONS,
        "every question in order on $cpu";
    # Each of these instructions is one uop of the kind counted; loads and moves are other kinds (pmu-rules
    # 4).
    is_deeply [ text($default{$cpu}, '10.11b') =~ /(\d+\.\d+)/g ], [ ('1.00') x 3 ],
        "one uop an instruction on $cpu";
}
is_deeply [ grep { $_->[1] =~ /did not run/ } map { @$_ } values %default ], [], 'none left out';
is_deeply [ questions_not_probed('0F43') ], [qw(10.8e 10.13a 10.13b)],
    'not probed with Hyper-Threading: what is documented there';
is_deeply [ questions_not_probed('0F12') ], [qw(10.5b 10.14h 11.6 11.9b)],
    'not probed on a Willamette: what needs bit 11 or a second thread';

# What was recorded on 0F43H (pmu-rules 3.4): groups of equal bits, bit 31 faults.
like text($default{'0F43'}, '10.18a'),
    qr/^80000000H faults in all; 7FFFFFFFH: 3A0-3A1 3A4-3A7 3AA-3AF 3BC-3BE; 3FFFFFFFH: 3A2-3A3; /, 'ESCRs';
is text($default{'0F43'}, '10.18b'), 'FFFFF000H: 0-11 13-14; FFFFF800H: 12 15; FFFFFF00H: 16-17',
    'CCCRs: bits 31:12, bit 11 where it has a name, 10:8 of the last two';
is text($default{'0F43'}, '10.19'), '18 to 63: exception 13', 'RDPMC: only 0 to 17';

like text($default{'0F12'}, 'probe.erratum.t1'), qr/: exception of the write 0, reads 1; PMIs 0$/,
    'OVF_PMI_T1 stores without a second thread, and requests nothing (E5)';
like text($default{'0F43'}, '10.14f'), qr/^[1-9]\d\d \(/,
    'an IPI arrives within a microsecond, some hundreds of clocks';
like text($default{'0F43'}, '10.15a'), qr/^[1-9]\d+ .* INT n alone [1-9]\d+$/, 'an interrupt takes time';

# The depths of sim/cpu/bus.c: 12 in the IOQ; each miss reads two lines, and up to 8 misses, before model 3 up
# to 4, are in the BSQ.
is text($default{'0F43'}, '10.20'), 'IOQ 12, BSQ 15', 'two times 8 reads in the BSQ, shown as 15';
is text($default{'0F12'}, '10.20'), 'IOQ 12, BSQ 8', 'two times 4 reads in the BSQ';

# The probes that answer a question; `make matrix` runs all vectors with each variant.
my %PROBES = (
    '10.1'   => 'cascade',
    '10.2'   => 'cascade',
    '10.3a'  => 'cascade',
    '10.3b'  => 'pmi',
    '10.4'   => 'count',
    '10.5'   => 'pmi',
    '10.6'   => 'cascade',
    '10.6c'  => 'pmi',
    '10.7'   => 'filter',
    '10.8'   => 'reserved',
    '10.11'  => 'count',
    '10.11e' => 'slope',
    '10.11h' => 'erratum',
    '10.12'  => 'count',
    '10.13a' => 'count',
    '10.13b' => 'reserved',
    '10.15'  => 'pmi',
    '10.16'  => 'board',
    '10.17'  => 'erratum',
    '10.18'  => 'bits',
    '11.1'   => 'filter',
    '11.2'   => 'cascade',
    '11.3'   => 'pmi',
    '11.4'   => 'pmi',
    '11.5'   => 'halted',
    '11.6'   => 'filter',
    '11.8'   => 'pmi',
    '11.9'   => 'halted',
    '11.12'  => 'filter',
);

for my $row (@VARIANTS) {
    my ($variant, $cpu, $question, $usual, $changed) = @$row;
    my $probes = $PROBES{$question} // $PROBES{ $question =~ s/[a-z]\z//r } // $question =~ s/\Aprobe\.//r;
    my $lines = sheet("only=probe.$probes", '--cpu', $cpu, '--variant', $variant);
    like text($default{$cpu}, $question), $usual, "$question by default on $cpu";
    like text($lines, $question), $changed, "$question with $variant";
}

my @listed = run(1, $P4SIM, '--variant', 'list')->{out} =~ /^(\S+)/mg;
my %tried = (%HIDDEN, map { $_->[0] => 1 } @VARIANTS);
is_deeply [ sort @listed ], [ sort keys %tried ], 'every variant is tried, or it is said why not';

subtest 'a question whose probe was not selected says so' => sub {
    my $run = p4sim($ELF, 'only=probe.cascade.start');
    my %why = document($run->{out}) =~ /^# sheet (\S+) [^\r\n]*: not probed: ([^\r\n]*)/mg;
    is $why{'10.1d'}, 'not selected on the boot line', 'for a probe that the machine can run';
    $run = p4sim('--cpu', '0F12', $ELF, 'only=probe.cascade.start');
    %why = document($run->{out}) =~ /^# sheet (\S+) [^\r\n]*: not probed: ([^\r\n]*)/mg;
    is $why{'10.5b'}, 'no extended cascading before model 2', 'a missing feature comes first';
};

subtest 'what failed checks make doubtful says so' => sub {
    my @words = (
        $ELF,
        'only=pmi.next-count,access.escr.bsu_escr0,probe.pmi.latency,probe.cascade.start,probe.cost.registers',
        'quiet'
    );
    my %sound = document(p4sim(@words)->{out}) =~ /^# sheet (\S+) .*?: ([^\r\n]*)/mg;
    for my $case (
        [ 'pmi-missing-12', 'pmi.next-count', '10.15a', '10.14a' ],
        [ 'escr-bit-12-at-0', 'access.escr.bsu_escr0', '10.14a', '10.15a' ]
        )
    {
        my ($fault, $check, $doubtful, $other) = @$case;
        my $run = p4sim('--fault', $fault, @words);
        my %answer = document($run->{out}) =~ /^# sheet (\S+) .*?: ([^\r\n]*)/mg;
        is $run->{status}, 1, "a check failed with $fault";
        like $answer{$doubtful}, qr/^\d+.* \(in doubt: \Q$check\E\)\z/, 'the answer is there, with the check';
        unlike $answer{$_}, qr/in doubt/, 'other answers stay' for '10.1a', $other;
    }
    is $sound{'11.4'}, 'not probed: not selected on the boot line', 'a probe that did not run says so';

    # What fails in the harness is named beside what rests on it: in the sheet, and in the diagnosis of a
    # vector.
    my $below = p4sim('--fault', 'lvtpc-bit-0-at-0', $ELF,
        'only=harness.apic,access.rdpmc,probe.pmi.latency,probe.board', 'quiet')->{out};
    like $below, qr/^# sheet 10\.15a [^\r]* \(in doubt: harness\.apic\.lvt\)\r$/m, 'an answer about PMIs';
    like $below, qr/^# sheet 10\.16c [^\r]* at boot\r$/m, 'but not one about the clocks';
    my $beside = p4sim('--fault', 'lvtpc-open-at-reset', $ELF,
        'only=harness.second.init,probe.cost.instructions,probe.halted.clocks', 'quiet')->{out};
    like $beside, qr/^# sheet 11\.5 [^\r]* \(in doubt: harness\.second\.init\)\r$/m,
        'an answer about the sibling';
    like $beside, qr/^# sheet 10\.14c [^\r]*: \d+, \d+\r$/m, 'but not one about the time';
    my $without =
        p4sim('--fault', 'lvtpc-bit-0-at-1', $ELF, 'only=harness.apic,pmi.next-count', 'quiet')->{out};
    is_deeply [ map { /^  rests_on: '(.*)'\r$/m ? $1 : () } values %{ { diagnoses($without) } } ],
        ['harness.apic.lvt, which failed'], 'and a vector that takes PMIs';

    my $late = p4sim($ELF, 'selftest=many', 'only=probe.cascade.start', 'quiet');
    my %late = document($late->{out}) =~ /^# sheet (\S+) .*?: ([^\r\n]*)/mg;
    is $late{'10.1a'}, $sound{'10.1a'}, 'a vector that rests on no rule puts nothing in doubt';
};

subtest 'a run without probes has no sheet' => sub {
    my $run = p4sim($ELF, 'only=state');
    is $run->{status}, 0, 'it passes';
    unlike $run->{out}, qr/^# sheet/m, 'no line of it';
};

done_testing;

# The sheet of a run of these probes: a list of [question, text after the colon], and after it of [probe,
# comments]. The image runs once for each set of options.
sub sheet ($only, @options) {
    our %sheet;
    return $sheet{"$only @options"} //= do {
        my $run = p4sim(@options, $ELF, $only);
        is $run->{status}, 0, "probes pass: @options" or diag $run->{out};
        my $log = document($run->{out}) =~ s/\r//gr;
        my @comments = $log =~ /^#> (probe\S+).*\n((?:# .*\n)+)ok /mg;
        [
            (map { /^# sheet (\S+) .*?: (.*)/ ? [ $1, $2 ] : () } split /\n/, $log),
            pairmap { [ $a, $b =~ s/^# //mgr ] } @comments
        ];
    };
}

sub text ($sheet, $question) {
    my ($line) = grep { $_->[0] eq $question } @$sheet;
    return $line ? $line->[1] : '';
}

sub questions_not_probed ($cpu) {
    return map { $_->[0] } grep { $_->[1] =~ /^not probed: / } @{ $default{$cpu} };
}
