#!/usr/bin/perl
# The board around the processor: where the kernel finds the serial line, how it ends a run (exit=), and the
# watchdog that resets a machine that hangs. Tested on p4sim, which has an ICH5, and on QEMU, which has a PIIX
# and an ICH9.
use lib 'tests/image';
use ImageTest;

# ---- p4sim ----

# The value of the line "# key: ..." of a log.
sub said ($log, $key) { return $log =~ /^# \Q$key\E: ([^\r\n]*)/m ? $1 : undef }

my @consoles = (
    [ [], [], 'ttyS0 at 3F8H (BIOS data area), 115200 baud' ],
    [ [], ['console=ttyS0,9600'], 'ttyS0 at 3F8H (boot line, BIOS data area), 9600 baud' ],
    [ [], ['console=0x3F8'], 'ttyS0 at 3F8H (boot line), 115200 baud' ],
    [ [], ['console=pci'], 'ttyS0 at 3F8H (no PCI serial card; BIOS data area), 115200 baud' ],
    [ ['com-moved'], ['console=ttyS0'], 'ttyS3 at 2E8H (boot line, BIOS data area), 115200 baud' ],
    [ ['com-moved'], ['console=ttyS3,57600'], 'ttyS3 at 2E8H (boot line), 57600 baud' ],
    [ ['com-spcr'], ['console=auto,9600'], 'ttyS3 at 2E8H (ACPI SPCR), 9600 baud' ],
    [
        [ 'com-moved', 'no-pci' ],
        ['console=pci'], 'ttyS3 at 2E8H (no PCI serial card; BIOS data area), 115200 baud'
    ],
);
for my $case (@consoles) {
    my ($boards, $words, $console) = @$case;
    my $run = p4sim((map { ('--board', $_) } @$boards), $ELF, 'only=state.cccr', @$words);
    is said($run->{out}, 'console'), $console, "console of '@$boards' with '@$words'";
    is $run->{status}, 0, 'which ends well' or diag $run->{err};
}

subtest 'a serial line that is not there' => sub {
    my $screen = File::Temp->new;
    unlink $screen;    # p4sim overwrites no file
    my $run = p4sim('--screen', $screen->filename, $ELF, qw(only=state.cccr console=ttyS1));
    is $run->{out}, '', 'nothing on the one that is';
    like slurp($screen->filename),
        qr/^# no serial line answers: this log is on the screen alone, in pages at the end$/m,
        'the screen says so';
};

# Each row has board defects, the value of the line "watchdog", and how a machine ends that hangs. defects.t
# has runs on these boards that go well.
my @dogs = (
    [ [], 'ICH5, resets after 60 s', qr/board reset by its watchdog/ ],
    [ ['tco-smi'], 'ICH5, resets after 60 s', qr/board reset by its watchdog/ ],
    [ ['tco-strapped'], 'ICH5, not used: NO_REBOOT does not clear', qr/every processor is halted for good/ ],
    [ ['no-pci'], 'none: no Intel ICH at PCI 00:1f.0', qr/every processor is halted for good/ ],
);
for my $case (@dogs) {
    my ($boards, $watchdog, $end) = @$case;
    subtest "watchdog of '@$boards'" => sub {
        my @boards = map { ('--board', $_) } @$boards;
        my $hung = p4sim(@boards, '--stats', $ELF, qw(watchdog selftest=dead));
        is said($hung->{out}, 'watchdog'), $watchdog, 'what was found';
        like $hung->{err}, $end, 'the end of a machine that hangs';
        ends($hung, 2, 'its status, its last words', out => qr/^#> selftest\.dead [^\r\n]*\r\n\z/m);
        my ($seconds) = $hung->{err} =~ /\((\S+) s simulated\)/;
        cmp_ok abs $seconds - 60, '<', 2, 'after the time that it announced' if !@$boards;
    };
}

subtest 'without the word there is no watchdog' => sub {
    my $screen = File::Temp->new;
    unlink $screen;    # p4sim overwrites no file
    my $hung = p4sim('--screen', "$screen", $ELF, 'selftest=dead');
    like $hung->{err}, qr/every processor is halted for good/, 'a machine that hangs';
    is + (split /\n/, slurp("$screen"))[24] // '', '',
        'its screen does not name the PMU, whose registers were read and written before';
    is said(p4sim($ELF, 'only=state.cccr')->{out}, 'watchdog'), undef, 'and no line about it';
};

# Boards that start again after the watchdog's reset. The data sheets of the hubs ask the BIOS to clear SECOND_TO_STS, so the bit alone
# would not do.
subtest 'a board does not run, hang and start again for ever' => sub {
    my @once = ($ELF, qw(watchdog=once selftest=dead));
    my $run = p4sim(qw(--board restarts), @once);
    ends(
        $run, 2, 'the second start says so, and stops',
        out => qr/^# watchdog: ICH5, resets after 60 s, once\r\n.*^\#>\ selftest\.dead[^\n]*\n
        TAP\ version\ 13\r\n1\.\.1\r\nnot\ ok\ 1\ -\ boot\.watchdog\ \#\w{4}\r\nBail\ out!\ the\ run\ before\ this\ one\ hung,[^\n]*\n\z/msx
    );
    my $cleared = p4sim(qw(--board tco-cleared), @once);
    like $cleared->{err}, qr/every processor is halted for good/,
        'a BIOS that clears the bit: the second hang is for good';
    is_deeply [ $cleared->{out} =~ /^# watchdog: ([^\r\n]*)/mg ],
        [
        'ICH5, resets after 60 s, once',
        'ICH5, not used: the board was reset before the end of a run, by hand or by it, and it resets once'
        ],
        'and says why';
    is_deeply [
        p4sim(qw(--board restarts), $ELF, qw(watchdog selftest=dead))->{out} =~ /^# watchdog: ([^\r\n]*)/mg ],
        [ 'ICH5, resets after 60 s', ('ICH5, resets after 60 s; it reset this board before') x 3 ],
        'with the word watchdog it is reset each time';
    my $screen = "$dir/alone";
    like p4sim(qw(--no-uart --screen), $screen, @once)->{err}, qr/every processor is halted for good/,
        'without a serial line it is not used';
    like slurp($screen),
        qr/^# watchdog: not used: without a serial line the screen alone says where a run ha\nngs$/m,
        'it would wipe out what the screen says';
};

# The run takes longer than the watchdog waits; each loop takes a little more than a second. A processor that runs in an eighth of its
# clocks, and is in an SMI for nine tenths of the time, executes few instructions while it waits.
subtest 'the watchdog lets a long run be' => sub {
    my @slow = qw(--board tm1:12 --board smi-each:1000:900);
    my $run = p4sim('--stats', @slow, $ELF, qw(watchdog loop=52 selftest=slow only=state.cccr));
    is $run->{status}, 0, 'it passes' or diag $run->{err};
    my ($seconds) = $run->{err} =~ /\((\S+) s simulated\)/;
    cmp_ok $seconds, '>', 62, 'longer than the watchdog waits';
};

# What may hang a board is named just before it is tried, between the plan and the inventory; what is not
# tried is not named.
sub attempts ($log) {
    my ($lines) = $log =~ /\ATAP version 13\r\n1\.\.[^\n]*\n((?:# pmuproof is about to [^\n]*\n)*)# build: /
        or return 'no such log';
    return [ $lines =~ /^# pmuproof is about to ([^\r\n]*)\r$/mg ];
}

subtest 'what the kernel is about to try' => sub {
    my @ap = ('send INIT and start-up IPIs to local APIC 1');
    my @apic = ('set up the local APIC');
    my $sound = p4sim($ELF, 'only=state.cccr');
    is_deeply attempts($sound->{out}), [ @apic, @ap ], 'on a sound board';
    is_deeply attempts(p4sim('--ht', 'off', $ELF, 'only=state.cccr')->{out}), \@apic,
        'without Hyper-Threading';
    is_deeply attempts(p4sim(qw(--board apic-off), $ELF, 'only=state.cccr')->{out}), [],
        'without a local APIC';
    is_deeply attempts(
        p4sim(qw(--board apic-off --board cpuid-limited), $ELF, qw(only=state.cccr lapic=on watchdog))->{out}
        ),
        [
        'lift the limit of CPUID in IA32_MISC_ENABLE',
        'enable the local APIC, which the firmware left disabled',
        @ap,
        'start the watchdog of the chip set'
        ],
        'with all that there is';
};

# ---- QEMU ----

# The command that runs QEMU with this machine and these arguments. There is no isa-debug-exit: the board must
# end the run. The boot word inventory leaves out what qemu.t has: the harness on QEMU's processor.
sub qemu ($machine, @arguments) {
    return (qw(qemu-system-i386 -accel tcg -m 64 -nodefaults -display none),
        '-machine', $machine, '-kernel', $ELF, @arguments);
}
my $USUAL = 2;    # seconds
my $END = qr/^# END OF TAP[^\n]*\n/m;
my @serial = ('-serial', 'stdio');

for my $machine ('pc', 'q35') {
    subtest "the ends of a run on $machine" => sub {
        my $again = run($USUAL, qemu($machine, @serial, '-no-reboot', '-append', 'inventory exit=reboot'));
        ok !$again->{late}, 'exit=reboot resets it';
        is $again->{status}, 0, 'cleanly';
        like document($again->{out}), end_line('skip'), 'after the whole log';
        is scalar(() = $again->{out} =~ /^TAP version 13/mg), 1, 'which came once';
        my $off = run($USUAL, qemu($machine, @serial, '-append', 'inventory exit=off'));
        ok !$off->{late}, 'exit=off switches it off';
        is $off->{status}, 0, 'cleanly';
        like document($off->{out}), end_line('skip'), 'after the whole log';
        my $halted =
            run_until($USUAL, $END, qemu($machine, @serial, '-no-reboot', '-append', 'inventory exit=halt'));
        ok $halted->{stopped}, 'exit=halt does neither';
        like document($halted->{out}), end_line('skip'), 'after the whole log';
    };
}

# Port 8900H is not decoded here.
my $no_acpi = run_until($USUAL, $END, qemu('pc,acpi=off', @serial, '-append', 'inventory exit=off'));
ok $no_acpi->{stopped}, 'exit=off without ACPI: the machine halts';
like document($no_acpi->{out}), end_line('skip'), 'after the whole log';

subtest 'serial lines' => sub {
    my $card = File::Temp->new;
    my @card = ('-chardev', 'file,id=card,path=' . $card->filename, '-device', 'pci-serial,chardev=card');
    my $pci =
        run($USUAL, qemu('pc', @serial, @card, '-no-reboot', '-append', 'inventory console=pci exit=reboot'));
    is $pci->{out}, '', 'console=pci: nothing on COM1';
    my $log = slurp($card->filename);
    like document($log), end_line('skip'), 'the whole log on the card';
    like said($log, 'console'), qr/^UART at [0-9A-F]{4}H \(PCI 00:\d\d\.0, 1b36:0002\), 115200 baud$/,
        'which it names';
    my @com2 = ('-chardev', 'stdio,id=com2', '-device', 'isa-serial,iobase=0x2f8,irq=3,chardev=com2');
    my $second = run($USUAL, qemu('pc', @com2, '-no-reboot', '-append', 'inventory exit=reboot'));
    like document($second->{out}), end_line('skip'), 'COM2 alone: the whole log on it';
    is said($second->{out}, 'console'), 'ttyS1 at 2F8H (BIOS data area), 115200 baud', 'as the BIOS says';
    my $none = run($USUAL, qemu('pc', '-no-reboot', '-append', 'inventory exit=reboot'));
    ok !$none->{late}, 'no serial line at all: it ends';
    is $none->{out}, '', 'without a word';
};

# QEMU's ICH9 forbids the reset by a strap, unless `noreboot=false`. With -icount the virtual time does not
# wait for real time.
subtest 'the watchdog of q35' => sub {
    my @ich9 = (@serial, '-no-reboot', '-global', 'ICH9-LPC.noreboot=false', '-icount', 'shift=5,sleep=off');
    my $hung = run(20, qemu('q35', @ich9, '-append', 'watchdog selftest=dead'));
    ok !$hung->{late}, 'a machine that hangs is reset' or diag $hung->{out};
    is said($hung->{out}, 'watchdog'), 'ICH9, resets after 60 s', 'what was found';
    my $over = run_until(20, $END, qemu('q35', @ich9, '-append', 'watchdog inventory exit=halt'));
    ok $over->{stopped}, 'the end of a run stops the watchdog';
    like document($over->{out}), end_line('skip'), 'after the whole log';
# QEMU keeps these registers over a reset, as a hub does. A run that ends leaves nothing behind: the next one begins.
    my @restarts = grep { $_ ne '-no-reboot' } @ich9;
    my $stopped = run_until(
        20,
        qr/^Bail out! [^\n]*\n/m,
        qemu('q35', @restarts, '-append', 'watchdog=once selftest=dead')
    );
    like $stopped->{out},
        qr/resets after 60 s, once\r\n(?!.*^# watchdog).*^not ok 1 - boot\.watchdog .*^Bail out! the run before this one hung/ms,
        'a run that hangs is the last one';
    my $again = run_until(20, qr/$END.*$END/ms,
        qemu('q35', @restarts, '-append', 'watchdog=once only=harness.clock exit=reboot'));
    my @watchdogs = $again->{out} =~ /^# watchdog: ([^\r\n]*)/mg;    # a third run may have begun
    is_deeply [ @watchdogs[ 0, 1 ] ], [ ('ICH9, resets after 60 s, once') x 2 ], 'a run that ends is not';
    my $piix =
        run_until($USUAL, $END, qemu('pc', @serial, '-no-reboot', '-append', 'watchdog inventory exit=halt'));
    is said($piix->{out}, 'watchdog'), 'none: no Intel ICH at PCI 00:1f.0', 'a board without it';
};

done_testing;
