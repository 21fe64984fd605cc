#!/usr/bin/perl
# What p4sim pushes for exceptions, and that the second one of a kind is the same as the first
# (exceptions.asm). When it stops executing instructions to look for what happened meanwhile (interrupts.asm):
# between which instructions it delivers an interrupt that was held off, and that it executes code that the
# other logical processor has changed. p4sim looks only after instructions that can make something possible,
# and few vectors would notice if it missed one.
use lib 'tests/image';
use ImageTest;

my ($ROUNDS, $HELD) = (2, 3);    # rounds of exceptions.asm, and of interrupts.asm

# Without error code, the handler finds its own mark.
my $NONE = 0xEEEEEEEE;

# For each case: vector, error code, pushed RF, CR2 (0 when the case is no page fault). RF is 1 for a fault, 0
# for a trap (SDM volume 3, 17.3.1.1). Error codes: SDM volume 3, Figures 6-6 and 4-12 (1 present, 2 write, 4
# user).
my @cases = (
    [ 'WRMSR of a 49th bit to LSTAR', 13, 0, 1, 0 ],
    [ 'MOV to CR4, a reserved bit', 13, 0, 1, 0 ],
    [ 'MOV to CR0, NW without CD', 13, 0, 1, 0 ],
    [ 'MOV to CR0, PG without PE', 13, 0, 1, 0 ],
    [ 'store to a read-only page, CR0.WP set', 14, 3, 1, 0x20100C ],
    [ 'jump to a missing page', 14, 0, 1, 0x200000 ],
    [ 'call to a missing page', 14, 0, 1, 0x200010 ],
    [ 'SYSCALL, not in 64-bit mode', 6, $NONE, 1, 0 ],
    [ 'RDTSCP', 6, $NONE, 1, 0 ],
    [ 'PSHUFB, of SSSE3', 6, $NONE, 1, 0 ],
    [ 'CALL FAR EAX', 6, $NONE, 1, 0 ],
    [ 'INT 17, no #AC', 17, $NONE, 0, 0 ],
    [ 'CPL 3: load from a supervisor page', 14, 5, 1, 0x202014 ],
    [ 'CPL 3: store to a read-only page', 14, 7, 1, 0x201018 ],
    [ 'CPL 3: jump to a supervisor page', 14, 5, 1, 0x202000 ],
    [ 'CPL 3: INT1, gate of DPL 0', 1, $NONE, 0, 0 ],
    [ 'INT1, gate not present', 11, 0x0B, 1, 0 ],
    [ 'SYSCALL, gate of #UD not present', 11, 0x33, 1, 0 ],
    [ 'CPL 3: IN of 4 bytes, IOPL 0', 13, 0, 1, 0 ],
    [ 'CPL 3: OUTSB, IOPL 0', 13, 0, 1, 0 ],
    [ 'CPL 3: UD2 behind an IN that the TSS allows', 6, $NONE, 1, 0 ],
);

my $run = p4sim('--limit', 1, kernel('exceptions'));
like $run->{err}, qr/debug exit value 13H/, 'comes to its end' or diag $run->{out};
my @lines = split /\n/, $run->{out};
is @lines, $ROUNDS * @cases, 'one exception a case';
for my $round (1 .. $ROUNDS) {
    for my $case (@cases) {
        my ($title, $vector, $error, $rf, $cr2) = @$case;
        is shift @lines // '', sprintf('%08X %08X 00000000 %08X %08X ', $vector, $error, $rf, $cr2),
            "round $round, $title: vector, error code, EIP as expected, RF, CR2";
    }
}

# ---- Interrupts ----

# For each case two characters: `-` if the handler did not run while the interrupt was held off, then how many
# instructions ran before the handler (after STI one more, SDM volume 2). IF does not hold off an NMI.
my @held = (
    [ '-1', 'STI: after the next instruction' ],
    [ '-0', 'POPF that sets IF: at once' ],
    [ '-0', 'IRET that sets IF: at once' ],
    [ '-0', 'TPR lowered with IF set: at once' ],
    [ '00', 'NMI with IF clear: before anything else' ],
);
for my $options ([], [ '--cpu', '0F12' ]) {
    # stores to the local APIC arrive at once
    my $run = p4sim(@$options, qw(--timing kind), kernel('interrupts'));
    like $run->{err}, qr/debug exit value 13H/, "comes to its end with '@$options'";
    is join(' ', $run->{out} =~ /(..)/g), join(' ', (map { $_->[0] } @held) x $HELD),
        "in $HELD rounds: " . join '; ', map { $_->[1] } @held;
}

# A spurious interrupt of the 8259s is their line 7, whose vectors are where a BIOS leaves them: from 08H and
# from 70H. The local APIC's own has vector F0H here, and an NMI 2.
my $disturbed = p4sim(qw(--noise 1 --limit 20), kernel('interrupts', 'DISTURBED'));
my %vectors = map { $_ => 1 } split ' ', $disturbed->{out};
is_deeply [ sort keys %vectors ], [qw(02 0F 77 F0)], 'vectors of interrupts that nobody asked for'
    or diag $disturbed->{err};

my $modified = p4sim('--limit', 1, kernel('interrupts', 'MODIFIED'));
like $modified->{err}, qr/debug exit value 13H/, 'code that is changed comes to its end';
is $modified->{out}, 'ABCD', 'the letter is one further in each round: what is there now is executed';

done_testing;
