# Prints the differences between two runs or two boards.
package Pmulog::Diff;

use strict;
use warnings;
use Pmulog::Run;

# The command `diff`. Returns 0 if there is no difference, 1 if there is one, 2 if a log is incomplete or damaged. What
# can be read of such a log is compared as well.
sub diff {
    my ($wanted, @paths) = @_;
    my ($a, $b) = map { Pmulog::Run::load($_, $wanted) } @paths;
    my $lines = differences($a, $b);
    print "--- $a->{path}, boot $a->{boot}\n+++ $b->{path}, boot $b->{boot}\n", map { "$_\n" } @$lines if @$lines;
    my @torn = grep { !$_->{whole} } $a, $b;
    print "$_->{path}, boot $_->{boot} is $_->{verdict}: $_->{why}\n" for @torn;
    print "no difference\n" if !@$lines && !@torn;
    return @torn ? 2 : @$lines ? 1 : 0;
}

# The differences as lines of text: a line that names what differs, then one line for each side.
sub differences {
    my ($a, $b) = @_;
    my @lines = compared('verdict', [ [ '', $a->{verdict} ] ], [ [ '', $b->{verdict} ] ]);
    push @lines, compared('inventory', map { numbered($_->{inventory}) } $a, $b);
    push @lines, compared('point', map { [ map { [ $_->{id}, said($_) ] } @{ $_->{points} } ] } $a, $b);
    push @lines, compared('sheet', map { [ map { [ "$_->[0] $_->[1]", $_->[2] ] } @{ $_->{sheet} } ] } $a, $b);
    push @lines, compared('soak', map { [ soak($_) ] } $a, $b);
    return \@lines;
}

# A point's outcome; for a failure, also what was expected and observed, and what else failed.
sub said {
    my ($point) = @_;
    my $text = Pmulog::Run::outcome($point);
    my %pair = map { @$_ } @{ $point->{pairs} };
    $text .= " ($point->{skip})" if defined $point->{skip};
    $text .= ": $pair{what}" if defined $pair{what};
    $text .= ": $pair{observed}, not $pair{expected}" if defined $pair{expected} && defined $pair{observed};
    $text .= "; also $_->[1]" for grep { $_->[0] eq 'also' } @{ $point->{pairs} };
    return $text;
}

# Makes keys unique: if a key comes twice, the second becomes "key (2)".
sub numbered {
    my ($pairs) = @_;
    my %seen;
    return [ map { [ $seen{ $_->[0] }++ ? "$_->[0] ($seen{$_->[0]})" : $_->[0], $_->[1] ] } @$pairs ];
}

sub soak {
    my ($run) = @_;
    my $document = $run->{document} or return;
    return if !$document->{loops};
    return [ 'loops', $document->{loops} ], [ 'points in all', $document->{soaked} ],
        [ 'failed in all', $document->{soak_fails} ];
}

# A value without the time that its measurement took, which is not a result.
sub comparable {
    my ($value) = @_;
    return $value =~ s/ over \d+ ticks//r;
}

# A line of the sheet that holds measured clocks or rates: questions 10.14 to 10.16.
my $MEASURED = qr/\A10\.1[4-6][a-z] /;

# True for two measurements of one machine: the text is the same and no number differs by more than a tenth, or 16. Spreads
# in brackets and the longest of many distances belong to one run.
sub near {
    my ($name, $old, $new) = @_;
    return 0 if $name !~ $MEASURED;
    s/ \([^)]*\)//, s/, \d+ clocks in all; longest distance \d+ clocks// for $old, $new;
    my $number = qr/\d+(?:\.\d+)?/;
    return 0 if $old =~ s/$number/N/gr ne $new =~ s/$number/N/gr;
    my @new = $new =~ /($number)/g;
    for my $before ($old =~ /($number)/g) {
        my $after = shift @new;
        my $apart = abs($before - $after);
        my $larger = $before > $after ? $before : $after;
        return 0 if $apart > $larger / 10 && ($before =~ /\./ || $apart > 16);
    }
    return 1;
}

# True for two measured clock rates that differ by at most a thousandth.
sub alike {
    my ($old, $new) = @_;
    my ($a, $b) = map { [ /(\d+) kHz/g ] } $old, $new;
    return 0 if !@$a || $old =~ s/\d+ kHz/kHz/gr ne $new =~ s/\d+ kHz/kHz/gr;
    return !grep { abs($a->[$_] - $b->[$_]) * 1000 > $a->[$_] } 0 .. $#$a;
}

# Compares two lists of [name, value]: in the order of the first, then the names that only the second has.
sub compared {
    my ($section, $a, $b) = @_;
    my %a = map { @$_ } @$a;
    my %b = map { @$_ } @$b;
    my @lines;
    for my $name ((map { $_->[0] } @$a), grep { !exists $a{$_} } map { $_->[0] } @$b) {
        my ($old, $new) = map { $_->{$name} // 'absent' } \%a, \%b;
        next if comparable($old) eq comparable($new) || alike($old, $new) || near($name, $old, $new);
        my $title = $name eq '' ? $section : "$section $name";
        push @lines, "$title:", "-   $old", "+   $new";
    }
    return @lines;
}

1;
