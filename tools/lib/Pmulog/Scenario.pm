# What the vectors of the manual's cascade examples expect, moment by moment, and where in it a wrong value was observed.
# Pmulog::Cascade draws it.
package Pmulog::Scenario;

use strict;
use warnings;
use Exporter qw(import);
use Pmulog::Run;

our @EXPORT_OK = qw(scenario placed);

# The scenario that a vector's id stands for, or undef if the vector is none of the examples. Times are in units of X's
# count to its overflow.
#   name; x, y: counter numbers; from { x, y }: presets; span { x, y }: the counts that fill the height of a lane
#   lanes, end (time); bars [from, to, words]: the events; moments [time, words]
#   paths { x, y, ovf_x, ovf_y => [[time, value] ...] }; pmis [times]
sub scenario {
    my ($id) = @_;
    if (my ($kind, $block, $x, $y) = $id =~ /\Acascade\.(18-1|pmi|halt|extended|extended\.pmi|extended\.halt)\.([a-z]+)\.(\d+)-(\d+)\z/) {
        my $extended = $kind =~ /extended/;
        my $s = { x => $x, y => $y, name => 'Example 18-1' . ($extended ? ' through bit 11' : ''), from => { x => -200, y => -400 } };
        return $kind =~ /pmi/ ? pmi($s) : $kind =~ /halt/ ? halt($s, $extended) : counted($s, $block eq 'bpu');
    }
    if (my ($sample, $x, $y) = $id =~ /\Acascade\.18-2\.(sample\.)?[a-z]\.(\d+)-(\d+)\z/) {
        my $s = { x => $x, y => $y, name => 'Example 18-2' . ($sample ? ', sampled' : ''), from => { x => -4096, y => $sample ? -999 : 0 } };
        return processors($s, $sample);
    }
    return undef;
}

# Example 18-1: 200 of A on X, then 400 of B on Y. In the block BPU both count clocks.
sub counted {
    my ($s, $clocks) = @_;
    my ($a, $b) = $clocks ? ('clocks', 'clocks') : ('A', 'B');
    $s->{name} .= ', clocks on both counters' if $clocks;
    return completed($s, end => 3.35, bars => [ [ 0, 1, "200 $a" ], [ 1, 3, "400 $b" ] ], moments => [ [ 3, "400 $b later" ] ],
        y => [ [ 1, -400 ], [ 3, 0 ], [ 3.35, 80 ] ], ovf_y => 3);
}

# The vectors cascade.pmi: 200 of B, and the PMI with one B more.
sub pmi {
    my ($s) = @_;
    $s->{name} .= ', Y interrupts';
    $s->{from}{y} = -200;
    return completed($s, end => 2.6, bars => [ [ 0, 1, '200 A' ], [ 1, 2, '200 B' ], [ 2.15, 2.35, '1 B' ] ], moments => [ [ 2, '200 B later' ] ],
        y => [ [ 1, -200 ], [ 2, 0 ], [ 2.15, 0 ], [ 2.35, 1 ], [ 2.6, 1 ] ], ovf_y => 2, pmis => [2.35]);
}

# The vectors cascade.halt: Y, once started, is halted.
sub halt {
    my ($s, $extended) = @_;
    $s->{name} .= ', then Y is halted by clearing its ' . ($extended ? 'bit 11' : 'CASCADE') . ' or OVF of X';
    return completed($s, end => 3, bars => [ [ 0, 1, '200 A' ], [ 1, 2, '100 B' ], [ 2, 3, '100 B, 100 A' ] ], moments => [ [ 2, 'Y is halted' ] ],
        x => [ [ 1, 0 ], [ 2.5, 0 ], [ 3, 100 ] ], y => [ [ 1, -400 ], [ 2, -300 ], [ 3, -300 ] ], span => { x => 350, y => 150 }, ovf_x_to => 2);
}

# Example 18-2: 4096 events of LP0 on X, then instructions of LP1 on Y, with a PMI each 1000 of them if sampled.
sub processors {
    my ($s, $sample) = @_;
    my $y = [ [ 1, 0 ], [ 3.2, 3600 ] ];
    my @pmis = map { 1 + $_ * 2.2 / 6 } 1 .. 4;    # room for four PMIs and the words after them
    $y = [ [ 1, -999 ], map { ([ $_, 0 ], [ $_, -999 ]) } @pmis ] if $sample;
    return completed($s, end => 3.2, bars => [ [ 0, 1, '4096 of LP0' ], [ 1, 3.2, 'LP1, which runs all the while' ] ], moments => [],
        y => $y, span => { y => $sample ? 999 * 1.35 : 4096 }, $sample ? (pmis => \@pmis, pmi_words => 'one each 1000') : ());
}

