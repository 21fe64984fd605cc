#!/usr/bin/perl
# What instructions cost on p4sim, timed by a kernel of its own (timing.asm) and by the sheet, against what
# was measured on silicon (F1, F5; the estimates of F6 and F7): on each kind of processor and on machines
# drawn by a seed. The lateness of local APIC stores and PMIs, SMIs of --noise, a core clock below the TSC's,
# and that a seed is always the same machine.
use lib 'tests/image';
use ImageTest;

my $REPEATS = 64;    # as in timing.asm

# Clocks on models 0 to 2 and from 3 on: the usual cost, then least and most of any machine. The numbers are
# those of the facts (pmu-rules 12), not of p4sim's table. These have the names that --timing list gives them.
my %LISTED = (
    'WRMSR of a counter'       => [ [ 800, 781, 850 ], [ 990, 983, 1247 ] ],
    'WRMSR of an ESCR'         => [ [ 880, 860, 921 ], [ 985, 980, 1204 ] ],
    'WRMSR of a CCCR'          => [ [ 835, 820, 873 ], [ 950, 938, 1401 ] ],
    'RDMSR of a counter'       => [ [ 255, 247, 256 ], [ 355, 349, 416 ] ],
    'RDMSR of an ESCR or CCCR' => [ [ 166, 163, 168 ], [ 380, 365, 514 ] ],
    RDPMC                      => [ [ 146, 142, 151 ], [ 227, 224, 293 ] ],
    'RDPMC, 32 bits'           => [ [ 60, 58, 63 ], [ 91, 89, 109 ] ],
    RDTSC                      => [ [ 80, 77, 84 ], [ 100, 96, 143 ] ],
    CPUID                      => [ [ 262, 255, 266 ], [ 420, 340, 544 ] ],
    'load from the local APIC' => [ ([ 150, 100, 300 ]) x 2 ],
    'store to the local APIC'  => [ [ 36, 10, 100 ], [ 26, 10, 100 ] ],
);

# What timing.asm measures besides, and in which part of a cost its spread lies. Rows of several instructions
# have the sum of their costs.
my %COST = (
    'wrmsr-cccr' => [ @{ $LISTED{'WRMSR of a CCCR'} }, 1.04 ],
    cr4          => [ [ 259, 249, 265 ], [ 415, 411, 445 ], 1.05 ],
    pause        => [ [ 40, 36, 40 ], [ 52, 50, 54 ], 1 ],
    mfence       => [ [ 100, 98, 100 ], [ 124, 124, 124 ], 1 ],
    locked       => [ [ 124, 124, 124 ], [ 90, 82, 92 ], 1 ],
    div          => [ [ 58, 57, 61 ], [ 77, 76, 78 ], 1 ],
    store        => [ [ 17.5, 17.5, 17.5 ], [ 18.3, 18.3, 18.3 ], 1 ],
    nop          => [ [ 10, 10, 10 ], [ 10, 10, 10 ], 1 ],
    inc          => [ [ 6.8, 6.8, 6.8 ], [ 10, 10, 10 ], 1 ],
    return       => [ [ 22.8, 15, 64 ], [ 33.8, 15, 64 ], 1 ],
    modify       => [ [ 152.5, 50, 1004 ], [ 152.5, 50, 1004 ], 1 ],
);
my $ROUNDING = 1.5;    # clocks: what the loop shares with the access; accesses cost whole clocks

my $kernel = kernel('timing');

# Runs timing.asm; returns its lines, a hash by name.
sub measured {
    my $run = p4sim(@_, $kernel);
    like $run->{err}, qr/debug exit value 13H/, "the measurement with @_ comes to its end"
        or diag $run->{out};
    return map { my ($name, $clocks) = split / /; ($name => hex $clocks) } split /\n/, $run->{out};
}

