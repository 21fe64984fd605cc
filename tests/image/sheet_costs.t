#!/usr/bin/perl
# What the sheet measures of a machine against what p4sim was told to be: the costs of the facts (F1, F5 to F7) on each kind of
# processor and on machines drawn by a seed, SMIs of --noise, and a core clock below the TSC's. The numbers here are those of
# pmu-rules 12, not of p4sim's table.
use lib 'tests/image';
use ImageTest;

my $WORDS = 'only=probe.cost,probe.board,probe.pmi.latency';

# Question => for each number of its line, on models 0 to 2 and from model 3 on: usual cost, then least and most of a machine.
my %COST = (
    '10.14a' => [ [ [ 255, 247, 256 ], [ 355, 349, 416 ] ], [ [ 166, 163, 168 ], [ 380, 365, 514 ] ], [ [ 166, 163, 168 ], [ 380, 365, 514 ] ] ],
    '10.14b' => [ [ [ 800, 781, 850 ], [ 990, 983, 1247 ] ], [ [ 880, 860, 921 ], [ 985, 980, 1204 ] ], [ [ 835, 820, 873 ], [ 950, 938, 1401 ] ] ],
    '10.14c' => [ [ [ 146, 142, 151 ], [ 227, 224, 293 ] ], [ [ 60, 58, 63 ], [ 91, 89, 109 ] ] ],
    '10.14d' => [ [ [ 80, 77, 84 ], [ 100, 96, 143 ] ], [ [ 262, 255, 266 ], [ 420, 340, 544 ] ] ],
    # The store's 36 or 26 clocks on the way to the local APIC, and the 1.75 or 1.83 of any store.
    '10.14e' => [ [ [ 150, 100, 300 ], [ 150, 100, 300 ] ], [ [ 37.75, 10, 102 ], [ 27.83, 10, 102 ] ] ],
);
my $NEAR   = 0.02;    # of a cost without spread: what the readings themselves leave
my $SPREAD = 0.02;    # of the mean of 64 accesses, each within 5 %, one in a hundred up to 30 % more
my $WHOLE  = 1;       # clocks: lines have whole ones, and a row may share a clock with its neighbour

# Uops per clock, in the order of the line: three NOPs or jumps, one ADDPS in two clocks, one FADD (F5).
my @THROUGHPUT = (3, 3, 0.5, 1);
my $ENDS       = 0.1; # the clocks in which the first and the last uops of a loop retire alone

sub sheet {
    my (@options) = @_;
    my $run = p4sim(@options, $ELF, $WORDS, 'quiet');
    is $run->{status}, 0, "probes pass: @options" or diag $run->{out};
    return { document($run->{out}) =~ /^# sheet (\S+) [^\r\n]*?: ([^\r\n]*)/mg };
}

sub numbers {
    my ($text) = @_;
    return $text =~ /(\d+(?:\.\d+)?)/g;
}

for my $case ([ '0F0A', 0 ], [ '0F12', 0 ], [ '0F29', 0 ], [ '0F43', 1 ], [ '0F62', 1 ]) {
    my ($cpu, $column) = @$case;
    my $sheet = sheet('--cpu', $cpu, '--timing', 'typical');
    for my $question (sort keys %COST) {
        my @measured = numbers($sheet->{$question});
        my @usual = map { $_->[$column][0] } @{ $COST{$question} };
        is scalar @measured, scalar @usual, "$question on $cpu has its numbers";
        cmp_ok abs($measured[$_] - $usual[$_]), '<=', $NEAR * $usual[$_] + $WHOLE, "$question on $cpu: $measured[$_], usual $usual[$_]"
            for 0 .. $#usual;
    }
    my @uops = numbers($sheet->{'10.14g'});
    cmp_ok abs($uops[$_] / $THROUGHPUT[$_] - 1), '<', $ENDS, "uops per clock on $cpu: $uops[$_] of $THROUGHPUT[$_]" for 0 .. $#THROUGHPUT;
    # 200 clocks to the local APIC and 300 to enter the handler (estimates of F7), and the handler's own way.
    my ($pmi, $least, $most) = numbers($sheet->{'10.15a'});
    cmp_ok $least, '>=', 500, "a PMI takes its time on $cpu";
    cmp_ok $most, '<', 1500, 'and no more';
    like $sheet->{'10.15a'}, qr/, 32 of 32 came;/, 'and comes';
}

# A running sibling slows MSR accesses by a quarter (F2: one machine was 20 % to 40 % slower); it also takes turns of 64 clocks.
my ($read, $written) = numbers(sheet('--cpu', '0F43', '--timing', 'typical')->{'10.14h'});
cmp_ok abs($read - 355 * 1.25 - 32), '<=', 40, "RDMSR beside a running sibling: $read";
cmp_ok abs($written - 990 * 1.25 - 32), '<=', 40, "WRMSR beside a running sibling: $written";

my %by_seed;
for my $seed (1 .. 3) {
    my ($cpu, $column) = $seed == 2 ? ('0F29', 0) : ('0F43', 1);
    my $sheet = $by_seed{$seed} = sheet('--cpu', $cpu, '--timing', $seed);
    for my $question (sort keys %COST) {
        my @measured = numbers($sheet->{$question});
        for my $i (0 .. $#measured) {
            my (undef, $least, $most) = @{ $COST{$question}[$i][$column] };
            my $in = $measured[$i] >= $least * (1 - $SPREAD) - $WHOLE && $measured[$i] <= $most * (1 + $SPREAD) + $WHOLE;
            ok $in, "$question of seed $seed on $cpu: $measured[$i] is in $least to $most";
        }
    }
}
is_deeply sheet('--cpu', '0F43', '--timing', 1), $by_seed{1}, 'a seed is one machine';
isnt join(' ', map { $by_seed{1}{$_} } sort keys %COST), join(' ', map { $by_seed{3}{$_} } sort keys %COST), 'two seeds are two';

subtest 'gaps' => sub {
    like sheet('--timing', 'typical')->{'10.16a'}, qr/^0 in \d+ us, 0 clocks in all; longest distance (\d+) clocks, usual 10\d$/, 'none on a quiet board';
    # An SMI every 3 ms on average, seen for 4 ms; each takes 800 clocks in and 800 out at least.
    my $seen = 0;
    for my $seed (1 .. 8) {
        my ($gaps, undef, $sum, $longest) = numbers(sheet('--timing', 'typical', '--noise', $seed)->{'10.16a'});
        $seen += $gaps if $longest > 1600; # not a late interrupt alone
        cmp_ok $sum, '>=', $longest, 'in all' if $gaps;
    }
    cmp_ok $seen, '>=', 3, "$seen SMIs in 8 runs";
};

subtest 'clock rates' => sub {
    my $usual = sheet('--timing', 'typical');
    like $usual->{'10.16b'}, qr/^(?:0\.99\d|1\.00\d) to (?:0\.99\d|1\.00\d) in 16 windows/, 'the core runs at the TSC\'s rate';
    like $usual->{'10.16c'}, qr/^(?:0\.99\d|1\.00\d) of that at boot$/, 'which does not change';
    like $usual->{'10.16d'}, qr/^00000000H, never hot; 00000000H, modulation off$/, 'nothing is throttled';
    like sheet('--timing', 'typical', '--variant', 'core-below-tsc')->{'10.16b'}, qr/^0\.(?:79|80)\d to 0\.(?:79|80)\d /, 'core-below-tsc: four fifths';
};

done_testing;