# The parts that all scenarios share: X overflows at time 1 and counts on.
sub completed {
    my ($s, %own) = @_;
    my ($end, $from) = ($own{end}, $s->{from});
    $s->{$_} = $own{$_} for qw(end bars pmi_words);
    $s->{moments} = [ [ 1, 'Y starts' ], @{ $own{moments} } ];
    $s->{pmis}    = $own{pmis} || [];
    $s->{span}    = { x => -1.35 * $from->{x}, y => -1.35 * $from->{y}, %{ $own{span} || {} } };
    $s->{paths}   = {
        x => [ [ 0, $from->{x} ], @{ $own{x} || [ [ 1, 0 ], [ $end, -0.2 * $from->{x} ] ] } ],
        y => [ [ 0, $from->{y} ], @{ $own{y} } ],
        ovf_x => [ [ 0, 0 ], [ 1, 0 ], [ 1, 1 ], [ $own{ovf_x_to} // $end, 1 ] ],
        $own{ovf_y} ? (ovf_y => [ [ 0, 0 ], [ $own{ovf_y}, 0 ], [ $own{ovf_y}, 1 ], [ $end, 1 ] ]) : (),
    };
    $s->{lanes} = [ 'events', 'x', 'ovf_x', 'y', $own{ovf_y} ? 'ovf_y' : (), @{ $s->{pmis} } ? 'pmi' : () ];
    return $s;
}

# The scenario of a vector in a sentence.
sub caption {
    my ($s) = @_;
    return "$s->{name}: counter $s->{x} is X, counter $s->{y} is Y.";
}

# A value of the log as a number: decimal, the middle of 'A to B', or a register of 40 bits with bit 39 as its sign.
# undef if it is no number.
sub number {
    my ($text) = @_;
    return ($1 + $2) / 2 if $text =~ /\A(\d{1,12}) to (\d{1,12})\z/;
    return $text if $text =~ /\A\d{1,12}\z/;
    my ($hex) = $text =~ /\A0*([0-9A-F]{1,10})H\z/ or return undef;
    my $value = 0;
    $value = $value * 16 + hex $_ for split //, $hex;
    return $value >= 2**39 ? $value - 2**40 : $value;
}

# Where the first wrong value of a failed point belongs: { lane, time, values [expected, observed] }, either value undef if
# it is no number; { late } with the clocks between X and Y; undef if it has no place.
sub placed {
    my ($s, $point) = @_;
    my %pair = Pmulog::Run::diagnosis($point);
    my ($what, @said) = @pair{qw(what expected observed)};
    return undef if grep { !defined } $what, @said;
    my @number = map { number($_) } @said;
    return defined $number[1] ? { late => $number[1] } : undef if $what =~ /\Aclocks between X/;

    my $place = sub { my ($lane, $time, @values) = @_; return { lane => $lane, time => $time, values => \@values } };
    my $y_at = sub { my ($count) = @_; return defined $count ? $count + $_[1] : undef };
    # What Y has counted from its preset on, or since it was halted.
    if ($what =~ /\A(?:B's counted by|clocks of) Y \(\d+\) (once|while)/) {
        return $place->('y', $1 eq 'once' ? 1 - $s->{from}{y} / 200 : 0.95, map { $y_at->($_, $s->{from}{y}) } @number);
    }
    return $place->('y', 3, map { $y_at->($_, -300) } @number) if $what =~ /\Aevents counted by Y \(\d+\), halted by/;
    # 'yes' means that the counter runs as it should.
    my $runs = sub { my ($yes, $no) = @_; return map { { yes => $yes, no => $no }->{$_} } @said };
    return $place->('y', 2, $runs->(-300, -400)) if $what =~ /\AY \(\d+\) runs after X/;
    return $place->('x', 3, $runs->(100, 0)) if $what =~ /\AX \(\d+\) keeps counting when Y is halted/;
    return $place->('pmi', 2 + 0.35 * $1, @number) if $what =~ /\APMIs of Y \(\d+\), ([01]) B after its overflow/;

    my ($ovf, $counter, $rest) = $what =~ /\A(OVF of )?([XY]) \(\d+\)(.*)\z/ or return undef;
    my %flag = $rest =~ / stays 0 / ? (yes => 0, no => 1) : (yes => 1, no => 0);
    @number = map { $flag{$_} // number($_) } @said if $ovf;
    my $time = $rest =~ /after (\d+) B/ ? 1 + $1 / 200
        : $rest =~ /B beyond its overflow/           ? 3
        : $rest =~ /which overflows, and ([01]) B/   ? 2 + 0.35 * $1
        : $rest =~ /one A short|with the last A/     ? 1
        : $rest =~ /after (\d+)\b/                   ? $1 / -$s->{from}{x}
        : $rest =~ /before the 4096th/               ? 0.95
        :                                              $s->{end} - 0.15;
    return (grep { defined } @number) ? $place->(($ovf ? 'ovf_' : '') . lc $counter, $time, @number) : undef;
}

1;
