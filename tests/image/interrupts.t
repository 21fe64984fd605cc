#!/usr/bin/perl
# When p4sim stops executing instructions to look for what happened meanwhile: between which instructions it delivers an interrupt
# that was held off (interrupts.asm), and that it executes code that the other logical processor has changed (modified.asm). p4sim
# looks only after instructions that can make something possible, and few vectors would notice if it missed one.
use lib 'tests/image';
use ImageTest;

my $ROUNDS = 3;    # as in interrupts.asm

# For each case two characters: `-` if the handler did not run while the interrupt was held off, then how many instructions
# ran before the handler (after STI one more, SDM volume 2). IF does not hold off an NMI.
my @cases = (
    [ '-1', 'STI: after the next instruction' ],
    [ '-0', 'POPF that sets IF: at once' ],
    [ '-0', 'IRET that sets IF: at once' ],
    [ '-0', 'TPR lowered with IF set: at once' ],
    [ '00', 'NMI with IF clear: before anything else' ],
);
for my $options ([], ['--cpu', '0F12']) {
    my $run = p4sim(@$options, qw(--timing kind), kernel('interrupts'));    # stores to the local APIC arrive at once
    like $run->{err}, qr/debug exit value 13H/, "comes to its end with '@$options'";
    is join(' ', $run->{out} =~ /(..)/g), join(' ', (map { $_->[0] } @cases) x $ROUNDS),
        "in $ROUNDS rounds: " . join '; ', map { $_->[1] } @cases;
}

# A spurious interrupt of the 8259s is their line 7, whose vectors are where a BIOS leaves them: from 08H and from 70H. The
# local APIC's own has vector F0H here, and an NMI 2.
my $disturbed = p4sim(qw(--noise 1 --limit 20), kernel('interrupts', 'DISTURBED'));
my %vectors = map { $_ => 1 } split ' ', $disturbed->{out};
is_deeply [ sort keys %vectors ], [qw(02 0F 77 F0)], 'vectors of interrupts that nobody asked for' or diag $disturbed->{err};

my $modified = p4sim('--limit', 1, kernel('modified'));
like $modified->{err}, qr/debug exit value 13H/, 'code that is changed comes to its end';
is $modified->{out}, 'ABCD', 'the letter is one further in each round: what is there now is executed';

done_testing;
