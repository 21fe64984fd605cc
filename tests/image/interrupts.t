#!/usr/bin/perl
# When p4sim stops executing instructions to look for interrupts: between which instructions it delivers an interrupt that was
# held off (interrupts.asm), and when a watchdog expires that was started within a scheduler quantum (watchdog.asm). p4sim
# looks only after instructions that can make something possible, and few vectors would notice if it missed one.
use strict;
use warnings;
use Test::More;
use File::Temp;
use FindBin;
use lib "$FindBin::Bin/../../tools/lib";
use Image qw(p4sim assembled);

my $ROUNDS = 3;    # as in interrupts.asm

my $dir = File::Temp->newdir;

# For each case two characters: `-` if the handler did not run while the interrupt was held off, then how many instructions
# ran before the handler (after STI one more, SDM volume 2). IF does not hold off an NMI.
my @cases = (
    [ '-1', 'STI: after the next instruction' ],
    [ '-0', 'POPF that sets IF: at once' ],
    [ '-0', 'IRET that sets IF: at once' ],
    [ '-0', 'TPR lowered with IF set: at once' ],
    [ '00', 'NMI with IF clear: before anything else' ],
);
my $interrupts = assembled("$FindBin::Bin/interrupts.asm", "$dir/interrupts.elf");
for my $options ([], ['--cpu', '0F12']) {
    my $run = p4sim(@$options, qw(--timing kind), $interrupts);    # stores to the local APIC arrive at once
    like $run->{err}, qr/debug exit value 13H/, "comes to its end with '@$options'";
    my @seen = $run->{out} =~ /([-\d]{2})/g;
    for my $round (1 .. $ROUNDS) {
        my @these = splice @seen, 0, scalar @cases;
        is $these[$_], $cases[$_][0], "round $round, $cases[$_][1]" for 0 .. $#cases;
    }
    is length $run->{out}, 2 * @cases * $ROUNDS + 2, 'and nothing else is said';
}

# A spurious interrupt of the 8259s is their line 7, whose vectors are where a BIOS leaves them: from 08H and from 70H. The
# local APIC's own has vector F0H here, and an NMI 2.
my $disturbed = p4sim(qw(--noise 1 --limit 20), assembled("$FindBin::Bin/spurious.asm", "$dir/spurious.elf"));
my %vectors = map { $_ => 1 } split ' ', $disturbed->{out};
is_deeply [ sort keys %vectors ], [qw(02 0F 77 F0)], 'vectors of interrupts that nobody asked for' or diag $disturbed->{err};

# The watchdog waits 4 ticks of 0.6 s for its first time-out, and the same for the second.
my $reset = p4sim('--stats', '--limit', 20, assembled("$FindBin::Bin/watchdog.asm", "$dir/watchdog.elf"));
like $reset->{err}, qr/board reset by its watchdog/, 'the watchdog ends what nothing else would' or diag $reset->{out};
my ($seconds) = $reset->{err} =~ /\(([\d.]+) s simulated\)/;
cmp_ok $seconds, '>', 4.2, 'not before its time';
cmp_ok $seconds, '<', 5.4, 'nor after it';

done_testing;
