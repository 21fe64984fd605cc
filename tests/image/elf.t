#!/usr/bin/perl
# The kernel's file. A damaged image (boot/check.asm): one flipped bit anywhere in code, constants, data or
# the CRC-32 keeps the kernel from being entered at all. An image without damage reports the CRC-32 that its
# file has.
#
# Where the linked kernel has what (boot/kernel.ld): written data is at least 4 KB away from code that runs,
# or a Pentium 4 may take a store for self-modifying code and empty its trace cache (fact F18); and nothing
# that workloads run lies 16 KB from the measured frame or from the code that enters it, whose trace it would
# evict (fact F21).
use lib 'tests/image';
use ImageTest;
use Compress::Raw::Zlib qw(crc32);

my $STATUS_BROKEN = 37;    # of QEMU (README, "What you see")
my $SYMBOLS = 'build/kernel.elf';
my $CRC_BYTES = 4;
my $SECTOR = 512;
my $image = slurp($ELF);

# The place in the file of the byte that has this symbol's address.
my %address = map { /^(\w+) \w (\w+)$/ ? ($2 => hex $1) : () } split /\n/, run(1, 'nm', $SYMBOLS)->{out};
my ($headers, $count) = unpack 'x28 V x12 v', $image;
my @loads = map { [ unpack 'x4 V2 x4 V', substr $image, $headers + 32 * $_, 32 ] } 0 .. $count - 1;

sub offset_of ($symbol) {
    my $address = $address{$symbol} // die "$SYMBOLS has no symbol $symbol";
    for my $load (@loads) {
        my ($offset, $begin, $bytes) = @$load;
        return $address - $begin + $offset if $address >= $begin && $address <= $begin + $bytes;
    }
    die "$symbol is not in $ELF";
}

my ($begin, $unchecked, $checked, $crc) = map { offset_of($_) } qw(image_begin start check_end image_crc);
my ($rodata, $rodata_end, $data) = (offset_of('fixups_begin'), $loads[0][0] + $loads[0][2], $loads[1][0]);
my $loaded = join '', map { substr $image, $_->[0], $_->[2] } @loads;

my ($log) = p4sim($ELF, 'inventory')->{out} =~ /^# image: (.*)\r$/m;
is $log,
    sprintf(
    'CRC-32 %08X, %d bytes, as built',
    crc32(substr $loaded, 0, -$CRC_BYTES),
    length($loaded) - $CRC_BYTES
    ),
    'an undamaged image reports size and CRC-32 of what its file puts into memory';

# The image with one bit flipped; returns the file's name.
sub damaged ($at, $bit) { return overwritten($at, substr($image, $at, 1) ^. chr(1 << $bit)) }

# The image with other bytes from there on.
sub overwritten ($at, $new) {
    my $bytes = $image;
    substr $bytes, $at, length $new, $new;
    return file('damaged.elf', $bytes);
}

my $first_lines = "TAP version 13\n1..1\nnot ok 1 - boot.image";
my $expected =
    sprintf "%s #%04X\nBail out! the image is damaged: it is not what was built; write the medium again\n",
    $first_lines, crc32($first_lines) & 0xFFFF;
$expected =~ s/\n/\r\n/g;

