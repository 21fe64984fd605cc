#!/usr/bin/perl
# Kernels that crash, hang, end their log early or contradict it, and kernels that do what no sound kernel
# does (hostile.asm): p4sim neither crashes nor hangs. It prints one line with the reason, keeps the serial
# output, and ends with status 2. Where a kernel needs what p4sim does not simulate, one line names it.
# Kernels that end well are tested for comparison.
use lib 'tests/image';
use ImageTest;

my $MEGABYTES = 160;    # a million instructions that run once took 260 MB when their translations were kept

# README, "What you see": the END word, the value on the debug-exit port, p4sim's status.
for my $good ([ pass => 0x10, 0 ], [ fail => 0x11, 1 ], [ skip => 0x13, 77 ]) {
    my ($word, $value, $status) = @$good;
    my $run = p4sim(kernel('hostile', 'WAY=EXIT', "VERDICT=$value", 'LOG', "END_WORD='$word'"));
    ends(
        $run, $status,
        "END line says $word and the debug-exit port agrees, the log of $word is complete",
        out => qr/^# END OF TAP: $word, 4 lines\r\n\z/m
    );
}

# docs/log.md: what the totals may add.
for my $case (
    [ pass => 0x10, 0, qr/^p4sim: pass: every check passed; 4 unexplained$/m ],
    [ skip => 0x13, 77, qr/^p4sim: skip: results are unexplained \(strict\): 4 unexplained$/m ],
    [ fail => 0x11, 1, qr/^p4sim: fail: a check failed$/m ]
    )
{
    my ($word, $value, $status, $said) = @$case;
    my $run = p4sim(kernel(
        'hostile', 'WAY=EXIT', "VERDICT=$value", 'LOG', "END_WORD='$word'",
        "TOTALS='; 1 of the failed intermittent; 4 unexplained'"
    ));
    ends($run, $status, "p4sim's last line after $word with unexplained results", err => $said);
}

# The kernel, how the run ends, and what is on COM1: its beginning if it is a pattern.
my $cut = qr/\ATAP version 13\r\n1\.\.1\r\n/;
for my $case (
    [ [qw(WAY=SPIN LOG)], qr/limit/i, $cut ],
    [ [qw(WAY=TRIPLE LOG)], qr/triple/i, $cut ],
    [ [qw(WAY=HALT LOG)], qr/END|ended|halt/i, $cut ],
    [ [qw(WAY=EXIT VERDICT=10h LOG)], qr/END|ended/i, $cut ],
    [ [qw(WAY=EXIT VERDICT=55h LOG)], qr/\S/, $cut ],
    [ [ qw(WAY=EXIT VERDICT=10h LOG), "END_WORD='fail'" ], qr/fail.*10H/, $cut ],
    [ [ qw(WAY=EXIT VERDICT=11h LOG), "END_WORD='pass'" ], qr/pass.*11H/, $cut ],
    [ [ qw(WAY=HALT LOG), "END_WORD='pass'" ], qr/\S/, $cut ],
    [ ['WAY=LOST_CR3'], qr/triple fault .* first vector 14/, '.' ],
    [ ['WAY=LOST_PAE'], qr/triple fault .* first vector 14/, '.' ],
    [ ['WAY=ADDRESS_0'], qr/halted for good/, '.' ],
    [ ['WAY=ROM'], qr/halted for good/, '.!' ],
    [ ['WAY=ZEROS'], qr/LP0 runs through zeros: EIP 0021FFFEH/, '.' ],
    [ ['WAY=X87'], qr/every processor is halted/, '.!' ],
    [ ['WAY=FAR'], qr/triple fault .* first vector 6/, '.' ],
    [ ['WAY=TASK_GATE'], qr/not simulated: a task gate/, '.' ],
    [ ['WAY=VM86'], qr/not simulated: virtual-8086 mode/, '.' ],
    [ ['WAY=LONG'], qr/not simulated: 64-bit mode/, '.' ],
    [ ['WAY=REAL'], qr/not simulated: an interrupt or exception in real mode/, '.' ],
    [ ['WAY=BREAKPOINT'], qr/not simulated: a debug register, beyond DR7 without a breakpoint/, '.' ],
    map { [ ["WAY=$_"], qr/not simulated: what the limit or the rights of a segment refuse/, '.' ] }
    qw(LIMIT PUSH OVERRIDE NULL),
    )
{
    my ($defines, $reason, $out) = @$case;
    my $run = p4sim('--limit', 1, kernel('hostile', @$defines));
    ends(
        $run, 2, "@$defines: it says why, and the serial output is kept",
        err => $reason,
        out => ref $out ? $out : qr/\A\Q$out\E\z/
    );
    ok one_line($run->{err}), 'one line on standard error' or diag $run->{err};
}

