# Finds where a damaged log is whole again. A check code is that of the whole document before it, so after
# damage it says nothing by itself. But a check code gives 16 bits of the sum, the next one the other 16, and
# the third one (or the end line) says whether the text between them is whole.
package Pmulog::Resume;

use v5.36;
use Compress::Raw::Zlib qw(crc32);

use constant {
    MOST      => 262_144,    # bytes since the first check code that are kept
    MOST_OPEN => 8,          # bits of the sum that two check codes leave open; nearly always none
};

my $CODED = qr/\A((?:(?:not )?ok |\# soak ).*)( \#([0-9A-F]{4}))\z/;
my $ENDED = qr/\A(\# END OF TAP: .*), CRC-32 ([0-9A-F]{8})\z/;

# lines: [text, ...] since a line with a check code. text: what the sum covers since the last check code. low:
# the first check code. sums: [sum at the first check code, sum at the last one] that are possible; undef
# before the second. last: the number of the line with the last check code.
sub new ($class) {
    return bless { lines => [], bytes => 0, text => '', low => undef, sums => undef, last => 0 }, $class;
}

# Takes the next line; what comes with it is kept. Returns nothing as long as it is not known that lines are
# whole. Otherwise the sum after the first line that is, and the lines from it on.
sub take ($self, $text, @more) {
    my ($coded, $code_text, $code) = $text =~ $CODED;
    my ($summed, $crc) = $text =~ $ENDED;
    return if !@{ $self->{lines} } && !defined $code;
    push @{ $self->{lines} }, [ $text, @more ];
    $self->{bytes} += length $text;
    return $self->_again(scalar @{ $self->{lines} }) if $self->{bytes} > MOST;
    if (@{ $self->{lines} } == 1) {
        @$self{qw(low text)} = (hex $code, "$code_text\n");
        return;
    }
    if (!defined $code && !defined $crc) {
        $self->{text} .= "$text\n";
        return;
    }
    my $third = $self->{sums} || defined $crc;
    my @sums = $self->_possible($self->{text} . ($coded // $summed),
        defined $crc ? (0xFFFF_FFFF, hex $crc) : (0xFFFF, hex $code));
    return $self->_again($self->{sums} ? $self->{last} : $#{ $self->{lines} }) if !@sums;
    @$self{qw(sums text last)} = (\@sums, ($code_text // '') . "\n", $#{ $self->{lines} });
    return if !$third;
    my ($first) = $self->{lines}[0][0] =~ /( \#[0-9A-F]{4})\z/;
    return (crc32("$first\n", $sums[0][0]), @{ $self->{lines} });
}

# The sums that are possible when the sum after this text has these bits.
sub _possible ($self, $text, $mask, $bits) {
    return grep { ($_->[1] & $mask) == $bits } map { [ $_->[0], crc32($text, $_->[1]) ] } @{ $self->{sums} }
        if $self->{sums};
    # Of the first sum 16 bits are known. The sum after the text is linear in the others: each one inverts
    # always the same bits of it. So these are linear equations, which are solved by elimination. rows:
    # [leading bit, what is inverted, by which bits].
    my $low = $self->{low};
    my $base = crc32($text, $low);
    my (@rows, @any);    # any: sets of bits that invert nothing of what is looked at
    for my $bit (16 .. 31) {
        my $sum = crc32($text, $low ^ 1 << $bit);
        my ($inverted, $by) = reduced(($sum ^ $base) & $mask, 1 << $bit, @rows);
        if   ($inverted == 0) { push @any, $by }
        else                  { push @rows, [ $inverted & -$inverted, $inverted, $by ] }
    }
    my ($left, $high) = reduced(($base ^ $bits) & $mask, 0, @rows);
    return if $left || @any > MOST_OPEN;
    my @high = ($high);
    for my $more (@any) {
        push @high, map { $_ ^ $more } @high;
    }
    return map { [ $low | $_, crc32($text, $low | $_) ] } @high;
}

# What is left of inverted bits after elimination by these rows, and the bits that do it.
sub reduced ($inverted, $by, @rows) {
    for my $row (@rows) {
        ($inverted, $by) = ($inverted ^ $row->[1], $by ^ $row->[2]) if $inverted & $row->[0];
    }
    return ($inverted, $by);
}

# Begins anew with the line of this number, because those before it are not whole.
sub _again ($self, $from) {
    my @lines = @{ $self->{lines} }[ $from .. $#{ $self->{lines} } ];
    %$self = %{ Pmulog::Resume->new };
    $self->take(@$_) for @lines;
    return;
}

1;