for my $case (
    [ '0F0A', 0, 1500 ],
    [ '0F12', 0, 1800 ],
    [ '0F29', 0, 3000 ],
    [ '0F43', 1, 3000 ],
    [ '0F62', 1, 3000 ]
    )
{
    my ($cpu, $column, $mhz) = @$case;
    my %clocks = measured('--cpu', $cpu, '--timing', 'typical');
    subtest "usual costs on $cpu" => sub {
        for my $name (sort keys %COST) {
            my $each = $clocks{$name} / $REPEATS;
            cmp_ok abs($each - $COST{$name}[$column][0]), '<=', $ROUNDING, "$name: $each clocks";
        }
    };
    cmp_ok abs($clocks{port} / $REPEATS / $mhz - 1), '<', 0.01, 'a port access takes a microsecond';
    cmp_ok $clocks{late}, '>', 20, 'a store to the local APIC arrives late (F6)';
    is $clocks{$_}, 0, "but not with what it must wait for: $_" for qw(read serialised);
    is $clocks{tpr}, 32, 'nor is an old value read';
    is $clocks{pmi}, 0, 'a PMI under way arrives although its counter was stopped and OVF cleared (F27)';
    for my $seed (1 .. 4) {
        my %drawn = measured('--cpu', $cpu, '--timing', $seed);
        subtest "seed $seed on $cpu is a machine that silicon can be" => sub {
            for my $name (sort keys %COST) {
                my (undef, $least, $most) = @{ $COST{$name}[$column] };
                my $each = $drawn{$name} / $REPEATS;
                cmp_ok $each, '>=', $least / $COST{$name}[2] - $ROUNDING, "$name: $each clocks";
                cmp_ok $each, '<=', $most * $COST{$name}[2] + $ROUNDING, $name;
            }
        };
    }
}

my %kind = measured(qw(--timing kind));
cmp_ok $kind{'wrmsr-cccr'} / $REPEATS, '<', 250, 'with --timing kind an access is cheap';
is $kind{late}, 0, 'a store to the local APIC arrives at once';
isnt $kind{pmi}, 0, 'and so does a PMI';

# ---- By the sheet ----

my $WORDS = 'only=probe.cost,probe.board,probe.pmi.latency';

# Question => what the numbers of its line are. The store to the local APIC also has the clocks of any store:
# 1.75 or 1.83.
my %ASKED = (
    '10.14a' => [ 'RDMSR of a counter', ('RDMSR of an ESCR or CCCR') x 2 ],
    '10.14b' => [ map { "WRMSR of $_" } 'a counter', 'an ESCR', 'a CCCR' ],
    '10.14c' => [ 'RDPMC', 'RDPMC, 32 bits' ],
    '10.14d' => [ 'RDTSC', 'CPUID' ],
    '10.14e' => [ map { "$_ the local APIC" } 'load from', 'store to' ],
);

# Usual, least and most of each number of a question's line.
sub due ($question, $column) {
    return map {
        my ($usual, $least, $most) = @{ $LISTED{$_}[$column] };
        /^store/ ? [ $usual + (1.75, 1.83)[$column], $least, $most + 2 ] : [ $usual, $least, $most ];
    } @{ $ASKED{$question} };
}

my $NEAR = 0.02;      # of a cost without spread: what the readings themselves leave
my $SPREAD = 0.02;    # of the mean of 64 accesses, each within 5 %, one in a hundred up to 30 % more
my $WHOLE = 1;        # clocks: lines have whole ones, and a row may share a clock with its neighbour

# Uops per clock, in the order of the line: three NOPs or jumps, one ADDPS in two clocks, one FADD (F5).
my @THROUGHPUT = (3, 3, 0.5, 1);
my $ENDS = 0.1;       # the clocks in which the first and the last uops of a loop retire alone