# Bits of the multiboot 2 header, which p4sim does not read; bits spread over everything behind the code that
# checks; the first and last bytes of constants and data; every byte of the CRC.
my $COUNT = 48;
my $checked_bytes = $crc - $checked;
my @positions = (
    $begin, $begin + 4,
    $checked .. $checked + 2,
    (map { $checked + int($_ * $checked_bytes / $COUNT) } 0 .. $COUNT - 1),
    $rodata, $rodata_end - 1,
    $data, $crc - 1, $crc .. $crc + $CRC_BYTES - 1,
);
cmp_ok $checked - $unchecked, '<', $SECTOR, 'the code that checks takes less than a sector';
my (@entered, @unlike);
for my $index (0 .. $#positions) {
    my $run = p4sim('--limit', 20, damaged($positions[$index], $index % 8));
    push @entered, $positions[$index] if $run->{out} ne $expected;
    push @unlike, $positions[$index] if !defined $run->{status} || $run->{status} != 2;
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
like slurp("$dir/screen"), qr/^not ok 1 - boot\.image .*\nBail out! the image is damaged/m,
    'the screen says the same';
for my $case ([ code => $checked + 1000 ], [ data => $data + 3 ], [ 'the CRC' => $crc ]) {
    my ($where, $at) = @$case;
    my $qemu = run_qemu('-kernel', damaged($at, 3));
    is $qemu->{status}, $STATUS_BROKEN, "damage in $where: QEMU ends with the status of a broken run"
        or diag $qemu->{err};
    is $qemu->{out}, $expected, 'and has the same log';
}
like p4sim('--no-uart', '--limit', 20, damaged($checked + 1000, 3))->{err}, qr/\A[^\n]+\n\z/,
    'without a UART it ends as well';

my $stamped = run(1, 'boot/stamp', file('stamped.elf', $image));
isnt $stamped->{status}, 0, 'boot/stamp refuses an image without room for the CRC-32';
is slurp("$dir/stamped.elf"), $image, 'and leaves it as it is';
my $gap = $image;
substr $gap, $headers + 32 + 12, 4, pack 'V', $loads[1][1] + 4;    # address of the second segment
like run(1, 'boot/stamp', file('gap.elf', $gap))->{err}, qr/a gap before its segment at [0-9A-F]+H$/,
    'and one with a gap';

# Work on the second logical processor that begins with UD2 ends its vector, and the log says why.
my $undefined = $image;
substr $undefined, offset_of('set_lvtpc'), 2, "\x0F\x0B";
substr $undefined, $crc, $CRC_BYTES, "\0" x $CRC_BYTES;
is run(1, 'boot/stamp', file('undefined.elf', $undefined))->{status}, 0,
    'boot/stamp stores the CRC-32 of a changed image';
like p4sim("$dir/undefined.elf", 'only=harness.second')->{out},
    qr/^not ok \d+ - harness\.second\.lvtpc (?:(?!^ok ).)*the second logical processor took exception 6 \(#UD[^)]*\) at [0-9A-F]{8}H.*^ok \d+ - harness\.second\.crash /ms,
    'an exception of the second logical processor ends its vector alone';

# ---- Layout ----

my $APART = 4096;
my $ALIAS = 16 * 1024;

my %section =
    map { /^\s*\[ *\d+\] (\.\S+)\s+\S+\s+(\w+) \w+ (\w+)/ ? ($1 => [ hex $2, hex($2) + hex $3 ]) : () }
    split /\n/, run(1, qw(readelf -SW), $SYMBOLS)->{out};

my @CODE = qw(.text .sled_room .more_sled_room .self_modifying .cold_room);
my @WRITTEN = qw(.data .bss);
for my $code (@CODE) {
    for my $other (@WRITTEN, grep { $_ ne $code } $code eq '.self_modifying' ? @CODE : '.self_modifying') {
        my ($low, $high) = sort { $a->[0] <=> $b->[0] } @section{ $code, $other };
        cmp_ok $high->[0] - $low->[1], '>=', $APART, "$code and $other are 4 KB apart";
    }
}

cmp_ok $section{'.self_modifying'}[1] - $address{modified}, '>=', $APART,
    'nothing is within 4 KB after the code that is stored into';

# Stacks and what the processor itself writes.
for my $written (qw(boot_stack ap_stack ring_stack gdt idt tss)) {
    my $at = $address{$written} // next;
    ok scalar(grep { $at >= $section{$_}[0] && $at < $section{$_}[1] } @WRITTEN), "$written is in data";
}
ok exists $address{$_}, "$_ has a symbol" for qw(boot_stack ap_stack ring_stack gdt idt);

# Do two stretches of code overlap, modulo 16 KB? Each is [begin, end).
sub alias ($one, $other) {
    my $after = ($other->[0] - $one->[0]) % $ALIAS;
    return $after < $one->[1] - $one->[0] || $after + $other->[1] - $other->[0] > $ALIAS;
}

# The frame, whose code is part of every measurement, up to the first workload.
my @frame = ($address{frame_exercise}, $address{work_nothing_entry});
cmp_ok $frame[0], '<', $frame[1], 'the frame comes before the workloads';
my @own = grep { /^work_\w+_entry$/ } keys %address;
cmp_ok scalar @own, '>=', 25, 'workloads';
is_deeply [ grep { $address{$_} - $frame[0] >= $ALIAS } @own ], [],
    'the frame and the workloads lie together';
ok !alias(\@frame, $section{$_}), "no trace of $_ evicts one of the frame" for qw(.sled_room .more_sled_room);
ok !alias(\@frame, [ @address{qw(trap_stubs trap_stubs_end)} ]), 'nor does one of the trap stubs';
my $modified = [ $address{modified}, $address{modified} + 64 ];
ok !alias(\@frame, $modified), 'nor does the code that is stored into';

# A straight line and the code that enters it: struct sled of tests/suite/frame.c, { room, template, copies,
# bytes }.
my ($at) = map { /^\s*\[ *\d+\] \.rodata\s+\S+\s+(\w+) (\w+)/ ? hex($2) - hex $1 : () } split /\n/,
    run(1, qw(readelf -SW), $SYMBOLS)->{out};
my @sleds = unpack '(a16)*', substr slurp($SYMBOLS), $address{sleds_begin} + $at,
    $address{sleds_end} - $address{sleds_begin};
cmp_ok scalar @sleds, '>=', 10, 'straight lines';
my @evicted = grep {
    my ($room, $template, $copies, $bytes) = unpack 'V4', $_;
    alias([ $template - 32, $template + 32 ], [ $room, $room + $copies * $bytes ]);
} @sleds;
is scalar @evicted, 0, 'none evicts the code that enters it';

# The trampoline of the second logical processor has the page that it is copied to for itself.
cmp_ok $address{trampoline_end} - $address{trampoline_begin}, '<', $APART, 'the trampoline fits in a page';

done_testing;
