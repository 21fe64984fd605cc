#!/usr/bin/perl
# p4sim with kernels that crash, hang, end their log early, or exit with a value that contradicts their log: it prints one
# line with the reason, keeps the serial output, and ends with status 2. Kernels that end well are tested for comparison.
use strict;
use warnings;
use Test::More;
use File::Temp;
use FindBin;
use lib "$FindBin::Bin/../../tools/lib";
use Image qw(p4sim assembled one_line);

my $dir = File::Temp->newdir;
my $cut = "TAP version 13\r\n1..1\r\n";

# Assembles broken.asm with these symbols defined; returns the path of the ELF file.
sub kernel {
    my ($name, @defines) = @_;
    return assembled("$FindBin::Bin/broken.asm", "$dir/$name.elf", @defines);
}

# README, "What you see": the END word, the value on the debug-exit port, p4sim's status.
for my $good ([ pass => 0x10, 0 ], [ fail => 0x11, 1 ], [ skip => 0x13, 77 ]) {
    my ($word, $value, $status) = @$good;
    my $run = p4sim(kernel("good-$word", "WAY=EXIT", "VERDICT=$value", "END_WORD='$word'"));
    is $run->{status}, $status, "END line says $word and the debug-exit port agrees";
    like $run->{out}, qr/^# END OF TAP: $word, 4 lines\r\n\z/m, "the log of $word is complete";
}

my @broken = (
    [ 'a jump to itself',      [qw(WAY=SPIN)],                qr/limit/i,        '--limit', 1 ],
    [ 'a triple fault',        [qw(WAY=TRIPLE)],              qr/triple/i ],
    [ 'a halt in mid-log',     [qw(WAY=HALT)],                qr/END|ended|halt/i ],
    [ 'an exit in mid-log',    [qw(WAY=EXIT VERDICT=10h)],    qr/END|ended/i ],
    [ 'an exit value of none', [qw(WAY=EXIT VERDICT=55h)],    qr/\S/ ],
    [ 'a log that says fail and a port that says pass', [qw(WAY=EXIT VERDICT=10h END_WORD='fail')], qr/fail.*10H/ ],
    [ 'a log that says pass and a port that says fail', [qw(WAY=EXIT VERDICT=11h END_WORD='pass')], qr/pass.*11H/ ],
    [ 'a log that says pass and a halt without verdict', [qw(WAY=HALT END_WORD='pass')], qr/\S/ ],
);
my $number = 0;
for my $case (@broken) {
    my ($title, $defines, $reason, @options) = @$case;
    my $run = p4sim(@options, kernel('broken-' . $number++, @$defines));
    subtest $title => sub {
        is $run->{status}, 2, 'status 2';
        ok one_line($run->{err}), 'one line on standard error' or diag $run->{err};
        like $run->{err}, $reason, 'it names the reason';
        like $run->{out}, qr/\A\Q$cut\E/, 'the serial output is kept';
    };
}

done_testing;
