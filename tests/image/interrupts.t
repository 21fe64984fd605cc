#!/usr/bin/perl
# When p4sim looks up from executing: between which instructions it lets in an interrupt that was held off
# (interrupts.asm), and when a watchdog expires that was set in the middle of a turn (watchdog.asm). It looks only where
# something may have become possible, so this is not what every vector would notice.
use strict;
use warnings;
use Test::More;
use File::Temp;
use FindBin;
use lib "$FindBin::Bin/../../tools/lib";
use Image qw(p4sim assembled);

my $ROUNDS = 3;    # as in interrupts.asm

my $dir = File::Temp->newdir;

# Of each case: the handler has not run while it was held off, then the instructions that came before it (SDM vol. 2,
# STI: one more behind it). An NMI is not held off by IF.
my @cases = (
    [ '-1', 'STI: after the instruction behind it' ],
    [ '-0', 'POPF that sets IF: at once' ],
    [ '-0', 'IRET that sets IF: at once' ],
    [ '-0', 'TPR lowered with IF set: at once' ],
    [ '00', 'NMI with IF clear: before anything else' ],
);
my $interrupts = assembled("$FindBin::Bin/interrupts.asm", "$dir/interrupts.elf");
for my $options ([], ['--cpu', '0F12']) {
    my $run = p4sim(@$options, $interrupts);
    like $run->{err}, qr/debug exit value 13H/, "comes to its end with '@$options'";
    my @seen = $run->{out} =~ /([-\d]{2})/g;
    for my $round (1 .. $ROUNDS) {
        my @these = splice @seen, 0, scalar @cases;
        is $these[$_], $cases[$_][0], "round $round, $cases[$_][1]" for 0 .. $#cases;
    }
    is length $run->{out}, 2 * @cases * $ROUNDS + 2, 'and nothing else is said';
}

# 4 ticks of 0.6 s to the first time-out, as many to the second, at 3 GHz.
my $reset = p4sim('--stats', '--limit', 20, assembled("$FindBin::Bin/watchdog.asm", "$dir/watchdog.elf"));
like $reset->{err}, qr/board reset by its watchdog/, 'the watchdog ends what nothing else would' or diag $reset->{out};
my ($seconds) = $reset->{err} =~ /\(([\d.]+) s simulated\)/;
cmp_ok $seconds, '>', 4.2, 'not before its time';
cmp_ok $seconds, '<', 5.4, 'nor after it';

done_testing;
