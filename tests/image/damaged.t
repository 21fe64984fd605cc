#!/usr/bin/perl
# A damaged image (boot/check.asm): one flipped bit anywhere in code, constants, data or the CRC-32 keeps the kernel from
# being entered at all. An image without damage reports the CRC-32 that its file has.
use lib 'tests/image';
use ImageTest;
use Compress::Raw::Zlib qw(crc32);

my $STATUS_BROKEN = 37;             # of QEMU (README, "What you see")
my $SYMBOLS       = 'build/kernel.elf';
my $CRC_BYTES     = 4;
my $SECTOR        = 512;
my $image = slurp($ELF);

# The place in the file of the byte that has this symbol's address.
my %address = map { /^(\w+) \w (\w+)$/ ? ($2 => hex $1) : () } split /\n/, run(1, 'nm', $SYMBOLS)->{out};
my ($headers, $count) = unpack 'x28 V x12 v', $image;
my @loads = map { [ unpack 'x4 V2 x4 V', substr $image, $headers + 32 * $_, 32 ] } 0 .. $count - 1;

sub offset_of {
    my ($symbol) = @_;
    my $address = $address{$symbol} // die "$SYMBOLS has no symbol $symbol";
    for my $load (@loads) {
        my ($offset, $begin, $bytes) = @$load;
        return $address - $begin + $offset if $address >= $begin && $address <= $begin + $bytes;
    }
    die "$symbol is not in $ELF";
}

my ($begin, $unchecked, $checked, $crc) = map { offset_of($_) } qw(image_begin start check_end image_crc);
my ($rodata, $data) = (offset_of('fixups_begin'), $loads[1][0]);
my $loaded = join '', map { substr $image, $_->[0], $_->[2] } @loads;

my ($log) = p4sim($ELF, 'inventory')->{out} =~ /^# image: (.*)\r$/m;
is $log, sprintf('CRC-32 %08X, %d bytes, as built', crc32(substr $loaded, 0, -$CRC_BYTES), length($loaded) - $CRC_BYTES),
    'an undamaged image reports size and CRC-32 of what its file puts into memory';

# The image with one bit flipped; returns the file's name.
sub damaged {
    my ($at, $bit) = @_;
    my $bytes = $image;
    substr($bytes, $at, 1) ^= chr(1 << $bit);
    return spew("$dir/damaged.elf", $bytes);
}

# The image with other bytes from there on.
sub overwritten {
    my ($at, $new) = @_;
    my $bytes = $image;
    substr $bytes, $at, length $new, $new;
    return spew("$dir/damaged.elf", $bytes);
}

my $first_lines = "TAP version 13\n1..1\nnot ok 1 - boot.image";
my $expected = sprintf "%s #%04X\nBail out! the image is damaged: it is not what was built; write the medium again\n",
    $first_lines, crc32($first_lines) & 0xFFFF;
$expected =~ s/\n/\r\n/g;

# Bits of the multiboot 2 header, which p4sim does not read; bits spread over everything behind the code that checks;
# the first and last bytes of constants and data; every byte of the CRC.
my $COUNT = 48;
my $checked_bytes = $crc - $checked;
my @positions = (
    $begin, $begin + 4, $checked .. $checked + 2, (map { $checked + int($_ * $checked_bytes / $COUNT) } 0 .. $COUNT - 1),
    $rodata, $data - 1, $data, $crc - 1, $crc .. $crc + $CRC_BYTES - 1,
);
cmp_ok $checked - $unchecked, '<', $SECTOR, 'the code that checks takes less than a sector';
my (@entered, @unlike);
for my $index (0 .. $#positions) {
    my $run = p4sim('--limit', 20, damaged($positions[$index], $index % 8));
    push @entered, $positions[$index] if $run->{out} ne $expected;
    push @unlike, $positions[$index]  if !defined $run->{status} || $run->{status} != 2;
}
is_deeply \@entered, [], 'one flipped bit: the log is the refusal and nothing else, byte by byte';
is_deeply \@unlike, [], 'and the status is that of a broken run';

# What a bad medium or a bad transfer leaves.
my $half = int($checked_bytes / 2 / $SECTOR) * $SECTOR;
my ($one, $other) = map { substr $image, $checked + $_, $SECTOR } $half, $half + $SECTOR;
isnt $one, $other, 'the two sectors differ';
for my $case (
    [ 'zeros'                 => $checked, "\0" x $checked_bytes ],
    [ 'ones'                  => $checked, "\xFF" x $checked_bytes ],
    [ 'zeros, and no CRC'     => $checked, "\0" x ($checked_bytes + $CRC_BYTES) ],
    [ 'the second half empty' => $checked + $half, "\0" x ($checked_bytes - $half) ],
    [ 'an empty sector'       => $checked + $half, "\0" x $SECTOR ],
    [ 'two sectors swapped'   => $checked + $half, $other . $one ],
    [ 'one byte lost'         => $checked, substr $image, $checked + 1, $checked_bytes + $CRC_BYTES - 1 ],
    )
{
    my ($title, $at, $bytes) = @$case;
    my $run = p4sim('--limit', 40, overwritten($at, $bytes));
    is $run->{out}, $expected, $title;
}

my ($parser, @tests) = results(document($expected));
is_deeply [ $parser->parse_errors ], [], 'TAP::Parser has no complaint';

my $screen = p4sim('--screen', "$dir/screen", damaged($checked + 1000, 3));
like slurp("$dir/screen"), qr/^not ok 1 - boot\.image .*\nBail out! the image is damaged/m, 'the screen says the same';
for my $case ([ code => $checked + 1000 ], [ data => $data + 3 ], [ 'the CRC' => $crc ]) {
    my ($where, $at) = @$case;
    my $qemu = run_qemu('-kernel', damaged($at, 3));
    is $qemu->{status}, $STATUS_BROKEN, "damage in $where: QEMU ends with the status of a broken run" or diag $qemu->{err};
    is $qemu->{out}, $expected, 'and has the same log';
}
like p4sim('--no-uart', '--limit', 20, damaged($checked + 1000, 3))->{err}, qr/\A[^\n]+\n\z/, 'without a UART it ends as well';

my $stamped = run(1, 'boot/stamp', spew("$dir/stamped.elf", $image));
isnt $stamped->{status}, 0, 'boot/stamp refuses an image without room for the CRC-32';
is slurp("$dir/stamped.elf"), $image, 'and leaves it as it is';
my $gap = $image;
substr $gap, $headers + 32 + 12, 4, pack 'V', $loads[1][1] + 4;    # address of the second segment
like run(1, 'boot/stamp', spew("$dir/gap.elf", $gap))->{err}, qr/a gap before its segment at [0-9A-F]+H$/, 'and one with a gap';

done_testing;