sub sheet (@options) {
    my $run = p4sim(@options, $ELF, $WORDS, 'quiet');
    is $run->{status}, 0, "probes pass: @options" or diag $run->{out};
    return { document($run->{out}) =~ /^# sheet (\S+) [^\r\n]*?: ([^\r\n]*)/mg };
}

sub numbers ($text) { return $text =~ /(\d+(?:\.\d+)?)/g }

for my $case ([ '0F0A', 0 ], [ '0F12', 0 ], [ '0F29', 0 ], [ '0F43', 1 ], [ '0F62', 1 ]) {
    my ($cpu, $column) = @$case;
    my $sheet = sheet('--cpu', $cpu, '--timing', 'typical');
    for my $question (sort keys %ASKED) {
        my @measured = numbers($sheet->{$question});
        my @usual = map { $_->[0] } due($question, $column);
        is scalar @measured, scalar @usual, "$question on $cpu has its numbers";
        cmp_ok abs($measured[$_] - $usual[$_]), '<=', $NEAR * $usual[$_] + $WHOLE,
            "$question on $cpu: $measured[$_], usual $usual[$_]"
            for 0 .. $#usual;
    }
    my @uops = numbers($sheet->{'10.14g'});
    cmp_ok abs($uops[$_] / $THROUGHPUT[$_] - 1), '<', $ENDS,
        "uops per clock on $cpu: $uops[$_] of $THROUGHPUT[$_]"
        for 0 .. $#THROUGHPUT;
    # 200 clocks to the local APIC and 300 to enter the handler (estimates of F7), and the handler's own way.
    my ($pmi, $least, $most) = numbers($sheet->{'10.15a'});
    cmp_ok $least, '>=', 500, "a PMI takes its time on $cpu";
    cmp_ok $most, '<', 1500, 'and no more';
    like $sheet->{'10.15a'}, qr/, 32 of 32 came;/, 'and comes';
}

# A running sibling slows MSR accesses by a quarter (F2: one machine was 20 % to 40 % slower); it also takes
# turns of 64 clocks.
my ($read, $written) = numbers(sheet('--cpu', '0F43', '--timing', 'typical')->{'10.14h'});
cmp_ok abs($read - 355 * 1.25 - 32), '<=', 40, "RDMSR beside a running sibling: $read";
cmp_ok abs($written - 990 * 1.25 - 32), '<=', 40, "WRMSR beside a running sibling: $written";

my %by_seed;
for my $seed (1 .. 3) {
    my ($cpu, $column) = $seed == 2 ? ('0F29', 0) : ('0F43', 1);
    my $sheet = $by_seed{$seed} = sheet('--cpu', $cpu, '--timing', $seed);
    for my $question (sort keys %ASKED) {
        my @measured = numbers($sheet->{$question});
        for my $i (0 .. $#measured) {
            my (undef, $least, $most) = @{ (due($question, $column))[$i] };
            my $in = $measured[$i] >= $least * (1 - $SPREAD) - $WHOLE
                && $measured[$i] <= $most * (1 + $SPREAD) + $WHOLE;
            ok $in, "$question of seed $seed on $cpu: $measured[$i] is in $least to $most";
        }
    }
}
is_deeply sheet('--cpu', '0F43', '--timing', 1), $by_seed{1}, 'a seed is one machine';
isnt join(' ', map { $by_seed{1}{$_} } sort keys %ASKED),
    join(' ', map { $by_seed{3}{$_} } sort keys %ASKED), 'two seeds are two';

subtest 'gaps' => sub {
    like sheet('--timing', 'typical')->{'10.16a'},
        qr/^0 in \d+ us, 0 clocks in all; longest distance (\d+) clocks, usual 10\d$/,
        'none on a quiet board';
    # An SMI every 3 ms on average, seen for 4 ms; each takes 800 clocks in and 800 out at least.
    my $seen = 0;
    for my $seed (1 .. 8) {
        my ($gaps, undef, $sum, $longest) =
            numbers(sheet('--timing', 'typical', '--noise', $seed)->{'10.16a'});
        $seen += $gaps if $longest > 1600;    # not a late interrupt alone
        cmp_ok $sum, '>=', $longest, 'in all' if $gaps;
    }
    cmp_ok $seen, '>=', 3, "$seen SMIs in 8 runs";
};

subtest 'clock rates' => sub {
    my $usual = sheet('--timing', 'typical');
    like $usual->{'10.16b'}, qr/^(?:0\.99\d|1\.00\d) to (?:0\.99\d|1\.00\d) in 16 windows/,
        'the core runs at the TSC\'s rate';
    like $usual->{'10.16c'}, qr/^(?:0\.99\d|1\.00\d) of that at boot$/, 'which does not change';
    like $usual->{'10.16d'}, qr/^00000000H, never hot; 00000000H, modulation off$/, 'nothing is throttled';
    like sheet('--timing', 'typical', '--variant', 'core-below-tsc')->{'10.16b'},
        qr/^0\.(?:79|80)\d to 0\.(?:79|80)\d /, 'core-below-tsc: four fifths';
};

# ---- Seeds ----

my @words = ($ELF, 'only=pmi,cascade.18-1,sibling');
my @same = map { p4sim_anew(qw(--timing 7 --noise 3 --trace), @words) } 1, 2;
is $same[0]{$_}, $same[1]{$_}, "one seed, the same bytes: $_" for qw(out err);
my ($seven, $eight) = map { p4sim('--timing', $_, '--trace', @words) } 7, 8;
isnt $seven->{err}, $eight->{err}, 'another seed, another machine';

for my $cpu (qw(0F29 0F43)) {
    my %listed = p4sim('--timing', 'list', '--cpu', $cpu)->{out} =~ /^(\S.*?)  +(\S+ +\S+ +\S+)/mg;
    is_deeply {
        map { $_ => $listed{$_} =~ s/ +/ /gr } keys %LISTED
    }, { map { $_ => "@{ $LISTED{$_}[ $cpu eq '0F43' ] }" } keys %LISTED },
        "--timing list has what was measured on $cpu";
}

done_testing;
