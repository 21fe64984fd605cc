#!/usr/bin/perl
# What p4sim says of kernels that crash, hang, end their log early or contradict it: one line that names the
# reason, status 2, and the serial output up to there. Kernels that end well are the control.
use strict;
use warnings;
use Test::More;
use File::Temp;
use FindBin;
use lib $FindBin::Bin;
use Image qw(run p4sim one_line);

my $dir = File::Temp->newdir;
my $cut = "TAP version 13\r\n1..1\r\n";

# Assemble tests/image/broken.asm with these definitions; returns the ELF's name.
sub kernel {
    my ($name, @defines) = @_;
    my @commands = (
        [ qw(nasm -f elf32 -Wall -Werror), (map { "-D$_" } @defines), '-o', "$dir/$name.o", "$FindBin::Bin/broken.asm" ],
        [ qw(ld -m elf_i386 -N -Ttext=0x100000 --no-warn-rwx-segments -o), "$dir/$name.elf", "$dir/$name.o" ],
    );
    for my $command (@commands) {
        my $made = run(20, @$command);
        die "$made->{command}: $made->{err}" unless defined $made->{status} && $made->{status} == 0;
    }
    return "$dir/$name.elf";
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
