#!/usr/bin/perl
# Where the linked kernel has what (boot/kernel.ld): written data is at least 4 KB away from code that runs, or a Pentium 4 may
# take a store for self-modifying code and empty its trace cache (fact F18); and nothing that workloads run lies 16 KB
# from the measured frame or from the code that enters it, whose trace it would evict (fact F21).
use strict;
use warnings;
use Test::More;
use FindBin;
use lib "$FindBin::Bin/../../tools/lib";
use Image qw(run slurp);

my $APART   = 4096;
my $ALIAS   = 16 * 1024;
my $SYMBOLS = 'build/kernel.elf';

my %address = map { /^(\w+) [TtRrDdBb] (\w+)$/ ? ($2 => hex $1) : () } split /\n/, run(1, 'nm', $SYMBOLS)->{out};
my %section = map { /^\s*\[ *\d+\] (\.\S+)\s+\S+\s+(\w+) \w+ (\w+)/ ? ($1 => [ hex $2, hex($2) + hex $3 ]) : () }
    split /\n/, run(1, qw(readelf -SW), $SYMBOLS)->{out};

my @CODE    = qw(.text .sled_room .trap_stubs .self_modifying);
my @WRITTEN = qw(.data .bss);
for my $code (@CODE) {
    for my $other (@WRITTEN, grep { $_ ne $code } $code eq '.self_modifying' ? @CODE : '.self_modifying') {
        my ($low, $high) = sort { $a->[0] <=> $b->[0] } @section{ $code, $other };
        cmp_ok $high->[0] - $low->[1], '>=', $APART, "$code and $other are 4 KB apart";
    }
}

my ($last) = sort { $b->[1] <=> $a->[1] } values %section;
is $last, $section{'.self_modifying'}, 'the code that is stored into comes last';
cmp_ok $last->[1] - $address{modified}, '>=', $APART, 'and nothing is within 4 KB after it';

# Stacks and what the processor itself writes.
for my $written (qw(boot_stack ap_stack ring_stack gdt idt tss)) {
    my $at = $address{$written} // next;
    ok scalar(grep { $at >= $section{$_}[0] && $at < $section{$_}[1] } @WRITTEN), "$written is in data";
}
ok exists $address{$_}, "$_ has a symbol" for qw(boot_stack ap_stack ring_stack gdt idt);

# Do two stretches of code overlap, modulo 16 KB? Each is [begin, end).
sub alias {
    my ($one, $other) = @_;
    my $after = ($other->[0] - $one->[0]) % $ALIAS;
    return $after < $one->[1] - $one->[0] || $after + $other->[1] - $other->[0] > $ALIAS;
}

# The frame, whose code is part of every measurement, up to the first workload.
my @frame = ($address{frame_exercise}, $address{work_nothing_entry});
cmp_ok $frame[0], '<', $frame[1], 'the frame comes before the workloads';
my @own = grep { /^work_\w+_entry$/ } keys %address;
cmp_ok scalar @own, '>=', 25, 'workloads';
is_deeply [ grep { $address{$_} - $frame[0] >= $ALIAS } @own ], [], 'the frame and the workloads lie together';
ok !alias(\@frame, $section{$_}), "no trace of $_ evicts one of the frame" for qw(.sled_room .trap_stubs);
my $modified = [ $address{modified}, $address{modified} + 64 ];
ok !alias(\@frame, $modified), 'nor does the code that is stored into';

# A straight line and the code that enters it: struct sled of tests/suite/frame.c, { room, template, copies, bytes }.
my ($at) = map { /^\s*\[ *\d+\] \.rodata\s+\S+\s+(\w+) (\w+)/ ? hex($2) - hex $1 : () } split /\n/, run(1, qw(readelf -SW), $SYMBOLS)->{out};
my @sleds = unpack '(a16)*', substr slurp($SYMBOLS), $address{sleds_begin} + $at, $address{sleds_end} - $address{sleds_begin};
cmp_ok scalar @sleds, '>=', 10, 'straight lines';
my @evicted = grep {
    my ($room, $template, $copies, $bytes) = unpack 'V4', $_;
    alias([ $template - 32, $template + 32 ], [ $room, $room + $copies * $bytes ]);
} @sleds;
is scalar @evicted, 0, 'none evicts the code that enters it';

# The trampoline of the second logical processor has the page that it is copied to for itself.
cmp_ok $address{trampoline_end} - $address{trampoline_begin}, '<', $APART, 'the trampoline fits in a page';

done_testing;
