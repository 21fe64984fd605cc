#!/usr/bin/perl
# What instructions cost on p4sim (timing.asm) against what was measured on silicon (F1, F5; the estimates of
# F6 and F7), the lateness of local APIC stores and PMIs, and that a seed is always the same machine.
use lib 'tests/image';
use ImageTest;

my $REPEATS = 64;    # as in timing.asm

# Clocks on models 0 to 2 and from 3 on: the usual cost, then least and most of any machine. The numbers are those of the
# facts, not of p4sim's table. Rows of several instructions have the sum of their costs.
my %COST = (
    'wrmsr-cccr'    => [ [ 835, 820, 873 ], [ 950, 938, 1401 ], 1.04 ],
    cr4             => [ [ 259, 249, 265 ], [ 415, 411, 445 ], 1.05 ],
    pause           => [ [ 40, 36, 40 ], [ 52, 50, 54 ], 1 ],
    mfence          => [ [ 100, 98, 100 ], [ 124, 124, 124 ], 1 ],
    locked          => [ [ 124, 124, 124 ], [ 90, 82, 92 ], 1 ],
    div             => [ [ 58, 57, 61 ], [ 77, 76, 78 ], 1 ],
    store           => [ [ 17.5, 17.5, 17.5 ], [ 18.3, 18.3, 18.3 ], 1 ],
    nop             => [ [ 10, 10, 10 ], [ 10, 10, 10 ], 1 ],
    inc             => [ [ 6.8, 6.8, 6.8 ], [ 10, 10, 10 ], 1 ],
    return          => [ [ 22.8, 15, 64 ], [ 33.8, 15, 64 ], 1 ],
    modify          => [ [ 152.5, 50, 1004 ], [ 152.5, 50, 1004 ], 1 ],
);

# Those that the sheet measures (sheet_costs.t), by their names in --timing list: usual, least, most.
my %LISTED = (
    'WRMSR of a counter'       => [ '800 781 850', '990 983 1247' ],
    'WRMSR of an ESCR'         => [ '880 860 921', '985 980 1204' ],
    'WRMSR of a CCCR'          => [ '835 820 873', '950 938 1401' ],
    'RDMSR of a counter'       => [ '255 247 256', '355 349 416' ],
    'RDMSR of an ESCR or CCCR' => [ '166 163 168', '380 365 514' ],
    RDPMC                      => [ '146 142 151', '227 224 293' ],
    'RDPMC, 32 bits'           => [ '60 58 63', '91 89 109' ],
    RDTSC                      => [ '80 77 84', '100 96 143' ],
    CPUID                      => [ '262 255 266', '420 340 544' ],
    'load from the local APIC' => [ ('150 100 300') x 2 ],
    'store to the local APIC'  => [ '36 10 100', '26 10 100' ],
);
my $ROUNDING = 1.5;    # clocks: what the loop shares with the access; accesses cost whole clocks

my $kernel = kernel('timing');

# Runs timing.asm; returns its lines, a hash by name.
sub measured {
    my $run = p4sim(@_, $kernel);
    like $run->{err}, qr/debug exit value 13H/, "the measurement with @_ comes to its end" or diag $run->{out};
    return map { my ($name, $clocks) = split / /; ($name => hex $clocks) } split /\n/, $run->{out};
}

for my $case ([ '0F0A', 0, 1500 ], [ '0F12', 0, 1800 ], [ '0F29', 0, 3000 ], [ '0F43', 1, 3000 ], [ '0F62', 1, 3000 ]) {
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

# ---- Seeds ----

my @words = ($ELF, 'only=pmi,cascade.18-1,sibling');
my @same  = map { p4sim(qw(--timing 7 --noise 3 --trace), @words) } 1, 2;
is $same[0]{$_}, $same[1]{$_}, "one seed, the same bytes: $_" for qw(out err);
my ($seven, $eight) = map { p4sim('--timing', $_, '--trace', @words) } 7, 8;
isnt $seven->{err}, $eight->{err}, 'another seed, another machine';

for my $cpu (qw(0F29 0F43)) {
    my %listed = p4sim('--timing', 'list', '--cpu', $cpu)->{out} =~ /^(\S.*?)  +(\S+ +\S+ +\S+)/mg;
    is_deeply { map { $_ => $listed{$_} =~ s/ +/ /gr } keys %LISTED }, { map { $_ => $LISTED{$_}[ $cpu eq '0F43' ] } keys %LISTED },
        "--timing list has what was measured on $cpu";
}

done_testing;