# What the run survives: the line comes before the one of the end.
for my $way (
    [ REMAP => qr/not simulated: a page that is mapped to another address/, qr/halted for good/ ],
    [
        HIGH => qr/not simulated: a page that is mapped to another address/,
        qr/not simulated: code in a page .* C01[0-9A-F]+H/
    ],
    [ SMI       => qr/not simulated: an interprocessor interrupt/, qr/halted for good/ ],
    [ FAST_CALL => qr/not simulated: SYSENTER/, qr/halted for good/ ],
    )
{
    my ($name, @patterns) = @$way;
    my $run = p4sim('--limit', 1, kernel('hostile', "WAY=$name"));
    my @lines = split /\n/, $run->{err};
    is @lines, 2, "$name: two lines" or diag $run->{err};
    like $lines[$_] // '', $patterns[$_], "$name: line $_" for 0, 1;
    is $run->{status}, 2, "$name: status 2";
}

# A crash of the simulator itself, as a bug of libunicorn would cause it: one line, and the status of a broken
# run. It has executed something when it has printed something.
my $spin = kernel('hostile', qw(WAY=SPIN LOG));
for my $signal (qw(SEGV ABRT)) {
    my $out = file("spin.$signal", '');
    my $crashed = run(2, 'sh', '-c',
        "$P4SIM $spin >$out & until [ -s $out ]; do sleep 0.05; done; kill -$signal \$!; wait \$!");
    ends(
        $crashed, 2,
        "SIG$signal: one line says where",
        err => qr/\Ap4sim: broken: the simulator crashed \(signal \d+\) at EIP 0010[0-9A-F]{4}H\n\z/
    );
}

my $once = p4sim('--stats', '--limit', 3, kernel('hostile', 'WAY=ONCE'));
like $once->{err}, qr/limit of 3 million/, 'a run of instructions that run once ends at its limit';
my ($megabytes) = $once->{err} =~ /at most (\d+) MB/;
cmp_ok $megabytes, '<', $MEGABYTES, 'and takes little memory';

# The watchdog waits 4 ticks of 0.6 s for its first time-out, and the same for the second.
my $watchdog = kernel('hostile', 'WAY=WATCHDOG');
my $reset = p4sim('--stats', '--limit', 20, $watchdog);
like $reset->{err}, qr/board reset by its watchdog/, 'the watchdog ends what nothing else would'
    or diag $reset->{out};
like p4sim('--board', 'tco-smi', '--limit', 20, $watchdog)->{err}, qr/limit of 20 million/,
    'but for a BIOS that takes its time-outs by SMI';
my ($seconds) = $reset->{err} =~ /\(([\d.]+) s simulated\)/;
cmp_ok $seconds, '>', 4.2, 'not before its time';
cmp_ok $seconds, '<', 5.4, 'nor after it';

# Two reads of the I/O APIC's version.
my $twice = kernel('hostile', 'WAY=TWICE');
is p4sim(@{ $_->[0] }, '--limit', 1, $twice)->{out}, ".00170011\n$_->[1]\n!", "an I/O APIC with @{ $_->[0] }"
    for [ [], '00170011' ], [ [qw(--board io-apic-forgets)], '00000000' ];

# 8254 data sheet, mode definitions: behind the control word OUT is low in mode 0, and high in modes 1 to 5.
is p4sim('--limit', 1, kernel('hostile', 'WAY=OUTPUT'))->{out}, '.011111!',
    'the output of a channel of the 8254 that has a mode and no count yet';

# libunicorn ends a program that it finds no memory for.
my $small = run(1, qw(sh -c), 'ulimit -v 300000; exec build/p4sim "$0" 2>&1', $ELF);
ends($small, 2, 'too little memory, in words', out => qr/^p4sim: .*not enough memory/m);

done_testing;
