#!/usr/bin/perl
# The seals and the end line of real logs, computed anew with zlib as docs/log.md says, and that no line can be
# touched without them noticing.
use strict;
use warnings;
use Test::More;
use Compress::Raw::Zlib qw(crc32);
use FindBin;
use lib $FindBin::Bin;
use Image qw(p4sim document $ELF);

# Title, p4sim's arguments, the verdict of the end line (none: a bail-out).
my @logs = (
    [ 'a run that passes', 'pass', $ELF ],
    [ 'a run that fails',  'fail', $ELF, 'selftest=fault', 'only=cascade.18-1' ],
    [ 'a skipped machine', 'skip', '--board', 'msr-fault', $ELF ],
    [ 'a list',            'skip', $ELF, 'list' ],
    [ 'a bail-out',        undef,  $ELF, 'bogus' ],
);
for my $log (@logs) {
    my ($title, $verdict, @arguments) = @$log;
    is_deeply [ faults(document(p4sim(@arguments)->{out}), $verdict) ], [], $title;
}

my $good = document(p4sim($ELF, 'only=state,cascade.18-1')->{out});
is_deeply [ faults($good, 'pass') ], [], 'a short log';
my @lines = $good =~ /([^\n]*\n)/g;
my @unnoticed;
for my $i (0 .. $#lines) {
    my ($before, $after) = (join('', @lines[ 0 .. $i - 1 ]), join('', @lines[ $i + 1 .. $#lines ]));
    my %damage = (
        missing => '',
        twice   => $lines[$i] x 2,
        changed => $lines[$i] =~ s/([ -~])(?=\r)/chr(ord($1) ^ 1)/er,
    );
    push @unnoticed, map { "line $i $_" } grep { !faults($before . $damage{$_} . $after, 'pass') } keys %damage;
}
is_deeply \@unnoticed, [], 'no line can be missing, twice or changed';

done_testing;

# What is wrong with a document, in words; nothing when it is whole and its end line has this verdict.
sub faults {
    my ($log, $verdict) = @_;
    my ($crc, $lines, $points, $planned, $end, @faults) = (crc32(''), 0, 0);
    for my $line (split /\r\n/, $log) {
        push @faults, "something follows the end line: $line" if defined $end;
        $lines++;
        $planned = $1 if $lines == 2 && $line =~ /\A1\.\.(\d+)/;
        if ($line =~ /\A(?:not )?ok |\A# soak /) {
            my ($text, $seal) = $line =~ /\A(.*) #([0-9A-F]{4})\z/ or push(@faults, "no seal: $line"), next;
            push @faults, "wrong seal: $line" if hex $seal != (crc32($text, $crc) & 0xFFFF);
            my ($number) = $text =~ /ok (\d+) - /;
            push @faults, "wrong number: $line" if $text !~ /\A# soak / && $number != ++$points;
        }
        elsif ($line =~ /\A# END OF TAP: ((\w+), (\d+) lines), CRC-32 ([0-9A-F]{8})\z/) {
            $end = $2;
            push @faults, "$3 lines, not $lines" if $3 != $lines;
            push @faults, 'wrong CRC-32' if hex $4 != crc32("# END OF TAP: $1", $crc);
        }
        $crc = crc32("$line\n", $crc);
    }
    push @faults, "$points points of " . ($planned // 'no plan') if $points != ($planned // -1) && defined $verdict;
    push @faults, 'end line says ' . ($end // 'nothing') if ($end // '') ne ($verdict // '');
    return @faults;
}
