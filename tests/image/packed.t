#!/usr/bin/perl
# The packed image (boot/unpack.asm): it runs as it was built, and one flipped bit anywhere in the packed data
# keeps the kernel from being entered at all.
use strict;
use warnings;
use Test::More;
use Compress::Raw::Zlib qw(crc32);
use File::Temp;
use FindBin;
use lib $FindBin::Bin;
use Image qw(run run_qemu p4sim slurp spew results document $ELF);

my $STATUS_BROKEN = 37;                                  # of QEMU (README, "What you see")
my $dir = File::Temp->newdir;
my ($image, $packed) = (slurp($ELF), slurp('build/kernel/packed.lz4'));
my $at = index $image, $packed;
cmp_ok $at, '>', 0, 'the packed data are in the ELF';
cmp_ok length $packed, '<', 0.8 * -s 'build/kernel/image.bin', 'and smaller than the kernel';

# The image with one bit of the packed data flipped; returns the file's name.
sub damaged {
    my ($byte, $bit) = @_;
    my $bytes = $packed;
    substr($bytes, $byte, 1) ^= chr(1 << $bit);
    return with_packed($bytes);
}

# The image with other packed data.
sub with_packed {
    my $bytes = $image;
    substr $bytes, $at, length $packed, $_[0];
    return spew("$dir/damaged.elf", $bytes);
}

my $first_lines = "TAP version 13\n1..1\nnot ok 1 - boot.image";
my $expected = sprintf "\n%s #%04X\nBail out! the image is damaged: it is not what was built; write the medium again\n",
    $first_lines, crc32($first_lines) & 0xFFFF;
$expected =~ s/\n/\r\n/g;

# Bits spread over all of the packed data, its first and last bytes among them: each one must be noticed.
my $COUNT = 48;
my @positions = (0, 1, 2, (map { int($_ * length($packed) / $COUNT) + 3 } 0 .. $COUNT - 1), length($packed) - 1);
my (@entered, @unlike);
for my $index (0 .. $#positions) {
    my $run = p4sim('--limit', 20, damaged($positions[$index], $index % 8));
    push @entered, $positions[$index] if $run->{out} ne $expected;
    push @unlike, $positions[$index]  if !defined $run->{status} || $run->{status} != 2;
}
is_deeply \@entered, [], 'one flipped bit: the log is the refusal and nothing else, byte by byte';
is_deeply \@unlike, [], 'and the status is that of a broken run';

# Lengths and distances that lead far out of the image and of the packed data.
my $half = int(length($packed) / 2);
for my $case (
    [ 'zeros'                      => "\0" x length $packed ],
    [ 'endless literals'           => "\xFF" x length $packed ],
    [ 'an endless match'           => substr($packed, 0, $half) . "\x1F" . "\1\1\0" . "\xFF" x (length($packed) - $half - 4) ],
    [ 'matches before the image'   => "\x00\xFF\xFF" x (length($packed) / 3) . "\0" x (length($packed) % 3) ],
    [ 'the end too early'          => substr($packed, 0, $half) . "\xF0" . "\xFF" x (length($packed) - $half - 1) ],
    )
{
    my ($title, $bytes) = @$case;
    my $run = p4sim('--limit', 40, with_packed($bytes));
    is $run->{out}, $expected, $title;
}

my ($parser, @tests) = results(document($expected));
is_deeply [ $parser->parse_errors ], [], 'TAP::Parser has no complaint';

my $screen = p4sim('--screen', "$dir/screen", damaged(1000, 3));
like slurp("$dir/screen"), qr/^not ok 1 - boot\.image .*\nBail out! the image is damaged/m, 'the screen says the same';
my $qemu = run_qemu('-kernel', damaged(1000, 3));
is $qemu->{status}, $STATUS_BROKEN, 'QEMU ends with the status of a broken run' or diag $qemu->{err};
is $qemu->{out}, $expected, 'and has the same log';
like p4sim('--no-uart', '--limit', 20, damaged(1000, 3))->{err}, qr/\A[^\n]+\n\z/, 'without a UART it ends as well';

done_testing;
