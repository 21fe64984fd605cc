#!/usr/bin/perl
# Kernels that do what no sound kernel does (hostile.asm): p4sim neither crashes nor hangs. Where a kernel needs what p4sim
# does not simulate, one line on standard error names it.
use strict;
use warnings;
use Test::More;
use File::Temp;
use FindBin;
use lib "$FindBin::Bin/../../tools/lib";
use Image qw(run p4sim assembled one_line $P4SIM);

my $MEGABYTES = 160;    # a million instructions that run once took 260 MB when their translations were kept

my $dir = File::Temp->newdir;

# For each way: how the run ends, and what else is on COM1 after ".".
my @ways = (
    [ LOST_CR3  => qr/triple fault .* first vector 14/, '' ],
    [ LOST_PAE  => qr/triple fault .* first vector 14/, '' ],
    [ ADDRESS_0 => qr/halted for good/,                 '' ],
    [ ROM       => qr/halted for good/,                 '!' ],
    [ ZEROS     => qr/LP0 runs through zeros: EIP 0021FFFEH/, '' ],
    [ X87       => qr/every processor is halted/,       '!' ],
    [ TASK_GATE => qr/not simulated: a task gate/,      '' ],
    [ VM86      => qr/not simulated: virtual-8086 mode/, '' ],
    [ LONG      => qr/not simulated: 64-bit mode/, '' ],
    [ FAR       => qr/triple fault .* first vector 6/, '' ],
    [ REAL      => qr/not simulated: an interrupt or exception in real mode/, '' ],
);
for my $way (@ways) {
    my ($name, $reason, $more) = @$way;
    my $run = p4sim('--limit', 1, assembled("$FindBin::Bin/hostile.asm", "$dir/$name.elf", "WAY=$name"));
    subtest $name => sub {
        is $run->{status}, 2, 'status 2';
        ok one_line($run->{err}), 'one line on standard error' or diag $run->{err};
        like $run->{err}, $reason, 'it says why';
        is $run->{out}, ".$more", 'the kernel came so far';
    };
}

# What the run survives: the line comes before the one of the end.
for my $way (
    [ REMAP   => qr/not simulated: a page that is mapped to another address/, qr/halted for good/ ],
    [ HIGH    => qr/not simulated: a page that is mapped to another address/, qr/not simulated: code in a page .* C01[0-9A-F]+H/ ],
    [ SMI     => qr/not simulated: an interprocessor interrupt/,  qr/halted for good/ ],
    [ FAST_CALL => qr/not simulated: SYSENTER/, qr/halted for good/ ],
    [ DATA_BP => qr/not simulated: a breakpoint on data/,         qr/halted for good/ ],
) {
    my ($name, @patterns) = @$way;
    my $run = p4sim('--limit', 1, assembled("$FindBin::Bin/hostile.asm", "$dir/$name.elf", "WAY=$name"));
    my @lines = split /\n/, $run->{err};
    is @lines, 2, "$name: two lines" or diag $run->{err};
    like $lines[$_] // '', $patterns[$_], "$name: line $_" for 0, 1;
    is $run->{status}, 2, "$name: status 2";
}

# A crash of the simulator itself, as a bug of libunicorn would cause it: one line, and the status of a broken run.
my $spin = assembled("$FindBin::Bin/broken.asm", "$dir/spin.elf", 'WAY=SPIN');
for my $signal (qw(SEGV ABRT)) {
    my $crashed = run(2, 'sh', '-c', "$P4SIM $spin & sleep 1; kill -$signal \$!; wait \$!");
    is $crashed->{status}, 2, "SIG$signal: status 2";
    like $crashed->{err}, qr/\Ap4sim: broken: the simulator crashed \(signal \d+\) at EIP 0010[0-9A-F]{4}H\n\z/,
        "SIG$signal: one line says where";
}

my $once = p4sim('--stats', '--limit', 3, assembled("$FindBin::Bin/hostile.asm", "$dir/once.elf", 'WAY=ONCE'));
like $once->{err}, qr/limit of 3 million/, 'a run of instructions that run once ends at its limit';
my ($megabytes) = $once->{err} =~ /at most (\d+) MB/;
cmp_ok $megabytes, '<', $MEGABYTES, 'and takes little memory';

done_testing;
