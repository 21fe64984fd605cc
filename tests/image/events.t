#!/usr/bin/perl
# What p4sim counts for given instructions (events.asm), by default and with each variant of the processor's
# events. The vectors accept what these variants do, so they would not notice a variant without an effect.
# sheet.t has those that the sheet shows.
use lib 'tests/image';
use ImageTest;

my $kernel = kernel('events');

my $default = counts();

# The numbers of the instructions in events.asm, with the WRMSR that starts the counter.
is $default->{inactive}, 0,
    'TC_deliver_mode: microcode alone neither delivers nor builds, and the mask has no member for that (4.2)';
is $default->{'changed-code'}, 10, 'a machine clear for each store that changes the next instruction';
is $default->{'data-in-code'}, 10, 'and for each store next to it (F18)';
cmp_ok $default->{rebuilds}, '>=', $default->{builds} + 3 * 8,
    'each of four clears makes eight instructions new';
is $default->{'firm-registers'}, 32, 'an ADDPS is one uop';
is $default->{'firm-memory'}, 32, 'with a memory operand, too';
is $default->{'copied-256'}, 256 / 16,
    'REP MOVS of 256 bytes copies 16 with each packed uop, one of 63 none (F12)';
is $default->{'uncached-reads'}, 64, 'uncached reads';
is $default->{doubled} - $default->{instructions}, 2 * 10, 'FLDCW counts twice (E13)';
is $default->{'built-branches'}, 5, 'conditional branches that run for the first time';
is $default->{'known-branches'}, 5, 'and for the second';
is $default->{interruptions}, 2 + 4 * 2, 'RET, CALL, and for each of four #UD an interruption (F9) and IRET';
is $default->{'tagged-loads'}, 10 + 26 + 2 + 1,
    'front_end_event: plain loads, FXRSTOR, MOVDQU (F13), and the load of what to stop';
is $default->{'tagged-stores'}, 10 + 25 + 2 + 4,
    'and plain stores, FXSAVE, MOVDQU, CPUID, SFENCE, MFENCE, CLFLUSH';
is $default->{taken}, 2 + 6 * 16 + 2 * 24,
    'RET, CALL, and branches by each value of the flags: BE and LE are true for 24 of 32, the others for 16';
is $default->{'push-overflows'}, 10, 'pushes on a full x87 stack';
is $default->{products}, 0, 'no assist where the product is a number, and none for infinities and zeros';
is $default->{overflows}, 10, 'x87 products that are too large';
is $default->{underflows}, 10, 'and too small: a product that is 0 is not seen, nor one of a denormal number';
is $default->{'denormal-operands'}, 10, 'denormal x87 operands';
is $default->{'sse-denormals'}, 7,
    'denormal SSE operands of arithmetic and comparisons, in the elements that the instruction uses';
is $default->{'sse-denormals-are-zeros'}, 0, 'none with DAZ';
is $default->{'alias-64k'}, 0, 'addresses 64 KB apart do not conflict on model 4 (F19)';
is $default->{'alias-4m'}, 10, 'those 4 MB apart do';

my $northwood = counts('--cpu', '0F29');
is $northwood->{'alias-64k'}, 10, 'addresses 64 KB apart conflict on model 2 (F19)';

my %variant = map { $_ => counts('--variant', $_) } qw(smclear-repeats smc-by-change firm-replays
    ioq-retries halt-glitches doubled-on-6-only built-branches-again from-rom-incomplete no-resource-stall fetch-by-line);
between('smclear-repeats', 'changed-code', 11, 3 * 10);
is $variant{'smc-by-change'}{'data-in-code'}, 0,
    'smc-by-change: a store next to code is none of its business';
is $variant{'smc-by-change'}{'changed-code'}, 9,
    'smc-by-change: the first store finds nothing in the trace cache';
between('firm-replays', 'firm-memory', 33, 3 * 32);
is $variant{'firm-replays'}{'firm-registers'}, 32, 'firm-replays: but not with registers alone';
between('ioq-retries', 'uncached-reads', 65, 2 * 64);
between('halt-glitches', 'running', $default->{running} + 1, $default->{running} + 8 * 1000);
is $variant{'doubled-on-6-only'}{doubled} - $default->{instructions}, 10, 'doubled-on-6-only';
is counts('--cpu', '0F64', '--variant', 'doubled-on-6-only')->{doubled}, $default->{doubled},
    'and on model 6 as ever';
is $variant{'built-branches-again'}{'built-branches'}, 2 * 5, 'built-branches-again';
is $variant{'built-branches-again'}{'known-branches'}, 5, 'built-branches-again: once they are known, once';
between('from-rom-incomplete', 'rom-uops', 11, $default->{'rom-uops'} - 1);
cmp_ok $default->{stalls}, '>', 100, 'stores that wait for the store buffer';
is counts('--cpu', '0F12', '--variant', 'no-resource-stall')->{stalls}, 0, 'no-resource-stall';
is $variant{'no-resource-stall'}{stalls}, $default->{stalls},
    'but not on model 4: the manual counts them there (18.15.5.7)';
# the eight of one subroutine lie in two lines at most
between('fetch-by-line', 'builds', 1, $default->{builds} - 6);

# No variant changes what is not its own.
my %own = (
    'smclear-repeats'      => [qw(changed-code data-in-code)],
    'smc-by-change'        => [qw(changed-code data-in-code builds rebuilds)],
    'firm-replays'         => [qw(firm-memory)],
    'ioq-retries'          => [qw(uncached-reads)],
    'halt-glitches'        => [qw(running)],
    'doubled-on-6-only'    => [qw(doubled)],
    'built-branches-again' => [qw(built-branches)],
    'from-rom-incomplete'  => [qw(rom-uops)],
    'no-resource-stall'    => [],
    'fetch-by-line'        => [qw(builds rebuilds)]
);
for my $name (sort keys %variant) {
    my @changed = grep { $variant{$name}{$_} != $default->{$_} } sort keys %$default;
    is_deeply \@changed, [ sort @{ $own{$name} } ], "$name changes nothing else";
}

done_testing;

# The counts of a run with these options, by case.
sub counts (@options) {
    my $run = p4sim('--timing', 'kind', '--ht', 'off', @options, $kernel);
    like $run->{err}, qr/debug exit value 13H/, "comes to its end with '@options'";
    my %count = $run->{out} =~ /^(\S+) ([0-9A-F]{8})$/mg;
    return { map { $_ => hex $count{$_} } keys %count };
}

sub between ($name, $case, $least, $most) {
    my $count = $variant{$name}{$case};
    ok $count >= $least && $count <= $most, "$name: $case $count, $least to $most";
}
